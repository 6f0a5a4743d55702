// `horae replay`: what real captures have beside data: pauses, neighbours' frames, other networks'
// addresses, several directions in one file; and packets that go on as copies.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "replay.hpp"

namespace horae::test::replay_captures_test {
namespace {

constexpr std::int64_t frame_ps = 84 * 80;     // 64 bytes with preamble and gap at 100 Gbps
constexpr std::int64_t quantum_ps = 512 * 10;  // bit times of that rate
const std::string plain = [] {
  std::string text = three;
  return text.replace(text.find("\"chip\"\n[[link"), 6, "\"plain\"");
}();

/// PFC (IEEE 802.3, 31D) that holds one class for so many quanta; 0: it may go on.
ByteString pfc(unsigned traffic_class, std::uint16_t quanta) {
  ByteString f(60, 0);
  f[0] = 0x01, f[1] = 0x80, f[2] = 0xc2, f[5] = 0x01;
  f[12] = 0x88, f[13] = 0x08, f[14] = 0x01, f[15] = 0x01;
  f[17] = static_cast<std::uint8_t>(1u << traffic_class);
  f[18 + 2 * traffic_class] = static_cast<std::uint8_t>(quanta >> 8);
  f[19 + 2 * traffic_class] = static_cast<std::uint8_t>(quanta);
  return f;
}

/// Three packets from a to b, one each microsecond, into a plain switch that takes 600 ns; pause
/// frames of b at `at` nanoseconds. When each packet leaves, and how long b's port was held.
struct Paused {
  std::vector<std::int64_t> out_ps;
  std::int64_t wire_ps = 0;
  ordered_json summary;
};
Paused paused(const std::vector<std::pair<std::uint32_t, ByteString>>& pauses) {
  const ReplayPlace place;
  place.write("three.toml", plain);
  const Packet p = roce_packet(0, 1, Opcode::write_middle, 1, 1024);
  PcapBytes data, back;
  for (std::uint32_t i = 0; i < 3; ++i) data.packet(1, i * 1000, bytes_of(p));
  for (const auto& [at, frame] : pauses) back.packet(1, at, frame);
  place.write_pcap("data.pcap", data);
  place.write_pcap("back.pcap", back);
  Paused result;
  result.wire_ps = p.wire_size().count() * 80;
  result.summary = place.summary({"data.pcap@a", "back.pcap@b"});
  for (const auto& row : place.rows("out/packets.csv"))
    result.out_ps.push_back(number(row, "first_bit_out_ps"));
  return result;
}

double paused_ns(const Paused& result, std::size_t port) {
  return result.summary.at("rows").at("ports").at(port).at("paused_ns").get<double>();
}

TEST(Replay, APauseOfTheCaptureHoldsItsClassForItsTime) {
  const auto free = paused({{500, pfc(3, 1000)}});
  const std::int64_t way = free.wire_ps + 600'000;
  EXPECT_EQ(free.out_ps, (std::vector<std::int64_t>{way, way + 1'000'000, way + 2'000'000}))
      << "another class";
  const auto held = paused({{500, pfc(0, 1000)}});
  const std::int64_t over = 500'000 + frame_ps + 1000 * quantum_ps;
  EXPECT_EQ(held.out_ps,
            (std::vector<std::int64_t>{over, over + held.wire_ps, over + 2 * held.wire_ps}));
  EXPECT_EQ(paused_ns(held, 1), 5120);
  EXPECT_EQ(paused_ns(held, 0), 0);
  EXPECT_EQ(result(held.summary, "pause_frames"), 1);
  EXPECT_EQ(result(held.summary, "packets_in"), 3);
}

TEST(Replay, ALaterPauseGoesOnOrEndsIt) {
  const auto longer = paused({{500, pfc(0, 1000)}, {4000, pfc(0, 1000)}});
  EXPECT_EQ(longer.out_ps.front(), 4'000'000 + frame_ps + 1000 * quantum_ps);
  EXPECT_EQ(paused_ns(longer, 1), 3500 + 5120);
  const auto shorter = paused({{500, pfc(0, 1000)}, {3000, pfc(0, 0)}});
  EXPECT_EQ(shorter.out_ps.front(), 3'000'000 + frame_ps);
  EXPECT_EQ(paused_ns(shorter, 1), 2500);
}

TEST(Replay, APauseOf8023HoldsAllClasses) {
  ByteString all = pfc(0, 0);
  all[15] = 0x01, all[14] = 0x00, all[16] = 0x03, all[17] = 0xe8;  // 1000
  EXPECT_EQ(paused({{500, all}}).out_ps.front(), 500'000 + frame_ps + 1000 * quantum_ps);
}

TEST(Replay, FramesOfNeighboursAreCounted) {
  ByteString lldp = pfc(0, 0), lacp = lldp;
  lldp[5] = 0x0e, lldp[13] = 0xcc;
  lacp[5] = 0x02, lacp[13] = 0x09, lacp[14] = 1;
  const auto run = paused({{100, lldp}, {200, lacp}, {300, lacp}});
  EXPECT_EQ(result(run.summary, "link_local"), 3);
  EXPECT_EQ(result(run.summary, "lldp"), 1);
  EXPECT_EQ(result(run.summary, "lacp"), 2);
  EXPECT_EQ(result(run.summary, "pause_frames"), 0);
  EXPECT_EQ(result(run.summary, "packets_in"), 3);
}

TEST(Replay, PrefixesAreNodes) {
  const ReplayPlace place;
  const auto to = [](std::uint8_t third, std::uint8_t last) {
    ByteString f = bytes_of(roce_packet(0, 1, Opcode::send_only, 1, 64));
    f[30] = 192, f[31] = 168, f[32] = third, f[33] = last;
    return f;
  };
  PcapBytes pcap;
  pcap.packet(1, 0, to(1, 7)).packet(1, 1000, to(2, 7)).packet(1, 2000, to(2, 200));
  pcap.packet(1, 3000, to(2, 201));
  place.write_pcap("in.pcap", pcap);
  const auto summary =
      place.summary({"in.pcap@a", "--map", "192.168.0.0/16=b", "--map", "192.168.2.201=b", "--map",
                     "192.168.2.128/25=c", "--map", "192.168.2.0/24=1"});
  EXPECT_EQ(result(summary, "unknown_destinations"), 0);
  std::string destinations;
  for (const auto& row : place.rows("out/packets.csv")) destinations += row.at("destination");
  EXPECT_EQ(destinations, "bbcb") << "the longest prefix; an address before all";
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"192.168.0.0/33=b", "'192.168.0.0/33' is no prefix; expected an IPv4 address and /0 to /32"},
      {"192.168.0.0/=b", "'192.168.0.0/' is no prefix"},
      {"00:11:22:33:44:55/8=b", "'00:11:22:33:44:55/8' is no prefix"},
      {"192.168.1.0/16=b", "bits are set behind the prefix; expected 192.168.0.0/16"},
      {"fd00::1/64=b", "bits are set behind the prefix; expected fd00::/64"},
      {"10.0.0.0/8=nobody", "no node 'nobody'"}};
  for (const auto& [map, problem] : bad) {
    const Ended ended = place.replay({"in.pcap@a", "--map", map});
    EXPECT_EQ(ended.exit_code, 2) << map;
    EXPECT_TRUE(ended.err.starts_with("horae: --map " + map + ": " + problem)) << ended.err;
  }
  const Ended twice = place.replay({"in.pcap@a", "--map", "10.0.0.0/8=b", "--map", "10.0.0.0/8=c"});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_EQ(twice.err, "horae: --map 10.0.0.0/8=c: 10.0.0.0/8 is mapped twice\n");
}

TEST(Replay, EachTraceMayHaveItsFilter) {
  const ReplayPlace place;
  PcapBytes both;  // as a NIC captures them
  for (std::uint32_t i = 0; i < 4; ++i) {
    both.packet(1, 2000 * i, bytes_of(roce_packet(0, 1, Opcode::send_only, i, 64)));
    both.packet(1, 2000 * i + 1000, bytes_of(roce_packet(1, 0, Opcode::acknowledge, i)));
  }
  place.write_pcap("both.pcap", both);
  const auto summary = place.summary(
      {"both.pcap@a", "both.pcap@b", "--filter", "src 10.0.0.1", "--filter", "src 10.0.0.2"});
  for (const std::size_t port : {0, 1}) {
    EXPECT_EQ(summary.at("rows").at("ports").at(port).at("packets_in"), 4);
    EXPECT_EQ(summary.at("rows").at("ports").at(port).at("packets_out"), 4);
  }
  EXPECT_EQ(summary.at("replay").at("inputs").at(1).at("filter"), "src 10.0.0.2");
  const Ended ended = place.replay({"both.pcap@a", "--filter", "udp", "--filter", "tcp"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.err,
            "horae: --filter: 2 filters for 1 trace; expected one for all, or one for each in the "
            "order of the traces (\"\": everything)\n");
}

// One NIC and one uplink on each pipeline: most responses leave by another pipeline than they come
// by, turn back to their own port, and go on as copies (Themis, Figure 8).
TEST(Replay, AResponseThatIsTurnedBackIsReplacedByItsCopy) {
  const ThemisPlace place;
  PcapBytes down, up;
  down.packet(1, 0, bytes_of(roce_packet(0, 4, Opcode::write_only, 0, 1024, 44)));
  for (std::uint16_t i = 0; i < 16; ++i) {
    Packet ack = roce_packet(4, 0, Opcode::acknowledge, 0, 0, 33);
    ack.entropy = static_cast<std::uint16_t>(0xc000 + 7 * i);
    up.packet(1, 10'000 + 1000u * i, bytes_of(ack));
  }
  place.write_pcap("down.pcap", down);
  place.write_pcap("up.pcap", up);
  const Ended ended = place.themis({"down.pcap@4", "up.pcap@h4"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  std::map<std::string, std::string> verdicts;
  std::map<std::string, unsigned> copies;
  for (const auto& row : place.rows("out/packets.csv")) {
    if (row.at("in_port") != "0") continue;
    if (row.at("copy") == "0") {
      verdicts[row.at("packet")] = row.at("verdict");
    } else {
      copies[row.at("packet")] += row.at("verdict") == "sent" ? 1 : 0;
    }
  }
  ASSERT_EQ(verdicts.size(), 16u);
  unsigned replaced = 0;
  for (const auto& [packet, verdict] : verdicts) {
    EXPECT_EQ(verdict, copies[packet] == 1 ? "replaced" : "sent") << packet;
    replaced += verdict == "replaced" ? 1 : 0;
  }
  EXPECT_GT(replaced, 0u);
}

}  // namespace
}  // namespace horae::test::replay_captures_test
