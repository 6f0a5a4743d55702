// Shared by encoding and decoding of frames.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "horae/core/error.hpp"

namespace horae::codec {

inline constexpr std::uint8_t protocol_udp = 17;

/// One's complement sum of RFC 1071 over whole 16-bit words: zero over a header with its right
/// checksum, the checksum itself over one with a zero there.
std::uint16_t internet_checksum(std::span<const std::uint8_t> words);

/// The CRC of Ethernet's FCS over `bytes`.
std::uint32_t crc32(std::span<const std::uint8_t> bytes);

/// ModelError unless `value` is at most `largest`, what fits `field`.
void check_width(std::string_view field, std::uint64_t value, std::uint64_t largest);

/// InputError "frame byte <offset>: <message>".
template <class... Args>
[[noreturn]] void refuse(std::size_t offset, fmt::format_string<Args...> format, Args&&... args) {
  throw InputError(
      fmt::format("frame byte {}: {}", offset, fmt::format(format, std::forward<Args>(args)...)));
}

}  // namespace horae::codec
