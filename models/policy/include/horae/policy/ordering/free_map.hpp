// Which of a row of equal places are free, and runs of them.
#pragma once

#include <cstdint>
#include <vector>

#include "horae/core/cxx20.hpp"

namespace horae::policy {

/// One bit per place, searched 64 places at a time. Searches remember how far everything is taken,
/// so a map that fills from its ends is not looked through again.
class FreeMap {
 public:
  static constexpr std::uint32_t none = ~0u;

  /// All `size` places are free.
  explicit FreeMap(std::uint32_t size);

  std::uint32_t size() const { return size_; }
  std::uint32_t taken() const { return taken_; }
  /// 64 places at a time, from place 64 * `index` on, lowest first; 1: free.
  std::uint64_t free_places(std::uint32_t index) const { return words_[index]; }
  bool is_free(std::uint32_t place) const { return (words_[place / 64] >> (place % 64) & 1) != 0; }

  /// Lowest start of `n` free places in a row (n above zero), or `none`.
  std::uint32_t first_run(std::uint32_t n);
  /// Highest start of `n` free places in a row, or `none`.
  std::uint32_t last_run(std::uint32_t n);

  /// ModelError when a place of the run is not free (take), or is free (give).
  void take(std::uint32_t start, std::uint32_t n);
  void give(std::uint32_t start, std::uint32_t n);

 private:
  // The first place from `from` on that is free, or is not; size() when there is none.
  template <bool free>
  std::uint32_t next(std::uint32_t from) const;
  // One more than the last place below `end` that is free, or is not; 0 when there is none.
  template <bool free>
  std::uint32_t previous(std::uint32_t end) const;
  void flip(std::uint32_t start, std::uint32_t n, bool free);

  std::vector<std::uint64_t> words_;  // 1: free; bits past the size are 0
  std::uint32_t size_;
  std::uint32_t taken_ = 0;
  std::uint32_t low_ = 0;  // nothing below is free
  std::uint32_t high_;     // nothing from here on is free
};

}  // namespace horae::policy
