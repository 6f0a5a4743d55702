// IRN: selective repeat in hardware without a lossless network (Mittal et al., "Revisiting Network
// Support for RDMA", SIGCOMM 2018, 3.1 and 4; details as in the authors' receiveAck, timeout and
// transmit modules, NetSys/irn-vivado-hls).
#include <algorithm>

#include "bitmap_receiver.hpp"
#include "horae/policy/own_parameters.hpp"
#include "horae/policy/transport/sequence_bitmap.hpp"
#include "horae/policy/transport/windowed_sender.hpp"

namespace horae::policy {
namespace {

/// A shorter timeout while so little is unacknowledged that NACKs may never come.
struct IrnTimeout {
  Picoseconds low = 100_us;   ///< at most `rto` counts
  std::uint32_t packets = 3;  ///< with no more than these unacknowledged

  static const Schema<IrnTimeout>& schema() {
    static const Schema<IrnTimeout> s =
        Schema<IrnTimeout>("irn", "The shorter timeout of IRN.")
            .field("rto_low", &IrnTimeout::low,
                   {.doc = "irn: timeout while no more than rto_low_packets are unacknowledged",
                    .min = 4_us,
                    .max = Picoseconds(10'000'000'000'000),
                    .source = "IRN (SIGCOMM 2018) 4.3 as recalled: 100 us, and 320 us otherwise",
                    .verified = false})
            .field(
                "rto_low_packets", &IrnTimeout::packets,
                {.doc = "irn: most unacknowledged packets for which rto_low is the timeout",
                 .max = 65536,
                 .source = "3: quickTimeoutCap in the authors' HLS code (NetSys/irn-vivado-hls)"});
    return s;
  }
};

/// The first NACK, or a timeout, begins a recovery: the oldest packet is sent again, then every
/// packet that lies below one that is known to have arrived, each once. A recovery ends when
/// everything that had been sent before its latest retransmission is acknowledged (recoverSN is set
/// with each retransmission in the authors' txFree module). A packet that is lost twice waits for
/// the timer. The window is the bandwidth-delay product (BDP-FC). Behind an ordering layer a NACK
/// means that packets were refused for want of room: everything that was sent and is not known to
/// have arrived goes again. A receiver NACKs an expected packet once, so a NACK with a later
/// expected packet during a recovery reports a new refusal: the pass through the holes is repeated
/// when it has ended (Eunomia 3.2.2: a NACK triggers the recovery).
class IrnSender final : public WindowedSender {
 public:
  IrnSender(const TransportConfig& config, Psn first)
      : WindowedSender(config, first),
        timeout_(config.parameters.of<IrnTimeout>()),
        nacks_refuse_(config.nacks_refuse),
        arrived_(config.window, first),
        highest_(first),
        refused_end_(first),
        nacked_(first) {}

  bool can_send() const override { return hole_due() || window_open(); }
  bool retransmission_due() const override { return hole_due(); }

  Transmission next(Picoseconds now) override {
    if (!hole_due()) return send_fresh(now);
    const Psn psn = hole_;
    const bool after_timeout = timed_out_;
    timed_out_ = false;
    recover_end_ = fresh_;
    ++hole_;
    find_hole();
    return {.psn = psn,
            .kind = after_timeout ? SendKind::timeout : SendKind::rewind,
            .ack_request = (after_timeout && asks_first()) || !hole_due()};
  }

  bool accepts_nack(Psn expected_psn) const override {
    const bool again = nacks_refuse_ && nacked_.before(expected_psn);
    return (!recovering_ || again) && WindowedSender::accepts_nack(expected_psn);
  }

  void on_received(Psn psn) override {
    if (psn.before(oldest_) || !psn.before(fresh_)) return;
    arrived_.set(psn);
    if (highest_.before(psn)) highest_ = psn;
    find_hole();
  }

  void retransmit(Psn expected_psn, Picoseconds now) override {
    // Acknowledged while the NACK was served: it was late, not lost.
    if (expected_psn.before(oldest_) || unacked() == 0) return;
    timer_start_ = now;
    if (nacks_refuse_) {
      refused_end_ = fresh_;
      again_ = recovering_;
      nacked_ = expected_psn;
    }
    if (!recovering_) recover();
    find_hole();
  }

  void on_timeout(Picoseconds now) override {
    time_out(now);
    timed_out_ = true;
    recover();
  }

  Picoseconds next_deadline() const override {
    if (unacked() == 0 || rto() == never) return never;
    const bool few = unacked() <= timeout_.packets;
    return timer_start_ + (few ? std::min(timeout_.low, rto()) : rto());
  }

 private:
  void acknowledged() override {
    arrived_.take(static_cast<std::uint32_t>(oldest_ - arrived_.base()));
    if (highest_.before(oldest_)) highest_ = oldest_;
    if (refused_end_.before(oldest_)) refused_end_ = oldest_;
    if (nacked_.before(oldest_ - 1)) nacked_ = oldest_ - 1;
    if (recovering_ && !oldest_.before(recover_end_)) {
      recovering_ = timed_out_ = again_ = false;
    }
    if (!recovering_) return;
    if (!oldest_.before(hole_)) {
      // The acknowledgement stopped at the next hole, which is lost as well.
      hole_ = oldest_;
      oldest_due_ = true;
    }
    find_hole();
  }

  void recover() {
    recovering_ = true;
    recover_end_ = fresh_;
    begin_pass();
  }
  void begin_pass() {
    again_ = false;
    hole_ = oldest_;
    oldest_due_ = true;
  }

  /// The oldest packet is due without evidence of later ones; others only below one that arrived.
  bool hole_due() const {
    return recovering_ && ((oldest_due_ && hole_ == oldest_) || hole_.before(holes_end()));
  }
  void find_hole() {
    if (hole_ != oldest_) oldest_due_ = false;
    if (oldest_due_) return;
    while (hole_.before(holes_end()) && arrived_.test(hole_)) ++hole_;
    if (again_ && !hole_.before(holes_end())) begin_pass();
  }
  Psn holes_end() const { return highest_.before(refused_end_) ? refused_end_ : highest_; }

  IrnTimeout timeout_;
  bool nacks_refuse_;
  SequenceBitmap arrived_;  ///< packets that arrived out of order
  Psn highest_;             ///< of them, or the oldest unacknowledged
  bool recovering_ = false;
  bool timed_out_ = false;   ///< what is sent next is sent for a timeout
  bool oldest_due_ = false;  ///< the oldest is to be sent again whatever arrived
  Psn recover_end_;          ///< the recovery is over when all before it is acknowledged
  Psn refused_end_;          ///< packets below it may have been refused (nacks_refuse)
  Psn nacked_;               ///< expected packet of the latest NACK that was served (nacks_refuse)
  bool again_ = false;       ///< refused since: another pass follows this one (nacks_refuse)
  Psn hole_;                 ///< next candidate to be sent again
};

}  // namespace

TransportEntry irn_transport() {
  return {.name = "irn",
          .doc =
              "selective repeat of IRN: every out-of-order packet is reported, each loss is "
              "retransmitted once",
          .make_sender = [](const TransportConfig& config,
                            Psn first) -> std::unique_ptr<TransportSender> {
            return std::make_unique<IrnSender>(config, first);
          },
          .make_receiver = [](const TransportConfig& config,
                              Psn first) -> std::unique_ptr<TransportReceiver> {
            return make_bitmap_receiver(config, first, NackRule::every);
          },
          .parameters = {keys_of<IrnTimeout>()},
          .headers = {received_psn},
          .own_timeout = [](const TransportConfig& config) -> Timeout {
            return {"rto_low", config.parameters.of<IrnTimeout>().low};
          }};
}

}  // namespace horae::policy
