// The workload files that come with the sources.
#pragma once

#include <span>

#include "horae/params/shipped_file.hpp"

namespace horae::traffic {

/// The files of platforms/workloads. This room only reads them: a program that links it defines
/// them, ours with the library horae::shipped.
extern const std::span<const ShippedFile> shipped_workloads;

}  // namespace horae::traffic
