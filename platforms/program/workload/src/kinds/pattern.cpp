#include "pattern.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "horae/core/error.hpp"

namespace horae::workload {

namespace {

std::string_view name_of(PatternConfig::Pattern pattern) {
  constexpr std::array<std::string_view, 4> names = {"pairs", "permutation", "tornado", "incast"};
  return names[static_cast<std::size_t>(pattern)];
}

}  // namespace

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
    throw section.error(
        config.from.empty() ? "to" : "from",
        fmt::format("pattern {} takes no 'from' and 'to'", name_of(config.pattern)));
  }
  for (std::size_t i = 0; i < config.from.size(); ++i) {
    if (config.from[i].value == config.to[i].value) {
      throw input_error(config.to[i].where,
                        fmt::format("'{}' would send to itself", config.to[i].value));
    }
  }
  const std::size_t members = all_of(table.platform, kind).size();
  if (!pairs && members < 2) {
    throw section.error("pattern",
                        fmt::format("pattern {} needs at least two end points of its kind",
                                    name_of(config.pattern)));
  }
  const bool incast = config.pattern == PatternConfig::Pattern::incast;
  if (config.fan_in && !incast) throw section.error("fan_in", "fan_in is of pattern incast");
  if (incast && config.senders_of_incast() > members - members / 2) {
    throw section.error(config.fan_in ? "fan_in" : "pattern",
                        fmt::format("{} senders, but the second half of the end points has {}",
                                    config.senders_of_incast(), members - members / 2));
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
  const std::size_t n = members.size();
  if (config.pattern == PatternConfig::Pattern::tornado) {
    for (std::size_t i = 0; i < n; ++i) pairs.emplace_back(members[i], members[(i + n / 2) % n]);
    return pairs;
  }
  if (config.pattern == PatternConfig::Pattern::incast) {
    for (std::size_t i = 0; i < config.senders_of_incast(); ++i)
      pairs.emplace_back(members[n / 2 + i], members[0]);
    return pairs;
  }
  const auto to =
      traffic::permutation_pattern(static_cast<std::uint32_t>(members.size()), platform.sim.seed);
  for (std::size_t i = 0; i < members.size(); ++i) pairs.emplace_back(members[i], members[to[i]]);
  return pairs;
}

}  // namespace horae::workload
