// When coalesced ACKs are due.
#include "horae/policy/transport/ack_coalescer.hpp"

#include <gtest/gtest.h>

namespace horae::policy::ack_coalescer_test {
namespace {

TEST(AckCoalescer, OneAckPerCount) {
  AckCoalescer acks(3);
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(acks.advanced(1, false));
    EXPECT_FALSE(acks.advanced(1, false));
    EXPECT_TRUE(acks.advanced(1, false));
  }
}

TEST(AckCoalescer, EveryPacketIfTheCountIsOne) {
  AckCoalescer acks(1);
  EXPECT_TRUE(acks.advanced(1, false));
  EXPECT_TRUE(acks.advanced(1, false));
}

TEST(AckCoalescer, ALongAdvanceIsOneAckAndLeavesNoCredit) {
  AckCoalescer acks(3);
  EXPECT_TRUE(acks.advanced(8, false));
  EXPECT_FALSE(acks.advanced(2, false));
  EXPECT_TRUE(acks.advanced(1, false));
}

TEST(AckCoalescer, ARequestIsAnsweredAtOnceAndStartsTheCountAgain) {
  AckCoalescer acks(3);
  EXPECT_TRUE(acks.advanced(1, true));
  EXPECT_FALSE(acks.advanced(2, false));
  EXPECT_TRUE(acks.advanced(1, true));
  EXPECT_FALSE(acks.advanced(1, false));
}

TEST(AckCoalescer, WhateverElseAcknowledgesStartsTheCountAgain) {
  AckCoalescer acks(3);
  EXPECT_FALSE(acks.advanced(2, false));
  acks.acknowledged();
  EXPECT_FALSE(acks.advanced(2, false));
  EXPECT_TRUE(acks.advanced(1, false));
}

}  // namespace
}  // namespace horae::policy::ack_coalescer_test
