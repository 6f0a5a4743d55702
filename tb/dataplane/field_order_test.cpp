// Dependencies that fields show and nobody declared.
#include <gtest/gtest.h>

#include <string>

#include "horae/dataplane/design_file.hpp"
#include "horae/dataplane/ledger.hpp"
#include "horae/dataplane/placement.hpp"
#include "horae/params/document.hpp"

namespace horae::dataplane::field_order_test {
namespace {

DesignCase read(const std::string& text) {
  return read_design_file(Document::parse(text, "d.toml")).cases.front();
}

std::string orders(const DesignCase& c) {
  std::string out;
  for (const auto& o : c.undeclared) {
    out += o.object + " after " + o.on + " (" + std::string(dependency_name(o.kind)) + ", " +
           o.field + ")\n";
  }
  return out;
}

unsigned stages(const DesignCase& c) {
  return place(c.design, ChipSpec::find(c.chip)).stages_used();
}

// A table that reads what an earlier one writes; in the file kinds stand mixed.
const std::string reader =
    "[[action]]\nname = \"set\"\nwrites = [\"x\"]\n"
    "[[exact]]\nname = \"use\"\nkey_bits = 16\nentries = 64\nreads = [\"x\"]\nwrites = [\"y\"]\n"
    "[[action]]\nname = \"again\"\nwrites = [\"y\"]\n"
    "[[condition]]\nname = \"zero\"\nkind = \"eq\"\nreads = [\"y\"]\n"
    "[[action]]\nname = \"clear\"\nwrites = [\"x\"]\n";

TEST(FieldOrder, WhatIsReadOrWrittenLaterComesBehind) {
  EXPECT_EQ(orders(read(reader)),
            "use after set (match, x)\n"
            "again after use (action, y)\n"
            "zero after again (match, y)\n"
            "zero after use (match, y)\n"
            "clear after use (anti, x)\n"
            "clear after set (action, x)\n");
}

TEST(FieldOrder, DerivedTheyTakeTheirStages) {
  EXPECT_EQ(stages(read(reader)), 1u);
  const DesignCase derived = read("order = \"derived\"\n" + reader);
  EXPECT_TRUE(derived.undeclared.empty());
  EXPECT_EQ(stages(derived), 4u);
  EXPECT_TRUE(undeclared_orders(derived.design).empty());
  EXPECT_TRUE(read("order = \"complete\"\n" + reader).undeclared.empty());
}

TEST(FieldOrder, AChainOfDependenciesIsEnough) {
  const std::string chain =
      "[[action]]\nname = \"set\"\nwrites = [\"x\"]\n"
      "[[action]]\nname = \"between\"\nwrites = [\"z\"]\nAFTER = [\"set\"]\n"
      "[[exact]]\nname = \"use\"\nkey_bits = 16\nentries = 64\nreads = [\"x\"]\nafter_control = "
      "[\"between\"]\n";
  const auto with = [&](const std::string& key) {
    std::string text = chain;
    return orders(read(text.replace(text.find("AFTER"), 5, key)));
  };
  EXPECT_EQ(with("after_action"), "");
  // Both may be in one stage, where the key is read before the action runs.
  EXPECT_EQ(with("after_control"), "use after set (match, x)\n");
}

// Of two arms of a condition only one runs.
TEST(FieldOrder, ArmsOfAConditionExcludeEachOther) {
  const auto arms = [](const std::string& guards) {
    return orders(read("[[condition]]\nname = \"c\"\nkind = \"eq\"\n" + guards +
                       "[[action]]\nname = \"one\"\nwrites = [\"x\"]\n"
                       "[[action]]\nname = \"other\"\nwrites = [\"x\"]\n"));
  };
  EXPECT_EQ(arms("guards = [\"one\"]\nguards_not = [\"other\"]\n"), "");
  EXPECT_EQ(arms("guards = [\"one\", \"other\"]\n"), "other after one (action, x)\n");
  EXPECT_EQ(arms("guards_not = [\"other\"]\n"), "other after one (action, x)\n");
  // Through another condition.
  EXPECT_EQ(arms("guards = [\"d\"]\nguards_not = [\"other\"]\n"
                 "[[condition]]\nname = \"d\"\nkind = \"ne\"\nguards = [\"one\"]\n"),
            "");
}

TEST(FieldOrder, GressesHaveFieldsOfTheirOwn) {
  EXPECT_EQ(orders(read("[[action]]\nname = \"a\"\nwrites = [\"x\"]\n"
                        "[[exact]]\nname = \"b\"\nkey_bits = 16\nentries = 64\ngress = "
                        "\"egress\"\nreads = [\"x\"]\n")),
            "");
}

TEST(FieldOrder, CopiesAreOneObject) {
  const DesignCase c = read(
      "order = \"derived\"\n[[register]]\nname = \"r\"\nentries = 64\ncopies = 3\nreads = [\"i\"]\n"
      "[[action]]\nname = \"i\"\nwrites = [\"i\"]\n");
  EXPECT_EQ(c.design.find("i")->after.size(), 3u);
}

}  // namespace
}  // namespace horae::dataplane::field_order_test
