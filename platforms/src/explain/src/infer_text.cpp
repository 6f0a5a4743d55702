// The answer of inference as text.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "horae/explain/infer.hpp"
#include "infer_parts.hpp"
#include "text.hpp"

namespace horae::explain {
namespace {

std::string heading(const lab::Laboratory& laboratory, const InferredAnswer& a) {
  const question::Question& q = laboratory.question();
  std::string out = question_text(q);
  out += fmt::format(
      "points        at most {} of a hypothesis, {} of them to come nearer where none agrees, {} "
      "of a "
      "level; seed {}\n",
      a.plan.points, a.plan.descent, a.plan.population, q.seed);
  out += fmt::format("runs          {}\n", laboratory.runs().records().size());
  return out;
}

std::string range_of(const question::ParameterSpec& spec) {
  if (!spec.choice()) return fmt::format("{} to {}", spec.low.value, spec.high.value);
  return fmt::format("{}", fmt::join(question::texts_of(spec.values), ", "));
}

std::string nuisances_text(const question::Question& q) {
  if (q.hypotheses.nuisances.empty()) return "";
  std::vector<Row> rows;
  for (const auto& n : q.hypotheses.nuisances)
    rows.push_back({n.key, range_of(n), n.source.empty() ? n.why : n.why + " (" + n.source + ")"});
  return "\nWhat nobody published, equally likely over its range\n" +
         aligned(rows, {false, false, false}, "  ");
}

/// What the accepted leave of an unknown: "412 ns to 530 ns", or the values with their shares.
std::string marginal_text(const lab::JointDimension& d, const inference::Marginal& m) {
  if (d.continuous())
    return fmt::format("{} to {}", d.text(m.interval.low), d.text(m.interval.high));
  std::vector<std::string> out;
  for (std::size_t v = 0; v < m.shares.size(); ++v) {
    if (m.shares[v] >= 0.005)
      out.push_back(fmt::format("{} {:.0f} %", d.choices[v], 100 * m.shares[v]));
  }
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string accepted_text(const question::Question& q, const Inferred& h) {
  std::string out =
      fmt::format("  over {} accepted points, 90 % of what agrees\n", h.accepted.size());
  std::vector<Row> rows;
  const auto& dimensions = h.space->dimensions();
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    if (!h.marginals[d] || dimensions[d].unknown == lab::Unknown::seed) continue;
    const bool fit = dimensions[d].continuous();
    rows.push_back({name_of(dimensions[d].unknown), dimensions[d].name,
                    marginal_text(dimensions[d], *h.marginals[d]),
                    fit ? "of " + range_of(dimensions[d].value->spec()) : ""});
  }
  for (std::size_t i = 0; i + 1 < h.readings.size(); i += 2) {
    rows.push_back(
        {"reading", "",
         fmt::format("{} {:.0f} %, {} {:.0f} %", h.readings[i].first, 100 * h.readings[i].second,
                     h.readings[i + 1].first, 100 * h.readings[i + 1].second),
         ""});
  }
  out += aligned(rows, {false, false, false, false}, "    ");
  rows = {{"observation", "90 % of ours", "all", "published", "allowed", "unit"}};
  for (std::size_t o = 0; o < h.predictions.size(); ++o) {
    if (!h.predictions[o]) continue;
    const auto& published = q.observations.observations[o];
    const auto& i = *h.predictions[o];
    rows.push_back({published.id, number_text(i.low) + " to " + number_text(i.high),
                    number_text(i.least) + " to " + number_text(i.most),
                    number_text(published.value), number_text(published.allowance()),
                    published.unit});
  }
  return out + aligned(rows, {false, false, false, true, true, false}, "    ");
}

std::string evidence_text(const inference::Evidence& e) {
  if (!e.reached()) return e.at_most < 1 ? fmt::format("< {:.2g}", e.at_most) : "0";
  return fmt::format("{:.2g} (+- {:.0f} %)", e.share, 100 * e.variation);
}

std::string hypothesis_text(const question::Question& q, const Inferred& h) {
  std::string out = fmt::format("\n{}: {}\n", h.hypothesis->id.value, h.hypothesis->title);
  if (!h.hypothesis->mechanism.empty()) out += fmt::format("  {}\n", h.hypothesis->mechanism);
  out += fmt::format("  {}\n", verdict_text(q, h));
  if (h.standing() != Standing::consistent) return out;
  const inference::Evidence& e = h.evidence[as_declared];
  out += fmt::format("  share of its space that agrees: {}\n", evidence_text(e));
  out += fmt::format("  closest: {:.2f} tolerances ({})\n", h.closest_miss(), closest_text(q, h));
  if (!h.accepted.empty()) return out + accepted_text(q, h);
  return out + "  found by descent alone: too small a share of the space for ranges\n";
}

std::string tolerances_text(const InferredAnswer& a) {
  std::vector<Row> rows = {{"hypothesis", "halved", "as declared", "doubled", "closest"}};
  bool any = false;
  for (const std::size_t i : a.order) {
    const Inferred& h = a.hypotheses[i];
    Row row = {h.hypothesis->id};
    for (std::size_t f = 0; f < tolerance_factors.size(); ++f)
      row.push_back(name_of(h.standing(f)));
    row.push_back(h.has_points() ? fmt::format("{:.2f}", h.closest_miss()) : "not run");
    const bool changes = row[1] != row[2] || row[3] != row[2];
    any = any || changes;
    if (changes) rows.push_back(std::move(row));
  }
  if (!any) return "\nNo verdict changes if tolerances are halved or doubled\n";
  return "\nVerdicts that change if tolerances are halved or doubled\n" +
         aligned(rows, {false, false, false, false, true}, "  ");
}

std::string effort_text(question::Effort effort) {
  return effort == question::Effort::command   ? "command"
         : effort == question::Effort::setting ? "setting"
                                               : "hardware";
}

std::string experiments_section(const InferredAnswer& a) {
  if (a.experiments.empty() || a.experiments.front().predictions.empty()) return "";
  std::string out =
      "\nWhat would tell them apart: cheapest first, then by the expected information gain (of ";
  double most = 0;
  for (const auto& x : a.experiments) most = std::max(most, x.gain.most);
  out += fmt::format(
      "{:.2f}\nnats if all hypotheses below are as likely); 90 % of what each predicts\n", most);
  for (const auto& x : a.experiments) {
    out += fmt::format("\n  {}: {} ({}, gain {:.2f}, by chance {:.2f})\n", x.experiment->id.value,
                       x.experiment->title, effort_text(x.experiment->effort), x.gain.hypothesis,
                       x.gain.by_chance);
    std::vector<Row> rows(1);
    rows[0].push_back("");
    for (const auto& quantity : x.experiment->quantities) rows[0].push_back(quantity);
    for (const auto& p : x.predictions) {
      rows.push_back({a.hypotheses[p.hypothesis].hypothesis->id});
      for (const auto& quantity : p.quantities) {
        rows.back().push_back(number_text(quantity.interval.low) + " to " +
                              number_text(quantity.interval.high));
      }
    }
    out += aligned(rows, {false, false, false, false, false}, "    ");
  }
  return out;
}

std::string ranked_section(const question::Question& q, const InferredAnswer& a) {
  std::vector<Row> rows = {{"", "hypothesis", "agrees", "probability", "closest", "verdict"}};
  std::size_t n = 0;
  for (const std::size_t i : a.order) {
    const Inferred& h = a.hypotheses[i];
    const bool consistent = h.standing() == Standing::consistent;
    std::string verdict = name_of(h.standing());
    if (h.standing() == Standing::excluded || h.standing() == Standing::not_found) {
      const auto& worst = q.observations.observations[h.runs->outcomes()[h.closest].best().worst];
      verdict = miss_text(h, worst.id);
    } else if (!consistent) {
      verdict += " (inequality above)";
    }
    rows.push_back(
        {fmt::format("{}", ++n), h.hypothesis->id,
         h.has_points() ? evidence_text(h.evidence[as_declared]) : "-",
         consistent ? fmt::format("{:.2f} +- {:.2f}", h.posterior.probability, h.posterior.error)
                    : "-",
         h.has_points() ? fmt::format("{:.2f}", h.closest_miss()) : "-", verdict});
  }
  std::string only;
  if (const auto missing = untested(q); !missing.empty()) {
    only = fmt::format(
        "Agrees: with {} of {} observations. Not tested, for there is no [[reaction]]: {}.\n",
        q.observations.observations.size() - missing.size(), q.observations.observations.size(),
        fmt::join(missing, ", "));
  }
  return "\nRanked by evidence: the share of each hypothesis' space that agrees with every\n"
         "observation, with its Monte Carlo error; then by the closest approach in tolerances.\n"
         "Probability: if all were as likely before.\n" +
         only + "\n" + aligned(rows, {true, false, false, false, true, false}, "");
}

}  // namespace

std::vector<std::string> untested(const question::Question& q) {
  std::vector<std::string> out;
  if (!q.hypotheses.reactions.empty()) return out;
  for (const auto& o : q.observations.observations) {
    const auto* condition = q.observations.find_condition(o.condition.value);
    if (condition != nullptr && condition->reaction) out.push_back(o.id.value);
  }
  return out;
}

std::string inferred_text(const lab::Laboratory& laboratory, const InferredAnswer& a) {
  const question::Question& q = laboratory.question();
  std::string out = heading(laboratory, a) + nuisances_text(q) + "\nHypotheses, best last\n";
  for (auto i = a.order.rbegin(); i != a.order.rend(); ++i)
    out += hypothesis_text(q, a.hypotheses[*i]);
  return out + experiments_section(a) + tolerances_text(a) + ranked_section(q, a);
}

}  // namespace horae::explain
