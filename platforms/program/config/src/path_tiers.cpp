#include "horae/config/path_tiers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "horae/config/chip_routes.hpp"
#include "horae/core/error.hpp"
#include "path_wiring.hpp"

namespace horae::config {
namespace {

using programs::PathTier;

/// The tier that a switch belongs to when it chooses among n ports.
PathTier tier_of(const PlatformConfig& platform, unsigned tor, unsigned vertex, std::size_t n) {
  const std::string& name = platform.devices[vertex].name;
  const std::string who =
      vertex == tor ? fmt::format("'{}'", name)
                    : fmt::format("'{}', on the way from '{}',", name, platform.devices[tor].name);
  const auto hash = hash_of_switch(platform, vertex);
  if (!hash) {
    throw at_device(platform, vertex,
                    fmt::format("{} chooses among {} ports, and not by a linear hash; expected a "
                                "switch with balance = \"ecmp_linear\"",
                                who, n));
  }
  if (!std::has_single_bit(n)) {
    throw at_device(platform, vertex,
                    fmt::format("{} chooses among {} ports; expected a power of two", who, n));
  }
  return PathTier::of(name, *hash, static_cast<std::uint32_t>(n));
}

}  // namespace

std::vector<PathTier> path_tiers(const PlatformConfig& platform,
                                 const std::vector<fabric::RouteTable>& tables, unsigned vertex) {
  const Wiring wiring(platform);
  std::map<std::size_t, PathTier> by_distance;
  std::map<std::pair<unsigned, std::size_t>, bool>
      seen;  // a switch at a distance, with its choices
  for (NodeId node = 0; node < platform.topology.endpoints(); ++node) {
    std::vector<unsigned> now = {vertex};
    for (std::size_t distance = 0; !now.empty(); ++distance) {
      std::vector<unsigned> next;
      for (const unsigned at : now) {
        if (!wiring.is_switch(at)) continue;
        const auto ports = tables[at].towards(node);
        for (const auto port : ports) next.push_back(wiring.peer(at, port));
        const std::size_t n = ports.size();
        if (n < 2 || !seen.try_emplace({at, distance << 16 | n}, true).second) continue;
        const PathTier tier = tier_of(platform, vertex, at, n);
        const auto [known, added] = by_distance.try_emplace(distance, tier);
        if (added) continue;
        // If two switches choose among different numbers of ports, one must have the other's bits.
        auto& longer = known->second;
        const auto common = std::min(longer.flipped_by.size(), tier.flipped_by.size());
        if (!std::equal(tier.flipped_by.begin(), tier.flipped_by.begin() + common,
                        longer.flipped_by.begin())) {
          throw at_device(
              platform, at,
              fmt::format("'{}' and '{}', as far from '{}', choose by different hashes; "
                          "expected one hash.offset in a tier",
                          longer.name, tier.name, platform.devices[vertex].name));
        }
        if (tier.flipped_by.size() > common) longer = tier;
      }
      std::sort(next.begin(), next.end());
      next.erase(std::unique(next.begin(), next.end()), next.end());
      now = std::move(next);
    }
  }
  std::vector<PathTier> tiers;
  for (auto& [distance, tier] : by_distance) tiers.push_back(std::move(tier));
  return tiers;
}

programs::Routes steered_routes(const PlatformConfig& platform, unsigned vertex,
                                const std::vector<fabric::RouteTable>& tables) {
  auto routes = chip_routes(platform, vertex, tables[vertex]);
  if (control_of(platform, vertex)) routes.path_tiers = path_tiers(platform, tables, vertex);
  return routes;
}

}  // namespace horae::config
