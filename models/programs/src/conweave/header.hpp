// The headers of ConWeave in a packet's fields (internal to the room).
#pragma once

#include <algorithm>
#include <cstdint>

#include "horae/core/header_extension.hpp"
#include "horae/core/packet.hpp"
#include "horae/core/units.hpp"

namespace horae::programs::conweave {

/// Bytes that data packets carry more: two time stamps behind the BTH (headers.p4, conweave_h).
inline constexpr std::uint16_t stamp_bytes = 4;

/// Kind of a packet between two ToRs (headers.p4: bth.conweave_opcode). The paper's RTT_REQUEST is
/// data with a mark, its CLEAR a reply of phase 1.
enum class Kind : std::uint8_t { none = 0, data = 1, reply = 2, notify = 3 };

/// The 15 reserved bits of the BTH (8 and 7), as headers.p4 has them, and one of the BTH's flags,
/// by which a reply also says that its packet was marked.
struct Shim {
  std::uint8_t path = 0;  ///< number of the source ToR's uplink in its group
  Kind kind = Kind::none;
  bool rerouted = false;  ///< phase: sent after the TAIL of its epoch
  std::uint8_t epoch = 0;
  bool request = false;  ///< RTT_REQUEST
  bool tail = false;
  bool marked = false;  ///< of a reply: also a NOTIFY

  /// Acknowledgements of NICs carry none: the parser knows them by their opcode.
  static Shim of(const Packet& p) {
    if (p.opcode == Opcode::acknowledge) return {};
    const unsigned b = p.bth_reserved;
    return {static_cast<std::uint8_t>(b >> 8),
            static_cast<Kind>(b >> 5 & 3),
            (b >> 4 & 1) != 0,
            static_cast<std::uint8_t>(b >> 2 & 3),
            (b >> 1 & 1) != 0,
            (b & 1) != 0,
            (b >> 7 & 1) != 0};
  }
  void put(Packet& p) const {
    p.bth_reserved = static_cast<std::uint16_t>(unsigned{path} << 8 | (marked ? 1u << 7 : 0u) |
                                                static_cast<unsigned>(kind) << 5 |
                                                (rerouted ? 1u << 4 : 0u) | unsigned{epoch} << 2 |
                                                (request ? 1u << 1 : 0u) | (tail ? 1u : 0u));
  }
};

/// Shim and Stamps, which the ToRs at both ends of a path put into data and take out of it.
inline constexpr HeaderExtension extension{.feature = "ConWeave's header",
                                           .between = "switches",
                                           .bth_reserved = 0x7fff,
                                           .behind_bth = 0xffffffff};

/// The two stamps, in ticks of the source ToR's clock: when the packet was sent, and when the TAIL
/// of its epoch was.
struct Stamps {
  std::uint16_t sent = 0;
  std::uint16_t tail = 0;

  static Stamps of(const Packet& p) {
    return {static_cast<std::uint16_t>(p.msn >> 16), static_cast<std::uint16_t>(p.msn)};
  }
  void put(Packet& p) const { p.msn = std::uint32_t{sent} << 16 | tail; }
};

/// Data that the destination ToR's ingress bridges to its egress, and that its timer packets carry:
/// `Packet::metadata`. A TAIL that is to release a queue has its flow in the place of the stamps; a
/// timer its flow in that of the PSN and the packets counted in egress in that of the stamps
/// (headers.p4, conweave_tail_h and conweave_ctrl_h: 6 and 11 bytes).
struct Bridge {
  bool timer = false;        ///< a timer packet
  bool queued = false;       ///< data: it waits in a reorder queue
  bool releases = false;     ///< data: the TAIL of a flow that waits in the queue
  bool last_hop = false;     ///< data: ConWeave's header ends here
  bool pre_timeout = false;  ///< timer: due, but the TAIL has to leave first
  bool timeout = false;      ///< timer: the queue is released
  bool over = false;         ///< timer: the queue is empty
  bool unqueued = false;     ///< timer: there was no queue, only the flow's state is reset
  std::uint16_t queue = 0;   ///< cell of the port's queue, 10 bits

  static constexpr unsigned queue_bits = 10;
  static Bridge of(std::uint16_t bits) {
    Bridge b;
    b.timer = (bits >> 15 & 1) != 0;
    b.queued = !b.timer && (bits >> 14 & 1) != 0;
    b.releases = !b.timer && (bits >> 13 & 1) != 0;
    b.last_hop = !b.timer && (bits >> 12 & 1) != 0;
    b.pre_timeout = b.timer && (bits >> 14 & 1) != 0;
    b.timeout = b.timer && (bits >> 13 & 1) != 0;
    b.over = b.timer && (bits >> 12 & 1) != 0;
    b.unqueued = b.timer && (bits >> 11 & 1) != 0;
    b.queue = bits & ((1u << queue_bits) - 1);
    return b;
  }
  std::uint16_t bits() const {
    return static_cast<std::uint16_t>(
        (timer ? 1u << 15 : 0u) | (queued || pre_timeout ? 1u << 14 : 0u) |
        (releases || timeout ? 1u << 13 : 0u) | (last_hop || over ? 1u << 12 : 0u) |
        (unqueued ? 1u << 11 : 0u) | queue);
  }
};

/// Kind of a mirrored copy.
enum CopyType : std::uint8_t { reply_copy = 1, clear_copy = 2, notify_copy = 3, timer_copy = 4 };

/// Bytes of copies: control packets are cut to the smallest frame, which holds all their headers
/// (Ethernet 14, IPv4 20, UDP 8, BTH 12, stamps 4); timers have 11 bytes more, and lengths of
/// copies are multiples of four.
inline constexpr std::uint16_t control_bytes = 64;
inline constexpr std::uint16_t timer_bytes = 76;

/// Ticks are 1024 ns: the time stamp in ns without its ten low bits (registers_ingress.p4).
inline std::uint32_t ticks(Picoseconds t) {
  return static_cast<std::uint32_t>(t.count() / 1000 >> 10);
}
/// As many ticks as a time takes, rounded up.
inline std::uint32_t whole_ticks(Picoseconds t) {
  return static_cast<std::uint32_t>((t.count() + 1'023'999) / 1'024'000);
}

/// Ticks of a deadline that has passed when its tick is over: half a tick later on average.
inline std::uint32_t deadline_ticks(Picoseconds t) {
  return static_cast<std::uint32_t>(std::max<std::int64_t>(1, t.count() / 1'024'000));
}

}  // namespace horae::programs::conweave
