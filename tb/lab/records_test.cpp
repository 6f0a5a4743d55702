// Records of runs, their sum, and how they come out of child processes.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cmath>
#include <string>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/lab/runs.hpp"
#include "horae/results/children.hpp"

namespace horae::lab::records_test {
namespace {

using nlohmann::ordered_json;

/// Numbers of which no two are equal.
RunRecord record(std::uint64_t n) {
  RunRecord r;
  r.key = "key" + std::to_string(n);
  r.verdict = "complete";
  r.results = {{"senders.tx_share", 0.5 + static_cast<double>(n)}, {"fct.mean", 7.25}};
  r.sim_time_ps = static_cast<std::int64_t>(1000 * n + 1);
  r.events = 1000 * n + 2;
  r.packet_hops = 1000 * n + 3;
  r.packets = {{"created", 1000 * n + 4},
               {"delivered", 1000 * n + 5},
               {"dropped", {{"link_loss", 1000 * n + 6}, {"queue_full", 1000 * n + 7}}},
               {"in_flight", 1000 * n + 8}};
  return r;
}

TEST(RunRecords, AreReadAsTheyAreWritten) {
  const RunRecord r = record(3);
  const RunRecord again = RunRecord::from_json(ordered_json::parse(r.to_json().dump()));
  EXPECT_EQ(again.to_json().dump(), r.to_json().dump());
  EXPECT_EQ(again.verdict, r.verdict);
  EXPECT_EQ(again.results, r.results);
  EXPECT_EQ(again.sim_time_ps, r.sim_time_ps);
  EXPECT_EQ(again.events, r.events);
  EXPECT_EQ(again.packet_hops, r.packet_hops);
  EXPECT_EQ(again.packets, r.packets);
}

TEST(RunRecords, HaveTheValuesOfTheirResults) {
  RunRecord r = record(1);
  EXPECT_EQ(r.value("senders.tx_share"), 1.5);
  EXPECT_TRUE(std::isnan(r.value("senders.tx_rate")));
  r.verdict = "stuck";
  EXPECT_TRUE(std::isnan(r.value("senders.tx_share")));
}

TEST(RunRecords, AddUp) {
  RunTotals sum;
  sum.add(record(1));
  sum.add(record(20));
  EXPECT_EQ(sum.sim_time_ps, 21'002);
  EXPECT_EQ(sum.events, 21'004u);
  EXPECT_EQ(sum.packet_hops, 21'006u);
  EXPECT_EQ(sum.created, 21'008u);
  EXPECT_EQ(sum.delivered, 21'010u);
  EXPECT_EQ(sum.dropped.at("link_loss"), 21'012u);
  EXPECT_EQ(sum.dropped.at("queue_full"), 21'014u);
  EXPECT_EQ(sum.in_flight, 21'016u);
  RunRecord without = record(5);
  without.packets = nullptr;
  sum.add(without);
  EXPECT_EQ(sum.events, 26'006u);
  EXPECT_EQ(sum.created, 21'008u);
}

TEST(CsvText, DoublesItsQuotes) {
  EXPECT_EQ(csv_text(""), R"("")");
  EXPECT_EQ(csv_text("a, b"), R"("a, b")");
  EXPECT_EQ(csv_text("\"a\" b"), R"("""a"" b")");
  EXPECT_EQ(csv_text("\"\""), R"("""""")");
}

results::Task task(const std::string& title, std::function<ordered_json()> work) {
  return {title, {"f.toml", 3, 1, {}}, std::move(work)};
}

// Far more than a pipe holds, and more than is read at once.
TEST(Children, ResultsOfAnySizeComeInTheirOrder) {
  std::vector<results::Task> tasks;
  const auto text = [](std::size_t i) {
    return std::string(i % 2 == 0 ? 1'000'000 + i : i, static_cast<char>('a' + i));
  };
  for (std::size_t i = 0; i < 5; ++i)
    tasks.push_back(task("task", [i, &text] { return ordered_json(text(i)); }));
  for (const unsigned jobs : {1u, 2u, 8u}) {
    std::size_t last = 0;
    const auto results = results::in_children(tasks, jobs, [&](std::size_t done) {
      EXPECT_GE(done, last);
      last = done;
    });
    ASSERT_EQ(results.size(), tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) EXPECT_EQ(results[i], text(i));
    EXPECT_EQ(last, tasks.size());
  }
}

TEST(Children, WhatOneThrowsIsThrownWithItsTitle) {
  const auto thrown = [](std::function<ordered_json()> work) -> std::string {
    try {
      results::in_children(
          {task("point 'a'", [] { return ordered_json(1); }), task("point 'b'", std::move(work))},
          2);
    } catch (const InputError& e) {
      return std::string("input: ") + e.what();
    } catch (const ModelError& e) {
      return std::string("model: ") + e.what();
    }
    return "nothing";
  };
  EXPECT_EQ(thrown([]() -> ordered_json { throw InputError("bad"); }),
            "input: f.toml:3:1: point 'b': bad");
  EXPECT_EQ(thrown([]() -> ordered_json { throw ModelError("broken"); }),
            "model: point 'b': broken");
  EXPECT_EQ(thrown([]() -> ordered_json { ::_exit(5); }),
            "model: point 'b': the run ended with status 5 and no result");
  EXPECT_EQ(thrown([]() -> ordered_json {
              ::raise(SIGKILL);
              return 0;
            }),
            "model: point 'b': the run ended with signal 9 and no result");
}

}  // namespace
}  // namespace horae::lab::records_test
