// C++ of one gress.
#pragma once

#include <string>

#include "horae/p4prog/code.hpp"

namespace horae::p4prog {

/// Definitions of a namespace, among them `void run(Machine&, std::uint32_t at)`, the CompiledRun.
std::string gress_text(const GressCode& code);

}  // namespace horae::p4prog
