// `horae replay`: traces of other formats, links and tunnels.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "link_bytes.hpp"
#include "packed_bytes.hpp"
#include "replay.hpp"

namespace horae::test::replay_formats_test {
namespace {

using namespace horae::testing;

std::string text(const ByteString& bytes) { return {bytes.begin(), bytes.end()}; }

std::vector<ByteString> left(const Workplace& place, const std::string& port) {
  std::vector<ByteString> frames;
  for (const auto& f : captured(place, "out/ports/t_" + port + ".pcap")) frames.push_back(f.bytes);
  return frames;
}

TEST(Replay, PackedTracesAreWhatTheyWere) {
  const ReplayPlace place;
  PcapBytes pcap;
  for (std::uint32_t i = 0; i < 300; ++i)
    pcap.packet(1, i * 1000, testing::bytes_of(roce_packet(0, 1, Opcode::send_only, i, 200)));
  const auto replayed = [&](const ByteString& bytes) {
    place.write("in", text(bytes));
    auto summary = place.summary({"in@a"});
    summary.erase("wall_s");
    return std::pair(summary, place.read("out/packets.csv"));
  };
  const auto plain = replayed(pcap.bytes());
  EXPECT_EQ(replayed(gzip_of(pcap.bytes())), plain);
  EXPECT_EQ(replayed(zstd_of(pcap.bytes())), plain);
  ByteString cut = gzip_of(pcap.bytes());
  cut.resize(cut.size() - 20);
  place.write("in", text(cut));
  const Ended ended = place.replay({"in@a"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_TRUE(ended.err.starts_with("horae: in: packet ")) << ended.err;
  EXPECT_NE(ended.err.find(" of what gzip packed: gzip: the file ends in the middle of its data ("),
            std::string::npos)
      << ended.err;
}

TEST(Replay, ErfRecordsLoseTheirFcsUnlessItIsAskedFor) {
  const ReplayPlace place;
  const ByteString f = testing::bytes_of(roce_packet(0, 1, Opcode::send_only, 1, 100));
  place.write("in.erf",
              text(joined({testing::bytes_of(ErfRecord{.packet = with_fcs(f)}),
                           testing::bytes_of(ErfRecord{.packet = with_fcs(f),
                                                       .stamp = (1000ULL << 32) + (1ULL << 22),
                                                       .lost = 7})})));
  const auto summary = place.summary({"in.erf@a"});
  EXPECT_EQ(result(summary, "packets_out"), 2);
  EXPECT_EQ(result(summary, "lost_by_capture"), 7);
  EXPECT_EQ(left(place, "1"), (std::vector{f, f}));
  EXPECT_EQ(captured(place, "out/ports/t_1.pcap").at(0).time_ns / 1'000'000'000, 1000);
  const auto rows = place.rows("out/packets.csv");
  EXPECT_EQ(number(rows.at(0), "bytes"), static_cast<std::int64_t>(f.size()) + 4);
  EXPECT_EQ(number(rows.at(1), "first_bit_in_ps"), 976'562'000) << "2^-10 s in whole nanoseconds";
  place.summary({"in.erf@a", "--fcs"});
  EXPECT_EQ(left(place, "1"), (std::vector{with_fcs(f), with_fcs(f)}));
  EXPECT_EQ(place.rows("out/packets.csv"), rows);
}

TEST(Replay, InfinibandAndRocev1GoWhereTheirGidsSay) {
  const ReplayPlace place;
  PcapBytes infiniband(PcapBytes::nanoseconds, 247), ethernet;
  infiniband.packet(1, 0, infiniband_packet(true)).packet(1, 1000, infiniband_packet(false));
  ethernet.packet(1, 0, rocev1_frame()).packet(1, 1000, rocev1_frame(8, {.psn = 9}));
  place.write_pcap("ib.pcap", infiniband);
  place.write_pcap("v1.pcap", ethernet);
  auto summary = place.summary({"v1.pcap@a"});
  EXPECT_EQ(result(summary, "rocev1"), 2);
  EXPECT_EQ(summary.at("rows").at("kinds").at(0).at("roce"), 2);
  EXPECT_EQ(left(place, "1"), (std::vector{rocev1_frame(), rocev1_frame(8, {.psn = 9})}));
  summary = place.summary({"ib.pcap@a", "--map", "fe80::5=a", "--map", "fe80::9=c"});
  EXPECT_EQ(result(summary, "rocev1"), 2);
  EXPECT_EQ(result(summary, "unknown_destinations"), 0);
  const auto rows = place.rows("out/packets.csv");
  EXPECT_EQ(rows.at(0).at("destination"), "b");
  EXPECT_EQ(rows.at(1).at("destination"), "c");
  EXPECT_EQ(number(rows.at(1), "bytes"), 134 + 4) << "with the GRH that it lacked";
}

TEST(Replay, RoceInATunnelIsItsInnerPacket) {
  const ReplayPlace place;
  const ByteString inner = testing::bytes_of(nack_packet(0, 1, 5, 3));
  const ByteString data = testing::bytes_of(roce_packet(0, 2, Opcode::send_only, 1, 64));
  PcapBytes pcap;
  pcap.packet(1, 0, vxlan_frame(data)).packet(1, 1000, gre_frame(nvgre, data));
  // The program drops every fourth NACK, from the first on: it sees those in tunnels.
  for (std::uint32_t i = 0; i < 4; ++i) pcap.packet(1, 2000 + 1000 * i, vxlan_frame(inner));
  place.write_pcap("in.pcap", pcap);
  const auto summary = place.summary({"in.pcap@a"});
  EXPECT_EQ(result(summary, "tunnelled"), 6);
  EXPECT_EQ(summary.at("packets").at("dropped").at("program"), 1);
  EXPECT_EQ(left(place, "2"), (std::vector{vxlan_frame(data), gre_frame(nvgre, data)}));
  EXPECT_EQ(left(place, "1").size(), 3u);
  EXPECT_EQ(number(place.rows("out/packets.csv").at(0), "bytes"),
            static_cast<std::int64_t>(vxlan_frame(data).size()) + 4);
  // For plain traces the summary does not mention them.
  PcapBytes plain;
  plain.packet(1, 0, data);
  place.write_pcap("in.pcap", plain);
  const auto results = place.summary({"in.pcap@a"}).at("results");
  for (const char* name : {"tunnelled", "rocev1", "lost_by_capture", "deflected"})
    EXPECT_FALSE(results.contains(name)) << name;
}

}  // namespace
}  // namespace horae::test::replay_formats_test
