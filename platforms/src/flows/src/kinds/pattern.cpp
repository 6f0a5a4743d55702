#include "pattern.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"

namespace horae::flows {

void check_pattern(const TrafficSection& table, const PatternConfig& config, EndPoint kind) {
  const Section& section = table.section;
  check_end_points(table, config.from, kind);
  check_end_points(table, config.to, kind);
  const bool pairs = config.pattern == PatternConfig::Pattern::pairs;
  if (pairs && (config.from.empty() || config.from.size() != config.to.size())) {
    throw section.error(section.has("from") ? "from" : "kind",
                        fmt::format("pattern pairs: {} senders in 'from' and {} receivers in 'to'; "
                                    "expected as many of each, at least one",
                                    config.from.size(), config.to.size()));
  }
  if (!pairs && !(config.from.empty() && config.to.empty())) {
    throw section.error(config.from.empty() ? "to" : "from",
                        "pattern permutation takes no 'from' and 'to'");
  }
  for (std::size_t i = 0; i < config.from.size(); ++i) {
    if (config.from[i].value == config.to[i].value) {
      throw input_error(config.to[i].where,
                        fmt::format("'{}' would send to itself", config.to[i].value));
    }
  }
  if (!pairs && all_of(table.platform, kind).size() < 2) {
    throw section.error("pattern", "pattern permutation needs at least two end points of its kind");
  }
}

std::vector<std::pair<unsigned, unsigned>> pairs_of(const config::PlatformConfig& platform,
                                                    const PatternConfig& config, EndPoint kind) {
  std::vector<std::pair<unsigned, unsigned>> pairs;
  if (config.pattern == PatternConfig::Pattern::pairs) {
    for (std::size_t i = 0; i < config.from.size(); ++i) {
      pairs.emplace_back(platform.topology.find(config.from[i]),
                         platform.topology.find(config.to[i]));
    }
    return pairs;
  }
  const auto members = all_of(platform, kind);
  const auto to =
      traffic::permutation_pattern(static_cast<std::uint32_t>(members.size()), platform.sim.seed);
  for (std::size_t i = 0; i < members.size(); ++i) pairs.emplace_back(members[i], members[to[i]]);
  return pairs;
}

}  // namespace horae::flows
