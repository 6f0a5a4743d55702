// Where objects go and how many cycles it takes: cases small enough to be worked out by hand, and
// chains as measured on the vendor compiler.
#include "horae/dataplane/place/placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "designs.hpp"
#include "horae/dataplane/price/ledger.hpp"

namespace horae::dataplane::placement_test {
namespace {

// `k` objects of one shape, each needing the one before, or (`chained` false) nothing.
Design row_of(const ObjectSpec& spec, unsigned k, bool chained, Gress gress = Gress::ingress) {
  Design design;
  design.name = "row";
  for (unsigned i = 0; i < k; ++i) {
    std::vector<Dependency> after;
    if (chained && i > 0) after.push_back({"o" + std::to_string(i - 1), DependencyKind::match});
    design.objects.push_back(object("o" + std::to_string(i), spec, after, gress));
  }
  return design;
}

Placement place_on(const Design& design, const std::string& chip) {
  return place(design, shipped_chip(chip));
}

std::int64_t cycles(const Placement& p, Gress gress = Gress::ingress) {
  return p.latency[static_cast<std::size_t>(gress)].count();
}

TEST(Placement, NothingTakesNoStage) {
  for (const auto& [chip, ingress, egress] :
       {std::tuple("tofino2", 58, 58), std::tuple("tofino1", 54, 168)}) {
    const Placement p = place_on({"empty", {}}, chip);
    EXPECT_TRUE(p.fits());
    EXPECT_EQ(p.stages_used(), 0u);
    EXPECT_EQ(p.total(), Amounts{});
    EXPECT_EQ(cycles(p), ingress) << chip;
    EXPECT_EQ(cycles(p, Gress::egress), egress) << chip;
  }
}

TEST(Placement, TheSecondHalfOfATofinoBeginsMatchDependent) {
  const Placement p = place_on({"empty", {}}, "tofino1");
  const auto& stages = p.dependencies[static_cast<std::size_t>(Gress::ingress)];
  ASSERT_EQ(stages.size(), 12u);
  for (std::size_t s = 0; s < stages.size(); ++s)
    EXPECT_EQ(stages[s] == StageDependency::match, s == 0 || s == 6) << s;
}

TEST(Placement, EgressIsPaddedToItsLeastAndNoFurther) {
  ChipSpec chip = shipped_chip("tofino1");
  const Design empty{"empty", {}};
  const auto egress_of = [&](std::uint32_t least) {
    chip.latency.least_egress = least;
    return cycles(place(empty, chip), Gress::egress);
  };
  const std::int64_t bare = egress_of(0);
  EXPECT_EQ(egress_of(static_cast<std::uint32_t>(bare)), bare);
  EXPECT_GT(egress_of(static_cast<std::uint32_t>(bare + 1)), bare);
}

TEST(Placement, DependentRegistersTakeAStageEach) {
  struct Case {
    const char* chip;
    unsigned registers;
    std::int64_t cycles;
  };
  for (const auto& c : {Case{"tofino2", 1, 62}, Case{"tofino2", 2, 84}, Case{"tofino2", 4, 128},
                        Case{"tofino2", 8, 216}, Case{"tofino1", 1, 58}, Case{"tofino1", 4, 127},
                        Case{"tofino1", 8, 200}}) {
    const Placement p = place_on(row_of(array_of(1024, 32), c.registers, true), c.chip);
    EXPECT_TRUE(p.fits());
    EXPECT_EQ(p.stages_used(), c.registers) << c.chip;
    EXPECT_EQ(cycles(p), c.cycles) << c.registers << " on " << c.chip;
    for (unsigned s = 0; s < c.registers; ++s) {
      EXPECT_EQ(p.stages[s][Resource::stateful_alu], 1);
      EXPECT_EQ(p.dependencies[0][s], StageDependency::match);
    }
  }
}

TEST(Placement, DependentTables) {
  const Design exact = row_of(exact_table(32, 1024, 16), 4, true);
  EXPECT_EQ(cycles(place_on(exact, "tofino2")), 112);
  EXPECT_EQ(cycles(place_on(exact, "tofino1")), 111);
  EXPECT_EQ(cycles(place_on(row_of(ternary_table(32, 512, 16), 1, true), "tofino2")), 60);
}

TEST(Placement, IndependentRegistersShareStages) {
  const Placement p = place_on(row_of(array_of(1024, 32), 8, false), "tofino2");
  EXPECT_EQ(p.stages_used(), 2u);  // four ALUs in a stage
  EXPECT_EQ(p.stages[0][Resource::stateful_alu], 4);
  EXPECT_EQ(p.stages[1][Resource::stateful_alu], 4);
  EXPECT_EQ(cycles(p), 84);
}

TEST(Placement, AGuardIsTheRegistersOwnGateway) {
  Design design;
  design.objects = {object("count", array_of(1024, 32)),
                    object("wanted", guarding(condition(ConditionKind::eq, 8), {"count"}))};
  const Placement p = place_on(design, "tofino2");
  ASSERT_EQ(p.units.size(), 1u);
  EXPECT_EQ(p.stages_used(), 1u);
  EXPECT_EQ(p.total()[Resource::gateway], 1);
  EXPECT_EQ(p.total()[Resource::logical_table], 1);
  ASSERT_EQ(p.units[0].unit.shares.size(), 2u);
  EXPECT_EQ(p.units[0].unit.shares[0].object, 0u);
  EXPECT_EQ(p.units[0].unit.shares[1].object, 1u);
  const Ledger ledger = make_ledger(design, shipped_chip("tofino2"), p);
  EXPECT_EQ(ledger.objects[0].total()[Resource::gateway], 0);
  EXPECT_EQ(ledger.objects[1].total()[Resource::gateway], 1);
}

TEST(Placement, AGuardOfWhatItDependsOnStandsAlone) {
  // The condition tests what the first register said, so it cannot be in that one's stage.
  Design design;
  design.objects = {
      object("first", array_of(1024, 32)),
      object("test", guarding(condition(ConditionKind::eq, 8), {"second"}),
             {{"first", DependencyKind::match}}),
      object("second", array_of(1024, 32)),
  };
  const Placement p = place_on(design, "tofino2");
  EXPECT_EQ(p.stages_used(), 2u);
  EXPECT_EQ(p.total()[Resource::gateway], 2);
  EXPECT_EQ(p.total()[Resource::logical_table], 2);
}

TEST(Placement, LargeRegistersAndTheHalvesOfTofino2) {
  // 64 Ki x 32 bit: 16 blocks and a spare. A half has 24 RAMs: one each.
  const RegisterSpec large = array_of(65536, 32);
  EXPECT_EQ(place_on(row_of(large, 2, false), "tofino2").stages_used(), 1u);
  EXPECT_EQ(place_on(row_of(large, 3, false), "tofino2").stages_used(), 2u);
  // 23 blocks and a spare fill a half each; nothing else goes beside them.
  Design full = row_of(array_of(92 * 1024, 32), 2, false);
  EXPECT_EQ(place_on(full, "tofino2").stages_used(), 1u);
  full.objects.push_back(object("small", array_of(1024, 32)));
  EXPECT_EQ(place_on(full, "tofino2").stages_used(), 2u);
  // 17 + 7 RAMs in each half.
  Design mixed = row_of(large, 2, false);
  mixed.objects.push_back(object("a", array_of(24 * 1024, 32)));
  mixed.objects.push_back(object("b", array_of(24 * 1024, 32)));
  EXPECT_EQ(place_on(mixed, "tofino2").stages_used(), 1u);
  std::get<RegisterSpec>(mixed.objects.back().spec).entries += 1;  // 8 RAMs
  EXPECT_EQ(place_on(mixed, "tofino2").stages_used(), 2u);
}

TEST(Placement, RamsBesideTheirAlus) {
  const ChipSpec& two = shipped_chip("tofino2");
  const ChipSpec& one = shipped_chip("tofino1");
  const auto arrays = [](std::vector<std::int64_t> rams) {
    std::vector<StatefulMemory> out;
    for (const auto n : rams) out.push_back({false, n});
    return out;
  };
  EXPECT_TRUE(fits_stateful(arrays({24, 24}), two));
  EXPECT_FALSE(fits_stateful(arrays({25}), two));
  EXPECT_TRUE(fits_stateful(arrays({12, 12, 12, 12}), two));
  EXPECT_FALSE(fits_stateful(arrays({16, 16, 16}), two));
  EXPECT_TRUE(fits_stateful(arrays({22, 20, 4, 2}), two));
  EXPECT_TRUE(fits_stateful(arrays({20, 4, 4, 4}), two));
  EXPECT_FALSE(fits_stateful(arrays({20, 5, 5, 5}), two));  // each half has two of the ALUs
  EXPECT_FALSE(fits_stateful(arrays({2, 2, 2, 2, 2}), two));
  EXPECT_TRUE(fits_stateful(arrays({36}), one));
  EXPECT_FALSE(fits_stateful(arrays({37}), one));
  EXPECT_TRUE(fits_stateful(arrays({36, 12}), one));  // rows 2-7 of one, 0 and 1 of the other
  EXPECT_TRUE(fits_stateful(arrays({12, 12, 12, 12}), one));
  EXPECT_TRUE(fits_stateful(arrays({16, 16, 16}), one));
  EXPECT_FALSE(fits_stateful(arrays({17, 17, 17}), one));
}

// 24 TCAM blocks in a stage: largest first fills the first with 10 + 10 and takes three; further
// priorities are tried, and two are full, 10 + 7 + 7 each. In whatever order the lines stand.
TEST(Placement, WhatTheLargestFirstWastesIsSearchedFor) {
  std::vector<unsigned> sizes = {7, 7, 7, 7, 10, 10};
  do {
    Design design;
    for (const unsigned blocks : sizes) {
      design.objects.push_back(
          object("t" + std::to_string(design.objects.size()), ternary_table(40, 512 * blocks, 0)));
    }
    const Placement p = place_on(design, "tofino2");
    ASSERT_EQ(p.stages_used(), 2u);
    for (const auto& stage : p.stages) EXPECT_EQ(stage[Resource::tcam], 24);
  } while (std::next_permutation(sizes.begin(), sizes.end()));
}

// The smaller of two designs never needs more: meters of 4,096 cells took three stages
// here, of 8,193 two.
TEST(Placement, MoreCellsOfAMeterTakeNoFewerStages) {
  unsigned before = 0;
  for (const std::uint64_t cells : {256u, 4096u, 8192u, 8193u, 12000u, 20000u}) {
    Design design;
    design.objects = {object("a", MeterSpec{cells}),
                      object("b", array_of(16384, 16)),
                      object("c", MeterSpec{256}, {}, Gress::egress),
                      object("d", MeterSpec{16384}),
                      object("e", array_of(256, 8)),
                      object("f", MeterSpec{4096}),
                      object("g", array_of(65536, 32), {}, Gress::egress),
                      object("h", exact_table(88, 40000, 48), {}, Gress::egress)};
    const unsigned stages = place_on(design, "tofino2").stages_used();
    EXPECT_GE(stages, before) << cells;
    before = stages;
  }
}

// 30 registers at indexes of their own fit eight of Tofino's twelve stages: four ALUs in each.
TEST(Placement, ThirtyRegistersTakeEightStages) {
  Design design;
  for (unsigned i = 0; i < 30; ++i) {
    RegisterSpec spec = array_of(1024, 32);
    spec.reads = {"f" + std::to_string(i)};
    design.objects.push_back(object("r" + std::to_string(i), spec));
  }
  const ChipSpec& chip = shipped_chip("tofino1");
  EXPECT_TRUE(place(design, chip).fits());
  EXPECT_EQ(place(design, chip).stages_used(), 8u);
  EXPECT_EQ(place_as_compiler(design, chip).stages_used(), 8u);
  EXPECT_EQ(least_stages(design, chip), 8u);
}

TEST(Placement, IngressAndEgressShareStages) {
  Design design = row_of(array_of(1024, 32), 2, true);
  for (auto o : row_of(array_of(1024, 32), 2, true, Gress::egress).objects) {
    o.name = "e" + o.name;
    for (auto& d : o.after) d.on = "e" + d.on;
    design.objects.push_back(o);
  }
  const Placement p = place_on(design, "tofino2");
  EXPECT_EQ(p.stages_used(), 2u);
  EXPECT_EQ(p.stages[0][Resource::stateful_alu], 2);
  EXPECT_EQ(p.stages[1][Resource::stateful_alu], 2);
  EXPECT_EQ(cycles(p, Gress::ingress), 84);
  EXPECT_EQ(cycles(p, Gress::egress), 84);
  // And take room from each other: five ALUs are a stage too many.
  Design crowd = row_of(array_of(1024, 32), 4, false);
  crowd.objects.push_back(object("out", array_of(1024, 32), {}, Gress::egress));
  EXPECT_EQ(place_on(crowd, "tofino2").stages_used(), 2u);
}

TEST(Placement, ControlAndAntiAllowOneStage) {
  for (const auto kind : {DependencyKind::control, DependencyKind::anti}) {
    Design design;
    design.objects = {object("a", array_of(1024, 32)),
                      object("b", array_of(1024, 32), {{"a", kind}})};
    EXPECT_EQ(place_on(design, "tofino2").stages_used(), 1u);
  }
  for (const auto kind :
       {DependencyKind::match, DependencyKind::action, DependencyKind::read_after_write}) {
    Design design;
    design.objects = {object("a", array_of(1024, 32)),
                      object("b", array_of(1024, 32), {{"a", kind}})};
    EXPECT_EQ(place_on(design, "tofino2").stages_used(), 2u);
  }
}

TEST(Placement, FieldsReadByTwoObjectsCountOnce) {
  RegisterSpec hashed = array_of(1024, 32);
  hashed.index = IndexSource::hash;  // 13 bytes
  hashed.reads = {"flow"};
  const Placement shared = place_on(row_of(hashed, 4, false), "tofino2");
  EXPECT_EQ(shared.stages[0][Resource::exact_xbar], 13);
  hashed.reads = {};
  const Placement own = place_on(row_of(hashed, 4, false), "tofino2");
  EXPECT_EQ(own.stages[0][Resource::exact_xbar], 4 * 13);
}

// The number of registers in a stage is limited by its ALUs and hash distribution units, of which
// an address takes one for each 16 bits; registers of other fields, widths or sizes have others.
// The compiler placed four that differ in one stage (s1_04_salu).
TEST(Placement, AnAddressTakesHashDistributionUnits) {
  const auto stages = [](std::vector<RegisterSpec> specs) {
    Design design;
    for (const auto& s : specs)
      design.objects.push_back(object("r" + std::to_string(design.objects.size()), s));
    return place_on(design, "tofino2").stages_used();
  };
  const RegisterSpec a = array_of(4096, 32), b = array_of(4096, 16), c = array_of(65536, 1);
  RegisterSpec other = a;
  other.reads = {"another"};
  RegisterSpec unnamed = a;
  unnamed.reads = {};
  EXPECT_EQ(stages({a, a, a, a}), 1u);
  EXPECT_EQ(stages({a, b, a, b}), 1u);
  EXPECT_EQ(stages({a, b, c, other}), 1u);
  EXPECT_EQ(stages({unnamed, unnamed, unnamed, unnamed}), 1u);
  // 17 bits take two of six units each: three in a stage; as one address all four.
  RegisterSpec wide = array_of(1 << 17, 1), wide_unnamed = wide;
  wide_unnamed.reads = {};
  EXPECT_EQ(stages({wide_unnamed, wide_unnamed, wide_unnamed}), 1u);
  EXPECT_EQ(stages({wide_unnamed, wide_unnamed, wide_unnamed, wide_unnamed}), 2u);
  EXPECT_EQ(stages({wide, wide, wide, wide}), 1u);
  const Placement p = place_on(row_of(a, 4, false), "tofino2");
  EXPECT_EQ(p.stages[0][Resource::hash_dist], 1);
  EXPECT_EQ(p.stages[0][Resource::hash_bits], 12);
}

// The gresses have header fields of their own, whatever their names.
TEST(Placement, GressesShareNoCrossbarBytes) {
  MatchSpec table = exact_table(32, 1024, 0);
  table.reads = {"dst"};
  Design design;
  design.objects = {object("in", table), object("also", table),
                    object("out", table, {}, Gress::egress)};
  EXPECT_EQ(place_on(design, "tofino2").stages[0][Resource::exact_xbar], 8);
}

TEST(Placement, ATableTooLargeIsCut) {
  for (const char* chip : {"tofino1", "tofino2"}) {
    for (const bool ternary : {false, true}) {
      const std::uint64_t entries = ternary ? 20000 : 700000;
      const Design design{
          "d",
          {object("big", ternary ? ternary_table(64, entries, 16) : exact_table(64, entries, 16))}};
      const Placement p = place_on(design, chip);
      EXPECT_TRUE(p.fits());
      EXPECT_GT(p.stages_used(), 1u);
      // Two parts of half a stage in each stage, and together at least the RAMs of all entries.
      EXPECT_EQ(p.stages_used(), (p.units.size() + 1) / 2);
      const Resource r = ternary ? Resource::tcam : Resource::sram;
      EXPECT_GE(p.total()[r], ternary ? 2 * (20000 + 511) / 512 : 700000 * 58 / 131072) << chip;
      for (std::size_t i = 0; i + 1 < p.units.size(); ++i)
        EXPECT_EQ(p.units[i].unit.label, "big[" + std::to_string(i) + "]");
    }
  }
}

TEST(Placement, WhatNeedsACutTableWaitsForItsLastPart) {
  Design design;
  design.objects = {object("big", ternary_table(40, 24 * 512 + 1, 0)),
                    object("after", array_of(1024, 32), {{"big", DependencyKind::match}})};
  const Placement p = place_on(design, "tofino2");
  ASSERT_EQ(p.units.size(), 4u);  // 12, 12 and 1 TCAM blocks
  EXPECT_EQ(p.units[2].unit.label, "big[2]");
  EXPECT_EQ(p.units[2].stage, 1u);
  EXPECT_EQ(p.units[3].unit.label, "after");
  EXPECT_EQ(p.units[3].stage, 2u);
}

// 18, 18 and 12 RAMs are the 48 of a stage, but each half of it has 6 left beside the large ones.
TEST(Placement, AShortfallCountsWhatIsReallyLeft) {
  ChipSpec one_stage = shipped_chip("tofino2");
  one_stage.stages = 1;
  Design design;
  design.objects = {object("a", array_of(17 * 4096, 32)), object("b", array_of(17 * 4096, 32)),
                    object("c", array_of(11 * 4096, 32))};
  const Placement p = place(design, one_stage);
  ASSERT_EQ(p.refused.size(), 2u);  // the stages, and what is in the second
  EXPECT_EQ(p.refused[1].object, "c");
  EXPECT_EQ(p.refused[1].resource, "map_ram");
  EXPECT_EQ(p.refused[1].need, 12);
  EXPECT_EQ(p.refused[1].have, 6);
}

TEST(Placement, TooManyDependentStagesAreRefused) {
  const Placement p = place_on(row_of(array_of(1024, 32), 22, true), "tofino2");
  EXPECT_FALSE(p.fits());
  EXPECT_EQ(p.stages_used(), 22u);
  ASSERT_EQ(p.refused.size(), 3u);
  EXPECT_EQ(p.refused[0].object, "row");
  EXPECT_EQ(p.refused[0].resource, "stages");
  EXPECT_EQ(p.refused[0].need, 22);
  EXPECT_EQ(p.refused[0].have, 20);
  EXPECT_EQ(p.refused[0].why, "22 stages needed, tofino2 has 20");
  EXPECT_EQ(p.refused[1].object, "o20");
  EXPECT_EQ(p.refused[1].resource, "dependency");
  EXPECT_EQ(p.refused[1].stage, 19);
  EXPECT_EQ(p.refused[2].object, "o21");
}

// An object behind one that no stage holds has no place either, and says why.
TEST(Placement, WhatComesAfterTheUnplaceableIsRefusedForIt) {
  Design design;
  design.objects = {object("wide", ternary_table(600, 100, 0)),  // 75 bytes of a crossbar of 66
                    object("behind", ActionSpec{}, {{"wide", DependencyKind::action}})};
  const Placement p = place_on(design, "tofino2");
  ASSERT_EQ(p.refused.size(), 2u);
  EXPECT_EQ(p.refused[0].why, "no stage holds it: 75 ternary crossbar bytes needed, 66 in a stage");
  EXPECT_EQ(p.refused[1].object, "behind");
  EXPECT_EQ(p.refused[1].why, "comes after an object that cannot be placed");
  EXPECT_EQ(p.refused[1].stage, -1);  // in none
}

TEST(Placement, TooManyAlusAreRefused) {
  const Placement p = place_on(row_of(array_of(1024, 32), 81, false), "tofino2");
  EXPECT_FALSE(p.fits());
  EXPECT_EQ(p.stages_used(), 21u);
  ASSERT_EQ(p.refused.size(), 2u);
  EXPECT_EQ(p.refused[0].resource, "stages");
  EXPECT_EQ(p.refused[1].object, "o80");
  EXPECT_EQ(p.refused[1].resource, "stateful_alu");
  EXPECT_EQ(p.refused[1].stage, 19);
  EXPECT_EQ(p.refused[1].need, 1);
  EXPECT_EQ(p.refused[1].have, 0);
  EXPECT_TRUE(place_on(row_of(array_of(1024, 32), 80, false), "tofino2").fits());
}

TEST(Placement, WhatNoStageHoldsIsRefused) {
  HashSpec wide;
  wide.input_bits = 129 * 8;
  const Placement p = place_on({"d", {object("h", wide)}}, "tofino2");
  EXPECT_FALSE(p.fits());
  EXPECT_TRUE(p.units.empty());
  ASSERT_EQ(p.refused.size(), 1u);
  EXPECT_EQ(p.refused[0].object, "h");
  EXPECT_EQ(p.refused[0].resource, "exact_xbar");
  EXPECT_EQ(p.refused[0].need, 129);
  EXPECT_EQ(p.refused[0].have, 128);
}

TEST(Placement, WhatHasNoPriceIsRefusedFirst) {
  Design design = row_of(array_of(1024, 32), 2, false);
  design.objects.push_back(object("wide", array_of(96 * 1024, 32)));
  const Placement p = place_on(design, "tofino2");
  ASSERT_EQ(p.refused.size(), 1u);
  EXPECT_EQ(p.refused[0].object, "wide");
  EXPECT_EQ(p.refused[0].rewrite, "pieces = 2 (now 1), or at most 94208 entries");
  EXPECT_EQ(p.units.size(), 2u);  // the rest has its place all the same
}

TEST(Placement, TheSameDesignHasTheSamePlaces) {
  Design design = row_of(array_of(40000, 32), 9, false);
  design.objects.push_back(object("big", exact_table(128, 200000, 32)));
  design.objects.push_back(
      object("t", ternary_table(64, 4096, 16), {{"o3", DependencyKind::match}}));
  const Placement a = place_on(design, "tofino2"), b = place_on(design, "tofino2");
  ASSERT_EQ(a.units.size(), b.units.size());
  for (std::size_t i = 0; i < a.units.size(); ++i) {
    EXPECT_EQ(a.units[i].unit.label, b.units[i].unit.label);
    EXPECT_EQ(a.units[i].stage, b.units[i].stage);
    EXPECT_EQ(a.units[i].unit.needs, b.units[i].unit.needs);
  }
  EXPECT_EQ(a.stages, b.stages);
  EXPECT_EQ(a.latency[0], b.latency[0]);
  EXPECT_EQ(a.latency[1], b.latency[1]);
}

TEST(Placement, InstructionsShareWords) {
  const auto plain = [](unsigned n) { return std::vector<Instruction>(n); };
  EXPECT_EQ(vliw_words({}), 0);
  EXPECT_EQ(vliw_words({{{}, true}}), 0);
  EXPECT_EQ(vliw_words(plain(1)), 1);  // beside the no-op
  EXPECT_EQ(vliw_words(plain(2)), 2);
  EXPECT_EQ(vliw_words(plain(3)), 2);
  EXPECT_EQ(vliw_words({{{"x"}}, {{"x"}}, {{"x"}}}), 3);
  EXPECT_EQ(vliw_words({{{"x"}}, {{"x"}}, {{"x"}}, {{"y"}}, {{"y"}}}), 3);
  // Two instructions that write several: one beside the first, one beside the no-op.
  EXPECT_EQ(vliw_words({{{"x"}}, {{"a", "b"}}, {{"a", "b"}}}), 2);
}

}  // namespace
}  // namespace horae::dataplane::placement_test
