// Fields of packets in a report as fields and parser states of a design (internal to the room).
#pragma once

#include "horae/dataplane/chip_spec.hpp"
#include "horae/p4/imported.hpp"
#include "horae/p4/report.hpp"

namespace horae::p4 {

/// Fields with the stages in which the compiler needs them, and the parser's states. What shares
/// containers is not taken from the report. A field of which no part is in a container of the
/// stages counts as one that no stage touches.
void add_fields(const CompilerReport& report, const dataplane::ChipSpec& chip, ImportedDesign& out);

/// The compiler's own amounts of the whole pipeline.
std::vector<dataplane::PipelineAmount> pipeline_of(const CompilerReport& report,
                                                   const dataplane::ChipSpec& chip);

}  // namespace horae::p4
