// The version every result carries.
#pragma once

#include <string>

#include "horae/core/cxx20.hpp"

namespace horae::results {

/// "0.1.0+<commit>" of the sources this was built from, or "0.1.0" outside a git checkout.
std::string version();

}  // namespace horae::results
