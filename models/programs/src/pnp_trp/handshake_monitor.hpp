// The TCP handshake monitor of the notification point: which connections leave for the long haul,
// and no state for those that never finish a handshake (long-haul paper, section IV; internal to
// the room).
#pragma once

#include "horae/programs/pnp_trp/pnp_trp.hpp"
#include "parts.hpp"

namespace horae::programs::pnp_trp {

/// Its objects, which are charged for. The models' packets are RoCEv2, that is UDP: only the first
/// condition ever runs, and the control plane is told of connections by `Program::connect`.
class HandshakeMonitor {
 public:
  /// `last_writer`: what wrote the egress port before.
  HandshakeMonitor(dataplane::Pipeline& pipeline, const PnpTrpConfig& config,
                   const dataplane::Object& last_writer);

  void ingress(const Pass& pass);

 private:
  dataplane::Gateway is_tcp_;
  dataplane::Gateway is_syn_;
  dataplane::Gateway is_ack_;
  dataplane::Hash cookie_;
  dataplane::Action cookie_next_;
  dataplane::Gateway is_answer_;
  dataplane::Register<std::uint32_t> tcp_cookie_;
  dataplane::Gateway is_new_;
  dataplane::Action to_syn_ack_;
  dataplane::Action to_rst_;
  dataplane::Gateway is_known_;
  dataplane::Action tell_;
};

}  // namespace horae::programs::pnp_trp
