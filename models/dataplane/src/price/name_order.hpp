// Objects by name (internal to the room): where their lines stand in a file decides nothing.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "horae/dataplane/design/design.hpp"

namespace horae::dataplane {

/// Whether `a` comes before `b`; digits count as numbers: "t[2]" before "t[10]".
bool name_before(std::string_view a, std::string_view b);

/// Indexes of a design's objects, by name.
std::vector<std::size_t> by_name(const Design& design);

}  // namespace horae::dataplane
