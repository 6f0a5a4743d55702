// Eunomia's bitmap: its figures as cases, its words, growth, absorption, exhaustion and release.
#include <gtest/gtest.h>

#include <vector>

#include "horae/policy/ordering/eunomia.hpp"
#include "horae/policy/ordering/eunomia_cycles.hpp"
#include "ordering_script.hpp"

namespace horae::policy::ordering_eunomia_test {
namespace {

PolicyParameters sized(std::uint32_t bits, std::uint32_t block_bits, std::uint32_t blocks,
                       std::uint32_t rows = 64) {
  return PolicyParameters::with(
      BitmapReach{.bits = bits},
      EunomiaMemorySizes{.block_bits = block_bits, .blocks = blocks, .index_entries = rows});
}
PolicyParameters paper() { return sized(256, 16, 1024); }

std::uint32_t head_position(const EunomiaEngine& e, ConnectionId id) {
  const HdState s = e.bitmap(id);
  return s.head_block * e.controller().layout().block_bits + s.head_index;
}

// Words of bitmap block `block` of the connection, found as the hardware would.
std::vector<std::uint16_t> block_words(const EunomiaEngine& e, ConnectionId id,
                                       std::uint32_t block) {
  const auto& master = e.controller().master_array();
  const std::uint32_t start = *e.controller().metadata_start(id);
  std::uint16_t at = master[start + 8];
  if (block > 0) at = static_cast<std::uint16_t>(at + master[start + 8 + block]);
  return {master.begin() + at, master.begin() + at + e.controller().layout().block_words};
}
std::uint16_t block_word(const EunomiaEngine& e, ConnectionId id, std::uint32_t block) {
  return block_words(e, id, block).at(0);
}

TEST(Eunomia, AConnectionInOrderTakesAnAddressAndNoTime) {
  EunomiaEngine e(paper());
  Arrivals a(e, 5, Psn(0xfffff0));
  for (int i = 0; i < 1000; ++i) {
    const OrderingAnswer answer = a.offer(i);
    ASSERT_EQ(answer.ops, (OrderingOps{.cycles = 2, .steps = 2}));  // the driver's
  }
  EXPECT_EQ(e.memory().fixed, 4_B);
  EXPECT_EQ(e.memory().total(), 4_B);
  EXPECT_EQ(e.controller().allocated_words(), 0u);
  EXPECT_TRUE(a.offer(1000, true).completed);
  EXPECT_FALSE(e.connection(5).conn_module_valid);
  EXPECT_EQ(e.connection(5).expected, Psn(0xfffff0) + 1001);
}

TEST(Eunomia, TheFirstPacketOutOfOrderLaysOutTheStateOfFigure7) {
  EunomiaEngine e(paper());
  Arrivals a(e, 77, Psn(0x123450));
  a.offer({0, 1});
  const OrderingAnswer answer = a.offer(4, true);
  EXPECT_EQ(answer.tracking, Tracking::out_of_order);
  EXPECT_TRUE(e.connection(77).conn_module_valid);
  EXPECT_EQ(e.controller().metadata_start_index()[0], (MemoryController::IndexRow{true, 77, 1000}));
  const auto& m = e.controller().master_array();
  const std::vector<std::uint16_t> metadata(m.begin() + 1000, m.end());
  std::vector<std::uint16_t> expected(24);
  const std::vector<std::uint16_t> state = {0x3452, 0x12, 0x3461, 0x12, 0x3454, 0x12, 0, 0x0101};
  std::copy(state.begin(), state.end(), expected.begin());
  EXPECT_EQ(metadata, expected);  // block 0 is at address 0, and there are no others
  EXPECT_EQ(m[0], 1u << 2);
  EXPECT_EQ(e.memory().fixed, 4_B);
  EXPECT_EQ(e.memory().metadata, 48_B + 3_B);
  EXPECT_EQ(e.memory().bitmap, 2_B);

  // 24 words of metadata and 1 cleared in the block, the bit, and the two words of last_seq of
  // which one changes from unknown in both halves.
  EXPECT_EQ(answer.ops.words_written, 24u + 1 + 1 + 2);
  EXPECT_EQ(answer.ops.words_read, 9u + 1);
  EXPECT_EQ(answer.ops.searched, 24u + 1);
  EXPECT_EQ(answer.ops.allocated, 25u);
  EXPECT_EQ(answer.ops.released, 0u);
  // Clocks: the driver 2, the module 2, a request 1, searches 1 and 1, taking 1, words cleared and
  // written 1 and 24, the place 1, the word read and written 2, variables 8.
  EXPECT_EQ(answer.ops.cycles, 44u);
  EXPECT_EQ(eunomia_cycles(answer.ops, EunomiaMemory::block_ram), 45u);
}

TEST(Eunomia, AFirstPacketCanBeOutOfOrder) {
  EunomiaEngine e(paper());
  Arrivals a(e, 0, Psn(0xfffffe));
  EXPECT_EQ(a.offer(3).tracking, Tracking::out_of_order);
  EXPECT_EQ(e.bitmap(0).head, Psn(0xfffffe));
  EXPECT_EQ(a.offer({0, 1, 2}).expected, Psn(2));
}

// Figures 5 and 6 with all numbers doubled: our blocks are of 16 bits, those of the figure of 8.
TEST(Eunomia, Figure6) {
  EunomiaEngine e(paper());
  Arrivals a(e, 0);
  // (a) Received seq 0, 6, 8: one circular block from the head on.
  a.offer({0, 12, 16});
  HdState s = e.bitmap(0);
  EXPECT_EQ(s.head, Psn(1));
  EXPECT_EQ(s.tail, Psn(16));
  EXPECT_EQ(s.circular, 1u);
  EXPECT_EQ(s.dynamic, 1u);
  EXPECT_EQ(block_word(e, 0, 0), 1u << 11 | 1u << 15);
  // (b) Received seq 11, 15: a linear block from the tail on; the circular one stays as it is.
  EXPECT_EQ(a.offer(22).ops.allocated, 1u);
  EXPECT_EQ(a.offer(30).ops.allocated, 0u);
  s = e.bitmap(0);
  EXPECT_EQ(s.tail, Psn(16));
  EXPECT_EQ(s.circular, 1u);
  EXPECT_EQ(s.dynamic, 2u);
  EXPECT_EQ(block_word(e, 0, 0), 1u << 11 | 1u << 15);
  EXPECT_EQ(block_word(e, 0, 1), 1u << 5 | 1u << 13);
  // (c) Received seq 1, 2, 3, 4, 5, 7: the circular block is flushed, the linear one absorbed.
  a.offer_run(1, 12);
  EXPECT_EQ(e.bitmap(0).circular, 1u);
  EXPECT_EQ(e.bitmap(0).head, Psn(13));
  const OrderingAnswer answer = a.offer({14, 15, 13});
  EXPECT_EQ(answer.advanced, 4u);
  s = e.bitmap(0);
  EXPECT_EQ(s.head, Psn(17));
  EXPECT_EQ(s.circular, 2u);
  EXPECT_EQ(s.dynamic, 2u);
  EXPECT_EQ(s.tail, Psn(17 + 31));
  EXPECT_EQ(head_position(e, 0), 16u);
  EXPECT_EQ(block_word(e, 0, 0), 0u);
  EXPECT_EQ(block_word(e, 0, 1), 1u << 5 | 1u << 13);
  // The packet that comes now goes around.
  a.offer({17 + 15, 17 + 16, 17 + 31});
  EXPECT_EQ(block_word(e, 0, 1), 1u << 5 | 1u << 13 | 1u << 15);
  EXPECT_EQ(block_word(e, 0, 0), 1u << 0 | 1u << 15);
}

// Figure 5: with growth, a circular bitmap would have to move bits (a); the hybrid one does not
// (b).
TEST(Eunomia, Figure5GrowthMovesNoBit) {
  EunomiaEngine e(paper());
  Arrivals a(e, 0);
  a.offer_run(0, 5);
  a.offer({7, 20});  // head 5 at position 0
  a.offer({5, 6});   // head 8 at position 3: the numbers 21 to 23 come around
  a.offer({9, 22});
  EXPECT_EQ(head_position(e, 0), 3u);
  const std::uint16_t before = block_word(e, 0, 0);
  EXPECT_EQ(before, 1u << 4 | 1u << 15 | 1u << 1);
  a.offer(24);
  EXPECT_EQ(block_word(e, 0, 0), before);
  EXPECT_EQ(block_word(e, 0, 1), 1u << 0);
  EXPECT_EQ(e.bitmap(0).tail, Psn(23));
  // The run goes through the circular portion around its end, and on into the linear one.
  a.offer_run(10, 20);
  a.offer({21, 23});
  EXPECT_EQ(a.offer(8).advanced, 17u);
  const HdState s = e.bitmap(0);
  EXPECT_EQ(s.head, Psn(25));
  EXPECT_EQ(s.circular, 2u);
  EXPECT_EQ(head_position(e, 0), 17u);  // 24 was at 16
  EXPECT_EQ(s.tail, Psn(25 + 31));
}

TEST(Eunomia, APacketFarAheadIsAbsorbedAtOnceWhenNothingElseIsTracked) {
  EunomiaEngine e(paper());
  Arrivals a(e, 0);
  const OrderingAnswer answer = a.offer(40);
  EXPECT_EQ(answer.ops.allocated, 24u + 3);
  const HdState s = e.bitmap(0);
  EXPECT_EQ(s.circular, 3u);
  EXPECT_EQ(s.tail, Psn(47));
  EXPECT_EQ(head_position(e, 0), 0u);
  EXPECT_EQ(block_word(e, 0, 2), 1u << 8);
}

TEST(Eunomia, TheHeadIsAtTheStartAgainWhenEverythingTrackedHasArrived) {
  EunomiaEngine e(paper());
  Arrivals a(e, 0);
  a.offer(1);
  a.offer_run(16, 32);  // the whole linear block
  a.offer_run(2, 16);
  EXPECT_EQ(e.bitmap(0).circular, 1u);
  EXPECT_EQ(a.offer(0).advanced, 32u);
  const HdState s = e.bitmap(0);
  EXPECT_EQ(s.circular, 2u);
  EXPECT_EQ(s.head, Psn(32));
  EXPECT_EQ(s.tail, Psn(63));
  EXPECT_EQ(head_position(e, 0), 0u);
  EXPECT_EQ(a.offer(63).ops.allocated, 0u);
  EXPECT_EQ(block_word(e, 0, 1), 1u << 15);
}

TEST(Eunomia, BlocksAreNotGivenBackBeforeTheLastPacket) {
  EunomiaEngine e(paper());
  Arrivals a(e, 0);
  a.offer(200);
  a.offer_run(0, 200);
  a.offer_run(201, 1000);
  EXPECT_EQ(e.memory().bitmap, 26_B);
  EXPECT_EQ(e.bitmap(0).head, Psn(1000));
}

// In the linear portion less is in reach than the cap from the head on.
TEST(Eunomia, ReachEndsWhereTheLinearPortionCanEnd) {
  EunomiaEngine e(sized(64, 16, 1024));
  Arrivals a(e, 0);
  a.offer({15, 16});
  a.offer_run(0, 10);  // head 10, tail 15, linear 16 .. 31
  EXPECT_EQ(e.bitmap(0).tail, Psn(15));
  const auto before = e.controller().master_array();
  const OrderingAnswer answer = a.offer(64);  // 54 ahead
  EXPECT_EQ(answer.rejection, Rejection::reach);
  EXPECT_EQ(e.controller().master_array(), before);
  EXPECT_EQ(answer.ops.words_written, 0u);
  EXPECT_EQ(a.offer(63).tracking, Tracking::out_of_order);
  a.offer_run(10, 15);  // flushed, absorbed: 17 is the head
  EXPECT_EQ(a.offer(64).tracking, Tracking::out_of_order);
  EXPECT_EQ(a.offer(17 + 63).tracking, Tracking::out_of_order);
  EXPECT_EQ(a.offer(17 + 64).rejection, Rejection::reach);
}

TEST(Eunomia, BeforeTheBitmapReachIsTheCap) {
  EunomiaEngine e(sized(64, 16, 1024));
  Arrivals a(e, 0);
  EXPECT_EQ(a.offer(64).rejection, Rejection::reach);
  EXPECT_EQ(e.controller().allocated_words(), 0u);
  EXPECT_EQ(a.offer(63).tracking, Tracking::out_of_order);
}

TEST(Eunomia, HalfThePsnsAheadIsBehind) {
  EunomiaEngine e(paper());
  Arrivals a(e, 0);
  EXPECT_EQ(a.offer(1 << 23).tracking, Tracking::duplicate);
  EXPECT_EQ(a.offer((1 << 23) - 1).rejection, Rejection::reach);
  a.offer(1);
  EXPECT_EQ(a.offer(1 << 23).tracking, Tracking::duplicate);
  EXPECT_EQ(a.offer((1 << 23) - 1).rejection, Rejection::reach);
}

TEST(Eunomia, WiderBlocksAreWordsInARow) {
  EunomiaEngine e(sized(192, 48, 200));
  Arrivals a(e, 0, Psn(0xffffd0));
  a.offer({1, 20, 47, 48, 100});
  EXPECT_EQ(block_words(e, 0, 0), (std::vector<std::uint16_t>{1u << 1, 1u << 4, 1u << 15}));
  EXPECT_EQ(block_words(e, 0, 1), (std::vector<std::uint16_t>{1u << 0, 0, 0}));
  EXPECT_EQ(block_words(e, 0, 2), (std::vector<std::uint16_t>{1u << 4, 0, 0}));
  EXPECT_EQ(e.memory().bitmap, 18_B);
  a.offer_run(2, 47);
  EXPECT_EQ(a.offer(0).advanced, 49u);
  EXPECT_EQ(head_position(e, 0), 49u);
  EXPECT_EQ(e.bitmap(0).circular, 3u);
}

TEST(Eunomia, CompletionReleasesAndErasesNothing) {
  EunomiaEngine e(paper());
  Arrivals a(e, 4);
  a.offer(20, true);
  a.offer_run(1, 20);
  const OrderingAnswer answer = a.offer(0);
  EXPECT_TRUE(answer.completed);
  EXPECT_EQ(answer.ops.released, 24u + 2);
  EXPECT_EQ(e.controller().allocated_words(), 0u);
  EXPECT_EQ(e.controller().rows_in_use(), 0u);
  EXPECT_FALSE(e.controller().metadata_start_index()[0].valid);
  EXPECT_FALSE(e.connection(4).conn_module_valid);
  EXPECT_TRUE(e.connection(4).known);
  EXPECT_EQ(e.connection(4).expected, Psn(21));
  EXPECT_EQ(e.memory().total(), 4_B);
  EXPECT_EQ(e.controller().master_array()[1000], 21u);  // its head still
}

TEST(Eunomia, ABlockTakenAgainIsEmpty) {
  EunomiaEngine e(paper());
  Arrivals(e, 0).offer({3, 9});
  e.close(0);
  EXPECT_NE(e.controller().master_array()[0], 0u);
  Arrivals b(e, 1);
  b.offer(5);
  EXPECT_EQ(block_word(e, 1, 0), 1u << 5);
}

TEST(Eunomia, ABitmapWithLaterPacketsOutlivesTheLastOne) {
  EunomiaEngine e(paper());
  Arrivals a(e, 0);
  a.offer(1, true);
  a.offer(3);
  EXPECT_TRUE(a.offer(0).completed);
  EXPECT_TRUE(e.connection(0).conn_module_valid);
  EXPECT_EQ(e.bitmap(0).last_seq, HdState::unknown);
  EXPECT_FALSE(a.offer(2).completed);
  EXPECT_TRUE(e.connection(0).conn_module_valid);
  EXPECT_TRUE(a.offer(4, true).completed);
  EXPECT_FALSE(e.connection(0).conn_module_valid);
}

TEST(Eunomia, ALastPacketPassedWithLaterOnesReleasesNothing) {
  EunomiaEngine e(paper());
  Arrivals a(e, 0);
  a.offer(1, true);
  a.offer(2);
  const OrderingAnswer answer = a.offer(0);
  EXPECT_TRUE(answer.completed);
  EXPECT_EQ(answer.ops.released, 0u);
  EXPECT_TRUE(e.connection(0).conn_module_valid);
  EXPECT_EQ(e.bitmap(0).last_seq, HdState::unknown);
}

TEST(Eunomia, TheHighestOfSeveralLastPacketsCounts) {
  EunomiaEngine e(paper());
  Arrivals a(e, 0, Psn(0xfffffe));
  a.offer(3, true);
  a.offer(1, true);
  EXPECT_EQ(e.bitmap(0).last_seq, 1u);
  EXPECT_FALSE(a.offer(0).completed);
  EXPECT_TRUE(a.offer(2).completed);
}

TEST(Eunomia, WithoutARowOfTheIndexAConnectionCannotReorder) {
  EunomiaEngine e(sized(256, 16, 1024, 2));
  Arrivals a(e, 0), b(e, 1), c(e, 2);
  a.offer(1);
  b.offer(1);
  const OrderingAnswer answer = c.offer(1);
  EXPECT_EQ(answer.tracking, Tracking::rejected);
  EXPECT_EQ(answer.rejection, Rejection::no_metadata);
  EXPECT_EQ(answer.ops, (OrderingOps{.cycles = 5, .steps = 5}));  // and the bitmap module's
  EXPECT_EQ(c.offer(0).advanced, 1u);                             // in order it needs none
  a.close();
  EXPECT_EQ(c.offer(2).tracking, Tracking::out_of_order);
  EXPECT_EQ(e.controller().metadata_start_index()[0].connection, 2u);  // the lowest free row
}

TEST(Eunomia, WithoutRoomForMetadataAConnectionCannotReorder) {
  EunomiaEngine e(sized(256, 16, 3 * 25 - 2));
  Arrivals a(e, 0), b(e, 1), c(e, 2);
  a.offer(1);
  b.offer(1);
  const OrderingAnswer answer = c.offer(1);
  EXPECT_EQ(answer.rejection, Rejection::no_metadata);
  EXPECT_EQ(answer.ops.searched, 73u);
  EXPECT_EQ(e.controller().rows_in_use(), 2u);
  EXPECT_EQ(e.controller().allocated_words(), 50u);
  b.close();
  EXPECT_EQ(c.offer(1).tracking, Tracking::out_of_order);
}

TEST(Eunomia, WithoutABlockTheMetadataGoBack) {
  EunomiaEngine e(sized(256, 16, 2 * 24 + 1));
  Arrivals a(e, 0), b(e, 1);
  a.offer(1);
  const OrderingAnswer answer = b.offer(1);  // room for metadata, none for a block
  EXPECT_EQ(answer.rejection, Rejection::no_block);
  EXPECT_EQ(answer.ops.allocated, 24u);
  EXPECT_EQ(answer.ops.released, 24u);
  EXPECT_EQ(answer.ops.searched, 48u + 49);
  EXPECT_EQ(e.controller().allocated_words(), 25u);
  EXPECT_FALSE(e.connection(1).conn_module_valid);
  EXPECT_FALSE(e.controller().metadata_start(1));
}

TEST(Eunomia, BlocksTakenBeforeRoomRunsOutServeTheNextTry) {
  EunomiaEngine e(sized(256, 16, 2 * 24 + 6));
  Arrivals a(e, 0), b(e, 1);
  b.offer(1);
  a.offer(17);  // two blocks, three are free
  const OrderingAnswer answer = a.offer(16 * 6, true);
  EXPECT_EQ(answer.tracking, Tracking::rejected);
  EXPECT_EQ(answer.rejection, Rejection::no_block);
  EXPECT_EQ(answer.ops.allocated, 3u);
  const HdState s = e.bitmap(0);
  EXPECT_EQ(s.circular, 2u);
  EXPECT_EQ(s.dynamic, 5u);
  EXPECT_EQ(s.last_seq, HdState::unknown);
  EXPECT_EQ(a.offer(16 * 5 - 1).ops.allocated, 0u);
  EXPECT_EQ(a.offer(17).tracking, Tracking::duplicate);  // what was tracked still is
  b.close();
  EXPECT_EQ(a.offer(16 * 6).tracking, Tracking::out_of_order);
  EXPECT_EQ(a.offer_run(0, 17).advanced, 2u);
}

TEST(Eunomia, CloseReleasesBlocksAnywhere) {
  EunomiaEngine e(paper());
  Arrivals a(e, 0), b(e, 1);
  a.offer(1);
  b.offer(1);
  a.offer(17);
  b.offer(100);
  a.offer(255);
  EXPECT_EQ(e.controller().allocated_words(), 2u * 24 + 16 + 7);
  a.close();
  EXPECT_EQ(e.controller().allocated_words(), 24u + 7);
  EXPECT_EQ(e.memory().fixed, 4_B);
  // The lowest free words first: in front of block 0 of b and behind it.
  a.offer(17);
  EXPECT_TRUE(e.controller().allocated(0));
  EXPECT_TRUE(e.controller().allocated(1));
  EXPECT_TRUE(e.controller().allocated(2));
  EXPECT_EQ(e.memory().bitmap, 18_B);
  EXPECT_EQ(e.memory().metadata, 2 * 51_B);
}

// A block below block 0 has a relative address that wraps at 2^16.
TEST(Eunomia, ABlockBelowTheFirstOneIsFound) {
  EunomiaEngine e(paper());
  Arrivals a(e, 0), b(e, 1);
  a.offer(1);
  b.offer(1);
  a.close();
  b.offer(20);
  EXPECT_EQ(e.controller().master_array()[*e.controller().metadata_start(1) + 9], 0xffffu);
  EXPECT_EQ(e.controller().master_array()[0], 1u << 4);
  EXPECT_EQ(b.offer(0).advanced, 2u);
}

TEST(Eunomia, ProvidedIsAllItsArrays) {
  EunomiaEngine e(paper());
  EXPECT_EQ(e.provided(100), 2048_B + 128_B + 64 * 3_B + 400_B);
}

}  // namespace
}  // namespace horae::policy::ordering_eunomia_test
