// `horae replay`: programs that keep state of connections, and change packets.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "replay.hpp"

namespace horae::test::replay_programs_test {
namespace {

TEST(Replay, ThemisDropsTheNackItShould) {
  const ThemisPlace place;
  constexpr std::uint32_t sender_qp = 33, receiver_qp = 44;
  const auto data = [&](std::uint32_t psn) {
    return bytes_of(roce_packet(0, 4, Opcode::write_middle, psn, 1024, receiver_qp));
  };
  // PSN 2 is overtaken by 3, so the NIC asks for it: nothing says that it is lost. Later 130 comes
  // by the path of 2, which says so. The traces are one for each direction.
  PcapBytes down, up;
  for (const auto& [us, psn] :
       std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0, 0}, {1, 1}, {2, 3}, {20, 130}})
    down.packet(1, us * 1000, data(psn));
  up.packet(1, 10'000, bytes_of(nack_packet(4, 0, 2, sender_qp)));
  place.write_pcap("down.pcap", down);
  place.write_pcap("up.pcap", up);
  const Ended ended = place.themis({"down.pcap@4", "up.pcap@h4"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(place.read("out/connections.csv"),
            "sender,receiver,sender_qp,receiver_qp,entropy,first_psn\nh0,h4,0x21,0x2c,49443,0\n");
  const auto summary = ended.json();
  EXPECT_EQ(summary.at("statistics").at("leaf1").at("program").at("nacks_stashed").at("value"), 1);
  bool nack_seen = false, copy_seen = false;
  for (const auto& row : place.rows("out/packets.csv")) {
    if (row.at("in_port") == "0" && row.at("copy") == "0") {
      nack_seen = true;
      EXPECT_EQ(row.at("verdict"), "dropped");
      EXPECT_EQ(row.at("cause"), "program");
      EXPECT_EQ(row.at("object"), "drop_nack");
      EXPECT_GE(number(row, "stage"), 1);
    }
    if (row.at("copy") != "0" && row.at("verdict") == "sent") {
      copy_seen = true;
      EXPECT_EQ(row.at("packet"), "4") << "the packet that decided it";
      EXPECT_EQ(row.at("parent"), "0");
      EXPECT_EQ(row.at("source"), "h4");
      EXPECT_EQ(row.at("destination"), "h0");
    }
  }
  EXPECT_TRUE(nack_seen);
  EXPECT_TRUE(copy_seen);
  // The copy is the NACK that was kept back.
  std::vector<FrameOut> sent;
  for (int port = 4; port < 8; ++port) {
    for (auto& o : captured(place, fmt::format("out/ports/leaf1_{}.pcap", port))) sent.push_back(o);
  }
  ASSERT_EQ(sent.size(), 1u);
  const Packet nack = packet_of(decode(sent[0].bytes), {});
  EXPECT_TRUE(nack.is_nack());
  EXPECT_EQ(nack.psn.value(), 2u);
  EXPECT_EQ(nack.dest_qp.value(), sender_qp);
  EXPECT_TRUE(decode(sent[0].bytes).icrc_valid);
}

/// Responses of atomics say which queue pair asks, as acknowledgements do.
TEST(Replay, ConnectionsOfAtomicsAreLearned) {
  const ThemisPlace place;
  PcapBytes down, up;
  for (const std::uint32_t psn : {7u, 8u}) {
    down.packet(1, psn * 1000, bytes_of(roce_packet(0, 4, Opcode::fetch_add, psn, 28, 44)));
    up.packet(1, psn * 1000 + 500,
              bytes_of(roce_packet(4, 0, Opcode::atomic_acknowledge, psn, 8, 33)));
  }
  place.write_pcap("down.pcap", down);
  place.write_pcap("up.pcap", up);
  const Ended ended = place.themis({"down.pcap@4", "up.pcap@h4"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(place.read("out/connections.csv"),
            "sender,receiver,sender_qp,receiver_qp,entropy,first_psn\nh0,h4,0x21,0x2c,49443,7\n");
}

// A response names a PSN of its flow, or one further at most: two flows between the same nodes are
// told apart by that.
TEST(Replay, ConnectionsAreLearnedByThePsnsOfTheirResponses) {
  const auto sender_qps = [](std::uint32_t first, std::int32_t acked, std::int32_t other_acked) {
    const ThemisPlace place;
    PcapBytes down, up;
    std::uint32_t ns = 0;
    const auto psn = [first](std::int32_t behind) {
      return (first + static_cast<std::uint32_t>(behind)) & 0xffffff;
    };
    for (const std::int32_t i : {0, 1, 2, 100, 101, 102})
      down.packet(1, ns += 1000,
                  bytes_of(roce_packet(0, 4, Opcode::write_middle, psn(i), 64, i < 100 ? 17 : 18)));
    up.packet(1, ns += 1000, bytes_of(roce_packet(4, 0, Opcode::acknowledge, psn(acked), 0, 5)));
    up.packet(1, ns += 1000,
              bytes_of(roce_packet(4, 0, Opcode::acknowledge, psn(other_acked), 0, 6)));
    place.write_pcap("down.pcap", down);
    place.write_pcap("up.pcap", up);
    const Ended ended = place.themis({"down.pcap@4", "up.pcap@h4"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    std::string all;
    for (const auto& row : place.rows("out/connections.csv"))
      all += row.at("receiver_qp") + " " + row.at("sender_qp") + " " + row.at("first_psn") + "; ";
    return all + fmt::format("{}", result(ended.json(), "connections_without_sender_qp"));
  };
  EXPECT_EQ(sender_qps(10, 0, 102), "0x11 0x5 10; 0x12 0x6 110; 0");
  EXPECT_EQ(sender_qps(10, 3, 99), "0x11 0x5 10; 0x12 0x6 110; 0") << "one further, one before";
  EXPECT_EQ(sender_qps(10, 4, 99), "0x11 0x0 10; 0x12 0x6 110; 1") << "two further";
  EXPECT_EQ(sender_qps(10, 3, 98), "0x11 0x5 10; 0x12 0x0 110; 1") << "two before";
  EXPECT_EQ(sender_qps(10, -1, 103), "0x11 0x5 10; 0x12 0x6 110; 0");
  EXPECT_EQ(sender_qps(0xffffff, 3, 99), "0x11 0x5 16777215; 0x12 0x6 99; 0") << "around zero";
}

TEST(Replay, WithoutConnectionsTheNackPasses) {
  const ThemisPlace place;
  PcapBytes up;
  up.packet(1, 0, bytes_of(nack_packet(4, 0, 2, 33)));
  place.write_pcap("up.pcap", up);
  const Ended ended = place.themis({"up.pcap@0", "--connections", "none"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(result(ended.json(), "packets_dropped"), 1) << "it turns back, and its copy goes on";
  EXPECT_EQ(result(ended.json(), "packets_out"), 1);
  place.write("c.csv",
              "receiver,sender,sender_qp,receiver_qp,first_psn,entropy\n4,h0,33,0x2C,0,9\n");
  EXPECT_EQ(place.themis({"up.pcap@0", "--connections", "c.csv"}).exit_code, 0);
  EXPECT_EQ(place.read("out/connections.csv"),
            "sender,receiver,sender_qp,receiver_qp,entropy,first_psn\nh0,h4,0x21,0x2c,9,0\n");
}

TEST(Replay, ARecirculationShows) {
  const ThemisPlace place;
  PcapBytes pcap;
  pcap.packet(1, 0, bytes_of(nack_packet(4, 0, 2, 33)));  // h0 is on pipeline 0, port 5 on 1
  place.write_pcap("in.pcap", pcap);
  const Ended ended = place.themis({"in.pcap@5"}, "leaf0");
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const auto rows = place.rows("out/packets.csv");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].at("passes"), "2");
  EXPECT_EQ(rows[0].at("out_port"), "0");
  EXPECT_EQ(result(ended.json(), "recirculated"), 1);
}

TEST(Replay, ConweavePutsItsHeaderIn) {
  const ReplayPlace place;
  PcapBytes pcap;
  const Packet p = roce_packet(0, 4, Opcode::write_middle, 5, 1024, 7);
  pcap.packet(1, 0, bytes_of(p));
  place.write_pcap("in.pcap", pcap);
  const Ended first =
      run(place, {"replay", "in.pcap@h0", "--platform", HORAE_PLATFORM_DIR "/conweave_tor.toml",
                  "--device", "leaf0", "--json", "--out", "out"});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  std::vector<FrameOut> out;
  int port = 0;
  for (int i = 4; i < 8; ++i) {
    for (auto& o : captured(place, fmt::format("out/ports/leaf0_{}.pcap", i))) {
      out.push_back(o);
      port = i;
    }
  }
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].bytes.size() + 4, std::size_t{p.frame} + 4);
  EXPECT_TRUE(decode(out[0].bytes).icrc_valid);
  // The other ToR takes it out again.
  const Ended second = run(place, {"replay", fmt::format("out/ports/leaf0_{}.pcap@{}", port, port),
                                   "--platform", HORAE_PLATFORM_DIR "/conweave_tor.toml",
                                   "--device", "leaf1", "--json", "--out", "out2"});
  ASSERT_EQ(second.exit_code, 0) << second.err;
  const auto delivered = captured(place, "out2/ports/leaf1_0.pcap");
  ASSERT_EQ(delivered.size(), 1u);
  EXPECT_EQ(delivered[0].bytes, bytes_of(p));
}

TEST(Replay, FramesGrowOnlyToWhatACaptureMayHold) {
  const ReplayPlace place;
  ByteString f = bytes_of(roce_packet(0, 4, Opcode::write_middle, 5, 1024, 7));
  f[16] = f[17] = f[38] = f[39] = 0;  // lengths that the NIC was to fill in
  f.resize(262144);
  PcapBytes pcap;
  pcap.packet(1, 0, f);
  place.write_pcap("in.pcap", pcap);
  const Ended ended =
      run(place, {"replay", "in.pcap@h0", "--platform", HORAE_PLATFORM_DIR "/conweave_tor.toml",
                  "--device", "leaf0", "--json", "--out", "out"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  std::vector<FrameOut> out;
  for (int i = 4; i < 8; ++i) {
    for (auto& o : captured(place, fmt::format("out/ports/leaf0_{}.pcap", i))) out.push_back(o);
  }
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].bytes.size(), 262144u);
}

}  // namespace
}  // namespace horae::test::replay_programs_test
