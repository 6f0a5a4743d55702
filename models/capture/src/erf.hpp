// Records of the extensible record format of Endace's capture cards (internal to the room).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace horae::capture {

/// Layout: "ERF Types Reference Guide" (Endace, EDM11-01). A record is its time, little-endian, in
/// units of 2^-32 s since 1970; then, big-endian, type, flags, length of the record, loss counter
/// (or a colour), and length on the wire; extension headers of eight bytes; two bytes more before
/// an Ethernet frame; the packet; padding.
namespace erf {

inline constexpr std::size_t header = 16;
inline constexpr std::size_t extension = 8;
inline constexpr std::size_t ethernet_pad = 2;
inline constexpr std::uint8_t more = 0x80;  ///< in the type: an extension header follows
inline constexpr std::uint8_t pad = 48, meta = 27;

/// Whether these bytes of the front of a file can be a record's.
bool begins(std::span<const char> bytes);

/// Contents of a record.
enum class Holds : std::uint8_t { ethernet, ipv4, ipv6, infiniband, nothing, unknown };

struct Record {
  Holds holds = Holds::unknown;
  std::int64_t seconds = 0, ns = 0;     ///< since 1970; finer than a nanosecond: cut off
  std::uint32_t lost = 0;               ///< packets before it that the card could not keep
  std::span<const std::uint8_t> bytes;  ///< of the packet
  std::uint32_t length = 0;             ///< on the wire; Ethernet with its FCS
  std::string problem;                  ///< of a record that cannot be read; empty: it can
};

/// Takes a record of at least `header` bytes apart; it may be longer than what is there.
Record taken_apart(std::span<const std::uint8_t> record);

}  // namespace erf
}  // namespace horae::capture
