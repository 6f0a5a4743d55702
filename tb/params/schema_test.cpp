// Output of a schema: dumps, descriptions, contradictions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "example.hpp"
#include "refusal.hpp"

namespace horae::schema_test {
namespace {

using namespace params_example;

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

struct Sizes {
  std::uint32_t cells = 512;
  std::uint32_t pieces = 0;
  Bytes payload = 256_B;
  static const Schema<Sizes>& schema() {
    static const Schema<Sizes> s =
        Schema<Sizes>("sizes", "Numbers whose bits index something.")
            .field("cells", &Sizes::cells,
                   {.doc = "cells", .min = 1, .max = 4096, .power_of_two = true})
            .field("pieces", &Sizes::pieces, {.doc = "0: as needed", .power_of_two = true})
            .field("payload", &Sizes::payload, {.doc = "payload", .power_of_two = true});
    return s;
  }
};

TEST(Schema, PowersOfTwoAreARuleOfTheField) {
  const auto line = [](const std::string& text) {
    return test::refusal_of([&] { (void)Document::parse(text, "x.toml").root().read<Sizes>(); });
  };
  EXPECT_EQ(line("cells = 4096\npieces = 0\npayload = '1 KiB'\n"), "accepted");
  EXPECT_EQ(line("cells = 500\n"),
            "x.toml:1:9: cells = 500 is no power of two, as 256 and 512 are");
  EXPECT_EQ(line("cells = 0\n"), "x.toml:1:9: cells = 0 is below the minimum 1");
  EXPECT_EQ(line("pieces = 6\n"), "x.toml:1:10: pieces = 6 is no power of two, as 4 and 8 are");
  EXPECT_EQ(line("payload = '300 B'\n"),
            "x.toml:1:11: payload = 300 B is no power of two, as 256 B and 512 B are");
  std::vector<std::string> ranges;
  for (const ParamInfo& p : Sizes::schema().describe()) ranges.push_back(p.range_text);
  EXPECT_EQ(ranges, (std::vector<std::string>{"1 .. 4096, a power of two", "a power of two",
                                              ">= 0 B, a power of two"}));
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

}  // namespace
}  // namespace horae::schema_test
