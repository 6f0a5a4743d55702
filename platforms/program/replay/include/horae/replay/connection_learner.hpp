// Connections as packets of traces show them.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "horae/core/packet.hpp"
#include "horae/core/psn.hpp"
#include "horae/core/units.hpp"
#include "horae/replay/connections.hpp"

namespace horae::replay {

/// Learns connections from what passes.
///
/// A connection is a source, a destination and the QP that its data packets (SEND, WRITE and READ
/// requests) name; the entropy is that of its first one, the first PSN the smallest one. The
/// sender's QP is the one that responses of the destination name: responses belong to the
/// connection between the two whose PSNs enclose theirs, if there is only one such, and those of
/// the only QP that is answered to belong to the only connection there is.
class ConnectionLearner {
 public:
  /// A packet with its nodes filled in, at `at`.
  void see(const Packet& p, Picoseconds at);
  ReplayConnections finish() const;

 private:
  struct Key {
    NodeId src, dst;
    std::uint32_t qp;
    auto operator<=>(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& k) const;
  };
  /// PSNs seen in one direction; they go around, the distances from the first one do not.
  struct Range {
    Psn first;
    std::int64_t last = 0, least = 0, most = 0;
    void extend(Psn psn);
  };
  struct Flow {
    Range range;
    std::uint16_t entropy = 0;
    Picoseconds at{};
  };
  static Psn first_psn(const Range& data);
  static bool encloses(const Range& data, const Range& responses);

  std::unordered_map<Key, Flow, Hash> flows_;
  std::unordered_map<Key, Range, Hash> responses_;  ///< by the connection's source and destination
  std::uint64_t too_many_ = 0;
};

}  // namespace horae::replay
