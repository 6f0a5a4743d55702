// Every other entropy scheme by its own rules.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "entropy_script.hpp"
#include "horae/policy/entropy/parameters.hpp"
#include "horae/policy/entropy/reps.hpp"

namespace horae::policy::schemes_test {
namespace {

using test::config;
using test::context;
using test::Script;
using Values = std::vector<std::uint16_t>;

Values sorted(Values values) {
  std::sort(values.begin(), values.end());
  return values;
}
Values all(std::uint16_t n) {
  Values out;
  for (std::uint16_t i = 0; i < n; ++i) out.push_back(i);
  return out;
}

TEST(EntropyScheme, FixedIsTheSourcePort) {
  Script s(config("fixed", 16));
  s.marked(77);
  s.timeout(77);
  EXPECT_EQ(s.send(3), (Values{77, 77, 77}));
  EXPECT_TRUE(find_entropy_scheme("fixed").constant);
}

TEST(EntropyScheme, RandomForgetsEverything) {
  Script told(config("random", 4096)), left_alone(config("random", 4096));
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(told.send(), left_alone.send());
    told.marked(7);
    told.good(8);
    told.timeout(9);
  }
}

TEST(EntropyScheme, CycleHasEveryValueOnceATurnInAnotherOrder) {
  Script s(config("cycle", 32));
  const Values first = s.send(32), second = s.send(32);
  EXPECT_EQ(sorted(first), all(32));
  EXPECT_EQ(sorted(second), all(32));
  EXPECT_NE(first, second);
  // A counter XOR a word: two neighbours differ as the counter's do.
  for (int i = 0; i + 1 < 32; ++i) EXPECT_EQ(first[i] ^ first[i + 1], i ^ (i + 1));
}

TEST(EntropyScheme, UnboundedRepsCountsFirstAndThenRecyclesAll) {
  Script s(config("reps_unbounded", 65536, RepsUnboundedParameters{.first_packets = 3}));
  EXPECT_EQ(s.send(3), (Values{1, 2, 3}));
  for (std::uint16_t v = 100; v < 400; ++v) s.good(v);
  s.marked(1);
  s.timeout(1);
  EXPECT_FALSE(s->frozen());
  EXPECT_EQ(s->bits(), 16u + 300 * 16);
  for (std::uint16_t v = 100; v < 400; ++v) EXPECT_EQ(s.send(), v);
  s.send();
  EXPECT_EQ(s->counts().random, 1u);
  Script small(config("reps_unbounded", 4));
  EXPECT_EQ(small.send(4), (Values{1, 2, 3, 0})) << "each value once at most";
}

TEST(EntropyScheme, BitmapWithoutPenaltiesIsACycle) {
  Script s(config("bitmap", 64));
  s.good(3);
  EXPECT_EQ(sorted(s.send(64)), all(64));
}

TEST(EntropyScheme, BitmapSkipsAMarkedValueOnce) {
  Script s(config("bitmap", 16));
  s.marked(5);
  const Values turn = s.send(15);
  EXPECT_EQ(std::count(turn.begin(), turn.end(), 5), 0);
  EXPECT_EQ(sorted(s.send(16)), all(16)) << "its penalty of 1 is gone";
}

// Turns in which the value is skipped, of the 20 after it was told.
int skipped_turns(void (Script::*tell)(std::uint16_t), int times) {
  Script s(config("bitmap", 16));
  for (int i = 0; i < times; ++i) (s.*tell)(5);
  int skipped = 0;
  for (int turn = 0; turn < 20; ++turn) {
    const Values values = s.send(15);
    if (std::count(values.begin(), values.end(), 5) > 0) break;
    ++skipped;
  }
  return skipped;
}

TEST(EntropyScheme, BitmapsPenaltiesAre4PerTrimAnd15AtMost) {
  EXPECT_EQ(skipped_turns(&Script::trimmed, 1), 4);
  EXPECT_EQ(skipped_turns(&Script::trimmed, 2), 8);
  EXPECT_EQ(skipped_turns(&Script::timeout, 1), 15);
  EXPECT_EQ(skipped_turns(&Script::timeout, 3), 15);
  EXPECT_EQ(skipped_turns(&Script::trimmed, 9), 15);
}

TEST(EntropyScheme, BitmapTakesTheNextOneWhereAllHavePenalties) {
  Script s(config("bitmap", 4));
  for (std::uint16_t v = 0; v < 4; ++v) s.timeout(v);
  EXPECT_EQ(s.send(100).size(), 100u);
}

// ---- PLB: round trips of 10 us.

TEST(EntropyScheme, PlbMovesAfterTwoCongestedRounds) {
  Script s(config("plb", 65536));
  s.at(1);
  s.marked(77);  // ends the round that began at 0, congested
  EXPECT_EQ(s.send(), 77);
  s.at(5);
  s.good(77);
  s.at(11);
  s.good(77);  // not later than 1 + 10
  EXPECT_EQ(s.send(), 77);
  s.at(11.1);
  s.marked(77);
  const std::uint16_t moved = s.send();
  EXPECT_NE(moved, 77);
  EXPECT_EQ(s.send(), moved);
}

TEST(EntropyScheme, PlbForgetsRoundsWithoutCongestion) {
  Script s(config("plb", 65536));
  for (int round = 0; round < 10; ++round) {
    s.at(1 + round * 11);
    round % 2 == 0 ? s.marked(77) : s.good(77);
    EXPECT_EQ(s.send(), 77);
  }
}

TEST(EntropyScheme, PlbsShareIsOfTheRoundsAcknowledgements) {
  const auto moves = [](double share) {
    Script s(config("plb", 65536, PlbParameters{.plb_share = share}));
    for (int i = 1; i <= 200; ++i) {  // one in four is marked
      s.at(i);
      i % 4 == 0 ? s.marked(77) : s.good(77);
      s.send();
    }
    return s->counts().random;
  };
  EXPECT_EQ(moves(0.5), 0u);
  EXPECT_GT(moves(0), 5u);
}

TEST(EntropyScheme, PlbMovesAfterATimeoutButOncePerRto) {
  Script s(config("plb", 65536));
  s.at(50);
  s.timeout(77);
  const std::uint16_t moved = s.send();
  EXPECT_NE(moved, 77);
  s.at(89);
  s.timeout(77);
  EXPECT_EQ(s.send(), moved);
  s.at(90);
  s.timeout(77);
  EXPECT_NE(s.send(), moved);
}

// ---- Flowlets

TEST(EntropyScheme, AFlowletEndsHalfARoundTripAfterTheLastAck) {
  Script s(config("flowlet", 65536));
  s.at(3);
  EXPECT_EQ(s.send(), 77);
  s.at(8);
  EXPECT_EQ(s.send(), 77) << "5 us are not more than 5 us";
  s.good(77);
  s.at(13);
  EXPECT_EQ(s.send(), 77);
  s.at(13.1);
  const std::uint16_t moved = s.send();
  EXPECT_NE(moved, 77);
  s.at(50);
  EXPECT_EQ(s.send(), moved) << "held off for 40 us";
  s.at(53.2);
  EXPECT_NE(s.send(), moved);
}

TEST(EntropyScheme, AFlowletInTheUsualSenseEndsWithAPauseOfTheSender) {
  Script s(config(
      "flowlet", 65536,
      FlowletParameters{
          .flowlet_gap = 5_us, .flowlet_since = FlowletSince::packet, .flowlet_hold_off = 0_us}));
  for (const double t : {1, 5, 10, 15}) {
    s.at(t);
    EXPECT_EQ(s.send(), 77);
  }
  s.at(20.1);
  const std::uint16_t moved = s.send();
  EXPECT_NE(moved, 77);
  s.at(25.2);
  EXPECT_NE(s.send(), moved);
}

// ---- MP-RDMA

TEST(EntropyScheme, MpRdmaFollowsTheAckThatLeftRoom) {
  Script s(config("mp_rdma", 65536));
  s.send(5);
  EXPECT_EQ(s->counts().random, 5u);
  s.ack(11, true);
  EXPECT_EQ(s.send(3), (Values{11, 11, 11}));
  s.ack(12, true);
  EXPECT_EQ(s.send(), 12);
  s.ack(13, false);
  s.send();
  EXPECT_EQ(s->counts().random, 6u);
  EXPECT_EQ(s->counts().recycled, 4u);
}

TEST(EntropyScheme, MpRdmaAsPublishedUsesAnAckOnce) {
  Script s(config("mp_rdma", 65536, MpRdmaPaths{.mp_rdma_use = MpRdmaUse::once}));
  s.ack(11, true);
  EXPECT_EQ(s.send(), 11);
  s.send();
  EXPECT_EQ(s->counts().random, 1u);
}

// ---- Subflows

TEST(EntropyScheme, SubflowsTakeTurns) {
  Script s(config("subflows", 65536));
  EXPECT_EQ(s.send(10), (Values{77, 78, 79, 80, 81, 82, 83, 84, 77, 78}));
  Script three(config("subflows", 4, SubflowParameters{.subflows = 3}), context(1, 3));
  EXPECT_EQ(three.send(4), (Values{3, 0, 1, 3}));
}

// ---- All of them

// Whatever happens: values are in range, each is counted, and the same seed gives the same.
TEST(EntropyScheme, EveryValueIsInRangeAndCounted) {
  for (const EntropyEntry& entry : entropy_schemes()) {
    const EntropyConfig c =
        config(std::string(entry.name), 32, RepsParameters{.freezing_timeout = 20_us});
    Script one(c, context(9, 5)), other(c, context(9, 5));
    RandomStream random(3, entry.name);
    std::uint64_t sent = 0;
    for (int i = 0; i < 20'000; ++i) {
      one.at(i), other.at(i);
      const std::uint32_t what = random.below(12);
      if (what < 6) {
        const std::uint16_t value = one.send();
        EXPECT_EQ(value, other.send());
        ASSERT_LT(value, 32) << entry.name;
        ++sent;
        continue;
      }
      const EntropyFeedback told{.value = static_cast<std::uint16_t>(random.below(32)),
                                 .signal = what < 9    ? PathSignal::good
                                           : what < 10 ? PathSignal::marked
                                           : what < 11 ? PathSignal::trimmed
                                                       : PathSignal::timeout,
                                 .rtt = Picoseconds(8'000'000 + random.below(8'000'000)),
                                 .room = random.below(2) == 0};
      one->feedback(told, Picoseconds(i * 1'000'000ll));
      other->feedback(told, Picoseconds(i * 1'000'000ll));
    }
    const EntropyCounts counts = one->counts();
    EXPECT_EQ(counts.recycled + counts.random + counts.frozen + counts.fixed, sent) << entry.name;
  }
}

}  // namespace
}  // namespace horae::policy::schemes_test
