// Reading tables with a schema, and refusing them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "example.hpp"

namespace horae::read_test {
namespace {

using namespace params_example;

TEST(Params, AnEmptyDocumentKeepsEveryDefault) {
  const auto c = read("");
  EXPECT_EQ(c.title, "untitled");
  EXPECT_EQ(c.limit, 7);
  EXPECT_FALSE(c.buffer);
  EXPECT_EQ(c.delays, (std::vector<Picoseconds>{1_us, 2_us}));
  EXPECT_EQ(c.program, ProgramConfig{});
  EXPECT_FALSE(c.control);
  EXPECT_TRUE(c.links.empty());
  EXPECT_FALSE(c.extra.exists());
  EXPECT_EQ(c.extra.path(), "extra");
}

TEST(Params, ReadsEveryKindOfField) {
  const auto c = read(full);
  EXPECT_EQ(c.title, "two links");
  EXPECT_EQ(c.seed, 42);
  EXPECT_EQ(c.ttl, 128);
  EXPECT_EQ(c.buffer, Bytes(22'000'000));
  EXPECT_EQ(c.limit, -1);
  EXPECT_EQ(c.clock, Hertz(1'312'500'000));
  EXPECT_EQ(c.path, Path::ecmp);
  EXPECT_EQ(c.delays, (std::vector<Picoseconds>{1_ns, 88480_ps}));
  EXPECT_EQ(c.paths, (std::vector<Path>{Path::ecmp, Path::random}));
  ASSERT_EQ(c.hosts.size(), 2u);
  EXPECT_EQ(c.hosts[1].value, "h2");
  EXPECT_EQ(c.hosts[1].where.text(), "x.toml:10:16");
  EXPECT_EQ(c.program.name, "spray");
  EXPECT_EQ(c.program.window, Cycles(3));
  EXPECT_FALSE(c.program.strict);
  ASSERT_TRUE(c.control);
  EXPECT_EQ(c.control->name, "c");
  ASSERT_EQ(c.links.size(), 2u);
  EXPECT_EQ(c.links[0].rate, 400_Gbps);
  EXPECT_EQ(c.links[0].delay, 1_us);
  EXPECT_EQ(c.links[0].loss, 1.0 / 256);
  EXPECT_EQ(c.links[1].delay, 1500_ns);
  EXPECT_EQ(c.links[1].loss, 1.0);
  EXPECT_EQ(c.links[1].a.where.text(), "x.toml:24:5");
  EXPECT_EQ(c.extra.keys(), (std::vector<std::string>{"kind", "n"}));
  ASSERT_EQ(c.devices.size(), 1u);
  EXPECT_EQ(c.devices[0].path(), "device[0]");
}

TEST(Params, UnknownKeysAreRefusedAtTheKey) {
  EXPECT_EQ(refusal("[[link]]\na = 'x'\n  dealy = '1 us'\n"),
            "x.toml:3:3: unknown key 'dealy' in [link], did you mean 'delay'?");
  EXPECT_EQ(refusal("titel = 'x'\n"),
            "x.toml:1:1: unknown key 'titel' at the top level, did you mean 'title'?");
  EXPECT_EQ(refusal("[program]\nzzzzzz = 1\n"),
            "x.toml:2:1: unknown key 'zzzzzz' in [program]; expected one of name, window, strict");
  EXPECT_EQ(refusal("seed = 1\n[contrl]\nname = 'x'\n"),
            "x.toml:2:2: unknown key 'contrl' at the top level, did you mean 'control'?");
  EXPECT_EQ(refusal("program.widnow = 1\n"),
            "x.toml:1:9: unknown key 'widnow' in [program], did you mean 'window'?");
  EXPECT_EQ(refusal("program = { strikt = true }\n"),
            "x.toml:1:13: unknown key 'strikt' in [program], did you mean 'strict'?");
  EXPECT_EQ(refusal("\"a\\nb\" = 1\n").substr(0, 45),
            "x.toml:1:1: unknown key 'a\\x0ab' at the top l");
}

TEST(Params, TheFirstFaultOfTheDocumentIsReported) {
  EXPECT_EQ(refusal("ttl = 'x'\naaaa = 1\n"),
            "x.toml:1:7: ttl: expected an integer, found text \"x\"");
  EXPECT_EQ(refusal("zzz = 1\naaa = 1\n").substr(0, 29), "x.toml:1:1: unknown key 'zzz'");
}

TEST(Params, WrongTypesAreRefusedAtTheValue) {
  EXPECT_EQ(refusal("title = 3\n"),
            "x.toml:1:9: title: expected a text in quotes, found integer 3");
  EXPECT_EQ(refusal("seed = 1.5\n"), "x.toml:1:8: seed: expected an integer, found number 1.5");
  EXPECT_EQ(refusal("buffer = 4096\n"),
            "x.toml:1:10: buffer: expected a size such as \"4 KiB\", found integer 4096");
  EXPECT_EQ(refusal("clock = true\n"),
            "x.toml:1:9: clock: expected a frequency such as \"1.5 GHz\", found flag true");
  EXPECT_EQ(refusal("clock = 1979-05-27\n"),
            "x.toml:1:9: clock: expected a frequency such as \"1.5 GHz\", found date 1979-05-27");
  EXPECT_EQ(refusal("path = 1\n"),
            "x.toml:1:8: path: expected one of random, ecmp, found integer 1");
  EXPECT_EQ(refusal("delays = '1 us'\n"),
            "x.toml:1:10: delays: expected an array of time values, found text \"1 us\"");
  EXPECT_EQ(refusal("delays = ['1 us', 2]\n"),
            "x.toml:1:19: delays[1]: expected a time such as \"1.5 us\", found integer 2");
  EXPECT_EQ(refusal("[program]\nstrict = 'yes'\n"),
            "x.toml:2:10: strict: expected true or false, found text \"yes\"");
  EXPECT_EQ(refusal("[program]\nwindow = []\n"),
            "x.toml:2:10: window: expected a number of cycles, found an array");
  EXPECT_EQ(refusal("[[link]]\nrate = 100\n"),
            "x.toml:2:8: rate: expected a rate such as \"100 Gbps\", found integer 100");
  EXPECT_EQ(refusal("[[link]]\nrate = '100 gbps'\n"),
            "x.toml:2:8: rate: unknown unit 'gbps' in \"100 gbps\", did you mean 'Gbps'?");
  EXPECT_EQ(refusal("[[link]]\ndelay = '0.3 ps'\n"),
            "x.toml:2:9: delay: \"0.3 ps\" is not a whole number of picoseconds");
  for (const char* loss : {"'x'", "'1/0'", "'1/'", "'/2'", "'-1/2'", "nan", "inf"}) {
    const auto text = fmt::format("[[link]]\nloss = {}\n", loss);
    EXPECT_EQ(refusal(text).substr(0, 66),
              "x.toml:2:8: loss: expected a number such as 0.25 or \"1/256\", found")
        << loss;
  }
}

TEST(Params, WrongShapesAreRefused) {
  EXPECT_EQ(refusal("[link]\na = 'x'\n"),
            "x.toml:1:1: link: expected an array of tables [[link]], found a table");
  EXPECT_EQ(refusal("link = [{a = 'x', b = 'y'}, 3]\n"),
            "x.toml:1:29: link[1]: expected a table, found integer 3");
  EXPECT_EQ(refusal("[[program]]\nname = 'x'\n"),
            "x.toml:1:1: program: expected a table [program], found an array of tables");
  EXPECT_EQ(refusal("control = 5\n"),
            "x.toml:1:11: control: expected a table [control], found integer 5");
  EXPECT_EQ(refusal("extra = 'x'\n"),
            "x.toml:1:9: extra: expected a table [extra], found text \"x\"");
  EXPECT_EQ(refusal("device = {}\n"),
            "x.toml:1:10: device: expected an array of tables [[device]], found a table");
  EXPECT_EQ(refusal("[title]\nx = 1\n"),
            "x.toml:1:1: title: expected a text in quotes, found a table");
}

TEST(Params, MissingKeysAreRefusedAtTheTable) {
  EXPECT_EQ(refusal("seed = 1\n\n[[link]]\nb = 'x'\n"),
            "x.toml:3:1: missing key 'a' in [link]: device at one end");
  struct Top {
    std::string name;
    LinkConfig link;
  };
  const auto schema =
      Schema<Top>("top", "")
          .required("name", &Top::name)
          .table("link", &Top::link, LinkConfig::schema(), {.doc = "uplink", .required = true});
  const auto refused = [&](std::string_view text, const Overrides& overrides = {}) {
    try {
      (void)Document::parse(text, "y.toml", overrides).root().read(schema);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused(""), "y.toml: missing key 'name' at the top level");
  EXPECT_EQ(refused("name = 'x'"), "y.toml: missing key 'link' at the top level: uplink");
  EXPECT_EQ(refused("name = 'x'\n[link]\na = 'x'"),
            "y.toml:2:1: missing key 'b' in [link]: device at the other end");
  EXPECT_EQ(refused("name = 'x'", {"link.a=h1"}),
            "--set link.a: missing key 'b' in [link]: device at the other end");
  const auto optional = Schema<Top>("top", "").table("link", &Top::link, LinkConfig::schema());
  try {
    (void)Document::parse("", "y.toml").root().read(optional);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "y.toml: missing key 'a' in [link]: device at one end");
  }
}

TEST(Params, RangesIncludeTheirEnds) {
  const auto link = [](std::string_view line) {
    return refusal(fmt::format("[[link]]\na = 'x'\nb = 'y'\n{}\n", line));
  };
  EXPECT_EQ(link("delay = '1 ns'"), "accepted");
  EXPECT_EQ(link("delay = '999 ps'"), "x.toml:4:9: delay = 999 ps is below the minimum 1 ns");
  EXPECT_EQ(link("delay = '0 ps'"), "x.toml:4:9: delay = 0 ps is below the minimum 1 ns");
  EXPECT_EQ(link("rate = '1 Gbps'"), "accepted");
  EXPECT_EQ(link("rate = '1.6 Tbps'"), "accepted");
  EXPECT_EQ(link("rate = '999999999 bps'"),
            "x.toml:4:8: rate = 999999999 bps is below the minimum 1 Gbps");
  EXPECT_EQ(link("rate = '1600000000001 bps'"),
            "x.toml:4:8: rate = 1600000000001 bps is above the maximum 1.6 Tbps");
  EXPECT_EQ(link("loss = 0"), "accepted");
  EXPECT_EQ(link("loss = 1.0"), "accepted");
  EXPECT_EQ(link("loss = '257/256'"), "x.toml:4:8: loss = 1.00390625 is above the maximum 1");
  EXPECT_EQ(link("loss = -1e-9"), "x.toml:4:8: loss = -1e-09 is below the minimum 0");
  EXPECT_EQ(refusal("ttl = 128"), "accepted");
  EXPECT_EQ(refusal("ttl = 129"), "x.toml:1:7: ttl = 129 is above the maximum 128");
  EXPECT_EQ(refusal("ttl = 256"), "x.toml:1:7: ttl = 256 is above the maximum 255");
  EXPECT_EQ(refusal("ttl = -1"), "x.toml:1:7: ttl = -1 is below the minimum 0");
  EXPECT_EQ(refusal("seed = -1"), "x.toml:1:8: seed = -1 is below the minimum 0");
  EXPECT_EQ(refusal("delays = ['1 us', '1 ps']"),
            "x.toml:1:19: delays[1] = 1 ps is below the minimum 1 ns");
}

TEST(Params, UnknownChoicesNameTheNearest) {
  EXPECT_EQ(refusal("path = 'ecmpp'"),
            "x.toml:1:8: path: unknown choice 'ecmpp', did you mean 'ecmp'?");
  EXPECT_EQ(refusal("path = 'flowlet'"),
            "x.toml:1:8: path: unknown choice 'flowlet'; expected one of random, ecmp");
  EXPECT_EQ(refusal("paths = ['ecmp', 'randon']"),
            "x.toml:1:18: paths[1]: unknown choice 'randon', did you mean 'random'?");
}

}  // namespace
}  // namespace horae::read_test
