// Functions of the hash units of a chip.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "horae/core/codec/crc.hpp"
#include "horae/dataplane/objects/bit_string.hpp"

namespace horae::dataplane {

/// A CRC of the fields. Zero bits before them fill up whole bytes.
struct CrcHash {
  CrcParameters crc = {};
  bool high_bits = false;  ///< a narrower result is the highest bits of the CRC, else the lowest
  bool extended = true;    ///< a wider result repeats the CRC, else it begins with zeros
};
/// The XOR of the fields cut into words. Zero bits behind them fill up the last word.
struct XorHash {
  unsigned width = 16;  ///< bits of a word, 1 to 64
};
/// The lowest bits of the fields.
struct IdentityHash {};
/// A matrix of random bits, and a random word where all fields are zero.
struct RandomHash {
  std::uint64_t seed = 0;
};
using HashAlgorithm = std::variant<CrcHash, XorHash, IdentityHash, RandomHash>;

/// A hash of fields as the Tofino Native Architecture defines it (`HashAlgorithm_t`,
/// `CRCPolynomial`). How fields are filled up, and that CRCs wider results repeat: measured on
/// 2,460 values of the vendor's library for 41 CRCs.
class HashFunction {
 public:
  /// ModelError: a result of no bits or more than 64, a CRC or word of no bits or more than 64.
  HashFunction(const HashAlgorithm& algorithm, unsigned output_bits);

  unsigned output_bits() const { return output_bits_; }
  std::uint64_t of(const BitString& fields) const { return of(fields.words(), fields.bits()); }
  /// Likewise of `bits` bits in words as BitString::words() has them.
  std::uint64_t of(std::span<const std::uint64_t> words, unsigned bits) const;

 private:
  struct PreparedCrc {
    Crc crc;
    std::uint64_t start;
    bool high_bits, extended;
  };
  using Prepared = std::variant<PreparedCrc, XorHash, IdentityHash, RandomHash>;
  static Prepared prepared(const HashAlgorithm& algorithm);
  struct Fields {
    const std::uint64_t* words;
    unsigned bits;
    std::uint64_t at(unsigned from, unsigned count) const;
  };
  std::uint64_t value(const PreparedCrc& hash, const Fields& fields) const;
  std::uint64_t value(const XorHash& hash, const Fields& fields) const;
  std::uint64_t value(const IdentityHash& hash, const Fields& fields) const;
  std::uint64_t value(const RandomHash& hash, const Fields& fields) const;

  unsigned output_bits_;
  Prepared algorithm_;
};

}  // namespace horae::dataplane
