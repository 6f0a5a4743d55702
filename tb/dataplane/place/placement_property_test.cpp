// Random lists of objects: what every placement keeps, whatever is placed.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "designs.hpp"
#include "horae/dataplane/place/placement.hpp"
#include "horae/dataplane/price/ledger.hpp"
#include "random_designs.hpp"

namespace horae::dataplane::placement_property_test {
namespace {

// Bytes of a crossbar: each field once, with the most that one object reads of it.
std::int64_t crossbar(const std::vector<CrossbarRead>& reads) {
  std::map<std::string, std::int64_t> most;
  for (const auto& r : reads) most[r.field] = std::max(most[r.field], r.bytes);
  std::int64_t sum = 0;
  for (const auto& [field, bytes] : most) sum += bytes;
  return sum;
}

// Words of two instructions that write different fields, the no-op one of them: always the two
// largest groups of what excludes each other first. (Instructions here write one field at most.)
std::int64_t words(const std::vector<Instruction>& instructions) {
  std::map<std::string, std::int64_t> of_field;
  std::int64_t free = 0;
  for (const auto& i : instructions) {
    if (i.no_op) continue;
    if (i.writes.empty())
      ++free;
    else
      ++of_field[i.writes.front()];
  }
  std::vector<std::int64_t> groups(static_cast<std::size_t>(free), 1);
  for (const auto& [field, n] : of_field) groups.push_back(n);
  if (groups.empty()) return 0;
  groups.push_back(1);  // the no-op
  std::int64_t sum = 0;
  for (;; ++sum) {
    std::sort(groups.rbegin(), groups.rend());
    if (groups[0] == 0) return sum;
    --groups[0];
    if (groups.size() > 1 && groups[1] > 0) --groups[1];
  }
}

// Whether registers go into two halves of 24 RAMs with two ALUs each: all ways tried.
bool halves_hold(const std::vector<std::int64_t>& rams) {
  for (unsigned way = 0; way < 1u << rams.size(); ++way) {
    std::int64_t sum[2] = {0, 0};
    int alus[2] = {0, 0};
    for (std::size_t i = 0; i < rams.size(); ++i) {
      sum[way >> i & 1] += rams[i];
      ++alus[way >> i & 1];
    }
    if (sum[0] <= 24 && sum[1] <= 24 && alus[0] <= 2 && alus[1] <= 2) return true;
  }
  return rams.empty();
}

struct Stages {
  explicit Stages(const Placement& p) : amounts(p.stages_used()) {
    std::vector<std::vector<CrossbarRead>> exact(amounts.size()), masked(amounts.size());
    std::vector<std::vector<Instruction>> instructions(amounts.size());
    hashes.resize(amounts.size(), 0);
    ternary.resize(amounts.size(), 0);
    registers.resize(amounts.size());
    addresses.resize(amounts.size());
    for (const auto& placed : p.units) {
      const Unit& u = placed.unit;
      const unsigned s = placed.stage;
      const auto join = [](auto& to, const auto& more) {
        to.insert(to.end(), more.begin(), more.end());
      };
      // Fields of the two gresses are different ones.
      const std::string gress = u.gress == Gress::ingress ? "in." : "out.";
      const auto named = [&](std::vector<CrossbarRead> reads) {
        for (auto& r : reads) r.field = gress + r.field;
        return reads;
      };
      join(exact[s], named(u.exact_reads));
      join(masked[s], named(u.ternary_reads));
      hashes[s] += u.hash_functions;
      ternary[s] += u.ternary_tables;
      for (Instruction i : u.instructions) {
        for (auto& field : i.writes) field = gress + field;
        instructions[s].push_back(i);
      }
      for (const auto& a : u.addresses) addresses[s].insert_or_assign(gress + a.key, a);
      for (const auto& m : u.memories) {
        if (!m.statistics) registers[s].push_back(m.rams);
      }
      for (const Resource r : all_resources) amounts[s][r] += u.needs[r];
    }
    for (std::size_t s = 0; s < amounts.size(); ++s) {
      amounts[s][Resource::exact_xbar] = crossbar(exact[s]);
      amounts[s][Resource::ternary_xbar] = crossbar(masked[s]);
      amounts[s][Resource::vliw] = words(instructions[s]);
      for (const auto& [key, a] : addresses[s]) {
        amounts[s][Resource::hash_dist] += a.units;
        amounts[s][Resource::hash_bits] += a.bits;
      }
    }
  }
  // An exact table has one, three hash distribution units share one.
  std::int64_t functions(std::size_t s) const {
    return hashes[s] + (amounts[s][Resource::hash_dist] + 2) / 3;
  }
  std::vector<Amounts> amounts;
  std::vector<std::int64_t> hashes, ternary;
  std::vector<std::vector<std::int64_t>> registers;
  std::vector<std::map<std::string, StatefulAddress>> addresses;
};

TEST(PlacementProperty, NoStageHoldsMoreThanItHas) {
  RandomDesigns lists("capacity");
  for (int round = 0; round < 4000; ++round) {
    const ChipSpec& chip = lists.chip();
    const Design design = lists.design(25);
    const Placement p = place(design, chip);
    const Stages own(p);
    for (std::size_t s = 0; s < p.stages.size(); ++s) {
      for (const Resource r : all_resources) {
        ASSERT_EQ(p.stages[s][r], own.amounts[s][r])
            << resource_name(r) << " of stage " << s << " in round " << round << " on " << chip.name
            << "\n"
            << describe(design);
        ASSERT_LE(own.amounts[s][r], chip.capacity(r))
            << resource_name(r) << " of stage " << s << " in round " << round << " on " << chip.name
            << "\n"
            << describe(design);
      }
      ASSERT_LE(own.functions(s), 8) << "stage " << s << "\n" << describe(design);
      ASSERT_LE(own.ternary[s], 8) << "stage " << s << "\n" << describe(design);
      if (chip.name == "tofino2") {
        ASSERT_TRUE(halves_hold(own.registers[s])) << "stage " << s << " in round " << round << "\n"
                                                   << describe(design);
      }
    }
    ASSERT_EQ(p.fits() && p.stages_used() > chip.stages, false) << describe(design);
  }
}

// First and last stage of each object, -1 when it is in none, and what its parts hold.
struct Places {
  Places(const Design& design, const Placement& p)
      : first(design.objects.size(), -1), last(first), shares(design.objects.size()) {
    for (const auto& placed : p.units) {
      const int s = static_cast<int>(placed.stage);
      for (const Share& share : placed.unit.shares) {
        const std::size_t o = share.object;
        if (first[o] < 0 || s < first[o]) first[o] = s;
        last[o] = std::max(last[o], s);
        ++shares[o];
      }
    }
  }
  std::vector<int> first, last;
  std::vector<int> shares;
};

// The quick answer of searches is the one that the whole placement gives.
TEST(PlacementProperty, FitIsWhatTheWholePlacementSays) {
  RandomDesigns lists("fit");
  int fitting = 0, refused = 0;
  for (int round = 0; round < 1500; ++round) {
    const ChipSpec& chip = lists.chip();
    const Design design = lists.design(60);
    const bool fits = place(design, chip).fits();
    (fits ? fitting : refused) += 1;
    ASSERT_EQ(place(design, chip, PlaceEffort::fit).fits(), fits)
        << "round " << round << " on " << chip.name << "\n"
        << describe(design);
  }
  EXPECT_GT(fitting, 100);
  EXPECT_GT(refused, 100);
}

TEST(PlacementProperty, EveryDependencyIsKept) {
  RandomDesigns lists("dependencies");
  int checked = 0;
  for (int round = 0; round < 4000; ++round) {
    const ChipSpec& chip = lists.chip();
    const Design design = lists.design(25);
    const Placement p = place(design, chip);
    const Places at(design, p);
    const auto index = [&](const std::string& name) {
      return static_cast<std::size_t>(design.find(name) - design.objects.data());
    };
    const auto check = [&](std::size_t from, std::size_t to, DependencyKind kind) {
      if (at.last[from] < 0 || at.first[to] < 0) return;
      ++checked;
      const int least = at.last[from] + (needs_later_stage(kind) ? 1 : 0);
      ASSERT_GE(at.first[to], least)
          << design.objects[to].name << " after " << design.objects[from].name << " ("
          << dependency_name(kind) << ") in round " << round << " on " << chip.name << "\n"
          << describe(design);
    };
    for (std::size_t to = 0; to < design.objects.size(); ++to) {
      for (const auto& d : design.objects[to].after) check(index(d.on), to, d.kind);
      if (const auto* c = std::get_if<ConditionSpec>(&design.objects[to].spec)) {
        for (const auto& g : c->guards) check(to, index(g), DependencyKind::control);
      }
    }
  }
  EXPECT_GT(checked, 20000);
}

TEST(PlacementProperty, EveryObjectIsPlacedOnceOrRefused) {
  RandomDesigns lists("once");
  int fitting = 0;
  for (int round = 0; round < 4000; ++round) {
    const ChipSpec& chip = lists.chip();
    const Design design = lists.design(25);
    const Placement p = place(design, chip);
    const Places at(design, p);
    if (!p.fits()) {
      for (const auto& r : p.refused) EXPECT_FALSE(r.object.empty() || r.why.empty());
      continue;
    }
    ++fitting;
    for (std::size_t i = 0; i < design.objects.size(); ++i) {
      const DesignObject& o = design.objects[i];
      int parts = 1;
      if (const auto* r = std::get_if<RegisterSpec>(&o.spec)) parts = static_cast<int>(r->pieces);
      if (const auto* c = std::get_if<ConditionSpec>(&o.spec))
        parts = c->kind == ConditionKind::subtract_sign ? 2 : 1;
      // Counters, profiles and selectors are beside each part of their table.
      const bool each = std::holds_alternative<CounterSpec>(o.spec) ||
                        std::holds_alternative<ProfileSpec>(o.spec) ||
                        std::holds_alternative<SelectorSpec>(o.spec);
      const auto host = std::ranges::find(design.objects, host_table(o.spec), &DesignObject::name);
      if (each && host != design.objects.end())
        parts = at.shares[static_cast<std::size_t>(host - design.objects.begin())];
      if (std::holds_alternative<MatchSpec>(o.spec)) {
        // Parts of half a stage, or such as fill what is left of stages: one in each.
        const auto stages = static_cast<std::size_t>(at.last[i] - at.first[i] + 1);
        ASSERT_GE(at.shares[i], 1) << describe(design);
        ASSERT_LE(at.shares[i], std::max(price_object(o, chip).units.size(), stages))
            << describe(design);
      } else {
        ASSERT_EQ(at.shares[i], parts)
            << o.name << " in round " << round << " on " << chip.name << "\n"
            << describe(design);
      }
    }
  }
  EXPECT_GT(fitting, 500);
}

constexpr std::array<Resource, 7> priced = {
    Resource::sram,           Resource::map_ram, Resource::tcam,         Resource::stateful_alu,
    Resource::statistics_alu, Resource::gateway, Resource::logical_table};

Amounts total_of_objects(const Design& design, const ChipSpec& chip, const Placement& p) {
  Amounts sum;
  for (const auto& o : make_ledger(design, chip, p).objects) sum += o.total();
  return sum;
}

TEST(PlacementProperty, AnotherObjectMakesNothingCheaper) {
  RandomDesigns lists("more");
  int compared = 0, fewer_stages = 0;
  for (int round = 0; round < 500; ++round) {
    const ChipSpec& chip = lists.chip();
    Design design;
    design.name = "growing";
    Placement before = place(design, chip);
    for (int step = 0; step < 20; ++step) {
      Design more = design;
      lists.add(more);
      const Placement after = place(more, chip);
      if (!after.fits()) continue;  // another one is tried in its place
      ++compared;
      const Amounts least = total_of_objects(design, chip, before);
      const Amounts sum = total_of_objects(more, chip, after);
      for (const Resource r : priced) {
        ASSERT_GE(sum[r], least[r])
            << resource_name(r) << " in round " << round << " on " << chip.name << "\n"
            << describe(more);
      }
      fewer_stages += after.stages_used() < before.stages_used() ? 1 : 0;
      design = std::move(more);
      before = after;
    }
  }
  EXPECT_GT(compared, 5000);
  // Stage by stage, by priority: one object more can move another into a better place. Rare, as
  // further priorities are tried while the stages are above the least.
  EXPECT_LE(fewer_stages, compared / 2000);
}

// A copy with twice the entries of one object; false when it has none.
bool double_entries(DesignObject& o) {
  const auto twice = [](auto& spec) {
    spec.entries *= 2;
    return true;
  };
  if (auto* r = std::get_if<RegisterSpec>(&o.spec)) return twice(*r);
  if (auto* m = std::get_if<MatchSpec>(&o.spec)) return twice(*m);
  if (auto* c = std::get_if<CounterSpec>(&o.spec)) return twice(*c);
  if (auto* m = std::get_if<MeterSpec>(&o.spec)) return twice(*m);
  return false;
}

constexpr std::array<Resource, 5> memories = {Resource::sram, Resource::map_ram, Resource::tcam,
                                              Resource::stateful_alu, Resource::statistics_alu};

TEST(PlacementProperty, TwiceTheEntriesAreNeverCheaper) {
  RandomDesigns lists("twice");
  int compared = 0, placed = 0;
  for (int round = 0; round < 3000; ++round) {
    const ChipSpec& chip = lists.chip();
    const Design design = lists.design(8);
    const Placement p = place(design, chip);
    for (std::size_t i = 0; i < design.objects.size(); ++i) {
      Design larger = design;
      if (!double_entries(larger.objects[i])) continue;
      const ObjectPrice small = price_object(design.objects[i], chip);
      const ObjectPrice large = price_object(larger.objects[i], chip);
      if (!large.refused.empty()) continue;
      ASSERT_TRUE(small.refused.empty()) << describe(design);
      ASSERT_LE(small.units.size(), large.units.size());
      ++compared;
      const auto sum_of = [](const ObjectPrice& price, Resource r) {
        std::int64_t sum = 0;
        for (const Unit& u : price.units) sum += u.needs[r];
        return sum;
      };
      for (const Resource r : memories) {
        ASSERT_GE(sum_of(large, r), sum_of(small, r))
            << resource_name(r) << " of " << larger.objects[i].name << " on " << chip.name << "\n"
            << describe(larger);
      }
      const Placement q = place(larger, chip);
      if (!p.fits() || !q.fits()) continue;
      ++placed;
      const Amounts before = total_of_objects(design, chip, p);
      const Amounts after = total_of_objects(larger, chip, q);
      for (const Resource r : memories) {
        ASSERT_GE(after[r], before[r]) << resource_name(r) << " with twice "
                                       << larger.objects[i].name << " on " << chip.name << "\n"
                                       << describe(larger);
      }
    }
  }
  EXPECT_GT(compared, 3000);
  EXPECT_GT(placed, 1000);
}

// Nothing is below the least: not the placement, nor the compiler's, which cuts tables elsewhere.
TEST(PlacementProperty, NoPlacementHasFewerStagesThanTheLeast) {
  RandomDesigns lists("least");
  int equal = 0, placed = 0;
  for (const unsigned objects : {6u, 20u, 60u}) {
    for (int round = 0; round < 1000; ++round) {
      const ChipSpec& chip = lists.chip();
      const Design design = lists.design(objects);
      const unsigned least = least_stages(design, chip);
      const unsigned ours = place(design, chip).stages_used();
      ASSERT_LE(least, ours) << chip.name << "\n" << describe(design);
      ASSERT_LE(least, place_as_compiler(design, chip).stages_used()) << chip.name << "\n"
                                                                      << describe(design);
      ++placed;
      equal += least == ours ? 1 : 0;
    }
  }
  EXPECT_GT(equal, placed * 8 / 10);  // and it says something
}

// Where the lines of a file stand decides nothing: neither stages nor what they hold.
TEST(PlacementProperty, TheOrderOfLinesChangesNothing) {
  RandomDesigns lists("lines");
  RandomStream random(20, "shuffled");
  for (int round = 0; round < 1500; ++round) {
    const ChipSpec& chip = lists.chip();
    const Design design = lists.design(25);
    Design shuffled = design;
    for (std::size_t i = shuffled.objects.size(); i > 1; --i)
      std::swap(shuffled.objects[i - 1],
                shuffled.objects[random.below(static_cast<std::uint32_t>(i))]);
    const auto same = [&](const Placement& a, const Placement& b) {
      return a.stages == b.stages && a.latency[0] == b.latency[0] && a.latency[1] == b.latency[1];
    };
    ASSERT_TRUE(same(place(design, chip), place(shuffled, chip))) << chip.name << "\n"
                                                                  << describe(design);
    ASSERT_TRUE(same(place_as_compiler(design, chip), place_as_compiler(shuffled, chip)))
        << chip.name << "\n"
        << describe(design);
    ASSERT_EQ(least_stages(design, chip), least_stages(shuffled, chip)) << describe(design);
  }
}

// A list in which memories decide: meters, counters, registers and tables of many blocks.
Design full_of_memories(RandomStream& random) {
  Design design;
  const unsigned n = 3 + random.below(12);
  for (unsigned i = 0; i < n; ++i) {
    const std::uint64_t entries = 1 + random.below(1u << (8 + random.below(8)));
    ObjectSpec spec = MeterSpec{entries};
    switch (random.below(5)) {
      case 0:
        spec = array_of(entries, 8u << random.below(3));
        std::get<RegisterSpec>(spec).reads = {};  // more cells may share another one's address
        break;
      case 1:
        spec = exact_table(16 + random.below(100), 4 * entries, random.below(60));
        break;
      case 2:
        spec = ternary_table(16 + random.below(100), 1 + entries / 8, random.below(30));
        break;
      case 3:
        spec = CounterSpec{entries, random.chance(0.5) ? 32u : 64u};
        break;
      default:
        break;
    }
    design.objects.push_back(object("o" + std::to_string(i), spec, {},
                                    random.chance(0.7) ? Gress::ingress : Gress::egress));
  }
  return design;
}

// More entries, by one or by many, take no fewer stages and no fewer blocks.
TEST(PlacementProperty, MoreEntriesTakeNoLess) {
  RandomStream random(20, "entries");
  int compared = 0, less = 0;
  for (int round = 0; round < 1500; ++round) {
    const ChipSpec& chip = shipped_chip(random.chance(0.5) ? "tofino1" : "tofino2");
    const Design design = full_of_memories(random);
    const Placement p = place(design, chip);
    if (!p.fits()) continue;
    for (std::size_t i = 0; i < design.objects.size(); ++i) {
      Design larger = design;
      std::visit(
          [&](auto& spec) {
            if constexpr (requires { spec.entries; })
              spec.entries += random.chance(0.5) ? 1 : spec.entries / 4 + random.below(2000);
          },
          larger.objects[i].spec);
      const Placement q = place(larger, chip);
      if (!q.fits()) continue;
      ++compared;
      const bool fewer_blocks = std::any_of(memories.begin(), memories.end(), [&](Resource r) {
        return q.total()[r] < p.total()[r];
      });
      less += q.stages_used() < p.stages_used() || fewer_blocks ? 1 : 0;
    }
  }
  EXPECT_GT(compared, 5000);
  // No search finds every placement. Without the further priorities it is one of several hundred.
  EXPECT_LE(less, compared / 5000);
}

}  // namespace
}  // namespace horae::dataplane::placement_property_test
