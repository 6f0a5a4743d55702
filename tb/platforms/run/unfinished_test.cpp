// Messages that are not completed when a run ends belong to every distribution: a figure that they
// could change is none, with what it is at least; shown, not left out.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "program.hpp"

namespace horae::test::unfinished_test {
namespace {

using nlohmann::json;

// Four senders with a link each to one receiver; that of h3 is down from 100 us on. The run ends at
// 1 ms.
const std::string star = R"([platform]
name = "star"
[sim]
duration = "1 ms"
stop = "finished"
size_bins = ["1 KB"]
[nic]
kind = "rnic"
transport = "timeout_only"
[switch]
kind = "switch"
[[device]]
names = ["h0", "h1", "h2", "h3", "h4"]
profile = "nic"
[[device]]
names = ["s"]
profile = "switch"
[[link]]
between = ["h0", "s"]
[[link]]
between = ["h1", "s"]
[[link]]
between = ["h2", "s"]
[[link]]
between = ["h3", "s"]
outage = [{ from = "100 us", to = "1 ms" }]
[[link]]
between = ["h4", "s"]
[[traffic]]
kind = "flow_list"
file = "flows.csv"
from = "0 s"
)";

struct Place : Workplace {
  /// Messages as "start_ns,source,bytes"; all go to h4.
  explicit Place(const std::vector<std::string>& messages) {
    write("star.toml", star);
    std::string csv = "start_ns,source,destination,bytes\n";
    for (const std::string& m : messages) {
      const auto first = m.find(','), second = m.find(',', first + 1);
      csv += m.substr(0, second) + ",h4" + m.substr(second) + "\n";
    }
    write("flows.csv", csv);
  }
  json results(const Words& more = {}) const {
    Words w = {"run", "star.toml", "--json", "--no-progress"};
    w.insert(w.end(), more.begin(), more.end());
    return run(*this, w).json();
  }
};

/// Three messages of one size that do not meet, and the same from h3 at 200 us: it waits 800 us.
const std::vector<std::string> one_of_four = {"0,h0,1000", "10000,h1,1000", "20000,h2,1000",
                                              "200000,h3,1000"};

TEST(Unfinished, AFigureThatTheyCouldChangeIsNoneWithItsLeast) {
  const json summary = Place(one_of_four).results();
  const json& r = summary["results"];
  EXPECT_EQ(summary["verdict"], "timeout");
  EXPECT_EQ(r["fct.completed"]["value"], 3);
  EXPECT_EQ(r["fct.unfinished"]["value"], 1);
  // The second of four is one of three equal ones, whatever becomes of the fourth.
  const double each = r["fct.p50"]["value"].get<double>();
  EXPECT_GT(each, 1);
  EXPECT_LT(each, 20);
  for (const std::string name : {"fct.p99", "fct.p99_9", "fct.max"}) {
    EXPECT_TRUE(r[name]["value"].is_null()) << name;
    EXPECT_EQ(r[name]["none"], "1 of 4 messages unfinished") << name;
    EXPECT_NEAR(r[name]["at_least"].get<double>(), 800, 1e-9) << name;
  }
  EXPECT_TRUE(r["fct.mean"]["value"].is_null());
  EXPECT_NEAR(r["fct.mean"]["at_least"].get<double>(), (3 * each + 800) / 4, 1e-9);
  EXPECT_NEAR(r["fct.upto_1KB.mean"]["at_least"].get<double>(), (3 * each + 800) / 4, 1e-9);
  EXPECT_EQ(r["fct.above_1KB.mean"].size(), 2u);  // no message, so no reason
  EXPECT_TRUE(r["fct.slowdown_p99"]["value"].is_null());
  EXPECT_NEAR(r["fct.slowdown_p99"]["at_least"].get<double>() * each /
                  r["fct.slowdown_mean"]["at_least"].get<double>(),
              800 * each * 4 / (3 * each + 800), 1e-6);
  // Connections of one message each say the same.
  EXPECT_TRUE(r["flows.fct_p50"]["value"].is_null());
  EXPECT_EQ(r["flows.fct_mean"]["none"], "1 of 4 connections unfinished");
  EXPECT_NEAR(r["flows.fct_max"]["at_least"].get<double>(), 800, 1e-9);

  const json& bin = summary["rows"]["size_bins"][0];
  EXPECT_EQ(bin["unfinished"], 1);
  EXPECT_TRUE(bin["fct_mean_us"].is_null());
  EXPECT_TRUE(bin["fct_p99_us"].is_null());
  EXPECT_EQ(bin["fct_p99_us_at_least"], r["fct.upto_1KB.p99"]["at_least"]);
  EXPECT_EQ(bin["fct_mean_us_at_least"], r["fct.upto_1KB.mean"]["at_least"]);
  EXPECT_EQ(bin["slowdown_mean_at_least"], r["fct.upto_1KB.slowdown_mean"]["at_least"]);
  EXPECT_EQ(bin["slowdown_p99_at_least"], r["fct.upto_1KB.slowdown_p99"]["at_least"]);
  // Groups of slowdown_rows have a message each here: the last one has none.
  const json& groups = summary["rows"]["slowdown"];
  ASSERT_EQ(groups.size(), 4u);
  EXPECT_TRUE(groups[0]["slowdown_p50"].is_number());
  EXPECT_FALSE(groups[0].contains("slowdown_p50_at_least"));
  EXPECT_TRUE(groups[3]["slowdown_p50"].is_null());
  EXPECT_EQ(groups[3]["slowdown_p50_at_least"], r["fct.slowdown_p99"]["at_least"]);
}

TEST(Unfinished, OneThatHasWaitedLessThanOthersTookCouldChangeMore) {
  // The large messages of h0 to h2 take longer than the one of h3 has waited when the run ends.
  const std::vector<std::string> late = {"0,h0,1000000", "0,h1,1000000", "0,h2,1000000",
                                         "900000,h3,1000"};
  const json r = Place(late).results()["results"];
  EXPECT_EQ(r["fct.unfinished"]["value"], 1);
  EXPECT_EQ(r["fct.completed"]["value"], 3);
  for (const std::string name : {"fct.p50", "fct.p99", "fct.max"}) {
    EXPECT_TRUE(r[name]["value"].is_null()) << name;
    EXPECT_GT(r[name]["at_least"].get<double>(), 100) << name;
  }
  EXPECT_EQ(r["flows.fct_max"]["at_least"], r["fct.max"]["at_least"]);
}

// A connection whose earlier messages have ended does not keep since when the next one waits.
TEST(Unfinished, OfLaterMessagesOfAConnectionTheLongestCompletedIsTheBound) {
  const Place place({"0,h0,1000"});
  const std::string traffic =
      "traffic=[{kind=\"messages\",from=[\"h3\"],to=[\"h4\"],message=\"100KB\",count=9}]";
  const json r = place.results(
      {"--set", traffic, "--set", "link[3].outage=[{from=\"30us\",to=\"9ms\"}]"})["results"];
  EXPECT_GT(r["senders.messages_completed"]["value"], 0);
  EXPECT_LT(r["senders.messages_completed"]["value"], 9);
  EXPECT_TRUE(r["flows.fct_max"]["value"].is_null());
  EXPECT_LT(r["flows.fct_max"]["at_least"].get<double>(), 31);
  EXPECT_GT(r["flows.fct_max"]["at_least"].get<double>(), 8);
}

TEST(Unfinished, WithoutThemEveryFigureIsANumber) {
  const json r = Place({"0,h0,1000", "10000,h1,1000"}).results()["results"];
  for (const std::string name :
       {"fct.mean", "fct.p50", "fct.p99", "fct.p99_9", "fct.max", "fct.slowdown_mean",
        "fct.slowdown_p99", "flows.fct_mean", "flows.fct_p50", "flows.fct_p99", "flows.fct_max"}) {
    EXPECT_TRUE(r[name]["value"].is_number()) << name;
    EXPECT_EQ(r[name].size(), 2u) << name;
  }
  EXPECT_EQ(r["fct.p99"], r["flows.fct_p99"]);
}

// Nearest ranks: of three messages the second is the median, the third all that lies above.
TEST(Unfinished, RanksAreTheNearest) {
  const Place place({"0,h0,1000", "100000,h1,100000", "200000,h2,200000"});
  const json r = place.results()["results"];
  const json alone[] = {Place({"0,h0,1000"}).results()["results"],
                        Place({"0,h0,100000"}).results()["results"],
                        Place({"0,h0,200000"}).results()["results"]};
  for (const std::string of : {"fct.", "flows.fct_"}) {
    EXPECT_EQ(r[of + "p50"]["value"], alone[1][of + "max"]["value"]) << of;
    EXPECT_EQ(r[of + "p99"]["value"], alone[2][of + "max"]["value"]) << of;
    EXPECT_EQ(r[of + "max"]["value"], alone[2][of + "max"]["value"]) << of;
  }
  EXPECT_EQ(r["fct.p99_9"]["value"], alone[2]["fct.max"]["value"]);
  // A message of 1 KB belongs to the bin up to 1 KB.
  EXPECT_EQ(r["fct.upto_1KB.completed"]["value"], 1);
  EXPECT_EQ(r["fct.above_1KB.completed"]["value"], 2);
}

// A message posted after the run ends does not belong to it.
TEST(Unfinished, OnesThatWereNotPostedAreNotAmongThem) {
  const json r =
      Place({"0,h0,1000", "10000,h1,1000", "600000,h2,1000"})
          .results({"--set", "sim.duration=500us", "--set", "sim.stop=duration"})["results"];
  EXPECT_EQ(r["fct.completed"]["value"], 2);
  EXPECT_EQ(r["fct.unfinished"]["value"], 0);
  EXPECT_TRUE(r["fct.mean"]["value"].is_number());
}

TEST(Unfinished, TheTextSaysTheBoundAndWhy) {
  const Place place(one_of_four);
  const Ended ended = run(place, {"run", "star.toml", "--no-progress"});
  EXPECT_NE(ended.out.find("fct.p99 "), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("> 800  us: 1 of 4 messages unfinished"), std::string::npos)
      << ended.out;
}

// flows.csv: the rate of what has not ended is that of what was delivered.
TEST(Unfinished, AFlowHasTheRateAtWhichItWasDelivered) {
  // From 1 us on, 4,000,000 bytes a message; at 100 us the link of h3 goes down.
  const Place place({"0,h3,4000000"});
  const Ended ended = run(place, {"run", "star.toml", "--no-progress", "--out", "out"});
  std::istringstream csv(place.read("out/flows.csv"));
  std::string head, line;
  std::getline(csv, head);
  std::getline(csv, line);
  std::vector<std::string> names, cells;
  std::istringstream of_head(head), of_line(line);
  for (std::string word; std::getline(of_head, word, ',');) names.push_back(word);
  for (std::string word; std::getline(of_line, word, ',');) cells.push_back(word);
  const auto cell = [&](const std::string& name) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) return cells.at(i);
    }
    return std::string("no such column");
  };
  const double delivered = std::stod(cell("bytes_delivered"));
  EXPECT_GT(delivered, 1e6);
  EXPECT_EQ(cell("messages_completed"), "0");
  EXPECT_NEAR(std::stod(cell("mean_rate_gbps")), delivered * 8 / 1e6, 1e-3);  // over 1 ms
}

}  // namespace
}  // namespace horae::test::unfinished_test
