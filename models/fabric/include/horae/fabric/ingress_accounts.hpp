// When a switch pauses those who send to it, and what it still takes from them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/params/located.hpp"

namespace horae::fabric {

/// Priority flow control (IEEE 802.1Q clause 36), per ingress port and class, with one of two kinds
/// of threshold. Fixed: pause above `xoff` buffered bytes, resume at `xon` or below. Dynamic
/// (`alpha` above zero): each port and class has `minimum` bytes of its own; beyond them it may
/// take `alpha` times what is free of the pool that all share; what does not fit pauses the sender.
/// Either way, what arrives after the pause goes to the headroom.
struct PfcConfig {
  Bytes xoff{};  ///< fixed threshold; zero: none
  Bytes xon{};
  Bytes headroom{};           ///< per ingress port and class; beyond it packets are dropped
  double alpha = 0.0;         ///< dynamic threshold; zero: none
  Bytes hysteresis = 16_B;    ///< dynamic: resume so far below the threshold
  Bytes minimum = 1048_B;     ///< dynamic: bytes of each port and class that are not shared
  std::uint32_t classes = 1;  ///< dynamic: classes per port that have headroom and minimum

  static const Schema<PfcConfig>& schema();
  bool dynamic() const { return alpha > 0; }
  bool enabled() const { return xoff.count() > 0 || dynamic(); }
  /// Dynamic: the shared part of `buffer` in a switch of `ports` ports, without headrooms and
  /// minima.
  Bytes pool(Bytes buffer, unsigned ports) const {
    return buffer -
           (headroom + minimum) * static_cast<std::int64_t>(std::uint64_t{ports} * classes);
  }
};

/// The bytes of each ingress port and class, and what follows from them. Numbers of queues are the
/// device's.
class IngressAccounts {
 public:
  IngressAccounts(const PfcConfig& config, Bytes buffer, unsigned ports, unsigned queues)
      : config_(config),
        alpha_(static_cast<std::int64_t>(config.alpha * unit + 0.5)),
        free_(config.pool(buffer, ports).count()),
        queues_(queues) {}

  /// Whether a frame may still be taken.
  bool fits(std::size_t queue, std::int64_t frame) const {
    const Queue& q = queues_[queue];
    if (!config_.dynamic()) {
      return q.bytes + frame <= config_.xoff.count() + config_.headroom.count();
    }
    return shares(q, frame) || q.headroom + frame <= config_.headroom.count();
  }
  /// Whether a frame can be taken in without a pause that is not in force yet. As long as none is,
  /// a queue or a pool that looks fuller than it is can only make this false.
  bool takes_freely(std::size_t queue, std::int64_t frame) const {
    const Queue& q = queues_.data()[queue];
    return config_.dynamic() ? shares(q, frame) : q.bytes + frame <= config_.xoff.count();
  }
  /// Takes a frame in; returns whether its sender must be paused now.
  bool add(std::size_t queue, std::int64_t frame) {
    Queue& q = queues_[queue];
    bool over;
    if (config_.dynamic()) {
      over = !shares(q, frame);
      const std::int64_t before = shared(q);
      if (over) q.headroom += frame;
      q.bytes += frame;
      free_ -= shared(q) - before;
    } else {
      q.bytes += frame;
      over = q.bytes > config_.xoff.count();
    }
    if (!over || q.pausing) return false;
    return q.pausing = true;
  }
  /// Lets a frame go; returns whether its sender may go on now.
  bool remove(std::size_t queue, std::int64_t frame) {
    Queue& q = queues_[queue];
    if (config_.dynamic()) {
      const std::int64_t before = shared(q);
      q.headroom -= std::min(q.headroom, frame);
      q.bytes -= frame;
      free_ += before - shared(q);
    } else {
      q.bytes -= frame;
    }
    if (!q.pausing || !low(q)) return false;
    q.pausing = false;
    return true;
  }
  /// Dynamic: free bytes of the pool.
  Bytes free() const { return Bytes(free_); }

 private:
  static constexpr std::int64_t unit = 65536;  ///< of alpha

  struct Queue {
    std::int64_t bytes = 0;     ///< all
    std::int64_t headroom = 0;  ///< of these, in the headroom: the first to be free again
    bool pausing = false;       ///< a pause is in force
  };

  /// What a queue takes of the pool.
  std::int64_t shared(const Queue& q) const {
    return std::max<std::int64_t>(q.bytes - q.headroom - config_.minimum.count(), 0);
  }
  bool below(std::int64_t bytes) const { return bytes * unit <= alpha_ * free_; }
  /// Whether a frame goes to the queue's own bytes or to the pool, not to the headroom.
  bool shares(const Queue& q, std::int64_t frame) const {
    if (q.headroom > 0) return false;
    const std::int64_t beyond = q.bytes + frame - config_.minimum.count();
    return beyond <= 0 || (below(beyond) && beyond - shared(q) <= free_);
  }
  bool low(const Queue& q) const {
    if (!config_.dynamic()) return q.bytes <= config_.xon.count();
    if (q.headroom > 0) return false;
    return shared(q) == 0 || below(shared(q) + config_.hysteresis.count());
  }

  PfcConfig config_;
  std::int64_t alpha_;
  std::int64_t free_;
  std::vector<Queue> queues_;
};

}  // namespace horae::fabric
