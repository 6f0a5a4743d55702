// Messages that come at random: what the kinds have in common that draw them from a plan.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "horae/params/schema.hpp"
#include "horae/traffic/flow_plan.hpp"
#include "horae/workload/end_points.hpp"
#include "horae/workload/traffic_kind.hpp"

namespace horae::workload {

/// When messages come, and between whom.
struct ArrivalConfig {
  double load = 0.5;
  double oversubscription = 1.0;
  Picoseconds start{};
  Picoseconds duration = 1_ms;
  std::vector<Located<std::string>> members;
  bool random_first_psn = false;
};

/// Adds its parameters. (Members of a base class: their pointers are converted.)
template <class T>
Schema<T> with_arrivals(Schema<T> s) {
  const auto of = [](auto ArrivalConfig::*member) {
    return static_cast<std::remove_reference_t<decltype(std::declval<T>().*member)> T::*>(member);
  };
  s.field("load", of(&ArrivalConfig::load),
          {.doc = "payload that is offered, as a share of the members' links divided by "
                  "oversubscription",
           .min = 0.0001,
           .max = 10.0})
      .field("oversubscription", of(&ArrivalConfig::oversubscription),
             {.doc = "1: load is of the hosts' links; 2: of a core with half their capacity, as "
                     "ConWeave's simulator has it",
              .min = 0.01,
              .max = 100.0})
      .field("start", of(&ArrivalConfig::start), {.doc = "arrivals from then on", .min = 0_ps})
      .field("duration", of(&ArrivalConfig::duration),
             {.doc = "arrivals for so long (a Poisson process)", .min = 1_ns})
      .field("members", of(&ArrivalConfig::members),
             {.doc = "NICs; empty: all, in the order of the platform"})
      .field("random_first_psn", of(&ArrivalConfig::random_first_psn),
             {.doc = "an initial PSN at random for each connection; else 0"});
  return s;
}

/// The NICs and arrivals of a plan. InputError, without a place, with fewer than `least` members.
struct PlanInputs {
  PlanInputs(const config::PlatformConfig& platform, std::size_t table, const ArrivalConfig& config,
             std::uint64_t least);
  std::vector<unsigned> members;
  std::vector<traffic::PlanHost> hosts;  ///< the members
  traffic::ArrivalPlan arrivals;
};

/// Gives each flow of the plan to `sink`. InputError, without a place, where a message has more
/// packets than PSNs can tell apart.
void place_plan(const config::PlatformConfig& platform, std::size_t table,
                const ArrivalConfig& config, const std::vector<unsigned>& members,
                const std::vector<traffic::PlannedFlow>& plan, const FlowSink& sink);

/// Traffic with arrivals of its own. C is an ArrivalConfig.
template <class C>
class ArrivalTraffic : public TrafficOf<C> {
 public:
  using TrafficOf<C>::TrafficOf;
  Picoseconds arrivals_end(const config::PlatformConfig& /*platform*/) const override {
    return this->config_.start + this->config_.duration;
  }

 protected:
  /// Places the flows, which finds what is wrong with them, and asks for their queue pairs.
  void check(const TrafficSection& table) const {
    const Section& section = table.section;
    check_end_points(table, this->config_.members, EndPoint::nic);
    std::vector<std::uint64_t> asked;
    config::check_at(section, "kind", [&] { asked = queue_pairs_of(*this, table.platform); });
    table.demand.ask(asked, section, section.has("duration") ? "duration" : "kind");
  }
};

}  // namespace horae::workload
