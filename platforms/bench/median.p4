// A program of median size, for `tb/tools/bench p4`: 12 tables, 10 register actions, two CRC32, a
// bridge header, a mirror; what half of the public programs for TNA have is as much or less.
#include <core.p4>
#if __TARGET_TOFINO__ == 2
#include <t2na.p4>
#else
#include <tna.p4>
#endif

const MirrorType_t SAMPLE = 1;

header bridge_h {
  bit<16> flow;
  bit<8> class;
  bit<8> mark;
}
header ethernet_h {
  bit<48> destination;
  bit<48> source;
  bit<16> type;
}
header vlan_h {
  bit<3> priority;
  bit<1> eligible;
  bit<12> id;
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
  bit<32> source;
  bit<32> destination;
}
header udp_h {
  bit<16> source_port;
  bit<16> destination_port;
  bit<16> length;
  bit<16> checksum;
}
header bth_h {
  bit<8> opcode;
  bit<8> flags;
  bit<16> partition;
  bit<8> reserved8;
  bit<24> destination_qp;
  bit<8> acknowledge;
  bit<24> psn;
}
header sample_h {
  bit<16> flow;
  bit<32> packets;
}

struct headers_t {
  bridge_h bridge;
  ethernet_h ethernet;
  vlan_h vlan;
  ipv4_h ipv4;
  udp_h udp;
  bth_h bth;
}

struct metadata_t {
  bit<16> flow;
  bit<16> other;
  bit<16> next_hop;
  bit<16> group;
  bit<12> domain;
  bit<8> class;
  bit<8> allowed;
  bit<32> packets;
  bit<32> gap;
  bit<32> last_psn;
  bit<32> now;
  bit<32> rate;
  MirrorId_t session;
}

parser InParser(
    packet_in packet, out headers_t headers, out metadata_t metadata,
    out ingress_intrinsic_metadata_t intrinsic) {
  state start {
    packet.extract(intrinsic);
    packet.advance(PORT_METADATA_SIZE);
    packet.extract(headers.ethernet);
    transition select(headers.ethernet.type) {
      0x8100: parse_vlan;
      0x0800: parse_ipv4;
      default: accept;
    }
  }
  state parse_vlan {
    packet.extract(headers.vlan);
    transition select(headers.vlan.type) {
      0x0800: parse_ipv4;
      default: accept;
    }
  }
  state parse_ipv4 {
    packet.extract(headers.ipv4);
    transition select(headers.ipv4.ihl, headers.ipv4.protocol) {
      (5, 17): parse_udp;
      default: accept;
    }
  }
  state parse_udp {
    packet.extract(headers.udp);
    transition select(headers.udp.destination_port) {
      4791: parse_bth;
      default: accept;
    }
  }
  state parse_bth {
    packet.extract(headers.bth);
    transition accept;
  }
}

control In(
    inout headers_t headers, inout metadata_t metadata, in ingress_intrinsic_metadata_t intrinsic,
    in ingress_intrinsic_metadata_from_parser_t from_parser,
    inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
    inout ingress_intrinsic_metadata_for_tm_t for_manager) {
  Hash<bit<16>>(HashAlgorithm_t.CRC32) flow_hash;
  Hash<bit<16>>(HashAlgorithm_t.CRC32) path_hash;
  Counter<bit<64>, PortId_t>(512, CounterType_t.PACKETS_AND_BYTES) by_port;

  Register<bit<32>, bit<16>>(65536) packets;
  RegisterAction<bit<32>, bit<16>, bit<32>>(packets) count_packet = {
    void apply(inout bit<32> cell, out bit<32> result) {
      cell = cell + 1;
      result = cell;
    }
  };
  RegisterAction<bit<32>, bit<16>, bit<32>>(packets) clear_packets = {
    void apply(inout bit<32> cell) {
      cell = 0;
    }
  };
  Register<bit<32>, bit<16>>(65536) last_seen;
  RegisterAction<bit<32>, bit<16>, bit<32>>(last_seen) since = {
    void apply(inout bit<32> cell, out bit<32> result) {
      result = metadata.now - cell;
      cell = metadata.now;
    }
  };
  Register<bit<32>, bit<16>>(65536) psns;
  RegisterAction<bit<32>, bit<16>, bit<32>>(psns) highest = {
    void apply(inout bit<32> cell, out bit<32> result) {
      result = cell;
      if (cell < metadata.last_psn) {
        cell = metadata.last_psn;
      }
    }
  };
  RegisterAction<bit<32>, bit<16>, bit<32>>(psns) forget = {
    void apply(inout bit<32> cell) {
      cell = 0;
    }
  };
  Register<bit<16>, bit<16>>(65536) out_of_order;
  RegisterAction<bit<16>, bit<16>, bit<16>>(out_of_order) count_late = {
    void apply(inout bit<16> cell) {
      cell = cell |+| 1;
    }
  };
  Register<bit<32>, bit<16>>(4096) rates;
  RegisterAction<bit<32>, bit<16>, bit<32>>(rates) add_bytes = {
    void apply(inout bit<32> cell, out bit<32> result) {
      cell = cell + metadata.rate;
      result = cell;
    }
  };
  RegisterAction<bit<32>, bit<16>, bit<32>>(rates) halve = {
    void apply(inout bit<32> cell) {
      cell = cell >> 1;
    }
  };

  action no_operation() {}
  action drop() {
    for_deparser.drop_ctl = 1;
  }
  action set_domain(bit<12> domain, bit<8> class) {
    metadata.domain = domain;
    metadata.class = class;
  }
  table port_domain {
    key = {
      intrinsic.ingress_port: exact;
    }
    actions = {
      set_domain;
      drop;
    }
    const default_action = drop();
    size = 512;
  }
  action learnt() {
    metadata.allowed = 1;
  }
  table source_mac {
    key = {
      metadata.domain: exact;
      headers.ethernet.source: exact;
    }
    actions = {
      learnt;
      no_operation;
    }
    const default_action = no_operation();
    size = 4096;
  }
  action to_router() {
    headers.ipv4.ttl = headers.ipv4.ttl - 1;
  }
  table own_mac {
    key = {
      headers.ethernet.destination: exact;
    }
    actions = {
      to_router;
      no_operation;
    }
    const default_action = no_operation();
    size = 64;
  }
  action set_hop(bit<16> next_hop) {
    metadata.next_hop = next_hop;
  }
  action set_group(bit<16> group) {
    metadata.group = group;
  }
  table host_route {
    key = {
      metadata.domain: exact;
      headers.ipv4.destination: exact;
    }
    actions = {
      set_hop;
      set_group;
      no_operation;
    }
    const default_action = no_operation();
    size = 16384;
  }
  table prefix_route {
    key = {
      headers.ipv4.destination: lpm;
    }
    actions = {
      set_hop;
      set_group;
      drop;
    }
    const default_action = drop();
    size = 4096;
  }
  action permit() {
    metadata.allowed = metadata.allowed | 2;
  }
  table access {
    key = {
      headers.ipv4.source: ternary;
      headers.ipv4.destination: ternary;
      headers.ipv4.protocol: ternary;
      headers.udp.destination_port: range;
    }
    actions = {
      permit;
      drop;
    }
    const default_action = permit();
    size = 512;
  }
  table member {
    key = {
      metadata.group: exact;
      metadata.other: exact;
    }
    actions = {
      set_hop;
      no_operation;
    }
    const default_action = no_operation();
    size = 1024;
  }
  action rewrite(PortId_t port, bit<48> destination, bit<48> source) {
    for_manager.ucast_egress_port = port;
    headers.ethernet.destination = destination;
    headers.ethernet.source = source;
  }
  table neighbour {
    key = {
      metadata.next_hop: exact;
    }
    actions = {
      rewrite;
      drop;
    }
    const default_action = drop();
    size = 4096;
  }
  action set_class(bit<8> class, bit<6> dscp) {
    metadata.class = class;
    headers.ipv4.dscp = dscp;
  }
  table quality {
    key = {
      headers.ipv4.dscp: exact;
      metadata.class: exact;
    }
    actions = {
      set_class;
      no_operation;
    }
    const default_action = no_operation();
    size = 256;
  }
  action sample(MirrorId_t session) {
    metadata.session = session;
    for_deparser.mirror_type = SAMPLE;
  }
  table samples {
    key = {
      metadata.packets: ternary;
    }
    actions = {
      sample;
      no_operation;
    }
    const default_action = no_operation();
    size = 32;
  }

  apply {
    metadata.now = (bit<32>)intrinsic.ingress_mac_tstamp;
    port_domain.apply();
    by_port.count(intrinsic.ingress_port);
    source_mac.apply();
    if (headers.ipv4.isValid()) {
      own_mac.apply();
      access.apply();
      metadata.flow = flow_hash.get({
          headers.ipv4.source, headers.ipv4.destination, headers.ipv4.protocol,
          headers.udp.source_port, headers.udp.destination_port});
      metadata.other = path_hash.get({headers.ipv4.destination, headers.udp.source_port});
      metadata.other = metadata.other & 3;
      if (!host_route.apply().hit) {
        prefix_route.apply();
      }
      if (metadata.group != 0) {
        member.apply();
      }
      quality.apply();
      metadata.packets = count_packet.execute(metadata.flow);
      metadata.gap = since.execute(metadata.flow);
      metadata.rate = (bit<32>)headers.ipv4.total_length;
      metadata.rate = add_bytes.execute(metadata.flow & 0xfff);
      if (headers.bth.isValid()) {
        metadata.last_psn = (bit<32>)headers.bth.psn;
        bit<32> before = highest.execute(metadata.flow);
        bit<32> behind = before - metadata.last_psn;
        // Less than 2^23, as PSNs are compared; and not the first packet.
        if (behind[31:23] == 0) {
          if (metadata.packets[31:1] != 0) {
            count_late.execute(metadata.flow);
          }
        }
      }
      samples.apply();
    }
    neighbour.apply();
    headers.bridge.setValid();
    headers.bridge.flow = metadata.flow;
    headers.bridge.class = metadata.class;
    headers.bridge.mark = metadata.allowed;
    for_manager.qid = (QueueId_t)(metadata.class & 7);
  }
}

control InDeparser(
    packet_out packet, inout headers_t headers, in metadata_t metadata,
    in ingress_intrinsic_metadata_for_deparser_t for_deparser) {
  Checksum() sum;
  Mirror() mirror;

  apply {
    if (for_deparser.mirror_type == SAMPLE) {
      mirror.emit<sample_h>(metadata.session, {metadata.flow, metadata.packets});
    }
    if (headers.ipv4.isValid()) {
      headers.ipv4.checksum = sum.update({
          headers.ipv4.version, headers.ipv4.ihl, headers.ipv4.dscp, headers.ipv4.ecn,
          headers.ipv4.total_length, headers.ipv4.identification, headers.ipv4.flags,
          headers.ipv4.fragment_offset, headers.ipv4.ttl, headers.ipv4.protocol,
          headers.ipv4.source, headers.ipv4.destination});
    }
    packet.emit(headers);
  }
}

parser OutParser(
    packet_in packet, out headers_t headers, out metadata_t metadata,
    out egress_intrinsic_metadata_t intrinsic) {
  state start {
    packet.extract(intrinsic);
    packet.extract(headers.bridge);
    packet.extract(headers.ethernet);
    transition select(headers.ethernet.type) {
      0x0800: parse_ipv4;
      default: accept;
    }
  }
  state parse_ipv4 {
    packet.extract(headers.ipv4);
    transition accept;
  }
}

control Out(
    inout headers_t headers, inout metadata_t metadata, in egress_intrinsic_metadata_t intrinsic,
    in egress_intrinsic_metadata_from_parser_t from_parser,
    inout egress_intrinsic_metadata_for_deparser_t for_deparser,
    inout egress_intrinsic_metadata_for_output_port_t for_port) {
  Register<bit<32>, PortId_t>(512) depths;
  RegisterAction<bit<32>, PortId_t, bit<32>>(depths) deepest = {
    void apply(inout bit<32> cell) {
      cell = max(cell, (bit<32>)intrinsic.enq_qdepth);
    }
  };
  action no_operation() {}
  action mark() {
    headers.ipv4.ecn = 3;
  }
  table marks {
    key = {
      headers.bridge.class: exact;
      intrinsic.enq_qdepth: range;
    }
    actions = {
      mark;
      no_operation;
    }
    const default_action = no_operation();
    size = 32;
  }
  action tag(bit<12> id) {
    headers.vlan.setValid();
    headers.vlan.id = id;
    headers.vlan.type = headers.ethernet.type;
    headers.ethernet.type = 0x8100;
  }
  table tags {
    key = {
      intrinsic.egress_port: exact;
    }
    actions = {
      tag;
      no_operation;
    }
    const default_action = no_operation();
    size = 512;
  }

  apply {
    deepest.execute(intrinsic.egress_port);
    marks.apply();
    tags.apply();
    headers.bridge.setInvalid();
  }
}

control OutDeparser(
    packet_out packet, inout headers_t headers, in metadata_t metadata,
    in egress_intrinsic_metadata_for_deparser_t for_deparser) {
  apply {
    packet.emit(headers);
  }
}

Pipeline(InParser(), In(), InDeparser(), OutParser(), Out(), OutDeparser()) pipe;

Switch(pipe) main;
