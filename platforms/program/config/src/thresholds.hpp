// Refuses thresholds of ECN, PFC and queues that no switch can have, plain or a chip.
#pragma once

#include <optional>
#include <vector>

#include "horae/fabric/devices/buffer_pools.hpp"
#include "horae/fabric/devices/ingress_accounts.hpp"
#include "horae/fabric/devices/output_queued_switch.hpp"
#include "horae/fabric/ports/red.hpp"
#include "horae/params/section.hpp"

namespace horae::config {

/// InputError in the table `ecn` of a profile: kmax below kmin, a rate with two entries.
void check_ecn(const fabric::RedConfig& ecn, const Section& profile);
/// InputError in its table `pfc`: fixed and dynamic thresholds together, xon above xoff, a rate
/// with two entries or without an alpha for the others, two kinds of headroom.
void check_pfc(const fabric::PfcConfig& pfc, const Section& profile);

/// InputError in the tables `class` and `pfc` of a plain switch: keys that it has not, or that do
/// not go together.
void check_classes(const fabric::SwitchConfig& config, const Section& profile);

/// InputError where a switch has pools, and its pauses are of all classes.
void check_pools(const std::optional<std::vector<fabric::PoolConfig>>& pools,
                 const fabric::PfcConfig& pfc, const Section& profile);

/// InputError where a plain switch is told what becomes of packets that find no room, and there is
/// no such packet, or its kind of switch has no such choice.
void check_full_queues(const fabric::SwitchConfig& config, const Section& profile);

}  // namespace horae::config
