// A time for people.
#pragma once

#include <string>

#include "horae/core/units.hpp"

namespace horae::cli {

/// Six digits in the unit that suits them; the summary has every picosecond.
std::string rounded(Picoseconds time);

}  // namespace horae::cli
