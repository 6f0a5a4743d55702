#include "horae/policy/ordering/free_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "horae/core/error.hpp"

namespace horae::policy {

FreeMap::FreeMap(std::uint32_t size)
    : words_((size + 63) / 64, ~std::uint64_t{0}), size_(size), high_(size) {
  if (size % 64 != 0) words_.back() >>= 64 - size % 64;
}

template <bool free>
std::uint32_t FreeMap::next(std::uint32_t from) const {
  if (from >= size_) return size_;
  const auto bits = [&](std::size_t w) { return free ? words_[w] : ~words_[w]; };
  std::size_t w = from / 64;
  std::uint64_t here = bits(w) >> (from % 64) << (from % 64);
  while (here == 0) {
    if (++w == words_.size()) return size_;
    here = bits(w);
  }
  const auto at =
      static_cast<std::uint32_t>(w * 64) + static_cast<std::uint32_t>(std::countr_zero(here));
  return std::min(at, size_);
}

template <bool free>
std::uint32_t FreeMap::previous(std::uint32_t end) const {
  const auto bits = [&](std::size_t w) { return free ? words_[w] : ~words_[w]; };
  if (end == 0) return 0;
  std::size_t w = (end - 1) / 64;
  const unsigned over = 63 - (end - 1) % 64;
  std::uint64_t here = bits(w) << over >> over;
  while (here == 0) {
    if (w-- == 0) return 0;
    here = bits(w);
  }
  return static_cast<std::uint32_t>(w * 64) + static_cast<std::uint32_t>(std::bit_width(here));
}

std::uint32_t FreeMap::first_run(std::uint32_t n) {
  std::uint32_t start = low_ = next<true>(low_);
  while (start < size_) {
    const std::uint32_t end = next<false>(start);
    if (end - start >= n) return start;
    start = next<true>(end);
  }
  return none;
}

std::uint32_t FreeMap::last_run(std::uint32_t n) {
  std::uint32_t end = high_ = previous<true>(high_);
  while (end > 0) {
    const std::uint32_t start = previous<false>(end);
    if (end - start >= n) return end - n;
    end = previous<true>(start);
  }
  return none;
}

void FreeMap::take(std::uint32_t start, std::uint32_t n) {
  flip(start, n, true);
  taken_ += n;
}

void FreeMap::give(std::uint32_t start, std::uint32_t n) {
  flip(start, n, false);
  taken_ -= n;
  low_ = std::min(low_, start);
  high_ = std::max(high_, start + n);
}

void FreeMap::flip(std::uint32_t start, std::uint32_t n, bool free) {
  for (std::uint32_t i = start; i < start + n; ++i) {
    if (i >= size_ || is_free(i) != free) {
      throw ModelError(fmt::format("place {} of {} is {}", i, size_,
                                   i >= size_ ? "no place" : (free ? "taken" : "free already")));
    }
    words_[i / 64] ^= std::uint64_t{1} << (i % 64);
  }
}

}  // namespace horae::policy
