// H3: a retransmit queue of strict priority; a retransmission costs only its slot on the wire.
#include "horae/policy/retransmit/policies.hpp"

namespace horae::policy {
namespace {

/// New data goes on while a retransmission is fetched; nothing waits.
class StrictPriority final : public RetransmitPolicy {
 public:
  explicit StrictPriority(const RetransmitConfig::StrictPriority& config) : config_(config) {}

  void add_work(RetransmitWork& work) const override { work.serial_reads += config_.serial_reads; }

 private:
  RetransmitConfig::StrictPriority config_;
};

}  // namespace

std::unique_ptr<RetransmitPolicy> make_strict_priority(const RetransmitConfig& config) {
  return std::make_unique<StrictPriority>(config.strict_priority);
}

}  // namespace horae::policy
