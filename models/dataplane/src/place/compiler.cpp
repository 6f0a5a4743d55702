// Units into stages as the open Tofino compiler does it.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "chains.hpp"
#include "horae/dataplane/place/placement.hpp"
#include "latency.hpp"
#include "split.hpp"
#include "stage.hpp"

namespace horae::dataplane {
namespace {

constexpr unsigned most_compiler_stages = 512;

class CompilerPlacer {
 public:
  /// `apart`: whether what writes one container is kept in different stages.
  CompilerPlacer(const Design& design, const ChipSpec& chip, bool apart)
      : design_(design),
        chip_(chip),
        price_(price_uncut(design, chip)),
        chain_(chains_behind(price_, design.name)),
        items_(price_.units.size()),
        into_(price_.units.size()),
        apart_(price_.units.size()) {
    for (const auto& [a, b] : price_.apart) {
      if (!apart) break;
      apart_[a].push_back(b);
      apart_[b].push_back(a);
    }
    for (std::size_t i = 0; i < price_.edges.size(); ++i) into_[price_.edges[i].to].push_back(i);
    for (std::size_t u = 0; u < items_.size(); ++u) {
      items_[u].left = divisible_entries(price_.units[u], design);
      if (!items_[u].left) items_[u].rest = price_.units[u];
    }
    order_.resize(items_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      if (chain_[a] != chain_[b]) return chain_[a] > chain_[b];
      return price_.units[a].rank < price_.units[b].rank;
    });
  }

  Placement run() {
    std::size_t left = items_.size();
    for (unsigned s = 0; left > 0 && s < most_compiler_stages; ++s) {
      Stage stage(chip_);
      for (Item& item : items_) item.too_large = item.closed = false;
      while (const auto best = choose(stage, s)) {
        commit(*best, stage, s);
        if (best->whole) --left;
      }
      // Nothing fits, and nothing more will be ready in a later stage.
      if (stage.empty()) break;
      stages_.push_back(stage);
    }
    return finish();
  }

 private:
  /// A unit over the stages it was put in.
  struct Item {
    std::optional<std::uint64_t> left;  ///< entries without a place, of what may be divided
    std::optional<Unit> rest;           ///< with these entries; none: not worked out
    std::optional<Unit> smallest;       ///< a part of the fewest entries; none: not worked out
    std::vector<unsigned> stages;
    bool done = false;
    // State of the stage being filled, which takes nothing later that it does not take now:
    bool too_large = false;  ///< it does not take the rest
    bool closed = false;     ///< nor any part of it
  };
  struct Choice {
    std::size_t unit = 0;
    bool whole = true;
    std::uint64_t entries = 0;  ///< of a part
    Unit part;
  };

  bool ready(std::size_t u, unsigned stage) const {
    if (!items_[u].stages.empty() && items_[u].stages.back() >= stage) return false;
    const bool taken = std::ranges::any_of(apart_[u], [&](std::size_t other) {
      return !items_[other].stages.empty() && items_[other].stages.back() == stage;
    });
    if (taken) return false;
    return std::all_of(into_[u].begin(), into_[u].end(), [&](std::size_t i) {
      const UnitEdge& e = price_.edges[i];
      const Item& from = items_[e.from];
      if (!from.done) return false;
      return needs_later_stage(e.kind) ? from.stages.back() < stage : from.stages.back() <= stage;
    });
  }

  TablePart part(std::size_t u, std::uint64_t entries) const {
    return part_of(price_.units[u], design_, chip_, entries, items_[u].stages.empty());
  }

  /// All that is left of a unit, where the stage takes it.
  std::optional<Choice> fit_whole(std::size_t u, const Stage& stage) {
    Item& item = items_[u];
    if (item.too_large) return std::nullopt;
    if (!item.rest) item.rest = part(u, *item.left).unit;
    item.too_large = stage.lacks(*item.rest).has_value();
    if (item.too_large) return std::nullopt;
    return Choice{u, true, item.left.value_or(0), *item.rest};
  }

  /// The most RAMs' worth of entries of a table that the stage still takes.
  std::optional<Choice> fit_part(std::size_t u, const Stage& stage) {
    Item& item = items_[u];
    if (item.closed || !item.left) return std::nullopt;
    const std::uint64_t step =
        price_.units[u].ternary_tables > 0 ? chip_.stage.tcam_entries : chip_.stage.sram_words;
    std::uint64_t low = 1, high = (*item.left - 1) / step;
    if (!item.smallest) item.smallest = part(u, step).unit;
    item.closed = high == 0 || stage.lacks(*item.smallest).has_value();
    if (item.closed) return std::nullopt;
    while (low < high) {
      const std::uint64_t middle = (low + high + 1) / 2;
      if (stage.lacks(part(u, middle * step).unit))
        high = middle - 1;
      else
        low = middle;
    }
    return Choice{u, false, low * step, part(u, low * step).unit};
  }

  /// Choice among the ready units that fit: the longest chain behind it, then what is not cut, then
  /// by name.
  std::optional<Choice> choose(const Stage& stage, unsigned s) {
    for (std::size_t from = 0, to = 0; from < order_.size(); from = to) {
      std::vector<std::size_t> equals;  // as long a chain
      for (; to < order_.size() && chain_[order_[to]] == chain_[order_[from]]; ++to) {
        const Item& item = items_[order_[to]];
        if (!item.done && !(item.too_large && item.closed) && ready(order_[to], s))
          equals.push_back(order_[to]);
      }
      for (const std::size_t u : equals) {
        if (auto choice = fit_whole(u, stage)) return choice;
      }
      for (const std::size_t u : equals) {
        if (auto choice = fit_part(u, stage)) return choice;
      }
    }
    return std::nullopt;
  }

  void commit(const Choice& choice, Stage& stage, unsigned s) {
    Item& item = items_[choice.unit];
    PlacedUnit placed{choice.part, s};
    if (!choice.whole || !item.stages.empty()) {
      placed.unit.label =
          fmt::format("{}[{}]", price_.units[choice.unit].label, item.stages.size());
    }
    stage.put(placed.unit);
    placement_.units.push_back(std::move(placed));
    item.stages.push_back(s);
    if (item.left) {
      *item.left -= choice.entries;
      item.rest.reset();
      item.smallest.reset();
    }
    item.done = choice.whole;
  }

  Placement finish() {
    for (const auto& stage : stages_) placement_.stages.push_back(stage.used());
    std::vector<StageEdge> edges;
    for (const auto& e : price_.edges) {
      for (const unsigned from : items_[e.from].stages) {
        for (const unsigned to : items_[e.to].stages)
          edges.push_back({price_.units[e.from].gress, from, to, e.kind});
      }
    }
    time_placement(placement_, edges, chip_);
    placement_.refused = price_.refused;
    for (std::size_t u = 0; u < items_.size(); ++u) {
      if (items_[u].done) continue;
      placement_.refused.push_back({price_.units[u].label,
                                    "dependency",
                                    -1,
                                    1,
                                    0,
                                    "no stage holds it, or what it comes after",
                                    {}});
    }
    if (placement_.stages_used() > chip_.stages) {
      placement_.refused.push_back({design_.name,
                                    "stages",
                                    static_cast<int>(chip_.stages) - 1,
                                    placement_.stages_used(),
                                    chip_.stages,
                                    fmt::format("{} stages needed, {} has {}",
                                                placement_.stages_used(), chip_.name, chip_.stages),
                                    {}});
    }
    return std::move(placement_);
  }

  const Design& design_;
  const ChipSpec& chip_;
  DesignPrice price_;
  std::vector<int> chain_;
  std::vector<Item> items_;
  std::vector<std::size_t> order_;               ///< units, the first first
  std::vector<std::vector<std::size_t>> into_;   ///< edges into each unit
  std::vector<std::vector<std::size_t>> apart_;  ///< what may not be in a unit's stage
  std::vector<Stage> stages_;
  Placement placement_;
};

}  // namespace

Placement place_as_compiler(const Design& design, const ChipSpec& chip) {
  design.check();
  Placement out = CompilerPlacer(design, chip, true).run();
  // A design that does not fit is placed anew without regard to containers, which are then given
  // out so that what is written in one stage lies apart (p4c table_summary.h: NOCC_TRY1,
  // REDO_PHV1).
  if (out.stages_used() > chip.stages) out = CompilerPlacer(design, chip, false).run();
  // A table in partitions is not cut here: one that no stage holds whole is cut as elsewhere.
  const bool stuck =
      std::ranges::any_of(out.refused, [](const Refusal& r) { return r.resource == "dependency"; });
  return stuck ? place(design, chip) : out;
}

}  // namespace horae::dataplane
