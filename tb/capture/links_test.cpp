// Captures of ERF, of InfiniBand, and packed ones: which frames they give, and when.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "horae/capture/reader.hpp"
#include "horae/core/error.hpp"
#include "link_bytes.hpp"
#include "packed_bytes.hpp"

namespace horae::capture::links_test {
namespace {

using namespace horae::testing;

struct Read {
  std::uint64_t number;
  std::int64_t time_ns;
  ByteString bytes;
  std::uint32_t length;
  bool operator==(const Read&) const = default;
};

struct All {
  std::vector<Read> frames;
  std::string complaint;  ///< without the path
  std::int64_t first_ns = 0;
  std::uint64_t lost = 0;
};

/// `go_on`: behind what is damaged, as far as it goes.
All read_all(const ByteString& bytes, const std::string& filter = {}, bool fcs = false,
             bool go_on = false) {
  const TemporaryFile file("links", bytes);
  All all;
  const auto complain = [&](const InputError& e) {
    std::string line = e.what();
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    if (line.starts_with(file.path())) line = line.substr(file.path().size() + 2);
    if (all.complaint.empty()) all.complaint = line;
  };
  try {
    CaptureReader reader(file.path(), filter, fcs);
    CapturedFrame f;
    for (bool more = true; more;) {
      try {
        more = reader.next(f);
        if (more)
          all.frames.push_back({f.number, f.time_ns, {f.bytes.begin(), f.bytes.end()}, f.length});
      } catch (const InputError& e) {
        complain(e);
        more = go_on && !reader.ended();
      }
      all.first_ns = reader.first_stamp_ns();
      all.lost = reader.lost();
    }
  } catch (const InputError& e) {
    complain(e);
  }
  return all;
}

const ByteString frame = rocev1_frame();

ByteString erf_file() {
  const std::uint64_t second = std::uint64_t{1} << 32;
  const ByteString more = {0x83, 1, 2, 3, 4, 5, 6, 7}, last = {0x05, 1, 2, 3, 4, 5, 6, 7};
  return joined(
      {bytes_of(ErfRecord{.packet = with_fcs(frame), .stamp = 3'000'000'000 * second}),
       bytes_of(ErfRecord{.type = 48, .packet = ByteString(24, 1), .stamp = 0}),
       bytes_of(ErfRecord{.type = 27, .packet = ByteString(24, 1), .stamp = 0}),
       bytes_of(ErfRecord{.packet = with_fcs(frame),
                          .stamp = 3'000'000'000 * second + second / 8 + 1,
                          .extensions = {more, last},
                          .lost = 3}),
       // Coloured: what stands where others count is none. 62 of the bytes were captured.
       bytes_of(ErfRecord{.type = 11,
                          .packet = {frame.begin(), frame.begin() + 62},
                          .stamp = 3'000'000'001 * second,
                          .lost = 500,
                          .length = 138}),
       bytes_of(ErfRecord{
           .type = 22, .packet = {0x45, 0, 0, 20}, .stamp = 3'000'000'001 * second, .lost = 2})});
}

TEST(CaptureErf, EveryRecordIsAFrameAtItsTime) {
  ASSERT_EQ(frame.size(), 134u);
  const All all = read_all(erf_file());
  EXPECT_EQ(all.complaint, "");
  EXPECT_EQ(all.first_ns, 3'000'000'000'000'000'000) << "behind 2038";
  EXPECT_EQ(all.lost, 5u);
  ByteString ip(12);
  ip.insert(ip.end(), {0x08, 0x00, 0x45, 0, 0, 20});
  const std::vector<Read> expected = {
      {1, 0, frame, 134},
      {3, 125'000'000, frame, 134},  // 2: metadata; padding counts for nothing
      {4, 1'000'000'000, {frame.begin(), frame.begin() + 62}, 134},
      {5, 1'000'000'000, ip, 18}};
  EXPECT_EQ(all.frames, expected);
  const All kept = read_all(erf_file(), {}, true);
  EXPECT_EQ(kept.frames.at(0).bytes, with_fcs(frame));
  EXPECT_EQ(kept.frames.at(2).length, 138u);
}

TEST(CaptureErf, IsTheSameInsidePcapAndPacked) {
  PcapBytes pcap(PcapBytes::microseconds, 197);
  pcap.packet(9, 9, bytes_of(ErfRecord{.packet = with_fcs(frame)}));
  pcap.packet(9, 9, bytes_of(ErfRecord{.packet = with_fcs(frame), .stamp = 1001ULL << 32}));
  for (const ByteString& bytes : {pcap.bytes(), gzip_of(pcap.bytes()), zstd_of(pcap.bytes())}) {
    const All all = read_all(bytes);
    EXPECT_EQ(all.complaint, "");
    EXPECT_EQ(all.first_ns, 1000'000'000'000) << "the card's time, not the file's";
    EXPECT_EQ(all.frames, (std::vector<Read>{{1, 0, frame, 134}, {2, 1'000'000'000, frame, 134}}));
  }
  EXPECT_EQ(read_all(gzip_of(erf_file())).frames, read_all(erf_file()).frames);
  pcap.packet(9, 9, {1, 2, 3});
  EXPECT_EQ(read_all(pcap.bytes()).complaint,
            "packet 3 at byte 376: 3 bytes; expected 16, the header of an ERF record");
}

TEST(CaptureErf, FiltersSeeTheFrame) {
  EXPECT_EQ(read_all(erf_file(), "ether proto 0x8915").frames.size(), 3u);
  EXPECT_EQ(read_all(erf_file(), "ip").frames.size(), 1u);
}

TEST(CaptureErf, SaysWhichRecordsItDoesNotRead) {
  const ByteString good = bytes_of(ErfRecord{.packet = with_fcs(frame)});
  const auto complaint = [&](const ErfRecord& r) {
    const All all = read_all(joined({good, bytes_of(r), good}), {}, false, true);
    EXPECT_EQ(all.frames.size(), 2u) << "goes on behind it";
    return all.complaint;
  };
  EXPECT_EQ(
      complaint({.type = 3, .packet = ByteString(52)}),
      "packet 2 at byte 160: an ERF record of type 3 (ATM); expected Ethernet (types 2, 11, 16, "
      "20), InfiniBand (21) or IP (22, 23)");
  EXPECT_EQ(complaint({.type = 25, .packet = ByteString(52)}).substr(0, 61),
            "packet 2 at byte 160: an ERF record of type 25 (INFINIBAND_LI");
  EXPECT_EQ(complaint({.type = 22, .extensions = {{0x80, 0, 0, 0, 0, 0, 0, 0}}}),
            "packet 2 at byte 160: an ERF record of 24 bytes that ends in its extension headers");
  EXPECT_EQ(
      read_all(joined({good, ByteString(16)})).complaint,
      "packet 2 at byte 160: an ERF record of 0 bytes by its own account; expected at least 16");
}

TEST(CaptureErf, TextIsNone) {
  for (const char* text : {"start_ns\nfoo,bar,baz and so on", "a\tb\tc\td\te\tf\tg\th\ti\tj\tk"}) {
    const std::string t = text;
    EXPECT_NE(read_all({t.begin(), t.end()}).complaint.find("expected a pcap or pcapng file"),
              std::string::npos);
  }
}

TEST(CaptureInfiniband, APacketIsTheFrameOfRocev1) {
  PcapBytes pcap(PcapBytes::nanoseconds, 247);
  pcap.packet(1, 0, infiniband_packet(true)).packet(1, 5, infiniband_packet(false, 64, 3));
  const All all = read_all(pcap.bytes());
  EXPECT_EQ(all.complaint, "");
  ASSERT_EQ(all.frames.size(), 2u);
  // LRH and VCRC are gone; the ICRC that covered the LRH is right for the frame.
  ByteString expected = rocev1_frame();
  const ByteString macs = {2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 5};
  std::copy(macs.begin(), macs.end(), expected.begin());
  EXPECT_EQ(all.frames[0], (Read{1, 0, expected, 134}));
  // Without GRH it gets one; its service level is the priority of a tag.
  const auto gid = [](std::uint8_t lid) {
    ByteString g(16);
    g[0] = 0xfe, g[1] = 0x80, g[15] = lid;
    return g;
  };
  const ByteString bth = bth_of({}, 64);
  ByteString grh = grh_of(gid(5), gid(9), bth.size(), 0);
  grh[7] = 0xff;
  const ByteString local =
      joined({macs, {0x81, 0x00, 0x60, 0x00, 0x89, 0x15}, with_icrc({}, joined({grh, bth}), true)});
  EXPECT_EQ(all.frames[1], (Read{2, 5, local, 138}));
  EXPECT_EQ(
      read_all(bytes_of(ErfRecord{.type = 21, .packet = infiniband_packet(true)})).frames.at(0),
      (Read{1, 0, expected, 134}));
}

TEST(CaptureInfiniband, AWrongIcrcStaysWhatItIs) {
  ByteString wrong = infiniband_packet(true);
  wrong[wrong.size() - 4] ^= 1;
  PcapBytes pcap(PcapBytes::nanoseconds, 247);
  pcap.packet(1, 0, wrong);
  const All all = read_all(pcap.bytes());
  EXPECT_EQ(ByteString(all.frames.at(0).bytes.end() - 4, all.frames.at(0).bytes.end()),
            ByteString(wrong.end() - 6, wrong.end() - 2));
}

TEST(CaptureInfiniband, RawPacketsAreWhatTheyHold) {
  ByteString six = {0, 1, 0, 9, 0, 12, 0, 5, 0x60};
  six.resize(50);
  ByteString raw = {0, 0, 0, 9, 0, 3, 0, 5, 0, 0, 0x08, 0x06, 0xee, 0xee};
  PcapBytes pcap(PcapBytes::nanoseconds, 247);
  pcap.packet(1, 0, six).packet(1, 0, raw);
  const All all = read_all(pcap.bytes());
  ASSERT_EQ(all.frames.size(), 2u);
  EXPECT_EQ(all.frames[0].bytes[12] << 8 | all.frames[0].bytes[13], 0x86dd);
  EXPECT_EQ(all.frames[0].length, 54u);
  EXPECT_EQ(all.frames[1].bytes.size(), 14u);
  EXPECT_EQ(all.frames[1].bytes[13], 0x06);
}

TEST(CaptureInfiniband, SaysWhereItsLengthIsImpossible) {
  ByteString longer = infiniband_packet(true);
  longer[4] = 7, longer[5] = 0xff;
  PcapBytes pcap(PcapBytes::nanoseconds, 247);
  pcap.packet(1, 0, infiniband_packet(true)).packet(1, 0, longer);
  EXPECT_EQ(
      read_all(pcap.bytes()).complaint,
      "packet 2 at byte 170: an InfiniBand packet length of 8188 bytes (LRH); expected 8 to 130, "
      "what is on the wire");
}

TEST(CaptureLinks, CutAtEveryByteTheyAreOneLineOrFewerPackets) {
  PcapBytes in_pcap(PcapBytes::nanoseconds, 197), infiniband(PcapBytes::nanoseconds, 247);
  in_pcap.packet(1, 0, erf_file());
  infiniband.packet(1, 0, infiniband_packet(false));
  for (const ByteString& whole : {erf_file(), in_pcap.bytes(), infiniband.bytes(),
                                  gzip_of(erf_file()), zstd_of(erf_file())}) {
    const std::size_t frames = read_all(whole).frames.size();
    for (std::size_t cut = 0; cut < whole.size(); ++cut) {
      const All all = read_all({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(cut)});
      EXPECT_TRUE(all.frames.size() < frames || !all.complaint.empty()) << cut;
    }
  }
  for (std::size_t cut = 0; cut < 80; ++cut) {
    for (const bool global : {false, true}) {
      const ByteString packet = infiniband_packet(global);
      PcapBytes pcap(PcapBytes::nanoseconds, 247);
      pcap.packet(1, 0, {packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(cut)},
                  static_cast<std::uint32_t>(packet.size()));
      const All all = read_all(pcap.bytes());
      ASSERT_EQ(all.frames.size(), 1u);
      EXPECT_LE(all.frames[0].bytes.size(), all.frames[0].length);
      EXPECT_EQ(all.frames[0].bytes.size() >= 14, cut >= 8);
    }
  }
}

TEST(CaptureLinks, OtherLinksAreNamedWithWhatIsRead) {
  EXPECT_EQ(
      read_all(PcapBytes(PcapBytes::nanoseconds, 105).bytes()).complaint,
      "link type 105 (IEEE802_11); expected Ethernet, raw IP, Linux cooked captures, InfiniBand "
      "or ERF (EN10MB, RAW, IPV4, IPV6, LINUX_SLL, LINUX_SLL2, INFINIBAND, ERF)");
}

}  // namespace
}  // namespace horae::capture::links_test
