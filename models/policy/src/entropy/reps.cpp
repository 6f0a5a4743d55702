#include "horae/policy/entropy/reps.hpp"

#include <algorithm>

namespace horae::policy {
namespace {

constexpr std::uint32_t most_explored = 255;  // the counter has 8 bits

}  // namespace

Reps::Reps(const EntropyConfig& config, const EntropyContext& context)
    : DrawingEntropy(config, context),
      shortest_rtt_(context.base_rtt),
      rto_(context.rto),
      trimming_(context.trimming) {
  const auto& p = config.parameters.of<RepsParameters>();
  ring_.resize(p.ring);
  timeout_ = p.freezing_timeout.value_or(never);
  freeze_at_ = p.freeze_at.value_or(never);
  explore_packets_ = std::min(p.explore_packets.value_or(context.bdp_packets), most_explored);
  suspect_rtt_ = p.suspect_rtt;
  exit_ = p.exit;
  exit_on_ = p.exit_on;
  frozen_read_ = p.frozen_read;
  freezing_ = p.freezing;
}

std::uint16_t Reps::next(Picoseconds) {
  if (explore_ > 0) {
    --explore_;
    return random_value();
  }
  if (frozen_ && frozen_read_ == RepsFrozenRead::artifact && filled_ > 0) {
    Slot& slot = ring_[frozen_head_];
    if (++frozen_head_ >= filled_) frozen_head_ = 0;
    if (slot.valid) {
      slot.valid = false;
      --valid_;
      return recycled_value(slot.value);
    }
    ++counts_.frozen;
    return slot.value;
  }
  if (valid_ > 0) {
    const auto slots = static_cast<std::uint32_t>(ring_.size());
    Slot& oldest = ring_[head_ >= valid_ ? head_ - valid_ : head_ + slots - valid_];
    oldest.valid = false;
    --valid_;
    return recycled_value(oldest.value);
  }
  if (frozen_ && filled_ > 0) return next_frozen();
  return random_value();
}

std::uint16_t Reps::next_frozen() {
  // Behind the last slot that was ever written the first one follows.
  const std::uint32_t slot = head_ < filled_ ? head_ : 0;
  head_ = after(slot);
  ++counts_.frozen;
  return ring_[slot].value;
}

void Reps::feedback(const EntropyFeedback& feedback, Picoseconds now) {
  if (feedback.signal == PathSignal::timeout) {
    if (freezing_ && !frozen_ && explore_ == 0 && suspicious()) freeze(now);
    return;
  }
  if (now >= freeze_at_) [[unlikely]] {
    freeze_at_ = never;
    freeze(now);
  }
  const bool good = feedback.signal == PathSignal::good;
  if (!trimming_ && feedback.rtt > Picoseconds(0)) learn_rtt(feedback.rtt, now);
  // Before the value is stored, which a ring that is emptied now keeps. Else the order is the same.
  if (frozen_ && now > exit_time_ && (good || exit_on_ == RepsExitOn::any)) leave(now);
  if (good) store(feedback.value);
}

void Reps::store(std::uint16_t value) {
  Slot& slot = ring_[head_];
  if (!slot.valid) ++valid_;
  slot = {value, true};
  filled_ = std::max(filled_, head_ + 1);
  head_ = after(head_);
}

void Reps::freeze(Picoseconds now) {
  if (!freezing_ || frozen_) return;
  frozen_ = true;
  exit_time_ = now + timeout_;
  frozen_since_ = now;
  ++counts_.freezes;
}

void Reps::leave(Picoseconds now) {
  frozen_ = false;
  explore_ = explore_packets_;
  counts_.frozen_time += now - frozen_since_;
  if (exit_ == RepsExit::keep) return;
  std::fill(ring_.begin(), ring_.end(), Slot{});
  head_ = valid_ = filled_ = frozen_head_ = 0;
}

void Reps::learn_rtt(Picoseconds rtt, Picoseconds now) {
  if (now > window_end_) {
    longest_rtt_ = Picoseconds(0);
    window_end_ = now + rto_ * 2;
  }
  longest_rtt_ = std::max(longest_rtt_, rtt);
  shortest_rtt_ = std::min(shortest_rtt_, rtt);
}

bool Reps::suspicious() const {
  return trimming_ || static_cast<double>(longest_rtt_.count()) <
                          suspect_rtt_ * static_cast<double>(shortest_rtt_.count());
}

}  // namespace horae::policy
