// The local event queue of one device: a calendar of time slots, each sorted when its turn comes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/fabric/events/event_chunks.hpp"

namespace horae::fabric {

/// Pending events of one device. Pushing is O(1) into the slot of the event's time; a slot is
/// sorted once, when the device reaches it. Events beyond the calendar (timers) wait in a heap.
class EventQueue {
 public:
  /// Slots are 2^`slot_bits` picoseconds wide; the calendar spans `slots` of them, a power of two
  /// from 64 up. `chunks` is where slots take their memory from; without it the queue has its own.
  explicit EventQueue(unsigned slot_bits = 17, unsigned slots = 64, EventChunks* chunks = nullptr);
  /// Slots take their memory from there; before the first event.
  void use(EventChunks& chunks) { chunks_ = &chunks; }
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;
  ~EventQueue();

  /// Adds an event. A time before that of the last event taken breaks causality: ModelError.
  void push(const Event& e) {
    if (e.time < floor_) [[unlikely]]
      refuse_past();
    soonest_ = std::min(soonest_, e.time);
    const std::int64_t slot = e.time.count() >> slot_bits_;
    const auto ahead = static_cast<std::uint64_t>(slot - current_ - 1);
    if (ahead >= mask_) [[unlikely]]
      return push_aside(e, slot);
    file(e, slot);
  }

  /// Calls `f(event)` with every event before `end`, the earliest first, those included that `f`
  /// pushes. The reference holds until `f` returns.
  template <class F>
  void take_before(Picoseconds end, F&& f) {
    for (;;) {
      while (next_ != last_ && late_.empty()) {
        const Event& e = *next_;
        if (e.time >= end) return;
        ++next_;
        floor_ = e.time;
        f(e);
      }
      if (!late_.empty()) [[unlikely]] {
        Event e;
        if (!pop_before(end, e)) return;
        f(e);
      } else {
        const std::int64_t slot = next_slot();
        if (slot == none || slot << slot_bits_ >= end.count()) return;
        advance_to(slot);
      }
    }
  }

  /// Takes the earliest event if its time is before `end`.
  bool pop_before(Picoseconds end, Event& out) {
    for (;;) {
      if (!late_.empty() && (next_ == last_ || late_.front() < *next_)) return pop_late(end, out);
      if (next_ != last_) {
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

  /// The earliest event if its time is before `end`, or null; `take` takes it. For who has events
  /// of its own between those of the queue.
  const Event* first_before(Picoseconds end) {
    if (next_ != last_ && late_.empty()) [[likely]]
      return next_->time < end ? next_ : nullptr;
    return find_first_before(end);
  }
  /// Takes what `first_before` has just found: `f(event)`, whose reference holds until `f` returns.
  template <class F>
  void take(const Event* first, F&& f) {
    if (first == next_) [[likely]] {
      ++next_;
      floor_ = first->time;
      return f(*first);
    }
    Event e;
    pop_late(never, e);
    f(e);
  }

  /// No event is earlier: a bound that costs one comparison, for who has many events of its own
  /// between those of the queue. It is what was last said, or the time of what was pushed since.
  Picoseconds soonest() const { return soonest_; }
  /// `t`: no event is earlier now.
  void know_soonest(Picoseconds t) { soonest_ = t; }
  /// The first one was taken.
  void forget_soonest() { soonest_ = next_ != last_ && late_.empty() ? next_->time : floor_; }

  /// Time of the earliest event, or `never`.
  Picoseconds next_time() const;
  /// Whether nothing is pending at `t`, the time of the event taken last.
  bool nothing_more_at(Picoseconds t) const {
    return (next_ == last_ || next_->time > t) && (late_.empty() || late_.front().time > t);
  }
  std::size_t size() const;
  bool empty() const {
    return next_ == last_ && late_.empty() && far_.empty() && ring_slot() == none;
  }

  /// Calls `f` with every pending event, in no order.
  template <class F>
  void for_each(F&& f) const {
    std::for_each(next_, last_, f);
    std::for_each(late_.begin(), late_.end(), f);
    std::for_each(far_.begin(), far_.end(), f);
    for (const EventChunk* chunk : ring_) {
      for (; chunk != nullptr; chunk = chunk->next)
        std::for_each(chunk->events.begin(), chunk->events.begin() + chunk->used, f);
    }
  }

 private:
  static constexpr std::int64_t none = -1;
  static bool later(const Event& a, const Event& b) { return b < a; }

  /// Into a slot within the ring's reach.
  void file(const Event& e, std::int64_t slot) {
    // Both places are known to exist: they are not checked once more.
    EventChunk* chunk = ring_.data()[static_cast<std::uint64_t>(slot) & mask_];
    if (chunk == nullptr || chunk->used == EventChunk::capacity) [[unlikely]]
      chunk = add_chunk(slot);
    chunk->events.data()[chunk->used++] = e;
  }
  [[noreturn]] static void refuse_past();
  const Event* find_first_before(Picoseconds end);
  EventChunk* add_chunk(std::int64_t slot);
  /// For the current slot, which is sorted already, or beyond the ring.
  void push_aside(const Event& e, std::int64_t slot);
  bool pop_late(Picoseconds end, Event& out);
  /// First occupied slot of the ring after the current one, or `none`.
  std::int64_t ring_slot() const {
    const std::uint64_t from = static_cast<std::uint64_t>(current_ + 1) & mask_;
    std::size_t word = from / 64;
    std::uint64_t bits = occupied_[word] >> (from % 64);
    if (bits != 0) [[likely]]
      return current_ + 1 + std::countr_zero(bits);
    std::int64_t slot = current_ + 1 + static_cast<std::int64_t>(64 - from % 64);
    for (std::size_t i = 0; i < occupied_.size(); ++i, slot += 64) {
      word = word + 1 == occupied_.size() ? 0 : word + 1;
      if (occupied_[word] != 0) return slot + std::countr_zero(occupied_[word]);
    }
    return none;
  }
  std::int64_t next_slot() const {
    const std::int64_t slot = ring_slot();
    if (far_.empty()) [[likely]]
      return slot;
    const std::int64_t far_slot = far_.front().time.count() >> slot_bits_;
    return slot == none ? far_slot : std::min(slot, far_slot);
  }
  void advance_to(std::int64_t slot);
  void fetch_far();
  /// Makes room for as many events in `sorted_`.
  void reserve(std::size_t events);

  unsigned slot_bits_;
  std::uint64_t mask_;  ///< slots of the ring - 1
  Picoseconds floor_{};
  Picoseconds soonest_{};
  const Event* next_ = nullptr;    ///< events of the current slot, sorted, from here ...
  const Event* last_ = nullptr;    ///< ... to here
  std::vector<Event> late_;        ///< heap: events pushed for the current slot after it was sorted
  std::int64_t current_ = -1;      ///< the slot in `sorted_`
  std::vector<EventChunk*> ring_;  ///< by slot: its chunks, the last one first
  std::vector<std::uint64_t> occupied_;  ///< bit per slot of the ring: it has a chunk
  std::unique_ptr<Event[]> sorted_;
  std::size_t capacity_ = 0;  ///< of `sorted_`
  std::vector<Event> far_;    ///< heap: beyond the ring
  std::unique_ptr<EventChunks> own_;
  EventChunks* chunks_;
};

}  // namespace horae::fabric
