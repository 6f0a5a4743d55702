// Experiments and curves as JSON.
#include "json.hpp"

namespace horae::explain {
namespace {

using nlohmann::ordered_json;

ordered_json sample_json(const lab::SeedSample& s) {
  if (!s.there) return {{"mean", nullptr}, {"spread", nullptr}};
  return {{"mean", s.mean}, {"spread", s.spread}, {"values", s.values}};
}

ordered_json quantities_json(const std::vector<Located<std::string>>& quantities,
                             const std::vector<lab::SeedSample>& samples) {
  ordered_json out = ordered_json::object();
  for (std::size_t i = 0; i < samples.size(); ++i)
    out[quantities[i].value] = sample_json(samples[i]);
  return out;
}

/// Published numbers of a quantity at a point that is a condition itself.
ordered_json published_json(const question::Question& q, const Answer& answer,
                            const question::CurveSpec& curve, const question::CurvePointSpec& p) {
  ordered_json out = ordered_json::object();
  if (!p.set.empty()) return out;
  const std::string& condition = p.condition.value_or(curve.condition).value;
  for (const auto& o : q.observations.observations) {
    if (o.condition.value == condition) out[o.quantity.value] = o.value;
  }
  // A rate is a share too.
  if (out.contains("tx_rate") && !out.contains("tx_share") && answer.facts.front())
    out["tx_share"] = out["tx_rate"].get<double>() / answer.facts.front()->line_gbps;
  return out;
}

}  // namespace

ordered_json experiment_json(const Answer& answer, const ComparedExperiment& r) {
  const auto& quantities = r.experiment->quantities;
  ordered_json out = {{"id", r.experiment->id.value},       {"title", r.experiment->title},
                      {"least_separation", r.least},        {"pairs_separated", r.separated},
                      {"outcomes", ordered_json::object()}, {"pairs", ordered_json::array()}};
  for (std::size_t i = 0; i < r.outcomes.size(); ++i) {
    if (!r.outcomes[i].empty())
      out["outcomes"][answer.survivor_name(i)] = quantities_json(quantities, r.outcomes[i]);
  }
  for (const auto& p : r.pairs) {
    out["pairs"].push_back({{"a", answer.survivor_name(p.a)},
                            {"b", answer.survivor_name(p.b)},
                            {"quantity", quantities[p.quantity].value},
                            {"separation", p.separation}});
  }
  return out;
}

ordered_json curves_json(const question::Question& q, const Answer& answer) {
  ordered_json out = ordered_json::array();
  for (const auto& curve : q.hypotheses.curves) {
    ordered_json c = {{"id", curve.id.value},
                      {"title", curve.title},
                      {"x_title", curve.x_title},
                      {"quantities", question::texts_of(curve.quantities)},
                      {"points", ordered_json::array()},
                      {"lines", ordered_json::array()}};
    for (const auto& p : curve.points)
      c["points"].push_back({{"x", p.x.value}, {"published", published_json(q, answer, curve, p)}});
    for (const auto& line : answer.curves) {
      if (line.curve != &curve) continue;
      ordered_json values = ordered_json::array();
      for (const auto& samples : line.points)
        values.push_back(quantities_json(curve.quantities, samples));
      c["lines"].push_back(
          {{"hypothesis", answer.survivor_name(line.survivor)}, {"values", values}});
    }
    out.push_back(std::move(c));
  }
  return out;
}

}  // namespace horae::explain
