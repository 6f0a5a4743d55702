// What the NIC's congestion control hears of acknowledgements, and what its window lets go.
#include "horae/rnic/rnic.hpp"

namespace horae::rnic {

void rnic::begin_congestion_control() {
  // All devices are constructed: any NIC may have asked for feedback.
  echoes_ = context_.pool.carries_feedback();
  listens_ = listening_.acks;
  if (!policy::find_congestion_algorithm(config_.congestion.algorithm).controls_rates) return;
  for (std::size_t i = 0; i < qps_.size(); ++i) {
    QueuePair& qp = qps_[i];
    qp.reaction = policy::make_reaction_point(config_.congestion, tx(0).link().rate);
    qp.notification = policy::make_notification_point(config_.congestion);
  }
}

void rnic::ask_for_feedback(Packet& data) {
  Feedback& f = feedback_of(data);
  f.asked = true;
  f.records = listening_.telemetry;
  f.sent = data.created;
  if (listening_.times) f.head = static_cast<std::uint16_t>(f.head + timestamp_bytes);
  if (listening_.telemetry) f.head = static_cast<std::uint16_t>(f.head + telemetry_head_bytes);
  data.frame = static_cast<std::uint16_t>(data.frame + f.head);
}

void rnic::keep_echo(const Packet& data) {
  Feedback echo = feedback_of(data);
  echo.records = false;  // switches on the way back add nothing
  echo.marked = data.ecn == Ecn::ce;
  responses_.push_echo(echo);
}

void rnic::add_echo(Packet& response) {
  Feedback& f = feedback_of(response);
  f = responses_.pop_echo();
  response.frame = static_cast<std::uint16_t>(response.frame + f.wire_bytes());
}

void rnic::hear(const Packet& ack, Picoseconds now) {
  const Feedback& f = feedback_of(ack);
  heard_.push_back({f, now - f.sent});
}

void rnic::heed(std::size_t i, const AckInfo& ack, Picoseconds now) {
  QueuePair& qp = qps_[i];
  const Heard& heard = heard_.front();
  const Feedback& f = heard.feedback;
  const std::int64_t acked = qp.acked_bytes();
  qp.reaction->on_ack({.expected = qp.sender().oldest_unacked(),
                       .next_new = qp.next_new(),
                       .acked = Bytes(acked - qp.heard_bytes),
                       .marked = f.marked,
                       .rtt = heard.rtt,
                       .path = f.path,
                       .hops = f.stack()},
                      now);
  qp.heard_bytes = acked;
  if (ack.nack) qp.reaction->on_nack(now);
  heard_.pop_front();
  watch_window(qp);
  refresh(i);
}

void rnic::watch_window(QueuePair& qp) {
  qp.window_open = qp.sent_bytes - qp.acked_bytes() < qp.reaction->window().count();
}

}  // namespace horae::rnic
