// How far the points of a joint space are from what was observed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "horae/lab/joint_space.hpp"
#include "horae/lab/laboratory.hpp"

namespace horae::lab {

/// How a point compares with the observations under one reading.
struct ReadOutcome {
  std::vector<double> ours;    ///< by observation; NaN: not run, or the run gave nothing
  std::vector<double> misses;  ///< ObservationSpec::miss of ours; NaN: not run
  double miss = 0;             ///< the greatest of them, without sign
  std::size_t worst = 0;       ///< the observation that it is of
};

/// How a point compares under every reading of its space.
struct JointOutcome {
  std::vector<ReadOutcome> read;  ///< by reading
  std::size_t stages = 0;         ///< conditions that ran
  std::size_t reading = 0;        ///< the one with the least miss, the first of equals

  const ReadOutcome& best() const { return read[reading]; }
  /// The least over readings: a lower bound unless all conditions ran.
  double miss() const { return best().miss; }
  /// The share of readings under which it is within some tolerances.
  double share_within(double tolerances) const;
};

/// Runs the points of a hypothesis condition by condition, those without reaction first. A point
/// that under every reading misses an observation of a condition by more than `passing` tolerances
/// does not run the next.
class JointRuns {
 public:
  /// Tolerances up to which a point goes on: conclusions hold for tolerances up to so many times
  /// those declared.
  static constexpr double passing = 2;
  /// Miss of a run without results, in tolerances; no miss counts as more.
  static constexpr double most = 999;

  /// `title` begins progress lines. Laboratory and space outlive it.
  JointRuns(Laboratory& laboratory, const JointSpace& space, std::string title);

  /// The staged distances of positions, in their order: the miss where every condition ran; more
  /// than that of any such point where not, by the conditions that are missing. Outcomes are added
  /// in the same order.
  std::vector<double> distances(const std::vector<std::vector<double>>& positions);
  /// Outcomes of all positions so far.
  const std::vector<JointOutcome>& outcomes() const { return outcomes_; }
  const JointPoint& point(std::size_t i) const { return points_[i]; }
  const JointSpace& space() const { return space_; }
  /// The conditions that run, in their order.
  const std::vector<const question::ConditionSpec*>& stages() const { return stages_; }
  /// The place in `stages` of the condition that decides an observation: of one that is relative to
  /// another condition, the later of the two.
  std::size_t stage_of(const question::ObservationSpec& observation) const;
  /// The run of a point in a condition, with `more` on top of everything.
  RunRequest request(std::size_t i, const question::ConditionSpec& condition,
                     const std::vector<std::string>& more = {}) const;
  bool whole(std::size_t i) const { return outcomes_[i].stages == stages_.size(); }

  /// Runs what is left of points until none that is not whole could be the closest: the least miss
  /// of all points is then known. Its index.
  std::size_t find_closest();

  /// Runs points on in the first `stages` conditions, one after the other, each as long as `keep`
  /// holds of what it has shown so far.
  void run_on(const std::vector<std::size_t>& points, std::size_t stages,
              const std::function<bool(const JointOutcome&)>& keep);

 private:
  void run_stage(std::size_t stage, const std::vector<std::size_t>& which);
  void compare(std::size_t i, std::size_t stage);
  /// The published quantity at a point under a reading; NaN where a run did not give it.
  double value_of(std::size_t i, const question::ObservationSpec& published,
                  const question::Readings& readings);
  double run_value(std::size_t i, const std::string& condition, const std::string& metric);

  Laboratory& laboratory_;
  const JointSpace& space_;
  std::string title_;
  std::vector<const question::ConditionSpec*> stages_;
  std::vector<JointPoint> points_;
  std::vector<JointOutcome> outcomes_;
};

}  // namespace horae::lab
