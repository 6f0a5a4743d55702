// The sender of spray_sr: what it knows of each packet.
#include <bit>
#include <boost/container/deque.hpp>
#include <boost/container/static_vector.hpp>
#include <vector>

#include "horae/policy/transport/selective.hpp"
#include "horae/policy/transport/sequence_bitmap.hpp"
#include "horae/policy/transport/spray_sr.hpp"
#include "spray_parts.hpp"

namespace horae::policy {
namespace {

class SpraySender final : public SelectiveSender {
 public:
  SpraySender(const TransportConfig& config, Psn first)
      : oldest_(first),
        fresh_(first),
        window_(config.window),
        ack_request_every_(config.ack_request_every),
        rto_(config.rto),
        arrived_(config.window, first),
        times_(config.parameters.of<SprayParameters>().timer, config.window) {}

  void post(std::uint32_t packets) override {
    unsent_ += packets;
    if (records_.empty()) records_.resize(arrived_.size());
  }
  std::uint32_t unsent() const override { return unsent_; }
  std::uint32_t unacked() const override { return static_cast<std::uint32_t>(fresh_ - oldest_); }
  Psn oldest_unacked() const override { return oldest_; }
  Bytes in_flight() const override { return in_flight_; }
  Bytes waiting_again() const override { return waiting_again_; }
  std::span<const Psn> given_up() const override { return {given_up_.data(), given_up_.size()}; }

  bool can_send() const override { return !again_.empty() || (unsent_ > 0 && has_room()); }
  bool retransmission_due() const override { return !again_.empty(); }
  Transmission next(Picoseconds now) override;
  void on_sent(Psn psn, Bytes payload) override {
    record(psn).payload = static_cast<std::uint16_t>(payload.count());
    in_flight_ += payload;
  }

  SelectiveOutcome on_report(Psn expected, const SelectiveReport& report, Picoseconds now) override;
  AckOutcome on_ack(Psn next_expected, Picoseconds now) override {
    SelectiveReport none;
    none.cause = next_expected - 1;
    return on_report(next_expected, none, now).ack;
  }
  bool accepts_nack(Psn psn) const override { return sent(psn) && waits(psn); }
  void retransmit(Psn psn, Picoseconds) override {
    if (accepts_nack(psn)) queue(psn, SendKind::trimmed);
  }
  void on_timeout(Picoseconds now) override;
  Picoseconds next_deadline() const override {
    return times_.any() && rto_ != never ? times_.earliest() + rto_ : never;
  }

 private:
  enum class Fate : std::uint8_t {
    in_flight,  ///< sent, and nothing heard of it
    cut,        ///< trimmed: its NACK is to be served
    queued,     ///< to be sent again
    arrived,
  };
  struct Record {
    std::uint16_t payload = 0;  ///< bytes
    Fate fate = Fate::arrived;
  };
  struct Again {
    Psn psn;
    SendKind kind;
  };

  Record& record(Psn psn) { return records_[psn.value() & (arrived_.size() - 1)]; }
  const Record& record(Psn psn) const { return records_[psn.value() & (arrived_.size() - 1)]; }
  bool sent(Psn psn) const { return !psn.before(oldest_) && psn.before(fresh_); }
  bool waits(Psn psn) const {
    return record(psn).fate == Fate::in_flight || record(psn).fate == Fate::cut;
  }
  bool has_room() const { return unacked() < window_; }

  /// Known to have arrived: returns the payload if that is news.
  Bytes arrive(Psn psn);
  /// Its copies count no more as in flight; it is to be sent again.
  void queue(Psn psn, SendKind kind);
  /// The packet that is queued first is to be sent indeed.
  void skip_arrived() {
    while (!again_.empty() &&
           !(sent(again_.front().psn) && record(again_.front().psn).fate == Fate::queued)) {
      again_.pop_front();
    }
  }

  Psn oldest_;  ///< oldest unacknowledged
  Psn fresh_;   ///< next never sent
  std::uint32_t unsent_ = 0;
  std::uint32_t window_;
  std::uint32_t ack_request_every_;
  Picoseconds rto_;
  SequenceBitmap arrived_;       ///< of what lies between them
  std::vector<Record> records_;  ///< likewise, a ring; a mere responder has none
  SendTimes times_;              ///< of those in flight or cut
  boost::container::deque<Again> again_;
  boost::container::static_vector<Psn, SendTimes::group_packets> given_up_;
  Bytes in_flight_{};
  Bytes waiting_again_{};  ///< of packets that are queued
};

Transmission SpraySender::next(Picoseconds now) {
  if (!again_.empty()) {
    const Again first = again_.front();
    again_.pop_front();
    Record& r = record(first.psn);
    waiting_again_ -= Bytes(r.payload);
    r.fate = Fate::in_flight;
    times_.sent(first.psn, now);
    skip_arrived();
    return {.psn = first.psn, .kind = first.kind, .ack_request = true};
  }
  const Psn psn = fresh_;
  ++fresh_;
  --unsent_;
  record(psn) = {.payload = 0, .fate = Fate::in_flight};
  times_.sent(psn, now);
  const bool nth = ack_request_every_ != 0 && (psn.value() + 1) % ack_request_every_ == 0;
  return {.psn = psn, .kind = SendKind::fresh, .ack_request = nth || !has_room()};
}

Bytes SpraySender::arrive(Psn psn) {
  Record& r = record(psn);
  if (r.fate == Fate::arrived) return 0_B;
  const Bytes payload(r.payload);
  if (r.fate == Fate::in_flight) in_flight_ -= payload;
  if (r.fate == Fate::queued) {
    waiting_again_ -= payload;
  } else {
    times_.over(psn);
  }
  r.fate = Fate::arrived;
  arrived_.set(psn);
  return payload;
}

SelectiveOutcome SpraySender::on_report(Psn expected, const SelectiveReport& report,
                                        Picoseconds now) {
  SelectiveOutcome out;
  const std::int32_t advance = expected - oldest_;
  // Beyond what was ever sent: nothing of it is to be believed.
  if (advance > fresh_ - oldest_) return out;
  if (report.bits != 0 && !report.trimmed && sent(report.cause))
    out.delivered += arrive(report.cause);
  for (unsigned i = 0; i < report.bits; i += 64) {
    const Psn from = report.first + static_cast<std::int32_t>(i);
    for (std::uint64_t news = report.received[i / 64] & ~arrived_.bits_from(from); news != 0;
         news &= news - 1) {
      const Psn psn = from + std::countr_zero(news);
      if (sent(psn)) out.delivered += arrive(psn);
    }
  }
  for (std::int32_t i = 0; i < advance; ++i) {
    out.delivered += arrive(oldest_);
    arrived_.step();
    ++oldest_;
  }
  out.ack.newly_acked = advance > 0 ? static_cast<std::uint32_t>(advance) : 0;
  if (report.trimmed && sent(report.cause) && record(report.cause).fate == Fate::in_flight) {
    Record& r = record(report.cause);
    r.fate = Fate::cut;
    out.lost = Bytes(r.payload);
    in_flight_ -= out.lost;
  }
  if (out.delivered > 0_B || advance > 0) times_.progress(now);
  skip_arrived();
  return out;
}

void SpraySender::queue(Psn psn, SendKind kind) {
  Record& r = record(psn);
  if (r.fate == Fate::in_flight) in_flight_ -= Bytes(r.payload);
  r.fate = Fate::queued;
  waiting_again_ += Bytes(r.payload);
  times_.over(psn);
  again_.push_back({psn, kind});
}

void SpraySender::on_timeout(Picoseconds now) {
  given_up_.clear();
  if (!times_.any()) return;
  const bool known = times_.kind() != SendTimer::connection;
  // With one time for all it is taken to be the oldest one of those that wait.
  Psn psn = known ? times_.first() : oldest_;
  Psn end = known ? psn + static_cast<std::int32_t>(times_.span()) : fresh_;
  for (; psn != end; ++psn) {
    if (!sent(psn) || !waits(psn)) continue;
    given_up_.push_back(psn);
    queue(psn, SendKind::timeout);
    if (!known) break;
  }
  times_.progress(now);
}

}  // namespace

std::unique_ptr<TransportSender> make_spray_sender(const TransportConfig& config, Psn first) {
  return std::make_unique<SpraySender>(config, first);
}

}  // namespace horae::policy
