// Stages as the open compiler's greedy placer fills them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "designs.hpp"
#include "horae/core/error.hpp"
#include "horae/dataplane/place/placement.hpp"

namespace horae::dataplane::compiler_placement_test {
namespace {

Design design_of(std::vector<DesignObject> objects) { return {"d", std::move(objects)}; }

Placement as_compiler(const Design& design, const std::string& chip = "tofino2") {
  return place_as_compiler(design, shipped_chip(chip));
}

// Stages of an object and of its parts, in order.
std::vector<unsigned> stages_of(const Placement& placement, const std::string& name) {
  std::vector<unsigned> out;
  for (const auto& u : placement.units) {
    if (u.unit.label == name || u.unit.label.starts_with(name + "[")) out.push_back(u.stage);
  }
  return out;
}

TEST(CompilerPlacement, AChainTakesAStageForEachLink) {
  const auto placement = as_compiler(design_of({object("a", exact_table(32, 1024, 8)),
                                                object("b", exact_table(32, 1024, 8), {{"a"}}),
                                                object("c", exact_table(32, 1024, 8), {{"b"}})}));
  EXPECT_TRUE(placement.fits());
  EXPECT_EQ(placement.stages_used(), 3u);
  EXPECT_EQ(stages_of(placement, "c"), std::vector<unsigned>{2});
}

// Nine tables of four blocks have room in a stage, but it computes eight hashes.
TEST(CompilerPlacement, AnExactTableTakesAHashFunction) {
  std::vector<DesignObject> objects;
  for (int i = 0; i < 9; ++i)
    objects.push_back(object("t" + std::to_string(i), exact_table(32, 1024, 8)));
  const Design design = design_of(std::move(objects));
  EXPECT_EQ(place(design, shipped_chip("tofino2")).stages_used(), 2u);
  const auto placement = as_compiler(design);
  EXPECT_EQ(placement.stages_used(), 2u);
  EXPECT_EQ(stages_of(placement, "t7"), std::vector<unsigned>{0});
  EXPECT_EQ(stages_of(placement, "t8"), std::vector<unsigned>{1});
}

// Also one whose key is a single bit: its hash is that bit.
TEST(CompilerPlacement, AHashOfOneBitIsAFunctionToo) {
  std::vector<DesignObject> objects;
  for (int i = 0; i < 9; ++i)
    objects.push_back(object("t" + std::to_string(i), exact_table(1, 2, 8)));
  EXPECT_EQ(as_compiler(design_of(std::move(objects))).stages_used(), 2u);
}

// Only the compiler's placer keeps apart what writes one container, and not where that does not
// fit.
TEST(CompilerPlacement, WhatWritesOneContainerIsInStagesOfItsOwn) {
  const auto chip = shipped_chip("tofino1");
  const auto writers = [](unsigned n) {
    std::vector<DesignObject> objects;
    for (unsigned i = 0; i < n; ++i) {
      objects.push_back(object("w" + std::to_string(i), ActionSpec{}));
      for (unsigned other = 0; other < i; ++other)
        objects.back().apart.push_back("w" + std::to_string(other));
    }
    return design_of(std::move(objects));
  };
  EXPECT_EQ(as_compiler(writers(4), "tofino1").stages_used(), 4u);
  EXPECT_EQ(place(writers(4), chip).stages_used(), 1u);
  EXPECT_EQ(as_compiler(writers(chip.stages), "tofino1").stages_used(), chip.stages);
  EXPECT_EQ(as_compiler(writers(chip.stages + 1), "tofino1").stages_used(), 1u);
}

TEST(CompilerPlacement, ADesignThatContradictsItselfIsRefused) {
  const Design twice = design_of({object("a", ActionSpec{}), object("a", ActionSpec{})});
  EXPECT_THROW(as_compiler(twice), InputError);
}

// Three units of hash distribution share a function: seven tables and three hashes are eight, an
// eighth table is too many.
TEST(CompilerPlacement, ThreeHashDistributionUnitsShareAFunction) {
  HashSpec hash;
  hash.output_bits = 16;
  std::vector<DesignObject> objects;
  for (int i = 0; i < 3; ++i) objects.push_back(object("h" + std::to_string(i), hash));
  for (int i = 0; i < 7; ++i)
    objects.push_back(object("t" + std::to_string(i), exact_table(32, 1024, 8)));
  EXPECT_EQ(as_compiler(design_of(objects)).stages_used(), 1u);
  objects.push_back(object("t7", exact_table(32, 1024, 8)));
  EXPECT_EQ(as_compiler(design_of(objects)).stages_used(), 2u);
}

TEST(CompilerPlacement, AStageHasEightTernaryTables) {
  std::vector<DesignObject> objects;
  for (int i = 0; i < 9; ++i)
    objects.push_back(object("t" + std::to_string(i), ternary_table(16, 512, 8)));
  const auto placement = as_compiler(design_of(std::move(objects)));
  EXPECT_EQ(placement.stages_used(), 2u);
  EXPECT_EQ(stages_of(placement, "t8"), std::vector<unsigned>{1});
}

// A table that does not fit whole leaves what does, and the rest in the next stage.
TEST(CompilerPlacement, TablesAreCutOverStages) {
  const Design design = design_of({object("large", exact_table(64, 200'000, 32)),
                                   object("after", exact_table(32, 1024, 8), {{"large"}})});
  const auto placement = as_compiler(design);
  const auto stages = stages_of(placement, "large");
  ASSERT_GE(stages.size(), 2u);
  for (std::size_t i = 0; i < stages.size(); ++i) EXPECT_EQ(stages[i], i);  // one part in each
  // Parts have numbers, the last one as well; what is whole has none.
  for (std::size_t i = 0; i < stages.size(); ++i)
    EXPECT_EQ(placement.units[i].unit.label, "large[" + std::to_string(i) + "]");
  EXPECT_EQ(placement.units.back().unit.label, "after");
  EXPECT_EQ(stages_of(placement, "after"), std::vector<unsigned>{stages.back() + 1});
  // Full stages: little of the 80 blocks is left in the first.
  EXPECT_GT(placement.stages[0][Resource::sram], 64);
  for (const auto& stage : placement.stages) EXPECT_LE(stage[Resource::sram], 80);
}

// A table with an array at an index is in one stage with it: it waits for a stage that has room.
TEST(CompilerPlacement, TablesWithAnArrayAtAnIndexAreNotCut) {
  CounterSpec counter;
  counter.entries = 1024;
  counter.table = "counted";
  const auto placement = as_compiler(
      design_of({object("filler", exact_table(64, 60'000, 32)),
                 object("counted", exact_table(64, 60'000, 32)), object("counts", counter)}));
  EXPECT_EQ(stages_of(placement, "counted").size(), 1u);
}

// Among two ready objects the one with the longer chain behind it goes first; there is room for
// one.
TEST(CompilerPlacement, TheLongestChainGoesFirst) {
  const auto placement = as_compiler(design_of({
      object("short", ternary_table(44, 512 * 20, 8)),
      object("long", ternary_table(40, 512 * 20, 8)),
      object("behind", exact_table(32, 1024, 8), {{"long"}}),
  }));
  EXPECT_EQ(stages_of(placement, "long"), std::vector<unsigned>{0});
  EXPECT_EQ(stages_of(placement, "behind"), std::vector<unsigned>{1});
  EXPECT_GT(stages_of(placement, "short").back(), 0u);
}

// The reports have stages with three and more registers at indexes of their own.
TEST(CompilerPlacement, RegistersWithAddressesOfTheirOwnShareAStage) {
  std::vector<DesignObject> objects;
  for (const std::uint32_t width : {8u, 16u, 32u}) {
    auto spec = array_of(1024, width);
    spec.reads = {"field" + std::to_string(width)};
    objects.push_back(object("r" + std::to_string(width), spec));
  }
  EXPECT_EQ(as_compiler(design_of(objects), "tofino1").stages_used(), 1u);
}

TEST(CompilerPlacement, ALongerChainThanTheChipHasStages) {
  std::vector<DesignObject> objects = {object("t0", exact_table(32, 1024, 8))};
  for (int i = 1; i < 13; ++i) {
    objects.push_back(
        object("t" + std::to_string(i), exact_table(32, 1024, 8), {{"t" + std::to_string(i - 1)}}));
  }
  const auto placement = as_compiler(design_of(objects), "tofino1");
  EXPECT_EQ(placement.stages_used(), 13u);
  ASSERT_FALSE(placement.fits());
  EXPECT_EQ(placement.refused[0].resource, "stages");
  EXPECT_TRUE(as_compiler(design_of(objects)).fits());
}

TEST(CompilerPlacement, WhatNoStageHoldsIsRefused) {
  RecirculateSpec none;
  auto chip = shipped_chip("tofino2");
  chip.stage.gateway = 0;
  const auto placement = place_as_compiler(design_of({object("again", none)}), chip);
  ASSERT_FALSE(placement.fits());
  EXPECT_EQ(placement.refused[0].object, "again");
}

// A part of each was priced anew for each stage and each other part: this took a minute.
TEST(CompilerPlacement, AThousandTablesThatNoChipHolds) {
  std::vector<DesignObject> objects;
  for (int i = 0; i < 1024; ++i)
    objects.push_back(object("t" + std::to_string(i), exact_table(64, 100'000, 32)));
  const auto placement = as_compiler(design_of(std::move(objects)));
  EXPECT_FALSE(placement.fits());
  EXPECT_GT(placement.stages_used(), 20u);
}

TEST(CompilerPlacement, TheSameEveryTime) {
  std::vector<DesignObject> objects;
  for (int i = 0; i < 30; ++i) {
    std::vector<Dependency> after;
    if (i > 2) after.push_back({"t" + std::to_string(i / 3)});
    objects.push_back(object("t" + std::to_string(i),
                             exact_table(16 + 8 * static_cast<std::uint32_t>(i % 5), 4096, 16),
                             after));
  }
  const auto one = as_compiler(design_of(objects)), two = as_compiler(design_of(objects));
  ASSERT_EQ(one.units.size(), two.units.size());
  for (std::size_t i = 0; i < one.units.size(); ++i) {
    EXPECT_EQ(one.units[i].unit.label, two.units[i].unit.label);
    EXPECT_EQ(one.units[i].stage, two.units[i].stage);
  }
}

// p4c table_placement.cpp can_duplicate: an array that several parts of a table lead to is in each
// of their stages, if it is a counter or holds what actions need; a register is in one.
TEST(CompilerPlacement, APartOfATableHasItsCountersAndProfilesBesideIt) {
  MatchSpec large = exact_table(64, 8192, 0);
  large.kind = MatchKind::ternary;
  const auto sram = [&](std::vector<DesignObject> objects) {
    objects.insert(objects.begin(), object("t", large));
    const auto placement = as_compiler(design_of(std::move(objects)));
    EXPECT_TRUE(placement.fits());
    EXPECT_EQ(stages_of(placement, "t").size(), 2u);
    std::int64_t blocks = 0;
    for (const auto& stage : placement.stages) blocks += stage[Resource::sram];
    return blocks;
  };
  const auto bare = sram({});
  const std::int64_t two_counters = 2 * 2;  // a block and its spare in either stage
  EXPECT_EQ(sram({object("c", CounterSpec{.entries = 1024, .table = "t"})}) - bare, two_counters);
  EXPECT_GE(sram({object("p", ProfileSpec{1024, 32, "t"})}) - bare, 2);
  const auto whole = as_compiler(
      design_of({object("t", large), object("r", RegisterSpec{.entries = 1024, .table = "t"})}));
  EXPECT_FALSE(whole.fits());
}

// A table in partitions is cut in no other way than elsewhere.
TEST(CompilerPlacement, ATableInPartitionsThatNoStageHoldsIsPlacedAllTheSame) {
  MatchSpec large = exact_table(48, 65536, 9);
  large.kind = MatchKind::atcam;
  large.partitions = 256;
  const Design design = design_of({object("t", large)});
  const auto placement = as_compiler(design);
  EXPECT_TRUE(placement.fits());
  EXPECT_GT(placement.stages_used(), 1u);
  EXPECT_EQ(placement.stages_used(), place(design, shipped_chip("tofino2")).stages_used());
}

}  // namespace
}  // namespace horae::dataplane::compiler_placement_test
