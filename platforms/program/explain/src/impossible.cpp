// Statements of arithmetic on a hypothesis that hold for all of its settings.
#include <fmt/format.h>

#include <algorithm>

#include "horae/explain/arithmetic.hpp"
#include "parts.hpp"

namespace horae::explain {
namespace {

/// Every combination of readings that is open.
std::vector<question::Readings> all_readings(const question::Question& q) {
  std::vector<question::Readings> out = {q.request.readings};
  for (const auto& [text, other] : question::flipped(q.request.readings)) {
    const std::string name = text.substr(0, text.find('=') + 1);
    const auto& fixed = q.request.fixed_readings;
    if (std::any_of(fixed.begin(), fixed.end(),
                    [&](const std::string& f) { return f.starts_with(name); }))
      continue;
    const std::size_t n = out.size();
    for (std::size_t i = 0; i < n; ++i) {
      question::Readings turned = out[i];
      question::select_reading(turned, text);
      out.push_back(turned);
    }
  }
  return out;
}

}  // namespace

std::array<std::string, tolerance_factors.size()> impossibilities(
    const question::Question& q, const question::HypothesisSpec& hypothesis) {
  std::array<std::string, tolerance_factors.size()> out;
  const auto senders = all_senders(q, question::texts_of(hypothesis.set));
  const auto readings = all_readings(q);
  for (std::size_t i = 0; i < tolerance_factors.size(); ++i) {
    double nearest = -1;
    std::string why;
    for (const auto& [setting, f] : senders) {
      for (const auto& r : readings) {
        const auto all = exclusions(hypothesis, {q.observations, r, f, tolerance_factors[i]});
        if (all.empty()) {
          nearest = 1;
          why.clear();
          continue;
        }
        // A combination is as far as its firmest reason.
        const auto firmest =
            std::min_element(all.begin(), all.end(),
                             [](const auto& a, const auto& b) { return a.allowed < b.allowed; });
        if (firmest->allowed <= nearest) continue;
        nearest = firmest->allowed;
        why = firmest->text;
      }
    }
    out[i] = std::move(why);
  }
  return out;
}

}  // namespace horae::explain
