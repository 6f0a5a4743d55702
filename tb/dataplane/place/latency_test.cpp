// How many cycles a gress takes, where dependencies between stages are of several kinds. Cycles of
// both chips as in platforms/chips: Tofino 20 for a stage that waits for a match, 2 for one that
// waits for an action, 1 else, 4 for a stateful ALU, 2 for a TCAM or a keyless table, 4 half way,
// where stage 6 always waits; Tofino2 20, 2, 2, 4 and 2.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "designs.hpp"
#include "horae/dataplane/place/placement.hpp"

namespace horae::dataplane::latency_test {
namespace {

Placement place_on(std::vector<DesignObject> objects, const std::string& chip) {
  return place({"d", std::move(objects)}, shipped_chip(chip));
}

std::int64_t cycles(const Placement& p) { return p.latency[0].count(); }

const MatchSpec table = exact_table(32, 1024, 16);
constexpr std::int64_t empty = 20 + 5 * 1 + 20 + 5 * 1 + 4;

TEST(Latency, AnAluLengthensTheFirstStageOfItsGroup) {
  const DesignObject first = object("first", table);
  EXPECT_EQ(cycles(place_on({first}, "tofino1")), empty);
  // In the second stage, which waits for an action of the first: one cycle more than one that
  // waits for nothing, and four in the stage before it.
  for (const auto kind : {DependencyKind::action, DependencyKind::read_after_write}) {
    const Placement p =
        place_on({first, object("r", array_of(1024, 32), {{"first", kind}})}, "tofino1");
    ASSERT_EQ(p.stages_used(), 2u);
    EXPECT_EQ(p.dependencies[0][1], StageDependency::action);
    EXPECT_EQ(cycles(p), empty + 1 + 4);
  }
  RegisterSpec of_first;  // reached by actions of the table in the first stage itself
  of_first.table = "first";
  of_first.direct = true;
  EXPECT_EQ(cycles(place_on({first, object("r", of_first)}, "tofino1")), empty + 4);
  const Placement keyless =
      place_on({first, object("a", ActionSpec{}, {{"first", DependencyKind::action}})}, "tofino1");
  EXPECT_EQ(cycles(keyless), empty + 1 + 2);
  // Three stages: what lengthens the group is its last stage's.
  const Placement far =
      place_on({first, object("second", table, {{"first", DependencyKind::action}}),
                object("r", array_of(1024, 32), {{"second", DependencyKind::action}})},
               "tofino1");
  ASSERT_EQ(far.stages_used(), 3u);
  EXPECT_EQ(cycles(far), empty + 2 * 1 + 4);
}

// A group ends before a stage that waits for a match: its ALU is its own.
TEST(Latency, AGroupEndsWhereAMatchIsWaitedFor) {
  const Placement p =
      place_on({object("first", table), object("t", ternary_table(32, 512, 16), {{"first"}}),
                object("r", array_of(1024, 32), {{"t", DependencyKind::action}})},
               "tofino1");
  ASSERT_EQ(p.stages_used(), 3u);
  EXPECT_EQ(cycles(p), empty + 19 + 1 + 4 + 2);  // both in the second group
}

// On a Tofino2 a stage that reads headers over the crossbar waits as if for a match.
TEST(Latency, WhatReadsHeadersWaitsForAMatchOnTofino2) {
  constexpr std::int64_t bare = 20 + 19 * 2;
  const auto second = [&](ObjectSpec spec) {
    const Placement p =
        place_on({object("first", table),
                  object("second", std::move(spec), {{"first", DependencyKind::action}})},
                 "tofino2");
    EXPECT_EQ(p.stages_used(), 2u);
    return cycles(p);
  };
  EXPECT_EQ(second(table), bare + 18);
  EXPECT_EQ(second(ternary_table(32, 512, 16)), bare + 18 + 2);
  EXPECT_EQ(second(ActionSpec{}), bare + 2);  // reads none
}

}  // namespace
}  // namespace horae::dataplane::latency_test
