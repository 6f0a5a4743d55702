// Planned flows: how many, of which load, between whom, and when.
#include "horae/traffic/flow_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace horae::traffic::flow_plan_test {
namespace {

std::vector<PlanHost> hosts_of(std::uint32_t n) {
  std::vector<PlanHost> hosts;
  for (std::uint32_t i = 0; i < n; ++i) hosts.push_back({"h" + std::to_string(i), 100_Gbps});
  return hosts;
}

SizeDistribution ali() { return SizeDistribution::find({"alistorage2019", {}}); }

ArrivalPlan plan(double load, double oversubscription = 1) {
  return {.load = load,
          .oversubscription = oversubscription,
          .start = 10_us,
          .duration = 20_ms,
          .seed = 3,
          .stream = "traffic0"};
}

TEST(Exponential, HasItsMomentsAndItsTail) {
  RandomStream stream(1, "test");
  constexpr int draws = 400'000;
  double sum = 0, squares = 0;
  int above_one = 0, above_four = 0;
  for (int i = 0; i < draws; ++i) {
    const double x = static_cast<double>(draw_exponential(stream)) * 0x1p-32;
    sum += x;
    squares += x * x;
    above_one += x > 1;
    above_four += x > 4;
  }
  // Within four standard deviations: 1/sqrt(n), sqrt(20/n) and sqrt(p (1-p)/n).
  EXPECT_NEAR(sum / draws, 1.0, 0.0064);
  EXPECT_NEAR(squares / draws, 2.0, 0.029);
  EXPECT_NEAR(static_cast<double>(above_one) / draws, std::exp(-1.0), 0.0031);
  EXPECT_NEAR(static_cast<double>(above_four) / draws, std::exp(-4.0), 0.00085);
}

TEST(Exponential, IsTheSameOnAnyMachine) {
  RandomStream stream(1, "test");
  std::vector<std::uint64_t> drawn;
  for (int i = 0; i < 4; ++i) drawn.push_back(draw_exponential(stream));
  EXPECT_EQ(drawn, (std::vector<std::uint64_t>{3857090982, 1204958869, 6047209030, 733248178}));
}

TEST(FlowPlan, OffersItsLoad) {
  const auto flows = plan_flows(hosts_of(16), plan(0.8, 2), ali());
  double bytes = 0;
  for (const auto& f : flows) bytes += static_cast<double>(f.bytes.count());
  // 40 Gbps of each host: 122 k messages per second of 40.9 KB in the mean; 39 k in 20 ms, whose
  // sum has a standard deviation of 2.6 %.
  EXPECT_NEAR(static_cast<double>(flows.size()), 16 * 0.02 * 40e9 / 8 / 40'870,
              4 * std::sqrt(39e3));
  EXPECT_NEAR(bytes * 8 / 16 / 0.02 / 40e9, 1.0, 0.1);
}

TEST(FlowPlan, ArrivesInItsTimeAndInOrder) {
  const auto flows = plan_flows(hosts_of(4), plan(0.5), ali());
  ASSERT_GT(flows.size(), 1000u);
  EXPECT_GE(flows.front().at, 10_us);
  EXPECT_LT(flows.back().at, 10_us + 20_ms);
  EXPECT_TRUE(std::is_sorted(flows.begin(), flows.end(),
                             [](const auto& a, const auto& b) { return a.at < b.at; }));
  // Not all at once: each quarter of the time has about a quarter of them.
  const auto half =
      std::count_if(flows.begin(), flows.end(), [](const auto& f) { return f.at < 10_us + 10_ms; });
  EXPECT_NEAR(static_cast<double>(half), static_cast<double>(flows.size()) / 2,
              4 * std::sqrt(static_cast<double>(flows.size())));
}

TEST(FlowPlan, DestinationsAreTheOthersAlike) {
  const auto flows = plan_flows(hosts_of(5), plan(0.9), ali());
  int from_two = 0, to[5] = {};
  for (const auto& f : flows) {
    ASSERT_NE(f.from, f.to);
    if (f.from != 2) continue;
    ++from_two;
    ++to[f.to];
  }
  for (const int i : {0, 1, 3, 4})
    EXPECT_NEAR(to[i], from_two / 4.0, 4 * std::sqrt(from_two * 3.0 / 16)) << i;
}

TEST(FlowPlan, AnotherLoadChangesTheTimesAlone) {
  auto low = plan_flows(hosts_of(3), plan(0.2), ali());
  auto high = plan_flows(hosts_of(3), plan(0.4), ali());
  const auto of_first = [](std::vector<PlannedFlow>& flows) {
    std::erase_if(flows, [](const PlannedFlow& f) { return f.from != 0; });
  };
  of_first(low);
  of_first(high);
  ASSERT_GT(high.size(), low.size());
  for (std::size_t i = 0; i < low.size(); ++i) {
    EXPECT_EQ(low[i].bytes, high[i].bytes);
    EXPECT_EQ(low[i].to, high[i].to);
    // Half the interval, rounded down once per arrival.
    EXPECT_NEAR(static_cast<double>((low[i].at - 10_us).count()),
                2.0 * static_cast<double>((high[i].at - 10_us).count()),
                4.0 * static_cast<double>(i) + 4);
  }
}

TEST(IncastPlan, QueriesHaveTheirFanInAndLoad) {
  const auto flows = plan_incast(hosts_of(128), plan(0.4, 2), 50, 40'000_B);
  ASSERT_EQ(flows.size() % 50, 0u);
  // 128 x 20 Gbps over 50 x 40 KB: 160 k queries per second, 3200 in 20 ms.
  EXPECT_NEAR(static_cast<double>(flows.size()) / 50, 3200, 4 * std::sqrt(3200.0));
  std::set<std::uint32_t> receivers;
  for (std::size_t q = 0; q < flows.size() / 50; ++q) {
    std::set<std::uint32_t> senders;
    for (std::size_t i = q * 50; i < q * 50 + 50; ++i) {
      EXPECT_EQ(flows[i].query, q);
      EXPECT_EQ(flows[i].to, flows[q * 50].to);
      EXPECT_EQ(flows[i].at, flows[q * 50].at);
      EXPECT_EQ(flows[i].bytes, 40'000_B);
      senders.insert(flows[i].from);
    }
    EXPECT_EQ(senders.size(), 50u);
    EXPECT_FALSE(senders.contains(flows[q * 50].to));
    receivers.insert(flows[q * 50].to);
  }
  EXPECT_EQ(receivers.size(), 128u);
}

}  // namespace
}  // namespace horae::traffic::flow_plan_test
