// Conditions from their text (internal to the room).
#pragma once

#include <string>

#include "horae/dataplane/chip_spec.hpp"
#include "horae/dataplane/design/design.hpp"

namespace horae::p4 {

/// The condition that a text such as "(hdr.tcp.flags == 2 && meta.seen == 0)" stands for, whose
/// fields have `bits` together. The compiler gave it one gateway: what comes out takes one of
/// `chip`. `exact`: whether it says what the text says, as opposed to a comparison that costs the
/// same.
struct ConditionOf {
  dataplane::ConditionSpec spec;
  bool exact = true;
};
ConditionOf condition_of(const std::string& text, std::uint32_t bits,
                         const dataplane::ChipSpec& chip);

}  // namespace horae::p4
