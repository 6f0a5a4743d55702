// Numbers of several words, the lowest first.
#pragma once

#include <cstdint>

#include "horae/core/cxx20.hpp"

namespace horae::p4prog::wide {

constexpr std::uint64_t low_mask(std::uint32_t bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

/// The `count` (0 to 64) bits from bit `at` on. Words beyond `words` are zero.
inline std::uint64_t get(const std::uint64_t* w, std::uint32_t words, std::uint32_t at,
                         std::uint32_t count) {
  const std::uint32_t word = at / 64, shift = at % 64;
  if (word >= words) return 0;
  std::uint64_t value = w[word] >> shift;
  if (shift != 0 && word + 1 < words) value |= w[word + 1] << (64 - shift);
  return value & low_mask(count);
}

/// Sets the `count` (1 to 64) bits from bit `at` on. They lie within the words.
inline void put(std::uint64_t* w, std::uint32_t at, std::uint32_t count, std::uint64_t value) {
  const std::uint32_t word = at / 64, shift = at % 64;
  const std::uint64_t mask = low_mask(count);
  value &= mask;
  w[word] = (w[word] & ~(mask << shift)) | value << shift;
  if (shift + count > 64)
    w[word + 1] = (w[word + 1] & ~(mask >> (64 - shift))) | value >> (64 - shift);
}

/// Copies `count` bits of any number.
inline void copy(std::uint64_t* to, std::uint32_t to_at, const std::uint64_t* from,
                 std::uint32_t from_words, std::uint32_t from_at, std::uint32_t count) {
  for (std::uint32_t done = 0; done < count; done += 64) {
    const std::uint32_t part = count - done < 64 ? count - done : 64;
    put(to, to_at + done, part, get(from, from_words, from_at + done, part));
  }
}

/// Bits beyond the width become zero.
inline void trim(std::uint64_t* w, std::uint32_t bits) {
  if (bits % 64 != 0) w[bits / 64] &= low_mask(bits % 64);
}

inline bool sign(const std::uint64_t* w, std::uint32_t bits) {
  return (w[(bits - 1) / 64] >> (bits - 1) % 64 & 1) != 0;
}

/// d = a + b + carry, or with `invert` a + ~b + carry; gives the carry out of the highest word.
inline std::uint64_t add(std::uint64_t* d, const std::uint64_t* a, const std::uint64_t* b,
                         std::uint32_t words, bool invert, std::uint64_t carry) {
  for (std::uint32_t i = 0; i < words; ++i) {
    const std::uint64_t y = invert ? ~b[i] : b[i];
    const std::uint64_t s = a[i] + y;
    const std::uint64_t t = s + carry;
    carry = (s < y ? 1u : 0u) | (t < carry ? 1u : 0u);
    d[i] = t;
  }
  return carry;
}

/// -1, 0 or 1.
inline int compare(const std::uint64_t* a, const std::uint64_t* b, std::uint32_t words) {
  for (std::uint32_t i = words; i-- > 0;) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

}  // namespace horae::p4prog::wide
