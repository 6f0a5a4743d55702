// WQEs of a receive queue: posted, read ahead, taken, and posted again.
#include "horae/rnic/parts/receive_queue.hpp"

#include <gtest/gtest.h>

#include "horae/core/random.hpp"

namespace horae::rnic::receive_queue_test {
namespace {

TEST(ReceiveQueue, WithoutAHostWhatIsPostedIsThere) {
  ReceiveQueue queue({.depth = 2}, false);
  for (int n = 0; n < 2; ++n) {
    ASSERT_TRUE(queue.ready() && queue.here());
    queue.take();
  }
  EXPECT_FALSE(queue.ready());
  EXPECT_EQ(queue.to_read(), 0u);
  const auto posting = queue.found(3_us);
  ASSERT_TRUE(posting);
  EXPECT_EQ(posting->at, 3_us);
  queue.post(posting->wqes);
  EXPECT_TRUE(queue.ready() && queue.here());
}

TEST(ReceiveQueue, ReadsOnWhenHalfIsLeft) {
  ReceiveQueue queue({.depth = 20, .prefetch = 8, .wqe = 16_B}, true);
  EXPECT_EQ(queue.on_chip(), 8u);
  for (int n = 0; n < 3; ++n) queue.take();
  EXPECT_EQ(queue.to_read(), 0u);
  queue.take();
  EXPECT_EQ(queue.to_read(), 4u);
  EXPECT_EQ(queue.offset(), 8u * 16);
  queue.read(4);
  EXPECT_EQ(queue.to_read(), 0u);  // they are under way
  for (int n = 0; n < 4; ++n) queue.take();
  EXPECT_FALSE(queue.here());
  EXPECT_EQ(queue.to_read(), 4u);
  queue.arrived(4);
  EXPECT_TRUE(queue.here());
  queue.read(4);
  EXPECT_EQ(queue.offset(), 16u * 16);
}

TEST(ReceiveQueue, ReadsNoMoreThanIsPosted) {
  ReceiveQueue queue({.depth = 3, .prefetch = 8}, true);
  EXPECT_EQ(queue.on_chip(), 3u);
  queue.take();
  EXPECT_EQ(queue.to_read(), 0u);
  queue.post(1);
  EXPECT_EQ(queue.to_read(), 1u);
}

TEST(ReceiveQueue, ItsThreadPostsOneAfterTheOtherAndInBatches) {
  ReceiveQueue queue({.depth = 8, .post = 100_ns, .batch = 3}, false);
  EXPECT_FALSE(queue.found(1_us));
  EXPECT_FALSE(queue.found(1_us));
  const auto first = queue.found(1_us);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->at, 1_us + 300_ns);
  EXPECT_EQ(first->wqes, 3u);
  EXPECT_FALSE(queue.found(5_us));
  EXPECT_FALSE(queue.found(6_us));
  EXPECT_EQ(queue.found(7_us)->at, 7_us + 100_ns);
}

/// Whatever happens, no WQE is lost or comes twice.
TEST(ReceiveQueue, ItsBooksAreRight) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomStream random(seed, "receive_queue");
    const std::uint32_t depth = 1 + random.below(40);
    const ReceiveConfig config{
        .depth = depth, .batch = 1 + random.below(depth), .prefetch = 1 + random.below(20)};
    ReceiveQueue queue(config, true);
    std::uint32_t taken = 0, found = 0, again = 0;
    for (int step = 0; step < 500; ++step) {
      if (queue.reading() > 0 && random.chance(0.5)) queue.arrived(queue.reading());
      if (queue.ready() && queue.here()) {
        queue.take();
        ++taken;
      }
      if (found < taken && random.chance(0.5)) {
        ++found;
        if (const auto posting = queue.found(Picoseconds(step))) {
          queue.post(posting->wqes);
          again += posting->wqes;
        }
      }
      if (const std::uint32_t n = queue.to_read(); n > 0) queue.read(n);
      ASSERT_EQ(queue.posted(), depth - taken + again);
      ASSERT_LE(queue.on_chip() + queue.reading(), std::min(queue.posted(), config.prefetch));
      if (queue.ready()) {
        ASSERT_GT(queue.on_chip() + queue.reading(), 0u);
      }
    }
    EXPECT_GT(taken, depth);
  }
}

}  // namespace
}  // namespace horae::rnic::receive_queue_test
