// The packets that arrive at one device in one window, in the order in which it handles them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "horae/core/packet.hpp"
#include "horae/core/units.hpp"

namespace horae::fabric {

/// Memory in which the arrivals of a window are put in order: of all devices of a simulation in
/// turn. A key is a time and the place at which the packet was added, in eight bytes, so one
/// counting pass sorts a window. Packets are added sender by sender, that of the lowest port first:
/// of those of one time the one added first comes first.
class ArrivalOrder {
 public:
  /// No window may be longer: times in keys are so many bits of picoseconds (1.1 s).
  static constexpr unsigned time_bits = 40;

  /// Result of `put_in_order`: the arrivals from `next` to `end`.
  struct Cursor {
    const std::uint64_t* next = nullptr;
    const std::uint64_t* end = nullptr;
    Packet* const* packets = nullptr;
    Picoseconds base{};

    bool empty() const { return next == end; }
    /// Time of the first one, which must exist.
    Picoseconds time() const {
      return base + Picoseconds(static_cast<std::int64_t>(*next >> place_bits));
    }
    Packet& packet() const { return *packets[*next & (most - 1)]; }
  };

  /// Arrivals of the window from `begin` to `end` follow; about `likely` of them, of one sender or
  /// of several: that many buckets make sorting fast.
  void start(Picoseconds begin, Picoseconds end, std::uint32_t likely, bool several);

  /// Adds the packets of a sender from `left` on that arrive before `end`, and returns the first
  /// that does not, or `last`. `time_of(*left)`: when it arrives, not before the one before it.
  template <bool several, class Left, class TimeOf>
  Left* add(Left* left, Left* last, Picoseconds end, TimeOf time_of) {
    std::size_t n = count_;
    if (n + static_cast<std::size_t>(last - left) > room_) [[unlikely]]
      grow(n + static_cast<std::size_t>(last - left));
    std::uint64_t* const keys = keys_.get();
    Packet** const packets = packets_.get();
    std::uint32_t* const places = places_.get();
    for (; left != last; ++left) {
      const Picoseconds t = time_of(*left);
      if (t >= end) break;
      __builtin_prefetch(left->packet);
      if constexpr (several) ++places[bucket(t)];
      keys[n] = static_cast<std::uint64_t>((t - base_).count()) << place_bits | n;
      packets[n++] = left->packet;
    }
    count_ = n;
    return left;
  }

  /// Those added, in order; valid until the next window is started.
  Cursor put_in_order(bool several);

 private:
  static constexpr unsigned place_bits = 64 - time_bits;
  static constexpr std::uint64_t most = std::uint64_t{1} << place_bits;

  std::size_t bucket(Picoseconds t) const {
    return static_cast<std::uint64_t>((t - begin_).count()) >> shift_;
  }
  void grow(std::size_t n);
  std::uint64_t* into_buckets();

  Picoseconds base_{};   ///< of times in keys
  Picoseconds begin_{};  ///< of the first bucket
  unsigned shift_ = 0;   ///< a bucket has 2^`shift_` picoseconds
  std::size_t buckets_ = 0;
  std::size_t count_ = 0;
  std::size_t room_ = 0;
  std::unique_ptr<std::uint64_t[]> keys_, sorted_;
  std::unique_ptr<Packet*[]> packets_;
  std::unique_ptr<std::uint32_t[]> places_;  ///< by bucket: packets, then the place of the next one
};

}  // namespace horae::fabric
