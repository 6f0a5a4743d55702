// Looks every quantity up in what the hypotheses' platforms will give.
#include <fmt/format.h>

#include <map>

#include "horae/core/error.hpp"
#include "horae/question/check.hpp"
#include "horae/results/children.hpp"
#include "horae/run/run.hpp"

namespace horae::question {
namespace {

/// Units by result, of every hypothesis in every condition under the first variant.
std::map<std::string, std::string> units_of_results(const Question& q) {
  std::vector<results::Task> tasks;
  for (const auto& c : q.observations.conditions) {
    for (const auto& h : q.hypotheses.hypotheses) {
      const Setting setting = Setting{texts_of(c.set), q.seed}
                                  .with(texts_of(q.hypotheses.variants.front().set))
                                  .with(texts_of(h.set));
      tasks.push_back({fmt::format("hypothesis '{}'", h.id.value), h.id.where,
                       [&q, setting]() -> nlohmann::ordered_json {
                         return run::result_units(q.platform.read(setting));
                       }});
    }
  }
  std::map<std::string, std::string> units;
  for (const auto& results : results::in_children(tasks, q.request.jobs)) {
    for (const auto& r : results) units[r[0].get<std::string>()] = r[1].get<std::string>();
  }
  return units;
}

}  // namespace

void check_results(const Question& q) {
  const auto units = units_of_results(q);
  std::vector<std::string> names;
  for (const auto& [name, unit] : units) names.push_back(name);
  const auto check = [&](const Located<std::string>& quantity) {
    for (const Readings& r : both_ways()) {
      const std::string metric = metric_of(quantity, r);
      if (units.contains(metric)) continue;
      throw input_error(quantity.where, fmt::format("no run has the result '{}'{}", metric,
                                                    suggestion(metric, names)));
    }
  };
  for (const auto& o : q.observations.observations) {
    check(o.quantity);
    if (find_quantity(o.quantity) != nullptr || o.relative_to) continue;
    const std::string& unit = units.at(metric_of(o.quantity, {}));
    if (unit == o.unit.value) continue;
    throw input_error(o.unit.where, fmt::format("'{}' is in '{}'; expected '{}', the unit of {}",
                                                o.id.value, o.unit.value, unit, o.quantity.value));
  }
  for (const auto& x : q.hypotheses.experiments) {
    for (const auto& quantity : x.quantities) check(quantity);
  }
  for (const auto& c : q.hypotheses.curves) {
    for (const auto& quantity : c.quantities) check(quantity);
  }
}

}  // namespace horae::question
