// Collective operations as messages between ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/traffic/goal.hpp"

namespace horae::traffic {

/// Joint operation of a group of ranks.
enum class Operation : std::uint8_t {
  ring_permutation,  ///< each rank writes `size` to the next one
  reduce_scatter,    ///< ring: n-1 steps of size/n
  all_gather,        ///< ring: n-1 steps of size/n
  all_reduce,        ///< ring: reduce-scatter, then all-gather: 2(n-1) steps of size/n
  all_to_all,  ///< each rank writes size/n to each of the others, all at once or a few at a time
  butterfly,   ///< all-reduce by recursive doubling: log2(n) steps of size
  // Those below are schedules of operations (collective_schedule).
  tree,          ///< all-reduce up a binary tree and down again: all of size each way
  double_tree,   ///< two such trees with half of size each; who has children in one has none in the
                 ///< other, where n is even
  hierarchical,  ///< all-reduce: reduce-scatter within `local` ranks, all-reduce of each part among
                 ///< those that have it, all-gather within; all of them rings
};

struct CollectiveConfig {
  Operation operation = Operation::all_reduce;
  std::uint32_t ranks = 2;  ///< 2 or more
  Bytes size = 1_MiB;       ///< of a rank's buffer
  /// Messages a step of a ring is cut into. A rank sends a slice on when it has received it.
  std::uint32_t slices = 1;
  /// For all_to_all: peers that a rank writes to at a time; 0: all.
  std::uint32_t window = 0;
  /// For hierarchical: ranks of a node, which are neighbours by number.
  std::uint32_t local = 1;
  Picoseconds compute{};  ///< of a schedule: from a slice received to its being sent on
};

/// Messages from one rank to another, in order.
struct CollectiveFlow {
  std::uint32_t from = 0, to = 0;  ///< ranks
  Bytes message{};
  std::uint32_t count = 1;
  /// Message i (from 0) waits until its sender has received i - lead + 1; 0: waits for none.
  std::uint32_t lead = 0;
  // Triggers, numbered from 1; 0: none. Only of flows of one message.
  std::uint32_t trigger = 0;            ///< starts it, when fired ...
  std::uint64_t after = 0;              ///< ... so often
  std::uint32_t fires_at_sender = 0;    ///< fired when it is completed
  std::uint32_t fires_at_receiver = 0;  ///< fired when it has arrived
};

/// The flows of one collective. A ring's step s sends what step s-1 brought (for the ring
/// algorithms see Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
/// workstations", 2009, section 3). In step
/// s of a butterfly a rank exchanges its buffer with the one whose number differs in bit s, when
/// what it was sent in step s-1 is there. With a window the next message of an all_to_all goes when
/// any of those under way is completed. InputError when the size does not divide into equal
/// messages, when a butterfly's ranks are no power of two, and for slices where there are none.
std::vector<CollectiveFlow> collective_flows(const CollectiveConfig& config);

/// Whether an operation is a schedule and has no collective_flows().
bool is_schedule(Operation operation);

/// The schedule of one collective; a unit of its calcs is a picosecond. Rank 0 is the root of a
/// tree: below it is the largest power of two, and below rank r those as far to either side as half
/// of r's lowest bit (the binary trees of NCCL, after Sanders, Speck and Traeff, "Two-tree
/// algorithms for full bandwidth broadcast, reduction and scan", 2009). The second tree is the
/// first one read backwards, or shifted by one where the number of ranks is odd. InputError when
/// the size does not divide into equal messages, or ranks not into nodes.
GoalSchedule collective_schedule(const CollectiveConfig& config);

}  // namespace horae::traffic
