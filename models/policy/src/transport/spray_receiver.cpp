// The receiver of spray_sr: takes packets in any order and reports them one by one.
#include "horae/policy/transport/selective.hpp"
#include "horae/policy/transport/sequence_bitmap.hpp"
#include "horae/policy/transport/spray_sr.hpp"
#include "spray_parts.hpp"

namespace horae::policy {
namespace {

class SprayReceiver final : public SelectiveReceiver {
 public:
  SprayReceiver(const TransportConfig& config, Psn first)
      : arrived_(config.window, first),
        ends_(config.window, first),
        every_(config.ack_every),
        ends_ask_(config.ends_ask) {
    report_.bits = static_cast<std::uint16_t>(config.parameters.of<SprayParameters>().sack_bits);
  }

  ReceiveOutcome on_arrival(const Arrival& a) override;
  const SelectiveReport& report() const override { return report_; }
  Psn expected_psn() const override { return arrived_.base(); }
  Bytes memory() const override { return arrived_.memory(); }

 private:
  /// Puts a new packet in its place; whether it is the last one for which those behind it waited,
  /// while one that asked is among them.
  bool place(const Arrival& a, ReceiveOutcome& out);
  void answer(const Arrival& a, bool own, ReceiveOutcome& out);

  SequenceBitmap arrived_;
  SequenceBitmap ends_;
  std::uint32_t every_;
  bool ends_ask_;
  std::uint32_t since_ = 0;  ///< packets since the last ACK
  std::uint32_t ahead_ = 0;  ///< packets that arrived out of order and still wait
  std::uint32_t msn_ = 0;
  bool any_ = false;       ///< a packet has arrived
  bool ask_open_ = false;  ///< one asked, and not all before it and behind it has arrived
  SelectiveReport report_;
};

ReceiveOutcome SprayReceiver::on_arrival(const Arrival& a) {
  ReceiveOutcome out;
  out.ahead = a.psn - arrived_.base();
  out.ops.bitmap_words = 1;
  const bool asks = a.ack_request || (a.ends_message && ends_ask_);
  const bool beyond = out.ahead > 0 && !arrived_.covers(a.psn);
  if (out.ahead < 0 || (!beyond && arrived_.test(a.psn))) {
    // Its sender does not know: the ACK may be lost.
    out.placement = Placement::duplicate;
    answer(a, asks || a.marked, out);
    return out;
  }
  if (a.trimmed || beyond) {
    out.placement = Placement::discard;
    if (a.trimmed && !beyond) answer(a, false, out);
    return out;
  }
  const bool first = !any_;
  any_ = true;
  ask_open_ |= asks;
  const bool closed = place(a, out);
  ++since_;
  if (first || a.marked || asks || closed || since_ >= every_) answer(a, asks || a.marked, out);
  return out;
}

bool SprayReceiver::place(const Arrival& a, ReceiveOutcome& out) {
  if (out.ahead > 0) {
    arrived_.set(a.psn);
    if (a.ends_message) ends_.set(a.psn);
    ++ahead_;
    return false;
  }
  arrived_.pass_clear();
  ends_.pass_clear();
  msn_ += a.ends_message ? 1 : 0;
  const std::uint32_t behind = arrived_.advance();
  msn_ = (msn_ + ends_.take(behind)) & Psn::mask;
  out.advanced = 1 + behind;
  out.ops.bitmap_words += out.advanced / 64;
  ahead_ -= behind;
  if (ahead_ > 0 || !ask_open_) return false;
  ask_open_ = false;
  return true;
}

/// `own`: the bitmap begins with the cause. Else it ends there, so that it tells of what came
/// before.
void SprayReceiver::answer(const Arrival& a, bool own, ReceiveOutcome& out) {
  const Psn expected = arrived_.base();
  const bool nack = out.placement == Placement::discard;
  out.response = Response{.nack = nack, .psn = expected, .msn = msn_};
  report_.cause = a.psn;
  report_.trimmed = nack;
  if (!nack) since_ = 0;
  const Psn earliest = a.psn - (report_.bits - 1);
  report_.first = own ? a.psn : earliest.after(expected) ? earliest : expected + 1;
  for (unsigned i = 0; i < report_.bits; i += 64) {
    const unsigned left = report_.bits - i;
    const std::uint64_t mask = left < 64 ? (std::uint64_t{1} << left) - 1 : ~std::uint64_t{0};
    report_.received[i / 64] =
        arrived_.bits_from(report_.first + static_cast<std::int32_t>(i)) & mask;
  }
  out.ops.bitmap_words += (report_.bits + 63u) / 64;
}

}  // namespace

std::unique_ptr<TransportReceiver> make_spray_receiver(const TransportConfig& config, Psn first) {
  return std::make_unique<SprayReceiver>(config, first);
}

}  // namespace horae::policy
