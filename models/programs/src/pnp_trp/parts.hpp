// Shared by the parts of the long-haul program (internal to the room).
#pragma once

#include <cstdint>

#include "horae/core/units.hpp"
#include "horae/dataplane/action.hpp"
#include "horae/dataplane/exact_table.hpp"
#include "horae/dataplane/gateway.hpp"
#include "horae/dataplane/hash.hpp"
#include "horae/dataplane/register.hpp"
#include "horae/programs/shared/flow_key.hpp"

namespace horae::programs::pnp_trp {

using dataplane::AnyPass;
using dataplane::ConditionKind;
using dataplane::ConditionSpec;
using dataplane::Gress;
using dataplane::guarded_by;
using dataplane::guarded_unless;
using dataplane::Join;
using dataplane::matches;
using dataplane::Pass;
using dataplane::PassKind;
using dataplane::TrustedPass;

constexpr Gress in = Gress::ingress;

/// The low 32 bits of the chip's time stamp, in nanoseconds: what fits a word of a register. Turns
/// over every 4.3 s.
inline std::uint32_t stamp(Picoseconds t) { return static_cast<std::uint32_t>(t.count() / 1000); }

}  // namespace horae::programs::pnp_trp
