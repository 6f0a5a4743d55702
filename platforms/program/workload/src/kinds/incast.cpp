// kind = "incast": queries, which many NICs answer to one at the same time, each on a connection of
// its own.
#include "arrivals.hpp"

namespace horae::workload {
namespace {

struct IncastConfig : ArrivalConfig {
  std::uint32_t fan_in = 50;
  Bytes size{40'000};
  static const Schema<IncastConfig>& schema();
};

const Schema<IncastConfig>& IncastConfig::schema() {
  static const Schema<IncastConfig> s = with_arrivals(
      Schema<IncastConfig>("traffic", "Queries: many NICs send to one at the same time.")
          .field("fan_in", &IncastConfig::fan_in,
                 {.doc = "senders of a query", .min = 1, .max = 65535, .source = "50: Eunomia 5.5"})
          .field("size", &IncastConfig::size,
                 {.doc = "bytes that each sender sends",
                  .min = 1_B,
                  .max = Bytes(0x7fffffff),
                  .source = "40 KB: Eunomia 5.5"}));
  return s;
}

class IncastTraffic final : public ArrivalTraffic<IncastConfig> {
 public:
  explicit IncastTraffic(const TrafficSection& table) : ArrivalTraffic(table) { check(table); }

  void plan(const config::PlatformConfig& platform, const FlowSink& sink) const override {
    const PlanInputs in(platform, number(), config_, std::uint64_t{config_.fan_in} + 1);
    place_plan(platform, number(), config_, in.members,
               traffic::plan_incast(in.hosts, in.arrivals, config_.fan_in, config_.size), sink);
  }

  Measure measure() const override { return Measure::queries; }
};

}  // namespace

TrafficKind incast_kind() { return traffic_kind<IncastTraffic>("incast", true); }

}  // namespace horae::workload
