// `horae size --p4c` and `--p4info` from outside.
#include <gtest/gtest.h>

#include <string>

#include "program.hpp"

namespace horae::test::size_compiled_test {
namespace {

const std::string counted = HORAE_PLATFORM_DIR "/../tb/p4/counted";
const std::string p4info = HORAE_PLATFORM_DIR "/../tb/p4/p4info/small.p4info.txt";

// Every value of the hand-made report is ours.
TEST(SizeCompiled, TheCompilersNumbersStandBesideOurs) {
  const Workplace place;
  const Ended json = run(place, {"size", "--p4c", counted, "--json"});
  ASSERT_EQ(json.exit_code, 0) << json.err;
  const auto out = json.json();
  EXPECT_EQ(out["pipelines"][0]["chip"], "tofino2");
  EXPECT_EQ(out["pipelines"][0]["compiler"]["stages"], 2);
  EXPECT_EQ(out["pipelines"][0]["stages_by_placer"]["least"], 2);
  EXPECT_EQ(out["pipelines"][0]["stages_by_placer"]["compiler"], 2);
  EXPECT_GT(out["validation"].size(), 20u);
  for (const auto& v : out["validation"]) {
    EXPECT_TRUE(v["equal"].get<bool>()) << v.dump();
    EXPECT_EQ(v["as_compiler"], v["published"]) << v.dump();
  }
  const Ended text = run(place, {"size", "--p4c", counted});
  EXPECT_NE(text.out.find("Beside the compiler's own"), std::string::npos);
  EXPECT_EQ(text.out.find("differs"), std::string::npos) << text.out;
}

TEST(SizeCompiled, ThePipelineAsAWhole) {
  const Workplace place;
  const auto pipeline = run(place, {"size", "--p4c", counted, "--json"}).json()["pipelines"][0];
  const auto& compiler = pipeline["compiler"];
  EXPECT_EQ(compiler["pipeline_resources"]["phv_16"]["used"], 1);
  EXPECT_EQ(compiler["pipeline_resources"]["phv_16"]["capacity"], 120);
  EXPECT_EQ(compiler["tightest"][0]["resource"], "stages");
  EXPECT_EQ(pipeline["pipeline_resources"]["phv_16"]["used"], 1);
  EXPECT_TRUE(compiler["not_priced"].empty());  // the report has none of them
  const Ended text = run(place, {"size", "--p4c", counted});
  EXPECT_EQ(text.out.find("not priced here"), std::string::npos);
  EXPECT_NE(text.out.find("containers of 16 bits"), std::string::npos);
  EXPECT_NE(text.out.find("tightest as the compiler placed it, of the chip: stages 10.0 %"),
            std::string::npos)
      << text.out;
}

TEST(SizeCompiled, TheFolderOfResultsSaysWhatJsonSays) {
  const Workplace place;
  const Ended ended = run(place, {"size", "--p4c", counted, "--json", "--out", "out"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(place.read("out/summary.json"), ended.out);
  EXPECT_EQ(place.read("out/ledger.json"), ended.out);
}

TEST(SizeCompiled, WhatDiffersIsMarked) {
  const Workplace place;
  const Ended ended = run(place, {"size", "--p4c", counted, "--chip", "tofino1"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_NE(ended.out.find("differs"), std::string::npos) << ended.out;  // cycles
}

TEST(SizeCompiled, TheWrittenFileIsPricedTheSame) {
  const Workplace place;
  const Ended written = run(place, {"size", "--p4c", counted, "--write", "d.toml", "--json"});
  ASSERT_EQ(written.exit_code, 0) << written.err;
  const Ended again = run(place, {"size", "--objects", "d.toml", "--json"});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  const auto one = written.json()["pipelines"][0], two = again.json()["pipelines"][0];
  EXPECT_EQ(one["resources"], two["resources"]);
  EXPECT_EQ(one["objects"], two["objects"]);
  EXPECT_EQ(one["stages_by_placer"], two["stages_by_placer"]);
  // It is a file like any other: sizes change.
  const Ended larger =
      run(place, {"size", "--objects", "d.toml", "--set", "register[0].entries=8192", "--json"});
  EXPECT_EQ(larger.json()["pipelines"][0]["resources"]["map_ram"]["used"], 5);
  EXPECT_FALSE(place.has("d.toml.new"));
}

// The same program as its source, as the objects file written from that, and as a compiler's folder
// cost the same wherever the folder says what the compiler did.
TEST(SizeCompiled, SourceWrittenFileAndFolderCostTheSame) {
  const Workplace place;
  const Ended source =
      run(place, {"size", counted + "/counted.p4", "--write", "source.toml", "--json"});
  ASSERT_EQ(source.exit_code, 0) << source.err;
  const Ended file = run(place, {"size", "--objects", "source.toml", "--json"});
  ASSERT_EQ(file.exit_code, 0) << file.err;
  const Ended folder = run(place, {"size", "--p4c", counted, "--json"});
  ASSERT_EQ(folder.exit_code, 0) << folder.err;
  const auto of_source = source.json()["pipelines"][0], of_file = file.json()["pipelines"][0],
             of_folder = folder.json()["pipelines"][0];
  for (const char* key : {"stages_used", "stages_by_placer", "resources", "as_compiler"}) {
    EXPECT_EQ(of_source[key], of_file[key]) << key;
    EXPECT_EQ(of_source[key], of_folder[key]) << key;
  }
  // And all are what the compiler's report says.
  std::size_t compared = 0;
  const auto& amounts = of_source["as_compiler"]["resources"];
  const auto validation = folder.json()["validation"];
  for (const auto& v : validation) {
    const std::string quantity = v["quantity"];
    if (v["id"] != "" || !amounts.contains(quantity)) continue;
    EXPECT_EQ(amounts[quantity], v["published"]) << quantity;
    ++compared;
  }
  EXPECT_EQ(compared, amounts.size());
}

TEST(SizeCompiled, P4InfoStagesAreABound) {
  const Workplace place;
  const Ended ended = run(place, {"size", "--p4info", p4info, "--chip", "tofino1"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_NE(ended.out.find("stages are a bound"), std::string::npos);
  EXPECT_NE(ended.out.find("Ig.odd: words of 24 bits taken as 32"), std::string::npos);
  const Ended json = run(place, {"size", "--p4info", p4info, "--json"});
  EXPECT_EQ(json.json()["pipelines"][0]["stages_are_a_bound"], true);
}

struct Bad {
  const char* name;
  Words arguments;
  std::string message;
};
class BadCompiled : public ::testing::TestWithParam<Bad> {};

TEST_P(BadCompiled, IsRefusedInOneLineAndNothingIsWritten) {
  const Workplace place;
  place.write("empty/manifest.json", "{}");
  Words all = {"size"};
  all.insert(all.end(), GetParam().arguments.begin(), GetParam().arguments.end());
  const Ended ended = run(place, all);
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_NE(ended.err.find(GetParam().message), std::string::npos) << ended.err;
  EXPECT_FALSE(place.has("d.toml"));
  EXPECT_FALSE(place.has("out"));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadCompiled,
    ::testing::Values(
        Bad{"NoFolder",
            {"--p4c", "no", "--write", "d.toml", "--out", "out"},
            "no: no folder; expected the P4 compiler's output folder"},
        Bad{"ForeignManifest",
            {"--p4c", "empty", "--write", "d.toml"},
            "empty/manifest.json:1:1: expected a key 'schema_version'"},
        Bad{"WithAPlatform", {"p.toml", "--p4c", "empty"}, "--p4c: expected with"},
        Bad{"WithOverrides", {"--p4c", "empty", "--set", "a=1"}, "--p4c: expected with"},
        Bad{"Both", {"--p4c", "empty", "--p4info", "x"}, "--p4c: expected with"},
        Bad{"WriteAlone",
            {"--objects", "x", "--write", "d.toml"},
            "--write: expected FILE.p4, --p4c DIR or --p4info FILE with it"},
        Bad{"NoFile", {"--p4info", "no.txt"}, "no.txt: cannot read: No such file or directory"},
        Bad{"CannotWrite", {"--p4c", counted, "--write", "no/d.toml"}, "--write no/d.toml: "}),
    [](const auto& p) { return std::string(p.param.name); });

}  // namespace
}  // namespace horae::test::size_compiled_test
