// Links that fail again and again: [failures].
#pragma once

#include "horae/config/platform.hpp"

namespace horae::config {

/// Plans what fails when, until the end of the run: outages, and what routing makes of them at
/// once. InputError, at `section`, where nothing can fail or too much would.
void plan_failures(PlatformConfig& platform, const FailuresConfig& config, const Section& section);

}  // namespace horae::config
