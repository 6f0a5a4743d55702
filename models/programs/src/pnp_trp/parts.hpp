// What the parts of the long-haul program share (internal to the room).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

#include "horae/core/packet.hpp"
#include "horae/core/units.hpp"
#include "horae/dataplane/action.hpp"
#include "horae/dataplane/exact_table.hpp"
#include "horae/dataplane/gateway.hpp"
#include "horae/dataplane/hash.hpp"
#include "horae/dataplane/register.hpp"

namespace horae::programs::pnp_trp {

using dataplane::ConditionKind;
using dataplane::ConditionSpec;
using dataplane::Gress;
using dataplane::guarded_by;
using dataplane::guarded_unless;
using dataplane::Join;
using dataplane::matches;
using dataplane::Pass;

constexpr Gress in = Gress::ingress;

inline std::uint64_t number(Opcode o) { return static_cast<std::uint64_t>(o); }
inline std::uint64_t bit(bool b) { return b ? 1 : 0; }

/// The low 32 bits of the chip's time stamp, in nanoseconds: what fits a word of a register. Turns
/// over every 4.3 s.
inline std::uint32_t stamp(Picoseconds t) { return static_cast<std::uint32_t>(t.count() / 1000); }

/// A node and a queue pair of it: IPv4 address and QPN, 56 bits.
struct Endpoint {
  NodeId node = 0;
  std::uint32_t qp = 0;
  bool operator==(const Endpoint&) const = default;
};

/// A flow as its data packets name it: IPv4 source, destination and BTH destination QP, 88 bits.
struct FlowKey {
  NodeId src = 0;
  NodeId dst = 0;
  std::uint32_t dest_qp = 0;
  bool operator==(const FlowKey&) const = default;
};
inline FlowKey key_of(const Packet& p) { return {p.src, p.dst, p.dest_qp.value()}; }

struct KeyHash {
  static std::uint64_t mix(std::uint64_t h) {
    h = (h ^ h >> 32) * 0x9e3779b97f4a7c15ULL;
    return (h ^ h >> 29) * 0xc2b2ae3d27d4eb4fULL;
  }
  std::size_t operator()(const Endpoint& e) const {
    const std::uint64_t h = mix(std::uint64_t{e.node} << 32 | e.qp);
    return h ^ h >> 32;
  }
  std::size_t operator()(const FlowKey& k) const {
    const std::uint64_t h = mix(mix(std::uint64_t{k.src} << 32 | k.dst) ^ k.dest_qp);
    return h ^ h >> 32;
  }
};

/// What the switch's CPU does: every job takes the insertion latency, and nothing tells it the time
/// but the packets.
class ControlPlane {
 public:
  explicit ControlPlane(Picoseconds latency) : latency_(latency) {}

  /// Does the jobs that are finished by `now`.
  void run(Picoseconds now) {
    now_ = now;
    while (!jobs_.empty() && jobs_.front().first <= now) {
      const auto job = std::move(jobs_.front().second);
      jobs_.pop_front();
      job();
    }
  }
  /// A job that begins now.
  void begin(std::function<void()> job) { jobs_.emplace_back(now_ + latency_, std::move(job)); }

 private:
  Picoseconds latency_;
  Picoseconds now_{};
  std::deque<std::pair<Picoseconds, std::function<void()>>> jobs_;  // all take the same time
};

}  // namespace horae::programs::pnp_trp
