// Shared by the transports' senders: the window, the cumulative acknowledgement, the timer.
#pragma once

#include <algorithm>
#include <boost/container/deque.hpp>
#include <memory>
#include <utility>

#include "horae/policy/transport/read_requests.hpp"
#include "horae/policy/transport/retry_schedule.hpp"
#include "horae/policy/transport/transport.hpp"

namespace horae::policy {

/// Sends posted PSNs in order within a window and keeps the retransmission timer: it runs while
/// anything is unacknowledged and starts again with every advance of the acknowledgement (IBTA vol.
/// 1, 9.7.6.1.3). A timeout, and whatever else the derived class wants, sends a range of PSNs again
/// before anything new; what a NACK does is left to the derived class.
class WindowedSender : public TransportSender {
 public:
  WindowedSender(const TransportConfig& config, Psn first)
      : oldest_(first),
        fresh_(first),
        window_(config.window),
        most_reads_(config.most_reads()),
        ack_request_every_(config.ack_request_every),
        rto_(config.rto),
        timeout_resend_(config.timeout_resend),
        hold_last_(config.hold_last),
        holds_(config.hold_last) {
    if (!RetrySchedule::asked_for(config)) return;
    retries_ = std::make_unique<RetrySchedule>(config);
    rto_ = retries_->interval();
  }

  void post(std::uint32_t packets) override {
    unsent_ += packets;
    if (hold_last_) held_.push_back(fresh_ + static_cast<std::int32_t>(unsent_ - 1));
  }
  void post_read(std::uint32_t responses) override {
    if (!reads_) reads_ = std::make_unique<ReadRequests>(most_reads_);
    reads_->post(fresh_ + static_cast<std::int32_t>(unsent_), responses);
    unsent_ += responses;
  }
  void fence() override {
    if (reads_) reads_->fence(fresh_ + static_cast<std::int32_t>(unsent_));
  }
  void hold(Psn psn) override {
    holds_ = true;
    held_.push_back(psn);
  }
  ReadOutcome on_response(Psn psn) override {
    if (reads_) return reads_->on_response(psn, fresh_);
    return {.placement = Placement::duplicate};
  }
  void put_off(Psn psn, Picoseconds until) override {
    resend(psn, fresh_, SendKind::rewind);
    timer_start_ = until;
  }
  std::uint32_t unsent() const override { return unsent_; }
  std::uint32_t unacked() const override { return static_cast<std::uint32_t>(fresh_ - oldest_); }
  Psn oldest_unacked() const override { return oldest_; }

  AckOutcome on_ack(Psn next_expected, Picoseconds now) override {
    // Older than what is known, or beyond what was ever sent: nothing to learn.
    const std::int32_t advance = next_expected - oldest_;
    if (advance <= 0 || advance > fresh_ - oldest_) return {};
    if (reads_) [[unlikely]]
      return acknowledge_reads(next_expected, now);
    return advance_to(next_expected, now);
  }

  bool accepts_nack(Psn expected_psn) const override {
    // Acknowledged before (its buffer may be gone), or never sent: nothing to send again.
    return !expected_psn.before(oldest_) && expected_psn.before(fresh_);
  }

  bool can_send() const override { return resending() || window_open(); }
  bool retransmission_due() const override { return resending(); }

  Transmission next(Picoseconds now) override {
    return resending() ? resend_next() : send_fresh(now);
  }

  void on_timeout(Picoseconds now) override {
    const bool whole = timeout_resend_ == TimeoutResend::window;
    resend(oldest_, whole ? fresh_ : oldest_ + 1, SendKind::timeout);
    time_out(now);
  }

  Picoseconds next_deadline() const override {
    return unacked() == 0 || rto_ == never ? never : timer_start_ + rto_;
  }

  bool exhausted() const override { return retries_ != nullptr && retries_->exhausted(); }
  void abandon() override {
    unsent_ = 0;
    oldest_ = fresh_;
    resend_from_ = resend_end_;
    held_.clear();
    if (reads_) reads_->clear();
    acknowledged();
  }

 protected:
  /// The acknowledgement advanced: forget what need not be sent again.
  virtual void acknowledged() {}

  /// Start of each timeout: the timer anew, and, if nothing was acknowledged since the one
  /// before, that the first packet sent again asks. Receivers here answer no duplicate that does
  /// not ask (IBTA vol. 1, C9-105, as Linux' software RoCE reads it, answers them all). Where the
  /// last of a range is lost each time, or the next timeout comes before it, a sender would never
  /// hear what has arrived.
  void time_out(Picoseconds now) {
    timer_start_ = now;
    ask_first_ = std::exchange(in_vain_, true);
    if (reads_) reads_->timed_out();
    if (!retries_) return;
    retries_->ran_out();
    rto_ = retries_->interval();
  }
  /// Whether the packet that is sent again now asks for that reason.
  bool asks_first() { return std::exchange(ask_first_, false); }

  /// Sends everything from `from` up to but not including `end` again; replaces an earlier range.
  void resend(Psn from, Psn end, SendKind kind) {
    resend_from_ = from;
    resend_end_ = end;
    resend_kind_ = kind;
    ask_first_ = false;
  }
  bool resending() const { return resend_from_ != resend_end_; }
  Psn resend_from() const { return resend_from_; }
  Psn resend_end() const { return resend_end_; }
  /// More of the same kind behind the range.
  void extend_resend(Psn end) { resend_end_ = end; }
  Transmission resend_next() {
    const Psn psn = resend_from_;
    ++resend_from_;
    if (reads_) [[unlikely]]
      skip_to(psn + static_cast<std::int32_t>(reads_->span(psn)));
    // The last of the range asks for an ACK, so that progress is heard of.
    const bool first = asks_first();
    return {.psn = psn, .kind = resend_kind_, .ack_request = first || !resending()};
  }

  bool has_reads() const { return reads_ != nullptr; }
  /// The packet that was sent last for the first time; of a READ that is answered in part, the
  /// request for the rest.
  Psn last_sent() const { return reads_ ? reads_->last_packet(fresh_) : fresh_ - 1; }

  Picoseconds rto() const { return rto_; }
  bool has_room() const {
    if (reads_) [[unlikely]]
      return unacked() - reads_->beyond_requests(oldest_) < window_;
    return unacked() < window_;
  }
  /// Whether a PSN that fits the window waits for those before it.
  bool holds_back(Psn psn) const { return !held_.empty() && held_.front() == psn && unacked() > 0; }
  bool window_open() const {
    if (reads_) [[unlikely]]
      return window_open_with_reads();
    return unsent_ > 0 && unacked() < window_ && (!holds_ || !holds_back(fresh_));
  }

  /// Apart, so that a sender without READs saves no registers for it.
  [[gnu::noinline]] bool window_open_with_reads() const {
    return unsent_ > 0 && has_room() && (!holds_ || !holds_back(fresh_)) &&
           !reads_->holds_back(fresh_);
  }

  Transmission send_fresh(Picoseconds now) {
    if (unacked() == 0) timer_start_ = now;
    const Psn psn = fresh_;
    ++fresh_;
    --unsent_;
    if (reads_) [[unlikely]] {
      if (const auto span = reads_->send(psn)) {
        if (!held_.empty() && held_.front() == psn) held_.pop_front();
        fresh_ = psn + static_cast<std::int32_t>(*span);
        unsent_ -= *span - 1;
        return {.psn = psn};  // its response is its acknowledgement
      }
    }
    if (holds_ && !held_.empty()) {
      if (held_.front() == psn) held_.pop_front();
      // The packet that the held one waits for requests an ACK.
      else if (held_.front() == fresh_)
        return {.psn = psn, .ack_request = true};
    }
    const bool nth = ack_request_every_ != 0 && (psn.value() + 1) % ack_request_every_ == 0;
    // The packet that closes the window requests an ACK: a receiver that acknowledges less often
    // than once per window would else stay silent until the timeout.
    return {.psn = psn, .kind = SendKind::fresh, .ack_request = nth || !has_room()};
  }

  AckOutcome advance_to(Psn next_expected, Picoseconds now) {
    const auto advance = static_cast<std::uint32_t>(next_expected - oldest_);
    oldest_ = next_expected;
    timer_start_ = now;
    if (in_vain_) [[unlikely]]
      heard_again();
    if (resend_from_.before(oldest_)) {
      // A range that was acknowledged meanwhile ends: from and end meet.
      resend_from_ = oldest_.before(resend_end_) ? oldest_ : resend_end_;
    }
    acknowledged();
    return {.newly_acked = advance};
  }

  /// Responses to READs before `next_expected` may not have arrived: what is acknowledged ends
  /// there.
  AckOutcome acknowledge_reads(Psn next_expected, Picoseconds now) {
    const Psn limit = reads_->limit(next_expected);
    AckOutcome outcome = oldest_.before(limit) ? advance_to(limit, now) : AckOutcome{};
    reads_->acknowledged(oldest_);
    if (limit != next_expected) outcome.missing = reads_->missing();
    return outcome;
  }
  void skip_to(Psn next) { resend_from_ = next.before(resend_end_) ? next : resend_end_; }

  /// Something was acknowledged after a timeout.
  void heard_again() {
    in_vain_ = false;
    if (!retries_) return;
    retries_->answered();
    rto_ = retries_->interval();
  }

  Psn oldest_;  ///< oldest unacknowledged
  Psn fresh_;   ///< next never sent
  std::uint32_t unsent_ = 0;
  Picoseconds timer_start_{};

 private:
  std::uint32_t window_;
  std::uint32_t most_reads_;
  std::unique_ptr<ReadRequests> reads_;  ///< null: no READ was posted
  std::uint32_t ack_request_every_;
  Picoseconds rto_;                         ///< of the timer that runs
  std::unique_ptr<RetrySchedule> retries_;  ///< null: all timeouts are alike, without end
  TimeoutResend timeout_resend_;
  bool hold_last_;
  bool holds_;  ///< packets may be held: the last ones of messages, or those of hold()
  Psn resend_from_;
  Psn resend_end_;
  /// Packets that wait to be alone (hold_last, hold()), in order; no memory while empty.
  boost::container::deque<Psn> held_;
  SendKind resend_kind_ = SendKind::timeout;
  bool in_vain_ = false;    ///< a timeout, and nothing acknowledged since
  bool ask_first_ = false;  ///< the next packet of the range asks
};

}  // namespace horae::policy
