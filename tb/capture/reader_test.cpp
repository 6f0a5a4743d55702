#include "horae/capture/reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "capture_bytes.hpp"
#include "horae/capture/writer.hpp"
#include "horae/core/error.hpp"

namespace horae::capture::reader_test {
namespace {

using testing::ByteString;
using testing::PcapBytes;
using testing::PcapngBytes;
using testing::TemporaryFile;

struct Read {
  std::int64_t time_ns;
  ByteString bytes;
  std::uint32_t length;
  bool operator==(const Read&) const = default;
};

std::vector<Read> read_all(const std::string& path, const std::string& filter = {}) {
  CaptureReader reader(path, filter);
  std::vector<Read> all;
  CapturedFrame frame;
  while (reader.next(frame))
    all.push_back({frame.time_ns, {frame.bytes.begin(), frame.bytes.end()}, frame.length});
  return all;
}

/// The one line that reading a file of these bytes ends in.
std::string complaint(const ByteString& bytes, const std::string& filter = {}) {
  const TemporaryFile file("bad.pcap", bytes);
  try {
    read_all(file.path(), filter);
  } catch (const InputError& e) {
    std::string line = e.what();
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    const auto at = line.find(file.path());
    return at == std::string::npos ? line : line.replace(at, file.path().size(), "FILE");
  }
  return "nothing";
}

ByteString frame_of(std::uint8_t fill, std::size_t size = 60) {
  ByteString bytes(size, fill);
  if (size >= 14) bytes[12] = 0x08, bytes[13] = 0x00;
  return bytes;
}

TEST(CaptureReader, ReadsWhatTheWriterWrote) {
  const TemporaryFile file("round.pcap");
  CaptureWriter writer(file.path());
  const std::int64_t start = 1'700'000'000'123'456'789;
  writer.write(start, frame_of(1));
  writer.write(start + 1, frame_of(2, 1514));
  writer.write(start + 3'000'000'000, frame_of(3, 64), 9000);
  writer.write(start - 5, {});
  EXPECT_EQ(writer.written(), 4u);
  writer.close();
  const std::vector<Read> expected = {{0, frame_of(1), 60},
                                      {1, frame_of(2, 1514), 1514},
                                      {3'000'000'000, frame_of(3, 64), 9000},
                                      {-5, {}, 0}};
  EXPECT_EQ(read_all(file.path()), expected);
  CaptureReader reader(file.path());
  CapturedFrame frame;
  ASSERT_TRUE(reader.next(frame));
  EXPECT_EQ(reader.first_stamp_ns(), start);
  EXPECT_EQ(frame.number, 1u);
  while (reader.next(frame)) continue;
  EXPECT_EQ(reader.read(), 4u);
  EXPECT_DOUBLE_EQ(reader.share(), 1.0);
}

TEST(CaptureReader, TakesMicrosecondsAndBothByteOrders) {
  for (const bool big : {false, true}) {
    PcapBytes micro(PcapBytes::microseconds, 1, big), nano(PcapBytes::nanoseconds, 1, big);
    for (auto* pcap : {&micro, &nano})
      pcap->packet(10, 5, frame_of(1)).packet(11, 7, frame_of(2), 1000);
    const TemporaryFile of_micro("us.pcap", micro.bytes()), of_nano("ns.pcap", nano.bytes());
    EXPECT_EQ(read_all(of_micro.path()),
              (std::vector<Read>{{0, frame_of(1), 60}, {1'000'002'000, frame_of(2), 1000}}));
    EXPECT_EQ(read_all(of_nano.path()),
              (std::vector<Read>{{0, frame_of(1), 60}, {1'000'000'002, frame_of(2), 1000}}));
  }
}

TEST(CaptureReader, TakesPcapngOfAnyResolution) {
  for (const auto& [digits, unit] : {std::pair{6u, 1000}, std::pair{9u, 1}}) {
    PcapngBytes pcapng(digits);
    pcapng.packet(1'000'000'000'000, frame_of(1)).packet(1'000'000'000'025, frame_of(2, 61));
    const TemporaryFile file("ng.pcapng", pcapng.bytes());
    EXPECT_EQ(read_all(file.path()),
              (std::vector<Read>{{0, frame_of(1), 60}, {25 * unit, frame_of(2, 61), 61}}));
  }
}

TEST(CaptureReader, GivesEveryFrameAnEthernetHeader) {
  ByteString ip(40, 0xaa);
  ip[0] = 0x45;
  ByteString six = ip;
  six[0] = 0x60;
  PcapBytes raw(PcapBytes::nanoseconds, 101);
  raw.packet(1, 0, ip, 100).packet(1, 1, six).packet(1, 2, {});
  const TemporaryFile of_raw("raw.pcap", raw.bytes());
  const auto frames = read_all(of_raw.path());
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0].length, 114u);
  EXPECT_EQ(ByteString(frames[0].bytes.begin() + 14, frames[0].bytes.end()), ip);
  EXPECT_EQ(frames[0].bytes[12] << 8 | frames[0].bytes[13], 0x0800);
  EXPECT_EQ(frames[1].bytes[12] << 8 | frames[1].bytes[13], 0x86dd);
  EXPECT_EQ(frames[2].bytes.size(), 14u);

  ByteString cooked = {0, 0, 0, 1, 0, 6, 2, 0, 0, 0, 0, 9, 0, 0, 0x08, 0x00};
  cooked.insert(cooked.end(), ip.begin(), ip.end());
  PcapBytes sll(PcapBytes::nanoseconds, 113);
  sll.packet(1, 0, cooked).packet(1, 0, {1, 2, 3});
  const TemporaryFile of_sll("sll.pcap", sll.bytes());
  const auto of_cooked = read_all(of_sll.path());
  ASSERT_EQ(of_cooked.size(), 2u);
  EXPECT_EQ(of_cooked[0].bytes.size(), 54u);
  EXPECT_EQ(of_cooked[0].length, 54u);
  EXPECT_EQ(of_cooked[0].bytes[11], 9);
  EXPECT_EQ(of_cooked[1].bytes.size(), 0u);
}

TEST(CaptureReader, FiltersAndStillCounts) {
  PcapBytes pcap;
  pcap.packet(1, 0, frame_of(1)).packet(1, 1, frame_of(2, 200)).packet(1, 2, frame_of(3));
  const TemporaryFile file("filter.pcap", pcap.bytes());
  CaptureReader reader(file.path(), "greater 100");
  CapturedFrame frame;
  ASSERT_TRUE(reader.next(frame));
  EXPECT_EQ(frame.number, 2u);
  EXPECT_EQ(frame.time_ns, 1);
  EXPECT_FALSE(reader.next(frame));
  EXPECT_EQ(reader.filtered(), 2u);
  EXPECT_EQ(complaint(pcap.bytes(), "no such thing").substr(0, 23), "filter 'no such thing':");
}

TEST(CaptureReader, SaysInOneLineWhatIsWrong) {
  EXPECT_EQ(complaint({}).substr(0, 6), "FILE: ");
  EXPECT_NE(complaint({1, 2, 3, 4, 5}).find("expected a pcap or pcapng file"), std::string::npos);
  EXPECT_NE(complaint(ByteString(400, 0xee)).find("expected a pcap or pcapng"), std::string::npos);
  const std::string link = complaint(PcapBytes(PcapBytes::nanoseconds, 105).bytes());
  EXPECT_EQ(link.substr(0, 36), "FILE: link type 105 (IEEE802_11); ex") << link;

  PcapBytes good;
  good.packet(1, 0, frame_of(1));
  ByteString cut = good.bytes();
  cut.resize(cut.size() + 9, 0);
  EXPECT_EQ(complaint(cut).substr(0, 27), "FILE: packet 2 at byte 100:");
  ByteString half = good.bytes();
  half.resize(half.size() - 1);
  EXPECT_EQ(complaint(half).substr(0, 26), "FILE: packet 1 at byte 24:");
  PcapBytes absurd;
  absurd.record(1, 0, 0x7fffffff, 0x7fffffff, frame_of(1));
  EXPECT_EQ(complaint(absurd.bytes()).substr(0, 26), "FILE: packet 1 at byte 24:");
  EXPECT_EQ(complaint(good.bytes()), "nothing");
  EXPECT_THROW(CaptureReader("/nonexistent/x.pcap"), InputError);
  EXPECT_THROW(read_all("/"), InputError);
}

TEST(CaptureReader, GoesOnBehindAnImpossibleTime) {
  PcapBytes pcap(PcapBytes::nanoseconds);
  pcap.packet(1000, 0, frame_of(1)).packet(1'000'000'000, 0, frame_of(2));
  pcap.packet(1001, 0, frame_of(3));
  const TemporaryFile file("far.pcap", pcap.bytes());
  CaptureReader reader(file.path());
  CapturedFrame frame;
  ASSERT_TRUE(reader.next(frame));
  EXPECT_THROW(reader.next(frame), InputError);
  ASSERT_TRUE(reader.next(frame));
  EXPECT_EQ(frame.number, 3u);
  EXPECT_EQ(frame.time_ns, 1'000'000'000);
}

TEST(CaptureReader, SecondsHave32BitsWithoutASign) {
  for (const std::uint32_t magic : {PcapBytes::microseconds, PcapBytes::nanoseconds}) {
    for (const bool big : {false, true}) {
      PcapBytes pcap(magic, 1, big);
      pcap.packet(0x7fffffff, 1, frame_of(1)).packet(0x80000000, 0, frame_of(2));
      const TemporaryFile file("later.pcap", pcap.bytes());
      const int unit = magic == PcapBytes::microseconds ? 1000 : 1;
      EXPECT_EQ(read_all(file.path()),
                (std::vector<Read>{{0, frame_of(1), 60}, {1'000'000'000 - unit, frame_of(2), 60}}));
      pcap = PcapBytes(magic, 1, big);
      pcap.packet(0xfffffffe, 5, frame_of(1));
      const TemporaryFile last("last.pcap", pcap.bytes());
      CaptureReader reader(last.path());
      CapturedFrame frame;
      ASSERT_TRUE(reader.next(frame));
      EXPECT_EQ(reader.first_stamp_ns(), 4'294'967'294'000'000'000 + 5 * unit);
    }
  }
}

TEST(CaptureReader, RefusesASecondAndMoreBehindTheSeconds) {
  // 4295001 microseconds are 1'000'000 * 1000 + 32'704 ns modulo 2^32.
  for (const std::uint32_t fraction : {1'000'000u, 4'295'001u, 0xffffffffu}) {
    PcapBytes pcap(PcapBytes::microseconds);
    pcap.packet(1, 999'999, frame_of(1)).packet(2, fraction, frame_of(2)).packet(2, 0, frame_of(3));
    EXPECT_EQ(complaint(pcap.bytes()), "FILE: packet 2 at byte 100: a time stamp of 2 s and " +
                                           std::to_string(fraction) +
                                           " us; expected less than a second of them");
    const TemporaryFile file("fraction.pcap", pcap.bytes());
    CaptureReader reader(file.path());
    CapturedFrame frame;
    ASSERT_TRUE(reader.next(frame));
    EXPECT_THROW(reader.next(frame), InputError);
    ASSERT_TRUE(reader.next(frame));
    EXPECT_EQ(frame.time_ns, 1000);
  }
  PcapBytes pcap(PcapBytes::nanoseconds);
  pcap.packet(1, 999'999'999, frame_of(1)).packet(2, 1'000'000'000, frame_of(2));
  EXPECT_NE(complaint(pcap.bytes()).find("2 s and 1000000000 ns; expected"), std::string::npos);
}

TEST(CaptureReader, KnowsThePlaceOfARecordBehindLongerOnes) {
  PcapBytes pcap(PcapBytes::nanoseconds, 1, false, 40);  // longer than the file says they are
  pcap.packet(1, 0, frame_of(1)).packet(1, 0, frame_of(1, 40)).record(1, 0, 500, 500, {});
  EXPECT_EQ(complaint(pcap.bytes()).substr(0, 27), "FILE: packet 3 at byte 156:");
}

TEST(CaptureReader, GoesOnBehindAnImpossibleLength) {
  constexpr std::uint32_t most = 16u << 20;
  PcapBytes pcap;
  for (const std::uint32_t length : {most, most + 1, 0xfffffffc, 0xffffffff, 60u})
    pcap.record(1, 0, 60, length, frame_of(1));
  const TemporaryFile file("long.pcap", pcap.bytes());
  CaptureReader reader(file.path());
  CapturedFrame frame;
  ASSERT_TRUE(reader.next(frame));
  EXPECT_EQ(frame.length, most);
  for (int i = 0; i < 3; ++i) EXPECT_THROW(reader.next(frame), InputError);
  ASSERT_TRUE(reader.next(frame));
  EXPECT_EQ(frame.number, 5u);
  PcapBytes wrong;
  wrong.record(1, 0, 60, 0xfffffffc, frame_of(1));
  EXPECT_EQ(complaint(wrong.bytes()),
            "FILE: packet 1 at byte 24: a length of 4294967292 bytes on the wire; expected at most "
            "16777216");
}

TEST(CaptureReader, IsAtItsEndBehindADamagedRecord) {
  PcapBytes pcap;
  pcap.packet(1, 0, frame_of(1)).record(1, 0, 0x7fffffff, 60, frame_of(2)).packet(1, 0, {});
  const TemporaryFile file("end.pcap", pcap.bytes());
  CaptureReader reader(file.path());
  CapturedFrame frame;
  ASSERT_TRUE(reader.next(frame));
  EXPECT_THROW(reader.next(frame), InputError);
  EXPECT_FALSE(reader.next(frame));
}

TEST(CaptureWriter, SaysWhenTheMediumIsFull) {
  EXPECT_THROW(CaptureWriter("/nonexistent/x.pcap"), InputError);
  CaptureWriter full("/dev/full", "out.pcap");
  try {
    full.write(0, frame_of(1));
    full.close();
    FAIL() << "nothing said";
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "out.pcap: cannot be written: No space left on device");
  }
}

}  // namespace
}  // namespace horae::capture::reader_test
