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
      in_order(ack_request, ends_message, out);
      return out;
    }
    if (!arrived_.covers(psn)) {
      // Beyond every PSN a sender with this window may use.
      out.placement = Placement::discard;
      return out;
    }
    if (acks_.asks(ack_request, ends_message)) asked_.set(psn);
    if (arrived_.test(psn)) {
      out.placement = Placement::duplicate;
    } else {
      arrived_.set(psn);
      if (ends_message) ends_.set(psn);
    }
    // New or not, "a packet's PSN is larger than the ePSN": the last packet, which comes again with
    // every retransmission, thus reveals the next hole when nothing new follows.
    if (nacks_ == NackRule::every || (nacks_ == NackRule::once && !nacked_)) {
      nacked_ = true;
      out.response = Response{.nack = true, .psn = expected, .msn = msn_};
      if (nacks_ == NackRule::every) out.response->received = psn;
      acks_.acknowledged();
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
  /// The expected packet arrived. It has no bits yet, so it needs none; those behind it may have.
  void in_order(bool ack_request, bool ends_message, ReceiveOutcome& out) {
    arrived_.pass_clear();
    ends_.pass_clear();
    asked_.pass_clear();
    if (ends_message) msn_ = (msn_ + 1) & Psn::mask;
    const std::uint32_t behind = arrived_.advance();
    out.advanced = 1 + behind;
    out.ops.bitmap_words += out.advanced / 64;
    nacked_ = false;
    const bool asked = (behind > 0 && pass(behind)) || acks_.asks(ack_request, ends_message);
    if (acks_.advanced(out.advanced, asked)) out.response = acknowledge();
  }
  /// The expected PSN passed `packets` that had arrived before: counts the messages they end (MSN:
  /// IBTA vol. 1, 9.7.7.1) and returns whether one asked for an ACK. Out of order, both were
  /// remembered.
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

std::unique_ptr<TransportReceiver> make_bitmap_receiver(const TransportConfig& config, Psn first,
                                                        NackRule nacks) {
  return std::make_unique<BitmapReceiver>(config, first, nacks);
}

}  // namespace horae::policy
