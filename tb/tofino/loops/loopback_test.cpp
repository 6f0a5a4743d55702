// Cost of loops: loopback ports with their rate, their part of the buffer and their dummies.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "forked.hpp"
#include "odd_latencies.hpp"

namespace horae::tofino::loopback_test {
namespace {

using dataplane::Pass;
using fabric::DropCause;
using test::Chip;
using test::expect_balance;
using test::in_child;
using test::LambdaProgram;

constexpr Bytes frame = 980_B;  // 1000 on the wire
ChipConfig chip_with(const LoopbackConfig& loopback) {
  ChipConfig config = test::odd_latencies();
  config.loopback = loopback;
  return config;
}

// Comes around as often as its entropy says, by the port that its source's number says.
LambdaProgram loops(std::vector<Picoseconds>* entered = nullptr) {
  LambdaProgram program;
  program.ingress = [entered](Pass& pass) {
    Packet& p = pass.header();
    if (entered != nullptr) entered->push_back(pass.now());
    if (p.metadata++ >= p.entropy) return pass.forward(p.dst);
    pass.recirculate();
  };
  return program;
}

// n flows of 20 Gbps whose packets loop k times each: bytes that loop after `t`.
Bytes held_in_child(unsigned flows, unsigned k, Picoseconds t) {
  fabric::sim_context context;
  Chip chip(context, chip_with({.rate = 100_Gbps}), 2 * flows, loops());
  const Picoseconds gap = serialisation_time(Bytes(1000), 20_Gbps);
  for (unsigned f = 0; f < flows; ++f) {
    for (int i = 0; i < t / gap; ++i) {
      chip.host(f).send({.at = 1_us + gap * i + gap * f / flows,
                         .dst = flows + f,
                         .frame = frame,
                         .entropy = static_cast<std::uint16_t>(k)});
    }
  }
  context.clock.run_to(1_us + t);
  return chip.chip->loopbacks().port(0).held();
}
Bytes held(unsigned flows, unsigned k, Picoseconds t) {
  return Bytes(
      std::stoll(in_child([&] { return std::to_string(held_in_child(flows, k, t).count()); })));
}

// The port takes 100 Gbps: no queue while n r k is less, linear growth above.
TEST(Loopback, AQueueGrowsWhereLoopsTakeMoreThanThePort) {
  // Three trips of 20 Gbps, 60 of 100: what is on its way takes a trip each, and no more is there.
  const Bytes trip = 4 * frame;
  for (const Picoseconds t : {100_us, 200_us, 400_us}) {
    EXPECT_LE(held(1, 3, t), trip);
    EXPECT_LE(held(2, 2, t), 2 * trip);
    EXPECT_LE(held(4, 1, t), trip);
  }
  // 3 x 20 x 3 = 180 of 100. With a wait that grows by g in a time of one, of 60 Gbps that enter
  // x = 1 / (1 + g) come out of the first trip, x^2 of the second, x^3 of the third, and they fill
  // the port: 60 (x + x^2 + x^3) = 100, x = 0.7336. What stays is 60 (1 - x^3) = 36.31 Gbps, of
  // which frames are 980 in 1000.
  const auto grown = [](Picoseconds t) { return static_cast<double>(held(3, 3, t).count()); };
  const double first = grown(200_us), second = grown(400_us), third = grown(600_us);
  EXPECT_NEAR(second - first, 0.98 * 36.31 / 8 * 200e3, 0.01 * (second - first));
  EXPECT_NEAR(third - second, second - first, 0.01 * (second - first));
}

TEST(Loopback, AFullPortDropsAndCounts) {
  fabric::sim_context context;
  Chip chip(context, chip_with({.rate = 1_Gbps, .limit = 3 * frame}), 8, loops());
  for (unsigned h = 0; h < 4; ++h)
    chip.host(h).send({.at = 5_us, .dst = 4 + h, .frame = frame, .entropy = 1});
  chip.host(0).send({.at = 50_us, .dst = 4, .frame = frame, .entropy = 1});
  context.clock.run_to(200_us);
  EXPECT_EQ(chip.chip->counters().dropped_loopback, 1u);
  EXPECT_EQ(context.pool.dropped(DropCause::queue_full), 1u);
  EXPECT_EQ(chip.chip->loopbacks().most_held(), 3 * frame);
  EXPECT_EQ(chip.chip->counters().recirculated, 4u);
  expect_balance(context, *chip.chip, 5);
}

TEST(Loopback, LoopsHaveTheirShareOfTheBuffer) {
  ChipConfig config = chip_with({.ports = 2, .rate = 1_Gbps, .share = 0.5});
  config.cells = 36;  // 18 for loops: three packets of six, over both ports
  LambdaProgram program = loops();
  program.ingress = [](Pass& pass) {
    Packet& p = pass.header();
    if (p.metadata++ > 0) return pass.forward(p.dst);
    pass.recirculate();
    pass.loop_by(p.entropy);
  };
  fabric::sim_context context;
  Chip chip(context, config, 8, program);
  for (unsigned h = 0; h < 4; ++h) {
    chip.host(h).send({.at = 5_us + 100_ns * h,
                       .dst = 4 + h,
                       .frame = frame,
                       .entropy = static_cast<std::uint16_t>(h % 2)});
  }
  context.clock.run_to(200_us);
  EXPECT_EQ(chip.chip->counters().dropped_loopback, 1u);
  EXPECT_EQ(chip.chip->counters().dropped_buffer, 0u);
  EXPECT_TRUE(chip.host(7).arrivals.empty());
  EXPECT_EQ(chip.chip->loopbacks().port(0).counters().packets, 2u);
  EXPECT_EQ(chip.chip->loopbacks().port(1).counters().packets, 1u);
  expect_balance(context, *chip.chip, 4);
}

TEST(Loopback, APortThatIsNotThereIsRefused) {
  LambdaProgram program;
  program.ingress = [](Pass& pass) {
    pass.recirculate();
    pass.loop_by(2);
  };
  fabric::sim_context context;
  Chip chip(context, chip_with({.ports = 2}), 2, program);
  chip.host(0).send({.at = 5_us, .dst = 1});
  EXPECT_THROW(context.clock.run_to(100_us), ModelError);
  chip.stopped = true;
}

TEST(Loopback, WhatLoopsIsNotMarked) {
  ChipConfig config = chip_with({.rate = 1_Gbps});
  config.ecn_kmin = 1_B;
  config.ecn_kmax = 2_B;
  config.ecn_pmax = 1.0;
  fabric::sim_context context;
  Chip chip(context, config, 8, loops());
  for (unsigned h = 0; h < 4; ++h)
    chip.host(h).send({.at = 5_us, .dst = 4 + h, .frame = frame, .entropy = 3});
  context.clock.run_to(400_us);
  EXPECT_GT(chip.chip->loopbacks().most_held(), 3 * frame);
  EXPECT_EQ(chip.chip->counters().marked, 0u);
  for (unsigned h = 4; h < 8; ++h) {
    ASSERT_EQ(chip.host(h).arrivals.size(), 1u);
    EXPECT_EQ(chip.host(h).arrivals[0].ecn, Ecn::ect0);
  }
}

// A loop of 100 ns is inside the chip: the simulation runs in windows of the links.
TEST(Loopback, ALoopShortensNoWindow) {
  fabric::sim_context context;
  Chip chip(context, chip_with({.rate = 1600_Gbps}), 2, loops());
  chip.host(0).send({.at = 5_us, .dst = 1, .frame = frame, .entropy = 50});
  context.clock.run_to(1_ms);
  EXPECT_EQ(context.clock.window(), Chip::link.delay);
  EXPECT_EQ(chip.host(1).arrivals.size(), 1u);
}

// A trip takes as long as the dummies take the wire, if that is longer than an empty trip.
TEST(Loopback, DummiesMakeATripLonger) {
  const BitRate rate = 100_Gbps;
  const auto trip = [&](Bytes dummies, Picoseconds start) {
    std::vector<Picoseconds> entered;
    fabric::sim_context context;
    Chip chip(context, chip_with({.rate = rate, .dummy_bytes = dummies}), 2, loops(&entered));
    chip.host(0).send({.at = start, .dst = 1, .frame = frame, .entropy = 20});
    context.clock.run_to(start + 10_ms);
    EXPECT_EQ(chip.host(1).arrivals.size(), 1u);
    EXPECT_EQ(entered.size(), 21u);
    return (entered.back() - entered[1]) / 19;
  };
  const auto trips = [&](Bytes dummies, Picoseconds start) {
    return Picoseconds(
        std::stoll(in_child([&] { return std::to_string(trip(dummies, start).count()); })));
  };
  const Picoseconds empty = trips(0_B, 5_us);
  // One dummy that is longer than the packet: it stays behind that one.
  EXPECT_NEAR(static_cast<double>(trips(1500_B, 5_us).count()),
              static_cast<double>((empty + serialisation_time(500_B, rate)).count()), 700.0);
  for (const Bytes dummies : {100'000_B, 100'700_B, 1'000'000_B}) {
    // All dummies and the packet itself, once each.
    const Picoseconds full = serialisation_time(dummies + Bytes(1000), rate);
    EXPECT_GT(full, empty);
    EXPECT_NEAR(static_cast<double>(trips(dummies, 5_us).count()),
                static_cast<double>(full.count()), 700.0);  // a clock of the pipeline
    // After a long time without packets as well.
    EXPECT_NEAR(static_cast<double>(trips(dummies, 50_ms).count()),
                static_cast<double>(full.count()), 700.0);
  }
}

TEST(Loopback, DummiesTakeTheirPartOfTheBuffer) {
  ChipConfig config = chip_with({.dummy_bytes = 17'600_B});  // 100 cells, in each of four pipelines
  const auto used = [&](std::uint32_t cells) {
    config.cells = cells;
    fabric::sim_context context;
    Chip chip(context, config, 2);
    return std::to_string(chip.chip->cells_used());
  };
  EXPECT_EQ(in_child([&] { return used(1000); }), "400");
  EXPECT_EQ(in_child([&] { return used(400); }), "400");
  EXPECT_THROW(in_child([&] { return used(399); }), test::ChildFailure);
  config.loopback->dummy_bytes += Bytes(1);  // which takes a cell
  EXPECT_EQ(in_child([&] { return used(1000); }), "404");
}

}  // namespace
}  // namespace horae::tofino::loopback_test
