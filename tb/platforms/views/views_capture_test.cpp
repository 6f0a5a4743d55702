// ports/*.pcap: what ports send and receive, as bytes.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "horae/capture/reader.hpp"
#include "horae/core/codec.hpp"
#include "horae/core/codec/selective_report.hpp"
#include "horae/core/wire_bytes.hpp"
#include "views.hpp"

namespace horae::test::views_capture_test {
namespace {

struct ReadFrame {
  std::int64_t stamp_ns;
  RoceFrame frame;
  std::size_t bytes;
};

std::vector<ReadFrame> read_capture(const Workplace& place, const std::string& name,
                                    DecodeOptions options = {}) {
  capture::CaptureReader reader((place.path() / name).string());
  std::vector<ReadFrame> frames;
  for (capture::CapturedFrame f; reader.next(f);)
    frames.push_back({reader.first_stamp_ns() + f.time_ns, decode(f.bytes, options), f.length});
  return frames;
}

TEST(PortCaptures, HaveEveryPacketOfAPortInTheOrderOfTime) {
  const Workplace place;
  place.write("p.toml", sprayed);
  const ordered_json summary =
      run_viewed(place, "p.toml", {"--pcap", "a,t:2", "--pcap", "c:0"}).json();
  EXPECT_EQ(place.read("o/ports/connections.csv"),
            "sender,receiver,sender_qp,receiver_qp,entropy,first_psn\n"
            "a,c,0x40,0x40,49152,0\nb,c,0x40,0x41,51685,0\n");
  EXPECT_FALSE(place.has("o/ports/t_0.pcap"));
  const auto& statistics = summary.at("statistics");
  const auto sent = [&](const char* device, const char* port) {
    return statistics.at(device).at(port).at("tx_packets").at("value").get<std::size_t>();
  };
  const auto at_a = read_capture(place, "o/ports/a_0.pcap");
  // Packets that the chip sent to a arrived: that link loses nothing.
  EXPECT_EQ(at_a.size(), sent("a", "port0") + sent("t", "port0"));
  EXPECT_EQ(read_capture(place, "o/ports/c_0.pcap").size(),
            sent("c", "port0") + sent("u", "port2"));
  // Port 2 of the chip leads to the path that loses.
  const auto at_path = read_capture(place, "o/ports/t_2.pcap");
  EXPECT_GE(at_path.size(), sent("t", "port2"));
  std::size_t data = 0, nacks = 0;
  std::int64_t last = 0;
  for (const auto& f : at_a) {
    EXPECT_TRUE(f.frame.icrc_valid);
    EXPECT_GE(f.stamp_ns, last);
    last = f.stamp_ns;
    const Packet p = packet_of(f.frame, {});
    EXPECT_EQ(p.frame - wire::fcs, f.bytes);
    data += p.src == 0 && p.is_data();
    nacks += p.dst == 0 && p.is_nack();
    EXPECT_EQ(p.dest_qp.value(), 0x40u);
  }
  EXPECT_EQ(static_cast<double>(nacks),
            statistics.at("a").at("nacks_received").at("value").get<double>());
  EXPECT_GT(nacks, 2u);
  EXPECT_GE(data, 160u);
}

TEST(PortCaptures, AreNarrowedAndLimited) {
  const Workplace place;
  place.write("p.toml", sprayed);
  run_viewed(place, "p.toml", {"--pcap", "c", "--flow", "b", "--from", "5us", "--to", "30us"});
  const auto part = read_capture(place, "o/ports/c_0.pcap");
  ASSERT_GT(part.size(), 20u);
  for (const auto& f : part) {
    const Packet p = packet_of(f.frame, {});
    EXPECT_TRUE(p.src == 1 || p.dst == 1);
    EXPECT_GE(f.stamp_ns, 5'000);
    EXPECT_LT(f.stamp_ns, 30'000);
  }
  const Ended limited = run_viewed(place, "p.toml", {"--pcap", "c", "--trace-most", "50"});
  EXPECT_TRUE(limited.err.starts_with(
      "horae: the earlier result in o was replaced\nhorae: ports/*.pcap ends at "))
      << limited.err;
  const auto few = read_capture(place, "o/ports/c_0.pcap");
  EXPECT_LE(few.size(), 50u);
  EXPECT_GT(few.size(), 40u);
}

// Where memory has contents, frames have the RETH of their message: zero-based, with the key of the
// receiving queue pair.
TEST(PortCaptures, HaveTheRethOfContents) {
  const Workplace place;
  place.write("p.toml", R"([platform]
name = "p"
[sim]
duration = "1 ms"
stop = "finished"
[nic]
kind = "rnic"
host = "pcie"
mtu = "1 KiB"
memory = { contents = true }
[tor]
kind = "switch"
[[device]]
names = ["a", "b"]
profile = "nic"
[[device]]
names = ["s"]
profile = "tor"
[[link]]
between = ["a", "s"]
[[link]]
between = ["b", "s"]
[[traffic]]
kind = "messages"
from = ["a"]
to = ["b"]
message = "3000 B"
count = 4
)");
  run_viewed(place, "p.toml", {"--pcap", "a"});
  std::uint64_t message = 0, middle = 0;
  for (const auto& f : read_capture(place, "o/ports/a_0.pcap")) {
    EXPECT_TRUE(f.frame.icrc_valid);
    if (!f.frame.reth) {
      middle += f.frame.payload.empty() ? 0 : 1;
      continue;
    }
    EXPECT_EQ(f.frame.reth->virtual_address, message * 3 * 1024);
    EXPECT_EQ(f.frame.reth->remote_key, 0x40u << 8 | 1);
    EXPECT_EQ(f.frame.reth->dma_length, 3000u);
    EXPECT_EQ(f.frame.payload.size(), 1024u);
    ++message;
  }
  EXPECT_EQ(message, 4u);
  EXPECT_EQ(middle, 8u);
}

Packet packet(Opcode opcode, std::uint16_t payload, std::int64_t more = 0) {
  Packet p;
  p.src = 3;
  p.dst = 4;
  p.dest_qp = Qpn(0x41);
  p.psn = Psn(0xfffffe);
  p.opcode = opcode;
  p.payload = payload;
  p.frame = static_cast<std::uint16_t>(frame_bytes(opcode, Bytes(payload)).count() + more);
  return p;
}

TEST(PortCaptures, MakeFramesOfPacketsThatHaveMoreOrLessThanTheirHeaders) {
  // As the model counts them: frame without FCS.
  for (const auto opcode : {Opcode::write_first, Opcode::write_middle, Opcode::write_last,
                            Opcode::write_only, Opcode::acknowledge, Opcode::cnp}) {
    const std::uint16_t payload = opcode == Opcode::acknowledge || opcode == Opcode::cnp ? 0 : 1022;
    for (const std::int64_t more : {0, 4, 8, 16, 20}) {
      Packet p = packet(opcode, payload, more);
      p.msn = 0x123456;
      const auto made = encode_packet(p);
      EXPECT_EQ(static_cast<std::int64_t>(made.bytes.size()), p.frame - wire::fcs);
      EXPECT_EQ(made.length, made.bytes.size());
      const bool reth = is_write(opcode) && !has_reth(opcode) && more >= wire::reth;
      const RoceFrame read = decode(made.bytes, {.reth_on_every_write = reth});
      EXPECT_TRUE(read.icrc_valid);
      EXPECT_EQ(read.bth.psn, p.psn);
      EXPECT_EQ(read.reth.has_value(), reth || has_reth(opcode));
    }
  }
  Packet sack = packet(Opcode::acknowledge, 0, 4);
  sack.syndrome = syndrome::sack;
  sack.bth_reserved = 5;
  const RoceFrame read = decode(encode_packet(sack).bytes);
  EXPECT_EQ(read.payload, (std::vector<std::uint8_t>{0, 0, 0, 3}));  // 0xfffffe + 5, 24 bits
  EXPECT_EQ(read.aeth->syndrome, syndrome::sack);

  Packet cut = packet(Opcode::write_middle, 1024);
  cut.frame = 128;
  const auto made = encode_packet(cut);
  EXPECT_EQ(made.bytes.size(), 124u);
  EXPECT_EQ(made.length, 14u + 20 + 8 + 12 + 1024 + 4);
}

// An acknowledgement of spray_sr in a run that sprays, marks and trims: what it says is in the
// frame.
TEST(PortCaptures, ShowWhatAcknowledgementsReport) {
  const Workplace place;
  place.write("p.toml", eight_nics("10 ms", R"(kind = "batch"
pattern = "incast"
fan_in = 4
size = "60 KB"
)"));
  for (const unsigned bits : {64u, 192u}) {
    const Words views = with_settings(
        {"--pcap", "h0"},
        {"nic.transport=spray_sr", "nic.entropy.scheme=random",
         fmt::format("nic.reliability.sack_bits={}", bits), "nic.congestion.algorithm=constant",
         "switch.queue_limit=30KB", "switch.trim=64B", "switch.ecn.kmin=4KB",
         "switch.ecn.kmax=12KB", "switch.ecn.pmax=1.0"});
    run_viewed(place, "p.toml", views);
    std::size_t acks = 0, marked = 0, trimmed = 0;
    std::map<std::uint32_t, std::uint16_t> entropy;            // of data by connection and PSN
    std::map<std::uint32_t, std::set<std::uint32_t>> arrived;  // PSNs by peer
    for (const auto& f : read_capture(place, "o/ports/h0_0.pcap")) {
      const Packet p = packet_of(f.frame, {});
      if (p.is_data()) {
        entropy[p.src << 24 | p.psn.value()] = p.entropy;
        if (p.payload > 0) arrived[p.src].insert(p.psn.value());
        continue;
      }
      ++acks;
      ASSERT_EQ(f.frame.payload.size(), 4 + bits / 8);
      const Psn expected = p.is_nack() ? p.psn : p.psn + 1;
      const SelectiveReport report = report_of(f.frame.payload, expected);
      EXPECT_EQ(report.bits, bits);
      EXPECT_EQ(report.trimmed, p.is_nack());
      EXPECT_EQ(p.entropy, entropy[p.dst << 24 | report.cause.value()]);
      marked += f.frame.bth.becn;
      trimmed += report.trimmed;
      for (unsigned i = 0; i < bits; ++i) {
        const Psn psn = report.first + static_cast<std::int32_t>(i);
        EXPECT_TRUE(!report.test(i) || arrived[p.dst].contains(psn.value()));
      }
    }
    EXPECT_GT(acks, 200u);
    EXPECT_GT(marked, 20u);
    EXPECT_GT(trimmed, 5u);
  }
}

}  // namespace
}  // namespace horae::test::views_capture_test
