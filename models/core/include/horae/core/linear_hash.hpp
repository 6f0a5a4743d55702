// The flow hash of switch chips that is linear in the bits it hashes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "horae/core/codec/crc.hpp"
#include "horae/core/packet.hpp"

namespace horae {

/// Settings of a switch's ECMP hash. Switches of one tier share an offset and tiers
/// differ in it, or a tier decides by the bits that the tier before has used up.
struct LinearHashConfig {
  std::uint32_t offset = 0;  ///< rotation to the right, 0 to 15
  std::uint32_t seed = 0;    ///< initial value, 16 bits
};

/// CRC-16-CCITT (polynomial 0x1021, most significant bit first) of IPv4 addresses, protocol and UDP
/// ports, 13 bytes in the order of the headers, rotated; one of n ports is its value modulo n.
/// Linear: of headers that differ by d, the values differ by that of d, whatever the flow and the
/// seed ("Hashing Linearity Enables Relative Path Control in Data Centers", USENIX ATC 2021).
class LinearHash {
 public:
  static constexpr unsigned bits = 16;

  explicit LinearHash(const LinearHashConfig& config = {})
      : offset_(static_cast<int>(config.offset % bits)),
        constant_(constant(static_cast<std::uint16_t>(config.seed))) {}

  std::uint16_t of(NodeId src, NodeId dst, std::uint16_t source_port) const {
    // Node n is 10.0.0.0 + n + 1 (`AddressPlan`).
    const std::uint32_t s = src + 1, d = dst + 1;
    const std::uint32_t crc = constant_ ^ part(1, s >> 16) ^ part(2, s >> 8) ^ part(3, s) ^
                              part(5, d >> 16) ^ part(6, d >> 8) ^ part(7, d) ^
                              part(9, source_port >> 8u) ^ part(10, source_port);
    return std::rotr(static_cast<std::uint16_t>(crc), offset_);
  }
  std::uint16_t of(const Packet& p) const { return of(p.src, p.dst, p.entropy); }

  /// The one of `n` (at least 1) ports that a value stands for.
  static unsigned choice(std::uint16_t value, unsigned n) {
    return std::has_single_bit(n) ? value & (n - 1) : value % n;
  }
  /// By how much the value changes (XOR) when the UDP source port does so.
  std::uint16_t change(std::uint16_t port_change) const {
    return std::rotr(static_cast<std::uint16_t>(part(9, port_change >> 8u) ^ part(10, port_change)),
                     offset_);
  }

 private:
  static constexpr std::size_t length = 13;
  static constexpr Crc ccitt{{16, 0x1021, false, 0, 0}};  // ITU-T V.41
  using Parts = std::array<std::array<std::uint16_t, 256>, length>;

  /// The register of the CRC after another byte.
  static constexpr std::uint16_t after(std::uint16_t crc, std::uint32_t byte) {
    return static_cast<std::uint16_t>(
        ccitt.next(std::uint64_t{crc} << 48, static_cast<std::uint8_t>(byte)) >> 48);
  }
  /// Contribution of each byte at each place to the CRC; by linearity these describe it completely.
  static constexpr Parts all_parts() {
    Parts parts{};
    for (std::size_t place = 0; place < length; ++place) {
      for (unsigned bit = 0; bit < 8; ++bit) {
        std::uint16_t crc = after(0, 1u << bit);
        for (std::size_t i = place + 1; i < length; ++i) crc = after(crc, 0);
        for (unsigned byte = 0; byte < 256; ++byte) {
          if ((byte >> bit & 1) != 0) parts[place][byte] ^= crc;
        }
      }
    }
    return parts;
  }
  static const Parts parts_;
  static std::uint32_t part(std::size_t place, std::uint32_t byte) {
    return parts_[place][byte & 0xff];
  }
  /// Seed, 10.x.x.x twice, protocol 17 (UDP) and port 4791 (RoCEv2).
  static constexpr std::uint16_t constant(std::uint16_t seed) {
    std::uint16_t crc = seed;
    for (const std::uint32_t byte : {10, 0, 0, 0, 10, 0, 0, 0, 17, 0, 0, 4791 >> 8, 4791 & 0xff})
      crc = after(crc, byte);
    return crc;
  }

  int offset_;
  std::uint16_t constant_;
};

}  // namespace horae
