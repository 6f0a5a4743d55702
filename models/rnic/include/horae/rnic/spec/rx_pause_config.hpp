// Thresholds at which a NIC pauses who sends to it. No SystemC.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/fabric/devices/ingress_accounts.hpp"

namespace horae::rnic {

/// PFC that the NIC sends (IEEE 802.1Q clause 36): thresholds of the RX buffer, for each port and
/// class. Vendors' names: xoff and xon of `mlnx_qos --buffer_size` and `devlink sb`.
struct RxPauseConfig {
  Bytes xoff{};      ///< received bytes of a port and class above which its peer is paused
  Bytes xon{};       ///< at or below which it is resumed
  Bytes headroom{};  ///< for what arrives after a pause; zero: the least that is lossless
  std::optional<std::vector<std::uint32_t>> priorities{};  ///< classes that pause; absent: all

  static const Schema<RxPauseConfig>& schema();
  /// The same as a switch has it.
  fabric::PfcConfig thresholds() const;
};

}  // namespace horae::rnic
