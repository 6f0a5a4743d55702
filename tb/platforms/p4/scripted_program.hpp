// A program with an object of each kind that a control plane sets, a script that sets them, and a
// case that its packets meet then.
#pragma once

namespace horae::test::p4_bfrt_test {

inline constexpr const char* program_text = R"p4(#include <tna.p4>
header data_h { bit<32> f1; bit<32> f2; bit<16> h1; bit<8> b1; bit<8> b2; }
struct headers { data_h data; }
struct port_md_t { bit<16> zone; bit<8> kind; }
struct metadata { port_md_t port; bit<1> marked; }
struct pair_t { bit<32> lo; bit<32> hi; }
parser IgParser(packet_in pkt, out headers hdr, out metadata md,
                out ingress_intrinsic_metadata_t ig_intr_md) {
  value_set<bit<8>>(4) known;
  state start {
    pkt.extract(ig_intr_md);
    md.port = port_metadata_unpack<port_md_t>(pkt);
    md.marked = 0;
    pkt.extract(hdr.data);
    transition select(hdr.data.b2) { known: mark; default: accept; }
  }
  state mark { md.marked = 1; transition accept; }
}
control Ig(inout headers hdr, inout metadata md, in ingress_intrinsic_metadata_t ig_intr_md,
           in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
           inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
           inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
  Register<pair_t, bit<8>>(4) limits;
  RegisterAction<pair_t, bit<8>, bit<32>>(limits) limit = {
    void apply(inout pair_t v, out bit<32> rv) { rv = v.hi; } };
  Counter<bit<32>, bit<9>>(16, CounterType_t.PACKETS_AND_BYTES) seen;
  DirectCounter<bit<32>>(CounterType_t.PACKETS) hits;
  ActionProfile(8) choices;
  action send(bit<9> port, bit<8> tag) { ig_tm_md.ucast_egress_port = port; hdr.data.b1 = tag; }
  action send_counted(bit<9> port, bit<8> tag) {
    hits.count(); ig_tm_md.ucast_egress_port = port; hdr.data.b1 = tag; }
  action flood(bit<16> group) { ig_tm_md.mcast_grp_a = group; }
  action drop() { ig_dprsr_md.drop_ctl = 1; }
  table exact_t { key = { hdr.data.f1 : exact; } actions = { send_counted; flood; drop; }
                  default_action = drop; size = 4; counters = hits; }
  table mixed { key = { hdr.data.f2 : ternary; hdr.data.h1 : range; } actions = { send; drop; }
                default_action = drop; size = 16; }
  table longest { key = { hdr.data.f2 : lpm; } actions = { send; drop; } default_action = drop;
                  size = 16; }
  table picked { key = { hdr.data.h1 : exact; } actions = { send; drop; } default_action = drop;
                 size = 16; implementation = choices; }
  table fixed { key = { hdr.data.b2 : exact; } actions = { send; drop; }
                const entries = { 1 : send(1, 1); } default_action = drop; size = 4; }
  apply {
    seen.count(1);
    if (hdr.data.b1 == 1) exact_t.apply();
    else if (hdr.data.b1 == 2) mixed.apply();
    else if (hdr.data.b1 == 3) longest.apply();
    else if (hdr.data.b1 == 4) picked.apply();
    else if (hdr.data.b1 == 5) fixed.apply();
    else {
      hdr.data.f1 = limit.execute(2);
      hdr.data.h1 = md.port.zone;
      hdr.data.b2 = md.port.kind;
      ig_tm_md.ucast_egress_port = (bit<9>) (bit<8>) 7 + (bit<9>) (bit<1>) md.marked;
    }
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
  state start { pkt.extract(eg_intr_md); transition accept; }
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

inline constexpr const char* script_text = R"py(from netaddr import IPAddress, EUI
p4 = bfrt.control.pipe
ig = p4.Ig

for types in (['MATCH_DIRECT', 'MATCH_INDIRECT'], ['SELECTOR'], ['ACTION_PROFILE']):
    for table in p4.info(return_info=True, print_info=False):
        if table['type'] in types:
            table['node'].clear(batch=True)

ig.exact_t.add_with_send_counted(7, 9, 0x21)
ig.exact_t.add_with_send_counted(f1=IPAddress('10.0.0.1'), port=3, tag=1)
ig.exact_t.mod_with_send_counted(f1='10.0.0.1', port=9, tag=0x22)
ig.exact_t.add_with_flood(f1=8, group=5)
ig.exact_t.add_with_drop(99)
ig.exact_t.delete(99)
ig.mixed.add_with_send(f2=0, f2_mask=0, h1_start=0, h1_end=0xffff, MATCH_PRIORITY=9, port=9, tag=0x31)
ig.mixed.add_with_send(f2=0x10, f2_mask=0xf0, h1_start=5, h1_end=6, MATCH_PRIORITY=1, port=9, tag=0x32)
ig.longest.entry_with_send(hdr_data_f2='10.0.0.0', hdr_data_f2_p_length=8, port=9, tag=0x41).push()
ig.longest.add_with_send('10.1.0.0', 16, 9, 0x42)
ig.longest.set_default_with_send(port=9, tag=0x40)
ig.choices.add_with_send(ACTION_MEMBER_ID=3, port=9, tag=0x51)
ig.picked.add(h1=1, ACTION_MEMBER_ID=3)
ig.limits.mod(REGISTER_INDEX=2, lo=1, hi=0xabcd)
p4.IgParser.known.add(f1=0x77, f1_mask=0xff)
p4.IgParser.PORT_METADATA.add(ingress_port=4, zone=0x1234, kind=0x56)
bfrt.pre.node.add(1, 0, None, [11, 12])
bfrt.pre.mgid.add(5, [1], [False], [0])
bfrt.mirror.cfg.add_with_normal(sid=5, direction='BOTH', session_enable=True, ucast_egress_port=3,
                                ucast_egress_port_valid=True, max_pkt_len=100)
bfrt.complete_operations()
assert ig.exact_t.info(return_info=True, print_info=False)['usage'] == 3
)py";

inline constexpr const char* case_text = R"stf(packet 4 00000007 00000000 0000 01 00
expect 9 00000007 00000000 0000 21 00
packet 4 0a000001 00000000 0000 01 00
expect 9 0a000001 00000000 0000 22 00
packet 4 00000008 00000000 0000 01 00
expect 11 00000008 00000000 0000 01 00
expect 12 00000008 00000000 0000 01 00
packet 4 00000063 00000000 0000 01 00
packet 4 00000000 00000014 0005 02 00
expect 9 00000000 00000014 0005 32 00
packet 4 00000000 00000014 0007 02 00
expect 9 00000000 00000014 0007 31 00
packet 4 00000000 0a000001 0000 03 00
expect 9 00000000 0a000001 0000 41 00
packet 4 00000000 0a010001 0000 03 00
expect 9 00000000 0a010001 0000 42 00
packet 4 00000000 0b010001 0000 03 00
expect 9 00000000 0b010001 0000 40 00
packet 4 00000000 00000000 0001 04 00
expect 9 00000000 00000000 0001 51 00
packet 4 00000000 00000000 0000 05 01
expect 1 00000000 00000000 0000 01 01
packet 4 00000000 00000000 0000 06 00
expect 7 0000abcd 00000000 1234 06 56
packet 5 00000000 00000000 0000 06 77
expect 8 0000abcd 00000000 0000 06 00
no_packet
)stf";

}  // namespace horae::test::p4_bfrt_test
