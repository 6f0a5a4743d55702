// Deflect on drop: what of the packets without room a program gets, when, and how they are counted.
#include <gtest/gtest.h>

#include <vector>

#include "horae/core/error.hpp"
#include "odd_latencies.hpp"

namespace horae::tofino::deflection_test {
namespace {

using dataplane::Pass;
using fabric::DropCause;
using test::Chip;
using test::edge;
using test::expect_balance;
using test::LambdaProgram;

constexpr Bytes frame = 980_B;  // 1000 on the wire
constexpr Bytes cut_frame = 64_B;
constexpr std::uint8_t cut = 1;
constexpr unsigned receiver = 5;

/// A queue of two frames beside the one on the wire.
ChipConfig chip_config() {
  ChipConfig c = test::odd_latencies();
  c.control_class = 7;
  c.queue_limit = frame * 2;
  return c;
}

/// Cuts what is deflected; `seen` gets the times of deflected packets in egress.
LambdaProgram trimmer(std::vector<Picoseconds>* seen = nullptr) {
  LambdaProgram program{.ingress_chain = 3, .egress_chain = 2, .takes_deflected = true};
  program.egress = [seen](Pass& pass) {
    Packet& p = pass.header();
    if (p.deflected && p.mirror_type == 0) {
      if (seen != nullptr) seen->push_back(pass.now());
      pass.mirror({.egress_port = receiver,
                   .type = cut,
                   .length = static_cast<std::uint16_t>(cut_frame.count()),
                   .traffic_class = 7});
      return pass.drop();
    }
    if (p.mirror_type == cut) {
      p.trimmed = true;
      p.deflected = false;
    }
  };
  return program;
}

/// Hosts 0 to 4 send one packet each, 1 ns apart: the last two find the queue full.
void send_five(Chip& chip, Picoseconds at, Opcode opcode = Opcode::write_middle) {
  for (unsigned h = 0; h < 5; ++h)
    chip.host(h).send({.at = at + 1_ns * h, .dst = receiver, .frame = frame, .opcode = opcode});
}

// A deflected packet takes the wire of the loopback port, passes egress there, and its copy passes
// the egress of the port that it was for.
TEST(Deflection, ThePacketGoesAroundInClosedForm) {
  std::vector<Picoseconds> seen;
  ChipConfig c = chip_config();
  c.loopback = LoopbackConfig{.rate = 40_Gbps};
  const LambdaProgram program = trimmer(&seen);
  fabric::sim_context context;
  Chip chip(context, c, 6, program);
  send_five(chip, 5_us);
  context.clock.run_to(100_us);

  const auto refused = [&](unsigned h) {
    const Picoseconds parsed =
        5_us + 1_ns * h + Chip::wire(frame) + Chip::link.delay + c.mac_rx + c.ingress_parser;
    return edge(test::first_edge(parsed) + program.ingress_cycles().count()) + c.ingress_deparser +
           c.traffic_manager;
  };
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0], refused(3));
  EXPECT_EQ(seen[1], seen[0] + serialisation_time(l1_bytes(frame), 40_Gbps));

  const Picoseconds egress =
      c.egress_parser + edge(program.egress_cycles().count()) + c.egress_deparser;
  const auto& arrivals = chip.host(receiver).arrivals;
  ASSERT_EQ(arrivals.size(), 5u);
  for (unsigned i = 0; i < 2; ++i) {
    EXPECT_EQ(arrivals[3 + i].frame, cut_frame.count());
    EXPECT_EQ(arrivals[3 + i].at, seen[i] + egress + c.traffic_manager + egress + c.mac_tx +
                                      Chip::wire(cut_frame) + Chip::link.delay);
  }
  const auto counters = chip.chip->counters();
  EXPECT_EQ(counters.deflected, 2u);
  EXPECT_EQ(counters.mirrored, 2u);
  EXPECT_EQ(counters.recirculated, 2u);
  EXPECT_EQ(counters.dropped_queue, 0u);
  EXPECT_EQ(counters.dropped_program, 2u);
  EXPECT_EQ(context.pool.dropped(DropCause::program), 2u);
  expect_balance(context, *chip.chip, 5);
}

TEST(Deflection, OnlyDataGoesAround) {
  fabric::sim_context context;
  Chip chip(context, chip_config(), 6, trimmer());
  send_five(chip, 5_us, Opcode::acknowledge);
  context.clock.run_to(100_us);
  EXPECT_EQ(chip.host(receiver).arrivals.size(), 3u);
  EXPECT_EQ(chip.chip->counters().deflected, 0u);
  EXPECT_EQ(chip.chip->counters().dropped_queue, 2u);
  expect_balance(context, *chip.chip, 5);
}

// Packets without room at the loopback port are dropped, and counted there.
TEST(Deflection, AFullLoopbackPortDrops) {
  ChipConfig c = chip_config();
  c.loopback = LoopbackConfig{.rate = 1_Gbps, .limit = frame};
  fabric::sim_context context;
  Chip chip(context, c, 6, trimmer());
  send_five(chip, 5_us);
  send_five(chip, 5_us);  // behind the first: one of them finds the place of a packet that left
  context.clock.run_to(200_us);
  const auto counters = chip.chip->counters();
  EXPECT_EQ(counters.deflected, 2u);  // one is on the wire at once, one waits
  EXPECT_EQ(counters.dropped_loopback, 4u);
  EXPECT_EQ(counters.dropped_queue, 0u);
  EXPECT_EQ(context.pool.dropped(DropCause::queue_full), 4u);
  EXPECT_EQ(chip.host(receiver).arrivals.size(), 6u);
  expect_balance(context, *chip.chip, 10);
}

// The buffer may be what has no room, and then it has none for the detour either.
TEST(Deflection, AFullBufferDropsWhatItRefused) {
  ChipConfig c = chip_config();
  c.queue_limit = Bytes{};
  c.cells = 3 * 6;  // cells of 176 B: three frames of 980 B wait, and one is on the wire
  fabric::sim_context context;
  Chip chip(context, c, 6, trimmer());
  send_five(chip, 5_us);
  context.clock.run_to(100_us);
  EXPECT_EQ(chip.host(receiver).arrivals.size(), 4u);
  EXPECT_EQ(chip.chip->counters().deflected, 0u);
  EXPECT_EQ(context.pool.dropped(DropCause::buffer_full), 1u);
  EXPECT_EQ(chip.chip->counters().dropped_buffer, 1u);
  expect_balance(context, *chip.chip, 5);
}

// A packet that overruns its port's headroom has no right to a detour, and is counted once.
TEST(Deflection, AFullHeadroomDrops) {
  ChipConfig c = chip_config();
  c.queue_limit = Bytes{};
  c.pfc.emplace(fabric::PfcConfig{.xoff = frame, .xon = frame, .headroom = frame});
  fabric::sim_context context;
  Chip chip(context, c, 6, trimmer());
  for (int i = 0; i < 10; ++i) send_five(chip, 5_us);
  context.clock.run_to(100_us);
  const auto counters = chip.chip->counters();
  EXPECT_GT(counters.dropped_headroom, 0u);
  EXPECT_EQ(counters.dropped_headroom, context.pool.dropped(DropCause::headroom_full));
  EXPECT_EQ(counters.dropped_headroom, context.pool.dropped());
  EXPECT_EQ(counters.dropped_buffer, 0u);
  EXPECT_EQ(counters.deflected, 0u);
  EXPECT_EQ(chip.host(receiver).arrivals.size(), 50 - counters.dropped_headroom);
  expect_balance(context, *chip.chip, 50);
}

TEST(Deflection, CutPacketsNeedAClassThatFindsRoom) {
  ChipConfig c = chip_config();
  c.control_class.reset();
  fabric::sim_context context;
  EXPECT_THROW(Chip(context, c, 6, trimmer()), InputError);
}

}  // namespace
}  // namespace horae::tofino::deflection_test
