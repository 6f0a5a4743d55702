// From the closest points towards what was observed: an exclusion is only as good as the attempt to
// refute it.
#include <algorithm>

#include "horae/core/random.hpp"
#include "parts.hpp"

namespace horae::explain {
namespace {

using inference::Evaluation;
using inference::Position;

/// Steps from a position: a few unknowns each, the continuous ones within a width.
class Steps {
 public:
  /// `held` keeps its value.
  Steps(const inference::Space& space, std::size_t held, std::uint64_t seed,
        const std::string& stream)
      : space_(space), held_(held), random_(seed, stream) {}

  Position from(Position at, double width) {
    const auto n = static_cast<std::uint32_t>(space_.size());
    const std::uint32_t most = std::min<std::uint32_t>(n, 4);
    for (std::uint32_t left = 1 + random_.below(most); left > 0; --left) {
      const std::size_t d = random_.below(n);
      if (d == held_) continue;
      if (space_[d].discrete()) {
        at[d] = space_[d].number(random_.below(space_[d].values));
      } else {
        at[d] = std::clamp(at[d] + width * (2 * random_.unit() - 1), 0.0, below_one);
      }
    }
    return at;
  }

 private:
  static constexpr double below_one = 1 - 0x1.0p-53;
  const inference::Space& space_;
  std::size_t held_;
  RandomStream random_;
};

/// A place on the way down.
struct Way {
  Evaluation at;
  double width = 0.5;
};

bool nearer(const Way& a, const Way& b) { return a.at.distance < b.at.distance; }

/// The nearest point under each reaction: what is near under one is a trap under another.
std::vector<Way> begin_ways(const Assessed& h, const Evaluation& nearest, std::size_t reaction) {
  if (reaction == h.dimensions.size()) return {{nearest}};
  std::vector<Way> ways;
  for (std::uint32_t value = 0; value < h.dimensions[reaction].values; ++value) {
    Position position = nearest.position;
    position[reaction] = h.dimensions[reaction].number(value);
    ways.push_back({{std::move(position), 0}});
  }
  return ways;
}

}  // namespace

std::vector<double> look_at(Assessed& h, const std::vector<Position>& positions) {
  auto distances = h.runs->distances(positions);
  for (std::size_t i = 0; i < positions.size(); ++i)
    h.evaluated.push_back({positions[i], distances[i]});
  return distances;
}

void descend(const question::Question& q, std::size_t points, const std::string& stream,
             Assessed& h) {
  constexpr std::size_t each = 3;  // points of a way in a round
  constexpr unsigned rounds = 3;   // before the farthest way ends
  constexpr std::size_t last = 2;  // ways that go on to the end
  constexpr double widest = 0.5, narrowest = 0.02, narrower = 0.7, wider = 1.4;
  const auto& unknowns = h.space->dimensions();
  const auto reaction = static_cast<std::size_t>(
      std::find_if(unknowns.begin(), unknowns.end(),
                   [](const auto& d) { return d.unknown == lab::Unknown::reaction; }) -
      unknowns.begin());
  const Evaluation nearest = *std::min_element(
      h.evaluated.begin(), h.evaluated.end(),
      [](const Evaluation& a, const Evaluation& b) { return a.distance < b.distance; });
  if (nearest.distance <= tolerance_factors[as_declared]) return;
  auto ways = begin_ways(h, nearest, reaction);
  if (points < ways.size()) return;
  std::vector<Position> asked;
  for (const Way& way : ways) asked.push_back(way.at.position);
  points -= asked.size();
  auto distances = look_at(h, asked);
  for (std::size_t w = 0; w < ways.size(); ++w) ways[w].at.distance = distances[w];
  Steps steps(h.dimensions, reaction, q.seed, stream);
  for (unsigned round = 1; points >= each * ways.size(); ++round) {
    std::stable_sort(ways.begin(), ways.end(), nearer);
    if (ways.front().at.distance <= tolerance_factors[as_declared]) return;
    if (round % rounds == 0 && ways.size() > last) ways.pop_back();
    asked.clear();
    for (const Way& way : ways) {
      for (std::size_t i = 0; i < each; ++i)
        asked.push_back(steps.from(way.at.position, way.width));
    }
    points -= asked.size();
    distances = look_at(h, asked);
    for (std::size_t w = 0; w < ways.size(); ++w) {
      Way& way = ways[w];
      const double before = way.at.distance;
      for (std::size_t i = w * each; i < (w + 1) * each; ++i) {
        if (distances[i] < way.at.distance) way.at = {asked[i], distances[i]};
      }
      // Out of the valley it is in, once every narrow step has led upwards.
      if (way.at.distance < before) {
        way.width = std::min(widest, way.width * wider);
      } else if (way.width *= narrower; way.width < narrowest) {
        way.width = widest;
      }
    }
  }
}

}  // namespace horae::explain
