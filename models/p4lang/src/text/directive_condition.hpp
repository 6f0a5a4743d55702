// Conditions of #if (internal to the room).
#pragma once

#include <optional>
#include <vector>

#include "macros.hpp"

namespace horae::p4lang {

/// The value of a condition: whole numbers of 64 bits, names that are no macro are 0. `line` is
/// what follows #if; `where` its place. Nothing, and a fault, where it is no condition.
std::optional<bool> condition_holds(const std::vector<Token>& line, const Place& where,
                                    const Macros& macros, Expander& expander, Report& report);

}  // namespace horae::p4lang
