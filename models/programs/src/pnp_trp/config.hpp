// Checks across parameters (internal to the room).
#pragma once

#include "horae/programs/pnp_trp/pnp_trp.hpp"

namespace horae::programs::pnp_trp {

/// InputError for sizes that are no index of bits.
void check(const PnpTrpConfig& config, const Section& parameters);

}  // namespace horae::programs::pnp_trp
