// Quantities with units as types: what must not be mixed does not convert.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

#include "horae/core/cxx20.hpp"

namespace horae {

/// An integer amount of one unit. `Tag` makes amounts of different units different types;
/// arithmetic is that of `Rep` and unchecked (64 bits of picoseconds last 106 days).
template <class Tag, class Rep>
class Quantity {
 public:
  using rep = Rep;

  constexpr Quantity() = default;
  constexpr explicit Quantity(Rep count) : count_(count) {}

  /// The bare number, in the unit the type is named for.
  constexpr Rep count() const { return count_; }

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity& operator+=(Quantity o) {
    count_ += o.count_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity o) {
    count_ -= o.count_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) {
    return Quantity(a.count_ + b.count_);
  }
  friend constexpr Quantity operator-(Quantity a, Quantity b) {
    return Quantity(a.count_ - b.count_);
  }
  friend constexpr Quantity operator*(Quantity a, Rep n) { return Quantity(a.count_ * n); }
  friend constexpr Quantity operator*(Rep n, Quantity a) { return Quantity(a.count_ * n); }
  friend constexpr Quantity operator/(Quantity a, Rep n) { return Quantity(a.count_ / n); }
  friend constexpr Rep operator/(Quantity a, Quantity b) { return a.count_ / b.count_; }
  friend constexpr Quantity operator%(Quantity a, Quantity b) {
    return Quantity(a.count_ % b.count_);
  }

  static constexpr Quantity max() { return Quantity(std::numeric_limits<Rep>::max()); }

 private:
  Rep count_ = 0;
};

/// Simulated time or a duration, in picoseconds (the model's resolution; exact for bytes at 10, 25,
/// 40, 50, 100, 200, 400 and 800 Gbps).
using Picoseconds = Quantity<struct PicosecondsTag, std::int64_t>;
/// Bytes of memory, payload or wire.
using Bytes = Quantity<struct BytesTag, std::int64_t>;
/// Clock cycles of whichever `Clock` they are used with.
using Cycles = Quantity<struct CyclesTag, std::int64_t>;
/// Bits per second.
using BitRate = Quantity<struct BitRateTag, std::int64_t>;
/// Cycles per second.
using Hertz = Quantity<struct HertzTag, std::int64_t>;

/// Later than every event: "never".
inline constexpr Picoseconds never = Picoseconds::max();

inline namespace literals {
constexpr Picoseconds operator""_ps(unsigned long long n) {
  return Picoseconds(static_cast<std::int64_t>(n));
}
constexpr Picoseconds operator""_ns(unsigned long long n) {
  return Picoseconds(static_cast<std::int64_t>(n) * 1000);
}
constexpr Picoseconds operator""_us(unsigned long long n) {
  return Picoseconds(static_cast<std::int64_t>(n) * 1000'000);
}
constexpr Picoseconds operator""_ms(unsigned long long n) {
  return Picoseconds(static_cast<std::int64_t>(n) * 1000'000'000);
}
constexpr Bytes operator""_B(unsigned long long n) { return Bytes(static_cast<std::int64_t>(n)); }
constexpr Bytes operator""_KiB(unsigned long long n) {
  return Bytes(static_cast<std::int64_t>(n) * 1024);
}
constexpr Bytes operator""_MiB(unsigned long long n) {
  return Bytes(static_cast<std::int64_t>(n) * 1024 * 1024);
}
constexpr BitRate operator""_Gbps(unsigned long long n) {
  return BitRate(static_cast<std::int64_t>(n) * 1000'000'000);
}
}  // namespace literals

/// Seconds as a floating-point number, for reports only.
constexpr double to_seconds(Picoseconds t) { return static_cast<double>(t.count()) * 1e-12; }
constexpr double to_microseconds(Picoseconds t) { return static_cast<double>(t.count()) * 1e-6; }

/// Time the bits of `bytes` occupy a medium of `rate`, rounded up to a whole picosecond (exact when
/// 8e12 is a multiple of the rate, as for every Ethernet speed). Up to 1 MB; `rate` above zero.
constexpr Picoseconds serialisation_time(Bytes bytes, BitRate rate) {
  constexpr std::uint64_t bit_ps_per_byte = 8'000'000'000'000ULL;
  const auto r = static_cast<std::uint64_t>(rate.count());
  const auto n = static_cast<std::uint64_t>(bytes.count()) * bit_ps_per_byte;
  return Picoseconds(static_cast<std::int64_t>((n + r - 1) / r));
}

/// Bytes in a time at a rate, as a rate: the mean rate of `bytes` over `window` (0 for an empty
/// window), for reports only.
constexpr double mean_bits_per_second(Bytes bytes, Picoseconds window) {
  return window.count() > 0 ? static_cast<double>(bytes.count()) * 8.0 / to_seconds(window) : 0.0;
}

namespace detail {
__extension__ typedef unsigned __int128 Wide;
}  // namespace detail

/// A clock whose period need not be a whole number of picoseconds (1.5 GHz: 666.67 ps). Edge n lies
/// at the exact n/frequency rounded down to a picosecond, so no error accumulates.
class Clock {
 public:
  /// `frequency` from 1 Hz up.
  constexpr explicit Clock(Hertz frequency) : hz_(static_cast<std::uint64_t>(frequency.count())) {}

  constexpr Hertz frequency() const { return Hertz(static_cast<std::int64_t>(hz_)); }

  /// Time of edge `n` (n >= 0).
  constexpr Picoseconds edge(Cycles n) const {
    const detail::Wide product = static_cast<detail::Wide>(n.count()) * ps_per_second;
    return Picoseconds(static_cast<std::int64_t>(product / hz_));
  }
  /// First edge at or after `t` (t >= 0).
  constexpr Cycles at_or_after(Picoseconds t) const {
    const detail::Wide product = static_cast<detail::Wide>(t.count()) * hz_;
    Cycles n(static_cast<std::int64_t>(product / ps_per_second));
    while (edge(n) < t) n += Cycles(1);
    return n;
  }

 private:
  static constexpr std::uint64_t ps_per_second = 1'000'000'000'000ULL;
  std::uint64_t hz_;
};

}  // namespace horae
