// A receiver over an ordering engine: when it acknowledges what filled a hole, and what is left of
// a connection that is over.
#include <gtest/gtest.h>

#include "horae/policy/ordering/ordered_receiver.hpp"

namespace horae::policy::ordering_close_test {
namespace {

TEST(OrderedReceiver, ClosingReleasesWhatTheConnectionHolds) {
  for (const char* name : {"ideal", "static", "irn", "mp_rdma", "eunomia"}) {
    OrderingConfig config;
    config.engine = name;
    const auto engine = make_ordering_engine(config);
    const auto before = engine->memory().total();
    OrderedReceiver receiver(*engine, 3, {}, Psn(7));
    EXPECT_EQ(receiver.on_packet(Psn(7), Psn(7), false, false, false).advanced, 1u) << name;
    // The one before it is missing: it is tracked.
    EXPECT_TRUE(receiver.on_packet(Psn(9), Psn(7), false, false, false).response->sack()) << name;
    EXPECT_GT(engine->memory().total(), before) << name;
    receiver.close();
    EXPECT_EQ(engine->memory().total(), before) << name;
    receiver.close();

    // A late copy is acknowledged when it asks, with what was expected, and tracks nothing.
    const auto late = receiver.on_packet(Psn(7), Psn(7), false, true, false);
    EXPECT_EQ(late.placement, Placement::duplicate) << name;
    ASSERT_TRUE(late.response) << name;
    EXPECT_FALSE(late.response->nack || late.response->sack()) << name;
    EXPECT_EQ(late.response->psn, Psn(8)) << name;
    EXPECT_EQ(late.advanced, 0u) << name;
    EXPECT_EQ(receiver.expected_psn(), Psn(8)) << name;
    EXPECT_EQ(engine->memory().total(), before) << name;
  }
}

// The packet that fills a hole may bring one that asked for an ACK: it is acknowledged at once,
// however few the hole held back.
TEST(OrderedReceiver, WhatFillsAHoleIsAcknowledgedAtOnce) {
  OrderingConfig config;
  config.engine = "ideal";
  const auto engine = make_ordering_engine(config);
  OrderedReceiver receiver(*engine, 0, {.ack_every = 100}, Psn(0));
  const auto arrive = [&](std::uint32_t psn) {
    return receiver.on_packet(Psn(psn), Psn(0), false, false, false);
  };
  EXPECT_FALSE(arrive(0).response);
  ASSERT_TRUE(arrive(2).response);
  const auto filled = arrive(1);
  EXPECT_EQ(filled.advanced, 2u);
  ASSERT_TRUE(filled.response);
  EXPECT_EQ(filled.response->psn, Psn(3));
  EXPECT_FALSE(arrive(3).response);
}

}  // namespace
}  // namespace horae::policy::ordering_close_test
