// Numbers by keys of several words, in one array.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "horae/core/cxx20.hpp"

namespace horae::dataplane {

/// Keys of a number of words that is given once, each with a number, the next place taken where
/// that of the key's hash is (linear probing), at most half full.
class PackedKeys {
 public:
  static constexpr std::uint32_t none = 0xffffffff;

  explicit PackedKeys(std::size_t words) : words_(words) {}

  std::size_t size() const { return used_; }
  /// The number of a key, or `none`. With a `mask` only the key's bits under it count.
  [[gnu::always_inline]] std::uint32_t find(const std::uint64_t* key) const {
    return found(key, [](std::uint64_t word, std::size_t) { return word; });
  }
  std::uint32_t find(const std::uint64_t* key, const std::uint64_t* mask) const {
    return found(key, [mask](std::uint64_t word, std::size_t i) { return word & mask[i]; });
  }
  /// Adds or replaces; `number` is not `none`.
  void put(const std::uint64_t* key, std::uint32_t number) {
    if (2 * (used_ + 1) > capacity()) grow();
    std::uint64_t* place = &places_[home(hash(key, as_it_is, words_)) * stride()];
    while (place[words_] != 0 && !equal(place, key, as_it_is, words_)) {
      place += stride();
      if (place == places_.data() + places_.size()) place = places_.data();
    }
    if (place[words_] == 0) ++used_;
    for (std::size_t w = 0; w < words_; ++w) place[w] = key[w];
    place[words_] = std::uint64_t{number} + 1;
  }

 private:
  static constexpr auto as_it_is = [](std::uint64_t word, std::size_t) { return word; };

  /// A place has a key's words, and behind them 1 + its number; 0: nothing is there.
  std::size_t stride() const { return words_ + 1; }
  std::size_t capacity() const { return places_.size() / stride(); }
  std::size_t home(std::uint64_t hash) const { return static_cast<std::size_t>(hash >> shift_); }

  template <class Word>
  static std::uint64_t hash(const std::uint64_t* key, Word word, std::size_t words) {
    std::uint64_t h = 0;
    for (std::size_t w = 0; w < words; ++w) {
      h = (h ^ h >> 32 ^ word(key[w], w)) * 0x9e3779b97f4a7c15ULL;
    }
    return (h ^ h >> 32) * 0x9e3779b97f4a7c15ULL;
  }
  template <class Word>
  static bool equal(const std::uint64_t* place, const std::uint64_t* key, Word word,
                    std::size_t words) {
    std::uint64_t differ = 0;
    for (std::size_t w = 0; w < words; ++w) differ |= place[w] ^ word(key[w], w);
    return differ == 0;
  }
  template <class Word>
  [[gnu::always_inline]] std::uint32_t found(const std::uint64_t* key, Word word) const {
    if (used_ == 0) return none;
    // Most keys are short: the same without loops over their words.
    if (words_ == 1) return found_among<1>(key, word);
    if (words_ == 2) return found_among<2>(key, word);
    return found_among<0>(key, word);
  }
  /// `Words`: of a key; 0: any number.
  template <std::size_t Words, class Word>
  [[gnu::always_inline]] std::uint32_t found_among(const std::uint64_t* key, Word word) const {
    const std::size_t words = Words == 0 ? words_ : Words, stride = words + 1;
    const std::uint64_t* const begin = places_.data();
    const std::uint64_t* const end = begin + places_.size();
    const std::uint64_t* place = begin + home(hash(key, word, words)) * stride;
    while (place[words] != 0) {
      if (equal(place, key, word, words)) return static_cast<std::uint32_t>(place[words] - 1);
      place += stride;
      if (place == end) place = begin;
    }
    return none;
  }
  void grow() {
    std::vector<std::uint64_t> before((capacity() == 0 ? 16 : 2 * capacity()) * stride());
    before.swap(places_);
    shift_ = 64u - static_cast<unsigned>(std::countr_zero(capacity()));
    used_ = 0;
    for (std::size_t at = 0; at < before.size(); at += stride()) {
      if (before[at + words_] != 0)
        put(&before[at], static_cast<std::uint32_t>(before[at + words_] - 1));
    }
  }

  std::size_t words_;
  std::vector<std::uint64_t> places_;
  std::size_t used_ = 0;
  unsigned shift_ = 63;
};

}  // namespace horae::dataplane
