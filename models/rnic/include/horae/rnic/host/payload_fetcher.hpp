// Reads of the TX pipe ahead of the wire: WQEs and payloads, within the TX buffer. No SystemC.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "horae/core/stats.hpp"
#include "horae/params/located.hpp"
#include "horae/rnic/counters.hpp"
#include "horae/rnic/host/host_addresses.hpp"
#include "horae/rnic/host/host_port.hpp"
#include "horae/rnic/parts/queue_pair.hpp"
#include "horae/rnic/spec/host_queues_config.hpp"

namespace horae::rnic {

/// How far ahead the TX pipe reads.
struct FetchConfig {
  std::optional<Bytes> prefetch{};  ///< of one queue pair at most; absent: see prefetch_of()
  std::uint32_t wqe_batch = 8;      ///< WQEs in one read

  /// Least bytes read ahead where `prefetch` is absent.
  static constexpr Bytes least_prefetch = 16_KiB;

  static const Schema<FetchConfig>& schema();
};

/// Until when the next new packet of each queue pair waits for its payload, as far as it was looked
/// up: with thousands of queue pairs nearly all wait, and none of them needs to be looked at again.
class PayloadWaits {
 public:
  void resize(std::size_t queue_pairs) { until_.assign(queue_pairs, 0_ps); }
  void remember(std::size_t i, Picoseconds t) { until_[i] = t; }
  void forget(std::size_t i) { until_[i] = 0_ps; }
  /// No packet of queue pair `i` goes before then; zero: not known.
  Picoseconds until(std::size_t i) const { return until_[i]; }

 private:
  std::vector<Picoseconds> until_;
};

/// Told of reads, for who looks on.
class FetchObserver {
 public:
  virtual ~FetchObserver() = default;
  /// The WQEs of the first `messages` of queue pair `i` are there.
  virtual void wqes_came(std::size_t i, std::uint64_t messages, Picoseconds at) = 0;
  /// The payload of a packet is read.
  virtual void payload_read(std::size_t i, Psn psn, Picoseconds asked, Picoseconds ready) = 0;
};

/// Payload of new packets is read in order of their PSNs, one read per packet and buffer that it is
/// gathered from, queue pairs in turn;
/// its WQE is read before it, `wqe_batch` at a time and before the last one is used up. Space in
/// the buffer is taken when a read is issued and freed when the packet goes on the wire.
class PayloadFetcher {
 public:
  /// `wqe_event(qp, at)` asks the owner to call wqe_arrived(qp) at that time.
  using WqeEvent = std::function<void(std::size_t qp, Picoseconds at)>;
  /// `tx_buffer`: payload of all queue pairs on the chip.
  PayloadFetcher(const FetchConfig& config, Bytes tx_buffer, HostPort& host, WqeEvent wqe_event);

  /// How WQEs are posted, before anything is; else they are blocks of 64 bytes with nothing inline.
  void post_by(const PostConfig& post) { post_ = post; }
  /// A queue pair keeps its turn until `most` payload is read in it, or nothing more can be; else
  /// for one packet. Before anything is read.
  void read_in_turns_of(Bytes most) { turn_ = most.count(); }
  void add(QueuePair& qp);
  /// Most that is read ahead for one queue pair, before anything is read; until then it is
  /// `prefetch`, or what it is at least.
  void read_ahead(Bytes most) { prefetch_ = most; }
  /// `waits` forgets a queue pair when payload of its next new packet is read; kept alive by the
  /// caller.
  void tell(PayloadWaits& waits) { waits_ = &waits; }

  /// `failed(qp, now)` is called when the host answers a read for a queue pair with an error.
  void fail_by(std::function<void(std::size_t qp, Picoseconds now)> failed) {
    failed_ = std::move(failed);
  }

  /// With contents: payload lies as host_address::ring_offset() says, and WQEs are looked at when
  /// they come: `good(qp, first, n)`, their numbers. Before anything is read.
  using GoodWqes = std::function<bool(std::size_t qp, std::uint64_t first, std::uint64_t n)>;
  void hold_contents(Bytes mtu, GoodWqes good) {
    slot_ = static_cast<std::uint64_t>(mtu.count());
    last_slot_ = host_address::ring_packets - 1;
    good_wqes_ = std::move(good);
  }
  /// Address of the WQE of a message.
  static std::uint64_t wqe_address(std::size_t i, std::uint64_t message);
  /// WQEs of a queue pair in memory.
  static constexpr std::uint64_t wqe_slots = 4096;

  /// Tells `observer` from now on; kept alive by the caller.
  void watch(FetchObserver& observer) { observer_ = &observer; }

  /// A doorbell for everything posted so far by queue pair `i` has reached the NIC.
  void rung(std::size_t i, std::uint64_t messages, Picoseconds now);
  /// The WQEs of everything posted so far came with the doorbell.
  void pushed(std::size_t i, std::uint64_t messages, Picoseconds now);
  void wqe_arrived(std::size_t i, Picoseconds now);
  /// When the payload of the next new packet is on the chip; `never`: not read yet.
  Picoseconds ready(std::size_t i) const {
    const auto& slots = streams_[i].slots;
    return slots.empty() ? never : slots.front().ready;
  }
  /// Why it is not: doorbell, wqe or payload.
  IdleCause cause(std::size_t i) const;
  /// The next new packet goes on the wire.
  void take(std::size_t i, Picoseconds now);

  /// Queue pair `i` is in error: discards what was read for it, and reads nothing more.
  void forget(std::size_t i, Picoseconds now);

  /// Discards every WQE and payload that was read ahead; nothing is read until resume().
  void flush(Picoseconds now);
  void resume(Picoseconds now);
  /// Takes `size` of the buffer for a retransmission, evicting what was read ahead last if need be;
  /// give it back with release().
  void allocate(Bytes size, Picoseconds now);
  void release(Bytes size, Picoseconds now);

  struct Counters {
    std::uint64_t wqe_reads = 0;
    std::uint64_t wqes_read = 0;
    std::uint64_t payload_reads = 0;
    std::int64_t payload_bytes = 0;    ///< read for new packets
    std::int64_t discarded_bytes = 0;  ///< of them, flushed or evicted, and read again later
  };
  const Counters& counters() const { return counters_; }
  Bytes used() const { return Bytes(used_); }
  Bytes most_used() const { return Bytes(most_used_); }

 private:
  struct Slot {
    Picoseconds ready;
    std::int32_t bytes;
    std::uint32_t psns;
  };
  struct Stream {
    QueuePair* qp = nullptr;
    Psn next;                       ///< new packet to be read next
    std::deque<Slot> slots;         ///< read, in order
    std::int64_t bytes = 0;         ///< of them
    std::uint64_t rung = 0;         ///< messages the NIC knows of
    std::uint64_t wqes = 0;         ///< messages whose WQE was read
    std::uint64_t wqes_coming = 0;  ///< when the read under way is done
    Picoseconds wqes_at = never;    ///< when that is; an earlier or later arrival is void
    std::uint64_t wqes_asked = 0;   ///< read whose time is not known yet; an earlier one is void
    bool queued = false;            ///< in the ring
  };

  /// A packet's payload that is read until a time which is not known yet.
  struct Reading {
    std::uint64_t id;
    std::size_t qp;
    Psn psn;
    unsigned reads;     ///< whose times are not known
    Picoseconds ready;  ///< of the others
    Picoseconds asked;
  };

  enum class Fetched { payload, no_space, nothing };

  void want(std::size_t i);
  void pump(Picoseconds now);
  /// Reads one packet's payload of queue pair `i`, if it can have it now.
  Fetched fetch(std::size_t i, Picoseconds now);
  /// Whether to read the next batch: when half of the last one is left behind message `needed`.
  bool wants_wqes(const Stream& s, std::uint64_t needed) const {
    const bool under_way = s.wqes_coming > s.wqes;
    return s.wqes <= needed + config_.wqe_batch / 2 && s.wqes != s.rung && !under_way;
  }
  void fetch_wqes(Stream& s, std::size_t i, Picoseconds now);
  /// Reads the payload of the next new packet; returns when all of it is there, or `never`.
  Picoseconds read_payload(const Stream& s, std::size_t i, const PacketPlace& place,
                           Picoseconds now);
  void plan_wqes(Stream& s, std::size_t i, Picoseconds at);
  void wqes_known(std::size_t i, std::uint64_t asked, Picoseconds now, Picoseconds at, bool ok);
  /// The read just made will say when it is done: it belongs to the payload read last.
  void wait_for_time(const Stream& s, std::size_t i, Picoseconds now, Picoseconds ready);
  void payload_known(std::uint64_t id, Picoseconds now, Picoseconds at, bool ok);
  /// Payload of a queue pair that is discarded from `from` on is not waited for any longer.
  void forget_readings(std::size_t i, Psn from);
  void occupy(std::int64_t bytes);

  /// Bytes of the WQEs of `n` messages from number `message` on.
  std::int64_t wqe_bytes(const Stream& s, std::uint64_t message, std::uint64_t n) const;

  FetchConfig config_;
  std::optional<PostConfig> post_{};
  Bytes prefetch_;
  Bytes tx_buffer_;
  HostPort& host_;
  WqeEvent wqe_event_;
  PayloadWaits* waits_ = nullptr;
  FetchObserver* observer_ = nullptr;
  std::vector<Stream> streams_;
  std::deque<std::uint16_t>
      ring_;                    ///< queue pairs that may have something to read, next turn first
  std::int64_t turn_ = 0;       ///< payload that a queue pair's turn ends with
  std::int64_t turn_read_ = 0;  ///< read in this turn
  std::int64_t used_ = 0;
  std::int64_t most_used_ = 0;
  bool halted_ = false;
  std::uint64_t slot_ = 4096;       ///< bytes from one packet's payload to the next one's
  std::uint64_t last_slot_ = 2047;  ///< of 8 MiB: what perftest posts, used again
  GoodWqes good_wqes_{};            ///< empty: without contents
  std::vector<Reading> readings_;   ///< none with a memory that answers at once
  std::uint64_t asked_ = 0;         ///< reads whose times were not known
  std::function<void(std::size_t qp, Picoseconds now)> failed_{};
  Counters counters_;
};

}  // namespace horae::rnic
