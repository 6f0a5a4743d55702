// The NIC with host memory of a user's own: what waits for answers whose times are not known.
#include <algorithm>
#include <utility>

#include "horae/rnic/rnic.hpp"
#include "rnic_events.hpp"

namespace horae::rnic {

void rnic::serve_host() {
  host_.link->serve({&context_, number(), runs_here(),
                     [this](Picoseconds at, std::uint64_t ordinal, std::uint32_t access) {
                       hear(at, access_event, ordinal, access);
                     }});
  const auto failed = [this](std::size_t i, Picoseconds now) { host_failed(i, now); };
  host_.fetcher->fail_by(failed);
  if (!host_.contexts) return;
  host_.contexts->release_by([this](std::size_t i, Picoseconds ready) { contexts_known(i, ready); },
                             failed);
}

void rnic::host_failed(std::size_t i, Picoseconds now) {
  if (!qps_[i].in_error()) fail(i, now);
}

void rnic::await_read(std::size_t i, WhenDone then) {
  host_.link->when_known(
      [this, i, then = std::move(then)](Picoseconds now, Picoseconds at, bool ok) {
        then(now, at);
        if (!ok) host_failed(i, now);
      });
}

void rnic::await_write(std::size_t i, Bytes leaves) {
  unanswered_.write(i);
  qps_[i].written_until = never;
  host_.link->when_known([this, i, leaves](Picoseconds now, Picoseconds at, bool) {
    if (leaves > 0_B) {
      host_.rx_buffer.leaves(leaves, at);
      plan_resumes(now);
    }
    unanswered_.written(i, now, at, [&](Picoseconds last) { qps_[i].written_until = last; });
  });
}

void rnic::contexts_known(std::size_t i, Picoseconds ready) {
  for (Packet* const p : unanswered_.take_packets(i))
    schedule(ready, context_event, 0, event_ordinal_++, reinterpret_cast<std::uintptr_t>(p));
}

void rnic::await_service_read(std::size_t slot) {
  unanswered_.begin_read(slot);
  await_read(nacks_.service(slot).qp, [this, slot](Picoseconds, Picoseconds at) {
    if (!unanswered_.end_read(slot, at)) return;
    schedule(at, service_event, static_cast<std::uint16_t>(slot), event_ordinal_++);
  });
}

}  // namespace horae::rnic
