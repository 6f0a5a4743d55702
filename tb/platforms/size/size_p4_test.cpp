// `horae size FILE.p4` as a user runs it: the account of a source, what does not fit, searches.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <string>

#include "program.hpp"

namespace horae::test::size_p4_test {
namespace {

const std::string p4_dir = HORAE_PLATFORM_DIR "/p4";

/// A program with a register and a table, both of CELLS.
const std::string source = R"(#include <tna.p4>
#ifndef CELLS
#define CELLS 4096
#endif
const bit<32> FLOWS = 1024;
header data_h { bit<32> a; bit<32> b; bit<16> d; }
struct headers_t { data_h h; }
struct none_t {}
parser P(packet_in pkt, out headers_t hdr, out none_t md, out ingress_intrinsic_metadata_t im) {
  state start { pkt.extract(im); pkt.advance(PORT_METADATA_SIZE); pkt.extract(hdr.h); transition accept; }
}
control I(inout headers_t hdr, inout none_t md, in ingress_intrinsic_metadata_t im,
          in ingress_intrinsic_metadata_from_parser_t pm, inout ingress_intrinsic_metadata_for_deparser_t dm,
          inout ingress_intrinsic_metadata_for_tm_t tm) {
  Register<bit<32>, bit<16>>(CELLS) seen;
  RegisterAction<bit<32>, bit<16>, bit<32>>(seen) count = {
    void apply(inout bit<32> v, out bit<32> rv) { v = v + 1; rv = v; }
  };
  action send(PortId_t port) { tm.ucast_egress_port = port; }
  table flows { key = { hdr.h.b : exact; } actions = { send; } size = FLOWS; }
  apply {
    hdr.h.b = count.execute(hdr.h.d);
    flows.apply();
  }
}
control D(packet_out pkt, inout headers_t hdr, in none_t md, in ingress_intrinsic_metadata_for_deparser_t dm) {
  apply { pkt.emit(hdr); }
}
parser EP(packet_in pkt, out none_t hdr, out none_t md, out egress_intrinsic_metadata_t em) {
  state start { pkt.extract(em); transition accept; }
}
control E(inout none_t hdr, inout none_t md, in egress_intrinsic_metadata_t em,
          in egress_intrinsic_metadata_from_parser_t pm, inout egress_intrinsic_metadata_for_deparser_t dm,
          inout egress_intrinsic_metadata_for_output_port_t om) { apply { } }
control ED(packet_out pkt, inout none_t hdr, in none_t md, in egress_intrinsic_metadata_for_deparser_t dm) {
  apply { }
}
Pipeline(P(), I(), D(), EP(), E(), ED()) pipe;
Switch(pipe) main;
)";

class SizeP4 : public ::testing::Test {
 protected:
  SizeP4() { place.write("mine.p4", source); }
  ordered_json size(Words more, int exit_code = 0) {
    more.insert(more.begin(), {"size", "mine.p4", "--no-progress"});
    more.push_back("--json");
    const Ended ended = run(place, more);
    EXPECT_EQ(ended.exit_code, exit_code) << ended.err;
    return ordered_json::accept(ended.out) ? ended.json() : ordered_json();
  }
  Workplace place;
};

// Numbers that `--set` may change: by either way to define them, in any layout; no other text.
TEST_F(SizeP4, NumbersOfASourceAreThoseThatItDefines) {
  std::string text = source;
  const std::string guarded = "#ifndef CELLS\n#define CELLS 4096\n#endif\n";
  text.replace(text.find(guarded), guarded.size(), R"(#define CELLS 4096 /* of the register */
# define LATER 0x10 // not used
#define NAME some_name
#define CALL(x) x
#define EMPTY
  #define INDENTED 12
const bit<16> SPACED   =   7  ; /* 9 */
const bit<8> OPEN = 5 + 1;
// #define COMMENTED 1
/* #define ALSO 2 */
)");
  place.write("numbers.p4", text);
  const auto set = [&](const std::string& setting) {
    return run(place, {"size", "numbers.p4", "--set", setting, "--json"});
  };
  for (const char* name : {"LATER", "INDENTED", "SPACED", "FLOWS", "CELLS"})
    EXPECT_EQ(set(std::string(name) + "=3").exit_code, 0) << name;
  for (const char* name : {"NAME", "EMPTY", "OPEN", "COMMENTED"}) {
    EXPECT_EQ(set(std::string(name) + "=3").err,
              std::string("horae: --set ") + name +
                  ": no number, table or register of numbers.p4; expected one of I.flows, I.seen, "
                  "CELLS, FLOWS, INDENTED, LATER, SPACED\n");
  }
  // 100,000 words of 32 bits in blocks of 4096, and a spare.
  EXPECT_EQ(set("CELLS=100000").json()["pipelines"][0]["resources"]["map_ram"]["used"], 26);
}

TEST_F(SizeP4, ThreeCountsPlacesAndTheChain) {
  const auto pipeline = size({})["pipelines"][0];
  EXPECT_EQ(pipeline["chip"], "tofino1");
  EXPECT_EQ(pipeline["stages_used"], 2);
  EXPECT_EQ(pipeline["stages_by_placer"]["least"], 2);
  EXPECT_EQ(pipeline["stages_by_placer"]["compiler"], 2);
  // 4096 cells of 32 bits are one block, and a spare; an exact table takes four.
  EXPECT_EQ(pipeline["as_compiler"]["resources"]["map_ram"], 2);
  EXPECT_EQ(pipeline["as_compiler"]["resources"]["sram"], 6);
  EXPECT_FALSE(pipeline["as_compiler"].contains("objects"));
  const auto by_stage = size({"--stages"})["pipelines"][0]["as_compiler"]["objects"];
  ASSERT_EQ(by_stage.size(), 2u);
  EXPECT_EQ(by_stage[1]["name"], "I.flows");
  EXPECT_EQ(by_stage[1]["by_stage"][0]["stage"], 1);
  EXPECT_EQ(by_stage[1]["by_stage"][0]["sram"], 4);
  ASSERT_EQ(pipeline["objects"].size(), 2u);
  EXPECT_EQ(pipeline["objects"][0]["name"], "I.seen");
  EXPECT_EQ(pipeline["objects"][0]["place"].get<std::string>().substr(0, 11), "mine.p4:15:");
  ASSERT_EQ(pipeline["chain"]["links"].size(), 1u);
  const std::string link = pipeline["chain"]["links"][0];
  EXPECT_EQ(link, "`hdr.h.b`, written in line 22 by `I.seen`, is matched in line 20 by `I.flows`");
}

TEST_F(SizeP4, SizesAreKeysByNameNumbersByTheirOwn) {
  const auto cells = [&](Words more) {
    return size(std::move(more))["pipelines"][0]["as_compiler"]["resources"]["map_ram"].get<int>();
  };
  EXPECT_EQ(cells({"-D", "CELLS=65536"}), 17);
  EXPECT_EQ(cells({"--set", "CELLS=65536"}), 17);
  EXPECT_EQ(cells({"--set", "I.seen=65536"}), 17);
  const Ended wrong = run(place, {"size", "mine.p4", "--set", "CELL=1"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("did you mean 'CELLS'?"), std::string::npos) << wrong.err;
}

TEST_F(SizeP4, TheLargestThatFits) {
  // Tofino: an ALU reaches 35 blocks of 4096 cells (tb/validate/compiler/registers.toml).
  const auto curve = size({"--most", "CELLS", "--over", "FLOWS=1024,2048"});
  ASSERT_EQ(curve["points"].size(), 2u);
  for (const auto& point : curve["points"]) EXPECT_EQ(point["value"], 35 * 4096);
}

// A point of `--over` is the price with its values.
TEST_F(SizeP4, PricesOverTwoAxesAreThoseOfEachPointAlone) {
  const auto table = size({"--over", "CELLS=4096,65536,1000000", "--over", "FLOWS=1024,40000"});
  EXPECT_EQ(table["axes"].size(), 2u);
  ASSERT_EQ(table["points"].size(), 6u);
  for (const auto& point : table["points"]) {
    const std::string cells = point["at"]["CELLS"], flows = point["at"]["FLOWS"];
    const bool fits = cells != "1000000";
    EXPECT_EQ(point["fits"], fits) << cells;
    const auto alone = size({"-D", "CELLS=" + cells, "--set", "FLOWS=" + flows, "--no-remedies"},
                            fits ? 0 : 3)["pipelines"][0];
    ASSERT_EQ(point["pipelines"].size(), 1u);
    for (const char* key : {"stages_used", "stages_by_placer", "resources", "as_compiler"})
      EXPECT_EQ(point["pipelines"][0][key], alone[key]) << cells << " " << flows << " " << key;
  }
  const Ended text = run(place, {"size", "mine.p4", "--over", "CELLS=4096,65536"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_EQ(std::count(text.out.begin(), text.out.end(), '\n'), 3) << text.out;
}

/// Seconds of the processor that ended child processes took.
double processor_seconds() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

TEST_F(SizeP4, AHundredPricesTakeLessThanAMinuteOfTheProcessor) {
  std::string cells = "CELLS=1";
  for (int i = 2; i <= 100; ++i) cells += "," + std::to_string(1000 * i);
  const double before = processor_seconds();
  EXPECT_EQ(size({"--over", cells})["points"].size(), 100u);
  EXPECT_LT(processor_seconds() - before, 60.0);
}

TEST_F(SizeP4, AProgramOf1600LinesTakesLessThanTwoSecondsOfTheProcessor) {
  std::string tables, apply;
  for (int i = 0; i < 200; ++i) {
    const std::string n = std::to_string(i);
    tables += "  action set" + n + "(bit<16> v) {\n    hdr.h.d = v;\n  }\n  table t" + n +
              " {\n    key = { hdr.h.a : exact; }\n    actions = { set" + n +
              "; }\n    size = " + std::to_string(16 + i) + ";\n  }\n";
    apply += "    t" + n + ".apply();\n";
  }
  std::string text = source;
  text.insert(text.find("  apply {\n    hdr.h.b"), tables);
  text.insert(text.find("    flows.apply();"), apply);
  place.write("mine.p4", text);
  EXPECT_GT(std::count(text.begin(), text.end(), '\n'), 1600);
  const double before = processor_seconds();
  EXPECT_FALSE(size({"--no-remedies"}, 3)["refused"].empty());
  EXPECT_LT(processor_seconds() - before, 2.0);
}

TEST_F(SizeP4, WhatDoesNotFitComesWithChangesThatFit) {
  const auto out = size({"-D", "CELLS=1000000"}, 3);
  EXPECT_FALSE(out["refused"].empty());
  ASSERT_FALSE(out["remedies"].empty());
  EXPECT_EQ(out["remedies"][0][0]["fits"], 35 * 4096);
}

TEST_F(SizeP4, WrittenAsAnObjectsFileItCostsTheSame) {
  const auto from_source = size({"--write", "mine.toml"})["pipelines"][0];
  const Ended ended = run(place, {"size", "--objects", "mine.toml", "--json"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const auto from_file = ended.json()["pipelines"][0];
  for (const char* key : {"stages_used", "stages_by_placer", "resources", "as_compiler"})
    EXPECT_EQ(from_source[key], from_file[key]) << key;
}

TEST_F(SizeP4, DamagedSourcesAreOneLine) {
  for (std::size_t cut = 40; cut + 40 < source.size(); cut += 97) {
    place.write("mine.p4", source.substr(0, cut));
    const Ended ended = run(place, {"size", "mine.p4"});
    EXPECT_EQ(ended.exit_code, 2) << cut;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  }
}

// Looked at by hand, object by object.
TEST(SizeP4Shipped, OurOwnPrograms) {
  const Workplace place;
  for (const char* name : {"router", "sketch", "telemetry", "balancer"}) {
    const Ended ended = run(place, {"size", p4_dir + "/" + name + "/" + name + ".p4", "--json"});
    EXPECT_EQ(ended.exit_code, 0) << name << ended.err;
  }
}

// A run takes the time of the stages that the source needs, so that is what a platform costs.
TEST(SizeP4Shipped, APlatformCostsWhatItsSourceDoes) {
  const Workplace place;
  const auto stages = [&](const std::string& file, const Words& more = {}) {
    Words words = {"size", p4_dir + "/themis/" + file, "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Ended ended = run(place, words);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    const ordered_json size = ended.json();
    for (const auto& pipeline : size.at("pipelines")) {
      if (pipeline.at("name") != "sender_tor") return pipeline.at("stages_used").get<int>();
    }
    return 0;
  };
  const int all = stages("themis.p4", {"-D", "QPS_LOG2=4", "-D", "WINDOW_LOG2=6", "-D",
                                       "PATHS_LOG2=1", "--target", "tofino2"});
  EXPECT_GT(all, 5);
  EXPECT_EQ(stages("themis.toml"), all);
}

}  // namespace
}  // namespace horae::test::size_p4_test
