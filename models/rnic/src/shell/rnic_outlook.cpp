// Events that can still happen in a NIC that makes no progress.
#include <algorithm>

#include "horae/rnic/rnic.hpp"
#include "rnic_events.hpp"

namespace horae::rnic {

/// Packets behind a paused port wait for others: they say what can still happen.
void rnic::own_outlook(fabric::Outlook& outlook) const {
  events_.for_each([&](const fabric::Event& e) {
    const auto kind = fabric::key_kind(e.key);
    if (kind < fabric::device_events || kind == timer_event) return;
    if ((kind == context_event || kind == engine_event) && arrived(e).again) return;
    if (kind == handshake_event) {
      const std::size_t qp = fabric::key_entity(e.key);
      if (!qps_[qp].connecting || e.payload > context_.repetition.most) return;
    }
    outlook.expect(e.time);
  });
  if (host_.link && host_.link->open() > 0)
    outlook.expect(fabric::from_sc_time(sc_core::sc_time_stamp()));
  if (!host_.wqe_reads.empty()) outlook.expect(std::max(cursor_, host_.wqe_reads.next()));
  if (ports_) return ports_outlook(outlook);
  if (!responses_.empty() && !paused(config_.ack_traffic_class))
    outlook.expect(std::max(cursor_, responses_.next_ready()));
  for (std::size_t i = 0; i < qps_.size(); ++i) {
    const QueuePair& qp = qps_[i];
    if (!paused(qp.traffic_class) && qp.timer_at != never && !exceeds_retries(qp))
      outlook.expect(std::min(qp.sender().next_deadline(), qp.starves_at));
  }
  if (nacks_.stalls_port()) return;
  scheduler_.for_each_sending(
      [&](const QueuePair& qp, std::size_t i) {
        if (exceeds_retries(qp)) return;
        const Picoseconds opens = scheduler_.gate(i).at;
        if (opens != never) outlook.expect(std::max({cursor_, opens, qp.context_ready}));
      },
      paused_);
}

}  // namespace horae::rnic
