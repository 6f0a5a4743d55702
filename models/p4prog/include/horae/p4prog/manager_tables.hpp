// Tables of the chip beside those of the program, set by the control plane: multicast groups,
// mirror sessions, metadata of ports, packet generators.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "horae/p4prog/packet_generator.hpp"

namespace horae::p4prog {

/// A copy of a multicast group.
struct Replica {
  unsigned port = 0;
  unsigned rid = 0;
  std::optional<unsigned> exclusion = {};  ///< packets of this level1_exclusion_id get none
  bool operator==(const Replica&) const = default;
};

struct MirrorSession {
  unsigned port = 0;
  std::uint32_t most_bytes = 0;  ///< of a copy, with what is put before it; 0: all
  bool operator==(const MirrorSession&) const = default;
};

struct ManagerTables {
  std::map<unsigned, MirrorSession> sessions;  ///< session 0 is reserved
  std::map<unsigned, std::vector<Replica>> groups;
  /// Bytes that ingress parsers find in front of packets of a port; of others they are zeros.
  std::map<unsigned, std::vector<std::uint8_t>> port_metadata;
  /// By level2_exclusion_id: ports that get no copy of the rid that the packet has itself.
  std::map<unsigned, std::set<unsigned>> exclusions;
  GeneratorTable generator;
};

}  // namespace horae::p4prog
