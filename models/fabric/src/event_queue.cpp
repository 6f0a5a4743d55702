#include "horae/fabric/event_queue.hpp"

#include "horae/core/error.hpp"

namespace horae::fabric {

void EventQueue::refuse_past() { throw ModelError("an event was scheduled in its device's past"); }

void EventQueue::Slot::grow() {
  capacity = std::max<std::size_t>(8, capacity * 2);
  auto larger = std::make_unique<Event[]>(capacity);
  std::copy_n(events.get(), used, larger.get());
  events = std::move(larger);
}

}  // namespace horae::fabric
