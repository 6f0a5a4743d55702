// Tables of the traffic manager and the mirror units, set by the control plane: multicast groups,
// sessions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

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
  /// By level2_exclusion_id: ports that get no copy of the rid that the packet has itself.
  std::map<unsigned, std::set<unsigned>> exclusions;
};

}  // namespace horae::p4prog
