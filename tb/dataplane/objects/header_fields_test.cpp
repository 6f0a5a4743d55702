// Containers of the header vector and parser rows: what fields and states of an objects file take.
#include <gtest/gtest.h>

#include <string>

#include "horae/core/error.hpp"
#include "horae/dataplane/design/design_file.hpp"
#include "horae/dataplane/price/ledger.hpp"
#include "horae/params/document.hpp"

namespace horae::dataplane::header_fields_test {
namespace {

Ledger account(const std::string& text, const std::string& chip) {
  const auto c =
      read_design_file(Document::parse("chip = \"" + chip + "\"\n" + text, "d.toml")).cases.front();
  const ChipSpec spec = ChipSpec::find(c.chip);
  return make_ledger(c.design, spec, place(c.design, spec));
}

PipelineAmount amount(const Ledger& ledger, const std::string& name) {
  for (const auto& a : ledger.pipeline) {
    if (a.name == name) return a;
  }
  return {};
}

std::string refusal(const std::string& text) {
  try {
    account(text, "tofino2");
  } catch (const InputError& e) {
    return e.what();
  }
  return "nothing was refused";
}

std::string field(const std::string& name, int bits, const std::string& more = "") {
  return "[[field]]\nname = \"" + name + "\"\nbits = " + std::to_string(bits) + "\n" + more;
}

const std::string action = "[[action]]\nname = \"a\"\n";

TEST(HeaderFields, AreCutIntoTheSmallestContainers) {
  const std::string of_eth = "header = \"eth\"\n";
  const auto ledger = account(field("dst", 48, of_eth) + field("type", 16, of_eth) +
                                  field("odd", 20, of_eth) + field("rest", 4, of_eth) + action +
                                  "uses = [\"dst\", \"type\", \"odd\", \"rest\"]\n",
                              "tofino2");
  // 32 + 16 of dst, 16 of type, 16 + 8 of the two that end within a byte, 8 of one validity bit.
  EXPECT_EQ(amount(ledger, "phv_32").used, 1);
  EXPECT_EQ(amount(ledger, "phv_16").used, 3);
  EXPECT_EQ(amount(ledger, "phv_8").used, 2);
  EXPECT_EQ(amount(ledger, "phv_bits").used, 96);
  EXPECT_EQ(amount(ledger, "phv_32").capacity, 80);
  EXPECT_EQ(amount(ledger, "valid_bits").used, 1);
  EXPECT_EQ(amount(ledger, "valid_bits").capacity, 128);
}

// 57 bits are 32 and, of the 25 that are left, 32; 33 bits are 32 and 8; 24 bits 16 and 8.
TEST(HeaderFields, WhatIsLeftOfAFieldTakesTheSmallestThatHoldIt) {
  struct Row {
    int bits, of_8, of_16, of_32;
  };
  for (const auto& [bits, of_8, of_16, of_32] :
       {Row{8, 1, 0, 0}, Row{9, 0, 1, 0}, Row{16, 0, 1, 0}, Row{17, 1, 1, 0}, Row{24, 1, 1, 0},
        Row{25, 0, 0, 1}, Row{31, 0, 0, 1}, Row{32, 0, 0, 1}, Row{33, 1, 0, 1}, Row{57, 0, 0, 2},
        Row{64, 0, 0, 2}, Row{65, 1, 0, 2}}) {
    const auto ledger = account(field("x", bits, "stages = [0, 1]\n") + action, "tofino2");
    EXPECT_EQ(amount(ledger, "phv_8").used, of_8) << bits;
    EXPECT_EQ(amount(ledger, "phv_16").used, of_16) << bits;
    EXPECT_EQ(amount(ledger, "phv_32").used, of_32) << bits;
  }
}

// Bytes that no stage touches: tagalong containers on one chip, past the stages on the other.
TEST(HeaderFields, WhatNoStageTouchesIsCarriedBeside) {
  const std::string text = field("payload", 64, "header = \"h\"\n") + action;
  EXPECT_EQ(amount(account(text, "tofino1"), "tagalong_32").used, 2);
  EXPECT_EQ(amount(account(text, "tofino1"), "phv_32").used, 0);
  EXPECT_EQ(amount(account(text, "tofino2"), "phv_bits").used, 8);  // the validity bit's
}

// Three fields one after the other: with a stage between two lives one container does for both.
TEST(HeaderFields, MetadataSharesContainersByTurns) {
  std::string text = field("x", 16) + field("y", 16) + field("z", 16);
  std::string previous;
  for (const std::string name : {"x", "y", "z", "end"}) {
    text += "[[action]]\nname = \"to_" + name + "\"\n";
    if (name != "end") text += "sets = [\"" + name + "\"]\n";
    if (!previous.empty())
      text += "uses = [\"" + previous + "\"]\nafter_read = [\"to_" + previous + "\"]\n";
    previous = name;
  }
  const auto ledger = account(text, "tofino2");
  ASSERT_EQ(ledger.stages_used(), 4u);
  EXPECT_EQ(amount(ledger, "phv_16").used, 2);
  EXPECT_EQ(amount(ledger, "phv_16").most, 3);
  // Lives that the file says: far apart, and one behind the other.
  const auto stages = [&](const std::string& first, const std::string& second) {
    return account(field("x", 32, "stages = " + first + "\n") +
                       field("y", 32, "stages = " + second + "\n") + action,
                   "tofino2");
  };
  EXPECT_EQ(amount(stages("[0, 2]", "[4, 5]"), "phv_32").used, 1);
  EXPECT_EQ(amount(stages("[0, 2]", "[3, 5]"), "phv_32").used, 2);
  EXPECT_EQ(amount(stages("[0, 2]", "[4, 5]"), "phv_32").most, 2);
}

TEST(HeaderFields, HeadersThatNoPacketHasTogetherShareContainers) {
  const std::string fields = field("tcp.seq", 32, "header = \"tcp\"\n") +
                             field("udp.both", 32, "header = \"udp\"\n") + action +
                             "uses = [\"tcp.seq\", \"udp.both\"]\n";
  const auto state = [](const std::string& name, const std::string& next) {
    return "[[state]]\nname = \"" + name + "\"\nextracts = [\"" + name + "\"]\nnext = [" + next +
           "]\n";
  };
  const std::string start = "[[state]]\nname = \"start\"\nnext = [\"tcp\", \"udp\"]\n";
  EXPECT_EQ(amount(account(fields, "tofino2"), "phv_32").used, 2);
  const auto apart = account(fields + start + state("tcp", "") + state("udp", ""), "tofino2");
  EXPECT_EQ(amount(apart, "phv_32").used, 1);
  EXPECT_EQ(amount(apart, "ingress_parser_rows").used, 4);
  EXPECT_EQ(amount(apart, "ingress_parser_states").used, 3);
  EXPECT_EQ(amount(account(fields + start + state("tcp", "\"udp\"") + state("udp", ""), "tofino2"),
                   "phv_32")
                .used,
            2);
}

// The bound: bits that live at once against the bits of all containers.
TEST(HeaderFields, MoreBitsThanContainersAreRefused) {
  const auto design = [](int copies) {
    return field("x", 32,
                 "parsed = true\ndeparsed = true\ncopies = " + std::to_string(copies) + "\n") +
           action;
  };
  EXPECT_TRUE(account(design(160), "tofino2").refused.empty());
  const auto ledger = account(design(161), "tofino2");
  ASSERT_EQ(ledger.refused.size(), 1u);
  EXPECT_EQ(ledger.refused[0].resource, "phv_bits");
  EXPECT_EQ(ledger.refused[0].need, 161 * 32);
  EXPECT_EQ(ledger.refused[0].have, 5120);
  EXPECT_NE(ledger.refused[0].rewrite.find("32 bits less"), std::string::npos);
  EXPECT_EQ(ledger.tightest.front().resource, "phv_bits");
}

// 80 and 81 words are more than the 160 there are only where both live, if it is in one stage.
TEST(HeaderFields, BitsThatLiveAtOnceAreThoseOfOneStage) {
  const auto words = [](const std::string& name, int copies, const std::string& stages) {
    return field(name, 32, "copies = " + std::to_string(copies) + "\nstages = " + stages + "\n");
  };
  const auto refused = [&](const std::string& first, const std::string& second) {
    return account(words("x", 80, first) + words("y", 81, second) + action, "tofino2").refused;
  };
  EXPECT_TRUE(refused("[0, 2]", "[3, 5]").empty());
  const auto at_three = refused("[0, 3]", "[3, 5]");
  ASSERT_EQ(at_three.size(), 1u);
  EXPECT_EQ(at_three[0].resource, "phv_bits");
  EXPECT_EQ(at_three[0].need, 161 * 32);
  EXPECT_EQ(refused("[3, 3]", "[3, 3]").size(), 1u);
}

TEST(HeaderFields, ParserRowsAreRefusedBeyondTheChips) {
  const auto ledger = account("[[state]]\nname = \"s\"\nrows = 300\n" + action, "tofino2");
  ASSERT_EQ(ledger.refused.size(), 1u);
  EXPECT_EQ(ledger.refused[0].resource, "ingress_parser_rows");
  EXPECT_EQ(ledger.refused[0].have, 256);
}

TEST(HeaderFields, ADesignWithoutFieldsCountsNone) {
  const auto ledger = account(action, "tofino2");
  EXPECT_TRUE(ledger.pipeline.empty());
  EXPECT_EQ(ledger.tightest.front().resource, "stages");
}

TEST(HeaderFields, BadOnesAreRefusedInOneLine) {
  EXPECT_EQ(refusal(field("seen", 16) + action + "uses = [\"sen\"]\n"),
            "d.toml:6:8: 'a' names 'sen', which is no field of ingress, did you mean 'seen'?");
  EXPECT_EQ(refusal(field("x", 16) + field("x", 8)), "d.toml:6:8: field 'x' is declared twice");
  EXPECT_EQ(refusal(field("x", 16, "stages = [3]\n")),
            "d.toml:3:8: field 'x': stages: expected the first and the last");
  EXPECT_EQ(refusal("[[state]]\nname = \"s\"\nnext = [\"t\"]\n"),
            "d.toml:3:8: 's' goes to 't', which is no state of ingress; expected one of s");
  EXPECT_EQ(refusal(field("x", 8, "header = \"tcp\"\n") +
                    "[[state]]\nname = \"s\"\nextracts = [\"tpc\"]\n"),
            "d.toml:7:8: 's' extracts 'tpc', which is the header of no field of ingress, did you "
            "mean 'tcp'?");
}

TEST(HeaderFields, WrittenTheyReadBackTheSame) {
  const std::string text = "name = \"d\"\n" + action + "sets = [\"x\"]\nuses = [\"y\"]\n" +
                           field("x", 9, "deparsed = true\n") +
                           field("y", 3, "header = \"h\"\ncopies = 2\n") +
                           "[[state]]\nname = \"s\"\nextracts = [\"h\"]\nrows = 4\n";
  const auto once = read_design_file(Document::parse(text, "d.toml")).cases.front();
  const auto twice = read_design_file(Document::parse(design_text(once), "e.toml")).cases.front();
  EXPECT_EQ(once.design.objects, twice.design.objects);
  EXPECT_EQ(once.design.fields, twice.design.fields);
  EXPECT_EQ(once.design.parser, twice.design.parser);
}

}  // namespace
}  // namespace horae::dataplane::header_fields_test
