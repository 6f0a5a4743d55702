// Counts the packets of each queue pair and forwards them: the example of
// models/programs/README.md.
#pragma once

#include "horae/programs/program.hpp"

namespace horae::programs {

/// The program's entry in the registry.
ProgramEntry seen_entry();

}  // namespace horae::programs
