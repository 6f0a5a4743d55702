// An action's statements one behind the other.
#pragma once

#include <vector>

#include "known_values.hpp"

namespace horae::p4price {

class StraightBody {
 public:
  StraightBody(const p4lang::Block& block, KnownValues& known) : block_(block), known_(known) {}

  /// The statements of a call: arguments in the place of parameters, values carried on, a branch as
  /// its statements under a predicate, which they read.
  std::vector<p4lang::Stmt> of_call(const p4lang::Function& function,
                                    const std::vector<p4lang::Expr>& arguments);

 private:
  void flatten(std::vector<p4lang::Stmt>& body, Values& values, std::vector<p4lang::Stmt>& out);

  const p4lang::Block& block_;
  KnownValues& known_;
};

}  // namespace horae::p4price
