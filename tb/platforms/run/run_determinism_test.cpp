// The same seed gives the same bytes, however a run is scheduled or its sweep is spread.
#include <gtest/gtest.h>

#include <string>

#include "run_parts.hpp"

namespace horae::test::run_determinism_test {
namespace {

TEST(Determinism, SameSeedSameBytesOtherSeedOthers) {
  const Workplace place;
  place.write("p.toml", lossy);
  for (const char* out : {"one", "two"})
    ASSERT_EQ(run(place, {"run", "p.toml", "--out", out}).exit_code, 0);
  ASSERT_EQ(run(place, {"run", "p.toml", "--out", "other", "--set", "sim.seed=2"}).exit_code, 0);
  const auto without_line = [](const std::string& text) {
    const auto at = text.find(" \"wall_s\"");
    if (at == std::string::npos) throw std::runtime_error("no wall_s");
    return text.substr(0, at) + text.substr(text.find('\n', at));
  };
  EXPECT_EQ(without_line(place.read("one/summary.json")),
            without_line(place.read("two/summary.json")));
  EXPECT_EQ(place.read("one/flows.csv"), place.read("two/flows.csv"));
  EXPECT_EQ(place.read("one/series.csv"), place.read("two/series.csv"));
  EXPECT_NE(place.read("one/flows.csv"), place.read("other/flows.csv"));
  EXPECT_NE(place.read("one/series.csv"), place.read("other/series.csv"));
  const ordered_json one = place.read_json("one/summary.json");
  const ordered_json other = place.read_json("other/summary.json");
  EXPECT_NE(one.at("packets"), other.at("packets"));
  EXPECT_NE(one.at("config_hash"), other.at("config_hash"));
}

TEST(Determinism, SchedulesGiveTheSameResults) {
  const Workplace place;
  place.write("p.toml", lossy);
  for (const char* mode : {"windowed", "exact_wake"}) {
    ASSERT_EQ(
        run(place, {"run", "p.toml", "--out", mode, "--set", std::string("sim.scheduling=") + mode})
            .exit_code,
        0);
  }
  const auto comparable = [&](const std::string& mode) {
    ordered_json s = without_wall(place.read_json(mode + "/summary.json"));
    EXPECT_EQ(s["config"]["sim"]["scheduling"], mode);
    s["config"]["sim"].erase("scheduling");
    s.erase("config_hash");
    return s;
  };
  EXPECT_EQ(comparable("windowed"), comparable("exact_wake"));
  EXPECT_EQ(place.read("windowed/flows.csv"), place.read("exact_wake/flows.csv"));
  EXPECT_EQ(place.read("windowed/series.csv"), place.read("exact_wake/series.csv"));
}

// Shipped programs are not held to the rules in each pass unless `sim.checked` says so: a checked
// run refuses none of theirs, and differs in nothing.
TEST(Determinism, CheckedRunsGiveTheSameResults) {
  for (const char* name : {"themis_tor", "conweave_tor", "themis_testbed"}) {
    const Workplace place;
    const std::string platform = std::string(HORAE_PLATFORM_DIR) + "/" + name + ".toml";
    for (const char* checked : {"false", "true"}) {
      const int code =
          run(place, {"run", platform, "--out", checked, "--set", "sim.duration=100us", "--set",
                      "sim.warmup=0us", "--set", std::string("sim.checked=") + checked})
              .exit_code;
      ASSERT_TRUE(code == 0 || code == 4) << name << ": " << code;  // 4: not all messages ended
    }
    const auto comparable = [&](const std::string& mode) {
      ordered_json s = without_wall(place.read_json(mode + "/summary.json"));
      EXPECT_EQ(s["config"]["sim"]["checked"], mode == "true");
      s["config"]["sim"].erase("checked");
      s.erase("config_hash");
      return s;
    };
    EXPECT_EQ(comparable("false"), comparable("true")) << name;
    EXPECT_EQ(place.read("false/flows.csv"), place.read("true/flows.csv")) << name;
  }
}

TEST(Determinism, JobsGiveTheSameSweep) {
  const Workplace place;
  place.write("p.toml", lossy + R"([sweep]
[[sweep.point]]
label = "one"
[[sweep.point]]
label = "two"
set = ["sim.seed=2"]
[[sweep.point]]
label = "three"
set = ["sim.duration=30us"]
[[sweep.column]]
title = "TX"
metric = "senders.tx_share"
)");
  for (const char* jobs : {"1", "2"})
    ASSERT_EQ(run(place, {"run", "p.toml", "--jobs", jobs, "--out", jobs}).exit_code, 0);
  EXPECT_EQ(without_wall(place.read_json("1/summary.json")),
            without_wall(place.read_json("2/summary.json")));
  for (const std::string point : {"one", "two", "three"}) {
    EXPECT_EQ(place.read("1/points/" + point + "/flows.csv"),
              place.read("2/points/" + point + "/flows.csv"));
    EXPECT_EQ(place.read("1/points/" + point + "/series.csv"),
              place.read("2/points/" + point + "/series.csv"));
  }
}

// Found by random platforms: a response that became ready while its class was paused was idle time
// for want of work until the end of the window.
TEST(Determinism, AResponseThatIsPausedCountsAlikeInAllWindows) {
  const Workplace place;
  place.write("p.toml", R"([platform]
name = "paused"
[sim]
duration = "300 ms"
stop = "finished"
[nic]
kind = "rnic"
transport = "spray_sr"
mtu = "1500 B"
ack_delay = "131 ns"
reliability = { window = 13, rto = "257704 ns", ack_every = 1 }
[link_default]
rate = "10 Gbps"
delay = "509 ns"
[plain]
kind = "switch"
latency = "45 ns"
balance = "spray"
pfc = { xoff = "4743 B", xon = "4533 B" }
[leaf_spine]
leaves = 3
spines = 3
hosts_per_leaf = 3
host = "nic"
leaf = "plain"
spine = "plain"
host_rate = "400 Gbps"
[[traffic]]
kind = "batch"
pattern = "incast"
fan_in = 4
size = "20 KB"
[[traffic]]
kind = "batch"
pattern = "tornado"
size = "6 KB"
)");
  const ordered_json windowed = summary_of(place, "p.toml");
  EXPECT_GT(result(windowed, "senders.idle_paused"), 0.05);
  for (const char* how : {"sim.window=305ns", "sim.window=77ns", "sim.scheduling=exact_wake"})
    EXPECT_EQ(summary_of(place, "p.toml", {how}).at("results"), windowed.at("results")) << how;
}

}  // namespace
}  // namespace horae::test::run_determinism_test
