#include "horae/rnic/rnic_config.hpp"

#include "horae/params/schema.hpp"

namespace horae::rnic {

const Schema<FetchConfig>& FetchConfig::schema() {
  static const Schema<FetchConfig> s =
      Schema<FetchConfig>("fetch", "What the NIC reads before it is needed on the wire.")
          .field(
              "prefetch", &FetchConfig::prefetch,
              {.doc = "most payload prefetched for one queue pair. Absent: 16 KiB, or, if that is "
                      "more, the packets of MTU size that go out at line rate while one is read "
                      "(memory.round_trip and its bytes on the idle link), and one more",
               .min = 4_KiB,
               .max = Bytes(64 << 20),
               .source = "no public value; absent: measured, one queue pair of a ConnectX-7 has "
                         "380 of 400 Gbps with messages of 16 KiB and 392 with 128 KiB "
                         "(perftest output in NVIDIA/nccl#2409), for which it needs rate x "
                         "round trip, 35 KB with 0.7 us",
               .verified = false})
          .field("wqe_batch", &FetchConfig::wqe_batch,
                 {.doc = "WQEs of 64 bytes that one read fetches",
                  .min = 1,
                  .max = 64,
                  .source = "no public value; a WRITE of one segment is one WQE of 64 bytes "
                            "(rdma-core mlx5dv.h)",
                  .verified = false});
  return s;
}

const Schema<RnicConfig>& RnicConfig::schema() {
  static const Schema<RnicConfig> s =
      Schema<RnicConfig>("rnic", "An RDMA NIC.")
          .field("spec", &RnicConfig::spec,
                 {.doc = "NIC that gives the defaults of this profile: a name of `horae list "
                         "nics`, or a .toml file"})
          .field("mtu", &RnicConfig::mtu,
                 {.doc = "path MTU: largest payload of a packet",
                  .min = 256_B,
                  .max = 4096_B,
                  .source = "perftest takes the port's active MTU: 1024 on 1500-byte Ethernet"})
          .field("transport", &RnicConfig::transport,
                 {.doc = "transport policy (`horae list policies`)",
                  .source = "rnic_sr: packet-spraying paper 2.3"})
          .table("reliability", &RnicConfig::reliability, policy::TransportConfig::schema())
          .table("entropy", &RnicConfig::entropy, policy::EntropyConfig::schema())
          .field("base_rtt", &RnicConfig::base_rtt,
                 {.doc = "round trip of an empty network with one packet and its acknowledgement, "
                         "for entropy schemes; absent: of the longest shortest path",
                  .min = 1_ns,
                  .max = 100_ms})
          .field("tx_latency", &RnicConfig::tx_latency,
                 {.doc = "from the scheduling decision to the first bit on the wire",
                  .max = 100_us,
                  .source = "no public value; 250 to 400 ns is a usual estimate",
                  .verified = false})
          .field("rx_latency", &RnicConfig::rx_latency,
                 {.doc = "from the last bit received to the transport's decision",
                  .max = 100_us,
                  .source = "no public value; 250 to 400 ns is a usual estimate",
                  .verified = false})
          .field("ack_delay", &RnicConfig::ack_delay,
                 {.doc = "from the decision to acknowledge to the ACK's earliest departure",
                  .max = 100_us,
                  .source = "no public value; counted in the pipe latencies",
                  .verified = false})
          .field("nack_delay", &RnicConfig::nack_delay,
                 {.doc = "from an out-of-order packet to the NACK's earliest departure",
                  .max = 100_us,
                  .source = "no public value for ConnectX-7; estimates 0.3 to 2 us (about 2 us "
                            "recalled from Lumina, SIGCOMM 2023, for ConnectX-5 and 6)",
                  .verified = false})
          .field(
              "nack_reaction", &RnicConfig::nack_reaction,
              {.doc = "from receiving a NACK until its retransmissions are ready",
               .max = 1_ms,
               .source = "no public value for ConnectX-7; estimates 0.8 to 2.3 us (2 to 6 us with "
                         "wire and pipes recalled from Lumina, SIGCOMM 2023)",
               .verified = false})
          .field("qp_rate", &RnicConfig::qp_rate,
                 {.doc = "rate limit of each queue pair on the wire, 0 for none", .max = 1600_Gbps})
          .choice("shaping", &RnicConfig::shaping,
                  {{"per_packet", Shaping::per_packet}, {"quantum", Shaping::quantum}},
                  {.doc = "how a queue pair is limited to its rate: packet by packet, or in bursts "
                          "of `quantum`"})
          .field(
              "quantum", &RnicConfig::quantum,
              {.doc = "shaping = quantum: bytes that a queue pair sends before the next one's turn",
               .min = 256_B,
               .max = 1_MiB,
               .source =
                   "no public value for a scheduler turn; 4 KB by default, 1.5 to 16 KB, is the "
                   "quantum of congestion-control TX events (mstflint cc_burst_size)",
               .verified = false})
          .choice(
              "frames", &RnicConfig::frames,
              {{"roce", Frames::roce},
               {"htsim", Frames::htsim},
               {"ns3", Frames::ns3},
               {"infiniband", Frames::infiniband}},
              {.doc = "lengths of packets: RoCEv2's (roce); InfiniBand's, LRH 8, BTH 12, RETH 16 "
                      "or AETH 4, ICRC 4, VCRC 2, with no preamble and no gap (infiniband); or, "
                      "for comparisons, those that a "
                      "simulator puts on the wire, preamble and gap included: the payload and "
                      "64 bytes, 64 for a response (htsim), or 48 bytes, 60 for a response (ns3)",
               .source = "infiniband: IBTA vol. 1, 5.2; htsim: 4150 bytes for 4086 of payload, 64 "
                         "for responses "
                         "(tommasobo/REPS_EuroSys_Artifact at b751588); ns3: 1048 bytes for "
                         "1000 of payload, 60 for responses (conweave-ns3 at 236a801a)"})
          .field("vl_credits", &RnicConfig::vl_credits,
                 {.doc = "frames = infiniband: bytes of each virtual lane (traffic class) that may "
                         "be on their way to the other end of the link, or wait there, before "
                         "their credits are back; credits are blocks of 64 bytes. The other end is "
                         "taken to empty at once what arrives, so this limits a long link and no "
                         "slow receiver. Absent: no limit",
                  .min = 4224_B,
                  .max = 128_KiB,
                  .source = "IBTA vol. 1, 7.9: blocks of 64 bytes, 2048 of them outstanding at "
                            "most; how many a NIC or switch has is not public",
                  .verified = false})
          .field(
              "credit_delay", &RnicConfig::credit_delay,
              {.doc = "from the last bit of a packet at the other end of the link until its "
                      "credits are on their way back. Absent: 0 s",
               .min = 0_ps,
               .max = 65536_ns,
               .source = "IBTA vol. 1, 7.9.4: a flow control packet at least every 65,536 symbol "
                         "times; how soon one comes is not public",
               .verified = false})
          .field(
              "reth_on_every_packet", &RnicConfig::reth_on_every_packet,
              {.doc = "a RETH on every WRITE packet, 16 bytes each",
               .source = "packet-spraying paper 2.2: so with adaptive routing; not stated for 2.3"})
          .field(
              "remaining_tag", &RnicConfig::remaining_tag,
              {.doc = "data packets carry how many packets of their message remain, this one "
                      "included, for switches with schedule = \"srpt\"; in 14 reserved bits of the "
                      "BTH, which saturate at 16383",
               .source = "pFabric (SIGCOMM 2013) 4.1: remaining flow size as priority; the paper "
                         "has 32 bits"})
          .choice("host", &RnicConfig::host, {{"none", HostModel::none}, {"pcie", HostModel::pcie}},
                  {.doc = "where WQEs and payload lie: in the NIC without a fetch (none), or in "
                          "host memory behind PCIe (pcie)"})
          .table("pcie", &RnicConfig::pcie, PcieConfig::schema())
          .table("memory", &RnicConfig::memory, HostMemoryConfig::schema())
          .table("fetch", &RnicConfig::fetch, FetchConfig::schema())
          .table("retransmit", &RnicConfig::retransmit, policy::RetransmitConfig::schema())
          .table("congestion", &RnicConfig::congestion, policy::CongestionConfig::schema())
          .table("ordering", &RnicConfig::ordering, policy::OrderingConfig::schema())
          .field("traffic_class", &RnicConfig::traffic_class,
                 {.doc = "class of data packets, but of traffic that has a class of its own",
                  .max = 7})
          .field("ack_traffic_class", &RnicConfig::ack_traffic_class,
                 {.doc = "class of ACKs and NACKs", .max = 7})
          .tables("class", &RnicConfig::classes, ClassConfig::schema())
          .field(
              "handshake", &RnicConfig::handshake,
              {.doc = "a TCP handshake before the first message of each connection, in the class "
                      "of ACKs; a queue pair is made when it is over. Absent: false",
               .source = "long-haul paper IV: ends exchange queue pair numbers over TCP"})
          .field("handshake_lead", &RnicConfig::handshake_lead,
                 {.doc = "handshakes begin so long before the first message is due, which waits if "
                         "they take longer. Absent: 0 s",
                  .max = 10000_ms,
                  .source = "ours: applications connect ahead"})
          .table("sram", &RnicConfig::sram, OnChipMemoryConfig::schema())
          .table("cache", &RnicConfig::cache, CachesConfig::schema())
          .table("pfc", &RnicConfig::pfc, RxPauseConfig::schema())
          .table("engine", &RnicConfig::engine, EngineConfig::schema())
          .table("post", &RnicConfig::post, PostConfig::schema())
          .table("cq", &RnicConfig::cq, CqConfig::schema())
          .table("atomics", &RnicConfig::atomics, AtomicsConfig::schema())
          .table("receive", &RnicConfig::receive, ReceiveConfig::schema())
          .table("dc", &RnicConfig::dc, DcConfig::schema())
          .field("ack_messages", &RnicConfig::ack_messages,
                 {.doc = "the last packet of every n-th message of a queue pair asks for an "
                         "acknowledgement; that of a message behind which nothing is posted always "
                         "does. Others are acknowledged with one of those, or by "
                         "reliability.ack_every and ack_request_every. Absent: every message",
                  .min = 1,
                  .max = 4096,
                  .source = "no figure of a vendor; ConnectX-7: at most 0.1 ACKs a message "
                            "(Dissecting GPU-initiated communication, 2026)",
                  .verified = false})
          .field(
              "ports", &RnicConfig::ports,
              {.doc = "ports, each with a link of its own; port n of every NIC belongs to plane "
                      "n. Absent: 1",
               .min = 1,
               .max = 16,
               .source = "8 of 100 Gbps: MRC (Araujo et al., arXiv:2605.04333) and Broadcom's Thor "
                         "Ultra, as reported"})
          .choice("port_choice", &RnicConfig::port_choice,
                  {{"entropy", PortChoice::entropy},
                   {"rail", PortChoice::rail},
                   {"hash", PortChoice::hash},
                   {"least", PortChoice::least}},
                  {.doc = "port of a data packet, of several: the remainder of its entropy value, "
                          "so that the scheme chooses planes and paths (entropy); one for each "
                          "connection, in turn (rail) or by a hash (hash); the one with the fewest "
                          "bytes in line (least). A port whose link is down, as the NIC knows, is "
                          "passed over. Absent: entropy",
                   .source = "entropy: each value belongs to one plane in MRC, which divides its "
                             "128 to 256 values equally among them, as reported"})
          .field("port_buffer", &RnicConfig::port_buffer,
                 {.doc = "data goes in line for a port while less than this waits there, preamble "
                         "and gap included; what may not go in line is waited for. Absent: 16 KiB",
                  .min = 256_B,
                  .max = 16_MiB,
                  .source = "no public value; three packets of 4 KiB and one that is sent",
                  .verified = false})
          .field("link_down_known", &RnicConfig::link_down_known,
                 {.doc = "from an outage of a port's own link until the NIC knows, and likewise "
                         "when it is over; a failure further on it learns from lost packets only. "
                         "Absent: 0 s",
                  .min = 0_ps,
                  .max = 10000_ms,
                  .source = "ours: local faults are signalled by the PHY (IEEE 802.3, clause 46 "
                            "and 81, fault signalling); how long a NIC takes is not public",
                  .verified = false});
  return s;
}

}  // namespace horae::rnic
