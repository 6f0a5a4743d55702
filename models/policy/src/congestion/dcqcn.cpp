#include "horae/policy/congestion/dcqcn.hpp"

#include <algorithm>

namespace horae::policy {
namespace {

// Beyond any threshold, and times any rate still within 64 bits.
constexpr std::uint32_t stage_limit = 1u << 20;
// The unit of the vendor's rates: what is nearer to the line rate than this counts as there.
constexpr BitRate rate_unit{1'000'000};

constexpr std::uint64_t alpha_of(std::uint32_t in_1024ths) {
  return std::uint64_t{in_1024ths} << 20;
}

/// `percent` of a rate, rounded up.
BitRate share(BitRate rate, std::uint32_t percent) { return (rate * percent + BitRate(99)) / 100; }

void count(std::uint32_t& stage, std::int64_t n = 1) {
  stage = static_cast<std::uint32_t>(std::min<std::int64_t>(stage + n, stage_limit));
}

/// Expiries of a timer due at `due` until `end`, which it has reached.
std::int64_t expiries(Picoseconds due, Picoseconds end, Picoseconds period) {
  return (end - due) / period + 1;
}

}  // namespace

Dcqcn::Dcqcn(const DcqcnParameters& parameters, BitRate line,
             std::unique_ptr<NackReaction> reaction)
    : p_(parameters),
      line_(line),
      floor_(parameters.min_rate),
      bytes_per_stage_(parameters.byte_counter_unit * parameters.byte_counter),
      reaction_(std::move(reaction)),
      rate_(line),
      target_(line) {
  reaction_->start(*this, line);
}

void Dcqcn::on_cnp(Picoseconds now) {
  run(now);
  cnp(now);
}

void Dcqcn::on_nack(Picoseconds now) {
  run(now);
  reaction_->on_nack(*this, now);
}

void Dcqcn::on_sent(Bytes wire, Picoseconds now) {
  run(now);
  if (!limited_ || bytes_per_stage_ == Bytes(0)) return;
  bytes_ += wire;
  while (limited_ && bytes_ >= bytes_per_stage_) {
    bytes_ -= bytes_per_stage_;
    if (p_.form == DcqcnForm::per_cnp) count(byte_stage_);
    increase();
    if (p_.form == DcqcnForm::monitored) count(byte_stage_);
    release_if_recovered();
  }
  plan();
}

std::uint64_t Dcqcn::alpha(Picoseconds now) {
  run(now);
  run_alpha(now);
  return alpha_;
}

void Dcqcn::cnp(Picoseconds now) {
  const bool first = !limited_;
  if (first) {
    limit(now);
    if (p_.first_cnp_rate > BitRate(0)) {
      lower(std::min(line_, p_.first_cnp_rate));
      target_ = rate_;
    }
  }
  run_alpha(now);
  if (p_.form == DcqcnForm::per_cnp) {
    congestion_cut(now);
    alpha_ = (alpha_ * (1024 - p_.gain) >> 10) + alpha_of(p_.gain);
    alpha_due_ = now + p_.alpha_timer;
  } else {
    // The first CNP sets alpha instead of raising it.
    if (!first) alpha_saw_cnp_ = true;
    if (cut_due_ == never) {
      cut_due_ = monitor_start_ + p_.cut_period * expiries(monitor_start_, now, p_.cut_period);
    }
  }
  plan();
}

void Dcqcn::cut(std::uint32_t kept, NackTarget target, Picoseconds now) {
  if (!limited_) limit(now);
  if (target == NackTarget::previous) target_ = rate_;
  lower(share(rate_, kept));
  if (target == NackTarget::reset) target_ = rate_;
  restart_recovery(now);
  plan();
}

void Dcqcn::restart(Picoseconds now) {
  limited_ = true;
  alpha_ = alpha_of(p_.initial_alpha);
  alpha_saw_cnp_ = false;
  alpha_due_ = now + p_.alpha_timer;
  monitor_start_ = now;
  cut_due_ = never;
  restart_recovery(now);
  plan();
}

void Dcqcn::set_floor(BitRate floor) { floor_ = std::max(floor_, floor); }

void Dcqcn::run(Picoseconds now) {
  while (next_ <= now) {
    if (rate_due_ <= cut_due_) {
      rate_tick(now);
    } else {
      congestion_cut(cut_due_);
      cut_due_ = never;
    }
    plan();
  }
}

void Dcqcn::run_alpha(Picoseconds now) {
  while (alpha_due_ <= now) {
    if (alpha_ == 0 && !alpha_saw_cnp_) {  // nothing more happens to it
      alpha_due_ += p_.alpha_timer * expiries(alpha_due_, now, p_.alpha_timer);
      return;
    }
    alpha_ = alpha_ * (1024 - p_.gain) >> 10;
    if (alpha_saw_cnp_) alpha_ += alpha_of(p_.gain);
    alpha_saw_cnp_ = false;
    alpha_due_ += p_.alpha_timer;
  }
}

void Dcqcn::limit(Picoseconds now) {
  rate_ = line_;
  target_ = line_;
  restart(now);
}

void Dcqcn::release() {
  limited_ = false;
  rate_ = line_;
  target_ = line_;
  rate_due_ = never;
  cut_due_ = never;
  alpha_due_ = never;
  alpha_ = 0;
  alpha_saw_cnp_ = false;
  time_stage_ = 0;
  byte_stage_ = 0;
  bytes_ = Bytes(0);
}

void Dcqcn::congestion_cut(Picoseconds now) {
  run_alpha(now);
  if (p_.clamp_target || byte_stage_ > 0 || (p_.clamp_after_time && time_stage_ > 0)) {
    target_ = rate_;
  }
  const auto taken =
      static_cast<horae::detail::Wide>(rate_.count()) * alpha_ >> (30 - 10 + p_.cut_log2);
  lower(std::max(rate_ - BitRate(static_cast<std::int64_t>(taken)), share(rate_, p_.least_kept)));
  restart_recovery(now);
}

void Dcqcn::lower(BitRate rate) { rate_ = std::max(rate, floor_); }

void Dcqcn::restart_recovery(Picoseconds now) {
  time_stage_ = 0;
  byte_stage_ = 0;
  bytes_ = Bytes(0);
  rate_due_ = now + p_.rate_timer;
}

void Dcqcn::rate_tick(Picoseconds now) {
  if (rate_ == line_) {
    // Only stages are counted, which a cut that is due before `now` does away with.
    const std::int64_t n = expiries(rate_due_, now, p_.rate_timer);
    count(time_stage_, n);
    rate_due_ += p_.rate_timer * n;
    release_if_recovered();
    return;
  }
  rate_due_ += p_.rate_timer;
  if (p_.form == DcqcnForm::per_cnp) count(time_stage_);
  increase();
  if (p_.form == DcqcnForm::monitored) count(time_stage_);
  release_if_recovered();
}

void Dcqcn::increase() {
  const bool bytes = bytes_per_stage_ > Bytes(0);
  const std::uint32_t most = std::max(time_stage_, byte_stage_);
  const std::uint32_t least = bytes ? std::min(time_stage_, byte_stage_) : time_stage_;
  if (least > p_.threshold) {
    const std::uint32_t times = p_.form == DcqcnForm::per_cnp ? least - p_.threshold : 1;
    target_ += p_.hyper_increase * times;
  } else if (most >= p_.threshold) {
    target_ += p_.additive_increase;
  }
  target_ = std::min(target_, line_);
  rate_ = (rate_ + target_ + BitRate(1)) / 2;
}

void Dcqcn::release_if_recovered() {
  const bool cut_pending = cut_due_ != never;
  if (p_.release_at_line && line_ - rate_ < rate_unit && !cut_pending) release();
}

}  // namespace horae::policy
