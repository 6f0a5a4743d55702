// Deflection (DIBS): what finds its queue full goes elsewhere, and not for ever.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "fabric_parts.hpp"
#include "horae/fabric/devices/output_queued_switch.hpp"
#include "horae/fabric/topology.hpp"

namespace horae::fabric::deflect_test {
namespace {

using test::link_of;
using test::probe;

constexpr Bytes frame = 1230_B;  // 100 ns at 100 Gbps

// A switch with a probe on each of six ports; 3, 4 and 5 pass for switches. Port 2, towards node 2,
// is held back from the start.
struct Star {
  Star(sim_context& context, const SwitchConfig& config) : sw("sw", context, config) {
    for (unsigned i = 0; i < 6; ++i) {
      probes.push_back(std::make_unique<probe>(("p" + std::to_string(i)).c_str(), context, 1, i));
      connect(sw, i, *probes[i], 0, link_of(100_Gbps, 500_ns));
      sw.routes().set(i, {static_cast<std::uint16_t>(i)});
    }
    sw.set_switch_ports({3, 4, 5});
    block(2);
  }
  void block(unsigned port) { probes[port]->send_pause({.at = 0_ps, .pause = true}); }
  std::vector<std::size_t> arrived() const {
    std::vector<std::size_t> n;
    for (const auto& p : probes) n.push_back(p->arrivals.size());
    return n;
  }
  output_queued_switch sw;
  std::vector<std::unique_ptr<probe>> probes;
};

SwitchConfig deflecting() { return {.ports = 6, .queue_limit = frame * 4, .deflect = true}; }

TEST(Deflect, WhatFindsItsQueueFullGoesToSwitchesAtRandom) {
  sim_context context;
  Star star(context, deflecting());
  constexpr int packets = 3004;
  // From a port that is itself among those to switches: it may go back where it came from.
  for (int i = 0; i < packets; ++i) {
    star.probes[3]->send({.at = 1_us + 200_ns * i, .dst = 2, .frame = frame});
  }
  context.clock.run_to(1_ms);
  const auto n = star.arrived();
  EXPECT_EQ(star.sw.held(), 4u);
  EXPECT_EQ(n[0] + n[1] + n[2], 0u);
  EXPECT_EQ(n[3] + n[4] + n[5], packets - 4u);
  for (unsigned i = 3; i < 6; ++i) {
    EXPECT_NEAR(static_cast<double>(n[i]), 1000, 4 * std::sqrt(3000 * 2.0 / 9)) << i;
  }
  EXPECT_EQ(star.sw.counters().deflected, packets - 4u);
  EXPECT_EQ(context.pool.dropped(), 0u);
}

TEST(Deflect, GoesToPortsWithRoomOnlyAndDropsWhereNoneHas) {
  sim_context context;
  Star star(context, deflecting());
  star.block(3);
  star.block(5);
  for (int i = 0; i < 40; ++i) {
    star.probes[0]->send({.at = 1_us + 200_ns * i, .dst = 2, .frame = frame});
  }
  // Port 4 is held back as well, and 20 more come: four for it, none for anybody else.
  star.probes[4]->send_pause({.at = 50_us, .pause = true});
  for (int i = 0; i < 20; ++i) {
    star.probes[0]->send({.at = 60_us + 200_ns * i, .dst = 2, .frame = frame});
  }
  context.clock.run_to(1_ms);
  EXPECT_EQ(star.sw.held(), 16u);  // four queues of four
  EXPECT_EQ(star.arrived(), (std::vector<std::size_t>{0, 0, 0, 0, 40 - 12, 0}));
  EXPECT_EQ(context.pool.dropped(DropCause::queue_full), 16u);
  EXPECT_EQ(star.sw.counters().dropped, 16u);
}

TEST(Deflect, WithoutItTheTailIsDropped) {
  sim_context context;
  SwitchConfig config = deflecting();
  config.deflect = false;
  Star star(context, config);
  for (int i = 0; i < 10; ++i) star.probes[0]->send({.at = 1_us, .dst = 2, .frame = frame});
  context.clock.run_to(1_ms);
  EXPECT_EQ(context.pool.dropped(DropCause::queue_full), 6u);
  EXPECT_EQ(star.sw.counters().deflected, 0u);
}

// A queue may take the share of what is free: with a share of one, half the buffer.
TEST(Deflect, ADynamicLimitIsAShareOfWhatIsFree) {
  for (const auto& [share, queued] :
       {std::pair{1.0, 10u}, std::pair{0.5, 7u}, std::pair{0.25, 4u}, std::pair{4.0, 16u}}) {
    const std::string held = test::in_child([&, share = share] {
      sim_context context;
      Star star(context, {.ports = 6, .queue_share = share, .buffer = frame * 20});
      for (int i = 0; i < 30; ++i) star.probes[0]->send({.at = 1_us, .dst = 2, .frame = frame});
      context.clock.run_to(1_ms);
      EXPECT_EQ(context.pool.dropped(DropCause::queue_full), 30 - star.sw.held());
      return std::to_string(star.sw.held());
    });
    // The last one taken finds n-1 queued: n <= share * (20 - (n - 1)).
    EXPECT_EQ(held, std::to_string(queued)) << share;
  }
}

// Two switches and no way out: each sends what it cannot keep back to the other.
TEST(Deflect, HopLimitsEndTheWandering) {
  for (const std::uint8_t hops : {1, 2, 3, 17, 255}) {
    const std::string result = test::in_child([&] {
      sim_context context;
      const SwitchConfig config{.ports = 3, .queue_limit = frame * 2, .deflect = true};
      output_queued_switch a("a", context, config), b("b", context, config);
      probe sender("sender", context), sink("sink", context);
      connect(a, 0, sender, 0, link_of(100_Gbps, 500_ns));
      connect(b, 0, sink, 0, link_of(100_Gbps, 500_ns));
      connect(a, 1, b, 1, link_of(100_Gbps, 500_ns));
      a.routes().set(1, {1});
      b.routes().set(1, {0});
      a.set_switch_ports({1});
      b.set_switch_ports({1});
      sink.send_pause({.at = 0_ps, .pause = true});
      // The queue at the sink is filled first.
      for (int i = 0; i < 2; ++i) sender.send({.at = 1_us, .dst = 1, .frame = frame});
      sender.send({.at = 5_us, .dst = 1, .frame = frame, .hop_limit = hops});
      context.clock.run_to(10_ms);
      EXPECT_EQ(context.pool.dropped(DropCause::hop_limit), 1u);
      EXPECT_EQ(context.pool.live(), 2u);
      std::uint64_t sent = 0;
      for (const auto* sw : {&a, &b}) sent += sw->tx(1).counters().packets;
      return std::to_string(sent - 2);
    });
    EXPECT_EQ(result, std::to_string(hops - 1));  // the switch that counts to zero drops
  }
}

TEST(Deflect, SwitchPortsComeFromTheTopology) {
  Topology t;
  const unsigned a = t.add_switch("a"), b = t.add_switch("b");
  const unsigned h = t.add_endpoint("h");
  t.add_edge(h, a);
  t.add_edge(a, b);
  t.add_edge(b, t.add_endpoint("g"));
  t.add_edge(b, a);
  EXPECT_EQ(t.switch_ports(a), (std::vector<std::uint16_t>{1, 2}));
  EXPECT_EQ(t.switch_ports(b), (std::vector<std::uint16_t>{0, 2}));
  EXPECT_EQ(t.switch_ports(h), (std::vector<std::uint16_t>{0}));
}

}  // namespace
}  // namespace horae::fabric::deflect_test
