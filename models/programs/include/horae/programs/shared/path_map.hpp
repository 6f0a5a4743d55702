// The PathMap: which change of the UDP source port leads to which path.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "horae/core/linear_hash.hpp"

namespace horae::programs {

/// Switches at one distance from a ToR that choose among `choices()` ports by a linear hash. All of
/// them react to a change of the UDP source port in the same way.
struct PathTier {
  std::string name;  ///< one of them, for messages
  /// For each bit of the choice, lowest first: the bits of the UDP source port that flip it.
  std::vector<std::uint16_t> flipped_by;

  std::uint32_t choices() const { return 1u << flipped_by.size(); }
  /// Tier with `choices` ports (a power of two) chosen by the hash.
  static PathTier of(std::string name, const LinearHash& hash, std::uint32_t choices);
};

/// The bits of a UDP source port that may change: 0xc000 to 0xffff is the range for RoCEv2 (Linux
/// rdma/ib_verbs.h, IB_ROCE_UDP_ENCAP_VALID_PORT_MIN and _MAX), so the two highest stay.
inline constexpr std::uint16_t changeable_port_bits = 0x3fff;

/// Paths through `tiers`: the product of their choices.
std::uint64_t paths_through(std::span<const PathTier> tiers);

/// For each index below `paths` (a power of two) the change (XOR) of the UDP source port that takes
/// a packet from the path it is on to the one whose choices differ from its own by the bits of the
/// index: the lowest bits are the first tier's, the next ones the second's; what is left over has
/// no effect. InputError if `paths` are fewer than there are, or for the first path that no change
/// of the port leads to.
std::vector<std::uint16_t> path_map(std::span<const PathTier> tiers, std::uint32_t paths);

}  // namespace horae::programs
