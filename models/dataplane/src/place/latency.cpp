// MAU cycles of a placement: what stage waits for what, and how long.
//
// The rule is that of the open Tofino compiler (mau_power.cpp) with the cycle counts that its own
// reports show (tb/validate/compiler/chains.toml): every stage of the chip is traversed; a stage
// that matches on what the one before computed costs a full stage; a run of stages without such a
// dependency is a group, whose stateful ALUs and TCAMs lengthen its first stage.
#include "latency.hpp"

#include <algorithm>

namespace horae::dataplane {
namespace {

struct StageUse {
  bool slow_match = false;
  bool stateful = false;
  bool reads_crossbar = false;
};

class GressLatency {
 public:
  GressLatency(const ChipSpec& chip, Gress gress, const std::vector<PlacedUnit>& units,
               unsigned stages)
      : chip_(chip), use_(stages), dependency_(stages, StageDependency::concurrent) {
    for (const auto& placed : units) {
      if (placed.unit.gress != gress) continue;
      StageUse& use = use_[placed.stage];
      use.slow_match |= placed.unit.slow_match;
      use.stateful |= placed.unit.stateful;
      use.reads_crossbar |= placed.unit.reads_crossbar;
    }
  }

  void depend(unsigned from, unsigned to, DependencyKind kind) {
    if (from != to) edges_.push_back({from, to, kind});
  }

  void resolve() {
    const LatencySpec& rule = chip_.latency;
    const auto stages = static_cast<unsigned>(use_.size());
    for (unsigned s = 0; s < stages; ++s) {
      StageDependency& dependency = dependency_[s];
      if (s == 0 || (rule.match_dependent_half && s == chip_.stages / 2) ||
          (rule.crossbar_match_dependent && use_[s].reads_crossbar)) {
        dependency = StageDependency::match;
        continue;
      }
      unsigned group = s - 1;
      while (group > 0 && dependency_[group] != StageDependency::match) --group;
      for (const auto& e : edges_) {
        if (e.to != s || e.from < group) continue;
        if (e.kind == DependencyKind::match)
          dependency = StageDependency::match;
        else if (e.kind != DependencyKind::anti && dependency != StageDependency::match)
          dependency = StageDependency::action;
      }
    }
  }

  /// Makes stages match-dependent, from the first, until the gress takes `least` cycles.
  void pad_to(std::uint32_t least) {
    for (auto& dependency : dependency_) {
      if (cycles() >= least) return;
      dependency = StageDependency::match;
    }
  }

  std::uint32_t cycles() const {
    const LatencySpec& rule = chip_.latency;
    std::uint32_t sum = rule.turn;
    for (std::size_t s = 0; s < use_.size(); ++s) {
      switch (dependency_[s]) {
        case StageDependency::match: {
          const StageUse group = group_of(s);
          sum += rule.match_dependent + (group.stateful ? rule.stateful : 0) +
                 (group.slow_match ? rule.tcam : 0);
          break;
        }
        case StageDependency::action:
          sum += rule.action_dependent;
          break;
        case StageDependency::concurrent:
          sum += rule.concurrent;
          break;
      }
    }
    return sum;
  }

  std::vector<StageDependency> dependencies() const { return dependency_; }

 private:
  struct Edge {
    unsigned from, to;
    DependencyKind kind;
  };

  /// Amounts that the stages from `first` to before the next match-dependent one use together.
  StageUse group_of(std::size_t first) const {
    StageUse group = use_[first];
    for (std::size_t s = first + 1; s < use_.size() && dependency_[s] != StageDependency::match;
         ++s) {
      group.slow_match |= use_[s].slow_match;
      group.stateful |= use_[s].stateful;
    }
    return group;
  }

  const ChipSpec& chip_;
  std::vector<StageUse> use_;
  std::vector<StageDependency> dependency_;
  std::vector<Edge> edges_;
};

}  // namespace

void time_placement(Placement& placement, const std::vector<StageEdge>& edges,
                    const ChipSpec& chip) {
  const unsigned stages = std::max(chip.stages, placement.stages_used());
  for (const Gress gress : {Gress::ingress, Gress::egress}) {
    GressLatency latency(chip, gress, placement.units, stages);
    for (const auto& e : edges) {
      if (e.gress == gress) latency.depend(e.from, e.to, e.kind);
    }
    latency.resolve();
    if (gress == Gress::egress) latency.pad_to(chip.latency.least_egress);
    const auto g = static_cast<std::size_t>(gress);
    placement.dependencies[g] = latency.dependencies();
    placement.latency[g] = Cycles(latency.cycles());
  }
}

}  // namespace horae::dataplane
