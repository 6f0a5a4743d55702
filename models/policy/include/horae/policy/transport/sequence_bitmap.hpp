// A circular bitmap over PSNs from a moving base.
#pragma once

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
      : words_(std::bit_ceil(size < 64 ? 64u : size) / 64), base_(base) {}

  std::uint32_t size() const { return static_cast<std::uint32_t>(words_.size()) * 64; }
  Psn base() const { return base_; }
  Bytes memory() const { return Bytes(static_cast<std::int64_t>(words_.size()) * 8); }

  /// Whether `psn` lies in base .. base+size-1.
  bool covers(Psn psn) const {
    const std::int32_t ahead = psn - base_;
    return ahead >= 0 && ahead < static_cast<std::int32_t>(size());
  }
  bool test(Psn psn) const { return (word(psn) >> bit(psn) & 1) != 0; }
  void set(Psn psn) { words_[index(psn)] |= std::uint64_t{1} << bit(psn); }

  /// Clears the bit at the base and moves the base past it; returns what the bit was.
  bool step() {
    const bool was = test(base_);
    words_[index(base_)] &= ~(std::uint64_t{1} << bit(base_));
    ++base_;
    return was;
  }

  /// Clears the run of set bits at the base and moves the base past it; returns its length.
  std::uint32_t advance() {
    std::uint32_t n = 0;
    while (test(base_)) {
      step();
      ++n;
    }
    return n;
  }

 private:
  std::size_t index(Psn psn) const { return (psn.value() / 64) & (words_.size() - 1); }
  static unsigned bit(Psn psn) { return psn.value() % 64; }
  std::uint64_t word(Psn psn) const { return words_[index(psn)]; }

  std::vector<std::uint64_t> words_;
  Psn base_;
};

}  // namespace horae::policy
