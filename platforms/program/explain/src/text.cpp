// The answer as text.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "horae/explain/arithmetic.hpp"
#include "parts.hpp"
#include "table.hpp"

namespace horae::explain {
namespace {

std::string heading(const lab::Laboratory& laboratory, const Answer& a) {
  const question::Question& q = laboratory.question();
  std::string out = fmt::format("{}\n{}\n\n", q.observations.title, q.observations.source);
  out += fmt::format("platform      {} ({})\n", q.platform_name, q.request.platform);
  out += fmt::format("observations  {} from {}\n", q.observations.observations.size(),
                     q.observations_path);
  for (const auto& r : q.repeated) {
    out += fmt::format("counted once  {}, which {} again: the same number\n", r.id,
                       r.again.size() > 1 ? fmt::format("{} say", fmt::join(r.again, ", "))
                                          : r.again.front() + " says");
  }
  out += fmt::format("hypotheses    {} from {}, {} reactions\n", q.hypotheses.hypotheses.size(),
                     q.hypotheses_path, q.hypotheses.reactions.size());
  if (!q.request.fixed_readings.empty())
    out += fmt::format("read as       {}\n", fmt::join(q.request.fixed_readings, ", "));
  out += fmt::format("points        at most {} of a hypothesis; seed {}\n", a.plan.points, q.seed);
  if (a.budget) out += fmt::format("time          {}\n", budget_text(a));
  out += fmt::format("runs          {}\n", laboratory.runs().records().size());
  return out;
}

std::string arithmetic_section(const question::Question& q, const Answer& a) {
  // Statements that are equal under several settings appear once.
  std::vector<std::pair<std::vector<std::string>, std::string>> blocks;
  for (const auto& [setting, facts] : a.senders) {
    auto lines = arithmetic_text({q.observations, q.request.readings, facts}, q.hypotheses);
    if (lines.empty()) continue;
    const auto it = std::find_if(blocks.begin(), blocks.end(),
                                 [&](const auto& block) { return block.first == lines; });
    const std::string title = fmt::format("{}{:.0f} B a packet on the wire",
                                          setting.empty() ? "" : setting + ": ", facts.frame_bytes);
    if (it == blocks.end()) {
      blocks.emplace_back(std::move(lines), title);
    } else {
      it->second += "; " + title;
    }
  }
  if (blocks.empty()) return "";
  std::string out = "\nArithmetic on the published numbers, without simulation\n";
  for (const auto& [lines, title] : blocks) {
    out += fmt::format("  {}\n", title);
    for (const auto& line : lines) out += fmt::format("    {}\n", line);
  }
  return out;
}

std::string range_of(const question::ParameterSpec& spec) {
  if (!spec.choice()) return fmt::format("{} to {}", spec.low.value, spec.high.value);
  return fmt::format("{}", fmt::join(question::texts_of(spec.values), ", "));
}

std::string nuisances_text(const question::Question& q) {
  const auto& variants = q.hypotheses.variants;
  if (q.hypotheses.nuisances.empty() && variants.size() < 2) return "";
  std::vector<Row> rows;
  if (variants.size() > 1) {
    std::vector<std::string> labels;
    for (const auto& v : variants) labels.push_back(v.label);
    rows.push_back({"variant", fmt::format("{}", fmt::join(labels, ", ")), ""});
  }
  for (const auto& n : q.hypotheses.nuisances)
    rows.push_back({n.key, range_of(n), n.source.empty() ? n.why : n.why + " (" + n.source + ")"});
  return "\nWhat was not published, equally likely over its range\n" +
         aligned(rows, {false, false, false}, "  ");
}

/// Range of an unknown over the accepted points: "412 ns to 530 ns", or the values with their
/// shares.
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

std::string accepted_text(const question::Question& q, const Assessed& h) {
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
  rows = {{"observation", "kind", "90 % of ours", "all", "published", "allowed", "unit"}};
  for (std::size_t o = 0; o < h.predictions.size(); ++o) {
    if (!h.predictions[o]) continue;
    const auto& published = q.observations.observations[o];
    const auto& i = *h.predictions[o];
    rows.push_back({published.id, h.predicted[o] ? "predicted" : "calibrated",
                    number_text(i.low) + " to " + number_text(i.high),
                    number_text(i.least) + " to " + number_text(i.most), published.value_text(),
                    number_text(published.allowance()), published.unit});
  }
  out += aligned(rows, {false, false, false, false, true, true, false}, "    ");
  if (h.predicted_share) {
    out += fmt::format(
        "    predicted: over the points that agree with the calibrated ones; {:.0f} % of these "
        "agree "
        "with all\n",
        100 * *h.predicted_share);
  }
  return out;
}

/// Why the wire was idle at the closest point.
std::string idle_text(const Assessed& h) {
  constexpr double shown = 0.0005;
  std::string out;
  for (const auto& idle : h.idle) {
    std::string causes;
    for (const auto& [cause, share] : idle.causes) {
      if (share >= shown) causes += fmt::format(", {} {:.3f}", cause, share);
    }
    out += fmt::format("    idle in {}: {}\n", idle.condition,
                       causes.empty() ? "none" : causes.substr(2));
  }
  return out;
}

std::string evidence_text(const inference::Evidence& e) {
  if (!e.reached()) return e.at_most < 1 ? fmt::format("< {:.2g}", e.at_most) : "0";
  return fmt::format("{:.2g} (+- {:.0f} %)", e.share, 100 * e.variation);
}

std::string hypothesis_text(const question::Question& q, const Assessed& h) {
  std::string out = fmt::format("\n{}: {}\n", h.hypothesis->id.value, h.hypothesis->title);
  if (!h.hypothesis->mechanism.empty()) out += fmt::format("  {}\n", h.hypothesis->mechanism);
  out += fmt::format("  {}\n", verdict_text(q, h));
  if (!h.agrees()) return out + idle_text(h);
  const inference::Evidence& e = h.evidence[as_declared];
  out += fmt::format("  share of its space that agrees: {}\n", evidence_text(e));
  out += fmt::format("  closest: {:.2f} tolerances ({})\n", h.closest_miss(), closest_text(q, h));
  out += idle_text(h);
  if (!h.accepted.empty()) return out + accepted_text(q, h);
  return out + "  found by descent alone: too small a share of the space for ranges\n";
}

std::string tolerances_text(const Answer& a) {
  std::vector<Row> rows = {{"hypothesis", "halved", "as declared", "doubled", "closest"}};
  bool any = false;
  for (const std::size_t i : a.order) {
    const Assessed& h = a.hypotheses[i];
    Row row = {h.hypothesis->id};
    for (std::size_t f = 0; f < tolerance_factors.size(); ++f)
      row.push_back(name_of(h.standing(f)));
    row.push_back(fmt::format("{:.2f}", h.closest_miss()));
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

std::string experiments_section(const Answer& a) {
  if (a.experiments.empty() || a.experiments.front().predictions.empty()) return "";
  double most = 0;
  for (const auto& x : a.experiments) most = std::max(most, x.gain.most);
  std::string out = fmt::format(
      "\nWhat would tell {} apart: cheapest first, then by the expected information gain (of "
      "{:.2f}\nnats if all below are as likely); 90 % of what each predicts\n",
      a.hypotheses[a.compared.front()].agrees() ? "them" : "the nearest ones (none is consistent)",
      most);
  for (const auto& x : a.experiments) {
    out +=
        fmt::format("\n  {}: {} ({}, gain {:.2f}, by chance {:.2f}; {} of {} pairs apart)\n",
                    x.experiment->id.value, x.experiment->title, effort_text(x.experiment->effort),
                    x.gain.hypothesis, x.gain.by_chance, x.told_apart, x.pairs);
    std::vector<Row> rows(1);
    rows[0].push_back("");
    for (const auto& quantity : x.experiment->quantities) rows[0].push_back(quantity);
    for (const auto& p : x.predictions) {
      rows.push_back({a.name(p.hypothesis)});
      for (const auto& quantity : p.quantities) {
        rows.back().push_back(number_text(quantity.interval.low) + " to " +
                              number_text(quantity.interval.high));
      }
    }
    out += aligned(rows, std::vector<bool>(rows[0].size(), false), "    ");
  }
  return out;
}

/// The readings without which nothing agrees.
std::string needed_readings(const Assessed& h) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i + 1 < h.readings.size(); i += 2) {
    for (const std::size_t k : {i, i + 1}) {
      if (h.readings[i].second + h.readings[i + 1].second - h.readings[k].second <= 0)
        out.push_back(h.readings[k].first);
    }
  }
  return out.empty() ? "-" : fmt::format("{}", fmt::join(out, " "));
}

std::string ranked_section(const question::Question& q, const Answer& a) {
  std::vector<Row> rows = {
      {"", "hypothesis", "agrees", "probability", "closest", "only if", "verdict"}};
  std::size_t n = 0;
  for (const std::size_t i : a.order) {
    const Assessed& h = a.hypotheses[i];
    const bool consistent = h.agrees();
    std::string verdict = name_of(h.standing());
    if (h.standing() == Standing::excluded || h.standing() == Standing::not_found) {
      const auto& worst = q.observations.observations[h.runs->outcomes()[h.closest].best().worst];
      verdict = miss_text(h, worst.id);
    } else if (!consistent) {
      verdict += " (inequality above)";
    }
    rows.push_back(
        {fmt::format("{}", ++n), h.hypothesis->id, evidence_text(h.evidence[as_declared]),
         consistent ? fmt::format("{:.2f} +- {:.2f}", h.posterior.probability, h.posterior.error)
                    : "-",
         fmt::format("{:.2f}", h.closest_miss()), needed_readings(h), verdict});
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
         "Probability: if all were as likely before. Only if: readings that it needs.\n" +
         only + "\n" + aligned(rows, {true, false, false, false, true, false, false}, "");
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

std::string answer_text(const lab::Laboratory& laboratory, const Answer& a) {
  const question::Question& q = laboratory.question();
  std::string out = heading(laboratory, a) + arithmetic_section(q, a) + nuisances_text(q) +
                    "\nHypotheses, best last\n";
  for (auto i = a.order.rbegin(); i != a.order.rend(); ++i)
    out += hypothesis_text(q, a.hypotheses[*i]);
  return out + experiments_section(a) + tolerances_text(a) + ranked_section(q, a) + "\n" +
         conclusion_text(q, a) + "\n" + (a.budget ? budget_text(a) + "\n" : "");
}

}  // namespace horae::explain
