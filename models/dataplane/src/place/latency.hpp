// Cycles of a placement (internal to the room).
#pragma once

#include <vector>

#include "horae/dataplane/place/placement.hpp"

namespace horae::dataplane {

/// A dependency between the stages of two placed units of one gress.
struct StageEdge {
  Gress gress = Gress::ingress;
  unsigned from = 0;
  unsigned to = 0;
  DependencyKind kind = DependencyKind::match;
};

/// Fills in `dependencies` and `latency`.
void time_placement(Placement& placement, const std::vector<StageEdge>& edges,
                    const ChipSpec& chip);

}  // namespace horae::dataplane
