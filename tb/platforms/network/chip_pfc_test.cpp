// Chips that send pauses, on a platform: results, headroom of each port's own link, what is
// refused.
#include <gtest/gtest.h>

#include <string>

#include "program.hpp"

namespace horae::test::chip_pfc_test {
namespace {

/// Six NICs into a seventh behind one chip, which has `chip` in its table.
std::string incast(const std::string& chip) {
  std::string text = R"([platform]
name = "incast"
[sim]
duration = "4 ms"
stop = "finished"
[nic]
kind = "rnic"
mtu = "1000 B"
ack_traffic_class = 7
[chip]
kind = "tofino"
)" + chip + R"(
program = { name = "forward" }
[[device]]
names = ["t"]
profile = "chip"
[[device]]
names = ["r"]
profile = "nic"
site = 1
[[link]]
between = ["r", "t"]
)";
  for (int i = 0; i < 6; ++i) {
    text += fmt::format(
        "[[device]]\nnames = [\"n{0}\"]\nprofile = \"nic\"\nsite = 0\n[[link]]\nbetween = "
        "[\"n{0}\", \"t\"]\n"
        "[[traffic]]\nkind = \"messages\"\nfrom = [\"n{0}\"]\nto = [\"r\"]\nmessage = \"1 MiB\"\n"
        "count = 2\n",
        i);
  }
  return text;
}
double value(const ordered_json& s, const std::string& name) {
  return s.at("results").at(name).at("value").get<double>();
}
ordered_json run_incast(const std::string& chip, const Words& settings = {}) {
  const Workplace place;
  place.write("p.toml", incast(chip));
  return summary_of(place, "p.toml", settings);
}

// The headroom that the program works out is enough at any rate and delay, and counted in cells; a
// sixth of it is not.
TEST(ChipPfc, ComputedHeadroomLosesNothing) {
  for (const char* rate : {"100 Gbps", "400 Gbps"}) {
    for (const char* delay : {"100 ns", "1 us"}) {
      for (const char* mtu : {"1000 B", "256 B"}) {
        const ordered_json s = run_incast(
            "control_class = 7\npfc = { xoff = \"50 KB\", xon = \"40 KB\" }",
            {fmt::format("link_default.rate={}", rate), fmt::format("link_default.delay={}", delay),
             fmt::format("nic.mtu={}", mtu)});
        EXPECT_EQ(s.at("verdict"), "complete");
        EXPECT_GT(value(s, "t.pauses_sent"), 10);
        EXPECT_EQ(value(s, "t.dropped_headroom"), 0) << rate << " " << delay << " " << mtu;
        EXPECT_GT(value(s, "nics.paused"), 0.5);
        EXPECT_EQ(value(s, "tofinos.paused"), 0);  // it is not held itself
      }
    }
  }
  const ordered_json s =
      run_incast("pfc = { xoff = \"50 KB\", xon = \"40 KB\", headroom = \"10 KB\" }",
                 {"link_default.rate=400 Gbps"});
  EXPECT_GT(value(s, "t.dropped_headroom"), 0);
  EXPECT_EQ(s.at("packets").at("dropped").at("headroom_full"), value(s, "t.dropped_headroom"));
}

// Each name of a loss is that of its cause.
TEST(ChipPfc, LossesAreNamedByTheirCause) {
  const ordered_json queue = run_incast("queue_limit = \"20 KB\"");
  EXPECT_GT(value(queue, "t.dropped_queue"), 0);
  EXPECT_EQ(queue.at("packets").at("dropped").at("queue_full"), value(queue, "t.dropped_queue"));
  const ordered_json buffer = run_incast("cells = 500");
  EXPECT_GT(value(buffer, "t.dropped_buffer"), 0);
  EXPECT_EQ(buffer.at("packets").at("dropped").at("buffer_full"),
            value(buffer, "t.dropped_buffer"));
}

// NICs that a chip holds count in all three readings, and marks at dequeue end the pauses.
TEST(ChipPfc, PausesAreReadInThreeWays) {
  const std::string pfc =
      "cells = 20000\ncontrol_class = 7\npfc = { alpha = 0.125, headroom_delays = 4 }";
  const ordered_json s = run_incast(pfc, {"link_default.delay=1us"});
  EXPECT_EQ(value(s, "t.dropped_headroom"), 0);
  const double any = value(s, "pauses.any_port");
  EXPECT_GT(any, 0.5);
  EXPECT_LE(any, 1.0);
  EXPECT_GT(value(s, "pauses.all_ports"), 2 * any);  // six NICs at a sixth of their rate
  EXPECT_LE(value(s, "pauses.one_stream"), any);
  EXPECT_GT(value(s, "pauses.one_stream"), 0);
  const ordered_json slow = run_incast(
      pfc + "\necn = { kmin = \"20 KB\", kmax = \"80 KB\", pmax = 0.5, at = \"dequeue\" }",
      {"link_default.delay=1us", "nic.congestion.algorithm=dcqcn"});
  EXPECT_GT(value(slow, "t.marked"), 100);
  EXPECT_LT(value(slow, "pauses.all_ports"), value(s, "pauses.all_ports"));
}

// A chip that sends none says nothing of them.
TEST(ChipPfc, WithoutItThereAreNoSuchResults) {
  const ordered_json s = run_incast("");
  EXPECT_FALSE(s.at("results").contains("t.pauses_sent"));
  EXPECT_FALSE(s.at("results").contains("t.dropped_headroom"));
  EXPECT_FALSE(s.at("results").contains("tofinos.paused"));
  EXPECT_FALSE(s.at("config").at("chip").contains("pfc"));
  EXPECT_FALSE(s.at("config").at("chip").contains("ecn"));
}

TEST(ChipPfc, ABufferThatHeadroomTakesIsRefused) {
  const auto refused = [](const std::string& chip, const Words& settings) {
    const Workplace place;
    place.write("p.toml", incast(chip));
    const Ended ended = run(place, with_settings({"run", "p.toml"}, settings));
    EXPECT_EQ(ended.exit_code, 2);
    return ended.err;
  };
  const std::string few = refused("cells = 1000\npfc = { alpha = 0.125, headroom_delays = 3 }",
                                  {"link_default.delay=1us"});
  // 7 x (37.5 KB + 1048 B) of 176 KB
  EXPECT_NE(few.find("p.toml:16:10: cells = 1000 of 't' leaves nothing to share: 7 ports set aside "
                     "up to 38548 B each for pfc.headroom = 37500 B and pfc.minimum = 1048 B"),
            std::string::npos)
      << few;
  // Dummies have their part before.
  const std::string dummies = refused(
      "cells = 2000\nloopback = { dummy_bytes = \"25 KB\" }\n"
      "pfc = { alpha = 0.125, headroom_delays = 3 }",
      {"link_default.delay=1us"});
  EXPECT_NE(dummies.find("cells = 2000 of 't' leaves nothing to share"), std::string::npos)
      << dummies;
}

}  // namespace
}  // namespace horae::test::chip_pfc_test
