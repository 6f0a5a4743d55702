// The traffic-source seam: what is to be sent, when, and to whom.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "horae/core/packet.hpp"
#include "horae/core/units.hpp"
#include "horae/core/verb.hpp"

namespace horae::traffic {

/// One thing to send: a packet for an open-loop host, a message for a NIC.
struct TrafficItem {
  Picoseconds at{};  ///< not before this time; never decreasing within a source
  NodeId dst = 0;
  Bytes bytes{};           ///< payload
  std::uint16_t flow = 0;  ///< which of the sender's flows or queue pairs
  /// Not before the sender itself has received so many messages of the exchange it belongs to.
  std::uint64_t after = 0;
  /// For an open-loop packet: packets of its flow that are left, for switches that schedule by it.
  std::uint16_t remaining = 0;
  Verb verb = Verb::write;  ///< of a message
};

/// An endless or finite list of items. Plain C++: whoever issues them owns outstanding limits.
class TrafficSource {
 public:
  virtual ~TrafficSource() = default;
  /// The next item, or nothing when there is no more.
  virtual std::optional<TrafficItem> next() = 0;
};

/// `count` equal items (0: endless) to one destination, `interval` apart from `start` on. An
/// interval of zero makes all due at once: a backlogged sender, or perftest's closed loop when an
/// issuer limits how many are outstanding.
class ConstantSource final : public TrafficSource {
 public:
  struct Config {
    NodeId dst = 0;
    Bytes bytes = 4_KiB;
    Picoseconds start{};
    Picoseconds interval{};
    std::uint64_t count = 0;
    std::uint16_t flow = 0;
    /// Messages it may be ahead of those received (TrafficItem::after); 0: waits for none.
    std::uint32_t lead = 0;
    /// Messages that must have been received before any of it (TrafficItem::after).
    std::uint64_t after = 0;
    /// Whether item i (from 0) waits for i + 1 of them: each is let go by one.
    bool gated = false;
    Verb verb = Verb::write;
  };
  explicit ConstantSource(const Config& config) : config_(config) {}
  std::optional<TrafficItem> next() override;

 private:
  Config config_;
  std::uint64_t issued_ = 0;
};

/// A random permutation of 0..n-1 in which nobody is sent to itself (n of 2 or more). The same seed
/// gives the same permutation.
std::vector<NodeId> permutation_pattern(std::uint32_t n, std::uint64_t seed);

}  // namespace horae::traffic
