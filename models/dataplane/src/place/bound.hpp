// Stages below which nothing can go (internal to the room).
#pragma once

#include "horae/dataplane/price/price.hpp"

namespace horae::dataplane {

/// Stages that these units take at least, by their dependencies and by what a stage has: of every
/// window of stages, what must lie in it. A unit that needs more than a stage has is taken for
/// several. 0 where there is nothing.
unsigned stages_at_least(const DesignPrice& price, const ChipSpec& chip);

}  // namespace horae::dataplane
