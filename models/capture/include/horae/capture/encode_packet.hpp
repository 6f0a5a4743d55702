// A packet of the simulator as a frame of a capture.
#pragma once

#include <cstdint>
#include <vector>

#include "horae/core/packet.hpp"
#include "horae/core/packet_contents.hpp"
#include "horae/core/telemetry.hpp"

namespace horae::capture {

/// A packet of the simulator as bytes from the destination MAC to the ICRC, and its length on the
/// wire without FCS. IPv4, payload of zeros (core `frame_of`). A frame that is longer than its
/// headers and payload, by what an ordering layer, an IRN NACK or a switch program adds, has these
/// bytes before its payload, the first four of them `Packet::msn`, or of an acknowledgement the PSN
/// that arrived; one that was cut has fewer bytes than its length. Reserved bits of the BTH are 0.
///
/// With the `feedback` of a packet that has room for it, an acknowledgement has its selective
/// report there (core `SelectiveReport`), then zeros for times and telemetry, and BECN if the data
/// that caused it had CE. The entropy that it echoes is its UDP source port. With `contents` the
/// payload and the RETH are theirs.
struct EncodedPacket {
  std::vector<std::uint8_t> bytes;
  std::uint32_t length;
};
EncodedPacket encode_packet(const Packet& p, const Feedback* feedback = nullptr,
                            const PacketContents::Contents* contents = nullptr);

}  // namespace horae::capture
