// Receiver-driven congestion control: the NIC grants packets to its senders at their pace, and
// spends what it was granted.
#include <algorithm>

#include "horae/rnic/rnic.hpp"
#include "rnic_events.hpp"

namespace horae::rnic {

void rnic::begin_pulls() {
  const auto make = policy::find_congestion_algorithm(config_.congestion.algorithm).make_grants;
  if (make == nullptr) return;
  // A full data packet with what attach() adds.
  const Bytes head(wire::grant + (config_.reth_on_every_packet ? wire::reth : 0));
  const Bytes roce = frame_bytes(Opcode::write_middle, config_.mtu) + head;
  const Bytes frame =
      config_.frames == Frames::roce ? roce : other_frame(config_.frames, config_.mtu, roce);
  grants_ = make(config_.congestion, config_.mtu, serialisation_time(l1_bytes(frame), line_rate_));
}

void rnic::take_announcement(std::size_t i, const Packet& data, bool refused, Picoseconds now) {
  // Pulls go back by the way of the last packet, as acknowledgements do.
  qps_[i].pull_entropy = data.entropy;
  grants_->on_announced(i, data.msn);
  if (refused) grants_->on_trimmed(i);
  grant(now);
}

void rnic::grant(Picoseconds now) {
  if (grant_planned_ || !grants_->any()) return;
  if (next_grant_ <= now) {
    const policy::GrantPoint::Grant g = grants_->next();
    responses_.push_pull(static_cast<std::uint16_t>(g.qp), g.granted, now);
    next_grant_ = now + grants_->interval();
    if (!grants_->any()) return;
  }
  grant_planned_ = true;
  schedule(next_grant_, grant_event, 0, event_ordinal_++);
}

void rnic::send_pull(const PendingResponse& r) {
  constexpr Bytes granted(wire::grant);
  const QueuePair& qp = qps_[r.qp];
  Packet& pull = new_packet(qp, Opcode::pull, granted);
  pull.msn = r.response.msn;
  pull.entropy = qp.pull_entropy;
  pull.frame = static_cast<std::uint16_t>(frame_bytes(Opcode::pull, granted).count());
  pull.traffic_class = static_cast<std::uint8_t>(config_.ack_traffic_class);
  ++counters_.pulls_sent;
  put_on_wire(pull, "PULL");
}

void rnic::receive_pull(std::size_t i, const Packet& p, Picoseconds now) {
  ++counters_.pulls_received;
  QueuePair& qp = qps_[i];
  if (qp.credited == nullptr) return;  // of an algorithm that its sender does not have
  qp.credited->on_pull(p.msn);
  settle_credit(i, false, now);
  refresh(i);
}

void rnic::spend(QueuePair& qp, Packet& data) {
  const Bytes unsent = data.retransmission ? 0_B : Bytes(data.payload);
  data.msn = qp.credited->on_spent(Bytes(data.payload), qp.waiting() - unsent);
  data.frame = static_cast<std::uint16_t>(data.frame + wire::grant);
}

void rnic::settle_credit(std::size_t i, bool fresh, Picoseconds now) {
  QueuePair& qp = qps_[i];
  qp.credited->settle(qp.in_flight(), fresh);
  watch_window(qp);
  const bool starves = !qp.window_open && qp.in_flight() == 0_B && qp.sender().can_send();
  const Picoseconds timeout = config_.reliability.timeout();
  const bool ends = starves && timeout != never;
  qp.starves_at = ends ? std::min(qp.starves_at, now + timeout) : never;
}

}  // namespace horae::rnic
