// A connection that is over: the engine forgets it, what still comes changes nothing.
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

}  // namespace
}  // namespace horae::policy::ordering_close_test
