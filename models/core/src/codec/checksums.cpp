// The checksums of a frame: of IPv4, of Ethernet, and RoCEv2's over what does not change on the
// way.
#include <algorithm>
#include <array>
#include <boost/crc.hpp>
#include <boost/endian/conversion.hpp>

#include "horae/core/codec.hpp"
#include "parts.hpp"

namespace horae {

namespace codec {

std::uint16_t internet_checksum(std::span<const std::uint8_t> words) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    sum += boost::endian::endian_load<std::uint16_t, 2, boost::endian::order::big>(&words[i]);
  }
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

std::uint32_t crc32(std::span<const std::uint8_t> bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

}  // namespace codec

std::uint32_t icrc(std::span<const std::uint8_t> datagram) {
  constexpr std::size_t lrh = 8;
  constexpr std::size_t longest = lrh + wire::ipv6 + wire::udp + wire::bth;
  constexpr std::uint8_t ones = 0xff;

  const unsigned version = datagram.empty() ? 0u : datagram[0] >> 4;
  if (version != 4 && version != 6) codec::refuse(0, "IP version {}, expected 4 or 6", version);
  const std::size_t ip_size = version == 4 ? wire::ipv4 : wire::ipv6;
  const std::size_t header_size = ip_size + wire::udp + wire::bth;
  if (datagram.size() < header_size) {
    codec::refuse(0, "{} bytes of datagram, expected {} for its headers", datagram.size(),
                  header_size);
  }

  std::array<std::uint8_t, longest> masked;
  masked.fill(ones);
  const auto ip = std::span(masked).subspan(lrh, header_size);
  std::ranges::copy(datagram.first(header_size), ip.begin());
  if (version == 4) {
    ip[1] = ones;            // TOS
    ip[8] = ones;            // TTL
    ip[10] = ip[11] = ones;  // header checksum
  } else {
    ip[0] |= 0x0f;                 // traffic class and
    ip[1] = ip[2] = ip[3] = ones;  // flow label
    ip[7] = ones;                  // hop limit
  }
  const auto udp = ip.subspan(ip_size);
  udp[6] = udp[7] = ones;     // checksum
  udp[wire::udp + 4] = ones;  // resv8a: FECN, BECN, resv6a

  boost::crc_32_type crc;
  crc.process_bytes(masked.data(), lrh + header_size);
  const auto rest = datagram.subspan(header_size);
  crc.process_bytes(rest.data(), rest.size());
  return crc.checksum();
}

}  // namespace horae
