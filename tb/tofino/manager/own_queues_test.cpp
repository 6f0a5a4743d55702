// Queues in the hands of a program: priority, hold and release, PFC, the buffer, and copies that go
// around through egress.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "chip_parts.hpp"
#include "horae/dataplane/queue_control.hpp"
#include "odd_latencies.hpp"

namespace horae::tofino::own_queues_test {
namespace {

using dataplane::Pass;
using dataplane::QueueRequest;
using test::Chip;
using test::expect_balance;
using test::LambdaProgram;

ChipConfig queues(unsigned n) {
  ChipConfig config;
  config.queues_per_port = n;
  return config;
}

// Packets choose: entropy 0 to 127 is the queue; 1000 + q holds it and 2000 + q releases it at the
// egress port the packet goes to (the packet itself waits with its class); 3000 + q are dropped
// after a release; from 4000 on the queue of the class.
LambdaProgram by_entropy() {
  LambdaProgram program;
  program.ingress = [](Pass& pass) {
    const Packet& p = pass.header();
    const auto queue = static_cast<std::uint8_t>(p.entropy % 1000);
    const auto port = static_cast<std::uint16_t>(p.dst);
    pass.forward(p.dst);
    switch (p.entropy / 1000) {
      case 0:
        pass.enqueue_in(queue);
        break;
      case 1:
        pass.control_queue({QueueRequest::hold, queue, port});
        break;
      case 3:
        pass.drop();
        [[fallthrough]];
      case 2:
        pass.control_queue({QueueRequest::release, queue, port});
        break;
      default:
        break;
    }
  };
  return program;
}

std::vector<unsigned> order_at(test::probe& host) {
  std::vector<unsigned> out;
  for (const auto& a : host.arrivals) out.push_back(a.entropy);
  return out;
}

TEST(OwnQueues, AreServedBeforeTheirClassHighestNumberFirst) {
  fabric::sim_context context;
  Chip chip(context, queues(128), 3, by_entropy());
  // A long packet occupies the wire while the others are queued.
  chip.host(0).send({.at = 1_us, .dst = 1, .frame = 9000_B, .entropy = 0});
  for (const std::uint16_t entropy : {0, 8, 127, 72, 71, 0, 8}) {
    chip.host(0).send({.at = 1_us, .dst = 1, .frame = 64_B, .entropy = entropy});
  }
  chip.host(2).send({.at = 1_us, .dst = 1, .frame = 9000_B, .entropy = 9});
  chip.host(2).send({.at = 1_us, .dst = 1, .frame = 64_B, .traffic_class = 1, .entropy = 4000});
  context.clock.run_to(50_us);
  // Host 0's long packet enters first and is on the wire when the others are queued, among them
  // host 2's long one; its short one is of a higher class than all that waits.
  EXPECT_EQ(order_at(chip.host(1)), (std::vector<unsigned>{0, 4000, 127, 72, 71, 9, 8, 8, 0, 0}));
  expect_balance(context, *chip.chip, 10);
}

TEST(OwnQueues, AHeldQueueKeepsItsPacketsInTheBuffer) {
  fabric::sim_context context;
  Chip chip(context, queues(32), 3, by_entropy());
  chip.host(0).send({.at = 1_us, .dst = 1, .frame = 64_B, .entropy = 1009});
  for (int i = 0; i < 3; ++i)
    chip.host(0).send({.at = 2_us, .dst = 1, .frame = 1000_B, .entropy = 9});
  chip.host(0).send({.at = 2_us, .dst = 1, .frame = 64_B, .entropy = 8});
  chip.host(0).send({.at = 2_us, .dst = 1, .frame = 64_B, .entropy = 0});
  context.clock.run_to(100_us);
  EXPECT_EQ(order_at(chip.host(1)), (std::vector<unsigned>{1009, 8, 0}));
  EXPECT_EQ(chip.chip->cells_used(), 3 * 6);
  EXPECT_EQ(chip.chip->port(1).packets(), 3u);
  EXPECT_EQ(chip.chip->port(1).depth(), 3000_B);
  EXPECT_EQ(chip.chip->port(1).depth_of_queue(9), 3000_B);
  EXPECT_EQ(chip.chip->port(1).depth_of_queue(0), 0_B);
  EXPECT_TRUE(chip.chip->port(1).held(9));
  EXPECT_EQ(chip.chip->held(), 3u);
}

// The word travels with the packet through the traffic manager, whatever becomes of the packet.
TEST(OwnQueues, AReleaseTakesTheTrafficManagersTime) {
  const auto config = [] {
    ChipConfig c = test::odd_latencies();
    c.queues_per_port = 16;
    return c;
  }();
  fabric::sim_context context;
  const LambdaProgram program = by_entropy();
  Chip chip(context, config, 3, program);
  chip.host(0).send({.at = 1_us, .dst = 1, .frame = 64_B, .entropy = 1015});
  chip.host(0).send({.at = 2_us, .dst = 1, .frame = 1000_B, .entropy = 15});
  chip.host(2).send({.at = 10'000'007_ps, .dst = 1, .frame = 64_B, .entropy = 3015});
  context.clock.run_to(100_us);
  ASSERT_EQ(chip.host(1).arrivals.size(), 2u);
  const std::int64_t entry = test::first_edge(10'000'007_ps + Chip::wire(64_B) + Chip::link.delay +
                                              config.mac_rx + config.ingress_parser);
  const Picoseconds released = test::edge(entry + program.ingress_cycles().count()) +
                               config.ingress_deparser + config.traffic_manager;
  EXPECT_EQ(chip.host(1).arrivals[1].at,
            released + chip.chip->egress_latency(0) + Chip::wire(1000_B) + Chip::link.delay);
  EXPECT_EQ(chip.chip->counters().holds, 1u);
  EXPECT_EQ(chip.chip->counters().releases, 1u);
  EXPECT_EQ(chip.chip->cells_used(), 0);
}

// Held packets still count against the shared buffer.
TEST(OwnQueues, HeldPacketsFillTheBuffer) {
  ChipConfig config = queues(9);
  config.cells = 10;
  fabric::sim_context context;
  Chip chip(context, config, 3, by_entropy());
  chip.host(0).send({.at = 1_us, .dst = 1, .frame = 64_B, .entropy = 1008});
  for (int i = 0; i < 11; ++i)
    chip.host(0).send({.at = 2_us, .dst = 1, .frame = 176_B, .entropy = 8});
  chip.host(0).send({.at = 9_us, .dst = 2, .frame = 64_B, .entropy = 0});
  chip.host(2).send({.at = 50_us, .dst = 1, .frame = 64_B, .entropy = 3008});
  context.clock.run_to(40_us);
  EXPECT_EQ(context.pool.dropped(fabric::DropCause::buffer_full), 2u);
  EXPECT_TRUE(chip.host(2).arrivals.empty());
  context.clock.run_to(100_us);
  EXPECT_EQ(chip.host(1).arrivals.size(), 11u);
  EXPECT_EQ(context.pool.live(), 0u);
}

// A pause of the class stops its own queues; a resume lets only those go that are not held.
TEST(OwnQueues, PfcPausesTheOwnQueuesOfAClass) {
  fabric::sim_context context;
  Chip chip(context, queues(16), 3, by_entropy());
  chip.host(1).send_pause({.at = 0_ps, .traffic_class = 2, .pause = true});
  chip.host(1).send_pause({.at = 60_us, .traffic_class = 2, .pause = false});
  chip.host(0).send({.at = 1_us, .dst = 1, .frame = 64_B, .entropy = 1010});
  for (const std::uint16_t queue : {10, 11}) {
    chip.host(0).send({.at = 2_us, .dst = 1, .frame = 100_B, .traffic_class = 2, .entropy = queue});
  }
  chip.host(0).send({.at = 3_us, .dst = 1, .frame = 100_B, .entropy = 12});
  chip.host(2).send({.at = 90_us, .dst = 1, .frame = 64_B, .entropy = 3010});
  context.clock.run_to(50_us);
  EXPECT_EQ(order_at(chip.host(1)), (std::vector<unsigned>{1010, 12}));
  context.clock.run_to(80_us);
  EXPECT_EQ(order_at(chip.host(1)), (std::vector<unsigned>{1010, 12, 11}));
  context.clock.run_to(120_us);
  EXPECT_EQ(order_at(chip.host(1)), (std::vector<unsigned>{1010, 12, 11, 10}));
}

// A packet that leaves can release a queue from the egress deparser.
TEST(OwnQueues, AreReleasedFromEgress) {
  fabric::sim_context context;
  LambdaProgram program = by_entropy();
  program.egress = [](Pass& pass) {
    if (pass.header().entropy == 4000)
      pass.control_queue(
          {QueueRequest::release, 8, static_cast<std::uint16_t>(pass.egress_port())});
  };
  Chip chip(context, queues(9), 3, program);
  chip.host(0).send({.at = 1_us, .dst = 1, .frame = 64_B, .entropy = 1008});
  chip.host(0).send({.at = 2_us, .dst = 1, .frame = 100_B, .entropy = 8});
  chip.host(0).send({.at = 30_us, .dst = 1, .frame = 100_B, .entropy = 4000});
  context.clock.run_to(20_us);
  EXPECT_EQ(chip.host(1).arrivals.size(), 1u);
  context.clock.run_to(60_us);
  EXPECT_EQ(order_at(chip.host(1)), (std::vector<unsigned>{1008, 4000, 8}));
}

// A copy to the loopback port passes its egress, keeps the metadata it gets there and comes back.
TEST(OwnQueues, ACopyGoesAroundThroughEgress) {
  struct Seen {
    Picoseconds at;
    bool egress;
    std::uint16_t metadata, frame;
  };
  std::vector<Seen> seen;
  LambdaProgram program{.ingress_chain = 4, .egress_chain = 3};
  program.ingress = [&](Pass& pass) {
    Packet& p = pass.header();
    seen.push_back({pass.now(), false, p.metadata, p.frame});
    if (p.metadata == 0) {
      pass.mirror(
          {.egress_port = dataplane::loopback_port, .type = 1, .metadata = 5, .length = 80});
      return pass.forward(p.dst);
    }
    if (p.metadata < 7) return pass.recirculate_through_egress();
    pass.drop();
  };
  program.egress = [&](Pass& pass) {
    if (pass.egress_port() != dataplane::loopback_port) return;
    Packet& p = pass.header();
    seen.push_back({pass.now(), true, p.metadata, p.frame});
    ++p.metadata;
    p.frame = 500;  // of other cells than it came with
  };
  const ChipConfig config = test::odd_latencies();
  fabric::sim_context context;
  Chip chip(context, config, 3, program);
  chip.host(0).send({.at = 5_us, .dst = 1, .frame = 1000_B});
  context.clock.run_to(50_us);
  ASSERT_EQ(seen.size(), 5u);
  const auto through = [&](Picoseconds entered) {
    return test::edge(test::first_edge(entered) + program.ingress_cycles().count()) +
           config.ingress_deparser + config.traffic_manager;
  };
  const auto back = [&](Picoseconds left, std::int64_t frame) {
    const Picoseconds at = left + config.egress_parser +
                           test::edge(program.egress_cycles().count()) + config.egress_deparser +
                           Picoseconds((frame + 20) * 20) + config.ingress_parser;
    return test::edge(test::first_edge(at));
  };
  EXPECT_EQ(seen[1].at, through(seen[0].at));
  EXPECT_EQ(seen[1].metadata, 5);
  EXPECT_EQ(seen[1].frame, 80);
  EXPECT_EQ(seen[2].at, back(seen[1].at, 500));
  EXPECT_EQ(seen[2].metadata, 6);
  EXPECT_EQ(seen[3].at, through(seen[2].at));
  EXPECT_EQ(seen[4].at, back(seen[3].at, 500));
  EXPECT_EQ(seen[4].metadata, 7);
  EXPECT_EQ(chip.chip->counters().recirculated, 2u);
  EXPECT_EQ(chip.chip->cells_used(), 0);
  EXPECT_EQ(context.pool.live(), 0u);
}

TEST(OwnQueues, WhatTheChipHasNotIsRefused) {
  for (const auto& [n, entropy, error] :
       {std::tuple{8u, 8, "no queue 8 for programs at port 1"},
        std::tuple{16u, 16, "no queue 16 for programs at port 1"},
        std::tuple{16u, 7, "no queue 7 for programs at port 1"}}) {
    const std::string got = test::outcome_in_child([n = n, entropy = entropy] {
      fabric::sim_context context;
      Chip chip(context, queues(n), 3, by_entropy());
      chip.host(0).send({.at = 1_us, .dst = 1, .entropy = static_cast<std::uint16_t>(entropy)});
      context.clock.run_to(50_us);
    });
    EXPECT_NE(got.find(error), std::string::npos) << got;
  }
  const std::string got = test::outcome_in_child([] {
    fabric::sim_context context;
    ChipConfig config = queues(128);
    config.pipeline_of_port = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    Chip chip(context, config, 10, by_entropy());
  });
  EXPECT_NE(got.find("10 ports of pipeline 0 with 128 queues each are more than the 1152"),
            std::string::npos)
      << got;
}

// Packets that a program holds take the buffer and pause their sender, as on any chip; with
// `free_queues` it does neither, and the packets of classes have the buffer for themselves.
TEST(OwnQueues, WhatIsHeldIsFreeIfTheChipSaysSo) {
  for (const bool free : {false, true}) {
    const std::string text = test::in_child([&]() -> std::string {
      ChipConfig config = queues(16);
      config.cells = 100;
      config.pfc.emplace(fabric::PfcConfig{.xoff = 4400_B, .xon = 2200_B, .headroom = 4400_B});
      if (free) config.free_queues = true;
      fabric::sim_context context;
      Chip chip(context, config, 3, by_entropy());
      chip.host(0).send({.at = 1_us, .dst = 1, .frame = 64_B, .entropy = 1009});
      for (int i = 0; i < 60; ++i)
        chip.host(0).send({.at = 2_us, .dst = 1, .frame = 352_B, .entropy = 9});
      chip.host(2).send({.at = 21_us, .dst = 1, .frame = 64_B, .entropy = 3009});
      context.clock.run_to(20_us);
      const auto held = chip.chip->cells_used();
      const auto pauses = chip.chip->counters().pauses_sent;
      const auto dropped = context.pool.dropped();
      context.clock.run_to(200_us);
      EXPECT_EQ(chip.chip->cells_used(), 0);
      EXPECT_EQ(context.pool.live(), 0u);
      if (free) {
        EXPECT_EQ(chip.host(1).arrivals.size(), 61u);
      }
      return fmt::format("{} {} {}", held > 0, pauses > 0, dropped > 0);
    });
    EXPECT_EQ(text, free ? "false false false" : "true true true") << free;
  }
}

}  // namespace
}  // namespace horae::tofino::own_queues_test
