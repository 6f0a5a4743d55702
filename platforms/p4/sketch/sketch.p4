// A count-min sketch of two rows over source and destination. When a flow's estimate reaches a
// threshold, one packet is mirrored, with the estimate before it.
#include <core.p4>
#if __TARGET_TOFINO__ == 2
#include <t2na.p4>
#else
#include <tna.p4>
#endif

const MirrorType_t REPORT = 1;

header ethernet_h {
    bit<48> dst_addr;
    bit<48> src_addr;
    bit<16> ether_type;
}
header ipv4_h {
    bit<64> unchanged;
    bit<32> rest;
    bit<32> src_addr;
    bit<32> dst_addr;
}
header report_h {
    bit<32> estimate;
}
struct headers_t {
    ethernet_h ethernet;
    ipv4_h     ipv4;
}
struct metadata_t {
    bit<32>    estimate;
    MirrorId_t session;
}

parser IngressParser(packet_in packet, out headers_t hdr, out metadata_t md,
                     out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        packet.extract(ig_intr_md);
        packet.advance(PORT_METADATA_SIZE);
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            0x0800:  parse_ipv4;
            default: accept;
        }
    }
    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        transition accept;
    }
}

control Row(in bit<32> src_addr, in bit<32> dst_addr, out bit<32> count)
           (HashAlgorithm_t algorithm) {
    Hash<bit<12>>(algorithm) place;
    Register<bit<32>, bit<12>>(4096) cells;
    RegisterAction<bit<32>, bit<12>, bit<32>>(cells) add = {
        void apply(inout bit<32> cell, out bit<32> rv) {
            cell = cell + 1;
            rv = cell;
        }
    };
    apply {
        count = add.execute(place.get({src_addr, dst_addr}));
    }
}

control Ingress(inout headers_t hdr, inout metadata_t md,
                in ingress_intrinsic_metadata_t ig_intr_md,
                in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
                inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
                inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Row(HashAlgorithm_t.CRC32) first;
    Row(HashAlgorithm_t.CRC16) second;
    bit<32> a;
    bit<32> b;

    action report(MirrorId_t session) {
        ig_dprsr_md.mirror_type = REPORT;
        md.session = session;
    }
    action nothing() { }
    // The estimates that are reported: one entry a threshold.
    table thresholds {
        key = { md.estimate : exact; }
        actions = { report; nothing; }
        default_action = nothing;
        size = 16;
    }

    apply {
        ig_tm_md.ucast_egress_port = ig_intr_md.ingress_port ^ 1;
        if (hdr.ipv4.isValid()) {
            first.apply(hdr.ipv4.src_addr, hdr.ipv4.dst_addr, a);
            second.apply(hdr.ipv4.src_addr, hdr.ipv4.dst_addr, b);
            md.estimate = min(a, b);
            thresholds.apply();
        }
    }
}

control IngressDeparser(packet_out packet, inout headers_t hdr, in metadata_t md,
                        in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Mirror() mirror;

    apply {
        if (ig_dprsr_md.mirror_type == REPORT) {
            mirror.emit<report_h>(md.session, {md.estimate});
        }
        packet.emit(hdr);
    }
}

struct egress_headers_t { }
struct egress_metadata_t { }

parser EgressParser(packet_in packet, out egress_headers_t hdr, out egress_metadata_t md,
                    out egress_intrinsic_metadata_t eg_intr_md) {
    state start {
        packet.extract(eg_intr_md);
        transition accept;
    }
}
control Egress(inout egress_headers_t hdr, inout egress_metadata_t md,
               in egress_intrinsic_metadata_t eg_intr_md,
               in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
               inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
               inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {
    apply { }
}
control EgressDeparser(packet_out packet, inout egress_headers_t hdr, in egress_metadata_t md,
                       in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    apply { }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(),
         EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
