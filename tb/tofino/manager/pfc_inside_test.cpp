// Pauses and what happens inside a chip: copies, ways around, queues of programs, the class of
// acknowledgements, and that all cells come back.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "chip_and_plain.hpp"
#include "horae/fabric/devices/open_loop_host.hpp"
#include "odd_latencies.hpp"

namespace horae::tofino::pfc_inside_test {
namespace {

using dataplane::Pass;
using fabric::DropCause;
using test::Chip;
using test::LambdaProgram;

constexpr Bytes frame = 1232_B;  // seven cells
constexpr std::int64_t cells = 7;

// A threshold of 20 frames, and headroom for 20 more.
ChipConfig twenty_frames() {
  ChipConfig config;
  config.pfc.emplace(
      fabric::PfcConfig{.xoff = frame * 20, .xon = frame * 10, .headroom = frame * 20});
  return config;
}
// An eighth of what is free of 900 frames, and nothing of their own; headroom for 20.
ChipConfig an_eighth(unsigned ports) {
  ChipConfig config;
  config.cells = static_cast<std::uint32_t>((900 + 20 * ports) * cells);
  config.pfc.emplace(
      fabric::PfcConfig{.headroom = frame * 20, .alpha = 0.125, .hysteresis = 0_B, .minimum = 0_B});
  return config;
}
void send(Chip& chip, unsigned from, NodeId to, unsigned n, std::uint8_t traffic_class = 0) {
  for (unsigned i = 0; i < n; ++i)
    chip.host(from).send({.at = 5_us, .dst = to, .frame = frame, .traffic_class = traffic_class});
}
void hold(Chip& chip, unsigned port, std::uint8_t traffic_class = 0, Picoseconds until = 200_us) {
  chip.host(port).send_pause({.at = 0_ps, .traffic_class = traffic_class, .pause = true});
  chip.host(port).send_pause({.at = until, .traffic_class = traffic_class, .pause = false});
}
const IngressPauses& accounts(const Chip& chip) { return *chip.chip->traffic_manager().pauses(); }

LambdaProgram to_port_1_and_a_copy_to_port_2() {
  LambdaProgram program;
  program.ingress = [](Pass& pass) {
    pass.mirror({.egress_port = 2, .type = 1});
    pass.forward(1);
  };
  return program;
}

// A copy comes by the mirror port: its sender's port has room, but the shared buffer has less.
TEST(PfcInside, CopiesPauseNobodyAndTakeOfWhatIsShared) {
  LambdaProgram program = to_port_1_and_a_copy_to_port_2();
  fabric::sim_context context;
  Chip chip(context, an_eighth(3), 3, program);
  hold(chip, 2);
  send(chip, 0, 1, 300);
  context.clock.run_to(100_us);
  EXPECT_EQ(chip.host(1).arrivals.size(), 300u);
  EXPECT_TRUE(chip.host(0).pauses.empty());
  EXPECT_EQ(accounts(chip).free(), frame * (900 - 300));
  context.clock.run_to(1_ms);
  EXPECT_EQ(accounts(chip).free(), frame * 900);
  test::expect_balance(context, *chip.chip, 300);
  EXPECT_EQ(context.pool.dropped(), 0u);
}

// When copies have all that is shared, further copies are dropped. Packets are not: each goes to
// the headroom and out again.
TEST(PfcInside, CopiesDoNotTakeHeadroom) {
  LambdaProgram program = to_port_1_and_a_copy_to_port_2();
  fabric::sim_context context;
  Chip chip(context, an_eighth(3), 3, program);
  hold(chip, 2);
  send(chip, 0, 1, 1000);
  context.clock.run_to(1_ms);
  const auto dropped = chip.chip->counters().dropped_buffer;
  EXPECT_EQ(dropped, context.pool.dropped(DropCause::buffer_full));
  EXPECT_NEAR(static_cast<double>(dropped), 100, 3);
  EXPECT_EQ(dropped, context.pool.dropped());
  EXPECT_EQ(chip.host(1).arrivals.size(), 1000u);
  EXPECT_EQ(chip.host(2).arrivals.size(), 1000u - dropped);
  EXPECT_FALSE(chip.host(0).pauses.empty());
  EXPECT_EQ(accounts(chip).free(), frame * 900);
  test::expect_balance(context, *chip.chip, 1000);
}

// Comes around as often as its entropy says.
LambdaProgram loops() {
  LambdaProgram program;
  program.ingress = [](Pass& pass) {
    Packet& p = pass.header();
    if (p.metadata++ < p.entropy) return pass.recirculate();
    pass.forward(p.dst);
  };
  return program;
}
void send_around(Chip& chip, unsigned n, std::uint16_t times) {
  for (unsigned i = 0; i < n; ++i)
    chip.host(0).send({.at = 5_us, .dst = 1, .frame = frame, .entropy = times});
}

// A packet from outside that waits for its first way around is its port's: a slow loopback port
// pauses the sender.
TEST(PfcInside, TheFirstWayAroundIsThePortsMatter) {
  ChipConfig config = twenty_frames();
  config.loopback = LoopbackConfig{.rate = 10_Gbps};
  fabric::sim_context context;
  Chip chip(context, config, 2, loops());
  send_around(chip, 30, 1);
  context.clock.run_to(1_ms);
  ASSERT_EQ(chip.host(0).pauses.size(), 2u);
  EXPECT_TRUE(chip.host(0).pauses[0].pause);
  // 21 frames of 100.16 ns came, of which the loopback port let two go.
  EXPECT_NEAR(to_microseconds(chip.host(0).pauses[0].at),
              5 + 2 * 0.503 + 0.356 + 0.10016 * (21 + 2) + 0.007, 0.11);
  EXPECT_EQ(chip.host(1).arrivals.size(), 30u);
  test::expect_balance(context, *chip.chip, 30);
}

// From then on it comes by the loopback port: it waits without a pause, here or for a second round.
TEST(PfcInside, WhatHasBeenAroundPausesNobody) {
  for (const bool egress : {false, true}) {
    const std::string result = test::in_child([&]() -> std::string {
      LambdaProgram program = loops();
      if (egress) {
        program.ingress = [](Pass& pass) {
          Packet& p = pass.header();
          EXPECT_EQ(pass.ingress_port(), 0u);
          if (p.metadata++ < p.entropy) return pass.recirculate_through_egress();
          pass.forward(p.dst);
        };
      }
      fabric::sim_context context;
      Chip chip(context, an_eighth(2), 2, program);
      hold(chip, 1);
      send_around(chip, 400, 2);
      context.clock.run_to(150_us);
      EXPECT_TRUE(chip.host(0).pauses.empty());
      EXPECT_EQ(accounts(chip).free(), frame * (900 - 400));
      context.clock.run_to(1_ms);
      EXPECT_EQ(chip.host(1).arrivals.size(), 400u);
      EXPECT_EQ(accounts(chip).free(), frame * 900);
      test::expect_balance(context, *chip.chip, 400);
      return "done";
    });
    EXPECT_EQ(result, "done");
  }
}

// Egress of the loopback port makes packets longer or shorter: the port pays for what they are.
void changes_on_its_way(Bytes from, int by, std::int64_t then) {
  ChipConfig config = an_eighth(2);
  config.loopback = LoopbackConfig{.rate = 1_Gbps};  // egress has passed long before it is around
  LambdaProgram program = loops();
  program.ingress = [](Pass& pass) {
    Packet& p = pass.header();
    if (p.metadata++ < p.entropy) return pass.recirculate_through_egress();
    pass.forward(p.dst);
  };
  program.egress = [by](Pass& pass) {
    Packet& p = pass.header();
    if (pass.egress_port() == dataplane::loopback_port)
      p.frame = static_cast<std::uint16_t>(p.frame + by);
  };
  fabric::sim_context context;
  Chip chip(context, config, 2, program);
  chip.host(0).send({.at = 5_us, .dst = 1, .frame = from, .entropy = 1});
  context.clock.run_to(10_us);
  EXPECT_EQ(accounts(chip).free(), frame * 900 - Bytes(then * 176));
  EXPECT_EQ(chip.chip->cells_used(), then);
  context.clock.run_to(1_ms);
  EXPECT_EQ(accounts(chip).free(), frame * 900);
  EXPECT_EQ(chip.chip->cells_used(), 0);
  EXPECT_EQ(chip.host(1).arrivals.size(), 1u);
  EXPECT_EQ(chip.host(1).arrivals[0].frame, from.count() + by);
}
TEST(PfcInside, APacketThatGrowsOnItsWayAroundCountsForMore) { changes_on_its_way(frame, 1, 8); }
TEST(PfcInside, APacketThatShrinksOnItsWayAroundCountsForLess) {
  changes_on_its_way(frame + 1_B, -1, 7);
}

// A packet that a program holds in a queue of its own is still its sender's.
TEST(PfcInside, HeldQueuesPauseTheSender) {
  ChipConfig config = twenty_frames();
  config.queues_per_port = 16;
  LambdaProgram program;
  program.ingress = [](Pass& pass) {
    Packet& p = pass.header();
    pass.forward(1);
    if (p.dst == 8) {  // the last one
      pass.control_queue({dataplane::QueueRequest::release, 9, 1});
    } else {
      pass.enqueue_in(9);
      pass.control_queue({dataplane::QueueRequest::hold, 9, 1});
    }
  };
  fabric::sim_context context;
  Chip chip(context, config, 3, program);
  send(chip, 0, 1, 30);
  chip.host(2).send({.at = 100_us, .dst = 8, .frame = frame});
  context.clock.run_to(1_ms);
  ASSERT_EQ(chip.host(0).pauses.size(), 2u);
  EXPECT_LT(chip.host(0).pauses[0].at, 20_us);
  EXPECT_GT(chip.host(0).pauses[1].at, 100_us);
  EXPECT_TRUE(chip.host(2).pauses.empty());
  EXPECT_EQ(chip.host(1).arrivals.size(), 31u);
  test::expect_balance(context, *chip.chip, 31);
}

// A class is paused for itself alone.
TEST(PfcInside, EachClassHasItsThreshold) {
  fabric::sim_context context;
  Chip chip(context, twenty_frames(), 3);
  hold(chip, 1, 3);
  hold(chip, 1, 4);
  send(chip, 0, 1, 15, 3);
  send(chip, 0, 1, 25, 4);
  context.clock.run_to(1_ms);
  ASSERT_EQ(chip.host(0).pauses.size(), 2u);
  for (const auto& pause : chip.host(0).pauses) EXPECT_EQ(pause.traffic_class, 4u);
}

// Acknowledgements and CNPs: no cells, no pause, no refusal, no mark.
TEST(PfcInside, TheControlClassDoesNotCount) {
  ChipConfig config = twenty_frames();
  config.cells = 60 * cells;
  config.control_class = 7;
  config.ecn.emplace(fabric::RedConfig{.kmin = frame, .kmax = frame * 5});
  config.queue_limit = frame * 50;
  fabric::sim_context context;
  Chip chip(context, config, 2);
  hold(chip, 1, 7);
  hold(chip, 1, 0);
  send(chip, 0, 1, 100, 7);
  send(chip, 0, 1, 4, 0);
  context.clock.run_to(100_us);
  EXPECT_EQ(chip.chip->cells_used(), 0);  // four find the port over its limit
  EXPECT_EQ(chip.chip->counters().dropped_queue, 4u);
  context.clock.run_to(1_ms);
  EXPECT_EQ(chip.host(1).arrivals.size(), 100u);
  for (const auto& a : chip.host(1).arrivals) EXPECT_EQ(a.ecn, Ecn::ect0);
  EXPECT_TRUE(chip.host(0).pauses.empty());
}

// Hosts that obey send at random to each other, some packets go around, some are copied: nothing
// is lost, all cells are free at the end, and nobody stays paused; with windows or without.
TEST(PfcInside, NothingIsLostAndAllCellsComeBack) {
  std::vector<std::string> all;
  for (const fabric::time_config& time :
       {fabric::time_config{.window = 100_ns}, fabric::time_config{.window = 500_ns},
        fabric::time_config{.mode = fabric::scheduling::exact_wake}}) {
    all.push_back(test::in_child([&]() -> std::string {
      constexpr unsigned hosts = 6;
      LambdaProgram program;
      program.ingress = [](Pass& pass) {
        Packet& p = pass.header();
        if (p.metadata++ < p.entropy % 3) return pass.recirculate();
        if (p.entropy % 16 == 0 && p.mirror_type == 0)
          pass.mirror({.egress_port = p.dst, .type = 1, .length = 64});
        pass.forward(p.dst);
      };
      program.egress = [](Pass& pass) {
        if (pass.header().mirror_type != 0) pass.drop();
      };
      fabric::sim_context context(time, 3);
      ChipConfig config = an_eighth(hosts);
      config.cells = (200 + 30 * hosts) * cells;
      config.pfc->headroom = frame * 30;
      tofino_switch chip("sw", context, config, hosts, test::LambdaFactory(program),
                         programs::Routes{});
      std::vector<std::unique_ptr<fabric::open_loop_host>> ends;
      for (unsigned i = 0; i < hosts; ++i) {
        ends.push_back(std::make_unique<fabric::open_loop_host>(
            ("h" + std::to_string(i)).c_str(), context, fabric::HostConfig{.id = i},
            std::make_unique<test::RandomSource>(test::RandomSource::Config{
                .self = i, .nodes = hosts, .longest_burst = 40, .longest_gap = 6_us})));
        connect(chip, i, *ends[i], 0, Chip::link);
      }
      context.clock.run_to(10_ms);
      const auto& c = chip.counters();
      EXPECT_GT(c.pauses_sent, 10u);
      EXPECT_GT(c.mirrored, 10u);
      EXPECT_GT(c.recirculated, 100u);
      EXPECT_EQ(context.pool.dropped(), context.pool.dropped(DropCause::program));
      EXPECT_EQ(context.pool.live(), 0u);
      EXPECT_EQ(chip.cells_used(), 0);
      EXPECT_EQ(chip.traffic_manager().pauses()->free(), frame * 200);
      std::string text = std::to_string(c.pauses_sent);
      for (const auto& h : ends) {
        text += fmt::format(" {}:{}", h->counters().received, h->counters().order_checksum);
        EXPECT_EQ(h->pauses(0).held(10_ms), h->pauses(0).held(9_ms));
      }
      return text;
    }));
  }
  for (const auto& text : all) EXPECT_EQ(text, all.front());
}

}  // namespace
}  // namespace horae::tofino::pfc_inside_test
