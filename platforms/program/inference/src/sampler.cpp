#include "horae/inference/sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "horae/core/error.hpp"
#include "horae/core/random.hpp"
#include "horae/inference/sobol.hpp"
#include "levels.hpp"
#include "moves.hpp"

namespace horae::inference {
namespace {

class Sampler {
 public:
  Sampler(const Space& space, const SamplerPlan& plan, const Distances& distances)
      : space_(space), plan_(plan), distances_(distances), random_(plan.seed, plan.stream) {
    out_.target = plan.target;
  }

  Sampled run() {
    fill();
    while (true) {
      Level& level = out_.levels.back();
      if (!choose_next(level, out_.evaluations, plan_.level_share, plan_.target)) {
        out_.stop = Stop::no_nearer;
        return std::move(out_);
      }
      const bool there = level.next <= plan_.target;
      const auto seeds = within(level, level.next);
      if (there) out_.stop = Stop::reached;
      if (there && seeds.size() >= plan_.accepted) return std::move(out_);
      const bool more = chain(seeds, level.next, there ? plan_.accepted : plan_.population);
      if (!more && !there) {
        // The budget ends before the next level: what this one shows of the target.
        measure(out_.levels.back(), out_.evaluations, plan_.target);
        if (out_.levels.back().share > 0) out_.stop = Stop::reached;
      }
      if (!more || there) return std::move(out_);
    }
  }

 private:
  /// The first population.
  void fill() {
    const auto design = sobol_design(space_, std::min(plan_.population, plan_.points), plan_.seed,
                                     plan_.stream + ".design");
    Level first;
    const std::size_t begin = ask(design);
    for (std::size_t i = 0; i < design.size(); ++i) first.states.push_back({begin + i, i});
    out_.levels.push_back(std::move(first));
  }

  /// Looks at positions; the index of the first.
  std::size_t ask(const std::vector<Position>& positions) {
    const std::size_t begin = out_.evaluations.size();
    if (positions.empty()) return begin;
    const auto found = distances_(positions);
    if (found.size() != positions.size()) {
      throw ModelError(fmt::format("{}: {} distances for {} positions", plan_.stream, found.size(),
                                   positions.size()));
    }
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const bool finite = std::isfinite(found[i]);
      out_.evaluations.push_back(
          {positions[i], finite ? found[i] : std::numeric_limits<double>::infinity()});
    }
    return begin;
  }

  /// The points of a population's states within a distance, repeats too.
  std::vector<std::size_t> within(const Level& level, double distance) const {
    std::vector<std::size_t> points;
    for (const State& s : level.states) {
      if (out_.evaluations[s.point].distance <= distance) points.push_back(s.point);
    }
    return points;
  }

  /// A population within a distance by chains from `seeds`, of `wanted` states. False without one:
  /// no step of all chains is left.
  bool chain(const std::vector<std::size_t>& seeds, double distance, std::size_t wanted) {
    const std::size_t chains = seeds.size();
    const std::size_t steps = std::max<std::size_t>(2, (wanted + chains - 1) / chains) - 1;
    std::vector<Position> begin;
    for (const std::size_t p : seeds) begin.push_back(out_.evaluations[p].position);
    Moves moves(space_, begin);
    Level level;
    level.within = distance;
    std::vector<std::size_t> at = seeds;
    for (std::size_t c = 0; c < chains; ++c) level.states.push_back({at[c], c});
    std::size_t moved = 0;
    for (std::size_t step = 0; step < steps; ++step) {
      if (plan_.points - out_.evaluations.size() < chains) {
        if (step == 0) return false;
        break;
      }
      moved += advance(at, moves, distance);
      for (std::size_t c = 0; c < chains; ++c) level.states.push_back({at[c], c});
    }
    level.moved = static_cast<double>(moved) / static_cast<double>(level.states.size() - chains);
    out_.levels.push_back(std::move(level));
    return true;
  }

  /// One step of every chain; how many moved.
  std::size_t advance(std::vector<std::size_t>& at, Moves& moves, double distance) {
    std::vector<Moves::Proposal> proposals;
    std::vector<Position> asked;
    for (const std::size_t p : at) {
      proposals.push_back(moves.propose(out_.evaluations[p].position, random_));
      if (proposals.back().asks) asked.push_back(proposals.back().position);
    }
    std::size_t next = ask(asked), moved = 0;
    Moves::Tally each, along;
    for (std::size_t c = 0; c < at.size(); ++c) {
      Moves::Tally& tally = proposals[c].along ? along : each;
      ++tally.tried;
      if (!proposals[c].asks) continue;
      const std::size_t point = next++;
      if (out_.evaluations[point].distance > distance) continue;
      at[c] = point;
      ++tally.accepted;
      ++moved;
    }
    moves.adapt(each, along);
    return moved;
  }

  const Space& space_;
  const SamplerPlan& plan_;
  const Distances& distances_;
  RandomStream random_;
  Sampled out_;
};

}  // namespace

void SamplerPlan::check() const {
  if (points < 8 || population < 8 || !(level_share >= 0.05 && level_share <= 0.5) ||
      !(target >= 0) || accepted == 0) {
    throw ModelError(
        fmt::format("{}: {} points, populations of {}, level share {}, target {}, {} "
                    "accepted: out of range",
                    stream, points, population, level_share, target, accepted));
  }
}

Sampled sample(const Space& space, const SamplerPlan& plan, const Distances& distances) {
  plan.check();
  if (space.empty()) throw ModelError(plan.stream + ": a space without dimensions");
  return Sampler(space, plan, distances).run();
}

}  // namespace horae::inference
