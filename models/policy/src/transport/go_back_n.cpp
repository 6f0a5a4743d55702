// Go-back-N: the base InfiniBand reliable connection (IBTA vol. 1, 9.7.5.2).
#include "horae/policy/transport/ack_coalescer.hpp"
#include "horae/policy/transport/windowed_sender.hpp"

namespace horae::policy {
namespace {

/// A NACK rewinds to the PSN it names: everything from there on is sent again.
class GoBackNSender final : public WindowedSender {
 public:
  using WindowedSender::WindowedSender;

  void retransmit(Psn expected_psn, Picoseconds now) override {
    timer_start_ = std::max(timer_start_, now);  // after an RNR NAK it runs later
    // Packets acknowledged meanwhile need not go again: the receiver takes packets in order only.
    const Psn from = expected_psn.before(oldest_) ? oldest_ : expected_psn;
    resend(from, fresh_, SendKind::rewind);
  }
};

/// Takes packets in order only; the first one out of order brings a NACK, and the next NACK comes
/// only after the expected packet has arrived (IBTA vol. 1, 9.7.5.1.1).
class GoBackNReceiver final : public TransportReceiver {
 public:
  GoBackNReceiver(const TransportConfig& config, Psn first)
      : expected_(first), acks_(config.ack_every, config.ends_ask) {}

  ReceiveOutcome on_data(Psn psn, bool ack_request, bool ends_message) override {
    ReceiveOutcome out;
    out.ahead = psn - expected_;
    if (out.ahead < 0) {
      out.placement = Placement::duplicate;
      if (ack_request) out.response = acknowledge();
      return out;
    }
    if (out.ahead > 0) {
      out.placement = Placement::discard;
      if (!nacked_) {
        nacked_ = true;
        out.response = Response{.nack = true, .psn = expected_, .msn = msn_};
        acks_.acknowledged();
      }
      return out;
    }
    nacked_ = false;
    out.advanced = 1;
    ++expected_;
    if (ends_message) msn_ = (msn_ + 1) & Psn::mask;
    if (acks_.advanced(1, acks_.asks(ack_request, ends_message))) out.response = acknowledge();
    return out;
  }

  ReceiveOutcome on_read(Psn psn, std::uint32_t responses) override {
    if (psn != expected_) return on_data(psn, false, false);
    nacked_ = false;
    expected_ = expected_ + static_cast<std::int32_t>(responses);
    msn_ = (msn_ + 1) & Psn::mask;
    acks_.acknowledged();
    ReceiveOutcome out;
    out.advanced = responses;
    out.msn = msn_;
    return out;
  }

  Response not_ready() override {
    nacked_ = true;
    acks_.acknowledged();
    return {.rnr = true, .psn = expected_, .msn = msn_};
  }

  Psn expected_psn() const override { return expected_; }
  void nack_suppressed() override { nacked_ = false; }
  Bytes memory() const override { return Bytes(0); }

 private:
  Response acknowledge() {
    acks_.acknowledged();
    return {.nack = false, .psn = expected_, .msn = msn_};
  }

  Psn expected_;
  AckCoalescer acks_;
  bool nacked_ = false;
  std::uint32_t msn_ = 0;
};

}  // namespace

TransportEntry go_back_n_transport() {
  return {.name = "go_back_n",
          .doc = "the receiver takes packets in order only; a NACK makes the sender go back",
          .make_sender = [](const TransportConfig& config,
                            Psn first) -> std::unique_ptr<TransportSender> {
            return std::make_unique<GoBackNSender>(config, first);
          },
          .make_receiver = [](const TransportConfig& config,
                              Psn first) -> std::unique_ptr<TransportReceiver> {
            return std::make_unique<GoBackNReceiver>(config, first);
          },
          .reads = true,
          .sends_by = "go_back_n"};
}

}  // namespace horae::policy
