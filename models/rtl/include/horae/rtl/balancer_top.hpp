// The pins and the clock of a load balancer's hardware.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "horae/rtl/clocked.hpp"

namespace horae::rtl {

/// Input pins; all are read at a rising edge of the clock.
struct BalancerInputs {
  static constexpr std::size_t most_draws = 4;

  bool reset = false;  ///< synchronous
  bool request_valid = false;
  std::uint32_t source = 0;       ///< address of the packet
  std::uint32_t destination = 0;  ///< address of the packet
  std::uint32_t entropy = 0;      ///< UDP source port, 16 bits
  std::uint32_t qp = 0;           ///< of the destination, 24 bits
  std::uint32_t psn = 0;          ///< 24 bits
  std::uint32_t bytes = 0;        ///< frame with FCS
  std::uint32_t choices = 0;      ///< candidates, at least 2
  std::uint32_t salt = 0;         ///< the first 32 bits of the device's random stream, constant
  /// Draw i is uniform in 0 to choices - 1 - i.
  std::array<std::uint32_t, most_draws> draws{};
  /// Bytes queued by candidate; all ones where there is no candidate.
  std::vector<std::uint32_t> depths{};
  bool response_ready = false;
};

/// Output pins, as they stand after a clock.
struct BalancerOutputs {
  bool request_ready = false;
  bool response_valid = false;
  std::uint32_t choice = 0;  ///< 0 to choices - 1
};

using BalancerTop = ClockedTop<BalancerInputs, BalancerOutputs>;

}  // namespace horae::rtl
