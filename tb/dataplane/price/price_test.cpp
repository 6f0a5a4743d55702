// Prices of single objects. The numbers are written out by hand: blocks of registers from the size
// of an SRAM block, match tables as measured on the vendor compiler.
#include "horae/dataplane/price/price.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "designs.hpp"
#include "horae/dataplane/place/placement.hpp"

namespace horae::dataplane::price_test {
namespace {

ObjectPrice price_of(ObjectSpec spec, const std::string& chip = "tofino2") {
  return price_object(object("o", std::move(spec)), shipped_chip(chip));
}

// Needs of the only unit of an object.
Amounts needs_of(ObjectSpec spec, const std::string& chip = "tofino2") {
  const ObjectPrice price = price_of(std::move(spec), chip);
  EXPECT_TRUE(price.refused.empty());
  EXPECT_EQ(price.units.size(), 1u);
  return price.units.empty() ? Amounts{} : price.units.front().alone();
}

// RAMs of a register, or -1 when it is refused.
std::int64_t rams_of(const RegisterSpec& spec, const std::string& chip) {
  const ObjectPrice price = price_of(spec, chip);
  if (!price.refused.empty()) return -1;
  const Amounts& needs = price.units.front().needs;
  EXPECT_EQ(needs[Resource::sram], needs[Resource::map_ram]);
  return needs[Resource::sram];
}

TEST(Price, RegistersTakeDataBlocksAndASpare) {
  struct Case {
    std::uint64_t entries;
    std::uint32_t width;
    std::int64_t rams;
  };
  // ceil(entries * width / 131072) + 1
  const std::vector<Case> cases = {
      {1, 1, 2},           {131072, 1, 2}, {131073, 1, 3}, {2 << 20, 1, 17},
      {16384, 8, 2},       {16385, 8, 3},  {65536, 8, 5},  {8192, 16, 2},
      {65536, 16, 9},      {4096, 32, 2},  {4097, 32, 3},  {65536, 32, 17},
      {92 * 1024, 32, 24}, {2048, 64, 2},  {2049, 64, 3},  {46 * 1024, 64, 24},
  };
  for (const auto& c : cases) {
    for (const char* chip : {"tofino1", "tofino2"}) {
      EXPECT_EQ(rams_of(array_of(c.entries, c.width), chip), c.rams)
          << c.entries << " x " << c.width << " on " << chip;
    }
  }
}

TEST(Price, ARegisterOfAnyPriceHasOneAluGatewayAndTable) {
  for (const std::uint64_t entries : {1ull, 1024ull, 90000ull}) {
    const Amounts needs = needs_of(array_of(entries, 32));
    EXPECT_EQ(needs[Resource::stateful_alu], 1);
    EXPECT_EQ(needs[Resource::statistics_alu], 0);
    EXPECT_EQ(needs[Resource::gateway], 1);
    EXPECT_EQ(needs[Resource::logical_table], 1);
  }
}

TEST(Price, APairIsTwoWords) {
  for (const char* chip : {"tofino1", "tofino2"}) {
    RegisterSpec pair = array_of(46 * 1024, 32);
    pair.pair = true;
    EXPECT_EQ(rams_of(pair, chip), 24);
    EXPECT_EQ(rams_of(pair, chip), rams_of(array_of(46 * 1024, 64), chip));
    pair = array_of(65536, 8);
    pair.pair = true;
    EXPECT_EQ(rams_of(pair, chip), 9);
  }
}

TEST(Price, WidthsAreThoseOfTheChip) {
  RegisterSpec pair = array_of(1024, 64);
  pair.pair = true;  // 128 bits
  EXPECT_EQ(rams_of(pair, "tofino2"), 2);
  const ObjectPrice refused = price_of(pair, "tofino1");
  EXPECT_TRUE(refused.units.empty());
  ASSERT_EQ(refused.refused.size(), 1u);
  EXPECT_EQ(refused.refused[0].object, "o");
  EXPECT_EQ(refused.refused[0].resource, "width");
  EXPECT_EQ(refused.refused[0].need, 128);
  EXPECT_EQ(refused.refused[0].have, 64);
  EXPECT_EQ(refused.refused[0].why, "cells of 128 bits; tofino1 has 1, 8, 16, 32, 64");
  EXPECT_EQ(rams_of(array_of(1024, 24), "tofino2"), -1);
  EXPECT_EQ(rams_of(array_of(1024, 2), "tofino2"), -1);
}

TEST(Price, OneAluReachesTwentyFourRamsOfTofino2) {
  EXPECT_EQ(rams_of(array_of(92 * 1024, 32), "tofino2"), 24);
  EXPECT_EQ(rams_of(array_of(92 * 1024 + 1, 32), "tofino2"), -1);
  const ObjectPrice price = price_of(array_of(96 * 1024, 32));
  EXPECT_TRUE(price.units.empty());
  ASSERT_EQ(price.refused.size(), 1u);
  EXPECT_EQ(price.refused[0].resource, "map_ram");
  EXPECT_EQ(price.refused[0].stage, -1);
  EXPECT_EQ(price.refused[0].need, 25);
  EXPECT_EQ(price.refused[0].have, 24);
  EXPECT_EQ(price.refused[0].why,
            "24 data blocks and 1 spare in one array; one ALU of tofino2 reaches 23 and 1");
  EXPECT_EQ(price.refused[0].rewrite, "pieces = 2 (now 1), or at most 94208 entries");
}

TEST(Price, OneAluReachesThirtySixRamsOfTofino1) {
  EXPECT_EQ(rams_of(array_of(140 * 1024, 32), "tofino1"), 36);
  const ObjectPrice price = price_of(array_of(144 * 1024, 32), "tofino1");
  ASSERT_EQ(price.refused.size(), 1u);
  EXPECT_EQ(price.refused[0].need, 37);
  EXPECT_EQ(price.refused[0].have, 36);
  EXPECT_EQ(price.refused[0].rewrite, "pieces = 2 (now 1), or at most 143360 entries");
}

TEST(Price, WhatARefusalSuggestsIsAccepted) {
  for (const std::uint64_t entries : {96ull * 1024, 188417ull, 1ull << 20, 1000003ull}) {
    const ObjectPrice price = price_of(array_of(entries, 32));
    ASSERT_EQ(price.refused.size(), 1u);
    const std::string& rewrite = price.refused[0].rewrite;
    ASSERT_EQ(rewrite.rfind("pieces = ", 0), 0u) << rewrite;
    const auto pieces = static_cast<std::uint32_t>(std::stoul(rewrite.substr(9)));
    EXPECT_TRUE(price_of(array_of(entries, 32, pieces)).refused.empty()) << rewrite;
    EXPECT_FALSE(price_of(array_of(entries, 32, pieces - 1)).refused.empty()) << rewrite;
  }
}

TEST(Price, EachPieceHasItsOwnAluSpareAndGateway) {
  const ObjectPrice price = price_of(array_of(128 * 1024, 32, 4));
  ASSERT_EQ(price.units.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    const Unit& unit = price.units[i];
    EXPECT_EQ(unit.label, "o[" + std::to_string(i) + "]");
    EXPECT_EQ(unit.needs[Resource::sram], 9);  // 32 Ki x 32 bit: 8 and a spare
    EXPECT_EQ(unit.needs[Resource::map_ram], 9);
    EXPECT_EQ(unit.needs[Resource::stateful_alu], 1);
    EXPECT_EQ(unit.needs[Resource::gateway], 1);
    EXPECT_EQ(unit.needs[Resource::logical_table], 1);
    ASSERT_EQ(unit.memories.size(), 1u);
    EXPECT_EQ(unit.memories[0].rams, 9);
    EXPECT_FALSE(unit.memories[0].statistics);
  }
}

// Pieces that fill the fewest cores. A core of a Tofino has 48 RAMs: of 100 data blocks four pieces
// of 25 and a spare are four cores, eight of 14 are three to a core, three cores, and sixteen of 8,
// four to a core (its ALUs), are four again. A core of a Tofino2 is half as large, with two ALUs.
TEST(Price, PiecesOfItsOwnChoiceFillTheFewestStages) {
  EXPECT_EQ(price_of(array_of(100 * 4096, 32, 0), "tofino1").units.size(), 8u);
  EXPECT_EQ(price_of(array_of(35 * 4096, 32, 0), "tofino1").units.size(), 1u);
  EXPECT_EQ(price_of(array_of(94 * 4096, 32, 0), "tofino2").units.size(), 8u);
  EXPECT_EQ(price_of(array_of(92 * 4096, 32, 0), "tofino2").units.size(), 4u);
}

// Results of an ALU, a hash or the random generator go to the action over the bus of action data.
TEST(Price, ResultsTakeBytesOfTheActionDataBus) {
  const auto bytes = [](ObjectSpec spec) {
    return needs_of(std::move(spec))[Resource::action_data_bus];
  };
  EXPECT_EQ(bytes(array_of(1024, 1)), 1);
  EXPECT_EQ(bytes(array_of(1024, 16)), 2);
  EXPECT_EQ(bytes(array_of(1024, 32)), 4);
  HashSpec hash;
  hash.output_bits = 12;
  EXPECT_EQ(bytes(hash), 2);
  EXPECT_EQ(bytes(RandomSpec{9}), 2);
  EXPECT_EQ(bytes(exact_table(32, 1024, 17)), 3);
  EXPECT_EQ(bytes(ActionSpec{}), 0);
}

// Two actions, around again or on, and the gateway that tells loops left from none.
TEST(Price, ARecirculationHasTwoTablesAndAGateway) {
  const Amounts needs = needs_of(RecirculateSpec{});
  EXPECT_EQ(needs[Resource::logical_table], 2);
  EXPECT_EQ(needs[Resource::gateway], 1);
  EXPECT_EQ(needs[Resource::vliw], 2);
}

// A condition that guards an access takes the place of the gateway that it runs behind.
TEST(Price, AGuardTakesThePlaceOfAGateway) {
  RegisterSpec twice = array_of(1024, 32);
  twice.accesses = 2;
  Design design;
  design.objects = {object("r", twice),
                    object("c", guarding(condition(ConditionKind::eq, 8), {"r"}))};
  const auto of = [&] { return price_design(design, shipped_chip("tofino2")).units; };
  ASSERT_EQ(of().size(), 1u);
  EXPECT_EQ(of()[0].own_gateways, 1u);  // of the other access
  EXPECT_EQ(of()[0].guard_room, 1u);
  EXPECT_EQ(of()[0].needs[Resource::gateway], 2);
  design.objects.push_back(object("d", guarding(condition(ConditionKind::eq, 8), {"r"})));
  ASSERT_EQ(of().size(), 1u);
  EXPECT_EQ(of()[0].own_gateways, 0u);
  EXPECT_EQ(of()[0].guard_room, 0u);
  EXPECT_EQ(of()[0].needs[Resource::gateway], 2);
  EXPECT_EQ(of()[0].needs[Resource::logical_table], 2);
}

TEST(Price, AnIndexTakesHashDistribution) {
  const Amounts small = needs_of(array_of(65536, 8));
  EXPECT_EQ(small[Resource::hash_bits], 16);
  EXPECT_EQ(small[Resource::hash_dist], 1);
  const Amounts large = needs_of(array_of(65537, 8));
  EXPECT_EQ(large[Resource::hash_bits], 17);
  EXPECT_EQ(large[Resource::hash_dist], 2);
}

TEST(Price, ExactTables) {
  struct Case {
    std::uint32_t key_bits;
    std::uint64_t entries;
    std::uint32_t data_bits;
    std::int64_t sram, hash_bits;
  };
  const std::vector<Case> cases = {
      {32, 1024, 16, 4, 40},  {128, 1024, 16, 5, 40},  {128, 16384, 32, 20, 48},
      {88, 2048, 16, 4, 40},  {88, 8192, 16, 8, 44},   {64, 16384, 32, 12, 44},
      {32, 16384, 16, 6, 40}, {88, 10000, 24, 10, 44},
  };
  for (const auto& c : cases) {
    const Amounts needs = needs_of(exact_table(c.key_bits, c.entries, c.data_bits));
    EXPECT_EQ(needs[Resource::sram], c.sram) << c.key_bits << " bits, " << c.entries;
    EXPECT_EQ(needs[Resource::hash_bits], c.hash_bits) << c.key_bits << " bits, " << c.entries;
    EXPECT_EQ(needs[Resource::tcam], 0);
    EXPECT_EQ(needs[Resource::gateway], 0);
    EXPECT_EQ(needs[Resource::logical_table], 1);
  }
  EXPECT_EQ(needs_of(exact_table(8, 256, 16))[Resource::sram], 1);  // the key is the address
  // With data apart it is, while it is shorter than an address; else it is hashed, in four ways
  // (one more holds half of the data, the other half is in the entries).
  EXPECT_EQ(needs_of(exact_table(9, 512, 64))[Resource::sram], 2);
  EXPECT_EQ(needs_of(exact_table(10, 1024, 64))[Resource::sram], 5);
}

TEST(Price, TernaryTables) {
  const Amounts one = needs_of(ternary_table(32, 512, 16));
  EXPECT_EQ(one[Resource::tcam], 1);
  EXPECT_EQ(one[Resource::sram], 1);
  EXPECT_EQ(one[Resource::hash_bits], 0);
  // 4 bits of a row are the entry's version: reported of keys of 40, 42, 48, 88 and 96 bits.
  EXPECT_EQ(needs_of(ternary_table(40, 512, 16))[Resource::tcam], 1);
  EXPECT_EQ(needs_of(ternary_table(41, 512, 16))[Resource::tcam], 2);
  EXPECT_EQ(needs_of(ternary_table(42, 512, 16))[Resource::tcam], 2);
  EXPECT_EQ(needs_of(ternary_table(40, 513, 16))[Resource::tcam], 2);
  EXPECT_EQ(needs_of(ternary_table(48, 512, 16))[Resource::tcam], 2);
  EXPECT_EQ(needs_of(ternary_table(88, 2048, 16))[Resource::tcam], 12);
  EXPECT_EQ(needs_of(ternary_table(96, 2048, 16))[Resource::tcam], 12);
  EXPECT_EQ(needs_of(ternary_table(64, 2048, 16))[Resource::tcam], 8);    // 2 wide, 4 deep
  EXPECT_EQ(needs_of(ternary_table(128, 2048, 16))[Resource::tcam], 12);  // 3 wide, 4 deep
}

// Data behind a hit in TCAM: the number of its action and 32 bits of data are a slot of 64 bits
// in one RAM; of 33 bits the data has a RAM of its own.
TEST(Price, ATernaryTablesDataIsBesideItsActionUpTo32Bits) {
  const auto sram = [](std::uint32_t data_bits, std::uint32_t actions) {
    MatchSpec table = ternary_table(40, 512, data_bits);
    table.actions = actions;
    return needs_of(table)[Resource::sram];
  };
  EXPECT_EQ(sram(32, 2), 1);
  EXPECT_EQ(sram(33, 2), 2);
  EXPECT_EQ(sram(33, 1), 1);  // no number
  EXPECT_EQ(sram(0, 1), 0);
}

// 33 bits are a word of 32 in RAMs of their own and a bit in the entry: nine entries in two RAMs,
// 22 of them, and 25 for the words. The compiler took 47 for both (72 with 64 bits for each).
TEST(Price, WhatIsOddOfActionDataStaysInTheEntry) {
  EXPECT_EQ(needs_of(exact_table(32, 100'000, 33))[Resource::sram], 47);
  const auto splits = [](std::uint32_t data, std::uint32_t slots = 0, std::uint32_t narrow = 0) {
    std::string out;
    for (const auto& s : action_data_splits(data, slots, shipped_chip("tofino2"), narrow))
      out += std::to_string(s.ram_bits) + "+" + std::to_string(s.entry_bits) + " ";
    return out;
  };
  EXPECT_EQ(splits(0), "0+0 ");
  EXPECT_EQ(splits(32), "32+0 0+32 ");
  EXPECT_EQ(splits(33), "33+0 32+1 ");
  EXPECT_EQ(splits(64), "64+0 32+32 ");
  EXPECT_EQ(splits(65), "65+0 64+1 ");
  EXPECT_EQ(splits(97), "97+0 ");  // 33 bits have no room in an entry
  EXPECT_EQ(splits(160), "160+0 128+32 ");
  EXPECT_EQ(splits(20, 64), "64+0 0+20 32+20 ");
  // Two bytes and 16 bits of a container of 32 are six bytes of slots, and an entry has four.
  EXPECT_EQ(splits(32, 48, 16), "48+0 16+16 32+16 ");
  EXPECT_EQ(splits(24, 32, 8), "32+0 0+24 ");
}

// However many fields an action sets: an instruction works on all containers at once. Two that set
// one field do not share a word.
TEST(Price, AnActionThatSetsManyFieldsIsOneInstruction) {
  Design design;
  design.objects = {object("a", ActionSpec{}), object("b", ActionSpec{})};
  design.objects[0].sets = {"f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7"};
  const auto words = [&] { return place(design, shipped_chip("tofino2")).total()[Resource::vliw]; };
  design.objects.pop_back();
  EXPECT_EQ(words(), 1);
  for (const char* name : {"b", "c", "d"}) {
    design.objects.push_back(object(name, ActionSpec{}));
    design.objects.back().sets = {std::string("f") + name};
  }
  EXPECT_EQ(words(), 3);  // four instructions and the no-op
  for (auto& o : design.objects) o.sets = {"f7"};
  EXPECT_EQ(words(), 4);
}

// Rounded to a power of two bytes; an entry wider than a word of 16 has several words.
TEST(Price, ActionDataApartTakesWholeWords) {
  const auto blocks = [](std::uint32_t data_bits) {
    return action_data_blocks(data_bits, 1024, shipped_chip("tofino2"));
  };
  EXPECT_EQ(blocks(8), 1);
  EXPECT_EQ(blocks(128), 1);
  EXPECT_EQ(blocks(129), 2);
  EXPECT_EQ(blocks(257), 4);
  EXPECT_EQ(blocks(512), 4);
}

// Eight RAMs of 128 bits; whatever the stage.
TEST(Price, AnEntryWiderThanAWideWordIsRefused) {
  const ObjectPrice price = price_of(exact_table(1040, 16, 0));
  EXPECT_TRUE(price.units.empty());
  ASSERT_EQ(price.refused.size(), 1u);
  EXPECT_EQ(price.refused[0].resource, "sram");
  EXPECT_EQ(price.refused[0].stage, -1);
  EXPECT_EQ(price.refused[0].need, 130);
  EXPECT_EQ(price.refused[0].have, 128);
}

TEST(Price, CountersOfEntries) {
  MatchSpec table = exact_table(32, 4096, 16);
  const Amounts bare = needs_of(table);
  table.counter = DirectCounter::packets;
  const Amounts packets = needs_of(table);
  EXPECT_EQ(packets[Resource::sram], bare[Resource::sram] + 2);
  EXPECT_EQ(packets[Resource::map_ram], 2);
  EXPECT_EQ(packets[Resource::statistics_alu], 1);
  EXPECT_EQ(packets[Resource::stateful_alu], 0);
  table.counter = DirectCounter::packets_and_bytes;
  const Amounts both = needs_of(table);
  EXPECT_EQ(both[Resource::sram], bare[Resource::sram] + 5);
  EXPECT_EQ(both[Resource::map_ram], 5);
  EXPECT_EQ(both[Resource::statistics_alu], 1);
}

TEST(Price, Meters) {
  MatchSpec table = exact_table(32, 4096, 16);
  table.meter = true;
  const Amounts direct = needs_of(table);
  EXPECT_EQ(direct[Resource::sram], 10);
  EXPECT_EQ(direct[Resource::map_ram], 6);
  EXPECT_EQ(direct[Resource::stateful_alu], 1);
  const Amounts indirect = needs_of(MeterSpec{4096, {}});
  EXPECT_EQ(indirect[Resource::sram], 5);
  EXPECT_EQ(indirect[Resource::map_ram], 6);
  EXPECT_EQ(indirect[Resource::stateful_alu], 1);
}

TEST(Price, IndirectCounters) {
  const Amounts narrow = needs_of(CounterSpec{4096, 32, {}});
  EXPECT_EQ(narrow[Resource::sram], 2);
  EXPECT_EQ(narrow[Resource::map_ram], 2);
  EXPECT_EQ(narrow[Resource::statistics_alu], 1);
  EXPECT_EQ(needs_of(CounterSpec{4096, 64, {}})[Resource::sram], 5);
  // Counted by a table of its own, which runs behind a gateway and reads its index by the hash.
  EXPECT_EQ(narrow[Resource::logical_table], 1);
  EXPECT_EQ(narrow[Resource::gateway], 1);
  EXPECT_EQ(narrow[Resource::hash_bits], 12);
  EXPECT_EQ(narrow[Resource::vliw], 1);
}

TEST(Price, ACounterOfATableIsInItsUnit) {
  Design design;
  design.objects = {object("routes", exact_table(32, 4096, 16)),
                    object("hits", CounterSpec{4096, 32, "routes"})};
  const DesignPrice price = price_design(design, shipped_chip("tofino2"));
  ASSERT_EQ(price.units.size(), 1u);
  const Unit& unit = price.units.front();
  EXPECT_EQ(unit.label, "routes");
  ASSERT_EQ(unit.shares.size(), 2u);
  EXPECT_EQ(unit.shares[1].object, 1u);
  EXPECT_EQ(unit.shares[1].amounts[Resource::sram], 2);
  EXPECT_EQ(unit.needs[Resource::logical_table], 1);
  EXPECT_EQ(unit.needs[Resource::statistics_alu], 1);
}

}  // namespace
}  // namespace horae::dataplane::price_test
