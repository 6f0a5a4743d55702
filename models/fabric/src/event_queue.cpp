#include "horae/fabric/event_queue.hpp"

#include "horae/core/error.hpp"

namespace horae::fabric {

void EventQueue::refuse_past() { throw ModelError("an event was scheduled in its device's past"); }

}  // namespace horae::fabric
