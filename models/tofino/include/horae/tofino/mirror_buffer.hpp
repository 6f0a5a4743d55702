// The buffer of a pipeline in which copies wait for the traffic manager.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>

#include "horae/core/packet.hpp"
#include "horae/core/units.hpp"
#include "horae/params/schema.hpp"

namespace horae::tofino {

struct MirrorConfig {
  Bytes buffer{};  ///< of each pipeline, frame bytes; zero: no limit
  BitRate rate{};  ///< to the traffic manager, of frame bytes; zero: none

  static const Schema<MirrorConfig>& schema();
};

/// First in, first out at a rate; a copy that finds no room is lost. Copies of both gresses share
/// it.
class MirrorBuffer {
 public:
  explicit MirrorBuffer(const MirrorConfig& config) : config_(config) {}

  /// When the last byte of a copy that comes at `t` (times never decrease) is out; absent: there is
  /// no room for it.
  std::optional<Picoseconds> take(const Packet& copy, Picoseconds t) {
    while (!waiting_.empty() && waiting_.front().out <= t) {
      held_ -= waiting_.front().bytes;
      waiting_.pop_front();
    }
    const std::int64_t bytes = copy.frame;
    if (config_.buffer.count() > 0 && held_ + bytes > config_.buffer.count()) {
      ++dropped_;
      return std::nullopt;
    }
    if (config_.rate.count() == 0) return t;
    free_at_ = std::max(free_at_, t) + serialisation_time(Bytes(bytes), config_.rate);
    waiting_.push_back({free_at_, bytes});
    held_ += bytes;
    return free_at_;
  }
  std::uint64_t dropped() const { return dropped_; }

 private:
  struct Waiting {
    Picoseconds out;
    std::int64_t bytes;
  };
  MirrorConfig config_;
  std::deque<Waiting> waiting_;
  std::int64_t held_ = 0;
  Picoseconds free_at_{};
  std::uint64_t dropped_ = 0;
};

}  // namespace horae::tofino
