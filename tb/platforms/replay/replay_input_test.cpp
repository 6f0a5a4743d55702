// `horae replay`: damaged traces, and commands that make no sense.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "replay.hpp"

namespace horae::test::replay_input_test {
namespace {

TEST(Replay, DamagedTracesAreOneLineAndLeaveNothing) {
  const ReplayPlace place;
  const ByteString f = bytes_of(roce_packet(0, 1, Opcode::send_only, 1, 100));
  PcapBytes good;
  good.packet(1, 0, f).packet(1, 1000, f);
  std::vector<std::pair<std::string, ByteString>> traces = {
      {"empty", {}}, {"text", {'h', 'e', 'l', 'l', 'o'}}, {"zeros", ByteString(100, 0)}};
  for (const std::size_t cut : {3u, 23u, 30u, 39u, 41u, 100u}) {
    if (cut == 23u || cut == 3u || cut > 24u)
      traces.emplace_back(fmt::format("cut at {}", cut),
                          ByteString(good.bytes().begin(),
                                     good.bytes().begin() + static_cast<std::ptrdiff_t>(cut)));
  }
  const auto add = [&](const std::string& name, const PcapBytes& pcap) {
    traces.emplace_back(name, pcap.bytes());
  };
  add("link type", PcapBytes(PcapBytes::nanoseconds, 105));
  add("version", [] {
    PcapBytes p;
    return p;
  }());
  traces.back().second[4] = 99;
  add("absurd length", PcapBytes().record(1, 0, 0x7fffffff, 0x7fffffff, f));
  add("negative length", PcapBytes().record(1, 0, 0xffffffff, 0xffffffff, f));
  add("longer than the file", PcapBytes().record(1, 0, 200'000, 200'000, f));
  add("endless length", PcapBytes().record(1, 0, 100, 0xfffffffc, ByteString(100, 0)));
  add("second record", PcapBytes().packet(1, 0, f).record(1, 0, 5000, 5000, f));
  const auto changed = [&](std::size_t at, std::uint8_t value) {
    ByteString g = f;
    g.at(at) = value;
    return PcapBytes().packet(1, 0, f).packet(1, 0, g);
  };
  add("IP version", changed(14, 0x95));
  add("IP header length", changed(14, 0x41));
  add("IP length", changed(16, 0xff));
  add("short IP length", changed(17, 5));
  add("pcapng of nothing", PcapBytes());
  traces.back().second = {0x0a, 0x0d, 0x0d, 0x0a, 0x1c, 0, 0, 0};
  ASSERT_GE(traces.size(), 18u);
  for (const auto& [name, bytes] : traces) {
    place.write("bad.pcap", {bytes.begin(), bytes.end()});
    const Ended ended = place.replay({"bad.pcap@a", "--out", "out"});
    EXPECT_EQ(ended.exit_code, 2) << name;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << name << ended.err;
    EXPECT_TRUE(ended.err.starts_with("horae: bad.pcap: ")) << name << ": " << ended.err;
    EXPECT_EQ(ended.out, "") << name;
    EXPECT_EQ(place.content(), (Words{"bad.pcap", "three.toml"})) << name;
  }
}

TEST(Replay, WhatIsNotRoceDoesNotEndIt) {
  const ReplayPlace place;
  const ByteString f = bytes_of(roce_packet(0, 1, Opcode::send_only, 1, 100));
  const auto changed = [&](std::size_t at, std::uint8_t value) {
    ByteString g = f;
    g.at(at) = value;
    return g;
  };
  ByteString pause(60, 0), lldp(60, 0);
  pause[0] = lldp[0] = 0x01, pause[1] = lldp[1] = 0x80, pause[2] = lldp[2] = 0xc2;
  pause[5] = 0x01, pause[12] = lldp[12] = 0x88, pause[13] = 0x08;
  lldp[5] = 0x0e, lldp[13] = 0xcc;
  PcapBytes pcap;
  pcap.packet(1, 0, f).packet(1, 1000, changed(38, 0xff)).packet(1, 2000, changed(39, 9));
  pcap.packet(1, 3000, pause).packet(1, 4000, lldp).packet(1, 5000, f);
  place.write("odd.pcap", {pcap.bytes().begin(), pcap.bytes().end()});
  const Ended ended = place.replay({"odd.pcap@a", "--json"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const auto results = ended.json().at("results");
  EXPECT_EQ(results.at("packets_in").at("value"), 4);
  EXPECT_EQ(results.at("packets_out").at("value"), 4);
  EXPECT_EQ(results.at("link_local").at("value"), 2);
  EXPECT_EQ(results.at("pause_frames").at("value"), 1);
}

TEST(Replay, SkippingCountsWhatIsDamaged) {
  const ReplayPlace place;
  const ByteString f = bytes_of(roce_packet(0, 1, Opcode::send_only, 1, 100));
  ByteString bad = f;
  bad[14] = 0x95;
  PcapBytes pcap;
  pcap.packet(1, 0, f).packet(1, 1000, bad).packet(1, 2000, f);
  pcap.packet(2'000'000'000, 0, f).packet(1, 3000, f);
  pcap.record(1, 4000, 0x7fffffff, 60, f).packet(1, 5000, f);
  place.write_pcap("in.pcap", pcap);
  const auto summary = place.summary({"in.pcap@a", "--skip-damaged"});
  EXPECT_EQ(result(summary, "packets_in"), 3);
  EXPECT_EQ(result(summary, "damaged_skipped"), 3);
  EXPECT_EQ(result(summary, "traces_ended_by_damage"), 1);
}

TEST(Replay, NeverReplacesWhatItReads) {
  const ThemisPlace place;
  PcapBytes pcap;
  pcap.packet(1, 0, bytes_of(roce_packet(0, 4, Opcode::send_only, 1, 100)));
  place.write_pcap("in.pcap", pcap);
  ASSERT_EQ(place.themis({"in.pcap@h0"}, "leaf0").exit_code, 0);
  const auto before = place.content();
  for (const Words& arguments : {Words{"out/ports/leaf0_4.pcap@4"},
                                 Words{"in.pcap@h0", "--connections", "out/connections.csv"}}) {
    const Ended ended = place.themis(arguments);
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_TRUE(ended.err.starts_with("horae: --out out: would replace out/")) << ended.err;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_EQ(place.content(), before);
  }
}

TEST(Replay, ATraceOfStrangersIsRefused) {
  const ReplayPlace place;
  ByteString f = bytes_of(roce_packet(0, 1, Opcode::send_only, 1, 64));
  f[26] = f[30] = 192;
  const auto of = [&](std::uint32_t packets) {
    PcapBytes pcap;
    for (std::uint32_t i = 0; i < packets; ++i) pcap.packet(1, i * 100, f);
    return pcap;
  };
  const std::string what =
      "none is from or to an address of the platform (10.0.0.1 and so on); expected --map "
      "ADDRESS=NODE, or --unknown spread, drop or refuse\n";
  place.write_pcap("in.pcap", of(3));
  const Ended few = place.replay({"in.pcap@a", "--out", "out"});
  EXPECT_EQ(few.exit_code, 2);
  EXPECT_EQ(few.err, "horae: of 3 packets " + what);
  EXPECT_EQ(place.content(), (Words{"in.pcap", "three.toml"}));
  place.write_pcap("in.pcap", of(2000));
  const Ended many = place.replay({"in.pcap@a"});
  EXPECT_EQ(many.exit_code, 2);
  EXPECT_EQ(many.err, "horae: in.pcap: packet 1000: of 1000 packets " + what);
  // Whoever says what is to become of them, gets it; and one address is enough.
  place.write_pcap("in.pcap", of(3));
  for (const char* way : {"spread", "drop"})
    EXPECT_EQ(place.replay({"in.pcap@a", "--unknown", way}).exit_code, 0);
  EXPECT_EQ(place.replay({"in.pcap@a", "--map", "192.0.0.2=b"}).exit_code, 0);
  f[26] = 10;
  place.write_pcap("in.pcap", of(3));
  EXPECT_EQ(place.replay({"in.pcap@a"}).exit_code, 0);
}

TEST(Replay, LearningRefusesStrangersAsWell) {
  const ThemisPlace place;
  ByteString f = bytes_of(roce_packet(0, 4, Opcode::send_only, 1, 100));
  f[26] = f[30] = 192;
  PcapBytes pcap;
  pcap.packet(1, 0, f);
  place.write_pcap("in.pcap", pcap);
  EXPECT_TRUE(place.themis({"in.pcap@h0"}, "leaf0").err.starts_with("horae: of 1 packet none is"));
}

TEST(Replay, LearningRefusesWhatCanBeReadOnlyOnce) {
  const ThemisPlace place;
  const std::string fifo = (place.path() / "fifo").string();
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const Ended ended = place.themis({"fifo@h0"}, "leaf0");
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.err,
            "horae: fifo: is read twice to learn connections; expected a file, or --connections "
            "FILE or none\n");
}

TEST(Replay, RefusesPinnedConnectionsThatASwitchBalances) {
  const ReplayPlace place;
  PcapBytes pcap;
  pcap.packet(1, 0, bytes_of(roce_packet(0, 7, Opcode::send_only, 1, 100)));
  place.write_pcap("in.pcap", pcap);
  place.write("clos.toml", eight_nics("1 ms", "kind = \"batch\"\necmp_every = 3\n"));
  const auto replay = [&](const std::string& balance) {
    return run(place, {"replay", "in.pcap@h0", "--platform", "clos.toml", "--device", "leaf0",
                       "--set", "switch.balance=" + balance});
  };
  const Ended refused = replay("spray");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(
      refused.err,
      "horae: traffic[0].ecmp_every leaves some connections to the hash of leaf0, which "
      "balances by spray, and no capture says which; expected traffic without ecmp_every, or a "
      "switch with balance = \"ecmp\"\n");
  EXPECT_EQ(replay("ecmp").exit_code, 0);
}

TEST(Replay, SaysInOneLineWhatIsWrongWithTheCommand) {
  const ReplayPlace place;
  PcapBytes pcap;
  pcap.packet(1, 0, bytes_of(roce_packet(0, 1, Opcode::send_only, 1, 100)));
  place.write_pcap("in.pcap", pcap);
  place.write("c.csv", "sender,receiver,sender_qp,receiver_qp,entropy,first_psn\na,d,1,2,3,4\n");
  const auto line = [&](const Words& arguments) {
    const Ended ended = place.replay(arguments);
    EXPECT_EQ(ended.exit_code, 2) << ended.err;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    return ended.err;
  };
  EXPECT_EQ(line({"in.pcap"}),
            "horae: in.pcap: no ingress port; expected --port PORT, or in.pcap@PORT\n");
  EXPECT_NE(line({"in.pcap@7"}).find("--port 7: no such port; expected a number from 0 to 2"),
            std::string::npos);
  EXPECT_NE(line({"in.pcap@a", "in.pcap@0"}).find("two traces by one port"), std::string::npos);
  EXPECT_NE(line({"no.pcap@a"}).find("no.pcap: cannot be read: No such file"), std::string::npos);
  EXPECT_NE(line({"in.pcap@a", "--device", "tt"}).find("no such switch"), std::string::npos);
  EXPECT_NE(line({"in.pcap@a", "--scale", "1e3"}).find("--scale 1e3: expected"), std::string::npos);
  EXPECT_NE(line({"in.pcap@a", "--scale", "0"}).find("more than 0"), std::string::npos);
  EXPECT_NE(line({"in.pcap@a", "--scale", "2", "--back-to-back"}).find("one of them"),
            std::string::npos);
  EXPECT_NE(line({"in.pcap@a", "--filter", "no sense"}).find("filter 'no sense': "),
            std::string::npos);
  EXPECT_NE(line({"in.pcap@a", "--map", "1.2.3=a"}).find("'1.2.3' is no address"),
            std::string::npos);
  EXPECT_NE(line({"in.pcap@a", "--map", "1.2.3.4=z"}).find("no node 'z'"), std::string::npos);
  EXPECT_NE(line({"in.pcap@a", "--unknown", "spraed"}).find("did you mean 'spread'?"),
            std::string::npos);
  EXPECT_NE(line({"in.pcap@a", "--limit", "x"}).find("--limit x: expected"), std::string::npos);
  EXPECT_EQ(line({"in.pcap@a", "--limit", "0"}),
            "horae: --limit 0: expected a number of packets, 1 or more\n");
  EXPECT_EQ(run(place, {"replay", "in.pcap@0", "--platform", HORAE_PLATFORM_DIR "/themis_tor.toml",
                        "--device", "leaf0", "--connections", "."})
                .err,
            "horae: --connections .: is a folder; expected a file\n");
  EXPECT_NE(line({"in.pcap@a", "--registers", "nack_count"}).find("expected --out"),
            std::string::npos);
  EXPECT_EQ(run(place, {"replay", "in.pcap@0", "--platform", HORAE_PLATFORM_DIR "/themis_tor.toml",
                        "--device", "leaf0", "--connections", "c.csv"})
                .err.find("horae: c.csv:2:1: sender: no node 'a'; expected"),
            0u);
  place.write("c.csv", "sender,receiver,sender_qp,receiver_qp,entropy,sender,first_psn\n");
  EXPECT_EQ(run(place, {"replay", "in.pcap@0", "--platform", HORAE_PLATFORM_DIR "/themis_tor.toml",
                        "--device", "leaf0", "--connections", "c.csv"})
                .err,
            "horae: c.csv:1:47: the column 'sender' again; expected each once\n");
  EXPECT_NE(run(place, {"replay", "in.pcap@0", "--platform", HORAE_PLATFORM_DIR "/themis_tor.toml"})
                .err.find("--device: expected one of the 6 switches of themis_tor: leaf0, leaf1"),
            std::string::npos);
}

}  // namespace
}  // namespace horae::test::replay_input_test
