// For plug-ins: one more program.
#pragma once

#include "horae/programs/program.hpp"

namespace horae::programs {

/// Before anybody asks what there is; InputError for a name that is taken (Registry::add).
void add_program(ProgramEntry entry);

}  // namespace horae::programs
