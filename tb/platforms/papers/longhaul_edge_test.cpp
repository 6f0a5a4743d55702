// PNP and TRP at both edges of the long-haul paper's platform: what they gain, what their tables
// and loops hold, and that nothing is lost for it.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "csv.hpp"
#include "program.hpp"

namespace horae::test::longhaul_edge_test {
namespace {

/// The shipped platform with another edge: 70 % load for a millisecond, when daemons had the time
/// to tell of the first queue pairs.
std::string platform(const std::string& program) {
  std::ifstream file(std::string(HORAE_PLATFORM_DIR) + "/longhaul.toml");
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return text + R"([esw]
kind = "tofino"
chip = "tofino2"
cells = 4000000
mac_rx = "0 ns"
[esw.loopback]
rate = "1600 Gbps"
[esw.program]
name = "pnp_trp"
cnp_interval = "5 us"
)" + program;
}
const Words busy = {"traffic[0].load=0.7", "traffic[0].duration=1ms", "traffic[0].start=2ms",
                    "sim.sample=1ms"};

struct Outcome {
  ordered_json summary;
  std::vector<Row> series;
  double result(const std::string& name) const {
    return summary.at("results").at(name).at("value").get<double>();
  }
  double both(const std::string& counter) const {
    return result("edge0." + counter) + result("edge1." + counter);
  }
  double dropped(const std::string& cause) const {
    return summary.at("packets").at("dropped").at(cause).get<double>();
  }
};
Outcome run_busy(const std::string& program, const Words& settings) {
  const Workplace place;
  place.write("p.toml", platform(program));
  Words all = busy;
  all.insert(all.end(), settings.begin(), settings.end());
  const Ended ended = run(place, with_settings({"run", "p.toml", "--json", "--out", "out"}, all));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return {ended.json(), rows_of(place.read("out/series.csv"))};
}

TEST(LonghaulEdge, LocalFlowsGainAndNothingIsLost) {
  const Outcome plain = run_busy("", {});
  const Outcome themis = run_busy("", {"two_sites.edge=esw"});
  EXPECT_EQ(themis.summary.at("verdict"), "complete");
  EXPECT_LT(themis.result("sites.intra.slowdown_mean"),
            0.9 * plain.result("sites.intra.slowdown_mean"));
  EXPECT_GT(themis.both("program.cnps_made"), 0);
  EXPECT_GT(themis.both("program.packets_looped"), 0);
  EXPECT_GT(themis.both("most_loopback_held"), 0);
  for (const char* cause : {"queue_full", "buffer_full", "program"})
    EXPECT_EQ(themis.dropped(cause), 0) << cause;
  EXPECT_EQ(themis.both("program.copies_of_unknown_flows"), 0);
  EXPECT_EQ(themis.both("program.cnps_of_unknown_flows"), 0);
}

TEST(LonghaulEdge, TablesHoldWhatIsUnderWay) {
  const Outcome r = run_busy("", {"two_sites.edge=esw"});
  std::map<std::string, double> most, last;
  for (const Row& row : r.series) {
    if (row.at("quantity") != "entries") continue;
    last[row.at("object")] = std::stod(row.at("value"));
    most[row.at("object")] = std::max(most[row.at("object")], last[row.at("object")]);
  }
  for (const char* edge : {"edge0", "edge1"}) {
    const std::string table = std::string(edge) + ".pipe0.qp_field";
    EXPECT_GT(most.at(table), 0);
    EXPECT_LE(most.at(table), r.result(std::string(edge) + ".program.most_connections"));
    EXPECT_LT(last.at(table), most.at(table));
  }
  // Packets that do not fit are counted, and cost CNPs but no packets.
  const Outcome small = run_busy("qp_entries = 4\n", {"two_sites.edge=esw"});
  EXPECT_EQ(small.summary.at("verdict"), "complete");
  EXPECT_GT(small.both("program.connections_not_added"), 0);
  EXPECT_EQ(small.both("program.most_connections"), 8);
  EXPECT_EQ(small.dropped("program"), small.both("program.copies_of_unknown_flows"));
}

TEST(LonghaulEdge, ItsLoopPortsRateIsASeries) {
  const Outcome r = run_busy("", {"two_sites.edge=esw"});
  std::map<std::string, double> bytes;
  for (const Row& row : r.series) {
    if (row.at("quantity") == "offered_rate")
      bytes[row.at("object")] += std::stod(row.at("value")) * std::stod(row.at("window_us")) * 125;
  }
  for (const std::string edge : {"edge0", "edge1"}) {
    const double all = r.result(edge + ".recirculated_bytes");
    EXPECT_GT(all, 0);
    EXPECT_NEAR(bytes.at(edge + ".pipe0.loopback0"), all, all * 1e-5);
  }
}

TEST(LonghaulEdge, AFullLoopPortIsCounted) {
  const Outcome r = run_busy("", {"two_sites.edge=esw", "esw.loopback.limit=4KB"});
  EXPECT_EQ(r.summary.at("verdict"), "complete");  // go-back-N sends them again
  EXPECT_GT(r.both("dropped_loopback"), 0);
  EXPECT_EQ(r.dropped("queue_full"), r.both("dropped_loopback"));
  EXPECT_LE(std::max(r.result("edge0.most_loopback_held"), r.result("edge1.most_loopback_held")),
            4000);
}

TEST(LonghaulEdge, ResultsDoNotDependOnTheWindow) {
  const Outcome one = run_busy("", {"two_sites.edge=esw"});
  const Outcome other = run_busy("", {"two_sites.edge=esw", "sim.window=170ns"});
  EXPECT_EQ(one.summary.at("results"), other.summary.at("results"));
  EXPECT_EQ(one.series, other.series);
}

// With pauses of the chips' own and a buffer that the long link fills: leaves are held, nothing is
// lost, and results do not depend on the window.
TEST(LonghaulEdge, ChipsPauseAndNothingIsLost) {
  const Words tight = {"two_sites.edge=edge_themis_short", "two_sites.long_delay=1us",
                       "two_sites.long_rate=200Gbps", "edge_themis_short.cells=12000"};
  const Outcome r = run_busy("", tight);
  EXPECT_EQ(r.summary.at("verdict"), "complete");
  EXPECT_GT(r.both("pauses_sent"), 100);
  EXPECT_GT(r.result("switches.paused"), 0.01);
  EXPECT_GT(r.result("pauses.any_port"), 0.2);
  EXPECT_GT(r.both("program.packets_looped"), 0);
  EXPECT_EQ(r.both("dropped_headroom"), 0);
  for (const auto& [cause, n] : r.summary.at("packets").at("dropped").items())
    EXPECT_EQ(n, 0) << cause;
  Words other = tight;
  other.push_back("sim.window=170ns");
  EXPECT_EQ(run_busy("", other).summary.at("results"), r.summary.at("results"));
}

}  // namespace
}  // namespace horae::test::longhaul_edge_test
