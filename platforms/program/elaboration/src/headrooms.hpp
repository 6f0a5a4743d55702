// Bytes that a receiver with PFC sets aside for what arrives after a pause was sent.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "horae/config/platform.hpp"
#include "horae/fabric/devices/ingress_accounts.hpp"

namespace horae::elaboration {

/// A device that sets bytes aside for PFC.
struct Lossless {
  const fabric::PfcConfig& pfc;
  unsigned ports;
  Picoseconds latency;  ///< from the last bit in to where packets are counted
  Bytes buffer;
  std::string buffer_text;   ///< as in the file
  double most_per_byte = 1;  ///< bytes of the buffer that one on the wire can take
  std::optional<std::vector<fabric::PoolConfig>> pools{};
};

/// Bytes of the largest frame any end point of the platform sends.
Bytes largest_frame(const config::PlatformConfig& platform);

/// Headroom of each port of a device, by its own link; empty without PFC. InputError if the buffer
/// does not hold them, or nothing is left of it.
std::vector<Bytes> checked_headrooms(const config::PlatformConfig& platform, unsigned vertex,
                                     const Lossless& device);

}  // namespace horae::elaboration
