// The entropy values of a queue pair's packets. No SystemC.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "horae/core/psn.hpp"
#include "horae/policy/entropy/entropy.hpp"

namespace horae::rnic {

/// A queue pair's scheme, and which value each of its packets under way has, for those of which
/// nothing comes back.
class Steering {
 public:
  /// `window`: PSNs under way at most.
  Steering(std::unique_ptr<policy::Entropy> scheme, std::uint32_t window)
      : scheme_(std::move(scheme)), given_(std::bit_ceil(window)) {}

  /// The value of a packet that is sent at `now`.
  std::uint16_t next(Psn psn, Picoseconds now) {
    const std::uint16_t value = drawn_ ? *drawn_ : scheme_->next(now);
    if (drawn_) {
      drawn_.reset();
      waiting_ = {};
    }
    return given_[psn.value() & (given_.size() - 1)] = value;
  }
  /// The value that the next packet will get: drawn now, unless it was before.
  std::uint16_t peek(Picoseconds now) {
    if (!drawn_) {
      const policy::EntropyCounts before = scheme_->counts();
      drawn_ = scheme_->next(now);
      waiting_ = scheme_->counts().leave_out(before);
    }
    return *drawn_;
  }
  /// Whether peek() would draw none.
  bool drawn() const { return drawn_.has_value(); }
  /// The next packet gets another one.
  void change(std::uint16_t value) { drawn_ = value; }
  /// What it was given last.
  std::uint16_t of(Psn psn) const { return given_[psn.value() & (given_.size() - 1)]; }

  /// Exchanges schemes with another queue pair; packets under way keep their values.
  void swap_scheme(Steering& other) {
    for (Steering* s : {this, &other}) {
      s->unsent_ += s->waiting_;
      s->waiting_ = {};
    }
    scheme_.swap(other.scheme_);
    std::swap(unsent_, other.unsent_);
  }
  /// Where values of packets came from that were sent: what was drawn for a packet that waits for
  /// its port, or that was acknowledged meanwhile, is none of them.
  policy::EntropyCounts counts() const {
    return scheme_->counts().leave_out(waiting_).leave_out(unsent_);
  }

  policy::Entropy& scheme() { return *scheme_; }
  const policy::Entropy& scheme() const { return *scheme_; }

 private:
  std::unique_ptr<policy::Entropy> scheme_;
  std::optional<std::uint16_t> drawn_;  ///< of the next packet, where somebody asked
  policy::EntropyCounts waiting_{};     ///< where that came from
  policy::EntropyCounts unsent_{};      ///< of the scheme's, what another connection drew in vain
  std::vector<std::uint16_t> given_;    ///< by PSN, a ring
};

}  // namespace horae::rnic
