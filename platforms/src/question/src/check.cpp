#include "horae/question/check.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"
#include "horae/question/parameter.hpp"

namespace horae::question {
namespace {

using Texts = std::vector<std::string>;
using LocatedTexts = std::vector<Located<std::string>>;

Texts joined(Texts a, const Texts& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Reads the platform with everything that a run could set.
class SettingChecker {
 public:
  explicit SettingChecker(const Question& q) : q_(q) {}

  void check() {
    read({});
    for (const auto& c : q_.observations.conditions)
      layer(fmt::format("condition '{}'", c.id.value), c.id.where, {}, c.set);
    if (q_.request.infer) {
      for (const auto& c : q_.observations.conditions)
        layer(fmt::format("condition '{}'", c.id.value), c.id.where, texts_of(c.set), c.brief);
    }
    for (const auto& c : q_.observations.conditions) {
      for (const auto& v : q_.hypotheses.variants)
        layer(fmt::format("variant '{}'", v.label.value), v.label.where, texts_of(c.set), v.set);
    }
    if (q_.request.infer) nuisances();
    for (const auto& h : q_.hypotheses.hypotheses) hypothesis(h);
    for (const auto& r : q_.hypotheses.reactions) reaction(r);
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
  config::PlatformConfig read(const Texts& set) const { return q_.platform.read({set, q_.seed}); }

  /// A condition under the first variant.
  Texts in(const ConditionSpec& c) const {
    return joined(texts_of(c.set), texts_of(q_.hypotheses.variants.front().set));
  }
  /// What experiments and points come on top of.
  Texts below(const ConditionSpec& c) const {
    return joined(in(c), texts_of(q_.hypotheses.hypotheses.front().set));
  }

  /// Reads the platform with `set` on top of `under`, which is known to be right.
  void layer(const std::string& title, const Location& where, const Texts& under,
             const LocatedTexts& set) const {
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
                  const std::vector<ParameterSpec>& specs) const {
    if (specs.empty()) return;
    const auto effective = read(under).effective;
    for (const auto& p : specs) {
      const FitParameter checked(p, effective);
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

  void nuisances() const {
    for (const auto& c : q_.observations.conditions)
      parameters("nuisance", texts_of(c.set), q_.hypotheses.nuisances);
  }

  void hypothesis(const HypothesisSpec& h) const {
    const std::string title = fmt::format("hypothesis '{}'", h.id.value);
    for (const auto& c : q_.observations.conditions) {
      for (const auto& v : q_.hypotheses.variants)
        layer(title, h.id.where, joined(texts_of(c.set), texts_of(v.set)), h.set);
      parameters(title, joined(in(c), texts_of(h.set)), h.parameters);
    }
    fitted(title, h.id.where, !h.parameters.empty(), false);
  }

  void reaction(const ReactionSpec& r) const {
    const std::string title = fmt::format("reaction '{}'", r.id.value);
    for (const auto& c : q_.observations.conditions) {
      if (!c.reaction) continue;
      layer(title, r.id.where, below(c), r.set);
      parameters(title, joined(below(c), texts_of(r.set)), r.parameters);
    }
    fitted(title, r.id.where, !r.parameters.empty(), true);
  }

  /// Parameters need something to be fitted to.
  void fitted(const std::string& title, const Location& where, bool parameters,
              bool reaction) const {
    if (!parameters || q_.request.infer) return;
    for (const auto& o : q_.observations.observations) {
      if (o.use == Use::fit && q_.condition(o.condition).reaction == reaction) return;
    }
    throw input_error(where, fmt::format("{} has parameters, but no [[observation]] with use = "
                                         "\"fit\" is in a condition {} reaction",
                                         title, reaction ? "with" : "without"));
  }

  const Question& q_;
};

}  // namespace

void check_question(const Question& question) {
  SettingChecker(question).check();
  check_results(question);
}

}  // namespace horae::question
