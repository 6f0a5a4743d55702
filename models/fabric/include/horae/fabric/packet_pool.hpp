// Where packets come from and go back to, and the run's packet balance.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/core/packet.hpp"
#include "horae/core/telemetry.hpp"

namespace horae::fabric {

/// Why a packet ended without being delivered.
enum class DropCause : std::uint8_t {
  link_loss,      ///< random loss of a link
  link_down,      ///< sent on, in flight over, or queued for a failed link
  queue_full,     ///< drop-tail: the egress queue's limit
  buffer_full,    ///< the shared packet buffer
  headroom_full,  ///< a lossless class ran over its PFC headroom
  no_route,       ///< no port leads to the destination
  program,        ///< a switch program's verdict
  hop_limit,      ///< went through too many switches that deflect
  corrupted,      ///< had a bit error, which the end point's checksum found
  module,         ///< dropped by a module on a link
  unknown_qp,     ///< the NIC that received it has no queue pair of that number
  injected,       ///< dropped on purpose (Injection)
  count_
};
inline constexpr std::size_t drop_causes = static_cast<std::size_t>(DropCause::count_);

/// The cause's name in results.
constexpr std::string_view name_of(DropCause cause) {
  constexpr std::array<std::string_view, drop_causes> names = {
      "link_loss", "link_down", "queue_full", "buffer_full", "headroom_full", "no_route",
      "program",   "hop_limit", "corrupted",  "module",      "unknown_qp",    "injected"};
  return names[static_cast<std::size_t>(cause)];
}

/// The ledger of one pool, or of several that packets move between.
struct PacketCounts {
  std::uint64_t created = 0, delivered = 0;
  std::uint64_t taken_over = 0, given_away = 0;  ///< from and to other processes of the run
  std::uint64_t outstanding = 0;                 ///< places of packets that are not free
  std::array<std::uint64_t, drop_causes> dropped{};

  std::uint64_t all_dropped() const {
    std::uint64_t n = 0;
    for (const auto d : dropped) n += d;
    return n;
  }
  /// Packets in use now.
  std::uint64_t live() const {
    return created + taken_over - delivered - all_dropped() - given_away;
  }
  PacketCounts& operator+=(const PacketCounts& b) {
    created += b.created;
    delivered += b.delivered;
    taken_over += b.taken_over;
    given_away += b.given_away;
    outstanding += b.outstanding;
    for (std::size_t c = 0; c < drop_causes; ++c) dropped[c] += b.dropped[c];
    return *this;
  }
};

/// Pool of packets with the ledger of their fates: created = delivered + dropped + live, always.
/// Where a run has several processes: created + taken over = delivered + dropped + given away +
/// live.
class PacketPool {
 public:
  PacketPool() = default;
  PacketPool(const PacketPool&) = delete;
  PacketPool& operator=(const PacketPool&) = delete;

  /// Packets have room for feedback (Feedback) from now on; before the first packet.
  void carry_feedback() {
    if (!blocks_.empty() && !feedback_) throw ModelError("feedback after the first packet");
    feedback_ = true;
  }
  bool carries_feedback() const { return feedback_; }

  /// A fresh packet with every field at its default; the caller owns it.
  Packet& create() {
    ++ledger_.created;
    Packet* const p = new (room()) Packet;
    if (feedback_) [[unlikely]]
      new (&feedback_of(*p)) Feedback;
    return *p;
  }
  /// A packet that comes from another process of the run: a copy of `p`, and of its feedback.
  Packet& take_over(const Packet& p, const Feedback* feedback = nullptr) {
    ++ledger_.taken_over;
    Packet* const copy = new (room()) Packet(p);
    if (feedback_) new (&feedback_of(*copy)) Feedback(feedback ? *feedback : Feedback{});
    return *copy;
  }
  /// Ends a packet here that goes on in another process.
  void give_away(Packet& p) {
    ++ledger_.given_away;
    put_back(&p);
  }
  /// Ends a packet that reached its destination.
  void deliver(Packet& p) {
    ++ledger_.delivered;
    put_back(&p);
  }
  /// Ends a packet for another reason.
  void drop(Packet& p, DropCause cause) {
    ++ledger_.dropped[static_cast<std::size_t>(cause)];
    put_back(&p);
  }

  /// Counts of this pool alone. Places may be of one pool and packets of another (give_places):
  /// only the sum over them is outstanding then.
  PacketCounts counts() const {
    PacketCounts counts = ledger_;
    counts.outstanding = blocks_.size() * block_size - free_count_;
    return counts;
  }
  std::uint64_t created() const { return ledger_.created; }
  std::uint64_t delivered() const { return ledger_.delivered; }
  std::uint64_t dropped(DropCause cause) const {
    return ledger_.dropped[static_cast<std::size_t>(cause)];
  }
  std::uint64_t dropped() const { return ledger_.all_dropped(); }
  std::uint64_t taken_over() const { return ledger_.taken_over; }
  std::uint64_t given_away() const { return ledger_.given_away; }
  /// Packets in use now.
  std::uint64_t live() const { return ledger_.live(); }
  /// Packets that are out of the free list; equals live() unless one was released twice or lost.
  std::uint64_t outstanding() const { return counts().outstanding; }

  /// Places are allocated so many at a time.
  static constexpr std::size_t block_size = 256;
  std::size_t free_places() const { return free_count_; }
  /// Gives `places` of its free places, no more than there are, to another pool. Both have room for
  /// feedback, or neither has, and both go together.
  void give_places(PacketPool& to, std::size_t places) {
    for (; places > 0; --places) to.put_back(free_[--free_count_]);
  }

 private:
  struct alignas(64) Slot {
    std::array<std::byte, sizeof(Packet)> bytes;
  };

  Packet* room() {
    if (free_count_ == 0) [[unlikely]]
      grow();
    return free_.data()[--free_count_];
  }
  // Not push_back: it is called rather than inlined, 20 instructions more per packet.
  void put_back(Packet* p) {
    if (free_count_ == free_.size()) [[unlikely]]
      free_.resize(free_.size() + block_size);
    free_.data()[free_count_++] = p;
  }
  void grow() {
    const std::size_t slots = feedback_ ? sizeof(FeedbackSlot) / sizeof(Slot) : 1;
    blocks_.push_back(std::make_unique<Slot[]>(block_size * slots));
    for (std::size_t i = block_size; i-- > 0;) {
      put_back(reinterpret_cast<Packet*>(blocks_.back()[i * slots].bytes.data()));
    }
  }

  std::vector<std::unique_ptr<Slot[]>> blocks_;
  std::vector<Packet*> free_;  ///< the first `free_count_` are free
  std::size_t free_count_ = 0;
  bool feedback_ = false;
  PacketCounts ledger_;  ///< but for what is outstanding
};

}  // namespace horae::fabric
