// Egress queues that are full: which packet goes, and packets that go on without their payload.
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fabric_parts.hpp"
#include "horae/core/stats.hpp"
#include "horae/fabric/devices/output_queued_switch.hpp"
#include "leaf_spine.hpp"

namespace horae::fabric::trim_test {
namespace {

using test::link_of;
using test::plausible;
using test::probe;

constexpr Bytes frame = 1000_B;

// Probe 0 sends to probe 1, whose port is held back for class 0 until `until`.
struct Line {
  Line(sim_context& context, SwitchConfig config, const std::string& name,
       Picoseconds until = 50_us, BitRate rate = 100_Gbps)
      : sw(name.c_str(), context, with_ports(config)) {
    for (unsigned i = 0; i < 2; ++i) {
      probes.push_back(std::make_unique<probe>((name + "p" + std::to_string(i)).c_str(), context));
      connect(sw, i, *probes[i], 0, link_of(i == 0 ? 100_Gbps : rate, 500_ns));
      sw.routes().set(i, {static_cast<std::uint16_t>(i)});
    }
    probes[1]->send_pause({.at = 0_ps, .traffic_class = 0, .pause = true});
    probes[1]->send_pause({.at = until, .traffic_class = 0, .pause = false});
  }
  static SwitchConfig with_ports(SwitchConfig config) {
    config.ports = 2;
    return config;
  }
  void send(int packets, Bytes size = frame, Opcode opcode = Opcode::write_middle,
            std::uint8_t traffic_class = 0) {
    for (int i = 0; i < packets; ++i) {
      probes[0]->send(
          {.at = 5_us, .dst = 1, .frame = size, .traffic_class = traffic_class, .opcode = opcode});
    }
  }
  // Numbers of the packets that came, whole ones or trimmed ones.
  std::vector<std::uint64_t> came(bool trimmed) const {
    std::vector<std::uint64_t> out;
    for (const auto& a : probes[1]->arrivals) {
      if ((a.frame == 64) == trimmed) out.push_back(a.shot());
    }
    return out;
  }
  output_queued_switch sw;
  std::vector<std::unique_ptr<probe>> probes;
};

using Numbers = std::vector<std::uint64_t>;

TEST(Trim, DataIsTrimmedAtExactlyTheLimit) {
  sim_context context;
  Line exact(context, {.queue_limit = frame * 10, .trim = 64_B}, "exact");
  Line short_by_one(context, {.queue_limit = frame * 10 - 1_B, .trim = 64_B}, "short");
  exact.send(12);
  short_by_one.send(12);
  context.clock.run_to(200_us);
  EXPECT_EQ(exact.came(true), (Numbers{10, 11}));
  EXPECT_EQ(exact.came(false), (Numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(short_by_one.came(true), (Numbers{9, 10, 11}));
  EXPECT_EQ(exact.sw.counters().trimmed, 2u);
  EXPECT_EQ(exact.sw.counters().dropped, 0u);
  EXPECT_EQ(exact.sw.counters().forwarded, 12u);
  EXPECT_EQ(context.pool.dropped(), 0u);
}

TEST(Trim, TrimmedPacketsOvertakeDataInAClassOfTheirOwn) {
  sim_context context;
  Line line(context, {.queue_limit = frame * 2, .trim = 64_B, .trim_class = 5u}, "s");
  line.send(6);
  context.clock.run_to(40_us);
  // Data is held back, so what came did not wait for it.
  EXPECT_EQ(line.came(true), (Numbers{2, 3, 4, 5}));
  EXPECT_TRUE(line.came(false).empty());
  for (const auto& a : line.probes[1]->arrivals) EXPECT_EQ(a.traffic_class, 5u);
  context.clock.run_to(100_us);
  EXPECT_EQ(line.came(false), (Numbers{0, 1}));
}

TEST(Trim, TheirQueueHasNoLimitAndTheyAreNotMarked) {
  sim_context context;
  SwitchConfig config{.queue_limit = 1000_B, .buffer = 1000_B, .trim = 64_B};
  config.red = {.kmin = 0_B, .kmax = 1_B, .pmax = 1, .at = MarkAt::dequeue};
  Line line(context, config, "s");
  line.probes[1]->send_pause({.at = 0_ps, .traffic_class = 7, .pause = true});
  line.probes[1]->send_pause({.at = 60_us, .traffic_class = 7, .pause = false});
  line.send(200);
  context.clock.run_to(50_us);
  EXPECT_EQ(line.sw.port(1).depth(7), 64_B * 199);
  EXPECT_EQ(line.sw.buffered(), 1000_B);
  context.clock.run_to(200_us);
  EXPECT_EQ(line.came(true).size(), 199u);
  for (const auto& a : line.probes[1]->arrivals) EXPECT_EQ(a.ecn, Ecn::ect0);
}

TEST(Trim, WithoutTrimmingAndForAcknowledgementsItIsADropWithACause) {
  sim_context context;
  Line drops(context, {.queue_limit = frame * 2, .full = WhenFull::arriving}, "drops");
  drops.send(5);
  Line acks(context, {.queue_limit = frame * 2, .trim = 64_B}, "acks");
  acks.send(5, frame, Opcode::acknowledge);
  context.clock.run_to(200_us);
  EXPECT_EQ(context.pool.dropped(DropCause::queue_full), 6u);
  for (const auto* sw : {&drops.sw, &acks.sw}) {
    EXPECT_EQ(sw->counters().dropped, 3u);
    EXPECT_EQ(sw->counters().trimmed, 0u);
    StatTree tree;
    sw->statistics(tree);
    const std::string text = tree.to_json().dump();
    EXPECT_NE(text.find("queue_full"), std::string::npos) << text;
  }
}

TEST(Full, TheLimitIsOfThePortOrOfTheClass) {
  sim_context context;
  Line port(context, {.queue_limit = frame * 2, .limit_of = LimitOf::port}, "port");
  Line of_class(context, {.queue_limit = frame * 2, .limit_of = LimitOf::traffic_class},
                "of_class");
  for (Line* line : {&port, &of_class}) {
    line->probes[1]->send_pause({.at = 0_ps, .traffic_class = 3, .pause = true});
    line->send(1, frame, Opcode::write_middle, 3);
    line->send(4);
  }
  context.clock.run_to(40_us);
  EXPECT_EQ(port.sw.port(1).depth(0), frame);
  EXPECT_EQ(of_class.sw.port(1).depth(0), frame * 2);
}

TEST(Full, HalfOfThemAreTheLastOfTheQueue) {
  sim_context context;
  constexpr int trials = 4000;
  Line line(context, {.queue_limit = frame * 2, .full = WhenFull::half}, "s", 800_us);
  line.send(2 + trials);
  context.clock.run_to(1_ms);
  // The first is never the last; of the others the one that stays has replaced those before it.
  const Numbers whole = line.came(false);
  ASSERT_EQ(whole.size(), 2u);
  EXPECT_EQ(whole[0], 0u);
  EXPECT_EQ(line.sw.counters().dropped, static_cast<std::uint64_t>(trials));
  EXPECT_EQ(line.sw.counters().forwarded, 2u);
  EXPECT_EQ(line.sw.held(), 0u);
}

TEST(Full, EachGoesWithProbabilityOneHalf) {
  sim_context context;
  constexpr int lines = 400;
  // One packet that finds its queue of one full: which of the two stays?
  std::vector<std::unique_ptr<Line>> all;
  for (int i = 0; i < lines; ++i) {
    all.push_back(std::make_unique<Line>(
        context, SwitchConfig{.queue_limit = frame, .full = WhenFull::half, .trim = 64_B},
        "s" + std::to_string(i)));
    all.back()->send(2);
  }
  context.clock.run_to(100_us);
  double arriving = 0;
  for (const auto& line : all) {
    ASSERT_EQ(line->came(true).size(), 1u);
    ASSERT_EQ(line->came(false).size(), 1u);
    EXPECT_NE(line->came(true)[0], line->came(false)[0]);
    arriving += line->came(true)[0] == 1 ? 1 : 0;
  }
  EXPECT_TRUE(plausible(arriving, lines, 0.5)) << arriving;
}

TEST(Full, AShorterPacketAtTheTailStays) {
  sim_context context;
  std::vector<std::unique_ptr<Line>> all;
  for (int i = 0; i < 20; ++i) {
    all.push_back(std::make_unique<Line>(
        context, SwitchConfig{.queue_limit = frame + 100_B, .full = WhenFull::half},
        "s" + std::to_string(i)));
    for (const Bytes size : {frame, 100_B, frame}) all.back()->send(1, size);
  }
  context.clock.run_to(100_us);
  for (const auto& line : all) EXPECT_EQ(line->came(false), (Numbers{0, 1}));
}

TEST(Full, APortOfHalfTheRateHasHalfTheQueueAndThresholds) {
  const SwitchConfig config{.queue_limit = frame * 10,
                            .reference_rate = 100_Gbps,
                            .red = {.kmin = 2000_B, .kmax = 8000_B, .pmax = 1}};
  EXPECT_EQ(config.limit_at(100_Gbps), 10'000);
  EXPECT_EQ(config.limit_at(50_Gbps), 5'000);
  EXPECT_EQ(config.limit_at(200_Gbps), 20'000);
  EXPECT_EQ(config.red.of(50_Gbps, config.reference_rate).kmin, 1000_B);
  EXPECT_EQ(config.red.of(50_Gbps, config.reference_rate).kmax, 4000_B);
  EXPECT_EQ(config.red.of(50_Gbps).kmax, 8000_B);
  RedConfig own = config.red;
  own.by_rate = {{.rate = 50_Gbps, .kmin = 7_B, .kmax = 9_B, .pmax = {}}};
  EXPECT_EQ(own.of(50_Gbps, config.reference_rate).kmax, 9_B);
  sim_context context;
  Line line(context, config, "s", 50_us, 50_Gbps);
  line.send(12);
  context.clock.run_to(40_us);
  EXPECT_EQ(line.sw.port(1).depth(), frame * 5);
}

TEST(Full, WhatGoesInGoesOutOrIsDroppedOrHeld) {
  for (const bool trim : {false, true}) {
    for (const bool shared : {false, true}) {
      test::LeafSpine s;
      s.sw = {.queue_limit = 9'000_B, .full = WhenFull::half, .balance = "spray"};
      if (trim) s.sw.trim = 64_B;
      if (shared) s.sw.buffer = 40'000_B;
      s.drains = true;
      s.buffers = true;
      s.stops = {20_us, 50_us, 5_ms};
      const std::string text = test::in_child([&] { return s.run(); });
      const std::string end = text.substr(text.rfind("--- "));
      for (std::size_t at = end.find("buffered="); at != std::string::npos;
           at = end.find("buffered=", at + 1))
        EXPECT_EQ(end.substr(at, 11), "buffered=0 ");  // of each switch
      EXPECT_EQ(test::value_in(end, "created"), test::value_in(end, "delivered") +
                                                    test::value_in(end, "queue_full") +
                                                    test::value_in(end, "buffer_full"));
      EXPECT_EQ(test::value_in(end, "queue_full") > 0, !trim);
    }
  }
}

}  // namespace
}  // namespace horae::fabric::trim_test
