#include "forwarding.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/programs/shared/port_groups.hpp"

namespace horae::programs::pnp_trp {

bool is_remote(const PnpTrpConfig& config, const Routes& routes, NodeId node) {
  const auto& remote =
      config.remote_nodes.empty() && routes.far ? *routes.far : config.remote_nodes;
  if (!remote.empty() || routes.far)
    return std::find(remote.begin(), remote.end(), node) != remote.end();
  const auto entry = std::find_if(routes.entries.begin(), routes.entries.end(),
                                  [&](const Routes::Entry& e) { return e.node == node; });
  return entry == routes.entries.end() || !entry->attached;
}

Forwarding::Forwarding(dataplane::Pipeline& pipeline, const PnpTrpConfig& config,
                       const Routes& routes)
    : routes_(pipeline, in, "routes",
              {.key_bits = 32,
               .entries = config.route_entries,
               .data_bits = 25,  // a group's first member and size, and the side
               .reads = {"ip.dst"}}),
      path_(pipeline, in, "path_hash", {.input_bits = 104, .output_bits = 32}, {matches(routes_)}),
      members_(pipeline, in, "members",
               {.key_bits = 16, .entries = config.member_entries, .data_bits = 16},
               {matches(routes_), matches(path_)}) {
  const PortGroups groups(routes);
  groups.check_sizes(pipeline.name(), config.route_entries, config.member_entries);
  for (const NodeId node : config.remote_nodes) {
    if (std::none_of(routes.entries.begin(), routes.entries.end(),
                     [&](const Routes::Entry& e) { return e.node == node; })) {
      throw InputError(
          fmt::format("{}: program.remote_nodes has {}, which is no node", pipeline.name(), node));
    }
  }
  for (const auto& [node, group] : groups.nodes())
    routes_.insert(node, {group.first, group.count, is_remote(config, routes, node)});
  for (std::size_t i = 0; i < groups.ports().size(); ++i)
    members_.insert(static_cast<std::uint16_t>(i), groups.ports()[i]);
}

const Route* Forwarding::route(const PassKind auto& pass) {
  const Route* route = routes_.lookup(pass, pass.header().dst);
  return route == nullptr || route->count == 0 ? nullptr : route;
}

void Forwarding::choose(PassKind auto& pass, const Route& route) {
  const Packet& p = pass.header();
  const std::uint32_t hash =
      path_.of(pass, {std::uint64_t{p.src} << 32 | p.dst, 0, std::uint64_t{p.entropy}});
  const auto member = static_cast<std::uint32_t>(std::uint64_t{hash} * route.count >> 32);
  pass.forward(*members_.lookup(pass, static_cast<std::uint16_t>(route.first + member)));
}

template const Route* Forwarding::route(const Pass&);
template const Route* Forwarding::route(const TrustedPass&);
template void Forwarding::choose(Pass&, const Route&);
template void Forwarding::choose(TrustedPass&, const Route&);

}  // namespace horae::programs::pnp_trp
