// Which node of a platform an address of a trace stands for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "horae/capture/dissection.hpp"
#include "horae/fabric/topology.hpp"
#include "horae/replay/options.hpp"

namespace horae::replay {

/// Node of a platform by its name or number; InputError, beginning with `what`, for another.
NodeId node_named(const fabric::Topology& topology, const std::string& text,
                  const std::string& what);

/// Addresses of the plan (10.0.0.n+1, fd00::n+1; core/codec.hpp) are their nodes; others are what
/// --map says, or unknown. MAC addresses count where there is no IP.
class ReplayAddresses {
 public:
  /// A destination that no switch has a route for.
  static constexpr NodeId nowhere = AddressPlan::max_node;

  /// `maps` as given on the command line, of addresses and of prefixes of IPv4 and IPv6: an address
  /// goes before a prefix, and a longer prefix before a shorter one. InputError for a bad one.
  /// `any`: traces may be of another network altogether.
  ReplayAddresses(const fabric::Topology& topology, const std::vector<std::string>& maps,
                  UnknownAddress unknown, bool any = true);

  /// Nodes on either side of a port of the replayed switch.
  struct Sides {
    std::vector<NodeId> behind;  ///< those the port leads to
    std::vector<NodeId> beyond;  ///< all others
  };
  static Sides sides_of(const fabric::Topology& topology, const fabric::RouteTable& routes,
                        unsigned port);

  /// Fills in the packet's nodes. Unknown sources are nodes behind the port they enter by, unknown
  /// destinations nodes beyond it, each by a hash (CRC-16) of the address; without any such, any.
  /// InputError, naming the address alone, where unknown destinations are refused, and where no
  /// packet of `looked_at` had an address of the platform.
  void place(capture::Dissection& d, const Sides& sides);

  /// At the end of all traces: InputError where no packet had an address of the platform.
  void check() const;
  static constexpr std::uint64_t looked_at = 1000;

  std::uint64_t unknown_sources() const { return unknown_sources_; }
  std::uint64_t unknown_destinations() const { return unknown_destinations_; }

 private:
  struct Hash {
    std::size_t operator()(const capture::NetworkAddress& a) const;
  };
  struct Prefix {
    capture::NetworkAddress address;
    unsigned bits;
    NodeId node;
    bool has(const capture::NetworkAddress& a) const;
  };
  void map_prefix(const std::string& what, const std::string& text, std::size_t slash, NodeId node);
  /// The node of an address, or no_node.
  NodeId known(const capture::NetworkAddress& a) const;
  NodeId spread(const capture::NetworkAddress& a, std::span<const NodeId> nodes) const;

  std::unordered_map<capture::NetworkAddress, NodeId, Hash> mapped_;
  std::vector<Prefix> prefixes_;  ///< longest first
  NodeId nodes_;
  UnknownAddress unknown_;
  bool any_;
  std::uint64_t strange_ = 0;  ///< packets without an address of the platform before the first with
  std::uint64_t unknown_sources_ = 0;
  std::uint64_t unknown_destinations_ = 0;
};

/// As people write it.
std::string text_of(const capture::NetworkAddress& address);

}  // namespace horae::replay
