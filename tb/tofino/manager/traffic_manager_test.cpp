// The packet buffer: cells, limits, marking, pauses, order, and that every packet is accounted for.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "chip_parts.hpp"

namespace horae::tofino::traffic_manager_test {
namespace {

using fabric::DropCause;
using test::Chip;
using test::probe;

// A chip whose egress port 1 is paused from the start, so that what host 0 sends stays in the
// buffer until `resume`.
struct Dam {
  explicit Dam(const ChipConfig& config, std::uint64_t seed = 1, Picoseconds resume = 1_ms)
      : context({}, seed), chip(context, config, 3) {
    chip.host(1).send_pause({.at = 0_ps, .traffic_class = 0, .pause = true});
    chip.host(1).send_pause({.at = resume, .traffic_class = 0, .pause = false});
  }
  void send(Bytes frame, int count = 1, Ecn ecn = Ecn::ect0, std::uint8_t traffic_class = 0) {
    for (int i = 0; i < count; ++i) {
      chip.host(0).send(
          {.at = 1_us, .dst = 1, .frame = frame, .traffic_class = traffic_class, .ecn = ecn});
    }
  }
  void fill() { context.clock.run_to(900_us); }
  void drain() {
    context.clock.run_to(4_ms);
    EXPECT_EQ(context.pool.live(), 0u);
    EXPECT_EQ(chip.chip->cells_used(), 0);
    const auto& c = chip.chip->counters();
    EXPECT_EQ(context.pool.created(), c.ingress_passes);
    EXPECT_EQ(c.forwarded, context.pool.delivered());
    EXPECT_EQ(c.forwarded, c.egress_passes);
    EXPECT_EQ(c.ingress_passes,
              c.forwarded + c.dropped_buffer + c.dropped_queue + c.dropped_program);
    EXPECT_EQ(c.dropped_buffer + c.dropped_queue, context.pool.dropped());
  }
  std::uint64_t dropped(DropCause cause) const { return context.pool.dropped(cause); }

  fabric::sim_context context;
  Chip chip;
};

TEST(TrafficManager, AFrameOccupiesWholeCells) {
  struct Row {
    Bytes frame;
    std::int64_t cells;
  };
  for (const auto& [frame, cells] :
       {Row{64_B, 1}, Row{175_B, 1}, Row{176_B, 1}, Row{177_B, 2}, Row{352_B, 2}, Row{353_B, 3},
        Row{1086_B, 7}, Row{4158_B, 24}}) {
    const std::string text = test::in_child([&, frame = frame]() -> std::string {
      Dam dam({});
      dam.send(frame, 3);
      dam.fill();
      const auto used = dam.chip.chip->cells_used();
      dam.drain();
      return std::to_string(used) + " " + std::to_string(dam.chip.chip->most_cells_used());
    });
    EXPECT_EQ(text, std::to_string(3 * cells) + " " + std::to_string(3 * cells)) << frame.count();
  }
}

TEST(TrafficManager, TheBufferIsFullAtItsLastCell) {
  ChipConfig config;
  config.cells = 10;
  Dam dam(config);
  dam.send(176_B, 9);
  dam.send(177_B);  // two cells do not fit into the last one
  dam.send(176_B);  // one does
  dam.send(64_B);   // none is left
  dam.fill();
  EXPECT_EQ(dam.chip.chip->cells_used(), 10);
  EXPECT_EQ(dam.dropped(DropCause::buffer_full), 2u);
  EXPECT_EQ(dam.chip.chip->counters().dropped_buffer, 2u);
  EXPECT_EQ(dam.chip.chip->port(1).packets(), 10u);
  EXPECT_EQ(dam.chip.chip->port(1).depth(), 1760_B);
  dam.drain();
  std::vector<std::uint64_t> got;
  for (const auto& a : dam.chip.host(1).arrivals) got.push_back(a.shot());
  EXPECT_EQ(got, (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 10}));
}

// A cell is free again when its packet leaves the queue.
TEST(TrafficManager, ABufferThatDrainsTakesPacketsAgain) {
  ChipConfig config;
  config.cells = 7;
  fabric::sim_context context;
  Chip chip(context, config, 3);
  // Two senders into one port at twice its rate; one packet of 7 cells fits.
  for (int i = 0; i < 100; ++i) {
    for (unsigned h : {0u, 1u}) chip.host(h).send({.at = 0_ps, .dst = 2, .frame = 1086_B});
  }
  context.clock.run_to(1_ms);
  // The first leaves at once; then one waits while one is sent, and every other one is refused.
  EXPECT_EQ(chip.chip->most_cells_used(), 7);
  EXPECT_EQ(chip.host(2).arrivals.size() + context.pool.dropped(DropCause::buffer_full), 200u);
  EXPECT_NEAR(static_cast<double>(chip.host(2).arrivals.size()), 101, 1);
}

TEST(TrafficManager, AQueueLimitCountsFrameBytes) {
  ChipConfig config;
  config.queue_limit = 5000_B;
  Dam dam(config);
  dam.send(1000_B, 4);
  dam.send(1001_B);  // one byte too many
  dam.send(1000_B);  // fits exactly
  dam.send(64_B, 2);
  // Another port is not concerned.
  for (int i = 0; i < 3; ++i) dam.chip.host(0).send({.at = 1_us, .dst = 2, .frame = 1000_B});
  dam.fill();
  EXPECT_EQ(dam.chip.chip->port(1).depth(), 5000_B);
  EXPECT_EQ(dam.dropped(DropCause::queue_full), 3u);
  EXPECT_EQ(dam.dropped(DropCause::buffer_full), 0u);
  dam.drain();
  EXPECT_EQ(dam.chip.host(1).arrivals.size(), 5u);
  EXPECT_EQ(dam.chip.host(2).arrivals.size(), 3u);
}

// RED on the instantaneous depth: none up to kmin, all above kmax, linear between.
TEST(TrafficManager, MarkingFollowsTheDepth) {
  ChipConfig config;
  config.ecn_kmin = 20'000_B;
  config.ecn_kmax = 80'000_B;
  config.ecn_pmax = 0.4;
  const int packets = 1000;
  const Bytes frame = 100_B;
  double expected = 0, variance = 0, got = 0;
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const std::string marks = test::in_child([&]() -> std::string {
      Dam dam(config, seed);
      dam.send(frame, packets);
      dam.fill();
      dam.drain();
      std::string text;
      std::uint64_t marked = 0;
      for (const auto& a : dam.chip.host(1).arrivals) {
        text += a.ecn == Ecn::ce ? '*' : '.';
        marked += a.ecn == Ecn::ce ? 1 : 0;
      }
      EXPECT_EQ(dam.chip.chip->counters().marked, marked);
      return text;
    });
    ASSERT_EQ(marks.size(), static_cast<std::size_t>(packets));
    for (std::size_t i = 0; i < marks.size(); ++i) {
      const double depth = static_cast<double>(i) * 100;  // before it
      if (depth <= 20'000) {
        EXPECT_EQ(marks[i], '.') << i;
      } else if (depth > 80'000) {
        EXPECT_EQ(marks[i], '*') << i;
      } else {
        const double p = 0.4 * (depth - 20'000) / 60'000;
        expected += p;
        variance += p * (1 - p);
        got += marks[i] == '*' ? 1 : 0;
      }
    }
  }
  EXPECT_NEAR(got, expected, 5 * std::sqrt(variance));
}

TEST(TrafficManager, PacketsThatAreNotEcnCapableAreNotMarked) {
  ChipConfig config;
  config.ecn_kmin = 1000_B;
  config.ecn_kmax = 2000_B;
  config.ecn_pmax = 1.0;
  Dam dam(config);
  dam.send(100_B, 50, Ecn::not_ect);
  dam.send(100_B, 50, Ecn::ect1);
  dam.fill();
  dam.drain();
  EXPECT_EQ(dam.chip.chip->counters().marked, 50u);
  for (const auto& a : dam.chip.host(1).arrivals) {
    EXPECT_EQ(a.ecn, a.shot() < 50 ? Ecn::not_ect : Ecn::ce);
  }
}

TEST(TrafficManager, ADroppedPacketMarksNothing) {
  ChipConfig config;
  config.ecn_kmin = 2000_B;
  config.ecn_kmax = 2000_B;
  config.ecn_pmax = 1.0;
  config.queue_limit = 5000_B;
  Dam dam(config);
  dam.send(100_B, 100);
  dam.fill();
  dam.drain();
  EXPECT_EQ(dam.dropped(DropCause::queue_full), 50u);
  std::uint64_t marked = 0;
  for (const auto& a : dam.chip.host(1).arrivals) marked += a.ecn == Ecn::ce ? 1 : 0;
  EXPECT_EQ(dam.chip.chip->counters().marked, marked);
  EXPECT_EQ(marked, 29u);  // those that found 2100 to 4900 bytes
}

// A pause stops the port at the packet boundary; a resume starts it at once.
TEST(TrafficManager, APausedPortStopsAndGoesOn) {
  fabric::sim_context context;
  const ChipConfig config;
  Chip chip(context, config, 3);
  const Picoseconds wire = Chip::wire(1086_B);
  const Picoseconds pause_wire = Chip::wire(64_B);
  for (int i = 0; i < 100; ++i) {
    chip.host(0).send({.at = 0_ps, .dst = 1, .frame = 1086_B});
    chip.host(2).send({.at = 0_ps, .dst = 1, .frame = 1086_B, .traffic_class = 3});
  }
  chip.host(1).send_pause({.at = 5_us, .traffic_class = 3, .pause = true});
  chip.host(1).send_pause({.at = 6_us, .traffic_class = 0, .pause = true});
  chip.host(1).send_pause({.at = 20_us, .traffic_class = 0, .pause = false});
  chip.host(1).send_pause({.at = 60_us, .traffic_class = 3, .pause = false});
  context.clock.run_to(1_ms);
  const auto known = [&](Picoseconds t) { return t + pause_wire + Chip::link.delay; };
  const auto started = [&](const probe::Arrival& a) {
    return a.at - Chip::link.delay - wire - chip.chip->egress_latency(0);
  };
  const auto& seen = chip.host(1).arrivals;
  ASSERT_EQ(seen.size(), 200u);
  std::vector<Picoseconds> starts;
  for (const auto& a : seen) {
    starts.push_back(started(a));
    if (a.traffic_class == 3) {
      EXPECT_TRUE(starts.back() < known(5_us) || starts.back() >= known(60_us));
    } else {
      EXPECT_TRUE(starts.back() < known(6_us) || starts.back() >= known(20_us));
    }
  }
  // Nothing starts while both are paused; then exactly at the resume.
  const auto first_after = std::lower_bound(starts.begin(), starts.end(), known(6_us));
  EXPECT_EQ(*first_after, known(20_us));
  EXPECT_GT(*std::prev(first_after), known(6_us) - wire);  // it had been busy
  // Class 0 alone has ended long before class 3 goes on.
  const auto last = std::lower_bound(starts.begin(), starts.end(), known(60_us));
  EXPECT_EQ(*last, known(60_us));
}

TEST(TrafficManager, EachPortIsFirstInFirstOut) {
  fabric::sim_context context;
  Chip chip(context, {}, 6);
  RandomStream random(1, "test.fifo");
  std::vector<std::vector<std::uint64_t>> sent(6);
  for (int i = 0; i < 2000; ++i) {
    const unsigned from = random.below(3), to = 3 + random.below(3);
    chip.host(from).send({.at = 40_ns * i, .dst = to, .frame = Bytes(64 + random.below(1400))});
  }
  context.clock.run_to(10_ms);
  std::size_t received = 0;
  for (unsigned to = 3; to < 6; ++to) {
    std::vector<std::uint64_t> last(6);
    for (const auto& a : chip.host(to).arrivals) {
      const auto from = a.id >> 40;
      EXPECT_GE(a.shot() + 1, last[from] + 1);  // of one sender, in its order
      last[from] = a.shot();
      ++received;
    }
  }
  EXPECT_EQ(received, 2000u);
  const auto& c = chip.chip->counters();
  EXPECT_EQ(c.ingress_passes, 2000u);
  EXPECT_EQ(c.egress_passes, 2000u);
  EXPECT_EQ(c.forwarded, 2000u);
  EXPECT_EQ(context.pool.live(), 0u);
  EXPECT_GT(chip.chip->most_cells_used(), 7);
}

// Packets of several senders leave a port in the order in which they were queued.
TEST(TrafficManager, SendersOfOnePortTakeTurnsAsTheyCome) {
  fabric::sim_context context;
  Chip chip(context, {}, 4);
  for (int i = 0; i < 30; ++i) {
    for (unsigned h = 0; h < 3; ++h) {
      chip.host(h).send({.at = 200_ns * i + 10_ns * h, .dst = 3, .frame = 1086_B});
    }
  }
  context.clock.run_to(1_ms);
  ASSERT_EQ(chip.host(3).arrivals.size(), 90u);
  for (std::size_t i = 0; i < 90; ++i) {
    EXPECT_EQ(chip.host(3).arrivals[i].id, (i % 3) << 40 | i / 3) << i;
  }
}

TEST(TrafficManager, AProgramsDropsAreCounted) {
  test::LambdaProgram program;
  program.ingress = [](dataplane::Pass& pass) {
    if (pass.header().id % 10 == 3) return pass.drop();
    pass.forward(1);
  };
  program.egress = [](dataplane::Pass& pass) {
    if (pass.header().id % 10 == 5) pass.drop();
  };
  fabric::sim_context context;
  Chip chip(context, {}, 2, program);
  for (int i = 0; i < 100; ++i) chip.host(0).send({.at = 0_ps, .dst = 1, .frame = 1086_B});
  context.clock.run_to(1_ms);
  const auto& c = chip.chip->counters();
  EXPECT_EQ(c.ingress_passes, 100u);
  EXPECT_EQ(c.egress_passes, 90u);
  EXPECT_EQ(c.forwarded, 80u);
  EXPECT_EQ(c.dropped_program, 20u);
  EXPECT_EQ(c.dropped_buffer, 0u);
  EXPECT_EQ(context.pool.dropped(DropCause::program), 20u);
  EXPECT_EQ(chip.host(1).arrivals.size(), 80u);
  EXPECT_EQ(chip.chip->cells_used(), 0);
  EXPECT_EQ(context.pool.live(), 0u);
}

}  // namespace
}  // namespace horae::tofino::traffic_manager_test
