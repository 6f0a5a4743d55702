// Packets that a chip makes itself: another pass without the traffic manager, copies for groups,
// packets of its generators.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/dataplane/objects/packet_requests.hpp"
#include "odd_latencies.hpp"

namespace horae::tofino::made_inside_test {
namespace {

using dataplane::Pass;
using fabric::DropCause;
using programs::PacketGenerator;
using test::Chip;
using test::edge;
using test::expect_balance;
using test::first_edge;
using test::Way;

// From the deparser back to the parser, and through ingress once more. Only metadata is kept.
TEST(Resubmit, TakesAPassMoreAndBringsThePacketAsItCame) {
  Way way;
  way.program.resubmits = true;
  std::vector<std::uint16_t> seen;
  way.program.ingress = [&](Pass& pass) {
    Packet& p = pass.header();
    seen.push_back(p.entropy);
    if (!pass.resubmitted()) {
      p.entropy = 7;
      p.metadata = 99;
      return pass.resubmit();
    }
    EXPECT_EQ(p.metadata, 99);
    EXPECT_EQ(pass.ingress_port(), 0u);
    pass.forward(1);
  };
  fabric::sim_context context;
  Chip chip(context, way.c, 2, way.program);
  chip.host(0).send({.at = 5_us, .dst = 1, .entropy = 5});
  context.clock.run_to(100_us);
  ASSERT_EQ(chip.host(1).arrivals.size(), 1u);
  EXPECT_EQ(chip.host(1).arrivals[0].entropy, 5);
  EXPECT_EQ(seen, (std::vector<std::uint16_t>{5, 5}));
  const Picoseconds first_deparsed = way.queued(5_us + Chip::wire(1086_B)) - way.c.traffic_manager;
  const Picoseconds again = first_deparsed + way.c.ingress_parser;
  const Picoseconds queued = edge(first_edge(again) + way.program.ingress_cycles().count()) +
                             way.c.ingress_deparser + way.c.traffic_manager;
  EXPECT_EQ(chip.host(1).arrivals[0].at, queued + way.out(1086_B));
  EXPECT_EQ(chip.chip->counters().resubmitted, 1u);
  EXPECT_EQ(chip.chip->counters().ingress_passes, 2u);
  expect_balance(context, *chip.chip, 1);
}

TEST(Resubmit, APacketThatCameAroundCannotBe) {
  Way way;
  way.program.resubmits = true;
  way.program.ingress = [](Pass& pass) {
    if (pass.header().metadata++ == 0) return pass.recirculate();
    pass.resubmit();
  };
  fabric::sim_context context;
  Chip chip(context, way.c, 2, way.program);
  chip.host(0).send({.at = 5_us, .dst = 1});
  chip.stopped = true;
  try {
    context.clock.run_to(100_us);
    FAIL() << "nothing was refused";
  } catch (const ModelError& e) {
    EXPECT_NE(std::string(e.what()).find("cannot be resubmitted"), std::string::npos) << e.what();
  }
}

TEST(Resubmit, TheObjectAllowsOne) {
  dataplane::Pipeline pipeline("tor.pipe0", 0, 1);
  dataplane::Resubmit resubmit(pipeline, "again");
  EXPECT_TRUE(pipeline.resubmits());
  Packet p;
  Pass first(p, {0, dataplane::Gress::ingress}, 1, 0, 1_us);
  resubmit.request(first);
  EXPECT_EQ(first.verdict(), dataplane::Verdict::resubmit);
  Pass second(p, {0, dataplane::Gress::ingress}, 2, 0, 2_us);
  second.comes_again();
  EXPECT_THROW(resubmit.request(second), ModelError);
}

// Copies to k ports are made one per clock of the traffic manager, also of two packets at once.
TEST(Multicast, ACopyPerClock) {
  Way way;
  way.program.groups = {{}, {1, 2, 3, 5}};
  way.program.ingress = [](Pass& pass) { pass.multicast(1); };
  fabric::sim_context context;
  Chip chip(context, way.c, 6, way.program);
  chip.host(0).send({.at = 5_us, .dst = 1, .frame = 200_B});
  context.clock.run_to(100_us);
  const Clock tm(Hertz(1'312'500'000));
  const Cycles first = tm.at_or_after(way.queued(5_us + Chip::wire(200_B)));
  const std::vector<unsigned> ports{1, 2, 3, 5};
  for (std::size_t i = 0; i < ports.size(); ++i) {
    ASSERT_EQ(chip.host(ports[i]).arrivals.size(), 1u);
    EXPECT_EQ(chip.host(ports[i]).arrivals[0].at,
              tm.edge(first + Cycles(static_cast<std::int64_t>(i))) + way.out(200_B));
    // The packet itself is the last; copies have numbers that no node gives.
    EXPECT_EQ(chip.host(ports[i]).arrivals[0].id >> 40, i == 3 ? 0u : 0xffffffu) << i;
  }
  EXPECT_TRUE(chip.host(4).arrivals.empty());
  EXPECT_EQ(chip.chip->counters().replicated, 3u);
  expect_balance(context, *chip.chip, 1);
}

TEST(Multicast, AGroupOfOneTakesThePacketItself) {
  Way way;
  way.program.groups = {{1}};
  way.program.ingress = [](Pass& pass) { pass.multicast(0); };
  fabric::sim_context context;
  Chip chip(context, way.c, 2, way.program);
  chip.host(0).send({.at = 5_us, .dst = 0});
  context.clock.run_to(100_us);
  ASSERT_EQ(chip.host(1).arrivals.size(), 1u);
  EXPECT_EQ(chip.host(1).arrivals[0].id, 0u);
  EXPECT_EQ(chip.chip->counters().replicated, 0u);
  expect_balance(context, *chip.chip, 1);
}

TEST(Multicast, SeveralPacketsShareTheReplication) {
  Way way;
  way.c.replication = Hertz(10'000'000);  // a copy each 100 ns
  way.program.groups = {{4, 5, 6, 7}};
  way.program.ingress = [](Pass& pass) { pass.multicast(0); };
  fabric::sim_context context;
  Chip chip(context, way.c, 8, way.program);
  for (unsigned h = 0; h < 4; ++h) chip.host(h).send({.at = 5_us, .dst = 1, .frame = 64_B});
  context.clock.run_to(100_us);
  const auto& last = chip.host(7).arrivals;
  ASSERT_EQ(last.size(), 4u);
  EXPECT_EQ(last[3].at - chip.host(4).arrivals.at(0).at, 1500_ns);
  expect_balance(context, *chip.chip, 4);
}

TEST(Multicast, AnEmptyGroupIsADrop) {
  Way way;
  way.program.ingress = [](Pass& pass) { pass.multicast(3); };
  fabric::sim_context context;
  Chip chip(context, way.c, 2, way.program);
  chip.host(0).send({.at = 5_us, .dst = 1});
  context.clock.run_to(100_us);
  EXPECT_EQ(context.pool.dropped(DropCause::program), 1u);
  expect_balance(context, *chip.chip, 1);
}

/// Sends what is generated to port 1 and counts it.
struct Taken {
  std::vector<dataplane::GeneratedHeader> headers;
  std::vector<Picoseconds> at;
};
Way generating(const PacketGenerator& g, Taken& taken) {
  Way way;
  way.c.pipelines = 1;
  way.c.ports_per_pipeline = 8;
  way.program.generators = {g};
  way.program.ingress = [&taken](Pass& pass) {
    if (pass.generated() == nullptr) {
      if (pass.header().entropy == 1 && pass.header().metadata == 0) {
        pass.header().metadata = 0x123;
        return pass.recirculate();
      }
      return pass.forward(pass.header().dst);
    }
    taken.headers.push_back(*pass.generated());
    taken.at.push_back(pass.now());
    pass.forward(1);
  };
  return way;
}

/// Between packets, to 10 ns.
std::vector<Picoseconds> gaps_of(const PacketGenerator& g) {
  Taken taken;
  const Way way = generating(g, taken);
  fabric::sim_context context;
  Chip chip(context, way.c, 2, way.program);
  context.clock.run_to(100_us);
  std::vector<Picoseconds> out;
  for (std::size_t i = 1; i < taken.at.size(); ++i)
    out.push_back(Picoseconds(((taken.at[i] - taken.at[i - 1]).count() + 5'000) / 10'000 * 10'000));
  return out;
}

using Gaps = std::vector<Picoseconds>;

// TNA 9.1: from begin to begin. A frame of 1,000 bytes is 20.4 ns on the wire of 400 Gbps.
TEST(PacketGenerator, GapsAreFromBeginToBegin) {
  EXPECT_EQ(
      gaps_of({.batches = 2, .packets = 3, .batch_gap = 5_us, .packet_gap = 1_us, .frame = 1000_B}),
      (Gaps{1_us, 1_us, 3_us, 1_us, 1_us}));
}

TEST(PacketGenerator, GapsMayBeFromEndToBegin) {
  EXPECT_EQ(gaps_of({.batches = 2,
                     .packets = 3,
                     .batch_gap = 5_us,
                     .packet_gap = 1_us,
                     .gaps_from_end = true,
                     .frame = 1000_B}),
            (Gaps{1'020_ns, 1'020_ns, 5'020_ns, 1'020_ns, 1'020_ns}));
}

// Says what takes longer on the wire than its gap follows at once: 9,000 bytes are 180.4 ns.
TEST(PacketGenerator, ABatchThatIsLateFollowsAtOnce) {
  EXPECT_EQ(
      gaps_of(
          {.batches = 2, .packets = 2, .batch_gap = 100_ns, .packet_gap = 1_us, .frame = 9000_B}),
      (Gaps{1_us, 180_ns, 1_us}));
}

// A periodic timer begins anew with batch 0; what comes before its packets are made is left out,
// and nothing is made from `end` on.
TEST(PacketGenerator, ATimerAgainAndAgain) {
  Taken taken;
  const Way way = generating({.start = 5_us,
                              .end = 46_us,
                              .period = 10_us,
                              .batches = 2,
                              .batch_gap = 12_us,
                              .frame = 100_B},
                             taken);
  fabric::sim_context context;
  Chip chip(context, way.c, 2, way.program);
  context.clock.run_to(100_us);
  EXPECT_TRUE(chip.chip->generates_for_ever());
  std::vector<std::pair<std::int64_t, int>> seen;
  for (std::size_t i = 0; i < taken.at.size(); ++i)
    seen.emplace_back(taken.at[i] / 1_us, taken.headers[i].batch);
  EXPECT_EQ(seen, (std::vector<std::pair<std::int64_t, int>>{
                      {5, 0}, {17, 1}, {25, 0}, {37, 1}, {45, 0}}));
}

TEST(PacketGenerator, StoppedItMakesNothing) {
  Taken taken;
  const Way way =
      generating({.start = 5_us, .period = 10_us, .packets = 100, .frame = 9000_B}, taken);
  fabric::sim_context context;
  Chip chip(context, way.c, 2, way.program);
  context.clock.run_to(6_us);
  chip.chip->stop_generators();
  context.clock.run_to(100_us);
  EXPECT_GT(taken.at.size(), 3u);
  EXPECT_LT(taken.at.size(), 8u);
  EXPECT_EQ(chip.chip->next_time(), never);
}

// Triggers that come while packets are made wait for them.
TEST(PacketGenerator, TriggersOfPacketsWait) {
  Taken taken;
  const Way way = generating({.trigger = PacketGenerator::Trigger::recirculation,
                              .packets = 2,
                              .packet_gap = 5_us,
                              .mask = 0xfff,
                              .value = 0x123},
                             taken);
  fabric::sim_context context;
  Chip chip(context, way.c, 3, way.program);
  for (int i = 0; i < 3; ++i) chip.host(0).send({.at = 5_us, .dst = 2, .entropy = 1});
  context.clock.run_to(100_us);
  ASSERT_EQ(taken.at.size(), 6u);
  EXPECT_GT(taken.at[5] - taken.at[0], 15_us);
}

// Batches of two each 10 us, three of them: on the loopback port's wire, then the parser and a
// clock.
TEST(PacketGenerator, ATimerMakesBatches) {
  Taken taken;
  const Way way = generating(
      {.start = 5_us, .batches = 3, .packets = 2, .batch_gap = 10_us, .frame = 100_B}, taken);
  fabric::sim_context context;
  Chip chip(context, way.c, 2, way.program);
  context.clock.run_to(100_us);
  ASSERT_EQ(taken.at.size(), 6u);
  const Picoseconds wire =
      serialisation_time(l1_bytes(100_B), chip.chip->loopbacks().port(0).rate());
  for (int i = 0; i < 6; ++i) {
    const auto n = static_cast<std::size_t>(i);
    EXPECT_EQ(taken.headers[n].batch, i / 2);
    EXPECT_EQ(taken.headers[n].packet, i % 2);
    const Picoseconds parsed = 5_us + 10_us * (i / 2) + wire * (i % 2 + 1) + way.c.ingress_parser;
    EXPECT_EQ(taken.at[n], edge(first_edge(parsed)));
  }
  EXPECT_EQ(chip.host(1).arrivals.size(), 6u);
  EXPECT_EQ(chip.chip->counters().generated, 6u);
  expect_balance(context, *chip.chip, 0);
}

TEST(PacketGenerator, APortThatGoesDownTriggersIt) {
  Taken taken;
  const Way way = generating({.trigger = PacketGenerator::Trigger::port_down}, taken);
  fabric::sim_context context;
  const auto chip = std::make_unique<tofino_switch>(
      "tor", context, way.c, 3, test::LambdaFactory(way.program), programs::Routes{});
  test::probe a("a", context, 1, 0), b("b", context, 1, 1), c("c", context, 1, 2);
  connect(*chip, 0, a, 0, Chip::link);
  connect(*chip, 1, b, 0, Chip::link);
  connect(*chip, 2, c, 0, test::link_of(100_Gbps, 500_ns, 0.0, {{.from = 20_us, .to = 30_us}}));
  context.clock.run_to(100_us);
  ASSERT_EQ(taken.headers.size(), 1u);
  EXPECT_EQ(taken.headers[0].trigger, 2);
  EXPECT_GT(taken.at[0], 20_us);
  EXPECT_LT(taken.at[0], 20_us + 100_ns);
  EXPECT_EQ(b.arrivals.size(), 1u);
}

// With a port it waits for the first time alone that this one goes down, behind its start.
TEST(PacketGenerator, OnePortTriggersItOnce) {
  Taken taken;
  const Way way = generating({.trigger = PacketGenerator::Trigger::port_down,
                              .app = 7,
                              .start = 25_us,
                              .port = std::uint16_t{2}},
                             taken);
  fabric::sim_context context;
  const auto chip = std::make_unique<tofino_switch>(
      "tor", context, way.c, 3, test::LambdaFactory(way.program), programs::Routes{});
  test::probe a("a", context, 1, 0), b("b", context, 1, 1), c("c", context, 1, 2);
  connect(*chip, 0, a, 0, test::link_of(100_Gbps, 500_ns, 0.0, {{.from = 30_us, .to = 31_us}}));
  connect(*chip, 1, b, 0, Chip::link);
  connect(*chip, 2, c, 0,
          test::link_of(100_Gbps, 500_ns, 0.0,
                        {{.from = 20_us, .to = 21_us},
                         {.from = 40_us, .to = 41_us},
                         {.from = 60_us, .to = 61_us}}));
  context.clock.run_to(100_us);
  ASSERT_EQ(taken.headers.size(), 1u);
  EXPECT_EQ(taken.headers[0].app, 7);
  EXPECT_EQ(taken.at[0] / 1_us, 40);
}

TEST(PacketGenerator, WhatComesAroundTriggersIt) {
  Taken taken;
  const Way way = generating({.trigger = PacketGenerator::Trigger::recirculation,
                              .packets = 3,
                              .mask = 0xff0,
                              .value = 0x120},
                             taken);
  fabric::sim_context context;
  Chip chip(context, way.c, 3, way.program);
  chip.host(0).send({.at = 5_us, .dst = 2, .entropy = 1});
  chip.host(0).send({.at = 15_us, .dst = 2, .entropy = 2});
  context.clock.run_to(100_us);
  ASSERT_EQ(taken.headers.size(), 3u);
  EXPECT_EQ(taken.headers[0].trigger, 0x123);
  EXPECT_EQ(chip.host(1).arrivals.size(), 3u);
  EXPECT_EQ(chip.host(2).arrivals.size(), 2u);
  expect_balance(context, *chip.chip, 2);
}

// Pipeline 0 of a Tofino2 has less to come around by.
TEST(LoopbackRates, EachPipelineHasItsOwn) {
  Way way;
  way.c.loopback =
      LoopbackConfig{.rates = std::vector<BitRate>{150_Gbps, 400_Gbps, 400_Gbps, 400_Gbps}};
  way.program.ingress = [](Pass& pass) {
    if (pass.header().metadata++ == 0) return pass.recirculate();
    pass.forward(pass.header().dst);
  };
  fabric::sim_context context;
  Chip chip(context, way.c, 10, way.program);
  chip.host(0).send({.at = 5_us, .dst = 1});
  chip.host(8).send({.at = 5_us, .dst = 9});
  context.clock.run_to(100_us);
  const Picoseconds slower = serialisation_time(l1_bytes(1086_B), 150_Gbps) -
                             serialisation_time(l1_bytes(1086_B), 400_Gbps);
  const Picoseconds apart = chip.host(1).arrivals.at(0).at - chip.host(9).arrivals.at(0).at;
  EXPECT_NEAR(static_cast<double>(apart.count()), static_cast<double>(slower.count()), 700);
  expect_balance(context, *chip.chip, 2);
}

}  // namespace
}  // namespace horae::tofino::made_inside_test
