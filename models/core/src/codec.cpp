#include "horae/core/codec.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <boost/endian/conversion.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "horae/core/error.hpp"

namespace horae {
namespace {

using boost::endian::endian_load;
using boost::endian::endian_store;
using boost::endian::order;

constexpr std::uint16_t ethertype_vlan = 0x8100;
constexpr std::uint16_t ethertype_ipv4 = 0x0800;
constexpr std::uint16_t ethertype_ipv6 = 0x86dd;
constexpr std::uint8_t protocol_udp = 17;
constexpr std::size_t minimum_without_fcs = wire::minimum_frame - wire::fcs;
constexpr std::size_t ip_length_limit = 0xffff;

/// One's complement sum of RFC 1071 over whole 16-bit words: zero over a header with its right
/// checksum, the checksum itself over one with a zero there.
std::uint16_t internet_checksum(std::span<const std::uint8_t> words) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    sum += endian_load<std::uint16_t, 2, order::big>(&words[i]);
  }
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

std::uint32_t crc32(std::span<const std::uint8_t> bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

/// Appends fields in network order.
class Writer {
 public:
  explicit Writer(std::size_t capacity) { bytes_.reserve(capacity); }

  template <std::size_t n>
  void put(std::uint64_t value) {
    std::array<std::uint8_t, n> field;
    endian_store<std::uint64_t, n, order::big>(field.data(), value);
    put(field);
  }
  void put(std::span<const std::uint8_t> field) {
    bytes_.insert(bytes_.end(), field.begin(), field.end());
  }
  void put_little(std::uint32_t value) {
    std::array<std::uint8_t, 4> field;
    endian_store<std::uint32_t, 4, order::little>(field.data(), value);
    put(field);
  }
  void patch16(std::size_t at, std::uint16_t value) {
    endian_store<std::uint16_t, 2, order::big>(&bytes_.at(at), value);
  }
  void pad_to(std::size_t size) { bytes_.resize(std::max(size, bytes_.size())); }

  std::size_t size() const { return bytes_.size(); }
  std::span<const std::uint8_t> from(std::size_t at) const { return std::span(bytes_).subspan(at); }
  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_;
};

template <class... Args>
[[noreturn]] void refuse(std::size_t offset, fmt::format_string<Args...> format, Args&&... args) {
  throw InputError(
      fmt::format("frame byte {}: {}", offset, fmt::format(format, std::forward<Args>(args)...)));
}

/// Takes fields in network order off the front; never reads past the end.
class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::size_t offset() const { return offset_; }
  std::size_t left() const { return bytes_.size() - offset_; }

  /// Refuses the frame unless `n` bytes are left for `what`.
  void need(std::size_t n, std::string_view what) const {
    if (left() < n) {
      refuse(offset_, "{} bytes left, expected {} for the {}", left(), n, what);
    }
  }
  /// Ends the readable bytes `n` from here; at most what is left.
  void limit(std::size_t n) { bytes_ = bytes_.first(offset_ + n); }

  std::span<const std::uint8_t> take(std::size_t n) {
    const auto field = bytes_.subspan(offset_, n);
    offset_ += n;
    return field;
  }
  template <std::size_t n>
  std::uint64_t get() {
    need(n, "next field");
    return endian_load<std::uint64_t, n, order::big>(take(n).data());
  }
  template <std::size_t n>
  void get(std::array<std::uint8_t, n>& field) {
    need(n, "next field");
    std::ranges::copy(take(n), field.begin());
  }
  std::uint8_t get8() { return static_cast<std::uint8_t>(get<1>()); }
  std::uint16_t get16() { return static_cast<std::uint16_t>(get<2>()); }
  std::uint32_t get24() { return static_cast<std::uint32_t>(get<3>()); }
  std::uint32_t get32() { return static_cast<std::uint32_t>(get<4>()); }
  std::uint64_t get64() { return get<8>(); }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t offset_ = 0;
};

std::uint8_t traffic_class_byte(std::uint8_t dscp, Ecn ecn) {
  return static_cast<std::uint8_t>(dscp << 2 | static_cast<std::uint8_t>(ecn));
}

// ---- encoding ----

void check_width(std::string_view field, std::uint64_t value, std::uint64_t largest) {
  if (value > largest) {
    throw ModelError(fmt::format("codec: {} is {}, expected at most {}", field, value, largest));
  }
}

void check_encodable(const RoceFrame& f) {
  if (f.vlan) {
    check_width("VLAN PCP", f.vlan->pcp, 7);
    check_width("VLAN identifier", f.vlan->vid, 0xfff);
  }
  std::visit([](const auto& ip) { check_width("DSCP", ip.dscp, 63); }, f.ip);
  if (const auto* ip = std::get_if<Ipv6Header>(&f.ip)) {
    check_width("IPv6 flow label", ip->flow_label, 0xfffff);
  }
  check_width("BTH pad count", f.bth.pad_count, 3);
  check_width("BTH version", f.bth.version, 15);
  check_width("BTH resv6a", f.bth.reserved6, 0x3f);
  check_width("BTH resv7", f.bth.reserved7, 0x7f);
  if (f.aeth) check_width("AETH MSN", f.aeth->msn, Psn::mask);

  const ExtensionHeaders found{.reth = f.reth.has_value(),
                               .aeth = f.aeth.has_value(),
                               .immediate = f.immediate.has_value(),
                               .cnp_reserved = f.cnp_reserved.has_value()};
  if (found != extension_headers(f.bth.opcode, found.reth)) {
    throw ModelError(
        fmt::format("codec: RETH {}, AETH {}, ImmDt {}, CNP bytes {} are not the extension headers "
                    "of opcode {:#04x}",
                    found.reth, found.aeth, found.immediate, found.cnp_reserved,
                    static_cast<unsigned>(f.bth.opcode)));
  }
  if ((f.payload.size() + f.bth.pad_count) % 4 != 0) {
    throw ModelError(fmt::format("codec: payload of {} bytes and pad count {}, expected {}",
                                 f.payload.size(), f.bth.pad_count,
                                 pad_count_of(f.payload.size())));
  }
}

std::size_t udp_length(const RoceFrame& f) {
  return wire::udp + wire::bth + (f.reth ? wire::reth : 0) + (f.aeth ? wire::aeth : 0) +
         (f.immediate ? wire::immediate : 0) + (f.cnp_reserved ? wire::cnp_padding : 0) +
         f.payload.size() + f.bth.pad_count + wire::icrc;
}

void put_ip(Writer& out, const Ipv4Header& ip, std::size_t payload) {
  const std::size_t start = out.size();
  const std::size_t total = wire::ipv4 + payload;
  check_width("IPv4 total length", total, ip_length_limit);
  out.put<1>(0x45);
  out.put<1>(traffic_class_byte(ip.dscp, ip.ecn));
  out.put<2>(total);
  out.put<2>(ip.identification);
  out.put<2>((ip.reserved_flag ? 0x8000u : 0u) | (ip.dont_fragment ? 0x4000u : 0u));
  out.put<1>(ip.ttl);
  out.put<1>(protocol_udp);
  out.put<2>(0);
  out.put(ip.src);
  out.put(ip.dst);
  out.patch16(start + 10, internet_checksum(out.from(start)));
}

void put_ip(Writer& out, const Ipv6Header& ip, std::size_t payload) {
  check_width("IPv6 payload length", payload, ip_length_limit);
  out.put<4>(6u << 28 | static_cast<std::uint32_t>(traffic_class_byte(ip.dscp, ip.ecn)) << 20 |
             ip.flow_label);
  out.put<2>(payload);
  out.put<1>(protocol_udp);
  out.put<1>(ip.hop_limit);
  out.put(ip.src);
  out.put(ip.dst);
}

void put_bth(Writer& out, const Bth& bth) {
  out.put<1>(static_cast<std::uint8_t>(bth.opcode));
  out.put<1>((bth.solicited_event ? 0x80u : 0u) | (bth.migration_request ? 0x40u : 0u) |
             static_cast<unsigned>(bth.pad_count) << 4 | bth.version);
  out.put<2>(bth.pkey);
  out.put<1>((bth.fecn ? 0x80u : 0u) | (bth.becn ? 0x40u : 0u) | bth.reserved6);
  out.put<3>(bth.dest_qp.value());
  out.put<1>((bth.ack_request ? 0x80u : 0u) | bth.reserved7);
  out.put<3>(bth.psn.value());
}

// ---- decoding ----

void split_traffic_class(std::uint8_t byte, std::uint8_t& dscp, Ecn& ecn) {
  dscp = byte >> 2;
  ecn = static_cast<Ecn>(byte & 3);
}

/// Reads an IPv4 header and ends `in` at the datagram's end.
Ipv4Header get_ipv4(Reader& in, std::span<const std::uint8_t> frame) {
  const std::size_t start = in.offset();
  const std::size_t available = in.left();
  in.need(wire::ipv4, "IPv4 header");
  Ipv4Header ip;
  const std::uint8_t version = in.get8();
  if (version != 0x45) {
    refuse(start, "IP version {} with a header of {} bytes, expected version 4 with 20 bytes",
           version >> 4, (version & 15) * 4);
  }
  split_traffic_class(in.get8(), ip.dscp, ip.ecn);
  const std::size_t total = in.get16();
  ip.identification = in.get16();
  const std::uint16_t flags = in.get16();
  ip.reserved_flag = (flags & 0x8000) != 0;
  ip.dont_fragment = (flags & 0x4000) != 0;
  ip.ttl = in.get8();
  const std::uint8_t protocol = in.get8();
  in.get16();  // the checksum: verified over the whole header below
  in.get(ip.src);
  in.get(ip.dst);
  if (const auto sum = internet_checksum(frame.subspan(start, wire::ipv4)); sum != 0) {
    refuse(start + 10, "wrong IPv4 header checksum (sum {:#06x}), expected a sum of 0", sum);
  }
  if ((flags & 0x3fff) != 0) {
    refuse(start + 6, "IPv4 fragment (flags and offset {:#06x}), expected a whole datagram", flags);
  }
  if (protocol != protocol_udp) {
    refuse(start + 9, "IP protocol {}, expected 17 (UDP)", protocol);
  }
  if (total < wire::ipv4 || total > available) {
    refuse(start + 2, "IPv4 total length {}, expected 20 to the {} bytes there are", total,
           available);
  }
  in.limit(total - wire::ipv4);
  return ip;
}

/// Reads an IPv6 header and ends `in` at the datagram's end.
Ipv6Header get_ipv6(Reader& in) {
  const std::size_t start = in.offset();
  in.need(wire::ipv6, "IPv6 header");
  Ipv6Header ip;
  const std::uint32_t first = in.get32();
  if (first >> 28 != 6) refuse(start, "IP version {}, expected 6", first >> 28);
  split_traffic_class(static_cast<std::uint8_t>(first >> 20), ip.dscp, ip.ecn);
  ip.flow_label = first & 0xfffff;
  const std::size_t payload = in.get16();
  if (const auto next = in.get8(); next != protocol_udp) {
    refuse(start + 6, "IPv6 next header {}, expected 17 (UDP)", next);
  }
  ip.hop_limit = in.get8();
  in.get(ip.src);
  in.get(ip.dst);
  if (payload > in.left()) {
    refuse(start + 4, "IPv6 payload length {}, expected at most the {} bytes there are", payload,
           in.left());
  }
  in.limit(payload);
  return ip;
}

UdpHeader get_udp(Reader& in) {
  const std::size_t start = in.offset();
  const std::size_t available = in.left();
  in.need(wire::udp, "UDP header");
  UdpHeader udp;
  udp.src_port = in.get16();
  if (const auto port = in.get16(); port != wire::roce_udp_port) {
    refuse(start + 2, "UDP destination port {}, expected {} (RoCEv2)", port, wire::roce_udp_port);
  }
  if (const std::size_t length = in.get16(); length != available) {
    refuse(start + 4, "UDP length {}, expected the {} bytes of the IP payload", length, available);
  }
  udp.checksum = in.get16();
  return udp;
}

Bth get_bth(Reader& in) {
  in.need(wire::bth, "BTH");
  Bth bth;
  bth.opcode = static_cast<Opcode>(in.get8());
  const std::uint8_t flags = in.get8();
  bth.solicited_event = (flags & 0x80) != 0;
  bth.migration_request = (flags & 0x40) != 0;
  bth.pad_count = flags >> 4 & 3;
  bth.version = flags & 15;
  bth.pkey = in.get16();
  const std::uint8_t congestion = in.get8();
  bth.fecn = (congestion & 0x80) != 0;
  bth.becn = (congestion & 0x40) != 0;
  bth.reserved6 = congestion & 0x3f;
  bth.dest_qp = Qpn(in.get24());
  const std::uint8_t ack = in.get8();
  bth.ack_request = (ack & 0x80) != 0;
  bth.reserved7 = ack & 0x7f;
  bth.psn = Psn(in.get24());
  return bth;
}

/// Reads extension headers, payload and pad bytes: all that `in` still holds but the ICRC.
void get_body(Reader& in, RoceFrame& f, const ExtensionHeaders& headers, std::size_t bth_start) {
  if (headers.reth) {
    in.need(wire::reth + wire::icrc, "RETH and the ICRC");
    Reth reth;
    reth.virtual_address = in.get64();
    reth.remote_key = in.get32();
    reth.dma_length = in.get32();
    f.reth = reth;
  }
  if (headers.aeth) {
    in.need(wire::aeth + wire::icrc, "AETH and the ICRC");
    Aeth aeth;
    aeth.syndrome = in.get8();
    aeth.msn = in.get24();
    f.aeth = aeth;
  }
  if (headers.immediate) {
    in.need(wire::immediate + wire::icrc, "immediate data and the ICRC");
    f.immediate = in.get32();
  }
  if (headers.cnp_reserved) {
    in.need(wire::cnp_padding + wire::icrc, "reserved bytes of a CNP and the ICRC");
    in.get(f.cnp_reserved.emplace());
  }
  in.need(wire::icrc, "ICRC");
  const std::size_t body = in.left() - wire::icrc;
  if (body % 4 != 0 || f.bth.pad_count > body) {
    refuse(bth_start + 1,
           "pad count {} with {} bytes of payload and pad, expected a multiple of 4 that holds it",
           f.bth.pad_count, body);
  }
  const auto payload = in.take(body - f.bth.pad_count);
  f.payload.assign(payload.begin(), payload.end());
  std::ranges::copy(in.take(f.bth.pad_count), f.pad.begin());
}

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

bool is_known(Opcode o) { return o <= Opcode::fetch_add || o == Opcode::cnp; }

}  // namespace

std::uint32_t icrc(std::span<const std::uint8_t> datagram) {
  constexpr std::size_t lrh = 8;
  constexpr std::size_t longest = lrh + wire::ipv6 + wire::udp + wire::bth;
  constexpr std::uint8_t ones = 0xff;

  const unsigned version = datagram.empty() ? 0u : datagram[0] >> 4;
  if (version != 4 && version != 6) refuse(0, "IP version {}, expected 4 or 6", version);
  const std::size_t ip_size = version == 4 ? wire::ipv4 : wire::ipv6;
  const std::size_t header_size = ip_size + wire::udp + wire::bth;
  if (datagram.size() < header_size) {
    refuse(0, "{} bytes of datagram, expected {} for its headers", datagram.size(), header_size);
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

Bytes frame_bytes(const RoceFrame& frame) {
  const std::int64_t size = wire::ethernet + (frame.vlan ? wire::vlan_tag : 0) +
                            (frame.is_ipv6() ? wire::ipv6 : wire::ipv4) +
                            static_cast<std::int64_t>(udp_length(frame)) + wire::fcs;
  return Bytes(std::max(size, wire::minimum_frame));
}

std::vector<std::uint8_t> encode(const RoceFrame& frame, EncodeOptions options) {
  check_encodable(frame);
  Writer out(static_cast<std::size_t>(frame_bytes(frame).count()));
  out.put(frame.ethernet.dst);
  out.put(frame.ethernet.src);
  if (frame.vlan) {
    out.put<2>(ethertype_vlan);
    out.put<2>(static_cast<unsigned>(frame.vlan->pcp) << 13 | (frame.vlan->dei ? 0x1000u : 0u) |
               frame.vlan->vid);
  }
  out.put<2>(frame.is_ipv6() ? ethertype_ipv6 : ethertype_ipv4);

  const std::size_t datagram = out.size();
  const std::size_t length = udp_length(frame);
  std::visit([&](const auto& ip) { put_ip(out, ip, length); }, frame.ip);
  out.put<2>(frame.udp.src_port);
  out.put<2>(wire::roce_udp_port);
  out.put<2>(length);
  out.put<2>(frame.udp.checksum);
  put_bth(out, frame.bth);
  if (frame.reth) {
    out.put<8>(frame.reth->virtual_address);
    out.put<4>(frame.reth->remote_key);
    out.put<4>(frame.reth->dma_length);
  }
  if (frame.aeth) {
    out.put<1>(frame.aeth->syndrome);
    out.put<3>(frame.aeth->msn);
  }
  if (frame.immediate) out.put<4>(*frame.immediate);
  if (frame.cnp_reserved) out.put(*frame.cnp_reserved);
  out.put(frame.payload);
  out.put(std::span(frame.pad).first(frame.bth.pad_count));
  out.put_little(icrc(out.from(datagram)));

  out.pad_to(minimum_without_fcs);
  if (options.fcs) out.put_little(crc32(out.from(0)));
  return out.take();
}

RoceFrame decode(std::span<const std::uint8_t> bytes, DecodeOptions options) {
  RoceFrame f;
  if (options.fcs) {
    if (bytes.size() < wire::fcs) {
      refuse(0, "{} bytes, expected at least {} for the FCS", bytes.size(), wire::fcs);
    }
    const auto fcs = bytes.last(wire::fcs);
    bytes = bytes.first(bytes.size() - wire::fcs);
    f.fcs_valid = endian_load<std::uint32_t, 4, order::little>(fcs.data()) == crc32(bytes);
  }

  Reader in(bytes);
  in.need(wire::ethernet, "Ethernet header");
  in.get(f.ethernet.dst);
  in.get(f.ethernet.src);
  std::uint16_t ethertype = in.get16();
  if (ethertype == ethertype_vlan) {
    in.need(wire::vlan_tag, "VLAN tag");
    const std::uint16_t tag = in.get16();
    f.vlan = VlanTag{.pcp = static_cast<std::uint8_t>(tag >> 13),
                     .dei = (tag & 0x1000) != 0,
                     .vid = static_cast<std::uint16_t>(tag & 0xfff)};
    ethertype = in.get16();
  }
  const std::size_t datagram = in.offset();
  if (ethertype == ethertype_ipv4) {
    f.ip = get_ipv4(in, bytes);
  } else if (ethertype == ethertype_ipv6) {
    f.ip = get_ipv6(in);
  } else {
    refuse(datagram - 2, "ethertype {:#06x}, expected 0x0800 (IPv4) or 0x86dd (IPv6)", ethertype);
  }
  f.udp = get_udp(in);
  const std::size_t bth_start = in.offset();
  f.bth = get_bth(in);
  get_body(in, f, extension_headers(f.bth.opcode, options.reth_on_every_write), bth_start);

  const std::size_t end = in.offset();
  const auto found = endian_load<std::uint32_t, 4, order::little>(in.take(wire::icrc).data());
  f.icrc_valid = found == icrc(bytes.subspan(datagram, end - datagram));
  return f;
}

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

RoceFrame frame_of(const Packet& packet, const AddressPlan& plan) {
  check_width("traffic class", packet.traffic_class, 7);
  RoceFrame f;
  f.ethernet = {.dst = mac_of(packet.dst), .src = mac_of(packet.src)};
  if (plan.vlan_id) f.vlan = VlanTag{.pcp = packet.traffic_class, .vid = *plan.vlan_id};
  const auto dscp = static_cast<std::uint8_t>(packet.traffic_class * 8);
  if (plan.ipv6) {
    Ipv6Header ip;
    ip.dscp = dscp;
    ip.ecn = packet.ecn;
    ip.src = ipv6_of(packet.src);
    ip.dst = ipv6_of(packet.dst);
    f.ip = ip;
  } else {
    Ipv4Header ip;
    ip.dscp = dscp;
    ip.ecn = packet.ecn;
    ip.src = ipv4_of(packet.src);
    ip.dst = ipv4_of(packet.dst);
    f.ip = ip;
  }
  f.udp.src_port = packet.entropy;
  f.bth.opcode = packet.opcode;
  f.bth.becn = packet.opcode == Opcode::cnp;  // annex A17.9.3
  f.bth.pad_count = pad_count_of(packet.payload);
  f.bth.dest_qp = packet.dest_qp;
  f.bth.ack_request = packet.ack_request;
  f.bth.psn = packet.psn;
  f.payload.resize(packet.payload);

  const ExtensionHeaders headers = extension_headers(packet.opcode);
  if (headers.reth) f.reth.emplace();
  if (headers.aeth) f.aeth = Aeth{.syndrome = packet.syndrome, .msn = packet.msn};
  if (headers.immediate) f.immediate = 0;
  if (headers.cnp_reserved) f.cnp_reserved.emplace();

  const Bytes bare = frame_bytes(f);
  if (bare != packet.frame_size() && is_write(packet.opcode)) f.reth.emplace();
  if (frame_bytes(f) != packet.frame_size()) {
    throw ModelError(fmt::format(
        "codec: packet {:#x} of opcode {:#04x} with {} bytes of payload has a frame of {} bytes, "
        "expected {}",
        packet.id, static_cast<unsigned>(packet.opcode), packet.payload, packet.frame,
        bare.count()));
  }
  return f;
}

Packet packet_of(const RoceFrame& frame, const AddressPlan& plan) {
  if (frame.is_ipv6() != plan.ipv6) {
    throw InputError(
        fmt::format("IPv{} frame, expected IPv{}", frame.is_ipv6() ? 6 : 4, plan.ipv6 ? 6 : 4));
  }
  const auto vlan = [](std::optional<std::uint16_t> id) {
    return id ? fmt::format("VLAN {}", *id) : std::string("no VLAN tag");
  };
  const std::optional<std::uint16_t> vid =
      frame.vlan ? std::optional(frame.vlan->vid) : std::nullopt;
  if (vid != plan.vlan_id) {
    throw InputError(fmt::format("frame with {}, expected {}", vlan(vid), vlan(plan.vlan_id)));
  }
  if (!is_known(frame.bth.opcode)) {
    throw InputError(fmt::format("BTH opcode {:#04x}, expected 0x00 to 0x14 or 0x81",
                                 static_cast<unsigned>(frame.bth.opcode)));
  }
  const Bytes size = frame_bytes(frame);
  if (size > Bytes(0xffff)) {
    throw InputError(fmt::format("frame of {} bytes, expected at most 65535", size.count()));
  }
  Packet p;
  std::visit(
      [&p](const auto& ip) {
        p.src = node_of(ip.src);
        p.dst = node_of(ip.dst);
        p.ecn = ip.ecn;
        p.traffic_class = ip.dscp / 8;
      },
      frame.ip);
  p.dest_qp = frame.bth.dest_qp;
  p.psn = frame.bth.psn;
  p.opcode = frame.bth.opcode;
  p.ack_request = frame.bth.ack_request;
  p.entropy = frame.udp.src_port;
  p.payload = static_cast<std::uint16_t>(frame.payload.size());
  p.frame = static_cast<std::uint16_t>(size.count());
  if (frame.aeth) {
    p.syndrome = frame.aeth->syndrome;
    p.msn = frame.aeth->msn;
  }
  return p;
}

}  // namespace horae
