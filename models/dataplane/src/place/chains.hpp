// How much must come after each unit (internal to the room).
#pragma once

#include <string>
#include <vector>

#include "horae/dataplane/price/price.hpp"

namespace horae::dataplane {

/// Stages that the longest chain behind each unit takes, at least. InputError when units wait for
/// each other in a circle; `design` names it.
std::vector<int> chains_behind(const DesignPrice& price, const std::string& design);

}  // namespace horae::dataplane
