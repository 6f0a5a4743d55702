// The answer as JSON and CSV.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "horae/explain/answer.hpp"
#include "horae/explain/arithmetic.hpp"
#include "horae/results/version.hpp"

namespace horae::explain {
namespace {

using nlohmann::ordered_json;

ordered_json number(double value) { return std::isfinite(value) ? ordered_json(value) : nullptr; }

ordered_json evidence_json(const inference::Evidence& e) {
  return {{"share", e.share}, {"error", e.error()}, {"at_most", e.at_most}, {"points", e.points}};
}

ordered_json interval_json(const inference::Interval& i) {
  return {
      {"low", i.low}, {"median", i.median}, {"high", i.high}, {"least", i.least}, {"most", i.most}};
}

ordered_json point_json(const Assessed& h, std::size_t i) {
  ordered_json values = ordered_json::object();
  const lab::JointPoint& point = h.runs->point(i);
  const auto& dimensions = h.space->dimensions();
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    if (point.matters[d]) values[dimensions[d].name] = point.values[d];
  }
  values["readings"] = fmt::format(
      "{}",
      fmt::join(question::reading_texts(h.space->readings()[h.runs->outcomes()[i].reading]), " "));
  return values;
}

/// The points that agree best, the nearest first: where a later question may go on from.
ordered_json nearest_json(const Assessed& h) {
  constexpr std::size_t most = 32;
  const auto& outcomes = h.runs->outcomes();
  std::vector<std::size_t> near;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (h.runs->whole(i) && outcomes[i].miss() <= search_margin) near.push_back(i);
  }
  std::stable_sort(near.begin(), near.end(), [&](std::size_t a, std::size_t b) {
    return outcomes[a].miss() < outcomes[b].miss();
  });
  if (near.size() > most) near.resize(most);
  ordered_json out = ordered_json::array();
  for (const std::size_t i : near)
    out.push_back({{"tolerances", outcomes[i].miss()}, {"values", point_json(h, i)}});
  return out;
}

ordered_json unknowns_json(const Assessed& h) {
  ordered_json out = ordered_json::array();
  const auto& dimensions = h.space->dimensions();
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const lab::JointDimension& dimension = dimensions[d];
    ordered_json row = {{"kind", lab::name_of(dimension.unknown)}, {"name", dimension.name}};
    if (dimension.continuous()) {
      row["low"] = dimension.value->spec().low.value;
      row["high"] = dimension.value->spec().high.value;
    } else {
      row["values"] = dimension.choices;
    }
    if (!h.marginals.empty() && h.marginals[d]) {
      const inference::Marginal& m = *h.marginals[d];
      if (dimension.continuous()) {
        row["accepted"] = {{"low", dimension.text(m.interval.low)},
                           {"median", dimension.text(m.interval.median)},
                           {"high", dimension.text(m.interval.high)},
                           {"least", dimension.text(m.interval.least)},
                           {"most", dimension.text(m.interval.most)}};
      } else {
        row["accepted"] = {{"shares", m.shares}};
      }
    }
    out.push_back(std::move(row));
  }
  return out;
}

ordered_json levels_json(const Assessed& h) {
  ordered_json out = ordered_json::array();
  for (const auto& level : h.sampled().levels) {
    out.push_back({{"within", number(level.within)},
                   {"next", number(level.next)},
                   {"share", level.share},
                   {"variation", level.variation},
                   {"moved", level.moved}});
  }
  return out;
}

/// Relation of a published number that is not plain: it is a bound, or relative to another
/// condition.
void add_relation(const question::ObservationSpec& o, ordered_json& row) {
  if (o.relation != question::Relation::equals)
    row["relation"] = o.relation == question::Relation::at_most ? "at_most" : "at_least";
  if (o.relative_to) row["relative_to"] = o.relative_to->value;
}

ordered_json hypothesis_json(const question::Question& q, const Assessed& h) {
  ordered_json out = {{"id", h.hypothesis->id.value},      {"family", h.hypothesis->family},
                      {"title", h.hypothesis->title},      {"mechanism", h.hypothesis->mechanism},
                      {"standing", name_of(h.standing())}, {"verdict", verdict_text(q, h)}};
  for (std::size_t f = 0; f < tolerance_factors.size(); ++f) {
    ordered_json row = {{"factor", tolerance_factors[f]}, {"standing", name_of(h.standing(f))}};
    row["evidence"] = evidence_json(h.evidence[f]);
    out["tolerances"].push_back(std::move(row));
  }
  out["probability"] = {{"value", h.posterior.probability}, {"error", h.posterior.error}};
  const lab::JointOutcome& closest = h.runs->outcomes()[h.closest];
  out["points"] = h.runs->outcomes().size();
  out["evidence"] = evidence_json(h.evidence[as_declared]);
  out["levels"] = levels_json(h);
  const lab::ReadOutcome& best = closest.best();
  out["closest"] = {{"tolerances", best.miss},
                    {"observation", q.observations.observations[best.worst].id.value},
                    {"ours", number(best.ours[best.worst])},
                    {"at", point_json(h, h.closest)}};
  if (const OwnData& own = h.own_data[h.deciding()];
      own.conditions > 0 && h.closest_miss() > search_margin) {
    out["own_data"] = {{"factor", tolerance_factors[h.deciding()]},
                       {"conditions", own.conditions},
                       {"asked", own.search.asked},
                       {"found_at_least", own.search.at_least},
                       {"found_at_most", own.search.at_most}};
  }
  out["nearest"] = nearest_json(h);
  out["unknowns"] = unknowns_json(h);
  out["readings"] = ordered_json::object();
  for (const auto& [text, share] : h.readings) out["readings"][text] = share;
  out["predictions"] = ordered_json::array();
  for (std::size_t o = 0; o < h.predictions.size(); ++o) {
    if (!h.predictions[o]) continue;
    const auto& published = q.observations.observations[o];
    ordered_json row = {{"observation", published.id.value},
                        {"published", published.value},
                        {"unit", published.unit.value},
                        {"allowed", published.allowance()},
                        {"kind", h.predicted[o] ? "predicted" : "calibrated"}};
    add_relation(published, row);
    row.update(interval_json(*h.predictions[o]));
    out["predictions"].push_back(std::move(row));
  }
  if (h.predicted_share) out["predicted_share"] = *h.predicted_share;
  out["idle"] = ordered_json::object();
  for (const auto& idle : h.idle) {
    auto& causes = out["idle"][idle.condition] = ordered_json::object();
    for (const auto& [cause, share] : idle.causes) causes[cause] = share;
  }
  return out;
}

ordered_json experiment_json(const Answer& a, const ComparedExperiment& x) {
  ordered_json out = {{"id", x.experiment->id.value},       {"title", x.experiment->title},
                      {"gain_nats", x.gain.hypothesis},     {"most_nats", x.gain.most},
                      {"by_chance_nats", x.gain.by_chance}, {"pairs", x.pairs},
                      {"pairs_separated", x.told_apart},    {"predictions", ordered_json::array()}};
  for (const auto& p : x.predictions) {
    ordered_json row = {{"hypothesis", a.name(p.hypothesis)}, {"points", p.points}};
    for (std::size_t k = 0; k < p.quantities.size(); ++k)
      row[x.experiment->quantities[k].value] = interval_json(p.quantities[k].interval);
    out["predictions"].push_back(std::move(row));
  }
  return out;
}

/// Published numbers of a quantity at a point that is a condition itself.
ordered_json published_json(const question::Question& q, const Answer& a,
                            const question::CurveSpec& curve, const question::CurvePointSpec& p) {
  ordered_json out = ordered_json::object();
  if (!p.set.empty()) return out;
  const std::string& condition = p.condition.value_or(curve.condition).value;
  for (const auto& o : q.observations.observations) {
    if (o.relation != question::Relation::equals || o.relative_to) continue;
    if (o.condition.value == condition) out[o.quantity.value] = o.value;
  }
  // A rate is a share too.
  if (out.contains("tx_rate") && !out.contains("tx_share") && !a.senders.empty())
    out["tx_share"] = out["tx_rate"].get<double>() / a.senders.front().facts.line_gbps;
  return out;
}

ordered_json curve_json(const question::Question& q, const Answer& a,
                        const question::CurveSpec& curve) {
  ordered_json out = {{"id", curve.id.value},
                      {"title", curve.title},
                      {"x_title", curve.x_title},
                      {"quantities", question::texts_of(curve.quantities)},
                      {"points", ordered_json::array()},
                      {"lines", ordered_json::array()}};
  for (const auto& p : curve.points)
    out["points"].push_back({{"x", p.x.value}, {"published", published_json(q, a, curve, p)}});
  for (const auto& line : a.curves) {
    if (line.curve != &curve) continue;
    ordered_json values = ordered_json::array();
    for (const auto& point : line.points) {
      ordered_json row = ordered_json::object();
      for (std::size_t k = 0; k < point.size(); ++k)
        row[curve.quantities[k].value] = number(point[k]);
      values.push_back(std::move(row));
    }
    out["lines"].push_back({{"hypothesis", a.name(line.hypothesis)}, {"values", values}});
  }
  return out;
}

ordered_json arithmetic_rows(const question::Question& q, const Answer& a) {
  ordered_json out = ordered_json::array();
  for (const auto& [setting, facts] : a.senders) {
    const PublishedNumbers numbers{q.observations, q.request.readings, facts};
    out.push_back({{"setting", setting},
                   {"frame_bytes", facts.frame_bytes},
                   {"line_gbps", facts.line_gbps},
                   {"senders", facts.senders},
                   {"blocking", arithmetic_json(blocking_checks(numbers))},
                   {"text", arithmetic_text(numbers, q.hypotheses)}});
  }
  return out;
}

/// The published numbers beside the closest point of each, as `horae run` validates.
ordered_json validation_json(const question::Question& q, const Answer& a) {
  ordered_json out = ordered_json::array();
  for (const std::size_t i : a.order) {
    const Assessed& h = a.hypotheses[i];
    const lab::ReadOutcome& closest = h.runs->outcomes()[h.closest].best();
    for (std::size_t o = 0; o < closest.ours.size(); ++o) {
      const auto& published = q.observations.observations[o];
      if (std::isnan(closest.misses[o])) continue;
      out.push_back({{"hypothesis", h.hypothesis->id.value},
                     {"id", published.id.value},
                     {"published", published.value},
                     {"measured", number(closest.ours[o])},
                     {"unit", published.unit.value},
                     {"kind", h.predicted[o] && !h.anything_open() ? "predicted" : "calibrated"},
                     {"allowed", published.allowance()},
                     {"tolerances", closest.misses[o]},
                     {"within", std::abs(closest.misses[o]) <= 1},
                     {"source", published.source}});
      add_relation(published, out.back());
    }
  }
  return out;
}

}  // namespace

ordered_json answer_json(const lab::Laboratory& laboratory, const Answer& a) {
  const question::Question& q = laboratory.question();
  ordered_json out = {{"schema", 1},
                      {"platform", q.platform_name},
                      {"config", q.platform_config},
                      {"config_hash", q.platform_hash},
                      {"seed", q.seed},
                      {"version", results::version()},
                      {"verdict", "complete"},
                      {"wall_s", a.wall_seconds}};
  const lab::RunTotals& runs = laboratory.runs().totals();
  out["sim_time_ps"] = runs.sim_time_ps;
  out["events"] = runs.events;
  out["packet_hops"] = runs.packet_hops;
  out["packets"] = {{"created", runs.created},
                    {"delivered", runs.delivered},
                    {"dropped", runs.dropped},
                    {"in_flight", runs.in_flight}};
  if (const auto missing = untested(q); !missing.empty()) out["untested"] = missing;
  out["results"] = ordered_json::object();
  ordered_json rows = ordered_json::array();
  for (std::size_t n = 0; n < a.order.size(); ++n) {
    const Assessed& h = a.hypotheses[a.order[n]];
    rows.push_back({{"rank", n + 1},
                    {"hypothesis", h.hypothesis->id.value},
                    {"standing", name_of(h.standing())},
                    {"evidence", h.evidence[as_declared].share},
                    {"error", h.evidence[as_declared].error()},
                    {"closest", h.closest_miss()},
                    {"verdict", verdict_text(q, h)}});
  }
  out["rows"] = {{"infer", std::move(rows)}};
  out["validation"] = validation_json(q, a);
  ordered_json& x = out["infer"];
  ordered_json repeated = ordered_json::array();
  for (const auto& r : q.repeated) repeated.push_back({{"id", r.id}, {"again", r.again}});
  x = {{"observations", q.observations_path},
       {"hypotheses_file", q.hypotheses_path},
       {"title", q.observations.title},
       {"source", q.observations.source},
       {"counted_once", std::move(repeated)},
       {"readings", question::reading_texts(q.request.readings)},
       {"seeds", q.request.seeds},
       {"quick", q.request.quick},
       {"points", a.plan.points},
       {"passes", ordered_json::array()},
       {"runs", laboratory.runs().records().size()},
       {"conclusion", conclusion_text(q, a)},
       {"arithmetic", arithmetic_rows(q, a)},
       {"hypotheses", ordered_json::array()},
       {"ranked", ordered_json::array()},
       {"survivors", ordered_json::array()},
       {"experiments", ordered_json::array()},
       {"curves", ordered_json::array()}};
  if (a.budget)
    x["time"] = {
        {"minutes", a.budget->minutes},
        {"did_not_end", a.budget->cut == 0 ? ordered_json() : ordered_json(a.budget->cut)}};
  for (const std::size_t points : passes_of(a.plan.points)) {
    const PassPlan pass = PassPlan::of(x["passes"].size());
    const std::size_t sample = std::min(points, pass.points - pass.descent());
    x["passes"].push_back(
        {{"points", points}, {"descent", points - sample}, {"population", pass.population}});
  }
  for (const auto& h : a.hypotheses) x["hypotheses"].push_back(hypothesis_json(q, h));
  for (const std::size_t i : a.order) x["ranked"].push_back(a.name(i));
  for (const std::size_t i : a.compared) x["survivors"].push_back(a.name(i));
  for (const auto& e : a.experiments) x["experiments"].push_back(experiment_json(a, e));
  for (const auto& c : q.hypotheses.curves) x["curves"].push_back(curve_json(q, a, c));
  return out;
}

std::string points_csv(const question::Question& q, const Answer& a) {
  std::string csv = "hypothesis,point,tolerances,worst,conditions,weight";
  for (const auto& o : q.observations.observations) csv += "," + o.id.value;
  csv += ",values\n";
  for (const auto& h : a.hypotheses) {
    std::vector<double> weights(h.runs->outcomes().size(), 0);
    for (const auto& w : h.accepted) weights[w.point] = w.weight;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const lab::JointOutcome& outcome = h.runs->outcomes()[i];
      csv += fmt::format("{},{},{},{},{},{}", lab::csv_text(h.hypothesis->id), i, outcome.miss(),
                         q.observations.observations[outcome.best().worst].id.value, outcome.stages,
                         weights[i]);
      for (const double ours : outcome.best().ours)
        csv += std::isfinite(ours) ? fmt::format(",{}", ours) : ",";
      std::string values;
      const ordered_json at = point_json(h, i);
      for (const auto& [name, value] : at.items()) {
        if (!values.empty()) values += "; ";
        values += name + "=" + value.get<std::string>();
      }
      csv += "," + lab::csv_text(values) + "\n";
    }
  }
  return csv;
}

}  // namespace horae::explain
