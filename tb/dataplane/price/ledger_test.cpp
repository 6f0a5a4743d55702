// The account of a design: by object, by stage and of the chip.
#include "horae/dataplane/price/ledger.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "designs.hpp"
#include "horae/dataplane/place/placement.hpp"

namespace horae::dataplane::ledger_test {
namespace {

Ledger account(const Design& design) {
  const ChipSpec& chip = shipped_chip("tofino2");
  return make_ledger(design, chip, place(design, chip));
}

// A register, a table that needs it, and another register in egress.
Design small() {
  return {"small",
          {object("seen", array_of(65536, 32)),
           object("routes", exact_table(32, 1024, 16), {{"seen", DependencyKind::match}}),
           object("out", array_of(1024, 8), {}, Gress::egress)}};
}

TEST(Ledger, ByObject) {
  const Ledger ledger = account(small());
  EXPECT_EQ(ledger.name, "small");
  EXPECT_EQ(ledger.chip, "tofino2");
  ASSERT_EQ(ledger.objects.size(), 3u);
  const LedgerObject& seen = ledger.objects[0];
  EXPECT_EQ(seen.name, "seen");
  EXPECT_EQ(seen.kind, "register");
  EXPECT_EQ(seen.stages(), std::vector<unsigned>{0});
  EXPECT_EQ(seen.total()[Resource::sram], 17);
  EXPECT_EQ(seen.total()[Resource::stateful_alu], 1);
  EXPECT_EQ(ledger.objects[1].kind, "exact");
  EXPECT_EQ(ledger.objects[1].stages(), std::vector<unsigned>{1});
  EXPECT_EQ(ledger.objects[1].total()[Resource::sram], 4);
  EXPECT_EQ(ledger.objects[2].gress, Gress::egress);
  EXPECT_EQ(ledger.objects[2].total()[Resource::map_ram], 2);
  for (const auto& o : ledger.objects) EXPECT_FALSE(o.refused);
}

TEST(Ledger, TotalsAndShares) {
  const Ledger ledger = account(small());
  EXPECT_EQ(ledger.stages_used(), 2u);
  EXPECT_EQ(ledger.chip_stages, 20u);
  EXPECT_EQ(ledger.gress_stages[0], 2u);
  EXPECT_EQ(ledger.gress_stages[1], 1u);
  EXPECT_EQ(ledger.total[Resource::sram], 17 + 4 + 2);
  EXPECT_EQ(ledger.total[Resource::map_ram], 17 + 2);
  EXPECT_EQ(ledger.stages[0][Resource::sram], 19);
  EXPECT_EQ(ledger.stages[1][Resource::sram], 4);
  EXPECT_DOUBLE_EQ(ledger.percent_used_stages(Resource::sram), 100.0 * 23 / 160);
  EXPECT_DOUBLE_EQ(ledger.percent_chip(Resource::sram), 100.0 * 23 / 1600);
  EXPECT_DOUBLE_EQ(ledger.percent_used_stages(Resource::tcam), 0);
  const Ledger empty = account({"empty", {}});
  EXPECT_EQ(empty.stages_used(), 0u);
  EXPECT_DOUBLE_EQ(empty.percent_used_stages(Resource::sram), 0);
}

TEST(Ledger, PartsOfACutTable) {
  const Ledger ledger = account({"cut", {object("acl", ternary_table(40, 25 * 512, 0))}});
  ASSERT_EQ(ledger.objects[0].parts.size(), 2u);
  EXPECT_EQ(ledger.objects[0].parts[0].amounts[Resource::tcam], 24);
  EXPECT_EQ(ledger.objects[0].parts[1].stage, 1u);
  EXPECT_EQ(ledger.objects[0].parts[1].amounts[Resource::tcam], 1);
  EXPECT_EQ(ledger.objects[0].total()[Resource::tcam], 25);
}

TEST(Ledger, WhatIsRefusedSaysSo) {
  Design design = small();
  design.objects.push_back(object("wide", array_of(1 << 20, 32)));
  design.objects.push_back(object("many", array_of(81, 32, 81)));  // 20 stages have 80 ALUs
  const Ledger ledger = account(design);
  EXPECT_FALSE(ledger.refused.empty());
  EXPECT_FALSE(ledger.objects[0].refused);
  EXPECT_TRUE(ledger.objects[3].refused);
  EXPECT_TRUE(ledger.objects[3].parts.empty());
  EXPECT_TRUE(ledger.objects[4].refused);
  const auto json = refusals_json(ledger.refused);
  ASSERT_EQ(json.size(), ledger.refused.size());
  EXPECT_EQ(json[0]["object"], "wide");
  EXPECT_EQ(json[0]["resource"], "map_ram");
  EXPECT_FALSE(json[0].contains("stage"));
  EXPECT_EQ(json[0]["need"], 257);
  EXPECT_EQ(json[0]["have"], 24);
  EXPECT_EQ(json[0]["rewrite"], "pieces = 12 (now 1), or at most 94208 entries");
}

TEST(Ledger, WhatWaitsForARefusedOneIsRefused) {
  HashSpec wide;
  wide.input_bits = 129 * 8;
  const Ledger ledger = account(
      {"d", {object("h", wide), object("x", array_of(1, 8), {{"h", DependencyKind::match}})}});
  EXPECT_TRUE(ledger.objects[0].refused);
  EXPECT_TRUE(ledger.objects[1].refused);
}

TEST(Ledger, Json) {
  const auto json = ledger_json(account(small()));
  EXPECT_EQ(json["name"], "small");
  EXPECT_EQ(json["stages_used"], 2);
  EXPECT_EQ(json["latency_cycles"]["ingress"], 80);
  EXPECT_EQ(json["resources"].size(), resource_count);
  EXPECT_EQ(json["resources"]["sram"]["used"], 23);
  EXPECT_EQ(json["resources"]["sram"]["capacity"], 160);
  EXPECT_EQ(json["resources"]["sram"]["chip_capacity"], 1600);
  ASSERT_EQ(json["by_stage"].size(), 2u);
  EXPECT_EQ(json["by_stage"][1]["stage"], 1);
  EXPECT_EQ(json["by_stage"][1]["sram"], 4);
  ASSERT_EQ(json["objects"].size(), 3u);
  EXPECT_EQ(json["objects"][2]["gress"], "egress");
  EXPECT_FALSE(json["objects"][0].contains("by_stage"));
}

// Unknown capacities of a chip are left out, not zero.
TEST(Ledger, JsonOfThePipelineHasACapacityWhereItIsKnown) {
  const auto json = pipeline_json({{"phv_8", "containers", 3, 5, 60}, {"valid_bits", "", 7, 7, 0}});
  EXPECT_EQ(json["phv_8"]["used"], 3);
  EXPECT_EQ(json["phv_8"]["unshared"], 5);
  EXPECT_EQ(json["phv_8"]["capacity"], 60);
  EXPECT_EQ(json["phv_8"]["percent"], 5.0);
  EXPECT_EQ(json["valid_bits"], nlohmann::ordered_json({{"used", 7}}));
}

TEST(Ledger, JsonOfObjectsByStage) {
  const Ledger ledger = account(small());
  const auto json = ledger_json(ledger, true);
  for (std::size_t i = 0; i < ledger.objects.size(); ++i) {
    const auto& parts = json["objects"][i]["by_stage"];
    ASSERT_EQ(parts.size(), ledger.objects[i].parts.size()) << i;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      EXPECT_EQ(parts[k]["stage"], ledger.objects[i].parts[k].stage);
      EXPECT_EQ(parts[k]["sram"], ledger.objects[i].parts[k].amounts[Resource::sram]);
    }
  }
}

TEST(Ledger, TextNamesEveryObject) {
  const Ledger ledger = account(small());
  const std::string plain = ledger_text(ledger, false), full = ledger_text(ledger, true);
  EXPECT_EQ(plain.rfind("small on tofino2: 2 of 20 stages; MAU 80 cycles ingress, 62 egress\n", 0),
            0u);
  for (const char* name : {"seen", "routes", "out"})
    EXPECT_NE(plain.find(name), std::string::npos) << name;
  EXPECT_EQ(full.rfind(plain, 0), 0u);
  EXPECT_GT(full.size(), plain.size());
}

}  // namespace
}  // namespace horae::dataplane::ledger_test
