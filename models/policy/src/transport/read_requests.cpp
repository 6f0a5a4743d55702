#include "horae/policy/transport/read_requests.hpp"

#include <algorithm>

#include "horae/core/error.hpp"

namespace horae::policy {

void TransportSender::post_read(std::uint32_t /*responses*/) {
  throw ModelError("a READ was posted to a transport without READs");
}

ReadOutcome TransportSender::on_response(Psn /*psn*/) {
  throw ModelError("a READ response for a transport without READs");
}

ReceiveOutcome TransportReceiver::on_read(Psn /*psn*/, std::uint32_t /*responses*/) {
  throw ModelError("a READ request for a transport without READs");
}

void TransportSender::hold(Psn /*psn*/) {
  throw ModelError("a packet that waits for all before it, of a transport that holds none");
}

void TransportSender::put_off(Psn /*psn*/, Picoseconds /*until*/) {
  throw ModelError("an RNR NAK for a transport without SENDs");
}

Response TransportReceiver::not_ready() {
  throw ModelError("a packet that takes a receive WQE, of a transport without SENDs");
}

void ReadRequests::post(Psn first, std::uint32_t responses) {
  requests_.push_back({first, first + static_cast<std::int32_t>(responses)});
}

std::uint32_t ReadRequests::span(Psn psn) const {
  const auto after = std::partition_point(requests_.begin(), requests_.end(),
                                          [psn](const Request& r) { return !psn.before(r.end); });
  if (after == requests_.end() || psn.before(after->first)) return 1;
  return static_cast<std::uint32_t>(after->end - psn);
}

std::optional<std::uint32_t> ReadRequests::send(Psn fresh) {
  if (!fences_.empty() && fences_.front() == fresh) fences_.pop_front();
  if (sent_ == requests_.size() || requests_[sent_].first != fresh) return std::nullopt;
  if (whole_ == sent_) next_response_ = fresh;
  const std::uint32_t n = length(requests_[sent_++]);
  psns_ += n;
  return n;
}

Psn ReadRequests::last_packet(Psn fresh) const {
  if (whole_ == sent_ || requests_[sent_ - 1].end != fresh) return fresh - 1;
  return whole_ + 1 == sent_ ? next_response_ : requests_[sent_ - 1].first;
}

std::uint32_t ReadRequests::beyond_requests(Psn oldest) const {
  if (sent_ == 0) return 0;
  const std::int32_t gone = std::max(oldest - requests_.front().first, 0);
  return psns_ - static_cast<std::uint32_t>(gone) - static_cast<std::uint32_t>(sent_);
}

ReadOutcome ReadRequests::on_response(Psn psn, Psn fresh) {
  ReadOutcome out;
  if (whole_ == sent_ || psn.before(next_response_)) {
    out.placement = Placement::duplicate;
    return out;
  }
  out.ahead = psn - next_response_;
  if (out.ahead > 0) {
    out.placement = Placement::discard;
    // One from before PSNs came round shows nothing.
    if (psn.before(fresh)) out.missing = missing();
    return out;
  }
  requested_ = false;
  ++next_response_;
  if (next_response_ == requests_[whole_].end && ++whole_ < sent_)
    next_response_ = requests_[whole_].first;
  return out;
}

std::optional<Psn> ReadRequests::missing() {
  if (requested_ || whole_ == sent_) return std::nullopt;
  requested_ = true;
  return next_response_;
}

void ReadRequests::acknowledged(Psn oldest) {
  while (whole_ > 0 && !oldest.before(requests_.front().end)) {
    psns_ -= length(requests_.front());
    requests_.pop_front();
    --whole_;
    --sent_;
  }
}

void ReadRequests::clear() {
  requests_.clear();
  fences_.clear();
  sent_ = whole_ = 0;
  psns_ = 0;
  requested_ = false;
}

}  // namespace horae::policy
