// Credits of InfiniBand's virtual lanes: how much may be on the way to the other end. No SystemC.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "horae/core/units.hpp"

namespace horae::rnic {

/// Each lane has room for whole blocks at the other end of the link. A packet takes as many as it
/// is long when it begins, and they are back a fixed time after its last bit: the link there and
/// back, and what the other end takes. So a lane has at most its room in that time and its packet's
/// own. Packets of one lane begin one after the other; times never decrease.
class LaneCredits {
 public:
  static constexpr std::int64_t block = 64;  ///< bytes, IBTA vol. 1, 7.9
  static constexpr std::size_t lanes = 8;    ///< one for each traffic class

  /// `room` of each lane; `back_after`: from a packet's last bit until its blocks are back.
  LaneCredits(Bytes room, Picoseconds back_after)
      : room_(room.count() / block), back_after_(back_after) {}

  /// From when a packet of `bytes` (without what a link has between packets) may begin.
  Picoseconds from(std::size_t lane, Bytes bytes) const {
    const Lane& l = lanes_[lane];
    std::int64_t out = l.out;
    const std::int64_t most = room_ - blocks(bytes);
    Picoseconds at{};
    for (auto it = l.under_way.begin(); out > most && it != l.under_way.end(); ++it) {
      out -= it->blocks;
      at = it->back;
    }
    return at;
  }

  /// One begins at `now`, when it may, and its last bit leaves at `end`.
  void take(std::size_t lane, Bytes bytes, Picoseconds now, Picoseconds end) {
    Lane& l = lanes_[lane];
    while (!l.under_way.empty() && l.under_way.front().back <= now) {
      l.out -= l.under_way.front().blocks;
      l.under_way.pop_front();
    }
    l.under_way.push_back({end + back_after_, blocks(bytes)});
    l.out += blocks(bytes);
  }

 private:
  struct UnderWay {
    Picoseconds back;
    std::int64_t blocks;
  };
  struct Lane {
    std::deque<UnderWay> under_way;
    std::int64_t out = 0;  ///< blocks of those under way
  };
  static std::int64_t blocks(Bytes bytes) { return (bytes.count() + block - 1) / block; }

  std::int64_t room_;
  Picoseconds back_after_;
  std::array<Lane, lanes> lanes_{};
};

}  // namespace horae::rnic
