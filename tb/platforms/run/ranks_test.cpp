// horae run over several processes and threads: the same bytes as by one, and failures in one line.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "networks.hpp"
#include "program.hpp"
#include "sanitized.hpp"

namespace horae::test {
namespace {

// Whether this build has MPI: else the program says so, and there is nothing more to test. From
// here on leaks are not looked for: Open MPI has some, which cannot be told from ours
// (tb/CMakeLists.txt, ranks/mpi_exchange).
bool without_mpi(const Workplace& place) {
  if (sanitized()) {
    const char* const given = std::getenv("ASAN_OPTIONS");
    ::setenv("ASAN_OPTIONS",
             (std::string(given != nullptr ? given : "") + ":detect_leaks=0").c_str(), 1);
  }
  place.write("tiny.toml", tiny);
  const Ended ended = run(place, {"run", "tiny.toml", "--ranks", "2", "--json", "--no-progress"});
  return ended.exit_code == 2 && ended.err.find("was built without: ") != std::string::npos;
}

ordered_json without_wall_time(ordered_json summary) {
  summary.erase("wall_s");
  return summary;
}

struct Shipped {
  std::string name;
  Words settings;           ///< short, but with everything going on
  std::string point = "1";  ///< of its sweep, if it has one
  /// More of them than processors wait for each other, which takes long.
  Words ranks = {"2", "3"};
};

const std::vector<Shipped> shipped = {
    {"conweave_tor", {"sim.duration=60us", "sim.warmup=10us"}},
    {"cx7_spray", {"sim.duration=60us", "sim.warmup=10us", "sim.sample=10us"}},
    {"eunomia_clos", {"sim.duration=150us", "sim.warmup=10us", "traffic[0].duration=100us"}},
    {"eunomia_fat_tree",
     {"sim.duration=150us", "sim.warmup=10us", "traffic[0].duration=100us"},
     "1",
     {"2", "3", "4"}},
    {"eunomia_incast", {"sim.duration=150us", "sim.warmup=10us", "traffic[0].duration=100us"}},
    // Each rank finds all paths on its own, 2 s.
    {"eunomia_jellyfish",
     {"sim.duration=150us", "sim.warmup=10us", "traffic[0].duration=100us"},
     "1",
     {"3"}},
    {"eunomia_cosim", {"sim.duration=100us", "nic.ordering.level=model"}},
    // Events on links within a rank and between ranks.
    {"flow_list",
     {"event=[{action='delay', between=['leaf0','spine1'], packet=2, count=2, delay='3 us'}, "
      "{action='duplicate', between=['spine1','leaf1'], packet=2}, {action='drop', nic='h5', "
      "packet=4}, {action='corrupt', between=['leaf1','spine1'], packets='acks'}]"}},
    {"leaf_spine_256", {"sim.duration=6us"}},
    {"leaf_spine_256_nic", {"sim.duration=10us"}},
    {"longhaul",
     {"traffic[0].duration=100us", "traffic[0].load=0.9", "traffic[0].start=1200us",
      "sim.duration=3ms", "nic.handshake=true", "nic.handshake_lead=1ms",
      "two_sites.edge=edge_bicc", "two_sites.far_edge=edge_themis", "two_sites.tor=tor_annulus"}},
    {"longhaul_esw", {"sim.duration=1300us", "sim.warmup=50us", "traffic[0].start=10us"}},
    {"nic_cliff", {"sim.duration=60us", "sim.warmup=10us"}, "1024"},
    // A packet engine that works ahead, threads that post, CQEs, caches with misses under way.
    {"questions/q1_message_rate",
     {"sim.duration=120us", "sim.warmup=10us", "traffic[1].from=['b']", "traffic[1].to=['a']",
      "nic.cache={queue_pair={entries=32, ways=4}, translation={entries=16}, misses=2}"}},
    {"themis_256", {"sim.duration=12us"}},
    {"themis_fat_tree", {"sim.duration=25us", "sim.warmup=5us"}},
    {"themis_testbed", {"sim.duration=100us"}},
    {"themis_tor", {"sim.duration=60us", "sim.warmup=10us"}},
};

class Ranks : public ::testing::TestWithParam<Shipped> {};

Words words_of(const Workplace& place, const Shipped& shipped) {
  Words words = {"run",    HORAE_PLATFORM_DIR "/" + shipped.name + ".toml",
                 "--json", "--no-progress",
                 "--out",  "alone"};
  words = with_settings(words, shipped.settings);
  if (ordered_json::parse(run(place, {"config", words[1], "--json"}).out)["config"].contains(
          "sweep"))
    words.insert(words.end(), {"--point", shipped.point});
  return words;
}

// A run prints and writes the same as `alone`, whose folder is "alone".
void expect_same(const Workplace& place, const Ended& alone, Words words, const Words& together) {
  words[5] = "together" + together.back();
  words.insert(words.end(), together.begin(), together.end());
  const Ended ended = run(place, words);
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  EXPECT_EQ(without_wall_time(ended.json()).dump(1), without_wall_time(alone.json()).dump(1));
  for (const auto& name : place.content()) {
    if (!name.starts_with("alone/") || name.ends_with("summary.json")) continue;
    EXPECT_EQ(place.read(name), place.read(words[5] + name.substr(5))) << name;
  }
}

TEST_P(Ranks, DoNotShowInTheResults) {
  const Workplace place;
  if (without_mpi(place)) GTEST_SKIP() << "this build has no MPI";
  const Words words = words_of(place, GetParam());
  const Ended alone = run(place, words);
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  EXPECT_GT(alone.json()["packets"]["delivered"], 20);
  for (const std::string& ranks : GetParam().ranks)
    expect_same(place, alone, words, {"--ranks", ranks});
}

TEST_P(Ranks, ThreadsDoNotShowEither) {
  const Workplace place;
  const Words words = words_of(place, GetParam());
  const Ended alone = run(place, words);
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  for (const std::string threads : {"2", "5"})
    expect_same(place, alone, words, {"--threads-from", "0", "--threads", threads});
}

TEST(RanksOfARun, HaveThreadsOfTheirOwn) {
  const Workplace place;
  if (without_mpi(place)) GTEST_SKIP() << "this build has no MPI";
  const Words words = words_of(place, {"themis_tor", {"sim.duration=60us", "sim.warmup=10us"}});
  const Ended alone = run(place, words);
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  expect_same(place, alone, words, {"--ranks", "2", "--threads-from", "20", "--threads", "2"});
}

TEST(ThreadsOfARun, RefuseWhatOneThreadDoes) {
  const Workplace place;
  place.write("tiny.toml", tiny);
  const auto refused = [&](Words words) {
    words.insert(words.begin(), {"run", "--threads", "2"});
    const Ended ended = run(place, words);
    EXPECT_EQ(ended.exit_code, 2);
    return ended.err;
  };
  EXPECT_EQ(refused({"tiny.toml", "--trace", "--out", "out"}),
            "horae: --threads: --trace and other views are of a run of one thread\n");
  EXPECT_EQ(refused({HORAE_PLATFORM_DIR "/nic_cliff.toml"}),
            "horae: --threads is of one run: choose a point of the sweep by --point, or run its "
            "points at the same time by --jobs\n");
  EXPECT_NE(run(place, {"run", "tiny.toml", "--threads", "0"}).err.find("--threads"),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Shipped, Ranks, ::testing::ValuesIn(shipped), [](const auto& one) {
  return one.param.name.substr(one.param.name.find('/') + 1);
});

// Hosts follow a schedule, and wait, in the same way wherever they run. The binary
// schedule has the times of its text.
TEST(RanksOfARun, DoNotShowInASchedule) {
  const Workplace place;
  if (without_mpi(place)) GTEST_SKIP() << "this build has no MPI";
  const std::string shipped_schedule = HORAE_PLATFORM_DIR "/../traces/goal/ring_allreduce";
  place.write("p.toml", R"([platform]
name = "goal"
[sim]
duration = "20 ms"
stop = "finished"
[nic]
kind = "rnic"
[plain]
kind = "switch"
[link_default]
rate = "100 Gbps"
delay = "500 ns"
[leaf_spine]
leaves = 2
spines = 2
hosts_per_leaf = 2
host = "nic"
leaf = "plain"
spine = "plain"
[[traffic]]
kind = "goal"
file = ")" + shipped_schedule +
                            ".bin\"\n");
  const auto results = [&](Words more) {
    Words words = {"run", "p.toml", "--json", "--no-progress"};
    words.insert(words.end(), more.begin(), more.end());
    const Ended ended = run(place, words);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return without_wall_time(ended.json());
  };
  const auto alone = results({});
  EXPECT_EQ(alone["verdict"], "complete");
  EXPECT_EQ(alone["rows"]["schedules"][0]["format"], "binary");
  for (const char* ranks : {"2", "3"})
    EXPECT_EQ(results({"--ranks", ranks}).dump(1), alone.dump(1)) << ranks;
  const auto text = results({"--set", "traffic[0].file=" + shipped_schedule + ".goal"});
  EXPECT_EQ(text["results"].dump(1), alone["results"].dump(1));
}

TEST(RanksOfARun, AreRefusedWhereTheyCannotBe) {
  const Workplace place;
  if (without_mpi(place)) GTEST_SKIP() << "this build has no MPI";
  const auto refused = [&](Words more, const std::string& message) {
    Words words = {"run", "tiny.toml", "--ranks", "2", "--no-progress"};
    words.insert(words.end(), more.begin(), more.end());
    expect_refused(place, words, message);
  };
  refused({"--trace", "--out", "out"}, "--trace and other views are of a run of one rank");
  refused({"--set", "sim.scheduling=exact_wake"},
          "several ranks need windows: expected sim.scheduling = \"windowed\"");
  expect_refused(place, {"run", HORAE_PLATFORM_DIR "/nic_cliff.toml", "--ranks", "2"},
                 "several ranks are one run: choose a point of the sweep by --point, or run its "
                 "points at the same time by --jobs or scripts/explore");
  expect_refused(
      place, {"run", HORAE_PLATFORM_DIR "/bench/race_128.toml", "--ranks", "153"},
      "--ranks 153: expected at most 152, one for each device; the platform has 152 devices");
}

TEST(RanksOfARun, ConfigShowsAsManyAsThereAreDevicesAndNoMore) {
  const Workplace place;
  const std::string race = HORAE_PLATFORM_DIR "/bench/race_128.toml";
  // Nothing but JSON on standard output, although there is hardly a device for each.
  const auto partition =
      run(place, {"config", race, "--ranks", "128", "--json"}).json()["partition"];
  EXPECT_EQ(partition["ranks"].size(), 128u);
  expect_refused(
      place, {"config", race, "--ranks", "1000"},
      "--ranks 1000: expected at most 152, one for each device; the platform has 152 devices");
  expect_refused(place, {"config", race, "--ranks", "2", "--memory"},
                 "--ranks: expected without --memory");
}

TEST(RanksOfARun, AreShownByConfig) {
  const Workplace place;
  const auto partition =
      run(place, {"config", HORAE_PLATFORM_DIR "/leaf_spine_256.toml", "--ranks", "4", "--json"})
          .json()["partition"];
  ASSERT_EQ(partition["ranks"].size(), 4u);
  for (const auto& rank : partition["ranks"]) EXPECT_NEAR(rank["share"], 0.25, 0.02);
  // Hosts stay with their leaf.
  for (const auto& rank : partition["ranks"]) {
    int leaves = 0, hosts = 0;
    for (const std::string name : rank["devices"]) {
      leaves += name.starts_with("leaf") ? 1 : 0;
      hosts += name.starts_with("host") || name.starts_with("h") ? 1 : 0;
    }
    EXPECT_EQ(hosts, 16 * leaves);
  }
}

// The link between two sites is cut, and ranks exchange once in its delay.
TEST(RanksOfARun, CutLongLinks) {
  const Workplace place;
  place.write("sites.toml", R"([platform]
name = "sites"
[nic]
kind = "rnic"
[switch]
kind = "switch"
[[device]]
names = ["a0", "a1", "b0", "b1"]
profile = "nic"
[[device]]
names = ["a", "a_spine", "b", "b_spine"]
profile = "switch"
[[link]]
between = ["a0", "a"]
[[link]]
between = ["a1", "a"]
[[link]]
between = ["a", "a_spine"]
[[link]]
between = ["a_spine", "b_spine"]
delay = "300 us"
[[link]]
between = ["b_spine", "b"]
[[link]]
between = ["b0", "b"]
[[link]]
between = ["b1", "b"]
[[traffic]]
kind = "messages"
pattern = "pairs"
from = ["a0", "a1", "b0", "b1"]
to = ["b0", "b1", "a0", "a1"]
)");
  const Ended ended = run(place, {"config", "sites.toml", "--ranks", "2", "--json"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const auto partition = ended.json()["partition"];
  EXPECT_EQ(partition["period_ps"], 300'000'000);
  EXPECT_EQ(partition["cut_links"], 1);
  EXPECT_EQ(partition["ranks"][0]["devices"], Words({"a0", "a1", "a", "a_spine"}));
}

}  // namespace
}  // namespace horae::test
