// A lower bound of stages.
//
// Each unit has stages before it (the longest chain that leads to it) and behind it (the longest
// chain that it leads to). What has at least b before it and a behind it lies between, so that all
// stages are at least b + a + what those units take of a stage's most scarce resource, rounded up.
#include "bound.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "horae/dataplane/objects/divide.hpp"
#include "horae/dataplane/place/placement.hpp"
#include "split.hpp"
#include "stage.hpp"

namespace horae::dataplane {
namespace {

/// Counted resources: those that only add up, and tables in TCAM.
constexpr std::array added = {Resource::sram,          Resource::map_ram,        Resource::tcam,
                              Resource::stateful_alu,  Resource::statistics_alu, Resource::gateway,
                              Resource::logical_table, Resource::action_data_bus};
constexpr std::size_t instructions = added.size(), ternary = added.size() + 1;
using Counts = std::array<std::int64_t, added.size() + 2>;

Counts counts_of(const Unit& unit) {
  Counts out{};
  for (std::size_t r = 0; r < added.size(); ++r) out[r] = unit.needs[added[r]];
  out[instructions] = std::count_if(unit.instructions.begin(), unit.instructions.end(),
                                    [](const Instruction& i) { return !i.no_op; });
  out[ternary] = unit.ternary_tables;
  return out;
}

Counts capacities_of(const ChipSpec& chip) {
  Counts out{};
  for (std::size_t r = 0; r < added.size(); ++r) out[r] = chip.capacity(added[r]);
  out[instructions] = 2 * chip.capacity(Resource::vliw);
  out[ternary] = chip.stage.ternary_tables;
  return out;
}

/// Stages that so much takes.
std::int64_t stages_for(const Counts& needs, const Counts& capacity) {
  std::int64_t most = 0;
  for (std::size_t r = 0; r < needs.size(); ++r) {
    if (needs[r] > 0 && capacity[r] > 0) most = std::max(most, divide_up(needs[r], capacity[r]));
  }
  return most;
}

class Windows {
 public:
  Windows(const DesignPrice& price, const ChipSpec& chip)
      : price_(price), capacity_(capacities_of(chip)) {
    for (const auto& unit : price.units) {
      counts_.push_back(counts_of(unit));
      stages_.push_back(std::max<std::int64_t>(1, stages_for(counts_.back(), capacity_)));
    }
    before_ = chains(true);
    behind_ = chains(false);
  }

  std::int64_t least() const {
    // Windows deeper than that say little more, and are many.
    constexpr std::int64_t deepest = 63;
    std::int64_t out = 0, most_before = 0, most_behind = 0;
    for (std::size_t u = 0; u < counts_.size(); ++u) {
      out = std::max(out, before_[u] + stages_[u] + behind_[u]);
      most_before = std::max(most_before, std::min(before_[u], deepest));
      most_behind = std::max(most_behind, std::min(behind_[u], deepest));
    }
    const auto at = [&](std::int64_t before, std::int64_t behind) {
      return static_cast<std::size_t>(before * (most_behind + 1) + behind);
    };
    std::vector<Counts> sums(at(most_before, most_behind) + 1);
    for (std::size_t u = 0; u < counts_.size(); ++u)
      add(sums[at(std::min(before_[u], deepest), std::min(behind_[u], deepest))], counts_[u]);
    // Sums over each window, from the corner of the deepest.
    for (std::int64_t before = most_before; before >= 0; --before) {
      for (std::int64_t behind = most_behind - 1; behind >= 0; --behind)
        add(sums[at(before, behind)], sums[at(before, behind + 1)]);
    }
    for (std::int64_t before = most_before; before >= 0; --before) {
      for (std::int64_t behind = most_behind; behind >= 0; --behind) {
        Counts& sum = sums[at(before, behind)];
        if (before < most_before) add(sum, sums[at(before + 1, behind)]);
        if (const auto own = stages_for(sum, capacity_); own > 0)
          out = std::max(out, before + behind + own);
      }
    }
    return out;
  }

 private:
  static void add(Counts& to, const Counts& more) {
    for (std::size_t r = 0; r < to.size(); ++r) to[r] += more[r];
  }

  /// Stages before each unit, or behind it.
  std::vector<std::int64_t> chains(bool before) const {
    std::vector<std::int64_t> out(price_.units.size(), 0);
    for (std::size_t round = 0; round <= out.size(); ++round) {
      bool changed = false;
      for (const auto& e : price_.edges) {
        const std::size_t known = before ? e.from : e.to, other = before ? e.to : e.from;
        const std::int64_t least =
            out[known] + stages_[known] - 1 + (needs_later_stage(e.kind) ? 1 : 0);
        if (out[other] >= least) continue;
        out[other] = least;
        changed = true;
      }
      if (!changed) break;
    }
    return out;
  }

  const DesignPrice& price_;
  Counts capacity_;
  std::vector<Counts> counts_;
  std::vector<std::int64_t> stages_;  ///< that each unit takes by itself
  std::vector<std::int64_t> before_, behind_;
};

/// Stages for resources that count once however often they stand in a stage: addresses, crossbar
/// bytes.
std::int64_t stages_for_shared(const DesignPrice& price, const ChipSpec& chip) {
  using Key = std::pair<Gress, std::string>;
  std::map<Key, std::int64_t> exact, ternary_bytes, units, bits;
  std::int64_t sums[4] = {0, 0, 0, 0};
  const auto most = [](std::map<Key, std::int64_t>& of, const Key& key, std::int64_t n) {
    std::int64_t& known = of[key];
    known = std::max(known, n);
  };
  for (const auto& unit : price.units) {
    for (const auto& r : unit.exact_reads) most(exact, {unit.gress, r.field}, r.bytes);
    for (const auto& r : unit.ternary_reads) most(ternary_bytes, {unit.gress, r.field}, r.bytes);
    for (const auto& a : unit.addresses) {
      most(units, {unit.gress, a.key}, a.units);
      most(bits, {unit.gress, a.key}, a.bits);
    }
    sums[2] += unit.needs[Resource::hash_dist];
    sums[3] += unit.needs[Resource::hash_bits];
  }
  const std::map<Key, std::int64_t>* all[4] = {&exact, &ternary_bytes, &units, &bits};
  constexpr Resource of[4] = {Resource::exact_xbar, Resource::ternary_xbar, Resource::hash_dist,
                              Resource::hash_bits};
  std::int64_t out = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    for (const auto& [key, n] : *all[i]) sums[i] += n;
    if (const auto capacity = chip.capacity(of[i]); capacity > 0)
      out = std::max(out, divide_up(sums[i], capacity));
  }
  return out;
}

/// The units that are not `left_out`, nor wait for such.
DesignPrice without(DesignPrice price, std::vector<bool> left_out) {
  for (bool again = true; again;) {
    again = false;
    for (const auto& e : price.edges) {
      if (!left_out[e.from] || left_out[e.to]) continue;
      left_out[e.to] = again = true;
    }
  }
  DesignPrice out;
  std::vector<std::size_t> place(price.units.size(), 0);
  for (std::size_t u = 0; u < price.units.size(); ++u) {
    if (left_out[u]) continue;
    place[u] = out.units.size();
    out.units.push_back(std::move(price.units[u]));
  }
  for (const auto& e : price.edges) {
    if (!left_out[e.from] && !left_out[e.to])
      out.edges.push_back({place[e.from], place[e.to], e.kind});
  }
  return out;
}

/// Least amounts of a match table, however it is cut into parts: no less than one entry does,
/// and no less for each than in a table so large that what is rounded up no longer counts.
void take_least(Unit& unit, const Design& design, const ChipSpec& chip, std::uint64_t entries) {
  constexpr std::int64_t times = 64, rounded = 8;  // a wide word is eight RAMs at most
  const auto needs = [&](std::uint64_t n) {
    return part_of(unit, design, chip, n, true).unit.needs;
  };
  const Amounts one = needs(1), many = needs(entries * times), all = unit.needs;
  for (const Resource r : all_resources) {
    const std::int64_t each = divide_up(std::max<std::int64_t>(0, many[r] - rounded), times);
    unit.needs[r] = std::min(all[r], std::max(one[r], each));
  }
}

}  // namespace

unsigned stages_at_least(const DesignPrice& price, const ChipSpec& chip) {
  return static_cast<unsigned>(
      std::max(Windows(price, chip).least(), stages_for_shared(price, chip)));
}

unsigned least_stages(const Design& design, const ChipSpec& chip) {
  design.check();
  const auto bound = [&](DesignPrice price, bool cut) {
    std::vector<bool> left_out(price.units.size(), false);
    for (std::size_t u = 0; u < price.units.size(); ++u) {
      Unit& unit = price.units[u];
      const auto entries = cut ? std::nullopt : divisible_entries(unit, design);
      left_out[u] =
          Stage(chip).lacks(entries ? part_of(unit, design, chip, 1, true).unit : unit).has_value();
      if (entries) take_least(unit, design, chip, *entries);
    }
    return stages_at_least(without(std::move(price), std::move(left_out)), chip);
  };
  // However large tables are cut: as the compiler would, or in the parts of `place`.
  return std::min(bound(price_uncut(design, chip), false), bound(price_design(design, chip), true));
}

}  // namespace horae::dataplane
