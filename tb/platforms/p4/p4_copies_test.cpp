// Copies that a P4 program asks for in a network: to the CPU's port, to a multicast group, to a
// mirror session, which a script of its control plane sets.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "program.hpp"

namespace horae::test::p4_copies_test {
namespace {

constexpr const char* program_text = R"p4(#include <core.p4>
#include <t2na.p4>
#include "headers.p4"
struct metadata_t { MirrorId_t session; }
parser InParser(packet_in packet, out headers_t headers, out metadata_t metadata,
                out ingress_intrinsic_metadata_t intrinsic) {
  FrameParser() frame;
  state start {
    packet.extract(intrinsic);
    packet.advance(PORT_METADATA_SIZE);
    metadata.session = 0;
    frame.apply(packet, headers);
    transition accept;
  }
}
control In(inout headers_t headers, inout metadata_t metadata,
           in ingress_intrinsic_metadata_t intrinsic,
           in ingress_intrinsic_metadata_from_parser_t from_parser,
           inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
           inout ingress_intrinsic_metadata_for_tm_t for_manager) {
  action send(PortId_t port) { for_manager.ucast_egress_port = port; }
  action copies(PortId_t port, MulticastGroupId_t group, bit<1> cpu, MirrorId_t session) {
    for_manager.ucast_egress_port = port;
    for_manager.mcast_grp_a = group;
    for_manager.copy_to_cpu = cpu;
    for_deparser.mirror_type = 1;
    metadata.session = session;
  }
  action drop() { for_deparser.drop_ctl = 1; }
  table hosts {
    key = { headers.ipv4.destination : exact; }
    actions = { send; copies; drop; }
    default_action = drop;
    size = 16;
  }
  apply { hosts.apply(); }
}
control InDeparser(packet_out packet, inout headers_t headers, in metadata_t metadata,
                   in ingress_intrinsic_metadata_for_deparser_t for_deparser) {
  Mirror() mirror;
  apply {
    if (for_deparser.mirror_type == 1) mirror.emit(metadata.session);
    packet.emit(headers);
  }
}
Pipeline(InParser(), In(), InDeparser(), PlainEgressParser(), PlainEgress(), PlainEgressDeparser())
    pipe;
Switch(pipe) main;
)p4";

constexpr const char* script_text = R"py(hosts = bfrt.copies.pipe.In.hosts
hosts.add_with_send('10.0.0.1', 8)
hosts.add_with_copies('10.0.0.2', port=16, group=9, cpu=1, session=3)
bfrt.pre.node.add(1, 7, [], [32, 40])
bfrt.pre.mgid.add(9, [1], [False], [0])
bfrt.mirror.cfg.add_with_normal(sid=3, direction='INGRESS', session_enable=True, max_pkt_len=100,
                                ucast_egress_port=48, ucast_egress_port_valid=True)
)py";

/// Two NICs, and hosts at the CPU's port, at two of a group and at the session's.
std::string platform() {
  std::string out =
      "[platform]\nname = \"copies\"\n[sim]\nduration = \"1 ms\"\nstop = \"finished\"\n"
      "[nic]\nkind = \"rnic\"\ntransport = \"go_back_n\"\n[host]\nkind = \"host\"\n"
      "[tor]\nkind = \"tofino\"\nchip = \"tofino2\"\n[tor.program]\nname = \"p4\"\n"
      "source = \"copies.p4\"\ncontrol = [\"copies.py\"]\nentries = [\"ports.toml\"]\n"
      "include = [\"" HORAE_PLATFORM_DIR
      "/p4\"]\n"
      "[[device]]\nnames = [\"a\", \"b\"]\nprofile = \"nic\"\n"
      "[[device]]\nnames = [\"cpu\", \"m1\", \"m2\", \"probe\"]\nprofile = \"host\"\n"
      "[[device]]\nnames = [\"s\"]\nprofile = \"tor\"\n"
      "[link_default]\nrate = \"100 Gbps\"\ndelay = \"500 ns\"\n";
  for (const std::string device : {"a", "b", "cpu", "m1", "m2", "probe"})
    out += "[[link]]\nbetween = [\"" + device + "\", \"s\"]\n";
  return out +
         "[[traffic]]\nkind = \"messages\"\nfrom = [\"a\"]\nto = [\"b\"]\n"
         "message = \"64 KiB\"\ndepth = 1\ncount = 1\n";
}

/// Bytes kept of the packets of a capture, and their whole lengths.
std::pair<std::uint64_t, std::uint64_t> lengths(const std::string& pcap) {
  std::pair<std::uint64_t, std::uint64_t> out{};
  for (std::size_t at = 24; at + 16 <= pcap.size();) {  // of the file's header and a packet's
    std::uint32_t kept = 0, whole = 0;
    std::memcpy(&kept, pcap.data() + at + 8, 4);
    std::memcpy(&whole, pcap.data() + at + 12, 4);
    out.first += kept;
    out.second += whole;
    at += 16 + kept;
  }
  return out;
}

TEST(P4Copies, GoToTheCpuToGroupsAndToSessions) {
  Workplace place;
  place.write("copies.p4", program_text);
  place.write("copies.py", script_text);
  place.write("net.toml", platform());
  place.write("ports.toml",
              "[[port]]\nswitch_port = 2\nnumber = 0\n[[port]]\nswitch_port = 3\nnumber = 32\n"
              "[[port]]\nswitch_port = 4\nnumber = 40\n[[port]]\nswitch_port = 5\nnumber = 48\n");
  const Ended ended =
      run(place, {"run", "net.toml", "--json", "--out", "out", "--pcap", "cpu,probe"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const auto summary = ended.json();
  const auto value = [&](const std::string& device, const std::string& name) {
    return summary.at("statistics").at(device).at(name).at("value").get<int>();
  };
  // 64 packets of 1,024 bytes and two ACKs.
  EXPECT_EQ(value("b", "data_received"), 64);
  EXPECT_EQ(value("s", "ingress_passes"), 66);
  for (const std::string host : {"cpu", "m1", "m2"}) EXPECT_EQ(value(host, "received"), 64) << host;
  EXPECT_EQ(value("s", "mirrored"), 64);
  EXPECT_EQ(value("s", "egress_passes"), 66 + 3 * 64 + 64);
  // A session that cuts its copies: what it sends is no RoCEv2 any more.
  EXPECT_EQ(value("s", "not_roce"), 64);
  EXPECT_EQ(summary.at("packets").at("dropped").at("corrupted"), 64);
  EXPECT_EQ(summary.at("packets").at("in_flight"), 0);
  // Headers of 54 bytes and an ICRC of 4; the first packet of a WRITE has 16 more (RETH).
  const std::uint64_t bytes = 64 * (1024 + 58) + 16;
  EXPECT_EQ(lengths(place.read("out/ports/cpu_0.pcap")), std::pair(bytes, bytes));
  EXPECT_EQ(lengths(place.read("out/ports/probe_0.pcap")),
            std::pair(64 * std::uint64_t{100}, 64 * std::uint64_t{100}));
}

}  // namespace
}  // namespace horae::test::p4_copies_test
