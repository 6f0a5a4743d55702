// The NIC's queues, each by itself: RX buffer, reads of WQEs, responses, acknowledgements.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "horae/rnic/host/wqe_reads.hpp"
#include "horae/rnic/parts/ack_order.hpp"
#include "horae/rnic/parts/response_queue.hpp"
#include "horae/rnic/parts/rx_buffer.hpp"

namespace horae::rnic::queues_test {
namespace {

TEST(RxBuffer, TakesWhatFits) {
  RxBuffer buffer(2048_B);
  EXPECT_TRUE(buffer.has_room(2048_B, 0_ns));
  buffer.take(0, 1024_B, 100_ns);
  EXPECT_TRUE(buffer.has_room(1024_B, 0_ns));
  EXPECT_FALSE(buffer.has_room(1025_B, 0_ns));
  EXPECT_TRUE(buffer.has_room(0_B, 0_ns));
}

TEST(RxBuffer, SpaceReturnsWhenPayloadIsInMemory) {
  RxBuffer buffer(2048_B);
  buffer.take(0, 1024_B, 100_ns);
  buffer.take(0, 1000_B, 200_ns);
  EXPECT_FALSE(buffer.has_room(1024_B, 99_ns));
  EXPECT_EQ(buffer.used(), 2024_B);
  EXPECT_TRUE(buffer.has_room(1024_B, 100_ns));
  EXPECT_EQ(buffer.used(), 1000_B);
  EXPECT_FALSE(buffer.has_room(2048_B, 199_ns));
  EXPECT_TRUE(buffer.has_room(2048_B, 300_ns));
  EXPECT_EQ(buffer.used(), 0_B);
}

// Packets wait for contexts of their own each, writes behind them end in order.
TEST(RxBuffer, SpaceOfPacketsThatWaitReturnsWhenEachGoesOn) {
  RxBuffer buffer(4096_B);
  buffer.wait(0, 1000_B, 300_ns);
  buffer.wait(0, 500_B, 100_ns);
  buffer.wait(0, 2000_B, 200_ns);
  buffer.take(0, 96_B, 50_ns);
  const auto used_at = [&](Picoseconds now) {
    buffer.empty_until(now);
    return buffer.used().count();
  };
  EXPECT_EQ(used_at(49_ns), 3596);
  EXPECT_EQ(used_at(99_ns), 3500);
  EXPECT_EQ(used_at(100_ns), 3000);
  EXPECT_EQ(used_at(200_ns), 1000);
  EXPECT_EQ(used_at(300_ns), 0);
}

// Class 3 pauses above 2 KiB and resumes at 1 KiB; class 0 does not pause, and has its bytes apart.
TEST(RxBuffer, PausesAboveXoffAndResumesAtXon) {
  RxBuffer buffer(64_KiB);
  buffer.pause_by({.xoff = 2_KiB, .xon = 1_KiB, .priorities = std::vector<std::uint32_t>{3}}, 2);
  const auto queue = RxBuffer::queue_of(1, 3), other = RxBuffer::queue_of(1, 0);
  EXPECT_FALSE(buffer.take(queue, 1_KiB, 100_ns));
  EXPECT_FALSE(buffer.take(other, 32_KiB, 150_ns));
  EXPECT_FALSE(buffer.take(queue, 1_KiB, 200_ns));  // 2 KiB are not above
  EXPECT_TRUE(buffer.take(queue, 512_B, 300_ns));
  EXPECT_FALSE(buffer.take(queue, 512_B, 400_ns));  // paused already
  EXPECT_TRUE(buffer.pausing(queue));
  EXPECT_FALSE(buffer.pausing(RxBuffer::queue_of(0, 3)));
  EXPECT_EQ(buffer.resumes_at(queue), 200_ns);  // 1 KiB is left then
  buffer.empty_until(199_ns);
  EXPECT_TRUE(buffer.take_resumed().empty());
  buffer.empty_until(200_ns);
  EXPECT_EQ(buffer.take_resumed(), std::vector{queue});
  EXPECT_FALSE(buffer.pausing(queue));
}

// Data that leaves at a time that is not known yet does not say when the sender may go on; data
// that comes at the very time of a resume keeps the pause in force.
TEST(RxBuffer, KnowsWhenItResumesOnceAllLeavingTimesAreKnown) {
  RxBuffer buffer(64_KiB);
  buffer.pause_by({.xoff = 2_KiB, .xon = 1_KiB}, 1);
  EXPECT_FALSE(buffer.take(0, 2_KiB));
  EXPECT_TRUE(buffer.take(0, 1_KiB));
  EXPECT_EQ(buffer.resumes_at(0), never);
  buffer.leaves(2_KiB, 100_ns);
  EXPECT_EQ(buffer.resumes_at(0), 100_ns);
  buffer.leaves(1_KiB, 300_ns);
  EXPECT_TRUE(buffer.has_room(2_KiB, 100_ns));
  EXPECT_FALSE(buffer.take(0, 2_KiB, 400_ns));
  EXPECT_TRUE(buffer.take_resumed().empty());
  EXPECT_TRUE(buffer.pausing(0));
}

using Arrival = std::pair<std::size_t, Picoseconds>;

TEST(WqeReads, EndInTheOrderOfTheirTimes) {
  WqeReads reads;
  reads.add(30_ns, 1);
  reads.add(10_ns, 2);
  reads.add(30_ns, 3);
  reads.add(40_ns, 4);
  EXPECT_EQ(reads.next(), 10_ns);
  std::vector<Arrival> seen;
  const auto see = [&](std::size_t qp, Picoseconds at) { seen.emplace_back(qp, at); };
  reads.take(9_ns, see);
  EXPECT_TRUE(seen.empty());
  reads.take(30_ns, see);
  EXPECT_EQ(seen, (std::vector<Arrival>{{2, 10_ns}, {1, 30_ns}, {3, 30_ns}}));
  EXPECT_EQ(reads.next(), 40_ns);
}

TEST(WqeReads, OneThatArrivesMayStartAnother) {
  WqeReads reads;
  reads.add(10_ns, 1);
  std::vector<Arrival> seen;
  reads.take(30_ns, [&](std::size_t qp, Picoseconds at) {
    seen.emplace_back(qp, at);
    if (seen.size() < 3) reads.add(at + 15_ns, 7);
  });
  EXPECT_EQ(seen, (std::vector<Arrival>{{1, 10_ns}, {7, 25_ns}}));
  EXPECT_EQ(reads.next(), 40_ns);
}

TEST(ResponseQueue, EachKindHasItsDelay) {
  ResponseQueue queue(40_ns, 1_us);
  queue.push(0, 0, true, {}, 10_ns);
  EXPECT_EQ(queue.next_ready(), 10_ns);
  EXPECT_EQ(queue.pop().kind, ResponseKind::cnp);
  queue.push(1, 0, false, {.psn = Psn(5)}, 10_ns);
  EXPECT_EQ(queue.next_ready(), 50_ns);
  EXPECT_EQ(queue.pop().response.psn, Psn(5));
  queue.push(2, 0, false, {.nack = true, .psn = Psn(6)}, 10_ns);
  EXPECT_EQ(queue.next_ready(), 1010_ns);
  EXPECT_EQ(queue.pop().qp, 2);
  EXPECT_TRUE(queue.empty());
}

TEST(ResponseQueue, WhatIsDecidedLaterDoesNotOvertake) {
  ResponseQueue queue(40_ns, 1_us);
  queue.push(0, 0, false, {.nack = true, .psn = Psn(1)}, 0_ns);
  queue.push(1, 0, false, {}, 100_ns);
  queue.push(2, 0, false, {}, 2_us);
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_EQ(queue.pop().ready, 1_us);
  const PendingResponse second = queue.pop();
  EXPECT_EQ(second.qp, 1);
  EXPECT_EQ(second.ready, 1_us);
  EXPECT_EQ(queue.next_ready(), 2040_ns);
}

TEST(AckOrder, AnAckTakesEffectAtOnceButNotBeforeANack) {
  AckOrder order(1500_ns);
  EXPECT_EQ(order.arrives(false, 10_ns), std::nullopt);
  EXPECT_EQ(order.arrives(true, 20_ns), 1520_ns);
  EXPECT_EQ(order.arrives(false, 30_ns), 1520_ns);
  EXPECT_EQ(order.arrives(true, 40_ns), 1540_ns);
  EXPECT_EQ(order.arrives(false, 1540_ns), 1540_ns);
  EXPECT_EQ(order.arrives(false, 1541_ns), std::nullopt);
  const std::uint64_t ordinal = order.next_ordinal();
  EXPECT_GT(order.next_ordinal(), ordinal);
}

TEST(AckOrder, ANackHasATimeEvenWithoutReaction) {
  AckOrder order(0_ns);
  EXPECT_EQ(order.arrives(true, 20_ns), 20_ns);
  EXPECT_EQ(order.arrives(false, 21_ns), std::nullopt);
}

TEST(AckInfo, FitsAnEvent) {
  for (const AckInfo ack : {AckInfo{true, Psn(0xfffffe), 0xffff}, AckInfo{false, Psn(0), 1},
                            AckInfo{false, Psn(0x123456), 0}}) {
    const AckInfo out = AckInfo::unpacked(ack.packed());
    EXPECT_EQ(out.nack, ack.nack);
    EXPECT_EQ(out.psn, ack.psn);
    EXPECT_EQ(out.received, ack.received);
  }
}

}  // namespace
}  // namespace horae::rnic::queues_test
