// Open-loop message traffic, planned before the run: who sends how much to whom, and when.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "horae/core/random.hpp"
#include "horae/core/units.hpp"
#include "horae/traffic/workload.hpp"

namespace horae::traffic {

/// A message of a plan.
struct PlannedFlow {
  std::uint32_t from = 0, to = 0;  ///< numbers of hosts
  Picoseconds at{};                ///< when it is posted
  Bytes bytes{};
  std::uint32_t query = 0;  ///< of incast: which query it answers; else 0
};

/// A host of a plan: its name, for the random streams, and the rate of its link.
struct PlanHost {
  std::string name;
  BitRate rate{};
};

/// Arrivals at random: Poisson, from `start` for `duration`.
struct ArrivalPlan {
  double load = 0.5;              ///< payload per second, as a share of the capacity
  double oversubscription = 1.0;  ///< of the hosts' links; the capacity is theirs divided by it
  Picoseconds start{};
  Picoseconds duration{};
  std::uint64_t seed = 1;
  std::string stream;  ///< prefix of the random streams' names
};

/// Each host sends messages of `sizes` to any other host, all equally likely, at times of its own.
/// At least two hosts. In the order of time.
std::vector<PlannedFlow> plan_flows(const std::vector<PlanHost>& hosts, const ArrivalPlan& arrivals,
                                    const SizeDistribution& sizes);

/// Queries: at the time of each, `fan_in` hosts at random send `bytes` each to another one. The
/// load is that of all hosts together. More hosts than `fan_in`. In the order of time, query by
/// query.
std::vector<PlannedFlow> plan_incast(const std::vector<PlanHost>& hosts,
                                     const ArrivalPlan& arrivals, std::uint32_t fan_in,
                                     Bytes bytes);

/// A draw of the exponential distribution with mean one, in 2^-32. John von Neumann's way ("Various
/// techniques used in connection with random digits", 1951) only compares uniform numbers: no
/// logarithm, whose last bit differs between libraries.
std::uint64_t draw_exponential(RandomStream& stream);

}  // namespace horae::traffic
