// Collectives that are schedules: trees and rings within rings, in closed form.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>

#include "goal_run.hpp"
#include "horae/traffic/collective.hpp"
#include "refusal.hpp"

namespace horae::traffic::collective_schedule_test {
namespace {

using testing::run;

std::vector<std::uint64_t> sent_by_rank(const GoalSchedule& schedule) {
  std::vector<std::uint64_t> bytes;
  for (const auto& rank : schedule.ranks) {
    bytes.push_back(0);
    for (const auto& op : rank.ops) {
      if (op.kind == GoalOp::Kind::send) bytes.back() += op.size;
    }
  }
  return bytes;
}

const GoalTimes ideal{.calc_unit = 1_ps, .delays = true};

Picoseconds end_of(const CollectiveConfig& config, Picoseconds latency = 1_us) {
  const auto ran = run(collective_schedule(config), ideal, latency);
  EXPECT_TRUE(ran.finished);
  return *std::max_element(ran.ends.begin(), ran.ends.end());
}

TEST(CollectiveSchedule, EveryRankOfATreeButTheRootHasOneParent) {
  for (std::uint32_t n = 2; n <= 36; ++n) {
    for (const Operation operation : {Operation::tree, Operation::double_tree}) {
      const std::uint32_t trees = operation == Operation::tree ? 1 : 2;
      const auto s = collective_schedule(
          {.operation = operation, .ranks = n, .size = Bytes(64 * trees), .slices = 2});
      EXPECT_NO_THROW(check_goal(s)) << n;
      const auto sent = sent_by_rank(s);
      // Each way every rank but the root is sent everything, or sends it.
      EXPECT_EQ(std::accumulate(sent.begin(), sent.end(), std::uint64_t{0}),
                2 * (n - 1) * 64 * trees);
      const std::uint64_t all = 64 * trees;
      // In two trees nobody is inside both: at most two children and a parent in one, and a parent
      // in the other, with half of it each.
      const std::uint64_t most = trees == 2 && n % 2 == 0 ? 2 * all : 3 * all;
      EXPECT_LE(*std::max_element(sent.begin(), sent.end()), most) << n;
    }
  }
}

// With 2^k ranks the deepest is k links below the root: up, down, and an acknowledgement.
TEST(CollectiveSchedule, ATreeTakesItsDepthTwice) {
  for (std::uint32_t k = 1; k <= 7; ++k) {
    const std::uint32_t n = 1u << k;
    EXPECT_EQ(end_of({.operation = Operation::tree, .ranks = n, .size = 1024_B}),
              (2 * static_cast<std::int64_t>(k) + 1) * 1_us);
    // Each rank above the leaves adds once, on the way up.
    EXPECT_EQ(end_of({.operation = Operation::tree, .ranks = n, .size = 1024_B, .compute = 3_us}),
              (2 * static_cast<std::int64_t>(k) + 1) * 1_us + static_cast<std::int64_t>(k) * 3_us);
    EXPECT_EQ(end_of({.operation = Operation::double_tree, .ranks = n, .size = 1024_B}),
              (2 * static_cast<std::int64_t>(k) + 1) * 1_us);
  }
}

TEST(CollectiveSchedule, HierarchicalTakesTheStepsOfItsRings) {
  for (const auto& [nodes, local] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
           {1, 4}, {4, 1}, {2, 4}, {3, 5}, {4, 4}}) {
    const std::int64_t n = nodes * local, size = 240 * n * n;
    const CollectiveConfig c{.operation = Operation::hierarchical,
                             .ranks = static_cast<std::uint32_t>(n),
                             .size = Bytes(size),
                             .slices = 2,
                             .local = local};
    const auto s = collective_schedule(c);
    EXPECT_NO_THROW(check_goal(s));
    const std::int64_t of_part = size / local;
    for (const std::uint64_t bytes : sent_by_rank(s)) {
      EXPECT_EQ(static_cast<std::int64_t>(bytes),
                2 * (local - 1) * of_part + 2 * (nodes - 1) * (of_part / nodes));
    }
    const std::int64_t steps = 2 * (local - 1) + 2 * (nodes - 1);
    EXPECT_EQ(end_of(c), (steps + 1) * 1_us);
    CollectiveConfig adds = c;
    adds.compute = 5_us;
    EXPECT_EQ(end_of(adds), steps * 6_us);
  }
}

TEST(CollectiveSchedule, WhatDoesNotDivideIsRefused) {
  const auto refusal = [](const CollectiveConfig& c) {
    return test::refusal_of([&] { collective_schedule(c); });
  };
  EXPECT_EQ(refusal({.operation = Operation::hierarchical, .ranks = 6, .size = 6_KiB, .local = 4}),
            "6 ranks do not make nodes of 4 each (local)");
  EXPECT_EQ(refusal({.operation = Operation::tree, .ranks = 6, .size = 7_B, .slices = 2}),
            "7 B does not divide into 2 equal messages of at least a byte");
  EXPECT_EQ(refusal({.operation = Operation::tree, .ranks = 1, .size = 7_B}),
            "a collective of 1 rank");
}

}  // namespace
}  // namespace horae::traffic::collective_schedule_test
