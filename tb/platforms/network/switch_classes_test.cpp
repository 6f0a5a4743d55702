// Plain switches with lossless and lossy classes, as a user writes them.
#include <gtest/gtest.h>

#include <cstdint>
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
  const auto& pauses = tor.at("pauses_by_port_and_class");
  EXPECT_EQ(pauses.size(), 2u) << pauses.dump();
  const auto& third = pauses.at("port1_class3");
  EXPECT_GT(third.at("sent").at("value").get<int>(), 0);
  EXPECT_LE(third.at("first").at("value").get<std::int64_t>(),
            third.at("last").at("value").get<std::int64_t>());
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
