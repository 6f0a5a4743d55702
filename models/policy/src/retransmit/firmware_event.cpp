// H7: a NACK is an event for firmware.
#include "horae/policy/own_parameters.hpp"
#include "horae/policy/retransmit/parameters.hpp"

namespace horae::policy {
namespace {

/// One processor for all queue pairs takes one event at a time; NACKs of a queue pair that waits or
/// is being served merge. Independent of PCIe.
class FirmwareEventPolicy final : public RetransmitPolicy {
 public:
  explicit FirmwareEventPolicy(const FirmwareEvent& config) : config_(config) {}

  void add_work(RetransmitWork& work) const override { work.processor += config_.event; }
  Scope server() const override { return Scope::port; }
  Merge merge() const override { return Merge::one_pending; }
  Scope stall() const override { return config_.stall; }

 private:
  FirmwareEvent config_;
};

}  // namespace

const Schema<FirmwareEvent>& FirmwareEvent::schema() {
  static const auto s =
      Schema<FirmwareEvent>("firmware_event", "H7: firmware handles NACKs one at a time.")
          .field(
              "event", &FirmwareEvent::event,
              {.doc = "time that firmware takes for an event",
               .max = 1_ms,
               .source = "hypothesis, 1 to 20 us; about 20 us per gap is reported for ConnectX-5 "
                         "UC (NVIDIA developer forum 358441)",
               .verified = false})
          .choice("stall", &FirmwareEvent::stall,
                  {{"none", Scope::none}, {"queue_pair", Scope::queue_pair}, {"port", Scope::port}},
                  {.doc = "which queue pairs send nothing during an event"});
  return s;
}

RetransmitEntry firmware_event_mechanism() {
  return {.name = "firmware_event",
          .hypothesis = "H7",
          .doc = "firmware takes one NACK at a time",
          .make = [](const PolicyParameters& parameters) -> std::unique_ptr<RetransmitPolicy> {
            return std::make_unique<FirmwareEventPolicy>(parameters.of<FirmwareEvent>());
          },
          .parameters = {table_of<FirmwareEvent>()}};
}

}  // namespace horae::policy
