// Verdicts, points and the conclusion in words.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cctype>
#include <cmath>

#include "horae/explain/answer.hpp"
#include "parts.hpp"

namespace horae::explain {

std::string closest_text(const question::Question& q, const Assessed& h) {
  const lab::JointPoint& point = h.runs->point(h.closest);
  const lab::JointOutcome& outcome = h.runs->outcomes()[h.closest];
  std::vector<std::string> values;
  const auto& dimensions = h.space->dimensions();
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    if (!point.matters[d] || dimensions[d].unknown == lab::Unknown::seed) continue;
    values.push_back(fmt::format("{} = {}", dimensions[d].name, point.values[d]));
  }
  for (const auto& text : question::reading_texts(h.space->readings()[outcome.reading]))
    values.push_back(text);
  const lab::ReadOutcome& best = outcome.best();
  const auto& o = q.observations.observations[best.worst];
  const double ours = best.ours[best.worst];
  return fmt::format("{}, ours {}; closest at {}", o.id.value,
                     std::isfinite(ours) ? fmt::format("{:.4g}", ours) : "none",
                     fmt::join(values, ", "));
}

std::string miss_text(const Assessed& h, const std::string& what) {
  const std::size_t n = h.runs->outcomes().size();
  return h.standing() == Standing::excluded
             ? fmt::format("excluded: no point of {} closer than {:.2f} tolerances ({})", n,
                           h.closest_miss(), what)
             : fmt::format("not found in {} points, closest {:.2f} tolerances ({})", n,
                           h.closest_miss(), what);
}

namespace {

/// Whether the search finds what the hypothesis itself made, where that decides.
std::string own_data_text(const Assessed& h) {
  const std::size_t by = h.deciding();
  const OwnData& own = h.own_data[by];
  if (h.closest_miss() <= search_margin) return "";
  if (own.conditions == 0)
    return fmt::format("; fewer than {} points exclude nothing", PassPlan::of(0).points);
  std::vector<std::string> conditions;
  for (std::size_t s = 0; s < own.conditions; ++s)
    conditions.push_back(h.runs->stages()[s]->id.value);
  const std::string of =
      fmt::format("; of {} data of its own in {} the search{}", own.search.asked,
                  fmt::join(conditions, ", "), by == as_declared ? "" : ", at doubled tolerances,");
  if (own.search.finds()) return fmt::format("{} finds {}", of, own.search.at_least);
  return own.search.may_find()
             ? fmt::format("{} is known to find {}, too few to exclude it", of, own.search.at_least)
             : fmt::format("{} finds {} at most, too few to exclude it", of, own.search.at_most);
}

/// Words on the points of a hypothesis that arithmetic excludes.
std::string trait_text(const Assessed& h) {
  const std::size_t n = h.runs->outcomes().size();
  return h.closest_miss() <= 1
             ? fmt::format(
                   "; simulated all the same, one of {} points agrees: serves or stalls of "
                   "the hypothesis must be wrong",
                   n)
             : fmt::format(
                   "; simulated all the same, no point of {} is closer than {:.2f} "
                   "tolerances",
                   n, h.closest_miss());
}

std::string in_words(std::size_t n) {
  static constexpr std::array<const char*, 13> words = {"no",   "one",    "two",   "three", "four",
                                                        "five", "six",    "seven", "eight", "nine",
                                                        "ten",  "eleven", "twelve"};
  return n < words.size() ? words[n] : fmt::format("{}", n);
}

std::string capital(std::string text) {
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

/// "all seven numbers", "two of three numbers".
std::string numbers_text(const question::Question& q) {
  const std::size_t all = q.observations.observations.size(), left = untested(q).size();
  if (left > 0) return fmt::format("{} of {} numbers", in_words(all - left), in_words(all));
  return all == 1 ? "the number" : fmt::format("all {} numbers", in_words(all));
}

/// The measurement to make first: of those that tell more than half of the pairs apart the
/// cheapest, and of those the one that tells most of them; else the one that tells most of them.
std::string measurement_text(const Answer& a) {
  const ComparedExperiment* best = nullptr;
  const auto enough = [](const ComparedExperiment& x) { return 2 * x.told_apart > x.pairs; };
  const auto better = [&](const ComparedExperiment& x) {
    if (best == nullptr || enough(x) != enough(*best)) return best == nullptr || enough(x);
    if (enough(x) && x.experiment->effort != best->experiment->effort)
      return x.experiment->effort < best->experiment->effort;
    if (x.told_apart != best->told_apart) return x.told_apart > best->told_apart;
    return x.gain.hypothesis > best->gain.hypothesis;
  };
  for (const auto& x : a.experiments) {
    if (x.told_apart > 0 && better(x)) best = &x;
  }
  if (a.compared.size() < 2 || a.experiments.empty()) return "";
  if (best == nullptr) return "; no measurement of the file tells any two of them apart";
  if (best->told_apart == best->pairs)
    return "; the cheapest measurement that tells them apart is " + best->experiment->title;
  if (enough(*best))
    return "; the cheapest measurement that tells most of them apart is " + best->experiment->title;
  return fmt::format(
      "; no measurement of the file tells most of them apart, {} tells {} of {} pairs",
      best->experiment->title, best->told_apart, best->pairs);
}

/// "H1.x, 1.4 tolerances off in nocc.tx".
std::string nearest_text(const question::Question& q, const Assessed& h) {
  const auto& worst = q.observations.observations[h.runs->outcomes()[h.closest].best().worst];
  return fmt::format("{}, {:.2f} tolerances off in {}", h.hypothesis->id.value, h.closest_miss(),
                     worst.id.value);
}

}  // namespace

std::string verdict_text(const question::Question& q, const Assessed& h) {
  switch (h.standing()) {
    case Standing::consistent:
      return "consistent";
    case Standing::impossible:
      return "impossible: " + h.impossible[as_declared] + trait_text(h);
    case Standing::not_found:
    case Standing::excluded:
      break;
  }
  return miss_text(h, closest_text(q, h)) + own_data_text(h);
}

std::string conclusion_text(const question::Question& q, const Answer& a) {
  std::size_t agree = 0, spaces = 0, not_found = 0;
  const std::string* only = nullptr;
  for (const auto& h : a.hypotheses) {
    not_found += h.standing() == Standing::not_found && !h.hypothesis->space();
    if (!h.agrees()) continue;
    ++(h.hypothesis->space() ? spaces : agree);
    only = &h.hypothesis->id.value;
  }
  const std::string numbers = numbers_text(q);
  if (only == nullptr) {
    const Assessed& first = a.hypotheses[a.order.front()];
    const std::string said =
        not_found > 0 ? "No mechanism was found that agrees with " : "No mechanism agrees with ";
    return said + numbers + "; nearest is " + nearest_text(q, first) + ".";
  }
  std::string who = agree == 1 ? "one mechanism" : in_words(agree) + " mechanisms";
  if (spaces > 0)
    who =
        agree == 0
            ? (spaces == 1 ? "one space of mechanisms" : in_words(spaces) + " spaces of mechanisms")
            : who + (spaces == 1 ? " and a space of combinations"
                                 : fmt::format(" and {} spaces of combinations", in_words(spaces)));
  std::string out =
      capital(who) + (agree + spaces == 1 ? " agrees with " : " agree with ") + numbers;
  if (agree + spaces == 1) out += ": " + *only;
  if (not_found > 0) {
    out += fmt::format(" ({} more {} not found in {} points and may agree)", in_words(not_found),
                       not_found == 1 ? "was" : "were", a.plan.points);
  }
  return out + measurement_text(a) + ".";
}

std::string budget_text(const Answer& a) {
  const auto& budget = *a.budget;
  std::string out =
      fmt::format("verdicts are of a search of at most {} points of a hypothesis", a.plan.points);
  if (budget.cut == 0)
    return out + fmt::format(", which ended within {:g} minutes", budget.minutes);
  return out + fmt::format(
                   ": that of {} did not end within {:g} minutes. `--points {}` gives them "
                   "again",
                   budget.cut, budget.minutes, a.plan.points);
}

}  // namespace horae::explain
