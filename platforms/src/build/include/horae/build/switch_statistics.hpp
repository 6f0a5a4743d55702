// What switches counted, for summaries.
#pragma once

#include "horae/core/stats.hpp"
#include "horae/fabric/output_queued_switch.hpp"
#include "horae/tofino/tofino_switch.hpp"

namespace horae::build {

/// Adds a switch's own counters over the whole run to its group, those of its ports apart.
void add_counters(const fabric::output_queued_switch& plain, StatTree& device);
void add_counters(const tofino::tofino_switch& chip, StatTree& device);

}  // namespace horae::build
