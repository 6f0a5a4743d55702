// RoCEv2 frames: what decodes encodes to a frame that decodes to the same, and so does the
// simulator's packet that it stands for.
#include "horae/core/codec.hpp"

#include "../target.hpp"

namespace {

using namespace horae;

void round_trip(std::span<const std::uint8_t> bytes, DecodeOptions options) {
  RoceFrame frame = decode(bytes, options);
  frame.icrc_valid = frame.fcs_valid = true;
  const auto again = encode(frame, {.fcs = options.fcs});
  fuzz::require(decode(again, options) == frame, "a frame is not that which it was encoded from");
  const AddressPlan plan{.ipv6 = frame.is_ipv6(),
                         .vlan_id = frame.vlan ? std::optional(frame.vlan->vid) : std::nullopt};
  const Packet packet = packet_of(frame, plan);
  RoceFrame shown;
  try {
    shown = frame_of(packet, plan);
  } catch (const ModelError&) {
    return;  // captured headers may be more than the model's packet has
  }
  const Packet back = packet_of(shown, plan);
  fuzz::require(back.psn == packet.psn && back.src == packet.src && back.dst == packet.dst &&
                    back.opcode == packet.opcode && back.payload == packet.payload &&
                    back.dest_qp == packet.dest_qp && back.ecn == packet.ecn &&
                    back.entropy == packet.entropy && back.frame == packet.frame,
                "a packet is not that which its frame was made from");
}

}  // namespace

bool horae::fuzz::one_input(std::span<const std::uint8_t> bytes) {
  if (bytes.empty()) return false;
  const DecodeOptions options{.reth_on_every_write = (bytes[0] & 1) != 0,
                              .fcs = (bytes[0] & 2) != 0};
  return read_or_refuse([&] { round_trip(bytes.subspan(1), options); });
}
