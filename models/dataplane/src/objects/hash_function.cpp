#include "horae/dataplane/objects/hash_function.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace horae::dataplane {

namespace {

std::uint64_t low_bits(std::uint64_t value, unsigned bits) {
  return bits < 64 ? value & ((std::uint64_t{1} << bits) - 1) : value;
}

/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
std::uint64_t mixed(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15ULL;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
  return z ^ z >> 31;
}

/// `value` of `width` bits as often as fits 64 bits, from the lowest on.
std::uint64_t repeated(std::uint64_t value, unsigned width) {
  std::uint64_t out = 0;
  for (unsigned at = 0; at < 64; at += width) out |= value << at;
  return out;
}

}  // namespace

HashFunction::HashFunction(const HashAlgorithm& algorithm, unsigned output_bits)
    : output_bits_(output_bits), algorithm_(prepared(algorithm)) {
  if (output_bits < 1 || output_bits > 64)
    throw ModelError(fmt::format("a hash of {} bits; expected 1 to 64", output_bits));
}

HashFunction::Prepared HashFunction::prepared(const HashAlgorithm& algorithm) {
  if (const auto* crc = std::get_if<CrcHash>(&algorithm))
    return PreparedCrc{Crc(crc->crc), Crc(crc->crc).start(), crc->high_bits, crc->extended};
  if (const auto* x = std::get_if<XorHash>(&algorithm)) {
    if (x->width < 1 || x->width > 64)
      throw ModelError(fmt::format("an XOR of words of {} bits; expected 1 to 64", x->width));
    return *x;
  }
  if (const auto* random = std::get_if<RandomHash>(&algorithm)) return *random;
  return IdentityHash{};
}

std::uint64_t HashFunction::Fields::at(unsigned from, unsigned count) const {
  return bits_at(words, from, count);
}

std::uint64_t HashFunction::of(std::span<const std::uint64_t> words, unsigned bits) const {
  const Fields fields{words.data(), bits};
  return low_bits(std::visit([&](const auto& hash) { return value(hash, fields); }, algorithm_),
                  output_bits_);
}

std::uint64_t HashFunction::value(const PreparedCrc& hash, const Fields& fields) const {
  const Crc& crc = hash.crc;
  std::uint64_t reg = hash.start;
  const unsigned first = fields.bits % 8;
  if (first != 0) reg = crc.next(reg, static_cast<std::uint8_t>(fields.at(0, first)));
  for (unsigned at = first; at < fields.bits; at += 64) {
    const unsigned part = std::min(64u, fields.bits - at);
    const std::uint64_t word =
        first == 0 ? fields.words[at / 64] : fields.at(at, part) << (64 - part);
    reg = crc.next(reg, word, part / 8);
  }
  const std::uint64_t result = crc.result(reg);
  const unsigned width = crc.parameters().width;
  if (output_bits_ < width) return hash.high_bits ? result >> (width - output_bits_) : result;
  return hash.extended ? repeated(result, width) : result;
}

std::uint64_t HashFunction::value(const XorHash& hash, const Fields& fields) const {
  std::uint64_t out = 0;
  for (unsigned at = 0; at < fields.bits; at += hash.width) {
    const unsigned part = std::min(hash.width, fields.bits - at);
    out ^= fields.at(at, part) << (hash.width - part);
  }
  return out;
}

std::uint64_t HashFunction::value(const IdentityHash&, const Fields& fields) const {
  const unsigned part = std::min(64u, fields.bits);
  return fields.at(fields.bits - part, part);
}

std::uint64_t HashFunction::value(const RandomHash& hash, const Fields& fields) const {
  std::uint64_t out = mixed(hash.seed);
  for (unsigned bit = 0; bit < fields.bits; ++bit) {
    if (fields.at(bit, 1) != 0) out ^= mixed(hash.seed + fields.bits - bit);
  }
  return out;
}

}  // namespace horae::dataplane
