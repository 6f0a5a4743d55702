#include "horae/capture/dissection.hpp"

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>

#include "horae/core/service.hpp"
#include "infiniband.hpp"

namespace horae::capture {
namespace {

using boost::endian::endian_load;
using boost::endian::order;
using Bytes8 = std::span<const std::uint8_t>;

constexpr std::size_t type_at = 12;  // of the ethertype, behind two MAC addresses
constexpr std::size_t most_tags = 2;
constexpr std::uint8_t protocol_tcp = 6, protocol_udp = 17, protocol_gre = 47;  // IANA
/// Protocols inside IP, likewise: IPv4, IPv6, a routing header, Ethernet (RFC 8986, 4.9).
constexpr std::uint8_t protocol_ipv4 = 4, protocol_ipv6 = 41, protocol_routing = 43,
                       protocol_ethernet = 143;
constexpr std::uint8_t segment_routing = 4;  // type of a routing header (RFC 8754, 2)
constexpr std::size_t tcp_ports = 4;
constexpr std::uint32_t ethertype_ipv4 = 0x0800, ethertype_ipv6 = 0x86dd;  // IANA
constexpr std::uint32_t vxlan_port = 4789;                                 // RFC 7348, 5
constexpr std::size_t vxlan_size = 8;
constexpr std::uint8_t vxlan_valid = 0x08;  // flag I
constexpr std::size_t gre_size = 4, gre_field = 4;
constexpr std::uint32_t geneve_port = 6081;  // RFC 8926, 3.3
constexpr std::size_t geneve_size = 8;
constexpr std::uint32_t ethertype_mac_control = 0x8808;  // IEEE 802.3, 31.4.1.3
constexpr std::uint32_t ethertype_slow = 0x8809;         // IEEE 802.3, 57A.4
constexpr std::uint32_t ethertype_lldp = 0x88cc;         // IEEE 802.1AB-2016, 8.3
constexpr std::uint8_t subtype_lacp = 1;                 // IEEE 802.1AX-2020, 6.4.2.3
/// Opcodes of MAC control, and where its fields are: IEEE 802.3, 31B.2 and 31D.2.
constexpr std::uint32_t opcode_pause = 0x0001, opcode_pfc = 0x0101;
constexpr std::size_t control_opcode = 14, pause_time = 16, pfc_classes = 17, pfc_times = 18;
constexpr std::uint32_t ethertype_mpls = 0x8847, ethertype_mpls_upstream = 0x8848;  // RFC 5332
constexpr std::size_t label_size = 4;
constexpr std::uint8_t last_label = 0x01;     // flag S of the third byte (RFC 3032, 2.1)
constexpr std::size_t control_word_size = 4;  // RFC 4448, 4.6; it begins with four zeros
/// GRE of Ethernet: NVGRE, and what others call gretap (RFC 1701; RFC 7637, 3.2).
constexpr std::uint32_t gre_ethernet = 0x6558;

std::uint32_t get8(Bytes8 b, std::size_t at) { return b[at]; }
std::uint32_t get16(Bytes8 b, std::size_t at) {
  return endian_load<std::uint32_t, 2, order::big>(&b[at]);
}
std::uint32_t get24(Bytes8 b, std::size_t at) {
  return endian_load<std::uint32_t, 3, order::big>(&b[at]);
}
std::uint32_t get32(Bytes8 b, std::size_t at) {
  return endian_load<std::uint32_t, 4, order::big>(&b[at]);
}

NetworkAddress address(Bytes8 b, std::size_t at, std::uint8_t size) {
  NetworkAddress a;
  a.size = size;
  std::ranges::copy(b.subspan(at, size), a.bytes.begin());
  return a;
}

/// One frame on its way through the layers. Each says whether the next is to be looked at. Most
/// frames are RoCEv2, or nothing: those that are neither, RoCEv1 and tunnels, are left to a second
/// look with `all`, so that the first one keeps everything in registers.
template <bool all>
class Dissector {
 public:
  Dissector(Bytes8 bytes, std::uint32_t length, const DissectOptions& options, Dissection& d)
      : d_(d), options_(options), bytes_(bytes), length_(length) {}

  void run() {
    d_ = Dissection();
    sizes();
    d_.packet.opcode = Opcode::none;
    if (ethernet()) layers(d_.ipv6);
  }
  /// Whether there is more to be found with `all`.
  bool asks() const { return asks_; }

 private:
  [[gnu::always_inline]] void layers(bool six) {
    if ((six ? ipv6() : ipv4()) && transport()) roce();
  }

  bool captured(std::size_t to) const { return bytes_.size() >= to; }
  bool is(FrameKind kind) {
    d_.kind = kind;
    return false;
  }
  bool malformed(std::size_t at, std::string_view problem) {
    d_.problem = problem;
    d_.problem_at = static_cast<std::uint16_t>(at);
    return is(FrameKind::malformed);
  }

  void sizes() {
    d_.whole = bytes_.size() >= length_;
    if (options_.fcs) {
      length_ = std::max<std::uint32_t>(length_, wire::fcs) - wire::fcs;
      bytes_ = bytes_.first(std::min<std::size_t>(bytes_.size(), length_));
    }
    const std::uint64_t frame = std::uint64_t{length_} + wire::fcs;
    d_.padded = frame < wire::minimum_frame;
    d_.limited = frame > Dissection::longest_frame;
    d_.packet.frame = static_cast<std::uint16_t>(
        std::clamp<std::uint64_t>(frame, wire::minimum_frame, Dissection::longest_frame));
  }

  [[gnu::always_inline]] bool ethernet() {
    const std::size_t mac = d_.mac;
    if (!captured(mac + wire::ethernet)) return is(FrameKind::cut);
    d_.destination = address(bytes_, mac, 6);
    d_.source = address(bytes_, mac + 6, 6);
    std::size_t at = mac + type_at;
    std::uint32_t type = get16(bytes_, at);
    if (is_link_local(mac) || type == ethertype_mac_control) {
      d_.neighbour = neighbour(type, at + 2);
      return is(FrameKind::link_local);
    }
    while (type == 0x8100 || type == 0x88a8 || type == 0x9100) {  // 802.1Q, 802.1ad, before it
      if (d_.tags == most_tags) return is(FrameKind::other);
      if (!captured(at + wire::vlan_tag + 2)) return is(FrameKind::cut);
      if (d_.tags == 0)
        d_.packet.traffic_class = d_.pcp = static_cast<std::uint8_t>(get16(bytes_, at + 2) >> 13);
      ++d_.tags;
      at += wire::vlan_tag;
      type = get16(bytes_, at);
    }
    d_.ip = static_cast<std::uint16_t>(at + 2);
    if (type == ethertype_ipv4) return true;
    d_.ipv6 = type == ethertype_ipv6;
    if (d_.ipv6) return true;
    if (type == rocev1_ethertype) {
      if constexpr (all) return rocev1();
      asks_ = true;
    }
    if (type == ethertype_mpls || type == ethertype_mpls_upstream) {
      if constexpr (all) return mpls();
      asks_ = true;
    }
    d_.ip = 0;
    return is(type == 0x0806 ? FrameKind::arp : FrameKind::other);
  }

  bool is_link_local(std::size_t mac) const {
    return get32(bytes_, mac) == 0x0180c200 && get16(bytes_, mac + 4) < 16;
  }

  LinkLocal neighbour(std::uint32_t type, std::size_t body) const {
    if (type == ethertype_mac_control) return LinkLocal::mac_control;
    if (type == ethertype_lldp) return LinkLocal::lldp;
    const bool lacp =
        type == ethertype_slow && captured(body + 1) && get8(bytes_, body) == subtype_lacp;
    return lacp ? LinkLocal::lacp : LinkLocal::other;
  }

  void traffic_class(std::uint32_t tos) {
    d_.packet.ecn = static_cast<Ecn>(tos & 3);
    d_.packet.traffic_class = static_cast<std::uint8_t>(tos >> 5);  // DSCP / 8
    d_.dscp = static_cast<std::uint8_t>(tos >> 2);
  }

  [[gnu::always_inline]] bool ipv4() {
    const std::size_t ip = d_.ip;
    if (!captured(ip + wire::ipv4)) return is(FrameKind::cut);
    const std::uint32_t version = get8(bytes_, ip) >> 4;
    const std::uint32_t header = (get8(bytes_, ip) & 15) * 4;
    if (version != 4) return malformed(ip, "no version 4 behind the ethertype of IPv4");
    if (header < wire::ipv4) return malformed(ip, "an IPv4 header of less than 20 bytes");
    traffic_class(get8(bytes_, ip + 1));
    d_.packet.hop_limit = bytes_[ip + 8];
    d_.source = address(bytes_, ip + 12, 4);
    d_.destination = address(bytes_, ip + 16, 4);
    std::uint32_t total = get16(bytes_, ip + 2);
    // Segments that the sender's NIC was to cut have no length yet.
    if (total == 0) total = length_ - d_.ip;
    if (total < header) return malformed(ip + 2, "an IPv4 length that ends in its header");
    if (ip + total > length_) return malformed(ip + 2, "an IPv4 length beyond the frame");
    ip_end_ = static_cast<std::uint32_t>(ip + total);
    protocol_ = bytes_[ip + 9];
    fragment_ = (get16(bytes_, ip + 6) & 0x3fff) != 0;  // an offset, or more to come
    plain_ = header == wire::ipv4;
    at_ = ip + header;
    return true;
  }

  bool ipv6() {
    const std::size_t ip = d_.ip;
    if (!captured(ip + wire::ipv6)) return is(FrameKind::cut);
    if (get8(bytes_, ip) >> 4 != 6)
      return malformed(ip, "no version 6 behind the ethertype of IPv6");
    traffic_class(get16(bytes_, ip) >> 4 & 0xff);
    d_.packet.hop_limit = bytes_[ip + 7];
    d_.source = address(bytes_, ip + 8, 16);
    d_.destination = address(bytes_, ip + 24, 16);
    std::uint32_t payload = get16(bytes_, ip + 4);
    if (payload == 0) payload = static_cast<std::uint32_t>(length_ - ip - wire::ipv6);
    if (ip + wire::ipv6 + payload > length_)
      return malformed(ip + 4, "an IPv6 length beyond the frame");
    ip_end_ = static_cast<std::uint32_t>(ip + wire::ipv6 + payload);
    protocol_ = bytes_[ip + 6];
    at_ = ip + wire::ipv6;
    return true;
  }

  /// RoCEv1, to its end.
  [[gnu::noinline]] bool rocev1() {
    const std::size_t at = d_.ip;
    d_.ip = 0;
    if (!captured(at + grh::size)) return is(FrameKind::cut);
    d_.kind = FrameKind::other;
    if (get8(bytes_, at) >> 4 != 6)
      return malformed(at, "no version 6 behind the ethertype of RoCEv1");
    if (bytes_[at + grh::next_header] != grh::next_is_bth) return false;
    const std::uint32_t payload = get16(bytes_, at + grh::payload_length);
    if (at + grh::size + payload > length_)
      return malformed(at + grh::payload_length, "a GRH's length beyond the frame");
    d_.packet.hop_limit = bytes_[at + grh::hop_limit];
    d_.source = gid(at + grh::source);
    d_.destination = gid(at + grh::destination);
    d_.packet.entropy = static_cast<std::uint16_t>(get16(bytes_, at + 2));
    d_.ipv6 = d_.v1 = true;
    d_.ip = static_cast<std::uint16_t>(at);
    roce_headers(at + grh::size, payload, at + grh::payload_length);
    return false;
  }

  /// A GID that maps an IPv4 address is that.
  NetworkAddress gid(std::size_t at) const {
    constexpr std::array<std::uint8_t, 12> mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    const bool ipv4 = std::ranges::equal(bytes_.subspan(at, mapped.size()), mapped);
    return ipv4 ? address(bytes_, at + mapped.size(), 4) : address(bytes_, at, 16);
  }

  /// RoCE inside a tunnel, from its Ethernet or IP header on; anything else stays the outer packet.
  [[gnu::noinline]] void inside(Tunnel tunnel, std::uint32_t type, std::size_t at) {
    if (d_.tunnel != Tunnel::none) return;
    Dissection d = d_;
    Dissector inner(bytes_.first(std::min<std::size_t>(bytes_.size(), ip_end_)), ip_end_, options_,
                    d);
    d.tunnel = tunnel;
    d.outer_ip = d_.ip;
    d.outer_next = static_cast<std::uint16_t>(at_);
    d.udp = 0;
    d.tags = 0;
    d.dscp.reset();
    d.ipv6 = type == ethertype_ipv6;
    if (type == gre_ethernet) {
      d.mac = static_cast<std::uint16_t>(at);
      if (inner.ethernet()) inner.layers(d.ipv6);
    } else {
      d.ip = static_cast<std::uint16_t>(at);
      inner.layers(d.ipv6);
    }
    if (d.kind != FrameKind::roce) return;
    d.tags = static_cast<std::uint8_t>(d.tags + d_.tags);
    if (d.v1 && d.tags == d_.tags) {
      d.packet.traffic_class = d_.packet.traffic_class;
      d.dscp = d_.dscp;
      d.pcp = d_.pcp;
    }
    d_ = d;
  }

  /// Behind labels nothing names the packet: its first four bits do (RFC 4928, 3).
  [[gnu::noinline]] bool mpls() {
    std::size_t at = d_.ip;
    d_.ip = 0;
    is(FrameKind::other);
    bool last = false;
    for (; !last; at += label_size) {
      if (!captured(at + label_size)) return false;
      last = (bytes_[at + 2] & last_label) != 0;
    }
    if (!captured(at + 1)) return false;
    at_ = at;
    ip_end_ = length_;
    switch (bytes_[at] >> 4) {
      case 4:
        inside(Tunnel::mpls, ethertype_ipv4, at);
        break;
      case 6:
        inside(Tunnel::mpls, ethertype_ipv6, at);
        break;
      case 0:
        inside(Tunnel::mpls, gre_ethernet, at + control_word_size);
        break;
      default:
        break;
    }
    return false;
  }

  void geneve() {
    const std::size_t at = at_ + wire::udp;
    if (!captured(at + geneve_size) || get8(bytes_, at) >> 6 != 0) return;  // version 0
    const std::size_t options = (get8(bytes_, at) & 0x3f) * 4;
    const std::uint32_t type = get16(bytes_, at + 2);
    if (type == gre_ethernet || type == ethertype_ipv4 || type == ethertype_ipv6)
      inside(Tunnel::geneve, type, at + geneve_size + options);
  }

  /// IP or Ethernet directly behind IP, or behind the segment routing header of IPv6.
  void ip_in_ip() {
    std::size_t at = at_;
    std::uint8_t next = protocol_;
    Tunnel tunnel = Tunnel::ip;
    if (next == protocol_routing) {
      constexpr std::size_t fixed = 8, type_of_header = 2;
      if (!d_.ipv6 || !captured(at + fixed) || bytes_[at + type_of_header] != segment_routing)
        return;
      tunnel = Tunnel::srv6;
      next = bytes_[at];
      at += (get8(bytes_, at + 1) + 1) * 8;
    }
    if (next == protocol_ipv4) inside(tunnel, ethertype_ipv4, at);
    if (next == protocol_ipv6) inside(tunnel, ethertype_ipv6, at);
    if (next == protocol_ethernet) inside(tunnel, gre_ethernet, at);
  }

  static bool wraps(std::uint8_t protocol) {
    return protocol == protocol_gre || protocol == protocol_ipv4 || protocol == protocol_ipv6 ||
           protocol == protocol_routing || protocol == protocol_ethernet;
  }

  void vxlan() {
    const std::size_t at = at_ + wire::udp;
    if (captured(at + vxlan_size) && (bytes_[at] & vxlan_valid) != 0)
      inside(Tunnel::vxlan, gre_ethernet, at + vxlan_size);
  }

  void gre() {
    if (!captured(at_ + gre_size)) return;
    const std::uint32_t flags = get16(bytes_, at_), type = get16(bytes_, at_ + 2);
    // Checksum, key and sequence number (RFC 2784, 2.1; RFC 2890, 2); others are of RFC 1701.
    if ((flags & 0x4fff) != 0) return;
    std::size_t at = at_ + gre_size;
    for (const std::uint32_t flag : {0x8000u, 0x2000u, 0x1000u}) {
      if ((flags & flag) != 0) at += gre_field;
    }
    if (type == gre_ethernet || type == ethertype_ipv4 || type == ethertype_ipv6)
      inside(Tunnel::gre, type, at);
  }

  [[gnu::always_inline]] bool transport() {
    d_.kind = FrameKind::ip;
    if (fragment_ || (protocol_ != protocol_udp && protocol_ != protocol_tcp)) {
      if (!fragment_ && wraps(protocol_) && plain_) {
        asks_ = true;
        if constexpr (all) protocol_ == protocol_gre ? gre() : ip_in_ip();
      }
      return false;
    }
    const bool udp = protocol_ == protocol_udp;
    if (at_ + (udp ? wire::udp : tcp_ports) > ip_end_)
      return malformed(at_, "an IP length that ends in the transport's header");
    if (!captured(at_ + tcp_ports)) return false;
    d_.kind = udp ? FrameKind::udp : FrameKind::tcp;
    d_.udp = static_cast<std::uint16_t>(at_);
    d_.packet.entropy = static_cast<std::uint16_t>(get16(bytes_, at_));
    if (!udp || !plain_) return false;
    const std::uint32_t port = get16(bytes_, at_ + 2);
    if (port == wire::roce_udp_port) return true;
    if (port == vxlan_port || port == geneve_port) {
      asks_ = true;
      if constexpr (all) port == vxlan_port ? vxlan() : geneve();
    }
    return false;
  }

  [[gnu::always_inline]] void roce() {
    const std::size_t bth = at_ + wire::udp;
    if (!captured(bth + wire::bth)) return;  // nothing tells what it is
    std::uint32_t length = get16(bytes_, at_ + 4);
    if (length == 0) length = static_cast<std::uint32_t>(ip_end_ - at_);
    if (at_ + length > ip_end_) return;  // anybody may send to the port
    roce_headers(bth, std::int64_t{length} - wire::udp, at_ + 4);
  }

  /// `length` from the BTH to the ICRC, as the header at `length_at` says.
  [[gnu::always_inline]] void roce_headers(std::size_t bth, std::int64_t length,
                                           std::size_t length_at) {
    if (!captured(bth + wire::bth)) return;  // of RoCEv1
    const auto opcode = static_cast<Opcode>(bytes_[bth]);
    const ExtensionHeaders headers = extension_headers(operation_of(opcode));
    const std::size_t aeth = bth + wire::bth + (headers.reth ? wire::reth : 0);
    if (headers.aeth && !captured(aeth + wire::aeth)) return;
    const std::uint32_t resv8 = get8(bytes_, bth + 4), resv7 = get8(bytes_, bth + 8) & 0x7f;
    // FECN and BECN stand among them (annex A17), and a CNP has to set BECN.
    const std::uint32_t reserved = opcode == Opcode::cnp ? 0 : resv8 << 7 | resv7;
    const bool extra = options_.extra_mask != 0 && opcode < Opcode::acknowledge &&
                       (reserved & options_.extra_mask) == options_.extra_value;
    if (extra && !captured(bth + wire::bth + 4)) return;
    const std::int64_t rest = length - wire::bth - wire::icrc - (headers.reth ? wire::reth : 0) -
                              (headers.aeth ? wire::aeth : 0) -
                              (headers.immediate ? wire::immediate : 0) -
                              (headers.cnp_reserved ? wire::cnp_padding : 0) - (extra ? 4 : 0) -
                              (is_ud(opcode) ? deth_bytes.count() : 0);
    const std::uint32_t pad = get8(bytes_, bth + 1) >> 4 & 3;
    if (rest < pad) {
      // Any UDP sender may use this port.
      if (d_.v1) malformed(length_at, "a GRH's length that ends in the headers of RoCEv1");
      return;
    }
    Packet& p = d_.packet;
    p.opcode = opcode;
    p.payload = static_cast<std::uint16_t>(std::min<std::int64_t>(rest - pad, 0xffff));
    p.dest_qp = Qpn(get24(bytes_, bth + 5));
    p.ack_request = get8(bytes_, bth + 8) >> 7 != 0;
    p.psn = Psn(get24(bytes_, bth + 9));
    p.bth_reserved = static_cast<std::uint16_t>(reserved);
    if (headers.aeth) {
      p.syndrome = bytes_[aeth];
      p.msn = get24(bytes_, aeth + 1);
    } else if (is_ud(opcode) && captured(bth + wire::bth + deth_bytes.count())) {
      p.msn = get24(bytes_, bth + wire::bth + 5);
    } else if (extra || (opcode == Opcode::pull && captured(bth + wire::bth + wire::grant))) {
      p.msn = get32(bytes_, bth + wire::bth);
    }
    d_.extra = extra;
    d_.bth = static_cast<std::uint16_t>(bth);
    d_.udp_end = static_cast<std::uint32_t>(static_cast<std::int64_t>(bth) + length);
    d_.kind = FrameKind::roce;
  }

  Dissection& d_;
  DissectOptions options_;
  Bytes8 bytes_;
  std::uint32_t length_;
  std::size_t at_ = 0;        ///< of the transport's header
  std::uint32_t ip_end_ = 0;  ///< where the IP packet ends on the wire
  std::uint8_t protocol_ = 0;
  bool fragment_ = false;
  bool plain_ = true;  ///< no IPv4 options, which the ICRC knows nothing of
  bool asks_ = false;
};

[[gnu::noinline]] void look_again(Bytes8 bytes, std::uint32_t length, const DissectOptions& options,
                                  Dissection& d) {
  Dissector<true>(bytes, length, options, d).run();
}

}  // namespace

std::optional<PauseRequest> pause_request(std::span<const std::uint8_t> bytes) {
  PauseRequest request;
  if (bytes.size() < pause_time + 2) return std::nullopt;
  const std::uint32_t opcode = get16(bytes, control_opcode);
  if (opcode == opcode_pause) {
    request.classes = 0xff;
    request.quanta.fill(static_cast<std::uint16_t>(get16(bytes, pause_time)));
    return request;
  }
  if (opcode != opcode_pfc || bytes.size() < pfc_times + 2 * request.quanta.size())
    return std::nullopt;
  request.classes = bytes[pfc_classes];
  for (std::size_t c = 0; c < request.quanta.size(); ++c)
    request.quanta[c] = static_cast<std::uint16_t>(get16(bytes, pfc_times + 2 * c));
  return request;
}

void dissect(std::span<const std::uint8_t> bytes, std::uint32_t length,
             const DissectOptions& options, Dissection& into) {
  Dissector<false> dissector(bytes, length, options, into);
  dissector.run();
  if (dissector.asks()) look_again(bytes, length, options, into);
}

Dissection dissect(std::span<const std::uint8_t> bytes, std::uint32_t length,
                   const DissectOptions& options) {
  Dissection d;
  dissect(bytes, length, options, d);
  return d;
}

}  // namespace horae::capture
