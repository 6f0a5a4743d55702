// kind = "batch": one message for each pair of a pattern, all at the same time.
#include "pattern.hpp"

namespace horae::workload {
namespace {

struct BatchConfig : PatternConfig {
  BatchConfig() { pattern = Pattern::permutation; }
  Bytes size = 8_MiB;
  Picoseconds start{};
  static const Schema<BatchConfig>& schema();
};

const Schema<BatchConfig>& BatchConfig::schema() {
  static const Schema<BatchConfig> s =
      with_pattern(
          Schema<BatchConfig>("traffic", "One message for each pair of a pattern, all at once."),
          "NIC")
          .field("size", &BatchConfig::size,
                 {.doc = "bytes of a message; 0: one packet without payload",
                  .min = 0_B,
                  .max = Bytes(0x7fffffff),
                  .source = "4 to 32 MiB: REPS (EuroSys 2026) 4.1"})
          .field("start", &BatchConfig::start, {.doc = "when all are posted", .min = 0_ps});
  return s;
}

class BatchTraffic final : public TrafficOf<BatchConfig> {
 public:
  explicit BatchTraffic(const TrafficSection& table) : TrafficOf(table) {
    check_pattern(table, config_, EndPoint::nic);
    config::check_at(table.section, table.section.has("size") ? "size" : "kind", [&] {
      table.demand.ask(queue_pairs_of(*this, table.platform), table.section, "kind");
    });
  }

  void plan(const config::PlatformConfig& platform, const FlowSink& sink) const override {
    for (const auto& [from, to] : pairs_of(platform, config_, EndPoint::nic)) {
      check_psns(platform, from, config_.size);
      sink({.from = from, .to = to, .message = config_.size, .start = config_.start});
    }
  }

  Measure measure() const override { return Measure::messages; }
  Picoseconds arrivals_end(const config::PlatformConfig& /*platform*/) const override {
    return config_.start;
  }
};

}  // namespace

TrafficKind batch_kind() { return traffic_kind<BatchTraffic>("batch", true); }

}  // namespace horae::workload
