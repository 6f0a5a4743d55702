// Ways of a packet: requests to the traffic manager, egress, copies, around again.
#include <gtest/gtest.h>

#include "small_program.hpp"

namespace horae::p4prog::test::paths_test {
namespace {

constexpr const char* packet = "packet 7 00000001 00000002 0003 04 05 aa\n";

TEST(Paths, AnUnwrittenPortIsNoPort) {
  Parts p;
  p.apply = "";
  EXPECT_EQ(faults_of(p, packet), "");
  p.apply = "ig_tm_md.ucast_egress_port = 0;";
  EXPECT_EQ(faults_of(p, std::string(packet) + "expect 0\n"), "");
  p.apply = "ig_tm_md.ucast_egress_port = 3; ig_dprsr_md.drop_ctl = 1;";
  EXPECT_EQ(faults_of(p, packet), "");
  p.apply = "ig_tm_md.ucast_egress_port = ig_intr_md.ingress_port;";
  EXPECT_EQ(faults_of(p, std::string(packet) + "expect 7\n"), "");
}

TEST(Paths, EgressSeesWhatIngressSent) {
  Parts p;
  p.apply = "ig_tm_md.ucast_egress_port = 3; hdr.data.b1 = 0x77;";
  p.egress_headers =
      "header port_h { bit<16> port; } header first_h { bit<32> f; }\n"
      "struct eg_headers { port_h port; first_h first; } struct eg_metadata { }\n";
  p.egress_parse = "pkt.extract(eg_intr_md); pkt.extract(hdr.first); transition accept; }\n";
  p.egress_apply =
      "hdr.port.setValid(); hdr.port.port = (bit<16>)eg_intr_md.egress_port;"
      "if (hdr.first.f == 9) eg_dprsr_md.drop_ctl = 1;";
  EXPECT_EQ(faults_of(p, std::string(packet) + "expect 3 0003 00000001 00000002 0003 77 05 aa$\n"
                                               "packet 7 00000009 00000002 0003 04 05\n"),
            "");
  p.apply += "ig_tm_md.bypass_egress = 1;";
  EXPECT_EQ(faults_of(p, std::string(packet) + "expect 3 00000001 00000002 0003 77 05 aa$\n"), "");
}

TEST(Paths, AGroupHasACopyForEachMember) {
  Parts p;
  p.apply = "ig_tm_md.mcast_grp_a = 5; ig_tm_md.ucast_egress_port = 9;";
  p.egress_headers =
      "header rid_h { bit<16> rid; }\n"
      "struct eg_headers { rid_h rid; } struct eg_metadata { }\n";
  p.egress_apply = "hdr.rid.setValid(); hdr.rid.rid = eg_intr_md.egress_rid;";
  EXPECT_EQ(
      faults_of(p, std::string("mc_mgrp_create 5\nmc_node_create 11 1 2\nmc_node_create 12 3\n"
                               "mc_node_associate 5 0\nmc_node_associate 5 1\n") +
                       packet +
                       "expect 1 000b 00000001\nexpect 2 000b 00000001\n"
                       "expect 3 000c 00000001\nexpect 9 0000 00000001\n"),
      "");
}

TEST(Paths, ExclusionIdsLeaveCopiesOfAGroupOut) {
  Parts p;
  p.apply =
      "ig_tm_md.mcast_grp_a = 5; ig_tm_md.rid = hdr.data.h1; ig_tm_md.level1_exclusion_id = 7;"
      "ig_tm_md.level2_exclusion_id = 3;";
  const auto ports = [&](std::uint8_t rid) {
    Bench bench(p);
    bench.chip->manager().groups[5] = {{1, 4, 7}, {2, 4, 6}, {3, 4}, {4, 5}, {6, 6, 0}};
    bench.chip->manager().exclusions = {{3, {3, 4}}, {4, {2, 6}}};
    std::vector<unsigned> out;
    for (const auto& copy :
         bench.chip->inject(8, Bytes8{0, 0, 0, 0, 0, 0, 0, 0, 0, rid, 0, 0}, Picoseconds(0)))
      out.push_back(copy.port);
    return out;
  };
  // The node of level 1 gets none; level 2 is of the node whose rid the packet has.
  EXPECT_EQ(ports(1), (std::vector<unsigned>{2, 3, 4, 6}));
  EXPECT_EQ(ports(4), (std::vector<unsigned>{2, 4, 6}));
  EXPECT_EQ(ports(5), (std::vector<unsigned>{2, 3, 6}));
}

TEST(Paths, AMirroredCopyIsWhatCameInBehindItsHeader) {
  Parts p;
  p.headers += "header mirror_h { bit<8> kind; bit<16> value; }\n";
  p.apply = "ig_tm_md.ucast_egress_port = 3; hdr.data.b1 = 0x77; ig_dprsr_md.mirror_type = 1;";
  p.deparser_locals = "Mirror() m;\n";
  p.deparse =
      "if (ig_dprsr_md.mirror_type == 1) { m.emit<mirror_h>(10w6, {8w0xee, hdr.data.h1}); }"
      "pkt.emit(hdr);";
  EXPECT_EQ(faults_of(p, std::string("mirroring_add 6 12\n") + packet +
                             "expect 3 00000001 00000002 0003 77\n"
                             "expect 12 ee0003 00000001 00000002 0003 04 05 aa$\n"),
            "");
}

TEST(Paths, AResubmittedPacketComesAsItWasWithItsHeader) {
  Parts p;
  p.headers =
      "header data_h { bit<32> f1; bit<32> f2; bit<16> h1; bit<8> b1; bit<8> b2; }\n"
      "header again_h { bit<64> value; }\n"
      "struct headers { data_h data; }\nstruct metadata { again_h again; }\n";
  p.parse = "pkt.extract(hdr.data); transition accept; }\n";
  p.apply =
      "ig_tm_md.ucast_egress_port = 3; if (ig_intr_md.resubmit_flag == 0) {"
      " hdr.data.b1 = 0x77; ig_dprsr_md.resubmit_type = 2; } else { hdr.data.b2 = 0x99; }";
  p.deparser_locals = "Resubmit() r;\n";
  p.deparse = "if (ig_dprsr_md.resubmit_type == 2) { r.emit<again_h>({64w5}); } pkt.emit(hdr);";
  EXPECT_EQ(faults_of(p, std::string(packet) + "expect 3 00000001 00000002 0003 04 99 aa$\n"), "");
}

TEST(Paths, APacketGoesRoundByALoopbackPort) {
  Parts p;
  p.apply =
      "if (ig_intr_md.ingress_port == 68) ig_tm_md.ucast_egress_port = 4;"
      "else ig_tm_md.ucast_egress_port = 68; hdr.data.b1 = hdr.data.b1 + 1;";
  EXPECT_EQ(faults_of(p, std::string(packet) + "expect 4 00000001 00000002 0003 06\n"), "");
  // A port where packets are expected leads outside.
  EXPECT_EQ(faults_of(p, std::string(packet) + "expect 68 00000001 00000002 0003 05\n"), "");
}

TEST(Paths, RegistersBelongToAPipe) {
  Parts p;
  p.locals =
      "Register<bit<16>, bit<8>>(4) r;\n"
      "RegisterAction<bit<16>, bit<8>, bit<16>>(r) f = {\n"
      "  void apply(inout bit<16> v, out bit<16> rv) { v = v + 1; rv = v; } };\n";
  p.apply = "ig_tm_md.ucast_egress_port = 3; hdr.data.h1 = f.execute(0);";
  EXPECT_EQ(faults_of(p,
                      "packet 7 00000001 00000002 0003 04 05\nexpect 3 00000001 00000002 0001\n"
                      "packet 130 00000001 00000002 0003 04 05\nexpect 3 00000001 00000002 0001\n"
                      "packet 8 00000001 00000002 0003 04 05\nexpect 3 00000001 00000002 0002\n"),
            "");
}

TEST(Paths, MetadataBeginsAsZeroEachTime) {
  Parts p;
  p.apply =
      "ig_tm_md.ucast_egress_port = 3; hdr.data.h1 = md.m1; if (hdr.data.b1 == 4) md.m1 = 0x1234;";
  EXPECT_EQ(faults_of(p, std::string(packet) + packet +
                             "expect 3 00000001 00000002 0000\nexpect 3 00000001 00000002 0000\n"),
            "");
}

TEST(Paths, ADigestGoesToTheControlPlane) {
  Parts p;
  p.headers += "struct learn_t { bit<32> a; bit<16> b; }\n";
  p.apply = "ig_dprsr_md.digest_type = 1;";
  p.deparser_locals = "Digest<learn_t>() d;\n";
  p.deparse =
      "if (ig_dprsr_md.digest_type == 1) { d.pack({hdr.data.f1, hdr.data.h1}); } pkt.emit(hdr);";
  Bench b(p);
  EXPECT_EQ(b.faults(packet), "");
  const auto digests = b.chip->take_digests();
  ASSERT_EQ(digests.size(), 1u);
  EXPECT_EQ(digests[0].words, (std::vector<std::uint64_t>{1, 3}));
  EXPECT_EQ(digests[0].bits, (std::vector<std::uint32_t>{32, 16}));
}

}  // namespace
}  // namespace horae::p4prog::test::paths_test
