// Two candidates at random, as `drill` and `po2` draw them.
#pragma once

#include <utility>

#include "horae/core/random.hpp"

namespace horae::policy {

/// Two different ones of `choices` (at least 2), every ordered pair equally likely; two draws.
inline std::pair<unsigned, unsigned> two_of(RandomStream& stream, unsigned choices) {
  const unsigned first = stream.below(choices);
  const unsigned second = stream.below(choices - 1);
  return {first, second < first ? second : second + 1};
}

}  // namespace horae::policy
