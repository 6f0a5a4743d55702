// RNIC-SR: the selective repeat of commodity NICs, as section 2.3 of the packet-spraying paper
// describes it.
#include <deque>
#include <optional>

#include "horae/policy/transport/ack_coalescer.hpp"
#include "horae/policy/transport/policies.hpp"
#include "horae/policy/transport/sequence_bitmap.hpp"
#include "horae/policy/transport/windowed_sender.hpp"

namespace horae::policy {
namespace {

/// "When the sender receives the NACK, it retransmits two packets: the packet indicated by the ePSN
/// carried in the NACK, and the previous packet it just sent." The second is taken as the highest
/// PSN sent, "the last PSN in the current transmit window" of packet captures of these NICs and of
/// a vendor patent (US 11870590, claim 7: sent so that the other side acknowledges); it asks for an
/// ACK. Both are decided when the NACK is served: an ACK that comes before they are on the wire
/// does not call them back. A packet that waits to be sent again already is not put in line twice.
class RnicSrSender final : public WindowedSender {
 public:
  using WindowedSender::WindowedSender;

  bool can_send() const override { return !pending_.empty() || WindowedSender::can_send(); }
  bool retransmission_due() const override { return !pending_.empty() || resending(); }

  Transmission next(Picoseconds now) override {
    if (pending_.empty()) return WindowedSender::next(now);
    const Transmission t = pending_.front();
    pending_.pop_front();
    return t;
  }

  void retransmit(Psn expected_psn, Picoseconds now) override {
    const Psn last = fresh_ - 1;
    put_in_line(
        {.psn = expected_psn, .kind = SendKind::expected, .ack_request = expected_psn == last});
    put_in_line({.psn = last, .kind = SendKind::last, .ack_request = true});
    timer_start_ = now;
  }

  void on_timeout(Picoseconds now) override {
    WindowedSender::on_timeout(now);
    pending_.clear();
  }

 private:
  void put_in_line(const Transmission& t) {
    for (auto& waiting : pending_) {
      if (waiting.psn != t.psn) continue;
      waiting.ack_request |= t.ack_request;
      return;
    }
    pending_.push_back(t);
  }

  std::deque<Transmission> pending_;  ///< retransmissions of served NACKs, in their order
};

/// When a packet out of order brings a NACK.
enum class NackRule {
  never,
  once,   ///< "each ePSN triggers at most one NACK", the next one only after the expected packet
  every,  ///< each of them, naming the packet that arrived as well
};

/// Direct data placement with a bitmap. Without NACKs this is the timeout-only receiver, with one
/// for every packet out of order IRN's.
class BitmapReceiver final : public TransportReceiver {
 public:
  BitmapReceiver(const TransportConfig& config, Psn first, NackRule nacks)
      : arrived_(config.window, first),
        ends_(config.window, first),
        asked_(config.window, first),
        acks_(config.ack_every),
        nacks_(nacks) {}

  ReceiveOutcome on_data(Psn psn, bool ack_request, bool ends_message) override {
    ReceiveOutcome out;
    const Psn expected = arrived_.base();
    out.ahead = psn - expected;
    out.ops.bitmap_words = 1;
    if (out.ahead < 0) {
      out.placement = Placement::duplicate;
      // A duplicate that asks is answered at once: the answer to the first copy may be lost.
      if (ack_request) out.response = acknowledge();
      return out;
    }
    if (!arrived_.covers(psn)) {
      // Beyond every PSN a sender with this window may use.
      out.placement = Placement::discard;
      return out;
    }
    if (ack_request || ends_message) asked_.set(psn);
    if (arrived_.test(psn)) {
      out.placement = Placement::duplicate;
    } else {
      arrived_.set(psn);
      if (ends_message) ends_.set(psn);
    }
    if (out.ahead > 0) {
      // New or not, "a packet's PSN is larger than the ePSN": the last packet, which comes again
      // with every retransmission, thus reveals the next hole when nothing new follows.
      if (nacks_ == NackRule::every || (nacks_ == NackRule::once && !nacked_)) {
        nacked_ = true;
        out.response = Response{.nack = true, .psn = expected, .msn = msn_};
        if (nacks_ == NackRule::every) out.response->received = psn;
        acks_.acknowledged();
      }
      return out;
    }
    out.advanced = arrived_.advance();
    out.ops.bitmap_words += out.advanced / 64;
    nacked_ = false;
    if (acks_.advanced(out.advanced, pass(out.advanced))) out.response = acknowledge();
    return out;
  }

  Psn expected_psn() const override { return arrived_.base(); }
  void nack_suppressed() override { nacked_ = false; }
  Bytes memory() const override { return arrived_.memory(); }

 private:
  Response acknowledge() {
    acks_.acknowledged();
    return {.nack = false, .psn = arrived_.base(), .msn = msn_};
  }
  /// The expected PSN passed `packets`: counts the messages they end (MSN: IBTA vol. 1, 9.7.7.1)
  /// and returns whether one asked for an ACK. Out of order, both were remembered.
  bool pass(std::uint32_t packets) {
    bool asked = false;
    for (std::uint32_t i = 0; i < packets; ++i) {
      msn_ += ends_.step() ? 1 : 0;
      asked |= asked_.step();
    }
    msn_ &= Psn::mask;
    return asked;
  }

  SequenceBitmap arrived_;
  SequenceBitmap ends_;
  SequenceBitmap asked_;
  AckCoalescer acks_;
  NackRule nacks_;
  bool nacked_ = false;
  std::uint32_t msn_ = 0;
};

}  // namespace

std::unique_ptr<TransportSender> make_rnic_sr_sender(const TransportConfig& config, Psn first) {
  return std::make_unique<RnicSrSender>(config, first);
}
std::unique_ptr<TransportReceiver> make_rnic_sr_receiver(const TransportConfig& config, Psn first) {
  return std::make_unique<BitmapReceiver>(config, first, NackRule::once);
}
// Timeout-only recovery (section 2.2) is the same hardware without NACKs: the receiver never sends
// one, and a sender that gets one all the same treats it as an acknowledgement.
std::unique_ptr<TransportReceiver> make_timeout_only_receiver(const TransportConfig& config,
                                                              Psn first) {
  return std::make_unique<BitmapReceiver>(config, first, NackRule::never);
}
std::unique_ptr<TransportReceiver> make_irn_receiver(const TransportConfig& config, Psn first) {
  return std::make_unique<BitmapReceiver>(config, first, NackRule::every);
}

}  // namespace horae::policy
