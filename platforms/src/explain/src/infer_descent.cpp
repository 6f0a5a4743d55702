// From the closest points towards what was observed: an exclusion is only as good as the attempt to
// refute it.
#include <algorithm>
#include <cmath>

#include "horae/core/random.hpp"
#include "infer_parts.hpp"

namespace horae::explain {
namespace {

/// Steps from a position: a few unknowns each, the continuous ones within a width.
class Steps {
 public:
  Steps(const inference::Space& space, std::uint64_t seed, const std::string& stream)
      : space_(space), random_(seed, stream) {}

  inference::Position from(inference::Position at, double width) {
    const auto n = static_cast<std::uint32_t>(space_.size());
    const std::uint32_t most = std::min<std::uint32_t>(n, 4);
    for (std::uint32_t left = 1 + random_.below(most); left > 0; --left) {
      const std::size_t d = random_.below(n);
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
  RandomStream random_;
};

}  // namespace

void descend(const question::Question& q, std::size_t points, Inferred& h) {
  // Some of the nearest points go on, each from its own place: the nearest of all may be a trap.
  constexpr std::size_t ways = 4, batch = 16;
  constexpr double widest = 0.5, narrowest = 0.02, narrower = 0.7;
  auto ends = h.sampled.evaluations;
  std::stable_sort(ends.begin(), ends.end(),
                   [](const auto& a, const auto& b) { return a.distance < b.distance; });
  const auto same = [](const auto& a, const auto& b) { return a.position == b.position; };
  ends.erase(std::unique(ends.begin(), ends.end(), same), ends.end());
  if (ends.size() > ways) ends.resize(ways);
  std::vector<double> widths(ends.size(), widest);
  Steps steps(h.dimensions, q.seed, "explain." + h.hypothesis->id.value + ".descent");
  const auto nearest = [&] {
    return std::min_element(ends.begin(), ends.end(), [](const auto& a, const auto& b) {
             return a.distance < b.distance;
           })->distance;
  };
  while (points >= batch && nearest() > tolerance_factors[as_declared]) {
    std::vector<inference::Position> asked;
    for (std::size_t i = 0; i < batch; ++i) {
      const std::size_t way = i % ends.size();
      asked.push_back(steps.from(ends[way].position, widths[way]));
    }
    points -= batch;
    const auto distances = h.runs->distances(asked);
    std::vector<bool> nearer(ends.size(), false);
    for (std::size_t i = 0; i < batch; ++i) {
      const std::size_t way = i % ends.size();
      if (distances[i] >= ends[way].distance) continue;
      ends[way] = {asked[i], distances[i]};
      nearer[way] = true;
    }
    for (std::size_t way = 0; way < ends.size(); ++way) {
      if (!nearer[way]) widths[way] = std::max(narrowest, widths[way] * narrower);
    }
  }
}

}  // namespace horae::explain
