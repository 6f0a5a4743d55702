#include "horae/policy/transport/read_responder.hpp"

#include "horae/core/error.hpp"

namespace horae::policy {
namespace {

/// Without a window, a timer or requests for acknowledgements.
TransportConfig endless() {
  TransportConfig config;
  config.window = TransportConfig::no_window;
  config.rto = never;
  config.ack_request_every = 0;
  return config;
}

}  // namespace

ReadResponder::ReadResponder(std::uint32_t keep, Psn first)
    : WindowedSender(endless(), first), keep_(keep) {}

void ReadResponder::accept(Psn psn, std::uint32_t responses, std::uint32_t msn, Picoseconds now) {
  if (reads_.size() == keep_) {
    reads_.pop_front();
    // Its requester has all of it, or it would not have sent this one.
    const Psn kept =
        reads_.empty() ? fresh_ + static_cast<std::int32_t>(unsent_) : reads_.front().number;
    if (fresh_.before(kept))
      throw ModelError("more READs are outstanding than their responder keeps");
    on_ack(kept, now);
  }
  // An acknowledgement of a packet behind it waits on.
  if (held_ && !psn.before(held_->response.psn)) held_.reset();
  reads_.push_back({fresh_ + static_cast<std::int32_t>(unsent_), psn, responses, msn});
  post(responses);
}

const ReadResponder::Read* ReadResponder::find(Psn psn) const {
  for (const Read& r : reads_) {
    if (static_cast<std::uint32_t>((psn - r.psn)) < r.responses) return &r;
  }
  return nullptr;
}

bool ReadResponder::sent(Psn psn) const {
  const Read* const read = find(psn);
  return read != nullptr && (read->number + (psn - read->psn)).before(fresh_);
}

bool ReadResponder::again(Psn psn, std::uint32_t responses) {
  const Read* const read = find(psn);
  if (read == nullptr) return false;
  const Psn from = read->number + (psn - read->psn);
  Psn end = from + static_cast<std::int32_t>(responses);
  if (!from.before(fresh_)) return false;
  if (fresh_.before(end)) end = fresh_;  // the rest follows for the first time
  if (resending() && !from.before(resend_from()) && from.before(resend_end())) return false;
  if (resending() && from == resend_end()) {
    extend_resend(end);
  } else {
    resend(from, end, SendKind::rewind);
    restart_ = from;
  }
  return true;
}

ReadResponder::OnWire ReadResponder::on_wire(Psn number) const {
  for (const Read& r : reads_) {
    const std::int32_t in = number - r.number;
    if (static_cast<std::uint32_t>(in) >= r.responses) continue;
    return {r.psn + in, r.msn, number == restart_};
  }
  throw ModelError("a READ response that is not kept");
}

}  // namespace horae::policy
