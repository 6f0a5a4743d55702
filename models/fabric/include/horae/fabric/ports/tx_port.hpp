// The sending side of a port: the wire's occupancy, the link's delay, loss and failures.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "horae/core/packet.hpp"
#include "horae/core/random.hpp"
#include "horae/core/units.hpp"
#include "horae/fabric/packet_link.hpp"
#include "horae/fabric/packet_pool.hpp"
#include "horae/fabric/ports/injector.hpp"
#include "horae/fabric/ports/pause_log.hpp"

namespace horae::fabric {

class device;
class tx_port;

/// Where a device files what arrives at one of its ports.
struct ArrivalPort {
  device* owner;
  std::uint64_t next_key;  ///< of its next arrival event
  std::uint16_t index;
  tx_port* sender = nullptr;  ///< null: a SystemC module of a user's own

  /// Files a packet whose last bit arrives at `last_bit`: the device owns it from here.
  void take(Packet& p, Picoseconds last_bit);
};

/// A time in which a link carries nothing. Packets on the wire when it begins are lost as well.
struct Outage {
  Picoseconds from{};
  Picoseconds to = never;
};

/// Whether one of them meets [from, to). They are in order and apart, as those of a configured
/// tx_port are.
bool cut_off(const std::vector<Outage>& outages, Picoseconds from, Picoseconds to);

/// One direction of a link is the tx_port of its sender; both directions share these values.
struct LinkConfig {
  BitRate rate = 100_Gbps;
  Picoseconds delay = 500_ns;  ///< propagation, from the last bit sent to the last bit received
  double loss = 0.0;           ///< probability that a packet is lost, independently of all others
  std::vector<Outage> outages{};
  double bit_errors = 0.0;  ///< probability that a packet gets a bit error (Packet::corrupted)
  bool whole_nanoseconds = false;  ///< time on the wire is rounded down to these, as ns-3 has it
  bool data_only = false;  ///< loss, outages and bit errors are of data packets, others go through
};

/// Counters of one direction of a link. Packets and bytes are those put on the wire.
struct TxCounters {
  std::uint64_t packets = 0;
  std::uint64_t frame_bytes = 0;  ///< L2, with FCS
  std::uint64_t lost = 0;         ///< by random loss
  std::uint64_t cut = 0;          ///< by an outage
  std::uint64_t corrupted = 0;    ///< got a bit error
  std::uint64_t pauses = 0;       ///< PFC frames sent: pauses, and resumes (pauses of no time)

  /// Bytes in the chosen accounting.
  Bytes bytes(Layer layer) const {
    const std::uint64_t overhead = wire::preamble + wire::inter_packet_gap;
    return Bytes(
        static_cast<std::int64_t>(frame_bytes + (layer == Layer::l1 ? packets * overhead : 0)));
  }
  friend TxCounters operator-(TxCounters a, const TxCounters& b);
  TxCounters& operator+=(const TxCounters& b);
};

/// Pauses of one class that a port sent to its peer, without resumes.
struct PausesSent {
  std::uint64_t frames = 0;
  Picoseconds first{}, last{};  ///< when they were decided on
};

/// Bits of what was sent that have not left by some time, in both accountings. Preamble and gap of
/// a packet count as its last 20 bytes, so that frames (L2) never take more than the line.
struct BitsLeft {
  double l1 = 0, l2 = 0;

  double in(Layer layer) const { return layer == Layer::l1 ? l1 : l2; }
  BitsLeft& operator+=(const BitsLeft& b) {
    l1 += b.l1;
    l2 += b.l2;
    return *this;
  }
};

/// Sends packets over a link. The wire is a reservation: `busy_until()` is when the last bit sent
/// so far has left.
class tx_port : public sc_core::sc_module, public packet_bw_if {
 public:
  tx_port(sc_core::sc_module_name name, device& owner, unsigned index);

  packet_initiator_socket socket{"socket"};

  /// Puts the link's values on this direction (elaboration only); no window is longer than its
  /// delay. A socket that is bound without
  /// them is an InputError when simulation starts; a packet sent by a port that is not bound is a
  /// ModelError.
  void configure(const LinkConfig& link);
  bool connected() const { return connected_; }
  /// The link leads to that port of a device that another process runs (elaboration only).
  void lead_away(std::uint32_t device, unsigned port);
  /// Whether the other end is a device of ours in this process.
  bool leads_to_device() const { return direct_ != nullptr && !away_; }
  /// That device; where there is one.
  const device& leads_to() const { return *direct_->owner; }
  const LinkConfig& link() const { return link_; }
  /// When the last bit of what has started has left.
  Picoseconds busy_until() const {
    if (reserved_ != 0) [[unlikely]]
      return first_reserved();
    return busy_until_;
  }
  /// Bytes on the wire, preamble and gap included, that have not left at `t`; a part of one counts.
  Bytes left_to_send(Picoseconds t) const {
    const Picoseconds until = busy_until();
    if (until <= t) return Bytes(0);
    constexpr std::int64_t per_byte = 8'000'000'000'000;  // bits x picoseconds per second
    return Bytes(((until - t).count() * link_.rate.count() + per_byte - 1) / per_byte);
  }

  /// Bits of the packet on the wire at `t` that are still to leave, to a picosecond of the wire.
  BitsLeft bits_left(Picoseconds t) const;

  /// Time a frame occupies the wire, preamble and gap included.
  Picoseconds serialisation(Bytes wire_bytes) const {
    if (ps_per_byte_ != 0) return Picoseconds(wire_bytes.count() * ps_per_byte_);
    const Picoseconds exact = serialisation_time(wire_bytes, link_.rate);
    return link_.whole_nanoseconds ? exact / 1000 * 1000 : exact;
  }

  /// For a sent packet, the time from the end of preamble and `part` bytes of its frame to its
  /// last bit, gap included.
  Picoseconds rest(const Packet& p, Bytes part) const {
    const std::int64_t sent = std::min<std::int64_t>(p.frame, part.count());
    return serialisation(p.wire_size()) - serialisation(Bytes(wire::preamble + sent));
  }

  /// Sends a packet whose first bit leaves at `start` (not before busy_until()); the packet belongs
  /// to the peer, or to the pool when the link loses it. `pipeline` is a constant time between the
  /// decision to send, which is what busy_until() counts, and the first bit on the wire.
  void send(Packet& p, Picoseconds start, Picoseconds pipeline = {});

  /// Whether packets may be handed over before they start: to a device of ours that runs in windows
  /// in this process, over a link that loses nothing, without an observer. Known when elaboration
  /// has ended.
  bool may_reserve() const { return connected_ && !looks_closely(); }
  /// Hands a packet over at `t` that starts as soon as all before it have left; when that is. It
  /// lies at the end of what was left for the peer, which does not take it before it has started,
  /// as its last bit arrives at least a window after that. It counts as sent once it is begun.
  Picoseconds reserve(Packet& p, Picoseconds t) {
    const Picoseconds start = std::max(t, busy_until_);
    busy_until_ = start + serialisation(p.wire_size());
    ++reserved_;
    leave(p, busy_until_ + delay_);
    return start;
  }
  /// Packets that were handed over and have not begun.
  std::uint32_t reserved() const { return reserved_; }
  /// Calls `f(packet)` with each of them, in their order.
  template <class F>
  void for_each_reserved(F&& f) const {
    for (const Left* left = left_end_ - reserved_; left != left_end_; ++left) f(*left->packet);
  }
  /// The first of them begins: the packet, and when the one behind it does, if there is one. Due
  /// before the end of the window in which it starts: then the peer has not taken it yet.
  struct Begun {
    const Packet& packet;
    Picoseconds next;
  };
  Begun begin_reserved() {
    const Left& first = left_end_[-std::ptrdiff_t{reserved_--}];
    ++counters_.packets;
    counters_.frame_bytes += first.packet->frame;
    return {*first.packet, first.last_bit - delay_};
  }
  /// Takes them back, as something may overtake them; `f(packet)` for each, in their order.
  template <class F>
  void recall(F&& f) {
    const Picoseconds first = busy_until();
    left_end_ -= reserved_;
    room_ += reserved_;
    for (std::uint32_t i = 0; i < reserved_; ++i) f(*left_end_[i].packet);
    busy_until_ = first;
    reserved_ = 0;
  }

  /// Sends a PFC frame for one class to whoever sends to this port's receiving side, at the next
  /// packet boundary from `now` on. It is never lost: what a failed link does to a pause is undone
  /// by the pause timer (IEEE 802.1Q 36.1.3), which is not modelled.
  void send_pause(Picoseconds now, unsigned traffic_class, bool pause);

  /// A pause or resume of its peer's arrives at `at`.
  void obey(unsigned traffic_class, bool pause, Picoseconds at);

  const TxCounters& counters() const { return counters_; }
  /// Pauses of one class.
  PausesSent pauses_sent(unsigned traffic_class) const {
    return pauses_sent_ ? (*pauses_sent_)[traffic_class] : PausesSent();
  }

  /// Harm to packets that are sent from here on (elaboration only): to a port of ours. Injections
  /// come before what the link itself loses. A copy that one makes takes no time of this wire.
  void inject(std::uint32_t number, Injection injection);
  /// Null: none.
  const Injector* injector() const { return injector_.get(); }

 private:
  friend class device;
  tlm::tlm_sync_enum nb_transport_bw(Packet& p, packet_phase& phase, sc_core::sc_time& t) override;
  void start_of_simulation() override;
  bool looks_closely() const;
  /// The rest of send() where there is more to do than to hand the packet to a device of ours.
  void send_closely(Packet& p, Picoseconds start, Picoseconds pipeline);
  /// A packet whose last bit leaves at `last_bit` is met by injections first.
  void harm(Packet& p, Picoseconds first_bit, Picoseconds last_bit);
  /// It arrives `late` after its time, so that others may overtake it; absent: in its turn.
  void cross(Packet& p, Picoseconds first_bit, Picoseconds last_bit,
             std::optional<Picoseconds> late);
  /// Whether the link loses the packet; then it is gone.
  bool loses(Packet& p, Picoseconds first_bit, Picoseconds arrival);
  bool lose(Packet& p, DropCause cause, Picoseconds at);
  [[noreturn]] void leads_nowhere(const Packet& p) const;

  /// A packet that is left for the peer, a device, which files it when its turn comes.
  struct Left {
    Picoseconds last_bit;
    Packet* packet;
  };
  /// Leaves a packet whose last bit arrives at `last_bit`.
  void leave(Packet& p, Picoseconds last_bit) {
    p.ingress_port = peer_port_;
    if (room_-- == 0) [[unlikely]]
      make_room();
    *left_end_++ = {last_bit, &p};
  }
  /// Tells the peer that there is something, or makes room behind what was left.
  [[gnu::noinline]] void make_room();
  /// The peer has taken what was left before `end`.
  void taken_before(Left* end) {
    left_begin_ = end;
    if (left_begin_ != left_end_) return;
    left_begin_ = left_end_ = left_.get();
    room_ = 0;
  }
  /// When the first reserved packet starts.
  Picoseconds first_reserved() const;

  // State that every packet needs, in one cache line: a platform's ports are more than fit a
  // processor's caches. For the same reason packets for a device lie one behind the other until it
  // takes them: an entry in its calendar for each would miss the caches for each, as the entries of
  // a slot come from many senders.
  alignas(64) Picoseconds busy_until_{};
  Picoseconds delay_{};       ///< the link's
  Left* left_end_ = nullptr;  ///< of what was left
  device& owner_;
  std::uint32_t ps_per_byte_ = 80;  ///< 0: no such number
  std::uint32_t room_ = 0;          ///< behind what was left; zero while nothing was
  std::uint32_t reserved_ = 0;      ///< packets at the end of what was left that have not begun
  std::uint16_t peer_port_ = 0;
  bool closely_ = true;  ///< may lose packets, is watched, or has no receiver that takes them
  bool connected_ = false;
  TxCounters counters_;
  std::unique_ptr<std::array<PausesSent, PauseLog::classes>> pauses_sent_;  ///< null: none yet

  Left* left_begin_ = nullptr;
  std::unique_ptr<Left[]> left_;
  std::uint32_t capacity_ = 0;
  ArrivalPort* direct_ = nullptr;  ///< the peer, if it is a device
  unsigned index_;
  LinkConfig link_;
  /// A port of a device that another process runs.
  struct FarPort {
    std::uint32_t device;
    std::uint16_t port;
  };

  packet_fw_if* peer_ = nullptr;
  std::optional<RandomStream> loss_;
  std::optional<RandomStream> bit_errors_;
  std::unique_ptr<Injector> injector_;
  std::optional<FarPort> away_;              ///< absent: the peer runs in this process
  packet_target_socket* reverse_ = nullptr;  ///< the receiving side of the same port
};

}  // namespace horae::fabric
