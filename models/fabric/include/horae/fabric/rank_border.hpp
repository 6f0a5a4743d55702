// Packets and pauses that cross between the ranks of a run, and when.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "horae/core/packet.hpp"
#include "horae/core/telemetry.hpp"
#include "horae/core/units.hpp"
#include "horae/core/wire_bytes.hpp"
#include "horae/fabric/packet_link.hpp"
#include "horae/fabric/rank_exchange.hpp"

namespace horae::fabric {

class device;

/// Something on its way to a device of another rank, as it goes from process to process.
struct Crossing {
  Picoseconds at{};  ///< the annotated time of the packet protocol
  std::uint32_t device = 0;
  std::uint16_t port = 0;  ///< of that device
  packet_phase phase = packet_phase::begin_packet;
  Packet packet;
};

/// The same as the other process takes it.
struct Crossed {
  const Crossing& crossing;
  const Feedback* feedback = nullptr;  ///< null: packets have none
  /// Kept of the packet by WireBytes; none: packets have no bytes beside their fields.
  std::optional<std::span<const std::byte>> bytes{};
};

/// The border between the devices that run here and those that run in other processes.
///
/// Every rank constructs all devices of a platform, in the same order, but runs only its own. What
/// leaves on a link to another rank's device waits here and is handed over once per period, one
/// message per pair of ranks. A period is the smallest delay of the links that are cut, so what is
/// sent in one arrives in a later one, and is filed with the keys that it would have had in one
/// process: the results are the same.
class rank_border {
 public:
  /// `owners`: the rank of each device, in the order of construction.
  rank_border(rank_exchange& exchange, std::vector<unsigned> owners);

  rank_exchange& exchange() { return exchange_; }
  unsigned rank() const { return rank_; }

  /// Called by every device when it is constructed.
  void enlist(device& d);
  unsigned owner(std::uint32_t device) const { return owners_[device]; }
  bool runs_here(std::uint32_t device) const { return owners_[device] == rank_; }
  /// A link joins two devices: if it is cut, periods are no longer than its delay.
  bool cut(std::uint32_t a, std::uint32_t b, Picoseconds delay);

  /// Time between two exchanges at most.
  Picoseconds period() const { return period_; }
  /// When all ranks exchange next.
  Picoseconds due() const { return due_; }
  /// Packets that cross have feedback (PacketPool::carry_feedback), in every rank.
  void carry_feedback() { feedback_ = true; }
  /// Packets that cross bring what these bytes keep of them, in every rank.
  void carry_bytes(const WireBytes& bytes) { bytes_ = &bytes; }
  /// Takes a copy of a packet (or of a pause's carrier) for a device of another rank.
  void leave(std::uint32_t to, std::uint16_t port, packet_phase phase, const Packet& p,
             Picoseconds at);
  /// It is `now`, which is due(): exchanges what left, and files what came. `idle_until`: no device
  /// of this rank has anything to do before, as far as it knows without what comes. The next
  /// exchange is a period later, or when a device of any rank has something to do, if that is
  /// before `limit`.
  void cross(Picoseconds now, Picoseconds idle_until, Picoseconds limit);
  /// Whether the next exchange is told how long this rank is idle. That takes a look at all
  /// devices, and is worth it now and then.
  bool asks_for_idle_time() const { return crossings_ % crossings_between_idle_checks == 0; }

  /// Packets that left and are not handed over.
  std::uint64_t waiting() const;
  bool empty() const;

 private:
  static constexpr std::uint64_t crossings_between_idle_checks = 64;
  /// A message: a Crossing whose `at` says how long its sender is idle, then one for each that
  /// crosses, with its feedback behind it where there is any, and with its bytes behind their
  /// number likewise. A packet's copy is not its bytes, which is why it is one of bytes.
  using Message = std::vector<std::byte>;
  static constexpr std::size_t head = sizeof(Crossing);

  Picoseconds first_arrival() const;
  void file(const std::vector<std::byte>& message);
  template <class F>
  void for_each(const std::vector<std::byte>& message, F&& f) const;

  rank_exchange& exchange_;
  unsigned rank_;
  std::vector<unsigned> owners_;
  std::vector<device*> devices_;
  std::vector<Message> out_;  ///< by rank
  std::vector<std::span<const std::byte>> messages_;
  std::vector<rank_exchange::Bytes> in_;
  Picoseconds period_{};
  Picoseconds due_{};
  std::uint64_t crossings_ = 0;
  bool feedback_ = false;
  const WireBytes* bytes_ = nullptr;
};

}  // namespace horae::fabric
