// Who is ahead at one bottleneck of the long-haul platform: a flow between the data centers or the
// local flows beside it (long-haul paper, section II-C, Figures 3 and 10).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "csv.hpp"
#include "program.hpp"

namespace horae::test::longhaul_fairness_test {
namespace {

/// Milliseconds that the flow between the data centers took without its trip, and the fastest and
/// the slowest of the local ones.
struct Times {
  double far, local_min, local_max;
};

/// The flows of a shipped list, the far one first; `trip`: of its last packet and acknowledgement.
Times times(const std::string& list, double trip_us, const Words& settings) {
  const Workplace place;
  Words all = {fmt::format("traffic=[{{kind=\"flow_list\",file=\"{}/../traces/flow_lists/{}\"}}]",
                           HORAE_PLATFORM_DIR, list),
               "sim.duration=1s"};
  all.insert(all.end(), settings.begin(), settings.end());
  const Ended ended = run(
      place, with_settings(
                 {"run", HORAE_PLATFORM_DIR + std::string("/longhaul.toml"), "--out", "out"}, all));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  std::vector<double> took;
  for (const Row& row : rows_of(place.read("out/flows.csv"))) {
    took.push_back((std::stod(row.at("last_completion_us")) - std::stod(row.at("first_post_us"))) /
                   1000);
  }
  EXPECT_EQ(took.size(), 4u);
  const auto [least, most] = std::minmax_element(took.begin() + 1, took.end());
  return {took[0] - trip_us / 1000, *least, *most};
}

Times near_source(const Words& settings, double trip_us = 1012) {
  Words all = {"two_sites.leaves=1"};
  all.insert(all.end(), settings.begin(), settings.end());
  return times("longhaul_several_source.csv", trip_us, all);
}
Times near_destination(const Words& settings, double trip_us = 1012) {
  return times("longhaul_several_destination.csv", trip_us, settings);
}

const Words over_1_us = {"two_sites.long_delay=1us", "two_sites.edge=edge_short"};
const std::string themis = "two_sites.edge=edge_themis";

}  // namespace

// Four of 50 MB over 100 Gbps.
TEST(LonghaulFairness, AFarFlowIsAheadOfLocalOnesAtItsSource) {
  const Times t = near_source({});
  EXPECT_LT(t.far, 0.75 * t.local_min);
}

TEST(LonghaulFairness, OverAMicrosecondAllAreEqualAtTheSource) {
  const Times t = near_source(over_1_us, 14);
  EXPECT_NEAR(t.far / t.local_min, 1, 0.05);
  EXPECT_NEAR(t.local_max / t.local_min, 1, 0.05);
}

TEST(LonghaulFairness, PnpMakesThemEqualAtTheSource) {
  const Times t = near_source({themis, "edge_themis.program.trp=false"});
  EXPECT_NEAR(t.far / t.local_min, 1, 0.08);
  EXPECT_NEAR(t.local_max / t.local_min, 1, 0.06);
  EXPECT_LT(t.local_max, 0.95 * near_source({}).local_min);
}

// One long flow does not fill the loop port, so there is little to gain; local flows lose nothing.
TEST(LonghaulFairness, TrpDoesNotSlowLocalFlowsAtTheDestination) {
  const Times plain = near_destination({});
  EXPECT_LT(plain.far, 0.75 * plain.local_min);
  const Times throttled = near_destination({themis, "edge_themis.program.pnp=false"});
  EXPECT_LT(throttled.local_max, 1.05 * plain.local_max);
}

}  // namespace horae::test::longhaul_fairness_test
