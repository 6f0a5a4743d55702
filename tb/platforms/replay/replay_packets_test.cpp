// `horae replay`: which packets leave a switch, by which port, and with which bytes.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "replay.hpp"

namespace horae::test::replay_packets_test {
namespace {

TEST(Replay, UnchangedPacketsLeaveByteForByte) {
  const ReplayPlace place;
  std::vector<ByteString> frames;
  for (const bool ipv6 : {false, true}) {
    for (const auto& vlan : {std::optional<std::uint16_t>(), std::optional<std::uint16_t>(3)})
      frames.push_back(bytes_of(roce_packet(0, 1, Opcode::write_first, 1, 777),
                                {.ipv6 = ipv6, .vlan_id = vlan}));
  }
  ByteString tcp = frames[0];
  tcp[23] = 6;
  frames.push_back(tcp);
  frames.push_back(ByteString(40, 0x11));  // shorter than Ethernet's minimum
  ByteString arp(60, 0xff);
  arp[12] = 0x08, arp[13] = 0x06;
  frames.push_back(arp);
  frames.push_back({});
  frames.push_back({1, 2, 3});
  PcapBytes pcap;
  std::uint32_t ns = 0;
  for (const auto& f : frames) pcap.packet(1, ns += 1000, f);
  pcap.packet(1, ns += 1000, {frames[0].begin(), frames[0].begin() + 64}, 855);
  place.write_pcap("in.pcap", pcap);
  const auto summary = place.summary({"in.pcap@0"});
  EXPECT_EQ(result(summary, "packets_out"), static_cast<double>(frames.size() + 1));
  const auto& kinds = summary.at("rows").at("kinds").at(0);
  EXPECT_EQ(kinds.at("roce"), 5);
  EXPECT_EQ(kinds.at("tcp"), 1);
  EXPECT_EQ(kinds.at("arp"), 1);
  EXPECT_EQ(kinds.at("cut"), 2);
  EXPECT_EQ(kinds.at("other"), 1);
  EXPECT_EQ(result(summary, "captured_in_part"), 1);
  std::multimap<ByteString, std::uint32_t> out;
  for (const char* name : {"out/ports/t_1.pcap", "out/ports/t_2.pcap"}) {
    for (const auto& o : captured(place, name)) out.emplace(o.bytes, o.length);
  }
  for (const auto& f : frames) {
    const auto it = out.find(f);
    ASSERT_NE(it, out.end());
    EXPECT_EQ(it->second, f.size());
    out.erase(it);
  }
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out.begin()->first, ByteString(frames[0].begin(), frames[0].begin() + 64));
  EXPECT_EQ(out.begin()->second, 855u);
}

// Each kind has another number, so that none stands for another.
TEST(Replay, CountsWhatItsCapturesHave) {
  const ReplayPlace place;
  PcapBytes pcap;
  std::uint32_t ns = 0;
  const auto frame = bytes_of(roce_packet(0, 1, Opcode::write_middle, 1, 100));
  const auto several = [&](int n, const ByteString& bytes, std::uint32_t length = 0) {
    for (int i = 0; i < n; ++i) pcap.packet(1, ns += 10'000, bytes, length);
  };
  several(2, ByteString(40, 0x11));                          // padded
  several(3, {frame.begin(), frame.begin() + 64}, 100'000);  // shortened, and in part
  several(4, {frame.begin(), frame.begin() + 64}, static_cast<std::uint32_t>(frame.size()));
  several(5,
          bytes_of(roce_packet(0, 1, Opcode::write_middle, 1, 100), {.vlan_id = std::uint16_t{3}}));
  place.write_pcap("in.pcap", pcap);
  const auto summary = place.summary({"in.pcap@0"});
  EXPECT_EQ(result(summary, "padded"), 2);
  EXPECT_EQ(result(summary, "shortened"), 3);
  EXPECT_EQ(result(summary, "captured_in_part"), 7);
  EXPECT_EQ(result(summary, "vlan_tagged"), 5);
  EXPECT_EQ(result(summary, "packets_in"), 14);
}

TEST(Replay, RowsOfRoceHaveQueuePairAndPsn) {
  const ReplayPlace place;
  Packet p = roce_packet(0, 1, Opcode::send_only, 77, 100);
  p.dest_qp = Qpn(0x1234);
  ByteString arp(60, 0xff);
  arp[12] = 0x08, arp[13] = 0x06;
  PcapBytes pcap;
  pcap.packet(1, 1000, bytes_of(p));
  pcap.packet(1, 2000, arp);
  place.write_pcap("in.pcap", pcap);
  place.summary({"in.pcap@0"});
  const auto rows = place.rows("out/packets.csv");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].at("psn"), "77");
  EXPECT_EQ(rows[0].at("dest_qp"), "4660");
  EXPECT_EQ(rows[1].at("psn") + rows[1].at("dest_qp"), "");
}

TEST(Replay, WatchingChangesNothing) {
  const ReplayPlace place;
  PcapBytes pcap;
  for (std::uint32_t i = 0; i < 300; ++i) {
    const Packet p = i % 3 == 0 ? nack_packet(0, 1, i, 5)
                                : roce_packet(0, 1 + i % 2, Opcode::send_only, i,
                                              static_cast<std::uint16_t>(i * 13));
    pcap.packet(1, i * 40, bytes_of(p));
  }
  place.write_pcap("in.pcap", pcap);
  auto watched = place.summary({"in.pcap@a", "--registers", "nack_count"});
  auto bare = place.summary({"in.pcap@a", "--no-packets", "--no-ports"});
  for (auto* s : {&watched, &bare}) s->erase("wall_s");
  EXPECT_EQ(watched, bare);
  EXPECT_EQ(place.content().size(), 4u);  // platform, trace, the folder and its summary
}

TEST(Replay, RegistersAreWhatTheProgramSees) {
  const ReplayPlace place;
  PcapBytes pcap;
  for (std::uint32_t i = 0; i < 6; ++i) pcap.packet(1, i * 1000, bytes_of(nack_packet(0, 1, i, 5)));
  place.write_pcap("in.pcap", pcap);
  const auto summary = place.summary({"in.pcap@a", "--registers", "nack_count"});
  EXPECT_EQ(summary.at("packets").at("dropped").at("program"), 2);
  const auto rows = place.rows("out/registers.csv");
  const auto packets = place.rows("out/packets.csv");
  ASSERT_EQ(rows.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(number(rows[i], "packet"), static_cast<std::int64_t>(i) + 1);
    EXPECT_EQ(rows[i].at("register"), "t.pipe0.nack_count");
    EXPECT_EQ(number(rows[i], "before"), static_cast<std::int64_t>(i) % 4);
    EXPECT_EQ(number(rows[i], "after"), static_cast<std::int64_t>(i + 1) % 4);
  }
  for (const auto& row : packets) {
    const bool dropped = row.at("packet") == "1" || row.at("packet") == "5";
    EXPECT_EQ(row.at("verdict"), dropped ? "dropped" : "sent");
    EXPECT_EQ(row.at("cause"), dropped ? "program" : "");
    EXPECT_EQ(row.at("object"), dropped ? "drop" : "");
    EXPECT_EQ(row.at("ingress_in_ps"), rows[std::stoul(row.at("packet")) - 1].at("time_ps"));
  }
  EXPECT_NE(place.replay({"in.pcap@a", "--registers", "nack_cuont", "--out", "o"})
                .err.find("did you mean 'nack_count'?"),
            std::string::npos);
}

TEST(Replay, AddressesAreNodes) {
  const ReplayPlace place;
  ByteString f = bytes_of(roce_packet(0, 1, Opcode::send_only, 1, 64));
  const auto to = [&](std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint8_t d) {
    ByteString g = f;
    g[30] = a, g[31] = b, g[32] = c, g[33] = d;
    return g;
  };
  PcapBytes pcap;
  pcap.packet(1, 0, to(10, 0, 0, 3)).packet(1, 1000, to(192, 168, 0, 9));
  for (std::uint8_t i = 0; i < 64; ++i) pcap.packet(1, 2000u + i * 100u, to(192, 168, 1, i));
  place.write_pcap("in.pcap", pcap);
  const auto summary = place.summary({"in.pcap@a", "--map", "192.168.0.9=b"});
  EXPECT_EQ(result(summary, "unknown_destinations"), 64);
  const auto& ports = summary.at("rows").at("ports");
  EXPECT_EQ(ports.at(0).at("packets_out"), 0) << "behind the port they came by";
  EXPECT_GE(ports.at(1).at("packets_out").get<int>(), 16);
  EXPECT_GE(ports.at(2).at("packets_out").get<int>(), 16);
  for (const auto& row : place.rows("out/packets.csv")) {
    const bool mapped = row.at("packet") == "2", planned = row.at("packet") == "1";
    if (mapped || planned) {
      EXPECT_EQ(row.at("destination"), mapped ? "b" : "c");
    }
  }
  const auto dropped = place.summary({"in.pcap@a", "--unknown", "drop"});
  EXPECT_EQ(dropped.at("packets").at("dropped").at("program"), 65);
  const Ended refused = place.replay({"in.pcap@a", "--unknown", "refuse"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("in.pcap: packet 2: a packet to 192.168.0.9, "), std::string::npos);
  const auto some =
      place.summary({"in.pcap@a", "--filter", "dst net 192.168.1.0/24", "--limit", "9"});
  EXPECT_EQ(result(some, "packets_in"), 9);
  EXPECT_EQ(result(some, "filtered_out"), 2);
}

TEST(Replay, APlainSwitchWorksAsWell) {
  const ReplayPlace place;
  place.write("three.toml",
              std::string(three).replace(three.find("\"chip\"\n[[link"), 6, "\"plain\""));
  PcapBytes pcap;
  for (std::uint32_t i = 0; i < 3; ++i)
    pcap.packet(1, i * 1000, bytes_of(roce_packet(0, i, Opcode::send_only, i, 100)));
  place.write_pcap("in.pcap", pcap);
  const auto summary = place.summary({"in.pcap@b"});
  EXPECT_EQ(result(summary, "packets_out"), 3);
  for (const auto& row : place.rows("out/packets.csv"))
    EXPECT_GE(number(row, "first_bit_out_ps"), number(row, "queue_in_ps"));
}

TEST(Replay, WithAnFcsItIsMadeRight) {
  const ReplayPlace place;
  PcapBytes pcap;
  const Packet p = roce_packet(0, 1, Opcode::send_only, 1, 64);
  pcap.packet(1, 0, bytes_of(p, {}, true));
  place.write_pcap("in.pcap", pcap);
  place.summary({"in.pcap@a", "--fcs"});
  EXPECT_EQ(place.rows("out/packets.csv").at(0).at("bytes"), std::to_string(p.frame));
  EXPECT_EQ(captured(place, "out/ports/t_1.pcap").at(0).bytes, bytes_of(p, {}, true));
}

}  // namespace
}  // namespace horae::test::replay_packets_test
