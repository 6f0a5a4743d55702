// Dependencies that fields show and nobody declared.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "horae/dataplane/design/design_file.hpp"
#include "horae/dataplane/place/placement.hpp"
#include "horae/dataplane/price/ledger.hpp"
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

// Only one of two arms of a condition runs.
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

// A register of a table is in its stage: the table waits for what the index needs.
TEST(FieldOrder, WhatBelongsToATableWaitsInItsPlace) {
  const std::string file =
      "[[action]]\nname = \"pick\"\nsets = [\"ix\"]\n"
      "[[exact]]\nname = \"t\"\nkey_bits = 8\nentries = 16\n"
      "[[register]]\nname = \"r\"\ntable = \"t\"\nentries = 1024\nindex = \"field\"\n"
      "reads = [\"ix\"]\n";
  EXPECT_EQ(orders(read(file)), "t after pick (match, ix)\n");
  const DesignCase derived = read("order = \"derived\"\n" + file);
  EXPECT_EQ(derived.design.find("t")->after.size(), 1u);
  EXPECT_TRUE(derived.design.find("r")->after.empty());
  EXPECT_EQ(stages(derived), 2u);
}

// Copies that name copies as NAME[i] go with the one of their number, by object or by field.
TEST(FieldOrder, CopiesPairUp) {
  const std::string tables =
      "[[exact]]\nname = \"t\"\nkey_bits = 32\nentries = 64\ncopies = 3\nwrites = [\"x[i]\"]\n"
      "[[register]]\nname = \"r\"\nentries = 64\ncopies = 3\nreads = [\"x[i]\"]\n";
  const auto after = [](const DesignCase& c) {
    std::string out;
    for (const auto& d : c.design.find("r[1]")->after) out += d.on + " ";
    return out;
  };
  EXPECT_EQ(after(read("order = \"derived\"\n" + tables)), "t[1] ");
  const DesignCase named = read(tables + "after = [\"t[i]\"]\n");
  EXPECT_EQ(after(named), "t[1] ");
  EXPECT_EQ(std::get<RegisterSpec>(named.design.find("r[1]")->spec).reads.front(), "x[1]");
  EXPECT_TRUE(named.undeclared.empty());
  EXPECT_EQ(after(read(tables + "after = [\"t\"]\n")), "t[0] t[1] t[2] ");
  const DesignCase guarded = read(tables +
                                  "[[condition]]\nname = \"c\"\nkind = \"eq\"\ncopies = 3\n"
                                  "guards = [\"r[i]\"]\n");
  EXPECT_EQ(std::get<ConditionSpec>(guarded.design.find("c[2]")->spec).guards,
            std::vector<std::string>{"r[2]"});
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
