// Go-back-0: what a NIC did before go-back-N (Guo et al., "RDMA over Commodity Ethernet at Scale",
// SIGCOMM 2016, 4.1): a NACK or a timeout sends the message again from its first packet.
#include <algorithm>
#include <boost/container/deque.hpp>

#include "horae/policy/state_fields.hpp"
#include "horae/policy/transport/ack_coalescer.hpp"
#include "horae/policy/transport/windowed_sender.hpp"

namespace horae::policy {
namespace {

/// Acknowledgements are of whole messages: the oldest unacknowledged packet is the first of its
/// message, and going back is to it. The window counts from there, and a message that was begun
/// goes out to its end whatever the window is, as no acknowledgement could open it before.
class GoBack0Sender final : public WindowedSender {
 public:
  GoBack0Sender(const TransportConfig& config, Psn first)
      : WindowedSender(config, first), posted_(first), heard_(first) {}

  void post(std::uint32_t packets) override {
    WindowedSender::post(packets);
    posted_ = posted_ + static_cast<std::int32_t>(packets);
    ends_.push_back(posted_);
  }

  bool can_send() const override { return WindowedSender::can_send() || within_message(); }

  AckOutcome on_ack(Psn next_expected, Picoseconds now) override {
    if (heard_.before(next_expected) && !fresh_.before(next_expected)) {
      heard_ = next_expected;
      timer_start_ = now;
      heard_again();
    }
    Psn whole = oldest_;
    while (!ends_.empty() && !next_expected.before(ends_.front()) &&
           !fresh_.before(ends_.front())) {
      whole = ends_.front();
      ends_.pop_front();
    }
    return WindowedSender::on_ack(whole, now);
  }

  bool accepts_nack(Psn expected_psn) const override {
    return unacked() > 0 && WindowedSender::accepts_nack(expected_psn);
  }

  void retransmit(Psn /*expected_psn*/, Picoseconds now) override {
    timer_start_ = now;
    heard_ = oldest_;
    resend(oldest_, fresh_, SendKind::rewind);
  }

  void on_timeout(Picoseconds now) override {
    heard_ = oldest_;
    resend(oldest_, fresh_, SendKind::timeout);
    time_out(now);
  }

  void abandon() override {
    WindowedSender::abandon();
    ends_.clear();
    posted_ = fresh_;
  }

 private:
  bool within_message() const {
    return unsent() > 0 && unacked() > 0 &&
           !std::ranges::binary_search(ends_, fresh_, [](Psn a, Psn b) { return a.before(b); });
  }

  Psn posted_;  ///< end of what is posted
  Psn heard_;   ///< the receiver had everything before it since the last time back
  boost::container::deque<Psn> ends_;  ///< of messages that are not acknowledged
};

/// Takes packets in order only. The first one out of order brings a NACK, and what has come of the
/// message is thrown away: it is expected from its first packet on.
class GoBack0Receiver final : public TransportReceiver {
 public:
  GoBack0Receiver(const TransportConfig& config, Psn first)
      : expected_(first), message_(first), reached_(first), acks_(config.ack_every) {}

  ReceiveOutcome on_data(Psn psn, bool ack_request, bool ends_message) override {
    ReceiveOutcome out;
    out.ahead = psn - expected_;
    if (out.ahead < 0) return duplicate(psn, ack_request, out);
    if (out.ahead > 0) return refuse(out);
    nacked_ = false;
    out.advanced = 1;
    ++expected_;
    // A packet that is written again is no new payload.
    if (expected_.before(reached_ + 1)) out.placement = Placement::duplicate;
    if (reached_.before(expected_)) reached_ = expected_;
    if (ends_message) {
      message_ = expected_;
      msn_ = (msn_ + 1) & Psn::mask;
    }
    if (acks_.advanced(1, ack_request || ends_message)) out.response = acknowledge();
    return out;
  }

  Psn expected_psn() const override { return expected_; }
  void nack_suppressed() override { nacked_ = false; }
  Bytes memory() const override { return Bytes(0); }

 private:
  /// The sender went back of its own accord, by a timeout: so does the message.
  ReceiveOutcome duplicate(Psn psn, bool ack_request, ReceiveOutcome out) {
    out.placement = Placement::duplicate;
    if (psn == message_) expected_ = message_ + 1;
    if (ack_request) out.response = acknowledge();
    return out;
  }

  ReceiveOutcome refuse(ReceiveOutcome out) {
    out.placement = Placement::discard;
    if (nacked_) return out;
    nacked_ = true;
    expected_ = message_;
    out.response = Response{.nack = true, .psn = expected_, .msn = msn_};
    acks_.acknowledged();
    return out;
  }

  Response acknowledge() {
    acks_.acknowledged();
    return {.nack = false, .psn = expected_, .msn = msn_};
  }

  Psn expected_;
  Psn message_;  ///< first packet of the message that is coming
  Psn reached_;  ///< all before it has come once
  AckCoalescer acks_;
  bool nacked_ = false;
  std::uint32_t msn_ = 0;
};

}  // namespace

TransportEntry go_back_0_transport() {
  return {.name = "go_back_0",
          .doc = "as go_back_n, but a NACK or a timeout sends the message again from its start",
          .make_sender = [](const TransportConfig& config,
                            Psn first) -> std::unique_ptr<TransportSender> {
            return std::make_unique<GoBack0Sender>(config, first);
          },
          .make_receiver = [](const TransportConfig& config,
                              Psn first) -> std::unique_ptr<TransportReceiver> {
            return std::make_unique<GoBack0Receiver>(config, first);
          },
          .state = [](const TransportConfig&) -> std::vector<StateField> {
            return {{"first packet of the message, both halves", 2 * Psn::bits}};
          }};
}

}  // namespace horae::policy
