#include "repeated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "horae/core/error.hpp"

namespace horae::question {
namespace {

/// Names conditions by what they set: those that say the same in other words have the same key.
class ConditionKeys {
 public:
  explicit ConditionKeys(const Question& q) : q_(q) {}

  const std::string& of(const std::string& id) {
    const auto [it, fresh] = keys_.emplace(id, "");
    if (!fresh) return it->second;
    const ConditionSpec& c = q_.condition(id);
    const Setting setting = Setting{texts_of(c.set), q_.seed}.with(texts_of(c.brief));
    it->second = run_key(q_.platform.read(setting)) + (c.reaction ? " with a reaction" : "");
    return it->second;
  }

 private:
  const Question& q_;
  std::map<std::string, std::string> keys_;
};

/// How far the values that one allows are from those that the other allows, without allowances.
double distance_of(const ObservationSpec& a, const ObservationSpec& b) {
  const double a_over_b =
      a.relation == Relation::at_most || b.relation == Relation::at_least ? 0 : a.value - b.value;
  const double b_over_a =
      b.relation == Relation::at_most || a.relation == Relation::at_least ? 0 : b.value - a.value;
  return std::max({a_over_b, b_over_a, 0.0});
}

/// The number as a sentence has it: "= 3", "<= 3".
std::string related(const ObservationSpec& o) {
  return o.relation == Relation::equals ? fmt::format("= {:g}", o.value) : o.value_text();
}

void refuse_contradiction(const ObservationSpec& a, const ObservationSpec& b) {
  const double apart = distance_of(a, b), allowed = a.allowance() + b.allowance();
  if (apart <= allowed) return;
  const std::string conditions =
      a.condition == b.condition ? fmt::format("in condition '{}'", a.condition.value)
                                 : fmt::format("in conditions '{}' and '{}', which set the same,",
                                               a.condition.value, b.condition.value);
  throw input_error(
      b.value_where,
      fmt::format("'{}' {} and '{}' {} {} contradict each other: {} {} are {:g} apart, and "
                  "their roundings and tolerances allow {:g}",
                  a.id.value, related(a), b.id.value, related(b), a.unit.value, a.quantity.value,
                  conditions, apart, allowed));
}

bool same_number(const ObservationSpec& a, const ObservationSpec& b) {
  return a.relation == b.relation &&
         std::abs(a.value - b.value) <= a.rounding.value + b.rounding.value;
}

/// Keeps one of two equal numbers.
ObservationSpec merged(const ObservationSpec& a, const ObservationSpec& b) {
  ObservationSpec out = b.allowance() < a.allowance() ? b : a;
  if (a.use == Use::fit || b.use == Use::fit) out.use = Use::fit;
  return out;
}

}  // namespace

void take_out_repeated(Question& q) {
  ConditionKeys keys(q);
  const auto same_condition = [&](const std::string& a, const std::string& b) {
    return a == b || keys.of(a) == keys.of(b);
  };
  const auto same_place = [&](const ObservationSpec& a, const ObservationSpec& b) {
    if (!same_quantity(a.quantity, b.quantity) || !same_condition(a.condition, b.condition))
      return false;
    if (!a.relative_to || !b.relative_to)
      return a.relative_to.has_value() == b.relative_to.has_value();
    return same_condition(*a.relative_to, *b.relative_to);
  };
  std::vector<ObservationSpec> kept;
  std::vector<std::vector<std::string>> ids;  // by observation kept
  for (const ObservationSpec& o : q.observations.observations) {
    ObservationSpec* same = nullptr;
    for (ObservationSpec& k : kept) {
      if (!same_place(k, o)) continue;
      refuse_contradiction(k, o);
      if (same == nullptr && same_number(k, o)) same = &k;
    }
    if (same == nullptr) {
      kept.push_back(o);
      ids.push_back({o.id});
      continue;
    }
    *same = merged(*same, o);
    ids[static_cast<std::size_t>(same - kept.data())].push_back(o.id);
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    std::erase(ids[i], kept[i].id.value);
    if (!ids[i].empty()) q.repeated.push_back({kept[i].id, ids[i]});
  }
  q.observations.observations = std::move(kept);
}

}  // namespace horae::question
