// The workload files that come with the sources (internal to the room; shipped_workloads.cpp is
// written by the build from platforms/workloads).
#pragma once

#include <span>

#include "horae/params/shipped_file.hpp"

namespace horae::traffic {

extern const std::span<const ShippedFile> shipped_workloads;

}  // namespace horae::traffic
