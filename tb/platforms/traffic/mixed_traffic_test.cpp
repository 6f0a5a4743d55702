// Messages of several sizes, in batches, both ways; and results of one traffic among others.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "csv.hpp"
#include "run_parts.hpp"

namespace horae::test::mixed_traffic_test {
namespace {

/// Two NICs on a wire; `traffic` is the rest of the text.
std::string two_nics(const std::string& traffic) {
  return R"([platform]
name = "two"
[sim]
duration = "1 ms"
[nic]
kind = "rnic"
[[device]]
names = ["a", "b"]
profile = "nic"
[link_default]
rate = "100 Gbps"
delay = "500 ns"
[[link]]
between = ["a", "b"]
)" + traffic;
}

const std::string one_way = R"([[traffic]]
name = "one"
kind = "messages"
from = ["a"]
to = ["b"]
)";

ordered_json summary(const Workplace& place, const std::string& traffic, const Words& more = {}) {
  place.write("p.toml", two_nics(traffic));
  Words words = {"run", "p.toml", "--json", "--no-progress", "--out", "out"};
  words.insert(words.end(), more.begin(), more.end());
  const Ended ended = run(place, words);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return ended.json();
}

std::uint64_t bytes_of(const Workplace& place) {
  return std::stoull(rows_of(place.read("out/flows.csv")).at(0).at("bytes_completed"));
}

TEST(MixedTraffic, CyclicSizesComeAsOftenAsTheirWeights) {
  const Workplace place;
  const std::string sizes = "sizes = [\"100 B\", \"3000 B\", \"20 B\"]\n";
  summary(place, one_way + sizes + "weights = [3, 1, 2]\ncount = 60\n");
  EXPECT_EQ(bytes_of(place), 30u * 100 + 10 * 3000 + 20 * 20);
  summary(place, one_way + sizes + "count = 61\n");
  EXPECT_EQ(bytes_of(place), 21u * 100 + 20 * 3000 + 20 * 20);
}

TEST(MixedTraffic, DrawnSizesAreInProportionAndByTheSeed) {
  const Workplace place;
  const std::string drawn =
      one_way +
      "sizes = [\"1000 B\", \"2 B\"]\nweights = [1, 3]\nsize_order = \"drawn\"\ncount = 4000\n";
  summary(place, drawn);
  const auto first = bytes_of(place);
  // 1000 of 4000, six standard deviations of 27 either way.
  EXPECT_NEAR(static_cast<double>(first), 1000 * 1000 + 3000 * 2, 170 * 998);
  summary(place, drawn);
  EXPECT_EQ(bytes_of(place), first);
  summary(place, drawn, {"--set", "sim.seed=2"});
  EXPECT_NE(bytes_of(place), first);
}

TEST(MixedTraffic, OneSizeIsAsThoughItWereTheMessage) {
  const Workplace place;
  const auto results = [&](const std::string& text) {
    return summary(place, one_way + text + "depth = 8\n").at("results");
  };
  EXPECT_EQ(results("sizes = [\"5000 B\"]\n"), results("message = \"5000 B\"\n"));
}

// A batch goes when the one before is completed: so many messages each round trip. Of one message
// it is what a depth of one is.
TEST(MixedTraffic, BatchesWaitForEachOther) {
  const Workplace place;
  const auto rate = [&](const std::string& text) {
    return result(summary(place, one_way + "message = \"64 B\"\n" + text),
                  "traffic.one.message_rate");
  };
  const double single = rate("depth = 1\n");
  EXPECT_EQ(rate("batch = 1\ndepth = 16\n"), single);
  const double eight = rate("batch = 8\ndepth = 16\n");
  EXPECT_LT(eight, 8 * single);
  EXPECT_GT(eight, 5 * single);
  EXPECT_LT(eight, rate("depth = 8\n") * 1.001);
}

// A sender visits its queue pairs in turn: 4 writes on each of 3, then again. In closed form: at
// the wire messages come in that order, and a round begins when that of before is completed, its
// first visit first.
TEST(MixedTraffic, ASenderVisitsItsQueuePairsInTurn) {
  const Workplace place;
  place.write("p.toml", two_nics(one_way + "message = \"64 B\"\nbatch = 4\nqps = 3\ncount = 20\n"));
  const Ended ended = run(
      place, {"run", "p.toml", "--json", "--trace", "--out", "out", "--set", "nic.ack_messages=4",
              "--set", "sim.stop=finished", "--set", "nic.shaping=quantum"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  std::vector<std::pair<double, int>> posted;  // when, of which flow
  const auto trace = place.read_json("out/trace.json");
  for (const auto& e : trace.at("traceEvents")) {
    if (e.value("cat", "") == "message" && e.value("ph", "") == "X")
      posted.emplace_back(e.at("ts").get<double>(), e.at("args").at("flow").get<int>());
  }
  ASSERT_EQ(posted.size(), 60u);
  std::sort(posted.begin(), posted.end());
  for (std::size_t i = 0; i < posted.size(); ++i)
    EXPECT_EQ(posted[i].second, static_cast<int>(i / 4 % 3)) << i;
  // Each visit but the first ones is at one time, later than the visit before it.
  for (std::size_t i = 12; i < posted.size(); ++i) {
    if (i % 4 == 0)
      EXPECT_GT(posted[i].first, posted[i - 1].first) << i;
    else
      EXPECT_EQ(posted[i].first, posted[i - 1].first) << i;
  }
}

TEST(MixedTraffic, BothWaysIsTwoPairs) {
  const Workplace place;
  const ordered_json both = summary(place, one_way + "both_ways = true\n");
  const ordered_json pairs = summary(place, R"([[traffic]]
name = "one"
kind = "messages"
from = ["a", "b"]
to = ["b", "a"]
)");
  EXPECT_EQ(both.at("results"), pairs.at("results"));
  const ordered_json single = summary(place, one_way);
  EXPECT_NEAR(result(both, "traffic.one.rate"), 2 * result(single, "traffic.one.rate"),
              0.1 * result(single, "traffic.one.rate"));
}

// Each message is answered, and each answer by the next: half of a round trip grows by what a way
// grows, and of several round trips under way each takes as long as alone.
TEST(MixedTraffic, APingPongTakesTwoWays) {
  const Workplace place;
  for (const std::string verb : {"write", "send"}) {
    SCOPED_TRACE(verb);
    const auto half = [&](const std::string& delay, const std::string& depth) {
      const ordered_json s =
          summary(place, one_way + "verb = \"" + verb + "\"\nmessage = \"8 B\"\nping_pong = true\n",
                  {"--set", "sim.duration=10ms", "--set", "sim.warmup=100us", "--set",
                   "link_default.delay=" + delay, "--set", "traffic[0].depth=" + depth});
      return 1 / result(s, "traffic.one.message_rate");
    };
    const double near = half("500ns", "1");
    EXPECT_GT(near, 0.5);
    EXPECT_LT(near, 2);
    EXPECT_NEAR(half("2500ns", "1"), near + 2, 0.003 * (near + 2));
    EXPECT_NEAR(half("2500ns", "3"), (near + 2) / 3, 0.003 * (near + 2));
  }
  // Neither end is ever more than a message ahead, and the first is a's.
  summary(place, one_way + "message = \"8 B\"\ncount = 7\ndepth = 1\nping_pong = true\n",
          {"--trace", "--set", "sim.stop=finished"});
  std::vector<std::pair<double, int>> posted;  // when, of which flow
  const auto trace = place.read_json("out/trace.json");
  for (const auto& e : trace.at("traceEvents")) {
    if (e.value("cat", "") == "message" && e.value("ph", "") == "X")
      posted.emplace_back(e.at("ts").get<double>(), e.at("args").at("flow").get<int>());
  }
  ASSERT_EQ(posted.size(), 14u);
  std::sort(posted.begin(), posted.end());
  for (std::size_t i = 0; i < posted.size(); ++i) {
    EXPECT_EQ(posted[i].second, static_cast<int>(i % 2)) << i;
    // Not at once: it answers the one before, a way later.
    if (i == 0) continue;
    EXPECT_GT(posted[i].first, posted[i - 1].first + 0.5) << i;
  }
}

// The sum over traffic is what there is in all, and each has its own latency.
TEST(MixedTraffic, EachTrafficHasItsResults) {
  const Workplace place;
  const std::string traffic = one_way + "message = \"1 MB\"\ndepth = 2\n" + R"([[traffic]]
name = "probe"
kind = "messages"
from = ["a"]
to = ["b"]
message = "8 B"
depth = 1
[[traffic]]
kind = "messages"
from = ["b"]
to = ["a"]
)";
  const ordered_json s = summary(place, traffic, {"--set", "sim.warmup=200us"});
  EXPECT_GT(result(s, "traffic.one.latency_p50"), 5 * result(s, "traffic.probe.latency_p50"));
  EXPECT_LE(result(s, "traffic.probe.latency_p50"), result(s, "traffic.probe.latency_p99"));
  // All of it is the large ones': one of two has nothing.
  EXPECT_NEAR(result(s, "connections.fairness"), 0.5, 0.02);
  EXPECT_NEAR(result(summary(place, one_way + "qps = 4\n"), "connections.fairness"), 1, 1e-3);
  // For two receivers the mean is published, for each traffic the sum.
  const ordered_json both =
      summary(place, one_way + "both_ways = true\n", {"--set", "sim.warmup=200us"});
  EXPECT_NEAR(result(both, "traffic.one.rate"), 2 * result(both, "receivers.delivered_rate"), 1e-9);
  unsigned named = 0;
  for (const auto& [name, value] : s.at("results").items())
    named += name.starts_with("traffic.") ? 1 : 0;
  EXPECT_EQ(named, 14u);
}

struct Bad {
  std::string keys, message;
};
TEST(MixedTraffic, WhatDoesNotGoTogetherIsOneLine) {
  const Workplace place;
  const std::string alone =
      "; expected one queue pair each way between two NICs that are in no other pair of the table, "
      "of WRITEs or SENDs of one size";
  const std::vector<Bad> all = {
      {"ping_pong = true\nboth_ways = true\n", "ping_pong with both_ways" + alone},
      {"ping_pong = true\nbatch = 2\n", "ping_pong with batch" + alone},
      {"ping_pong = true\nsizes = [\"8 B\"]\n", "ping_pong with sizes" + alone},
      {"ping_pong = true\nverbs = [\"write\", \"send\"]\n", "ping_pong with verbs" + alone},
      {"ping_pong = true\nverb = \"read\"\n", "ping_pong with READs or atomics" + alone},
      {"ping_pong = true\nqps = 2\n", "ping_pong with qps = 2" + alone},
      {"weights = [1]\n", "weights is of 'sizes', which is not given"},
      {"size_order = \"drawn\"\n", "size_order is of 'sizes', which is not given"},
      {"sizes = []\n", "sizes = []; expected one or more"},
      {"sizes = [\"8 B\"]\nmessage = \"8 B\"\n", "message beside 'sizes'; expected one of the two"},
      {"sizes = [\"8 B\"]\nweights = [1, 2]\n", "2 weights for 1 sizes; expected one for each"},
      {"batch = 9\ndepth = 8\n", "batch = 9 is above depth = 8: it would never be posted"},
  };
  for (const Bad& bad : all) {
    place.write("p.toml", two_nics(one_way + bad.keys));
    const Ended ended = run(place, {"run", "p.toml"});
    EXPECT_EQ(ended.exit_code, 2) << bad.message;
    EXPECT_NE(ended.err.find(bad.message), std::string::npos) << ended.err;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  }
}

TEST(MixedTraffic, APingPongHasItsNicsAlone) {
  const Workplace place;
  place.write("p.toml", two_nics(one_way + "ping_pong = true\n"));
  const Ended ended = run(place, {"run", "p.toml", "--set", "traffic[0].from=[\"a\", \"b\"]",
                                  "--set", "traffic[0].to=[\"b\", \"a\"]"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_NE(ended.err.find("ping_pong with 'b' in two pairs; expected one queue pair each way"),
            std::string::npos)
      << ended.err;
}

TEST(MixedTraffic, NamesAreWordsAndDiffer) {
  const Workplace place;
  place.write("p.toml", two_nics(one_way + one_way));
  Ended ended = run(place, {"run", "p.toml"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_NE(ended.err.find("name = \"one\" is that of traffic[0]; expected another one"),
            std::string::npos)
      << ended.err;
  place.write("p.toml", two_nics(one_way));
  ended = run(place, {"run", "p.toml", "--set", "traffic[0].name=a.b"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_NE(ended.err.find("expected letters, digits and _"), std::string::npos) << ended.err;
}

}  // namespace
}  // namespace horae::test::mixed_traffic_test
