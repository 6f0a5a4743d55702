// DCQCN's reaction point in shorthand.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string_view>

#include "horae/policy/congestion/dcqcn.hpp"

namespace horae::policy {

inline constexpr BitRate line_rate = 100_Gbps;
constexpr BitRate bps(std::int64_t n) { return BitRate(n); }
constexpr BitRate mbps(std::int64_t n) { return BitRate(n * 1'000'000); }

inline DcqcnParameters parameters(std::string_view set) {
  return dcqcn_parameters(set, {}, line_rate);
}

/// A reaction point without a word about NACKs, or with what `config` says about them.
inline Dcqcn reaction_point(const DcqcnParameters& p, const CongestionConfig& config = {}) {
  return {p, line_rate, find_nack_reaction(config.nack_reaction).make(config.parameters)};
}

/// rate * (1 - alpha / 2): the bits that are left, what is taken rounded down.
inline BitRate after_cut(BitRate rate, std::uint64_t alpha) {
  const auto taken = static_cast<horae::detail::Wide>(rate.count()) * alpha / 2 / Dcqcn::alpha_one;
  return rate - BitRate(static_cast<std::int64_t>(taken));
}

/// A configuration with this reaction to NACKs.
inline CongestionConfig reacting(std::string_view nack_reaction) {
  CongestionConfig config;
  config.algorithm = "dcqcn";
  config.nack_reaction = nack_reaction;
  return config;
}

}  // namespace horae::policy
