// Two data centres on a platform: times over the long link, results by site, headroom of each
// port's own link, what the edge switches call remote.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "csv.hpp"
#include "horae/core/roce.hpp"
#include "horae/core/units.hpp"
#include "program.hpp"

namespace horae::test::two_sites_test {
namespace {

/// h0 to h3 in the first site, h4 to h7 in the second, two of them on each ToR.
std::string platform(const std::string& edge, const std::string& sites = "") {
  return R"([platform]
name = "sites"
[sim]
duration = "20 ms"
stop = "finished"
ideal = "base_rtt"
size_bins = ["10 KiB", "100 KiB"]
[nic]
kind = "rnic"
transport = "go_back_n"
mtu = "1000 B"
reliability = { window = 65536, ack_every = 1, ack_request_every = 0, rto = "50 ms" }
tx_latency = "0 ns"
rx_latency = "0 ns"
ack_traffic_class = 7
[plain]
kind = "switch"
latency = "0 ns"
control_class = 7
[edge]
)" + edge +
         R"(
[link_default]
rate = "100 Gbps"
delay = "1 us"
[two_sites]
tors = 2
leaves = 2
hosts_per_tor = 2
host = "nic"
tor = "plain"
leaf = "plain"
edge = "edge"
)" + sites +
         R"(
[[traffic]]
kind = "flow_list"
file = "list"
)";
}
const std::string plain_edge = "kind = \"switch\"\nlatency = \"0 ns\"\ncontrol_class = 7\n";

/// The summary, and flows.csv.
struct Outcome {
  ordered_json summary;
  std::vector<Row> flows;
  double result(const std::string& name) const {
    return summary.at("results").at(name).at("value").get<double>();
  }
};
Outcome run_flows(const std::string& text, const std::string& flows, const Words& settings = {}) {
  const Workplace place;
  place.write("p.toml", text);
  place.write("list", "start_ns,source,destination,bytes\n" + flows);
  const Ended ended =
      run(place, with_settings({"run", "p.toml", "--json", "--out", "out"}, settings));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return {ended.json(), rows_of(place.read("out/flows.csv"))};
}

// One flow of n packets alone: the first one takes its time at each link, the others follow it on
// the last one without a gap, then the last ACK goes back.
Picoseconds alone(int n, const std::vector<BitRate>& rates, Picoseconds delays) {
  const Bytes first = l1_bytes(frame_bytes(Opcode::write_first, 1000_B));
  const Bytes other = l1_bytes(frame_bytes(Opcode::write_middle, 1000_B));
  const Bytes ack = l1_bytes(frame_bytes(Opcode::acknowledge, 0_B));
  Picoseconds t = delays * 2 + serialisation_time(other, 100_Gbps) * (n - 1);
  for (const BitRate rate : rates)
    t += serialisation_time(first, rate) + serialisation_time(ack, rate);
  return t;
}
const std::vector<BitRate> within = {100_Gbps, 100_Gbps, 100_Gbps, 100_Gbps};
const std::vector<BitRate> across = {100_Gbps, 100_Gbps, 400_Gbps, 1600_Gbps,
                                     400_Gbps, 100_Gbps, 100_Gbps};

TEST(TwoSites, AFlowAloneTakesItsRoundTripAndItsPackets) {
  for (const int n : {2, 50, 12'000}) {
    const auto fct = [&](const char* to, const Words& settings = {}) {
      const Outcome r =
          run_flows(platform(plain_edge), fmt::format("0,h0,{},{}\n", to, n * 1000), settings);
      return r.flows.at(0).at("fct_us");
    };
    const auto text = [](Picoseconds t) { return fmt::format("{:.6f}", to_microseconds(t)); };
    EXPECT_EQ(fct("h2"), text(alone(n, within, 4_us)));
    EXPECT_EQ(fct("h4"), text(alone(n, across, 506_us)));
    EXPECT_EQ(fct("h4", {"two_sites.long_delay=1us"}), text(alone(n, across, 7_us)));
  }
}

// Four flows alone in time: slowdowns are known, so are their means and the line between the two
// largest.
TEST(TwoSites, ResultsAreAlsoBySite) {
  const Outcome r = run_flows(platform(plain_edge),
                              "0,h0,h2,2000\n2000000,h1,h0,12000000\n4000000,h5,h7,20000\n"
                              "6000000,h0,h4,20000\n");
  const Bytes headers = l1_bytes(frame_bytes(Opcode::write_middle, 1000_B)) - 1000_B;
  const auto slowdown = [&](int n, const std::vector<BitRate>& rates, Picoseconds delays) {
    Picoseconds ideal = delays * 2 + serialisation_time(headers + 1000_B, 100_Gbps) * n;
    for (const BitRate rate : rates) ideal += serialisation_time(1000_B, rate);
    return static_cast<double>(alone(n, rates, delays).count()) /
           static_cast<double>(ideal.count());
  };
  const double a = slowdown(2, within, 4_us), b = slowdown(12'000, {100_Gbps, 100_Gbps}, 2_us),
               c = slowdown(20, within, 4_us), d = slowdown(20, across, 506_us);
  EXPECT_EQ(r.result("sites.intra.completed"), 3);
  EXPECT_EQ(r.result("sites.inter.completed"), 1);
  EXPECT_EQ(r.result("sites.all.completed"), 4);
  EXPECT_NEAR(r.result("sites.intra.slowdown_mean"), (a + b + c) / 3, 1e-9);
  EXPECT_NEAR(r.result("sites.inter.slowdown_mean"), d, 1e-9);
  EXPECT_NEAR(r.result("sites.all.slowdown_mean"), (a + b + c + d) / 4, 1e-9);
  EXPECT_NEAR(r.result("sites.unfairness"), (a + b + c) / 3 / d, 1e-9);
  std::vector<double> sorted = {a, b, c};
  std::sort(sorted.begin(), sorted.end());
  EXPECT_NEAR(r.result("sites.intra.slowdown_p99"), sorted[1] + 0.98 * (sorted[2] - sorted[1]),
              1e-9);
  EXPECT_NEAR(r.result("sites.intra.upto_10KiB.slowdown_mean"), a, 1e-9);
  EXPECT_NEAR(r.result("sites.intra.upto_100KiB.slowdown_mean"), c, 1e-9);
  EXPECT_NEAR(r.result("sites.intra.above_100KiB.slowdown_mean"), b, 1e-9);
  EXPECT_NEAR(r.result("fct.slowdown_mean"), (a + b + c + d) / 4, 1e-9);
  EXPECT_EQ(r.result("pauses.any_port"), 0);
  EXPECT_EQ(r.summary.at("rows").at("sites").size(), 12u);
}

// Three flows into one port, PFC at the ToRs: somebody is held, and the readings are in order.
TEST(TwoSites, PausesAreReadInThreeWays) {
  const std::string flows = "0,h1,h0,3000000\n0,h2,h0,3000000\n0,h3,h0,3000000\n";
  const Words pausing = {"plain.buffer=600KB",
                         "plain.pfc={ alpha = 0.125, hysteresis = \"3 KiB\", minimum = \"4 "
                         "KiB\", headroom_delays = 3 }"};
  const Outcome r = run_flows(platform(plain_edge), flows, pausing);
  EXPECT_EQ(r.summary.at("packets").at("dropped").at("headroom_full"), 0);
  const double any = r.result("pauses.any_port");
  EXPECT_GT(any, 0.2);
  EXPECT_LE(any, 1.0);
  EXPECT_GE(r.result("pauses.all_ports"), any);
  EXPECT_LE(r.result("pauses.one_stream"), any);
  EXPECT_GT(r.result("pauses.one_stream"), 0);
  // They are shares of the time until the last message is completed, however long the run goes on.
  Words longer = pausing;
  longer.insert(longer.end(), {"sim.stop=duration", "sim.duration=3ms"});
  const Outcome on = run_flows(platform(plain_edge), flows, longer);
  for (const char* name : {"pauses.one_stream", "pauses.any_port", "pauses.all_ports"})
    EXPECT_EQ(on.result(name), r.result(name)) << name;
}

// The long link's headroom is the matter of the edges, whose buffer would not hold it; ToRs and
// leaves set aside what their own links need.
TEST(TwoSites, HeadroomIsOfThePortsOwnLink) {
  const std::string pfc = "buffer = \"9 MB\"\npfc = { alpha = 0.125 }\n";
  const std::string list = "0,h0,h4,2000\n";
  const Outcome r =
      run_flows(platform(plain_edge), list, {"plain.buffer=9MB", "plain.pfc={ alpha = 0.125 }"});
  EXPECT_EQ(r.result("sites.inter.completed"), 1);
  const Workplace place;
  place.write("p.toml", platform(plain_edge + pfc));
  place.write("list", "start_ns,source,destination,bytes\n" + list);
  const Ended refused = run(place, {"run", "p.toml"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("buffer = 9 MB of 'edge0' leaves nothing to share: 3 ports set aside"),
            std::string::npos)
      << refused.err;
}

// PNP at both edges: data that leaves its site marked becomes a CNP at the first of them. At the
// second its receiver is near; data within a site comes to neither.
TEST(TwoSites, RemoteIsTheOtherSite) {
  const std::string edge =
      "kind = \"tofino\"\nchip = \"tofino2\"\nprogram = { name = \"pnp_trp\" }\n";
  const Words mark_all = {"plain.ecn={ kmin = \"1 B\", kmax = \"1 B\" }",
                          "two_sites.long_rate=400Gbps", "two_sites.long_links=4"};
  const Outcome out =
      run_flows(platform(edge), "2000000,h0,h4,2000000\n2000000,h1,h4,2000000\n", mark_all);
  EXPECT_EQ(out.result("sites.inter.completed"), 2);
  EXPECT_GT(out.result("edge0.program.marks_cleared"), 1000);
  EXPECT_GT(out.result("edge0.program.cnps_made"), 1);
  EXPECT_EQ(out.result("edge0.program.copies_of_unknown_flows"), 0);
  EXPECT_EQ(out.result("edge1.program.marks_cleared"), 0);
  EXPECT_EQ(out.result("edge1.program.cnps_made"), 0);
  const Outcome back =
      run_flows(platform(edge), "2000000,h5,h1,2000000\n2000000,h6,h1,2000000\n", mark_all);
  EXPECT_EQ(back.result("edge0.program.cnps_made"), 0);
  EXPECT_GT(back.result("edge1.program.cnps_made"), 1);
  const Outcome in =
      run_flows(platform(edge), "2000000,h5,h6,2000000\n2000000,h4,h6,2000000\n", mark_all);
  for (const char* name : {"edge0.ingress_passes", "edge1.ingress_passes"})
    EXPECT_EQ(in.result(name), 0);
}

TEST(TwoSites, WithoutSitesThereAreNoSuchResults) {
  std::string text = platform(plain_edge);
  const auto at = text.find("[two_sites]");
  const auto end = text.find("[[traffic]]");
  text.replace(at, end - at, R"([[device]]
names = ["a", "b"]
profile = "nic"
[[link]]
between = ["a", "b"]
)");
  const Outcome none = run_flows(text, "0,a,b,2000\n");
  EXPECT_FALSE(none.summary.at("results").contains("sites.all.completed"));
  EXPECT_FALSE(none.summary.at("results").contains("pauses.any_port"));
  EXPECT_FALSE(none.summary.at("rows").contains("sites"));
  // Devices by hand may have sites.
  const auto b = text.find(", \"b\"]");
  text.replace(b, 6, "]\nsite = 0");
  text.replace(text.find("[[link]]"), 0,
               "[[device]]\nnames = [\"b\"]\nprofile = \"nic\"\nsite = 1\n");
  const Outcome two = run_flows(text, "0,a,b,2000\n");
  EXPECT_EQ(two.result("sites.inter.completed"), 1);
}

}  // namespace
}  // namespace horae::test::two_sites_test
