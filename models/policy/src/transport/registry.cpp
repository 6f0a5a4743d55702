#include "horae/core/registry.hpp"

#include <utility>

#include "horae/policy/own_parameters.hpp"
#include "horae/policy/plugin.hpp"
#include "horae/policy/transport/retry_schedule.hpp"

namespace horae::policy {

// Each is defined in the file of its name.
TransportEntry rnic_sr_transport(), go_back_n_transport(), go_back_0_transport(),
    timeout_only_transport(), irn_transport(), spray_sr_transport();

namespace {
Registry<TransportEntry>& transport_registry() {
  static Registry<TransportEntry> all("transport", {
                                                       rnic_sr_transport(),
                                                       go_back_n_transport(),
                                                       go_back_0_transport(),
                                                       timeout_only_transport(),
                                                       irn_transport(),
                                                       spray_sr_transport(),
                                                   });
  return all;
}
}  // namespace

const std::vector<TransportEntry>& transports() { return transport_registry().all(); }
void add_transport(TransportEntry entry) { transport_registry().add(std::move(entry)); }

Schema<TransportConfig> TransportConfig::schema_with(const std::vector<TransportEntry>& registry) {
  return Schema<TransportConfig>("transport", "Reliability of a queue pair.")
      .field(
          "window", &TransportConfig::window,
          {.doc = "PSNs between the oldest unacknowledged and the newest sent. 4194303, as many as "
                  "PSNs of 24 bits tell apart with those of before, is no window",
           .min = 1,
           .max = TransportConfig::no_window,
           .source = "ConnectX-7 default 512: packet-spraying paper 6.1; mlxconfig "
                     "LOG_TX_PSN_WINDOW 9"})
      .field("ack_every", &TransportConfig::ack_every,
             {.doc = "receiver: in-order packets per coalesced ACK",
              .min = 1,
              .max = 4096,
              .source = "no public value; 16 to 64 is usual in models",
              .verified = false})
      .field("ack_request_every", &TransportConfig::ack_request_every,
             {.doc = "sender: AckReq on every n-th PSN; 0: only at message ends and when the "
                     "window is full",
              .min = 0,
              .max = 65536,
              .source = "mlx5 drivers set log_ack_req_freq 8"})
      .field("rto", &TransportConfig::rto,
             {.doc = "retransmission timeout of a queue pair",
              .min = 4_us,
              .max = Picoseconds(10'000'000'000'000),
              .source = "4 ms: packet-spraying paper 2.2 and 6.1"})
      .field("ack_timeout", &TransportConfig::ack_timeout,
             {.doc = "local ACK timeout of the queue pair, in the place of rto: 4.096 us x 2^this; "
                     "0: no timer. Absent: rto",
              .min = 0,
              .max = 31,
              .source = "IBTA vol. 1, 9.7.6.1.3; ibv_modify_qp(3): timeout"})
      .field("ack_timeout_floor", &TransportConfig::ack_timeout_floor,
             {.doc = "least ack_timeout in effect. Absent: none",
              .min = 0,
              .max = 31,
              .source = "ConnectX-6: 16 (rdma-fault-characterization of unionxic, as reported)"})
      .field("ack_timeout_factor", &TransportConfig::ack_timeout_factor,
             {.doc = "the interval is so many times 4.096 us x 2^ack_timeout. Absent: 1",
              .min = 1,
              .max = 4,
              .source = "IBTA vol. 1, 9.7.6.1.3: from once to four times; ConnectX-6: 2 with the "
                        "floor, 1 without (rdma-fault-characterization of unionxic, as reported)"})
      .field("ack_timeout_ramp", &TransportConfig::ack_timeout_ramp,
             {.doc = "so many counted timeouts in a row come early, each after half the time of "
                     "the next one, before the whole interval. Absent: 0",
              .min = 0,
              .max = 16,
              .source = "no public value; ours, for the total that ConnectX-6 takes",
              .verified = false})
      .field("adaptive_timeout", &TransportConfig::adaptive_timeout,
             {.doc = "with ack_timeout: time to the first adaptive resend; each next one takes "
                     "twice as long, up to adaptive_limit and half the whole interval. They are "
                     "not counted as retries. Absent: none",
              .min = 4_us,
              .max = Picoseconds(1'000'000'000'000),
              .source = "NVIDIA, Adaptive Retransmission: at least 4 us; how they grow is not "
                        "public",
              .verified = false})
      .field("adaptive_limit", &TransportConfig::adaptive_limit,
             {.doc = "longest time to an adaptive resend. Absent: half the whole interval",
              .min = 4_us,
              .max = Picoseconds(10'000'000'000'000),
              .source = "no public value",
              .verified = false})
      .field("retry_count", &TransportConfig::retry_count,
             {.doc = "timeouts in a row that are answered by a resend; at the next one the queue "
                     "pair is in error, and its messages end with it. RNR has a count of its own, "
                     "rnr_retry. Absent: any number",
              .min = 0,
              .max = 7,
              .source = "IBTA vol. 1, 9.9.2.1.1: 3 bits; ibv_modify_qp(3): retry_cnt; perftest: 7"})
      .field("nack_again", &TransportConfig::nack_again,
             {.doc = "receiver: a packet out of order that arrives so long after the last NACK "
                     "brings another one for the same expected PSN; of transports that NACK an "
                     "expected PSN once. Absent: never",
              .min = 1_ns,
              .max = Picoseconds(10'000'000'000'000),
              .source = "never: IBTA vol. 1, 9.7.5.1.1, and Linux' software RoCE (rxe_resp.c, "
                        "sent_psn_nak); 4 us: rdma-hw of conweave-ns3 at 236a801a"})
      .field("rd_atomic", &TransportConfig::rd_atomic,
             {.doc = "READs of a queue pair that are outstanding at most; of a connection the "
                     "smaller one of both ends, whose responder keeps as many to answer them "
                     "again. Absent: 16",
              .min = 1,
              .max = 255,
              .source = "IBTA vol. 1, 9.7.3.1: 8 bits; 16 of ConnectX-5 to ConnectX-8 "
                        "(openucx/ucx#10317, meta-pytorch/torchcomms#3926)"})
      .field("min_rnr_timer", &TransportConfig::min_rnr_timer,
             {.doc = "as responder: code of the time that an RNR NAK asks its requester to wait, "
                     "of verbs that take receive WQEs; 1 is 10 us, 12 is 0.64 ms, 31 is 491.52 ms, "
                     "0 is 655.36 ms. Absent: 12",
              .min = 0,
              .max = 31,
              .source = "IBTA vol. 1, 9.7.5.2.8: 5 bits; ibv_modify_qp(3): min_rnr_timer; "
                        "perftest: 12"})
      .field("rnr_retry", &TransportConfig::rnr_retry,
             {.doc = "as requester: RNR NAKs in a row for one packet that are answered by a "
                     "resend; at the next one the queue pair is in error, and its messages end "
                     "with it. 7: any number. Absent: 7",
              .min = 0,
              .max = 7,
              .source = "IBTA vol. 1, 9.7.5.2.8: 3 bits, 7 is without end; ibv_modify_qp(3): "
                        "rnr_retry; perftest: 7"})
      .choice(
          "dp_ordering", &TransportConfig::dp_ordering,
          {{"ibta", DpOrdering::ibta}, {"ooo_rw", DpOrdering::ooo_rw}},
          {.doc = "order of operations of a queue pair: as they were posted, which the network is "
                  "relied on for (ibta), or WRITEs and READs in any order (ooo_rw): an atomic, a "
                  "SEND, and the last packet of a WRITE with immediate data wait at their "
                  "requester until everything before them is acknowledged. Absent: ibta",
           .source = "mlx5_ifc.h of Linux: dp_ordering_ooo_rw_rc; a round trip of a ConnectX-8 "
                     "with adaptive routing: meta-pytorch/torchcomms#3881"})
      .include(parameters_of(registry), &TransportConfig::parameters)
      .choice("timeout_resend", &TransportConfig::timeout_resend,
              {{"window", TimeoutResend::window}, {"oldest", TimeoutResend::oldest}},
              {.doc = "what a timeout retransmits: all unacknowledged packets, or the oldest one",
               .source = "IBTA vol. 1, 9.7.5.2.4: retry from the oldest unacknowledged request"});
}

const Schema<TransportConfig>& TransportConfig::schema() {
  static const Schema<TransportConfig> s = schema_with(transports());
  return s;
}

const TransportEntry& find_transport(std::string_view name) {
  return find_named(transports(), "transport", name);
}

Timeout shortest_timeout(const TransportEntry& transport, const TransportConfig& config) {
  Timeout usual{"rto", config.rto};
  if (config.ack_timeout) {
    usual = {config.adaptive_timeout ? "adaptive_timeout" : "ack_timeout",
             RetrySchedule(config).shortest()};
  }
  if (transport.own_timeout == nullptr) return usual;
  const Timeout own = transport.own_timeout(config);
  return own.value < usual.value ? own : usual;
}

}  // namespace horae::policy
