// Pools of a switch's buffer: who takes from which, thresholds of what is free in each.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fabric_parts.hpp"
#include "horae/fabric/devices/ingress_accounts.hpp"
#include "horae/fabric/devices/output_queued_switch.hpp"

namespace horae::fabric::buffer_pools_test {
namespace {

using test::link_of;
using test::probe;

const std::vector<PoolConfig> lossless_and_lossy = {{.classes = {3, 4}, .size = 600'000_B},
                                                    {.classes = {0}, .size = 100'000_B}};

TEST(BufferPools, AClassHasItsPoolAndTheRestTheRest) {
  BufferPools pools(lossless_and_lossy, 1'000'000_B);
  EXPECT_TRUE(pools.several());
  EXPECT_EQ(pools.size(0), 600'000_B);
  EXPECT_EQ(pools.size(2), 300'000_B);
  EXPECT_EQ(pools.of(3), pools.of(4));
  EXPECT_EQ(pools.of(1), 2u);
  EXPECT_EQ(pools.classes_of(0), 0b11000u);
  EXPECT_EQ(pools.classes_of(2), 0b11100110u);
  pools.take(4, 1000);
  EXPECT_EQ(pools.free(3), 599'000);
  EXPECT_EQ(pools.free(0), 100'000);
  pools.give(4, 1000);
  EXPECT_EQ(pools.free(3), 600'000);
  const BufferPools one({}, 1'000_B);
  EXPECT_FALSE(one.several());
  EXPECT_EQ(one.size(0), 1'000_B);
}

// Headrooms and minima of both ports and both classes are of the lossless pool alone, and alpha is
// of what is free there: one queue comes to alpha / (1 + alpha) of it.
TEST(BufferPools, PausesAreByWhatIsFreeInThePool) {
  const PfcConfig pfc{.headroom = 20'000_B,
                      .alpha = 0.5,
                      .minimum = 1'000_B,
                      .priorities = std::vector<std::uint32_t>{3, 4}};
  const BufferPools pools(lossless_and_lossy, 1'000'000_B);
  IngressAccounts accounts(pfc, pools, 2, 16);
  const std::int64_t shared = 600'000 - 2 * 2 * 21'000;
  EXPECT_EQ(accounts.free(0).count(), shared);
  EXPECT_EQ(accounts.free(1), 100'000_B);
  EXPECT_EQ(accounts.free(2), 300'000_B);
  accounts.set_port(1, 0.5, 30'000_B);
  EXPECT_EQ(accounts.free(0).count(), shared - 20'000);
  accounts.set_port(1, 0.5, 20'000_B);
  // Bytes of lossy classes leave the lossless pool alone.
  accounts.take_of_pool(90'000, 1);
  EXPECT_TRUE(accounts.pool_has_of_lossy(10'000, 1));
  EXPECT_FALSE(accounts.pool_has_of_lossy(10'001, 1));
  std::int64_t taken = 0;
  while (!accounts.add(3, 1000)) taken += 1000;
  EXPECT_NEAR(static_cast<double>(taken), 1000 + static_cast<double>(shared) / 3, 1000);
  EXPECT_TRUE(accounts.pausing(3));
  EXPECT_EQ(accounts.free(1), 10'000_B);
}

/// 400 packets of 1000 B of each of classes 3 and 0 at 100 Gbps into a port of 1 Gbps: those that
/// came of either, those that were dropped, and the most that the switch held.
std::string flood_in_child(SwitchConfig config) {
  sim_context context;
  config.ports = 3;
  output_queued_switch sw("sw", context, config);
  probe a("a", context, 1, 0), b("b", context, 1, 1), receiver("receiver", context, 1, 2);
  connect(sw, 0, a, 0, link_of(100_Gbps, 500_ns));
  connect(sw, 1, b, 0, link_of(100_Gbps, 500_ns));
  connect(sw, 2, receiver, 0, link_of(1_Gbps, 500_ns));
  for (std::uint16_t i = 0; i < 3; ++i) sw.routes().set(i, {i});
  for (int i = 0; i < 400; ++i) {
    a.send({.at = 1_ns, .dst = 2, .frame = 1000_B, .traffic_class = 3});
    b.send({.at = 1_ns, .dst = 2, .frame = 1000_B, .traffic_class = 0});
  }
  context.clock.run_to(10_ms);
  int of_3 = 0, of_0 = 0;
  for (const auto& arrival : receiver.arrivals) ++(arrival.traffic_class == 3 ? of_3 : of_0);
  return fmt::format("{} {} {} {}", of_3, of_0, sw.counters().dropped, sw.most_buffered().count());
}
std::string flood(const SwitchConfig& config) {
  return test::in_child([&] { return flood_in_child(config); });
}

// 100 packets fill the pool of class 0, and class 3, strictly before it, holds its port until it is
// empty; class 3 loses nothing. Without pools the two share 500 kB, and both lose.
TEST(BufferPools, AFullPoolIsNobodyElsesLoss) {
  SwitchConfig config{.buffer = 500'000_B};
  const std::string together = flood(config);
  EXPECT_FALSE(together.starts_with("400 ")) << together;
  EXPECT_TRUE(together.ends_with(" 500000")) << together;
  config.pools = std::vector<PoolConfig>{{.classes = {3}, .size = 400'000_B}};
  EXPECT_EQ(flood(config), "400 100 300 496000");
  // With a share a queue comes to share / (1 + share) of its own pool.
  config.classes = std::vector<ClassConfig>{{.number = 0, .share = 1.0}};
  EXPECT_EQ(flood(config), "400 50 350 446000");
}

}  // namespace
}  // namespace horae::fabric::buffer_pools_test
