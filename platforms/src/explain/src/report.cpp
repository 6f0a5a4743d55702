#include "horae/explain/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace horae::explain {
namespace {

using Row = std::vector<std::string>;

std::string number(double value) { return fmt::format("{:.4g}", value); }
std::string number(const Sample& s) { return s.there ? number(s.mean) : "nothing"; }

std::string heading_text(const Explanation& e) {
  std::string variants;
  for (const auto& v : e.hypotheses.variants)
    variants += (variants.empty() ? "" : ", ") + v.label.value;
  const unsigned last = e.seed + e.request.seeds - 1;
  std::string out = fmt::format("{}\n{}\n\n", e.observations.title, e.observations.source);
  out += fmt::format("platform      {} ({})\n", e.platform_name, e.request.platform);
  out += fmt::format("observations  {} from {}\n", e.observations.observations.size(),
                     e.observations_path);
  out += fmt::format("hypotheses    {} from {}, {} reactions\n", e.hypotheses.hypotheses.size(),
                     e.hypotheses_path, e.hypotheses.reactions.size());
  out += fmt::format("variants      {}\n", variants);
  out += fmt::format("readings      {}\n", fmt::join(reading_texts(e.request.readings), ", "));
  out += fmt::format("seeds         {} to {}; fits with {}\n", e.seed, last, e.seed);
  out += fmt::format("runs          {}\n", e.runs.records().size());
  return out;
}

std::string arithmetic_section(const Explanation& e) {
  // What is the same for several variants is said once.
  std::vector<std::pair<std::vector<std::string>, std::string>> blocks;
  for (std::size_t v = 0; v < e.hypotheses.variants.size(); ++v) {
    if (!e.facts[v]) continue;
    const SenderFacts& facts = *e.facts[v];
    auto lines = arithmetic_text(e.observations, e.hypotheses, e.request.readings, facts);
    if (lines.empty()) continue;
    const auto it = std::find_if(blocks.begin(), blocks.end(),
                                 [&](const auto& block) { return block.first == lines; });
    const std::string title = fmt::format("{} ({:.0f} B a packet on the wire)",
                                          e.hypotheses.variants[v].label.value, facts.frame_bytes);
    if (it == blocks.end()) {
      blocks.emplace_back(std::move(lines), title);
    } else {
      it->second += ", " + title;
    }
  }
  std::string out = "\nArithmetic on the published numbers, without simulation\n";
  for (const auto& [lines, title] : blocks) {
    out += fmt::format("  {}\n", title);
    for (const auto& line : lines) out += fmt::format("    {}\n", line);
  }
  return blocks.empty() ? out + "  nothing follows\n" : out;
}

std::string parameters_text(const Fitted& fitted) {
  std::string out;
  for (std::size_t i = 0; i < fitted.parameters.size(); ++i) {
    const ParameterSpec& p = *fitted.parameters[i];
    out += fmt::format("    {} = {}", p.key.value, fitted.fit.best.values[i]);
    if (i < fitted.fit.ranges.size()) {
      const auto& r = fitted.fit.ranges[i];
      out += fmt::format(", plausible {}{} to {}{}", r.low, r.low_open ? " (its bound)" : "",
                         r.high, r.high_open ? " (its bound)" : "");
    } else {
      out += ", no plausible range";
    }
    out += fmt::format("; searched {} to {}\n", p.low.value, p.high.value);
  }
  return out;
}

std::string comparisons_text(const Candidate& c) {
  std::vector<Row> rows = {
      {"observation", "kind", "ours", "spread", "published", "allowed", "unit", "tolerances"}};
  for (const auto& x : c.comparisons) {
    const auto& o = *x.observation;
    rows.push_back({o.id, x.calibrated ? "calibrated" : "predicted", number(x.ours),
                    fmt::format("{:.2g}", x.ours.spread), fmt::format("{:g}", o.value),
                    fmt::format("{:g}", o.allowance()), o.unit,
                    fmt::format("{:+.2f}{}", x.allowances(), x.within() ? "" : " *")});
  }
  return aligned(rows, {false, false, true, true, true, true, false, false}, "    ");
}

std::string idle_text(const HypothesisResult& r) {
  std::string out;
  for (const auto& idle : r.idle) {
    std::string causes;
    for (const auto& [cause, share] : idle.causes) {
      constexpr double shown = 0.0005;
      if (share >= shown) causes += fmt::format(", {} {:.3f}", cause, share);
    }
    out += fmt::format("    idle in {}: {}\n", idle.condition,
                       causes.empty() ? "none" : causes.substr(2));
  }
  return out;
}

std::string details(const Explanation& e, const HypothesisResult& r) {
  const HypothesisSpec& h = *r.hypothesis;
  const Candidate& c = r.best().best();
  std::string out = fmt::format("\n{}: {}\n", h.id.value, h.title);
  if (!h.mechanism.empty()) out += fmt::format("  {}\n", h.mechanism);
  for (std::size_t v = 0; v < r.variants.size(); ++v) {
    const VariantResult& at = r.variants[v];
    out += fmt::format("  {}{}: {}\n", v == r.best_variant && r.variants.size() > 1 ? "best, " : "",
                       at.variant->label.value, at.verdict());
    for (std::size_t i = 1; i < at.impossible.size(); ++i)
      out += fmt::format("    and because {}\n", at.impossible[i]);
    if (at.impossible.empty()) continue;
    out +=
        at.best().consistent()
            ? "    simulated all the same, it is consistent: a trait of the hypothesis must be "
              "wrong\n"
            : fmt::format("    simulated all the same: rms {:.2f} tolerances\n", at.best().rms());
  }
  if (c.reaction != nullptr)
    out += fmt::format("  with {}: {}\n", c.reaction->id.value, c.reaction->title);
  out += parameters_text(c.mechanism) + parameters_text(c.response);
  out += comparisons_text(c);
  out += idle_text(r);
  for (const auto& other : r.other_readings) {
    if (other.changes || other.open)
      out += fmt::format("    read {}: {}\n", other.reading, other.verdict);
  }
  if (std::none_of(r.other_readings.begin(), r.other_readings.end(),
                   [](const auto& o) { return o.changes || o.open; }))
    out += "    the verdict holds under every single other reading\n";
  const bool reactions_left =
      c.reaction == nullptr && r.best().consistent() &&
      std::any_of(e.observations.conditions.begin(), e.observations.conditions.end(),
                  [](const auto& x) { return x.reaction; });
  if (reactions_left) out += "    not tested with congestion control: there is no [[reaction]]\n";
  return out;
}

std::string experiment_text(const Explanation& e, const ExperimentResult& r) {
  std::string out = fmt::format("  {}: {}\n", r.experiment->id.value, r.experiment->title);
  std::vector<Row> rows(1);
  rows[0].push_back("predicted");
  for (const auto& q : r.experiment->quantities) rows[0].push_back(q);
  for (std::size_t i = 0; i < r.outcomes.size(); ++i) {
    Row row = {e.survivor_name(i)};
    for (const auto& s : r.outcomes[i]) {
      row.push_back(s.there ? fmt::format("{} ({:.2g})", number(s.mean), s.spread) : "nothing");
    }
    if (r.outcomes[i].empty()) row.push_back("not run: it has no reaction");
    rows.push_back(std::move(row));
  }
  out += aligned(rows, {false}, "    ");
  if (r.pairs.empty()) return out;
  const auto weakest =
      std::min_element(r.pairs.begin(), r.pairs.end(),
                       [](const auto& a, const auto& b) { return a.separation < b.separation; });
  return out +
         fmt::format("    {} of {} pairs separated by {:g} or more; least {:.1f} ({} and {})\n",
                     r.separated, r.pairs.size(), ExperimentResult::clear, r.least,
                     e.survivor_name(weakest->a), e.survivor_name(weakest->b));
}

std::string experiments_section(const Explanation& e) {
  if (e.experiments.empty()) return "";
  const bool consistent = e.results[e.survivors.front()].best().consistent();
  std::string out =
      fmt::format("\nExperiments that would tell {} apart\n",
                  consistent ? "the consistent ones" : "the nearest ones (none is consistent)");
  out +=
      "  separation: difference of means over the pooled spread of seeds, at least half the last\n"
      "  digit published of the quantity; in brackets the spread\n";
  if (e.survivors.size() < 2)
    out += "  one hypothesis: nothing to tell apart, only what it predicts\n";
  constexpr std::size_t shown = 3;
  for (std::size_t i = 0; i < std::min(shown, e.experiments.size()); ++i)
    out += experiment_text(e, e.experiments[i]);
  for (std::size_t i = shown; i < e.experiments.size(); ++i) {
    const auto& r = e.experiments[i];
    out += fmt::format("  {}: least separation {:.1f}, {} of {} pairs\n", r.experiment->id.value,
                       r.least, r.separated, r.pairs.size());
  }
  return out;
}

std::string ranked_table(const Explanation& e) {
  std::vector<Row> rows = {{"", "hypothesis", "rms", "parameters", "fitted", "predicted", "variant",
                            "reaction", "turns with", "verdict"}};
  for (std::size_t i = 0; i < e.order.size(); ++i) {
    const HypothesisResult& r = e.results[e.order[i]];
    const Candidate& c = r.best().best();
    const auto fitted = std::count_if(c.comparisons.begin(), c.comparisons.end(),
                                      [](const auto& x) { return x.calibrated; });
    std::string turns;
    for (const auto& other : r.other_readings) {
      if (other.changes || other.open)
        turns += (turns.empty() ? "" : " ") + other.reading + (other.open ? "?" : "");
    }
    rows.push_back(
        {fmt::format("{}", i + 1), r.hypothesis->id, fmt::format("{:.2f}", c.rms()),
         fmt::format("{}", c.parameters()), fmt::format("{}", fitted),
         fmt::format("{}", c.comparisons.size() - static_cast<std::size_t>(fitted)),
         r.best().variant->label, c.reaction == nullptr ? "-" : c.reaction->id.value,
         turns.empty() ? "-" : turns,
         r.best().impossible.empty() ? r.best().verdict() : "excluded a priori (reason above)"});
  }
  return "\nRanked: consistent first, then by how far they came, then by the root mean square of\n"
         "residual / (rounding + tolerance)\n\n" +
         aligned(rows, {true, false, true, true, true, true, false, false, false, false}, "");
}

}  // namespace

std::string aligned(const std::vector<Row>& rows, const std::vector<bool>& right,
                    const std::string& indent) {
  std::vector<std::size_t> width;
  for (const auto& row : rows) {
    width.resize(std::max(width.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line = indent;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const bool to_right = c < right.size() ? right[c] : true;
      if (c > 0) line += "  ";
      line += to_right ? fmt::format("{:>{}}", row[c], width[c])
                       : fmt::format("{:<{}}", row[c], width[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    if (&row == &rows.front() && indent.empty()) {
      std::size_t length = 0;
      for (const auto w : width) length += w + 2;
      out += std::string(length - 2, '-') + "\n";
    }
  }
  return out;
}

std::string explanation_text(const Explanation& e) {
  std::string out = heading_text(e) + arithmetic_section(e);
  out +=
      "\nHypotheses, best last (* misses by more than rounding + tolerance + twice the spread;\n"
      "plausible: where the fit's objective stays within 1 of the best along that parameter, by\n"
      "bisection; none where the best itself misses by more than the tolerances)\n";
  for (auto i = e.order.rbegin(); i != e.order.rend(); ++i) out += details(e, e.results[*i]);
  return out + experiments_section(e) + ranked_table(e);
}

}  // namespace horae::explain
