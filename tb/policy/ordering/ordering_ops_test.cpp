// Counts of ordering engines for one packet: words of their memory, and clocks.
#include <gtest/gtest.h>

#include <utility>

#include "horae/policy/ordering/eunomia.hpp"
#include "ordering_script.hpp"

namespace horae::policy::ordering_ops_test {
namespace {

using Words = std::pair<std::uint32_t, std::uint32_t>;  // read, written

Words words(const OrderingAnswer& answer) {
  return {answer.ops.words_read, answer.ops.words_written};
}

// Its words are of 64 packets, by their PSNs: that of the packet is read, and written where the
// packet is new; the run behind it takes every word to that of the packet expected next.
TEST(IdealOrdering, CountsTheWordsOfThePacketAndOfTheRunBehindIt) {
  OrderingConfig config;
  config.engine = "ideal";
  const auto engine = make_ordering_engine(config);
  Arrivals a(*engine, 0);
  EXPECT_EQ(words(a.offer(0)), Words(1, 1));
  EXPECT_EQ(words(a.offer(0)), Words(0, 0));  // behind what is expected: its PSN tells
  EXPECT_EQ(words(a.offer(2)), Words(1, 1));
  EXPECT_EQ(words(a.offer(2)), Words(1, 0));
  EXPECT_EQ(words(a.offer(1)), Words(1, 1));  // 3 is expected: the same word
  a.offer_run(4, 63);
  EXPECT_EQ(words(a.offer(3)), Words(1, 1));   // 63 is expected: the last of the word
  EXPECT_EQ(words(a.offer(63)), Words(2, 2));  // 64 is: the first of the next
  a.offer_run(65, 64 * 5);
  EXPECT_EQ(words(a.offer(64)), Words(5, 5));  // words 1 to 5
}

// A connection whose bitmap is there pays for what its packet does, not for the bitmap again.
TEST(Eunomia, APacketOfAKnownBitmapWaitsForTheMetadataAndOneWord) {
  EunomiaEngine e(PolicyParameters::with(
      BitmapReach{.bits = 256},
      EunomiaMemorySizes{.block_bits = 16, .blocks = 1024, .index_entries = 64}));
  Arrivals a(e, 0);
  a.offer({0, 4});
  // Clocks: the driver 2, the module 2, a request 1, the nine words of metadata, the place 1, the
  // word read and written 2.
  const OrderingAnswer fresh = a.offer(6);
  EXPECT_EQ(fresh.ops.fetches, 9u + 1);
  EXPECT_EQ(fresh.ops.cycles, 2u + 2 + 1 + 9 + 1 + 2);
  EXPECT_EQ(fresh.ops.searched, 0u);
  // A packet that is there already is read and not written.
  const OrderingAnswer again = a.offer(6);
  EXPECT_EQ(again.tracking, Tracking::duplicate);
  EXPECT_EQ(again.ops.fetches, 9u + 1);
  EXPECT_EQ(again.ops.cycles, 2u + 2 + 1 + 9 + 1 + 1);
}

}  // namespace
}  // namespace horae::policy::ordering_ops_test
