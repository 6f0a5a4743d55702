// Rules that the schemas of an objects file cannot say: how the parts of one object go together
// (internal to the room).
#pragma once

#include "horae/dataplane/design/design.hpp"
#include "horae/params/section.hpp"

namespace horae::dataplane {

/// Completes a shape read from `section`. InputError when its parts contradict each other.
void check_shape(const Section& section, RegisterSpec& shape);
void check_shape(const Section& section, MatchSpec& shape);
void check_shape(const Section& section, CounterSpec& shape);
void check_shape(const Section& section, ConditionSpec& shape);

}  // namespace horae::dataplane
