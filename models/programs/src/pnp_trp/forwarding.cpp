#include "forwarding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "horae/core/error.hpp"

namespace horae::programs::pnp_trp {

bool is_remote(const PnpTrpConfig& config, const Routes& routes, NodeId node) {
  const auto& remote = config.remote_nodes;
  if (!remote.empty()) return std::find(remote.begin(), remote.end(), node) != remote.end();
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
  if (routes.entries.size() > config.route_entries) {
    throw InputError(fmt::format("{}: program.route_entries = {} is too small for {} nodes",
                                 pipeline.name(), config.route_entries, routes.entries.size()));
  }
  for (const NodeId node : config.remote_nodes) {
    if (std::none_of(routes.entries.begin(), routes.entries.end(),
                     [&](const Routes::Entry& e) { return e.node == node; })) {
      throw InputError(
          fmt::format("{}: program.remote_nodes has {}, which is no node", pipeline.name(), node));
    }
  }
  std::map<std::vector<std::uint16_t>, Route> known;  // each set of ports once
  std::vector<std::uint16_t> ports;
  for (const auto& entry : routes.entries) {
    const auto [at, added] = known.try_emplace(
        entry.ports, Route{static_cast<std::uint16_t>(ports.size()),
                           static_cast<std::uint16_t>(entry.ports.size()), false});
    if (added) ports.insert(ports.end(), entry.ports.begin(), entry.ports.end());
    Route route = at->second;
    route.remote = is_remote(config, routes, entry.node);
    routes_.insert(entry.node, route);
  }
  if (ports.size() > config.member_entries) {
    throw InputError(
        fmt::format("{}: program.member_entries = {} is too small for {} ports of groups",
                    pipeline.name(), config.member_entries, ports.size()));
  }
  for (std::size_t i = 0; i < ports.size(); ++i)
    members_.insert(static_cast<std::uint16_t>(i), ports[i]);
}

const Route* Forwarding::route(const Pass& pass) {
  const Route* route = routes_.lookup(pass, pass.header().dst);
  return route == nullptr || route->count == 0 ? nullptr : route;
}

void Forwarding::choose(Pass& pass, const Route& route) {
  const Packet& p = pass.header();
  const std::uint32_t hash =
      path_.of(pass, {std::uint64_t{p.src} << 32 | p.dst, 0, std::uint64_t{p.entropy}});
  const auto member = static_cast<std::uint32_t>(std::uint64_t{hash} * route.count >> 32);
  pass.forward(*members_.lookup(pass, static_cast<std::uint16_t>(route.first + member)));
}

}  // namespace horae::programs::pnp_trp
