// A queue that serves what has the least left to send first: the flow, or the packet.
#pragma once

#include <boost/functional/hash.hpp>
#include <boost/intrusive/unordered_set.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "horae/core/packet.hpp"

namespace horae::fabric {

/// Bits of `Packet::bth_reserved` in which a sender says how many packets of the flow are left,
/// saturating; 0 where it says nothing. The bits above belong to others.
inline constexpr std::uint16_t remaining_mask = 0x3fff;

/// Which packet goes when one with the least remaining has been found.
enum class RemainingOrder : std::uint8_t {
  flow,    ///< the earliest queued of its flow (pFabric)
  packet,  ///< itself: what a flow sent last overtakes what it sent first
};

/// Data packets in the dequeue order of pFabric (Alizadeh et al., SIGCOMM 2013, section 4.2): find
/// the packet with the least remaining, the earliest queued of equals, and send the earliest queued
/// packet of its flow, so that what a flow sent first does not starve. pFabric's dropping is not
/// here. A flow is source, destination and queue pair. Where no packet says what remains this is a
/// FIFO. With RemainingOrder::packet no flow is known and the packet with the least remaining goes,
/// as in Eunomia's section 5.4, where large flows arrive in reverse order.
///
/// A heap of all packets, from which those that left out of its order are taken when they come up:
/// O(log n), without allocation once it has grown.
class SrptQueue {
 public:
  SrptQueue() : buckets_(first_buckets), flows_({buckets_.data(), buckets_.size()}) {}
  SrptQueue(const SrptQueue&) = delete;
  SrptQueue& operator=(const SrptQueue&) = delete;

  /// Sets the order; before anything is queued.
  void serve(RemainingOrder order) { order_ = order; }

  void push(Packet& p);
  /// Takes the packet whose turn it is (the queue is not empty).
  Packet& pop();
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  /// Calls `f` with every packet, in no order.
  template <class F>
  void for_each(F&& f) const {
    if (order_ == RemainingOrder::packet) {
      for (const Entry& e : heap_) f(*e.packet);
    } else {
      for (const Flow& flow : flows_) {
        for (const Packet& p : flow.packets) f(p);
      }
    }
  }

 private:
  struct Key {
    NodeId src = 0, dst = 0;
    std::uint32_t qp = 0;
    bool operator==(const Key&) const = default;
  };
  struct Flow : boost::intrusive::unordered_set_base_hook<> {
    Key key;
    PacketQueue packets;
    std::uint64_t queued = 0;  ///< packets ever; goes on when the slot is used again
    std::uint64_t left = 0;    ///< of these, gone
  };
  struct KeyOf {
    using type = Key;
    const Key& operator()(const Flow& f) const { return f.key; }
  };
  struct Hash {
    std::size_t operator()(const Key& k) const {
      std::size_t h = 0;
      boost::hash_combine(h, k.src);
      boost::hash_combine(h, k.dst);
      boost::hash_combine(h, k.qp);
      return h;
    }
  };
  using Flows = boost::intrusive::unordered_set<Flow, boost::intrusive::key_of_value<KeyOf>,
                                                boost::intrusive::hash<Hash>,
                                                boost::intrusive::power_2_buckets<true>>;
  struct Entry {
    std::uint64_t ordinal;   ///< in the order of queueing
    std::uint64_t sequence;  ///< within its flow
    Flow* flow;              ///< none with RemainingOrder::packet
    Packet* packet;          ///< none with RemainingOrder::flow
    std::uint16_t remaining;

    bool gone() const { return flow != nullptr && sequence < flow->left; }
    static bool later(const Entry& a, const Entry& b) {
      return a.remaining != b.remaining ? a.remaining > b.remaining : a.ordinal > b.ordinal;
    }
  };

  static constexpr std::size_t first_buckets = 16;

  Flow& flow_of(const Packet& p);
  void tidy();

  RemainingOrder order_ = RemainingOrder::flow;
  std::deque<Flow> slots_;
  std::vector<Flow*> free_;
  std::vector<Flows::bucket_type> buckets_;
  Flows flows_;              ///< those with packets
  std::vector<Entry> heap_;  ///< of packets; some may be gone
  std::size_t size_ = 0;     ///< packets queued
  std::uint64_t ordinal_ = 0;
};

}  // namespace horae::fabric
