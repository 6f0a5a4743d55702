// Copies of packets: when they leave, what their egress pass sees, and that they are accounted for.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "odd_latencies.hpp"

namespace horae::tofino::mirror_test {
namespace {

using dataplane::MirrorHeader;
using dataplane::Pass;
using fabric::DropCause;
using test::Chip;
using test::expect_balance;
using test::LambdaProgram;
using test::Way;

TEST(Mirror, ACopyMadeInIngressLeavesInClosedForm) {
  Way way;
  way.program.ingress = [](Pass& pass) {
    pass.mirror({.egress_port = 3, .type = 1});
    pass.forward(1);
  };
  fabric::sim_context context;
  Chip chip(context, way.c, 4, way.program);
  const int packets = 100;
  const auto start = [](int i) { return 5'000'007_ps * (i + 1) + 333_ps * i; };
  for (int i = 0; i < packets; ++i)
    chip.host(0).send({.at = start(i), .dst = 1, .frame = Bytes(64 + 13 * i)});
  context.clock.run_to(1_ms);
  ASSERT_EQ(chip.host(1).arrivals.size(), 100u);
  ASSERT_EQ(chip.host(3).arrivals.size(), 100u);
  for (int i = 0; i < packets; ++i) {
    const Bytes frame(64 + 13 * i);
    const Picoseconds at = way.queued(start(i) + Chip::wire(frame)) + way.out(frame);
    EXPECT_EQ(chip.host(1).arrivals[static_cast<std::size_t>(i)].at, at);
    EXPECT_EQ(chip.host(3).arrivals[static_cast<std::size_t>(i)].at, at);
    EXPECT_EQ(chip.host(3).arrivals[static_cast<std::size_t>(i)].frame, frame.count());
  }
  EXPECT_EQ(chip.chip->counters().mirrored, 100u);
  EXPECT_EQ(chip.chip->counters().ingress_passes, 100u);
  EXPECT_EQ(chip.chip->counters().egress_passes, 200u);
  EXPECT_EQ(chip.chip->counters().forwarded, 200u);
  expect_balance(context, *chip.chip, 100);
}

// Through the egress of the first port, its deparser and the traffic manager to the next queue.
TEST(Mirror, ACopyMadeInEgressLeavesInClosedForm) {
  Way way;
  std::vector<Picoseconds> left;
  way.program.egress = [&](Pass& pass) {
    left.push_back(pass.now());
    if (pass.header().mirror_type < 3) {
      const auto type = static_cast<std::uint8_t>(pass.header().mirror_type + 1);
      pass.mirror({.egress_port = 1u + type, .type = type});
    }
  };
  fabric::sim_context context;
  Chip chip(context, way.c, 5, way.program);
  chip.host(0).send({.at = 5_us, .dst = 1, .frame = 1086_B});
  context.clock.run_to(100_us);
  const Picoseconds queued = way.queued(5_us + Chip::wire(1086_B));
  for (unsigned copy = 0; copy <= 3; ++copy) {
    const Picoseconds leaves = queued + way.once_more() * copy;
    EXPECT_EQ(left.at(copy), leaves);
    ASSERT_EQ(chip.host(1 + copy).arrivals.size(), 1u);
    EXPECT_EQ(chip.host(1 + copy).arrivals[0].at, leaves + way.out(1086_B));
  }
  EXPECT_EQ(left.size(), 4u);
  EXPECT_EQ(chip.chip->counters().mirrored, 3u);
  expect_balance(context, *chip.chip, 1);
}

// A copy takes its turn at its port as any packet.
TEST(Mirror, ACopyWaitsForItsPort) {
  Way way;
  way.program.ingress = [](Pass& pass) {
    pass.mirror({.egress_port = 1, .type = 1});
    pass.forward(1);
  };
  fabric::sim_context context;
  Chip chip(context, way.c, 2, way.program);
  chip.host(0).send({.at = 5_us, .dst = 1, .frame = 1086_B});
  context.clock.run_to(100_us);
  ASSERT_EQ(chip.host(1).arrivals.size(), 2u);
  const Picoseconds first = way.queued(5_us + Chip::wire(1086_B)) + way.out(1086_B);
  EXPECT_EQ(chip.host(1).arrivals[0].at, first);
  EXPECT_EQ(chip.host(1).arrivals[1].at, first + Chip::wire(1086_B));
  EXPECT_EQ(chip.chip->most_cells_used(), 14);
  expect_balance(context, *chip.chip, 1);
}

// Each copy finds its own header before it, however many wait; packets that are none find none.
TEST(Mirror, ACopyBringsItsHeaderAndMetadata) {
  struct Seen {
    std::uint16_t entropy;
    unsigned port;
    std::uint8_t type;
    std::uint16_t metadata;
    MirrorHeader header;
    bool operator==(const Seen&) const = default;
  };
  std::vector<Seen> copies, originals;
  Way way;
  way.program.ingress = [](Pass& pass) {
    Packet& p = pass.header();
    const std::uint32_t n = p.entropy;
    p.metadata = static_cast<std::uint16_t>(1000 + n);
    pass.mirror({.egress_port = 2,
                 .type = static_cast<std::uint8_t>(1 + n % 3),
                 .metadata = static_cast<std::uint16_t>(2000 + n),
                 .header = {n, ~n, n * n, 7}});
    p.entropy = static_cast<std::uint16_t>(n + 100);  // a copy is the packet as it leaves the pass
    pass.forward(1);
  };
  way.program.egress = [&](Pass& pass) {
    const Packet& p = pass.header();
    (p.mirror_type != 0 ? copies : originals)
        .push_back(
            {p.entropy, pass.egress_port(), p.mirror_type, p.metadata, pass.mirror_header()});
  };
  fabric::sim_context context;
  Chip chip(context, way.c, 4, way.program);
  // Copies of three senders' packets wait for one port.
  for (std::uint16_t n = 0; n < 60; ++n) {
    chip.host(n % 2 == 0 ? 0 : 3).send({.at = 1_us, .dst = 1, .frame = 1086_B, .entropy = n});
  }
  context.clock.run_to(1_ms);
  const auto by_entropy = [](const Seen& a, const Seen& b) { return a.entropy < b.entropy; };
  std::sort(copies.begin(), copies.end(), by_entropy);
  std::sort(originals.begin(), originals.end(), by_entropy);
  ASSERT_EQ(copies.size(), 60u);
  ASSERT_EQ(originals.size(), 60u);
  for (std::uint32_t n = 0; n < 60; ++n) {
    const auto entropy = static_cast<std::uint16_t>(100 + n);
    EXPECT_EQ(copies[n], (Seen{entropy,
                               2,
                               static_cast<std::uint8_t>(1 + n % 3),
                               static_cast<std::uint16_t>(2000 + n),
                               {n, ~n, n * n, 7}}));
    EXPECT_EQ(originals[n],
              (Seen{entropy, 1, 0, static_cast<std::uint16_t>(1000 + n), MirrorHeader{}}));
  }
  expect_balance(context, *chip.chip, 60);
}

// State inside a switch does not go on the link.
TEST(Mirror, NothingOfItLeavesTheChip) {
  struct Witness : test::probe {
    using test::probe::probe;
    void handle(const fabric::Event& e) override {
      if (fabric::key_kind(e.key) == fabric::arrival_event) {
        const Packet& p = arrived(e);
        seen.emplace_back(p.mirror_type, p.metadata);
      }
      probe::handle(e);
    }
    std::vector<std::pair<int, int>> seen;
  };
  LambdaProgram program;
  program.ingress = [](Pass& pass) {
    pass.header().metadata = 77;
    pass.mirror({.egress_port = 1, .type = 9, .metadata = 88});
    pass.forward(1);
  };
  fabric::sim_context context;
  tofino_switch chip("tor", context, {}, 2, test::LambdaFactory(program), {});
  test::probe sender("sender", context, 1, 0);
  Witness receiver("receiver", context, 1, 1);
  connect(chip, 0, sender, 0, Chip::link);
  connect(chip, 1, receiver, 0, Chip::link);
  sender.send({.at = 1_us, .dst = 1});
  context.clock.run_to(100_us);
  EXPECT_EQ(receiver.seen, (std::vector<std::pair<int, int>>{{0, 0}, {0, 0}}));
}

TEST(Mirror, ACopyGoesOnWithoutItsOriginal) {
  LambdaProgram program;
  const auto away = [](Pass& pass) {
    if (pass.header().mirror_type != 0) return;
    pass.mirror({.egress_port = 2, .type = 1});
    pass.drop();
  };
  for (const bool in_egress : {false, true}) {
    test::in_child([&, in_egress] {
      (in_egress ? program.egress : program.ingress) = away;
      fabric::sim_context context;
      Chip chip(context, {}, 3, program);
      for (int i = 0; i < 20; ++i) chip.host(0).send({.at = 1_us, .dst = 1, .frame = 300_B});
      // A packet's fate is known at all times.
      for (Picoseconds t = 1_us; t < 6_us; t += 50_ns) {
        context.clock.run_to(t);
        EXPECT_EQ(context.pool.created(),
                  context.pool.delivered() + context.pool.dropped() + context.pool.live());
        EXPECT_EQ(context.pool.outstanding(), context.pool.live());
      }
      context.clock.run_to(100_us);
      EXPECT_TRUE(chip.host(1).arrivals.empty());
      EXPECT_EQ(chip.host(2).arrivals.size(), 20u);
      EXPECT_EQ(chip.chip->counters().dropped_program, 20u);
      EXPECT_EQ(chip.chip->counters().mirrored, 20u);
      EXPECT_EQ(context.pool.dropped(DropCause::program), 20u);
      expect_balance(context, *chip.chip, 20);
      return std::string();
    });
  }
}

// Copies that find no room, or that egress drops, are gone like any packet.
TEST(Mirror, ACopyMayBeLost) {
  LambdaProgram program;
  program.ingress = [](Pass& pass) {
    pass.mirror({.egress_port = 2, .type = 1, .header = {1}});
    pass.forward(1);
  };
  program.egress = [](Pass& pass) {
    if (pass.header().mirror_type != 0 && pass.header().entropy % 2 == 1) pass.drop();
  };
  ChipConfig config;
  config.queue_limit = 3000_B;
  fabric::sim_context context;
  Chip chip(context, config, 4, program);
  chip.host(2).send_pause({.at = 0_ps, .traffic_class = 0, .pause = true});
  chip.host(2).send_pause({.at = 50_us, .traffic_class = 0, .pause = false});
  for (std::uint16_t n = 0; n < 10; ++n)
    chip.host(0).send({.at = 1_us, .dst = 1, .frame = 1000_B, .entropy = n});
  context.clock.run_to(100_us);
  EXPECT_EQ(chip.host(1).arrivals.size(), 10u);
  ASSERT_EQ(chip.host(2).arrivals.size(), 2u);  // of the three that fitted
  EXPECT_EQ(chip.host(2).arrivals[0].entropy, 0);
  EXPECT_EQ(chip.host(2).arrivals[1].entropy, 2);
  EXPECT_EQ(chip.chip->counters().dropped_queue, 7u);
  EXPECT_EQ(chip.chip->counters().dropped_program, 1u);
  EXPECT_EQ(chip.chip->counters().mirrored, 10u);
  expect_balance(context, *chip.chip, 10);
}

TEST(Mirror, ARequestNamesAPortAndAType) {
  const auto run = [](bool in_egress, unsigned port, std::uint8_t type) {
    return test::outcome_in_child([&] {
      LambdaProgram program;
      (in_egress ? program.egress : program.ingress) = [&](Pass& pass) {
        if (pass.header().mirror_type == 0) pass.mirror({.egress_port = port, .type = type});
        pass.forward(0);
      };
      fabric::sim_context context;
      Chip chip(context, {}, 2, program);
      chip.host(1).send({.at = 1_us, .dst = 0, .frame = 64_B});
      context.clock.run_to(100_us);
    });
  };
  const std::string in =
      "ModelError: tor: no valid mirror port or type after pass 0 (packet "
      "0x10000000000, ingress of pipeline 0)";
  const std::string out =
      "ModelError: tor: no valid mirror port or type after pass 1 (packet "
      "0x10000000000, egress of pipeline 0)";
  EXPECT_EQ(run(false, 1, 255), "accepted");
  EXPECT_EQ(run(false, 2, 1), in);
  EXPECT_EQ(run(false, 1, 0), in);
  EXPECT_EQ(run(true, 1, 1), "accepted");
  EXPECT_EQ(run(true, 2, 1), out);
  EXPECT_EQ(run(true, 1, 0), out);
}

}  // namespace
}  // namespace horae::tofino::mirror_test
