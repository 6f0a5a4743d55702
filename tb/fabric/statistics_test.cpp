// Reports of devices at the end: a tree of counters with units, and that of their ports.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "fabric_parts.hpp"
#include "horae/core/stats.hpp"
#include "horae/fabric/devices/open_loop_host.hpp"
#include "horae/fabric/devices/output_queued_switch.hpp"

namespace horae::fabric::statistics_test {
namespace {

using test::link_of;
using test::ListSource;
using test::probe;
using Lines = std::vector<std::string>;

constexpr Bytes frame = 1230_B;  // 100 ns at 100 Gbps, with preamble and gap

Lines lines_of(const StatTree& tree) {
  Lines lines;
  tree.for_each([&](const std::string& name, double number, const std::string& unit) {
    lines.push_back(fmt::format("{} {:.12g} {}", name, number, unit));
  });
  return lines;
}
Lines statistics_of(const device& d) {
  StatTree tree;
  d.statistics(tree);
  return lines_of(tree);
}
Lines ports_of(const device& d, Layer layer, Picoseconds end) {
  StatTree tree;
  d.port_statistics(tree, layer, end);
  return lines_of(tree);
}

// A switch of four ports; port 3 leads nowhere.
struct Star {
  Star(sim_context& context, const SwitchConfig& config) : sw("sw", context, config) {
    for (unsigned i = 0; i < 3; ++i) {
      probes.push_back(std::make_unique<probe>(("p" + std::to_string(i)).c_str(), context, 1, i));
      connect(sw, i, *probes[i], 0, link_of(100_Gbps, 500_ns));
      sw.routes().set(i, {static_cast<std::uint16_t>(i)});
    }
  }
  output_queued_switch sw;
  std::vector<std::unique_ptr<probe>> probes;
};

TEST(DeviceStatistics, ASwitchThatDeflectedNothingDoesNotNameIt) {
  sim_context context;
  Star star(context, {.ports = 4});
  for (int i = 0; i < 5; ++i) star.probes[0]->send({.at = 1_us, .dst = 1, .frame = frame});
  context.clock.run_to(100_us);
  EXPECT_EQ(statistics_of(star.sw), (Lines{"forwarded 5 packets", "marked 0 packets",
                                           "dropped 0 packets", "pauses_sent 0 frames"}));
  StatTree program;
  star.sw.program_statistics(program);
  EXPECT_TRUE(lines_of(program).empty());
}

TEST(DeviceStatistics, DeflectedPacketsAreAmongTheSwitchesCounters) {
  sim_context context;
  Star star(context, {.ports = 4, .queue_limit = frame * 4, .deflect = true});
  star.sw.set_switch_ports({2});
  star.probes[1]->send_pause({.at = 0_ps, .pause = true});
  for (int i = 0; i < 10; ++i)
    star.probes[0]->send({.at = 1_us + 200_ns * i, .dst = 1, .frame = frame});
  context.clock.run_to(100_us);
  EXPECT_EQ(statistics_of(star.sw).back(), "deflected 6 packets");
}

TEST(DeviceStatistics, PortsThatAreConnectedAreGroups) {
  sim_context context;
  Star star(context, {.ports = 4});
  for (int i = 0; i < 5; ++i) star.probes[0]->send({.at = 20_us, .dst = 1, .frame = frame});
  star.probes[2]->send_pause({.at = 0_ps, .traffic_class = 3, .pause = true});
  context.clock.run_to(100_us);
  // 5 frames in 100 us; the pause is in force when its 64 bytes and the link are behind it.
  const Picoseconds paused = 100_us - 500_ns - serialisation_time(l1_bytes(64_B), 100_Gbps);
  const auto expected = [&](Bytes bytes) {
    return Lines{
        "port0.tx_packets 0 packets",
        "port0.tx_rate 0 bit/s",
        "port1.tx_packets 5 packets",
        fmt::format("port1.tx_rate {} bit/s", 5 * 8e4 * static_cast<double>(bytes.count())),
        "port2.tx_packets 0 packets",
        "port2.tx_rate 0 bit/s",
        fmt::format("port2.paused_class3 {} ps", paused.count())};
  };
  EXPECT_EQ(ports_of(star.sw, Layer::l1, 100_us), expected(1250_B));
  EXPECT_EQ(ports_of(star.sw, Layer::l2, 100_us), expected(1230_B));
  // At the very start there is no rate.
  EXPECT_EQ(ports_of(*star.probes[1], Layer::l1, 0_ps), Lines{"port0.tx_packets 0 packets"});
  EXPECT_EQ(ports_of(*star.probes[1], Layer::l1, 1_ps),
            (Lines{"port0.tx_packets 0 packets", "port0.tx_rate 0 bit/s"}));
}

// At 20.44 us the fifth frame is at 40 of 100 ns of its wire.
TEST(DeviceStatistics, OfAPacketThatHasBegunThePartThatHasLeftCounts) {
  sim_context context;
  probe a("a", context, 1, 0), b("b", context, 1, 1);
  connect(a, 0, b, 0, link_of(100_Gbps, 500_ns));
  for (int i = 0; i < 5; ++i) a.send({.at = 20_us, .dst = 1, .frame = frame});
  context.clock.run_to(100_us);
  const Picoseconds end = 20_us + 440_ns;
  const auto rate = [&](double bytes) {
    return Lines{"port0.tx_packets 5 packets",
                 fmt::format("port0.tx_rate {:.12g} bit/s", bytes * 8 / to_seconds(end))};
  };
  EXPECT_EQ(ports_of(a, Layer::l1, end), rate(4 * 1250 + 500));
  // Preamble and gap are its last 20 bytes: 750 - 20 are left of the frame.
  EXPECT_EQ(ports_of(a, Layer::l2, end), rate(5 * 1230 - 730));
  const tx_port& port = a.tx(0);
  EXPECT_EQ(port.bits_left(20_us + 500_ns - 1_ns).l1, 100);
  EXPECT_EQ(port.bits_left(20_us + 500_ns - 1_ns).l2, 0);
  EXPECT_EQ(port.bits_left(20_us + 500_ns).l1, 0);
}

// One of its kind is enough to be named.
TEST(DeviceStatistics, WhatALinkDidToPacketsIsNamed) {
  const auto of_port = [](const LinkConfig& link) {
    return test::in_child([&] {
      sim_context context;
      test::probe a("a", context, 1, 0), b("b", context, 1, 1);
      connect(a, 0, b, 0, link);
      a.send({.at = 20_us, .dst = 1, .frame = frame});
      a.send_pause({.at = 40_us, .pause = true});
      context.clock.run_to(100_us);
      std::string out;
      for (const auto& line : ports_of(a, Layer::l1, 0_ps)) out += line + ", ";
      return out;
    });
  };
  const std::string
      sent = "port0.tx_packets 1 packets, ",
      pause =
          "port0.pfc_frames_sent 1 frames, port0.pauses_sent_class0.frames 1 frames, "
          "port0.pauses_sent_class0.first 40000000 ps, port0.pauses_sent_class0.last 40000000 ps, ";
  LinkConfig link = test::link_of(100_Gbps, 500_ns);
  EXPECT_EQ(of_port(link), sent + pause);
  EXPECT_EQ(of_port(test::link_of(100_Gbps, 500_ns, 1.0)), sent + "port0.lost 1 packets, " + pause);
  EXPECT_EQ(of_port(test::link_of(100_Gbps, 500_ns, 0.0, {{19_us, 21_us}})),
            sent + "port0.cut_by_outage 1 packets, " + pause);
  link.bit_errors = 1.0;
  EXPECT_EQ(of_port(link), sent + "port0.corrupted 1 packets, " + pause);
}

TEST(DeviceStatistics, AHostReportsWhatItSentAndReceived) {
  sim_context context;
  open_loop_host a("a", context, {.id = 0},
                   std::make_unique<ListSource>(std::vector<traffic::TrafficItem>(
                       3, {.at = 1_us, .dst = 1, .bytes = 1000_B})));
  open_loop_host b("b", context, {.id = 1}, nullptr);
  connect(a, 0, b, 0, link_of(100_Gbps, 500_ns));
  context.clock.run_to(100_us);
  EXPECT_EQ(statistics_of(a), (Lines{"sent 3 packets", "received 0 packets", "latency_max 0 ps"}));
  const auto latency = b.counters().latency_max.count();
  EXPECT_GT(latency, 500'000);
  EXPECT_EQ(statistics_of(b), (Lines{"sent 0 packets", "received 3 packets",
                                     fmt::format("latency_max {} ps", latency)}));
}

}  // namespace
}  // namespace horae::fabric::statistics_test
