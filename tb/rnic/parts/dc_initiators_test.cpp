// Initiators of DC: turns, quotas and targets.
#include "horae/rnic/parts/dc_initiators.hpp"

#include <gtest/gtest.h>

namespace horae::rnic::dc_initiators_test {
namespace {

TEST(DcInitiators, AnInitiatorConnectsWhereItsTargetChanges) {
  DcInitiators all({.initiators = 1});
  EXPECT_TRUE(all.ask(0, 7)->connects);
  EXPECT_TRUE(all.holds(0));
  EXPECT_FALSE(all.give_up(0));
  EXPECT_FALSE(all.ask(0, 7)->connects);
  EXPECT_FALSE(all.give_up(0));
  // Another queue pair to the same target.
  EXPECT_FALSE(all.ask(3, 7)->connects);
  EXPECT_FALSE(all.give_up(3));
  EXPECT_TRUE(all.ask(0, 8)->connects);
}

TEST(DcInitiators, TheOneGivenUpLastGoesFirst) {
  DcInitiators all({.initiators = 3});
  for (const std::size_t qp : {0u, 1u, 2u})
    EXPECT_TRUE(all.ask(qp, static_cast<NodeId>(10 + qp))->connects);
  for (const std::size_t qp : {0u, 2u, 1u}) EXPECT_FALSE(all.give_up(qp));
  EXPECT_FALSE(all.ask(4, 11)->connects);
  EXPECT_FALSE(all.ask(5, 12)->connects);
  EXPECT_TRUE(all.ask(6, 11)->connects);
}

TEST(DcInitiators, OthersWaitInTheirOrderAndAQuotaEndsATurn) {
  DcInitiators all({.initiators = 1, .quota = 4});
  ASSERT_TRUE(all.ask(0, 1));
  all.posted(0, 3);
  EXPECT_GT(all.left(0), 1'000'000u);
  EXPECT_FALSE(all.ask(1, 2));
  EXPECT_FALSE(all.ask(2, 3));
  EXPECT_FALSE(all.ask(1, 2));  // it waits already
  EXPECT_EQ(all.waiting(), 2u);
  EXPECT_EQ(all.left(0), 1u);
  all.posted(0, 1);
  EXPECT_EQ(all.left(0), 0u);
  const auto next = all.give_up(0);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->qp, 1u);
  EXPECT_TRUE(next->connects);
  EXPECT_FALSE(all.holds(0));
  EXPECT_TRUE(all.holds(1));
  EXPECT_EQ(all.left(1), 4u);
  EXPECT_EQ(all.give_up(1)->qp, 2u);
  EXPECT_EQ(all.waiting(), 0u);
}

}  // namespace
}  // namespace horae::rnic::dc_initiators_test
