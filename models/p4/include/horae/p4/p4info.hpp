// P4Info, the P4Runtime description of a program, as a design.
#pragma once

#include <string>

#include "horae/p4/imported.hpp"

namespace horae::p4 {

/// The design of a P4Info file in protobuf's text format (P4Runtime specification 1.4,
/// p4info.proto): tables with their keys, sizes and action data, counters, meters, registers,
/// action profiles. It says nothing of what comes after what, of conditions, of keyless actions in
/// the control flow, or of which action uses which indirect array: the design has no dependencies,
/// and arrays have tables of their own. `chip` is a shipped chip's name or a chip file. The
/// compiler's numbers are empty. InputError, one line with file:line:column, for a file that is
/// none.
ImportedDesign import_p4info(const std::string& file, const std::string& chip);

}  // namespace horae::p4
