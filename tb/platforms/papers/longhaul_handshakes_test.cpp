// TCP handshakes before connections between two data centres: what they cost, what the edges'
// handshake monitor makes of them; and tables of the edges that are too small or never filled.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "csv.hpp"
#include "horae/core/roce.hpp"
#include "horae/core/units.hpp"
#include "program.hpp"

namespace horae::test::longhaul_handshakes_test {
namespace {

/// h0 to h3 in the first site, h4 to h7 in the second.
std::string platform(const std::string& edge) {
  return R"([platform]
name = "handshakes"
[sim]
duration = "100 ms"
stop = "finished"
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
long_links = 4
long_rate = "400 Gbps"
host = "nic"
tor = "plain"
leaf = "plain"
edge = "edge"
[[traffic]]
kind = "flow_list"
file = "list"
)";
}
const std::string plain_edge = "kind = \"switch\"\nlatency = \"0 ns\"\ncontrol_class = 7\n";
std::string chip_edge(const std::string& parameters = "") {
  return "kind = \"tofino\"\nchip = \"tofino2\"\n[edge.program]\nname = \"pnp_trp\"\n" + parameters;
}

struct Outcome {
  ordered_json summary;
  std::vector<Row> flows;
  double result(const std::string& name) const {
    return summary.at("results").at(name).at("value").get<double>();
  }
  double drops(const char* cause) const {
    return summary.at("packets").at("dropped").at(cause).get<double>();
  }
  double segments(const std::string& nic, const char* name) const {
    return summary.at("statistics").at(nic).at("handshakes").at(name).at("value").get<double>();
  }
  Picoseconds fct(std::size_t flow) const {
    return Picoseconds(
        static_cast<std::int64_t>(std::stod(flows.at(flow).at("fct_us")) * 1e6 + 0.5));
  }
};
Outcome run_flows(const std::string& edge, const std::string& flows, const Words& settings = {}) {
  const Workplace place;
  place.write("p.toml", platform(edge));
  place.write("list", "start_ns,source,destination,bytes\n" + flows);
  const Ended ended =
      run(place, with_settings({"run", "p.toml", "--json", "--out", "out"}, settings));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return {ended.json(), rows_of(place.read("out/flows.csv"))};
}
const Words shaking = {"nic.handshake=true"};

/// Time of a segment over links of these rates, without their delays.
Picoseconds segment(const std::vector<BitRate>& rates) {
  Picoseconds t{};
  for (const BitRate rate : rates)
    t += serialisation_time(l1_bytes(Bytes(wire::minimum_frame)), rate);
  return t;
}
const std::vector<BitRate> across = {100_Gbps, 100_Gbps, 400_Gbps, 400_Gbps,
                                     400_Gbps, 100_Gbps, 100_Gbps};
const std::vector<BitRate> within = {100_Gbps, 100_Gbps, 100_Gbps, 100_Gbps};

// SYN and SYN-ACK, a round trip; then the ACK, and the data right behind it.
TEST(Handshakes, DelayTheFirstPacketByTheirRoundTrip) {
  for (const char* to : {"h2", "h4"}) {
    const std::string list = fmt::format("0,h0,{},50000\n", to);
    const Outcome none = run_flows(plain_edge, list);
    const Outcome shaken = run_flows(plain_edge, list, shaking);
    const bool far = to == std::string("h4");
    EXPECT_EQ(shaken.fct(0) - none.fct(0),
              (segment(far ? across : within) + (far ? 506_us : 4_us)) * 2 + segment({100_Gbps}));
    EXPECT_EQ(shaken.segments("h0", "segments_sent"), 2);
    EXPECT_EQ(shaken.segments("h0", "segments_received"), 1);
    EXPECT_EQ(shaken.segments(to, "segments_received"), 2);
    EXPECT_EQ(shaken.segments("h0", "connected"), 1);
    EXPECT_EQ(shaken.segments("h0", "resets"), 0);
  }
}

TEST(Handshakes, MayBeginAhead) {
  const std::string list = "2000000,h0,h4,50000\n";
  const Outcome none = run_flows(plain_edge, list);
  EXPECT_EQ(run_flows(plain_edge, list, {"nic.handshake=true", "nic.handshake_lead=2ms"}).fct(0),
            none.fct(0));
  const Picoseconds trip = (segment(across) + 506_us) * 2 + segment({100_Gbps});
  EXPECT_EQ(run_flows(plain_edge, list, {"nic.handshake=true", "nic.handshake_lead=1ms"}).fct(0),
            none.fct(0) + trip - 1_ms);
}

// SYN, the edge's SYN-ACK, ACK, RST, SYN; then the second handshake goes all the way. Cookie and
// RST do not cross the long link.
TEST(Handshakes, TheMonitorAddsTwoTripsToTheEdge) {
  const std::string list = "0,h0,h4,50000\n";
  const auto outcome = [&](const std::string& parameters, Words settings) {
    return run_flows(chip_edge(parameters), list, settings);
  };
  const Outcome silent = outcome("", {});
  const Outcome shaken = outcome("handshakes = true\n", shaking);
  EXPECT_EQ(shaken.segments("h0", "segments_sent"), 4);
  EXPECT_EQ(shaken.segments("h0", "segments_received"), 3);
  EXPECT_EQ(shaken.segments("h0", "resets"), 1);
  EXPECT_EQ(shaken.segments("h4", "segments_sent"), 1);
  EXPECT_EQ(shaken.segments("h4", "segments_received"), 2);
  EXPECT_EQ(shaken.result("edge0.program.cookies_sent"), 1);
  EXPECT_EQ(shaken.result("edge0.program.handshakes_reset"), 1);
  EXPECT_EQ(shaken.result("edge0.program.handshakes_told"), 1);
  EXPECT_EQ(shaken.result("edge1.program.cookies_sent"), 0);
  // The rest is a round trip over the long link, and what the edges take.
  const Picoseconds more = shaken.fct(0) - silent.fct(0);
  const Picoseconds trip = (segment(across) + 506_us) * 2 + segment({100_Gbps});
  EXPECT_GT(more, trip + 12_us);
  EXPECT_LT(more, trip + 20_us);
  // On a link that is longer by 100 us: two trips over it are of the handshake, two of the data.
  const Words longer = {"nic.handshake=true", "two_sites.long_delay=600us"};
  EXPECT_EQ(outcome("handshakes = true\n", longer).fct(0) - shaken.fct(0), 400_us);
}

// Queue pairs are known of after the handshake, and then their entries are made: for flows that
// leave at the one edge, for those that come in at the other.
TEST(Handshakes, EntriesComeAfterThem) {
  const std::string list = "0,h0,h4,50000000\n0,h5,h1,50000000\n0,h2,h3,50000000\n";
  const Words all = {"nic.handshake=true", "plain.ecn={ kmin = \"1 B\", kmax = \"1 B\" }",
                     "sim.sample=100us"};
  const Outcome r = run_flows(chip_edge("handshakes = true\n"), list, all);
  for (const char* edge : {"edge0", "edge1"}) {
    const auto of = [&](const char* name) {
      return r.result(edge + std::string(".program.") + name);
    };
    EXPECT_EQ(of("handshakes_told"), 1);
    EXPECT_EQ(of("connections_without_handshake"), 0);
    EXPECT_EQ(of("most_connections"), 1);
    EXPECT_EQ(of("most_peers"), 1);
    EXPECT_EQ(of("connections_not_added"), 0);
  }
  EXPECT_EQ(r.segments("h2", "segments_sent"), 2);  // within a site nobody sends cookies
  // NICs that do not shake hands: their daemons' messages are of no interest.
  const Outcome none = run_flows(chip_edge("handshakes = true\n"), list, {all[1]});
  for (const char* edge : {"edge0", "edge1"}) {
    EXPECT_EQ(none.result(edge + std::string(".program.connections_without_handshake")), 1);
    EXPECT_EQ(none.result(edge + std::string(".program.most_connections")), 0);
  }
}

// A platform of many flows, with tables of 16 entries each: what is not in them is counted, nothing
// but copies is lost.
Outcome busy(const Words& more) {
  const Workplace place;
  Words all = {"traffic[0].load=0.7", "traffic[0].duration=1ms", "traffic[0].start=2ms",
               "two_sites.edge=edge_themis"};
  all.insert(all.end(), more.begin(), more.end());
  const Ended ended =
      run(place, with_settings({"run", HORAE_PLATFORM_DIR "/longhaul.toml", "--json"}, all));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return {ended.json(), {}};
}
void expect_only_copies_lost(const Outcome& r) {
  EXPECT_EQ(r.summary.at("verdict"), "complete");
  EXPECT_EQ(r.result("sites.all.unfinished"), 0);
  const double unknown = r.result("edge0.program.copies_of_unknown_flows") +
                         r.result("edge1.program.copies_of_unknown_flows");
  EXPECT_GT(unknown, 0);
  EXPECT_EQ(r.drops("program"), unknown);
  for (const char* cause : {"queue_full", "buffer_full", "headroom_full", "no_route"})
    EXPECT_EQ(r.drops(cause), 0) << cause;
}

TEST(QueuePairLife, TablesOf16Entries) {
  Words tiny;
  for (const char* table :
       {"qp", "peer", "cnp_stamp", "cnp_cache", "cnp_store", "flow", "tcp_cookie"})
    tiny.push_back(fmt::format("edge_themis.program.{}_entries=16", table));
  const Outcome r = busy(tiny);
  expect_only_copies_lost(r);
  for (const char* edge : {"edge0", "edge1"}) {
    const auto of = [&](const char* name) {
      return r.result(edge + std::string(".program.") + name);
    };
    EXPECT_EQ(of("most_connections"), 16);
    EXPECT_EQ(of("most_peers"), 16);
    EXPECT_GT(of("connections_not_added"), 0);
    EXPECT_GT(of("peers_not_added"), 0);
    EXPECT_GT(of("cnps_of_unknown_flows"), 0);
    EXPECT_LE(of("most_flows_stored"), 16);
  }
}

TEST(QueuePairLife, AControlPlaneThatNeverAnswers) {
  const Outcome r = busy({"edge_themis.program.insertion_latency=9s"});
  expect_only_copies_lost(r);
  for (const char* edge : {"edge0", "edge1"}) {
    const auto of = [&](const char* name) {
      return r.result(edge + std::string(".program.") + name);
    };
    for (const char* none : {"most_connections", "most_peers", "most_flows_stored", "cnps_made",
                             "connections_not_added", "packets_looped"})
      EXPECT_EQ(of(none), 0) << none;
    EXPECT_GT(of("cnps_of_unknown_flows"), 0);
  }
}

// Every connection of the busy platform shakes hands: the monitor tells of each one that leaves.
// With few cells some connections share one, and the ACK of one of them takes the other's: whose
// message is then of no interest.
TEST(QueuePairLife, AllConnectionsShakeHands) {
  for (const bool many : {true, false}) {
    const Outcome r = busy(
        {"nic.handshake=true", "nic.handshake_lead=1100us", "edge_themis.program.handshakes=true",
         fmt::format("edge_themis.program.tcp_cookie_entries={}", many ? 65536 : 16)});
    EXPECT_EQ(r.summary.at("verdict"), "complete");
    double told = 0, without = 0, entries = 0;
    for (const char* edge : {"edge0", "edge1"}) {
      const auto of = [&](const char* name) {
        return r.result(edge + std::string(".program.") + name);
      };
      told += of("handshakes_told");
      without += of("connections_without_handshake");
      entries += of("most_connections");
    }
    EXPECT_GT(entries, 0);
    EXPECT_EQ(r.result("sites.all.unfinished"), 0);
    if (many) {
      EXPECT_EQ(told, r.result("sites.inter.completed"));
      EXPECT_EQ(without, 0);
      EXPECT_LE(entries, told);
    } else {
      EXPECT_GT(without, 0);
      EXPECT_LE(told + without, r.result("sites.inter.completed"));
    }
  }
}

}  // namespace
}  // namespace horae::test::longhaul_handshakes_test
