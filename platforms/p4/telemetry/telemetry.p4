// Telemetry of RoCE connections at this switch: packets, bytes and NAKs in registers, and a
// mirror copy, with the queue's depth and the time in it, of each packet that waited long.
#include <core.p4>
#if __TARGET_TOFINO__ == 2
#include <t2na.p4>
#else
#include <tna.p4>
#endif

#include "../headers.p4"

#ifndef CONNECTIONS
#define CONNECTIONS 65536
#endif
#define INDEX_BITS 16

typedef bit<INDEX_BITS> index_t;

const bit<8> FROM_INGRESS = 1;
const bit<8> FROM_MIRROR = 2;
const MirrorType_t LATE = 1;

// Before the frame, from ingress to egress.
header bridge_h {
  bit<8> origin;
  bit<16> connection;
}

// Before the frame of a copy: what its packet met.
header late_h {
  bit<8> origin;
  bit<8> reserved;
  bit<16> connection;
  bit<32> waited_ns;
  bit<32> depth_cells;
}

// Behind Ethernet, of a copy.
header report_h {
  bit<16> connection;
  bit<32> waited_ns;
  bit<32> depth_cells;
  bit<16> type;
}

const bit<16> TYPE_REPORT = 0x88b5;  // IEEE 802, for local experiments

struct ingress_headers_t {
  bridge_h bridge;
  ethernet_h ethernet;
  ipv4_h ipv4;
  udp_h udp;
  bth_h bth;
  aeth_h aeth;
}

struct egress_headers_t {
  ethernet_h ethernet;
  report_h report;
}

struct ingress_metadata_t {
  index_t connection;
}

struct egress_metadata_t {
  bridge_h bridge;
  late_h late;
  bit<32> waited_ns;
  bit<32> depth_cells;
  MirrorId_t session;
}

parser TelemetryParser(
    packet_in packet, out ingress_headers_t headers, out ingress_metadata_t metadata,
    out ingress_intrinsic_metadata_t intrinsic) {
  state start {
    packet.extract(intrinsic);
    packet.advance(PORT_METADATA_SIZE);
    metadata.connection = 0;
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

control Telemetry(
    inout ingress_headers_t headers, inout ingress_metadata_t metadata,
    in ingress_intrinsic_metadata_t intrinsic,
    in ingress_intrinsic_metadata_from_parser_t from_parser,
    inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
    inout ingress_intrinsic_metadata_for_tm_t for_manager) {
  Hash<index_t>(HashAlgorithm_t.CRC16) connection_hash;

  Register<bit<32>, index_t>(CONNECTIONS) packets;
  RegisterAction<bit<32>, index_t, bit<32>>(packets) count_packet = {
    void apply(inout bit<32> cell) {
      cell = cell + 1;
    }
  };

  Register<bit<32>, index_t>(CONNECTIONS) bytes;
  RegisterAction<bit<32>, index_t, bit<32>>(bytes) count_bytes = {
    void apply(inout bit<32> cell) {
      cell = cell + (bit<32>)headers.ipv4.total_length;
    }
  };

  Register<bit<16>, index_t>(CONNECTIONS) naks;
  RegisterAction<bit<16>, index_t, bit<16>>(naks) count_nak = {
    void apply(inout bit<16> cell) {
      cell = cell |+| 1;
    }
  };

  action find_connection() {
    metadata.connection = connection_hash.get({
        headers.ipv4.source, headers.ipv4.destination, headers.bth.destination_qp});
  }

  action forward(PortId_t port) {
    for_manager.ucast_egress_port = port;
  }

  action drop() {
    for_deparser.drop_ctl = 1;
  }

  table ports {
    key = {
      headers.ethernet.destination: exact;
    }
    actions = {
      forward;
      drop;
    }
    const default_action = drop();
    size = 1024;
  }

  apply {
    ports.apply();
    if (headers.bth.isValid()) {
      find_connection();
      count_packet.execute(metadata.connection);
      count_bytes.execute(metadata.connection);
      if (headers.aeth.isValid() && headers.aeth.syndrome[7:5] == 3) {
        count_nak.execute(metadata.connection);
      }
    }
    headers.bridge.setValid();
    headers.bridge.origin = FROM_INGRESS;
    headers.bridge.connection = metadata.connection;
  }
}

control TelemetryDeparser(
    packet_out packet, inout ingress_headers_t headers, in ingress_metadata_t metadata,
    in ingress_intrinsic_metadata_for_deparser_t for_deparser) {
  apply {
    packet.emit(headers);
  }
}

parser ReportParser(
    packet_in packet, out egress_headers_t headers, out egress_metadata_t metadata,
    out egress_intrinsic_metadata_t intrinsic) {
  state start {
    packet.extract(intrinsic);
    metadata.waited_ns = 0;
    metadata.depth_cells = 0;
    metadata.session = 0;
    transition select(packet.lookahead<bit<8>>()) {
      FROM_INGRESS: parse_bridge;
      FROM_MIRROR: parse_late;
      default: reject;
    }
  }

  state parse_bridge {
    packet.extract(metadata.bridge);
    packet.extract(headers.ethernet);
    transition accept;
  }

  state parse_late {
    packet.extract(metadata.late);
    packet.extract(headers.ethernet);
    transition accept;
  }
}

control Report(
    inout egress_headers_t headers, inout egress_metadata_t metadata,
    in egress_intrinsic_metadata_t intrinsic,
    in egress_intrinsic_metadata_from_parser_t from_parser,
    inout egress_intrinsic_metadata_for_deparser_t for_deparser,
    inout egress_intrinsic_metadata_for_output_port_t for_port) {
  action mirror(MirrorId_t session) {
    metadata.session = session;
    for_deparser.mirror_type = LATE;
  }

  // One entry where reports are wanted: its session leads to the collector.
  table reports {
    key = {
      headers.ethernet.type: exact;
    }
    actions = {
      mirror;
      @defaultonly NoAction;
    }
    const default_action = NoAction();
    size = 8;
  }

  apply {
    if (metadata.late.isValid()) {
      headers.report.setValid();
      headers.report.connection = metadata.late.connection;
      headers.report.waited_ns = metadata.late.waited_ns;
      headers.report.depth_cells = metadata.late.depth_cells;
      headers.report.type = headers.ethernet.type;
      headers.ethernet.type = TYPE_REPORT;
    } else {
      metadata.waited_ns = (bit<32>)intrinsic.deq_timedelta;
      metadata.depth_cells = (bit<32>)intrinsic.enq_qdepth;
      if (metadata.waited_ns[31:11] != 0) {  // 2,048 ns or more
        reports.apply();
      }
    }
  }
}

control ReportDeparser(
    packet_out packet, inout egress_headers_t headers, in egress_metadata_t metadata,
    in egress_intrinsic_metadata_for_deparser_t for_deparser) {
  Mirror() mirror;

  apply {
    if (for_deparser.mirror_type == LATE) {
      mirror.emit<late_h>(metadata.session, {
          FROM_MIRROR, 0, metadata.bridge.connection, metadata.waited_ns, metadata.depth_cells});
    }
    packet.emit(headers);
  }
}

Pipeline(
    TelemetryParser(), Telemetry(), TelemetryDeparser(),
    ReportParser(), Report(), ReportDeparser()) pipe;

Switch(pipe) main;
