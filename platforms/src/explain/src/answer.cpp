#include "horae/explain/answer.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>

#include "horae/explain/assess.hpp"

namespace horae::explain {
namespace {

std::vector<std::optional<SenderFacts>> facts_by_variant(const question::Question& q) {
  const auto set = question::texts_of(q.observations.conditions.front().set);
  std::vector<std::optional<SenderFacts>> out;
  for (const auto& v : q.hypotheses.variants) {
    const question::Setting setting{set, q.seed};
    out.push_back(SenderFacts::of(q.platform.read(setting.with(question::texts_of(v.set)))));
  }
  return out;
}

void find_ranges(lab::Laboratory& laboratory, std::vector<HypothesisVerdict>& hypotheses) {
  std::vector<lab::Candidate*> best;
  for (auto& h : hypotheses) best.push_back(&h.variants[h.best_variant].best());
  laboratory.find_ranges(best);
}

std::vector<std::size_t> choose_survivors(const Answer& a, std::size_t most) {
  std::vector<std::size_t> out;
  for (const std::size_t i : a.order) {
    if (a.hypotheses[i].best().consistent()) out.push_back(i);
  }
  // None: the best few, those that arithmetic excludes last, so that experiments say at least what
  // would tell them apart.
  const auto add = [&](bool possible) {
    for (const std::size_t i : a.order) {
      if (a.hypotheses[i].best().a_priori.empty() == possible) out.push_back(i);
    }
  };
  if (out.empty()) add(true);
  if (out.empty()) add(false);
  if (out.size() > most) out.resize(most);
  return out;
}

/// Means over the seeds of every "senders.idle_CAUSE" that the runs of a candidate have.
std::vector<IdleShares> idle_shares(lab::Laboratory& laboratory, const lab::Candidate& c) {
  constexpr std::string_view prefix = "senders.idle_";
  std::vector<IdleShares> out;
  for (const auto& condition : laboratory.question().observations.conditions) {
    const auto ran = std::any_of(c.comparisons.begin(), c.comparisons.end(), [&](const auto& x) {
      return x.observation->condition.value == condition.id.value;
    });
    if (!ran) continue;
    IdleShares idle{condition.id, {}};
    const Location& where = c.hypothesis->id.where;
    const auto set = c.overrides(condition);
    const auto requests = laboratory.over_seeds(set, c.title(), where);
    for (const auto& [name, value] : laboratory.run(requests.front()).results) {
      if (!name.starts_with(prefix)) continue;
      const lab::SeedSample s = laboratory.sample(set, name, c.title(), where);
      if (s.there) idle.causes.emplace_back(name.substr(prefix.size()), s.mean);
    }
    out.push_back(std::move(idle));
  }
  return out;
}

void flip_readings(lab::Laboratory& laboratory, std::vector<HypothesisVerdict>& hypotheses) {
  for (const auto& [name, readings] : laboratory.question().open_readings()) {
    const auto others = reread(laboratory, hypotheses, name, readings);
    for (std::size_t i = 0; i < others.size(); ++i)
      hypotheses[i].other_readings.push_back(others[i]);
  }
}

}  // namespace

Answer find_answer(lab::Laboratory& laboratory) {
  const question::Question& q = laboratory.question();
  Answer a;
  a.facts = facts_by_variant(q);
  a.hypotheses = assess(laboratory, Pass::all(q));
  a.order = order_hypotheses(a.hypotheses);
  find_ranges(laboratory, a.hypotheses);
  a.survivors = choose_survivors(a, q.request.survivors);
  flip_readings(laboratory, a.hypotheses);
  for (auto& h : a.hypotheses) h.idle = idle_shares(laboratory, h.best().best());
  Survivors survivors;
  for (const std::size_t i : a.survivors) survivors.push_back(&a.hypotheses[i].best().best());
  a.experiments = run_experiments(laboratory, survivors);
  a.curves = run_curves(laboratory, survivors);
  const auto taken = std::chrono::steady_clock::now() - q.asked;
  a.wall_seconds = std::chrono::duration<double>(taken).count();
  return a;
}

}  // namespace horae::explain
