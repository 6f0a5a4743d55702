// The connections of a replay: what switch programs are told that keep state of them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "horae/fabric/topology.hpp"
#include "horae/programs/program.hpp"
#include "horae/replay/trace.hpp"

namespace horae::replay {

/// Connections in the order in which the control plane is told of them.
struct ReplayConnections {
  std::vector<programs::Connection> list;
  std::uint64_t unpaired = 0;  ///< learned without the sender's QP, which is 0 then
  std::uint64_t too_many = 0;  ///< data packets of connections beyond `most`
  /// Learned at most; what is known of one takes some 200 bytes.
  static constexpr std::size_t most = 1'000'000;
};

/// Reads a CSV file with the columns sender, receiver, sender_qp, receiver_qp, entropy and
/// first_psn in any order; nodes by name or number, numbers also as 0x40. InputError
/// "file:line:column: ..." for anything else.
ReplayConnections read_connections(const std::string& path, const fabric::Topology& topology);

/// The same file.
std::string connections_csv(const ReplayConnections& connections, const fabric::Topology& topology);

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
