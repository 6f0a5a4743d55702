// The packet that travels through the models: header fields and sizes, no payload bytes.
#pragma once

#include <boost/intrusive/slist.hpp>
#include <cstdint>

#include "horae/core/psn.hpp"
#include "horae/core/roce.hpp"
#include "horae/core/units.hpp"

namespace horae {

/// Address of a network interface in a platform: its index, which the codec turns into IP and MAC
/// addresses.
using NodeId = std::uint32_t;

#if defined(__SANITIZE_ADDRESS__)
/// Refuses to put a packet into two queues. Kept for sanitizer builds: it costs twelve instructions
/// per packet-hop.
using QueueLinking = boost::intrusive::link_mode<boost::intrusive::safe_link>;
#else
using QueueLinking = boost::intrusive::link_mode<boost::intrusive::normal_link>;
#endif
using QueueHook = boost::intrusive::slist_member_hook<QueueLinking>;

/// A RoCEv2 packet in flight: one cache line, pooled (`PacketPool`), moved by reference and never
/// copied on the way. Whoever holds it owns it and must pass it on or release it.
struct Packet {
  QueueHook hook;         ///< the queue it waits in
  std::uint64_t id = 0;   ///< unique in a run: creator's node id << 40 | its ordinal
  Picoseconds created{};  ///< when its creator put it in line for its wire
  NodeId src = 0;
  NodeId dst = 0;
  Qpn dest_qp;
  Psn psn;
  std::uint32_t msn = 0;  ///< AETH message sequence number, 24 bits; of a packet without AETH the
                          ///< four bytes behind the BTH that a switch program, an ordering
                          ///< layer or EQDS may add (HeaderExtension), or a pull has; of a
                          ///< READ request the bytes that it asks for
  std::uint16_t payload = 0;  ///< bytes
  std::uint16_t frame = 0;    ///< bytes with FCS (L2)
  std::uint16_t entropy = 0;  ///< UDP source port: what ECMP hashes
  Opcode opcode = Opcode::write_middle;
  std::uint8_t syndrome = 0;  ///< AETH syndrome, see horae::syndrome
  Ecn ecn = Ecn::not_ect;
  std::uint8_t traffic_class = 0;
  std::uint16_t ingress_port = 0;   ///< where the device that holds it received it
  bool ack_request = false;         ///< BTH A bit
  bool retransmission : 1 = false;  ///< bookkeeping of the model, not a wire field
  bool trimmed : 1 = false;         ///< a switch cut off its payload: a data packet of headers only
  bool corrupted : 1 = false;       ///< has a bit error: the end point drops it
  bool deflected : 1 = false;       ///< inside a chip: its queue refused it, and a program gets it
  bool again : 1 = false;           ///< sent, or made, as before and to the same end: see Outlook
  bool pinned : 1 = false;          ///< of a connection that plain switches hash, whatever balances
  std::uint8_t mirror_type = 0;  ///< in a chip: kind of copy; in a plain switch: class outside + 1
  std::uint8_t hop_limit = 255;  ///< IP time to live; only switches that deflect count it down
  std::uint16_t metadata = 0;    ///< a chip's own, cleared when it leaves it; or path_number
  /// BTH reserved bits (8 and 7): a feature that uses some declares which, and in which packets
  /// (HeaderExtension), as ConWeave's header, the ordering layer's frame, the remaining tag of NICs
  /// and, in an acknowledgement of a packet out of order, how far its PSN lies ahead of the
  /// expected one do.
  std::uint16_t bth_reserved = 0;

  bool is_nack() const { return opcode == Opcode::acknowledge && syndrome::is_nak(syndrome); }
  bool is_data() const { return opcode < Opcode::acknowledge; }
  Bytes frame_size() const { return Bytes(frame); }
  Bytes wire_size() const { return l1_bytes(Bytes(frame)); }
};
static_assert(sizeof(Packet) <= 64, "a packet is one cache line");

/// FIFO of packets linked through themselves: no allocation, owner keeps them alive; size() counts.
using PacketQueue =
    boost::intrusive::slist<Packet, boost::intrusive::member_hook<Packet, QueueHook, &Packet::hook>,
                            boost::intrusive::cache_last<true>,
                            boost::intrusive::constant_time_size<false>>;

}  // namespace horae
