// links.csv: what each direction of each link carried, and what happened to it.
#include <gtest/gtest.h>

#include <string>

#include "csv.hpp"
#include "program.hpp"

namespace horae::test::links_csv_test {
namespace {

const std::string two_hops = R"([platform]
name = "two_hops"
[sim]
duration = "200 us"
[host]
kind = "host"
[sw]
kind = "switch"
[link_default]
rate = "100 Gbps"
delay = "500 ns"
[[device]]
names = ["a", "b"]
profile = "host"
[[device]]
names = ["s"]
profile = "sw"
[[link]]
between = ["a", "s"]
[[link]]
between = ["s", "b"]
rate = "200 Gbps"
[[traffic]]
kind = "packets"
pattern = "pairs"
from = ["a"]
to = ["b"]
payload = "1 KiB"
load = 0.5
)";

std::vector<Row> links_of(const Words& settings) {
  const Workplace place;
  place.write("p.toml", two_hops);
  const Ended ended =
      run(place, with_settings({"run", "p.toml", "--no-progress", "--out", "r"}, settings));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return rows_of(place.read("r/links.csv"));
}

// Half of a line of 100 Gbps is a quarter of one of 200; nothing goes back. In either accounting.
TEST(LinksCsv, ALineIsTakenByWhatItCarries) {
  for (const std::string layer : {"l1", "l2"}) {
    const auto links = links_of({"sim.rate_layer=" + layer});
    ASSERT_EQ(links.size(), 4u);
    EXPECT_EQ(links[0].at("from") + links[0].at("to"), "as");
    EXPECT_EQ(links[1].at("from") + links[1].at("to"), "sa");
    EXPECT_EQ(links[2].at("from") + links[2].at("to"), "sb");
    EXPECT_EQ(links[2].at("from_port"), "1");
    EXPECT_EQ(links[2].at("rate_gbps"), "200");
    EXPECT_EQ(links[0].at("delay_us"), "0.5");
    EXPECT_NEAR(std::stod(links[0].at("load")), 0.5, 0.005) << layer;
    EXPECT_NEAR(std::stod(links[2].at("load")), 0.25, 0.005) << layer;
    EXPECT_EQ(std::stod(links[1].at("load")), 0);
    EXPECT_GT(std::stoi(links[0].at("packets")), 1000);
    EXPECT_LE(std::stoi(links[0].at("packets")) - std::stoi(links[2].at("packets")), 8);
  }
}

TEST(LinksCsv, LossesAreOfTheirDirection) {
  const auto links = links_of({"link[0].loss=0.1"});
  const double lost = std::stod(links[0].at("lost")), sent = std::stod(links[0].at("packets"));
  EXPECT_NEAR(lost / sent, 0.1, 0.03);
  EXPECT_EQ(links[1].at("lost"), "0");
  EXPECT_EQ(links[2].at("lost"), "0");
  EXPECT_NEAR(std::stod(links[2].at("packets")), sent - lost, 8);
}

}  // namespace
}  // namespace horae::test::links_csv_test
