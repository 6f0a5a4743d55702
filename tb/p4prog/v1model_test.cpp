// Programs for v1model: one pass, without a chip's rules.
#include <string>

#include "small_program.hpp"

namespace horae::p4prog::v1model_test {
namespace {

/// A V1Switch whose parts differ from test to test.
struct V1 {
  std::string locals = "";  ///< of the ingress control
  std::string ingress = "sm.egress_spec = 2;";
  std::string egress = "";
  std::string verify = "", compute = "";
  std::string text() const {
    return "#include <core.p4>\n#include <v1model.p4>\n"
           "header data_h { bit<32> f1; bit<16> sum; bit<8> b1; bit<8> b2; }\n"
           "struct headers { data_h data; }\nstruct metadata { bit<8> m; }\n"
           "parser P(packet_in pkt, out headers hdr, inout metadata md,\n"
           "         inout standard_metadata_t sm) {\n"
           "  state start { pkt.extract(hdr.data); transition accept; }\n}\n"
           "control V(inout headers hdr, inout metadata md) { apply { " +
           verify +
           " } }\n"
           "control I(inout headers hdr, inout metadata md, inout standard_metadata_t sm) {\n" +
           locals + "  apply {\n" + ingress +
           "\n  }\n}\n"
           "control E(inout headers hdr, inout metadata md, inout standard_metadata_t sm) {\n"
           "  apply { " +
           egress +
           " }\n}\n"
           "control C(inout headers hdr, inout metadata md) { apply { " +
           compute +
           " } }\n"
           "control D(packet_out pkt, in headers hdr) { apply { pkt.emit(hdr); } }\n"
           "V1Switch(P(), V(), I(), E(), C(), D()) main;\n";
  }
  std::string faults(const std::string& stf) const {
    return test::Bench(text(), false, {}).faults(stf);
  }
};

TEST(V1Model, APacketLeavesByItsPort) {
  V1 p;
  p.ingress = "sm.egress_spec = sm.ingress_port + 1; hdr.data.b1 = (bit<8>) sm.packet_length;";
  EXPECT_EQ(p.faults("packet 4 00000001 0000 00 07 aabb\nexpect 5 00000001 0000 0a 07 aabb$\n"),
            "");
}

// Headers and metadata of ingress are those of egress; a mark to drop counts in both.
TEST(V1Model, EgressGoesOnWithWhatIngressLeft) {
  V1 p;
  p.ingress = "sm.egress_spec = 3; md.m = 9; if (hdr.data.f1 == 1) { mark_to_drop(sm); }";
  p.egress =
      "hdr.data.b1 = md.m; hdr.data.b2 = (bit<8>) sm.egress_port; "
      "if (hdr.data.f1 == 2) { mark_to_drop(sm); }";
  EXPECT_EQ(p.faults("packet 4 00000000 0000 00 00\nexpect 3 00000000 0000 09 03$\n"
                     "packet 4 00000001 0000 00 00\npacket 4 00000002 0000 00 00\nno_packet\n"),
            "");
}

// The FCS is no part of what is parsed: a header that reaches into it is an error, which drops
// nothing.
TEST(V1Model, AShortPacketHasAnError) {
  V1 p;
  p.ingress =
      "sm.egress_spec = 2; if (sm.parser_error == error.PacketTooShort) { sm.egress_spec = 7; }";
  EXPECT_EQ(p.faults("packet 4 00000001 0000 00\nexpect 7 00000001 0000 00$\n"), "");
}

TEST(V1Model, TablesAndGroups) {
  V1 p;
  p.locals =
      "action to(bit<9> port) { sm.egress_spec = port; }\n"
      "action flood() { sm.mcast_grp = 5; }\n"
      "table t { key = { hdr.data.f1 : exact; } actions = { to; flood; NoAction; } }\n";
  p.ingress = "mark_to_drop(sm); t.apply();";
  p.egress = "hdr.data.b2 = (bit<8>) sm.egress_rid; if (sm.egress_port == 8) mark_to_drop(sm);";
  EXPECT_EQ(p.faults("mc_mgrp_create 5\nmc_node_create 3 6 7 8\nmc_node_associate 5 0\n"
                     "add I.t hdr.data.f1:1 to(port:9)\nadd I.t hdr.data.f1:2 flood()\n"
                     "packet 0 00000001 0000 00 00\nexpect 9 00000001 0000 00 00$\n"
                     "packet 0 00000002 0000 00 00\n"
                     "expect 6 00000002 0000 00 03$\nexpect 7 00000002 0000 00 03$\n"
                     "packet 0 00000003 0000 00 00\nno_packet\n"),
            "");
}

// 0xffff - 0x1234 - 0x5678 = 0x9753.
TEST(V1Model, ChecksumsAreVerifiedAndMade) {
  V1 p;
  p.verify = "verify_checksum(true, { hdr.data.f1 }, hdr.data.sum, HashAlgorithm.csum16);";
  p.ingress = "sm.egress_spec = 2; if (sm.checksum_error == 1) { sm.egress_spec = 3; }";
  EXPECT_EQ(p.faults("packet 0 12345678 9753 00 00\nexpect 2\npacket 0 12345678 9754 00 00\n"
                     "expect 3\n"),
            "");
  V1 made;
  made.compute =
      "update_checksum(hdr.data.b1 == 1, { hdr.data.f1 }, hdr.data.sum, HashAlgorithm.csum16);";
  EXPECT_EQ(made.faults("packet 0 12345678 0000 01 00\nexpect 2 12345678 9753 01 00$\n"
                        "packet 0 12345678 0000 00 00\nexpect 2 12345678 0000 00 00$\n"),
            "");
}

TEST(V1Model, WhatDoesNotRunIsNamed) {
  const auto refusal = [](const V1& p) -> std::string {
    try {
      p.faults("");
    } catch (const InputError& e) {
      return e.what();
    }
    return "nothing was refused";
  };
  V1 p;
  p.locals = "register<bit<8>>(4) r;\n";
  p.ingress = "r.read(md.m, 0);";
  EXPECT_EQ(refusal(p), "case.p4:14:3: register.read() of I.r is not supported");
  V1 sum;
  sum.compute = "update_checksum(true, { hdr.data.f1 }, hdr.data.sum, HashAlgorithm.crc16);";
  EXPECT_NE(refusal(sum).find("update_checksum() by another algorithm than csum16"),
            std::string::npos);
  V1 hash;
  hash.ingress = "hash(hdr.data.b1, HashAlgorithm.crc16, 8w0, { hdr.data.f1 }, 8w4);";
  EXPECT_NE(refusal(hash).find("hash() is not supported"), std::string::npos);
}

}  // namespace
}  // namespace horae::p4prog::v1model_test
