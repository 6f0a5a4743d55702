// `horae p4 test` as a user runs it: the programs that come along, what is not met, refusals, JSON.
#include <fstream>
#include <sstream>
#include <utility>

#include "program.hpp"

namespace horae::test::p4_test_test {
namespace {

class P4Test : public ::testing::Test {
 protected:
  P4Test() {
    for (const std::string name : {"router", "sketch"}) {
      const std::string folder = std::string(HORAE_PLATFORM_DIR) + "/p4/" + name + "/" + name;
      place.write(name + ".p4", text(folder + ".p4"));
      place.write(name + ".stf", text(folder + ".stf"));
    }
  }
  static std::string text(const std::string& file) {
    std::ifstream in(file);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
  }
  Ended test(const std::string& name, const Words& more = {}) {
    Words words{"p4", "test", name + ".stf", "--source", name + ".p4"};
    words.insert(words.end(), more.begin(), more.end());
    return run(place, words);
  }
  Workplace place;
};

TEST_F(P4Test, ShippedProgramsMeetTheirCasesOnBothChips) {
  for (const std::string target : {"tofino", "tofino2"}) {
    for (const auto& [name, line] : {std::pair("router", "6 packets, 6 expectations: met\n"),
                                     std::pair("sketch", "5 packets, 6 expectations: met\n")}) {
      const Ended ended = test(name, {"--target", target});
      EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
      EXPECT_EQ(ended.out, line);
      EXPECT_EQ(ended.err, "");
    }
  }
}

TEST_F(P4Test, WhatIsNotMetIsALineAndTheExitCodeIsOne) {
  place.write("router.stf", "packet 1 00\nexpect 8 00\n");
  const Ended ended = test("router");
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(
      ended.out,
      "router.stf:2: port 8: expected 00, nothing came\n1 packets, 1 expectations: 1 faults\n");
  const Ended json = test("router", {"--json"});
  EXPECT_EQ(json.exit_code, 1);
  EXPECT_EQ(json.json()["verdict"], "not met");
  EXPECT_EQ(json.json()["faults"][0]["line"], 2);
}

TEST_F(P4Test, ATraceHasEachPass) {
  const Ended ended = test("router", {"--trace"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_NE(ended.out.find("line 8: port 1, 36 bytes\n"
                           "  ingress of pipe 0, port 1: 50 bytes parsed, "),
            std::string::npos)
      << ended.out;
  EXPECT_NE(ended.out.find("  out of port 8: 020000000008020000000001"), std::string::npos);
}

TEST_F(P4Test, ACaseOrAProgramIsRefusedWithItsPlace) {
  place.write("router.stf", "\nadd ipv4_lmp dst_addr:1/8 drop()\n");
  EXPECT_EQ(test("router").err,
            "horae: router.stf:2:1: there is no table 'ipv4_lmp', did you mean "
            "'ipv4_lpm'?\n");
  EXPECT_EQ(test("router").exit_code, 2);
  const Ended json = test("router", {"--json"});
  EXPECT_EQ(json.json()["verdict"], "refused");
  place.write("sketch.p4", "#include <tna.p4>\ncontrol\n");
  EXPECT_EQ(test("sketch").exit_code, 2);
  EXPECT_EQ(test("sketch").err.substr(0, 17), "horae: sketch.p4:");
  expect_refused(place, {"p4", "test", "none.stf", "--source", "router.p4"},
                 "none.stf: cannot be read");
}

}  // namespace
}  // namespace horae::test::p4_test_test
