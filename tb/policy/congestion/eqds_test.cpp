// EQDS: what a sender spends and announces, and whom a receiver grants something.
#include "horae/policy/congestion/eqds.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <vector>

namespace horae::policy::eqds_test {
namespace {

EqdsReaction sender(Bytes start) { return {{.start_credit = start}, 100_Gbps}; }

bool may_send(const EqdsReaction& s) { return s.window() > 0_B; }

TEST(EqdsSender, AMessageFindsTheStartCreditAndNoMore) {
  EqdsReaction s = sender(3000_B);
  EXPECT_FALSE(may_send(s));
  s.settle(0_B, true);
  int sent = 0;
  for (; may_send(s); ++sent) s.on_spent(1000_B, 50'000_B);
  EXPECT_EQ(sent, 3);
  s.settle(0_B, false);
  EXPECT_FALSE(may_send(s)) << "while something waits nothing is given away";
  s.settle(1000_B, true);
  EXPECT_EQ(s.credit(), 2000) << "less what is in flight";
}

TEST(EqdsSender, TheStartCreditWaitsForRoom) {
  EqdsReaction s = sender(3000_B);
  s.settle(5000_B, true);
  EXPECT_FALSE(may_send(s));
  s.settle(2500_B, false);
  EXPECT_EQ(s.credit(), 500);
}

// Whatever it announces with one packet or another: all that it sends, without the start credit.
TEST(EqdsSender, AnnouncesWhatItNeedsBeyondItsCredit) {
  EqdsReaction s = sender(3000_B);
  s.settle(0_B, true);
  for (std::int64_t left = 9000; left >= 7000; left -= 1000)
    EXPECT_EQ(s.on_spent(1000_B, Bytes(left)), 7000u);
  s.on_pull(4000);
  EXPECT_EQ(s.credit(), 4000);
  EXPECT_EQ(s.on_spent(1000_B, 6000_B), 7000u);
  s.on_pull(2000);  // overtaken
  EXPECT_EQ(s.credit(), 3000);
}

TEST(EqdsSender, WhatTimedOutGoesAgainFreeAndWhatWasTrimmedDoesNot) {
  EqdsReaction s = sender(1000_B);
  s.settle(0_B, true);
  s.on_spent(1000_B, 0_B);
  s.on_lost({.payload = 1000_B}, 0_ps);
  EXPECT_FALSE(may_send(s));
  s.on_lost({.payload = 1000_B, .timeout = true}, 0_ps);
  EXPECT_TRUE(may_send(s));
}

// Grants are numbered: one that is lost is in the next. After the last one nothing comes but time.
TEST(EqdsSender, StarvedItAsksAnewForWhatWasLost) {
  EqdsReaction s = sender(1000_B);
  s.settle(0_B, true);
  EXPECT_EQ(s.on_spent(1000_B, 4000_B), 4000u);
  s.on_pull(1000);
  EXPECT_EQ(s.on_spent(1000_B, 3000_B), 4000u);
  s.on_starved();
  EXPECT_TRUE(may_send(s));
  // One goes unasked, for the price of the next: 2000 more wait.
  EXPECT_EQ(s.on_spent(1000_B, 2000_B), 4000u + 2000 + 999);
  s.on_pull(4000);  // only late
  EXPECT_EQ(s.credit(), 2001);
}

TEST(EqdsSender, CountsWrap) {
  EqdsReaction s = sender(1000_B);
  s.settle(0_B, true);
  std::uint32_t granted = 0;
  for (int i = 0; i < 12; ++i) {
    s.on_spent(Bytes(500'000'000), Bytes(500'000'000));
    granted += 500'000'000;
    s.on_pull(granted);
    EXPECT_EQ(s.credit(), 1000);
  }
}

TEST(EqdsReceiver, GrantsPacketsInTurnUntilNobodyNeedsMore) {
  EqdsGrants r(1000_B, 7_ns);
  EXPECT_FALSE(r.any());
  r.on_announced(4, 2500);
  r.on_announced(0, 10'000);
  r.on_announced(4, 1500);  // overtaken
  std::map<std::size_t, std::uint32_t> granted;
  std::vector<std::size_t> turns;
  while (r.any()) {
    const GrantPoint::Grant g = r.next();
    EXPECT_EQ(g.granted, granted[g.qp] + 1000);
    granted[g.qp] = g.granted;
    turns.push_back(g.qp);
  }
  EXPECT_EQ(granted[4], 3000u);
  EXPECT_EQ(granted[0], 10'000u);
  EXPECT_EQ((std::vector<std::size_t>(turns.begin(), turns.begin() + 7)),
            (std::vector<std::size_t>{4, 0, 4, 0, 4, 0, 0}));
  EXPECT_EQ(r.interval(), 7_ns);
}

TEST(EqdsReceiver, ASenderThatAnnouncesOftenHasOneTurn) {
  EqdsGrants r(1000_B, 7_ns);
  for (const std::uint32_t needed : {1000u, 2000u, 3000u}) r.on_announced(0, needed);
  r.on_announced(1, 2000);
  std::vector<std::size_t> turns;
  while (r.any()) turns.push_back(r.next().qp);
  EXPECT_EQ(turns, (std::vector<std::size_t>{0, 1, 0, 1, 0}));
}

TEST(EqdsReceiver, ATrimmedPacketNeedsAGrantOfItsOwn) {
  EqdsGrants r(1000_B, 7_ns);
  r.on_announced(0, 0);
  EXPECT_FALSE(r.any());
  r.on_trimmed(0);
  EXPECT_EQ(r.next().granted, 1000u);
  EXPECT_FALSE(r.any());
}

TEST(EqdsReceiver, PullsAShareOfItsLine) {
  CongestionConfig config;
  config.algorithm = "eqds";
  config.parameters.of<EqdsConfig>().values = EqdsCredits{.pull_share = 0.5};
  const auto& entry = find_congestion_algorithm("eqds");
  EXPECT_EQ(entry.make_grants(config, 4096_B, 100_ns)->interval(), 200_ns);
  EXPECT_EQ(entry.make_grants({}, 4096_B, 99_ns)->interval(), 100_ns);
  EXPECT_EQ(find_congestion_algorithm("mprdma").make_grants, nullptr);
}

}  // namespace
}  // namespace horae::policy::eqds_test
