// Load imbalance of balls in bins: how much more than its share the fullest bin has (REPS paper,
// appendix B).
#pragma once

#include <cstdint>
#include <vector>

#include "horae/core/random.hpp"
#include "theory/trials.hpp"

namespace horae::theory {

/// Largest of `loads` over their mean, less 1; 0 where all are empty.
double imbalance_of(const std::vector<std::uint64_t>& loads);

/// Expectation of the largest of `n` (2 or more) independent standard normal numbers: 2.07 for 32.
double largest_normal(std::uint32_t n);

/// Closed form of the expected imbalance of `balls` in `bins` (2 or more), good where there are
/// many more balls than bins times the logarithm of bins. Loads are then close to normal, with a
/// variance of balls / bins (1 - 1 / bins).
double expected_imbalance(std::uint32_t bins, double balls);

/// One throw of so many balls, each into a random bin.
double thrown_imbalance(std::uint32_t bins, std::uint64_t balls, RandomStream& random);
/// So many of them.
Trials thrown_imbalances(std::uint32_t bins, std::uint64_t balls, std::uint32_t trials,
                         RandomStream& random);

}  // namespace horae::theory
