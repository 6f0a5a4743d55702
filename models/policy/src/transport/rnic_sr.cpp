// RNIC-SR: the selective repeat of commodity NICs, as section 2.3 of the packet-spraying paper
// describes it.
#include <algorithm>
#include <boost/container/deque.hpp>

#include "bitmap_receiver.hpp"
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
    const Psn last = last_sent();
    timer_start_ = now;
    if (is_known(expected_psn))
      put_in_line(
          {.psn = expected_psn, .kind = SendKind::expected, .ack_request = expected_psn == last});
    if (is_known(last)) put_in_line({.psn = last, .kind = SendKind::last, .ack_request = true});
  }

  void on_timeout(Picoseconds now) override {
    WindowedSender::on_timeout(now);
    pending_.clear();
  }

  void abandon() override {
    WindowedSender::abandon();
    pending_.clear();
  }

 protected:
  void acknowledged() override {
    if (!has_reads()) return;
    pending_.erase(std::remove_if(pending_.begin(), pending_.end(),
                                  [this](const Transmission& t) { return !is_known(t.psn); }),
                   pending_.end());
  }

 private:
  /// Whether it may be sent again. READs take so many PSNs that what is acknowledged is soon
  /// forgotten.
  bool is_known(Psn psn) const { return !has_reads() || !psn.before(oldest_); }
  void put_in_line(const Transmission& t) {
    for (auto& waiting : pending_) {
      if (waiting.psn != t.psn) continue;
      waiting.ack_request |= t.ack_request;
      return;
    }
    pending_.push_back(t);
  }

  /// Retransmissions of served NACKs, in their order; no memory while there were none.
  boost::container::deque<Transmission> pending_;
};

}  // namespace

TransportEntry rnic_sr_transport() {
  return {.name = "rnic_sr",
          .doc = "selective repeat of commodity NICs: one NACK per ePSN, two packets retransmitted",
          .make_sender = [](const TransportConfig& config,
                            Psn first) -> std::unique_ptr<TransportSender> {
            return std::make_unique<RnicSrSender>(config, first);
          },
          .make_receiver = [](const TransportConfig& config,
                              Psn first) -> std::unique_ptr<TransportReceiver> {
            return make_bitmap_receiver(config, first, NackRule::once);
          },
          .reads = true,
          // SENDs are not repeated selectively: US 11870590, claims 1 to 3, and packet captures of
          // these NICs. WRITEs with immediate data are taken to go alike.
          .sends_by = "go_back_n"};
}

}  // namespace horae::policy
