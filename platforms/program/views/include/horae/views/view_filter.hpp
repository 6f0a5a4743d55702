// Which part of a run its views show.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "horae/config/flow_name.hpp"
#include "horae/core/packet.hpp"
#include "horae/views/view_options.hpp"

namespace horae::config {
struct PlatformConfig;
}
namespace horae::elaboration {
class Simulation;
}

namespace horae::views {

/// Whose packet it is.
struct PacketOwner {
  std::size_t flow;  ///< of Simulation::flows()
  bool reply;        ///< from the flow's receiver to its sender
};

/// The time, the flows and the share of packets that were asked for.
class ViewFilter {
 public:
  /// InputError, naming the option, for a text that says nothing of this platform.
  ViewFilter(const ViewOptions& options, const config::PlatformConfig& platform);
  /// Learns which queue pair belongs to which flow, before anything is asked of packets.
  void learn(const elaboration::Simulation& simulation);

  Picoseconds from() const { return from_; }
  Picoseconds to() const { return to_; }
  /// Whether something that lasts from `start` to `end` lies at least partly in the time.
  bool overlaps(Picoseconds start, Picoseconds end) const { return end >= from_ && start < to_; }
  /// The flow of a packet; none: of open-loop hosts.
  std::optional<PacketOwner> owner(const Packet& p) const;
  bool wants_flow(std::size_t flow) const { return flows_.empty() || wanted_[flow]; }
  /// The queue pair, from 0, by which a flow is sent.
  std::size_t sender_qp(std::size_t flow) const { return sender_qp_[flow]; }
  /// Whether a packet is of a flow asked for and of the share. All packets of one PSN of a
  /// connection answer alike: the first sending, its retransmissions, and the NACK that names it.
  bool wants(const Packet& p) const;

 private:
  Picoseconds from_{};
  Picoseconds to_ = never;
  std::uint32_t every_;
  std::vector<config::FlowName> flows_;
  std::vector<std::size_t> sender_qp_;           ///< by flow
  std::vector<bool> wanted_;                     ///< by flow
  std::vector<std::vector<PacketOwner>> owner_;  ///< by node and queue pair, of what goes there
};

}  // namespace horae::views
