// An explanation as JSON.
#include <algorithm>
#include <cmath>

#include "horae/explain/report.hpp"
#include "horae/results/version.hpp"

namespace horae::explain {
namespace {

using nlohmann::ordered_json;

ordered_json sample_json(const Sample& s) {
  if (!s.there) return {{"mean", nullptr}, {"spread", nullptr}};
  return {{"mean", s.mean}, {"spread", s.spread}, {"values", s.values}};
}

ordered_json comparison_json(const Compared& c) {
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

ordered_json fitted_json(const Fitted& f) {
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

ordered_json candidate_json(const Candidate& c) {
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

ordered_json hypothesis_json(const HypothesisResult& r) {
  ordered_json out = {
      {"id", r.hypothesis->id.value},     {"family", r.hypothesis->family},
      {"title", r.hypothesis->title},     {"mechanism", r.hypothesis->mechanism},
      {"verdict", r.best().verdict()},    {"best_variant", r.best().variant->label.value},
      {"variants", ordered_json::array()}};
  for (const auto& v : r.variants) {
    ordered_json at = {{"variant", v.variant->label.value},
                       {"verdict", v.verdict()},
                       {"a_priori", v.impossible},
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

ordered_json quantities_json(const std::vector<Located<std::string>>& quantities,
                             const std::vector<Sample>& samples) {
  ordered_json out = ordered_json::object();
  for (std::size_t q = 0; q < samples.size(); ++q)
    out[quantities[q].value] = sample_json(samples[q]);
  return out;
}

ordered_json experiment_json(const Explanation& e, const ExperimentResult& r) {
  const auto& quantities = r.experiment->quantities;
  ordered_json out = {{"id", r.experiment->id.value},       {"title", r.experiment->title},
                      {"least_separation", r.least},        {"pairs_separated", r.separated},
                      {"outcomes", ordered_json::object()}, {"pairs", ordered_json::array()}};
  for (std::size_t i = 0; i < r.outcomes.size(); ++i) {
    if (!r.outcomes[i].empty())
      out["outcomes"][e.survivor_name(i)] = quantities_json(quantities, r.outcomes[i]);
  }
  for (const auto& p : r.pairs) {
    out["pairs"].push_back({{"a", e.survivor_name(p.a)},
                            {"b", e.survivor_name(p.b)},
                            {"quantity", quantities[p.quantity].value},
                            {"separation", p.separation}});
  }
  return out;
}

/// Published numbers of a quantity at a point that is a condition itself.
ordered_json published_json(const Explanation& e, const CurveSpec& curve, const CurvePointSpec& p) {
  ordered_json out = ordered_json::object();
  if (!p.set.empty()) return out;
  const std::string& condition = p.condition.value_or(curve.condition).value;
  for (const auto& o : e.observations.observations) {
    if (o.condition.value == condition) out[o.quantity.value] = o.value;
  }
  // A rate is a share too.
  if (out.contains("tx_rate") && !out.contains("tx_share") && e.facts.front())
    out["tx_share"] = out["tx_rate"].get<double>() / e.facts.front()->line_gbps;
  return out;
}

ordered_json curves_json(const Explanation& e) {
  ordered_json out = ordered_json::array();
  for (const auto& curve : e.hypotheses.curves) {
    ordered_json c = {{"id", curve.id.value},
                      {"title", curve.title},
                      {"x_title", curve.x_title},
                      {"quantities", plain(curve.quantities)},
                      {"points", ordered_json::array()},
                      {"lines", ordered_json::array()}};
    for (const auto& p : curve.points)
      c["points"].push_back({{"x", p.x.value}, {"published", published_json(e, curve, p)}});
    for (const auto& line : e.curves) {
      if (line.curve != &curve) continue;
      ordered_json values = ordered_json::array();
      for (const auto& samples : line.points)
        values.push_back(quantities_json(curve.quantities, samples));
      c["lines"].push_back({{"hypothesis", e.survivor_name(line.survivor)}, {"values", values}});
    }
    out.push_back(std::move(c));
  }
  return out;
}

ordered_json ranked_json(const Explanation& e) {
  ordered_json out = ordered_json::array();
  for (std::size_t i = 0; i < e.order.size(); ++i) {
    const HypothesisResult& r = e.results[e.order[i]];
    const Candidate& c = r.best().best();
    const auto fitted = std::count_if(c.comparisons.begin(), c.comparisons.end(),
                                      [](const auto& x) { return x.calibrated; });
    out.push_back({{"rank", i + 1},
                   {"hypothesis", r.hypothesis->id.value},
                   {"consistent", r.best().consistent()},
                   {"verdict", r.best().verdict()},
                   {"rms", c.rms()},
                   {"parameters", c.parameters()},
                   {"fitted", fitted},
                   {"predicted", c.comparisons.size() - static_cast<std::size_t>(fitted)},
                   {"variant", r.best().variant->label.value},
                   {"reaction",
                    c.reaction == nullptr ? ordered_json() : ordered_json(c.reaction->id.value)}});
  }
  return out;
}

/// What every run's books say, summed.
void add_totals(const RunStore& runs, ordered_json& out) {
  std::int64_t sim_time = 0;
  std::uint64_t events = 0, hops = 0, created = 0, delivered = 0, in_flight = 0;
  std::map<std::string, std::uint64_t> dropped;
  for (const auto& r : runs.records()) {
    sim_time += r.sim_time_ps;
    events += r.events;
    hops += r.packet_hops;
    created += r.packets["created"].get<std::uint64_t>();
    delivered += r.packets["delivered"].get<std::uint64_t>();
    in_flight += r.packets["in_flight"].get<std::uint64_t>();
    for (const auto& [cause, n] : r.packets["dropped"].items())
      dropped[cause] += n.get<std::uint64_t>();
  }
  out["sim_time_ps"] = sim_time;
  out["events"] = events;
  out["packet_hops"] = hops;
  out["packets"] = {{"created", created},
                    {"delivered", delivered},
                    {"dropped", dropped},
                    {"in_flight", in_flight}};
}

}  // namespace

ordered_json explanation_json(const Explanation& e) {
  ordered_json out = {{"schema", 1},
                      {"platform", e.platform_name},
                      {"config", e.platform_config},
                      {"config_hash", e.platform_hash},
                      {"seed", e.seed},
                      {"version", results::version()},
                      {"verdict", "complete"},
                      {"wall_s", e.wall_seconds}};
  add_totals(e.runs, out);
  out["results"] = ordered_json::object();
  out["rows"] = {{"explain", ranked_json(e)}};
  out["validation"] = ordered_json::array();
  for (const std::size_t i : e.order) {
    for (const auto& c : e.results[i].best().best().comparisons) {
      ordered_json row = comparison_json(c);
      row["hypothesis"] = e.results[i].hypothesis->id.value;
      out["validation"].push_back(std::move(row));
    }
  }
  ordered_json& x = out["explain"];
  x = {{"observations", e.observations_path},
       {"hypotheses_file", e.hypotheses_path},
       {"title", e.observations.title},
       {"source", e.observations.source},
       {"readings", reading_texts(e.request.readings)},
       {"seeds", e.request.seeds},
       {"quick", e.request.quick},
       {"runs", e.runs.records().size()},
       {"arithmetic", ordered_json::array()},
       {"hypotheses", ordered_json::array()},
       {"survivors", ordered_json::array()},
       {"experiments", ordered_json::array()}};
  for (std::size_t v = 0; v < e.hypotheses.variants.size(); ++v) {
    if (!e.facts[v]) continue;
    const SenderFacts& facts = *e.facts[v];
    x["arithmetic"].push_back(
        {{"variant", e.hypotheses.variants[v].label.value},
         {"frame_bytes", facts.frame_bytes},
         {"line_gbps", facts.line_gbps},
         {"senders", facts.senders},
         {"blocking", arithmetic_json(blocking_checks(e.observations, e.request.readings, facts))},
         {"text", arithmetic_text(e.observations, e.hypotheses, e.request.readings, facts)}});
  }
  for (const auto& r : e.results) x["hypotheses"].push_back(hypothesis_json(r));
  x["ranked"] = ordered_json::array();
  for (const std::size_t i : e.order) x["ranked"].push_back(e.results[i].hypothesis->id.value);
  for (std::size_t i = 0; i < e.survivors.size(); ++i) x["survivors"].push_back(e.survivor_name(i));
  for (const auto& r : e.experiments) x["experiments"].push_back(experiment_json(e, r));
  x["curves"] = curves_json(e);
  return out;
}

}  // namespace horae::explain
