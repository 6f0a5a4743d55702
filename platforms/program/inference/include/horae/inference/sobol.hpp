// A space-filling design: Sobol points with a digital shift.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "horae/inference/space.hpp"

namespace horae::inference {

/// The first `count` points of Boost.Random's Sobol sequence (directions of Joe and Kuo 2008), each
/// dimension's digits exclusive-or'ed with random ones of the stream `name` (digital shift;
/// L'Ecuyer and Lemieux 2002, Recent advances in randomized quasi-Monte Carlo methods, 3.2). Every
/// point is uniform by itself, and any 2^k in a row from a multiple of 2^k have one in each of 2^k
/// equal parts of every dimension. A longer design begins with a shorter one.
std::vector<Position> sobol_design(const Space& space, std::size_t count, std::uint64_t seed,
                                   std::string_view name);

}  // namespace horae::inference
