// `horae replay`: captures through one switch of a platform.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <map>
#include <span>

#include "capture_bytes.hpp"
#include "horae/capture/reader.hpp"
#include "program.hpp"
#include "roce_bytes.hpp"

namespace horae::test::replay_test {
namespace {

using testing::bytes_of;
using testing::ByteString;
using testing::nack_packet;
using testing::PcapBytes;
using testing::roce_packet;
using Row = std::map<std::string, std::string>;

/// Three hosts (nodes 0 to 2 on ports 0 to 2) on a chip that counts NACKs.
const std::string three = R"([platform]
name = "three"
[host]
kind = "host"
[chip]
kind = "tofino"
program = { name = "forward", nack_drop = 1, nack_of = 4 }
[plain]
kind = "switch"
[[device]]
names = ["a", "b", "c"]
profile = "host"
[[device]]
names = ["t"]
profile = "chip"
[[link]]
between = ["a", "t"]
[[link]]
between = ["b", "t"]
[[link]]
between = ["c", "t"]
)";

/// A place with that platform in it.
struct Place : Workplace {
  Place() { write("three.toml", three); }
  void write_pcap(const std::string& name, const PcapBytes& pcap) const {
    write(name, {pcap.bytes().begin(), pcap.bytes().end()});
  }
  Ended replay(Words arguments) const {
    arguments.insert(arguments.begin(), "replay");
    arguments.insert(arguments.end(), {"--platform", "three.toml", "--json"});
    return run(*this, arguments);
  }
  /// With --out out; it must succeed.
  ordered_json summary(Words arguments) const {
    arguments.insert(arguments.end(), {"--out", "out"});
    const Ended ended = replay(std::move(arguments));
    if (ended.exit_code != 0) throw std::runtime_error(ended.err);
    return ended.json();
  }
  std::vector<Row> rows(const std::string& name) const {
    std::vector<Row> rows;
    std::vector<std::string> head;
    std::istringstream lines(read(name));
    for (std::string line; std::getline(lines, line);) {
      std::vector<std::string> cells;
      std::size_t begin = 0;
      for (std::size_t end; (end = line.find(',', begin)) != std::string::npos; begin = end + 1)
        cells.push_back(line.substr(begin, end - begin));
      cells.push_back(line.substr(begin));
      if (head.empty()) {
        head = cells;
        continue;
      }
      EXPECT_EQ(cells.size(), head.size()) << line;
      Row row;
      for (std::size_t i = 0; i < cells.size(); ++i) row[head[i]] = cells[i];
      rows.push_back(row);
    }
    return rows;
  }
};

struct Out {
  std::int64_t time_ns;
  ByteString bytes;
  std::uint32_t length;
};
std::vector<Out> captured(const Workplace& place, const std::string& name) {
  capture::CaptureReader reader((place.path() / name).string());
  std::vector<Out> out;
  capture::CapturedFrame frame;
  while (reader.next(frame)) {
    out.push_back({frame.time_ns + reader.first_stamp_ns(),
                   {frame.bytes.begin(), frame.bytes.end()},
                   frame.length});
  }
  return out;
}

std::int64_t number(const Row& row, const std::string& column) {
  return std::stoll(row.at(column));
}

/// First bit in to first bit out of a frame at 100 Gbps through an idle chip, from the chip's
/// latencies and the cycles that `horae size` gives the program.
class Latency {
 public:
  explicit Latency(const Workplace& place) {
    const auto priced = run(place, {"size", "three.toml", "--json"}).json();
    const auto& cycles = priced.at("pipelines").at(0).at("latency_cycles");
    ingress_ = Cycles(cycles.at("ingress").get<std::int64_t>());
    egress_ = Cycles(cycles.at("egress").get<std::int64_t>());
  }
  /// Of a packet whose first bit is in at `at` of the trace; the chip is 500 ns ahead of it.
  Picoseconds out(Picoseconds at, Bytes frame) const {
    const Clock clock(Hertz(1'500'000'000));
    const Picoseconds last = at + 500_ns + l1_bytes(frame).count() * 80_ps;
    const Cycles entry = clock.at_or_after(last + 60_ns + 50_ns);              // MAC, parser
    const Picoseconds queued = clock.edge(entry + ingress_) + 40_ns + 150_ns;  // deparser, TM
    return queued + 40_ns + clock.edge(egress_) + 30_ns + 30_ns - 500_ns;  // parser, deparser, MAC
  }

 private:
  Cycles ingress_, egress_;
};

TEST(Replay, TimesAreExact) {
  const Place place;
  const Latency latency(place);
  const Packet small = roce_packet(0, 1, Opcode::send_only, 7, 0);
  const Packet large = roce_packet(0, 1, Opcode::write_middle, 8, 4096);
  PcapBytes pcap;
  pcap.packet(1000, 999'999'000, bytes_of(small)).packet(1001, 1000, bytes_of(large));
  pcap.packet(1001, 9001, bytes_of(small));
  place.write_pcap("in.pcap", pcap);
  const std::vector<Packet> packets = {small, large, small};
  const auto check = [&](const Words& pace, const std::vector<Picoseconds>& at) {
    Words arguments = {"in.pcap@a"};
    arguments.insert(arguments.end(), pace.begin(), pace.end());
    const auto summary = place.summary(arguments);
    EXPECT_EQ(result(summary, "late_packets"), 0);
    const auto rows = place.rows("out/packets.csv");
    ASSERT_EQ(rows.size(), 3u);
    Picoseconds wire_free{};  // the wire behind the chip: a small packet waits for a large one
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(number(rows[i], "first_bit_in_ps"), at[i].count());
      const Picoseconds out = std::max(wire_free, latency.out(at[i], packets[i].frame_size()));
      EXPECT_EQ(number(rows[i], "first_bit_out_ps"), out.count());
      wire_free = out + packets[i].wire_size().count() * 80_ps;
      EXPECT_EQ(rows[i].at("out_port"), "1");
    }
    const auto out = captured(place, "out/ports/t_1.pcap");
    ASSERT_EQ(out.size(), 3u);
    EXPECT_EQ(out[1].time_ns, 1'000'999'999'000 + number(rows[1], "first_bit_out_ps") / 1000);
  };
  check({}, {0_ns, 2_us, 10'001_ns});
  check({"--scale", "2.5"}, {0_ns, 5_us, Picoseconds(25'002'500)});
  check({"--back-to-back"}, {0_ns, small.wire_size().count() * 80_ps,
                             (small.wire_size() + large.wire_size()).count() * 80_ps});
}

TEST(Replay, WhatCannotBeOnTimeIsLate) {
  const Place place;
  const Packet p = roce_packet(0, 1, Opcode::write_middle, 8, 1024);
  PcapBytes pcap;
  pcap.packet(5, 0, bytes_of(p)).packet(5, 0, bytes_of(p)).packet(4, 0, bytes_of(p));
  place.write_pcap("in.pcap", pcap);
  const auto summary = place.summary({"in.pcap", "--port", "0"});
  const double wire_ns = static_cast<double>(p.wire_size().count()) * 0.08;
  EXPECT_EQ(result(summary, "late_packets"), 2);
  EXPECT_DOUBLE_EQ(result(summary, "largest_lateness"), 2 * wire_ns);
  EXPECT_EQ(result(summary, "backward_stamps"), 1);
}

TEST(Replay, UnchangedPacketsLeaveByteForByte) {
  const Place place;
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

TEST(Replay, WatchingChangesNothing) {
  const Place place;
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
  const Place place;
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
  const Place place;
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

TEST(Replay, RatesAreOfTheTimeInWhichPacketsCame) {
  const Place place;
  const Packet p = roce_packet(0, 1, Opcode::write_middle, 1, 1024);
  PcapBytes pcap;
  for (int i = 0; i < 100; ++i) {
    ByteString f = bytes_of(p);
    if (i > 0) f[30] = 192, f[31] = 168, f[32] = 0, f[33] = 9;
    pcap.packet(1, 0, f);
  }
  place.write_pcap("in.pcap", pcap);
  // The last packet out leaves long before the last one comes in.
  const std::int64_t wire_ps = p.wire_size().count() * 80;
  for (const std::string filter : {"", "dst 192.168.0.9"}) {
    const std::int64_t packets = filter.empty() ? 100 : 99;
    const auto summary = place.summary({"in.pcap@a", "--unknown", "drop", "--filter", filter});
    EXPECT_EQ(result(summary, "packets_out"), filter.empty() ? 1 : 0);
    EXPECT_EQ(summary.at("sim_time_ps"), packets * wire_ps);
    EXPECT_DOUBLE_EQ(result(summary, "rate_window"), static_cast<double>(packets * wire_ps) / 1e6);
    EXPECT_DOUBLE_EQ(result(summary, "rate_in"), 100) << "line rate, of layer 1";
  }
}

TEST(Replay, TimeBeginsWithTheFirstPacketThatIsSent) {
  const Place place;
  const ByteString f = bytes_of(roce_packet(0, 1, Opcode::send_only, 1, 100));
  ByteString bad = f;
  bad[14] = 0x95;
  PcapBytes pcap;
  pcap.packet(1, 0, bad).packet(2, 0, f).packet(2, 1000, f);
  place.write_pcap("in.pcap", pcap);
  const auto summary = place.summary({"in.pcap@a", "--skip-damaged"});
  EXPECT_EQ(result(summary, "damaged_skipped"), 1);
  const auto rows = place.rows("out/packets.csv");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(number(rows[0], "first_bit_in_ps"), 0);
  EXPECT_EQ(number(rows[1], "first_bit_in_ps"), 1'000'000);
}

TEST(Replay, APlainSwitchWorksAsWell) {
  const Place place;
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

TEST(Replay, ALongGapCostsNoTime) {
  const Place place;
  PcapBytes pcap;
  pcap.packet(1, 0, bytes_of(roce_packet(0, 1, Opcode::send_only, 1, 64)));
  pcap.packet(3'000'001, 0, bytes_of(roce_packet(0, 1, Opcode::send_only, 2, 64)));
  place.write_pcap("in.pcap", pcap);
  const auto summary = place.summary({"in.pcap@a"});
  EXPECT_EQ(place.rows("out/packets.csv").at(1).at("first_bit_in_ps"), "3000000000000000000");
  EXPECT_LT(summary.at("wall_s").get<double>(), 5.0);
}

TEST(Replay, WithAnFcsItIsMadeRight) {
  const Place place;
  PcapBytes pcap;
  const Packet p = roce_packet(0, 1, Opcode::send_only, 1, 64);
  pcap.packet(1, 0, bytes_of(p, {}, true));
  place.write_pcap("in.pcap", pcap);
  place.summary({"in.pcap@a", "--fcs"});
  EXPECT_EQ(place.rows("out/packets.csv").at(0).at("bytes"), std::to_string(p.frame));
  EXPECT_EQ(captured(place, "out/ports/t_1.pcap").at(0).bytes, bytes_of(p, {}, true));
}

// ---- programs with state ----

/// The receivers' ToR of themis_tor.toml: h4 to h7 on ports 0 to 3, uplinks on 4 to 7.
struct ThemisPlace : Place {
  Ended themis(Words arguments, const std::string& device = "leaf1") const {
    Words all = {"replay"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    all.insert(all.end(), {"--platform", HORAE_PLATFORM_DIR "/themis_tor.toml", "--device", device,
                           "--json", "--out", "out"});
    return run(*this, all);
  }
};

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
  std::vector<Out> sent;
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
  const Place place;
  PcapBytes pcap;
  const Packet p = roce_packet(0, 4, Opcode::write_middle, 5, 1024, 7);
  pcap.packet(1, 0, bytes_of(p));
  place.write_pcap("in.pcap", pcap);
  const Ended first =
      run(place, {"replay", "in.pcap@h0", "--platform", HORAE_PLATFORM_DIR "/conweave_tor.toml",
                  "--device", "leaf0", "--json", "--out", "out"});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  std::vector<Out> out;
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

// ---- bad input ----

TEST(Replay, DamagedTracesAreOneLineAndLeaveNothing) {
  const Place place;
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
  add("UDP length", changed(38, 0xff));
  add("short UDP length", changed(39, 9));
  add("pcapng of nothing", PcapBytes());
  traces.back().second = {0x0a, 0x0d, 0x0d, 0x0a, 0x1c, 0, 0, 0};
  ASSERT_GE(traces.size(), 20u);
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

TEST(Replay, SkippingCountsWhatIsDamaged) {
  const Place place;
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

TEST(Replay, FramesGrowOnlyToWhatACaptureMayHold) {
  const Place place;
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
  std::vector<Out> out;
  for (int i = 4; i < 8; ++i) {
    for (auto& o : captured(place, fmt::format("out/ports/leaf0_{}.pcap", i))) out.push_back(o);
  }
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].bytes.size(), 262144u);
}

TEST(Replay, SaysInOneLineWhatIsWrongWithTheCommand) {
  const Place place;
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
            "horae: in.pcap: by which port? Expected --port PORT, or in.pcap@PORT\n");
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
}  // namespace horae::test::replay_test
