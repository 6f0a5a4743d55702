// Random lists of objects of all kinds, valid by construction.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "designs.hpp"
#include "horae/core/random.hpp"

namespace horae::dataplane {

class RandomDesigns {
 public:
  explicit RandomDesigns(std::string_view name) : random_(20, name) {}

  const ChipSpec& chip() { return shipped_chip(random_.chance(0.5) ? "tofino1" : "tofino2"); }

  Design design(unsigned most) {
    Design out;
    out.name = "random";
    const unsigned n = 1 + random_.below(most);
    for (unsigned i = 0; i < n; ++i) add(out);
    return out;
  }

  // One object more, of any kind; what it depends on and guards is there already.
  void add(Design& design) {
    DesignObject o = object("o" + std::to_string(design.objects.size()), {}, {},
                            random_.chance(0.7) ? Gress::ingress : Gress::egress);
    std::vector<const DesignObject*> others;
    for (const auto& other : design.objects) {
      // Parts of a table are waited for and guarded by the table's name.
      const auto* of = table_of(other);
      if (other.gress == o.gress && (of == nullptr || of->empty())) others.push_back(&other);
    }
    o.spec = shape(others);
    std::set<std::string> before;
    // A counter of a table is where the table is: it waits for nothing else.
    const std::string* table = table_of(o);
    const bool free = table == nullptr || table->empty();
    while (free && !others.empty() && before.size() < 3 && random_.chance(0.4)) {
      const auto& name = others[random_.below(static_cast<std::uint32_t>(others.size()))]->name;
      if (before.insert(name).second)
        o.after.push_back({name, static_cast<DependencyKind>(random_.below(5))});
    }
    if (auto* c = std::get_if<ConditionSpec>(&o.spec)) {
      // It guards nothing that it waits for, however indirectly.
      std::set<std::string> taken = behind(design, o.after);
      for (const auto* other : others) {
        if (!taken.contains(other->name) && c->guards.size() < 3 && random_.chance(0.25))
          c->guards.push_back(other->name);
      }
    }
    design.objects.push_back(std::move(o));
  }

 private:
  // Everything that must be there before what `after` names, and these themselves.
  static std::set<std::string> behind(const Design& design, const std::vector<Dependency>& after) {
    std::set<std::string> out;
    for (const auto& d : after) out.insert(d.on);
    for (std::size_t size = 0; size != out.size();) {
      size = out.size();
      for (const auto& o : design.objects) {
        if (out.contains(o.name)) {
          for (const auto& d : o.after) out.insert(d.on);
        }
        if (const auto* c = std::get_if<ConditionSpec>(&o.spec)) {
          if (std::any_of(c->guards.begin(), c->guards.end(),
                          [&](const auto& g) { return out.contains(g); }))
            out.insert(o.name);
        }
      }
    }
    return out;
  }

  static const std::string* table_of(const DesignObject& o) {
    if (const auto* c = std::get_if<CounterSpec>(&o.spec)) return &c->table;
    if (const auto* m = std::get_if<MeterSpec>(&o.spec)) return &m->table;
    return nullptr;
  }

  std::uint64_t entries(unsigned bits) { return 1 + random_.below(1u << random_.below(bits)); }

  std::vector<std::string> fields() {
    static const std::array<const char*, 5> names = {"src", "dst", "ports", "psn", "flow"};
    std::vector<std::string> out;
    for (const char* name : names) {
      if (random_.chance(0.15)) out.emplace_back(name);
    }
    return out;
  }

  std::string host(const std::vector<const DesignObject*>& others) {
    if (others.empty() || random_.chance(0.4)) return {};
    const auto* o = others[random_.below(static_cast<std::uint32_t>(others.size()))];
    const bool may =
        std::holds_alternative<MatchSpec>(o->spec) || std::holds_alternative<ActionSpec>(o->spec);
    return may ? o->name : std::string();
  }

  ObjectSpec shape(const std::vector<const DesignObject*>& others) {
    switch (random_.below(13)) {
      case 0:
      case 1:
      case 2: {
        static const std::array<std::uint32_t, 4> widths = {1, 8, 16, 32};
        RegisterSpec spec = array_of(entries(19), widths[random_.below(4)]);
        spec.pair = spec.width > 1 && random_.chance(0.2);
        if (random_.chance(0.3)) spec.pieces = 1 + random_.below(6);
        if (random_.chance(0.2)) spec.accesses = 1 + random_.below(3);
        if (random_.chance(0.3)) spec.index = IndexSource::hash;
        spec.reads = fields();
        return spec;
      }
      case 3:
      case 4:
      case 5: {
        const bool ternary = random_.chance(0.4);
        MatchSpec spec =
            exact_table(1 + random_.below(160), entries(ternary ? 14 : 19), random_.below(80));
        spec.ternary = ternary;
        spec.actions = 1 + random_.below(4);
        spec.counter = static_cast<DirectCounter>(random_.chance(0.3) ? random_.below(3) : 0);
        spec.meter = random_.chance(0.1);
        spec.reads = fields();
        return spec;
      }
      case 6:
        return CounterSpec{entries(17), random_.chance(0.5) ? 32u : 64u, host(others)};
      case 7:
        return MeterSpec{entries(14), host(others)};
      case 8:
      case 9: {
        static const std::array<std::uint32_t, 4> bits = {1, 8, 16, 32};
        ConditionSpec spec =
            condition(static_cast<ConditionKind>(random_.below(8)), bits[random_.below(4)],
                      1 + random_.below(3), random_.chance(0.5) ? Join::all : Join::any,
                      random_.chance(0.5) ? 1ull << random_.below(16) : random_.below(70000));
        spec.reads = fields();
        return spec;
      }
      case 10: {
        ActionSpec spec;
        spec.instructions = 1 + random_.below(6);
        if (random_.chance(0.4)) spec.writes = {random_.chance(0.5) ? "ttl" : "port"};
        return spec;
      }
      case 11: {
        HashSpec spec;
        spec.input_bits = 1 + random_.below(200);
        spec.output_bits = 1 + random_.below(32);
        spec.reads = fields();
        return spec;
      }
      default:
        switch (random_.below(3)) {
          case 0:
            return RandomSpec{1 + random_.below(32)};
          case 1:
            return MirrorSpec{};
          default:
            return RecirculateSpec{};
        }
    }
  }

  RandomStream random_;
};

// The list as text, for messages.
inline std::string describe(const Design& design) {
  std::string out;
  for (const auto& o : design.objects) {
    out += o.name + " " + std::string(kind_name(o.spec)) +
           (o.gress == Gress::ingress ? "" : " (egress)");
    if (const auto* r = std::get_if<RegisterSpec>(&o.spec))
      out += " " + std::to_string(r->entries) + " x " + std::to_string(r->cell_bits()) + " in " +
             std::to_string(r->pieces) + ", accesses " + std::to_string(r->accesses);
    if (const auto* m = std::get_if<MatchSpec>(&o.spec))
      out += " " + std::to_string(m->key_bits) + "/" + std::to_string(m->entries) + "/" +
             std::to_string(m->data_bits) + " actions " + std::to_string(m->actions) + " counter " +
             std::to_string(static_cast<int>(m->counter)) + " meter " + std::to_string(m->meter);
    if (const auto* c = std::get_if<CounterSpec>(&o.spec))
      out += " " + std::to_string(c->entries) + " x " + std::to_string(c->width) + " of '" +
             c->table + "'";
    if (const auto* c = std::get_if<MeterSpec>(&o.spec))
      out += " " + std::to_string(c->entries) + " of '" + c->table + "'";
    if (const auto* c = std::get_if<ConditionSpec>(&o.spec)) {
      out += " " + std::string(condition_name(c->kind)) + " " + std::to_string(c->bits) + " x " +
             std::to_string(c->terms);
      for (const auto& g : c->guards) out += " guards " + g;
    }
    for (const auto& d : o.after)
      out += " after " + d.on + " (" + std::string(dependency_name(d.kind)) + ")";
    out += "\n";
  }
  return out;
}

}  // namespace horae::dataplane
