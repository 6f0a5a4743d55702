// Forwarding as the program `forward`, which is in C++, does it: a destination's group of ports, then
// a hash of the flow, then the port in that place of the group. A group has 16 places, which its
// ports share.
#include <core.p4>
#if __TARGET_TOFINO__ == 2
#include <t2na.p4>
#else
#include <tna.p4>
#endif
#include "../headers.p4"

struct metadata_t {
  bit<12> group;
  bit<4> place;
}

parser InParser(
    packet_in packet, out headers_t headers, out metadata_t metadata,
    out ingress_intrinsic_metadata_t intrinsic) {
  FrameParser() frame;

  state start {
    packet.extract(intrinsic);
    packet.advance(PORT_METADATA_SIZE);
    frame.apply(packet, headers);
    transition accept;
  }
}

control In(
    inout headers_t headers, inout metadata_t metadata, in ingress_intrinsic_metadata_t intrinsic,
    in ingress_intrinsic_metadata_from_parser_t from_parser,
    inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
    inout ingress_intrinsic_metadata_for_tm_t for_manager) {
  Hash<bit<4>>(HashAlgorithm_t.CRC32) flow_hash;

  action to_group(bit<12> group) {
    metadata.group = group;
  }
  action drop() {
    for_deparser.drop_ctl = 1;
  }
  table routes {
    key = {
      headers.ipv4.destination: exact;
    }
    actions = {
      to_group;
      drop;
    }
    const default_action = drop();
    size = 4096;
  }
  action send(PortId_t port) {
    for_manager.ucast_egress_port = port;
  }
  table members {
    key = {
      metadata.group: exact;
      metadata.place: exact;
    }
    actions = {
      send;
      drop;
    }
    const default_action = drop();
    size = 1024;
  }

  apply {
    routes.apply();
    // The hash waits for the group, as it does in the C++ program, where the group's number of
    // ports divides its range.
    metadata.place = flow_hash.get({
        metadata.group, headers.ipv4.source, headers.ipv4.destination, headers.ipv4.protocol,
        headers.udp.source_port, headers.udp.destination_port});
    members.apply();
  }
}

control InDeparser(
    packet_out packet, inout headers_t headers, in metadata_t metadata,
    in ingress_intrinsic_metadata_for_deparser_t for_deparser) {
  apply {
    packet.emit(headers);
  }
}

Pipeline(
    InParser(), In(), InDeparser(), PlainEgressParser(), PlainEgress(), PlainEgressDeparser()) pipe;

Switch(pipe) main;
