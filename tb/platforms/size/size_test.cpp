// `horae size` from outside: against the vendor compiler's reports and the papers' tables, and what
// it says when something does not fit.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <string>

#include "program.hpp"

namespace horae::test::size_test {
namespace {

const std::string platform_dir = HORAE_PLATFORM_DIR;
const std::string compiler_dir = HORAE_PLATFORM_DIR "/../tb/validate/compiler/";

ordered_json size_of(const Workplace& place, const Words& arguments, int exit_code = 0) {
  Words all = {"size"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  all.push_back("--json");
  const Ended ended = run(place, all);
  EXPECT_EQ(ended.exit_code, exit_code) << ended.err;
  if (!ordered_json::accept(ended.out)) throw std::runtime_error(ended.out + ended.err);
  return ended.json();
}

// Every register of a shipped program has actions that an ALU can do.
TEST(Size, NoShippedProgramHasUncheckedFunctions) {
  const Workplace place;
  const auto unchecked = [&](const char* platform) {
    const ordered_json json = size_of(place, {platform_dir + platform});
    return json.dump().find("\"unchecked\"") != std::string::npos;
  };
  for (const char* platform :
       {"/themis_tor.toml", "/themis_256.toml", "/longhaul.toml", "/conweave_tor.toml"})
    EXPECT_FALSE(unchecked(platform)) << platform;
}

// Every value that the compiler reported; those known to differ are counted, so that none is added
// to them unseen.
struct Report {
  const char* file;
  std::size_t values;
  std::size_t differ;
};
class CompilerReports : public ::testing::TestWithParam<Report> {};

TEST_P(CompilerReports, AreReproduced) {
  const Workplace place;
  const auto json = size_of(place, {"--objects", compiler_dir + GetParam().file});
  std::size_t differ = 0;
  for (const auto& v : json["validation"]) {
    if (v["ours"].is_number() && v["ours"].get<double>() == v["published"].get<double>()) continue;
    ++differ;
    EXPECT_FALSE(v["note"].get<std::string>().empty()) << v.dump();
  }
  EXPECT_EQ(json["validation"].size(), GetParam().values);
  EXPECT_EQ(differ, GetParam().differ);
}

INSTANTIATE_TEST_SUITE_P(
    All, CompilerReports,
    ::testing::Values(Report{"registers.toml", 62, 4}, Report{"match_tables.toml", 220, 0},
                      Report{"hash_mirror_recirculate.toml", 96, 0}, Report{"chains.toml", 56, 0},
                      Report{"gateways.toml", 153, 0}, Report{"programs.toml", 64, 2}),
    [](const auto& p) {
      const std::string file = p.param.file;
      return file.substr(0, file.find('.'));
    });

// The blocks and ALUs of Tables 2 to 4 and Table 1's percentages of 18 stages.
TEST(Size, ThemisIsWhatItsTablesSay) {
  const Workplace place;
  const auto json = size_of(place, {platform_dir + "/themis_tor.toml"});
  ASSERT_EQ(json["pipelines"].size(), 1u);
  const auto& pipeline = json["pipelines"][0];
  const auto used = [&](const char* r) { return pipeline["resources"][r]["used"].get<int>(); };
  EXPECT_EQ(used("map_ram"), 181);
  EXPECT_EQ(used("stateful_alu"), 27);
  int data_blocks = 0;
  for (const auto& o : pipeline["objects"]) {
    if (o["kind"] == "register")
      data_blocks += o["map_ram"].get<int>() - o["stateful_alu"].get<int>();  // a spare each
  }
  EXPECT_EQ(data_blocks, 154);
  std::map<std::string, double> ours;
  for (const auto& v : json["validation"]) ours[v["id"]] = v["ours"].get<double>();
  EXPECT_NEAR(ours.at("themis.res.mapram"), 20.95, 0.005);
  EXPECT_NEAR(ours.at("themis.res.alu"), 37.50, 0.005);
  EXPECT_EQ(ours.at("themis.mem.source"), 516);
  EXPECT_EQ(ours.at("themis.mem.destination"), 661);
  EXPECT_NEAR(ours.at("themis.mem.total"), (2 * 128 + 1177.0 * 512 * 16) / 1e6, 1e-9);
  EXPECT_EQ(ours.at("themis.queue.entries"), 38);
  EXPECT_EQ(ours.at("themis.queue.bytes"), 76);
}

// Sums of the parts are the totals, and percentages are of what they say.
TEST(Size, TheLedgerAddsUp) {
  const Workplace place;
  const auto pipeline = size_of(place, {platform_dir + "/themis_tor.toml"})["pipelines"][0];
  for (const char* r : {"sram", "map_ram", "stateful_alu", "gateway", "logical_table"}) {
    const auto& resource = pipeline["resources"][r];
    int objects = 0, stages = 0;
    for (const auto& o : pipeline["objects"]) objects += o[r].get<int>();
    for (const auto& s : pipeline["by_stage"]) stages += s[r].get<int>();
    EXPECT_EQ(objects, resource["used"].get<int>()) << r;
    EXPECT_EQ(stages, resource["used"].get<int>()) << r;
    EXPECT_DOUBLE_EQ(resource["percent"].get<double>(),
                     100.0 * resource["used"].get<double>() / resource["capacity"].get<double>());
  }
  EXPECT_EQ(pipeline["by_stage"].size(), pipeline["stages_used"].get<std::size_t>());
}

constexpr const char* too_large = R"(chip = "tofino2"
[[register]]
name = "counts"
width = 32
entries = 262144
)";

TEST(Size, WhatDoesNotFitIsRefusedWithWhatWould) {
  const Workplace place;
  place.write("d.toml", too_large);
  const Ended text = run(place, {"size", "--objects", "d.toml"});
  EXPECT_EQ(text.exit_code, 3);
  EXPECT_NE(text.out.find("65        24         41"), std::string::npos) << text.out;
  const auto json = size_of(place, {"--objects", "d.toml"}, 3);
  ASSERT_EQ(json["refused"].size(), 1u);
  EXPECT_EQ(json["refused"][0]["object"], "counts");
  EXPECT_EQ(json["refused"][0]["resource"], "map_ram");
  EXPECT_EQ(json["refused"][0]["need"], 65);
  EXPECT_EQ(json["refused"][0]["have"], 24);
  // Each remedy is true, and the step before it is not.
  std::map<std::string, std::int64_t> remedies;
  for (const auto& r : json["remedies"]) remedies[r[0]["key"]] = r[0]["fits"].get<std::int64_t>();
  EXPECT_EQ(remedies.at("register[0].entries"), 23 * 4096);
  EXPECT_EQ(remedies.at("register[0].pieces"), 3);
  for (const auto& [key, value] : remedies) {
    const std::string fits = key + "=" + std::to_string(value);
    EXPECT_EQ(run(place, {"size", "--objects", "d.toml", "--set", fits}).exit_code, 0) << fits;
    const std::int64_t nearer = key.ends_with("pieces") ? value - 1 : value + 1;
    const std::string not_yet = key + "=" + std::to_string(nearer);
    EXPECT_EQ(run(place, {"size", "--objects", "d.toml", "--set", not_yet}).exit_code, 3);
  }
  auto without = size_of(place, {"--objects", "d.toml", "--no-remedies"}, 3);
  EXPECT_EQ(without["remedies"], ordered_json::array());
  without["remedies"] = json["remedies"];
  EXPECT_EQ(without, json);
}

// Bits of fields and rows of the parser are parameters like any other.
TEST(Size, FieldsThatDoNotFitHaveRemediesToo) {
  const Workplace place;
  place.write("d.toml",
              "[[field]]\nname = \"x\"\nbits = 32\ncopies = 200\nparsed = true\n"
              "deparsed = true\n[[action]]\nname = \"a\"\n");
  const auto json = size_of(place, {"--objects", "d.toml"}, 3);
  ASSERT_EQ(json["refused"].size(), 1u);
  EXPECT_EQ(json["refused"][0]["resource"], "phv_bits");
  EXPECT_EQ(json["refused"][0]["need"], 6400);
  EXPECT_EQ(json["refused"][0]["have"], 5120);
  std::map<std::string, std::int64_t> remedies;
  for (const auto& r : json["remedies"]) remedies[r[0]["key"]] = r[0]["fits"].get<std::int64_t>();
  EXPECT_EQ(remedies.at("field[0].copies"), 160);
  EXPECT_EQ(remedies.at("field[0].bits"), 25);
  const auto fits = size_of(place, {"--objects", "d.toml", "--set", "field[0].copies=160"});
  EXPECT_EQ(fits["pipelines"][0]["tightest"][0]["resource"], "phv_bits");
  EXPECT_EQ(fits["pipelines"][0]["tightest"][0]["percent"], 100.0);
}

// So are the entries of a value set; of checksums it is said what shares a unit.
TEST(Size, ValueSetsAndChecksumsAreRefusedBeyondTheParser) {
  const Workplace place;
  const std::string value_set = "[[value_set]]\nname = \"v\"\nkey_bits = 40\nentries = 400\n";
  std::string text = value_set;
  for (const std::string name : {"a", "b", "c"})
    text += "[[checksum]]\nname = \"" + name + "\"\ndoes = \"verify\"\n";
  place.write("d.toml", "chip = \"tofino1\"\n" + text);
  const auto json = size_of(place, {"--objects", "d.toml"}, 3);
  std::map<std::string, std::string> refused;
  for (const auto& r : json["refused"]) {
    refused[r["resource"]] = r["object"].get<std::string>() + " " + r["need"].dump() + " of " +
                             r["have"].dump() + ": " + r["rewrite"].get<std::string>();
  }
  const std::map<std::string, std::string> expected = {
      {"ingress_parser_rows",
       "design 400 of 256: states that tell fewer values apart, or value sets of fewer entries: a "
       "match table can"},
      {"parser_match_bits", "v 40 of 32: key_bits = 32, or a match table"},
      {"ingress_parser_checksums",
       "design 3 of 2: verifications in states of their own (states = [...]): they share a unit"}};
  EXPECT_EQ(refused, expected);
  // Each alone has the remedy that one expects.
  const auto remedy = [&](const std::string& key_bits, const std::string& entries) {
    place.write("v.toml", "[[value_set]]\nname = \"v\"\nkey_bits = " + key_bits +
                              "\nentries = " + entries + "\n");
    const auto found = size_of(place, {"--objects", "v.toml"}, 3)["remedies"];
    return found[0][0]["key"].get<std::string>() + " = " + found[0][0]["fits"].dump();
  };
  EXPECT_EQ(remedy("16", "400"), "value_set[0].entries = 256");
  EXPECT_EQ(remedy("40", "4"), "value_set[0].key_bits = 32");
  const auto most = size_of(place, {"--objects", "v.toml", "--set", "value_set[0].key_bits=32",
                                    "--most", "value_set[0].entries"});
  EXPECT_EQ(most["points"][0]["value"], 256);
  EXPECT_EQ(most["points"][0]["binding"], "ingress_parser_rows");
}

TEST(Size, AHypotheticalChipIsAnEdit) {
  const Workplace place;
  place.write("d.toml", "chip = \"mine.toml\"\n" + std::string(too_large).substr(17));
  std::string chip;
  {
    std::ifstream file(platform_dir + "/chips/tofino1.toml");
    chip.assign(std::istreambuf_iterator<char>(file), {});
  }
  const auto replace = [&](const std::string& from, const std::string& to) {
    const auto at = chip.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    chip.replace(at, from.size(), to);
  };
  replace("rams_per_row = 6", "rams_per_row = 12");
  replace("map_ram = 48", "map_ram = 96");
  place.write("mine.toml", chip);
  const auto json = size_of(place, {"--objects", "d.toml"});
  EXPECT_EQ(json["pipelines"][0]["objects"][0]["map_ram"], 65);
  EXPECT_EQ(run(place, {"size", "--objects", "d.toml", "--chip", "tofino1"}).exit_code, 3);
}

TEST(Size, ARunThatDoesNotFitEndsBeforeItBegins) {
  const Workplace place;
  const Ended ended = run(place, {"run", platform_dir + "/themis_tor.toml", "--set",
                                  "tor.program.pieces=1", "--out", "results"});
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_NE(ended.err.find("path_psn_max_array"), std::string::npos) << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_TRUE(place.content().empty());
}

TEST(Size, TheLargestValueIsTheLargest) {
  const Workplace place;
  place.write("d.toml", too_large);
  const auto json =
      size_of(place, {"--objects", "d.toml", "--most", "register[0].entries", "--over",
                      "register[0].width=16,32", "--over", "register[0].pieces=1,2"});
  ASSERT_EQ(json["points"].size(), 4u);
  const std::int64_t expected[] = {23 * 8192, 2 * 23 * 8192, 23 * 4096, 2 * 23 * 4096};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(json["points"][i]["value"].get<std::int64_t>(), expected[i]) << i;
    EXPECT_EQ(json["points"][i]["binding"], "map_ram");
  }
}

// A parameter that fits as it is is raised from there; its own limits are kept.
TEST(Size, LimitsStartFromWhatFits) {
  const Workplace place;
  const auto most = [&](const std::string& key) {
    const auto json = size_of(place, {platform_dir + "/themis_tor.toml", "--most", key});
    return json["points"][0]["value"].get<std::int64_t>();
  };
  EXPECT_EQ(most("tor.program.member_entries"), 65536);
  EXPECT_EQ(most("tor.program.avoidance_window"), 1 << 24);
  EXPECT_EQ(most("tor.program.qps_per_nic"), 736);  // 23 blocks of one bitmap array
}

// A rule of the program is no limit of the chip: values that do not spread over pipelines, or are
// no power of two, are passed over, and the answer does not depend on the value that is there.
TEST(Size, LimitsPassOverWhatARuleRefuses) {
  const Workplace place;
  const auto most = [&](const std::string& key, const Words& settings) {
    Words words = {platform_dir + "/themis_tor.toml", "--most", key};
    for (const auto& s : settings) words.insert(words.end(), {"--set", s});
    const auto point = size_of(place, words)["points"][0];
    return std::pair(point["value"].get<std::int64_t>(), point["object"].get<std::string>());
  };
  const auto qps = [&](std::int64_t n) { return std::pair(n, std::string("bitmap_array")); };
  EXPECT_EQ(most("tor.program.qps_per_nic", {"tor.program.nics=30"}), qps(392));
  for (const char* now : {"500", "504", "512"}) {
    EXPECT_EQ(most("tor.program.qps_per_nic",
                   {"tor.program.nics=17", std::string("tor.program.qps_per_nic=") + now}),
              qps(692));
  }
  EXPECT_EQ(most("tor.program.paths", {}),
            std::pair(std::int64_t{256}, std::string("path_adaptive_count")));
}

// Fitting values may begin above the least value.
TEST(Size, ALimitIsFoundWhereLessDoesNotFit) {
  const Workplace place;
  place.write("d.toml", "[[register]]\nname = \"r\"\nentries = 1000000\nwidth = 32\n");
  const auto at = [&](int pieces) {
    return run(place, {"size", "--objects", "d.toml", "--set",
                       "register[0].pieces=" + std::to_string(pieces)})
        .exit_code;
  };
  ASSERT_EQ(at(1), 3);
  ASSERT_EQ(at(12), 0);
  const auto point =
      size_of(place, {"--objects", "d.toml", "--most", "register[0].pieces"})["points"][0];
  EXPECT_GE(point["value"], 12);
}

TEST(Size, EveryRefusalOfACollectionIsTold) {
  const Workplace place;
  const std::string large = "[[design.register]]\nname = \"r\"\nentries = 1000000\n";
  place.write("two.toml", "[[design]]\nname = \"a\"\n" + large + "[[design]]\nname = \"b\"\n" +
                              large + "expect = { placed = 0 }\n");
  const Ended ended = run(place, {"size", "--objects", "two.toml"});
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_NE(ended.out.find("a does not fit tofino2"), std::string::npos) << ended.out;
  EXPECT_EQ(ended.out.find("b does not fit"), std::string::npos) << ended.out;
  EXPECT_EQ(
      run(place, {"size", "--objects", "two.toml", "--set", "design[0].register[0].pieces=16"})
          .exit_code,
      0);
}

// With --stages: the same ledger, and what each object has in each of its stages.
TEST(Size, TheJsonOfStagesSplitsObjects) {
  const Workplace place;
  const std::string file = platform_dir + "/themis_tor.toml";
  auto split = size_of(place, {file, "--stages"});
  auto& pipeline = split["pipelines"][0];
  for (auto* objects : {&pipeline["objects"], &pipeline["as_compiler"]["objects"]}) {
    for (auto& o : *objects) {
      int map_ram = 0;
      for (const auto& part : o["by_stage"]) map_ram += part["map_ram"].get<int>();
      EXPECT_EQ(map_ram, o["map_ram"].get<int>()) << o["name"];
      EXPECT_EQ(o["by_stage"].size(), o["stages"].size()) << o["name"];
      o.erase("by_stage");
    }
  }
  EXPECT_EQ(pipeline["as_compiler"]["objects"].size(), pipeline["objects"].size());
  pipeline["as_compiler"].erase("objects");
  EXPECT_EQ(split, size_of(place, {file}));
}

TEST(Size, AResultFolderHoldsTheLedger) {
  const Workplace place;
  const Ended ended =
      run(place, {"size", platform_dir + "/themis_tor.toml", "--json", "--out", "results"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(place.read_json("results/ledger.json"), ended.json());
}

// 32 arrays of one shape: four ALUs of a stage decide.
TEST(Size, CopiesAreOneEntryOfTheFile) {
  const Workplace place;
  place.write("d.toml",
              "chip = \"tofino1\"\n[[register]]\nname = \"cells\"\npair = true\nentries = 1024\n"
              "copies = 32\nexpect = { stateful_alu = 32 }\n");
  const auto json = size_of(place, {"--objects", "d.toml"});
  EXPECT_EQ(json["pipelines"][0]["objects"].size(), 32u);
  EXPECT_EQ(json["pipelines"][0]["stages_used"], 8);
  EXPECT_EQ(json["validation"][0]["ours"], 32);
}

// Each count stands beside the others, also where the design does not fit: 13 tables in a chain.
TEST(Size, AllThreeCountsOfStagesArePrinted) {
  const Workplace place;
  std::string chain = "chip = \"tofino1\"\n";
  for (int i = 0; i < 13; ++i) {
    chain += "[[exact]]\nname = \"t" + std::to_string(i) + "\"\nkey_bits = 32\nentries = 1024\n";
    if (i > 0) chain += "after = [\"t" + std::to_string(i - 1) + "\"]\n";
  }
  place.write("d.toml", chain);
  const auto pipeline = size_of(place, {"--objects", "d.toml"}, 3)["pipelines"][0];
  EXPECT_EQ(pipeline["stages_used"], 13);
  EXPECT_EQ(pipeline["stages_by_placer"]["least"], 13);
  EXPECT_EQ(pipeline["stages_by_placer"]["compiler"], 13);
  EXPECT_EQ(pipeline["as_compiler"]["fits"], false);
  const Ended text = run(place, {"size", "--objects", "d.toml"});
  EXPECT_NE(text.out.find("stages: 13 placed, 13 least, 13 as the open compiler's"),
            std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find("a design written by hand"), std::string::npos) << text.out;
  place.write("complete.toml", "order = \"complete\"\n" + chain);
  const Ended complete = run(place, {"size", "--objects", "complete.toml"});
  EXPECT_EQ(complete.out.find("written by hand"), std::string::npos) << complete.out;
}

// The blocks of the compiler's own placement are told beside ours.
TEST(Size, MemoriesAsTheCompilerStandBesideOurs) {
  const Workplace place;
  place.write("d.toml",
              "[[exact]]\nname = \"t\"\nkey_bits = 48\nentries = 300000\ndata_bits = 40\n");
  const auto pipeline = size_of(place, {"--objects", "d.toml"})["pipelines"][0];
  const auto& as = pipeline["as_compiler"];
  EXPECT_EQ(as["fits"], true);
  EXPECT_EQ(as["resources"].size(), pipeline["resources"].size());
  const int theirs = as["resources"]["sram"].get<int>();
  EXPECT_GT(theirs, 0);
  const Ended text = run(place, {"size", "--objects", "d.toml"});
  EXPECT_NE(text.out.find("where they hold " + std::to_string(theirs) + " SRAM blocks"),
            std::string::npos)
      << text.out;
}

// The compiler's empty program has 58 cycles, and one that has no objects yet is priced the same.
TEST(Size, ADesignWithoutObjectsIsPriced) {
  const Workplace place;
  place.write("d.toml", "chip = \"tofino2\"\n");
  const auto pipeline = size_of(place, {"--objects", "d.toml"})["pipelines"][0];
  EXPECT_EQ(pipeline["stages_used"], 0);
  EXPECT_EQ(pipeline["latency_cycles"]["ingress"], 58);
  EXPECT_EQ(pipeline["latency_cycles"]["egress"], 58);
}

TEST(Size, ARemedyIsWithinTheRangeOfItsKey) {
  const Workplace place;
  place.write("d.toml", "[[register]]\nname = \"r\"\nentries = 1099511627776\n");
  const auto json = size_of(place, {"--objects", "d.toml"}, 3);
  const std::string rewrite = json["refused"][0]["rewrite"];
  EXPECT_EQ(rewrite, "at most 96468992 entries, with pieces = 1024");
}

// A key of 16 bits has 65,536 values, whatever memories would hold.
TEST(Size, TheMostEntriesOfAnExactTableAreItsKeys) {
  const Workplace place;
  place.write("d.toml",
              "[[exact]]\nname = \"t\"\nkey_bits = 16\nentries = 1024\n"
              "[[exact]]\nname = \"u\"\nkey_bits = 24\nentries = 1024\n");
  const auto point = [&](const std::string& key) {
    return size_of(place, {"--objects", "d.toml", "--most", key})["points"][0];
  };
  EXPECT_EQ(point("exact[0].entries")["value"], 65536);
  EXPECT_EQ(point("exact[0].entries")["binding"], "key_bits");
  EXPECT_EQ(point("exact[0].entries")["object"], "t");
  EXPECT_EQ(point("exact[*].entries")["value"], 65536);
  EXPECT_GT(point("exact[1].entries")["value"], 65536);
}

TEST(Size, SeveralKeysVaryTogether) {
  const Workplace place;
  place.write("d.toml",
              "[[register]]\nname = \"path_a\"\nentries = 64\nreads = [\"i\"]\n"
              "[[register]]\nname = \"path_b\"\nentries = 64\nreads = [\"i\"]\n"
              "[[register]]\nname = \"other\"\nentries = 64\nreads = [\"i\"]\n");
  for (const char* pattern : {"register[*].entries", "register[path_?].entries"}) {
    const auto json = size_of(place, {"--objects", "d.toml", "--most", pattern});
    EXPECT_EQ(json["points"][0]["value"], 23 * 4096) << pattern;
  }
}

struct BadCase {
  const char* name;
  Words arguments;
  const char* message;
};
class BadSize : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadSize, IsRefusedInOneLine) {
  const Workplace place;
  place.write("d.toml", too_large);
  place.write("broken.toml", "[[register]]\nname = \"r\"\nentries = 0\n");
  place.write("unknown.toml", "chip = \"tofino3\"\n");
  place.write("p.toml", tiny);
  Words all = {"size"};
  all.insert(all.end(), GetParam().arguments.begin(), GetParam().arguments.end());
  expect_refused(place, all, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    All, BadSize,
    ::testing::Values(
        BadCase{"Nothing",
                {},
                "size: expected PLATFORM.toml, FILE.p4, --objects FILE, --p4c DIR, --p4info FILE "
                "or --nic "
                "NIC"},
        BadCase{"Both",
                {"p.toml", "--objects", "d.toml"},
                "size: expected PLATFORM.toml or --objects FILE, found both"},
        BadCase{
            "Missing", {"--objects", "no.toml"}, "no.toml: cannot read: No such file or directory"},
        BadCase{"NoEntries",
                {"--objects", "broken.toml"},
                "broken.toml:3:11: entries = 0 is below the minimum 1"},
        BadCase{"MorePipelinesThanTheChip",
                {HORAE_PLATFORM_DIR "/themis_tor.toml", "--set", "tor.program.pipelines=8"},
                "--set tor.program.pipelines: pipelines = 8; expected 1 to 4, those of tofino2"},
        BadCase{"OverTheKeyOfMost",
                {"--objects", "d.toml", "--most", "register[0].entries", "--over",
                 "register[0].entries=1,2"},
                "--over register[0].entries: the key is that of --most already; expected another"},
        BadCase{"OverAKeyTwice",
                {"--objects", "d.toml", "--most", "register[0].entries", "--over",
                 "register[0].width=8,16", "--over", "register[0].width=32"},
                "--over register[0].width: the key is that of another --over already; expected "
                "another"},
        BadCase{"FewerThanNone",
                {"--objects", "d.toml", "--set", "register[0].entries=-5"},
                "--set register[0].entries: entries = -5 is below the minimum 1"},
        BadCase{"MostUnknownPattern",
                {"--objects", "d.toml", "--most", "exact[*].entries"},
                "'exact[*].entries' is no whole-number parameter of d.toml; expected one of "
                "register[0].entries, register[0].pieces"},
        BadCase{"UnknownChip",
                {"--objects", "unknown.toml"},
                "unknown.toml:1:8: chip = \"tofino3\" is none of tofino1, tofino2 and no .toml "
                "file, did you mean 'tofino1'?"},
        BadCase{"UnknownChipFlag",
                {"--objects", "d.toml", "--chip", "tofino"},
                "chip = \"tofino\" is none of tofino1, tofino2 and no .toml file, did you mean "
                "'tofino1'?"},
        BadCase{"PlotIsAScript",
                {"--objects", "d.toml", "--plot", "x.svg"},
                "--plot: expected scripts/plot --objects d.toml -o x.svg, which draws the "
                "stages"},
        BadCase{"OverAnUnknownKey",
                {"--objects", "d.toml", "--over", "register[0].wide=8"},
                "--set register[0].wide: unknown key 'wide' in [register], did you mean 'width'?"},
        BadCase{"OverEmpty",
                {"--objects", "d.toml", "--most", "register[0].entries", "--over", "a="},
                "--over a=: expected KEY=A,B,C"},
        BadCase{"MostUnknown",
                {"--objects", "d.toml", "--most", "register[0].entry"},
                "'register[0].entry' is no whole-number parameter of d.toml, did you mean "
                "'register[0].entries'?"}),
    [](const auto& p) { return std::string(p.param.name); });

}  // namespace
}  // namespace horae::test::size_test
