// First keys of every summary.json.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "horae/core/units.hpp"

namespace horae::results {

struct SummaryHead {
  std::string platform;           ///< its name
  nlohmann::ordered_json config;  ///< in effect
  std::string config_hash;        ///< of that
  std::uint64_t seed = 0;
  std::string_view verdict;
  Picoseconds sim_time{};
  double wall_s = 0;
};

/// Its members in the order of the file, behind the number of the schema: others follow.
nlohmann::ordered_json summary_head(const SummaryHead& head);

}  // namespace horae::results
