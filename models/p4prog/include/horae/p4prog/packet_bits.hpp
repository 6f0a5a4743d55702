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

/// Reads from the front. Of a packet only the first bytes are copied, more once they are asked for:
/// it has to last as long as it is read.
class PacketReader {
 public:
  /// Begins reading: `front`, the packet, and `behind` bytes that put_end() gives.
  void begin(std::span<const std::uint8_t> front, std::span<const std::uint8_t> packet,
             std::size_t behind) {
    front_ = front.size();
    packet_ = packet;
    const std::size_t head = std::min(packet.size(), head_bytes);
    room(front_ + head);
    std::copy_n(front.begin(), front_, bytes_.data());
    std::copy_n(packet.begin(), head, bytes_.data() + front_);
    known_ = 8 * static_cast<std::uint32_t>(front_ + head);
    bits_ = 8 * static_cast<std::uint32_t>(front_ + packet.size() + behind);
    at_ = 0;
  }
  /// Bits that can be read.
  std::uint32_t known() const { return known_; }
  /// From now on all of the packet can be read.
  void take_packet() {
    const std::size_t end = front_ + packet_.size();
    room(end);
    const std::size_t head = known_ / 8 - front_;
    if (head >= packet_.size()) return;
    std::copy(packet_.begin() + static_cast<std::ptrdiff_t>(head), packet_.end(),
              bytes_.data() + front_ + head);
    known_ = 8 * static_cast<std::uint32_t>(end);
  }
  /// Likewise, and the bytes behind it.
  void put_end(std::span<const std::uint8_t> bytes) {
    take_packet();
    room(front_ + packet_.size() + bytes.size());
    std::copy(bytes.begin(), bytes.end(), bytes_.data() + front_ + packet_.size());
    known_ = bits_;
  }
  std::uint32_t bits() const { return bits_; }
  /// Those of them before the packet.
  std::uint32_t front_bits() const { return 8 * static_cast<std::uint32_t>(front_); }
  std::uint32_t position() const { return at_; }
  std::uint32_t left() const { return bits_ - at_; }
  void go_on(std::uint32_t bits) { at_ += bits; }
  std::span<const std::uint8_t> packet() const { return packet_; }

  /// `count` (0 to 64) bits from `offset` behind the position on. All that is read is known().
  std::uint64_t peek(std::uint32_t offset, std::uint32_t count) const {
    return read(at_ + offset, count);
  }
  /// Likewise from bit `from` of all on.
  std::uint64_t read(std::uint32_t from, std::uint32_t count) const {
    if (count == 0) return 0;
    const std::uint32_t shift = from % 8;
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
  /// From the byte of the position on, 16 bytes beyond what is known.
  const std::uint8_t* here() const { return bytes_.data() + at_ / 8; }
  /// Bytes copied so far; 16 more bytes can be read, whatever they are.
  const std::uint8_t* data() const { return bytes_.data(); }
  /// Bytes of the packet before a byte of all.
  std::size_t packet_before(std::size_t byte) const {
    return std::min(std::max(byte, front_) - front_, packet_.size());
  }
  /// The bytes before the packet from a byte on.
  std::span<const std::uint8_t> front_from(std::size_t byte) const {
    return {bytes_.data() + std::min(byte, front_), front_ - std::min(byte, front_)};
  }

 private:
  static constexpr std::size_t head_bytes = 192;
  static std::uint32_t words_of_bits(std::uint32_t bits) { return (bits + 63) / 64; }
  void room(std::size_t bytes) {
    if (bytes_.size() < bytes + 16) bytes_.resize(bytes + 16);
  }
  std::vector<std::uint8_t> bytes_;
  std::span<const std::uint8_t> packet_;
  std::size_t front_ = 0;
  std::uint32_t bits_ = 0, known_ = 0, at_ = 0;
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
    room(at);
    std::uint8_t* const p = bytes_.data() + at;
    // Bits that the first byte has already, then the value; what is behind it is written over
    // later.
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
  /// `bits` from bit `from` of what is read on.
  void copy(const PacketReader& reader, std::uint32_t from, std::uint32_t bits) {
    if ((from | bits_ | bits) % 8 == 0) {
      const std::size_t to = bits_ / 8;
      room(to + bits / 8);
      for (std::uint32_t i = 0; i < bits / 8; i += 8)
        std::memcpy(bytes_.data() + to + i, reader.data() + from / 8 + i, 8);
      bits_ += bits;
      return;
    }
    for (std::uint32_t done = 0; done < bits; done += 64) {
      const std::uint32_t part = std::min(64u, bits - done);
      put(reader.read(from + done, part), part);
    }
  }
  /// Writes over `bits` (1 to 64) bits from bit `at` on, which were written.
  void replace(std::size_t at, std::uint64_t value, std::uint32_t bits) {
    const auto used = static_cast<std::uint32_t>(at % 8);
    if (used + bits > 64) {
      replace(at, value >> 32, bits - 32);
      replace(at + bits - 32, value, 32);
    } else {
      std::uint8_t* const p = bytes_.data() + at / 8;
      const std::uint64_t mask = ~std::uint64_t{0} << (64 - bits) >> used;
      std::uint64_t word;
      std::memcpy(&word, p, 8);
      word = __builtin_bswap64(word);
      word ^= (word ^ value << (64 - bits) >> used) & mask;
      word = __builtin_bswap64(word);
      std::memcpy(p, &word, 8);
    }
  }
  /// So many zeros behind whole bytes, to be written over, as 16 more can be.
  std::uint8_t* zeros(std::size_t bytes) {
    const std::size_t at = bits_ / 8;
    resize(at + bytes);
    return bytes_.data() + at;
  }
  /// Written bytes, from a byte on; 16 more bytes can be written over.
  std::uint8_t* written(std::size_t byte) { return bytes_.data() + byte; }
  void replace(std::size_t at, const std::uint64_t* words, std::uint32_t bits) {
    for (std::uint32_t left = bits; left > 0;) {
      const std::uint32_t part = left % 64 == 0 ? 64 : left % 64;
      replace(at, words[(left - 1) / 64], part);
      at += part;
      left -= part;
    }
  }
  /// From the next whole byte on.
  void append(std::span<const std::uint8_t> bytes) {
    const std::size_t at = size();
    room(at + bytes.size());
    std::copy(bytes.begin(), bytes.end(), bytes_.data() + at);
    bits_ = 8 * (at + bytes.size());
  }
  /// Behind whole bytes: words, the highest byte first.
  void put_words(std::span<const std::uint64_t> words) {
    const std::size_t at = size();
    room(at + 8 * words.size());
    std::uint8_t* to = bytes_.data() + at;
    for (const std::uint64_t value : words) {
      const std::uint64_t word = __builtin_bswap64(value);
      std::memcpy(to, &word, 8);
      to += 8;
    }
    bits_ = 8 * (at + 8 * words.size());
  }
  /// Cut or filled with zeros to so many bytes.
  void resize(std::size_t bytes) {
    room(bytes);
    const std::size_t had = size();
    if (had < bytes) std::fill_n(bytes_.data() + had, bytes - had, std::uint8_t{0});
    bits_ = 8 * bytes;
  }
  std::size_t bits() const { return bits_; }
  std::size_t size() const { return (bits_ + 7) / 8; }
  /// Bytes written; valid until more are.
  std::span<const std::uint8_t> bytes() const { return {bytes_.data(), size()}; }

 private:
  /// For what is written from that byte on, to 16 bytes.
  void room(std::size_t byte) {
    if (bytes_.size() < byte + 16) [[unlikely]]
      bytes_.resize(std::max({byte + 16, 2 * bytes_.size(), std::size_t{256}}));
  }

  std::vector<std::uint8_t> bytes_;  ///< with room behind what is written
  std::size_t bits_ = 0;
};

}  // namespace horae::p4prog
