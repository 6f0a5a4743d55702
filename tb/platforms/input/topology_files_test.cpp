// [ns3_topology] and [htsim_topology] on a platform: the same network as a generated one, node
// numbers of flow lists, losses, and the round trip in closed form.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "csv.hpp"
#include "horae/core/packet.hpp"
#include "horae/core/units.hpp"
#include "program.hpp"

namespace horae::test::topology_files_test {
namespace {

std::string shipped(const std::string& name) {
  return (std::filesystem::path(HORAE_PLATFORM_DIR).parent_path() / "traces" / "topologies" / name)
      .string();
}

/// 16 NICs on a fat tree of 20 switches, as the file or the generator has it.
std::string platform(const std::string& network, const std::string& traffic) {
  return R"([platform]
name = "tree"
[sim]
duration = "20 ms"
stop = "finished"
[end]
kind = "rnic"
mtu = "1000 B"
tx_latency = "300 ns"
rx_latency = "200 ns"
ack_delay = "50 ns"
[plain]
kind = "switch"
latency = "400 ns"
balance = "round_robin"
[link_default]
rate = "100 Gbps"
delay = "1 us"
)" + network +
         "[[traffic]]\n" + traffic;
}

const std::string generated =
    "[fat_tree]\nk = 4\nhost = \"end\"\nedge = \"plain\"\naggregation = \"plain\"\n"
    "core = \"plain\"\n";
const std::string from_ns3 = "[ns3_topology]\nfile = \"" + shipped("fat_tree_16.ns3.txt") +
                             "\"\nhost = \"end\"\nswitch = \"plain\"\n";
const std::string from_htsim = "[htsim_topology]\nfile = \"" + shipped("fat_tree_16.topo") +
                               "\"\nhost = \"end\"\ntor = \"plain\"\naggregation = "
                               "\"plain\"\ncore = \"plain\"\n";

std::string flows_of(const std::string& network, const std::string& traffic) {
  const Workplace place;
  place.write("p.toml", platform(network, traffic));
  const Ended ended = run(place, {"run", "p.toml", "--out", "out"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return place.read("out/flows.csv");
}

TEST(TopologyFiles, TheSameNetworkSendsTheSamePacketsAtTheSameTimes) {
  const std::string traffic = "kind = \"batch\"\npattern = \"permutation\"\nsize = \"200 KB\"\n";
  const std::string flows = flows_of(generated, traffic);
  EXPECT_EQ(rows_of(flows).size(), 16u);
  EXPECT_EQ(flows_of(from_ns3, traffic), flows);
}

// One packet there, an acknowledgement back: six links and five switches each.
TEST(TopologyFiles, TheRoundTripIsThatOfItsLinks) {
  const std::string traffic =
      "kind = \"batch\"\npattern = \"pairs\"\nfrom = [\"h0\"]\nto = [\"h15\"]\nsize = \"1000 B\"\n";
  const auto way = [](Opcode opcode, Bytes payload) {
    const Bytes frame = l1_bytes(frame_bytes(opcode, payload));
    return 6 * (serialisation_time(frame, 100_Gbps) + 1_us) + 5 * 400_ns + 300_ns + 200_ns;
  };
  const Picoseconds expected =
      way(Opcode::write_only, 1000_B) + way(Opcode::acknowledge, 0_B) + 50_ns;
  for (const auto& network : {generated, from_ns3, from_htsim}) {
    const auto rows = rows_of(flows_of(network, traffic));
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].at("fct_us"), fmt::format("{:.6f}", to_microseconds(expected)));
    EXPECT_EQ(rows[0].at("ideal_us"), rows[0].at("fct_us"));
  }
}

TEST(TopologyFiles, NodesOfAFlowListAreThoseOfTheNetwork) {
  const Workplace place;
  place.write("star.txt", "4 1 3\n0\n1 0 100Gbps 1us 0\n2 0 100Gbps 1us 0\n3 0 100Gbps 1us 0\n");
  place.write("p.toml",
              platform("[ns3_topology]\nfile = \"star.txt\"\nhost = \"end\"\nswitch = \"plain\"\n",
                       "kind = \"flow_list\"\nfile = \"flow.txt\"\n"));
  place.write("flow.txt", "1\n3 1 3 100 5000 0\n");
  ASSERT_EQ(run(place, {"run", "p.toml", "--out", "out"}).exit_code, 0);
  const auto rows = rows_of(place.read("out/flows.csv"));
  EXPECT_EQ(rows.at(0).at("sender"), "h3");
  EXPECT_EQ(rows.at(0).at("receiver"), "h1");
  for (const auto& [list, why] : std::vector<std::pair<std::string, std::string>>{
           {"1\n3 0 3 100 5000 0\n",
            "flow.txt:2:3: dst = 0; node 0 of the network is a switch; expected an end point"},
           {"1\n3 4 3 100 5000 0\n",
            "flow.txt:2:3: dst = 4; expected a node from 0 to 3 (nodes = \"modulo\" takes the "
            "remainder)"}}) {
    place.write("flow.txt", list);
    const Ended ended = run(place, {"run", "p.toml"});
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(ended.err, "horae: " + why + "\n");
  }
}

// An error rate is a loss of packets in either direction: in a thousand of them, so many.
TEST(TopologyFiles, ErrorRatesAreLosses) {
  const Workplace place;
  place.write("pair.txt", "3 1 2\n2\n0 2 100Gbps 1us 0.05\n1 2 100Gbps 1us 0\n");
  place.write("p.toml",
              platform("[ns3_topology]\nfile = \"pair.txt\"\nhost = \"end\"\nswitch = \"plain\"\n",
                       "kind = \"batch\"\npattern = \"pairs\"\nfrom = [\"h0\"]\nto = [\"h1\"]\n"
                       "size = \"1 MB\"\n"));
  const auto summary = summary_of(place, "p.toml", {"end.reliability.rto=100us"});
  EXPECT_EQ(summary.at("verdict"), "complete");
  const auto& from = summary.at("statistics").at("h0").at("port0");
  const double sent = from.at("tx_packets").at("value"), lost = from.at("lost").at("value");
  EXPECT_GT(sent, 1000);
  // Six standard deviations.
  EXPECT_NEAR(lost / sent, 0.05, 6 * std::sqrt(0.05 * 0.95 / sent));
}

/// flows.csv of one packet from h0 to h1, through s2 and s3, with more links and tables.
std::string flows_through_two(const std::string& links, const std::string& tables) {
  const Workplace place;
  const auto more = std::count(links.begin(), links.end(), '\n');
  place.write("line.txt", fmt::format("4 2 {}\n2 3\n0 2 100Gbps 1us 0\n1 3 100Gbps 1us 0\n"
                                      "2 3 100Gbps 1us 0\n{}",
                                      3 + more, links));
  const std::string network =
      "[slow]\nkind = \"switch\"\nlatency = \"1400 ns\"\n[ns3_topology]\nfile = \"line.txt\"\n"
      "host = \"end\"\nswitch = \"plain\"\n" +
      tables;
  place.write("p.toml", platform(network,
                                 "kind = \"batch\"\npattern = \"pairs\"\nfrom = [\"h0\"]\nto = "
                                 "[\"h1\"]\nsize = \"1000 B\"\n"));
  const Ended ended = run(place, {"run", "p.toml", "--out", "out"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return place.read("out/flows.csv");
}

// A switch that is 1 us slower is passed by the packet and by its acknowledgement.
TEST(TopologyFiles, SwitchesHaveTheirOwnProfiles) {
  const auto ended = [](const std::string& tables) {
    return std::stod(rows_of(flows_through_two("", tables)).at(0).at("last_completion_us"));
  };
  const double alike = ended("");
  const std::string slow = "[[ns3_topology.switches]]\nprofile = \"slow\"\n";
  EXPECT_NEAR(ended(slow + "names = [\"s3\"]\n") - alike, 2, 1e-6);
  EXPECT_NEAR(ended(slow + "links = 2\n") - alike, 4, 1e-6);
}

TEST(TopologyFiles, NoPacketTakesALinkOfASwitchToItself) {
  EXPECT_EQ(flows_through_two("2 2 100Gbps 1us 0\n3 3 10Gbps 1us 0\n", ""),
            flows_through_two("", ""));
}

/// Two servers of two GPUs each, as SimAI lists them: NVSwitches 4 and 5, ToRs 6 and 7.
const std::string simai =
    "8 2 2 2 9 H800\n4 5 6 7\n0 4 2400Gbps 25ns 0\n0 6 400Gbps 500ns 0\n1 4 2400Gbps 25ns 0\n"
    "1 7 400Gbps 500ns 0\n2 5 2400Gbps 25ns 0\n2 6 400Gbps 500ns 0\n3 5 2400Gbps 25ns 0\n"
    "3 7 400Gbps 500ns 0\n6 7 400Gbps 500ns 0\n";
const std::string from_simai =
    "[gpu]\nkind = \"rnic\"\nmtu = \"1000 B\"\ntx_latency = \"70 ns\"\nrx_latency = \"60 ns\"\n"
    "ack_delay = \"0 ns\"\n[nvswitch]\nkind = \"switch\"\nlatency = \"100 ns\"\n"
    "[ns3_topology]\nfile = \"simai.txt\"\nhost = \"end\"\nswitch = \"plain\"\n"
    "scale_up_host = \"gpu\"\nscale_up_switch = \"nvswitch\"\n";

/// flows.csv of messages "source,destination" of so many bytes, all at 0.
std::vector<Row> simai_flows(const std::vector<std::string>& pairs, std::int64_t bytes) {
  const Workplace place;
  place.write("simai.txt", simai);
  std::string list = "start_ns,source,destination,bytes\n";
  for (const auto& pair : pairs) list += fmt::format("0,{},{}\n", pair, bytes);
  place.write("list.csv", list);
  place.write("p.toml", platform(from_simai, "kind = \"flow_list\"\nfile = \"list.csv\"\n"));
  const Ended ended = run(place, {"run", "p.toml", "--out", "out"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return rows_of(place.read("out/flows.csv"));
}

// One packet and its acknowledgement: two links and a switch, NVLinks within a server.
TEST(TopologyFiles, MessagesWithinAServerTakeItsNvSwitch) {
  struct Way {
    std::string to, sender, receiver;
    BitRate rate;
    Picoseconds delay, devices;  ///< a switch and both NICs
    Picoseconds ack_delay;
  };
  for (const Way& w : {Way{"1", "g0", "g1", 2400_Gbps, 25_ns, 100_ns + 70_ns + 60_ns, 0_ns},
                       Way{"2", "h0", "h2", 400_Gbps, 500_ns, 400_ns + 300_ns + 200_ns, 50_ns}}) {
    const auto way = [&](Opcode opcode, Bytes payload) {
      const Bytes frame = l1_bytes(frame_bytes(opcode, payload));
      return 2 * (serialisation_time(frame, w.rate) + w.delay) + w.devices;
    };
    const Picoseconds expected =
        way(Opcode::write_only, 1000_B) + way(Opcode::acknowledge, 0_B) + w.ack_delay;
    const auto rows = simai_flows({"0," + w.to}, 1000);
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].at("sender"), w.sender);
    EXPECT_EQ(rows[0].at("receiver"), w.receiver);
    EXPECT_EQ(rows[0].at("fct_us"), fmt::format("{:.6f}", to_microseconds(expected)));
    EXPECT_EQ(rows[0].at("ideal_us"), rows[0].at("fct_us"));
    // A thousand packets more take as long as the first link sends them.
    const auto longer = simai_flows({"0," + w.to}, 1'001'000);
    const Picoseconds packet =
        serialisation_time(l1_bytes(frame_bytes(Opcode::write_middle, 1000_B)), w.rate);
    EXPECT_NEAR(std::stod(longer[0].at("fct_us")), to_microseconds(expected + 1000 * packet), 0.05);
  }
}

// The two fabrics share nothing: in an all-to-all the messages of each end when they do without
// those of the other.
TEST(TopologyFiles, FabricsOfAMixedAllToAllDoNotMeet) {
  std::vector<std::string> all, within, between;
  for (int from = 0; from < 4; ++from) {
    for (int to = 0; to < 4; ++to) {
      if (from == to) continue;
      all.push_back(fmt::format("{},{}", from, to));
      (from / 2 == to / 2 ? within : between).push_back(all.back());
    }
  }
  const auto ends = [](const std::vector<std::string>& pairs) {
    std::map<std::string, std::string> out;
    for (const Row& r : simai_flows(pairs, 100'000))
      out[r.at("sender") + r.at("receiver")] = r.at("last_completion_us");
    return out;
  };
  auto apart = ends(within);
  EXPECT_EQ(apart.size(), 4u);
  for (const auto& [pair, end] : apart) {
    EXPECT_TRUE(pair.starts_with("g")) << pair;
    EXPECT_EQ(end, apart.begin()->second) << pair;
  }
  const auto nics = ends(between);
  EXPECT_EQ(nics.size(), 8u);
  apart.insert(nics.begin(), nics.end());
  EXPECT_EQ(ends(all), apart);
}

/// A run of that network with this table of traffic.
Ended on_simai(const std::string& traffic) {
  const Workplace place;
  place.write("simai.txt", simai);
  place.write("p.toml", platform(from_simai, traffic));
  return run(place, {"run", "p.toml", "--json"});
}

TEST(TopologyFiles, CollectivesOfAScaleUpDomainNameItsEnds) {
  const std::string all_reduce = "kind = \"collective\"\noperation = \"all_reduce\"\n";
  const std::string refused = "horae: p.toml:35:8: ";
  EXPECT_EQ(on_simai(all_reduce).err,
            refused +
                "messages that wait for others, from 'h0', whose GPU has two devices, 'h0' and "
                "'g0', which do not know of each other's; expected messages that do not wait, or "
                "members of one fabric, such as 'g0'\n");
  EXPECT_EQ(on_simai(all_reduce + "members = [\"g1\", \"g2\"]\n").err,
            refused +
                "messages from 'g1' to 'g2', which are of different fabrics; expected NICs, or "
                "ends of one scale-up domain\n");
  EXPECT_EQ(on_simai(all_reduce + "members = [\"g1\", \"h2\"]\n").exit_code, 2);
  EXPECT_EQ(on_simai(all_reduce + "members = [\"g2\", \"g3\"]\n").exit_code, 0);
  const Ended all = on_simai("kind = \"collective\"\noperation = \"all_to_all\"\n");
  EXPECT_EQ(all.exit_code, 0) << all.err;
}

// A fabric in two parts is refused still, whichever it is.
TEST(TopologyFiles, AFabricInPartsIsRefused) {
  const Workplace place;
  std::string text = simai;
  text.replace(text.find("\n6 7 400Gbps 500ns 0"), std::string::npos, "\n");
  text.replace(text.find(" 9 H800"), 2, " 8");
  place.write("simai.txt", text);
  place.write("p.toml", platform(from_simai, "kind = \"batch\"\n"));
  EXPECT_EQ(run(place, {"run", "p.toml"}).err,
            "horae: p.toml:30:8: there is no path from 'h0' to 'h1'\n");
}

// As with flow lists: what is not read is said once, under the results.
TEST(TopologyFiles, LinesThatAreNotReadAreSaid) {
  const Workplace place;
  const std::string pair = "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n";
  place.write("p.toml",
              platform("[ns3_topology]\nfile = \"pair.txt\"\nhost = \"end\"\nswitch = \"plain\"\n",
                       "kind = \"batch\"\npattern = \"pairs\"\nfrom = [\"h0\"]\nto = [\"h1\"]\n"
                       "size = \"1 KB\"\n"));
  const std::string said =
      "pair.txt:5: the 2 links that the first line announces are read, and nothing from here on, "
      "as in ns-3";
  for (const bool surplus : {false, true}) {
    place.write("pair.txt", pair + (surplus ? "0 1 1Gbps 1us 0\n" : ""));
    const Ended ended = run(place, {"run", "p.toml"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.out.find(said) != std::string::npos, surplus) << ended.out;
  }
}

TEST(TopologyFiles, AFileMayBeMissingAndACopyOfTheConfigurationNeedsTheSame) {
  const Workplace place;
  const std::string traffic = "kind = \"batch\"\n";
  place.write("p.toml", platform("[ns3_topology]\nfile = \"none.txt\"\nhost = \"end\"\nswitch = "
                                 "\"plain\"\n",
                                 traffic));
  Ended ended = run(place, {"run", "p.toml"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.err, "horae: p.toml:20:8: file = \"none.txt\": no such file\n");
  place.write("none.txt", "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n");
  ended = run(place, {"run", "p.toml", "--set", "ns3_topology.content=else"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_NE(ended.err.find("content = \"else\": that of none.txt is"), std::string::npos)
      << ended.err;
}

}  // namespace
}  // namespace horae::test::topology_files_test
