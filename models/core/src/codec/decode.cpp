// From a frame's bytes to its headers.
#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>
#include <cstddef>

#include "horae/core/codec.hpp"
#include "horae/core/service.hpp"
#include "parts.hpp"

namespace horae {
namespace {

using namespace codec;
using boost::endian::endian_load;
using boost::endian::order;

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

}  // namespace

NetworkHeader network_header(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < wire::ethernet) return {};
  const auto type_before = [&](std::size_t at) {
    return endian_load<std::uint16_t, 2, order::big>(bytes.subspan(at - 2).data());
  };
  constexpr std::size_t tagged = wire::ethernet + wire::vlan_tag;
  const std::uint16_t type = type_before(wire::ethernet);
  if (type == ethertype_vlan && bytes.size() >= tagged) return {type_before(tagged), tagged};
  return {type, wire::ethernet};
}

std::uint16_t updated_checksum(std::uint32_t checksum, std::uint32_t before, std::uint32_t after) {
  std::uint32_t sum = (~checksum & 0xffff) + (~before & 0xffff) + (after & 0xffff);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
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
  const auto [ethertype, datagram] = network_header(bytes);
  if (in.get16() == ethertype_vlan) {
    in.need(wire::vlan_tag, "VLAN tag");
    const std::uint16_t tag = in.get16();
    f.vlan = VlanTag{.pcp = static_cast<std::uint8_t>(tag >> 13),
                     .dei = (tag & 0x1000) != 0,
                     .vid = static_cast<std::uint16_t>(tag & 0xfff)};
    in.take(datagram - in.offset());
  }
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
  get_body(in, f, extension_headers(operation_of(f.bth.opcode), options.reth_on_every_write),
           bth_start);

  const std::size_t end = in.offset();
  const auto found = endian_load<std::uint32_t, 4, order::little>(in.take(wire::icrc).data());
  f.icrc_valid = !options.icrc || found == icrc(bytes.subspan(datagram, end - datagram));
  return f;
}

}  // namespace horae
