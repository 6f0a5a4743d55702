// Algorithm 1 of the long-haul paper: which CNPs add loops, and how a flow recovers.
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "pnp_trp_parts.hpp"

namespace horae::programs::pnp_trp_test {
namespace {

// CNPs, of so many, that add a loop.
std::vector<unsigned> steps(const std::string& parameters, unsigned cnps) {
  Switch esw(parameters);
  std::vector<unsigned> out;
  unsigned before = 0;
  for (unsigned n = 1; n <= cnps; ++n) {
    esw(2_ms, cnp(comes));
    const unsigned loops = esw.loops(2_ms, data(comes, n));
    if (loops > before) out.push_back(n);
    before = loops;
  }
  return out;
}

using Steps = std::vector<unsigned>;

TEST(PnpTrpSteps, ThreeReadingsOfTheAlgorithm) {
  EXPECT_EQ(steps("", 40), (Steps{1, 7, 14, 22, 31}));
  EXPECT_EQ(steps("step = \"text\"", 40), (Steps{1, 7, 14, 22, 31}));
  EXPECT_EQ(steps("step = \"literal\"", 12), (Steps{1, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(steps("step = \"code\"", 50), (Steps{1, 5, 6, 12, 13, 21, 22, 32, 33, 45, 46}));
}

TEST(PnpTrpSteps, AnotherAlphaMovesThem) {
  EXPECT_EQ(steps("alpha = 1", 12), (Steps{1, 3, 6, 10}));
  EXPECT_EQ(steps("alpha = 2\nstep = \"literal\"", 6), (Steps{1, 4, 5, 6}));
  EXPECT_EQ(steps("alpha = 2\nstep = \"code\"", 12), (Steps{1, 2, 3, 6, 7, 12}));
}

// Alpha is halved once, however many packets come, and never to nothing.
TEST(PnpTrpSteps, ARecoveryHalvesAlphaOnce) {
  for (const std::string rule : {"text", "literal", "code"}) {
    Switch esw("step = \"" + rule + "\"\nalpha = 16");
    esw(2_ms, cnp(comes));
    for (std::uint32_t n = 0; n < 50; ++n) esw.loops(3_ms + 1_us * n, data(comes, n + 7));
    EXPECT_EQ(esw.count("recoveries"), 1u) << rule;
    Steps seen;
    unsigned before = 0;
    for (unsigned n = 1; n <= 20; ++n) {
      esw(4_ms, cnp(comes));
      const unsigned loops = esw.loops(4_ms, data(comes, 100 + n));
      if (loops > before) seen.push_back(n);
      before = loops;
    }
    // From 17, or for the code 16, to 8.
    const Steps expected = rule == "text" ? Steps{1, 10, 20}
                           : rule == "literal"
                               ? Steps{1, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}
                               : Steps{1, 9, 10, 20};
    EXPECT_EQ(seen, expected) << rule;
  }
  Switch low("alpha = 1");
  for (int round = 1; round <= 4; ++round) {
    low(Picoseconds(2_ms) * round, cnp(comes));
    for (std::uint32_t n = 0; n < 3; ++n)
      low.loops(Picoseconds(2_ms) * round + 1_ms, data(comes, 10 * round + n));
  }
  low(20_ms, cnp(comes));
  EXPECT_EQ(low.loops(20_ms, data(comes, 99)), 1u);
  for (int n = 2; n <= 3; ++n) low(20_ms, cnp(comes));  // alpha is 1 again: the third steps
  EXPECT_EQ(low.loops(20_ms, data(comes, 100)), 2u);
}

// k loops are k + 1 passes, for a k that does not fit one byte as well.
TEST(PnpTrpSteps, PassesAreOneMoreThanLoops) {
  Switch esw("step = \"literal\"\nalpha = 1");
  for (unsigned k = 1; k <= 300; ++k) {
    esw(2_ms, cnp(comes));
    if (k == 2) esw(2_ms, cnp(comes));  // does not step: CNPs 1, 3, 4 .. do
    const auto passes = esw.passes;
    const unsigned loops = esw.loops(2_ms, data(comes, k));
    EXPECT_EQ(esw.passes - passes, loops + 1u);
    ASSERT_EQ(loops, k);
  }
  EXPECT_EQ(esw.count("most_loops"), 300u);
  EXPECT_EQ(esw.count("packets_looped"), 300u);
  EXPECT_EQ(esw.count("loops"), 300u * 301u / 2u);
}

TEST(PnpTrpSteps, WithoutRecoveryAFlowKeepsLooping) {
  Switch esw("recovery = \"none\"");
  for (int n = 0; n < 7; ++n) esw(2_ms, cnp(comes));
  EXPECT_EQ(esw.loops(2_ms, data(comes, 1)), 2u);
  for (std::uint32_t n = 2; n < 20; ++n) EXPECT_EQ(esw.loops(9_ms, data(comes, n)), 2u);
  EXPECT_EQ(esw.count("recoveries"), 1u);  // alpha is halved and the count starts over
  esw(10_ms, cnp(comes));
  EXPECT_EQ(esw.loops(10_ms, data(comes, 20)), 3u);
}

TEST(PnpTrpSteps, LoopsCanBeKept) {
  for (const std::string recovery : {"ordered", "direct"}) {
    Switch esw("loops_after_recovery = \"keep\"\nrecovery = \"" + recovery + "\"");
    for (int n = 0; n < 7; ++n) esw(2_ms, cnp(comes));
    EXPECT_EQ(esw.loops(2_ms, data(comes, 10)), 2u);
    for (std::uint32_t n = 11; n < 15; ++n) EXPECT_EQ(esw.loops(3_ms, data(comes, n)), 0u);
    esw(3_ms, cnp(comes));
    EXPECT_EQ(esw.loops(3_ms, data(comes, 15)), 3u) << recovery;  // with zero it would be 1
  }
}

TEST(PnpTrpSteps, DirectRecoveryLetsGoWhatLoops) {
  Switch esw("recovery = \"direct\"");
  for (int n = 0; n < 7; ++n) esw(2_ms, cnp(comes));
  const Outcome looping = esw(2_ms, data(comes, 10), far_port);
  ASSERT_TRUE(looping.loops());
  EXPECT_EQ(esw.loops(3_ms, data(comes, 11)), 0u);
  const Outcome left = esw(3_ms, looping.packet, far_port);  // one more loop was to come
  EXPECT_EQ(left.verdict, Verdict::forward);
  EXPECT_EQ(left.packet.metadata, 0);
}

// All packets that the sender may have under way are in the loop, so none comes in that could
// notice the end of beta: they leave with their number of loops, and the next one notices.
TEST(PnpTrpSteps, AFlowWhosePacketsAllLoopRecovers) {
  for (const std::string by : {"incoming", "any"}) {
    Switch esw("judged_by = \"" + by + "\"\nalpha = 1\nstep = \"literal\"");
    for (int n = 0; n < 41; ++n) esw(2_ms, cnp(comes));  // 40 loops
    std::deque<Packet> looping;
    for (std::uint32_t n = 0; n < 16; ++n) {
      const Outcome out = esw(2_ms, data(comes, n), far_port);
      ASSERT_TRUE(out.loops());
      looping.push_back(out.packet);
    }
    std::vector<std::uint32_t> left;
    unsigned turns = 0;
    for (Picoseconds t = 2_ms + 501_us; !looping.empty(); t += 1_us) {
      Outcome out = esw(t, looping.front(), far_port);
      looping.pop_front();
      ++turns;
      if (out.loops())
        looping.push_back(out.packet);
      else
        left.push_back(out.packet.psn.value());
    }
    for (std::uint32_t n = 0; n < 16; ++n) EXPECT_EQ(left.at(n), n);
    // The first leaves by its number; those behind it then too, or as soon as it is their turn.
    EXPECT_EQ(turns, 16u * 40u) << by;
    EXPECT_EQ(esw.count("recoveries"), by == "any" ? 1u : 0u);
    EXPECT_EQ(esw.loops(4_ms, data(comes, 16)), 0u) << by;
    EXPECT_EQ(esw.loops(4_ms, data(comes, 20)), 0u) << by;  // loop_num is zero again
    EXPECT_EQ(esw.count("recoveries"), 1u);
  }
}

// Packets with fewer loops left are before those with more: judged by any packet they leave early.
TEST(PnpTrpSteps, PacketsThatLoopMayNoticeTheEndOfBeta) {
  for (const std::string by : {"incoming", "any"}) {
    Switch esw("judged_by = \"" + by + "\"");
    esw(2_ms, cnp(comes));
    EXPECT_EQ(esw.loops(2_ms, data(comes, 9)), 1u);
    for (int n = 0; n < 21; ++n) esw(2_ms, cnp(comes));  // 4 loops
    const Outcome first = esw(2_ms, data(comes, 10), far_port);
    ASSERT_TRUE(first.loops());
    const Outcome second = esw(3_ms, first.packet, far_port);
    EXPECT_EQ(second.loops(), by == "incoming");  // its predecessor has left
    EXPECT_EQ(esw.count("left_in_turn"), by == "incoming" ? 0u : 1u);
  }
}

}  // namespace
}  // namespace horae::programs::pnp_trp_test
