// Prices of tables of every kind, and of objects at their entries. Blocks as the vendor's compiler
// reported them of its example programs (tb/validate/compiler/programs.toml).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "designs.hpp"
#include "horae/dataplane/place/placement.hpp"
#include "horae/dataplane/price/ledger.hpp"
#include "horae/dataplane/price/price.hpp"

namespace horae::dataplane::table_kinds_test {
namespace {

Ledger account(std::vector<DesignObject> objects, const std::string& chip = "tofino1") {
  const Design design{"d", std::move(objects)};
  return make_ledger(design, shipped_chip(chip), place(design, shipped_chip(chip)));
}

Amounts total_of(std::vector<DesignObject> objects, const std::string& chip = "tofino1") {
  const Ledger ledger = account(std::move(objects), chip);
  EXPECT_TRUE(ledger.refused.empty()) << refusals_text(ledger.refused);
  return ledger.total;
}

// Amounts that an object adds to its table.
Amounts added(const DesignObject& table, const DesignObject& more) {
  Amounts amounts = total_of({table, more});
  const Amounts bare = total_of({table});
  Amounts out;
  for (const Resource r : all_resources) out[r] = amounts[r] - bare[r];
  return out;
}

RegisterSpec pair_of(std::string table, bool direct) {
  RegisterSpec spec;
  spec.pair = true;
  spec.table = std::move(table);
  spec.direct = direct;
  return spec;
}

MatchSpec kind_of(MatchKind kind, std::uint32_t key_bits, std::uint64_t entries) {
  MatchSpec spec = exact_table(key_bits, entries, 9);
  spec.kind = kind;
  return spec;
}

TEST(DirectRegister, HasACellForEachEntryThatTheRamsHold) {
  // 1024 entries of 48 bits lie in four RAMs of one entry a row: 4096 cells of 64 bits, two in a
  // word.
  const Amounts more =
      added(object("t", exact_table(48, 1024, 0)), object("r", pair_of("t", true)));
  EXPECT_EQ(more[Resource::sram], 3);
  EXPECT_EQ(more[Resource::map_ram], 3);
  EXPECT_EQ(more[Resource::stateful_alu], 1);
}

TEST(RegisterOfATable, HasNoTableGatewayOrHashOfItsOwn) {
  RegisterSpec spec = pair_of("t", false);
  spec.entries = 1024;
  spec.index = IndexSource::data;
  const Amounts more = added(object("t", exact_table(48, 1024, 0)), object("r", spec));
  EXPECT_EQ(more[Resource::sram], 2);
  EXPECT_EQ(more[Resource::map_ram], 2);
  EXPECT_EQ(more[Resource::stateful_alu], 1);
  for (const Resource r : {Resource::logical_table, Resource::gateway, Resource::hash_dist,
                           Resource::hash_bits, Resource::exact_xbar, Resource::vliw})
    EXPECT_EQ(more[r], 0) << resource_name(r);
}

TEST(RegisterOfATable, IsAddressedThroughHashDistributionByAField) {
  RegisterSpec spec = pair_of("t", false);
  spec.entries = 1024;
  const Amounts more = added(object("t", exact_table(48, 1024, 0)), object("r", spec));
  EXPECT_EQ(more[Resource::hash_dist], 1);
  EXPECT_EQ(more[Resource::hash_bits], 10);
  EXPECT_EQ(more[Resource::gateway], 0);
}

TEST(Register, AtAKnownIndexNeedsNoGatewayAndNoHash) {
  RegisterSpec spec = array_of(1024, 1);
  spec.index = IndexSource::constant;
  const Amounts all = total_of({object("r", spec)});
  EXPECT_EQ(all[Resource::logical_table], 1);
  EXPECT_EQ(all[Resource::gateway], 0);
  EXPECT_EQ(all[Resource::hash_dist], 0);
}

TEST(Register, OfATableIsInItsStage) {
  const Ledger ledger = account({object("first", exact_table(32, 1024, 8)),
                                 object("t", exact_table(48, 1024, 0), {{"first"}}),
                                 object("r", pair_of("t", true))});
  EXPECT_EQ(ledger.objects[2].stages(), std::vector<unsigned>{1});
}

TEST(DirectCounter, CountsPacketsAndBytesTwoToAWordOrOne) {
  CounterSpec spec;
  spec.table = "t";
  spec.direct = true;
  spec.kind = CounterKind::packets_and_bytes;
  const auto table = object("t", exact_table(48, 1024, 9));
  EXPECT_EQ(added(table, object("c", spec))[Resource::map_ram], 3);
  spec.width = 64;
  EXPECT_EQ(added(table, object("c", spec))[Resource::map_ram], 5);
  spec.kind = CounterKind::one;
  EXPECT_EQ(added(table, object("c", spec))[Resource::map_ram], 3);
}

TEST(DirectMeter, AMeterHasColoursAndAFilterHasNot) {
  MeterSpec spec;
  spec.table = "t";
  spec.direct = true;
  const auto table = object("t", exact_table(48, 1024, 0));
  EXPECT_EQ(added(table, object("m", spec))[Resource::map_ram], 6);
  for (const MeterKind kind : {MeterKind::lpf, MeterKind::wred}) {
    spec.kind = kind;
    const Amounts more = added(table, object("m", spec));
    EXPECT_EQ(more[Resource::map_ram], 5);
    EXPECT_EQ(more[Resource::sram], 5);
    EXPECT_EQ(more[Resource::stateful_alu], 1);
  }
}

TEST(Range, TakesTwoRowsForEachDigitButOne) {
  MatchSpec spec = kind_of(MatchKind::range, 48, 1024);
  spec.range_bits = 16;
  // A quarter of the entries takes 7 rows: 2560, five blocks; 32 bits and 16 stored twice: two
  // wide.
  EXPECT_EQ(total_of({object("r", spec)})[Resource::tcam], 10);
  spec.range_percent = 0;
  EXPECT_EQ(total_of({object("r", spec)})[Resource::tcam], 4);
  spec.range_percent = 100;
  spec.entries = 512;
  EXPECT_EQ(total_of({object("r", spec)})[Resource::tcam], 14);
  spec.entries = 1024;  // more than a stage: three parts
  EXPECT_EQ(account({object("r", spec)}).objects[0].parts.size(), 2u);
  spec.range_percent = 25;
  spec.range_bits = 4;  // one digit: one row
  EXPECT_EQ(total_of({object("r", spec)})[Resource::tcam], 4);
}

// TCAMs side by side of a table with these ranges.
std::int64_t wide(unsigned key, std::vector<std::uint32_t> ranges,
                  std::vector<std::uint32_t> containers = {}) {
  MatchSpec spec = kind_of(MatchKind::range, key, 512);
  spec.ranges = std::move(ranges);
  spec.range_containers = std::move(containers);
  spec.range_percent = 0;
  return total_of({object("r", spec)})[Resource::tcam];
}

// Amounts of the compiler: 12 bits (precision) and 16 of a container of 16 (s2_02_tcam, t12, with 8
// bits more) in one; 16 of a container of 32 (s2_02_tcam, t3; rtt, with 8 more) and 20 (netcache)
// in two.
TEST(Range, AByteInBothDigitsReachesTwoPlacesOfATcamFromAWideContainerOnce) {
  EXPECT_EQ(wide(12, {12}), 1);
  EXPECT_EQ(wide(16, {16}), 1);
  EXPECT_EQ(wide(24, {16}), 1);
  EXPECT_EQ(wide(16, {16}, {32}), 2);
  EXPECT_EQ(wide(24, {16}, {32}), 2);
  EXPECT_EQ(wide(20, {20}), 2);
  EXPECT_EQ(wide(20, {20}, {8}), 1);
  EXPECT_EQ(wide(8, {8}, {32}), 1);  // one byte in both digits
  EXPECT_EQ(wide(12, {12}, {32}), 1);
  EXPECT_EQ(wide(15, {15}, {32}), 2);  // 7 bits of a byte are two digits
}

// Each range has TCAMs of its own, and the longest decides the rows.
TEST(Range, SeveralLieSideBySide) {
  EXPECT_EQ(wide(16, {8, 8}), 2);
  EXPECT_EQ(wide(48, {16, 16, 16}), 3);
  EXPECT_EQ(wide(32, {16, 16}, {32, 16}), 3);
  MatchSpec spec = kind_of(MatchKind::range, 24, 512);
  spec.ranges = {4, 20};
  spec.range_percent = 100;  // eight rows for each entry: 8 blocks, 1 + 2 wide
  EXPECT_EQ(total_of({object("r", spec)})[Resource::tcam], 24);
  spec.ranges = {4, 21};
  const auto refused = account({object("r", spec)}).refused;
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].need, 21);
  EXPECT_EQ(refused[0].have, 20);
}

TEST(Lpm, IsTernary) {
  const Amounts prefixes = total_of({object("t", kind_of(MatchKind::lpm, 42, 1024))});
  const Amounts masks = total_of({object("t", kind_of(MatchKind::ternary, 42, 1024))});
  EXPECT_TRUE(prefixes == masks);
  EXPECT_EQ(prefixes[Resource::tcam], 4);
}

TEST(Atcam, ComparesAPartitionInSram) {
  MatchSpec spec = kind_of(MatchKind::atcam, 32, 32768);
  spec.partitions = 1024;
  spec.actions = 2;
  const Amounts all = total_of({object("t", spec)});
  // 32 entries in a partition, three in two RAMs: eleven deep, five of which are ranked together.
  EXPECT_EQ(all[Resource::sram], 22);
  EXPECT_EQ(all[Resource::logical_table], 3);
  EXPECT_EQ(all[Resource::tcam], 0);
  EXPECT_EQ(all[Resource::hash_bits], 10);
}

// A key of 60 bits under a mask is stored twice, with 4 bits of version: 124 of a RAM's 128. An
// address of ten bits beside it, of a member of a profile, makes a second RAM.
TEST(Atcam, APointerIsPartOfTheEntry) {
  MatchSpec spec = kind_of(MatchKind::atcam, 60, 1024);
  spec.partitions = 1024;
  spec.data_bits = 0;
  const ChipSpec& chip = shipped_chip("tofino1");
  EXPECT_EQ(lay_out_atcam(spec, 1024, chip, {}).value().match_blocks, 1);
  EXPECT_EQ(lay_out_atcam(spec, 1024, chip, {.pointer_bits = 4}).value().match_blocks, 1);
  EXPECT_EQ(lay_out_atcam(spec, 1024, chip, {.pointer_bits = 5}).value().match_blocks, 2);
  EXPECT_EQ(total_of({object("t", spec), object("p", ProfileSpec{1024, 16, "t"})})[Resource::sram],
            2 + 1);  // 1024 members of 16 bits
}

TEST(Alpm, IsATernaryTableAndAnAtcamBehindIt) {
  MatchSpec spec = kind_of(MatchKind::alpm, 42, 1024);
  spec.masked_bits = 32;
  spec.partitions = 1024;
  spec.data_bits = 105;
  const Ledger ledger = account({object("t", spec)});
  EXPECT_EQ(ledger.total[Resource::tcam], 8);
  EXPECT_EQ(ledger.total[Resource::sram], 5);
  EXPECT_EQ(ledger.total[Resource::logical_table], 2);
  EXPECT_EQ(ledger.stages_used(), 2u);
}

TEST(Alpm, WhatItOverwritesDelaysOnlyItsEntries) {
  MatchSpec spec = kind_of(MatchKind::alpm, 42, 1024);
  spec.partitions = 1024;
  const auto first = object("first", exact_table(32, 1024, 8));
  EXPECT_EQ(account({first, object("t", spec, {{"first", DependencyKind::action}})}).stages_used(),
            2u);
  EXPECT_EQ(account({first, object("t", spec, {{"first", DependencyKind::match}})}).stages_used(),
            3u);
}

TEST(Selector, TakesAnAluAndAWordForEach120Members) {
  const auto table = object("t", exact_table(9, 512, 0));
  SelectorSpec spec;
  spec.table = "t";
  spec.groups = 100;
  spec.group_size = 200;
  const Amounts more = added(table, object("s", spec));
  EXPECT_EQ(more[Resource::sram], 2);
  EXPECT_EQ(more[Resource::map_ram], 2);
  EXPECT_EQ(more[Resource::stateful_alu], 1);
  EXPECT_EQ(more[Resource::logical_table], 0);
  spec.groups = 1024;
  EXPECT_EQ(added(table, object("s", spec))[Resource::sram], 3);
  spec.group_size = 120;
  EXPECT_EQ(added(table, object("s", spec))[Resource::sram], 2);
}

TEST(Profile, HoldsTheDataThatEntriesPointAt) {
  MatchSpec table = exact_table(9, 512, 0);
  table.actions = 3;
  EXPECT_EQ(added(object("t", table), object("p", ProfileSpec{20000, 16, "t"}))[Resource::sram], 3);
  EXPECT_EQ(added(object("t", table), object("p", ProfileSpec{20000, 32, "t"}))[Resource::sram], 5);
}

TEST(IdleTimeout, TakesMapRamOnly) {
  MatchSpec table = exact_table(48, 1024, 9);
  const Amounts bare = total_of({object("t", table)});
  // Two entries in a row of four RAMs, as many as fit: 8192 timers.
  const std::vector<std::pair<std::uint32_t, int>> blocks = {{1, 1}, {2, 2}, {3, 4}, {6, 8}};
  for (const auto& [bits, rams] : blocks) {
    table.idle_bits = bits;
    const Amounts all = total_of({object("t", table)});
    EXPECT_EQ(all[Resource::map_ram], rams) << bits;
    EXPECT_EQ(all[Resource::sram], bare[Resource::sram]);
  }
}

TEST(ConstantEntries, FourAreAGatewayOfTofino2) {
  MatchSpec table = exact_table(16, 4, 8);
  table.constant = true;
  const Amounts few = total_of({object("t", table)}, "tofino2");
  EXPECT_EQ(few[Resource::sram], 0);
  EXPECT_EQ(few[Resource::gateway], 1);
  EXPECT_EQ(few[Resource::logical_table], 1);
  EXPECT_GT(total_of({object("t", table)}, "tofino1")[Resource::sram], 0);
  table.entries = 5;
  EXPECT_GT(total_of({object("t", table)}, "tofino2")[Resource::sram], 0);
}

// Tofino's gateways have one payload for all rows.
TEST(ConstantEntries, OneIsAGatewayOfTofino) {
  MatchSpec table = exact_table(16, 1, 5);
  table.constant = true;
  table.miss = MissAction::listed;
  const Amounts one = total_of({object("t", table)}, "tofino1");
  EXPECT_EQ(one[Resource::sram], 0);
  EXPECT_EQ(one[Resource::gateway], 1);
  EXPECT_EQ(one[Resource::logical_table], 1);
  table.entries = 2;
  EXPECT_EQ(total_of({object("t", table)}, "tofino1")[Resource::gateway], 0);
  MatchSpec range = kind_of(MatchKind::range, 16, 1);  // a gateway's row has none
  range.range_bits = 16;
  range.constant = true;
  EXPECT_EQ(total_of({object("t", range)}, "tofino1")[Resource::gateway], 0);
}

// Its gateway is taken: what decides whether it is looked up has one of its own.
TEST(ConstantEntries, AConditionHasAGatewayBesideThem) {
  MatchSpec table = exact_table(16, 4, 8);
  table.constant = true;
  const auto test = object("c", guarding(condition(ConditionKind::eq, 8), {"t"}));
  const Amounts all = total_of({object("t", table), test}, "tofino2");
  EXPECT_EQ(all[Resource::gateway], 2);
  EXPECT_EQ(all[Resource::logical_table], 2);
  // Beside entries in RAMs it shares their logical table.
  table.constant = false;
  EXPECT_EQ(total_of({object("t", table), test}, "tofino2")[Resource::logical_table], 1);
}

TEST(Actions, AsManyAsInstructionMemoryHolds) {
  MatchSpec table = exact_table(32, 1024, 8);
  table.actions = 25;
  EXPECT_EQ(total_of({object("t", table)})[Resource::vliw], 13);  // and the no-op
  table.actions = 63;
  EXPECT_EQ(total_of({object("t", table)})[Resource::vliw], 32);
  table.actions = 64;
  const Ledger many = account({object("t", table)});
  ASSERT_EQ(many.refused.size(), 1u);
  EXPECT_EQ(many.refused[0].resource, "vliw");
  EXPECT_EQ(many.refused[0].need, 33);
}

TEST(Actions, WhatWritesOneFieldSharesNoWord) {
  MatchSpec table = exact_table(32, 1024, 8);
  table.actions = 2;
  table.writes = {"port", "port"};
  EXPECT_EQ(total_of({object("t", table)})[Resource::vliw], 2);
  table.miss = MissAction::listed;
  EXPECT_EQ(total_of({object("t", table)})[Resource::vliw], 2);
  // The second action without instructions has a place of its own.
  table.actions = 1;
  table.writes = {""};
  table.miss = MissAction::no_op;
  EXPECT_EQ(
      total_of({object("a", table), object("b", table), object("c", ActionSpec{})})[Resource::vliw],
      2);
}

TEST(ExactTable, DataOfWideContainersTakesWideSlots) {
  MatchSpec table = exact_table(128, 16384, 16);
  EXPECT_EQ(total_of({object("t", table)}, "tofino2")[Resource::sram], 18);
  table.slot_bits = 32;  // 16 bits that go to a container of 32
  EXPECT_EQ(total_of({object("t", table)}, "tofino2")[Resource::sram], 20);
  EXPECT_EQ(total_of({object("t", table)}, "tofino2")[Resource::hash_bits], 48);
}

TEST(ExactTable, WhatGoesToTheActionIsInOneRam) {
  // Five entries with 33 bits for the action do not fit into four RAMs that pass on 64 bits each.
  MatchSpec table = exact_table(72, 65536, 32);
  table.actions = 2;
  EXPECT_EQ(total_of({object("t", table)}, "tofino2")[Resource::sram], 56);
  // In a key of 40 bits the hash makes a byte superfluous: seven entries in two RAMs.
  table = exact_table(40, 32768, 32);
  table.actions = 2;
  EXPECT_EQ(total_of({object("t", table)}, "tofino1")[Resource::sram], 19);
}

// Ten bits of the hash spare whole bytes of the key, those of fewer bits first: of 90 bits the two
// odd ones and a byte, so that three entries are 30 of the 32 bytes of two RAMs (and 3 x 84 of 256
// bits); of 91 bits the three odd ones alone, 3 x 11 bytes, and an entry has a RAM of its own.
TEST(ExactTable, TheHashSparesWholeBytesOfTheKey) {
  const std::uint64_t entries = 12 * 1024;
  const auto rams = [&](std::uint32_t key_bits) {
    return total_of({object("t", exact_table(key_bits, entries, 0))}, "tofino2")[Resource::sram];
  };
  EXPECT_EQ(rams(90), 4 * 2);
  EXPECT_EQ(rams(91), 12);
  EXPECT_EQ(rams(88), 4 * 2);  // ten bytes
}

TEST(ExactTable, AKeyOfFewBitsHasFewEntries) {
  EXPECT_EQ(total_of({object("t", exact_table(8, 100000, 8))})[Resource::sram], 1);
}

}  // namespace
}  // namespace horae::dataplane::table_kinds_test
