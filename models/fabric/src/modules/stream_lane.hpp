// One direction of a link through a block with AXI4-Stream pins, without SystemC: packets to beats,
// beats to packets, and the rules of the pins.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "horae/core/packet.hpp"
#include "horae/core/random.hpp"
#include "horae/core/stream_pins.hpp"
#include "horae/core/units.hpp"
#include "horae/core/wire_bytes.hpp"

namespace horae::fabric {

class StreamLane {
 public:
  struct Config {
    unsigned in_bytes = 1;      ///< of TDATA into the block
    unsigned out_bytes = 1;     ///< and out of it
    unsigned reset_clocks = 2;  ///< edges in reset, from the first one on
    double stall = 0;           ///< share of clocks in which a side pauses at random, 0 to below 1
    bool in_order = true;       ///< a packet that another one overtakes was dropped by the block
    BitRate rate{};             ///< of the wire behind the block
  };
  /// `name`: of the module and the direction, for messages; `bytes`, of all packets of the
  /// simulation, have their ICRC, and are kept alive by the caller.
  StreamLane(std::string name, const Config& config, RandomStream random, WireBytes& bytes);

  /// A packet comes. InputError for one that is no plain RoCEv2 frame.
  void take(Packet& p);

  /// A rising edge at `now`. `out` are the outputs before it; `inputs()` are those after it. A
  /// ModelError says which rule of the pins the block broke, or that it sent a frame of no packet.
  void edge(Picoseconds now, const StreamOutputs& out);
  const StreamInputs& inputs() const { return in_; }

  /// The packet whose last beat left at the last edge, or null, and those that it overtook, if that
  /// means that the block dropped them.
  Packet* left() const { return left_; }
  const std::vector<Packet*>& dropped() const { return dropped_; }

  struct Counts {
    std::uint64_t clocks = 0;        ///< out of reset
    std::uint64_t beats_in = 0;      ///< taken by the block
    std::uint64_t beats_out = 0;     ///< taken from it
    std::uint64_t waited_in = 0;     ///< clocks in which a beat waited for the block
    std::uint64_t waited_out = 0;    ///< clocks in which a beat of the block waited
    std::uint64_t changed = 0;       ///< packets with other bytes than they had
    std::uint64_t damaged = 0;       ///< those among them that have a wrong ICRC since
    std::uint64_t most_waiting = 0;  ///< packets in front of the block at a time
  };
  const Counts& counts() const { return counts_; }
  std::size_t waiting() const { return waiting_.size(); }
  std::size_t inside() const { return inside_.size(); }

 private:
  struct Frame {
    Packet* packet = nullptr;
    std::vector<std::uint8_t> bytes;
  };

  void check(const StreamOutputs& out);
  void collect(Picoseconds now, const StreamBeat& beat);
  void leave(Picoseconds now);
  /// Which of `inside_` the frame is that left.
  std::size_t found() const;
  void put_beat();
  bool stalls() { return config_.stall > 0 && random_.chance(config_.stall); }
  [[noreturn]] void broken(const std::string& what) const;

  std::string name_;
  Config config_;
  RandomStream random_;
  WireBytes* wire_bytes_;
  StreamInputs in_;
  unsigned in_reset_;
  std::deque<Frame> waiting_;        ///< of the first one some beats may be in the block
  std::size_t given_ = 0;            ///< bytes of it that beats have, the one on the pins included
  std::deque<Frame> inside_;         ///< packets of which the block has a beat
  std::vector<std::uint8_t> frame_;  ///< what has left of a frame
  bool held_ = false;                ///< the block's beat was not taken
  StreamBeat beat_;                  ///< that beat
  Picoseconds wire_free_{};
  Packet* left_ = nullptr;
  std::vector<Packet*> dropped_;
  Counts counts_;
};

}  // namespace horae::fabric
