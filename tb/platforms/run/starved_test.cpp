// A traffic class that another one keeps from sending is named; one with a weight is not.
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "program.hpp"

namespace horae::test::starved_test {
namespace {

/// Two senders to one receiver; one in class 5, the other in class 0.
const std::string two_classes = R"(
[platform]
name = "two_classes"
[sim]
duration = "400 us"
warmup = "100 us"
[nic]
kind = "rnic"
transport = "rnic_sr"
mtu = "1 KiB"
[sw]
kind = "switch"
[[device]]
names = ["a", "b", "c", "d"]
profile = "nic"
[[device]]
names = ["s"]
profile = "sw"
[link_default]
rate = "100 Gbps"
delay = "100 ns"
[[link]]
between = ["a", "s"]
[[link]]
between = ["b", "s"]
[[link]]
between = ["c", "s"]
[[link]]
between = ["d", "s"]
[[traffic]]
kind = "messages"
from = ["a"]
to = ["c"]
traffic_class = 5
[[traffic]]
kind = "messages"
from = ["b"]
to = ["c"]
traffic_class = 0
)";

std::vector<std::string> lines_of(const Words& settings) {
  const Workplace place;
  place.write("p.toml", two_classes);
  const Ended ended = run(place, with_settings({"run", "p.toml", "--no-progress"}, settings));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  std::vector<std::string> lines;
  const std::regex line("starved: [^\n]*");
  for (auto it = std::sregex_iterator(ended.out.begin(), ended.out.end(), line);
       it != std::sregex_iterator(); ++it)
    lines.push_back(it->str());
  return lines;
}

TEST(Starved, AClassBehindABusyOneIsNamed) {
  const auto lines = lines_of({});
  ASSERT_EQ(lines.size(), 1u);
  std::smatch found;
  ASSERT_TRUE(
      std::regex_match(lines[0], found,
                       std::regex("starved: traffic class 0: b to c completed no message "
                                  "and received (\\d+) B, beside (\\d+) B of class 5 at c")))
      << lines[0];
  // Payload of 1024 B in frames of 62 B more, with 20 B of preamble and gap, at line rate for 300
  // us. Class 0 gets the port where no packet of class 5 has wholly arrived, which ends with a
  // packet of backlog.
  const double payload = 100e9 / 8 * 300e-6 * 1024 / (1024 + 62 + 20);
  EXPECT_NEAR(std::stod(found[2]), payload, payload * 0.01);
  EXPECT_LT(std::stod(found[1]), payload * 0.01);
}

TEST(Starved, SaysHowManyMore) {
  const auto lines = lines_of({"traffic[1].from=[\"b\",\"d\"]", "traffic[1].to=[\"c\",\"c\"]"});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("b to c and 1 more connections completed no message"), std::string::npos)
      << lines[0];
}

TEST(Starved, AClassThatHasAWeightOrAnotherReceiverIsNot) {
  EXPECT_TRUE(lines_of({"sw.class=[{number=0,priority=0,weight=1},"
                        "{number=5,priority=0,weight=20}]"})
                  .empty());
  EXPECT_TRUE(lines_of({"traffic[1].to=[\"d\"]"}).empty());
  EXPECT_TRUE(lines_of({"traffic[1].traffic_class=5"}).empty());
}

TEST(Starved, AConnectionThatBeginsLateIsNot) {
  EXPECT_TRUE(lines_of({"traffic[1].start=300us"}).empty());
  EXPECT_EQ(lines_of({"traffic[1].start=200us"}).size(), 1u);
}

}  // namespace
}  // namespace horae::test::starved_test
