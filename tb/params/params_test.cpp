// Reading, refusing, overriding, dumping and describing parameters.
#include "horae/params/params.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "horae/core/random.hpp"

namespace horae {
namespace {

enum class Path { random, ecmp };

struct ProgramConfig {
  std::string name = "spray";
  Cycles window{512};
  bool strict = true;

  bool operator==(const ProgramConfig&) const = default;
  static const Schema<ProgramConfig>& schema() {
    static const Schema<ProgramConfig> s =
        Schema<ProgramConfig>("program", "The program a switch runs.")
            .field("name", &ProgramConfig::name, {.doc = "registered name"})
            .field("window", &ProgramConfig::window, {.doc = "cycles", .min = Cycles(1)})
            .field("strict", &ProgramConfig::strict, {.doc = "refuse strays"});
    return s;
  }
};

struct LinkConfig {
  BitRate rate = 100_Gbps;
  Picoseconds delay = 1_us;
  double loss = 0;
  Located<std::string> a, b;

  bool operator==(const LinkConfig&) const = default;
  static const Schema<LinkConfig>& schema() {
    static const Schema<LinkConfig> s =
        Schema<LinkConfig>("link", "A full-duplex link between two ports.")
            .required("a", &LinkConfig::a, {.doc = "device at one end"})
            .required("b", &LinkConfig::b, {.doc = "device at the other end"})
            .field("rate", &LinkConfig::rate,
                   {.doc = "line rate", .min = 1_Gbps, .max = 1600_Gbps, .source = "IEEE 802.3"})
            .field("delay", &LinkConfig::delay,
                   {.doc = "propagation delay", .min = 1_ns, .verified = false})
            .field("loss", &LinkConfig::loss, {.doc = "of a packet", .min = 0, .max = 1});
    return s;
  }
};

struct PlatformConfig {
  std::string title = "untitled";
  std::int64_t seed = 1;
  std::uint8_t ttl = 64;
  std::optional<Bytes> buffer;
  std::optional<std::int64_t> limit = 7;
  Hertz clock{1'500'000'000};
  Path path = Path::random;
  std::vector<Picoseconds> delays{1_us, 2_us};
  std::vector<Path> paths;
  std::vector<Located<std::string>> hosts;
  ProgramConfig program;
  std::optional<ProgramConfig> control;
  std::vector<LinkConfig> links;
  Section extra;
  std::vector<Section> devices;

  bool operator==(const PlatformConfig&) const = default;
  static const Schema<PlatformConfig>& schema() {
    using C = PlatformConfig;
    static const Schema<C> s =
        Schema<C>("platform", "A whole platform.")
            .field("title", &C::title)
            .field("seed", &C::seed, {.doc = "of every stream", .min = 0})
            .field("ttl", &C::ttl, {.max = std::uint8_t{128}})
            .field("buffer", &C::buffer, {.min = 1_KiB})
            .field("limit", &C::limit)
            .field("clock", &C::clock)
            .choice("path", &C::path, {{"random", Path::random}, {"ecmp", Path::ecmp}},
                    {.doc = "choice of path"})
            .field("delays", &C::delays, {.min = 1_ns})
            .choice("paths", &C::paths, {{"random", Path::random}, {"ecmp", Path::ecmp}})
            .field("hosts", &C::hosts)
            .table("program", &C::program, ProgramConfig::schema())
            .table("control", &C::control, ProgramConfig::schema(), {.doc = "controller"})
            .tables("link", &C::links, LinkConfig::schema())
            .open("extra", &C::extra, {.doc = "read by another schema"})
            .open("device", &C::devices);
    return s;
  }
};

using Overrides = std::vector<std::string>;

PlatformConfig read(std::string_view text, const Overrides& overrides = {}) {
  return Document::parse(text, "x.toml", overrides).root().read<PlatformConfig>();
}

std::string refusal(std::string_view text, const Overrides& overrides = {}) {
  try {
    (void)read(text, overrides);
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

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

constexpr std::string_view full = R"(title = "two links"
seed = 42
ttl = 128
buffer = "22 MB"
limit = -1
clock = "1312.5 MHz"
path = "ecmp"
delays = ["1 ns", "88480 ps"]
paths = ["ecmp", "random"]
hosts = ["h1", "h2"]
program.window = 3
program.strict = false

[control]
name = "c"

[[link]]
a = "h1"
b = "tor"
rate = "400Gbps"
loss = "1/256"

[[link]]
a = "h2"
b = "tor"
delay = "1.5 us"
loss = 1

[extra]
kind = "odd"
n = [1, 2.5, { z = true }]

[[device]]
name = "tor"
)";

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

TEST(Params, SyntaxErrorsAreOneLineWithTheirPlace) {
  EXPECT_EQ(refusal("seed = 1\nseed = 2\n"),
            "x.toml:2:8: Error while parsing key-value pair: cannot redefine existing integer "
            "'seed'");
  EXPECT_EQ(refusal("a = \n").substr(0, 12), "x.toml:1:5: ");
  EXPECT_EQ(refusal("[a\n").substr(0, 12), "x.toml:1:3: ");
  EXPECT_EQ(refusal("\xff").substr(0, 12), "x.toml:1:1: ");
  EXPECT_EQ(refusal("a = \n").find('\n'), std::string::npos);
}

TEST(Params, EndlessKeysAreRefusedBeforeTheyEndTheStack) {
  std::string key = "a";
  for (int i = 0; i < 300'000; ++i) key += ".a";
  EXPECT_EQ(refusal(key + " = 1"), "x.toml:1:1: more than 1000 dots in a row");
  EXPECT_EQ(refusal("", {"extra={" + key + " = 1}"}), "--set extra: nested deeper than 200");
  std::string deep = "a";
  for (int i = 0; i < 300; ++i) deep += ".a";
  EXPECT_NE(refusal("[extra]\n" + deep + " = 1").find("nested deeper than 200"), std::string::npos);
  EXPECT_EQ(refusal("", {"extra=" + std::string(300, '[')}),
            "--set extra: extra: expected a table [extra], found text \"" + std::string(60, '[') +
                "...\"");
  // Long lines without a long key are fine.
  std::string numbers = "[extra]\nn = [0.5";
  for (int i = 0; i < 2000; ++i) numbers += ", 0.5";
  EXPECT_EQ(refusal(numbers + "]\ns = \"" + std::string(2000, '.') + "\"\n"), "accepted");
}

TEST(Params, FilesThatCannotBeRead) {
  const auto refused = [](const std::string& path, const Overrides& overrides = {}) {
    try {
      (void)Document::load(path, overrides);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  const auto folder = std::filesystem::temp_directory_path() /
                      fmt::format("horae_params_{}", std::random_device{}());
  std::filesystem::create_directory(folder);
  const std::string file = (folder / "p.toml").string();
  EXPECT_EQ(refused(file), file + ": cannot read: No such file or directory");
  EXPECT_EQ(refused(folder.string()), folder.string() + ": cannot read: is a directory");
  EXPECT_EQ(refused(file + "/x"), file + "/x: cannot read: No such file or directory");
  EXPECT_EQ(refused(""), ": cannot read: No such file or directory");
  std::ofstream(file) << "seed = 5\nx = = 1\n";
  EXPECT_EQ(refused(file).substr(0, file.size() + 6), file + ":2:5: ");
  EXPECT_EQ(refused(file + "/x"), file + "/x: cannot read: Not a directory");
  std::ofstream(file) << "seed = 5\n";
  EXPECT_EQ(refused(file), "accepted");
  EXPECT_EQ(Document::load(file, {"ttl=3"}).root().read<PlatformConfig>().seed, 5);
  EXPECT_EQ(refused(file, {"ttl"}), "--set 'ttl': expected KEY=VALUE");
  std::filesystem::remove_all(folder);
}

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

/// JSON as TOML: one assignment per key of the top level, everything below inline.
std::string to_toml(const nlohmann::ordered_json& json, bool top = true) {
  std::string out;
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) {
      if (!top && !out.empty()) out += ", ";
      out += fmt::format("\"{}\" = {}{}", key, to_toml(value, false), top ? "\n" : "");
    }
    return top ? out : "{" + out + "}";
  }
  if (json.is_array()) {
    for (const auto& element : json) out += (out.empty() ? "" : ", ") + to_toml(element, false);
    return "[" + out + "]";
  }
  return json.dump();
}

TEST(Schema, DumpIsTheEffectiveConfiguration) {
  EXPECT_EQ(
      PlatformConfig::schema().dump(read("buffer = '4096 B'\n[[link]]\na='x'\nb='y'\n")).dump(),
      R"({"title":"untitled","seed":1,"ttl":64,"buffer":"4 KiB","limit":7,)"
      R"("clock":"1.5 GHz","path":"random","delays":["1 us","2 us"],"paths":[],"hosts":[],)"
      R"("program":{"name":"spray","window":512,"strict":true},)"
      R"("link":[{"a":"x","b":"y","rate":"100 Gbps","delay":"1 us","loss":0.0}],)"
      R"("device":[]})");
}

TEST(Schema, ReadingADumpGivesTheSame) {
  for (const Overrides& overrides :
       {Overrides{}, Overrides{"title=a \\\" b"},
        Overrides{"link[0].loss=1/3", "seed=9223372036854775807"},
        Overrides{"delays=[]", "link=[]", "limit=-9223372036854775808"},
        Overrides{"link[1].loss=1e-9", "clock=9223372036854775807 Hz"}}) {
    for (const std::string_view text : {std::string_view(), full}) {
      if (text.empty() && !overrides.empty() && overrides[0].starts_with("link[")) continue;
      const auto config = read(text, overrides);
      const auto json = PlatformConfig::schema().dump(config);
      const auto again = read(to_toml(json));
      EXPECT_EQ(PlatformConfig::schema().dump(again), json);
      EXPECT_EQ(again, config) << json.dump();
    }
  }
}

TEST(Schema, DescribesEveryParameter) {
  const auto infos = PlatformConfig::schema().describe();
  const auto at = [&](std::string_view path) {
    for (const auto& info : infos) {
      if (info.path == path) return info;
    }
    ADD_FAILURE() << path;
    return ParamInfo{};
  };
  std::vector<std::string> paths;
  for (const auto& info : infos) paths.push_back(info.path);
  EXPECT_EQ(paths, (std::vector<std::string>{
                       "title",          "seed",           "ttl",          "buffer",
                       "limit",          "clock",          "path",         "delays",
                       "paths",          "hosts",          "program",      "program.name",
                       "program.window", "program.strict", "control",      "control.name",
                       "control.window", "control.strict", "link[]",       "link[].a",
                       "link[].b",       "link[].rate",    "link[].delay", "link[].loss",
                       "extra",          "device[]"}));
  const auto rate = at("link[].rate");
  EXPECT_EQ(rate.type, "rate");
  EXPECT_EQ(rate.default_text, "100 Gbps");
  EXPECT_EQ(rate.range_text, "1 Gbps .. 1.6 Tbps");
  EXPECT_EQ(rate.doc, "line rate");
  EXPECT_EQ(rate.source, "IEEE 802.3");
  EXPECT_TRUE(rate.verified);
  EXPECT_FALSE(rate.required);
  EXPECT_EQ(at("link[].delay").type, "time");
  EXPECT_FALSE(at("link[].delay").verified);
  EXPECT_EQ(at("link[].delay").range_text, ">= 1 ns");
  EXPECT_TRUE(at("link[].a").required);
  EXPECT_EQ(at("link[].a").default_text, "");
  EXPECT_EQ(at("link[].a").type, "text");
  EXPECT_EQ(at("link[].loss").type, "number");
  EXPECT_EQ(at("link[].loss").range_text, "0 .. 1");
  EXPECT_EQ(at("link[]").type, "tables");
  EXPECT_EQ(at("link[]").doc, "A full-duplex link between two ports.");
  EXPECT_EQ(at("program").type, "table");
  EXPECT_EQ(at("program.strict").type, "flag");
  EXPECT_EQ(at("program.strict").default_text, "true");
  EXPECT_EQ(at("program.window").type, "integer");
  EXPECT_EQ(at("program.window").default_text, "512");
  EXPECT_EQ(at("control").doc, "controller");
  EXPECT_EQ(at("path").type, "choice: random|ecmp");
  EXPECT_EQ(at("path").default_text, "random");
  EXPECT_EQ(at("paths").type, "list of choice: random|ecmp");
  EXPECT_EQ(at("delays").type, "list of time");
  EXPECT_EQ(at("delays").default_text, "[1 us, 2 us]");
  EXPECT_EQ(at("buffer").type, "bytes");
  EXPECT_EQ(at("buffer").default_text, "");
  EXPECT_EQ(at("limit").default_text, "7");
  EXPECT_EQ(at("ttl").range_text, "<= 128");
  EXPECT_EQ(at("clock").type, "frequency");
  EXPECT_EQ(at("extra").doc, "read by another schema");
}

TEST(Schema, RefusesToContradictItself) {
  struct C {
    std::int64_t a = 5;
    Path path = static_cast<Path>(9);
  };
  const auto refused = [](auto declare) {
    try {
      declare();
    } catch (const ModelError& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refused([] { Schema<C>("c", "").field("a", &C::a).field("a", &C::a); }),
            "schema c: field 'a': declared twice");
  EXPECT_EQ(refused([] { Schema<C>("c", "").field("a", &C::a, {.max = 4}); }),
            "schema c: field 'a': default 5 is above the maximum 4");
  EXPECT_EQ(refused([] { Schema<C>("c", "").required("a", &C::a, {.max = 4}); }), "accepted");
  EXPECT_EQ(refused([] {
              Schema<C>("c", "").choice("p", &C::path, {{"ecmp", Path::ecmp}});
            }),
            "schema c: field 'p': default a value without a name");
}

// Whatever the text and the overrides: a configuration or an InputError of one line.
TEST(Params, MutatedDocumentsAreReadOrRefused) {
  RandomStream stream(1, "params.fuzz");
  const std::string pieces[] = {"[",
                                "]",
                                "[[",
                                "]]",
                                "=",
                                ".",
                                "\"",
                                "'",
                                "'''",
                                "\n",
                                "{",
                                "}",
                                ",",
                                "#",
                                "\\",
                                "\\u00e9",
                                "\xff",
                                std::string(1, '\0'),
                                "nan",
                                "-",
                                "1e999",
                                "9223372036854775808",
                                "0x",
                                "true",
                                "1979-05-27",
                                "[link]",
                                "[[link]]",
                                "link",
                                "rate",
                                " Gbps",
                                "\xef\xbb\xbf",
                                "\r",
                                "\t"};
  const Overrides keys{
      "link[0].delay=", "seed=", "extra.x.y[0]=", "title=", "hosts[1]=", "link[1]="};
  const auto mutate = [&](std::string text) {
    for (auto n = 1 + stream.below(4); n > 0; --n) {
      const auto at = stream.below(static_cast<std::uint32_t>(text.size() + 1));
      const auto length = stream.below(8);
      switch (stream.below(4)) {
        case 0:
          text.erase(at, length);
          break;
        case 1:
          text.insert(at, pieces[stream.below(std::size(pieces))]);
          break;
        case 2:
          text.insert(at, text.substr(text.size() / 2, length * 4));
          break;
        default:
          if (at < text.size()) text[at] = static_cast<char>(stream.below(256));
      }
    }
    return text;
  };
  int accepted = 0;
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto text = mutate(std::string(full));
    Overrides overrides;
    if (i % 3 == 0) {
      const auto& key = keys[stream.below(static_cast<std::uint32_t>(keys.size()))];
      overrides.push_back(mutate(key + "1 us"));
    }
    try {
      const auto config = read(text, overrides);
      (void)PlatformConfig::schema().dump(config).dump(-1, ' ', false,
                                                       nlohmann::json::error_handler_t::replace);
      ++accepted;
    } catch (const InputError& e) {
      const std::string_view what = e.what();
      ASSERT_EQ(what.find('\n'), std::string_view::npos) << what;
      ASSERT_TRUE(what.starts_with("x.toml") || what.starts_with("--set")) << what;
      ++refused;
    } catch (const std::exception& e) {
      FAIL() << e.what() << "\n" << text << "\n" << (overrides.empty() ? "" : overrides[0]);
    }
  }
  EXPECT_GT(accepted, 500);
  EXPECT_GT(refused, 5000);
}

}  // namespace
}  // namespace horae
