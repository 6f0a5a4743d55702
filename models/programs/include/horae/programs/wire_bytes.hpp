// Bytes of a run's packets on their way between chips whose programs work on bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "horae/core/frame_bytes.hpp"
#include "horae/core/packet.hpp"

namespace horae::programs {

/// Packets of a run are fields. A chip whose program works on bytes (Frames) makes a frame of them,
/// and of the bytes that leave it fields again, which plain switches and NICs go by. What fields do
/// not hold (IP time to live, addresses of Ethernet, headers of the program's own) is kept here
/// until the next such chip.
///
/// The frame is that of core/codec.hpp with the default AddressPlan: NIC n is 10.0.0.n+1. Payload
/// and ICRC are zeros: contents of NICs (PacketContents) do not pass such chips. One object serves
/// all chips of a simulation.
class WireBytes {
 public:
  /// The bytes, without FCS, with which `p` comes to a chip: those with which it left the last one,
  /// with a congestion mark that it got since, or those of its fields. InputError for a packet that
  /// is no plain RoCEv2 frame by its fields.
  void arrive(const Packet& p, FrameBytes& bytes) const;
  /// `p` leaves a chip as `bytes` (without FCS): its fields become what they say. Bytes that are
  /// not RoCEv2 leave the fields as they are, but for the destination where there is an IPv4
  /// header, and an end point finds the packet corrupted, as its ICRC is not where a NIC looks for
  /// it; bytes of a later chip may mend that. A mark of the chip's queues (p.ecn) is put into them
  /// first. Whether the bytes are RoCEv2.
  bool leave(Packet& p, FrameBytes& bytes);

 private:
  /// Found by the packet's address, which the pool gives to others when it has ended: the id tells.
  struct Carried {
    std::uint64_t id = 0;
    bool unreadable = false;          ///< the packet is corrupted for that reason alone
    std::size_t length = 0;           ///< of the frame; the rest is zeros
    std::vector<std::uint8_t> bytes;  ///< up to the last one that is not zero
  };
  std::unordered_map<const Packet*, Carried> carried_;
};

/// Marks congestion in the IP header of a frame, if it has one that is capable of it and not marked
/// yet. RFC 3168, 5; the checksum of IPv4 is changed with it (RFC 1624).
void mark_congestion(std::span<std::uint8_t> bytes);

}  // namespace horae::programs
