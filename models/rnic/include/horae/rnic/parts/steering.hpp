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
  explicit Steering(std::unique_ptr<policy::Entropy> scheme)
      : scheme_(std::move(scheme)), given_(first_room) {}

  /// The value of a packet that is sent at `now`. `oldest()`: the oldest PSN under way, which may
  /// be this one; it is asked for when there is no room otherwise.
  template <class Oldest>
  std::uint16_t next(Psn psn, Picoseconds now, Oldest&& oldest) {
    const std::uint16_t value = drawn_ ? *drawn_ : scheme_->next(now);
    if (drawn_) {
      drawn_.reset();
      waiting_ = {};
    }
    if (static_cast<std::uint32_t>(psn - oldest_) >= given_.size()) make_room(psn, oldest());
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
  /// Value that was given to the packet last.
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
  /// Values that there is room for: as many as were under way at once, at most doubled.
  std::size_t room() const { return given_.size(); }

 private:
  static constexpr std::size_t first_room = 16;

  /// From `oldest` to `psn`, both included.
  void make_room(Psn psn, Psn oldest) {
    const auto needed = static_cast<std::size_t>(psn - oldest) + 1;
    if (needed > given_.size()) {
      std::vector<std::uint16_t> larger(std::bit_ceil(needed));
      for (Psn p = oldest; p != psn; ++p) larger[p.value() & (larger.size() - 1)] = of(p);
      given_.swap(larger);
    }
    oldest_ = oldest;
  }

  std::unique_ptr<policy::Entropy> scheme_;
  std::optional<std::uint16_t> drawn_;  ///< of the next packet, where somebody asked
  policy::EntropyCounts waiting_{};     ///< where that came from
  policy::EntropyCounts unsent_{};      ///< of the scheme's, what another connection drew in vain
  std::vector<std::uint16_t> given_;    ///< by PSN, a ring
  Psn oldest_;  ///< nothing before it was under way when it was asked for last
};

}  // namespace horae::rnic
