#include "horae/core/registry.hpp"

#include "horae/params/schema.hpp"
#include "horae/policy/transport/policies.hpp"

namespace horae::policy {

const Schema<TransportConfig>& TransportConfig::schema() {
  static const Schema<TransportConfig> s =
      Schema<TransportConfig>("transport", "Reliability of a queue pair.")
          .field("window", &TransportConfig::window,
                 {.doc = "PSNs between the oldest unacknowledged and the newest sent",
                  .min = 1,
                  .max = 65536,
                  .source = "ConnectX-7 default 512: packet-spraying paper 6.1; mlxconfig "
                            "LOG_TX_PSN_WINDOW 9"})
          .field("ack_every", &TransportConfig::ack_every,
                 {.doc = "receiver: in-order packets per coalesced ACK",
                  .min = 1,
                  .max = 4096,
                  .source = "no public value; 16 to 64 is usual in models",
                  .verified = false})
          .field("ack_request_every", &TransportConfig::ack_request_every,
                 {.doc = "sender: AckReq on every n-th PSN, 0 for none beyond message ends and "
                         "full windows",
                  .min = 0,
                  .max = 65536,
                  .source = "mlx5 drivers set log_ack_req_freq 8"})
          .field("rto", &TransportConfig::rto,
                 {.doc = "retransmission timeout",
                  .min = 4_us,
                  .max = Picoseconds(10'000'000'000'000),
                  .source = "4 ms: packet-spraying paper 2.2 and 6.1"})
          .field("rto_low", &TransportConfig::rto_low,
                 {.doc = "irn: timeout while no more than rto_low_packets are unacknowledged",
                  .min = 4_us,
                  .max = Picoseconds(10'000'000'000'000),
                  .source = "IRN (SIGCOMM 2018) 4.3 as recalled: 100 us, and 320 us otherwise",
                  .verified = false})
          .field("rto_low_packets", &TransportConfig::rto_low_packets,
                 {.doc = "irn: so many",
                  .max = 65536,
                  .source = "3: quickTimeoutCap in the authors' HLS code (NetSys/irn-vivado-hls)"})
          .choice(
              "timeout_resend", &TransportConfig::timeout_resend,
              {{"window", TimeoutResend::window}, {"oldest", TimeoutResend::oldest}},
              {.doc = "what a timeout sends again: everything unacknowledged, or the oldest packet",
               .source = "IBTA vol. 1, 9.7.5.2.4: retry from the oldest unacknowledged request"});
  return s;
}

const std::vector<TransportEntry>& transports() {
  static const std::vector<TransportEntry> all = {
      {"rnic_sr", "selective repeat of commodity NICs: one NACK per ePSN, two packets sent again",
       make_rnic_sr_sender, make_rnic_sr_receiver},
      {"go_back_n", "in-order receiver; a NACK rewinds the sender", make_go_back_n_sender,
       make_go_back_n_receiver},
      {"timeout_only", "out-of-order placement without NACKs; only the timeout recovers",
       make_timeout_only_sender, make_timeout_only_receiver},
      {"irn",
       "selective repeat of IRN: every packet out of order is named, losses are recovered once",
       make_irn_sender, make_irn_receiver},
  };
  return all;
}

const TransportEntry& find_transport(std::string_view name) {
  return find_named(transports(), "transport", name);
}

}  // namespace horae::policy
