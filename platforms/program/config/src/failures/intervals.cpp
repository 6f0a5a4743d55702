#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "horae/config/failures.hpp"
#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/core/random.hpp"

namespace horae::config {

void plan_failures(PlatformConfig& platform, const FailuresConfig& c, const Section& section) {
  std::vector<std::size_t> links;
  for (std::size_t i = 0; i < platform.links.size(); ++i) {
    if (platform.topology.between_switches(platform.topology.edges()[i])) links.push_back(i);
  }
  if (c.share == 0) return;
  if (links.empty()) throw section.error("share", "there is no link between switches to fail");
  constexpr std::int64_t most_intervals = 100'000;
  if ((platform.sim.duration - c.start).count() / c.interval.count() > most_intervals) {
    throw section.error("interval",
                        fmt::format("more than {} intervals of {} in duration = {}", most_intervals,
                                    to_text(c.interval), to_text(platform.sim.duration)));
  }
  const auto wanted = std::llround(c.share * static_cast<double>(links.size()));
  const std::size_t count = std::max<std::size_t>(1, static_cast<std::size_t>(wanted));
  RandomStream stream(c.seed, "failures");
  for (Picoseconds from = c.start; from < platform.sim.duration; from += c.interval) {
    const Picoseconds to = from + c.interval;
    for (std::size_t i = 0; i < count; ++i) {
      const auto rest = static_cast<std::uint32_t>(links.size() - i);
      std::swap(links[i], links[i + stream.below(rest)]);
      LinkInstance& link = platform.links[links[i]];
      link.config.outages.push_back({from, to});
      link.backward.outages.push_back({from, to});
      platform.route_changes.push_back({from, links[i], true, true});
    }
    for (std::size_t i = 0; i < count; ++i)
      platform.route_changes.push_back({to, links[i], false, false});
  }
  platform.detours = true;
}

}  // namespace horae::config
