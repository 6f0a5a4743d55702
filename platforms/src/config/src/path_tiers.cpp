#include "horae/config/path_tiers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <optional>

#include "horae/config/chip_routes.hpp"
#include "horae/core/error.hpp"
#include "horae/policy/balance/load_balancer.hpp"

namespace horae::config {
namespace {

using programs::PathTier;

const Profile& profile_of(const PlatformConfig& platform, unsigned vertex) {
  return platform.profiles.at(platform.devices[vertex].profile);
}

/// Set if the device steers by the UDP source port.
std::optional<programs::SourcePortControl> control_of(const PlatformConfig& platform,
                                                      unsigned vertex) {
  const auto* chip = std::get_if<TofinoProfile>(&profile_of(platform, vertex));
  if (chip == nullptr || chip->program == nullptr) return std::nullopt;
  return chip->program->source_port_control();
}

/// The linear hash by which a switch chooses, if it does.
std::optional<LinearHash> hash_of_switch(const PlatformConfig& platform, unsigned vertex) {
  if (const auto* plain = std::get_if<fabric::SwitchConfig>(&profile_of(platform, vertex))) {
    const auto& balancer = policy::find_load_balancer(plain->balance);
    if (balancer.linear_hash == nullptr) return std::nullopt;
    return LinearHash(balancer.linear_hash(plain->balancing));
  }
  const auto control = control_of(platform, vertex);
  return control ? std::optional(LinearHash(control->hash)) : std::nullopt;
}

InputError at_device(const PlatformConfig& platform, unsigned vertex, const std::string& what) {
  return input_error(platform.devices[vertex].where, "path_control = \"source_port\": " + what);
}

/// Who is at the other end of each port.
class Wiring {
 public:
  explicit Wiring(const PlatformConfig& platform) : platform_(platform) {
    peers_.resize(platform.devices.size());
    for (const auto& e : platform.topology.edges()) {
      set(e.a, e.port_a, e.b);
      set(e.b, e.port_b, e.a);
    }
  }
  unsigned peer(unsigned vertex, unsigned port) const { return peers_[vertex][port]; }
  bool is_switch(unsigned vertex) const {
    return platform_.topology.vertices()[vertex].node == fabric::Topology::no_node;
  }
  /// The end points of a switch.
  std::vector<NodeId> attached(unsigned vertex) const {
    std::vector<NodeId> nodes;
    for (const unsigned peer : peers_[vertex]) {
      if (!is_switch(peer)) nodes.push_back(platform_.topology.vertices()[peer].node);
    }
    return nodes;
  }

 private:
  void set(unsigned vertex, unsigned port, unsigned peer) {
    if (peers_[vertex].size() <= port) peers_[vertex].resize(port + 1);
    peers_[vertex][port] = peer;
  }

  const PlatformConfig& platform_;
  std::vector<std::vector<unsigned>> peers_;
};

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

/// What one walk through the network decides, port by port.
using Path = std::vector<std::uint16_t>;

/// Walks packets as the switches send them.
class Walker {
 public:
  Walker(const PlatformConfig& platform, const std::vector<fabric::RouteTable>& tables)
      : platform_(platform), tables_(tables), wiring_(platform) {
    for (unsigned v = 0; v < platform.devices.size(); ++v) {
      const auto* plain = std::get_if<fabric::SwitchConfig>(&profile_of(platform, v));
      balancers_.push_back(plain == nullptr
                               ? nullptr
                               : policy::make_load_balancer(plain->balance, platform.sim.seed,
                                                            platform.devices[v].name + ".balance",
                                                            plain->balancing));
      hashes_.push_back(hash_of_switch(platform, v));
    }
  }
  const Wiring& wiring() const { return wiring_; }

  Path walk(unsigned from, const Packet& p) const {
    struct NoView final : policy::PortView {
      Bytes depth(unsigned) const override { return {}; }
    };
    Path path;
    for (unsigned at = from; wiring_.is_switch(at); at = wiring_.peer(at, path.back())) {
      const auto ports = tables_[at].towards(p.dst);
      const auto n = static_cast<unsigned>(ports.size());
      unsigned choice = 0;
      if (n > 1) {
        choice = balancers_[at] != nullptr ? balancers_[at]->choose(p, n, NoView())
                                           : LinearHash::choice(hashes_[at]->of(p), n);
      }
      path.push_back(ports[choice]);
    }
    return path;
  }
  /// How many shortest paths there are.
  std::uint64_t paths(unsigned from, NodeId to) const {
    if (!wiring_.is_switch(from)) return 1;
    std::uint64_t sum = 0;
    for (const auto port : tables_[from].towards(to)) sum += paths(wiring_.peer(from, port), to);
    return sum;
  }

 private:
  const PlatformConfig& platform_;
  const std::vector<fabric::RouteTable>& tables_;
  Wiring wiring_;
  std::vector<std::unique_ptr<policy::LoadBalancer>> balancers_;  ///< of plain switches
  std::vector<std::optional<LinearHash>> hashes_;
};

std::vector<std::uint16_t> map_of(const PlatformConfig& platform, unsigned tor,
                                  const std::vector<PathTier>& tiers, std::uint32_t paths) {
  try {
    return programs::path_map(tiers, paths);
  } catch (const InputError& e) {
    throw at_device(platform, tor,
                    fmt::format("from '{}', {}", platform.devices[tor].name, e.what()));
  }
}

/// One pair of ToRs. By linearity one pair of their end points stands for all.
void check_pair(const PlatformConfig& platform, const Walker& walker, unsigned from, NodeId src,
                unsigned to, NodeId dst, const std::vector<std::uint16_t>& map) {
  Packet p;
  p.src = src;
  p.dst = dst;
  std::map<Path, unsigned> known;                  // paths, numbered as they are met
  std::map<std::uint16_t, unsigned> path_of_port;  // a port's walk is made once
  const auto path_of = [&](std::uint16_t port) {
    const auto at = path_of_port.find(port);
    if (at != path_of_port.end()) return at->second;
    p.entropy = port;
    const auto number = static_cast<unsigned>(known.size());
    const unsigned path = known.try_emplace(walker.walk(from, p), number).first->second;
    path_of_port.emplace(port, path);
    return path;
  };
  const std::uint64_t there = walker.paths(from, dst);
  constexpr std::uint16_t any_port = 0xc000;
  for (std::size_t base = 0; base < map.size(); ++base) {
    std::vector<std::uint64_t> taken(there);
    for (std::size_t index = 0; index < map.size(); ++index) {
      const unsigned path = path_of(any_port ^ map[base] ^ map[index]);
      if (path < there) ++taken[path];
    }
    for (std::size_t path = 0; path < there; ++path) {
      if (taken[path] == map.size() / there) continue;
      throw at_device(
          platform, from,
          fmt::format("from '{}' to '{}', beginning at base path {}, {} of {} indexes lead to path "
                      "{} of {}; expected {}",
                      platform.devices[from].name, platform.devices[to].name, base, taken[path],
                      map.size(), path, there, map.size() / there));
    }
  }
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
        // Of two that choose among different numbers of ports, one must have the other's bits.
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

void check_path_maps(const PlatformConfig& platform,
                     const std::vector<fabric::RouteTable>& tables) {
  std::optional<Walker> walker;
  for (unsigned from = 0; from < platform.devices.size(); ++from) {
    const auto control = control_of(platform, from);
    if (!control) continue;
    const auto tiers = path_tiers(platform, tables, from);
    if (!walker) walker.emplace(platform, tables);
    const auto senders = walker->wiring().attached(from);
    if (senders.empty()) continue;
    const auto map = map_of(platform, from, tiers, control->paths);
    for (unsigned to = 0; to < platform.devices.size(); ++to) {
      if (to == from || !walker->wiring().is_switch(to)) continue;
      const auto receivers = walker->wiring().attached(to);
      if (!receivers.empty())
        check_pair(platform, *walker, from, senders[0], to, receivers[0], map);
    }
  }
}

}  // namespace horae::config
