// Shortest paths, one of several by a hash of the flow, and which destinations lie over the long
// haul (internal to the room).
#pragma once

#include <cstdint>

#include "horae/programs/pnp_trp/pnp_trp.hpp"
#include "parts.hpp"

namespace horae::programs::pnp_trp {

/// Ports of a destination, `count` members from `first`, and its side.
struct Route {
  std::uint16_t first = 0;
  std::uint16_t count = 0;
  bool remote = false;
};

class Forwarding {
 public:
  /// InputError for tables that are too small and for remote nodes that are not there.
  Forwarding(dataplane::Pipeline& pipeline, const PnpTrpConfig& config, const Routes& routes);

  const dataplane::Object& routes() const { return routes_; }
  const dataplane::Object& members() const { return members_; }

  /// Null for an unknown destination.
  const Route* route(const PassKind auto& pass);
  /// Sends the packet on one of the ports.
  void choose(PassKind auto& pass, const Route& route);

 private:
  dataplane::ExactTable<NodeId, Route> routes_;
  dataplane::Hash path_;
  dataplane::ExactTable<std::uint16_t, std::uint16_t> members_;
};

/// Whether a node is on the far side: in `config.remote_nodes`; or, if that is empty, in another
/// site than the switch; or, where there are no sites, not attached.
bool is_remote(const PnpTrpConfig& config, const Routes& routes, NodeId node);

}  // namespace horae::programs::pnp_trp
