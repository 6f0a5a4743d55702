// A circular bitmap over PSNs from a moving base.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "horae/core/psn.hpp"
#include "horae/core/units.hpp"

namespace horae::policy {

/// One bit for each of `size` PSNs from `base()` on; bits below the base do not exist.
class SequenceBitmap {
 public:
  /// `size` is rounded up to a power of two, at least 64.
  SequenceBitmap(std::uint32_t size, Psn base)
      : words_(std::bit_ceil(size < 64 ? 64u : size) / 64), mask_(words_.size() - 1), base_(base) {}

  std::uint32_t size() const { return static_cast<std::uint32_t>(mask_ + 1) * 64; }
  Psn base() const { return base_; }
  Bytes memory() const { return Bytes(static_cast<std::int64_t>(words_.size()) * 8); }

  /// Whether `psn` lies in base .. base+size-1.
  bool covers(Psn psn) const {
    const std::int32_t ahead = psn - base_;
    return ahead >= 0 && ahead < static_cast<std::int32_t>(size());
  }
  bool test(Psn psn) const { return (word(psn) >> bit(psn) & 1) != 0; }
  /// Whether `psn` and each of the 63 behind it is set, lowest bit first. Those that it does not
  /// cover are not.
  std::uint64_t bits_from(Psn psn) const {
    const std::int32_t ahead = psn - base_;
    if (ahead <= -64 || ahead >= static_cast<std::int32_t>(size())) return 0;
    if (ahead < 0) return bits_from(base_) << -ahead;
    const unsigned shift = bit(psn);
    std::uint64_t bits = word(psn) >> shift;
    if (shift != 0) bits |= word(psn + 64) << (64 - shift);
    const std::int32_t covered = static_cast<std::int32_t>(size()) - ahead;
    return covered < 64 ? bits & ((std::uint64_t{1} << covered) - 1) : bits;
  }
  void set(Psn psn) { word_of(psn) |= std::uint64_t{1} << bit(psn); }

  /// Clears the bit at the base and moves the base past it; returns what the bit was.
  bool step() {
    std::uint64_t& word = word_of(base_);
    const std::uint64_t here = std::uint64_t{1} << bit(base_);
    const bool was = (word & here) != 0;
    word &= ~here;
    ++base_;
    return was;
  }

  /// Moves the base past `n` bits, its own first, which must not be set. Beyond size() there are
  /// none.
  void pass_clear(std::uint32_t n = 1) { base_ = base_ + static_cast<std::int32_t>(n); }

  /// Clears the run of set bits at the base and moves the base past it; returns its length.
  std::uint32_t advance() {
    std::uint32_t n = 0;
    while (test(base_)) {
      const unsigned shift = bit(base_);
      std::uint64_t& word = word_of(base_);
      const auto run = static_cast<unsigned>(std::countr_one(word >> shift));
      word &= ~(low_bits(run) << shift);
      base_ = base_ + static_cast<std::int32_t>(run);
      n += run;
    }
    return n;
  }

  /// Clears the next `n` bits and moves the base past them; returns how many were set.
  std::uint32_t take(std::uint32_t n) {
    std::uint32_t set = 0;
    while (n > 0) {
      const unsigned shift = bit(base_);
      const unsigned here = std::min(n, 64 - shift);
      std::uint64_t& word = word_of(base_);
      const std::uint64_t found = word & low_bits(here) << shift;
      if (found != 0) {
        set += static_cast<std::uint32_t>(std::popcount(found));
        word &= ~found;
      }
      base_ = base_ + static_cast<std::int32_t>(here);
      n -= here;
    }
    return set;
  }

 private:
  // The mask keeps every index below size().
  std::size_t index(Psn psn) const { return (psn.value() / 64) & mask_; }
  static unsigned bit(Psn psn) { return psn.value() % 64; }
  /// 1 to 64 of them.
  static std::uint64_t low_bits(unsigned n) { return ~std::uint64_t{0} >> (64 - n); }
  std::uint64_t word(Psn psn) const { return words_.data()[index(psn)]; }
  std::uint64_t& word_of(Psn psn) { return words_.data()[index(psn)]; }

  std::vector<std::uint64_t> words_;
  std::size_t mask_;  ///< words - 1
  Psn base_;
};

}  // namespace horae::policy
