// A report as a design: the objects, what they wait for, and that our price is the report's.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "horae/core/error.hpp"
#include "horae/dataplane/design/design_file.hpp"
#include "horae/dataplane/price/ledger.hpp"
#include "horae/p4/imported.hpp"
#include "horae/params/document.hpp"
#include "refusal.hpp"
#include "report_copy.hpp"

namespace horae::p4::import_test {
namespace {

using dataplane::ChipSpec;
using dataplane::ConditionSpec;
using dataplane::CounterSpec;
using dataplane::DependencyKind;
using dataplane::MatchSpec;
using dataplane::RegisterSpec;
using dataplane::Resource;

ImportedDesign imported(const std::string& folder) {
  return import_report(read_report_folder(folder).at(0));
}

template <class Spec>
const Spec& spec_of(const ImportedDesign& d, const std::string& name) {
  const auto* object = d.design.find(name);
  if (object == nullptr) throw std::runtime_error("no object " + name);
  return std::get<Spec>(object->spec);
}

TEST(Import, TablesBecomeObjects) {
  const auto d = imported(counted);
  EXPECT_EQ(d.chip, "tofino2");
  EXPECT_TRUE(d.notes.empty());
  const auto& routes = spec_of<MatchSpec>(d, "Ig.routes");
  EXPECT_EQ(routes.key_bits, 32u);
  EXPECT_EQ(routes.entries, 4096u);
  EXPECT_EQ(routes.data_bits, 16u);
  EXPECT_EQ(routes.actions, 1u);
  EXPECT_EQ(routes.miss, dataplane::MissAction::no_op);
  EXPECT_EQ(routes.reads, std::vector<std::string>{"hdr.ipv4.dst"});
  const auto& hits = spec_of<CounterSpec>(d, "Ig.hits");
  EXPECT_TRUE(hits.direct);
  EXPECT_EQ(hits.table, "Ig.routes");
  const auto& seen = spec_of<RegisterSpec>(d, "Ig.seen");
  EXPECT_EQ(seen.entries, 65536u);
  EXPECT_EQ(seen.width, 32u);
  EXPECT_EQ(seen.reads, std::vector<std::string>{"meta.hop"});
  EXPECT_EQ(spec_of<ConditionSpec>(d, "cond-0").guards, std::vector<std::string>{"Ig.routes"});
  const auto& after = d.design.find("Ig.seen")->after;
  ASSERT_EQ(after.size(), 1u);
  EXPECT_EQ(after[0].on, "Ig.routes");
  EXPECT_EQ(after[0].kind, DependencyKind::match);
}

TEST(Import, OurPriceIsTheReports) {
  const auto d = imported(counted);
  const auto chip = ChipSpec::find({d.chip, {}});
  const auto placement = place(d.design, chip);
  EXPECT_TRUE(placement.fits());
  EXPECT_EQ(placement.stages_used(), d.stages);
  EXPECT_EQ(place_as_compiler(d.design, chip).stages_used(), d.stages);
  for (const Resource r : dataplane::all_resources)
    EXPECT_EQ(placement.total()[r], d.total[r]) << resource_name(r);
  EXPECT_EQ(placement.latency[0].count(), d.cycles[0]);
  EXPECT_EQ(d.objects.at("Ig.seen").stages, std::vector<unsigned>{1});
  EXPECT_EQ(d.objects.at("Ig.hits").amounts[Resource::map_ram], 2);
}

TEST(Import, TheWrittenFileReadsBackTheSame) {
  const auto d = imported(counted);
  const std::string text = dataplane::design_text({{d.chip, {}}, d.design, {}, "by hand"});
  const auto file = dataplane::read_design_file(Document::parse(text, "w.toml"));
  ASSERT_EQ(file.cases.size(), 1u);
  EXPECT_EQ(file.cases[0].design.objects, d.design.objects) << text;
  EXPECT_EQ(file.cases[0].chip.value, "tofino2");
}

// A second table that accesses the register makes one object with two accesses, which waits for
// what either of them waits for.
TEST(Import, AccessesOfARegisterAreOneObject) {
  const ReportCopy copy(counted);
  copy.replace("pipe/graphs/dep.json", R"("name": "tbl_mark",
        "table_type": "match",
        "match_type": "ternary"
       })",
               R"("name": "tbl_mark", "table_type": "match", "match_type": "hash_action"
       }, {"name": "Ig.seen", "table_type": "stateful"})");
  copy.replace("pipe/counted.bfa", "ternary_match tbl_mark 1", "hash_action tbl_mark 1");
  const auto d = imported(copy.path());
  EXPECT_EQ(spec_of<RegisterSpec>(d, "Ig.seen").accesses, 2u);
  EXPECT_EQ(d.design.find("tbl_mark"), nullptr);
}

// A range has the container of its field: how many TCAMs it takes depends on it.
TEST(Import, RangesHaveTheirContainers) {
  const auto tcam = [](const std::string& container) {
    const ReportCopy copy(counted);
    copy.replace("pipe/counted.bfa", "hdr.ipv4.dst: { type: exact, size: 32, full_size: 32 }",
                 "hdr.ipv4.dst: { type: range, size: 16, full_size: 16 }");
    copy.replace("pipe/counted.bfa", "exact_match routes_0", "ternary_match routes_0");
    copy.replace("pipe/counted.bfa", "phv ingress:", "phv ingress:\n  hdr.ipv4.dst: " + container);
    const auto d = imported(copy.path());
    const auto& routes = spec_of<MatchSpec>(d, "Ig.routes");
    EXPECT_EQ(routes.ranges, std::vector<std::uint32_t>{16});
    dataplane::Design alone{"d", {*d.design.find("Ig.routes")}};
    alone.objects[0].after.clear();
    std::get<MatchSpec>(alone.objects[0].spec).entries = 128;  // 320 rows: one TCAM deep
    return place(alone, ChipSpec::find({"tofino2", {}})).total()[Resource::tcam];
  };
  EXPECT_EQ(2 * tcam("H1"), tcam("W1(0..15)"));
  EXPECT_EQ(tcam("MH1"), tcam("H1"));
}

TEST(Import, WhatIsNotTakenAsItIsIsSaid) {
  const ReportCopy copy(counted);
  copy.replace("pipe/counted.bfa", "hdr.ipv4.dst: { type: exact", "hdr.ipv4.dst: { type: range");
  copy.replace("pipe/counted.bfa", "exact_match routes_0", "ternary_match routes_0");
  copy.replace("pipe/graphs/dep.json", "\"tbl_mark\"", "\"tbl_gone\"");
  copy.replace("pipe/graphs/dep.json", "hdr.ipv4.$valid == 1",
               "hdr.ipv4.$valid == 1 && meta.a < 3");
  const auto d = imported(copy.path());
  std::string all;
  for (const auto& n : d.notes) all += n.object + (n.left_out ? " - " : ": ") + n.text + "\n";
  EXPECT_NE(all.find("Ig.routes: a range of 32 bits"), std::string::npos) << all;
  EXPECT_NE(all.find("tbl_gone - not in the assembler file"), std::string::npos) << all;
  EXPECT_NE(all.find("cond-0: condition 'hdr.ipv4.$valid == 1 && meta.a < 3' taken as"),
            std::string::npos)
      << all;
}

TEST(Import, OnlyChipsThatAreShipped) {
  const ReportCopy copy(counted);
  copy.replace("manifest.json", "\"tofino2\"", "\"tofino9\"");
  const std::string message = test::refusal_of([&] { imported(copy.path()); });
  EXPECT_EQ(message,
            copy.path() + "/manifest.json: target \"tofino9\": expected tofino or tofino2");
}

TEST(Import, StagesThatTheChipDoesNotHave) {
  const ReportCopy copy(counted);
  copy.replace("pipe/logs/resources.json", "\"stage_number\": 1", "\"stage_number\": 25");
  EXPECT_FALSE(imported(copy.path()).fits);
  EXPECT_TRUE(imported(counted).fits);
}

}  // namespace
}  // namespace horae::p4::import_test
