#include "search.hpp"

#include "horae/core/error.hpp"

namespace horae::lab {

Search::Search(Objective& objective, nlopt_algorithm algorithm, std::size_t dimensions,
               std::size_t budget)
    : objective_(objective),
      until_(objective.made() + budget),
      calls_left_(20 * budget + 20),
      opt_(nlopt_create(algorithm, static_cast<unsigned>(dimensions)), nlopt_destroy) {
  constexpr double first_step = 0.1, finest = 2e-3, flat = 1e-3;
  if (!opt_) throw ModelError("no memory for an optimiser");
  nlopt_set_min_objective(opt_.get(), &Search::evaluate, this);
  nlopt_set_lower_bounds1(opt_.get(), 0.0);
  nlopt_set_upper_bounds1(opt_.get(), 1.0);
  nlopt_set_initial_step1(opt_.get(), first_step);
  nlopt_set_xtol_abs1(opt_.get(), finest);
  nlopt_set_ftol_abs(opt_.get(), flat);
  nlopt_set_stopval(opt_.get(), perfect_objective);
}

bool Search::from(std::vector<double> start) {
  double value = 0;
  const nlopt_result result = nlopt_optimize(opt_.get(), start.data(), &value);
  if (failure_) std::rethrow_exception(failure_);
  return result != NLOPT_FORCED_STOP;
}

// No exception may pass through NLopt.
double Search::evaluate(const std::vector<double>& positions) {
  if (objective_.made() >= until_ || calls_left_-- == 0 || failure_) {
    nlopt_force_stop(opt_.get());
    return objective_.best().objective;
  }
  try {
    return objective_.at(positions).objective;
  } catch (...) {
    failure_ = std::current_exception();
    nlopt_force_stop(opt_.get());
    return 0;
  }
}

}  // namespace horae::lab
