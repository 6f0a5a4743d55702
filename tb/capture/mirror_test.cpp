// Frames that a switch mirrored by ERSPAN, as a reader gives them.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "capture_bytes.hpp"
#include "horae/capture/reader.hpp"
#include "link_bytes.hpp"
#include "roce_bytes.hpp"

namespace horae::capture::mirror_test {
namespace {

using namespace horae::testing;

ByteString inner_frame() {
  return horae::testing::bytes_of(roce_packet(0, 1, Opcode::send_only, 77, 64));
}

const ByteString sequence = {0, 0, 0, 1};
const ByteString type_1 = {0, 0, 0x88, 0xbe};
ByteString type_2(bool truncated = false) {
  const std::uint8_t third = truncated ? 0x04 : 0;
  return joined({{0x10, 0, 0x88, 0xbe}, sequence, {0x10, 0, third, 7, 0, 0, 0, 0}});
}
ByteString type_3(bool subheader) {
  ByteString header =
      joined({{0x10, 0, 0x22, 0xeb}, sequence, {0x20, 0, 0, 7, 1, 2, 3, 4, 0, 0, 0}});
  header.push_back(subheader ? 1 : 0);
  if (subheader) header.resize(header.size() + 8, 0xaa);
  return header;
}

struct Read {
  ByteString bytes;
  std::uint32_t length = 0;
  std::uint64_t mirrored = 0;
};

std::vector<Read> read_all(const PcapBytes& pcap, const std::string& filter = {}) {
  const TemporaryFile file("mirror.pcap", pcap.bytes());
  CaptureReader reader(file.path(), filter);
  std::vector<Read> all;
  CapturedFrame frame;
  while (reader.next(frame))
    all.push_back({{frame.bytes.begin(), frame.bytes.end()}, frame.length, reader.mirrored()});
  return all;
}

TEST(Mirror, HeadersOfEachTypeAreTakenOff) {
  const ByteString inner = inner_frame();
  for (const ByteString& header : {type_1, type_2(), type_3(false), type_3(true)}) {
    const auto all = read_all(PcapBytes().packet(1, 0, gre_frame(header, inner)));
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].bytes, inner);
    EXPECT_EQ(all[0].length, inner.size());
    EXPECT_EQ(all[0].mirrored, 1u);
  }
}

TEST(Mirror, WhatIsNoMirrorStaysAsItIs) {
  const ByteString inner = inner_frame();
  ByteString other_version = type_2();
  other_version[8] = 0x30;
  ByteString no_ethernet = type_3(false);
  no_ethernet[18] = 0x08;  // frame type 2: IP
  ByteString fragment = gre_frame(type_2(), inner);
  fragment[20] = 0x20;
  const std::vector<ByteString> frames = {inner, gre_frame(nvgre, inner),
                                          gre_frame(other_version, inner),
                                          gre_frame(no_ethernet, inner), fragment};
  for (const auto& f : frames) {
    const auto all = read_all(PcapBytes().packet(1, 0, f));
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].bytes, f);
    EXPECT_EQ(all[0].mirrored, 0u);
  }
}

TEST(Mirror, ATruncatedFrameHasItsOwnLength) {
  const ByteString inner = inner_frame();
  const ByteString part(inner.begin(), inner.begin() + 70);
  const auto all = read_all(PcapBytes().packet(1, 0, gre_frame(type_2(true), part)));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].bytes, part);
  EXPECT_EQ(all[0].length, inner.size());
}

TEST(Mirror, AFilterSeesWhatWasMirrored) {
  const ByteString f = gre_frame(type_2(), inner_frame());
  const auto pcap = PcapBytes().packet(1, 0, f);
  EXPECT_EQ(read_all(pcap, "udp port 4791").size(), 1u);
  EXPECT_EQ(read_all(pcap, "host 10.9.0.1").size(), 0u);
}

TEST(Mirror, NoCutOfAFrameIsReadBeyondItsEnd) {
  const ByteString f = gre_frame(type_3(true), inner_frame());
  for (std::size_t cut = 1; cut < f.size(); ++cut) {
    PcapBytes pcap;
    pcap.record(1, 0, static_cast<std::uint32_t>(cut), static_cast<std::uint32_t>(f.size()),
                {f.begin(), f.begin() + static_cast<long>(cut)});
    const auto all = read_all(pcap);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_LE(all[0].bytes.size(), all[0].length);
  }
}

}  // namespace
}  // namespace horae::capture::mirror_test
