// A P4 source as designs, and the numbers in it that a search may change.
#pragma once

#include <vector>

#include "horae/size/search.hpp"
#include "horae/size/size.hpp"

namespace horae::size {

/// The designs of a P4 source, one a pipe. InputError for a source that cannot be read, or that
/// asks for what the chip cannot do.
std::vector<SizedDesign> size_p4(const SizeRequest& request);

/// Sizes of tables and registers by name, and the numbers of the source that decide such sizes.
std::vector<Adjustable> p4_adjustables(const SizeRequest& request, std::int64_t largest);

}  // namespace horae::size
