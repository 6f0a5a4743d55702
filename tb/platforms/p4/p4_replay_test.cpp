// P4 programs in `horae replay`: bytes in, bytes out, ports, times, counts, refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bad_input.hpp"
#include "replay.hpp"

namespace horae::test::p4_replay_test {
namespace {

std::uint32_t at(const ByteString& bytes, std::size_t from, std::size_t count) {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < count; ++i) out = out << 8 | bytes.at(from + i);
  return out;
}
void put(ByteString& bytes, std::size_t from, std::uint64_t value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    bytes.at(from + i) = static_cast<std::uint8_t>(value >> 8 * (count - 1 - i));
}

const std::string traces = HORAE_PLATFORM_DIR "/../traces/";

/// A shipped program with hosts.pcap, of which h0 sends 48 packets.
struct Shipped : Workplace {
  explicit Shipped(const std::string& name, Words more = {}) {
    Words words = {
        "replay",     traces + "hosts.pcap@h0",
        "--filter",   "src host 10.0.0.1",
        "--platform", std::string(HORAE_PLATFORM_DIR "/p4/") + name + "/" + name + ".toml",
        "--json",     "--out",
        "out"};
    words.insert(words.end(), more.begin(), more.end());
    const Ended ended = run(*this, words);
    if (ended.exit_code != 0) throw std::runtime_error(ended.err);
    summary = ended.json();
    rows = rows_of(read("out/packets.csv"));
    capture::CaptureReader reader(traces + "hosts.pcap", "src host 10.0.0.1");
    capture::CapturedFrame frame;
    while (reader.next(frame)) in.emplace_back(frame.bytes.begin(), frame.bytes.end());
  }
  std::vector<ByteString> out(int port) const {
    std::vector<ByteString> frames;
    for (const auto& f : captured(*this, fmt::format("out/ports/tor_{}.pcap", port)))
      frames.push_back(f.bytes);
    return frames;
  }
  ordered_json program(const std::string& name) const {
    return summary.at("statistics").at("tor").at("program").at(name).at("value");
  }

  ordered_json summary;
  std::vector<Row> rows;
  std::vector<ByteString> in;
};

std::uint16_t ipv4_checksum(const ByteString& frame) {
  std::uint32_t sum = 0;
  for (std::size_t i = 14; i < 34; i += 2) {
    if (i != 24) sum += at(frame, i, 2);
  }
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

TEST(P4Replay, TheRouterSendsEveryPacketToItsRoute) {
  const Shipped replay("router");
  ASSERT_EQ(replay.in.size(), 48u);
  // Longest prefix: 10.0.0.2 and .3 have routes of their own, .4 the network's, back to h0.
  std::map<int, std::vector<ByteString>> expected;
  for (ByteString frame : replay.in) {
    const std::uint32_t host = at(frame, 33, 1);
    const int port = host == 2 ? 1 : host == 3 ? 2 : 0;
    const std::uint64_t next_hop = 0x020000000000 | (host == 4 ? 0xfe : host);
    std::copy_n(frame.begin(), 6, frame.begin() + 6);
    put(frame, 0, next_hop, 6);
    put(frame, 22, at(frame, 22, 1) - 1, 1);
    put(frame, 24, ipv4_checksum(frame), 2);
    expected[port].push_back(frame);
  }
  for (int port = 0; port < 4; ++port) EXPECT_EQ(replay.out(port), expected[port]) << port;
  EXPECT_EQ(replay.program("dropped_drop_ctl"), 0);
}

TEST(P4Replay, WithoutARouteTheTableIsBlamed) {
  Shipped replay("router", {"--set", "tor.program.entries=[]"});
  EXPECT_EQ(replay.program("dropped_no_entry"), 48);
  EXPECT_EQ(replay.summary.at("packets").at("dropped").at("program"), 48);
  for (const Row& row : replay.rows) {
    EXPECT_EQ(row.at("cause"), "program:no_entry");
    EXPECT_EQ(row.at("object"), "pipe.Ingress.dropped");
  }
  // The program counts them by the port that they came in by, as 64 bytes at least with FCS.
  const auto counted = replay.summary.at("program").at("pipes").at("pipe0").at("counters");
  std::uint64_t bytes = 0;
  for (const ByteString& frame : replay.in) bytes += frame.size() + 4;
  EXPECT_EQ(counted.at("pipe.Ingress.dropped").at("cells"),
            ordered_json({{"8", {{"packets", 48}, {"bytes", bytes}}}}));
}

TEST(P4Replay, TelemetryReportsWhatWaited) {
  const Shipped replay("telemetry");
  // Packets leave as they came: the bridge header is gone. h3's MAC address has no entry.
  std::map<int, std::vector<ByteString>> expected;
  for (const ByteString& frame : replay.in)
    expected[static_cast<int>(at(frame, 5, 1)) - 1].push_back(frame);
  EXPECT_EQ(replay.out(1), expected[1]);
  EXPECT_EQ(replay.out(2), expected[2]);
  EXPECT_EQ(replay.program("dropped_no_entry"), 16);
  // A report for each packet that waited 2,048 ns or more, with the time that its row has.
  std::vector<std::int64_t> waits;
  for (const Row& row : replay.rows) {
    if (row.at("copy") != "0" || row.at("verdict") != "sent") continue;
    const auto wait = number(row, "queue_out_ps") / 1000 - number(row, "queue_in_ps") / 1000;
    if (number(row, "queue_out_ps") - number(row, "queue_in_ps") >= 2'048'000)
      waits.push_back(wait);
  }
  ASSERT_FALSE(waits.empty());
  const auto reports = replay.out(3);
  ASSERT_EQ(reports.size(), waits.size());
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const ByteString& r = reports[i];
    EXPECT_EQ(at(r, 12, 2), 0x88b5u);
    EXPECT_NEAR(at(r, 16, 4), waits[i], 1) << i;
    EXPECT_GE(at(r, 20, 4), 1u) << "cells before it";
    EXPECT_EQ(at(r, 24, 2), 0x0800u);
    EXPECT_EQ(r.size(), 64u - 12 + 12) << "cut by the session: 64 bytes with the header before it";
  }
  // Six connections of eight packets each.
  const auto cells = replay.summary.at("program").at("pipes").at("pipe0").at("registers");
  EXPECT_EQ(cells.at("pipe.Telemetry.packets").at("cells").size(), 6u);
  for (const auto& n : cells.at("pipe.Telemetry.packets").at("cells")) EXPECT_EQ(n, 8);
}

TEST(P4Replay, TheSketchReportsItsThresholds) {
  const Shipped replay("sketch");
  EXPECT_EQ(replay.out(1), replay.in) << "unchanged, to the port beside";
  // The fourth and the sixteenth packet of each pair of addresses, behind the estimate.
  std::vector<ByteString> expected;
  std::map<std::uint32_t, unsigned> seen;
  for (const ByteString& frame : replay.in) {
    const unsigned n = ++seen[at(frame, 30, 4)];
    if (n != 4 && n != 16) continue;
    ByteString copy(4);
    put(copy, 0, n, 4);
    copy.insert(copy.end(), frame.begin(), frame.end());
    expected.push_back(copy);
  }
  EXPECT_EQ(expected.size(), 6u);
  EXPECT_EQ(replay.out(2), expected);
  EXPECT_EQ(replay.summary.at("results").at("copies_made").at("value"), 6);
}

// Its stages are those of its price: the counts decide which table is looked up behind them.
TEST(P4Replay, StagesAreThoseOfThePrice) {
  const Shipped sketch("sketch"), router("router");
  const Ended size = run(
      sketch, {"size", HORAE_PLATFORM_DIR "/p4/sketch/sketch.p4", "--target", "tofino2", "--json"});
  ASSERT_EQ(size.exit_code, 0) << size.err;
  const auto& program = sketch.summary.at("program");
  EXPECT_EQ(program.at("stages"), size.json().at("pipelines").at(0).at("stages_used"));
  EXPECT_GT(program.at("stages"), router.summary.at("program").at("stages"));
  EXPECT_GT(program.at("ingress_latency_ns"),
            router.summary.at("program").at("ingress_latency_ns"));
  EXPECT_FALSE(program.at("pipes").at("pipe0").contains("stages_from"));
}

TEST(P4Replay, TheBalancerKeepsConnectionsOnTheirUplink) {
  const Shipped replay("balancer");
  std::vector<ByteString> all;
  std::map<ByteString, int> uplink;
  std::set<int> used;
  for (int port = 0; port < 4; ++port) {
    for (const ByteString& frame : replay.out(port)) {
      all.push_back(frame);
      used.insert(port);
      // Addresses, UDP source port and queue pair.
      ByteString connection(frame.begin() + 26, frame.begin() + 36);
      connection.insert(connection.end(), frame.begin() + 47, frame.begin() + 50);
      const auto [known, first] = uplink.emplace(connection, port);
      EXPECT_EQ(known->second, port);
    }
  }
  EXPECT_EQ(uplink.size(), 6u);
  EXPECT_GE(used.size(), 2u) << "six connections on three uplinks";
  EXPECT_FALSE(used.contains(0));
  std::vector<ByteString> in = replay.in;
  std::sort(in.begin(), in.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, in);
}

// The first byte behind Ethernet is the request of a packet.
const std::string paths = R"(#include <core.p4>
#include <t2na.p4>
header ethernet_h { bit<48> dst; bit<48> src; bit<16> type; }
header wish_h { bit<8> wish; bit<8> passes; bit<16> rid; bit<16> port; bit<16> rest; }
struct headers_t { ethernet_h ethernet; wish_h wish; }
struct md_t { bit<64> before; }
header again_h { bit<64> data; bit<64> more; bit<64> last; }
parser InP(packet_in p, out headers_t h, out md_t m, out ingress_intrinsic_metadata_t i) {
  again_h again;
  state start { p.extract(i); transition select(i.resubmit_flag) { 1: second; default: first; } }
  state second { p.extract(again); m.before = again.data; transition packet; }
  state first { p.advance(PORT_METADATA_SIZE); m.before = 0; transition packet; }
  state packet { p.extract(h.ethernet); p.extract(h.wish); transition accept; }
}
control In(inout headers_t h, inout md_t m, in ingress_intrinsic_metadata_t i,
           in ingress_intrinsic_metadata_from_parser_t fp,
           inout ingress_intrinsic_metadata_for_deparser_t d,
           inout ingress_intrinsic_metadata_for_tm_t t) {
  apply {
    h.wish.passes = h.wish.passes + 1;
    if (h.wish.wish == 1 || h.wish.wish == 11) { t.ucast_egress_port = 16; }
    if (h.wish.wish == 2) { t.ucast_egress_port = 8; t.mcast_grp_a = 1; }
    if (h.wish.wish == 3) {
      if (h.wish.passes == 3) { t.ucast_egress_port = 24; } else { t.ucast_egress_port = 6; }
    }
    if (h.wish.wish == 4) {
      if (i.resubmit_flag == 0) { d.resubmit_type = 1; }
      t.ucast_egress_port = 16; h.wish.rest = m.before[63:48];
    }
    if (h.wish.wish == 5) { d.drop_ctl = 1; t.ucast_egress_port = 16; }
    if (h.wish.wish == 6) { t.ucast_egress_port = 99; }
    if (h.wish.wish == 8) { t.ucast_egress_port = 16; t.qid = 3; }
    if (h.wish.wish == 9) {
      t.bypass_egress = 1;
      if (h.wish.passes == 2) { t.ucast_egress_port = 24; } else { t.ucast_egress_port = 6; }
    }
    if (h.wish.wish == 10) { t.mcast_grp_a = 2; if (i.ingress_port == 6) { h.wish.wish = 1; t.mcast_grp_a = 0; t.ucast_egress_port = 24; } }
    h.wish.port[8:0] = i.ingress_port;
  }
}
control InD(packet_out p, inout headers_t h, in md_t m, in ingress_intrinsic_metadata_for_deparser_t d) {
  Resubmit() resubmit;
  apply {
    if (d.resubmit_type == 1) { resubmit.emit<again_h>({0xbeef000000000000, 0, 0}); }
    p.emit(h);
  }
}
parser EgP(packet_in p, out headers_t h, out md_t m, out egress_intrinsic_metadata_t i) {
  state start { p.extract(i); p.extract(h.ethernet); p.extract(h.wish); transition accept; }
}
control Eg(inout headers_t h, inout md_t m, in egress_intrinsic_metadata_t i,
           in egress_intrinsic_metadata_from_parser_t fp,
           inout egress_intrinsic_metadata_for_deparser_t d,
           inout egress_intrinsic_metadata_for_output_port_t o) {
  apply { h.wish.rid = i.egress_rid; if (h.wish.wish == 11) { d.drop_ctl = 1; } }
}
control EgD(packet_out p, inout headers_t h, in md_t m, in egress_intrinsic_metadata_for_deparser_t d) {
  apply { p.emit(h); }
}
Pipeline(InP(), In(), InD(), EgP(), Eg(), EgD()) pipe;
Switch(pipe) main;
)";

const std::string paths_platform = R"([platform]
name = "paths"
[host]
kind = "host"
[chip]
kind = "tofino"
chip = "tofino2"
[chip.program]
name = "p4"
source = "paths.p4"
entries = ["paths.toml"]
)" + three_on_a_switch("host", "chip");

struct Paths : ReplayPlace {
  Paths() {
    write("paths.p4", paths);
    write("paths.toml",
          "[[group]]\nnumber = 1\ncopies = [{ port = 16, rid = 7 }, { port = 24, rid = 9 }]\n"
          "[[group]]\nnumber = 2\ncopies = [{ port = 16, rid = 1 }, { port = 6, rid = 2 }]\n");
    write("three.toml", paths_platform);
  }
  static ByteString frame(std::uint8_t wish, std::size_t size = 100) {
    ByteString out(size);
    if (size > 14) out[14] = wish;
    return out;
  }
  void send(const std::vector<ByteString>& frames) {
    PcapBytes pcap;
    for (std::uint32_t i = 0; i < frames.size(); ++i) pcap.packet(1, i * 1000, frames[i]);
    write_pcap("in.pcap", pcap);
    sum = summary({"in.pcap@0"});
    rows_ = rows("out/packets.csv");
  }
  std::vector<ByteString> out(int port) const {
    std::vector<ByteString> frames;
    for (const auto& f : captured(*this, fmt::format("out/ports/t_{}.pcap", port)))
      frames.push_back(f.bytes);
    return frames;
  }
  ordered_json sum;
  std::vector<Row> rows_;
};

/// wish, passes, rid, port, rest
ByteString left(std::uint8_t wish, std::uint8_t passes, std::uint16_t rid, std::uint16_t port,
                std::uint16_t rest = 0) {
  ByteString out = Paths::frame(wish);
  put(out, 15, passes, 1);
  put(out, 16, rid, 2);
  put(out, 18, port, 2);
  put(out, 20, rest, 2);
  return out;
}

TEST(P4Replay, EveryWayOfTheChip) {
  Paths p;
  p.send({Paths::frame(1), Paths::frame(2), Paths::frame(3), Paths::frame(4), Paths::frame(9),
          Paths::frame(10)});
  EXPECT_EQ(p.out(0), (std::vector<ByteString>{left(2, 1, 0, 8)}));
  EXPECT_EQ(p.out(1), (std::vector<ByteString>{left(1, 1, 0, 8), left(2, 1, 7, 8),
                                               left(4, 1, 0, 8, 0xbeef), left(10, 1, 1, 8)}));
  // The third packet comes in by the recirculation port twice; the last one's copy once.
  EXPECT_EQ(p.out(2), (std::vector<ByteString>{left(2, 1, 9, 8), left(3, 3, 0, 6), left(9, 2, 0, 6),
                                               left(1, 2, 0, 6)}));
  EXPECT_EQ(p.sum.at("results").at("recirculated").at("value"), 4);
  EXPECT_EQ(p.sum.at("results").at("copies_made").at("value"), 3);
  for (const Row& row : p.rows_) {
    if (row.at("copy") != "0") continue;
    const std::string wish = row.at("packet");
    EXPECT_EQ(row.at("passes"), wish == "3"                                 ? "3"
                                : wish == "4" || wish == "5" || wish == "6" ? "2"
                                                                            : "1")
        << wish;
  }
}

TEST(P4Replay, DropsSayWhy) {
  Paths p;
  p.send(
      {Paths::frame(5), Paths::frame(6), Paths::frame(7), Paths::frame(0, 16), Paths::frame(11)});
  std::map<std::string, std::string> why;
  for (const Row& row : p.rows_) why[row.at("packet")] = row.at("cause");
  EXPECT_EQ(why, (std::map<std::string, std::string>{{"1", "program:drop_ctl"},
                                                     {"2", "program:port"},
                                                     {"3", "program:no_copy"},
                                                     {"4", "program:parser_PacketTooShort"},
                                                     {"5", "program:egress_drop_ctl"}}));
  const auto& counts = p.sum.at("statistics").at("t").at("program");
  for (const char* name : {"dropped_drop_ctl", "dropped_port", "dropped_no_copy",
                           "dropped_egress_drop_ctl", "dropped_parser_PacketTooShort"})
    EXPECT_EQ(counts.at(name).at("value"), 1) << name;
}

TEST(P4Replay, AQueueIsTheClassThatTheProgramChose) {
  Paths p;
  p.send({Paths::frame(8)});
  EXPECT_EQ(p.rows_.at(0).at("queue"), "3");
}

// With parsers that take 16 bytes a clock of 1 GHz the 22 bytes of these headers take 2 ns in
// ingress and in egress, and less than a clock of the pipe more.
TEST(P4Replay, TheParserTakesTheTimeOfItsBytes) {
  Paths p;
  p.send({Paths::frame(1)});
  const auto before = number(p.rows_.at(0), "first_bit_out_ps");
  p.write("three.toml",
          paths_platform + "\n[chip.timing]\nparser_bytes = \"16 B\"\nparser_clock = \"1 GHz\"\n");
  p.send({Paths::frame(1)});
  const auto after = number(p.rows_.at(0), "first_bit_out_ps");
  EXPECT_GE(after - before, 4000);
  EXPECT_LE(after - before, 4000 + 667);
}

TEST(P4Replay, TheSameBytesTwice) {
  Paths p;
  const std::vector<ByteString> frames = {Paths::frame(2), Paths::frame(3), Paths::frame(10)};
  p.send(frames);
  const std::string first = p.read("out/packets.csv");
  p.send(frames);
  EXPECT_EQ(p.read("out/packets.csv"), first);
}

TEST(P4Replay, CaptureOfAPartIsFilledWithZeros) {
  Paths p;
  PcapBytes pcap;
  ByteString frame = Paths::frame(1);
  frame.resize(60);
  pcap.packet(1, 0, frame, 100);
  p.write_pcap("in.pcap", pcap);
  p.summary({"in.pcap@0"});
  EXPECT_EQ(p.out(1), (std::vector<ByteString>{left(1, 1, 0, 8)}));
}

// Headers are the program's business: bytes go in as they are, and are told of in one line.
TEST(P4Replay, FramesWhoseLengthsContradictEachOtherGoIn) {
  Paths p;
  ByteString frame = Paths::frame(1), out = left(1, 1, 0, 8);
  frame[12] = out[12] = 8;  // IPv4, and no version 4 behind it
  PcapBytes pcap;
  pcap.packet(1, 0, frame);
  pcap.packet(1, 1000, Paths::frame(1));
  p.write_pcap("in.pcap", pcap);
  const Ended ended = p.replay({"in.pcap@0", "--out", "out"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.err,
            "horae: warning: in.pcap: packets whose lengths contradict each other: 1; the program "
            "got their bytes as they are\n");
  EXPECT_EQ(ended.json().at("rows").at("kinds").at(0).at("malformed"), 1);
  EXPECT_EQ(p.out(1), (std::vector<ByteString>{out, left(1, 1, 0, 8)}));
}

TEST(P4Replay, WarnsOnceOfWhatIsReadBeforeItIsWritten) {
  Paths p;
  std::string text = paths;
  text.replace(text.find(" m.before = 0;"), 14, "");
  p.write("paths.p4", text);
  PcapBytes pcap;
  for (std::uint32_t i = 0; i < 3; ++i) pcap.packet(1, i * 1000, Paths::frame(4));
  p.write_pcap("in.pcap", pcap);
  const Ended ended = p.replay({"in.pcap@0", "--out", "out"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.err, "horae: warning: paths.p4:28:33: m.before is read before it is written\n");
  EXPECT_EQ(ended.json().at("program").at("pipes").at("pipe0").at("warnings").size(), 1u);
}

// Unwritten values may be random, by the seed.
TEST(P4Replay, WhatIsNotWrittenMayBeRandom) {
  Paths p;
  std::string text = paths;
  text.replace(text.find(" m.before = 0;"), 14, "");
  text.replace(text.find("if (i.resubmit_flag == 0) { d.resubmit_type = 1; }"), 50, "");
  p.write("paths.p4", text);
  const auto rest = [&](const std::string& more) {
    p.write("three.toml",
            std::string(paths_platform).insert(paths_platform.find("source ="), more));
    p.send({Paths::frame(4)});
    const ByteString frame = p.out(1).at(0);
    return frame.at(20) << 8 | frame.at(21);
  };
  EXPECT_EQ(rest(""), 0);
  EXPECT_EQ(rest("uninitialised = \"zero\"\n"), 0);
  const int random = rest("uninitialised = \"random\"\n");
  EXPECT_NE(random, 0);
  EXPECT_EQ(rest("uninitialised = \"random\"\n"), random);
}

// A program that does not fit by its price may be given its stages.
TEST(P4Replay, StagesMayBeGiven) {
  Paths p;
  const auto with = [&](const std::string& stages) {
    p.write("three.toml",
            std::string(paths_platform)
                .insert(paths_platform.find("source ="), "stages = " + stages + "\n"));
  };
  const auto latency = [&](const std::string& stages) {
    with(stages);
    p.send({Paths::frame(1)});
    const auto& program = p.sum.at("program");
    EXPECT_EQ(program.at("stages"), std::stoi(stages));
    EXPECT_EQ(program.at("pipes").at("pipe0").at("stages_from"),
              "stages = " + stages + " of the platform");
    return program.at("ingress_latency_ns").get<double>();
  };
  const double five = latency("5"), six = latency("6"), nine = latency("9");
  EXPECT_GT(six, five);
  EXPECT_NEAR(nine - six, 3 * (six - five), 0.003);  // of times rounded to a picosecond
  with("21");
  expect_refused(p, {"replay", "in.pcap@0", "--platform", "three.toml"},
                 "three.toml:10:10: stages = 21; tofino2 has 20");
}

TEST(P4Replay, RefusesInOneLine) {
  Paths p;
  PcapBytes pcap;
  pcap.packet(1, 0, Paths::frame(1));
  p.write_pcap("in.pcap", pcap);
  const Words replay = {"replay", "in.pcap@0", "--platform", "three.toml"};
  const auto refused = [&](const std::string& from, const std::string& to,
                           const std::string& line) {
    std::string text = paths_platform;
    text.replace(text.find(from), from.size(), to);
    p.write("three.toml", text);
    expect_refused(p, replay, line);
  };
  refused("\"paths.p4\"", "\"path.p4\"", "three.toml:10:10: source = \"path.p4\": no such file");
  refused("\"paths.toml\"", "\"path.toml\"",
          "three.toml:11:12: entries = \"path.toml\": no such file");
  refused("entries", "entires",
          "three.toml:11:1: unknown key 'entires' in [chip.program], did you mean 'entries'?");
  refused("name = \"p4\"", "name = \"p4\"\ninclude = [\"inc\"]",
          "three.toml:10:12: include = \"inc\": no such folder");
  refused("name = \"p4\"", "name = \"p4\"\ntofino1 = true",
          "<t2na.p4>:6:2: #error t2na.p4 is for --target tofino2");
  refused("\"tofino2\"", "\"tofino1\"",
          "three.toml:8:1: the program is read for tofino2; expected tofino1 = true as for chip = "
          "\"tofino1\"");
  p.write("three.toml", paths_platform);
  // Entries of another program, and what is too wide.
  p.write("paths.toml", "[[entry]]\ntable = \"ipv4_lpm\"\naction = \"drop\"\n");
  expect_refused(p, replay, "paths.toml:2:9: there is no table 'ipv4_lpm'");
  p.write("paths.toml", "[[port]]\nswitch_port = 3\nnumber = 9\n");
  expect_refused(p, replay, "paths.toml:3:10: switch_port 3; the switch has ports 0 to 2");
  p.write("paths.toml", "[[port]]\nswitch_port = 1\nnumber = 130\n");
  expect_refused(p, replay,
                 "paths.toml:3:10: number = 130, of pipe 1; port 1 of the switch is in pipe 0");
  p.write("paths.toml", "");
  // A fault of the program has its own place.
  std::string bad = paths;
  bad.replace(bad.find("h.wish.passes + 1"), 17, "h.wish.pases + 1");
  p.write("paths.p4", bad);
  expect_refused(p, replay, "paths.p4:20:28: wish_h has no field 'pases', did you mean 'passes'?");
  p.write("paths.p4", paths);
}

TEST(P4Replay, OfTwoSwitchesOneIsNamed) {
  Paths p;
  PcapBytes pcap;
  pcap.packet(1, 0, Paths::frame(1));
  p.write_pcap("in.pcap", pcap);
  p.write("three.toml", paths_platform +
                            "[[device]]\nnames = [\"second\"]\nprofile = \"chip\"\n"
                            "[[link]]\nbetween = [\"t\", \"second\"]\n");
  expect_refused(p, {"replay", "in.pcap@0", "--platform", "three.toml"},
                 "--device: expected one of the 2 switches of paths: t, second");
  EXPECT_EQ(p.summary({"in.pcap@0", "--device", "t"}).at("packets").at("delivered"), 1);
}

}  // namespace
}  // namespace horae::test::p4_replay_test
