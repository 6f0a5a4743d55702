// Collective operations as messages between ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "horae/core/units.hpp"

namespace horae::traffic {

/// What a group of ranks does together.
enum class Operation : std::uint8_t {
  ring_permutation,  ///< each rank writes `size` to the next one
  reduce_scatter,    ///< ring: n-1 steps of size/n
  all_gather,        ///< ring: n-1 steps of size/n
  all_reduce,        ///< ring: reduce-scatter, then all-gather: 2(n-1) steps of size/n
  all_to_all,        ///< each rank writes size/n to each of the others, all at once
};

struct CollectiveConfig {
  Operation operation = Operation::all_reduce;
  std::uint32_t ranks = 2;  ///< 2 or more
  Bytes size = 1_MiB;       ///< of a rank's buffer
  /// Messages a step of a ring is cut into. A rank sends a slice on when it has received it.
  std::uint32_t slices = 1;
};

/// Messages from one rank to another, in order.
struct CollectiveFlow {
  std::uint32_t from = 0, to = 0;  ///< ranks
  Bytes message{};
  std::uint32_t count = 1;
  /// Message i (from 0) waits until its sender has received i - lead + 1; 0: waits for none.
  std::uint32_t lead = 0;
};

/// The flows of one collective. A ring's step s sends what step s-1 brought (for the ring
/// algorithms see Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
/// workstations", 2009, section 3). InputError when the size does not divide into equal messages.
std::vector<CollectiveFlow> collective_flows(const CollectiveConfig& config);

}  // namespace horae::traffic
