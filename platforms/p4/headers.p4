// Headers and parser states that the programs of this folder share.
#ifndef HEADERS_P4
#define HEADERS_P4

typedef bit<48> mac_address_t;
typedef bit<32> ipv4_address_t;

const bit<16> TYPE_IPV4 = 0x0800;
const bit<16> TYPE_ARP = 0x0806;
const bit<8> PROTOCOL_TCP = 6;
const bit<8> PROTOCOL_UDP = 17;
const bit<16> ROCE_PORT = 4791;  // UDP, of RoCEv2
const bit<8> OPCODE_ACKNOWLEDGE = 0x11;

header ethernet_h {
  mac_address_t destination;
  mac_address_t source;
  bit<16> type;
}

header ipv4_h {
  bit<4> version;
  bit<4> ihl;
  bit<6> dscp;
  bit<2> ecn;
  bit<16> total_length;
  bit<16> identification;
  bit<3> flags;
  bit<13> fragment_offset;
  bit<8> ttl;
  bit<8> protocol;
  bit<16> checksum;
  ipv4_address_t source;
  ipv4_address_t destination;
}

header udp_h {
  bit<16> source_port;
  bit<16> destination_port;
  bit<16> length;
  bit<16> checksum;
}

// Base transport header of InfiniBand and RoCE.
header bth_h {
  bit<8> opcode;
  bit<1> solicited;
  bit<1> migrated;
  bit<2> pad_count;
  bit<4> version;
  bit<16> partition;
  bit<8> reserved8;
  bit<24> destination_qp;
  bit<1> ack_request;
  bit<7> reserved7;
  bit<24> psn;
}

// Acknowledgement extension header: syndromes 0x60 and above are NAKs.
header aeth_h {
  bit<8> syndrome;
  bit<24> msn;
}

struct headers_t {
  ethernet_h ethernet;
  ipv4_h ipv4;
  udp_h udp;
  bth_h bth;
  aeth_h aeth;
}

// From the Ethernet header on, behind what the port put before it.
parser FrameParser(packet_in packet, out headers_t headers) {
  state start {
    packet.extract(headers.ethernet);
    transition select(headers.ethernet.type) {
      TYPE_IPV4: parse_ipv4;
      default: accept;
    }
  }

  state parse_ipv4 {
    packet.extract(headers.ipv4);
    transition select(headers.ipv4.ihl, headers.ipv4.fragment_offset, headers.ipv4.protocol) {
      (5, 0, PROTOCOL_UDP): parse_udp;
      default: accept;
    }
  }

  state parse_udp {
    packet.extract(headers.udp);
    transition select(headers.udp.destination_port) {
      ROCE_PORT: parse_bth;
      default: accept;
    }
  }

  state parse_bth {
    packet.extract(headers.bth);
    transition select(headers.bth.opcode) {
      OPCODE_ACKNOWLEDGE: parse_aeth;
      default: accept;
    }
  }

  state parse_aeth {
    packet.extract(headers.aeth);
    transition accept;
  }
}

// For programs that do nothing in egress.
struct no_metadata_t {}

parser PlainEgressParser(
    packet_in packet, out headers_t headers, out no_metadata_t metadata,
    out egress_intrinsic_metadata_t intrinsic) {
  state start {
    packet.extract(intrinsic);
    transition accept;
  }
}

control PlainEgress(
    inout headers_t headers, inout no_metadata_t metadata,
    in egress_intrinsic_metadata_t intrinsic,
    in egress_intrinsic_metadata_from_parser_t from_parser,
    inout egress_intrinsic_metadata_for_deparser_t for_deparser,
    inout egress_intrinsic_metadata_for_output_port_t for_port) {
  apply {}
}

control PlainEgressDeparser(
    packet_out packet, inout headers_t headers, in no_metadata_t metadata,
    in egress_intrinsic_metadata_for_deparser_t for_deparser) {
  apply {
    packet.emit(headers);
  }
}

#endif
