// `horae p4 check` as a user runs it: the list, its JSON, faults with their places.
#include <filesystem>

#include "program.hpp"

namespace horae::test::p4_check_test {
namespace {

const std::string program = R"(#include <tna.p4>
#include "sizes.p4"
header ethernet_h { bit<48> dst; bit<48> src; bit<16> type; }
struct headers_t { ethernet_h ethernet; }
struct none_t {}
parser P(packet_in pkt, out headers_t hdr, out none_t md, out ingress_intrinsic_metadata_t im) {
  state start { pkt.extract(im); pkt.advance(PORT_METADATA_SIZE); transition more; }
  state more { pkt.extract(hdr.ethernet); transition accept; }
}
control I(inout headers_t hdr, inout none_t md, in ingress_intrinsic_metadata_t im,
          in ingress_intrinsic_metadata_from_parser_t pm, inout ingress_intrinsic_metadata_for_deparser_t dm,
          inout ingress_intrinsic_metadata_for_tm_t tm) {
  Register<bit<32>, bit<9>>(CELLS) seen;
  RegisterAction<bit<32>, bit<9>, bit<32>>(seen) count = { void apply(inout bit<32> v) { v = v + 1; } };
  action send(PortId_t port) { tm.ucast_egress_port = port; }
  action drop() { dm.drop_ctl = 1; }
  table forward { key = { hdr.ethernet.dst : exact; } actions = { send; drop; } size = 1024; default_action = drop; }
  apply { forward.apply(); count.execute(im.ingress_port); }
}
control D(packet_out pkt, inout headers_t hdr, in none_t md, in ingress_intrinsic_metadata_for_deparser_t dm) {
  apply { pkt.emit(hdr); }
}
parser EP(packet_in pkt, out headers_t hdr, out none_t md, out egress_intrinsic_metadata_t em) {
  state start { pkt.extract(em); transition accept; }
}
control E(inout headers_t hdr, inout none_t md, in egress_intrinsic_metadata_t em,
          in egress_intrinsic_metadata_from_parser_t pm, inout egress_intrinsic_metadata_for_deparser_t dm,
          inout egress_intrinsic_metadata_for_output_port_t om) { apply { } }
control ED(packet_out pkt, inout headers_t hdr, in none_t md, in egress_intrinsic_metadata_for_deparser_t dm) {
  apply { pkt.emit(hdr); }
}
Pipeline(P(), I(), D(), EP(), E(), ED()) pipe;
Switch(pipe) main;
)";

class P4Check : public testing::Test {
 protected:
  P4Check() {
    place.write("mine.p4", program);
    place.write("inc/sizes.p4", "#ifndef CELLS\n#define CELLS 512\n#endif\n");
  }
  Workplace place;
};

TEST_F(P4Check, ListsWhatIsInAProgram) {
  const Ended ended = run(place, {"p4", "check", "mine.p4", "-I", "inc"});
  EXPECT_EQ(ended.err, "");
  ASSERT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.out,
            "mine.p4: tna for tofino: 6 parsers and controls, 1 table, 1 register, 1 other extern "
            "object\n"
            "parsers and controls\n"
            "  pipe ingress_parser   parser  pipe.P  2 states\n"
            "  pipe ingress          control pipe.I  1 table\n"
            "  pipe ingress_deparser control pipe.D  0 tables\n"
            "  pipe egress_parser    parser  pipe.EP 1 state\n"
            "  pipe egress           control pipe.E  0 tables\n"
            "  pipe egress_deparser  control pipe.ED 0 tables\n"
            "tables\n"
            "  pipe.I.forward exact/48b 2 actions size 1024  default pipe.I.drop\n"
            "registers\n"
            "  pipe.I.seen Register<bit<32>, bit<9>> 32 bits a cell 512 cells\n"
            "other extern objects\n"
            "  pipe.I.count RegisterAction<bit<32>, bit<9>, bit<32>> reg pipe.I.seen\n");
}

TEST_F(P4Check, JsonHasPlacesAndMacrosCount) {
  const Ended ended = run(place, {"p4", "check", "mine.p4", "-I", "inc", "-D", "CELLS=64",
                                  "--target", "tofino2", "--json"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const auto json = ended.json();
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["target"], "tofino2");
  EXPECT_EQ(json["registers"][0]["cells"], 64);
  EXPECT_EQ(json["registers"][0]["place"], "mine.p4:13:36");
  const auto& table = json["blocks"][1]["tables"][0];
  EXPECT_EQ(
      table["keys"],
      ordered_json::parse(R"([{"name": "hdr.ethernet.dst", "match_kind": "exact", "bits": 48}])"));
  EXPECT_EQ(table["actions"], (Words{"pipe.I.send", "pipe.I.drop"}));
}

TEST_F(P4Check, EveryFaultIsALineAndTheExitCodeIsTwo) {
  std::string bad = program;
  bad.replace(bad.find("hdr.ethernet.dst"), 16, "hdr.ethernet.dts");
  bad.replace(bad.find("forward.apply"), 7, "forwrad");
  place.write("mine.p4", bad);
  Ended ended = run(place, {"p4", "check", "mine.p4", "-I", "inc"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(ended.err,
            "horae: mine.p4:17:40: ethernet_h has no field 'dts', did you mean 'dst'?\n"
            "horae: mine.p4:18:11: unknown name 'forwrad', did you mean 'forward'?\n");
  ended = run(place, {"p4", "check", "mine.p4", "-I", "inc", "--json"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.json()["faults"][1]["column"], 11);
}

TEST_F(P4Check, BadArgumentsAreOneLine) {
  expect_refused(place, {"p4", "check", "mine.p4"},
                 "mine.p4:2:10: #include: there is no file 'sizes.p4'");
  expect_refused(place, {"p4", "check", "none.p4"}, "none.p4: there is no such file");
  expect_refused(place, {"p4", "check"}, "missing argument: expected horae p4 check FILE.p4");
  expect_refused(place, {"p4"},
                 "expected a command: horae p4 check, test, bfrt or compile (see horae p4 --help)");
}

TEST_F(P4Check, ReadsEveryProgramThatComesWithHorae) {
  unsigned programs = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(HORAE_PLATFORM_DIR "/p4")) {
    const std::string file = entry.path().string();
    if (!file.ends_with(".p4") || file.ends_with("/headers.p4") ||
        file.find("/include/") != std::string::npos)
      continue;
    const Ended ended = run(place, {"p4", "check", file});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    ++programs;
  }
  EXPECT_EQ(programs, 6u);
}

}  // namespace
}  // namespace horae::test::p4_check_test
