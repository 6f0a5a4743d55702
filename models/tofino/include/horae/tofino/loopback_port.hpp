// A loopback port of a pipeline: out of the traffic manager, back into the ingress parser.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "horae/core/packet.hpp"
#include "horae/core/units.hpp"
#include "horae/tofino/dummy_ring.hpp"

namespace horae::tofino {

/// One wire at a fixed rate, first in first out. Nothing schedules here, so the queue is the time
/// at which the wire is free again; the packets that wait are in the chip's buffer. What loops is
/// never marked.
class LoopbackPort {
 public:
  explicit LoopbackPort(BitRate rate) : rate_(rate) {}
  BitRate rate() const { return rate_; }
  /// Dummies circulate as well, from time zero on.
  void fill(Bytes dummies, Picoseconds lap) { dummies_.emplace(dummies, rate_, lap); }

  /// Queues a packet at `t` (times never decrease). It takes the wire at the time returned, and the
  /// next one can follow at `free_at`.
  Picoseconds take(const Packet& p, Picoseconds t) {
    const Bytes wire = p.wire_size();
    if (dummies_) [[unlikely]]
      free_at_ = dummies_->serve(t, free_at_);
    const Picoseconds start = std::max(free_at_, t);
    free_at_ = start + serialisation_time(wire, rate_);
    ++counters_.packets;
    counters_.bytes += wire.count();
    return start;
  }
  /// When the last bit of all that was queued is out.
  Picoseconds free_at() const { return free_at_; }
  /// How long a packet is on the wire, preamble and gap included.
  Picoseconds time_on_wire(const Packet& p) const {
    return serialisation_time(p.wire_size(), rate_);
  }

  /// A packet is the port's from its queue until its header is parsed again.
  void hold(const Packet& p) {
    held_ += p.frame;
    most_held_ = std::max(most_held_, held_);
  }
  void release(const Packet& p) { held_ -= p.frame; }
  /// Frame bytes of the packets that it holds; dummies are not counted.
  Bytes held() const { return Bytes(held_); }
  Bytes most_held() const { return Bytes(most_held_); }

  struct Counters {
    std::uint64_t packets = 0;
    std::int64_t bytes = 0;  ///< on the wire, with the lengths that packets were queued with
  };
  const Counters& counters() const { return counters_; }

 private:
  BitRate rate_;
  Picoseconds free_at_{};
  std::int64_t held_ = 0;
  std::int64_t most_held_ = 0;
  Counters counters_;
  std::optional<DummyRing> dummies_;
};

}  // namespace horae::tofino
