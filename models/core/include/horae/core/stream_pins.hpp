// Pins of a block with AXI4-Stream in and out, whoever wrote it and in which language.
#pragma once

#include <cstdint>
#include <vector>

#include "horae/core/cxx20.hpp"

namespace horae {

/// A beat of AXI4-Stream (ARM IHI 0051A, 2.1): TDATA, TKEEP and TLAST. The first byte of a frame on
/// the wire is in the lowest bits of TDATA.
struct StreamBeat {
  std::vector<std::uint8_t> data;  ///< as many bytes as the pins have
  std::vector<std::uint8_t> keep;  ///< a bit for each byte of `data`, the lowest bit first
  bool last = false;
  bool operator==(const StreamBeat&) const = default;
};

/// Inputs of the block.
struct StreamInputs {
  bool reset = true;  ///< true: in reset, whatever the level of the pin
  bool valid = false;
  StreamBeat beat;  ///< holds its last value while not valid
  bool ready = false;
};

/// Outputs of the block.
struct StreamOutputs {
  bool ready = false;
  bool valid = false;
  StreamBeat beat;  ///< read where valid only
};

/// One instance: a clock, a reset, a stream in and a stream out.
class StreamPins {
 public:
  virtual ~StreamPins() = default;

  /// The outputs as they stand, after whatever follows from registers and inputs without a clock.
  virtual void read(StreamOutputs& out) const = 0;
  /// A rising edge with the inputs as they stand; after it they are `next`.
  virtual void clock(const StreamInputs& next) = 0;
};

}  // namespace horae
