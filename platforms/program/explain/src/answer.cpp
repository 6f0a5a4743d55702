#include "horae/explain/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "earlier.hpp"
#include "horae/core/error.hpp"
#include "parts.hpp"

namespace horae::explain {
namespace {

/// A trait that makes a hypothesis impossible is checked with so many points, the first of a
/// search.
constexpr std::size_t points_of_impossible = 32;
/// Hypotheses that are compared where none is consistent.
constexpr std::size_t nearest_compared = 6;

inference::Space space_of(const lab::JointSpace& space) {
  inference::Space out;
  for (const auto& d : space.dimensions())
    out.push_back({d.name, static_cast<std::uint32_t>(d.choices.size())});
  return out;
}

/// One pass with at most `points` of its points. `starts` are looked at beside them where no point
/// of its sample agrees.
void make_pass(const question::Question& q, const PassPlan& plan, std::size_t points,
               const std::vector<inference::Position>& starts, Assessed& h) {
  const std::size_t k = h.passes.size();
  std::string stream = "explain." + h.hypothesis->id.value;
  if (k > 0) stream += fmt::format(".{}", k + 1);
  SearchPass& pass = h.passes.emplace_back();
  pass.first = h.evaluated.size();
  pass.whole = points >= plan.points;
  inference::SamplerPlan s;
  s.points = std::min(points, plan.points - plan.descent());
  s.population = plan.population;
  s.accepted = plan.population;
  s.seed = q.seed;
  s.stream = stream;
  pass.sampled = inference::sample(h.dimensions, s,
                                   [&](const auto& positions) { return look_at(h, positions); });
  if (!pass.sampled.reached()) {
    look_at(h, starts);
    descend(q, points - s.points, stream + ".descent", h);
  }
  h.closest = h.runs->find_closest();
  if (pass.whole) ask_own_data(q, h);
}

/// The pass that evidence and ranges are of: the longest of those whose sample came within the
/// tolerances; where none did, the one that leaves the least share to be found.
std::size_t best_pass(const std::vector<SearchPass>& passes) {
  const auto key = [](const SearchPass& p) {
    return p.sampled.reached() ? static_cast<double>(p.sampled.evaluations.size())
                               : -inference::evidence_of(p.sampled).at_most;
  };
  const auto best = std::max_element(passes.begin(), passes.end(),
                                     [&](const auto& a, const auto& b) { return key(a) < key(b); });
  return static_cast<std::size_t>(best - passes.begin());
}

void search(lab::Laboratory& laboratory, std::size_t points, const EarlierPoints& earlier,
            Assessed& h) {
  const question::Question& q = laboratory.question();
  h.space = std::make_unique<lab::JointSpace>(q, *h.hypothesis);
  h.dimensions = space_of(*h.space);
  h.runs = std::make_unique<lab::JointRuns>(laboratory, *h.space, h.hypothesis->id.value);
  if (h.runs->stages().empty())
    throw InputError(
        fmt::format("{}: every condition is with a reaction, but {} has no [[reaction]]",
                    q.observations_path, q.hypotheses_path));
  for (const std::size_t most : passes_of(points)) {
    const std::size_t k = h.passes.size();
    make_pass(q, PassPlan::of(k), most,
              k == 0 ? earlier.of(*h.space) : std::vector<inference::Position>{}, h);
  }
  h.chosen = best_pass(h.passes);
}

/// Those with evidence first, the most of it; then by the closest point; the impossible last.
std::vector<std::size_t> ranked(const std::vector<Assessed>& all) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) {
    const Assessed& h = all[i];
    return std::pair{static_cast<int>(h.standing()),
                     h.agrees() ? -h.evidence[as_declared].share : h.closest_miss()};
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return order;
}

void compare_evidence(std::vector<Assessed>& all) {
  std::vector<inference::Evidence> evidences;
  for (const auto& h : all)
    evidences.push_back(h.agrees() ? h.evidence[as_declared] : inference::Evidence{0, 0, 0, 0});
  const auto posteriors = inference::compare(evidences);
  for (std::size_t i = 0; i < posteriors.size(); ++i) all[i].posterior = posteriors[i];
}

std::vector<std::size_t> compared(const Answer& a, std::size_t most) {
  const auto with = [&](const auto& wanted) {
    std::vector<std::size_t> out;
    for (const std::size_t i : a.order) {
      if (wanted(a.hypotheses[i])) out.push_back(i);
    }
    return out;
  };
  auto out = with([](const Assessed& h) { return h.agrees(); });
  if (out.empty()) {
    out = with([](const Assessed& h) { return h.standing() != Standing::impossible; });
    if (out.size() > nearest_compared) out.resize(nearest_compared);
  }
  if (most > 0 && out.size() > most) out.resize(most);
  return out;
}

}  // namespace

PassPlan PassPlan::of(std::size_t k) {
  // As many points in the first as a quick look at sixteen hypotheses allows (SearchPlan), up to
  // 1000 with the second, then eight times as many each. Populations are of a power of two points,
  // which fill a space best, and of 20 or more, of which own data can be asked.
  constexpr PassPlan first{160, 32}, second{1000 - first.points, 128};
  if (k == 0) return first;
  PassPlan out = second;
  if (k > 1) out.points = 7 * 1000 * (std::size_t{1} << (3 * (k - 2)));
  return out;
}

std::vector<std::size_t> passes_of(std::size_t points) {
  constexpr std::size_t least = 8;
  std::vector<std::size_t> out;
  while (out.empty() || points >= least) {
    out.push_back(std::min(points, PassPlan::of(out.size()).points));
    points -= out.back();
  }
  return out;
}

SearchPlan SearchPlan::of(const question::ExplainRequest& request) {
  SearchPlan plan = request.quick ? SearchPlan{PassPlan::of(0).points, 12} : SearchPlan{1000, 32};
  if (request.points != 0) plan.points = request.points;
  return plan;
}

std::string name_of(Standing standing) {
  return standing == Standing::consistent  ? "consistent"
         : standing == Standing::not_found ? "not found"
         : standing == Standing::excluded  ? "excluded"
                                           : "impossible";
}

std::size_t Assessed::deciding(std::size_t factor) const {
  const auto from = own_data.begin() + static_cast<std::ptrdiff_t>(factor);
  const auto first =
      std::find_if(from, own_data.end(), [](const OwnData& own) { return own.excludes(); });
  return first == own_data.end() ? factor : static_cast<std::size_t>(first - own_data.begin());
}

Standing Assessed::standing(std::size_t factor) const {
  if (!impossible[factor].empty()) return Standing::impossible;
  if (closest_miss() <= tolerance_factors[factor]) return Standing::consistent;
  const std::size_t by = deciding(factor);
  return own_data[by].excludes() && closest_miss() > search_margin * tolerance_factors[by]
             ? Standing::excluded
             : Standing::not_found;
}

bool Assessed::anything_open() const {
  const auto& dimensions = space->dimensions();
  return space->readings().size() > 1 ||
         std::any_of(dimensions.begin(), dimensions.end(),
                     [](const auto& d) { return d.unknown != lab::Unknown::seed; });
}

namespace {

Answer answer_of(lab::Laboratory& laboratory, const SearchPlan& plan) {
  const question::Question& q = laboratory.question();
  Answer a;
  a.plan = plan;
  a.senders = all_senders(q);
  const EarlierPoints earlier = q.request.from ? EarlierPoints(*q.request.from) : EarlierPoints();
  for (const auto& hypothesis : q.hypotheses.hypotheses) {
    Assessed& h = a.hypotheses.emplace_back();
    h.hypothesis = &hypothesis;
    h.impossible = impossibilities(q, hypothesis);
    // A hypothesis that no tolerance considered here makes possible is still simulated, with few
    // points.
    const bool possible = h.impossible.back().empty();
    search(laboratory, possible ? a.plan.points : std::min(a.plan.points, points_of_impossible),
           earlier, h);
    conclude(laboratory, h);
  }
  compare_evidence(a.hypotheses);
  a.order = ranked(a.hypotheses);
  a.compared = compared(a, q.request.survivors);
  a.experiments = run_experiments(laboratory, a);
  a.curves = run_curves(laboratory, a);
  const auto taken = std::chrono::steady_clock::now() - q.asked;
  a.wall_seconds = std::chrono::duration<double>(taken).count();
  return a;
}

/// Ever larger searches, each of which begins with the one before, whose runs are there: the last
/// one that ends in time.
Answer answer_in_time(lab::Laboratory& laboratory, const SearchPlan& most, double minutes) {
  constexpr std::size_t least = 8;
  const auto deadline =
      laboratory.question().asked + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                        std::chrono::duration<double>(60 * minutes));
  laboratory.end_by(deadline);
  std::optional<Answer> last;
  SearchPlan plan = most;
  for (plan.points = std::min(least, most.points);;
       plan.points = std::min(2 * plan.points, most.points)) {
    try {
      last = answer_of(laboratory, plan);
    } catch (const results::OutOfTime&) {
      if (!last)
        throw InputError(fmt::format(
            "--minutes {:g}: the least search, of {} points of a hypothesis, has not ended; it had "
            "made {} runs. Expected more minutes, fewer hypotheses (--only), or --store, with "
            "which "
            "a next try goes on",
            minutes, plan.points, laboratory.runs().records().size()));
      last->budget = TimeBudget{minutes, plan.points};
      break;
    }
    last->budget = TimeBudget{minutes, 0};
    if (plan.points == most.points) break;
  }
  laboratory.end_by({});
  return std::move(*last);
}

}  // namespace

Answer find_answer(lab::Laboratory& laboratory) {
  const auto& request = laboratory.question().request;
  const SearchPlan plan = SearchPlan::of(request);
  return request.minutes ? answer_in_time(laboratory, plan, *request.minutes)
                         : answer_of(laboratory, plan);
}

}  // namespace horae::explain
