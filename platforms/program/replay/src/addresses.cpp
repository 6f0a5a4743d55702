#include "horae/replay/addresses.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/crc.hpp>

#include "horae/core/error.hpp"

namespace horae::replay {

using capture::NetworkAddress;

namespace {

constexpr NodeId no_node = fabric::Topology::no_node;

/// IPv4, IPv6, or a MAC of six pairs of digits; of size 0 for anything else.
NetworkAddress parsed(const std::string& text) {
  NetworkAddress a;
  if (::inet_pton(AF_INET, text.c_str(), a.bytes.data()) == 1) {
    a.size = 4;
  } else if (::inet_pton(AF_INET6, text.c_str(), a.bytes.data()) == 1) {
    a.size = 16;
  } else if (text.size() == 17) {
    NetworkAddress mac;
    for (std::size_t i = 0; i < 6; ++i) {
      const std::string pair = text.substr(3 * i, 2);
      const bool good = pair.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos &&
                        (i == 5 || text[3 * i + 2] == ':');
      if (!good) return a;
      mac.bytes[i] = static_cast<std::uint8_t>(std::stoul(pair, nullptr, 16));
    }
    mac.size = 6;
    return mac;
  }
  return a;
}

template <std::size_t n>
std::array<std::uint8_t, n> first(const NetworkAddress& a) {
  std::array<std::uint8_t, n> bytes;
  std::copy_n(a.bytes.begin(), n, bytes.begin());
  return bytes;
}

/// Its first `bits` bits, zeros behind them.
NetworkAddress first_of(NetworkAddress a, unsigned bits) {
  for (unsigned i = 0; i < a.size; ++i) {
    const unsigned kept = bits > 8 * i ? std::min(bits - 8 * i, 8u) : 0;
    a.bytes[i] = static_cast<std::uint8_t>(a.bytes[i] & 0xff00u >> kept);
  }
  return a;
}

/// The host number of an address of the plan, or 0.
std::uint32_t host_number(const NetworkAddress& a) {
  const auto last = [&](std::size_t size) {
    return std::uint32_t{a.bytes[size - 3]} << 16 | std::uint32_t{a.bytes[size - 2]} << 8 |
           a.bytes[size - 1];
  };
  if (a.size == 4) return a.bytes[0] == 10 ? last(4) : 0;
  if (a.size != 16 || a.bytes[0] != 0xfd) return 0;
  const bool rest =
      std::all_of(a.bytes.begin() + 1, a.bytes.begin() + 13, [](std::uint8_t b) { return b == 0; });
  return rest ? last(16) : 0;
}

}  // namespace

std::string text_of(const NetworkAddress& a) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (a.size == 4 || a.size == 16) {
    ::inet_ntop(a.size == 4 ? AF_INET : AF_INET6, a.bytes.data(), text.data(), text.size());
    return text.data();
  }
  if (a.size == 0) return "no address";
  return fmt::format("{:02x}", fmt::join(first<6>(a), ":"));
}

NodeId node_named(const fabric::Topology& topology, const std::string& text,
                  const std::string& what) {
  std::vector<std::string> names;
  for (const auto& v : topology.vertices()) {
    if (v.node == no_node) continue;
    if (v.name == text) return v.node;
    names.push_back(v.name);
  }
  const bool number =
      !text.empty() && text.size() < 9 && text.find_first_not_of("0123456789") == std::string::npos;
  if (number && std::stoul(text) < topology.endpoints())
    return static_cast<NodeId>(std::stoul(text));
  const std::string near = nearest_name(text, names);
  throw InputError(fmt::format("{}: no node '{}'; expected a name or a number from 0 to {}{}", what,
                               text, topology.endpoints() - 1,
                               near.empty() ? "" : fmt::format(", did you mean '{}'?", near)));
}

std::size_t ReplayAddresses::Hash::operator()(const NetworkAddress& a) const {
  std::uint64_t h = a.size;
  for (const std::uint8_t b : a.bytes) h = (h ^ b) * 0x100000001b3ULL;
  return h ^ h >> 32;
}

ReplayAddresses::ReplayAddresses(const fabric::Topology& topology,
                                 const std::vector<std::string>& maps, UnknownAddress unknown,
                                 bool any)
    : nodes_(topology.endpoints()), unknown_(unknown), any_(any) {
  for (const auto& map : maps) {
    const std::string what = fmt::format("--map {}", map);
    const auto equals = map.find('=');
    if (equals == std::string::npos)
      throw InputError(fmt::format("{}: expected ADDRESS=NODE or PREFIX/BITS=NODE", what));
    const NodeId node = node_named(topology, map.substr(equals + 1), what);
    const auto slash = map.find('/');
    if (slash < equals) {
      map_prefix(what, map.substr(0, equals), slash, node);
      continue;
    }
    const NetworkAddress address = parsed(map.substr(0, equals));
    if (address.size == 0) {
      throw InputError(fmt::format("{}: '{}' is no address; expected IPv4, IPv6 or MAC", what,
                                   map.substr(0, equals)));
    }
    if (!mapped_.try_emplace(address, node).second)
      throw InputError(fmt::format("{}: {} is mapped twice", what, text_of(address)));
  }
}

void ReplayAddresses::map_prefix(const std::string& what, const std::string& text,
                                 std::size_t slash, NodeId node) {
  const NetworkAddress address = parsed(text.substr(0, slash));
  const std::string length = text.substr(slash + 1);
  const unsigned most = address.size * 8u;
  const bool digits = !length.empty() && length.size() < 4 &&
                      length.find_first_not_of("0123456789") == std::string::npos;
  if ((address.size != 4 && address.size != 16) || !digits || std::stoul(length) > most) {
    throw InputError(fmt::format(
        "{}: '{}' is no prefix; expected an IPv4 address and /0 to /32, or IPv6 and /0 to /128",
        what, text));
  }
  const Prefix prefix{address, static_cast<unsigned>(std::stoul(length)), node};
  const NetworkAddress first = first_of(address, prefix.bits);
  if (first != address) {
    throw InputError(fmt::format("{}: bits are set behind the prefix; expected {}/{}", what,
                                 text_of(first), prefix.bits));
  }
  const auto longer = [](const Prefix& a, const Prefix& b) { return a.bits > b.bits; };
  const auto at = std::upper_bound(prefixes_.begin(), prefixes_.end(), prefix, longer);
  for (const Prefix& other : prefixes_) {
    if (other.bits == prefix.bits && other.address == address)
      throw InputError(fmt::format("{}: {} is mapped twice", what, text));
  }
  prefixes_.insert(at, prefix);
}

bool ReplayAddresses::Prefix::has(const NetworkAddress& a) const {
  return a.size == address.size && first_of(a, bits) == address;
}

ReplayAddresses::Sides ReplayAddresses::sides_of(const fabric::Topology& topology,
                                                 const fabric::RouteTable& routes, unsigned port) {
  Sides sides;
  for (NodeId node = 0; node < topology.endpoints(); ++node) {
    const auto ports = routes.towards(node);
    const bool behind = std::find(ports.begin(), ports.end(), port) != ports.end();
    (behind ? sides.behind : sides.beyond).push_back(node);
  }
  return sides;
}

NodeId ReplayAddresses::known(const NetworkAddress& a) const {
  if (!mapped_.empty()) {
    const auto it = mapped_.find(a);
    if (it != mapped_.end()) return it->second;
  }
  for (const Prefix& prefix : prefixes_) {
    if (prefix.has(a)) return prefix.node;
  }
  const std::uint32_t host = host_number(a);
  return host != 0 && host <= nodes_ ? host - 1 : no_node;
}

NodeId ReplayAddresses::spread(const NetworkAddress& a, std::span<const NodeId> nodes) const {
  boost::crc_ccitt_type crc;
  crc.process_bytes(a.bytes.data(), a.size);
  const std::uint32_t hash = crc.checksum();
  return nodes.empty() ? hash % nodes_ : nodes[hash % nodes.size()];
}

void ReplayAddresses::check() const {
  if (any_ || strange_ == 0) return;
  throw InputError(
      fmt::format("of {} packet{} none is from or to an address of the platform (10.0.0.1 and so "
                  "on); expected --map ADDRESS=NODE, or --unknown spread, drop or refuse",
                  strange_, strange_ == 1 ? "" : "s"));
}

void ReplayAddresses::place(capture::Dissection& d, const Sides& sides) {
  Packet& p = d.packet;
  p.src = known(d.source);
  p.dst = known(d.destination);
  if (p.src != no_node || p.dst != no_node) {
    any_ = true;
  } else if (!any_ && ++strange_ == looked_at) {
    check();
  }
  if (p.src == no_node) {
    ++unknown_sources_;
    p.src = spread(d.source, sides.behind);
  }
  if (p.dst != no_node) return;
  if (unknown_ == UnknownAddress::refuse) {
    throw InputError(
        fmt::format("a packet to {}, which is no node's address; expected 10.0.0.1 "
                    "and so on, an address of --map, or --unknown spread or drop",
                    text_of(d.destination)));
  }
  ++unknown_destinations_;
  p.dst = unknown_ == UnknownAddress::drop ? nowhere : spread(d.destination, sides.beyond);
}

}  // namespace horae::replay
