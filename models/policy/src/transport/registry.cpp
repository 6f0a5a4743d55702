#include "horae/core/registry.hpp"

#include <utility>

#include "horae/policy/own_parameters.hpp"
#include "horae/policy/plugin.hpp"

namespace horae::policy {

// Each is defined in the file of its name.
TransportEntry rnic_sr_transport(), go_back_n_transport(), timeout_only_transport(),
    irn_transport(), spray_sr_transport();

namespace {
Registry<TransportEntry>& transport_registry() {
  static Registry<TransportEntry> all("transport", {
                                                       rnic_sr_transport(),
                                                       go_back_n_transport(),
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
      .field("nack_again", &TransportConfig::nack_again,
             {.doc = "receiver: a packet out of order that arrives so long after the last NACK "
                     "brings another one for the same expected PSN; of transports that NACK an "
                     "expected PSN once. Absent: never",
              .min = 1_ns,
              .max = Picoseconds(10'000'000'000'000),
              .source = "never: IBTA vol. 1, 9.7.5.1.1, and Linux' software RoCE (rxe_resp.c, "
                        "sent_psn_nak); 4 us: rdma-hw of conweave-ns3 at 236a801a"})
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
  const Timeout usual{"rto", config.rto};
  if (transport.own_timeout == nullptr) return usual;
  const Timeout own = transport.own_timeout(config);
  return own.value < usual.value ? own : usual;
}

}  // namespace horae::policy
