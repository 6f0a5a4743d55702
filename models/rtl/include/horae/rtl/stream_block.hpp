// Blocks of users with AXI4-Stream pins, whose hardware descriptions lie outside the tree
// (scripts/rtl).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "horae/core/stream_pins.hpp"

namespace horae::rtl {

/// One instance in Verilator.
class StreamTop : public StreamPins {
 public:
  /// All registers as bytes, and back (into an instance of the same hardware).
  virtual std::string save() = 0;
  virtual void restore(const std::string& registers) = 0;
  /// From now on every clock goes into a waveform file (VCD), until `stop_waveform`.
  virtual void start_waveform(const std::string& file) = 0;
  virtual void stop_waveform() = 0;
};

/// A block as its horae_rtl.toml describes it.
struct StreamBlock {
  std::string_view name;
  unsigned in_bytes = 0;   ///< of TDATA into the block
  unsigned out_bytes = 0;  ///< and out of it
  /// `seed`: 0 begins with every register 0, any other with random contents.
  std::unique_ptr<StreamTop> (*make)(std::uint32_t seed) = nullptr;
};

/// Those that were built.
const std::vector<StreamBlock>& stream_blocks();

}  // namespace horae::rtl
