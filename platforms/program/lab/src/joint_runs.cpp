#include "horae/lab/joint_runs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace horae::lab {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

bool observed(const question::Question& q, const question::ConditionSpec& condition) {
  return std::any_of(q.observations.observations.begin(), q.observations.observations.end(),
                     [&](const auto& o) { return o.needs(condition.id.value); });
}

}  // namespace

double JointOutcome::share_within(double tolerances) const {
  const auto n = std::count_if(read.begin(), read.end(),
                               [&](const ReadOutcome& r) { return r.miss <= tolerances; });
  return static_cast<double>(n) / static_cast<double>(read.size());
}

JointRuns::JointRuns(Laboratory& laboratory, const JointSpace& space, std::string title)
    : laboratory_(laboratory), space_(space), title_(std::move(title)) {
  const question::Question& q = laboratory_.question();
  for (const bool reaction : {false, true}) {
    if (reaction && q.hypotheses.reactions.empty()) continue;
    for (const auto& c : q.observations.conditions) {
      if (c.reaction == reaction && observed(q, c)) stages_.push_back(&c);
    }
  }
}

RunRequest JointRuns::request(std::size_t i, const question::ConditionSpec& condition,
                              const std::vector<std::string>& more) const {
  return {points_[i].setting(condition, more),
          "hypothesis '" + space_.hypothesis().id.value + "', " + condition.id.value,
          space_.hypothesis().id.where};
}

std::size_t JointRuns::stage_of(const question::ObservationSpec& observation) const {
  for (std::size_t s = stages_.size(); s > 0; --s) {
    if (observation.needs(stages_[s - 1]->id.value)) return s - 1;
  }
  return stages_.size();
}

double JointRuns::run_value(std::size_t i, const std::string& condition,
                            const std::string& metric) {
  const auto* spec = laboratory_.question().observations.find_condition(condition);
  return laboratory_.run(request(i, *spec)).value(metric);
}

double JointRuns::value_of(std::size_t i, const question::ObservationSpec& published,
                           const question::Readings& readings) {
  const std::string metric = question::metric_of(published.quantity, readings);
  const double ours = run_value(i, published.condition, metric);
  return published.relative_to ? ours / run_value(i, *published.relative_to, metric) : ours;
}

void JointRuns::compare(std::size_t i, std::size_t stage) {
  const auto& observations = laboratory_.question().observations.observations;
  JointOutcome& outcome = outcomes_[i];
  for (std::size_t r = 0; r < outcome.read.size(); ++r) {
    ReadOutcome& read = outcome.read[r];
    for (std::size_t o = 0; o < observations.size(); ++o) {
      const question::ObservationSpec& published = observations[o];
      if (stage_of(published) != stage) continue;
      const double ours = value_of(i, published, space_.readings()[r]);
      const double miss = published.miss(ours);
      read.ours[o] = ours;
      read.misses[o] = std::isfinite(miss) ? std::clamp(miss, -most, most) : most;
      if (std::abs(read.misses[o]) <= read.miss) continue;
      read.miss = std::abs(read.misses[o]);
      read.worst = o;
    }
  }
  outcome.reading = 0;
  for (std::size_t r = 1; r < outcome.read.size(); ++r) {
    if (outcome.read[r].miss < outcome.best().miss) outcome.reading = r;
  }
  ++outcome.stages;
}

void JointRuns::run_stage(std::size_t stage, const std::vector<std::size_t>& which) {
  std::vector<RunRequest> requests;
  for (const std::size_t i : which) requests.push_back(request(i, *stages_[stage]));
  laboratory_.run_all(requests, title_ + ", " + stages_[stage]->id.value);
  for (const std::size_t i : which) compare(i, stage);
}

std::vector<double> JointRuns::distances(const std::vector<std::vector<double>>& positions) {
  const std::size_t first = points_.size();
  const std::size_t observations = laboratory_.question().observations.observations.size();
  for (const auto& p : positions) {
    points_.push_back(space_.at(p));
    const ReadOutcome open{std::vector<double>(observations, none),
                           std::vector<double>(observations, none), 0, 0};
    outcomes_.push_back({std::vector<ReadOutcome>(space_.readings().size(), open), 0, 0});
  }
  std::vector<std::size_t> going(positions.size());
  std::iota(going.begin(), going.end(), first);
  for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
    run_stage(stage, going);
    std::erase_if(going, [&](std::size_t i) { return outcomes_[i].miss() > passing; });
  }
  std::vector<double> out;
  for (std::size_t i = first; i < points_.size(); ++i) {
    const auto missing = static_cast<double>(stages_.size() - outcomes_[i].stages);
    out.push_back(missing * (most + 1) + outcomes_[i].miss());
  }
  return out;
}

void JointRuns::run_on(const std::vector<std::size_t>& points, std::size_t stages,
                       const std::function<bool(const JointOutcome&)>& keep) {
  for (std::size_t stage = 0; stage < stages; ++stage) {
    std::vector<std::size_t> which;
    for (const std::size_t i : points) {
      if (outcomes_[i].stages == stage && keep(outcomes_[i])) which.push_back(i);
    }
    run_stage(stage, which);
  }
}

std::size_t JointRuns::find_closest() {
  // At a time, more and more: few runs that turn out to be needless.
  constexpr std::size_t first_batch = 4, largest_batch = 32;
  for (std::size_t batch = first_batch;; batch = std::min(2 * batch, largest_batch)) {
    double least = std::numeric_limits<double>::infinity();
    std::size_t closest = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (!whole(i) || outcomes_[i].miss() >= least) continue;
      least = outcomes_[i].miss();
      closest = i;
    }
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (!whole(i) && outcomes_[i].miss() < least) open.push_back(i);
    }
    if (open.empty()) return closest;
    std::stable_sort(open.begin(), open.end(), [&](std::size_t a, std::size_t b) {
      return outcomes_[a].miss() < outcomes_[b].miss();
    });
    if (open.size() > batch) open.resize(batch);
    // Condition by condition: a miss there may say enough.
    for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
      std::vector<std::size_t> which;
      for (const std::size_t i : open) {
        if (outcomes_[i].stages == stage && outcomes_[i].miss() < least) which.push_back(i);
      }
      run_stage(stage, which);
      if (stage + 1 < stages_.size()) continue;
      for (const std::size_t i : open) {
        if (whole(i)) least = std::min(least, outcomes_[i].miss());
      }
    }
  }
}

}  // namespace horae::lab
