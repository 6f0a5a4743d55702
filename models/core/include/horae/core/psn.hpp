// 24-bit packet sequence numbers and queue pair numbers.
#pragma once

#include <compare>
#include <cstdint>

#include "horae/core/cxx20.hpp"

namespace horae {

/// Packet sequence number: 24-bit serial arithmetic (IBTA vol. 1, 9.7.2; RFC 1982 with 24 bits).
/// Two PSNs compare by the shorter way round, so a comparison is meaningful only between numbers
/// less than 2^23 apart; exactly 2^23 apart, neither is `before` the other.
class Psn {
 public:
  static constexpr std::uint32_t bits = 24;
  static constexpr std::uint32_t mask = (1u << bits) - 1;

  constexpr Psn() = default;
  /// The low 24 bits of `value`.
  constexpr explicit Psn(std::uint32_t value) : value_(value & mask) {}

  constexpr std::uint32_t value() const { return value_; }
  constexpr bool operator==(const Psn&) const = default;

  constexpr Psn& operator++() {
    value_ = (value_ + 1) & mask;
    return *this;
  }
  friend constexpr Psn operator+(Psn a, std::int32_t n) {
    return Psn(a.value_ + static_cast<std::uint32_t>(n));
  }
  friend constexpr Psn operator-(Psn a, std::int32_t n) {
    return Psn(a.value_ - static_cast<std::uint32_t>(n));
  }

  /// Signed distance from `b` to `a`, in -2^23 .. 2^23-1.
  friend constexpr std::int32_t operator-(Psn a, Psn b) {
    return static_cast<std::int32_t>((a.value_ - b.value_) << 8) >> 8;
  }
  /// Whether this one comes earlier than `other`.
  constexpr bool before(Psn other) const {
    const auto ahead = (other.value_ - value_) & mask;
    return ahead != 0 && ahead < (1u << (bits - 1));
  }
  constexpr bool after(Psn other) const { return other.before(*this); }

 private:
  std::uint32_t value_ = 0;
};

/// Queue pair number, 24 bits (IBTA vol. 1, 3.5.1).
class Qpn {
 public:
  constexpr Qpn() = default;
  constexpr explicit Qpn(std::uint32_t value) : value_(value & Psn::mask) {}
  constexpr std::uint32_t value() const { return value_; }
  constexpr auto operator<=>(const Qpn&) const = default;

 private:
  std::uint32_t value_ = 0;
};

}  // namespace horae
