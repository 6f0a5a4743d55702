// Containers, parser and deparser of the assembler file.
#include <gtest/gtest.h>

#include <string>

#include "horae/p4/imported.hpp"
#include "horae/p4/report.hpp"
#include "report_copy.hpp"

namespace horae::p4::header_vector_test {
namespace {

constexpr const char* assembler = "pipe/counted.bfa";
constexpr const char* was = "phv ingress:\n  meta.hop: H0\nparser ingress:\n  start: start\n";
constexpr const char* richer =
    "phv ingress:\n"
    "  hdr.eth.dst.0-31: W0\n"
    "  hdr.eth.dst.32-47: MH3\n"
    "  hdr.eth.$valid: B0(2)\n"
    "  hdr.stack$0.x: W5(0..15)\n"
    "  hdr.stack$0.$valid: B0(1)\n"
    "  meta.hop: {  stage 1..3: H0, stage 4: W1(0..15) } \n"
    "  meta.strange: somewhere\n"
    "  context_json:\n"
    "    W9:\n"
    "    - { name : x, live_start : parser }\n"
    "phv egress:\n"
    "  eg.port: TH1(0..8)\n"
    "parser ingress:\n"
    "  start: start\n"
    "  states:\n"
    "    start:\n"
    "      match: [ half ]\n"
    "      option: ignore_max_depth\n"
    "      0x0800:\n"
    "        0..3: W0  # ingress::hdr.eth.dst[31:0].0-31\n"
    "        next: more\n"
    "      *:\n"
    "        next: end\n"
    "    more:\n"
    "      0b1*:\n"
    "        2..3: W5  # bit[0..15] -> W5 bit[15..0]: ingress::hdr.stack[0].x[15:0].0-15\n"
    "        next: elsewhere\n"
    "deparser ingress:\n"
    "  dictionary:\n"
    "    W0: B0(2)  # ingress::hdr.eth.dst.0-31 if ingress::hdr.eth.$valid\n"
    "    W5: B0(1)\n"
    "        # - bit[15..0]: ingress::hdr.stack$0.x\n"
    "    clot 1:\n"
    "      pov: hdr.eth.$valid\n"
    "deparser egress:\n"
    "  dictionary: {}\n";

CompilerReport changed() {
  const ReportCopy copy(counted);
  copy.replace(assembler, was, richer);
  return read_report_folder(copy.path()).at(0);
}

TEST(HeaderVector, FieldsWithTheirContainersAndStages) {
  const HeaderVector headers = changed().headers;
  ASSERT_EQ(headers.fields.size(), 6u);
  const auto& dst = headers.fields[0];
  EXPECT_EQ(dst.name, "hdr.eth.dst");
  ASSERT_EQ(dst.parts.size(), 2u);
  EXPECT_EQ(dst.parts[1].low, 32u);
  EXPECT_EQ(dst.parts[1].bits, 16u);
  EXPECT_EQ(dst.parts[1].container, "MH3");
  EXPECT_LT(dst.parts[1].first, 0);
  const auto& hop = headers.fields[4];
  ASSERT_EQ(hop.parts.size(), 2u);
  EXPECT_EQ(hop.parts[0].first, 1);
  EXPECT_EQ(hop.parts[0].last, 3);
  EXPECT_EQ(hop.parts[1].first, 4);
  EXPECT_EQ(hop.parts[1].bits, 16u);
  EXPECT_EQ(headers.fields[5].gress, dataplane::Gress::egress);
  EXPECT_EQ(headers.unread, 1u);
}

TEST(HeaderVector, StatesWithTheirRowsAndHeaders) {
  const HeaderVector headers = changed().headers;
  ASSERT_EQ(headers.states.size(), 2u);
  EXPECT_EQ(headers.states[0].rows, 2u);
  EXPECT_EQ(headers.states[0].next, std::vector<std::string>{"more"});
  EXPECT_EQ(headers.states[0].extracts, std::vector<std::string>{"hdr.eth"});
  EXPECT_EQ(headers.states[1].extracts, std::vector<std::string>{"hdr.stack$0"});
  EXPECT_TRUE(headers.states[1].next.empty());  // "elsewhere" is no state
  EXPECT_EQ(headers.deparser_entries[0], 3u);
  EXPECT_EQ(headers.deparser_entries[1], 0u);
}

TEST(HeaderVector, BecomesFieldsAndTheCompilersOwnAmounts) {
  const ImportedDesign imported = import_report(changed());
  const auto amount = [&](const std::string& name) {
    for (const auto& a : imported.pipeline) {
      if (a.name == name) return a.used;
    }
    return std::int64_t{-1};
  };
  EXPECT_EQ(amount("phv_8"), 1);
  EXPECT_EQ(amount("phv_16"), 2);
  EXPECT_EQ(amount("phv_32"), 3);
  EXPECT_EQ(amount("valid_bits"), 2);
  EXPECT_EQ(amount("ingress_parser_rows"), 3);
  EXPECT_EQ(amount("ingress_deparser_entries"), 3);
  const auto& fields = imported.design.fields;
  EXPECT_EQ(fields.at(0).header, "hdr.eth");
  EXPECT_EQ(fields.at(0).bits, 48u);
  EXPECT_EQ(fields.at(1).header, "$valid");
  EXPECT_EQ(fields.at(4).header, "");
  EXPECT_EQ(fields.at(4).stages, (std::vector<std::uint32_t>{1, 4}));
  EXPECT_FALSE(fields.at(4).parsed);
  bool noted = false;
  for (const auto& n : imported.notes) noted |= n.text.starts_with("1 fields of the header vector");
  EXPECT_TRUE(noted);
}

// Value sets and checksum units, in the words of the assembler (bf-asm, Parser and Deparser).
constexpr const char* with_units =
    "phv ingress:\n"
    "  meta.hop: H0\n"
    "parser ingress:\n"
    "  start: start\n"
    "  states:\n"
    "    start:\n"
    "      match: [ half ]\n"
    "      value_set ports 8:\n"
    "        handle: 4097\n"
    "        checksum 0:\n"
    "          type: VERIFY\n"
    "        next: more\n"
    "      *:\n"
    "        next: end\n"
    "    more:\n"
    "      *:\n"
    "        checksum 0:\n"
    "          type: VERIFY\n"
    "        checksum 1:\n"
    "          type: RESIDUAL\n"
    "        checksum 2:\n"
    "          type: CLOT\n"
    "        next: end\n"
    "deparser ingress:\n"
    "  dictionary:\n"
    "    full_checksum 3: B0(2)\n"
    "    clot 1:\n"
    "      pov: hdr.eth.$valid\n"
    "      10: full_checksum 4\n"
    "  full_checksum 3:\n"
    "    - partial_checksum 3: { pov: B0(2) }\n";

TEST(HeaderVector, ValueSetsAndChecksumUnits) {
  const ReportCopy copy(counted);
  copy.replace(assembler, was, with_units);
  const CompilerReport report = read_report_folder(copy.path()).at(0);
  ASSERT_EQ(report.headers.value_sets.size(), 1u);
  EXPECT_EQ(report.headers.value_sets[0].name, "ports");
  EXPECT_EQ(report.headers.value_sets[0].entries, 8u);
  EXPECT_EQ(report.headers.value_sets[0].states, std::vector<std::string>{"start"});
  EXPECT_EQ(report.headers.states.at(0).rows, 1u);
  EXPECT_EQ(report.headers.states.at(0).next, std::vector<std::string>{"more"});

  const ImportedDesign imported = import_report(report);
  const auto amount = [&](const std::string& name) {
    for (const auto& a : imported.pipeline) {
      if (a.name == name) return a.used;
    }
    return std::int64_t{-1};
  };
  EXPECT_EQ(amount("ingress_parser_rows"), 8 + 1 + 1);
  EXPECT_EQ(amount("ingress_parser_checksums"), 3);
  EXPECT_EQ(amount("ingress_deparser_checksums"), 2);
  EXPECT_EQ(amount("deparser_checksums"), 2);
  std::string checksums;
  for (const auto& c : imported.design.checksums) checksums += c.name + " ";
  EXPECT_EQ(checksums,
            "ingress_parser_checksum_0 ingress_parser_checksum_1 ingress_deparser_checksum_3 "
            "ingress_deparser_checksum_4 ");
  EXPECT_EQ(imported.design.checksums.at(0).states, (std::vector<std::string>{"start", "more"}));
  EXPECT_EQ(imported.design.value_sets.at(0).key_bits, 32u);
  std::string notes;
  for (const auto& n : imported.notes) notes += n.object + ": " + n.text + "\n";
  EXPECT_NE(notes.find("ports: value set: its key taken as 32 bits"), std::string::npos) << notes;
  EXPECT_NE(notes.find(": 1 checksum units of the ingress parser"), std::string::npos) << notes;
}

}  // namespace
}  // namespace horae::p4::header_vector_test
