// kind = "flows": messages of a workload, each on a connection of its own, from every member to any
// other one.
#include <fmt/format.h>

#include <optional>

#include "arrivals.hpp"
#include "horae/core/error.hpp"
#include "horae/params/file_content.hpp"
#include "horae/params/shipped_file.hpp"

namespace horae::workload {
namespace {

struct FlowsConfig : ArrivalConfig {
  Located<std::string> workload{"alistorage2019", {}};
  /// Content hash of a user's workload file.
  std::optional<Located<std::string>> content;
  static const Schema<FlowsConfig>& schema();
};

const Schema<FlowsConfig>& FlowsConfig::schema() {
  static const Schema<FlowsConfig> s = with_arrivals(
      Schema<FlowsConfig>(
          "traffic", "Messages of a workload between all NICs, each on a queue pair of its own.")
          .field("workload", &FlowsConfig::workload,
                 {.doc = "sizes: a name of `horae list workloads`, or a .toml file beside this "
                         "one"})
          .field("content", &FlowsConfig::content,
                 {.doc = "of a .toml file: a hash of its bytes, as the effective configuration "
                         "has it; refused if it is another"}));
  return s;
}

class FlowsTraffic final : public ArrivalTraffic<FlowsConfig> {
 public:
  explicit FlowsTraffic(const TrafficSection& table) : ArrivalTraffic(table) {
    if (config_.workload.value.ends_with(".toml")) {
      take_content(find_file(config_.workload, "workload"), config_.content);
    } else if (config_.content) {
      throw input_error(
          config_.content->where,
          fmt::format("content is of a file; '{}' is a shipped workload", config_.workload.value));
    }
    check(table);
  }

  void plan(const config::PlatformConfig& platform, const FlowSink& sink) const override {
    const PlanInputs in(platform, number(), config_, 2);
    place_plan(platform, number(), config_, in.members,
               traffic::plan_flows(in.hosts, in.arrivals,
                                   traffic::SizeDistribution::find(config_.workload)),
               sink);
  }

  Measure measure() const override { return Measure::messages; }
};

}  // namespace

TrafficKind flows_kind() { return traffic_kind<FlowsTraffic>("flows", true); }

}  // namespace horae::workload
