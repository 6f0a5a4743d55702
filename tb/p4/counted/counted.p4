// The program whose report this folder has, as a compiler would have written it.
#include <t2na.p4>

header ipv4_h {
  bit<32> dst;
  bit<32> count;
  bit<8> mark;
  bit<8> rest;
}
struct headers_t {
  ipv4_h ipv4;
}
struct metadata_t {
  bit<16> hop;
}
struct none_t {}

parser IgParser(packet_in pkt, out headers_t hdr, out metadata_t meta, out ingress_intrinsic_metadata_t im) {
  state start {
    pkt.extract(im);
    pkt.advance(PORT_METADATA_SIZE);
    pkt.extract(hdr.ipv4);
    transition accept;
  }
}

control Ig(inout headers_t hdr, inout metadata_t meta, in ingress_intrinsic_metadata_t im,
           in ingress_intrinsic_metadata_from_parser_t pm, inout ingress_intrinsic_metadata_for_deparser_t dm,
           inout ingress_intrinsic_metadata_for_tm_t tm) {
  DirectCounter<bit<32>>(CounterType_t.PACKETS) hits;
  Register<bit<32>, bit<16>>(65536) seen;
  RegisterAction<bit<32>, bit<16>, bit<32>>(seen) count_up = {
    void apply(inout bit<32> value, out bit<32> result) {
      value = value + 1;
      result = value;
    }
  };
  action set_hop(bit<16> hop) {
    meta.hop = hop;
    hits.count();
  }
  action mark() {
    hdr.ipv4.mark = 1;
  }
  action count() {
    hdr.ipv4.count = count_up.execute(meta.hop);
  }
  table routes {
    key = { hdr.ipv4.dst : exact; }
    actions = { set_hop; @defaultonly NoAction; }
    const default_action = NoAction;
    counters = hits;
    size = 4096;
  }
  apply {
    if (hdr.ipv4.isValid()) {
      routes.apply();
    }
    mark();
    count();
  }
}

control IgDeparser(packet_out pkt, inout headers_t hdr, in metadata_t meta,
                   in ingress_intrinsic_metadata_for_deparser_t dm) {
  apply {
    pkt.emit(hdr);
  }
}
parser EgParser(packet_in pkt, out none_t hdr, out none_t meta, out egress_intrinsic_metadata_t em) {
  state start {
    pkt.extract(em);
    transition accept;
  }
}
control Eg(inout none_t hdr, inout none_t meta, in egress_intrinsic_metadata_t em,
           in egress_intrinsic_metadata_from_parser_t pm, inout egress_intrinsic_metadata_for_deparser_t dm,
           inout egress_intrinsic_metadata_for_output_port_t om) {
  apply { }
}
control EgDeparser(packet_out pkt, inout none_t hdr, in none_t meta,
                   in egress_intrinsic_metadata_for_deparser_t dm) {
  apply { }
}

Pipeline(IgParser(), Ig(), IgDeparser(), EgParser(), Eg(), EgDeparser()) pipe;
Switch(pipe) main;
