// Ledgers are worked out once for equal designs on equal chips, and only for these.
#include "horae/dataplane/price/ledgers.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "designs.hpp"

namespace horae::dataplane::ledgers_test {
namespace {

Design design_of(std::string name, std::uint64_t entries) {
  Design d{.name = std::move(name), .objects = {}};
  d.objects.push_back(object("table", exact_table(32, entries, 16)));
  d.objects.push_back(object("array", array_of(entries, 32), {{"table", DependencyKind::match}}));
  return d;
}

TEST(Ledgers, EqualDesignsArePlacedOnce) {
  Ledgers ledgers;
  const ChipSpec& chip = shipped_chip("tofino2");
  for (const char* name : {"leaf0", "leaf1", "leaf2"}) {
    const Design design = design_of(name, 4096);
    const Ledger own = make_ledger(design, chip, place(design, chip));
    const Ledger shared = ledgers.of(design, chip);
    EXPECT_EQ(shared.name, name);
    EXPECT_EQ(ledger_json(shared, true).dump(), ledger_json(own, true).dump());
    EXPECT_EQ(ledger_text(shared, true), ledger_text(own, true));
  }
  EXPECT_EQ(ledgers.placed(), 1u);
}

TEST(Ledgers, WhatDiffersIsPlacedOnItsOwn) {
  Ledgers ledgers;
  Design design = design_of("a", 4096);
  const Ledger first = ledgers.of(design, shipped_chip("tofino2"));
  EXPECT_NE(ledgers.of(design, shipped_chip("tofino1")).chip, first.chip);
  EXPECT_EQ(ledgers.placed(), 2u);
  const Ledger larger = ledgers.of(design_of("a", 65536), shipped_chip("tofino2"));
  EXPECT_GT(larger.total[Resource::sram], first.total[Resource::sram]);
  EXPECT_EQ(ledgers.placed(), 3u);
  design.objects[1].after.clear();
  ledgers.of(design, shipped_chip("tofino2"));
  EXPECT_EQ(ledgers.placed(), 4u);
  design.objects[1].gress = Gress::egress;
  ledgers.of(design, shipped_chip("tofino2"));
  EXPECT_EQ(ledgers.placed(), 5u);
}

TEST(Ledgers, AlsoWhatDoesNotFit) {
  Ledgers ledgers;
  const Design design = design_of("b", std::uint64_t{1} << 30);
  EXPECT_FALSE(ledgers.of(design, shipped_chip("tofino2")).refused.empty());
  EXPECT_FALSE(ledgers.of(design, shipped_chip("tofino2")).refused.empty());
  EXPECT_EQ(ledgers.placed(), 1u);
}

}  // namespace
}  // namespace horae::dataplane::ledgers_test
