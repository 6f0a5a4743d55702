// The addresses that nodes have on the wire.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>
#include <cstddef>
#include <optional>

#include "horae/core/codec.hpp"
#include "horae/core/error.hpp"

namespace horae {
namespace {

using boost::endian::endian_load;
using boost::endian::endian_store;
using boost::endian::order;

std::uint32_t host_number(NodeId node) {
  if (node > AddressPlan::max_node) {
    throw ModelError(fmt::format("codec: no address for node {}, expected at most {}", node,
                                 AddressPlan::max_node));
  }
  return node + 1;
}

/// The host number in the last bytes of an address, if the ones before are `prefix`.
template <std::size_t n>
std::optional<NodeId> node_behind(const std::array<std::uint8_t, n>& address,
                                  const std::array<std::uint8_t, n>& base) {
  const std::uint32_t host = endian_load<std::uint32_t, 3, order::big>(&address[n - 3]);
  const bool same_prefix = std::equal(address.begin(), address.end() - 3, base.begin());
  if (!same_prefix || host == 0 || host - 1 > AddressPlan::max_node) return std::nullopt;
  return host - 1;
}

constexpr Ipv4Address ipv4_base = {10};
constexpr Ipv6Address ipv6_base = {0xfd};
constexpr MacAddress mac_base = {0x02};

template <std::size_t n>
std::array<std::uint8_t, n> numbered(std::array<std::uint8_t, n> address, NodeId node) {
  endian_store<std::uint32_t, 3, order::big>(&address[n - 3], host_number(node));
  return address;
}

}  // namespace

MacAddress mac_of(NodeId node) { return numbered(mac_base, node); }
Ipv4Address ipv4_of(NodeId node) { return numbered(ipv4_base, node); }
Ipv6Address ipv6_of(NodeId node) { return numbered(ipv6_base, node); }

NodeId node_of(const Ipv4Address& address) {
  if (const auto node = node_behind(address, ipv4_base)) return *node;
  throw InputError(
      fmt::format("IPv4 address {}, expected 10.0.0.1 to 10.255.255.254", fmt::join(address, ".")));
}

NodeId node_of(const Ipv6Address& address) {
  if (const auto node = node_behind(address, ipv6_base)) return *node;
  throw InputError(fmt::format("IPv6 address {:02x}, expected fd00::1 to fd00::ff:fffe",
                               fmt::join(address, "")));
}

}  // namespace horae
