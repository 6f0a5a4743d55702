// Action profiles and selectors: members and groups that entries name.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "small_program.hpp"

namespace horae::p4prog::test::selectors_test {
namespace {

/// A table whose entries name members of `ap`; with a selector also groups.
Parts balancer(const std::string& implementation, const std::string& more = "") {
  Parts p;
  p.locals =
      "Hash<bit<16>>(HashAlgorithm_t.CRC16) function;\n"
      "ActionProfile(8) ap;\n" +
      more +
      "action to(bit<9> port) { ig_tm_md.ucast_egress_port = port; }\n"
      "action nowhere() { ig_tm_md.ucast_egress_port = 9; }\n"
      "table t { key = { hdr.data.b1 : exact; hdr.data.f1 : selector; hdr.data.f2 : selector; }\n"
      "  actions = { to; @defaultonly nowhere; } default_action = nowhere;\n"
      "  implementation = " +
      implementation + "; size = 16; }\n";
  p.apply = "t.apply();";
  return p;
}
const std::string selector = "ActionSelector(ap, function, SelectorMode_t.FAIR, 4, 2) sel;\n";

std::string packet(unsigned f1, unsigned b1) {
  return fmt::format("packet 0 {:08x} 00000000 0000 {:02x} 00\n", f1, b1);
}

TEST(P4Selectors, AnEntryNamesAMember) {
  Bench bench(balancer("ap", "ActionSelector(8, function, SelectorMode_t.FAIR) unused;\n"));
  ControlPlane& control = bench.chip->control_plane();
  control.set_member("ap", 5, "to", {{"port", "3"}});
  control.add("t", {}, {{"b1", "1"}}, {Reference::To::member, 5});
  control.add("t", {}, {{"b1", "2"}}, {Reference::To::member, 6});
  EXPECT_EQ(bench.faults(packet(1, 1) + "expect 3 00000001\n"), "");
  // A member that nobody set: the default action.
  EXPECT_EQ(bench.faults(packet(1, 2) + "expect 9\n"), "");
  // Its entries follow when the member is set anew.
  control.set_member("ap", 5, "to", {{"port", "4"}});
  EXPECT_EQ(bench.faults(packet(1, 1) + "expect 4 00000001\n"), "");
}

TEST(P4Selectors, AnEntryHasItsActionItself) {
  EXPECT_EQ(
      faults_of(balancer("sel", selector), "add t b1:1 to(7)\n" + packet(1, 1) + "expect 7\n"), "");
}

// A flow stays with its member, and all members get flows.
TEST(P4Selectors, AGroupSpreadsFlowsByTheHashOfItsKeys) {
  Bench bench(balancer("sel", selector));
  ControlPlane& control = bench.chip->control_plane();
  for (unsigned m = 0; m < 4; ++m)
    control.set_member("ap", m, "to", {{"port", std::to_string(10 + m)}});
  control.add_to_group("sel", 1, {0, 1, 3});
  control.add("t", {}, {{"b1", "1"}}, {Reference::To::group, 1});
  std::set<unsigned> used;
  for (std::uint32_t flow = 0; flow < 64; ++flow) {
    const std::uint8_t bytes[12] = {0, 0, 0, static_cast<std::uint8_t>(flow), 0, 0, 0, 0, 0, 0, 1};
    const auto first = bench.chip->inject(0, bytes, Picoseconds(1));
    ASSERT_EQ(first.size(), 1u);
    used.insert(first[0].port);
    EXPECT_EQ(bench.chip->inject(0, bytes, Picoseconds(2)), first);
  }
  EXPECT_EQ(used, (std::set<unsigned>{10, 11, 13}));
}

TEST(P4Selectors, AnEmptyGroupTakesTheDefault) {
  Bench bench(balancer("sel", selector));
  bench.chip->control_plane().add("t", {}, {{"b1", "1"}}, {Reference::To::group, 0});
  EXPECT_EQ(bench.faults(packet(1, 1) + "expect 9\n"), "");
}

// The bits of the selector's register are its members alive.
TEST(P4Selectors, ARegisterSaysWhoIsAlive) {
  Parts p = balancer("sel",
                     "Register<bit<1>, bit<8>>(256) up;\n"
                     "ActionSelector(ap, function, SelectorMode_t.FAIR, up, 8, 1) sel;\n"
                     "RegisterAction<bit<1>, bit<8>, bit<1>>(up) rise = {\n"
                     "  void apply(inout bit<1> v) { v = 1; } };\n"
                     "RegisterAction<bit<1>, bit<8>, bit<1>>(up) fall = {\n"
                     "  void apply(inout bit<1> v) { v = 0; } };\n");
  p.apply =
      "if (hdr.data.b2 == 1) rise.execute(hdr.data.b1);\n"
      "else if (hdr.data.b2 == 2) fall.execute(hdr.data.b1); else t.apply();";
  EXPECT_EQ(faults_of(p, "add ap 2 to(12)\nadd ap 4 to(14)\nadd t b1:1 to(meter_pfe:0x800000)\n" +
                             packet(1, 1) +
                             "expect 9\nwait\n"
                             "packet 0 00000000 00000000 0000 02 01\n" +
                             packet(1, 1) + packet(2, 1) +
                             "expect 12 00000001\nexpect 12 00000002\nwait\n"
                             "packet 0 00000000 00000000 0000 04 01\n"
                             "packet 0 00000000 00000000 0000 02 02\n" +
                             packet(3, 1) + "expect 14 00000003\n"),
            "");
}

TEST(P4Selectors, ScriptsNameGroupsByTheirAddress) {
  EXPECT_EQ(faults_of(balancer("sel", selector),
                      "$(for m in 0 1; do add ap $m to($((m + 10))); done)\n"
                      "selector sel 1 add 1\n"
                      "add t b1:1 to(meter_addr:0x80, meter_pfe:0x800000, action_addr:0)\n" +
                          packet(1, 1) + "expect 11 00000001\n"),
            "");
}

// action_addr is the place of action data of 9 bits, which has two low bits for its width: a
// group's members count from there, and without the selector it is a member itself.
TEST(P4Selectors, ScriptsNameMembersByTheirAddress) {
  EXPECT_EQ(faults_of(balancer("sel", selector),
                      "$(for m in $(seq 0 7); do add ap $m to($((m + 10))); done)\n"
                      "selector sel 1 add 2\n"
                      "add t b1:1 to(meter_addr:0x80, meter_pfe:0x800000, action_addr:0x10)\n"
                      "add t b1:2 to(meter_addr:0, meter_pfe:0, action_addr:0x14)\n" +
                          packet(1, 1) + "expect 16 00000001\n" + packet(1, 2) + "expect 15\n"),
            "");
  // Beyond the profile there is no member: the default action.
  EXPECT_EQ(faults_of(balancer("sel", selector),
                      "add ap 2 to(12)\nselector sel 1 add 2\n"
                      "add t b1:1 to(meter_addr:0x80, meter_pfe:0x800000, action_addr:0x18)\n" +
                          packet(1, 1) + "expect 9\n"),
            "");
}

// Action data of 8, 16, 32 .. bits has 1, 2, 3 .. low bits of its address for its width.
TEST(P4Selectors, TheAddressOfAMemberFollowsTheWidthOfItsData) {
  for (const auto& [bits, step] :
       {std::pair{1u, 2u}, {8u, 2u}, {9u, 4u}, {17u, 8u}, {33u, 16u}, {65u, 32u}, {129u, 32u}}) {
    Parts p = balancer("ap");
    p.locals.replace(p.locals.find("bit<9> port"), 11,
                     bits < 9 ? fmt::format("bit<{}> port", bits)
                              : fmt::format("bit<9> port, bit<{}> more", bits - 9));
    if (bits == 9) p = balancer("ap");
    if (bits < 9)
      p.locals.replace(p.locals.find("egress_port = port"), 18, "egress_port = 8w0 ++ port[0:0]");
    EXPECT_EQ(Bench(p).chip->control_plane().member_address_step("t"), step) << bits;
  }
}

// A SelectorAction takes members out of a group and puts them back: bits by their place there.
TEST(P4Selectors, ASelectorActionChangesWhoIsAlive) {
  Parts p = balancer("sel", selector);
  p.locals +=
      "SelectorAction(sel) fall = { void apply(inout bit<1> v, out bit<1> rv) { rv = v; v = 0; } "
      "};\n"
      "SelectorAction(sel) rise = { void apply(inout bit<1> v) { v = 1; } };\n";
  p.apply =
      "bit<1> was = 0;\nig_tm_md.ucast_egress_port = 3;\n"
      "if (hdr.data.b2 == 1) { was = fall.execute(hdr.data.f1); hdr.data.b2 = 7w0 ++ was; }\n"
      "else if (hdr.data.b2 == 2) rise.execute(hdr.data.f1);\nelse t.apply();";
  const auto bit = [](unsigned place, unsigned what) {
    return fmt::format("packet 0 {:08x} 00000000 0000 01 {:02x}\n", place, what);
  };
  EXPECT_EQ(faults_of(p,
                      "$(for m in 0 1 2; do add ap $m to($((m + 10))); done)\n"
                      "selector sel 1 add 1 2\n"
                      "add t b1:1 to(meter_addr:0x80, meter_pfe:0x800000, action_addr:0)\n" +
                          bit(128, 1) + "expect 3 00000080 00000000 0000 01 01\n" + packet(1, 1) +
                          packet(2, 1) + packet(3, 1) +
                          "expect 12 00000001\nexpect 12 00000002\nexpect 12 00000003\n" +
                          bit(128, 1) + "expect 3 00000080 00000000 0000 01 00\n" + bit(129, 1) +
                          "expect 3\n" + packet(1, 1) + "expect 9\n" + bit(128, 2) + "expect 3\n" +
                          packet(1, 1) + "expect 11\n"),
            "");
  p.apply = "if (fall.execute() == 1) ig_tm_md.ucast_egress_port = 3;\nt.apply();";
  EXPECT_EQ(refusal_of(p),
            "case.p4:27:10: pipe.Ig.fall.execute() without an index is not supported");
}

TEST(P4Selectors, RefusesWhatIsNotThere) {
  const Parts p = balancer("sel", selector);
  EXPECT_EQ(refusal_of(p, "selector sal 0 add 1\n"),
            "case.stf:1:1: there is no action selector 'sal', did you mean 'sel'?");
  EXPECT_EQ(refusal_of(p, "selector sel 2 add 1\n"), "case.stf:1:1: group 2 of pipe.Ig.sel of 2");
  EXPECT_EQ(refusal_of(p, "selector sel 0 add 8\n"), "case.stf:1:1: member 8 of pipe.Ig.ap of 8");
  EXPECT_EQ(refusal_of(p, "selector sel 0 add 1 1 1 1 1\n"),
            "case.stf:1:1: switch.pipe0.pipe.Ig.sel.groups: 5 members in groups of 4");
  EXPECT_EQ(refusal_of(p, "add ap 8 to(1)\n"), "case.stf:1:1: member 8 of pipe.Ig.ap, which has 8");
  EXPECT_EQ(refusal_of(p, "add t b1:1 to(meter_addr:0x100, meter_pfe:1)\n"),
            "case.stf:1:1: group 2 of pipe.Ig.sel, which has 2");
  EXPECT_EQ(refusal_of(balancer("ap"), "add t b1:1 to(meter_pfe:1)\n"),
            "case.stf:1:1: pipe.Ig.t has no action selector");
}

}  // namespace
}  // namespace horae::p4prog::test::selectors_test
