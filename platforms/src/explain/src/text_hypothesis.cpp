// One hypothesis as text.
#include <fmt/format.h>

#include <algorithm>

#include "text.hpp"

namespace horae::explain {
namespace {

std::string mean_text(const lab::SeedSample& s) {
  return s.there ? number_text(s.mean) : "nothing";
}

std::string parameters_text(const lab::Fitted& fitted) {
  std::string out;
  for (std::size_t i = 0; i < fitted.parameters.size(); ++i) {
    const question::ParameterSpec& p = *fitted.parameters[i];
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

std::string comparisons_text(const lab::Candidate& c) {
  std::vector<Row> rows = {
      {"observation", "kind", "ours", "spread", "published", "allowed", "unit", "tolerances"}};
  for (const auto& x : c.comparisons) {
    const auto& o = *x.observation;
    rows.push_back({o.id, x.calibrated ? "calibrated" : "predicted", mean_text(x.ours),
                    fmt::format("{:.2g}", x.ours.spread), fmt::format("{:g}", o.value),
                    fmt::format("{:g}", o.allowance()), o.unit,
                    fmt::format("{:+.2f}{}", x.allowances(), x.within() ? "" : " *")});
  }
  return aligned(rows, {false, false, true, true, true, true, false, false}, "    ");
}

std::string idle_text(const HypothesisVerdict& r) {
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

}  // namespace

std::string hypothesis_text(const question::Question& q, const HypothesisVerdict& r) {
  const question::HypothesisSpec& h = *r.hypothesis;
  const lab::Candidate& c = r.best().best();
  std::string out = fmt::format("\n{}: {}\n", h.id.value, h.title);
  if (!h.mechanism.empty()) out += fmt::format("  {}\n", h.mechanism);
  for (std::size_t v = 0; v < r.variants.size(); ++v) {
    const VariantVerdict& at = r.variants[v];
    out += fmt::format("  {}{}: {}\n", v == r.best_variant && r.variants.size() > 1 ? "best, " : "",
                       at.variant->label.value, at.verdict());
    for (std::size_t i = 1; i < at.a_priori.size(); ++i)
      out += fmt::format("    and because {}\n", at.a_priori[i]);
    if (at.a_priori.empty()) continue;
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
  if (!r.other_readings.empty() && std::none_of(r.other_readings.begin(), r.other_readings.end(),
                                                [](const auto& o) { return o.changes || o.open; }))
    out += "    the verdict holds under every single other reading\n";
  if (c.reaction == nullptr && r.best().consistent() && q.has_conditions(true))
    out += "    not tested with congestion control: there is no [[reaction]]\n";
  return out;
}

}  // namespace horae::explain
