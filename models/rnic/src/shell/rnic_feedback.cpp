// Feedback of acknowledgements to the NIC's congestion control and entropy schemes, and packets
// that a window lets go.
#include <fmt/format.h>

#include <algorithm>

#include "horae/rnic/rnic.hpp"

namespace horae::rnic {

void rnic::begin_congestion_control() {
  // All devices are constructed: any NIC may have asked for feedback.
  echoes_ = context_.pool.carries_feedback();
  if (!policy::find_congestion_algorithm(config_.congestion.algorithm).controls_rates) return;
  for (std::size_t i = 0; i < qps_.size(); ++i) {
    QueuePair& qp = qps_[i];
    qp.reaction =
        policy::make_reaction_point(config_.congestion, queue_pair_line_rate(), config_.mtu);
    qp.notification = policy::make_notification_point(config_.congestion);
    qp.credited = qp.reaction->credited();
  }
}

void rnic::begin_steering() {
  if (policy::find_entropy_scheme(config_.entropy.scheme).constant) return;
  const Picoseconds base_rtt = config_.base_rtt.value_or(10_us);
  const auto bdp = static_cast<std::uint32_t>(
      base_rtt / serialisation_time(config_.mtu, queue_pair_line_rate()));
  for (std::size_t i = 0; i < qps_.size(); ++i) {
    QueuePair& qp = qps_[i];
    if (!qp.has_source() || !qp.config().spray) continue;
    policy::EntropyContext about{
        .own = qp.config().entropy,
        .ordinal = qp.config().ordinal,
        .base_rtt = base_rtt,
        .rto = config_.reliability.timeout(),
        .bdp_packets = std::max(bdp, 1u),
        .trimming = config_.trimming,
        .random = RandomStream(
            context_.seed, fmt::format("{}.entropy.{}", name(), number_of(i).value() - first_qpn))};
    qp.steering = std::make_unique<Steering>(
        make_entropy_ ? make_entropy_(i, std::move(about))
                      : policy::make_entropy(config_.entropy, std::move(about)));
  }
}

void rnic::inherit_state(QueuePair& qp) {
  const auto last = finished_last_.find(qp.config().peer);
  if (last == finished_last_.end()) return;
  QueuePair& old = qps_[last->second];
  finished_last_.erase(last);
  if (qp.steering && old.steering) qp.steering->swap_scheme(*old.steering);
  if (!policy::find_congestion_algorithm(config_.congestion.algorithm).keeps) return;
  qp.reaction.swap(old.reaction);
  watch_window(qp);
}

void rnic::ask_by_messages(const QueuePair& qp, Packet& data, const policy::Transmission& t) const {
  // A retransmission requests an ACK: its acknowledgement may be what was lost.
  if (!ends_message(data.opcode) || data.retransmission || !qp.posted(t.psn + 1)) return;
  if ((qp.place(t.psn).message + 1) % *config_.ack_messages != 0) data.ack_request = t.ack_request;
}

void rnic::add_header_options(QueuePair& qp, Packet& data, const policy::Transmission& t) {
  if (config_.ack_messages) ask_by_messages(qp, data, t);
  if (listens_) attach_feedback(qp, data, t.psn);
  if (config_.frames != Frames::roce)
    data.frame = static_cast<std::uint16_t>(
        other_frame(config_.frames, Bytes(data.payload), Bytes(data.frame)).count());
}

void rnic::attach_feedback(QueuePair& qp, Packet& data, Psn psn) {
  Feedback& f = feedback_of(data);
  f.asked = true;
  f.records = listening_.telemetry;
  f.sent = data.created;
  if (listening_.times) f.head = static_cast<std::uint16_t>(f.head + timestamp_bytes);
  if (listening_.telemetry) f.head = static_cast<std::uint16_t>(f.head + telemetry_head_bytes);
  data.frame = static_cast<std::uint16_t>(data.frame + f.head);
  if (qp.steering) {
    f.steered = true;
    data.entropy =
        qp.steering->next(psn, data.created, [&qp] { return qp.sender().oldest_unacked(); });
  }
  if (policy::SelectiveSender* const selective = qp.selective_sender()) {
    selective->on_sent(psn, Bytes(data.payload));
    if (qp.credited != nullptr) spend(qp, data);
    // The packet that fills the window requests an ACK: nothing can follow until one arrives.
    if (qp.reaction && selective->in_flight() >= qp.reaction->window()) data.ack_request = true;
  }
}

void rnic::keep_echo(QueuePair& qp, const Packet& data) {
  Feedback echo = feedback_of(data);
  echo.records = false;  // switches on the way back add nothing
  echo.marked = data.ecn == Ecn::ce;
  echo.entropy = data.entropy;
  if (policy::SelectiveReceiver* const selective = qp.selective_receiver()) {
    echo.report = selective->report();
  }
  responses_.push_echo(echo);
}

void rnic::add_echo(Packet& response) {
  Feedback& f = feedback_of(response);
  f = responses_.pop_echo();
  response.frame = static_cast<std::uint16_t>(response.frame + f.wire_bytes());
  // It goes back by the way of the packet that caused it, as far as switches hash alike.
  if (f.steered) response.entropy = f.entropy;
}

void rnic::apply_ack(std::size_t i, const AckInfo& ack, const Heard& heard, Picoseconds now) {
  QueuePair& qp = qps_[i];
  Bytes delivered{}, lost{};
  Psn nacked = ack.psn;
  if (policy::SelectiveSender* const selective = qp.selective_sender()) {
    const auto outcome = selective->on_report(ack.psn, heard.feedback.report, now);
    delivered = outcome.delivered;
    lost = outcome.lost;
    nacked = heard.feedback.report.cause;
    progressed(i, outcome.ack, now);
  } else {
    // Packets that arrived out of order are known before anything is sent again.
    if (ack.received != 0) qp.sender().on_received(ack.psn + ack.received);
    progressed(i, qp.sender().on_ack(ack.psn, now), now);
    const std::int64_t acked = qp.acked_bytes();
    delivered = Bytes(acked - qp.heard_bytes);
    qp.heard_bytes = acked;
  }
  on_feedback(qp, ack, heard, delivered, lost, now);
  if (qp.credited != nullptr) settle_credit(i, false, now);
  refresh(i);
  if (ack.rnr > 0) return put_off(i, ack, now);
  if (ack.nack) serve_nack(i, nacked, now);
}

void rnic::on_feedback(QueuePair& qp, const AckInfo& ack, const Heard& heard, Bytes delivered,
                       Bytes lost, Picoseconds now) {
  const Feedback& f = heard.feedback;
  const bool trimmed = f.report.trimmed;
  // A NACK of a trimmed packet says nothing of a path's queues but that one was full.
  if (listening_.acks && (!trimmed || delivered > 0_B)) {
    qp.reaction->on_ack({.expected = qp.sender().oldest_unacked(),
                         .next_new = qp.next_new(),
                         .acked = delivered,
                         .marked = f.marked && !trimmed,
                         .rtt = heard.rtt,
                         .path = f.path,
                         .hops = f.stack()},
                        now);
  }
  // An RNR NAK says nothing of the network but its feedback.
  if (qp.reaction && ack.nack && ack.rnr == 0) {
    if (qp.selective_sender() == nullptr) {
      qp.reaction->on_nack(now);
    } else if (lost > 0_B) {
      qp.reaction->on_lost({.payload = lost}, now);
    }
  }
  watch_window(qp);
  if (!qp.steering || !f.steered) return;
  const bool room = qp.reaction ? qp.reaction->window() - qp.in_flight() > config_.mtu
                                : qp.sender().unacked() + 1 < config_.reliability.window;
  qp.steering->scheme().feedback({.value = f.entropy,
                                  .signal = trimmed    ? policy::PathSignal::trimmed
                                            : f.marked ? policy::PathSignal::marked
                                                       : policy::PathSignal::good,
                                  .delivered = delivered,
                                  .rtt = heard.rtt,
                                  .room = room},
                                 now);
}

void rnic::miss(QueuePair& qp, Picoseconds now) {
  const auto of_one = [&](Psn psn) {
    if (qp.steering) {
      qp.steering->scheme().feedback(
          {.value = qp.steering->of(psn), .signal = policy::PathSignal::timeout}, now);
    }
  };
  if (policy::SelectiveSender* const selective = qp.selective_sender()) {
    for (const Psn psn : selective->given_up()) {
      const Bytes payload(qp.place(psn).payload);
      if (qp.reaction) qp.reaction->on_lost({.payload = payload, .timeout = true}, now);
      of_one(psn);
    }
  } else {
    if (listening_.acks) qp.reaction->on_timeout(now);
    of_one(qp.sender().oldest_unacked());
  }
  watch_window(qp);
}

void rnic::watch_window(QueuePair& qp) {
  if (qp.reaction) qp.window_open = qp.in_flight() < qp.reaction->window();
}

}  // namespace horae::rnic
