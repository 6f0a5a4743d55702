#include "horae/programs/wire_bytes.hpp"

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>
#include <optional>

#include "horae/core/codec.hpp"
#include "horae/core/codec/packet_bytes.hpp"
#include "horae/core/error.hpp"
#include "horae/programs/frame.hpp"

namespace horae::programs {
namespace {

using boost::endian::endian_load;
using boost::endian::endian_store;
using boost::endian::order;

std::uint16_t load16(std::span<const std::uint8_t> bytes, std::size_t at) {
  return endian_load<std::uint16_t, 2, order::big>(bytes.subspan(at).data());
}

bool has_ipv4(std::span<const std::uint8_t> bytes, const NetworkHeader& h) {
  return h.ethertype == ethertype_ipv4 && bytes.size() >= h.at + wire::ipv4 &&
         bytes[h.at] >> 4 == 4;
}

/// The fields that a RoCEv2 frame says. Exceptions are for what looks like one and is none.
std::optional<Packet> read(std::span<const std::uint8_t> bytes, const Packet& before) {
  const NetworkHeader h = network_header(bytes);
  const std::size_t udp = h.at + wire::ipv4;
  if (!has_ipv4(bytes, h) || bytes.size() < udp + wire::udp ||
      load16(bytes, udp + 2) != wire::roce_udp_port)
    return std::nullopt;
  const FieldsFound found = fields_of(bytes, before, false);
  if (!found.roce) return std::nullopt;
  return found.fields;
}

/// Where the frame goes that is not RoCEv2, for plain switches on its way.
void take_destination(Packet& p, std::span<const std::uint8_t> bytes) {
  const NetworkHeader h = network_header(bytes);
  if (!has_ipv4(bytes, h)) return;
  Ipv4Address to;
  std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(h.at) + 16, to.size(), to.begin());
  try {
    p.dst = node_of(to);
  } catch (const InputError&) {  // of no NIC: it goes where it went before
  }
}

}  // namespace

void mark_congestion(std::span<std::uint8_t> bytes) {
  const NetworkHeader h = network_header(bytes);
  if (has_ipv4(bytes, h)) {
    const std::uint16_t before = load16(bytes, h.at);
    if ((before & 3) == 0 || (before & 3) == 3) return;
    bytes[h.at + 1] |= 3;
    const std::size_t checksum = h.at + 10;
    endian_store<std::uint16_t, 2, order::big>(
        bytes.subspan(checksum).data(),
        updated_checksum(load16(bytes, checksum), before, load16(bytes, h.at)));
  } else if (h.ethertype == ethertype_ipv6 && bytes.size() >= h.at + wire::ipv6) {
    const unsigned ecn = bytes[h.at + 1] >> 4 & 3;
    if (ecn != 0) bytes[h.at + 1] |= 0x30;
  }
}

void WireBytes::arrive(const Packet& p, FrameBytes& bytes) const {
  const auto found = carried_.find(&p);
  if (found == carried_.end() || found->second.id != p.id) {
    bytes.assign(wire_bytes_of(p, {.icrc = false}));
    return;
  }
  const Carried& c = found->second;
  bytes.assign(c.bytes);
  bytes.resize(c.length);
  if (p.ecn == Ecn::ce) mark_congestion(bytes);
}

bool WireBytes::leave(Packet& p, FrameBytes& bytes) {
  if (p.ecn == Ecn::ce) mark_congestion(bytes);
  std::size_t used = bytes.size();
  while (used > 0 && bytes[used - 1] == 0) --used;
  Carried& c = carried_[&p];
  if (c.id != p.id) c.unreadable = false;
  c.id = p.id;
  c.length = bytes.size();
  c.bytes.assign(bytes.data(), bytes.data() + used);
  const auto fields = read(bytes, p);
  if (fields) {
    if (c.unreadable) p.corrupted = false;
    c.unreadable = false;
    take_fields(p, *fields);
    return true;
  }
  c.unreadable = !p.corrupted || c.unreadable;
  p.corrupted = true;
  take_destination(p, bytes);
  return false;
}

}  // namespace horae::programs
