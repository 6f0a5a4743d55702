#include "arrivals.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"

namespace horae::workload {

PlanInputs::PlanInputs(const config::PlatformConfig& platform, std::size_t table,
                       const ArrivalConfig& config, std::uint64_t least)
    : members(members_of(platform, config.members)),
      arrivals{.load = config.load,
               .oversubscription = config.oversubscription,
               .start = config.start,
               .duration = config.duration,
               .seed = platform.sim.seed,
               // Several tables: each has random streams of its own.
               .stream = fmt::format("traffic{}", table)} {
  if (members.size() < least) {
    throw InputError(fmt::format("{} NICs take part; expected {} or more", members.size(), least));
  }
  const auto rates = link_rates(platform);
  for (const unsigned m : members) hosts.push_back({platform.devices[m].name, rates[m]});
}

void place_plan(const config::PlatformConfig& platform, std::size_t table,
                const ArrivalConfig& config, const std::vector<unsigned>& members,
                const std::vector<traffic::PlannedFlow>& plan, const FlowSink& sink) {
  RandomStream psns(platform.sim.seed, fmt::format("traffic{}.psns", table));
  for (const auto& f : plan) {
    check_psns(platform, members[f.from], f.bytes);
    sink({.from = members[f.from],
          .to = members[f.to],
          .group = f.query,
          .message = f.bytes,
          .start = f.at,
          .first_psn = Psn(config.random_first_psn ? psns.below(Psn::mask + 1) : 0)});
  }
}

}  // namespace horae::workload
