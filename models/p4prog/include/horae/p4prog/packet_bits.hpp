// Bytes of a packet, read and written by bits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "horae/p4prog/wide.hpp"

namespace horae::p4prog {

/// Reads from the front. What is parsed is copied once; zeros behind it allow whole words to be
/// read.
class PacketReader {
 public:
  /// What is read: `front`, the packet, and `behind` zero bytes.
  void begin(std::span<const std::uint8_t> front, std::span<const std::uint8_t> packet,
             std::size_t behind) {
    const std::size_t size = front.size() + packet.size() + behind;
    if (bytes_.size() < size + 16) bytes_.resize(size + 16);
    std::uint8_t* const end = std::copy(packet.begin(), packet.end(),
                                        std::copy(front.begin(), front.end(), bytes_.data()));
    std::fill_n(end, behind + 16, std::uint8_t{0});
    bits_ = 8 * static_cast<std::uint32_t>(size);
    at_ = 0;
  }
  /// The last four bytes become these.
  void replace_end(std::span<const std::uint8_t, 4> bytes) {
    std::memcpy(bytes_.data() + bits_ / 8 - 4, bytes.data(), 4);
  }
  std::uint32_t bits() const { return bits_; }
  std::uint32_t position() const { return at_; }
  std::uint32_t left() const { return bits_ - at_; }
  void go_on(std::uint32_t bits) { at_ += bits; }

  /// `count` (0 to 64) bits from `offset` behind the position on.
  std::uint64_t peek(std::uint32_t offset, std::uint32_t count) const {
    if (count == 0) return 0;
    const std::uint32_t from = at_ + offset, shift = from % 8;
    const std::uint8_t* p = bytes_.data() + from / 8;
    std::uint64_t word;
    std::memcpy(&word, p, 8);
    word = __builtin_bswap64(word) << shift;
    if (shift + count > 64) word |= p[8] >> (8 - shift);
    return word >> (64 - count);
  }
  /// Any number of bits, as words, the lowest first.
  void peek(std::uint32_t offset, std::uint32_t count, std::uint64_t* words) const {
    for (std::uint32_t i = 0; i < words_of_bits(count); ++i) {
      const std::uint32_t part = count - 64 * i < 64 ? count - 64 * i : 64;
      words[i] = peek(offset + count - 64 * i - part, part);
    }
  }
  std::span<const std::uint8_t> bytes() const { return {bytes_.data(), bits_ / 8}; }

 private:
  static std::uint32_t words_of_bits(std::uint32_t bits) { return (bits + 63) / 64; }
  std::vector<std::uint8_t> bytes_;
  std::uint32_t bits_ = 0, at_ = 0;
};

/// Writes behind what there is.
class PacketWriter {
 public:
  void begin() { bits_ = 0; }
  /// The lowest `bits` (0 to 64) of a value.
  void put(std::uint64_t value, std::uint32_t bits) {
    if (bits == 0) return;
    value &= wide::low_mask(bits);
    const std::size_t at = bits_ / 8;
    const std::uint32_t used = bits_ % 8, end = used + bits;
    if (bytes_.size() < at + 16) grow(at + 16);
    std::uint8_t* const p = bytes_.data() + at;
    // What the first byte has already, then the value; what is behind it is written over later.
    const std::uint64_t had = std::uint64_t{*p} >> (8 - used) << (8 - used) << 56;
    std::uint64_t word = had | (end <= 64 ? value << (64 - end) : value >> (end - 64));
    word = __builtin_bswap64(word);
    std::memcpy(p, &word, 8);
    if (end > 64) p[8] = static_cast<std::uint8_t>(value << (72 - end));
    bits_ += bits;
  }
  void put(const std::uint64_t* words, std::uint32_t bits) {
    for (std::uint32_t left = bits; left > 0;) {
      const std::uint32_t part = left % 64 == 0 ? 64 : left % 64;
      put(words[(left - 1) / 64], part);
      left -= part;
    }
  }
  /// From the next whole byte on.
  void append(std::span<const std::uint8_t> bytes) {
    const std::size_t at = size();
    if (bytes_.size() < at + bytes.size()) grow(at + bytes.size());
    std::copy(bytes.begin(), bytes.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(at));
    bits_ = 8 * (at + bytes.size());
  }
  /// Cut or filled with zeros to so many bytes.
  void resize(std::size_t bytes) {
    if (bytes_.size() < bytes) grow(bytes);
    for (std::size_t i = size(); i < bytes; ++i) bytes_[i] = 0;
    bits_ = 8 * bytes;
  }
  std::size_t size() const { return (bits_ + 7) / 8; }
  /// What was written; lasts until more is.
  std::span<const std::uint8_t> bytes() const { return {bytes_.data(), size()}; }

 private:
  void grow(std::size_t bytes) {
    bytes_.resize(std::max({bytes, 2 * bytes_.size(), std::size_t{256}}));
  }

  std::vector<std::uint8_t> bytes_;  ///< with room behind what is written
  std::size_t bits_ = 0;
};

}  // namespace horae::p4prog
