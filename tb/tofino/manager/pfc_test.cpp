// Pauses that a chip sends: at which cell and when, beside a plain switch's; what a headroom holds;
// how they spread.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "chip_and_plain.hpp"
#include "odd_latencies.hpp"

namespace horae::tofino::pfc_test {
namespace {

using fabric::DropCause;
using test::Funnel;
using test::Lossless;

constexpr Picoseconds pause_frame = 6'720_ps;
constexpr Bytes frame = 1230_B;  // 100 ns at 100 Gbps; seven cells, 1232 bytes
constexpr Picoseconds frame_time = 100_ns;
constexpr Bytes three_delays = 37'500_B;  // 3 x 100 Gbps x 1 us

Lossless lossless(Bytes headroom = three_delays) {
  return {.pfc = {.alpha = 0.125, .hysteresis = 3072_B, .minimum = 4096_B}, .headroom = headroom};
}

/// Senders send `n` packets each from 5 us on, the second a little later: ties have an order of
/// their own.
void send(Funnel& net, unsigned n, Bytes size = frame) {
  Picoseconds at = 5_us;
  for (auto& from : net.from) {
    for (unsigned i = 0; i < n; ++i)
      from->send({.at = at, .dst = static_cast<NodeId>(net.from.size()), .frame = size});
    at += 37_ns;
  }
}
/// The receiver holds the chip's port back until `until`.
void hold(Funnel& net, Picoseconds until, std::uint8_t traffic_class = 0) {
  net.to.send_pause({.at = 0_ps, .traffic_class = traffic_class, .pause = true});
  net.to.send_pause({.at = until, .traffic_class = traffic_class, .pause = false});
}

// One sender, nothing leaves: the rule of the long-haul paper's simulator at the NICs' rate, to the
// cell and to the picosecond. Frame n comes to the chip at 5 us + n + 1 frames + 2 us.
TEST(ChipPfc, PausesAboveAnEighthOfWhatIsFreeAndResumes3KiBBelow) {
  fabric::sim_context context;
  const Lossless config = lossless();
  Funnel net(context, true, config, 1);
  hold(net, 100_us);
  send(net, 60);
  context.clock.run_to(1_ms);

  const std::int64_t size = 7 * 176, own = 4096;
  const std::int64_t pool = config.cells * 176 - 2 * (three_delays.count() + own);
  const auto fits = [&](std::int64_t n) {
    return 8 * (n * size - own) <= pool - std::max<std::int64_t>((n - 1) * size - own, 0);
  };
  std::int64_t n = 1;
  while (fits(n)) ++n;
  ASSERT_EQ(n, 49);  // 48 frames - 4 KiB = 55040 <= 55783 = (500072 - 47 frames + 4 KiB) / 8
  const auto turns = net.turns(0);
  ASSERT_EQ(turns.size(), 2u);
  // The frame that is too much waits for a clock and for ingress, then the pause goes.
  const Picoseconds parsed = 5_us + frame_time * (n + 1) + 2_us + 60_ns + 50_ns;
  const Picoseconds queued = test::edge(test::first_edge(parsed) + 84) + 40_ns + 150_ns;
  EXPECT_EQ(turns[0].at, queued + pause_frame + 1_us);
  EXPECT_TRUE(turns[0].held);
  // All sixty came before the sender knew: twelve are in the headroom, and first to be free again.
  // Then frames leave until an eighth of what is free is 3 KiB above what is left.
  std::int64_t left = n - 1;
  while (left * size - own + 3072 > (pool - (left * size - own)) / 8) --left;
  EXPECT_EQ(left, 46);
  // Frame k to leave starts k - 1 frames after the port is let go.
  EXPECT_EQ(turns[1].at, 100_us + (pause_frame + 1_us) * 2 + frame_time * (60 - left - 1));
  EXPECT_EQ(net.tofino->traffic_manager().pauses()->free().count(), pool);
  EXPECT_EQ(context.pool.dropped(), 0u);
  EXPECT_EQ(net.to.arrivals.size(), 60u);
}

struct Outcome {
  std::vector<fabric::PauseLog::Turn> turns;
  std::uint64_t dropped = 0, arrived = 0, pauses = 0;
};
Outcome two_to_one(bool chip, const Lossless& config, Bytes size) {
  Outcome out;
  const std::string text = test::in_child([&]() -> std::string {
    fabric::sim_context context;
    Funnel net(context, chip, config, 2);
    send(net, 2000, size);
    context.clock.run_to(1_ms);
    EXPECT_EQ(context.pool.dropped(DropCause::headroom_full), context.pool.dropped());
    EXPECT_EQ(context.pool.created(), context.pool.delivered() + context.pool.dropped());
    if (chip) {
      EXPECT_EQ(net.tofino->cells_used(), 0);
      EXPECT_EQ(net.tofino->counters().dropped_headroom, context.pool.dropped());
    }
    std::string s =
        fmt::format("{} {} {}", context.pool.dropped(), net.to.arrivals.size(), net.pauses_sent());
    for (unsigned i = 0; i < 2; ++i) {
      for (const auto& turn : net.turns(i)) s += fmt::format(" {}", turn.at.count());
    }
    return s;
  });
  std::istringstream in(text);
  in >> out.dropped >> out.arrived >> out.pauses;
  for (std::int64_t at = 0; in >> at;) out.turns.push_back({Picoseconds(at), false});
  return out;
}

// Frames of whole cells: a chip and a plain switch of the same buffer and thresholds count the same
// bytes. What differs is the wait for a clock, below two thirds of a nanosecond; what follows from
// a pause that came later adds up, to less than three in 73 pauses.
TEST(ChipPfc, TwoToOneIsThatOfAPlainSwitchWhereFramesAreWholeCells) {
  const Outcome chip = two_to_one(true, lossless(), 1232_B);
  const Outcome plain = two_to_one(false, lossless(), 1232_B);
  EXPECT_GT(plain.pauses, 20u);
  EXPECT_EQ(chip.pauses, plain.pauses);
  ASSERT_EQ(chip.turns.size(), plain.turns.size());
  const auto apart = [&](std::size_t i) {
    return std::abs((chip.turns[i].at - plain.turns[i].at).count());
  };
  EXPECT_LT(apart(0), 667);
  for (std::size_t i = 0; i < plain.turns.size(); ++i) EXPECT_LT(apart(i), 3000) << i;
  EXPECT_EQ(chip.dropped, 0u);
  EXPECT_EQ(plain.dropped, 0u);
  EXPECT_EQ(chip.arrived, 4000u);
}

// A frame of 1062 bytes, as of 1000 bytes of payload, takes 1232: the chip pauses that much sooner.
TEST(ChipPfc, AFrameCountsWithItsCells) {
  const Outcome chip = two_to_one(true, lossless(), 1062_B);
  const Outcome plain = two_to_one(false, lossless(), 1062_B);
  // Both ports of two gather a half of what comes: q grows by half a frame per frame time. Each may
  // have an eighth of what is free, a tenth of the pool if two have it, beside its own.
  const double pool = 3314 * 176.0 - 3 * (37'500 + 4096);
  const double frame_us = (1062 + 20) * 8 / 100e3;
  const auto time = [&](double bytes) { return 2 * (pool / 10 + 4096) / bytes * frame_us; };
  const double common = 5 + 2 + frame_us + 0.356 + 0.00672 + 1;
  EXPECT_NEAR(to_microseconds(chip.turns.front().at), common + time(1232), 3 * frame_us);
  EXPECT_NEAR(to_microseconds(plain.turns.front().at), common + time(1062), 3 * frame_us);
  EXPECT_EQ(chip.dropped, 0u);
}

TEST(ChipPfc, ThreeDelaysOfHeadroomLoseNothingAndOneDoes) {
  EXPECT_EQ(two_to_one(true, lossless(), 1232_B).dropped, 0u);
  const Outcome one = two_to_one(true, lossless(12'500_B), 1232_B);
  EXPECT_GT(one.dropped, 0u);
  EXPECT_EQ(one.arrived, 4000 - one.dropped);
}

TEST(ChipPfc, FixedThresholdsAreInBytesOfCellsToo) {
  fabric::sim_context context;
  Lossless config = lossless();
  config.pfc = {.xoff = 12'320_B, .xon = 6160_B};
  Funnel net(context, true, config, 1);
  hold(net, 100_us);
  send(net, 30);
  context.clock.run_to(90_us);
  const Picoseconds parsed = 5_us + frame_time * 12 + 2_us + 60_ns + 50_ns;  // frame 11
  ASSERT_EQ(net.turns(0).size(), 1u);
  EXPECT_EQ(net.turns(0)[0].at,
            test::edge(test::first_edge(parsed) + 84) + 40_ns + 150_ns + pause_frame + 1_us);
  const std::int64_t held = net.tofino->cells_used() / 7;
  context.clock.run_to(1_ms);
  ASSERT_EQ(net.turns(0).size(), 2u);
  // It resumes when five are left.
  EXPECT_EQ(net.turns(0)[1].at, 100_us + (pause_frame + 1_us) * 2 + frame_time * (held - 5 - 1));
  EXPECT_EQ(net.to.arrivals.size(), 30u);
}

TEST(ChipPfc, APortOfAnotherRateHasAThresholdOfItsOwn) {
  const auto first_pause = [](double alpha) {
    return test::in_child([&]() -> std::string {
      fabric::sim_context context;
      Lossless config = lossless();
      config.pfc.by_rate = {{.rate = 100_Gbps, .alpha = alpha}, {.rate = 400_Gbps, .alpha = 8.0}};
      Funnel net(context, true, config, 1);
      hold(net, 900_us);
      send(net, 400);
      context.clock.run_to(800_us);
      return std::to_string(net.turns(0).at(0).at.count());
    });
  };
  // a / (1 + a) of the pool beside what is its own: 165 frames and more for a half, 48 for an
  // eighth.
  const auto frames = [](const std::string& at) { return (std::stod(at) - 8.4e6) / 1e5; };
  EXPECT_NEAR(frames(first_pause(0.125)), 500'072 / 9.0 / 1232 + 3.3, 2);
  EXPECT_NEAR(frames(first_pause(0.5)), 500'072 / 3.0 / 1232 + 3.3, 2);
}

// Two chips one behind the other: the second pauses the first, whose buffer fills until it pauses
// the senders.
TEST(ChipPfc, PausesSpreadBackThroughTwoChips) {
  fabric::sim_context context;
  const Lossless config = lossless();
  test::LambdaProgram program;
  program.ingress = [](dataplane::Pass& pass) { pass.forward(1); };
  tofino_switch far("far", context, config.chip(), 2, test::LambdaFactory(program),
                    programs::Routes{});
  far.set_headrooms({three_delays, three_delays});
  Funnel net(context, true, config, 1, {}, {&far, 0});
  connect(far, 1, net.to, 0, Funnel::link);
  net.tofino->keep_pauses();
  hold(net, 200_us);
  send(net, 300);
  context.clock.run_to(1_ms);

  // Frame 49 is too much for the far chip. It has come over four links and through two chips (but
  // for the egress of one).
  const auto at_near = net.tofino->pauses(1).turns(never);
  ASSERT_GE(at_near.size(), 2u);
  const double told = 1.00672, ingress = 0.356, egress = 0.13867;
  const double first = 5 + 51 * 0.1 + 3 + 2 * ingress + egress + told;
  EXPECT_NEAR(to_microseconds(at_near[0].at), first, 0.002);
  // From then on the near one gathers, one frame after another, until the 49th again.
  const auto at_sender = net.turns(0);
  ASSERT_GE(at_sender.size(), 2u);
  EXPECT_NEAR(to_microseconds(at_sender[0].at), first + 49 * 0.1 + told, 0.11);
  EXPECT_GT(at_sender[1].at, at_near[1].at);
  EXPECT_EQ(far.tx(0).counters().pauses, 2 * far.counters().pauses_sent);  // and as many resumes
  EXPECT_EQ(context.pool.dropped(), 0u);
  EXPECT_EQ(net.to.arrivals.size(), 300u);
  EXPECT_EQ(far.cells_used() + net.tofino->cells_used(), 0);
}

}  // namespace
}  // namespace horae::tofino::pfc_test
