// Cables and switches that are drawn at random, and changed: [[impairment_group]].
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <set>

#include "horae/config/failures.hpp"
#include "horae/core/error.hpp"
#include "horae/core/random.hpp"
#include "kept_paths.hpp"

namespace horae::config {
namespace {

using Direction = ImpairmentGroup::Direction;
/// One unit of a random draw: directions of links.
using Draw = std::vector<KeptPaths::Direction>;

/// By vertex: links to the nearest end point.
std::vector<unsigned> levels_of(const fabric::Topology& topology) {
  const auto& vertices = topology.vertices();
  std::vector<std::vector<unsigned>> peers(vertices.size());
  for (const auto& e : topology.edges()) {
    peers[e.a].push_back(e.b);
    peers[e.b].push_back(e.a);
  }
  std::vector<unsigned> levels(vertices.size(), std::numeric_limits<unsigned>::max());
  std::queue<unsigned> next;
  for (unsigned v = 0; v < vertices.size(); ++v) {
    if (vertices[v].node == fabric::Topology::no_node) continue;
    levels[v] = 0;
    next.push(v);
  }
  for (; !next.empty(); next.pop()) {
    for (const unsigned peer : peers[next.front()]) {
      if (levels[peer] != std::numeric_limits<unsigned>::max()) continue;
      levels[peer] = levels[next.front()] + 1;
      next.push(peer);
    }
  }
  return levels;
}

/// Candidates among the cables, in the order of the platform's links.
std::vector<Draw> cables(const fabric::Topology& topology, const ImpairmentGroup& group) {
  const auto levels = levels_of(topology);
  const Direction direction = group.direction.value_or(Direction::both);
  std::vector<Draw> out;
  for (std::size_t i = 0; i < topology.edges().size(); ++i) {
    const auto& e = topology.edges()[i];
    if (!topology.between_switches(e)) continue;
    if (group.level && std::min(levels[e.a], levels[e.b]) != *group.level) continue;
    switch (direction) {
      case Direction::both:
        out.push_back({{i, false}, {i, true}});
        break;
      case Direction::one:
        out.push_back({{i, false}});
        out.push_back({{i, true}});
        break;
      case Direction::up:
      case Direction::down:
        if (levels[e.a] == levels[e.b]) break;
        out.push_back({{i, (levels[e.a] > levels[e.b]) == (direction == Direction::up)}});
        break;
    }
  }
  return out;
}

/// Candidates among the switches: everything that one of them sends.
std::vector<Draw> switches(const fabric::Topology& topology, const ImpairmentGroup& group) {
  const auto levels = levels_of(topology);
  std::vector<Draw> sends(topology.vertices().size());
  for (std::size_t i = 0; i < topology.edges().size(); ++i) {
    sends[topology.edges()[i].a].push_back({i, false});
    sends[topology.edges()[i].b].push_back({i, true});
  }
  std::vector<Draw> out;
  for (std::size_t v = 0; v < sends.size(); ++v) {
    if (topology.vertices()[v].node != fabric::Topology::no_node) continue;
    if (!group.level || levels[v] == *group.level) out.push_back(std::move(sends[v]));
  }
  return out;
}

}  // namespace

void impair_group(PlatformConfig& platform, const ImpairmentGroup& group, std::size_t number,
                  const Section& section) {
  const bool of_cables = group.of == ImpairmentGroup::Of::cables;
  const char* const what = of_cables ? "cables" : "switches";
  auto draws = of_cables ? cables(platform.topology, group) : switches(platform.topology, group);
  // Directions are drawn one by one, but a share is of cables.
  const std::size_t all = group.direction == Direction::one ? draws.size() / 2 : draws.size();
  const char* const key = group.count ? "count" : "share";
  if (group.share == 0.0) return;
  if (draws.empty())
    throw section.error(key, fmt::format("there are no {} between switches to draw", what));
  const std::size_t count =
      group.count
          ? *group.count
          : std::max<std::size_t>(
                1, static_cast<std::size_t>(std::llround(*group.share * static_cast<double>(all))));
  const bool cuts = !group.outages.empty() || group.loss.value_or(0.0) >= 1.0;
  const bool answers = group.packets.value_or(LinkChange::Packets::all) == LinkChange::Packets::all;
  std::optional<KeptPaths> paths;
  if (cuts && group.keep_paths) paths.emplace(platform, answers);
  RandomStream stream(group.seed, fmt::format("impairment_group{}", number));
  std::size_t drawn = 0;
  std::set<std::size_t> links;
  for (std::size_t i = 0; i < draws.size() && drawn < count; ++i) {
    std::swap(draws[i], draws[i + stream.below(static_cast<std::uint32_t>(draws.size() - i))]);
    if (paths && !paths->take(draws[i])) continue;
    ++drawn;
    for (const auto& d : draws[i]) {
      LinkInstance& link = platform.links[d.link];
      group.apply(d.backward ? link.backward : link.config);
      links.insert(d.link);
    }
  }
  if (drawn < count) {
    throw section.error(
        key, paths ? fmt::format("{} {} asked for, but after {} of {} no other can go without a "
                                 "pair that sends losing its last path",
                                 count, what, drawn, draws.size())
                   : fmt::format("{} {} asked for; there are {}", count, what, draws.size()));
  }
  for (const std::size_t link : links) withdraw(platform, link, group);
}

}  // namespace horae::config
