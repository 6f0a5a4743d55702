// A condition of the source as a gateway compares it.
#pragma once

#include <string>

#include "horae/dataplane/chip_spec.hpp"
#include "horae/dataplane/design/design.hpp"
#include "horae/p4lang/program.hpp"

namespace horae::p4price {

struct GatewayCondition {
  dataplane::ConditionSpec spec;
  std::string refused;  ///< why no gateway makes it, and what would do; empty: one does
  bool exact = true;    ///< false: `spec` is of the same width, not of the same form
};

/// `cases`: of a switch over a value, how many values it tells apart.
GatewayCondition condition_of(const p4lang::Expr& condition, std::size_t cases,
                              const dataplane::ChipSpec& chip);

}  // namespace horae::p4price
