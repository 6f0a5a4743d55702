// A register action of the source, held against a stateful ALU.
#pragma once

#include <optional>

#include "horae/dataplane/chip_spec.hpp"
#include "horae/dataplane/objects/action_facts.hpp"
#include "horae/p4lang/program.hpp"

namespace horae::p4price {

/// Requirements of the action `object` (RegisterAction, DirectRegisterAction) on its ALU. None
/// where it uses what the rules do not know (math units, predicates, masks in comparisons, wide
/// minima). InputError, with its place, for one that no ALU of the chip does.
std::optional<dataplane::ActionFacts> alu_of(const p4lang::Program& program,
                                             const p4lang::Block& block, std::uint32_t object,
                                             const dataplane::ChipSpec& chip);

}  // namespace horae::p4price
