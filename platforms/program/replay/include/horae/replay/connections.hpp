// The connections of a replay: what switch programs are told that keep state of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "horae/fabric/topology.hpp"
#include "horae/programs/program.hpp"

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

}  // namespace horae::replay
