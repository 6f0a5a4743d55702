// Units into stages.
#include "horae/dataplane/place/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "bound.hpp"
#include "chains.hpp"
#include "latency.hpp"
#include "stage.hpp"

namespace horae::dataplane {
namespace {

/// Stages tried beyond the chip's before giving up: what needs more is refused all the same.
constexpr unsigned most_stages = 512;

/// A number as if drawn, always the same of the same (the end of SplitMix64).
constexpr std::uint64_t mix_bits(std::uint64_t n) {
  n = (n + 1) * 0x9e3779b97f4a7c15ULL;
  n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9ULL;
  n = (n ^ n >> 27) * 0x94d049bb133111ebULL;
  return n ^ n >> 31;
}

class Placer {
 public:
  /// Priorities in turn: the longest chain behind it, the largest, by name; then mixtures.
  static constexpr unsigned plain_orders = 3, mixed_orders = 32;

  Placer(const Design& design, const ChipSpec& chip, const DesignPrice& price, PlaceEffort effort)
      : design_(design),
        chip_(chip),
        price_(price),
        most_stages_(effort == PlaceEffort::whole ? most_stages : chip.stages) {
    weigh();
  }

  /// Whether the chip lacks something however it is placed.
  bool too_much() const {
    if (std::any_of(price_.units.begin(), price_.units.end(),
                    [&](const Unit& unit) { return Stage(chip_).lacks(unit).has_value(); }))
      return true;
    Amounts all;
    for (const auto& unit : price_.units) all += unit.needs;
    return std::any_of(std::begin(all_resources), std::end(all_resources),
                       [&](Resource r) { return all[r] > chip_.capacity(r) * chip_.stages; });
  }

  /// Places in that order. False, and nothing for `placement` to have, if it needs more than so
  /// many stages.
  bool run(unsigned order, unsigned most) {
    const std::size_t n = price_.units.size();
    stage_.assign(n, -1);
    stages_.clear();
    placed_.clear();
    std::vector<std::size_t> queue = queue_of(order);
    for (unsigned s = 0; !queue.empty() && s < most_stages_; ++s) {
      stages_.emplace_back(chip_);
      // Resources that the stage lacks for a unit once it lacks for good.
      lacking_.assign(n, false);
      for (bool again = true; again;) {
        again = false;
        for (const std::size_t u : queue)
          again |= stage_[u] < 0 && !lacking_[u] && ready(u, s) && put(u, s);
      }
      std::erase_if(queue, [&](std::size_t u) { return stage_[u] >= 0; });
      if (stages_.back().empty()) break;  // what is left never fits, or waits for such
      if (s >= most) return false;
    }
    if (!stages_.empty() && stages_.back().empty()) stages_.pop_back();
    return true;
  }

  /// The placement of the last run.
  Placement placement() const {
    Placement placement;
    for (const std::size_t u : placed_)
      placement.units.push_back({price_.units[u], static_cast<unsigned>(stage_[u])});
    for (std::size_t u = 0; u < price_.units.size(); ++u) {
      if (stage_[u] < 0) refuse_unplaceable(u, placement);
    }
    for (const auto& stage : stages_) placement.stages.push_back(stage.used());
    std::vector<StageEdge> edges;
    for (const auto& e : price_.edges) {
      if (stage_[e.from] < 0 || stage_[e.to] < 0) continue;
      edges.push_back({price_.units[e.from].gress, static_cast<unsigned>(stage_[e.from]),
                       static_cast<unsigned>(stage_[e.to]), e.kind});
    }
    time_placement(placement, edges, chip_);
    refuse_beyond(placement);
    return placement;
  }

 private:
  /// Longest chain behind each unit, and its size as a share of a stage.
  void weigh() {
    const std::size_t n = price_.units.size();
    chain_ = chains_behind(price_, design_.name);
    for (const auto& unit : price_.units) {
      const Amounts alone = unit.alone();
      std::int64_t size = 0;
      for (const Resource r : all_resources) {
        if (const auto capacity = chip_.capacity(r); capacity > 0)
          size = std::max(size, alone[r] * 1000 / capacity);
      }
      size_.push_back(size);
    }
    before_.resize(n);
    for (std::size_t i = 0; i < price_.edges.size(); ++i) before_[price_.edges[i].to].push_back(i);
  }

  /// The units, the first first.
  std::vector<std::size_t> queue_of(unsigned order) const {
    using Priority = std::pair<std::int64_t, std::int64_t>;
    const auto priority = [&](std::size_t u) -> Priority {
      if (order == 0) return {chain_[u], size_[u]};
      if (order == 1) return {size_[u], chain_[u]};
      if (order == 2) return {0, 0};
      return {mixed(u, order), 0};
    };
    std::vector<Priority> of(price_.units.size());
    for (std::size_t u = 0; u < of.size(); ++u) of[u] = priority(u);
    std::vector<std::size_t> queue(of.size());
    std::iota(queue.begin(), queue.end(), std::size_t{0});
    std::sort(queue.begin(), queue.end(), [&](std::size_t a, std::size_t b) {
      return of[a] != of[b] ? of[a] > of[b] : price_.units[a].rank < price_.units[b].rank;
    });
    return queue;
  }

  /// Chain or size, with chance added: by turns little of it and much.
  std::int64_t mixed(std::size_t u, unsigned order) const {
    constexpr std::int64_t link = 1000;  // a link of a chain weighs as much as a whole stage
    const auto chance = static_cast<std::int64_t>(mix_bits(price_.units[u].rank * 64 + order) %
                                                  static_cast<std::uint64_t>(link));
    const std::int64_t of_chain = chain_[u] * link, of_size = std::min(size_[u], link);
    switch (order % 4) {
      case 0:
        return of_chain + chance;
      case 1:
        return of_size + chance / 2;
      case 2:
        return of_chain + of_size + chance;
      default:
        return of_chain + 2 * chance;
    }
  }

  bool ready(std::size_t u, unsigned stage) const {
    return std::all_of(before_[u].begin(), before_[u].end(), [&](std::size_t i) {
      const UnitEdge& e = price_.edges[i];
      if (stage_[e.from] < 0) return false;
      const auto from = static_cast<unsigned>(stage_[e.from]);
      return needs_later_stage(e.kind) ? from < stage : from <= stage;
    });
  }

  bool put(std::size_t u, unsigned s) {
    const Unit& unit = price_.units[u];
    if (!stages_[s].takes(unit)) {
      lacking_[u] = true;
      return false;
    }
    placed_.push_back(u);
    stage_[u] = static_cast<int>(s);
    return true;
  }

  std::string name_of(std::size_t u) const { return price_.units[u].label; }

  void refuse_unplaceable(std::size_t u, Placement& placement) const {
    const auto shortage = Stage(chip_).lacks(price_.units[u]);
    if (!shortage) {
      placement.refused.push_back({name_of(u),
                                   "dependency",
                                   -1,
                                   1,
                                   0,
                                   stages_.size() == most_stages_
                                       ? fmt::format("beyond {} stages", most_stages_)
                                       : std::string("comes after an object that cannot be placed"),
                                   {}});
      return;
    }
    placement.refused.push_back(
        {name_of(u), std::string(resource_name(shortage->resource)), 0, shortage->need,
         shortage->have,
         !shortage->why.empty()
             ? shortage->why
             : fmt::format("no stage holds it: {} {} needed, {} in a stage", shortage->need,
                           resource_title(shortage->resource), shortage->have),
         shortage->rewrite});
  }

  /// Everything past the chip's last stage, with what kept it out of the chip's own.
  void refuse_beyond(Placement& placement) const {
    if (placement.stages_used() <= chip_.stages) return;
    placement.refused.push_back({design_.name,
                                 "stages",
                                 static_cast<int>(chip_.stages) - 1,
                                 placement.stages_used(),
                                 chip_.stages,
                                 fmt::format("{} stages needed, {} has {}", placement.stages_used(),
                                             chip_.name, chip_.stages),
                                 {}});
    for (std::size_t u = 0; u < price_.units.size(); ++u) {
      if (stage_[u] < static_cast<int>(chip_.stages)) continue;
      // The last stage of the chip in which it could have been, if only it had fitted.
      std::optional<Shortage> kept_out;
      unsigned stage = chip_.stages;
      while (!kept_out && stage-- > 0) {
        if (ready(u, stage)) kept_out = stages_[stage].lacks(price_.units[u]);
      }
      if (!kept_out) {
        std::string first = "others";
        for (const std::size_t i : before_[u]) {
          const std::size_t from = price_.edges[i].from;
          if (stage_[from] + 1 >= stage_[u]) first = name_of(from);
        }
        placement.refused.push_back({name_of(u),
                                     "dependency",
                                     static_cast<int>(chip_.stages) - 1,
                                     stage_[u] + 1,
                                     chip_.stages,
                                     fmt::format("comes after {}", first),
                                     {}});
      } else {
        placement.refused.push_back(
            {name_of(u), std::string(resource_name(kept_out->resource)), static_cast<int>(stage),
             kept_out->need, kept_out->have,
             !kept_out->why.empty()
                 ? kept_out->why
                 : fmt::format("{} {} needed, {} left", kept_out->need,
                               resource_title(kept_out->resource), kept_out->have),
             kept_out->rewrite});
      }
    }
  }

  const Design& design_;
  const ChipSpec& chip_;
  const DesignPrice& price_;
  unsigned most_stages_;
  std::vector<int> chain_;
  std::vector<std::int64_t> size_;
  std::vector<std::vector<std::size_t>> before_;  ///< edges into each unit
  std::vector<int> stage_;                        ///< of each unit; below zero: none yet
  std::vector<std::size_t> placed_;               ///< units in the order they were put
  std::vector<bool> lacking_;                     ///< units that the stage being filled lacks
  std::vector<Stage> stages_;
};

}  // namespace

Amounts Placement::total() const {
  Amounts sum;
  for (const auto& stage : stages) sum += stage;
  return sum;
}

Placement place(const Design& design, const ChipSpec& chip, PlaceEffort effort) {
  design.check();
  const DesignPrice price = price_design(design, chip);
  const bool whole = effort == PlaceEffort::whole;
  Placer placer(design, chip, price, effort);
  if (!whole && (!price.refused.empty() || placer.too_much())) {
    Placement placement;
    placement.refused.push_back({design.name, "stages", -1, 1, 0, "more than the chip has", {}});
    return placement;
  }
  std::optional<Placement> best;
  const auto key = [](const Placement& p) {
    return std::tuple(p.stages_used(), p.latency[0] + p.latency[1]);
  };
  for (unsigned order = 0; order < Placer::plain_orders; ++order) {
    if (!placer.run(order, best ? best->stages_used() : most_stages)) continue;
    Placement found = placer.placement();
    if (!whole && found.fits()) return found;
    if (!best || key(found) < key(*best)) best = std::move(found);
  }
  const unsigned least = stages_at_least(price, chip);
  const unsigned last = Placer::plain_orders + Placer::mixed_orders;
  for (unsigned order = Placer::plain_orders; order < last; ++order) {
    const unsigned enough = whole ? best->stages_used() - 1 : chip.stages;
    if (least > enough || best->stages.empty()) break;
    if (!placer.run(order, enough)) continue;
    Placement found = placer.placement();
    if (whole)
      best = std::move(found);
    else if (found.fits())
      return found;
  }
  best->refused.insert(best->refused.begin(), price.refused.begin(), price.refused.end());
  return std::move(*best);
}

}  // namespace horae::dataplane
