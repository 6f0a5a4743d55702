// H7: a NACK is an event for firmware.
#include "horae/policy/retransmit/policies.hpp"

namespace horae::policy {
namespace {

/// One processor for all queue pairs takes one event at a time; NACKs of a queue pair that waits or
/// is being served merge. Independent of PCIe.
class FirmwareEvent final : public RetransmitPolicy {
 public:
  explicit FirmwareEvent(const RetransmitConfig::FirmwareEvent& config) : config_(config) {}

  void add_work(RetransmitWork& work) const override { work.processor += config_.event; }
  Scope server() const override { return Scope::port; }
  Merge merge() const override { return Merge::one_pending; }
  Scope stall() const override { return config_.stall; }

 private:
  RetransmitConfig::FirmwareEvent config_;
};

}  // namespace

std::unique_ptr<RetransmitPolicy> make_firmware_event(const RetransmitConfig& config) {
  return std::make_unique<FirmwareEvent>(config.firmware_event);
}

}  // namespace horae::policy
