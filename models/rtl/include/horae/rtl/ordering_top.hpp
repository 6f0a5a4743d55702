// The pins and the clock of an ordering layer's hardware, whoever wrote it.
#pragma once

#include <cstdint>

#include "horae/rtl/clocked.hpp"

namespace horae::rtl {

/// Input pins; all are read at a rising edge of the clock.
struct OrderingInputs {
  bool reset = false;  ///< synchronous
  bool request_valid = false;
  std::uint32_t connection = 0;
  std::uint32_t psn = 0;   ///< 24 bits
  std::uint32_t head = 0;  ///< 24 bits: first PSN of the connection
  bool last = false;
  bool close = false;  ///< the connection ends; psn, head and last mean nothing
  bool response_ready = false;
};

/// Output pins, as they stand after a clock. The response's fields mean something while it is
/// valid; their numbers are those of policy::Tracking and policy::Rejection.
struct OrderingOutputs {
  bool request_ready = false;
  bool response_valid = false;
  std::uint32_t tracking = 0;
  std::uint32_t rejection = 0;
  std::uint32_t advanced = 0;
  std::uint32_t expected = 0;
  bool completed = false;
  bool operator==(const OrderingOutputs&) const = default;
};

using OrderingTop = ClockedTop<OrderingInputs, OrderingOutputs>;
using PinObserver = ClockObserver<OrderingInputs, OrderingOutputs>;

}  // namespace horae::rtl
