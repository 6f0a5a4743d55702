// A hash of header fields.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "horae/core/error.hpp"
#include "horae/core/linear_hash.hpp"
#include "horae/dataplane/pipeline.hpp"

namespace horae::dataplane {

/// `output_bits` (at most 32) of a hash over fields: any mixing that spreads keys which differ in
/// one field only, or a CRC that switches around it use as well (programs may give the hash units
/// any polynomial: `CRCPolynomial` of the Tofino Native Architecture).
class Hash final : public Object {
 public:
  Hash(Pipeline& pipeline, Gress gress, const std::string& name, const HashSpec& spec,
       const Needs& needs = {})
      : Object(pipeline, gress, name, checked(spec, pipeline.name() + "." + name), needs),
        bits_(spec.output_bits) {}

  std::uint32_t of(const Pass& pass, std::initializer_list<std::uint64_t> fields) {
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

  /// The linear hash of the header's flow, as other switches compute it.
  std::uint16_t linear(const Pass& pass, const LinearHash& function) {
    check_single_access(pass);
    return function.of(pass.header());
  }

 private:
  static const HashSpec& checked(const HashSpec& spec, const std::string& name) {
    if (spec.output_bits < 1 || spec.output_bits > 32)
      throw ModelError(name + ": a hash of 1 to 32 bits");
    return spec;
  }

  std::uint32_t bits_;
};

}  // namespace horae::dataplane
