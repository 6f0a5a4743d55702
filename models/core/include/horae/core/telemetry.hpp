// In-network telemetry: what a port writes into the data packets that it sends.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "horae/core/codec/selective_report.hpp"
#include "horae/core/packet.hpp"
#include "horae/core/units.hpp"

namespace horae {

/// Rates with a code in a record of 4 bits. The list is ours: the paper has a "type of speed".
inline constexpr std::array<BitRate, 15> telemetry_rates = {
    1_Gbps,   5_Gbps,   10_Gbps,  20_Gbps,  25_Gbps,  40_Gbps,  50_Gbps,  80_Gbps,
    100_Gbps, 150_Gbps, 200_Gbps, 300_Gbps, 400_Gbps, 800_Gbps, 1600_Gbps};

/// The code of a rate; nothing if it has none.
constexpr std::optional<unsigned> telemetry_code(BitRate rate) {
  for (unsigned i = 0; i < telemetry_rates.size(); ++i) {
    if (telemetry_rates[i] == rate) return i;
  }
  return std::nullopt;
}

/// One hop's record as it is on the wire: 64 bits (HPCC: Li et al., SIGCOMM 2019, Figure 7): rate
/// of the port 4, time 24 (ns), bytes sent 20 (128 bytes), queue 16 (80 bytes). Times and bytes
/// wrap, the queue saturates. Units grow with the rate: the queue's as in the paper's simulator
/// (times rate / 25 Gbps, alibaba-edu at 9f4be2a, run.py), that of bytes from 100 Gbps on, in
/// powers of two. So at 100 Gbps bytes wrap after 10.7 ms.
class HopRecord {
 public:
  constexpr HopRecord() = default;
  /// `code`: of the port's rate. `sent`: bytes that it sent before. `queue`: bytes that wait.
  constexpr HopRecord(unsigned code, Picoseconds now, std::uint64_t sent, Bytes queue)
      : HopRecord(code, now, sent >> sent_shift(code),
                  static_cast<std::uint64_t>(queue.count()) / 80 >> queue_shift(code), 0) {}
  /// From units: a switch program's.
  static constexpr HopRecord of_units(unsigned code, Picoseconds now, std::uint64_t sent,
                                      std::uint64_t queue) {
    return HopRecord(code, now, sent, queue, 0);
  }
  constexpr explicit HopRecord(std::uint64_t bits) : bits_(bits) {}

  constexpr std::uint64_t bits() const { return bits_; }
  constexpr unsigned code() const { return static_cast<unsigned>(bits_ >> 60); }
  constexpr BitRate rate() const { return telemetry_rates[code() % telemetry_rates.size()]; }
  constexpr Bytes queue() const {
    return Bytes(static_cast<std::int64_t>((bits_ & queue_mask) * 80 << queue_shift(code())));
  }
  /// Bytes that the port sent since an earlier record of its own.
  constexpr Bytes sent_since(HopRecord earlier) const {
    const std::uint64_t units = ((bits_ >> 16) - (earlier.bits_ >> 16)) & sent_mask;
    return Bytes(static_cast<std::int64_t>(units << sent_shift(code())));
  }
  constexpr Picoseconds time_since(HopRecord earlier) const {
    const std::uint64_t ns = ((bits_ >> 36) - (earlier.bits_ >> 36)) & time_mask;
    return Picoseconds(static_cast<std::int64_t>(ns) * 1000);
  }

  /// log2 of the unit of bytes sent, and of the queue's unit over 80 bytes.
  static constexpr unsigned sent_shift(unsigned code) { return 7 + times(code, 100_Gbps); }
  static constexpr unsigned queue_shift(unsigned code) { return times(code, 25_Gbps); }
  static constexpr std::uint64_t queue_mask = 0xffff;
  static constexpr std::uint64_t sent_mask = 0xfffff;
  static constexpr std::uint64_t time_mask = 0xffffff;

 private:
  constexpr HopRecord(unsigned code, Picoseconds now, std::uint64_t sent, std::uint64_t queue, int)
      : bits_(std::uint64_t{code} << 60 |
              (static_cast<std::uint64_t>(now.count()) / 1000 & time_mask) << 36 |
              (sent & sent_mask) << 16 | (queue < queue_mask ? queue : queue_mask)) {}
  /// log2 of rate / unit, rounded up; 0 below.
  static constexpr unsigned times(unsigned code, BitRate unit) {
    const auto rate = static_cast<std::uint64_t>(telemetry_rates[code].count());
    const auto one = static_cast<std::uint64_t>(unit.count());
    return static_cast<unsigned>(std::bit_width((rate + one - 1) / one - 1));
  }

  std::uint64_t bits_ = 0;
};

/// Bytes on the wire of one record, and of what goes before them: number of hops and path.
inline constexpr std::uint16_t telemetry_hop_bytes = 8;
inline constexpr std::uint16_t telemetry_head_bytes = 2;
/// A time of departure, in data and echoed (IntHeader of the same simulator in its mode TS).
inline constexpr std::uint16_t timestamp_bytes = 8;

/// Data for the sender's congestion control: a data packet carries it, and an acknowledgement
/// brings it back. It lies behind the packet in its slot of the pool, in networks where any NIC
/// asks for it (PacketPool::carry_feedback); nowhere else is there any such room.
struct Feedback {
  static constexpr unsigned most_hops = 14;

  bool asked = false;      ///< by the sender of the data; nothing else has a meaning without
  bool records = false;    ///< switches add theirs
  bool marked = false;     ///< in an acknowledgement: the data had CE when it arrived
  bool steered = false;    ///< the sender chose this packet's entropy; the acknowledgement takes it
  std::uint8_t hops = 0;   ///< records
  std::uint16_t head = 0;  ///< bytes on the wire without records
  std::uint16_t path = 0;  ///< of 12 bits: the numbers of the switches, XORed
  std::uint16_t entropy = 0;  ///< of the data: it is the acknowledgement's UDP source port
  Picoseconds sent{};         ///< when the data went
  std::array<HopRecord, most_hops> record{};
  SelectiveReport report{};  ///< in an acknowledgement

  std::uint16_t wire_bytes() const {
    return static_cast<std::uint16_t>(head + hops * telemetry_hop_bytes + report.wire_bytes());
  }
  std::span<const HopRecord> stack() const { return {record.data(), hops}; }
};

/// A packet with room for feedback.
struct alignas(64) FeedbackSlot {
  Packet packet;
  Feedback feedback;
};
static_assert(sizeof(FeedbackSlot) == 4 * 64);

/// Feedback of a packet from a pool that carries it.
inline Feedback& feedback_of(Packet& p) { return reinterpret_cast<FeedbackSlot&>(p).feedback; }
inline const Feedback& feedback_of(const Packet& p) {
  return reinterpret_cast<const FeedbackSlot&>(p).feedback;
}

/// A port of rate `code` adds its record to a data packet that asks for it, and its length to the
/// frame. `device`: the switch's number. False: there was none to add.
inline bool add_record(Packet& p, std::uint32_t device, HopRecord record) {
  Feedback& f = feedback_of(p);
  if (!f.records || f.hops == Feedback::most_hops) return false;
  f.record[f.hops++] = record;
  f.path = static_cast<std::uint16_t>(f.path ^ (device & 0xfff));
  p.frame = static_cast<std::uint16_t>(p.frame + telemetry_hop_bytes);
  return true;
}

}  // namespace horae
