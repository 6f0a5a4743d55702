// The local event queue of one device: a calendar of time slots, each sorted when its turn comes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "horae/core/units.hpp"

namespace horae::fabric {

/// Something that happens in a device. Events of a device are handled in the order of (time, key).
struct Event {
  Picoseconds time;
  std::uint64_t key;      ///< see make_key(): unique among a device's events of one time
  std::uint64_t payload;  ///< of the device's choice: a packet's address, an index

  friend bool operator<(const Event& a, const Event& b) {
    return a.time != b.time ? a.time < b.time : a.key < b.key;
  }
};

/// Key of an event: its kind (0-255; also its priority among events of one time), what it concerns
/// (a port, a queue pair), and an ordinal that makes it unique. Keys must come from the model
/// alone, never from the order in which SystemC happened to run processes.
constexpr std::uint64_t make_key(std::uint8_t kind, std::uint16_t entity, std::uint64_t ordinal) {
  return static_cast<std::uint64_t>(kind) << 56 | static_cast<std::uint64_t>(entity) << 40 |
         (ordinal & ((std::uint64_t{1} << 40) - 1));
}
constexpr std::uint8_t key_kind(std::uint64_t key) { return static_cast<std::uint8_t>(key >> 56); }
constexpr std::uint16_t key_entity(std::uint64_t key) {
  return static_cast<std::uint16_t>(key >> 40);
}

/// Pending events of one device. Pushing is O(1) into the slot of the event's time; a slot is
/// sorted once, when the device reaches it. Events beyond the calendar (timers) wait in a heap.
class EventQueue {
 public:
  /// Slots are 2^`slot_bits` picoseconds wide; the calendar spans 64 of them.
  explicit EventQueue(unsigned slot_bits = 17) : slot_bits_(slot_bits) {}

  /// Adds an event. A time before that of the last event taken breaks causality: ModelError.
  void push(const Event& e) {
    if (e.time < floor_) [[unlikely]]
      refuse_past();
    const std::int64_t slot = e.time.count() >> slot_bits_;
    const auto ahead = static_cast<std::uint64_t>(slot - current_ - 1);
    if (ahead < slots - 1) [[likely]] {
      ring_[slot & (slots - 1)].push(e);
      occupied_ |= std::uint64_t{1} << (slot & (slots - 1));
    } else {
      push_aside(e, slot);
    }
  }

  /// Takes the earliest event if its time is before `end`.
  bool pop_before(Picoseconds end, Event& out) {
    for (;;) {
      if (late_.empty()) [[likely]] {
        if (next_ != last_) [[likely]] {
          if (next_->time >= end) return false;
          out = *next_++;
          floor_ = out.time;
          return true;
        }
      } else if (next_ == last_ || late_.front() < *next_) {
        return pop_late(end, out);
      } else {
        if (next_->time >= end) return false;
        out = *next_++;
        floor_ = out.time;
        return true;
      }
      const std::int64_t slot = next_slot();
      if (slot == none || slot << slot_bits_ >= end.count()) return false;
      advance_to(slot);
    }
  }

  /// Time of the earliest event, or `never`.
  Picoseconds next_time() const {
    Picoseconds t = never;
    if (next_ != last_) t = next_->time;
    if (!late_.empty()) t = std::min(t, late_.front().time);
    if (t != never) return t;
    if (!far_.empty()) t = far_.front().time;
    if (occupied_ != 0) {
      const Slot& slot = ring_[ring_slot() & (slots - 1)];
      for (std::size_t i = 0; i < slot.used; ++i) t = std::min(t, slot.events[i].time);
    }
    return t;
  }

  std::size_t size() const {
    std::size_t n = static_cast<std::size_t>(last_ - next_) + late_.size() + far_.size();
    for (const auto& slot : ring_) n += slot.used;
    return n;
  }
  bool empty() const { return next_ == last_ && late_.empty() && far_.empty() && occupied_ == 0; }

  /// Calls `f` with every pending event, in no order.
  template <class F>
  void for_each(F&& f) const {
    std::for_each(next_, last_, f);
    std::for_each(late_.begin(), late_.end(), f);
    std::for_each(far_.begin(), far_.end(), f);
    for (const auto& slot : ring_) {
      std::for_each(slot.events.get(), slot.events.get() + slot.used, f);
    }
  }

 private:
  static constexpr std::int64_t slots = 64;
  static constexpr std::int64_t none = -1;
  static bool later(const Event& a, const Event& b) { return b < a; }

  /// Events without an order; emptied whole, so its memory is kept and adding is a store.
  struct Slot {
    std::unique_ptr<Event[]> events;
    std::size_t used = 0;
    std::size_t capacity = 0;

    void push(const Event& e) {
      if (used == capacity) [[unlikely]]
        grow();
      events.get()[used++] = e;
    }
    void grow();
  };

  [[noreturn]] static void refuse_past();

  /// For the current slot, which is sorted already, or beyond the ring.
  void push_aside(const Event& e, std::int64_t slot) {
    auto& heap = slot <= current_ ? late_ : far_;
    heap.push_back(e);
    std::push_heap(heap.begin(), heap.end(), later);
  }

  bool pop_late(Picoseconds end, Event& out) {
    if (late_.front().time >= end) return false;
    std::pop_heap(late_.begin(), late_.end(), later);
    out = late_.back();
    late_.pop_back();
    floor_ = out.time;
    return true;
  }

  /// First occupied slot of the ring after the current one (one must be occupied).
  std::int64_t ring_slot() const {
    const int shift = static_cast<int>((current_ + 1) & (slots - 1));
    return current_ + 1 + std::countr_zero(std::rotr(occupied_, shift));
  }

  std::int64_t next_slot() const {
    std::int64_t slot = none;
    if (occupied_ != 0) slot = ring_slot();
    if (!far_.empty()) {
      const std::int64_t far_slot = far_.front().time.count() >> slot_bits_;
      if (slot == none || far_slot < slot) slot = far_slot;
    }
    return slot;
  }

  void advance_to(std::int64_t slot) {
    current_ = slot;
    Slot& bucket = ring_[slot & (slots - 1)];
    sorted_.used = 0;
    std::swap(sorted_, bucket);
    occupied_ &= ~(std::uint64_t{1} << (slot & (slots - 1)));
    while (!far_.empty() && far_.front().time.count() >> slot_bits_ < current_ + slots) {
      std::pop_heap(far_.begin(), far_.end(), later);
      const Event e = far_.back();
      far_.pop_back();
      const std::int64_t s = e.time.count() >> slot_bits_;
      if (s == current_) {
        sorted_.push(e);
      } else {
        ring_[s & (slots - 1)].push(e);
        occupied_ |= std::uint64_t{1} << (s & (slots - 1));
      }
    }
    Event* first = sorted_.events.get();
    std::sort(first, first + sorted_.used);
    next_ = first;
    last_ = first + sorted_.used;
  }

  unsigned slot_bits_;
  Picoseconds floor_{};
  const Event* next_ = nullptr;  ///< events of the current slot, sorted, from here ...
  const Event* last_ = nullptr;  ///< ... to here
  std::vector<Event> late_;      ///< heap: events pushed for the current slot after it was sorted
  std::int64_t current_ = -1;    ///< the slot in `sorted_`
  std::uint64_t occupied_ = 0;   ///< bit per slot of the ring
  std::array<Slot, slots> ring_;
  Slot sorted_;
  std::vector<Event> far_;  ///< heap: beyond the ring
};

}  // namespace horae::fabric
