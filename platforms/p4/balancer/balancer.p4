// Uplinks by an action selector: each connection keeps the uplink that its hash chooses among the
// members of its group.
#include <core.p4>
#if __TARGET_TOFINO__ == 2
#include <t2na.p4>
#else
#include <tna.p4>
#endif

#include "../headers.p4"

#ifndef MEMBERS
#define MEMBERS 256
#endif
#define GROUPS 64
#define GROUP_SIZE 64

struct metadata_t {
  bit<16> hash;
}

parser BalancerParser(
    packet_in packet, out headers_t headers, out metadata_t metadata,
    out ingress_intrinsic_metadata_t intrinsic) {
  FrameParser() frame;

  state start {
    packet.extract(intrinsic);
    packet.advance(PORT_METADATA_SIZE);
    metadata.hash = 0;
    transition parse_frame;
  }

  state parse_frame {
    frame.apply(packet, headers);
    transition accept;
  }
}

control Balancer(
    inout headers_t headers, inout metadata_t metadata,
    in ingress_intrinsic_metadata_t intrinsic,
    in ingress_intrinsic_metadata_from_parser_t from_parser,
    inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
    inout ingress_intrinsic_metadata_for_tm_t for_manager) {
  Hash<bit<16>>(HashAlgorithm_t.CRC16) selection_hash;
  ActionProfile(MEMBERS) uplinks;
  ActionSelector(uplinks, selection_hash, SelectorMode_t.FAIR, GROUP_SIZE, GROUPS) uplink_groups;

  action forward(PortId_t port) {
    for_manager.ucast_egress_port = port;
  }

  action drop() {
    for_deparser.drop_ctl = 1;
  }

  table destinations {
    key = {
      headers.ipv4.destination: lpm;
      headers.ipv4.source: selector;
      headers.ipv4.destination: selector;
      headers.udp.source_port: selector;
      headers.bth.destination_qp: selector;
    }
    actions = {
      forward;
      drop;
    }
    const default_action = drop();
    implementation = uplink_groups;
    size = 4096;
  }

  apply {
    if (headers.ipv4.isValid()) {
      destinations.apply();
    } else {
      drop();
    }
  }
}

control BalancerDeparser(
    packet_out packet, inout headers_t headers, in metadata_t metadata,
    in ingress_intrinsic_metadata_for_deparser_t for_deparser) {
  apply {
    packet.emit(headers);
  }
}

Pipeline(
    BalancerParser(), Balancer(), BalancerDeparser(),
    PlainEgressParser(), PlainEgress(), PlainEgressDeparser()) pipe;

Switch(pipe) main;
