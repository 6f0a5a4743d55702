// Reports of single packets as bytes on the wire, and back.
#include "horae/core/codec/selective_report.hpp"

#include <gtest/gtest.h>

#include "horae/core/random.hpp"

namespace horae::selective_report_test {
namespace {

using Wire = std::vector<std::uint8_t>;

void expect_same(const SelectiveReport& a, const SelectiveReport& b) {
  EXPECT_EQ(a.bits, b.bits);
  EXPECT_EQ(a.cause, b.cause);
  EXPECT_EQ(a.first, b.first);
  EXPECT_EQ(a.trimmed, b.trimmed);
  EXPECT_EQ(a.received, b.received);
}

TEST(SelectiveReport, IsTheCauseItsFlagsAndTheBitmap) {
  SelectiveReport r;
  r.bits = 64;
  r.cause = r.first = Psn(0x123456);
  r.set(0);
  r.set(9);
  r.set(63);
  EXPECT_EQ(bytes_of(r), (Wire{0x12, 0x34, 0x56, 0x40, 1, 2, 0, 0, 0, 0, 0, 0x80}));
  r.first = r.cause - 63;
  r.trimmed = true;
  EXPECT_EQ(bytes_of(r), (Wire{0x12, 0x34, 0x56, 0x80, 1, 2, 0, 0, 0, 0, 0, 0x80}));
}

// As the receiver of spray_sr makes them: the bitmap begins with the cause, ends with it, or begins
// behind the expected PSN.
TEST(SelectiveReport, ComesBackFromItsBytes) {
  RandomStream random(1, "reports");
  for (int i = 0; i < 2000; ++i) {
    SelectiveReport r;
    r.bits = static_cast<std::uint16_t>(64 * (1 + random.below(4)));
    const Psn expected(random.bits());
    r.cause = expected + static_cast<std::int32_t>(random.below(600)) - 100;
    r.trimmed = random.chance(0.3);
    const Psn earliest = r.cause - (r.bits - 1);
    r.first = random.chance(0.5) ? r.cause : earliest.after(expected) ? earliest : expected + 1;
    for (unsigned bit = 0; bit < r.bits; ++bit) {
      if (random.chance(0.5)) r.set(bit);
    }
    ASSERT_EQ(bytes_of(r).size(), r.wire_bytes());
    expect_same(report_of(bytes_of(r), expected), r);
  }
}

TEST(SelectiveReport, OtherBytesAreNone) {
  EXPECT_TRUE(bytes_of({}).empty());
  for (const std::size_t n : {0, 4, 8, 11, 16, 44})
    EXPECT_EQ(report_of(Wire(n), Psn(5)).bits, 0) << n;
  EXPECT_EQ(report_of(Wire(36), Psn(5)).bits, 256);
}

}  // namespace
}  // namespace horae::selective_report_test
