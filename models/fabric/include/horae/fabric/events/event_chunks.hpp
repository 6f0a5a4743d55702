// The memory of events that wait in calendars.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "horae/fabric/events/event.hpp"

namespace horae::fabric {

/// A few events of one slot, in no order: four cache lines.
struct alignas(64) EventChunk {
  static constexpr std::uint32_t capacity = 10;
  std::array<Event, capacity> events;
  EventChunk* next;
  std::uint32_t used;
};
static_assert(sizeof(EventChunk) == 256, "four cache lines");

/// Chunks that all devices of a simulation share. The one given back last is taken first: what is
/// touched is what is pending, however many slots the calendars have. With slots that kept memory
/// of their own, each of 4,096 NICs would walk through 12 KB of it, over and over.
class EventChunks {
 public:
  EventChunks() = default;
  EventChunks(const EventChunks&) = delete;
  EventChunks& operator=(const EventChunks&) = delete;

  /// An empty chunk before `next`.
  EventChunk* take(EventChunk* next) {
    if (free_ == nullptr) [[unlikely]]
      grow();
    EventChunk* chunk = free_;
    free_ = chunk->next;
    chunk->next = next;
    chunk->used = 0;
    return chunk;
  }
  void give_back(EventChunk* chunk) {
    chunk->next = free_;
    free_ = chunk;
  }
  /// Bytes of all chunks, in use or not.
  std::size_t bytes() const { return blocks_.size() * block_size * sizeof(EventChunk); }

 private:
  static constexpr std::size_t block_size = 64;
  void grow();

  EventChunk* free_ = nullptr;
  std::vector<std::unique_ptr<EventChunk[]>> blocks_;
};

}  // namespace horae::fabric
