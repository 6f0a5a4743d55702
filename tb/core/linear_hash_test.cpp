// The linear flow hash: it is the CRC it says, it is linear, and tiers can be told apart.
#include "horae/core/linear_hash.hpp"

#include <gtest/gtest.h>

#include <array>
#include <boost/crc.hpp>
#include <set>
#include <vector>

#include "horae/core/codec.hpp"
#include "horae/core/random.hpp"

namespace horae::linear_hash_test {
namespace {

// Boost's CRC over the bytes of the headers.
std::uint16_t crc_of(NodeId src, NodeId dst, std::uint16_t port, std::uint16_t seed) {
  std::vector<std::uint8_t> bytes;
  for (const auto& address : {ipv4_of(src), ipv4_of(dst)})
    bytes.insert(bytes.end(), address.begin(), address.end());
  bytes.push_back(17);
  for (const unsigned p : {unsigned{port}, 4791u}) {
    bytes.push_back(static_cast<std::uint8_t>(p >> 8));
    bytes.push_back(static_cast<std::uint8_t>(p));
  }
  boost::crc_basic<16> crc(0x1021, seed, 0, false, false);
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

TEST(LinearHash, IsTheCrcOfTheHeaders) {
  RandomStream random(1, "crc");
  for (int i = 0; i < 5000; ++i) {
    const NodeId src = random.below(AddressPlan::max_node + 1);
    const NodeId dst = random.below(AddressPlan::max_node + 1);
    const auto port = static_cast<std::uint16_t>(random.below(65536));
    const auto seed = static_cast<std::uint16_t>(random.below(65536));
    const std::uint32_t offset = random.below(16);
    const std::uint16_t crc = crc_of(src, dst, port, seed);
    const auto rotated = static_cast<std::uint16_t>(crc >> offset | crc << (16 - offset));
    EXPECT_EQ(LinearHash({.offset = offset, .seed = seed}).of(src, dst, port), rotated);
  }
}

// h(x ^ d) = h(x) ^ change(d): the same for every flow, whatever the seed.
TEST(LinearHash, AChangeOfThePortChangesItByAFixedAmount) {
  RandomStream random(2, "linear");
  for (int i = 0; i < 5000; ++i) {
    const LinearHash hash({.offset = random.below(16), .seed = random.below(65536)});
    const NodeId src = random.below(1 << 20), dst = random.below(1 << 20);
    const auto port = static_cast<std::uint16_t>(random.below(65536));
    const auto d = static_cast<std::uint16_t>(random.below(65536));
    const auto e = static_cast<std::uint16_t>(random.below(65536));
    EXPECT_EQ(hash.of(src, dst, port ^ d), hash.of(src, dst, port) ^ hash.change(d));
    EXPECT_EQ(hash.change(d ^ e), hash.change(d) ^ hash.change(e));
  }
}

// No two ports have the same value: any bits of it can be set by the port.
TEST(LinearHash, EveryPortHasAValueOfItsOwn) {
  const LinearHash hash({.offset = 5});
  std::set<std::uint16_t> values;
  for (std::uint32_t port = 0; port < 65536; ++port)
    values.insert(hash.of(1, 2, static_cast<std::uint16_t>(port)));
  EXPECT_EQ(values.size(), 65536u);
}

TEST(LinearHash, ChoosesByItsLowestBitsOrTheRemainder) {
  for (const std::uint16_t value :
       {std::uint16_t{0}, std::uint16_t{0x1234}, std::uint16_t{0xffff}}) {
    for (const unsigned n : {1u, 2u, 3u, 4u, 6u, 16u, 24u})
      EXPECT_EQ(LinearHash::choice(value, n), value % n);
  }
}

}  // namespace
}  // namespace horae::linear_hash_test
