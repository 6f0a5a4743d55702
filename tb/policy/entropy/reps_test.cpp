// REPS in small: recycling, freezing, what looks like a failure, and the two readings of its exit.
#include "horae/policy/entropy/reps.hpp"

#include <gtest/gtest.h>

#include <set>

#include "entropy_script.hpp"

namespace horae::policy::reps_test {
namespace {

using test::context;
using test::Script;
using Values = std::vector<std::uint16_t>;

EntropyConfig reps(RepsParameters p = {}) {
  if (!p.freezing_timeout) p.freezing_timeout = 100_us;
  return test::config("reps", 65536, p);
}
EntropyContext trimming() {
  EntropyContext c = context();
  c.trimming = true;
  return c;
}

TEST(RepsRing, AGoodValueIsUsedOnceMoreTheOldestFirst) {
  Script s(reps());
  for (const std::uint16_t v : {1, 2, 3}) s.good(v);
  s.marked(4);
  s.trimmed(5);
  EXPECT_EQ(s.send(3), (Values{1, 2, 3}));
  EXPECT_EQ(s->counts().random, 0u);
  s.send();
  EXPECT_EQ(s->counts().random, 1u);
  EXPECT_EQ(s->counts().recycled, 3u);
}

TEST(RepsRing, ANinthGoodValueReplacesTheOldest) {
  Script s(reps());
  for (std::uint16_t v = 1; v <= 10; ++v) s.good(v);
  EXPECT_EQ(s.send(8), (Values{3, 4, 5, 6, 7, 8, 9, 10}));
}

TEST(RepsRing, ItExploresUntilTheFirstAcknowledgement) {
  Script s(reps());
  const Values first = s.send(100);
  EXPECT_GT(std::set<std::uint16_t>(first.begin(), first.end()).size(), 90u);
  EXPECT_EQ(s->counts().random, 100u);
}

// Figure 15: without any failure, at the first acknowledgement from a time on, once.
TEST(RepsFreezing, ATimeFreezesIt) {
  Script s(reps({.freezing_timeout = 100_us, .freeze_at = 150_us}), trimming());
  s.at(149);
  s.good(1);
  EXPECT_FALSE(s->frozen());
  s.at(160);
  s.good(1);
  EXPECT_TRUE(s->frozen());
  EXPECT_EQ(s.send(4), (Values{1, 1, 1, 1}));
  s.at(261);
  s.marked(2);
  EXPECT_FALSE(s->frozen());
  s.good(3);
  EXPECT_FALSE(s->frozen());
  EXPECT_EQ(s->counts().freezes, 1u);
  EXPECT_EQ(s->counts().frozen_time, 101_us);
}

// Frozen: valid values first, then old ones in turn, also those that were used; never a random one.
TEST(RepsFreezing, FrozenItUsesOldValuesAgain) {
  Script s(reps(), trimming());
  for (const std::uint16_t v : {1, 2, 3}) s.good(v);
  EXPECT_EQ(s.send(2), (Values{1, 2}));
  s.timeout(9);
  EXPECT_TRUE(s->frozen());
  EXPECT_EQ(s.send(7), (Values{3, 1, 2, 3, 1, 2, 3})) << "slots never written are passed over";
  s.good(20);  // the head has passed 1, 2, 3, and stands behind them
  EXPECT_EQ(s.send(2), (Values{20, 1}));
  EXPECT_EQ(s->counts().frozen, 7u);
  EXPECT_EQ(s->counts().freezes, 1u);
}

TEST(RepsFreezing, AnEmptyRingHasNothingToFreeze) {
  Script s(reps(), trimming());
  s.timeout(9);
  EXPECT_TRUE(s->frozen());
  s.send(5);
  EXPECT_EQ(s->counts().random, 5u);
}

TEST(RepsFreezing, TheArtifactGoesThroughAllSlotsInTurn) {
  Script s(reps({.exit = RepsExit::clear, .frozen_read = RepsFrozenRead::artifact}), trimming());
  for (const std::uint16_t v : {1, 2, 3}) s.good(v);
  EXPECT_EQ(s.send(2), (Values{1, 2}));
  s.timeout(9);
  EXPECT_EQ(s.send(5), (Values{1, 2, 3, 1, 2}));
  EXPECT_EQ(s->counts().recycled, 3u) << "the third was valid";
}

TEST(RepsFreezing, TheFirstFeedbackAfterItsTimeEndsIt) {
  Script s(reps({.explore_packets = 3}), trimming());
  for (const std::uint16_t v : {1, 2}) s.good(v);
  s.at(10);
  s.timeout(9);
  s.at(110);
  s.marked(7);
  EXPECT_TRUE(s->frozen()) << "not later than 10 + 100";
  s.at(110.5);
  s.timeout(8);
  EXPECT_TRUE(s->frozen()) << "a timeout ends nothing";
  s.marked(7);
  EXPECT_FALSE(s->frozen());
  EXPECT_EQ(s->counts().frozen_time, Picoseconds(100'500'000));
  s.timeout(9);
  EXPECT_FALSE(s->frozen()) << "while packets explore";
  s.send(3);
  EXPECT_EQ(s->counts().random, 3u);
  EXPECT_EQ(s.send(2), (Values{1, 2})) << "the ring is kept";
  s.timeout(9);
  EXPECT_TRUE(s->frozen());
}

TEST(RepsFreezing, OnTheAlgorithmsLetterMarksDoNotEndIt) {
  Script s(reps({.exit_on = RepsExitOn::good}), trimming());
  s.good(1);
  s.timeout(9);
  s.at(200);
  s.marked(2);
  s.trimmed(2);
  EXPECT_TRUE(s->frozen());
  s.good(2);
  EXPECT_FALSE(s->frozen());
}

TEST(RepsFreezing, TheArtifactEmptiesTheRingBeforeItStores) {
  Script s(reps({.exit = RepsExit::clear, .explore_packets = 0}), trimming());
  for (const std::uint16_t v : {1, 2}) s.good(v);
  s.timeout(9);
  s.at(200);
  s.good(3);
  EXPECT_EQ(s.send(), 3);
  s.send();
  EXPECT_EQ(s->counts().random, 1u);
}

TEST(RepsFreezing, AsManyPacketsExploreAsAreInFlightButTheCounterHas8Bits) {
  for (const std::uint32_t bdp : {100u, 1000u}) {
    EntropyContext c = trimming();
    c.bdp_packets = bdp;
    Script s(reps(), c);
    for (std::uint16_t v = 1; v <= 8; ++v) s.good(v);
    s.timeout(9);
    s.at(200);
    s.good(9);
    s.send(1000);
    EXPECT_EQ(s->counts().random, std::min(bdp, 255u) + (1000 - std::min(bdp, 255u) - 8));
    EXPECT_EQ(s->counts().recycled, 8u);
  }
}

// Without trimming a timeout after long round trips is congestion.
TEST(RepsFreezing, WithoutTrimmingOnlyShortRoundTripsMakeATimeoutSuspicious) {
  Script s(reps());
  s.good(1, 16.4);
  s.timeout(9);
  EXPECT_TRUE(s->frozen()) << "16.4 us is less than 1.65 x 10";
  Script long_one(reps());
  long_one.good(1, 16.5);
  long_one.timeout(9);
  EXPECT_FALSE(long_one->frozen());
  Script shorter_base(reps());
  shorter_base.good(1, 9);
  shorter_base.marked(1, 15);
  shorter_base.timeout(9);
  EXPECT_FALSE(shorter_base->frozen()) << "15 us is more than 1.65 x 9, the shortest seen";
}

TEST(RepsFreezing, LongRoundTripsAreForgottenWithTheirWindow) {
  Script s(reps());
  s.good(1, 30);  // the window lasts until 80
  s.at(80);
  s.good(2, 10);
  s.timeout(9);
  EXPECT_FALSE(s->frozen());
  s.at(80.1);
  s.good(3, 10);
  s.timeout(9);
  EXPECT_TRUE(s->frozen());
}

TEST(RepsFreezing, ItCanBeForcedAndLeftOut) {
  Script s(reps());
  s.good(1);
  s->freeze(0_ps);
  EXPECT_TRUE(s->frozen());
  EXPECT_EQ(s.send(3), (Values{1, 1, 1}));
  Script without(reps({.freezing = false}), trimming());
  without.good(1);
  without.timeout(9);
  without->freeze(0_ps);
  EXPECT_FALSE(without->frozen());
}

}  // namespace
}  // namespace horae::policy::reps_test
