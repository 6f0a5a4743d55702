#include "mirror.hpp"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "horae/core/roce.hpp"

namespace horae::capture {
namespace {

using Bytes8 = std::span<const std::uint8_t>;

constexpr std::size_t type_at = 12, macs = 12;
constexpr std::uint8_t protocol_gre = 47;                      // IANA
constexpr std::uint32_t erspan_2 = 0x88be, erspan_3 = 0x22eb;  // protocols of GRE
constexpr std::size_t gre_size = 4, gre_field = 4, size_2 = 8, size_3 = 12, subheader = 8;
constexpr std::uint32_t sequenced = 0x1000, keyed = 0x2000, checked = 0x8000;  // flags of GRE

std::uint32_t get16(Bytes8 b, std::size_t at) {
  return boost::endian::endian_load<std::uint32_t, 2, boost::endian::order::big>(&b[at]);
}

bool is_tag(std::uint32_t type) { return type == 0x8100 || type == 0x88a8 || type == 0x9100; }

/// An IP packet: where it begins, what it carries from where, and where it ends on the wire.
struct Ip {
  std::size_t begin = 0, payload = 0, end = 0;
  std::uint8_t protocol = 0;
};

/// IP header of the Ethernet frame that begins at `at`; none where it has no IP, a fragment, or was
/// cut.
std::optional<Ip> ip_of(Bytes8 b, std::size_t at) {
  at += type_at;
  while (at + 2 <= b.size() && is_tag(get16(b, at))) at += wire::vlan_tag;
  if (at + 2 > b.size()) return std::nullopt;
  const std::uint32_t type = get16(b, at);
  const std::size_t ip = at + 2;
  if (type == 0x0800 && ip + wire::ipv4 <= b.size()) {
    if ((get16(b, ip + 6) & 0x3fff) != 0) return std::nullopt;
    return Ip{ip, ip + (b[ip] & 15u) * 4u, ip + get16(b, ip + 2), b[ip + 9]};
  }
  if (type == 0x86dd && ip + wire::ipv6 <= b.size())
    return Ip{ip, ip + wire::ipv6, ip + wire::ipv6 + get16(b, ip + 4), b[ip + 6]};
  return std::nullopt;
}

/// Where the mirrored frame begins behind the GRE header at `at`, and whether its end was left out.
struct Mirrored {
  std::size_t begin = 0;
  bool truncated = false;
};

std::optional<Mirrored> mirrored(Bytes8 b, std::size_t at) {
  if (at + gre_size > b.size()) return std::nullopt;
  const std::uint32_t flags = get16(b, at), type = get16(b, at + 2);
  if ((type != erspan_2 && type != erspan_3) || (flags & ~(sequenced | keyed | checked)) != 0)
    return std::nullopt;
  at += gre_size;
  for (const std::uint32_t flag : {checked, keyed, sequenced})
    at += (flags & flag) != 0 ? gre_field : 0;
  // Type I has neither a sequence number nor a header.
  if (type == erspan_2 && (flags & sequenced) == 0) return Mirrored{at, false};
  const std::size_t size = type == erspan_2 ? size_2 : size_3;
  if (at + size > b.size()) return std::nullopt;
  const unsigned version = type == erspan_2 ? 1 : 2;
  if (b[at] >> 4 != version) return std::nullopt;
  const bool truncated = (b[at + 2] & 0x04) != 0;
  if (type == erspan_2) return Mirrored{at + size, truncated};
  if ((b[at + 10] >> 2 & 0x1f) != 0) return std::nullopt;  // no Ethernet frame follows
  const bool more = (b[at + 11] & 0x01) != 0;
  return Mirrored{at + size + (more ? subheader : 0), truncated};
}

}  // namespace

bool take_off_mirror(CapturedFrame& frame) {
  const Bytes8 b = frame.bytes;
  const auto outer = ip_of(b, 0);
  if (!outer || outer->protocol != protocol_gre) return false;
  const auto inner = mirrored(b, outer->payload);
  const std::size_t end = std::min<std::size_t>(outer->end, frame.length);
  if (!inner || inner->begin + macs > std::min(end, b.size())) return false;
  std::size_t length = end - inner->begin;
  // Bytes that were left out are known by the mirrored packet's own length.
  if (const auto ip = ip_of(b, inner->begin); inner->truncated && ip)
    length = std::max(length, ip->end - inner->begin);
  frame.bytes = b.subspan(inner->begin, std::min(end, b.size()) - inner->begin);
  frame.length = static_cast<std::uint32_t>(length);
  return true;
}

}  // namespace horae::capture
