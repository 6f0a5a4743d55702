// A plain switch that answers its own ECN marks with CNPs to the senders: what the long-haul paper
// has in place of Annulus (Saeed et al., SIGCOMM 2020), whose ToRs send QCN messages.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "horae/fabric/devices/output_queued_switch.hpp"

namespace horae::fabric {

/// A packet of data that leaves with a mark is the cause of a CNP to its sender, if the last one of
/// the flow is longer ago than the gap; and it leaves without the mark, so that the receiver does
/// not send another. The CNP is queued `delay` later like any packet of the control class. Packets
/// of connections that the switch was not told of keep their marks.
class notifying_switch : public output_queued_switch {
 public:
  notifying_switch(sc_core::sc_module_name name, sim_context& context, const SwitchConfig& config);

  bool learns_connections() const override { return true; }
  void learn(const FlowEnds& connection) override;

  struct Counters {
    std::uint64_t answered = 0;  ///< marks that it looked at, of known connections
    std::uint64_t cnps = 0;
    std::uint64_t unknown = 0;  ///< marks of connections it was not told of
  };
  const Counters& notices() const { return notices_; }

  void part_statistics(StatTree& tree) const override;
  void statistics(StatTree& tree) const override;

 protected:
  void begin() override;
  void handle(const Event& e) override;
  void handle_watched(const Event& e) override;
  std::uint64_t queued() const override;
  void leaves_marked(Packet& p, bool own, Picoseconds start) override;

 private:
  struct Flow {
    Qpn sender_qp;
    Picoseconds last_cnp{-1};  ///< negative: none yet
  };
  void take(Packet& p, Picoseconds t);
  void answer(Packet& p, Picoseconds t);
  void make_cnp(const Packet& cause, Qpn sender_qp, Picoseconds t);

  NoticeConfig notice_config_;
  bool at_dequeue_;
  std::unordered_map<std::uint64_t, Flow> flows_;  ///< by the receiver's end_key()
  std::uint64_t made_ = 0;
  std::uint64_t pending_ = 0;  ///< CNPs that are not queued yet
  Counters notices_;
};

}  // namespace horae::fabric
