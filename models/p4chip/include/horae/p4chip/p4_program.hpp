// A P4 program as a switch program of a chip.
#pragma once

#include "horae/programs/program.hpp"

namespace horae::p4chip {

/// The entry `p4` of the registry of programs.
programs::ProgramEntry p4_entry();

}  // namespace horae::p4chip
