#include "horae/rnic/parts/queue_pair.hpp"

#include <algorithm>

#include "horae/core/error.hpp"

namespace horae::rnic {
namespace {

std::unique_ptr<policy::TransportSender> make_sender(const QueuePairConfig& config,
                                                     const policy::TransportEntry& transport,
                                                     policy::TransportConfig reliability) {
  if (config.reads == 0) return transport.make_sender(reliability, config.first_send);
  if (config.source == nullptr)
    return std::make_unique<policy::ReadResponder>(config.reads, config.first_receive);
  reliability.rd_atomic = config.reads;
  return transport.make_sender(reliability, config.first_send);
}

}  // namespace

QueuePair::QueuePair(QueuePairConfig config, const policy::TransportEntry& transport,
                     const policy::TransportConfig& reliability, Bytes mtu)
    : traffic_class(config.traffic_class.value_or(0)),
      config_(std::move(config)),
      mtu_(mtu),
      window_(static_cast<std::int32_t>(reliability.window)),
      waits_(config_.fenced != 0),
      holds_(reliability.dp_ordering == policy::DpOrdering::ooo_rw &&
             !is_unreliable(config_.service)),
      sender_(make_sender(config_, transport, reliability)),
      receiver_(transport.make_receiver(reliability, config_.first_receive)),
      selective_sender_(sender_->selective()),
      selective_receiver_(receiver_->selective()),
      next_post_(config_.first_send),
      acked_(config_.first_send),
      receive_end_(config_.first_receive + static_cast<std::int32_t>(config_.receive_packets)) {
  placed_.first = config_.first_send;
  if (is_unreliable(config_.service))
    unreliable_ = static_cast<policy::UnreliableReceiver*>(receiver_.get());
  if (config_.source) item_ = config_.source->next();
  if (config_.reads == 0 || config_.source) return;
  responder_ = static_cast<policy::ReadResponder*>(sender_.get());
  placed_.first = next_post_ = acked_ = config_.first_receive;
}

void QueuePair::receive_by(policy::OrderingEngine& engine, policy::ConnectionId connection,
                           const policy::TransportConfig& reliability) {
  auto receiver = std::make_unique<policy::OrderedReceiver>(engine, connection, reliability,
                                                            config_.first_receive);
  ordered_ = receiver.get();
  selective_receiver_ = nullptr;
  receiver_ = std::move(receiver);
}

std::uint32_t QueuePair::received_whole() {
  std::uint32_t n = 0;
  const Psn expected = receiver_->expected_psn();
  while (!expected.before(receive_end_)) {
    receive_end_ = receive_end_ + static_cast<std::int32_t>(config_.receive_packets);
    ++n;
  }
  return n;
}

Picoseconds QueuePair::post_due(Picoseconds now, std::uint64_t received, std::uint64_t most) {
  for (; most > 0 && item_ && outstanding() < config_.depth && item_->after <= received; --most) {
    if (item_->at > now) return item_->at;
    const std::int64_t bytes = item_->bytes.count();
    const std::uint32_t packets = packets_of(item_->bytes, mtu_);
    messages_.push_back({next_post_, packets, bytes, item_->verb, now});
    posted_bytes_ += bytes;
    next_post_ = next_post_ + static_cast<std::int32_t>(packets);
    if (item_->verb == Verb::write && !waits_) {
      sender_->post(packets);
    } else {
      post_in_order(item_->verb, packets);
    }
    ++progress_.posted_messages;
    progress_.first_post = std::min(progress_.first_post, now);
    item_ = config_.source->next();
  }
  return never;
}

void QueuePair::post_in_order(Verb verb, std::uint32_t packets) {
  if ((config_.fenced >> static_cast<unsigned>(verb) & 1u) != 0) sender_->fence();
  const Psn first = messages_.back().first;
  if (holds_ && (is_atomic(verb) || verb == Verb::send)) sender_->hold(first);
  if (holds_ && verb == Verb::write_imm)
    sender_->hold(first + static_cast<std::int32_t>(packets - 1));
  if (has_response(verb)) {
    sender_->post_read(packets);
  } else {
    sender_->post(packets);
  }
}

void QueuePair::answer(Verb verb, Psn psn, Bytes bytes, std::uint32_t msn, Picoseconds now) {
  const Answer next{verb, verb == Verb::read, psn, msn, bytes};
  if (next.known && answers_.empty()) return respond(next, now);
  answers_.push_back(next);
  responder_->awaits();
}

void QueuePair::atomic_done(Psn psn, Picoseconds now) {
  const auto done = std::find_if(answers_.begin(), answers_.end(),
                                 [psn](const Answer& a) { return a.psn == psn; });
  if (done == answers_.end()) throw ModelError("an atomic that was not accepted");
  done->known = true;
  for (; !answers_.empty() && answers_.front().known; answers_.pop_front()) {
    responder_->known();
    respond(answers_.front(), now);
  }
}

void QueuePair::respond(const Answer& answer, Picoseconds now) {
  const std::uint32_t packets = packets_of(answer.bytes, mtu_);
  responder_->accept(answer.psn, packets, answer.msn, now);
  messages_.push_back({next_post_, packets, answer.bytes.count(), answer.verb, now});
  next_post_ = next_post_ + static_cast<std::int32_t>(packets);
  for (; messages_.front().first.before(responder_->first_kept()); ++forgotten_)
    messages_.pop_front();
}

PacketPlace QueuePair::place_of_other(const Found& m, std::uint32_t index) const {
  PacketPlace out;
  out.message = m.ordinal;
  const std::int64_t left = m.bytes - std::int64_t{index} * mtu_.count();
  if (has_response(m.verb) && responder_ == nullptr) {
    out.opcode = request_opcode(m.verb);
    // A repetition asks for the rest alone (IBTA vol. 1, 9.7.5.1.6).
    out.asks = is_atomic(m.verb)
                   ? static_cast<std::uint32_t>((config_.ordinal + m.ordinal) % config_.words * 8)
                   : static_cast<std::uint32_t>(left);
    out.psns = m.packets - index;
    return out;
  }
  const bool last = index + 1 == m.packets;
  out.left = m.packets - index;
  // The result of an atomic is in the NIC: no payload is read for it.
  out.payload = static_cast<std::uint16_t>(is_atomic(m.verb) ? 0 : last ? left : mtu_.count());
  out.opcode = opcode_of(config_.service, data_opcode(m.verb, index == 0, last));
  return out;
}

void QueuePair::record_latency(Picoseconds latency) {
  if (first_latency_ < 0_ps) {
    first_latency_ = latency;
    return;
  }
  if (!later_latencies_) later_latencies_ = std::make_unique<Histogram>();
  later_latencies_->add(latency.count());
}

void QueuePair::merge_latency(Histogram& all) const {
  if (first_latency_ >= 0_ps) all.add(first_latency_.count());
  if (later_latencies_) all.merge(*later_latencies_);
}

void QueuePair::reset_histograms() {
  first_latency_ = Picoseconds(-1);
  later_latencies_.reset();
}

/// The message a PSN lies in: mostly the one found last, or the one after it.
void QueuePair::find(Psn psn, Found& found) const {
  const std::size_t from = found.ordinal > forgotten_ ? found.ordinal - forgotten_ : 0;
  std::size_t i = std::min(from, messages_.size() - 1);
  while (i > 0 && psn.before(messages_[i].first)) --i;
  while (psn - messages_[i].first >= static_cast<std::int32_t>(messages_[i].packets)) ++i;
  const Message& m = messages_[i];
  found.first = m.first;
  found.packets = m.packets;
  found.bytes = m.bytes;
  found.verb = m.verb;
  found.other = m.verb != Verb::write || config_.service != Service::rc;
  found.ordinal = forgotten_ + i;
}

const QueuePair::Found& QueuePair::find_sent(Psn psn) const {
  if (!psn.before(placed_.first)) {
    find(psn, placed_);
    return placed_;
  }
  // PSNs come again after 2^24: a message that is forgotten has none any more.
  if (!behind_.has(psn) || behind_.ordinal < forgotten_) find(psn, behind_);
  return behind_;
}

void QueuePair::complete_next(Picoseconds now) {
  const Message& m = messages_[completed_++];
  ++progress_.completed_messages;
  progress_.completed_bytes += static_cast<std::uint64_t>(m.bytes);
  progress_.last_completion = now;
  record_latency(now - m.posted);
}

void QueuePair::forget() {
  while (completed_ > 0 && acked_ - end_of(0) >= 2 * window_) {
    messages_.pop_front();
    --completed_;
    ++forgotten_;
  }
}

std::uint32_t QueuePair::acknowledged(std::uint32_t packets, Picoseconds now) {
  acked_ = acked_ + static_cast<std::int32_t>(packets);
  std::uint32_t completed = 0;
  while (completed_ < messages_.size() && !acked_.before(end_of(completed_))) {
    complete_next(now);
    ++completed;
  }
  forget();
  return completed;
}

std::uint32_t QueuePair::acknowledge(std::uint32_t packets) {
  acked_ = acked_ + static_cast<std::int32_t>(packets);
  const std::uint32_t before = uncompleted_;
  while (unacknowledged() > 0 && !acked_.before(end_of(completed_ + uncompleted_))) ++uncompleted_;
  forget();
  return uncompleted_ - before;
}

void QueuePair::complete_acknowledged(std::uint32_t messages, Picoseconds now) {
  for (std::uint32_t n = 0; n < messages; ++n) complete_next(now);
  uncompleted_ -= messages;
  forget();
}

std::uint32_t QueuePair::fail(Picoseconds now) {
  const auto failed = static_cast<std::uint32_t>(unacknowledged());
  progress_.failed_messages += failed;
  progress_.error_time = now;
  if (failed > 0) progress_.failed_post = messages_[completed_ + uncompleted_].posted;
  sender_->abandon();
  item_.reset();
  // They stay known: what is under way may name their packets.
  failed_ += failed;
  sent_bytes = posted_bytes_ = acked_bytes();
  hold_until.reset();
  gap_until.reset();
  starves_at = never;
  return failed;
}

std::int64_t QueuePair::acked_bytes() const {
  auto whole = static_cast<std::int64_t>(progress_.completed_bytes);
  const std::size_t partial = completed_ + uncompleted_;
  for (std::size_t m = completed_; m < partial; ++m) whole += messages_[m].bytes;
  if (partial == messages_.size()) return whole;
  const Message& m = messages_[partial];
  return whole + std::min(m.bytes, (acked_ - m.first) * mtu_.count());
}

}  // namespace horae::rnic
