// The way through the chip in time: every term of it, to the picosecond.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "chip_parts.hpp"
#include "odd_latencies.hpp"

namespace horae::tofino::latency_test {
namespace {

using test::Chip;
using test::LambdaProgram;
using test::odd_latencies;

// Clock edges of 1.5 GHz (2000/3 ps) and 1.3125 GHz (16000/21 ps), worked out here on their own.
struct Edges {
  std::int64_t numerator, denominator;
  std::int64_t first_from(Picoseconds t) const {
    return (t.count() * denominator + numerator - 1) / numerator;
  }
  Picoseconds at(std::int64_t n) const { return Picoseconds(n * numerator / denominator); }
};
constexpr Edges fast{2000, 3}, slow{16000, 21};

// From the last bit sent by one host to the last bit received by the other, for a header that
// enters its pipeline `later` clocks after the first possible one.
Picoseconds received_at(const ChipConfig& c, const Edges& clock, Picoseconds last_bit_sent,
                        Bytes frame, const LambdaProgram& program, std::int64_t later = 0) {
  const Picoseconds parsed = last_bit_sent + Chip::link.delay + c.mac_rx + c.ingress_parser;
  const std::int64_t entry = clock.first_from(parsed) + later;
  const Picoseconds queued =
      clock.at(entry + program.ingress_cycles().count()) + c.ingress_deparser + c.traffic_manager;
  const Picoseconds first_bit = queued + c.egress_parser +
                                clock.at(program.egress_cycles().count()) + c.egress_deparser +
                                c.mac_tx;
  return first_bit + Chip::wire(frame) + Chip::link.delay;
}

// Many packets, each alone, at all phases of the clock; run() is called once per process.
void crosses_in_closed_form(const ChipConfig& config, const Edges& clock) {
  LambdaProgram program{.ingress_chain = 5, .egress_chain = 1};
  fabric::sim_context context;
  Chip chip(context, config, 4, program);
  const int packets = 300;
  for (int i = 0; i < packets; ++i) {
    chip.host(0).send(
        {.at = 10'000'007_ps * i + 333_ps * i, .dst = 1, .frame = Bytes(64 + 13 * i)});
  }
  context.clock.run_to(4_ms);
  const auto& seen = chip.host(1).arrivals;
  ASSERT_EQ(seen.size(), static_cast<std::size_t>(packets));
  Picoseconds waited{};
  for (int i = 0; i < packets; ++i) {
    const Bytes frame(64 + 13 * i);
    const Picoseconds sent = 10'000'007_ps * i + 333_ps * i + Chip::wire(frame);
    EXPECT_EQ(seen[static_cast<std::size_t>(i)].at,
              received_at(config, clock, sent, frame, program))
        << i;
    const Picoseconds parsed = sent + Chip::link.delay + config.mac_rx + config.ingress_parser;
    waited += clock.at(clock.first_from(parsed)) - parsed;
  }
  EXPECT_EQ(chip.chip->counters().pipeline_wait, waited);
  EXPECT_EQ(chip.chip->ingress_latency(0), config.mac_rx + config.ingress_parser + clock.at(150) +
                                               config.ingress_deparser + config.traffic_manager);
  EXPECT_EQ(chip.chip->egress_latency(0),
            config.egress_parser + clock.at(62) + config.egress_deparser + config.mac_tx);
}

TEST(Latency, APacketCrossesInClosedForm) { crosses_in_closed_form(odd_latencies(), fast); }

TEST(Latency, AnotherClockHasOtherEdges) {
  ChipConfig config = odd_latencies();
  config.mau_clock = Hertz(1'312'500'000);
  crosses_in_closed_form(config, slow);
}

TEST(Latency, TheClockIsThatOfTheChip) {
  const ChipConfig config;
  EXPECT_EQ(config.mau_clock, Hertz(1'500'000'000));
  EXPECT_EQ(config.pipelines, 4u);
  EXPECT_EQ(config.cells, 393'216u);
  EXPECT_EQ(config.cell, 176_B);
}

// Arrives at t, not before: what a host has at t and one picosecond earlier.
TEST(Latency, NotAPicosecondEarlier) {
  const LambdaProgram program;
  const ChipConfig config = odd_latencies();
  fabric::sim_context context;
  Chip chip(context, config, 2, program);
  chip.host(0).send({.at = 1_us, .dst = 1, .frame = 1086_B});
  const Picoseconds at = received_at(config, fast, 1_us + Chip::wire(1086_B), 1086_B, program);
  context.clock.run_to(at);
  EXPECT_TRUE(chip.host(1).arrivals.empty());
  context.clock.run_to(at + 1_ps);
  EXPECT_EQ(chip.host(1).arrivals.size(), 1u);
}

// A pipeline takes one header per clock; each pipeline has its own.
TEST(Latency, HeadersOfOnePipelineEnterOnePerClock) {
  const LambdaProgram program;
  ChipConfig config = odd_latencies();
  config.ports_per_pipeline = 8;
  fabric::sim_context context;
  // Ports 0-7 on pipeline 0, 8-15 on pipeline 1; hosts 16-24 receive, so nothing waits there.
  Chip chip(context, config, 28, program);
  std::vector<unsigned> senders = {0, 1, 2, 3, 4, 8, 9};
  for (std::size_t i = 0; i < senders.size(); ++i) {
    chip.host(senders[i]).send({.at = 5_us, .dst = static_cast<NodeId>(16 + i), .frame = 64_B});
  }
  context.clock.run_to(100_us);
  const Picoseconds sent = 5_us + Chip::wire(64_B);
  const std::vector<std::int64_t> later = {0, 1, 2, 3, 4, 0, 1};
  for (unsigned i = 0; i < senders.size(); ++i) {
    ASSERT_EQ(chip.host(16 + i).arrivals.size(), 1u);
    EXPECT_EQ(chip.host(16 + i).arrivals[0].at,
              received_at(config, fast, sent, 64_B, program, later[i]))
        << "from port " << senders[i];
  }
}

// A header that comes just after another one waits for the clock after that one's.
TEST(Latency, AHeaderWaitsOnlyForTheClockItNeeds) {
  const LambdaProgram program;
  const ChipConfig config = odd_latencies();
  // Clocks are 666 or 667 ps apart: within one clock period, the second needs the next edge; well
  // beyond it, its own.
  for (const auto& [gap, entry] : {std::pair{100_ps, 1}, std::pair{2_ns, 3}}) {
    const std::string text = test::in_child([&, gap = gap]() -> std::string {
      fabric::sim_context context;
      Chip chip(context, config, 4, program);
      // The first is parsed exactly on an edge: 3000 k ps.
      const Picoseconds parsed = 6_us;
      const Picoseconds start =
          parsed - config.mac_rx - config.ingress_parser - Chip::link.delay - Chip::wire(64_B);
      chip.host(0).send({.at = start, .dst = 2, .frame = 64_B});
      chip.host(1).send({.at = start + gap, .dst = 3, .frame = 64_B});
      context.clock.run_to(100_us);
      const Picoseconds apart = chip.host(3).arrivals.at(0).at - chip.host(2).arrivals.at(0).at;
      return std::to_string(apart.count());
    });
    const std::int64_t n = fast.first_from(6_us);
    const std::int64_t out = n + program.ingress_cycles().count();
    EXPECT_EQ(text, std::to_string((fast.at(out + entry) - fast.at(out)).count()));
  }
}

// Store and forward: behind a packet of the same egress port, its serialisation later.
TEST(Latency, ThePacketBehindWaitsForTheWire) {
  const LambdaProgram program;
  const ChipConfig config = odd_latencies();
  fabric::sim_context context;
  Chip chip(context, config, 3, program);
  chip.host(0).send({.at = 5_us, .dst = 2, .frame = 1086_B});
  chip.host(1).send({.at = 5_us, .dst = 2, .frame = 1086_B});
  context.clock.run_to(100_us);
  const auto& seen = chip.host(2).arrivals;
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].at, received_at(config, fast, 5_us + Chip::wire(1086_B), 1086_B, program));
  EXPECT_EQ(seen[1].at, seen[0].at + Chip::wire(1086_B));
}

// The chip's timestamp is the clock edge at which the header enters.
TEST(Latency, ThePassKnowsWhenItEntered) {
  LambdaProgram program;
  std::vector<Picoseconds> entered, left;
  std::vector<std::uint64_t> serials;
  program.ingress = [&](dataplane::Pass& pass) {
    entered.push_back(pass.now());
    serials.push_back(pass.serial());
    EXPECT_EQ(pass.where(), (dataplane::PipelineId{0, dataplane::Gress::ingress}));
    EXPECT_EQ(pass.ingress_port(), pass.header().src);
    pass.forward(pass.header().dst);
  };
  program.egress = [&](dataplane::Pass& pass) {
    left.push_back(pass.now());
    serials.push_back(pass.serial());
    EXPECT_EQ(pass.where(), (dataplane::PipelineId{1, dataplane::Gress::egress}));
    EXPECT_EQ(pass.ingress_port(), pass.header().src);
  };
  ChipConfig config = odd_latencies();
  config.ports_per_pipeline = 2;
  fabric::sim_context context;
  Chip chip(context, config, 4, program);
  chip.host(0).send({.at = 5_us, .dst = 2, .frame = 64_B});
  chip.host(1).send({.at = 5_us, .dst = 2, .frame = 64_B});
  context.clock.run_to(100_us);
  const std::int64_t n = fast.first_from(5_us + Chip::wire(64_B) + Chip::link.delay +
                                         config.mac_rx + config.ingress_parser);
  EXPECT_EQ(entered, (std::vector<Picoseconds>{fast.at(n), fast.at(n + 1)}));
  const Picoseconds queued = fast.at(n + 84) + config.ingress_deparser + config.traffic_manager;
  EXPECT_EQ(left, (std::vector<Picoseconds>{queued, queued + Chip::wire(64_B)}));
  EXPECT_TRUE(std::is_sorted(serials.begin(), serials.end()));
  EXPECT_EQ(std::adjacent_find(serials.begin(), serials.end()), serials.end());
}

}  // namespace
}  // namespace horae::tofino::latency_test
