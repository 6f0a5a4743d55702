// The seam of blocks with AXI4-Stream pins: by name, for modules of kind "axi_stream".
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "horae/core/stream_pins.hpp"
#include "horae/core/units.hpp"

namespace horae::fabric {

/// A block of a user's, in SystemVerilog (scripts/rtl adds it) or SystemC (a plug-in does).
struct StreamBlock {
  std::string name;
  unsigned in_bytes = 0;   ///< of TDATA into the block, 1 to 512
  unsigned out_bytes = 0;  ///< and out of it
  /// One instance, which begins in reset. `name`: of a SystemC module that it is or has; `period`:
  /// of its clock. Called while SystemC elaborates.
  std::function<std::unique_ptr<StreamPins>(const char* name, Picoseconds period)> make{};
  std::string refused{};  ///< why it was not built; then there is no `make`
};

/// All blocks.
const std::vector<StreamBlock>& stream_blocks();
/// Before the registry is first read; InputError for a name that is taken (Registry::add).
void add_stream_block(StreamBlock block);

}  // namespace horae::fabric
