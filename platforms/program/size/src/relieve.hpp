// A chip with more of one resource, to see which of them a design lacks.
#pragma once

#include "horae/dataplane/chip_spec.hpp"
#include "horae/dataplane/price/resources.hpp"

namespace horae::size {

/// The chip with twice as much of a resource in each stage. Twice the ALUs come with rows half as
/// wide, twice the map RAM with the SRAM beside it.
void relieve(dataplane::ChipSpec& chip, dataplane::Resource r);

}  // namespace horae::size
