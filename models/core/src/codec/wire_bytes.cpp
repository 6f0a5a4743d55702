#include "horae/core/wire_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>
#include <cstring>
#include <utility>
#include <variant>

#include "horae/core/error.hpp"
#include "horae/core/service.hpp"

namespace horae {
namespace {

using boost::endian::endian_load;
using boost::endian::endian_store;
using boost::endian::order;

/// A write of an opcode without RETH that has one nevertheless (`extension_headers`).
bool has_reth_more(const Packet& p) {
  return is_write(p.opcode) && !has_reth(p.opcode) &&
         p.frame == frame_bytes(p.opcode, Bytes(p.payload)).count() + wire::reth;
}

std::uint16_t load16(std::span<const std::uint8_t> bytes, std::size_t at) {
  return endian_load<std::uint16_t, 2, order::big>(bytes.subspan(at).data());
}

bool has_ipv4(std::span<const std::uint8_t> bytes, const NetworkHeader& h) {
  return h.ethertype == ethertype_ipv4 && bytes.size() >= h.at + wire::ipv4 &&
         bytes[h.at] >> 4 == 4;
}

/// Asked first, as exceptions are for what looks like a frame of RoCEv2 and is none.
bool looks_like_roce(std::span<const std::uint8_t> bytes) {
  const NetworkHeader h = network_header(bytes);
  const std::size_t udp = h.at + wire::ipv4;
  return has_ipv4(bytes, h) && bytes.size() >= udp + wire::udp &&
         load16(bytes, udp + 2) == wire::roce_udp_port;
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

void put_contents(RoceFrame& frame, const PacketContents& contents) {
  if (frame.reth && contents.reth) frame.reth = contents.reth;
  if (frame.payload.size() == contents.payload.size()) frame.payload = contents.payload;
}

}  // namespace

EncodedPacket encode_packet(const Packet& p, const Feedback* feedback,
                            const PacketContents* contents, EncodeOptions options,
                            const ClassCodes& codes) {
  Packet bare = p;
  bare.frame = static_cast<std::uint16_t>(frame_of_service(p.opcode, Bytes(p.payload)).count());
  std::int64_t more = std::int64_t{p.frame} - bare.frame;
  if (more >= wire::reth && is_write(p.opcode) && !has_reth(p.opcode)) {
    bare.frame = static_cast<std::uint16_t>(bare.frame + wire::reth);  // on every write
    more -= wire::reth;
  }
  RoceFrame frame = frame_of(bare, {.codes = codes});
  if (contents != nullptr) put_contents(frame, *contents);
  if (p.opcode == Opcode::acknowledge) {
    if (feedback != nullptr) frame.bth.becn = feedback->marked;
  } else if (p.opcode != Opcode::cnp) {
    // Bits of features, as a dissection of the frame reads them.
    frame.bth.fecn = (p.bth_reserved >> 14 & 1u) != 0;
    frame.bth.becn = (p.bth_reserved >> 13 & 1u) != 0;
    frame.bth.reserved6 = static_cast<std::uint8_t>(p.bth_reserved >> 7 & 0x3fu);
    frame.bth.reserved7 = static_cast<std::uint8_t>(p.bth_reserved & 0x7fu);
  }
  if (more > 0) {
    std::array<std::uint8_t, 4> first{};
    const bool answers = p.opcode == Opcode::acknowledge;
    endian_store<std::uint32_t, 4, order::big>(first.data(),
                                               answers ? (p.psn + p.bth_reserved).value() : p.msn);
    std::vector<std::uint8_t> front(static_cast<std::size_t>(more));
    const std::vector<std::uint8_t> report =
        answers && feedback != nullptr ? bytes_of(feedback->report) : std::vector<std::uint8_t>();
    const std::span<const std::uint8_t> begins =
        report.empty() ? std::span<const std::uint8_t>(first) : report;
    std::copy_n(begins.begin(), std::min(begins.size(), front.size()), front.begin());
    frame.payload.insert(frame.payload.begin(), front.begin(), front.end());
    frame.bth.pad_count = pad_count_of(frame.payload.size());
  }
  EncodedPacket out{encode(frame, options), 0};
  out.length = static_cast<std::uint32_t>(out.bytes.size());
  if (more < 0) {
    // Cut by a switch: its headers still tell of all of it.
    const auto left = static_cast<std::size_t>(std::max<std::int64_t>(p.frame - wire::fcs, 0));
    out.bytes.resize(std::min(out.bytes.size(), left));
  }
  return out;
}

std::vector<std::uint8_t> wire_bytes_of(const Packet& p, const PacketContents* contents,
                                        EncodeOptions options, const ClassCodes& codes) {
  const std::int64_t plain = frame_of_service(p.opcode, Bytes(p.payload)).count();
  if (p.opcode == Opcode::none || (p.frame != plain && !has_reth_more(p)))
    throw InputError(fmt::format(
        "a packet of node {} with opcode {:#04x} and {} bytes of payload has a frame of {} bytes "
        "with what is not of RoCEv2 (other frames, feedback, records, trimmed payload, TCP); "
        "expected RoCEv2 alone on the way to what works on bytes: {} bytes",
        p.src, static_cast<unsigned>(p.opcode), p.payload, p.frame, plain));
  return encode_packet(p, nullptr, contents, options, codes).bytes;
}

FieldsFound fields_of(std::span<const std::uint8_t> bytes, const Packet& before, bool check_icrc,
                      const ClassCodes& codes) {
  FieldsFound found;
  try {
    RoceFrame frame =
        decode(bytes, {.reth_on_every_write = has_reth_more(before), .icrc = check_icrc});
    found.fields = packet_of(frame, {.codes = codes});
    const std::uint8_t dscp = std::visit([](const auto& ip) { return ip.dscp; }, frame.ip);
    if (dscp == codes.dscp[before.traffic_class]) found.fields.traffic_class = before.traffic_class;
    found.icrc = frame.icrc_valid;
    found.roce = true;
    found.contents = {frame.reth, std::move(frame.payload)};
  } catch (const InputError& e) {
    found.complaint = e.what();
  }
  return found;
}

void take_fields(Packet& p, const Packet& from) {
  p.src = from.src;
  p.dst = from.dst;
  p.dest_qp = from.dest_qp;
  p.psn = from.psn;
  p.msn = from.msn;
  p.payload = from.payload;
  p.entropy = from.entropy;
  p.opcode = from.opcode;
  p.syndrome = from.syndrome;
  p.ecn = from.ecn;
  p.traffic_class = from.traffic_class;
  p.ack_request = from.ack_request;
}

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

const WireBytes::Carried* WireBytes::carried(const Packet& p) const {
  const auto found = carried_.find(&p);
  return found == carried_.end() || found->second.id != p.id ? nullptr : &found->second;
}

WireBytes::Carried& WireBytes::carry(const Packet& p) {
  Carried& c = carried_[&p];
  if (c.id != p.id) {
    c.id = p.id;
    c.contents.reset();
    c.unreadable = false;
    c.length = 0;
  }
  return c;
}

PacketContents& WireBytes::make(const Packet& p) {
  Carried& c = carry(p);
  c.length = 0;
  return c.contents.emplace();
}

const PacketContents* WireBytes::find(const Packet& p) const {
  const Carried* const c = carried(p);
  return c == nullptr || !c->contents ? nullptr : &*c->contents;
}

void WireBytes::arrive(const Packet& p, FrameBytes& bytes) const {
  const Carried* const c = carried(p);
  if (c != nullptr && c->length > 0 && !p.trimmed) {
    bytes.assign(c->bytes);
    bytes.resize(c->length);
    if (p.ecn == Ecn::ce) mark_congestion({bytes.data(), bytes.size()});
  } else {
    bytes.assign(wire_bytes_of(p, find(p), {.icrc = icrc_}, codes_));
  }
  if (shows_damage(p, c)) bytes[bytes.size() - 1] ^= 1;
}

bool WireBytes::leave(Packet& p, FrameBytes& bytes) {
  Carried& c = carry(p);
  if (shows_damage(p, &c) && !bytes.empty()) bytes[bytes.size() - 1] ^= 1;
  if (p.ecn == Ecn::ce) mark_congestion({bytes.data(), bytes.size()});
  std::size_t used = bytes.size();
  while (used > 0 && bytes[used - 1] == 0) --used;
  c.length = bytes.size();
  c.bytes.assign(bytes.data(), bytes.data() + used);

  FieldsFound found;
  if (looks_like_roce(bytes)) found = fields_of(bytes, p, icrc_, codes_);
  if (found.roce) take_fields(p, found.fields);
  if (found.roce && contents_) c.contents = std::move(found.contents);
  if (found.roce && found.icrc) {
    if (c.unreadable) p.corrupted = false;
    c.unreadable = false;
    return true;
  }
  c.unreadable = !p.corrupted || c.unreadable;
  p.corrupted = true;
  if (!found.roce) take_destination(p, bytes);
  return found.roce;
}

namespace {

/// The head of a packet from process to process, before its payload and its bytes.
struct HandedOver {
  Reth reth{};
  std::uint64_t length = 0;
  std::uint64_t payload = 0, bytes = 0;  ///< how many follow
  bool contents = false, has_reth = false, unreadable = false;
};

void append(std::vector<std::byte>& out, const void* from, std::size_t size) {
  const auto* const first = static_cast<const std::byte*>(from);
  out.insert(out.end(), first, first + size);
}

}  // namespace

void WireBytes::hand_over(const Packet& p, std::vector<std::byte>& out) const {
  const Carried* const c = carried(p);
  if (c == nullptr) return;
  HandedOver head;
  // Padding is handed over as well: the same bytes from run to run.
  std::memset(static_cast<void*>(&head), 0, sizeof(head));
  head.length = c->length;
  head.bytes = c->length > 0 ? c->bytes.size() : 0;
  head.unreadable = c->unreadable;
  head.contents = c->contents.has_value();
  if (c->contents) {
    head.has_reth = c->contents->reth.has_value();
    if (c->contents->reth) head.reth = *c->contents->reth;
    head.payload = c->contents->payload.size();
  }
  append(out, &head, sizeof(head));
  if (c->contents) append(out, c->contents->payload.data(), c->contents->payload.size());
  append(out, c->bytes.data(), head.bytes);
}

void WireBytes::take_over(const Packet& p, std::span<const std::byte> from) {
  if (from.empty()) {
    carried_.erase(&p);
    return;
  }
  HandedOver head;
  std::memcpy(&head, from.data(), sizeof(head));
  const auto* at = reinterpret_cast<const std::uint8_t*>(from.data()) + sizeof(head);
  Carried& c = carried_[&p];
  c.id = p.id;
  c.unreadable = head.unreadable;
  c.length = head.length;
  c.contents.reset();
  if (head.contents) {
    PacketContents& contents = c.contents.emplace();
    if (head.has_reth) contents.reth = head.reth;
    contents.payload.assign(at, at + head.payload);
  }
  at += head.payload;
  c.bytes.assign(at, at + head.bytes);
}

}  // namespace horae
