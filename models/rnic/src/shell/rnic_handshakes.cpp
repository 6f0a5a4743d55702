// TCP handshakes before the first message of a connection.
#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/rnic/rnic.hpp"
#include "rnic_events.hpp"

namespace horae::rnic {

/// The handshake of a queue pair with messages begins before the first of them, as its lead says.
void rnic::plan_handshake(std::size_t i) {
  QueuePair& qp = qps_[i];
  if (!qp.has_source()) return;
  qp.connecting = true;
  const Picoseconds first = qp.post_due(Picoseconds(-1));
  const Picoseconds begins =
      first == never ? 0_ps : std::max(0_ps, first - config_.handshake_lead.value_or(0_ps));
  schedule(begins, handshake_event, static_cast<std::uint16_t>(i), event_ordinal_++, 0);
}

/// A SYN, if nothing came of the first `attempts`.
void rnic::try_handshake(std::size_t i, std::uint64_t attempts, Picoseconds now) {
  if (!qps_[i].connecting || handshakes_.attempts(i) != attempts) return;
  send_segment(i, handshakes_.begin(i), now);
  schedule(now + Handshakes::retry, handshake_event, static_cast<std::uint16_t>(i),
           event_ordinal_++, attempts + 1);
}

void rnic::send_segment(std::size_t i, const TcpSegment& segment, Picoseconds now) {
  handshakes_.put(segment);
  responses_.push_segment(static_cast<std::uint16_t>(i), now);
}

/// Both directions of a connection name the client's port, which is the entropy of the queue pairs.
void rnic::receive_segment(const Packet& p, Picoseconds now) {
  if (segment_qps_.empty()) {
    for (std::size_t i = 0; i < qps_.size(); ++i) {
      const auto& c = qps_[i].config();
      if (segment_qps_.try_emplace({c.peer, c.entropy}, i).second) continue;
      throw InputError(
          fmt::format("{}: two connections with node {} have the same port, {}: there are too many "
                      "for handshakes",
                      name(), c.peer, c.entropy));
    }
  }
  const auto found = segment_qps_.find({p.src, p.entropy});
  if (found == segment_qps_.end()) return;
  const std::size_t i = found->second;
  const bool of_peer = p.id >> 40 == p.src;
  const auto out = handshakes_.receive(i, qps_[i].has_source(), TcpSegment::of(p), of_peer);
  if (out.answer) send_segment(i, *out.answer, now);
  if (out.again) try_handshake(i, handshakes_.attempts(i), now);
  if (!out.connected) return;
  qps_[i].connecting = false;
  post(i, now);
}

/// Puts the oldest segment on the wire, in the class of acknowledgements.
void rnic::send_waiting_segment(std::size_t i) {
  Packet& p = new_packet(qps_[i], Opcode::none, Bytes(0));
  handshakes_.take().write_to(p);
  p.traffic_class = static_cast<std::uint8_t>(config_.ack_traffic_class);
  put_on_wire(p, "TCP");
}

}  // namespace horae::rnic
