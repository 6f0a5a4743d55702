// Tables of a document, and places in it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "example.hpp"

namespace horae::section_test {
namespace {

using namespace params_example;

TEST(Section, LetsTheReaderChooseTheSchemaByName) {
  const auto root =
      Document::parse("[program]\nkind = 'p'\nwindow = 4\n\n[[dev]]\nx = 1\n", "x.toml").root();
  const Section program = root.child("program");
  EXPECT_TRUE(program.exists());
  EXPECT_EQ(program.title(), "[program]");
  EXPECT_EQ(program.where().text(), "x.toml:1:1");
  EXPECT_EQ(program.get_string("kind"), "p");
  EXPECT_EQ(program.read<ProgramConfig>({"kind"}).window, Cycles(4));
  EXPECT_THROW(program.read<ProgramConfig>(), InputError);
  EXPECT_STREQ(program.error("kind", "no such program").what(), "x.toml:2:8: no such program");
  EXPECT_STREQ(program.error("absent", "why").what(), "x.toml:1:1: why");
  EXPECT_EQ(root.keys(), (std::vector<std::string>{"program", "dev"}));
  EXPECT_TRUE(root.has("dev"));
  EXPECT_FALSE(root.has("de"));
  EXPECT_EQ(root.children("dev").size(), 1u);
  EXPECT_TRUE(root.children("none").empty());
  const auto refused = [](auto f) {
    try {
      f();
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refused([&] { (void)root.child("none"); }),
            "x.toml: missing key 'none' at the top level: a table");
  EXPECT_EQ(refused([&] { (void)program.get_string("name"); }),
            "x.toml:1:1: missing key 'name' in [program]");
  EXPECT_EQ(refused([&] { (void)program.get_string("window"); }),
            "x.toml:3:10: window: expected a text in quotes, found integer 4");
}

TEST(Section, AnEmptyOneReadsAsDefaults) {
  const Section none;
  EXPECT_FALSE(none.exists());
  EXPECT_TRUE(none.keys().empty());
  EXPECT_EQ(none.to_json().dump(), "{}");
  EXPECT_EQ(none.read<ProgramConfig>(), ProgramConfig{});
  EXPECT_STREQ(none.error("x", "why").what(), "why");
  // The extra section of a document without one still reads, and reports the document.
  EXPECT_EQ(read("").extra.read<ProgramConfig>(), ProgramConfig{});
  EXPECT_STREQ(read("").extra.error("x", "why").what(), "x.toml: why");
}

TEST(Section, OutlivesItsDocument) {
  Section kept;
  { kept = Document::parse(full, "x.toml").root().child("extra"); }
  EXPECT_EQ(kept.to_json().dump(), R"({"kind":"odd","n":[1,2.5,{"z":true}]})");
}

TEST(Location, InputErrorWithAndWithoutAPlace) {
  EXPECT_STREQ(input_error({"f", 3, 4, {}}, "m").what(), "f:3:4: m");
  EXPECT_STREQ(input_error({"f", 0, 0, {}}, "m").what(), "f: m");
  EXPECT_STREQ(input_error({{}, 0, 0, "a.b"}, "m").what(), "--set a.b: m");
  EXPECT_STREQ(input_error({}, "m").what(), "m");
  const Located<std::string> a{"x", {"f", 1, 2, {}}};
  const Located<std::string> b{"x"};
  EXPECT_EQ(a, b);
  const std::string& plain = a;
  EXPECT_EQ(plain, "x");
}

}  // namespace
}  // namespace horae::section_test
