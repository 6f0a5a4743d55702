// Packets that the packet generator makes: headers, triggers, what the chip does not have.
#include <fmt/format.h>

#include <string>

#include "small_program.hpp"

namespace horae::p4prog::packet_generator_test {
namespace {

using test::Bench;
using test::Parts;

using Trigger = GeneratorApp::Trigger;

constexpr std::uint8_t stored[] = {0xde, 0xad, 0xbe, 0xef};

/// Sends what comes by port 1 around, everything else to port 2 as it came.
Parts around(bool tofino2) {
  Parts p;
  p.tofino2 = tofino2;
  p.apply = fmt::format(
      "if (ig_intr_md.ingress_port == 1) {{ ig_tm_md.ucast_egress_port = {}; }}\n"
      "else {{ ig_tm_md.ucast_egress_port = 2; }}",
      tofino2 ? 6 : 68);
  p.egress_headers = "struct eg_headers { } struct eg_metadata { }\n";
  return p;
}

Bench bench_of(const Parts& parts, unsigned number, GeneratorApp app) {
  Bench out(parts);
  auto& table = out.chip->manager().generator;
  table.write(32, stored);
  app.offset = 32;
  app.length = 8;
  app.timer = Picoseconds(1'000'000);
  table.set(number, app);
  return out;
}

std::string refused(GeneratorTable& table, unsigned number, GeneratorApp app) {
  app.timer = Picoseconds(1'000'000);
  try {
    table.set(number, app);
  } catch (const InputError& e) {
    return e.what();
  }
  return "nothing was refused";
}

// TNA 9.2: pipe, application, batch and packet; then the buffer, zeros behind what was written.
TEST(PacketGenerators, ATimerMakesBatchesOfPackets) {
  Bench tofino = bench_of(around(false), 5, {.batches = 2, .packets = 2});
  EXPECT_EQ(tofino.faults("pktgen 5 2\n"
                          "expect 2 15 00 0000 0000 deadbeef 00000000$\n"
                          "expect 2 15 00 0000 0001 deadbeef 00000000$\n"
                          "expect 2 15 00 0001 0000 deadbeef 00000000$\n"
                          "expect 2 15 00 0001 0001 deadbeef 00000000$\n"),
            "");
  Bench tofino2 = bench_of(around(true), 13, {.packets = 2});
  EXPECT_EQ(tofino2.faults("pktgen 13 3\n"
                           "expect 2 3d 00 0000 0000 deadbeef 00000000$\n"
                           "expect 2 3d 00 0000 0001 deadbeef 00000000$\n"),
            "");
}

// Without a pipe all that have it make packets; a one-shot timer does it once.
TEST(PacketGenerators, EachPipeHasItsOwn) {
  Bench all = bench_of(around(false), 1, {.trigger = Trigger::one_shot});
  const std::string once = "expect 2 01\nexpect 2 09\nexpect 2 11\nexpect 2 19\nno_packet\n";
  EXPECT_EQ(all.faults("pktgen 1\n" + once + "pktgen 1\nno_packet\n"), "");
  Bench timer = bench_of(around(false), 1, {.pipes = {{1, 2}}});
  EXPECT_EQ(timer.faults("pktgen 1\nexpect 2 09\nexpect 2 11\nno_packet\n"
                         "pktgen 1 0\nno_packet\npktgen 1 2\nexpect 2 11\n"),
            "");
}

// TNA 9.4: the port that went down in place of the batch; once for each port.
TEST(PacketGenerators, APortThatGoesDownTriggersThoseOfItsPipe) {
  Bench bench = bench_of(around(false), 1, {.trigger = Trigger::port_down, .batches = 2});
  EXPECT_EQ(bench.faults("port_down 0x85\n"
                         "expect 2 09 00 0085 0000 deadbeef\n"
                         "expect 2 09 00 0085 0000 deadbeef\n"
                         "no_packet\n"
                         "port_down 0x85\nno_packet\n"
                         "port_down 0x03\nexpect 2 01 00 0003 0000\nexpect 2 01 00 0003\n"),
            "");
  Bench some = bench_of(around(true), 1, {.trigger = Trigger::port_down, .ports = {{8, 0x88}}});
  EXPECT_EQ(some.faults("port_down 9\nno_packet\nport_down 0x88\nexpect 2 11 00 0088 0000\n"), "");
}

// TNA 9.5: the first 32 bits under a mask. Of them all but the first byte are in the header, the
// batch in the sum.
TEST(PacketGenerators, WhatComesAroundTriggersIt) {
  Bench bench = bench_of(around(false), 2,
                         {.trigger = Trigger::recirculation,
                          .value = {0xaabb0000},
                          .mask = {0xffff0000},
                          .batches = 2});
  EXPECT_EQ(bench.faults("packet 1 aabbccff 22222222 3333 44 55\n"
                         "expect 2 aabbccff 22222222 3333 44 55$\n"
                         "expect 2 02 bb ccff 0000 deadbeef 00000000$\n"
                         "expect 2 02 bb cd00 0000 deadbeef 00000000$\n"
                         "packet 1 aabcccff 22222222 3333 44 55\n"
                         "expect 2 aabcccff\n"
                         "packet 3 aabbccff 22222222 3333 44 55\n"
                         "expect 2 aabbccff 22222222\nno_packet\n"),
            "");
}

// On Tofino2 the first 16 bytes are compared, and stand behind the header.
TEST(PacketGenerators, OnTofino2TheFirst16BytesAreCarried) {
  Bench bench = bench_of(around(true), 2,
                         {.trigger = Trigger::recirculation,
                          .value = {0x00000000000000ee, 0xaabbccdd00000000},
                          .mask = {0xff, 0xffffffff00000000}});
  EXPECT_EQ(bench.faults("packet 1 aabbccdd 22222222 3333 44 55 010203ee 99\n"
                         "expect 2 aabbccdd\n"
                         "expect 2 02 00 0000 0000 aabbccdd 22222222 33334455 010203ee deadbeef "
                         "00000000$\n"
                         "packet 1 aabbccdd 22222222 3333 44 55 010203ef 99\n"
                         "expect 2 aabbccdd\nno_packet\n"),
            "");
}

// The ingress deparser of Tofino2: 16 bytes, and the part of the buffer that they ask for.
TEST(PacketGenerators, TheDeparserTriggersIt) {
  Parts p = around(true);
  p.apply +=
      "if (hdr.data.f1 == 7) { ig_dprsr_md.pktgen = 1; ig_dprsr_md.pktgen_address = 2;\n"
      "  ig_dprsr_md.pktgen_length = 3; }";
  p.deparser_locals = "  Pktgen() generator;\n";
  p.deparse = "if (ig_dprsr_md.pktgen == 1) { generator.emit(hdr.data); } pkt.emit(hdr);";
  Bench bench = bench_of(p, 4, {.trigger = Trigger::deparser, .packets = 2});
  EXPECT_EQ(bench.faults("packet 3 00000007 22222222 3333 44 55\n"
                         "expect 2 00000007 22222222 3333 44 55$\n"
                         "expect 2 04 00 0000 0000 00000007 22222222 33334455 00000000 deadbe$\n"
                         "expect 2 04 00 0000 0001 00000007 22222222 33334455 00000000 deadbe$\n"
                         "packet 3 00000008 22222222 3333 44 55\n"
                         "expect 2 00000008\nno_packet\n"),
            "");
  p.deparse = "generator.emit({hdr.data, hdr.data}); pkt.emit(hdr);";
  EXPECT_NE(test::refusal_of(p).find("24 bytes for pipe.IgDeparser.generator, expected at most 16"),
            std::string::npos);
}

TEST(PacketGenerators, PortsOfPackets) {
  Parts p = around(false);
  p.apply = "ig_tm_md.ucast_egress_port = ig_intr_md.ingress_port;";
  Bench counting = bench_of(p, 0, {.packets = 3, .port = 20, .increments_port = true});
  EXPECT_EQ(counting.faults("pktgen 0 1\nexpect 148\nexpect 149\nexpect 150\n"), "");
  Bench wrapping =
      bench_of(p, 0, {.packets = 3, .port = 20, .increments_port = true, .last_port = 21});
  EXPECT_EQ(wrapping.faults("pktgen 0 1\nexpect 148 08 00 0000 0000\nexpect 149 08 00 0000 0001\n"
                            "expect 148 08 00 0000 0002\n"),
            "");
}

// Packets are more than a packet that goes around may make passes.
TEST(PacketGenerators, ManyPacketsAreNoEndlessWay) {
  Bench bench = bench_of(around(false), 0, {.packets = 3000});
  EXPECT_EQ(bench.chip->fire_timer(0, 0, {}).size(), 3000u);
}

TEST(PacketGenerators, WhatTheChipDoesNotHaveIsRefused) {
  GeneratorTable tofino, tofino2;
  tofino2.tofino2 = true;
  EXPECT_EQ(refused(tofino, 8, {}), "app = 8; Tofino has 0 to 7");
  EXPECT_EQ(refused(tofino2, 16, {}), "app = 16; Tofino2 has 0 to 15");
  EXPECT_EQ(refused(tofino, 0, {.trigger = Trigger::deparser}),
            "trigger = \"deparser\" is of Tofino2");
  EXPECT_EQ(refused(tofino, 0, {.offset = 8}), "offset = 8; expected a multiple of 16");
  EXPECT_EQ(refused(tofino, 0, {.offset = 16000, .length = 400}),
            "400 bytes at 16000 of a buffer of 16384");
  EXPECT_EQ(refused(tofino, 0, {.trigger = Trigger::recirculation, .value = {1ull << 32}}),
            "value of more than 32 bits; Tofino compares the first four bytes");
  EXPECT_EQ(refused(tofino, 0, {.port = 128}), "port = 128; a pipe has 0 to 127");
  EXPECT_EQ(refused(tofino, 3, {.pipes = {{0, 1}}}), "nothing was refused");
  EXPECT_EQ(refused(tofino, 3, {.pipes = {{2}}}), "nothing was refused");
  EXPECT_EQ(refused(tofino, 3, {.pipes = {{1, 3}}}),
            "packet generator 3 of pipe 1 is set up twice");
  const Parts p = around(false);
  EXPECT_EQ(test::refusal_of(p, "pktgen 3\n"), "case.stf:1:1: packet generator 3 is not set up");
  EXPECT_EQ(test::refusal_of(p, "pktgen 3 4\n"), "case.stf:1:1: pipe 4; there are 4");
  Bench down = bench_of(p, 3, {.trigger = Trigger::port_down});
  EXPECT_THROW(down.faults("pktgen 3\n"), InputError);
}

}  // namespace
}  // namespace horae::p4prog::packet_generator_test
