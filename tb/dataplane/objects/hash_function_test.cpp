// Hash units: values measured of the vendor's library for the chip's driver, and
// rules.
#include "horae/dataplane/objects/hash_function.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "broken_rule.hpp"
#include "horae/core/random.hpp"
#include "horae/dataplane/hash.hpp"

namespace horae::dataplane::hash_function_test {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) out.push_back(part);
  return out;
}

void append_hex(BitString& to, const std::string& hex, unsigned bits) {
  std::vector<std::uint64_t> words((bits + 63) / 64);
  for (std::size_t digit = 0; digit < hex.size(); ++digit) {
    const std::size_t at = 4 * (hex.size() - 1 - digit);
    words.at(at / 64) |= std::stoull(hex.substr(digit, 1), nullptr, 16) << at % 64;
  }
  to.append(words, bits);
}

std::uint64_t number(const std::string& text) { return std::stoull(text, nullptr, 16); }

HashAlgorithm algorithm_of(const std::vector<std::string>& row) {
  if (row[0].starts_with("XOR")) return XorHash{static_cast<unsigned>(std::stoul(row[5]))};
  return CrcHash{.crc = {.width = static_cast<unsigned>(std::stoul(row[5])),
                         .polynomial = number(row[1]),
                         .reflected = row[2] == "1",
                         .initial = number(row[3]),
                         .final_xor = number(row[4])}};
}

// Columns: algorithm, poly, reversed, init, xor, width, field_widths, fields_hex_msb_first,
// result_hex. 2,460 values of 41 CRCs were measured; these are of 13, and of an XOR.
TEST(HashFunction, GivesWhatWasMeasured) {
  std::ifstream file(HORAE_HASH_VECTORS);
  ASSERT_TRUE(file) << HORAE_HASH_VECTORS;
  std::string line;
  std::getline(file, line);
  int rows = 0;
  while (std::getline(file, line)) {
    const auto row = split(line, ',');
    ASSERT_EQ(row.size(), 9u) << line;
    const auto widths = split(row[6], '/'), values = split(row[7], '/');
    BitString fields;
    for (std::size_t i = 0; i < widths.size(); ++i)
      append_hex(fields, values.at(i), static_cast<unsigned>(std::stoul(widths[i])));
    const HashFunction hash(algorithm_of(row), static_cast<unsigned>(std::stoul(row[5])));
    EXPECT_EQ(hash.of(fields), number(row[8])) << line;
    ++rows;
  }
  EXPECT_GT(rows, 100);
}

BitString fields_of(std::initializer_list<std::pair<std::uint64_t, unsigned>> fields) {
  BitString out;
  for (const auto& [value, bits] : fields) out.append(value, bits);
  return out;
}

TEST(HashFunction, CutsAndRepeatsACrc) {
  const CrcHash crc16{.crc = {16, 0x8005, true, 0, 0}};
  const BitString fields = fields_of({{0x31, 8}, {0x3233343536373839, 64}});
  EXPECT_EQ(HashFunction(crc16, 16).of(fields), 0xbb3du);
  EXPECT_EQ(HashFunction(crc16, 12).of(fields), 0xb3du);
  EXPECT_EQ(HashFunction(crc16, 20).of(fields), 0xdbb3du);
  EXPECT_EQ(HashFunction(crc16, 32).of(fields), 0xbb3dbb3du);
  CrcHash plain = crc16;
  plain.extended = false;
  EXPECT_EQ(HashFunction(plain, 32).of(fields), 0xbb3du);
  CrcHash high = crc16;
  high.high_bits = true;
  EXPECT_EQ(HashFunction(high, 12).of(fields), 0xbb3u);
}

TEST(HashFunction, IdentityKeepsTheLowestBits) {
  const BitString fields = fields_of({{0xabc, 12}, {0xd, 4}, {0x1234, 16}});
  EXPECT_EQ(HashFunction(IdentityHash{}, 32).of(fields), 0xabcd1234u);
  EXPECT_EQ(HashFunction(IdentityHash{}, 20).of(fields), 0xd1234u);
  EXPECT_EQ(HashFunction(IdentityHash{}, 64).of(fields), 0xabcd1234u);
}

TEST(HashFunction, AnXorFillsUpItsLastWord) {
  EXPECT_EQ(HashFunction(XorHash{16}, 16).of(fields_of({{0x199, 10}})), 0x199u << 6);
  EXPECT_EQ(HashFunction(XorHash{8}, 8).of(fields_of({{0x1234, 16}, {1, 1}})), 0x12u ^ 0x34 ^ 0x80);
}

TEST(HashFunction, RandomIsAMatrixAndAWord) {
  const HashFunction hash(RandomHash{7}, 48);
  RandomStream random(1, "matrix");
  const std::uint64_t zero = hash.of(fields_of({{0, 64}, {0, 13}}));
  for (int i = 0; i < 100; ++i) {
    const auto draw = [&] { return std::uint64_t{random.below(~0u)} << 32 | random.below(~0u); };
    const std::uint64_t a = draw(), b = draw();
    EXPECT_EQ(hash.of(fields_of({{a, 64}, {a, 13}})) ^ hash.of(fields_of({{b, 64}, {b, 13}})),
              hash.of(fields_of({{a ^ b, 64}, {a ^ b, 13}})) ^ zero);
  }
  EXPECT_NE(hash.of(fields_of({{1, 64}})),
            HashFunction(RandomHash{8}, 48).of(fields_of({{1, 64}})));
}

TEST(HashFunction, TakesNoMoreThan64Bits) {
  EXPECT_THROW(HashFunction(IdentityHash{}, 0), ModelError);
  EXPECT_THROW(HashFunction(IdentityHash{}, 65), ModelError);
  EXPECT_THROW(HashFunction(XorHash{0}, 8), ModelError);
  EXPECT_THROW(HashFunction(XorHash{65}, 8), ModelError);
}

struct HashObject : PassesOfAPacket {};

TEST_F(HashObject, RunsItsFunctionOncePerPass) {
  Hash hash(pipeline, Gress::ingress, "h", {.input_bits = 72, .output_bits = 64},
            CrcHash{.crc = {64, 0x42f0e1eba9ea3693, false, 0, 0}});
  const BitString fields = fields_of({{0x31, 8}, {0x3233343536373839, 64}});
  const Pass p = pass();
  EXPECT_EQ(hash.of(p, fields), 0x6c40df5f0b497347u);
  EXPECT_THROW(hash.of(p, fields), ModelError);
}

TEST(BitString, KeepsFieldsInOrder) {
  BitString s;
  s.append(0x5, 3);
  s.append(~std::uint64_t{0}, 64);
  s.append(0, 2);
  const std::vector<std::uint64_t> wide{0x1122334455667788, 0x99};
  s.append(wide, 72);
  ASSERT_EQ(s.bits(), 141u);
  EXPECT_EQ(s.at(0, 3), 5u);
  EXPECT_EQ(s.at(3, 64), ~std::uint64_t{0});
  EXPECT_EQ(s.at(67, 2), 0u);
  EXPECT_EQ(s.at(69, 8), 0x99u);
  EXPECT_EQ(s.at(77, 64), 0x1122334455667788u);
  BitString twice = s;
  twice.append(s);
  EXPECT_EQ(twice.bits(), 282u);
  EXPECT_EQ(twice.at(141 + 69, 64), s.at(69, 64));
  s.clear();
  EXPECT_EQ(s.bits(), 0u);
  s.append(0, 64);
  EXPECT_EQ(s.at(0, 64), 0u);
}

TEST(BitString, RefusesMoreThanItHolds) {
  BitString s;
  for (int i = 0; i < 16; ++i) s.append(1, 64);
  EXPECT_THROW(s.append(1, 1), ModelError);
}

}  // namespace
}  // namespace horae::dataplane::hash_function_test
