// Which conditions a gateway takes. A gateway compares four bytes, and twelve bits more by hash.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "designs.hpp"
#include "horae/dataplane/place/placement.hpp"
#include "horae/dataplane/price/price.hpp"

namespace horae::dataplane::condition_test {
namespace {

using enum ConditionKind;

struct Case {
  ConditionKind kind;
  std::uint32_t bits, terms;
  Join join;
  std::uint64_t constant;
  std::uint32_t gateways;  // 0: refused
  std::uint32_t crossbar_bytes = 0, hash_bits = 0;
};

void check(const std::vector<Case>& cases) {
  for (const auto& c : cases) {
    const ConditionSpec spec = condition(c.kind, c.bits, c.terms, c.join, c.constant);
    for (const char* chip : {"tofino1", "tofino2"}) {
      SCOPED_TRACE(std::string(condition_name(c.kind)) + " " + std::to_string(c.bits) + " x " +
                   std::to_string(c.terms) + (c.join == Join::all ? " and " : " or ") +
                   std::to_string(c.constant) + " on " + chip);
      const GatewayPrice price = price_condition(spec, shipped_chip(chip));
      EXPECT_EQ(price.gateways, c.gateways);
      EXPECT_EQ(price.crossbar_bytes, c.crossbar_bytes);
      EXPECT_EQ(price.hash_bits, c.hash_bits);
      EXPECT_EQ(price.refused.empty(), c.gateways > 0);
      EXPECT_EQ(price.rewrite.empty(), c.gateways > 0);
    }
  }
}

TEST(Condition, EqualsConstant) {
  check({{eq, 8, 1, Join::all, 0, 1, 1},
         {eq, 32, 1, Join::all, 0, 1, 4},
         {eq, 40, 1, Join::all, 0, 1, 5, 8},  // a byte by hash
         {eq, 48, 1, Join::all, 0, 0},        // two bytes would be 16 bits
         {eq, 8, 4, Join::all, 0, 1, 4},
         {eq, 8, 5, Join::all, 0, 1, 5, 8},
         {eq, 8, 6, Join::all, 0, 0},
         {eq, 16, 2, Join::all, 0, 1, 4},
         {eq, 16, 4, Join::all, 0, 0},
         {eq, 32, 2, Join::all, 0, 0}});
}

TEST(Condition, AlternativesStandInTurn) {
  check({{eq, 16, 2, Join::any, 0, 1, 4},
         {eq, 16, 4, Join::any, 0, 2, 8},
         {eq, 16, 5, Join::any, 0, 3, 10},
         {eq, 32, 2, Join::any, 0, 2, 8},
         {eq, 8, 8, Join::any, 0, 2, 8},
         {eq, 48, 2, Join::any, 0, 0},
         // "None of them" is the same, negated.
         {ne, 32, 2, Join::all, 0, 2, 8},
         {ne, 16, 4, Join::all, 0, 2, 8},
         {ne, 16, 4, Join::any, 0, 0},
         {ne, 8, 1, Join::all, 0, 1, 1}});
}

TEST(Condition, LessThanConstant) {
  check({// Only the bits above a power of two are compared.
         {lt, 16, 1, Join::all, 1024, 1, 1},
         {lt, 16, 1, Join::all, 256, 1, 1},
         {lt, 16, 1, Join::all, 128, 1, 2},
         {lt, 32, 1, Join::all, 1, 1, 4},
         {lt, 32, 1, Join::all, 1 << 24, 1, 1},
         {lt, 48, 1, Join::all, 1 << 16, 1, 4},
         {lt, 16, 1, Join::all, 1000, 0},
         {lt, 32, 1, Join::all, 1000000, 0}});
  for (const std::uint64_t constant : {1ull, 3ull, 100ull, 128ull, 200ull, 255ull})
    check({{lt, 8, 1, Join::all, constant, 1, 1, 8}});
  const GatewayPrice refused =
      price_condition(condition(lt, 16, 1, Join::all, 1000), shipped_chip("tofino2"));
  EXPECT_EQ(refused.refused,
            "16 bits compared with a range; a gateway compares 4 bytes and 12 bits");
  EXPECT_NE(refused.rewrite.find("a power of two as the constant"), std::string::npos);
}

TEST(Condition, BitsAndHeaders) {
  check({{bit, 1, 1, Join::all, 0, 1, 1},
         {bit, 1, 4, Join::all, 0, 1, 4},
         {bit, 1, 5, Join::all, 0, 1, 5, 8},
         {bit, 1, 6, Join::all, 0, 0},
         {valid, 1, 1, Join::all, 0, 1, 1},
         {valid, 1, 8, Join::all, 0, 1, 1},
         {valid, 1, 9, Join::all, 0, 1, 2}});
}

TEST(Condition, FieldsWithFields) {
  check({{field_eq, 8, 1, Join::all, 0, 1, 2},
         {field_eq, 16, 1, Join::all, 0, 1, 4},
         {field_eq, 16, 2, Join::all, 0, 1, 6},  // a == b and b == c
         {field_eq, 32, 1, Join::all, 0, 1, 8},
         {field_eq, 16, 3, Join::all, 0, 0},
         {field_eq, 32, 2, Join::all, 0, 0},
         {field_eq, 40, 1, Join::all, 0, 0},
         {field_lt, 8, 1, Join::all, 0, 0},
         {field_lt, 32, 1, Join::all, 0, 0}});
  const GatewayPrice less = price_condition(condition(field_lt, 8), shipped_chip("tofino2"));
  EXPECT_EQ(less.refused, "one operand of < must be constant");
  EXPECT_EQ(less.rewrite,
            "subtract in an action of its own and test the sign bit (kind = \"bit\")");
}

TEST(Condition, SignOfADifference) {
  const GatewayPrice narrow =
      price_condition(condition(subtract_sign, 16), shipped_chip("tofino2"));
  EXPECT_TRUE(narrow.refused.empty());
  EXPECT_TRUE(narrow.subtracts_first);
  EXPECT_EQ(narrow.gateways, 1u);
  const GatewayPrice wide = price_condition(condition(subtract_sign, 32), shipped_chip("tofino2"));
  EXPECT_EQ(wide.gateways, 0u);
  EXPECT_FALSE(wide.refused.empty());
  EXPECT_EQ(wide.rewrite,
            "subtract in an action of its own and test the sign bit (kind = \"bit\")");

  // The difference is computed a stage before it is tested.
  const Design design{"d", {object("late", condition(subtract_sign, 16))}};
  const Placement placement = place(design, shipped_chip("tofino2"));
  ASSERT_EQ(placement.units.size(), 2u);
  EXPECT_EQ(placement.units[0].unit.label, "late.difference");
  EXPECT_EQ(placement.units[0].stage, 0u);
  EXPECT_EQ(placement.units[1].unit.label, "late");
  EXPECT_EQ(placement.units[1].stage, 1u);
  EXPECT_EQ(placement.total()[Resource::gateway], 1);
  EXPECT_EQ(placement.total()[Resource::logical_table], 2);
}

TEST(Condition, ARefusedOneNamesObjectAndRewrite) {
  const ObjectPrice price =
      price_object(object("newer", condition(field_lt, 24)), shipped_chip("tofino2"));
  EXPECT_TRUE(price.units.empty());
  ASSERT_EQ(price.refused.size(), 1u);
  EXPECT_EQ(price.refused[0].object, "newer");
  EXPECT_EQ(price.refused[0].resource, "condition");
  EXPECT_EQ(price.refused[0].stage, -1);
  EXPECT_EQ(price.refused[0].why, "one operand of < must be constant");
  EXPECT_FALSE(price.refused[0].rewrite.empty());
}

TEST(Condition, AChipFileMovesTheLimits) {
  ChipSpec chip = shipped_chip("tofino2");
  chip.gateway.search_bytes = 8;
  EXPECT_EQ(price_condition(condition(eq, 32, 2), chip).gateways, 1u);
  chip.gateway.search_bytes = 2;
  chip.gateway.hash_bits = 0;
  EXPECT_EQ(price_condition(condition(eq, 16), chip).gateways, 1u);
  EXPECT_EQ(price_condition(condition(eq, 24), chip).gateways, 0u);
}

}  // namespace
}  // namespace horae::dataplane::condition_test
