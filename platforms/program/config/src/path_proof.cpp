// The proof that the PathMaps of a platform reach every path, each as often.
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "horae/config/path_tiers.hpp"
#include "horae/core/error.hpp"
#include "horae/policy/balance/load_balancer.hpp"
#include "path_wiring.hpp"

namespace horae::config {
namespace {

/// Ports chosen on one walk through the network.
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
                                  const std::vector<programs::PathTier>& tiers,
                                  std::uint32_t paths) {
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
