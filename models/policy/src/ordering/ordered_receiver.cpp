#include "horae/policy/ordering/ordered_receiver.hpp"

namespace horae::policy {

OrderedReceiver::OrderedReceiver(OrderingEngine& engine, ConnectionId connection,
                                 const TransportConfig& config, Psn first)
    : engine_(engine),
      connection_(connection),
      first_(first),
      expected_(first),
      acks_(config.ack_every, config.ends_ask) {}

void OrderedReceiver::close() {
  if (!closed_) engine_.close(connection_);
  closed_ = true;
}

ReceiveOutcome OrderedReceiver::on_packet(Psn psn, Psn head, bool last, bool ack_request,
                                          bool ends_message) {
  if (closed_) {
    answer_ = {};
    answer_.tracking = Tracking::duplicate;
    answer_.expected = expected_;
  } else {
    answer_ = engine_.on_packet({connection_, psn, head, last});
  }
  ReceiveOutcome out;
  out.ahead = psn - expected_;
  out.advanced = answer_.advanced;
  expected_ = answer_.expected;
  switch (answer_.tracking) {
    case Tracking::in_order:
      nacked_ = false;
      if (ends_message || answer_.completed) msn_ = (msn_ + 1) & Psn::mask;
      // A packet that fills a hole is answered at once: packets that asked for an ACK may be among
      // the rest.
      if (acks_.advanced(out.advanced, acks_.asks(ack_request, ends_message) || out.advanced > 1))
        out.response = Response{.nack = false, .psn = expected_, .msn = msn_};
      break;
    case Tracking::out_of_order:
      out.response = Response{.nack = false, .psn = expected_, .msn = msn_, .received = psn};
      break;
    case Tracking::duplicate:
      out.placement = Placement::duplicate;
      if (ack_request) {
        acks_.acknowledged();
        out.response = Response{.nack = false, .psn = expected_, .msn = msn_};
      }
      break;
    case Tracking::rejected:
      out.placement = Placement::discard;
      if (!nacked_) {
        nacked_ = true;
        acks_.acknowledged();
        out.response = Response{.nack = true, .psn = expected_, .msn = msn_};
      }
      break;
  }
  return out;
}

}  // namespace horae::policy
