#include "horae/explain/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "horae/core/error.hpp"
#include "horae/run/run.hpp"

namespace horae::explain {
namespace {

using Texts = std::vector<std::string>;
using LocatedTexts = std::vector<Located<std::string>>;

Texts joined(Texts a, const Texts& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class Checker {
 public:
  explicit Checker(const Explanation& e) : e_(e) {}

  void check() {
    read({});
    for (const auto& c : e_.observations.conditions)
      layer(fmt::format("condition '{}'", c.id.value), c.id.where, {}, c.set);
    for (const auto& c : e_.observations.conditions) {
      for (const auto& v : e_.hypotheses.variants)
        layer(fmt::format("variant '{}'", v.label.value), v.label.where, plain(c.set), v.set);
    }
    for (const auto& h : e_.hypotheses.hypotheses) hypothesis(h);
    for (const auto& r : e_.hypotheses.reactions) reaction(r);
    for (const auto& x : e_.hypotheses.experiments) {
      layer(fmt::format("experiment '{}'", x.id.value), x.id.where, below(condition(x.condition)),
            x.set);
    }
    for (const auto& c : e_.hypotheses.curves) {
      for (const auto& p : c.points) {
        layer(fmt::format("curve '{}', point {:g}", c.id.value, p.x.value), p.x.where,
              below(condition(p.condition.value_or(c.condition))), p.set);
      }
    }
    metrics();
  }

 private:
  const ConditionSpec& condition(const Located<std::string>& id) const {
    return *e_.observations.find_condition(id.value);
  }
  const VariantSpec& first_variant() const { return e_.hypotheses.variants.front(); }

  config::PlatformConfig read(const Texts& set) const { return e_.runs.read({set, e_.seed}); }

  /// What experiments and points come on top of.
  Texts below(const ConditionSpec& c) const {
    return joined(joined(plain(c.set), plain(first_variant().set)),
                  plain(e_.hypotheses.hypotheses.front().set));
  }

  /// Reads the platform with `set` on top of `under`, which is known to be right.
  void layer(const std::string& title, const Location& where, const Texts& under,
             const LocatedTexts& set) const {
    try {
      read(joined(under, plain(set)));
    } catch (const InputError& error) {
      // The message begins with the override it is about, if it is about one.
      const std::string what = error.what();
      Location place = where;
      for (const auto& item : set) {
        const std::string key = item.value.substr(0, item.value.find('='));
        if (what.starts_with("--set " + key) || what.starts_with("--set '" + item.value))
          place = item.where;
      }
      throw input_error(place, fmt::format("{}: {}", title, what));
    }
  }

  void parameters(const std::string& title, const Texts& under,
                  const std::vector<ParameterSpec>& specs) const {
    if (specs.empty()) return;
    const auto effective = read(under).effective;
    for (const auto& p : specs) {
      const FitParameter checked(p, effective);
      for (const auto* bound : {&p.low, &p.high}) {
        layer(title, bound->where, under, {{p.key.value + "=" + bound->value, bound->where}});
      }
    }
  }

  void hypothesis(const HypothesisSpec& h) const {
    const std::string title = fmt::format("hypothesis '{}'", h.id.value);
    for (const auto& c : e_.observations.conditions) {
      for (const auto& v : e_.hypotheses.variants)
        layer(title, h.id.where, joined(plain(c.set), plain(v.set)), h.set);
      const Texts under = joined(joined(plain(c.set), plain(first_variant().set)), plain(h.set));
      parameters(title, under, h.parameters);
    }
    fitted(title, h.id.where, !h.parameters.empty(), false);
  }

  void reaction(const ReactionSpec& r) const {
    const std::string title = fmt::format("reaction '{}'", r.id.value);
    for (const auto& c : e_.observations.conditions) {
      if (!c.reaction) continue;
      layer(title, r.id.where, below(c), r.set);
      parameters(title, joined(below(c), plain(r.set)), r.parameters);
    }
    fitted(title, r.id.where, !r.parameters.empty(), true);
  }

  /// Parameters need something to be fitted to.
  void fitted(const std::string& title, const Location& where, bool parameters,
              bool reaction) const {
    if (!parameters) return;
    for (const auto& o : e_.observations.observations) {
      if (o.use == Use::fit && condition(o.condition).reaction == reaction) return;
    }
    throw input_error(where, fmt::format("{} has parameters, but no [[observation]] with use = "
                                         "\"fit\" is in a condition {} reaction",
                                         title, reaction ? "with" : "without"));
  }

  /// Looks every quantity up in what the hypotheses' platforms will give.
  void metrics() const {
    std::vector<results::Task> tasks;
    for (const auto& c : e_.observations.conditions) {
      for (const auto& h : e_.hypotheses.hypotheses) {
        const Texts set = joined(joined(plain(c.set), plain(first_variant().set)), plain(h.set));
        tasks.push_back(
            {fmt::format("hypothesis '{}'", h.id.value), h.id.where,
             [this, set]() -> nlohmann::ordered_json { return run::result_units(read(set)); }});
      }
    }
    std::map<std::string, std::string> units;
    for (const auto& results : results::in_children(tasks, e_.request.jobs)) {
      for (const auto& r : results) units[r[0].get<std::string>()] = r[1].get<std::string>();
    }
    std::vector<std::string> names;
    for (const auto& [name, unit] : units) names.push_back(name);
    const auto check = [&](const Located<std::string>& quantity) {
      for (const auto& r : {Readings{}, Readings{Readings::Rate::l2, Readings::Ratio::payload,
                                                 Readings::Nacks::both}}) {
        const std::string metric = metric_of(quantity, r);
        if (units.contains(metric)) continue;
        throw input_error(quantity.where, fmt::format("no run has the result '{}'{}", metric,
                                                      suggestion(metric, names)));
      }
    };
    for (const auto& o : e_.observations.observations) {
      check(o.quantity);
      if (find_quantity(o.quantity) != nullptr) continue;
      const std::string& unit = units[metric_of(o.quantity, {})];
      if (unit == o.unit.value) continue;
      throw input_error(o.unit.where,
                        fmt::format("'{}' is in '{}'; expected '{}', the unit of {}", o.id.value,
                                    o.unit.value, unit, o.quantity.value));
    }
    for (const auto& x : e_.hypotheses.experiments) {
      for (const auto& q : x.quantities) check(q);
    }
    for (const auto& c : e_.hypotheses.curves) {
      for (const auto& q : c.quantities) check(q);
    }
  }

  const Explanation& e_;
};

}  // namespace

void check_explanation(const Explanation& e) { Checker(e).check(); }

}  // namespace horae::explain
