// CRCs: the check values of the catalogue of parametrised CRC algorithms (the CRC of the nine
// characters "123456789"), and Boost's.
#include "horae/core/codec/crc.hpp"

#include <gtest/gtest.h>

#include <boost/crc.hpp>
#include <string_view>
#include <vector>

#include "horae/core/random.hpp"

namespace horae::crc_test {
namespace {

std::uint64_t check_of(const CrcParameters& parameters) {
  constexpr std::string_view text = "123456789";
  return Crc(parameters).of({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

TEST(Crc, GivesTheCheckValuesOfTheCatalogue) {
  EXPECT_EQ(check_of({}), 0xcbf43926);                                 // CRC-32/ISO-HDLC
  EXPECT_EQ(check_of({32, 0x04c11db7, false, ~0u, ~0u}), 0xfc891918);  // CRC-32/BZIP2
  EXPECT_EQ(check_of({32, 0x1edc6f41, true, ~0u, ~0u}), 0xe3069283);   // CRC-32/ISCSI
  EXPECT_EQ(check_of({16, 0x8005, true, 0, 0}), 0xbb3d);               // CRC-16/ARC
  EXPECT_EQ(check_of({16, 0x1021, false, 0xffff, 0}), 0x29b1);         // CRC-16/IBM-3740
  EXPECT_EQ(check_of({16, 0x1021, true, 0xb2aa, 0}), 0x63d0);          // CRC-16/RIELLO
  EXPECT_EQ(check_of({8, 0x07, false, 0, 0}), 0xf4);                   // CRC-8/SMBUS
  EXPECT_EQ(check_of({64, 0x42f0e1eba9ea3693, false, 0, 0}), 0x6c40df5f0b497347);  // ECMA-182
}

TEST(Crc, WidthsAreNotOfWholeBytes) {
  EXPECT_EQ(check_of({5, 0x05, true, 0x1f, 0x1f}), 0x19u);             // CRC-5/USB
  EXPECT_EQ(check_of({10, 0x233, false, 0, 0}), 0x199u);               // CRC-10/ATM
  EXPECT_EQ(check_of({24, 0x864cfb, false, 0xb704ce, 0}), 0x21cf02u);  // CRC-24/OPENPGP
  EXPECT_EQ(check_of({3, 0x3, false, 0, 0x7}), 0x4u);                  // CRC-3/GSM
}

TEST(Crc, IsBoosts) {
  RandomStream random(1, "crc");
  for (int i = 0; i < 300; ++i) {
    std::vector<std::uint8_t> bytes(random.below(40));
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random.below(256));
    const std::uint32_t polynomial = random.below(1u << 31) | 1, start = random.below(1u << 31);
    const bool reflected = random.below(2) != 0;
    boost::crc_basic<32> crc(polynomial, start, 0x1234, reflected, reflected);
    crc.process_bytes(bytes.data(), bytes.size());
    EXPECT_EQ(Crc({32, polynomial, reflected, start, 0x1234}).of(bytes), crc.checksum());
  }
}

TEST(Crc, RefusesWhatIsWiderThanItself) {
  EXPECT_THROW(Crc({0, 1, false, 0, 0}), ModelError);
  EXPECT_THROW(Crc({65, 1, false, 0, 0}), ModelError);
  EXPECT_THROW(Crc({16, 0x18005, false, 0, 0}), ModelError);
  EXPECT_THROW(Crc({16, 0x8005, false, 0x10000, 0}), ModelError);
  EXPECT_THROW(Crc({16, 0x8005, false, 0, 0x10000}), ModelError);
}

}  // namespace
}  // namespace horae::crc_test
