// The random number generator of a stage.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "horae/core/random.hpp"
#include "horae/dataplane/pipeline.hpp"

namespace horae::dataplane {

/// One draw of up to 32 bits per pass (each stage has one 64-bit generator: Tofino2 register
/// descriptions).
class Random final : public Object {
 public:
  Random(Pipeline& pipeline, Gress gress, const std::string& name, const Needs& needs = {})
      : Object(pipeline, gress, name, RandomSpec{}, needs),
        stream_(pipeline.seed(), Object::name()) {}

  /// Uniform in [0, n), n above zero: what an action selector or a table over random bits gives.
  std::uint32_t below(const PassKind auto& pass, std::uint32_t n) {
    check_single_access(pass);
    return stream_.below(n);
  }

 private:
  RandomStream stream_;
};

}  // namespace horae::dataplane
