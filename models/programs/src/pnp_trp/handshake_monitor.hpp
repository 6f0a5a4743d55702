// The TCP handshake monitor of the notification point: which connections leave for the long haul,
// and no state for those that never finish a handshake (long-haul paper, section IV; internal to
// the room).
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <utility>

#include "control_plane.hpp"
#include "horae/core/codec/tcp_segment.hpp"
#include "horae/dataplane/register_action.hpp"
#include "horae/programs/pnp_trp/pnp_trp.hpp"
#include "parts.hpp"

namespace horae::programs::pnp_trp {

/// A SYN for the far side is answered here, with a cookie for a sequence number. Who acknowledges
/// the cookie is there: he gets a RST, and his next SYN passes. The ACK that ends that second
/// handshake tells the control plane of the two nodes.
class HandshakeMonitor {
 public:
  /// `routes`, `last_writer`: what wrote the side and the egress port before.
  HandshakeMonitor(dataplane::Pipeline& pipeline, const PnpTrpConfig& config, ControlPlane& control,
                   const dataplane::Object& routes, const dataplane::Object& last_writer);

  /// Whether the packet was a segment that is answered: it goes back.
  bool ingress(PassKind auto& pass, bool remote);
  /// Control plane: whether a connection from one node to the other was seen.
  bool told_of(NodeId client, NodeId server) const { return told_.contains({client, server}); }

  struct Counts {
    std::uint64_t cookies = 0;  ///< SYNs answered
    std::uint64_t resets = 0;   ///< clients that answered the cookie
    std::uint64_t told = 0;     ///< handshakes that the control plane was told of
  };
  const Counts& counts() const { return counts_; }

 private:
  bool open(PassKind auto& pass, const TcpSegment& segment);
  bool acknowledge(PassKind auto& pass, const TcpSegment& segment);
  std::size_t cell_of(const Packet& p) const;
  Psn cookie(const PassKind auto& pass, Psn initial);
  void answer(PassKind auto& pass, const TcpSegment& segment) const;

  ControlPlane& control_;
  dataplane::Gateway is_tcp_;
  dataplane::Gateway is_syn_;
  dataplane::Gateway is_ack_;
  dataplane::Action client_isn_;
  dataplane::Hash cookie_;
  dataplane::Action cookie_next_;
  dataplane::Gateway is_answer_;
  struct IsFree {
    static constexpr bool only_reads = true;
    template <class C>
    auto operator()(const C& cell) const {
      return cell == 0;
    }
  };
  /// Marks it; whether it was marked.
  template <int mark>
  struct Mark {
    template <class C>
    auto operator()(C& cell) const {
      const auto before = cell != 0;
      cell = mark;
      return before;
    }
  };
  dataplane::Register<std::uint32_t> tcp_cookie_;
  dataplane::RegisterAction<std::uint32_t, IsFree> is_free_;
  dataplane::RegisterAction<std::uint32_t, Mark<1>> mark_;
  dataplane::RegisterAction<std::uint32_t, Mark<0>> unmark_;
  dataplane::Gateway is_new_;
  dataplane::Action to_syn_ack_;
  dataplane::Action to_rst_;
  dataplane::Gateway is_known_;
  dataplane::Action tell_;
  std::set<std::pair<NodeId, NodeId>> told_;  // the control plane's
  Counts counts_;                             // statistics of the model
};

}  // namespace horae::programs::pnp_trp
