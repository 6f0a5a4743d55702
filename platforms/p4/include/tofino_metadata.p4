// Intrinsic headers and metadata: Tofino Native Architecture, chapters 5.2 to 5.8.
#ifndef HORAE_TOFINO_METADATA_P4
#define HORAE_TOFINO_METADATA_P4
#include "tofino_types.p4"

// In front of each packet that enters the ingress parser.
header ingress_intrinsic_metadata_t {
    bit<1> resubmit_flag;
    @padding bit<1> _pad1;
    bit<2> packet_version;
    @padding bit<(4 - PORT_ID_WIDTH % 8)> _pad2;
    PortId_t ingress_port;
    bit<48> ingress_mac_tstamp; // ns
}

// Metadata of ingress for the traffic manager.
struct ingress_intrinsic_metadata_for_tm_t {
    PortId_t ucast_egress_port;
    bit<1> bypass_egress;
    bit<1> deflect_on_drop;
    bit<3> ingress_cos;
    QueueId_t qid;
    bit<3> icos_for_copy_to_cpu;
    bit<1> copy_to_cpu;
    bit<2> packet_color;
    bit<1> disable_ucast_cutthru;
    bit<1> enable_mcast_cutthru;
    MulticastGroupId_t mcast_grp_a;
    MulticastGroupId_t mcast_grp_b;
    bit<13> level1_mcast_hash;
    bit<13> level2_mcast_hash;
    L1ExclusionId_t level1_exclusion_id;
    L2ExclusionId_t level2_exclusion_id;
    bit<16> rid;
}

struct ingress_intrinsic_metadata_from_parser_t {
    bit<48> global_tstamp; // ns
    bit<32> global_ver;
    bit<16> parser_err;
}

#if __TARGET_TOFINO__ == 2
#define HORAE_MIRROR_AND_FLOW_CONTROL \
    bit<1> mirror_io_select; \
    bit<13> mirror_hash; \
    bit<3> mirror_ingress_cos; \
    bit<1> mirror_deflect_on_drop; \
    bit<1> mirror_multicast_ctrl; \
    PortId_t mirror_egress_port; \
    QueueId_t mirror_qid; \
    bit<8> mirror_coalesce_length; \
    bit<32> adv_flow_ctl; \
    bit<14> mtu_trunc_len; \
    bit<1> mtu_trunc_err_f;
#endif

struct ingress_intrinsic_metadata_for_deparser_t {
    bit<3> drop_ctl; // bits: unicast, multicast, mirror
    DigestType_t digest_type;
    ResubmitType_t resubmit_type;
    MirrorType_t mirror_type;
#if __TARGET_TOFINO__ == 2
    HORAE_MIRROR_AND_FLOW_CONTROL
    bit<1> pktgen;
    bit<14> pktgen_address;
    bit<10> pktgen_length;
#endif
}

#if __TARGET_TOFINO__ == 2
header ghost_intrinsic_metadata_t {
    bit<1> ping_pong;
    bit<18> qlength;
    bit<11> qid;
    bit<2> pipe_id;
}
#endif

// In front of each packet that enters the egress parser.
header egress_intrinsic_metadata_t {
    @padding bit<(8 - PORT_ID_WIDTH % 8)> _pad0;
    PortId_t egress_port;
    @padding bit<5> _pad1;
    bit<19> enq_qdepth; // cells
    @padding bit<6> _pad2;
    bit<2> enq_congest_stat;
#if __TARGET_TOFINO__ == 2
    bit<32> enq_tstamp; // ns
#else
    @padding bit<14> _pad3;
    bit<18> enq_tstamp; // ns
#endif
    @padding bit<5> _pad4;
    bit<19> deq_qdepth; // cells
    @padding bit<6> _pad5;
    bit<2> deq_congest_stat;
    bit<8> app_pool_congest_stat;
#if __TARGET_TOFINO__ == 2
    bit<32> deq_timedelta; // ns
#else
    @padding bit<14> _pad6;
    bit<18> deq_timedelta; // ns
#endif
    bit<16> egress_rid;
    @padding bit<7> _pad7;
    bit<1> egress_rid_first;
    @padding bit<(8 - QUEUE_ID_WIDTH % 8)> _pad8;
    QueueId_t egress_qid;
    @padding bit<5> _pad9;
    bit<3> egress_cos;
    @padding bit<7> _pad10;
    bit<1> deflection_flag;
    bit<16> pkt_length; // bytes
#if __TARGET_TOFINO__ == 2
    @padding bit<8> _pad11;
#endif
}

struct egress_intrinsic_metadata_from_parser_t {
    bit<48> global_tstamp; // ns
    bit<32> global_ver;
    bit<16> parser_err;
}

struct egress_intrinsic_metadata_for_deparser_t {
    bit<3> drop_ctl;
    MirrorType_t mirror_type;
    bit<1> coalesce_flush;
    bit<7> coalesce_length;
#if __TARGET_TOFINO__ == 2
    HORAE_MIRROR_AND_FLOW_CONTROL
#endif
}

struct egress_intrinsic_metadata_for_output_port_t {
    bit<1> capture_tstamp_on_tx;
    bit<1> update_delay_on_tx;
}

// Headers of the packet generator; Tofino 2 has 16 applications, Tofino 8.
#if __TARGET_TOFINO__ == 2
#define HORAE_APPLICATION @padding bit<2> _pad1; bit<2> pipe_id; bit<4> app_id;
#else
#define HORAE_APPLICATION @padding bit<3> _pad1; bit<2> pipe_id; bit<3> app_id;
#endif

header pktgen_timer_header_t {
    HORAE_APPLICATION
    @padding bit<8> _pad2;
    bit<16> batch_id;
    bit<16> packet_id;
}

header pktgen_port_down_header_t {
    HORAE_APPLICATION
    @padding bit<(16 - PORT_ID_WIDTH % 8)> _pad2;
    PortId_t port_num;
    bit<16> packet_id;
}

header pktgen_recirc_header_t {
    HORAE_APPLICATION
#if __TARGET_TOFINO__ == 2
    @padding bit<8> _pad2;
    bit<16> batch_id;
#else
    bit<24> key;
#endif
    bit<16> packet_id;
}

#if __TARGET_TOFINO__ == 2
header pktgen_deparser_header_t {
    HORAE_APPLICATION
    @padding bit<8> _pad2;
    bit<16> batch_id;
    bit<16> packet_id;
}

header pktgen_pfc_header_t {
    HORAE_APPLICATION
    @padding bit<40> _pad2;
}
#endif

header ptp_metadata_t {
    bit<8> udp_cksum_byte_offset;
    bit<8> cf_byte_offset;
    bit<48> updated_cf;
}

#endif
