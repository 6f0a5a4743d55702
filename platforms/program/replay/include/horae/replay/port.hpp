// Far end of a replayed switch's port.
#pragma once

#include <array>
#include <cstdint>

#include "horae/core/stats.hpp"
#include "horae/fabric/device.hpp"
#include "horae/programs/frame.hpp"
#include "horae/replay/trace.hpp"

namespace horae::replay {

class ReplayRecorder;

/// One port: sends what a trace says at its times, and takes what comes. The first bit of a packet
/// is in the switch's port at its time plus `lead`, later if the wire is busy or its class is
/// paused (PFC); what waits keeps the packets behind it waiting. A pause frame of the trace holds
/// the switch's classes for the time it says (IEEE 802.3, 31B.3 and 31D.3), from its last bit on.
class replay_port : public fabric::device {
 public:
  /// `trace` may be null: nothing is sent. `lead` is at least the link's delay. With a recorder,
  /// packets are numbered by it.
  replay_port(sc_core::sc_module_name name, fabric::sim_context& context, Trace* trace,
              Picoseconds lead, ReplayRecorder* recorder);

  /// Where the switch has packets' bytes: this end enters and takes them. Before simulation starts.
  /// `fcs`: those of the trace end with their FCS.
  void use_frames(programs::Frames& frames, bool fcs) {
    frames_ = &frames;
    fcs_ = fcs;
  }

  struct Counters {
    std::uint64_t sent = 0, received = 0;
    Bytes sent_frames{}, received_frames{};  ///< with FCS
    std::uint64_t copies_received = 0;       ///< that the switch made; among `received`
    std::uint64_t late = 0;                  ///< sent later than the trace says
    Picoseconds lateness{};                  ///< the largest
    Picoseconds last_in = Picoseconds(-1);   ///< last bit (with its gap) of the last packet sent
    Picoseconds last_out = Picoseconds(-1);  ///< first bit of the last packet received
  };
  const Counters& counters() const { return counters_; }
  /// First bit in to first bit out, in ps, of what came here and is no copy.
  const Histogram& latency() const { return latency_; }

  Picoseconds next_own_time() const override;

 protected:
  void handle(const fabric::Event& e) override;
  void settle(Picoseconds end) override;

 private:
  Picoseconds next_start() const;
  void enter_bytes(const Packet& p);
  void send_pause_frame(Picoseconds start);
  /// Tells the switch at `at`, which never decreases.
  void hold(unsigned traffic_class, bool pause, Picoseconds at);
  /// Lets go, in their order, of classes whose time is over before `end`.
  void let_go_before(Picoseconds end);
  void arrive(Packet& p, Picoseconds last_bit);

  Trace* trace_;
  Picoseconds lead_;
  ReplayRecorder* recorder_;
  programs::Frames* frames_ = nullptr;
  bool fcs_ = false;
  mutable const TracePacket* next_ = nullptr;  ///< of the trace, once it was asked
  mutable bool asked_ = false;
  std::uint32_t paused_ = 0;  ///< a bit for each class
  Picoseconds resumed_{};
  Picoseconds pause_frame_until_{};        ///< on the wire
  std::array<Picoseconds, 8> held_until_;  ///< by class of the switch; `never`: it is not held
  Counters counters_;
  Histogram latency_;
};

/// Whether a switch made this packet: a copy of another, or one of its packet generator.
inline bool is_made_inside(const Packet& p) { return p.id >> 40 >= 0xfffffe; }

}  // namespace horae::replay
