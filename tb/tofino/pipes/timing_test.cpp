// Times that fixed latencies leave out: clocks of egress, headers in the parser, cut-through.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "odd_latencies.hpp"

namespace horae::tofino::timing_test {
namespace {

using dataplane::Pass;
using test::Chip;
using test::edge;
using test::expect_balance;
using test::first_edge;
using test::Way;

// From a queue to the host, where the header enters the MAU of egress with the n-th clock after it
// could.
Picoseconds out(const Way& way, Picoseconds queued, Bytes frame, unsigned n = 0) {
  const Picoseconds entered = edge(first_edge(queued + way.c.egress_parser) + n);
  return entered + edge(way.program.egress_cycles().count()) + way.c.egress_deparser +
         way.c.mac_tx + Chip::wire(frame) + Chip::link.delay;
}

// A packet and its copy leave their queues at once: the second header enters a clock later.
TEST(Timing, EgressTakesAHeaderPerClock) {
  Way way;
  way.c.timing = TimingConfig{.egress_clock = true};
  way.program.ingress = [](Pass& pass) {
    pass.mirror({.egress_port = 3, .type = 1});
    pass.forward(1);
  };
  fabric::sim_context context;
  Chip chip(context, way.c, 4, way.program);
  const auto start = [](int i) { return 5'000'007_ps * (i + 1) + 333_ps * i; };
  for (int i = 0; i < 50; ++i) chip.host(0).send({.at = start(i), .dst = 1, .frame = 500_B});
  context.clock.run_to(1_ms);
  ASSERT_EQ(chip.host(1).arrivals.size(), 50u);
  ASSERT_EQ(chip.host(3).arrivals.size(), 50u);
  for (int i = 0; i < 50; ++i) {
    const Picoseconds queued = way.queued(start(i) + Chip::wire(500_B));
    std::vector<Picoseconds> at{chip.host(1).arrivals[static_cast<std::size_t>(i)].at,
                                chip.host(3).arrivals[static_cast<std::size_t>(i)].at};
    std::sort(at.begin(), at.end());
    EXPECT_EQ(at[0], out(way, queued, 500_B));
    EXPECT_EQ(at[1], out(way, queued, 500_B, 1));
  }
  expect_balance(context, *chip.chip, 50);
}

// Frames of 64 bytes to eight ports of a pipeline at once come eight clocks apart, and each port's
// wire carries one packet after the other.
TEST(Timing, PacketsOfAPortKeepTheirOrderAndTheirDistance) {
  Way way;
  way.c.timing = TimingConfig{.egress_clock = true};
  fabric::sim_context context;
  Chip chip(context, way.c, 16, way.program);
  for (unsigned h = 8; h < 16; ++h)
    for (int i = 0; i < 200; ++i) chip.host(h).send({.at = 5_us, .dst = h - 8, .frame = 64_B});
  context.clock.run_to(1_ms);
  for (unsigned h = 0; h < 8; ++h) {
    const auto& a = chip.host(h).arrivals;
    ASSERT_EQ(a.size(), 200u);
    for (std::size_t i = 1; i < a.size(); ++i) {
      EXPECT_EQ(a[i].shot(), a[i - 1].shot() + 1);
      EXPECT_GE(a[i].at - a[i - 1].at, Chip::wire(64_B));
    }
  }
  expect_balance(context, *chip.chip, 1600);
}

// 54 bytes of headers are two states of 32 bytes, 70 with a RETH three: clocks of 1.3125 GHz, in
// ingress and in egress.
TEST(Timing, LongHeadersTakeTheParserLonger) {
  Way way;
  way.c.timing = TimingConfig{.parser_bytes = 32_B};
  fabric::sim_context context;
  Chip chip(context, way.c, 2, way.program);
  chip.host(0).send({.at = 5_us, .dst = 1, .opcode = Opcode::write_middle});
  chip.host(0).send({.at = 9_us, .dst = 1, .opcode = Opcode::write_first});
  context.clock.run_to(1_ms);
  ASSERT_EQ(chip.host(1).arrivals.size(), 2u);
  const Clock bps(Hertz(1'312'500'000));
  const auto arrival = [&](Picoseconds start, int states) {
    const Picoseconds parse = bps.edge(Cycles(states));
    return way.queued(start + Chip::wire(1086_B) + parse) + parse + way.out(1086_B);
  };
  EXPECT_EQ(chip.host(1).arrivals[0].at, arrival(5_us, 2));
  EXPECT_EQ(chip.host(1).arrivals[1].at, arrival(9_us, 3));
  expect_balance(context, *chip.chip, 2);
}

/// When preamble and 128 bytes of a frame have left a host that started it at `start`.
Picoseconds header_in(Picoseconds start) { return start + serialisation_time(136_B, 100_Gbps); }

TEST(Timing, CutThroughBeginsWithTheHeader) {
  Way way;
  way.c.timing = TimingConfig{.cut_through = 128_B};
  fabric::sim_context context;
  Chip chip(context, way.c, 3, way.program);
  chip.host(0).send({.at = 5_us, .dst = 1, .frame = 9000_B});
  chip.host(0).send({.at = 20_us, .dst = 1, .frame = 100_B});
  // Behind the first: it is at the port before the first has gone.
  chip.host(2).send({.at = 5_us + 100_ns, .dst = 1, .frame = 500_B});
  context.clock.run_to(1_ms);
  const auto& arrivals = chip.host(1).arrivals;
  ASSERT_EQ(arrivals.size(), 3u);
  const Picoseconds first = way.queued(header_in(5_us)) + way.out(9000_B);
  EXPECT_EQ(arrivals[0].at, first);
  EXPECT_EQ(arrivals[1].at, first + Chip::wire(500_B));
  EXPECT_EQ(arrivals[2].at,
            way.queued(20_us + serialisation_time(108_B, 100_Gbps)) + way.out(100_B));
  expect_balance(context, *chip.chip, 3);
}

// A copy is made of a whole packet.
TEST(Timing, CopiesWaitForTheRestOfAPacket) {
  Way way;
  way.c.timing = TimingConfig{.cut_through = 128_B};
  way.program.ingress = [](Pass& pass) {
    pass.mirror({.egress_port = 2, .type = 1});
    pass.forward(1);
  };
  fabric::sim_context context;
  Chip chip(context, way.c, 3, way.program);
  chip.host(0).send({.at = 5_us, .dst = 1, .frame = 4000_B});
  context.clock.run_to(1_ms);
  const Picoseconds rest = Chip::wire(4000_B) - serialisation_time(136_B, 100_Gbps);
  const Picoseconds cut = way.queued(header_in(5_us)) + way.out(4000_B);
  ASSERT_EQ(chip.host(2).arrivals.size(), 1u);
  EXPECT_EQ(chip.host(1).arrivals.at(0).at, cut);
  EXPECT_EQ(chip.host(2).arrivals[0].at, cut + rest);
  expect_balance(context, *chip.chip, 1);
}

// A packet to a faster port would run dry: it is stored first.
TEST(Timing, AFasterPortWaitsForTheRest) {
  Way way;
  way.c.timing = TimingConfig{.cut_through = 128_B};
  fabric::sim_context context;
  const auto chip = std::make_unique<tofino_switch>(
      "tor", context, way.c, 2, test::LambdaFactory(way.program), programs::Routes{});
  test::probe slow("slow", context, 1, 0), fast("fast", context, 1, 1);
  connect(*chip, 0, slow, 0, Chip::link);
  connect(*chip, 1, fast, 0, {.rate = 400_Gbps, .delay = Chip::link.delay});
  slow.send({.at = 5_us, .dst = 1, .frame = 4000_B});
  fast.send({.at = 5_us, .dst = 0, .frame = 4000_B});
  context.clock.run_to(1_ms);
  const Picoseconds rest = Chip::wire(4000_B) - serialisation_time(136_B, 100_Gbps);
  const Picoseconds up = way.queued(header_in(5_us)) + rest + way.out(4000_B) - Chip::wire(4000_B) +
                         serialisation_time(l1_bytes(4000_B), 400_Gbps);
  EXPECT_EQ(fast.arrivals.at(0).at, up);
  const Picoseconds down = way.queued(5_us + serialisation_time(136_B, 400_Gbps)) + way.out(4000_B);
  EXPECT_EQ(slow.arrivals.at(0).at, down);
}

}  // namespace
}  // namespace horae::tofino::timing_test
