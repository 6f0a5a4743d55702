#include "horae/fabric/events/event_queue.hpp"

#include "horae/core/error.hpp"

namespace horae::fabric {
namespace {

/// So many events are put in order while they are gathered; more are sorted afterwards.
constexpr std::size_t few = 24;

/// Puts `e` into its place among the events before `end`, and moves those behind it by one.
inline void insert(Event* begin, Event* end, const Event& e) {
  while (end != begin && e < end[-1]) {
    *end = end[-1];
    --end;
  }
  *end = e;
}

}  // namespace

void EventChunks::grow() {
  blocks_.push_back(std::make_unique_for_overwrite<EventChunk[]>(block_size));
  for (std::size_t i = block_size; i-- > 0;) give_back(&blocks_.back()[i]);
}

EventQueue::EventQueue(unsigned slot_bits, unsigned slots, EventChunks* chunks)
    : slot_bits_(slot_bits),
      mask_(slots - 1),
      ring_(slots),
      occupied_(slots / 64),
      own_(chunks == nullptr ? std::make_unique<EventChunks>() : nullptr),
      chunks_(chunks == nullptr ? own_.get() : chunks) {
  if (slots < 64 || !std::has_single_bit(slots)) throw ModelError("not a calendar's slots");
}

EventQueue::~EventQueue() {
  for (EventChunk* chunk : ring_) {
    while (chunk != nullptr) {
      EventChunk* const next = chunk->next;
      chunks_->give_back(chunk);
      chunk = next;
    }
  }
}

void EventQueue::refuse_past() { throw ModelError("an event was scheduled in its device's past"); }

EventChunk* EventQueue::add_chunk(std::int64_t slot) {
  const std::uint64_t at = static_cast<std::uint64_t>(slot) & mask_;
  occupied_[at / 64] |= std::uint64_t{1} << (at % 64);
  return ring_[at] = chunks_->take(ring_[at]);
}

void EventQueue::push_aside(const Event& e, std::int64_t slot) {
  auto& heap = slot <= current_ ? late_ : far_;
  heap.push_back(e);
  std::push_heap(heap.begin(), heap.end(), later);
}

bool EventQueue::pop_late(Picoseconds end, Event& out) {
  if (late_.front().time >= end) return false;
  std::pop_heap(late_.begin(), late_.end(), later);
  out = late_.back();
  late_.pop_back();
  floor_ = out.time;
  return true;
}

const Event* EventQueue::find_first_before(Picoseconds end) {
  for (;;) {
    if (!late_.empty() && (next_ == last_ || late_.front() < *next_))
      return late_.front().time < end ? late_.data() : nullptr;
    if (next_ != last_) return next_->time < end ? next_ : nullptr;
    const std::int64_t slot = next_slot();
    if (slot == none || slot << slot_bits_ >= end.count()) return nullptr;
    advance_to(slot);
  }
}

/// Moves what has come within the ring's reach, the current slot included, to the ring.
void EventQueue::fetch_far() {
  const std::int64_t end = current_ + static_cast<std::int64_t>(mask_) + 1;
  while (!far_.empty() && far_.front().time.count() >> slot_bits_ < end) {
    std::pop_heap(far_.begin(), far_.end(), later);
    file(far_.back(), far_.back().time.count() >> slot_bits_);
    far_.pop_back();
  }
}

void EventQueue::advance_to(std::int64_t slot) {
  current_ = slot;
  if (!far_.empty()) [[unlikely]]
    fetch_far();
  const std::uint64_t at = static_cast<std::uint64_t>(slot) & mask_;
  std::size_t events = 0;
  for (const EventChunk* c = ring_[at]; c != nullptr; c = c->next) events += c->used;
  reserve(events);
  Event* const first = sorted_.get();
  Event* end = first;
  // Events of one sender come in its order. Among several senders the last pushed is taken first:
  // the clock runs devices in the reverse order of their construction, and of events of one time
  // those of earlier ports come first.
  EventChunk* chunk = ring_[at];
  const bool in_order = chunk->next == nullptr && chunk->events[0] < chunk->events[chunk->used - 1];
  while (chunk != nullptr) {
    const Event* e = in_order ? chunk->events.data() : chunk->events.data() + chunk->used - 1;
    const std::ptrdiff_t step = in_order ? 1 : -1;
    for (std::uint32_t n = chunk->used; n-- > 0; ++end, e += step) {
      __builtin_prefetch(reinterpret_cast<const void*>(e->payload));  // most often a packet
      insert(events <= few ? first : end, end, *e);
    }
    EventChunk* const next = chunk->next;
    chunks_->give_back(chunk);
    chunk = next;
  }
  if (events > few) std::sort(first, end);
  ring_[at] = nullptr;
  occupied_[at / 64] &= ~(std::uint64_t{1} << (at % 64));
  next_ = first;
  last_ = end;
}

void EventQueue::reserve(std::size_t events) {
  if (events <= capacity_) return;
  capacity_ = std::bit_ceil(std::max<std::size_t>(events, 8));
  // One more than are used: take() tells an event of the slot from a late one by its address, and
  // the end of the slot must not be where other memory begins. (Without it an allocator that puts
  // blocks side by side, as ThreadSanitizer's does, made a late event one behind the last of the
  // slot.)
  sorted_ = std::make_unique_for_overwrite<Event[]>(capacity_ + 1);
}

Picoseconds EventQueue::next_time() const {
  Picoseconds t = never;
  if (next_ != last_) t = next_->time;
  if (!late_.empty()) t = std::min(t, late_.front().time);
  if (t != never) return t;
  if (!far_.empty()) t = far_.front().time;
  if (const std::int64_t slot = ring_slot(); slot != none) {
    const EventChunk* chunk = ring_[static_cast<std::uint64_t>(slot) & mask_];
    for (; chunk != nullptr; chunk = chunk->next) {
      for (std::uint32_t i = 0; i < chunk->used; ++i) t = std::min(t, chunk->events[i].time);
    }
  }
  return t;
}

std::size_t EventQueue::size() const {
  std::size_t n = 0;
  for_each([&](const Event&) { ++n; });
  return n;
}

}  // namespace horae::fabric
