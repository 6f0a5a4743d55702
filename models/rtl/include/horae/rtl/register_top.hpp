// The pins and the clock of the hardware of a register's stateful ALU.
#pragma once

#include <array>
#include <cstdint>

#include "horae/rtl/clocked.hpp"

namespace horae::rtl {

/// Input pins; all are read at a rising edge of the clock. A cell has one word or two.
struct RegisterInputs {
  bool reset = false;  ///< synchronous
  bool request_valid = false;
  std::uint32_t action = 0;                 ///< number, in the order of declaration
  std::array<std::uint64_t, 2> cell{};      ///< before
  std::array<std::uint64_t, 2> operands{};  ///< of the action
  bool response_ready = false;
};

/// Output pins, as they stand after a clock.
struct RegisterOutputs {
  bool request_ready = false;
  bool response_valid = false;
  std::array<std::uint64_t, 2> cell{};   ///< afterwards
  std::array<std::uint64_t, 2> words{};  ///< given to the program
  std::array<bool, 2> flags{};           ///< given to the program
};

using RegisterTop = ClockedTop<RegisterInputs, RegisterOutputs>;

}  // namespace horae::rtl
