// Shared by both halves of ConWeave (internal to the room).
#pragma once

#include <cstddef>
#include <cstdint>

#include "header.hpp"
#include "horae/dataplane/action.hpp"
#include "horae/dataplane/exact_table.hpp"
#include "horae/dataplane/gateway.hpp"
#include "horae/dataplane/hash.hpp"
#include "horae/dataplane/register.hpp"
#include "horae/programs/shared/flow_key.hpp"
#include "horae/programs/shared/port_groups.hpp"

namespace horae::programs::conweave {

using dataplane::AnyPass;
using dataplane::ConditionKind;
using dataplane::ConditionSpec;
using dataplane::Gress;
using dataplane::guarded_by;
using dataplane::guarded_unless;
using dataplane::Join;
using dataplane::matches;
using dataplane::Need;
using dataplane::Needs;
using dataplane::overwrites;
using dataplane::Pass;
using dataplane::PassKind;
using dataplane::RegisterSpec;
using dataplane::TrustedPass;
using dataplane::uses;

constexpr Gress in = Gress::ingress;
constexpr Gress out = Gress::egress;

/// A flow as the table of flows has it: IPv4 source and destination and UDP source port, 80 bits
/// (tables_ingress.p4, get_hashidx_basertt).
struct FlowName {
  NodeId src = 0;
  NodeId dst = 0;
  std::uint16_t entropy = 0;
  bool operator==(const FlowName&) const = default;
};
struct FlowNameHash {
  std::size_t operator()(const FlowName& f) const {
    return KeyHash::mix(KeyHash::mix(std::uint64_t{f.src} << 32 | f.dst) ^ f.entropy);
  }
};

/// Entry of the table for a flow.
struct FlowEntry {
  std::uint16_t index = 0;        ///< of its state
  std::uint32_t reply_ticks = 0;  ///< after which a reply is late
};

/// Entry of the routes for a destination.
struct Route {
  PortGroup group;
  bool attached = false;   ///< it is on a port of this switch: the last hop
  std::uint16_t rack = 0;  ///< index of the busy paths towards it
};

/// `terms` flags, all or any of them.
inline ConditionSpec flags(std::uint32_t terms, Join join = Join::all) {
  return {.kind = ConditionKind::bit, .bits = 1, .terms = terms, .join = join};
}
/// A register with a cell per flow.
inline RegisterSpec per_flow(std::uint32_t width, std::uint32_t entries) {
  return {.width = width, .entries = entries, .reads = {"flow"}};
}

}  // namespace horae::programs::conweave
