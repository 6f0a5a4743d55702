// All results of a run are of its measured time: what is counted in it, and nothing that a warm-up
// counted. What cannot be says so in its unit.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "run_parts.hpp"

namespace horae::test::one_window_test {
namespace {

/// Every kind of counter counts: a lossy network with short queues, a chip that chooses paths, a
/// module, hosts beside NICs, and a mark for most packets.
std::string everything() {
  return two_paths({.name = "everything",
                    .sim = "duration = \"60 us\"\n",
                    .nic = "reliability = { window = 64, rto = \"8 us\" }\n",
                    .plain = "balance = \"spray\"\nbuffer = \"1 MB\"\n"
                             "ecn = { kmin = \"1 KB\", kmax = \"2 KB\", pmax = 1.0 }\n",
                    .second_path = "outage = [{ from = \"10 us\", to = \"40 us\" }]\n",
                    .traffic = R"([[traffic]]
kind = "packets"
pattern = "pairs"
from = ["h"]
to = ["i"]
payload = "1 KiB"
load = 0.7
[[module]]
name = "m"
kind = "burst_loss"
between = ["u", "c"]
enter = 0.01
leave = 0.5
)",
                    .hosts = true});
}

ordered_json results_of(const Workplace& place, const char* warmup, const char* duration) {
  return summary_of(place, "p.toml",
                    {std::string("sim.warmup=") + warmup, std::string("sim.duration=") + duration})
      .at("results");
}

/// Counters, by their unit; distributions and maxima have such units, too.
bool counted(const std::string& name, const ordered_json& result) {
  static const std::set<std::string> units = {"packets", "frames",   "passes",  "bursts",
                                              "bytes",   "timeouts", "messages"};
  static const std::set<std::string> others = {"receivers.reorder_mean", "receivers.reorder_p99",
                                               "receivers.reorder_max", "flows.nacks_max",
                                               "flows.timeouts_max"};
  return units.contains(result.at("unit")) && !others.contains(name) &&
         name.find(".most_") == std::string::npos;
}

// The counts of two windows that follow each other are those of both together.
TEST(OneWindow, CountsOfAWarmUpAndOfTheRestAddUp) {
  const Workplace place;
  place.write("p.toml", everything());
  const ordered_json all = results_of(place, "0us", "60us");
  const ordered_json before = results_of(place, "0us", "30us");
  const ordered_json rest = results_of(place, "30us", "60us");
  std::set<std::string> kinds;
  for (const auto& [name, result] : all.items()) {
    if (!counted(name, result)) continue;
    ASSERT_TRUE(rest.contains(name)) << name;
    const auto of = [&](const ordered_json& run) { return run.at(name).at("value").get<double>(); };
    EXPECT_EQ(of(all), of(before) + of(rest)) << name;
    EXPECT_EQ(rest.at(name).at("unit"), result.at("unit")) << name;
    if (of(before) > 0 && of(rest) > 0) kinds.insert(name.substr(0, name.find('.')));
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"hosts", "m", "receivers", "senders", "switches", "t"}));
  for (const char* name :
       {"switches.forwarded", "switches.marked", "switches.dropped", "t.ingress_passes",
        "t.program.forwarded", "m.from_u.packets", "m.dropped"}) {
    if (!all.contains(name)) continue;
    EXPECT_GT(before.at(name).at("value"), 0) << name;
    EXPECT_GT(rest.at(name).at("value"), 0) << name;
  }
}

// Two senders fill the port of one receiver, whose every packet is marked. Marks per packet were 20
// when they were of the whole run, and packets of its last twentieth.
TEST(OneWindow, NoMoreMarksThanPackets) {
  const Workplace place;
  place.write("p.toml", R"([platform]
name = "marks"
[sim]
duration = "200 us"
warmup = "190 us"
[nic]
kind = "rnic"
[plain]
kind = "switch"
ecn = { kmin = "1 KB", kmax = "2 KB", pmax = 1.0 }
)" + three_on_a_switch("nic", "plain") +
                            R"([[traffic]]
kind = "messages"
from = ["a", "b"]
to = ["c", "c"]
message = "16 KiB"
depth = 4
)");
  const ordered_json s = summary_of(place, "p.toml");
  const double packets = result(s, "senders.data_packets");
  EXPECT_GT(packets, 50);
  // Packets that wait when the window begins were sent before it: as much waits when it ends.
  EXPECT_NEAR(result(s, "switches.marked") / packets, 1.0, 0.05);
  EXPECT_LE(result(s, "switches.marked"), result(s, "switches.forwarded"));
}

// With a single connection the most of any is that of all.
TEST(OneWindow, TheMostNacksAndTimeoutsAreOfTheMeasuredTime) {
  const Workplace place;
  place.write("p.toml", tiny);
  const Words lossy_link = {"link[0].loss=0.03", "sim.duration=2ms", "nic.reliability.rto=8us"};
  const auto with = [&](const char* warmup) {
    Words settings = lossy_link;
    settings.push_back(std::string("sim.warmup=") + warmup);
    return summary_of(place, "p.toml", settings);
  };
  const ordered_json all = with("0us"), late = with("1500us");
  for (const ordered_json& s : {all, late}) {
    EXPECT_GT(result(s, "flows.nacks_max"), 0);
    EXPECT_EQ(result(s, "flows.nacks_max"), result(s, "senders.nacks_received"));
    EXPECT_EQ(result(s, "flows.timeouts_max"), result(s, "senders.timeouts"));
  }
  EXPECT_LT(result(late, "flows.nacks_max"), result(all, "flows.nacks_max"));
}

// A maximum that is known of the whole run only says so where that is not the measured time.
TEST(OneWindow, MaximaOfTheWholeRunSaySo) {
  const Workplace place;
  place.write("p.toml", everything());
  const ordered_json all = results_of(place, "0us", "60us");
  const ordered_json late = results_of(place, "59us", "60us");
  for (const char* name : {"switches.most_buffered", "t.most_cells"}) {
    EXPECT_EQ(late.at(name).at("value"), all.at(name).at("value")) << name;
    const std::string unit = all.at(name).at("unit");
    EXPECT_EQ(unit.find("whole run"), std::string::npos) << name;
    EXPECT_EQ(late.at(name).at("unit"), unit + " of the whole run") << name;
  }
}

// A group that began in the warm-up is none of the measured time.
TEST(OneWindow, CollectivesAreThoseThatBeganInIt) {
  const Workplace place;
  place.write("p.toml", eight_nics("5 ms", R"(kind = "collective"
operation = "all_reduce"
size = "16 KiB"
groups = 2
stagger = "100 us"
)"));
  const ordered_json all = summary_of(place, "p.toml");
  const auto& groups = all.at("rows").at("groups");
  ASSERT_EQ(groups.size(), 2u);
  const double first = groups[0].at("cct_us"), second = groups[1].at("cct_us");
  EXPECT_DOUBLE_EQ(result(all, "collectives.cct_mean"), (first + second) / 2);
  const ordered_json late = summary_of(place, "p.toml", {"sim.warmup=50us"});
  EXPECT_EQ(late.at("rows").at("groups"), groups);
  EXPECT_EQ(result(late, "collectives.cct_max"), second);
  EXPECT_EQ(result(late, "collectives.cct_mean"), second);
  const auto none = summary_of(place, "p.toml", {"sim.warmup=101us"}).at("results");
  for (const char* name : {"collectives.cct_max", "collectives.cct_mean"}) {
    EXPECT_TRUE(none.at(name).at("value").is_null()) << name;
    EXPECT_EQ(none.at(name).at("none"), "every group began before the measured time") << name;
  }
}

}  // namespace
}  // namespace horae::test::one_window_test
