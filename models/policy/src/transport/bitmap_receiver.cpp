#include "bitmap_receiver.hpp"

#include "horae/policy/transport/ack_coalescer.hpp"
#include "horae/policy/transport/sequence_bitmap.hpp"

namespace horae::policy {
namespace {

/// Direct data placement with a bitmap. Without NACKs this is the timeout-only receiver, with one
/// for every packet out of order IRN's.
class BitmapReceiver final : public TransportReceiver {
 public:
  BitmapReceiver(const TransportConfig& config, Psn first, NackRule nacks)
      : arrived_(config.window, first),
        ends_(config.window, first),
        asked_(config.window, first),
        acks_(config.ack_every, config.ends_ask),
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
    if (out.ahead == 0) {
      const bool asked = in_order(1, ack_request, ends_message, out);
      if (acks_.advanced(out.advanced, asked)) out.response = acknowledge();
      return out;
    }
    if (!arrived_.covers(psn)) {
      // Beyond every PSN that a sender with this window may use, but for READs before it.
      out.placement = Placement::discard;
      reveal(psn, out);
      return out;
    }
    if (acks_.asks(ack_request, ends_message)) asked_.set(psn);
    if (arrived_.test(psn)) {
      out.placement = Placement::duplicate;
    } else {
      arrived_.set(psn);
      if (ends_message) ends_.set(psn);
    }
    reveal(psn, out);
    return out;
  }

  /// A READ is executed behind all that is before it: one out of order has to come again.
  ReceiveOutcome on_read(Psn psn, std::uint32_t responses) override {
    ReceiveOutcome out;
    out.ahead = psn - arrived_.base();
    out.ops.bitmap_words = 1;
    if (out.ahead < 0) {
      out.placement = Placement::duplicate;
    } else if (out.ahead > 0) {
      out.placement = Placement::discard;
      reveal(psn, out);
    } else {
      out.msn = (msn_ + 1) & Psn::mask;
      in_order(responses, false, true, out);
      acks_.acknowledged();
      // Responses acknowledge what is before them; WRITEs behind arrived earlier.
      if (out.advanced > responses) out.response = acknowledge();
    }
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
  /// New or not, "a packet's PSN is larger than the ePSN": the last packet, which comes again with
  /// every retransmission, thus reveals the next hole when nothing new follows.
  void reveal(Psn psn, ReceiveOutcome& out) {
    if (nacks_ == NackRule::never || (nacks_ == NackRule::once && nacked_)) return;
    nacked_ = true;
    out.response = Response{.nack = true, .psn = arrived_.base(), .msn = msn_};
    if (nacks_ == NackRule::every) out.response->received = psn;
    acks_.acknowledged();
  }
  /// The expected packet arrived, which takes `psns`. It has no bits yet, so it needs none; those
  /// behind it may have. Returns whether one of them asked for an ACK.
  bool in_order(std::uint32_t psns, bool ack_request, bool ends_message, ReceiveOutcome& out) {
    arrived_.pass_clear(psns);
    ends_.pass_clear(psns);
    asked_.pass_clear(psns);
    if (ends_message) msn_ = (msn_ + 1) & Psn::mask;
    const std::uint32_t behind = arrived_.advance();
    out.advanced = psns + behind;
    out.ops.bitmap_words += (1 + behind) / 64;
    nacked_ = false;
    return (behind > 0 && pass(behind)) || acks_.asks(ack_request, ends_message);
  }
  /// The expected PSN passed `packets` that had arrived before: counts the messages they end (MSN:
  /// IBTA vol. 1, 9.7.7.1) and returns whether one asked for an ACK. Out of order, both were
  /// remembered.
  bool pass(std::uint32_t packets) {
    msn_ = (msn_ + ends_.take(packets)) & Psn::mask;
    return asked_.take(packets) > 0;
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

std::unique_ptr<TransportReceiver> make_bitmap_receiver(const TransportConfig& config, Psn first,
                                                        NackRule nacks) {
  return std::make_unique<BitmapReceiver>(config, first, nacks);
}

}  // namespace horae::policy
