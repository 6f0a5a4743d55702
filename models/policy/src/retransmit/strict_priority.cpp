// H3: a retransmit queue of strict priority; a retransmission costs only its slot on the wire.
#include "common_keys.hpp"
#include "horae/policy/own_parameters.hpp"
#include "horae/policy/retransmit/parameters.hpp"

namespace horae::policy {
namespace {

/// New data goes on while a retransmission is fetched; nothing waits.
class StrictPriorityPolicy final : public RetransmitPolicy {
 public:
  explicit StrictPriorityPolicy(const StrictPriority& config) : config_(config) {}

  void add_work(RetransmitWork& work) const override { work.serial_reads += config_.serial_reads; }

 private:
  StrictPriority config_;
};

}  // namespace

const Schema<StrictPriority>& StrictPriority::schema() {
  static const auto s =
      Schema<StrictPriority>("strict_priority", "H3: a retransmission costs only its slot.")
          .field("serial_reads", &StrictPriority::serial_reads, serial_reads_info());
  return s;
}

RetransmitEntry strict_priority_mechanism() {
  return {.name = "strict_priority",
          .hypothesis = "H3",
          .doc = "a retransmission costs only its slot on the wire",
          .make = [](const PolicyParameters& parameters) -> std::unique_ptr<RetransmitPolicy> {
            return std::make_unique<StrictPriorityPolicy>(parameters.of<StrictPriority>());
          },
          .parameters = {table_of<StrictPriority>()}};
}

}  // namespace horae::policy
