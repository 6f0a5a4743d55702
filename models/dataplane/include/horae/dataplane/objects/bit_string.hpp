// Fields one behind the other, as keys and hashes take them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "horae/core/error.hpp"

namespace horae::dataplane {

/// The `count` (0 to 64) bits from bit `from` on, as a number; of words with the first bit highest.
inline std::uint64_t bits_at(const std::uint64_t* words, unsigned from, unsigned count) {
  if (count == 0) return 0;
  const unsigned word = from / 64, used = from % 64;
  std::uint64_t top = words[word] << used;
  if (used != 0 && used + count > 64) top |= words[word + 1] >> (64 - used);
  return top >> (64 - count);
}

/// Up to 1024 bits, the first field's highest bit first.
class BitString {
 public:
  static constexpr unsigned most_bits = 1024;
  static constexpr unsigned most_words = most_bits / 64;

  /// So many zeros, or ones.
  static BitString zeros(unsigned bits) { return filled(0, bits); }
  static BitString ones(unsigned bits) { return filled(~std::uint64_t{0}, bits); }

  /// Appends the lowest `bits` (0 to 64) of a value. ModelError: no room.
  void append(std::uint64_t value, unsigned bits) {
    if (bits == 0) return;
    if (bits_ + bits > most_bits) too_long();
    if (bits < 64) value &= (std::uint64_t{1} << bits) - 1;
    const unsigned word = bits_ / 64, used = bits_ % 64, free = 64 - used;
    if (bits <= free) {
      words_[word] |= value << (free - bits);
    } else {
      words_[word] |= value >> (bits - free);
      words_[word + 1] = value << (64 - (bits - free));
    }
    bits_ += bits;
  }
  /// Appends `bits` of a value in words, the lowest word first.
  void append(std::span<const std::uint64_t> words, unsigned bits) {
    for (unsigned left = bits; left > 0;) {
      const unsigned part = left % 64 == 0 ? 64 : left % 64;
      append(words[(left - 1) / 64], part);
      left -= part;
    }
  }
  void append(const BitString& other) {
    for (unsigned at = 0; at < other.bits_; at += 64) {
      const unsigned part = std::min(64u, other.bits_ - at);
      append(other.words_[at / 64] >> (64 - part), part);
    }
  }
  void clear() {
    std::fill_n(words_.begin(), used_words(), 0);
    bits_ = 0;
  }

  unsigned bits() const { return bits_; }
  unsigned used_words() const { return (bits_ + 63) / 64; }
  /// The words in use; what the last one has beyond the end is zero.
  std::span<const std::uint64_t> words() const { return {words_.data(), used_words()}; }
  /// The `count` (0 to 64) bits from bit `from` on, as a number. They lie within the string.
  std::uint64_t at(unsigned from, unsigned count) const {
    return bits_at(words_.data(), from, count);
  }
  /// The `count` bits from bit `from` on. They lie within the string.
  BitString part(unsigned from, unsigned count) const {
    BitString out;
    for (unsigned done = 0; done < count; done += 64) {
      const unsigned step = std::min(64u, count - done);
      out.append(at(from + done, step), step);
    }
    return out;
  }

  BitString& operator&=(const BitString& other) {
    for (unsigned w = 0; w < used_words(); ++w) words_[w] &= other.words_[w];
    return *this;
  }
  bool operator==(const BitString& other) const {
    // There are few words: a loop, where std::equal calls a function.
    std::uint64_t differ = bits_ ^ other.bits_;
    for (unsigned w = 0; w < used_words(); ++w) differ |= words_[w] ^ other.words_[w];
    return differ == 0;
  }

 private:
  static BitString filled(std::uint64_t word, unsigned bits) {
    BitString out;
    for (unsigned left = bits; left > 0; left -= std::min(left, 64u))
      out.append(word, std::min(left, 64u));
    return out;
  }
  [[noreturn, gnu::noinline]] static void too_long() {
    throw ModelError("fields of more than 1024 bits are put together");
  }

  unsigned bits_ = 0;
  std::array<std::uint64_t, most_words> words_{};
};

}  // namespace horae::dataplane
