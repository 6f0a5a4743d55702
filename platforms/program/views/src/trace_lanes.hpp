// Where slices are drawn: tracks in their order, slices of one track in lanes.
#pragma once

#include "horae/views/trace_slices.hpp"

namespace horae::views {

/// Sorts tracks by device, then as they are shown.
void order_tracks(TraceSlices& out);

/// Gives each slice the first lane of its track that is free.
void give_lanes(TraceSlices& out);

}  // namespace horae::views
