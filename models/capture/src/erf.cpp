#include "erf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>

namespace horae::capture::erf {
namespace {

using boost::endian::endian_load;
using boost::endian::order;

/// Types by their numbers, from 0 (the guide's table of types).
struct Type {
  std::string_view name;
  Holds holds = Holds::unknown;
  bool coloured = false;  ///< the loss counter's place holds a colour or a hash
};
constexpr std::array<Type, 30> types = {{{"LEGACY"},
                                         {"HDLC_POS"},
                                         {"ETH", Holds::ethernet},
                                         {"ATM"},
                                         {"AAL5"},
                                         {"MC_HDLC"},
                                         {"MC_RAW"},
                                         {"MC_ATM"},
                                         {"MC_RAW_CHANNEL"},
                                         {"MC_AAL5"},
                                         {"COLOR_HDLC_POS"},
                                         {"COLOR_ETH", Holds::ethernet, true},
                                         {"MC_AAL2"},
                                         {"IP_COUNTER"},
                                         {"TCP_FLOW_COUNTER"},
                                         {"DSM_COLOR_HDLC_POS"},
                                         {"DSM_COLOR_ETH", Holds::ethernet, true},
                                         {"COLOR_MC_HDLC_POS"},
                                         {"AAL2"},
                                         {"COLOR_HASH_POS"},
                                         {"COLOR_HASH_ETH", Holds::ethernet, true},
                                         {"INFINIBAND", Holds::infiniband},
                                         {"IPV4", Holds::ipv4},
                                         {"IPV6", Holds::ipv6},
                                         {"RAW_LINK"},
                                         {"INFINIBAND_LINK"},
                                         {""},
                                         {"META", Holds::nothing, true},
                                         {"OPA_SNC"},
                                         {"OPA_9B"}}};

std::uint32_t get16(std::span<const std::uint8_t> b, std::size_t at) {
  return endian_load<std::uint32_t, 2, order::big>(&b[at]);
}

constexpr Type type_of(std::uint8_t number) {
  if (number < types.size()) return types[number];
  return number == pad ? Type{"PAD", Holds::nothing, true} : Type{};
}

}  // namespace

bool begins(std::span<const char> bytes) {
  if (bytes.size() < header) return false;
  std::array<std::uint8_t, header> b;
  std::copy_n(bytes.begin(), header, b.begin());
  const std::uint8_t number = b[8] & static_cast<std::uint8_t>(~more);
  const std::uint32_t least = header + ((b[8] & more) != 0 ? extension : 0);
  if (number == 0 || number >= types.size() || types[number].name.empty()) return false;
  if (get16(b, 10) < least || (b[9] & 0x80) != 0) return false;
  // A text whose ninth byte is a tab or the end of a line.
  const bool blank = b[8] == '\t' || b[8] == '\n' || b[8] == '\r';
  return !blank ||
         std::any_of(b.begin(), b.begin() + 8, [](std::uint8_t c) { return c < ' ' || c > '~'; });
}

Record taken_apart(std::span<const std::uint8_t> record) {
  Record r;
  const auto stamp = endian_load<std::uint64_t, 8, order::little>(record.data());
  r.seconds = static_cast<std::int64_t>(stamp >> 32);
  r.ns = static_cast<std::int64_t>((stamp & 0xffffffff) * 1'000'000'000 >> 32);
  const std::uint8_t number = record[8] & static_cast<std::uint8_t>(~more);
  const Type type = type_of(number);
  r.holds = type.holds;
  r.lost = type.coloured ? 0 : get16(record, 12);
  r.length = get16(record, 14);
  if (r.holds == Holds::nothing) return r;
  if (r.holds == Holds::unknown) {
    r.problem = fmt::format(
        "an ERF record of type {}{}; expected Ethernet (types 2, 11, 16, 20), InfiniBand (21) or "
        "IP (22, 23)",
        number, type.name.empty() ? "" : fmt::format(" ({})", type.name));
    return r;
  }
  const std::size_t length = get16(record, 10);
  std::size_t at = header;
  for (bool follows = (record[8] & more) != 0; follows; at += extension) {
    if (at + extension > std::min(length, record.size())) {
      r.problem = fmt::format("an ERF record of {} bytes that ends in its extension headers",
                              std::min(length, record.size()));
      return r;
    }
    follows = (record[at] & more) != 0;
  }
  if (r.holds == Holds::ethernet) {
    if (at + ethernet_pad > std::min(length, record.size())) {
      r.problem = fmt::format("an ERF record of {} bytes that ends before its frame",
                              std::min(length, record.size()));
      return r;
    }
    if (record[at] != 0) {
      r.problem = fmt::format(
          "an ERF record of a frame without its first {} bytes; expected a whole one", record[at]);
      return r;
    }
    at += ethernet_pad;
  }
  // Behind the packet stands padding.
  const std::size_t end = std::min({length, record.size(), at + r.length});
  r.bytes = record.subspan(std::min(at, end), end - std::min(at, end));
  return r;
}

}  // namespace horae::capture::erf
