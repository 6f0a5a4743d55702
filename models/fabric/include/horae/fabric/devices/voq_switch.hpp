// A plain switch with a queue for each destination and a window of bytes under way to it: the
// near-destination loop of BiCC (Wan et al., INFOCOM 2024), by the long-haul paper's description.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "horae/fabric/devices/output_queued_switch.hpp"
#include "horae/fabric/released_packets.hpp"

namespace horae::fabric {

/// Data of a node far away for one that is near goes on while no more than the window is under way
/// to its destination; what is above waits here, in its destination's queue, in the order of
/// arrival. Queues have no limit, and what is in them takes no buffer and pauses nobody. Answers of
/// the destination that come back through this switch open its window. As each destination has a
/// window of its own, an answer lets only packets of its sender go: destinations have no turns to
/// take, but for the egress queues, which all share.
///
/// What is under way is known by PSN. An ACK settles all before it; a NACK or SACK also the packet
/// that it answers and what was let go before that, or, if it does not tell, all of its flow. A
/// packet that comes again settles the one let go before: its sender has given that up. So nothing
/// stays counted that a sender still waits for. Packets behind a gap that a NACK told of, which a
/// receiver that goes back discards in silence, and duplicates of what is acknowledged count for a
/// round trip. Other flows need not wait for a sender's timeout: when nothing has come back from a
/// destination for `timeout`, everything under way to it counts as lost.
class voq_switch : public output_queued_switch {
 public:
  /// `far`: by node, whether it is beyond the long link.
  voq_switch(sc_core::sc_module_name name, sim_context& context, const SwitchConfig& config,
             std::vector<bool> far);

  bool learns_connections() const override { return true; }
  /// Data of connections it was not told of goes on at once: nothing may ever come back for it.
  void learn(const FlowEnds& connection) override;

  struct Counters {
    std::uint64_t passed = 0;         ///< packets of data from far away that went on at once
    std::uint64_t held = 0;           ///< that had to wait
    std::uint64_t unknown = 0;        ///< of connections it was not told of
    std::uint64_t again = 0;          ///< that came again while their first one was under way
    std::uint64_t silent = 0;         ///< that nobody will answer
    std::uint64_t expired = 0;        ///< windows emptied because nothing came back
    std::int64_t most_bytes = 0;      ///< waiting, of all destinations
    std::int64_t most_of_one = 0;     ///< waiting for one destination
    std::int64_t most_under_way = 0;  ///< to one destination
    Picoseconds waited{};             ///< by all packets that went on
    Picoseconds longest_wait{};
    std::uint64_t released = 0;  ///< of those that had to wait
  };
  const Counters& voq() const { return voq_; }
  /// Bytes that wait now, for all destinations.
  Bytes waiting() const { return Bytes(waiting_bytes_); }
  std::uint64_t waiting_packets() const { return voq_.held - voq_.released; }

  std::vector<std::string> describe_queues() const override;
  void part_statistics(StatTree& tree) const override;
  void statistics(StatTree& tree) const override;

 protected:
  void handle(const Event& e) override;
  void handle_watched(const Event& e) override;
  std::uint64_t queued() const override;

 private:
  struct Flow {
    std::size_t destination;
    ReleasedPackets released;
    std::optional<Psn> acked = {};  ///< everything before is acknowledged
    std::optional<Psn> gap = {};    ///< the receiver waits for it, and discards what comes behind
  };
  struct Silent {
    Picoseconds until;
    std::int64_t bytes;
  };
  struct Destination {
    NodeId node = 0;
    PacketQueue packets;
    std::deque<Picoseconds> since;  ///< when each of them came
    std::int64_t bytes = 0;         ///< of them
    std::int64_t under_way = 0;
    std::vector<std::size_t> flows;
    std::deque<Silent> silent;  ///< of those under way
    Picoseconds last_change{};  ///< of what is under way
    bool watched = false;       ///< an event looks whether anything comes back
  };

  bool is_far(NodeId node) const { return node < far_.size() && far_[node]; }
  void take(Packet& p, Picoseconds t);
  void take_data(Packet& p, Picoseconds t);
  void take_answer(Packet& p, Picoseconds t);
  bool has_room(const Destination& d, const Packet& p) const {
    return d.under_way == 0 || d.under_way + p.frame <= voq_config_.window.count();
  }
  void forward_packet(Packet& p, Flow& flow, Picoseconds t);
  void release(Destination& d, Picoseconds t);
  void settle_bytes(Destination& d, std::int64_t bytes, Picoseconds t);
  void arm_timer(std::size_t destination, Picoseconds t);
  void check_progress(std::size_t destination, Picoseconds t);
  bool is_silent(Flow& flow, Psn psn) const;
  void end_silence(std::size_t destination, Picoseconds t);
  Flow* flow_of(const std::unordered_map<std::uint64_t, std::size_t>& table, NodeId node, Qpn qp);

  VoqConfig voq_config_;
  std::vector<bool> far_;
  std::vector<Flow> flows_;
  std::unordered_map<std::uint64_t, std::size_t> by_receiver_, by_sender_;  ///< end_key()
  std::vector<Destination> destinations_;
  std::unordered_map<NodeId, std::size_t> destination_of_;
  std::int64_t waiting_bytes_ = 0;
  std::uint64_t looks_ = 0;
  Counters voq_;
};

}  // namespace horae::fabric
