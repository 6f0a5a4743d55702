#include "horae/core/codec/packet_bytes.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"
#include "horae/core/service.hpp"

namespace horae {
namespace {

/// A write of an opcode without RETH that has one nevertheless (`extension_headers`).
bool has_reth_more(const Packet& p) {
  return is_write(p.opcode) && !has_reth(p.opcode) &&
         p.frame == frame_bytes(p.opcode, Bytes(p.payload)).count() + wire::reth;
}

}  // namespace

std::vector<std::uint8_t> wire_bytes_of(const Packet& p, EncodeOptions options) {
  const std::int64_t plain = frame_of_service(p.opcode, Bytes(p.payload)).count();
  if (p.opcode == Opcode::none || (p.frame != plain && !has_reth_more(p)))
    throw InputError(fmt::format(
        "a packet of node {} with opcode {:#04x} and {} bytes of payload has a frame of {} bytes "
        "with what is not of RoCEv2 (other frames, feedback, records, trimmed payload, TCP); "
        "expected RoCEv2 alone on the way to what works on bytes: {} bytes",
        p.src, static_cast<unsigned>(p.opcode), p.payload, p.frame, plain));
  return encode(frame_of(p, {}), options);
}

FieldsFound fields_of(std::span<const std::uint8_t> bytes, const Packet& before, bool check_icrc) {
  FieldsFound found;
  try {
    const RoceFrame frame =
        decode(bytes, {.reth_on_every_write = has_reth_more(before), .icrc = check_icrc});
    found.fields = packet_of(frame, {});
    found.icrc = frame.icrc_valid;
    found.roce = true;
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

}  // namespace horae
