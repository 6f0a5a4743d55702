// Parameters of the ports that packets come around by.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/params/located.hpp"

namespace horae::tofino {

/// The loopback ports of each pipeline: the recirculation port that the chip has, or front ports
/// that are given up for it. They are inside the chip and no links: the simulation's windows do
/// not depend on them.
struct LoopbackConfig {
  std::uint32_t ports = 1;                      ///< of each pipeline; programs choose
  BitRate rate{};                               ///< of each port; zero: the chip's
  std::optional<std::vector<BitRate>> rates{};  ///< by pipeline, in place of `rate`
  Bytes limit{};        ///< frame bytes that a port's packets may hold; zero: none
  double share = 0;     ///< part of the buffer that all may hold together; zero: none
  Bytes dummy_bytes{};  ///< of dummies that circulate by each port, on the wire

  static const Schema<LoopbackConfig>& schema();
};

}  // namespace horae::tofino
