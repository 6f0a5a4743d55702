// What arithmetic says of a hypothesis whatever its settings are.
#include <fmt/format.h>

#include <algorithm>

#include "horae/explain/arithmetic.hpp"
#include "infer_parts.hpp"

namespace horae::explain {
namespace {

using Texts = std::vector<std::string>;

Texts joined(Texts a, const Texts& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

bool same(const SenderFacts& a, const SenderFacts& b) {
  return a.line_gbps == b.line_gbps && a.senders == b.senders &&
         a.payload_bytes == b.payload_bytes && a.frame_bytes == b.frame_bytes;
}

/// Senders under every combination of the nuisances that change them, each once; empty where some
/// platform has none.
std::vector<SenderFacts> all_facts(const question::Question& q,
                                   const question::HypothesisSpec& hypothesis) {
  const auto base = question::texts_of(q.observations.conditions.front().set);
  const auto facts_at = [&](const Texts& nuisances) {
    const auto set = joined(joined(base, nuisances), question::texts_of(hypothesis.set));
    return SenderFacts::of(q.platform.read({set, q.seed}));
  };
  const auto first = facts_at({});
  if (!first) return {};
  std::vector<Texts> combinations = {{}};
  for (const auto& n : q.hypotheses.nuisances) {
    if (!n.choice()) continue;
    std::vector<Texts> more;
    bool changes = false;
    for (const auto& value : n.values) {
      const auto overrides = n.overrides(value);
      const auto facts = facts_at(overrides);
      if (!facts) return {};
      changes = changes || !same(*facts, *first);
      for (const auto& c : combinations) more.push_back(joined(c, overrides));
    }
    if (changes) combinations = std::move(more);
  }
  std::vector<SenderFacts> out;
  for (const auto& c : combinations) {
    const auto facts = facts_at(c);
    if (!facts) return {};
    const bool there =
        std::any_of(out.begin(), out.end(), [&](const auto& f) { return same(f, *facts); });
    if (!there) out.push_back(*facts);
  }
  return out;
}

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
  const auto facts = all_facts(q, hypothesis);
  const auto readings = all_readings(q);
  for (std::size_t i = 0; i < tolerance_factors.size(); ++i) {
    double nearest = -1;
    std::string why;
    for (const auto& f : facts) {
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
