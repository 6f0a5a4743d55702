#include "horae/question/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <variant>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/question/open_value.hpp"

namespace horae::question {
namespace {

using Texts = std::vector<std::string>;
using LocatedTexts = std::vector<Located<std::string>>;

Texts joined(Texts a, const Texts& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// The rate of the NIC whose links are the fastest together, Gbps; 0 without a NIC.
double fastest_nic(const config::PlatformConfig& p) {
  std::vector<double> rates(p.devices.size(), 0);
  const auto& edges = p.topology.edges();
  for (std::size_t i = 0; i < edges.size(); ++i) {
    for (const std::size_t end : {std::size_t{edges[i].a}, std::size_t{edges[i].b}}) {
      if (!std::holds_alternative<rnic::RnicConfig>(p.profiles.at(p.devices[end].profile)))
        continue;
      rates[end] += static_cast<double>(p.links[i].config.rate.count()) / 1e9;
    }
  }
  return rates.empty() ? 0 : *std::max_element(rates.begin(), rates.end());
}

/// Reads the platform with everything that a run could set.
class SettingChecker {
 public:
  explicit SettingChecker(const Question& q) : q_(q) {}

  void check() {
    read({});
    for (const auto& c : q_.observations.conditions) {
      condition_ = &c;
      layer(fmt::format("condition '{}'", c.id.value), c.id.where, {}, c.set);
    }
    for (const auto& c : q_.observations.conditions) {
      condition_ = &c;
      layer(fmt::format("condition '{}'", c.id.value), c.id.where, texts_of(c.set), c.brief);
    }
    for (const auto& c : q_.observations.conditions) {
      condition_ = &c;
      for (const auto& v : q_.hypotheses.variants)
        layer(fmt::format("variant '{}'", v.label.value), v.label.where, texts_of(c.set), v.set);
    }
    nuisances();
    for (const auto& h : q_.hypotheses.hypotheses) hypothesis(h);
    for (const auto& r : q_.hypotheses.reactions) reaction(r);
    condition_ = nullptr;
    rates();
    for (const auto& x : q_.hypotheses.experiments) {
      layer(fmt::format("experiment '{}'", x.id.value), x.id.where,
            below(q_.condition(x.condition)), x.set);
    }
    for (const auto& c : q_.hypotheses.curves) {
      for (const auto& p : c.points) {
        layer(fmt::format("curve '{}', point {:g}", c.id.value, p.x.value), p.x.where,
              below(q_.condition(p.condition.value_or(c.condition))), p.set);
      }
    }
  }

 private:
  config::PlatformConfig read(const Texts& set) {
    auto platform = q_.platform.read({set, q_.seed});
    if (condition_ != nullptr)
      fastest_[condition_] = std::max(fastest_[condition_], fastest_nic(platform));
    return platform;
  }

  /// A condition under the first variant.
  Texts in(const ConditionSpec& c) const {
    return joined(texts_of(c.set), texts_of(q_.hypotheses.variants.front().set));
  }
  /// Base of experiments and points.
  Texts below(const ConditionSpec& c) const {
    return joined(in(c), texts_of(q_.hypotheses.hypotheses.front().set));
  }

  /// Reads the platform with `set` on top of `under`, which is known to be right.
  void layer(const std::string& title, const Location& where, const Texts& under,
             const LocatedTexts& set) {
    try {
      read(joined(under, texts_of(set)));
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
                  const std::vector<ParameterSpec>& specs) {
    if (specs.empty()) return;
    const auto effective = read(under).effective;
    for (const auto& p : specs) {
      if (p.condition && p.condition->value != condition_->id.value) continue;
      const OpenValue checked(p, effective);
      std::vector<const Located<std::string>*> ends = {&p.low, &p.high};
      if (p.choice()) {
        ends.clear();
        for (const auto& v : p.values) ends.push_back(&v);
      }
      for (const auto* end : ends) {
        LocatedTexts set;
        for (const auto& text : p.overrides(*end)) set.push_back({text, end->where});
        layer(title, end->where, under, set);
      }
    }
  }

  void nuisances() {
    for (const auto& c : q_.observations.conditions) {
      condition_ = &c;
      parameters("nuisance", in(c), q_.hypotheses.nuisances);
    }
  }

  void hypothesis(const HypothesisSpec& h) {
    const std::string title = fmt::format("hypothesis '{}'", h.id.value);
    for (const auto& c : q_.observations.conditions) {
      condition_ = &c;
      for (const auto& v : q_.hypotheses.variants)
        layer(title, h.id.where, joined(texts_of(c.set), texts_of(v.set)), h.set);
      parameters(title, joined(in(c), texts_of(h.set)), h.parameters);
    }
  }

  void reaction(const ReactionSpec& r) {
    const std::string title = fmt::format("reaction '{}'", r.id.value);
    for (const auto& c : q_.observations.conditions) {
      if (!c.reaction) continue;
      condition_ = &c;
      layer(title, r.id.where, below(c), r.set);
      parameters(title, joined(below(c), texts_of(r.set)), r.parameters);
    }
  }

  /// Rates of one NIC that no NIC has in that condition, whatever is set. A tool's clock may be off
  /// by more than its last digit, so a tolerance counts.
  void rates() const {
    for (const auto& o : q_.observations.observations) {
      const MeasuredQuantity* quantity = quantity_behind(o.quantity);
      if (quantity == nullptr || quantity->unit != "Gbps" || o.relative_to) continue;
      if (o.relation == Relation::at_most) continue;
      const double fastest = fastest_.at(&q_.condition(o.condition));
      if (fastest == 0 || o.value - o.allowance() <= fastest) continue;
      throw input_error(o.value_where,
                        fmt::format("'{}': {:g} Gbps cannot be; expected 0 to {:g}, the rate of "
                                    "the fastest NIC in condition '{}'",
                                    o.id.value, o.value, fastest, o.condition.value));
    }
  }

  const Question& q_;
  const ConditionSpec* condition_ = nullptr;  ///< in which platforms are read; null: none of them
  std::map<const ConditionSpec*, double> fastest_;
};

}  // namespace

void check_question(const Question& question) {
  SettingChecker(question).check();
  check_results(question);
}

}  // namespace horae::question
