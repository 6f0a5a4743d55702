// Cyclic redundancy checks of any polynomial up to 64 bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "horae/core/error.hpp"

namespace horae {

/// A CRC as catalogues of CRCs give it (Williams, "A painless guide to CRC error detection
/// algorithms", the Rocksoft model). Default: that of Ethernet (IEEE 802.3).
struct CrcParameters {
  unsigned width = 32;                    ///< bits of the result, 1 to 64
  std::uint64_t polynomial = 0x04c11db7;  ///< without its highest term
  bool reflected = true;          ///< bytes are taken, and the result is given, lowest bit first
  std::uint64_t initial = ~0u;    ///< register before the first byte, not reflected
  std::uint64_t final_xor = ~0u;  ///< of the result
  bool operator==(const CrcParameters&) const = default;
};

/// Takes a byte at a time, by a table.
class Crc {
 public:
  /// ModelError: no width of 1 to 64 bits, or a value that is wider.
  constexpr explicit Crc(const CrcParameters& parameters) : parameters_(checked(parameters)) {
    const std::uint64_t polynomial = parameters.reflected
                                         ? reverse(parameters.polynomial, parameters.width)
                                         : parameters.polynomial << unused_bits();
    for (std::size_t byte = 0; byte < table_.size(); ++byte)
      table_[byte] = after_byte(byte, polynomial);
  }

  constexpr std::uint64_t of(std::span<const std::uint8_t> bytes) const {
    std::uint64_t reg = start();
    for (const std::uint8_t byte : bytes) reg = next(reg, byte);
    return result(reg);
  }

  /// The register: the result lies in its lowest bits if reflected, else in its highest.
  constexpr std::uint64_t start() const {
    return parameters_.reflected ? reverse(parameters_.initial, parameters_.width)
                                 : parameters_.initial << unused_bits();
  }
  constexpr std::uint64_t next(std::uint64_t reg, std::uint8_t byte) const {
    return parameters_.reflected ? table_[(reg ^ byte) & 0xff] ^ reg >> 8
                                 : table_[reg >> 56 ^ byte] ^ reg << 8;
  }
  /// Likewise of `bytes` bytes, the first one highest in `word`.
  constexpr std::uint64_t next(std::uint64_t reg, std::uint64_t word, unsigned bytes) const {
    if (parameters_.reflected) {
      for (; bytes > 0; --bytes, word <<= 8) reg = table_[(reg ^ word >> 56) & 0xff] ^ reg >> 8;
    } else {
      for (; bytes > 0; --bytes, word <<= 8) reg = table_[(reg ^ word) >> 56] ^ reg << 8;
    }
    return reg;
  }
  constexpr std::uint64_t result(std::uint64_t reg) const {
    return (parameters_.reflected ? reg : reg >> unused_bits()) ^ parameters_.final_xor;
  }
  const CrcParameters& parameters() const { return parameters_; }

 private:
  static constexpr std::uint64_t reverse(std::uint64_t value, unsigned width) {
    std::uint64_t out = 0;
    for (unsigned bit = 0; bit < width; ++bit) out |= (value >> bit & 1) << (width - 1 - bit);
    return out;
  }
  static constexpr const CrcParameters& checked(const CrcParameters& p) {
    if (p.width < 1 || p.width > 64) throw ModelError("a CRC of 1 to 64 bits is expected");
    if (p.width < 64 && (p.polynomial | p.initial | p.final_xor) >> p.width != 0)
      throw ModelError("a polynomial, initial value or final XOR is wider than its CRC");
    return p;
  }
  constexpr unsigned unused_bits() const { return 64 - parameters_.width; }
  constexpr std::uint64_t after_byte(std::uint64_t byte, std::uint64_t polynomial) const {
    constexpr std::uint64_t highest = std::uint64_t{1} << 63;
    std::uint64_t reg = parameters_.reflected ? byte : byte << 56;
    for (int bit = 0; bit < 8; ++bit) {
      if (parameters_.reflected)
        reg = reg >> 1 ^ ((reg & 1) != 0 ? polynomial : 0);
      else
        reg = reg << 1 ^ ((reg & highest) != 0 ? polynomial : 0);
    }
    return reg;
  }

  CrcParameters parameters_;
  std::array<std::uint64_t, 256> table_{};
};

}  // namespace horae
