// Requirements of steering by the UDP source port on the devices of a platform.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "horae/config/platform.hpp"
#include "horae/core/error.hpp"
#include "horae/core/linear_hash.hpp"
#include "horae/programs/program.hpp"

namespace horae::config {

const Profile& profile_of(const PlatformConfig& platform, unsigned vertex);

/// Set if the device steers by the UDP source port.
std::optional<programs::SourcePortControl> control_of(const PlatformConfig& platform,
                                                      unsigned vertex);

/// The linear hash by which a switch chooses, if it does.
std::optional<LinearHash> hash_of_switch(const PlatformConfig& platform, unsigned vertex);

/// An error at a device of the platform file.
InputError at_device(const PlatformConfig& platform, unsigned vertex, const std::string& what);

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

}  // namespace horae::config
