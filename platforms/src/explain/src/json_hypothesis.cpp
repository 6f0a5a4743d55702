// One hypothesis as JSON.
#include "json.hpp"

namespace horae::explain {

using nlohmann::ordered_json;

ordered_json comparison_json(const lab::Compared& c) {
  ordered_json out = {{"id", c.observation->id.value},
                      {"condition", c.observation->condition.value},
                      {"metric", c.metric},
                      {"published", c.observation->value},
                      {"measured", c.ours.there ? ordered_json(c.ours.mean) : ordered_json()},
                      {"unit", c.observation->unit.value},
                      {"kind", c.calibrated ? "calibrated" : "predicted"},
                      {"spread", c.ours.spread},
                      {"allowed", c.observation->allowance()},
                      {"tolerances", c.allowances()},
                      {"within", c.within()},
                      {"source", c.observation->source}};
  return out;
}

namespace {

ordered_json fitted_json(const lab::Fitted& f) {
  ordered_json out = ordered_json::array();
  for (std::size_t i = 0; i < f.parameters.size(); ++i) {
    ordered_json p = {{"key", f.parameters[i]->key.value},
                      {"value", f.fit.best.values[i]},
                      {"low", f.parameters[i]->low.value},
                      {"high", f.parameters[i]->high.value}};
    if (i < f.fit.ranges.size()) {
      const auto& r = f.fit.ranges[i];
      p["plausible"] = {{"low", r.low},
                        {"high", r.high},
                        {"low_is_bound", r.low_open},
                        {"high_is_bound", r.high_open}};
    }
    out.push_back(std::move(p));
  }
  return out;
}

ordered_json candidate_json(const lab::Candidate& c) {
  ordered_json out = {
      {"reaction", c.reaction == nullptr ? ordered_json() : ordered_json(c.reaction->id.value)},
      {"consistent", c.consistent()},
      {"also_fitted", c.also_fitted},
      {"rms", c.rms()},
      {"parameters", fitted_json(c.mechanism)},
      {"reaction_parameters", fitted_json(c.response)},
      {"evaluations", c.mechanism.fit.evaluations + c.response.fit.evaluations},
      {"converged", c.mechanism.fit.converged && c.response.fit.converged},
      {"observations", ordered_json::array()}};
  for (const auto& x : c.comparisons) out["observations"].push_back(comparison_json(x));
  return out;
}

}  // namespace

ordered_json hypothesis_json(const HypothesisVerdict& r) {
  ordered_json out = {
      {"id", r.hypothesis->id.value},     {"family", r.hypothesis->family},
      {"title", r.hypothesis->title},     {"mechanism", r.hypothesis->mechanism},
      {"verdict", r.best().verdict()},    {"best_variant", r.best().variant->label.value},
      {"variants", ordered_json::array()}};
  for (const auto& v : r.variants) {
    ordered_json at = {{"variant", v.variant->label.value},
                       {"verdict", v.verdict()},
                       {"a_priori", v.a_priori},
                       {"without_reaction", candidate_json(v.alone)},
                       {"with_reactions", ordered_json::array()}};
    for (const auto& c : v.reacting) at["with_reactions"].push_back(candidate_json(c));
    out["variants"].push_back(std::move(at));
  }
  out["idle"] = ordered_json::object();
  for (const auto& idle : r.idle) {
    auto& causes = out["idle"][idle.condition] = ordered_json::object();
    for (const auto& [cause, share] : idle.causes) causes[cause] = share;
  }
  out["other_readings"] = ordered_json::array();
  for (const auto& o : r.other_readings) {
    out["other_readings"].push_back(
        {{"reading", o.reading}, {"verdict", o.verdict}, {"changes", o.changes}, {"open", o.open}});
  }
  return out;
}

}  // namespace horae::explain
