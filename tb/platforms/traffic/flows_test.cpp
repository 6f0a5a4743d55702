// Open-loop messages on a platform: completion times, queries, what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "csv.hpp"
#include "networks.hpp"
#include "program.hpp"

namespace horae::test::flows_test {
namespace {

std::string clos(const std::string& traffic) { return eight_nics("20 ms", traffic); }

const std::string flows = R"(kind = "flows"
workload = "fbhadoop_hpcc"
load = 0.6
duration = "500 us"
)";

const std::string incast = R"(kind = "incast"
fan_in = 5
size = "20 KB"
load = 0.3
duration = "200 us"
)";

/// A run with a result folder "out".
ordered_json run_to(const Workplace& place, const std::string& out, const Words& settings = {}) {
  const Ended ended =
      run(place, with_settings({"run", "p.toml", "--json", "--out", out}, settings));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return ended.json();
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

TEST(FlowsPlatform, AloneTheyTakeTheIdealTime) {
  const Workplace place;
  place.write(
      "sizes.toml",
      "name = \"s\"\ndescription = \"s\"\nsource = \"s\"\npoint = [{size = 0, probability = "
      "0.0}, {size = 900, probability = 0.3}, {size = 20000, probability = 1.0}]\n");
  // So rare that they seldom meet; on 50 Gbps the last packet catches up with the one before.
  place.write("p.toml",
              clos("kind = \"flows\"\nworkload = \"sizes.toml\"\nload = 0.002\nduration = "
                   "\"8 ms\"\n[link_default]\nrate = \"50 Gbps\"\ndelay = \"1 us\"\n"));
  run_to(place, "out");
  int alone = 0, met = 0;
  for (const auto& row : rows_of(place.read("out/flows.csv"))) {
    // An ACK behind the one before it: some hundreds of picoseconds.
    const double late = std::stod(row.at("fct_us")) - std::stod(row.at("ideal_us"));
    EXPECT_GE(late, 0.0) << row.at("flow");
    ++(late < 0.001 ? alone : met);
  }
  EXPECT_GT(alone, 50);
  EXPECT_LT(met, alone / 5);
}

TEST(FlowsPlatform, ResultsAreThoseOfItsFlows) {
  const Workplace place;
  place.write("p.toml", clos(flows));
  const auto summary = run_to(place, "out", {"sim.warmup=100us"});
  EXPECT_EQ(summary.at("verdict"), "complete");
  std::vector<double> all, small, slow;
  std::vector<std::pair<double, double>> by_size;  // bytes, slowdown
  double before = 0;
  for (const auto& row : rows_of(place.read("out/flows.csv"))) {
    EXPECT_EQ(row.at("messages_completed"), "1");
    EXPECT_EQ(row.at("size_bytes"), row.at("bytes_completed"));
    EXPECT_GE(std::stod(row.at("slowdown")), 1.0);
    const double at = std::stod(row.at("first_post_us"));
    EXPECT_GE(at, before);
    before = at;
    if (at < 100.0) continue;
    all.push_back(std::stod(row.at("fct_us")));
    EXPECT_NEAR(all.back(), std::stod(row.at("last_completion_us")) - at, 2e-6);
    slow.push_back(std::stod(row.at("slowdown")));
    by_size.emplace_back(std::stod(row.at("size_bytes")), slow.back());
    if (std::stod(row.at("size_bytes")) <= 10'000) small.push_back(all.back());
  }
  ASSERT_GT(all.size(), 100u);
  EXPECT_EQ(result(summary, "fct.completed"), static_cast<double>(all.size()));
  EXPECT_EQ(result(summary, "fct.unfinished"), 0);
  EXPECT_NEAR(result(summary, "fct.mean"), mean_of(all), 1e-5);
  EXPECT_NEAR(result(summary, "fct.upto_10KB.mean"), mean_of(small), 1e-5);
  EXPECT_NEAR(result(summary, "fct.slowdown_mean"), mean_of(slow), 1e-4);
  std::sort(all.begin(), all.end());
  const auto rank = static_cast<std::size_t>(std::ceil(0.99 * static_cast<double>(all.size())));
  EXPECT_NEAR(result(summary, "fct.p99"), all[rank - 1], 1e-5);
  EXPECT_NEAR(result(summary, "fct.max"), all.back(), 1e-5);
  // Slowdown over size: equal groups that are all of them, with the percentiles of their own.
  const auto& groups = summary.at("rows").at("slowdown");
  ASSERT_EQ(groups.size(), 20u);
  std::stable_sort(by_size.begin(), by_size.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t begin = 0;
  for (const auto& group : groups) {
    const auto count = group.at("messages").get<std::size_t>();
    EXPECT_NEAR(static_cast<double>(count), static_cast<double>(by_size.size()) / 20, 1);
    std::vector<double> own;
    for (std::size_t i = begin; i < begin + count; ++i) own.push_back(by_size.at(i).second);
    begin += count;
    EXPECT_EQ(group.at("upto_bytes").get<double>(), by_size[begin - 1].first);
    std::sort(own.begin(), own.end());
    for (const auto& [name, share] : {std::pair{"slowdown_p50", 0.5}, {"slowdown_p95", 0.95}}) {
      const auto nth = static_cast<std::size_t>(std::ceil(share * static_cast<double>(count)));
      EXPECT_NEAR(group.at(name).get<double>(), own[nth - 1], 1e-4);
    }
  }
  EXPECT_EQ(begin, all.size());
  EXPECT_EQ(groups.back().at("share_of_messages"), 1.0);
  const auto& bins = summary.at("rows").at("size_bins");
  ASSERT_EQ(bins.size(), 3u);
  EXPECT_EQ(bins[0].at("messages"), small.size());
  EXPECT_TRUE(bins[2].at("upto_bytes").is_null());
}

TEST(FlowsPlatform, SprayingReordersAndOnePathDoesNot) {
  const Workplace place;
  place.write("p.toml", clos(flows));
  const Words ordered = {"nic.ordering.engine=ideal"};
  const auto one = summary_of(place, "p.toml", ordered);
  EXPECT_EQ(result(one, "fct.out_of_order"), 0);
  EXPECT_EQ(result(one, "fct.reorder_max"), 0);
  const Words spray = {ordered.front(), "switch.balance=spray"};
  const auto many = summary_of(place, "p.toml", spray);
  EXPECT_GT(result(many, "fct.out_of_order"), 0.001);
  EXPECT_GE(result(many, "fct.reorder_max"), result(many, "fct.reorder_mean"));
  EXPECT_GE(result(many, "fct.reorder_mean"), 1.0);
  // A message of one packet has no order.
  EXPECT_LT(result(many, "fct.upto_10KB.reordered"), result(many, "fct.upto_1MB.reordered"));
}

TEST(FlowsPlatform, AQueryEndsWithItsLastFlow) {
  const Workplace place;
  place.write("p.toml", clos(incast));
  const auto summary = run_to(place, "out");
  const auto rows = rows_of(place.read("out/flows.csv"));
  ASSERT_EQ(rows.size() % 5, 0u);
  std::vector<double> qct;
  for (std::size_t q = 0; q < rows.size(); q += 5) {
    double last = 0;
    for (std::size_t i = q; i < q + 5; ++i) {
      EXPECT_EQ(rows[i].at("receiver"), rows[q].at("receiver"));
      EXPECT_EQ(rows[i].at("first_post_us"), rows[q].at("first_post_us"));
      last = std::max(last, std::stod(rows[i].at("fct_us")));
    }
    qct.push_back(last);
    // Five times 20 KB through one link of 100 Gbps.
    EXPECT_GT(last, 8.0);
  }
  ASSERT_GT(qct.size(), 5u);
  EXPECT_EQ(result(summary, "queries.completed"), static_cast<double>(qct.size()));
  EXPECT_NEAR(result(summary, "queries.qct_mean"), mean_of(qct), 1e-5);
  std::sort(qct.begin(), qct.end());
  const auto nearest = [&](std::size_t per_cent) {
    return qct.at((qct.size() * per_cent + 99) / 100 - 1);
  };
  EXPECT_NEAR(result(summary, "queries.qct_p50"), nearest(50), 1e-5);
  EXPECT_NEAR(result(summary, "queries.qct_p99"), nearest(99), 1e-5);
  EXPECT_EQ(result(summary, "queries.unfinished"), 0);

  // A warm-up that ends as the third query begins leaves out two. A run that ends in the last one
  // counts it as one that has not ended.
  const std::string third = rows.at(10).at("first_post_us");
  const auto late = summary_of(place, "p.toml", {"sim.warmup=" + third + "us"});
  EXPECT_EQ(result(late, "queries.completed"), result(summary, "queries.completed") - 2);
  const double last = std::stod(rows.back().at("first_post_us")) + 1;
  const auto cut = summary_of(place, "p.toml", {fmt::format("sim.duration={:.6f}us", last)});
  const double begun = result(summary, "queries.completed");
  const double open = result(cut, "queries.unfinished");
  EXPECT_GE(open, 1);
  EXPECT_EQ(result(cut, "queries.completed") + open, begun);
  const auto& p99 = cut.at("results").at("queries.qct_p99");
  EXPECT_TRUE(p99.at("value").is_null());
  EXPECT_EQ(p99.at("none"), fmt::format("{:.0f} of {:.0f} queries unfinished", open, begun));
}

TEST(FlowsPlatform, SameSeedSameBytesHoweverItIsScheduled) {
  const Workplace place;
  place.write("p.toml", clos(flows + "random_first_psn = true\n[[traffic]]\n" + incast));
  const auto csv = [&](const std::string& out, const std::string& set) {
    run_to(place, out, {set});
    return place.read(out + "/flows.csv");
  };
  const std::string first = csv("a", "sim.seed=5");
  EXPECT_EQ(first, csv("b", "sim.seed=5"));
  EXPECT_NE(first, csv("c", "sim.seed=6"));
  EXPECT_EQ(csv("d", "sim.scheduling=windowed"), csv("e", "sim.scheduling=exact_wake"));
}

TEST(FlowsPlatform, AConnectionThatIsOverHoldsNoBitmap) {
  const Workplace place;
  place.write("p.toml", clos("kind = \"flows\"\nworkload = \"alistorage2019\"\nload = "
                             "0.1\nduration = \"2 ms\"\n"));
  const auto summary = run_to(place, "out", {"nic.ordering.engine=static"});
  std::map<std::string, double> received;
  for (const auto& row : rows_of(place.read("out/flows.csv"))) ++received[row.at("receiver")];
  ASSERT_EQ(received.size(), 8u);
  // 41 bytes of each open connection; some 60 messages came one after the other.
  for (const auto& [nic, messages] : received) {
    EXPECT_GT(messages, 30) << nic;
    EXPECT_LT(result(summary, "ordering.bytes_max"), 41 * messages / 2) << nic;
  }
  EXPECT_LT(result(summary, "ordering.bytes_mean"), 41 * 3.0);
}

TEST(FlowsPlatform, BadInputIsOneLineWithItsPlace) {
  const auto refusal = [](const std::string& text, const Words& more) {
    const Workplace place;
    place.write("p.toml", text);
    Words arguments = {"run", "p.toml"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ended ended = run(place, arguments);
    EXPECT_EQ(ended.exit_code, 2) << ended.out;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    return ended.err;
  };
  const auto expect = [](const std::string& message, const std::string& part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect(refusal(clos(flows), {"--set", "traffic[0].workload=websarch"}),
         "did you mean 'websearch'?");
  expect(refusal(clos(flows), {"--set", "traffic[0].workload=mine.toml"}), "no such file");
  expect(refusal(clos(flows), {"--set", "traffic[0].members=['h0']"}),
         "1 NICs take part; expected 2 or more");
  expect(refusal(clos(incast), {"--set", "traffic[0].fan_in=8"}),
         "8 NICs take part; expected 9 or more");
  expect(refusal(clos(flows), {"--set", "sim.size_bins=['1 MB', '10 KB']"}),
         "size_bins: 10 KB after 1 MB; expected edges that rise");
  expect(refusal(clos(flows), {"--set", "traffic[0].duration=1s"}), "queue pairs; at most 65536");
  expect(refusal(clos(flows), {"--set", "traffic[0].laod=0.5"}), "did you mean 'load'?");
  expect(refusal(clos("kind = \"flow\"\n"), {}), "did you mean 'flows'?");
}

}  // namespace
}  // namespace horae::test::flows_test
