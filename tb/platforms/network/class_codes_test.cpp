// DSCP and PCP of traffic classes: on the wire, in a switch with maps of its own, in a replay.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "horae/core/codec.hpp"
#include "program.hpp"
#include "replay.hpp"

namespace horae::test::class_codes_test {
namespace {

/// Two NICs send to a third in classes 3 and 4, which pause; ACKs and CNPs have class 6.
const std::string coded = R"([platform]
name = "coded"
[sim]
duration = "400 us"
[classes]
dscp = [0, 10, 18, 26, 34, 46, 48, 56]
[nic]
kind = "rnic"
ack_traffic_class = 6
congestion = { algorithm = "dcqcn" }
[tor]
kind = "switch"
buffer = "4 MB"
pfc = { alpha = 0.125, priorities = [3, 4] }
ecn = { kmin = "10 KB", kmax = "40 KB", pmax = 1.0 }
class = [{ number = 3, priority = 2 }, { number = 4, priority = 2 }, { number = 5, priority = 2 }]
[link_default]
rate = "100 Gbps"
delay = "500 ns"
[[device]]
names = ["a", "b", "c"]
profile = "nic"
[[device]]
names = ["t"]
profile = "tor"
[[link]]
between = ["a", "t"]
[[link]]
between = ["b", "t"]
[[link]]
between = ["c", "t"]
[[traffic]]
kind = "messages"
from = ["a"]
to = ["c"]
message = "256 KiB"
depth = 4
traffic_class = 3
[[traffic]]
kind = "messages"
from = ["b"]
to = ["c"]
message = "256 KiB"
depth = 4
traffic_class = 4
)";

ordered_json run_coded(const Workplace& place, const Words& settings = {}) {
  place.write("p.toml", coded);
  const Ended ended =
      run(place,
          with_settings({"run", "p.toml", "--no-progress", "--pcap", "c", "--out", "o"}, settings));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return place.read_json("o/summary.json");
}

/// DSCPs of a capture's frames, by what they are.
std::map<std::string, std::set<unsigned>> dscps(const Workplace& place) {
  std::map<std::string, std::set<unsigned>> out;
  for (const FrameOut& f : captured(place, "o/ports/c_0.pcap")) {
    const RoceFrame frame = decode(f.bytes);
    const Opcode o = frame.bth.opcode;
    const char* what = o == Opcode::cnp ? "cnp" : o == Opcode::acknowledge ? "ack" : "data";
    out[what].insert(std::visit([](const auto& ip) -> unsigned { return ip.dscp; }, frame.ip));
  }
  return out;
}

TEST(ClassCodesPlatform, FramesHaveTheDscpOfTheirClassAndAcksAndCnpsOneOfTheirOwn) {
  const Workplace place;
  const ordered_json with = run_coded(place);
  const auto found = dscps(place);
  EXPECT_EQ(found.at("data"), (std::set<unsigned>{26, 34}));
  EXPECT_EQ(found.at("ack"), std::set<unsigned>{48});
  EXPECT_EQ(found.at("cnp"), std::set<unsigned>{48});
  // Codes alone change nothing but the bytes.
  const Workplace other;
  const ordered_json without = run_coded(other, {"classes={}"});
  EXPECT_EQ(dscps(other).at("data"), (std::set<unsigned>{24, 32}));
  EXPECT_EQ(with.at("results"), without.at("results"));
}

// The switch calls DSCP 26 class 5: it pauses class 5, which the sender does not know, so the class
// goes on as if nobody had asked, and what finds no headroom is lost. With class 5 among those of
// the map at its sender's number nothing is.
TEST(ClassCodesPlatform, ASwitchHasItsOwnMap) {
  const Words mapped = {"tor.dscp_to_class=[{dscp=[26,27],class=5}]", "tor.pfc.priorities=[4,5]",
                        "tor.ecn={}", "nic.congestion={algorithm=\"none\"}"};
  const Workplace place;
  const ordered_json s = run_coded(place, mapped);
  const auto& tor = s.at("statistics").at("t");
  EXPECT_TRUE(tor.at("port0").contains("pauses_sent_class5"));
  EXPECT_FALSE(tor.at("port0").contains("pauses_sent_class3"));
  EXPECT_GT(s.at("packets").at("dropped").at("headroom_full"), 0);
  EXPECT_EQ(dscps(place).at("data"), (std::set<unsigned>{26, 34})) << "codes stay";
  const Workplace agreed;
  const ordered_json same =
      run_coded(agreed, {"tor.dscp_to_class=[{dscp=[26],class=3}]", "tor.ecn={}",
                         "nic.congestion={algorithm=\"none\"}"});
  EXPECT_FALSE(same.at("packets").at("dropped").contains("headroom_full") &&
               same.at("packets").at("dropped").at("headroom_full") > 0);
}

/// The queues that packets of a replay had, by their PSN.
std::map<std::string, std::string> queues(const ReplayPlace& place, const std::string& more) {
  PcapBytes pcap;
  std::uint32_t psn = 0;
  for (const std::uint8_t dscp : {0, 26, 27, 46}) {
    Packet p = testing::roce_packet(0, 1, Opcode::send_only, psn++, 100);
    RoceFrame frame = frame_of(p, {});
    std::get<Ipv4Header>(frame.ip).dscp = dscp;
    pcap.packet(1, 1000 * psn, encode(frame));
  }
  Packet tagged = testing::roce_packet(0, 1, Opcode::send_only, psn, 100);
  tagged.frame = static_cast<std::uint16_t>(tagged.frame + 4);
  RoceFrame frame = frame_of(tagged, {.vlan_id = 7});
  std::get<Ipv4Header>(frame.ip).dscp = 26;
  frame.vlan->pcp = 2;
  pcap.packet(1, 1000 * (psn + 1), encode(frame));
  place.write_pcap("in.pcap", pcap);
  std::string text = three;
  text.replace(
      text.find("[chip]\nkind = \"tofino\"\nprogram = { name = \"forward\", nack_drop = 1, "
                "nack_of = 4 }\n"),
      std::string("[chip]\nkind = \"tofino\"\nprogram = { name = \"forward\", nack_drop = "
                  "1, nack_of = 4 }\n")
          .size(),
      "[chip]\nkind = \"switch\"\n" + more);
  place.write("three.toml", text);
  place.summary({"in.pcap@a"});
  std::map<std::string, std::string> out;
  for (const Row& row : place.rows("out/packets.csv")) out[row.at("psn")] = row.at("queue");
  return out;
}

using Queues = std::map<std::string, std::string>;

TEST(ClassCodesPlatform, AReplayIsClassedByTheSwitchsMaps) {
  const ReplayPlace place;
  EXPECT_EQ(queues(place, ""),
            (Queues{{"0", "0"}, {"1", "3"}, {"2", "3"}, {"3", "5"}, {"4", "3"}}));
  EXPECT_EQ(queues(place, "[classes]\ndscp = [0, 27, 16, 24, 32, 26, 48, 56]\n"),
            (Queues{{"0", "0"}, {"1", "5"}, {"2", "1"}, {"3", "5"}, {"4", "5"}}));
  const std::string maps =
      "dscp_to_class = [{ dscp = [26, 46], class = 6 }, { dscp = [0], class = 1 }]\n"
      "pcp_to_class = [{ pcp = [2], class = 7 }]\n";
  EXPECT_EQ(queues(place, maps),
            (Queues{{"0", "1"}, {"1", "6"}, {"2", "3"}, {"3", "6"}, {"4", "6"}}));
  EXPECT_EQ(queues(place, maps + "trust = \"pcp\"\n").at("4"), "7");
  EXPECT_EQ(queues(place, "trust = \"pcp\"\n[classes]\npcp = [0, 2, 1, 3, 4, 5, 6, 7]\n").at("4"),
            "1");
}

TEST(ClassCodesPlatform, FaultsAreOneLine) {
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"classes.dscp=[1,2]", "dscp has 2 codes; expected 8, one for each class"},
      {"classes.pcp=[0]", "pcp has 1 codes; expected 8, one for each class"},
      {"tor.dscp_to_class=[{dscp=[26],class=3},{dscp=[1,26],class=4}]",
       "dscp 26 has a class already"},
      {"tor.pcp_to_class=[{pcp=[],class=3}]", "pcp is empty; expected the codes of the class"},
      {"tor.dscp_to_class=[{dscp=[64],class=3}]", "dscp[0] = 64 is above the maximum 63"},
      {"tor.pool=[{classes=[3],size=\"5 MB\"}]",
       "size = 5 MB is more than the 4 MB that pools before it leave of the buffer of 4 MB"},
      {"tor.pool=[{classes=[3],size=\"1 MB\"},{classes=[0,3],size=\"1 MB\"}]",
       "class 3 has a pool already"},
      {"tor.pool=[{classes=[],size=\"1 MB\"}]", "a pool without classes; expected some"}};
  for (const auto& [setting, problem] : faults) {
    const Workplace place;
    place.write("p.toml", coded);
    const Ended ended = run(place, {"run", "p.toml", "--no-progress", "--set", setting});
    EXPECT_EQ(ended.exit_code, 2) << setting;
    EXPECT_TRUE(ended.err.ends_with(": " + problem + "\n")) << ended.err;
  }
  const Workplace place;
  std::string text = coded;
  const std::string pfc = "buffer = \"4 MB\"\npfc = { alpha = 0.125, priorities = [3, 4] }\n";
  text.replace(text.find(pfc), pfc.size(), "pool = [{ classes = [3], size = \"1 MB\" }]\n");
  place.write("p.toml", text);
  EXPECT_TRUE(
      run(place, {"run", "p.toml"})
          .err.ends_with(": a pool is a part of the buffer; expected a 'buffer' beside it\n"));
  text = coded;
  text.replace(text.find(pfc), pfc.size(),
               "buffer = \"4 MB\"\npfc = { alpha = 0.125 }\npool = [{ classes = [3], size = \"1 "
               "MB\" }]\n");
  place.write("p.toml", text);
  EXPECT_TRUE(
      run(place, {"run", "p.toml"})
          .err.ends_with(": missing key 'priorities': with a [[pool]] it says which classes "
                         "pause, and so have their headroom in their pool\n"));
}

/// Packets that a run lost, by cause.
std::int64_t lost(const ordered_json& s, const char* cause) {
  const auto& dropped = s.at("packets").at("dropped");
  return dropped.contains(cause) ? dropped.at(cause).get<std::int64_t>() : 0;
}

// Class 3 pauses, class 4 drops, in the buffer of a switch or of a chip. A pool of its own keeps
// the lossless class from being paused for what the lossy one holds, and loses nothing of it.
TEST(ClassCodesPlatform, PoolsKeepALossyClassOutOfALosslessOne) {
  for (const std::string kind : {"switch", "chip"}) {
    const auto pauses = [&](const Words& more) {
      Words settings = {"tor.pfc={alpha=0.125,priorities=[3]}", "tor.ecn={}",
                        "nic.congestion={algorithm=\"none\"}"};
      std::string text = coded;
      if (kind == "chip") {
        const std::string plain = "kind = \"switch\"\nbuffer = \"4 MB\"\n";
        text.replace(text.find(plain), plain.size(),
                     "kind = \"tofino\"\ncells = 22728\nprogram = { name = \"forward\" }\n");
      }
      settings.insert(settings.end(), more.begin(), more.end());
      const Workplace place;
      place.write("p.toml", text);
      const Ended ended =
          run(place, with_settings({"run", "p.toml", "--no-progress", "--json"}, settings));
      EXPECT_EQ(ended.exit_code, 0) << ended.err;
      const ordered_json s = ended.json();
      EXPECT_EQ(lost(s, "headroom_full"), 0) << kind;
      const auto& port = s.at("statistics").at("t").at("port0");
      return std::pair(port.contains("pauses_sent_class3"),
                       lost(s, "buffer_full") + lost(s, "queue_full"));
    };
    const auto apart =
        pauses({"tor.pool=[{classes=[3],size=\"3 MB\"},{classes=[4],size=\"50 KB\"}]"});
    EXPECT_GT(apart.second, 0) << kind << ": 50 KB are full at once";
    const auto roomy =
        pauses({"tor.pool=[{classes=[3],size=\"500 KB\"},{classes=[4],size=\"3 MB\"}]"});
    EXPECT_EQ(roomy.second, 0) << kind;
  }
}

// On a chip too there is one line for what does not go together.
TEST(ClassCodesPlatform, PoolsOfAChipAreOfItsCells) {
  std::string text = coded;
  const std::string plain = "kind = \"switch\"\nbuffer = \"4 MB\"\n";
  text.replace(text.find(plain), plain.size(),
               "kind = \"tofino\"\ncells = 1000\npool = [{ classes = [3], size = \"1 MB\" }]\n"
               "program = { name = \"forward\" }\n");
  const Workplace place;
  place.write("p.toml", text);
  const Ended ended = run(place, {"run", "p.toml"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_TRUE(
      ended.err.ends_with(": size = 1 MB is more than the 176 KB that pools before it leave "
                          "of the buffer of 176 KB\n"))
      << ended.err;
}

}  // namespace
}  // namespace horae::test::class_codes_test
