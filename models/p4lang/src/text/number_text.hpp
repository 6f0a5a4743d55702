// Numbers of P4 (internal to the room).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "horae/p4lang/type.hpp"

namespace horae::p4lang {

/// The widest value that is taken: what no packet and no crossbar has.
inline constexpr std::uint32_t most_width = 65536;

struct Number {
  Integer value;
  std::uint32_t width = 0;  ///< 0: without one
  bool is_signed = false;
};

/// `10`, `0x1F`, `0o17`, `0b1_0`, `8w255`, `4s7`. A width of more than most_width is told as it is.
std::optional<Number> number_of(std::string_view text);

}  // namespace horae::p4lang
