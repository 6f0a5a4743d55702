// Numbers of the behavioral model's simple_switch.
#pragma once

#include <cstdint>

#include "horae/core/cxx20.hpp"

namespace horae::p4prog {

/// The port that mark_to_drop() sends to (p4lang/behavioral-model, simple_switch.md).
constexpr std::uint32_t v1_drop_port = 511;

}  // namespace horae::p4prog
