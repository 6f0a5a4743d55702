// From a frame's headers to its bytes.
#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>
#include <cstddef>

#include "horae/core/codec.hpp"
#include "horae/core/service.hpp"
#include "parts.hpp"

namespace horae {

void codec::check_width(std::string_view field, std::uint64_t value, std::uint64_t largest) {
  if (value > largest) {
    throw ModelError(fmt::format("codec: {} is {}, expected at most {}", field, value, largest));
  }
}

namespace {

using namespace codec;
using boost::endian::endian_store;
using boost::endian::order;

constexpr std::size_t minimum_without_fcs = wire::minimum_frame - wire::fcs;
constexpr std::size_t ip_length_limit = 0xffff;

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

std::uint8_t traffic_class_byte(std::uint8_t dscp, Ecn ecn) {
  return static_cast<std::uint8_t>(dscp << 2 | static_cast<std::uint8_t>(ecn));
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
  if (found != extension_headers(operation_of(f.bth.opcode), found.reth)) {
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

}  // namespace

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
  out.put_little(options.icrc ? icrc(out.from(datagram)) : 0);

  out.pad_to(minimum_without_fcs);
  if (options.fcs) out.put_little(crc32(out.from(0)));
  return out.take();
}

}  // namespace horae
