// Between frames and the packets of the models.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>
#include <cstddef>
#include <optional>
#include <string>

#include "horae/core/codec.hpp"
#include "horae/core/error.hpp"
#include "horae/core/service.hpp"
#include "horae/core/verb.hpp"
#include "parts.hpp"

namespace horae {
namespace {

using boost::endian::endian_load;
using boost::endian::endian_store;
using boost::endian::order;

bool is_known(Opcode o) {
  return o <= Opcode::fetch_add || is_unreliable(o) || o == Opcode::cnp || o == Opcode::pull;
}
constexpr auto deth = static_cast<std::size_t>(deth_bytes.count());
constexpr std::size_t deth_source = 5;  // bytes from the DETH on (IBTA vol. 1, 9.3.1)
/// Bytes of the DETH, which the codec counts as payload.
std::size_t deth_in(const RoceFrame& frame) {
  return is_ud(frame.bth.opcode) && frame.payload.size() >= deth ? deth : 0;
}
/// Whether the payload is what a receiver grants.
bool is_grant(Opcode o, std::size_t payload) { return o == Opcode::pull && payload == wire::grant; }
/// Whether the payload begins with the address of an atomic, of which the models know the low half.
bool has_address(Opcode o, std::size_t payload) {
  return is_atomic(o) && payload == static_cast<std::size_t>(atomic_request.count());
}
constexpr std::size_t address_low = 4;  // bytes from the AtomicETH on (IBTA vol. 1, 9.3.4)

std::optional<std::uint8_t> class_of(const std::array<std::uint8_t, 8>& codes, std::uint8_t code) {
  const auto* const found = std::find(codes.begin(), codes.end(), code);
  if (found == codes.end()) return std::nullopt;
  return static_cast<std::uint8_t>(found - codes.begin());
}

}  // namespace

std::uint8_t ClassCodes::class_of_dscp(std::uint8_t code) const {
  return class_of(dscp, code).value_or(static_cast<std::uint8_t>(code / 8));
}
std::uint8_t ClassCodes::class_of_pcp(std::uint8_t code) const {
  return class_of(pcp, code).value_or(code);
}

RoceFrame frame_of(const Packet& packet, const AddressPlan& plan) {
  codec::check_width("traffic class", packet.traffic_class, 7);
  RoceFrame f;
  f.ethernet = {.dst = mac_of(packet.dst), .src = mac_of(packet.src)};
  if (plan.vlan_id)
    f.vlan = VlanTag{.pcp = plan.codes.pcp[packet.traffic_class], .vid = *plan.vlan_id};
  const std::uint8_t dscp = plan.codes.dscp[packet.traffic_class];
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
  f.bth.becn = packet.opcode == Opcode::cnp;       // annex A17.9.3
  f.bth.pad_count = pad_count_of(packet.payload);  // a DETH is two words
  f.bth.dest_qp = packet.dest_qp;
  f.bth.ack_request = packet.ack_request;
  f.bth.psn = packet.psn;
  f.payload.resize(packet.payload + (is_ud(packet.opcode) ? deth : 0));
  if (is_ud(packet.opcode))
    endian_store<std::uint32_t, 3, order::big>(f.payload.data() + deth_source, packet.msn);
  if (is_grant(packet.opcode, f.payload.size()))
    endian_store<std::uint32_t, wire::grant, order::big>(f.payload.data(), packet.msn);
  if (has_address(packet.opcode, f.payload.size()))
    endian_store<std::uint32_t, 4, order::big>(f.payload.data() + address_low, packet.msn);

  const ExtensionHeaders headers = extension_headers(operation_of(packet.opcode));
  if (headers.reth) f.reth.emplace();
  if (packet.opcode == Opcode::read_request) f.reth->dma_length = packet.msn;
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
    throw InputError(fmt::format(
        "BTH opcode {:#04x}, expected 0x00 to 0x14, 0x20 to 0x2b, 0x64, 0x65, 0x81 or 0xc0",
        static_cast<unsigned>(frame.bth.opcode)));
  }
  const Bytes size = frame_bytes(frame);
  if (size > Bytes(0xffff)) {
    throw InputError(fmt::format("frame of {} bytes, expected at most 65535", size.count()));
  }
  Packet p;
  std::visit(
      [&p, &plan](const auto& ip) {
        p.src = node_of(ip.src);
        p.dst = node_of(ip.dst);
        p.ecn = ip.ecn;
        p.traffic_class = plan.codes.class_of_dscp(ip.dscp);
      },
      frame.ip);
  p.dest_qp = frame.bth.dest_qp;
  p.psn = frame.bth.psn;
  p.opcode = frame.bth.opcode;
  p.ack_request = frame.bth.ack_request;
  p.entropy = frame.udp.src_port;
  p.payload = static_cast<std::uint16_t>(frame.payload.size() - deth_in(frame));
  p.frame = static_cast<std::uint16_t>(size.count());
  if (frame.aeth) {
    p.syndrome = frame.aeth->syndrome;
    p.msn = frame.aeth->msn;
  } else if (p.opcode == Opcode::read_request && frame.reth) {
    p.msn = frame.reth->dma_length;
  } else if (deth_in(frame) > 0) {
    p.msn = endian_load<std::uint32_t, 3, order::big>(frame.payload.data() + deth_source);
  } else if (is_grant(p.opcode, p.payload)) {
    p.msn = endian_load<std::uint32_t, wire::grant, order::big>(frame.payload.data());
  } else if (has_address(p.opcode, p.payload)) {
    p.msn = endian_load<std::uint32_t, 4, order::big>(frame.payload.data() + address_low);
  }
  return p;
}

}  // namespace horae
