// Overrides of the command line.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "example.hpp"

namespace horae::overrides_test {
namespace {

using namespace params_example;

TEST(Overrides, ReplaceAndCreateValuesOfEveryType) {
  const auto c = read(
      full, {"title=plain words", "seed=7", "buffer=4 KiB", "clock=1GHz", "path=random",
             "delays=[\"3 ns\"]", "program.name=\"q\"", "program.strict=true", "link[0].delay=2 us",
             "link[1].loss=1/4", "link[1].rate=200Gbps", "control.window = 9", "delays[1]=4 ns",
             "extra.new.table=1", "limit=1", "limit=2"});
  EXPECT_EQ(c.title, "plain words");
  EXPECT_EQ(c.seed, 7);
  EXPECT_EQ(c.buffer, 4_KiB);
  EXPECT_EQ(c.clock, Hertz(1'000'000'000));
  EXPECT_EQ(c.path, Path::random);
  EXPECT_EQ(c.delays, (std::vector<Picoseconds>{3_ns, 4_ns}));
  EXPECT_EQ(c.program.name, "q");
  EXPECT_TRUE(c.program.strict);
  EXPECT_EQ(c.program.window, Cycles(3));
  EXPECT_EQ(c.links[0].delay, 2_us);
  EXPECT_EQ(c.links[1].loss, 0.25);
  EXPECT_EQ(c.links[1].rate, 200_Gbps);
  EXPECT_EQ(c.control->window, Cycles(9));
  EXPECT_EQ(c.extra.child("new").path(), "extra.new");
  EXPECT_EQ(c.limit, 2);
}

TEST(Overrides, CreateWholeTablesAndArrays) {
  const auto c = read("", {"link[0].a=x", "link[0].b=y", "link[1]={a = 'p', b = 'q'}",
                           "control={name = 'n'}", "hosts=['u', 'v']", "hosts[2]=w"});
  ASSERT_EQ(c.links.size(), 2u);
  EXPECT_EQ(c.links[0].b.value, "y");
  EXPECT_EQ(c.links[0].b.where.text(), "--set link[0].b");
  EXPECT_EQ(c.links[1].a.value, "p");
  EXPECT_EQ(c.links[1].a.where.text(), "--set link[1]");
  EXPECT_EQ(c.control->name, "n");
  EXPECT_EQ(c.hosts[2].value, "w");
}

TEST(Overrides, ATextFieldTakesTheWordsAsTheyAre) {
  for (const char* words : {"100", "true", "1.50", "2024-01-01", "a#b", "#", "1 # 2", "", "a=b",
                            "inf", "0x10", "[1", "\"open", "x\ny = 1", "é"}) {
    EXPECT_EQ(read("", {fmt::format("title={}", words)}).title, words);
  }
  EXPECT_EQ(read("", {"title=\"quoted # text\""}).title, "quoted # text");
  EXPECT_EQ(read("", {"title='literal'"}).title, "literal");
  EXPECT_EQ(read("", {"title=\"\""}).title, "");
}

TEST(Overrides, QuotedKeys) {
  const auto root = Document::parse("", "x.toml", {"route.\"10.0.0.0/8\".\"a=b\"=1"}).root();
  EXPECT_EQ(root.to_json().dump(), R"({"route":{"10.0.0.0/8":{"a=b":1}}})");
}

TEST(Overrides, MalformedOnesAreRefused) {
  EXPECT_EQ(refusal("", {"xyz"}), "--set 'xyz': expected KEY=VALUE");
  EXPECT_EQ(refusal("", {""}), "--set '': expected KEY=VALUE");
  EXPECT_EQ(refusal("", {"=1"}), "--set '=1': expected KEY=VALUE");
  for (const char* text : {"a..b=1", ".a=1", "a.=1", "a[=1", "a[]=1", "a[x]=1", "a[-1]=1",
                           "a[0]b=1", "[0]=1", "a b=1", " =1", "a[99999999999999999999]=1"}) {
    EXPECT_EQ(refusal("", {text}),
              fmt::format("--set '{}': expected KEY=VALUE with a KEY such as nic.rate or "
                          "link[0].delay",
                          text));
  }
  EXPECT_EQ(refusal("", {"\"a=1"}), "--set '\"a=1': expected KEY=VALUE");
}

TEST(Overrides, MistakesNameTheOverride) {
  EXPECT_EQ(refusal("", {"titel=x"}),
            "--set titel: unknown key 'titel' at the top level, did you mean 'title'?");
  EXPECT_EQ(refusal("", {"progam.name=x"}),
            "--set progam.name: unknown key 'progam' at the top level, did you mean 'program'?");
  EXPECT_EQ(refusal(full, {"link[1].dealy=2 us"}),
            "--set link[1].dealy: unknown key 'dealy' in [link], did you mean 'delay'?");
  EXPECT_EQ(refusal(full, {"link[0].delay=0 ps"}),
            "--set link[0].delay: delay = 0 ps is below the minimum 1 ns");
  EXPECT_EQ(refusal(full, {"link[0].rate=100"}),
            "--set link[0].rate: rate: expected a rate such as \"100 Gbps\", found \"100\" without "
            "a unit");
  EXPECT_EQ(refusal("", {"seed=many"}),
            "--set seed: seed: expected an integer, found text \"many\"");
  EXPECT_EQ(refusal("", {"seed=18446744073709551616"}),
            "--set seed: seed = 18446744073709551616 is above the maximum 9223372036854775807, the "
            "largest integer of TOML");
  EXPECT_EQ(refusal("", {"path=ecmpp"}),
            "--set path: path: unknown choice 'ecmpp', did you mean 'ecmp'?");
  EXPECT_EQ(refusal(full, {"link=3"}),
            "--set link: link: expected an array of tables [[link]], found integer 3");
  EXPECT_EQ(refusal(full, {"link.delay=1 us"}),
            "--set link.delay: link is an array of tables, not a table; say link[0].delay");
  EXPECT_EQ(refusal(full, {"link[3].delay=1 us"}),
            "--set link[3].delay: link has 2 elements, so the next index is 2");
  EXPECT_EQ(refusal(full, {"seed.x=1"}), "--set seed.x: seed is integer 42, not a table");
  EXPECT_EQ(refusal(full, {"program[0].name=x"}),
            "--set program[0].name: program is a table, not an array");
  EXPECT_EQ(refusal("", {"link[0].a=x"}),
            "--set link[0].a: missing key 'b' in [link]: device at the other end");
}

}  // namespace
}  // namespace horae::overrides_test
