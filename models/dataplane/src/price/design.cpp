// The units of a whole design and what follows what.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "arrays.hpp"
#include "horae/dataplane/price/price.hpp"
#include "name_order.hpp"

namespace horae::dataplane {
namespace {

/// Whether the first unit of an object is the table that finds an alpm's partition.
bool finds_partition(const ObjectSpec& spec) {
  const auto* match = std::get_if<MatchSpec>(&spec);
  return match != nullptr && match_kind(*match) == MatchKind::alpm;
}

/// Units in the making: merging leaves holes that are closed at the end.
struct Merger {
  const Design& design;
  std::vector<Unit> units;
  std::vector<UnitEdge> edges;
  std::vector<std::vector<std::size_t>> of_object;  ///< units of each object
  std::vector<std::size_t> now;                     ///< where each unit is since merges

  std::size_t root(std::size_t unit) const {
    while (now[unit] != unit) unit = now[unit];
    return unit;
  }

  /// Whether `to` must come after `from`.
  bool reaches(std::size_t from, std::size_t to) const {
    std::set<std::size_t> seen;
    std::vector<std::size_t> open = {root(from)};
    while (!open.empty()) {
      const std::size_t u = open.back();
      open.pop_back();
      for (const auto& e : edges) {
        if (root(e.from) != u) continue;
        const std::size_t v = root(e.to);
        if (v == u) continue;
        if (v == root(to)) return true;
        if (seen.insert(v).second) open.push_back(v);
      }
    }
    return false;
  }

  /// Whether `to` must come after `from` other than by an edge between the two that allows one
  /// stage.
  bool must_be_apart(std::size_t from, std::size_t to) const {
    for (const auto& e : edges) {
      const bool direct = root(e.from) == root(from) && root(e.to) == root(to);
      if (direct && needs_later_stage(e.kind)) return true;
    }
    for (const auto& e : edges) {
      if (root(e.from) != root(from)) continue;
      const std::size_t via = root(e.to);
      if (via != root(to) && via != root(from) && reaches(via, to)) return true;
    }
    return reaches(to, from);
  }

  /// First possible stage of each unit if stages were unlimited.
  std::vector<int> levels() const {
    std::vector<int> level(units.size(), 0);
    for (std::size_t round = 0; round < units.size() + 1; ++round) {
      bool changed = false;
      for (const auto& e : edges) {
        const int least = level[root(e.from)] + (needs_later_stage(e.kind) ? 1 : 0);
        if (root(e.from) != root(e.to) && level[root(e.to)] < least) {
          level[root(e.to)] = least;
          changed = true;
        }
      }
      if (!changed) break;
    }
    return level;
  }

  void absorb(std::size_t into, std::size_t from) {
    Unit& a = units[into];
    Unit& b = units[from];
    a.needs += b.needs;
    const auto append = [](auto& to, auto& more) { to.insert(to.end(), more.begin(), more.end()); };
    append(a.exact_reads, b.exact_reads);
    append(a.ternary_reads, b.ternary_reads);
    append(a.addresses, b.addresses);
    append(a.instructions, b.instructions);
    append(a.memories, b.memories);
    append(a.shares, b.shares);
    a.slow_match |= b.slow_match;
    a.stateful |= b.stateful;
    a.reads_crossbar |= b.reads_crossbar;
    now[from] = into;
  }

  /// A condition shares the logical table of one object it guards, and takes the place of the
  /// gateway a keyless table would have of its own: of what comes first.
  void merge_condition(std::size_t object, const std::vector<int>& level) {
    const auto& condition = std::get<ConditionSpec>(design.objects[object].spec);
    if (of_object[object].empty()) return;
    const std::size_t gateway = of_object[object].back();
    std::optional<std::size_t> best;
    auto guards = condition.guards;
    std::sort(guards.begin(), guards.end(), name_before);
    for (const auto& guarded : guards) {
      const DesignObject* other = design.find(guarded);
      const auto index = static_cast<std::size_t>(other - design.objects.data());
      if (std::holds_alternative<ConditionSpec>(other->spec) || of_object[index].size() != 1)
        continue;
      const std::size_t unit = of_object[index].front();
      if (root(unit) != unit || units[unit].guard_room == 0 || must_be_apart(gateway, unit))
        continue;
      if (!best || level[unit] < level[*best]) best = unit;
    }
    if (!best) return;
    Unit& table = units[*best];
    --table.guard_room;
    Unit& own = units[gateway];
    own.needs[Resource::logical_table] -= 1;
    own.shares.front().amounts[Resource::logical_table] -= 1;
    if (table.own_gateways > 0) {
      --table.own_gateways;
      table.needs[Resource::gateway] -= 1;
      table.shares.front().amounts[Resource::gateway] -= 1;
    }
    absorb(*best, gateway);
  }
};

/// The conditions, those that others guard first: of an access of a register in the branch of a
/// branch the inner condition takes its logical table, then the outer one that of the access beside
/// it.
std::vector<std::size_t> inner_first(const Design& design, const std::vector<std::size_t>& order) {
  std::map<std::string_view, std::size_t> depth;
  for (const auto& object : design.objects) {
    if (std::holds_alternative<ConditionSpec>(object.spec)) depth.emplace(object.name, 0);
  }
  for (bool again = true; again;) {
    again = false;
    for (const auto& object : design.objects) {
      const auto* condition = std::get_if<ConditionSpec>(&object.spec);
      if (condition == nullptr) continue;
      for (const auto& guarded : condition->guards) {
        const auto inner = depth.find(guarded);
        if (inner == depth.end() || inner->second > depth.at(object.name) ||
            inner->second >= design.objects.size()) {
          continue;
        }
        inner->second = depth.at(object.name) + 1;
        again = true;
      }
    }
  }
  std::vector<std::size_t> out;
  std::copy_if(order.begin(), order.end(), std::back_inserter(out), [&](std::size_t i) {
    return std::holds_alternative<ConditionSpec>(design.objects[i].spec);
  });
  std::stable_sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) {
    return depth.at(design.objects[a].name) > depth.at(design.objects[b].name);
  });
  return out;
}

}  // namespace

DesignPrice price_design(const Design& design, const ChipSpec& chip) {
  Merger m{design, {}, {}, {}, {}};
  DesignPrice price;
  m.of_object.resize(design.objects.size());
  const auto take = [&](std::size_t i, ObjectPrice own) {
    price.refused.insert(price.refused.end(), own.refused.begin(), own.refused.end());
    for (auto& unit : own.units) {
      unit.shares = {{i, unit.alone()}};
      m.of_object[i].push_back(m.units.size());
      m.now.push_back(m.units.size());
      m.units.push_back(std::move(unit));
    }
  };
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < design.objects.size(); ++i) places.emplace(design.objects[i].name, i);
  std::map<std::string, std::vector<const DesignObject*>> attached;
  for (const auto& o : design.objects) {
    if (const auto table = host_table(o.spec); !table.empty()) attached[table].push_back(&o);
  }
  std::map<std::string, std::vector<std::uint64_t>> held;
  const auto in_parts = [](const DesignObject& o) {
    return !host_table(o.spec).empty() && in_each_part(o.spec);
  };
  for (std::size_t i = 0; i < design.objects.size(); ++i) {
    const auto& object = design.objects[i];
    if (in_parts(object)) continue;
    ObjectPrice own = price_object(object, chip, attached[object.name]);
    held[object.name] = own.held;
    take(i, std::move(own));
  }
  for (std::size_t i = 0; i < design.objects.size(); ++i) {
    const auto& object = design.objects[i];
    if (!in_parts(object)) continue;
    const auto& parts = held[host_table(object.spec)];
    // A direct array has a cell for each entry that its table's RAMs hold, part by part.
    for (const std::uint64_t cells : parts)
      take(i, is_direct(object.spec) ? price_object(object, chip, {}, cells)
                                     : price_object(object, chip, {}));
    if (parts.empty() && !is_direct(object.spec)) take(i, price_object(object, chip, {}));
  }
  const auto index_of = [&](const std::string& name) { return places.at(name); };
  for (std::size_t i = 0; i < design.objects.size(); ++i) {
    const auto& object = design.objects[i];
    const auto& own = m.of_object[i];
    const bool chain = std::holds_alternative<ConditionSpec>(object.spec);  // difference, then test
    const bool cut = std::holds_alternative<MatchSpec>(object.spec);  // a miss leads to the next
    for (std::size_t k = 0; (chain || cut) && k + 1 < own.size(); ++k) {
      const bool found = chain || (k == 0 && finds_partition(object.spec));
      m.edges.push_back(
          {own[k], own[k + 1], found ? DependencyKind::match : DependencyKind::control});
    }
    for (const auto& dependency : object.after) {
      const auto& first = design.objects[index_of(dependency.on)];
      if (first.gress != object.gress) continue;  // bridged: always before
      // The table that finds an alpm's partition writes nothing that the program sees.
      const bool acts =
          dependency.kind != DependencyKind::match && dependency.kind != DependencyKind::control;
      const auto& before = m.of_object[index_of(dependency.on)];
      for (std::size_t f = finds_partition(first.spec) ? 1 : 0; f < before.size(); ++f) {
        for (std::size_t t = acts && finds_partition(object.spec) ? 1 : 0; t < own.size(); ++t)
          m.edges.push_back({before[f], own[t], dependency.kind});
      }
    }
    if (!chain || own.empty()) continue;
    for (const auto& guarded : std::get<ConditionSpec>(object.spec).guards) {
      for (const std::size_t to : m.of_object[index_of(guarded)])
        m.edges.push_back({own.back(), to, DependencyKind::control});
    }
  }
  // Counters and meters of a table are in its stage.
  const auto host_units = [&](std::size_t i) {
    const std::string table = host_table(design.objects[i].spec);
    if (table.empty() || m.of_object[i].empty()) return std::vector<std::size_t>{};
    auto host = m.of_object[index_of(table)];
    if (finds_partition(design.objects[index_of(table)].spec) && !host.empty())
      host.erase(host.begin());
    return host;
  };
  for (std::size_t i = 0; i < design.objects.size(); ++i) {
    const auto host = host_units(i);
    if (host.size() <= 1 || host.size() == m.of_object[i].size()) continue;
    price.refused.push_back({design.objects[i].name, "stages", -1,
                             static_cast<std::int64_t>(host.size()), 1,
                             "its table is cut over stages, and an array is in one",
                             "one array for each part of the table"});
  }
  const auto order = by_name(design);
  for (const std::size_t i : order) {
    const auto host = host_units(i);
    const auto& own = m.of_object[i];
    for (std::size_t k = 0; k < host.size() && host.size() == own.size(); ++k)
      m.absorb(host[k], own[k]);
  }
  const auto level = m.levels();
  for (const std::size_t i : inner_first(design, order)) m.merge_condition(i, level);
  std::size_t rank = 0;
  for (const std::size_t i : order) {
    for (const std::size_t u : m.of_object[i]) m.units[u].rank = rank++;
  }

  std::vector<std::size_t> place(m.units.size());
  for (std::size_t u = 0; u < m.units.size(); ++u) {
    if (m.now[u] != u) continue;
    place[u] = price.units.size();
    price.units.push_back(std::move(m.units[u]));
  }
  std::set<std::tuple<std::size_t, std::size_t, DependencyKind>> seen;
  for (const auto& e : m.edges) {
    const std::size_t from = place[m.root(e.from)], to = place[m.root(e.to)];
    if (from != to && seen.insert({from, to, e.kind}).second)
      price.edges.push_back({from, to, e.kind});
  }
  std::set<std::pair<std::size_t, std::size_t>> apart;
  for (std::size_t i = 0; i < design.objects.size(); ++i) {
    for (const auto& other : design.objects[i].apart) {
      for (const std::size_t a : m.of_object[i]) {
        for (const std::size_t b : m.of_object[index_of(other)]) {
          const auto [low, high] = std::minmax(place[m.root(a)], place[m.root(b)]);
          if (low != high) apart.insert({low, high});
        }
      }
    }
  }
  price.apart.assign(apart.begin(), apart.end());
  return price;
}

}  // namespace horae::dataplane
