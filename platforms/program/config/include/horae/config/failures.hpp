// Random failures: [failures], again and again, and [[impairment_group]].
#pragma once

#include "horae/config/platform.hpp"

namespace horae::config {

/// Plans what fails when, until the end of the run: outages, and what routing makes of them at
/// once. InputError, at `section`, where nothing can fail or too much would.
void plan_failures(PlatformConfig& platform, const FailuresConfig& config, const Section& section);

/// Routing withdraws a link after each of the change's outages, and takes it back.
void withdraw(PlatformConfig& platform, std::size_t link, const LinkChange& change);

/// Draws the cables or switches of group number `number` and changes them. The platform's traffic
/// is complete. InputError, at `section`, where so many cannot be drawn.
void impair_group(PlatformConfig& platform, const ImpairmentGroup& group, std::size_t number,
                  const Section& section);

}  // namespace horae::config
