// A switch's egress queue that has no room: which packet goes, and whether it is cut or dropped.
#include <algorithm>
#include <cmath>
#include <limits>

#include "horae/fabric/devices/output_queued_switch.hpp"

namespace horae::fabric {

bool SwitchConfig::limits_queues() const {
  const auto limits = [](const ClassConfig& c) { return c.limit.count() > 0; };
  return queue_limit.count() > 0 || queue_share > 0 ||
         (classes && std::any_of(classes->begin(), classes->end(), limits));
}

std::int64_t SwitchConfig::limit_at(BitRate rate) const {
  if (queue_limit.count() == 0) return std::numeric_limits<std::int64_t>::max();
  return (reference_rate ? in_proportion(queue_limit, rate, *reference_rate) : queue_limit).count();
}

[[gnu::noinline]] bool output_queued_switch::make_room(Packet& p, unsigned port, DropCause cause,
                                                       Picoseconds t) {
  OutputPort& out = egress(port).out;
  const Packet* const last =
      half_ && cause == DropCause::queue_full ? out.last(p.traffic_class) : nullptr;
  // A shorter one would not make room enough.
  if (last == nullptr || last->frame < p.frame || !half_->chance(0.5)) {
    trim_or_drop(p, port, cause, t);
    return false;
  }
  Packet& loser = out.take_last(p.traffic_class);
  due(port) = out.next_start();
  --counters_.forwarded;
  if (is_in(counted_, loser)) release(queue_of(loser), loser.frame, t);
  trim_or_drop(loser, port, cause, t);
  return true;
}

void output_queued_switch::trim_or_drop(Packet& p, unsigned port, DropCause cause, Picoseconds t) {
  const bool room = cause == DropCause::queue_full || cause == DropCause::buffer_full;
  if (!config_.trims() || !room || !p.is_data()) return drop(p, cause, t);
  p.payload = 0;
  p.frame = std::min(p.frame, static_cast<std::uint16_t>(config_.trim->count()));
  p.trimmed = true;
  p.traffic_class = static_cast<std::uint8_t>(config_.class_of_trimmed());
  p.mirror_type = 0;  // it has that class from here on, whatever it came with
  ++counters_.trimmed;
  ++counters_.forwarded;
  if (auto* w = watcher()) w->queued(*this, port, p.traffic_class, p, t);
  enqueue(p, port, t);
  arm(port);
}

}  // namespace horae::fabric
