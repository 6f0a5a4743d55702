// Plain switches with lossless and lossy classes, as a user writes them.
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "program.hpp"

namespace horae::test::switch_classes_test {
namespace {

/// Three NICs send to a fourth: two in classes that pause, one in a class that drops.
const std::string mixed = R"([platform]
name = "mixed"
[sim]
duration = "1 ms"
[nic]
kind = "rnic"
mtu = "4 KiB"
ack_traffic_class = 7
[tor]
kind = "switch"
buffer = "4 MB"
pfc = { alpha = 0.125, priorities = [3, 4] }
[[tor.class]]
number = 3
priority = 2
weight = 5
[[tor.class]]
number = 4
priority = 2
weight = 3
[[tor.class]]
number = 0
priority = 2
weight = 2
share = 0.25
[link_default]
rate = "100 Gbps"
delay = "100 ns"
[[device]]
names = ["p0", "p1", "p2", "p3"]
profile = "nic"
[[device]]
names = ["dut"]
profile = "tor"
[[link]]
between = ["p0", "dut"]
[[link]]
between = ["p1", "dut"]
[[link]]
between = ["p2", "dut"]
[[link]]
between = ["p3", "dut"]
[[traffic]]
kind = "messages"
pattern = "pairs"
from = ["p1"]
to = ["p0"]
message = "128 KiB"
depth = 8
traffic_class = 3
[[traffic]]
kind = "messages"
pattern = "pairs"
from = ["p2"]
to = ["p0"]
message = "128 KiB"
depth = 8
traffic_class = 4
[[traffic]]
kind = "messages"
pattern = "pairs"
from = ["p3"]
to = ["p0"]
message = "128 KiB"
depth = 8
traffic_class = 0
)";

std::string changed(const std::string& from, const std::string& to) {
  std::string text = mixed;
  return text.replace(text.find(from), from.size(), to);
}

TEST(SwitchClasses, LosslessClassesLoseNothingBesideALossyOne) {
  const Workplace place;
  place.write("p.toml", mixed);
  const Ended ended = run(place, {"run", "p.toml", "--json", "--no-progress"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const auto tor = ended.json().at("statistics").at("dut");
  const auto& dropped = tor.at("dropped_by_class");
  EXPECT_FALSE(dropped.contains("class3"));
  EXPECT_FALSE(dropped.contains("class4"));
  EXPECT_GT(dropped.at("class0").at("value").get<int>(), 0);
  const auto& third = tor.at("port1").at("pauses_sent_class3");
  EXPECT_GT(third.at("frames").at("value").get<int>(), 0);
  EXPECT_LE(third.at("first").at("value").get<std::int64_t>(),
            third.at("last").at("value").get<std::int64_t>());
  EXPECT_TRUE(tor.at("port2").contains("pauses_sent_class4"));
  EXPECT_FALSE(tor.at("port3").contains("pauses_sent_class0"));
}

/// Sum of a quantity of an object over all samples, each with a weight: its interval in us, or one.
double over_samples(const std::string& csv, const std::string& object, const std::string& quantity,
                    bool by_time) {
  double sum = 0;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    if (cells.at(2) == object && cells.at(3) == quantity)
      sum += std::stod(cells.at(4)) * (by_time ? std::stod(cells.at(1)) : 1);
  }
  return sum;
}

// Intervals of series.csv add up to what the statistics say of the run.
TEST(SwitchClasses, PausesOverTimeAddUp) {
  const Workplace place;
  place.write("p.toml", mixed);
  const Ended ended =
      run(place, {"run", "p.toml", "--no-progress", "--set", "sim.sample=30us", "--out", "r"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const auto statistics = place.read_json("r/summary.json").at("statistics");
  const std::string series = place.read("r/series.csv");
  const auto& sent = statistics.at("dut").at("port1").at("pauses_sent_class3").at("frames");
  EXPECT_EQ(over_samples(series, "dut.port1", "pauses_sent_class3", false),
            sent.at("value").get<double>());
  const double held = statistics.at("p1").at("port0").at("paused_class3").at("value");
  EXPECT_GT(held, 0);
  EXPECT_NEAR(over_samples(series, "p1.port0", "paused_class3", true), held / 1e6,
              held / 1e6 * 1e-4);
  EXPECT_EQ(series.find("paused_class0"), std::string::npos);
}

/// Value of a statistic of the switch in a run of `mixed` with settings.
double of_switch(const Words& settings, const std::string& path) {
  const Workplace place;
  place.write("p.toml", mixed);
  const Ended ended =
      run(place, with_settings({"run", "p.toml", "--json", "--no-progress"}, settings));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  const auto of = ended.json().at("statistics").at("dut");
  const nlohmann::json::json_pointer at(path + "/value");
  return of.contains(at) ? of.at(at).get<double>() : 0;
}

// A class with more of the buffer pauses its sender less, and one with less more.
TEST(SwitchClasses, AClassHasThresholdsOfItsOwn) {
  const std::string third = "/port1/pauses_sent_class3/frames";
  const std::string fourth = "/port2/pauses_sent_class4/frames";
  const Words more = {"tor.pfc.by_class=[{number=3,alpha=8}]"};
  EXPECT_GT(of_switch({}, third), 0);
  EXPECT_EQ(of_switch(more, third), 0);
  EXPECT_GT(of_switch(more, fourth), 0);
}

// Class 0 is marked from its first waiting packet on, class 3 never.
TEST(SwitchClasses, AClassHasEcnThresholdsOfItsOwn) {
  const Words all = {"tor.ecn={kmin=\"0 B\",kmax=\"1 B\",pmax=1.0}"};
  const Words none_of_any = {
      "tor.ecn={kmin=\"0 B\",kmax=\"1 B\",pmax=1.0,by_class=[{number=0,kmin=\"0 B\",kmax=\"0 B\"},"
      "{number=3,kmin=\"0 B\",kmax=\"0 B\"},{number=4,kmin=\"0 B\",kmax=\"0 B\"},"
      "{number=7,kmin=\"0 B\",kmax=\"0 B\"}]}"};
  const Words one = {"tor.ecn={by_class=[{number=0,kmin=\"0 B\",kmax=\"1 B\",pmax=1.0}]}"};
  const double marked = of_switch(all, "/marked"), some = of_switch(one, "/marked");
  EXPECT_GT(marked, some);
  EXPECT_GT(some, 0);
  EXPECT_EQ(of_switch(none_of_any, "/marked"), 0);
}

// The lossy class has the buffer to itself: all but its limit is dropped.
TEST(SwitchClasses, AClassHasALimitOfItsOwn) {
  const auto most = [](const std::string& limit) {
    return of_switch({"tor.class[2].share=0", "tor.class[2].limit=" + limit}, "/dropped");
  };
  EXPECT_EQ(most("4 MB"), 0);
  EXPECT_GT(most("100 KB"), most("400 KB"));
  EXPECT_GT(most("400 KB"), 0);
}

TEST(SwitchClasses, FaultsAreOneLine) {
  const std::string pfc = "pfc = { alpha = 0.125, priorities = [3, 4] }";
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"pfc = { priorities = [3] }",
       "priorities are the classes that pause; expected an 'alpha' or 'xoff' beside it"},
      {"pfc = { alpha = 0.125, priorities = [] }",
       "no priorities; expected the classes that pause, or no 'pfc'"},
      {"pfc = { alpha = 0.125, priorities = [3, 3] }", "class 3 stands twice in priorities"},
      {"pfc = { alpha = 0.125, classes = 2, priorities = [3, 4] }",
       "priorities beside classes: both say how many classes have headroom; expected one"},
      {"pfc = { alpha = 0.125, priorities = [0, 3] }",
       "class 0 pauses (pfc.priorities): its limits are those of [pfc]"},
      {"pfc = { alpha = 0.125, by_class = [{ number = 3, alpha = 1.0 }] }",
       "by_class gives thresholds to classes that pause; expected 'priorities' beside it, which "
       "says those"},
      {"pfc = { alpha = 0.125, priorities = [3, 4], by_class = [{ number = 0 }] }",
       "class 0 is none of priorities: it never pauses"},
      {"pfc = { alpha = 0.125, priorities = [3, 4], by_class = [{ number = 3 }, { number = 3 }] }",
       "class 3 has an entry already"},
      {"pfc = { alpha = 0.125, priorities = [3, 4], by_class = [{ number = 3, xoff = \"1 KB\" }] }",
       "xoff beside alpha: thresholds are fixed or dynamic; expected an 'alpha'"},
      {"pfc = { xoff = \"90 KB\", priorities = [3, 4], by_class = [{ number = 3, alpha = 1.0 }] }",
       "alpha beside xoff: thresholds are fixed or dynamic; expected an 'xoff'"},
      {"pfc = { xoff = \"90 KB\", xon = \"80 KB\", priorities = [3, 4], by_class = [{ number = 3, "
       "xoff = \"50 KB\" }] }",
       "xon = 80 KB of class 3 is above its xoff = 50 KB"},
      {"ecn = { by_class = [{ number = 3, kmin = \"2 KB\", kmax = \"1 KB\" }] }\n" + pfc,
       "kmax = 1 KB is below kmin = 2 KB"},
      {"control_class = 4\n" + pfc, "class 4 is the control_class, which never pauses anybody"},
      {"schedule = \"srpt\"\n" + pfc,
       "[[class]] serves queues in the order of arrival; expected schedule = \"fifo\""}};
  for (const auto& [line, problem] : faults) {
    const Workplace place;
    place.write("p.toml", changed(pfc, line));
    const Ended ended = run(place, {"run", "p.toml", "--no-progress"});
    EXPECT_EQ(ended.exit_code, 2) << line;
    EXPECT_TRUE(ended.err.starts_with("horae: p.toml:")) << ended.err;
    EXPECT_TRUE(ended.err.ends_with(": " + problem + "\n")) << ended.err;
  }
  const Workplace place;
  place.write("p.toml", changed("weight = 5", "rate = \"10 Gbps\""));
  const Ended shaped = run(place, {"run", "p.toml", "--no-progress"});
  EXPECT_EQ(shaped.exit_code, 2);
  EXPECT_TRUE(
      shaped.err.ends_with(": plain switches have no shapers; expected kind = \"tofino\"\n"))
      << shaped.err;
}

}  // namespace
}  // namespace horae::test::switch_classes_test
