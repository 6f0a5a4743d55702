// What a fit makes smaller: the distance of runs from the numbers to come near to.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "horae/lab/fit.hpp"

namespace horae::lab {

/// Good enough: a residual of one per cent of the allowance.
constexpr double perfect_objective = 1e-4;

/// Evaluations of one problem. `count` sees each.
class Objective {
 public:
  Objective(const FitProblem& problem, RunStore& store, std::atomic<std::uint64_t>& count)
      : problem_(problem), store_(store), count_(count) {}

  /// The trial with these values, made at most once.
  const Trial& at(const std::vector<std::string>& values);
  const Trial& at(const std::vector<double>& positions) { return at(texts(positions)); }

  /// Values of parameters by their positions, and back.
  std::vector<std::string> texts(const std::vector<double>& positions) const;
  std::vector<double> positions(const std::vector<std::string>& values) const;

  /// Of those made; at least one is.
  const Trial& best() const { return trials_[best_]; }
  std::size_t made() const { return trials_.size(); }
  const std::deque<Trial>& trials() const { return trials_; }

 private:
  const FitProblem& problem_;
  RunStore& store_;
  std::atomic<std::uint64_t>& count_;
  std::deque<Trial> trials_;
  std::size_t best_ = 0;
};

}  // namespace horae::lab
