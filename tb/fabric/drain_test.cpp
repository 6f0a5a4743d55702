// A failed link: what is queued for it, and what follows for the others.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "fabric_parts.hpp"
#include "horae/fabric/devices/output_queued_switch.hpp"
#include "horae/fabric/topology.hpp"

namespace horae::fabric::drain_test {
namespace {

using test::link_of;
using test::probe;

constexpr Bytes frame = 1230_B;  // 100 ns at 100 Gbps

// Twenty frames wait for a port that is held back when its link fails; one comes afterwards.
void drained(const SwitchConfig& config, scheduling mode, bool pauses) {
  const std::string result = test::in_child([&] {
    sim_context context({.mode = mode});
    output_queued_switch sw("sw", context, config);
    probe a("a", context), b("b", context);
    connect(sw, 0, a, 0, link_of(100_Gbps, 500_ns));
    connect(sw, 1, b, 0, link_of(100_Gbps, 500_ns));
    sw.routes().set(1, {1});
    b.send_pause({.at = 0_ps, .pause = true});
    for (int i = 0; i < 20; ++i) {
      a.send({.at = 2_us, .dst = 1, .frame = frame, .remaining = static_cast<std::uint16_t>(i)});
    }
    b.send_pause({.at = 40_us, .pause = false});
    a.send({.at = 50_us, .dst = 1, .frame = frame});
    context.clock.run_to(20_us);
    EXPECT_EQ(sw.held(), 20u);
    sw.drain(1, 20_us);
    EXPECT_EQ(sw.held(), 0u);
    EXPECT_EQ(sw.port(1).depth(), 0_B);
    EXPECT_EQ(sw.buffered(), 0_B);
    EXPECT_EQ(sw.counters().dropped, 20u);
    EXPECT_EQ(context.pool.dropped(DropCause::link_down), 20u);
    context.clock.run_to(1_ms);
    // Who was paused for what is gone may go on.
    const Picoseconds resumed = 20_us + 6'720_ps + 500_ns;
    EXPECT_EQ(a.pauses.size(), pauses ? 2u : 0u);
    if (pauses) {
      EXPECT_EQ(a.pauses.back(), (probe::Pause{resumed, 0, 0, false}));
    }
    EXPECT_EQ(b.arrivals.size(), 1u);
    EXPECT_EQ(context.pool.live(), 0u);
    return std::string("done");
  });
  EXPECT_EQ(result, "done");
}

TEST(Drain, DropsWhatIsQueuedAndResumesWhoWasPausedForIt) {
  for (const scheduling mode : {scheduling::windowed, scheduling::exact_wake}) {
    drained({.ports = 2}, mode, false);
    drained({.ports = 2, .schedule = QueueSchedule::srpt}, mode, false);
    drained({.ports = 2, .buffer = 100'000_B}, mode, false);
    drained({.ports = 2, .pfc = {.xoff = frame * 5, .xon = frame * 2, .headroom = frame * 30}},
            mode, true);
    drained({.ports = 2, .buffer = 100'000_B, .pfc = {.headroom = frame * 30, .alpha = 0.25}}, mode,
            true);
  }
}

// Outages in any order, touching and overlapping, are what their union is.
TEST(Drain, OutagesOfALinkAreTheirUnion) {
  sim_context context;
  probe a("a", context), b("b", context);
  LinkConfig link =
      link_of(100_Gbps, 500_ns, 0.0,
              {{40_us, 50_us}, {10_us, 20_us}, {20_us, 22_us}, {15_us, 18_us}, {60_us, 61_us}});
  connect(a, 0, b, 0, link);
  for (int i = 0; i < 70; ++i) a.send({.at = 1_us * i + 100_ns, .frame = frame});
  context.clock.run_to(1_ms);
  // On the wire from x.1 to x.7 us.
  std::vector<std::uint64_t> got;
  for (const auto& arrival : b.arrivals) got.push_back(arrival.shot());
  std::vector<std::uint64_t> expected;
  for (std::uint64_t i = 0; i < 70; ++i) {
    if ((i >= 10 && i < 22) || (i >= 40 && i < 50) || i == 60) continue;
    expected.push_back(i);
  }
  EXPECT_EQ(got, expected);
}

// Four switches in a ring: without one link traffic goes the long way round, which no shortest path
// did before.
TEST(Drain, RecomputedRoutesTakeDetours) {
  Topology t;
  for (int i = 0; i < 4; ++i) t.add_switch("s" + std::to_string(i));
  for (unsigned i = 0; i < 4; ++i) t.add_edge(i, t.add_endpoint("h" + std::to_string(i)));
  for (unsigned i = 0; i < 4; ++i) t.add_edge(i, (i + 1) % 4);
  std::vector<bool> withdrawn(t.edges().size());
  withdrawn[4] = true;  // s0 - s1
  EXPECT_TRUE(t.routes_without(withdrawn)[0].towards(1).empty());
  const auto routes = t.shortest_path_routes(withdrawn);
  const auto towards = routes[0].towards(1);
  ASSERT_EQ(towards.size(), 1u);
  EXPECT_EQ(towards[0], t.edges()[7].port_b);  // s3 - s0
  EXPECT_EQ(t.switch_ports(0, withdrawn), (std::vector<std::uint16_t>{2}));
}

}  // namespace
}  // namespace horae::fabric::drain_test
