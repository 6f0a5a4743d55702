// flows.csv and series.csv: they sum up to what the summary says.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "csv.hpp"
#include "run_parts.hpp"

namespace horae::test::run_series_test {
namespace {

TEST(Flows, CountTheBytesThatWereDelivered) {
  const Workplace place;
  place.write("p.toml", tiny);
  ASSERT_EQ(run(place, {"run", "p.toml", "--out", "out", "--set", "sim.stop=finished", "--set",
                        "traffic[0].count=5", "--set", "traffic[0].qps=3", "--set",
                        "link[0].loss=0.05", "--set", "sim.duration=5ms"})
                .exit_code,
            0);
  const ordered_json s = place.read_json("out/summary.json");
  ASSERT_EQ(s.at("verdict"), "complete");
  EXPECT_GT(s.at("packets").at("dropped").at("link_loss"), 0);
  const auto flows = rows_of(place.read("out/flows.csv"));
  ASSERT_EQ(flows.size(), 3u);
  double completed = 0;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const Row& flow = flows[i];
    EXPECT_EQ(flow.at("flow"), std::to_string(i));
    EXPECT_EQ(flow.at("sender"), "a");
    EXPECT_EQ(flow.at("receiver"), "b");
    EXPECT_EQ(flow.at("messages_posted"), "5");
    EXPECT_EQ(flow.at("messages_completed"), "5");
    EXPECT_EQ(flow.at("bytes_completed"), "20480");
    EXPECT_EQ(flow.at("bytes_delivered"), "20480");
    const double first = std::stod(flow.at("first_post_us"));
    const double last = std::stod(flow.at("last_completion_us"));
    EXPECT_NEAR(std::stod(flow.at("mean_rate_gbps")), 20480 * 8e-3 / (last - first), 1e-4);
    completed += 5;
  }
  EXPECT_EQ(result(s, "senders.messages_completed"), completed);
}

TEST(Series, SumsUpToTheRun) {
  const Workplace place;
  place.write("p.toml", lossy);
  ASSERT_EQ(run(place, {"run", "p.toml", "--out", "out"}).exit_code, 0);
  double bits = 0;
  std::set<std::string> times;
  for (const Row& sample : rows_of(place.read("out/series.csv"))) {
    times.insert(sample.at("time_us"));
    EXPECT_EQ(sample.at("window_us"), "10.000000");
    if (sample.at("object") != "c" || sample.at("quantity") != "delivered_rate") continue;
    EXPECT_EQ(sample.at("unit"), "Gbps");
    bits += std::stod(sample.at("value")) * 10e3;
  }
  EXPECT_EQ(times, (std::set<std::string>{"10.000000", "20.000000", "30.000000", "40.000000",
                                          "50.000000", "60.000000"}));
  const double delivered = place.read_json("out/summary.json")
                               .at("statistics")
                               .at("c")
                               .at("delivered_bytes")
                               .at("value")
                               .get<double>();
  EXPECT_GT(delivered, 0);
  EXPECT_NEAR(bits / 8, delivered, delivered * 1e-4);
}

// Found by random platforms: a run of which messages are to be finished ended at the first sample
// behind the last of them.
TEST(Series, ChangesNoResult) {
  const Workplace place;
  place.write("p.toml", tiny);
  const Words finished = {"sim.stop=finished", "traffic[0].count=3", "sim.duration=1ms"};
  const ordered_json without = summary_of(place, "p.toml", finished);
  for (const char* sample : {"sim.sample=177ns", "sim.sample=1us"}) {
    Words sampled = finished;
    sampled.push_back(sample);
    const ordered_json with = summary_of(place, "p.toml", sampled);
    for (const char* part : {"sim_time_ps", "results", "packets", "statistics"})
      EXPECT_EQ(with.at(part), without.at(part)) << sample << " " << part;
  }
}

// Two connections share a link: what each moved sums up to what it completed, and asking
// changes nothing else.
TEST(Series, OfFlowsSumUpToThemAndChangeNothing) {
  const Workplace place;
  place.write("p.toml", tiny);
  const auto series = [&](const std::string& asked, const std::string& out) {
    EXPECT_EQ(run(place, {"run", "p.toml", "--out", out, "--set", "sim.stop=finished", "--set",
                          "traffic[0].count=40", "--set", "traffic[0].qps=2", "--set",
                          "sim.duration=5ms", "--set", "sim.sample=1us", "--set",
                          "nic.congestion.algorithm=dcqcn", "--set", "sim.sample_flows=" + asked})
                  .exit_code,
              0);
    return rows_of(place.read(out + "/series.csv"));
  };
  const auto with = series("true", "with"), without = series("false", "without");
  EXPECT_EQ(place.read("with/flows.csv"), place.read("without/flows.csv"));
  std::map<std::string, double> acked, delivered;
  std::set<std::string> quantities;
  std::vector<Row> others;
  for (const Row& row : with) {
    const std::string& object = row.at("object");
    if (!object.starts_with("flow")) {
      others.push_back(row);
      continue;
    }
    quantities.insert(row.at("quantity") + " " + row.at("unit"));
    const double bytes = std::stod(row.at("value")) * std::stod(row.at("window_us")) * 125;
    if (row.at("quantity") == "acked_rate") acked[object] += bytes;
    if (row.at("quantity") == "delivered_rate") delivered[object] += bytes;
  }
  EXPECT_EQ(others, without);
  EXPECT_EQ(quantities,
            (std::set<std::string>{"acked_rate Gbps", "allowed_rate Gbps", "delivered_rate Gbps",
                                   "unacked packets", "unsent packets"}));
  // Six digits of each sample; what was moved behind the last one is not in it.
  for (const auto& flow : rows_of(place.read("with/flows.csv"))) {
    const double bytes = std::stod(flow.at("bytes_completed"));
    EXPECT_NEAR(acked["flow" + flow.at("flow")], bytes, bytes * 0.1);
    EXPECT_NEAR(delivered["flow" + flow.at("flow")], bytes, bytes * 0.1);
  }
}

}  // namespace
}  // namespace horae::test::run_series_test
