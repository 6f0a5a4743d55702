// Packet generators of P4 programs: set up by entries files and by scripts, in cases, captures and
// runs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "bad_input.hpp"
#include "replay.hpp"

namespace horae::test::p4_generator_test {
namespace {

constexpr const char* program_text = R"p4(#include <t2na.p4>
header bytes_h { bit<48> first; }
struct headers { bytes_h bytes; }
struct metadata { }
parser IgParser(packet_in pkt, out headers hdr, out metadata md,
                out ingress_intrinsic_metadata_t ig_intr_md) {
  state start {
    pkt.extract(ig_intr_md);
    pkt.advance(PORT_METADATA_SIZE);
    pkt.extract(hdr.bytes);
    transition accept;
  }
}
control Ig(inout headers hdr, inout metadata md, in ingress_intrinsic_metadata_t ig_intr_md,
           in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
           inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
           inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
  Counter<bit<32>, bit<9>>(512, CounterType_t.PACKETS_AND_BYTES) seen;
  apply {
    seen.count(ig_intr_md.ingress_port);
    if (ig_intr_md.ingress_port == 6) ig_tm_md.ucast_egress_port = 16;
    else ig_tm_md.ucast_egress_port = 24;
    ig_tm_md.bypass_egress = 1;
  }
}
control IgDeparser(packet_out pkt, inout headers hdr, in metadata md,
                   in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
  apply { pkt.emit(hdr); }
}
struct eg_headers { }
struct eg_metadata { }
parser EgParser(packet_in pkt, out eg_headers hdr, out eg_metadata md,
                out egress_intrinsic_metadata_t eg_intr_md) {
  state start { transition accept; }
}
control Eg(inout eg_headers hdr, inout eg_metadata md, in egress_intrinsic_metadata_t eg_intr_md,
           in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
           inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
           inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) { apply { } }
control EgDeparser(packet_out pkt, inout eg_headers hdr, in eg_metadata md,
                   in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
  apply { pkt.emit(hdr); }
}
Pipeline(IgParser(), Ig(), IgDeparser(), EgParser(), Eg(), EgDeparser()) pipe;
Switch(pipe) main;
)p4";

std::string with(std::string text,
                 const std::vector<std::pair<std::string, std::string>>& changes) {
  for (const auto& [from, to] : changes) text.replace(text.find(from), from.size(), to);
  return text;
}

std::string device(const std::string& kind, const std::string& link = "") {
  return "[platform]\nname = \"generated\"\n[host]\nkind = \"" + kind +
         "\"\n[tor]\nkind = \"tofino\"\nchip = \"tofino2\"\n[tor.program]\nname = \"p4\"\n"
         "source = \"generated.p4\"\nentries = [\"generated.entries.toml\"]\n"
         "[[device]]\nnames = [\"h0\", \"h1\", \"h2\", \"h3\"]\nprofile = \"host\"\n"
         "[[device]]\nnames = [\"tor\"]\nprofile = \"tor\"\n"
         "[link_default]\nrate = \"100 Gbps\"\ndelay = \"100 ns\"\n"
         "[[link]]\nbetween = [\"h0\", \"tor\"]\n[[link]]\nbetween = [\"h1\", \"tor\"]\n"
         "[[link]]\nbetween = [\"h2\", \"tor\"]\n[[link]]\nbetween = [\"h3\", \"tor\"]\n" +
         link;
}

const std::string buffer = "[[packet_buffer]]\noffset = 16\nbytes = \"0102 0304\"\n";
/// A timer, with 94 bytes behind the header.
std::string timer(const std::string& more) {
  return buffer + "[[packet_generator]]\napp = 3\npipes = [0]\noffset = 16\nlength = 94\n" + more;
}

/// hosts.pcap, of which h0 sends, through a program with such a generator.
struct Replayed : Workplace {
  explicit Replayed(const std::string& entries, const std::string& program = program_text,
                    const std::string& tor = "") {
    write("generated.p4", program);
    write("generated.toml",
          with(device("host"), {{"chip = \"tofino2\"\n", "chip = \"tofino2\"\n" + tor}}));
    write("generated.entries.toml", entries);
    const Ended ended = run(
        *this, {"replay", std::string(HORAE_PLATFORM_DIR) + "/../traces/hosts.pcap@h0", "--filter",
                "src host 10.0.0.1", "--platform", "generated.toml", "--json", "--out", "out"});
    if (ended.exit_code != 0) throw std::runtime_error(ended.err);
    summary = ended.json();
    for (const Row& row : rows_of(read("out/packets.csv"))) {
      if (row.at("kind") == "generated") rows.push_back(row);
    }
  }
  ordered_json summary;
  std::vector<Row> rows;  ///< of generated packets
};

TEST(P4Generator, AOneShotTimerInACapture) {
  const Replayed replay(timer(
      "trigger = \"one_shot\"\ntimer = \"2 us\"\nbatches = 2\npackets = 2\npacket_gap = \"1 us\"\n"
      "batch_gap = \"3 us\"\n"));
  ASSERT_EQ(replay.rows.size(), 4u);
  EXPECT_EQ(replay.summary.at("packets").at("generated"), 4);
  const auto left = captured(replay, "out/ports/tor_1.pcap");
  ASSERT_EQ(left.size(), 4u);
  std::vector<std::int64_t> made;
  for (std::size_t i = 0; i < 4; ++i) {
    // App 3 of pipe 0; batch and packet; the buffer.
    ByteString expected(100, 0);
    expected[0] = 3;
    expected[3] = static_cast<std::uint8_t>(i / 2);
    expected[5] = static_cast<std::uint8_t>(i % 2);
    for (std::uint8_t b = 1; b <= 4; ++b) expected[5 + b] = b;
    EXPECT_EQ(left[i].bytes, expected) << i;
    EXPECT_EQ(replay.rows[i].at("verdict"), "sent");
    EXPECT_EQ(replay.rows[i].at("in_port"), "");
    EXPECT_EQ(replay.rows[i].at("out_port"), "1");
    made.push_back(std::stoll(replay.rows[i].at("first_bit_in_ps")));
  }
  // Gaps of a Tofino2 are from the end: 104 bytes with FCS and 20 more at 400 Gbps are 2.48 ns.
  EXPECT_EQ(made[1] - made[0], 1'002'480);
  EXPECT_EQ(made[2] - made[1], 3'002'480);
  EXPECT_EQ(made[3] - made[2], 1'002'480);
  // Counted by the port that they come by, with FCS.
  EXPECT_EQ(replay.summary.at("program")
                .at("pipes")
                .at("pipe0")
                .at("counters")
                .at("pipe.Ig.seen")
                .at("cells")
                .at("6"),
            ordered_json({{"packets", 4}, {"bytes", 4 * 104}}));
}

// It goes on while the trace does, and the replay ends all the same.
TEST(P4Generator, APeriodicTimerGoesOnWhileTheTraceDoes) {
  const Replayed replay(timer("trigger = \"timer\"\ntimer = \"1 us\"\n"));
  const auto generated = replay.summary.at("packets").at("generated").get<std::size_t>();
  EXPECT_GT(generated, 40u);
  EXPECT_EQ(replay.rows.size(), generated);
  EXPECT_EQ(replay.summary.at("packets").at("in_flight"), 0);
}

const std::string burst = buffer +
                          "[[packet_generator]]\napp = 3\noffset = 16\nlength = 994\n"
                          "trigger = \"one_shot\"\ntimer = \"2 us\"\npackets = 60\n";

// Generators of three pipes send 180 frames of 1,004 bytes (6 cells each) by a port of 100 Gbps; in
// 0.9 us, of which 11 leave.
TEST(P4Generator, TheGhostThreadIsToldOfTheirQueue) {
  const std::string program = with(
      program_text,
      {{"struct metadata { }", "struct metadata { }\nRegister<bit<32>, bit<11>>(2048) deepest;"},
       {"Pipeline(",
        "control Gh(in ghost_intrinsic_metadata_t g) {\n"
        "  RegisterAction<bit<32>, bit<11>, bit<32>>(deepest) note = {\n"
        "    void apply(inout bit<32> v) {\n"
        "      if (v < (bit<32>) g.qlength) { v = (bit<32>) g.qlength; } } };\n"
        "  apply { note.execute(g.qid); } }\nPipeline("},
       {"EgDeparser()) pipe", "EgDeparser(), Gh()) pipe"}});
  const Replayed replay(burst, program);
  const auto cells = replay.summary.at("program")
                         .at("pipes")
                         .at("pipe0")
                         .at("registers")
                         .at("deepest")
                         .at("cells");
  // Lanes 16 and 24, queue 0; one generator alone fills the other port.
  ASSERT_TRUE(cells.contains("384")) << cells;
  EXPECT_GT(cells.at("384").get<int>(), 6 * 100);
  EXPECT_LE(cells.at("384").get<int>(), 6 * 180);
  for (const auto& [queue, depth] : cells.items())
    EXPECT_TRUE(queue == "384" || queue == "256") << queue;
}

// Where the queue has no room they take the recirculation port, through egress, which sees it.
TEST(P4Generator, WhatFindsNoRoomIsDeflected) {
  const std::string program =
      with(program_text,
           {{"ig_tm_md.bypass_egress = 1;", "ig_tm_md.deflect_on_drop = 1;"},
            {"state start { transition accept; }",
             "state start { pkt.extract(eg_intr_md); transition accept; }"},
            {"{ apply { } }",
             "{\n  Counter<bit<32>, bit<1>>(2, CounterType_t.PACKETS) seen;\n"
             "  apply { seen.count(eg_intr_md.deflection_flag);\n"
             "    if (eg_intr_md.deflection_flag == 1) { eg_dprsr_md.drop_ctl = 1; } } }"}});
  const Replayed replay(burst, program, "queue_limit = \"20 KiB\"\n");
  const auto deflected =
      replay.summary.at("statistics").at("tor").at("deflected").at("value").get<std::uint64_t>();
  EXPECT_GT(deflected, 50u);
  EXPECT_EQ(replay.summary.at("program")
                .at("pipes")
                .at("pipe0")
                .at("counters")
                .at("pipe.Eg.seen")
                .at("cells")
                .at("1")
                .at("packets"),
            deflected);
  EXPECT_EQ(replay.summary.at("packets").at("dropped").at("queue_full"), 0);
  // Without the request they are dropped.
  const Replayed dropped(burst, program_text, "queue_limit = \"20 KiB\"\n");
  EXPECT_GT(dropped.summary.at("packets").at("dropped").at("queue_full").get<int>(), 50);
  EXPECT_FALSE(dropped.summary.at("statistics").at("tor").contains("deflected"));
}

constexpr const char* script_text = R"py(import time
g = bfrt.tf2.pktgen
g.port_cfg.mod(dev_port=6, pktgen_enable=True)
g.pkt_buffer.mod(pkt_buffer_offset=16, pkt_buffer_size=4, buffer=bytes([1, 2, 3, 4]))
g.app_cfg.mod_with_trigger_timer_periodic(app_id=3, timer_nanosec=2000, pkt_len=94, pkt_buffer_offset=16,
                                          packets_per_batch_cfg=1, assigned_chnl_id=6)
g.app_cfg.mod(app_id=3, app_enable=True)
time.sleep(5e-6)
g.app_cfg.mod(app_id=3, app_enable=False)
)py";

TEST(P4Generator, AScriptSetsItUpAndDisablesItAgain) {
  Workplace place;
  place.write("generated.p4", program_text);
  place.write("generated.toml", device("host") + "");
  place.write("generated.entries.toml", "");
  place.write("setup.py", script_text);
  const Ended ended =
      run(place, {"replay", std::string(HORAE_PLATFORM_DIR) + "/../traces/hosts.pcap@h0",
                  "--filter", "src host 10.0.0.1", "--platform", "generated.toml", "--set",
                  "tor.program.control=[\"setup.py\"]", "--json", "--out", "out"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  // At 2 and 4 us, two packets each.
  EXPECT_EQ(ended.json().at("packets").at("generated"), 4);
}

TEST(P4Generator, InACase) {
  Workplace place;
  place.write("generated.p4", program_text);
  place.write("generated.entries.toml", timer("trigger = \"timer\"\ntimer = \"1 us\"\n"));
  place.write("case.stf", "pktgen 3 0\nexpect 16 03 00 0000 0000 01020304\n");
  const Words words = {"p4",       "test",         "case.stf",
                       "--source", "generated.p4", "--target",
                       "tofino2",  "--entries",    "generated.entries.toml",
                       "--trace"};
  const Ended ended = run(place, words);
  EXPECT_EQ(ended.exit_code, 0) << ended.err << ended.out;
  EXPECT_EQ(ended.out.substr(0, 25), "line 1: packet generator\n") << ended.out;
}

// The CPU's port is 0, for which the program has the port of all but the generator's.
TEST(P4Generator, TheCpuSendsACaptureAtItsTimes) {
  Workplace place;
  place.write("generated.p4", program_text);
  place.write("generated.entries.toml", "");
  PcapBytes pcap;
  pcap.packet(0, 5'000, {1, 2, 3, 4, 5, 6, 7});
  pcap.packet(0, 8'000, {9, 8, 7, 6, 5, 4, 3});
  place.write("cpu.pcap", {pcap.bytes().begin(), pcap.bytes().end()});
  place.write(
      "net.toml",
      with(device("host"), {{"[tor.program]\n", "[tor.program]\ncpu_packets = \"cpu.pcap\"\n"}}) +
          "[sim]\nduration = \"20 us\"\n");
  const Ended ended = run(place, {"run", "net.toml", "--json", "--out", "out", "--pcap", "h2"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const auto frames = captured(place, "out/ports/h2_0.pcap");
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].bytes[0], 1);
  EXPECT_EQ(frames[1].bytes[0], 9);
  EXPECT_EQ(frames[1].time_ns - frames[0].time_ns, 3'000);
}

TEST(P4Generator, AGhostPeriodWithoutAGhostThreadIsRefused) {
  Workplace place;
  place.write("generated.p4", program_text);
  place.write("generated.entries.toml", "");
  place.write("net.toml", device("host") + "[sim]\nduration = \"1 us\"\n");
  const Ended ended = run(place, {"run", "net.toml", "--set", "tor.program.ghost_period=1us"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_NE(ended.err.find("ghost_period: generated.p4 has no ghost thread"), std::string::npos)
      << ended.err;
}

TEST(P4Generator, FaultsOfEntriesHaveTheirPlaces) {
  Workplace place;
  place.write("generated.p4", program_text);
  place.write("case.stf", "no_packet\n");
  const auto refused = [&](const std::string& entries, const std::string& message) {
    place.write("e.toml", entries);
    expect_refused(place,
                   {"p4", "test", "case.stf", "--source", "generated.p4", "--target", "tofino2",
                    "--entries", "e.toml"},
                   message);
  };
  const std::string head = "[[packet_generator]]\napp = 3\n";
  refused(head + "trigger = \"time\"\n",
          "e.toml:3:11: trigger = \"time\"; expected one of one_shot, timer, port_down, "
          "recirculation, deparser, did you mean 'timer'?");
  refused(head + "trigger = \"timer\"\n",
          "e.toml:1:1: missing 'timer' in [packet_generator]: a time such as \"1.5 "
          "us\"");
  refused(head + "trigger = \"timer\"\ntimer = \"0 s\"\n",
          "e.toml:1:1: timer = 0; expected the time between two triggers");
  refused(head + "trigger = \"port_down\"\ntimer = \"1 s\"\n", "e.toml:4:9: timer is of a timer");
  refused(head + "trigger = \"port_down\"\nvalue = 1\n",
          "e.toml:4:9: value is of recirculation and deparser");
  refused(head + "trigger = \"recirculation\"\nvalue = 1\nports = [1]\n",
          "e.toml:5:9: ports is of port_down");
  refused(head + "trigger = \"port_down\"\nbatches = 0\n",
          "e.toml:4:11: batches = 0; expected 1 to 65536");
  refused("[[packet_buffer]]\noffset = 8\nbytes = \"00\"\n",
          "e.toml:1:1: offset = 8; expected a multiple of 16");
  refused("[[packet_buffer]]\nbytes = \"0\"\n",
          "e.toml:2:9: bytes = \"0\"; expected hexadecimal digits, two a byte");
  refused(head + "trigger = \"port_down\"\n" + head + "trigger = \"port_down\"\n",
          "e.toml:4:1: packet generator 3 again; expected each once");
}

// Says what a program sends to another NIC is a counted drop there.
TEST(P4Generator, APacketForAnotherNicIsDroppedByTheNic) {
  Workplace place;
  place.write("generated.p4", program_text);
  place.write("generated.entries.toml", "");
  place.write("net.toml", with(device("rnic"), {{"kind = \"rnic\"\n",
                                                 "kind = \"rnic\"\ntransport = \"go_back_n\"\n"}}) +
                              "[sim]\nduration = \"50 us\"\n"
                              "[[traffic]]\nkind = \"messages\"\nfrom = [\"h0\"]\nto = [\"h1\"]\n"
                              "message = \"8 KiB\"\ndepth = 1\n");
  const Ended ended = run(place, {"run", "net.toml", "--json", "--out", "out"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_GT(ended.json().at("packets").at("dropped").at("unknown_qp").get<int>(), 0);
}

// In a run the link of h2 fails: the port's number is in the header, once.
TEST(P4Generator, APortThatGoesDownInARun) {
  Workplace place;
  place.write("generated.p4", program_text);
  place.write("generated.entries.toml",
              buffer +
                  "[[packet_generator]]\napp = 1\ntrigger = \"port_down\"\noffset = 16\n"
                  "length = 94\npackets = 3\n");
  place.write("net.toml", device("host",
                                 "[[impairment]]\nbetween = [\"h3\", \"tor\"]\n"
                                 "outage = [{ from = \"10 us\", to = \"20 us\" },\n"
                                 "          { from = \"30 us\", to = \"40 us\" }]\n") +
                              "[sim]\nduration = \"100 us\"\n");
  const Ended ended = run(place, {"run", "net.toml", "--json", "--out", "out", "--pcap", "h1"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const auto summary = ended.json();
  EXPECT_EQ(summary.at("statistics").at("tor").at("generated").at("value"), 3);
  EXPECT_EQ(summary.at("statistics").at("tor").at("not_roce").at("value"), 3);
  const auto frames = captured(place, "out/ports/h1_0.pcap");
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[2].bytes[0], 1);
  EXPECT_EQ(frames[2].bytes[3], 32) << "switch port 3 is lane 32";
  EXPECT_EQ(frames[2].bytes[5], 2);
}

}  // namespace
}  // namespace horae::test::p4_generator_test
