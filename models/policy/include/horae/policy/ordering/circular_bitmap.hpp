// A circular bitmap of any size, addressed by the distance from its head.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "horae/core/cxx20.hpp"

namespace horae::policy {

/// `size` bits, all clear at first. `words` of the calls counts the 64-bit words they touch.
class CircularBitmap {
 public:
  CircularBitmap() = default;
  explicit CircularBitmap(std::uint32_t size) : words_((size + 63) / 64), size_(size) {}

  std::uint32_t size() const { return size_; }

  /// Sets the bit `ahead` of the head (below size()); returns what it was.
  bool set(std::uint32_t ahead) {
    std::uint32_t at = head_ + ahead;
    if (at >= size_) at -= size_;
    const std::uint64_t bit = std::uint64_t{1} << (at % 64);
    const bool was = (words_[at / 64] & bit) != 0;
    words_[at / 64] |= bit;
    return was;
  }

  /// Clears the run of set bits at the head and moves the head past it; returns its length.
  std::uint32_t take_run(std::uint32_t& words) {
    std::uint32_t taken = 0;
    while (taken < size_) {
      ++words;
      std::uint64_t& word = words_[head_ / 64];
      const std::uint32_t offset = head_ % 64;
      const std::uint32_t here = std::min({64 - offset, size_ - head_, size_ - taken});
      const auto n = std::min(here, static_cast<std::uint32_t>(std::countr_one(word >> offset)));
      word &= ~((n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1) << offset);
      taken += n;
      head_ += n;
      if (head_ == size_) head_ = 0;
      if (n < here) break;
    }
    return taken;
  }

 private:
  std::vector<std::uint64_t> words_;
  std::uint32_t size_ = 0;
  std::uint32_t head_ = 0;  // position of the head's bit
};

}  // namespace horae::policy
