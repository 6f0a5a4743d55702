// A hash of header fields.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>

#include "horae/core/error.hpp"
#include "horae/core/linear_hash.hpp"
#include "horae/dataplane/objects/hash_function.hpp"
#include "horae/dataplane/pipeline.hpp"

namespace horae::dataplane {

/// `output_bits` of a hash over fields: a function of the chip's hash units, to 64 bits, or, where
/// none is named, any mixing that spreads keys which differ in one field only, to 32 bits.
class Hash final : public Object {
 public:
  Hash(Pipeline& pipeline, Gress gress, const std::string& name, const HashSpec& spec,
       const Needs& needs = {})
      : Object(pipeline, gress, name, checked(spec, 32, pipeline.name() + "." + name), needs),
        bits_(spec.output_bits) {}
  /// ModelError: a result of no bits or more than 64, or what HashFunction refuses.
  Hash(Pipeline& pipeline, Gress gress, const std::string& name, const HashSpec& spec,
       const HashAlgorithm& algorithm, const Needs& needs = {})
      : Object(pipeline, gress, name, checked(spec, 64, pipeline.name() + "." + name), needs),
        bits_(spec.output_bits),
        function_(HashFunction(algorithm, spec.output_bits)) {}

  std::uint32_t of(const PassKind auto& pass, std::initializer_list<std::uint64_t> fields) {
    check_single_access(pass);
    return value(fields);
  }
  /// Control plane: what `of` gives for these fields.
  std::uint32_t value(std::initializer_list<std::uint64_t> fields) const {
    std::uint64_t h = 0;
    for (const std::uint64_t field : fields) {
      h = (h ^ field) * 0x9e3779b97f4a7c15ULL;
      h = (h ^ h >> 32) * 0xc2b2ae3d27d4eb4fULL;
      h ^= h >> 29;
    }
    return static_cast<std::uint32_t>(h >> (64 - bits_));
  }

  /// Value of a hash with a function.
  std::uint64_t of(const PassKind auto& pass, const BitString& fields) {
    check_single_access(pass);
    return value(fields);
  }
  /// Control plane: likewise.
  std::uint64_t value(const BitString& fields) const { return function_->of(fields); }
  std::uint64_t value(std::span<const std::uint64_t> words, unsigned bits) const {
    return function_->of(words, bits);
  }

  /// The linear hash of the header's flow, as other switches compute it.
  std::uint16_t linear(const PassKind auto& pass, const LinearHash& function) {
    check_single_access(pass);
    return function.of(pass.header());
  }

 private:
  static const HashSpec& checked(const HashSpec& spec, unsigned most, const std::string& name) {
    if (spec.output_bits < 1 || spec.output_bits > most)
      throw ModelError(name + ": a hash of 1 to " + std::to_string(most) + " bits");
    return spec;
  }

  std::uint32_t bits_;
  std::optional<HashFunction> function_;
};

}  // namespace horae::dataplane
