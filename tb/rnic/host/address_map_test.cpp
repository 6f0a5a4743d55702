// The NIC's regions in so many bytes of a bus.
#include "horae/rnic/host/address_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "horae/core/random.hpp"
#include "refusal.hpp"

namespace horae::rnic::address_map_test {
namespace {

namespace address = host_address;

/// An access of each kind by a queue pair, in the order of the regions; the last two share one.
std::array<std::uint64_t, 9> of(std::size_t qp, std::uint32_t n) {
  return {address::send_queue(qp, n % 4096 * 64),
          address::source(qp, n % 2048 * 4096),
          address::payload(qp, n % address::ring_packets * address::largest_slot),
          address::kept_apart(qp),
          address::completion_queue(qp),
          address::contexts,
          address::translations,
          address::retransmission(qp, true),
          address::retransmission(qp, false)};
}

TEST(AddressMap, EachRegionHasItsEighth) {
  RandomStream random(5, "addresses");
  for (const Bytes size : {1_MiB, 64_MiB, 1024_MiB}) {
    const AddressMap map(12_KiB, size);
    const auto share = static_cast<std::uint64_t>(size.count()) / 8;
    for (int i = 0; i < 20'000; ++i) {
      const auto all = of(random.below(65'536), random.below(1u << 24));
      for (std::size_t kind = 0; kind < all.size(); ++kind) {
        // Within a page, as pieces of an access are.
        const std::uint64_t byte = all.at(kind) + (kind == 0 ? 0 : random.below(64));
        const std::uint64_t at = map(byte);
        ASSERT_EQ((at - 12 * 1024) / share, std::min<std::size_t>(kind, 7)) << std::hex << byte;
        ASSERT_EQ(at % 4096, byte % 4096) << std::hex << byte;
        ASSERT_EQ(at - map(all.at(kind)), byte - all.at(kind)) << std::hex << byte;
      }
    }
  }
}

TEST(AddressMap, WhereThereIsRoomQueuePairsAreApart) {
  const AddressMap map(0_B, 1024_MiB);
  EXPECT_EQ(map(address::send_queue(0, 64)), 64u);
  EXPECT_EQ(map(address::send_queue(1, 64)), (256u << 10) + 64u);
  EXPECT_EQ(map(address::source(1, 5)), (128u << 20) + (16u << 20) + 5u);
  EXPECT_EQ(map(address::payload(0, 3 * 4096)), (256u << 20) + 3u * 4096);
  EXPECT_EQ(map(address::completion_queue(2)), (512u << 20) + 128u);
  EXPECT_EQ(map(address::retransmission(1, true)), (896u << 20) + 8192u);
  EXPECT_EQ(map(address::retransmission(1, false)), (896u << 20) + 12'288u);
}

TEST(AddressMap, WithoutASizeAddressesAreThemselvesBehindTheBase) {
  EXPECT_EQ(AddressMap()(address::contexts + 7), address::contexts + 7);
  EXPECT_EQ(AddressMap(8_KiB, std::nullopt)(address::contexts), address::contexts + 8192);
}

TEST(AddressMap, WhatIsNoRegionIsRefused) {
  const auto line = [](Bytes base, std::optional<Bytes> size) {
    return test::refusal_of([&] { AddressMap map(base, size); });
  };
  EXPECT_EQ(line(4_KiB, 1_MiB), "accepted");
  EXPECT_EQ(line(100_B, 1_MiB), "memory.base = 100 B: expected a multiple of 4 KiB");
  EXPECT_EQ(line(0_B, 3_MiB), "memory.size = 3 MiB: expected a power of two from 1 MiB on");
  EXPECT_EQ(line(0_B, 512_KiB), "memory.size = 512 KiB: expected a power of two from 1 MiB on");
}

}  // namespace
}  // namespace horae::rnic::address_map_test
