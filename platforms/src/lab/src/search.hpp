// NLopt over the parameters of a problem.
#pragma once

#include <nlopt.h>

#include <cstddef>
#include <exception>
#include <memory>
#include <vector>

#include "objective.hpp"

namespace horae::lab {

/// One search of NLopt over the positions, within a number of new evaluations.
class Search {
 public:
  Search(Objective& objective, nlopt_algorithm algorithm, std::size_t dimensions,
         std::size_t budget);

  /// Whether it came to an end by itself. Throws what an evaluation threw.
  bool from(std::vector<double> start);

 private:
  static double evaluate(unsigned n, const double* x, double*, void* self) {
    return static_cast<Search*>(self)->evaluate({x, x + n});
  }
  double evaluate(const std::vector<double>& positions);

  Objective& objective_;
  std::size_t until_;
  std::size_t calls_left_;
  std::unique_ptr<nlopt_opt_s, void (*)(nlopt_opt)> opt_;
  std::exception_ptr failure_;
};

}  // namespace horae::lab
