// When a switch pauses those who send to it, and what it still takes from them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/fabric/devices/buffer_pools.hpp"
#include "horae/params/located.hpp"

namespace horae::fabric {

/// Dynamic threshold of the ports of one rate.
struct PfcOfRate {
  BitRate rate{};
  double alpha = 0.0;

  static const Schema<PfcOfRate>& schema();
};

/// Thresholds of one class; what is absent is that of the table around it.
struct PfcOfClass {
  std::uint32_t number = 0;
  std::optional<Bytes> xoff{}, xon{};  ///< fixed
  std::optional<double> alpha{};       ///< dynamic, at ports of every rate
  std::optional<Bytes> minimum{};      ///< dynamic
  std::optional<Bytes> headroom{};

  static const Schema<PfcOfClass>& schema();
};

/// Priority flow control (IEEE 802.1Q clause 36), per ingress port and class, with one of two kinds
/// of threshold. Fixed: pause above `xoff` buffered bytes, resume at `xon` or below. Dynamic
/// (`alpha` above zero): each port and class has `minimum` bytes of its own; beyond them it may
/// take `alpha` times what is free of the pool that all share; what does not fit pauses the sender.
/// Either way, what arrives after the pause goes to the headroom.
struct PfcConfig {
  Bytes xoff{};  ///< fixed threshold; zero: none
  Bytes xon{};
  Bytes headroom{};  ///< per ingress port and class; beyond it packets are dropped
  /// A headroom of so many times rate x delay of the port's own link; absent: `headroom`.
  std::optional<double> headroom_delays{};
  double alpha = 0.0;         ///< dynamic threshold; zero: none
  Bytes hysteresis = 16_B;    ///< dynamic: resume so far below the threshold
  Bytes minimum = 1048_B;     ///< dynamic: bytes of each port and class that are not shared
  std::uint32_t classes = 1;  ///< dynamic: classes per port that have headroom and minimum
  /// The classes that pause, and have headroom and minimum in place of `classes`; all others take
  /// what is free of the pool, and are dropped. Absent: all classes of data pause.
  std::optional<std::vector<std::uint32_t>> priorities{};
  /// Dynamic: ports of these rates have an alpha of their own.
  std::optional<std::vector<PfcOfRate>> by_rate{};
  /// Classes with thresholds of their own, each of `priorities`.
  std::optional<std::vector<PfcOfClass>> by_class{};

  static const Schema<PfcConfig>& schema();
  bool dynamic() const { return alpha > 0; }
  bool enabled() const { return xoff.count() > 0 || dynamic(); }
  /// Whether a class pauses, if any does.
  bool pauses(unsigned traffic_class) const {
    return !priorities ||
           std::find(priorities->begin(), priorities->end(), traffic_class) != priorities->end();
  }
  /// Classes of a port that have headroom.
  std::int64_t reserving() const {
    return priorities ? static_cast<std::int64_t>(priorities->size()) : classes;
  }
  /// Bytes that one port has for itself beside `headroom` for each of its classes: headrooms and,
  /// dynamic, minima; fixed: what lies below the thresholds. With `priorities` those of the classes
  /// `among`, a bit for each.
  Bytes reserved(Bytes headroom_of_port, unsigned among = ~0u) const;
  /// The shared part of `buffer`, with such a headroom at each of as many ports.
  Bytes pool(Bytes buffer, const std::vector<Bytes>& headrooms, unsigned among = ~0u) const;
  /// Null: it has those of all.
  const PfcOfClass* of_class(unsigned traffic_class) const;
  /// Bytes of a class's queue that are its own: below them it pauses nobody.
  Bytes own(unsigned traffic_class) const;
  /// Dynamic: that of a port.
  double alpha_of(BitRate rate) const;
};

/// The bytes of each ingress port and class, and what follows from them. Numbers of queues are the
/// device's.
class IngressAccounts {
 public:
  IngressAccounts(const PfcConfig& config, Bytes buffer, unsigned ports, unsigned queues)
      : IngressAccounts(config, BufferPools({}, buffer), ports, queues) {}
  /// With several pools `priorities` says which classes pause.
  IngressAccounts(const PfcConfig& config, const BufferPools& pools, unsigned ports,
                  unsigned queues);

  /// Gives a port a dynamic threshold and a headroom of its own; before anything is taken in.
  void set_port(unsigned port, double alpha, Bytes headroom);

  /// Whether a frame may still be taken.
  bool fits(std::size_t queue, std::int64_t frame) const {
    const Queue& q = queues_[queue];
    if (!config_.dynamic()) {
      return q.bytes + frame <= q.own + q.allowed;
    }
    return shares(q, frame) || q.headroom + frame <= q.allowed;
  }
  /// Whether a frame can be taken in without a pause that is not in force yet. As long as none is,
  /// a queue or a pool that looks fuller than it is can only make this false.
  bool takes_freely(std::size_t queue, std::int64_t frame) const {
    const Queue& q = queues_.data()[queue];
    return config_.dynamic() ? shares(q, frame) : q.bytes + frame <= q.own;
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
      free_of(q) -= shared(q) - before;
    } else {
      q.bytes += frame;
      over = q.bytes > q.own;
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
      free_of(q) += before - shared(q);
    } else {
      q.bytes -= frame;
    }
    if (!q.pausing || !low(q)) return false;
    q.pausing = false;
    return true;
  }
  /// Whether a pause is in force.
  bool pausing(std::size_t queue) const { return queues_[queue].pausing; }
  /// Bytes that a queue has in the buffer.
  Bytes bytes(std::size_t queue) const { return Bytes(queues_[queue].bytes); }
  const BufferPools& pools() const { return pools_; }
  /// Dynamic: free bytes of a pool (BufferPools).
  Bytes free(unsigned pool = 0) const { return Bytes(free_[pool]); }

  // For what belongs to no ingress port that has a sender: it is of nobody's threshold, pauses
  // nobody, and has what is free of its pool. With fixed thresholds there is no pool.
  bool pool_has(std::int64_t bytes, unsigned pool = 0) const {
    return !config_.dynamic() || bytes <= free_[pool];
  }
  /// The same for a class that does not pause: with fixed thresholds it has what classes that pause
  /// leave of its pool at their fullest.
  bool pool_has_of_lossy(std::int64_t bytes, unsigned pool = 0) const {
    return !bounded_ || bytes <= free_[pool];
  }
  void take_of_pool(std::int64_t bytes, unsigned pool = 0) { free_[pool] -= bytes; }
  void give_to_pool(std::int64_t bytes, unsigned pool = 0) { free_[pool] += bytes; }

 private:
  static constexpr std::int64_t unit = 65536;  ///< of alpha
  static std::uint32_t in_units(double alpha) {
    return static_cast<std::uint32_t>(alpha * unit + 0.5);
  }

  void set_queues(unsigned port, double alpha, Bytes headroom);

  struct Queue {
    std::int64_t bytes = 0;     ///< all
    std::int64_t headroom = 0;  ///< of these, in the headroom: the first to be free again
    std::int64_t allowed = 0;   ///< bytes of the headroom
    std::int64_t own = 0;       ///< bytes that pause nobody: `minimum`, or `xoff`
    std::int64_t xon = 0;       ///< fixed
    std::uint32_t alpha = 0;    ///< of the dynamic threshold, in `unit`ths
    std::uint8_t pool = 0;      ///< of its class
    bool pausing = false;       ///< a pause is in force
  };

  /// Bytes of the pool that a queue takes.
  std::int64_t shared(const Queue& q) const {
    return std::max<std::int64_t>(q.bytes - q.headroom - q.own, 0);
  }
  std::int64_t& free_of(const Queue& q) { return free_.data()[q.pool]; }
  std::int64_t free_of(const Queue& q) const { return free_.data()[q.pool]; }
  bool below(const Queue& q, std::int64_t bytes) const {
    return bytes * unit <= q.alpha * free_of(q);
  }
  /// Whether a frame goes to the queue's own bytes or to the pool, not to the headroom.
  bool shares(const Queue& q, std::int64_t frame) const {
    if (q.headroom > 0) return false;
    const std::int64_t beyond = q.bytes + frame - q.own;
    return beyond <= 0 || (below(q, beyond) && beyond - shared(q) <= free_of(q));
  }
  bool low(const Queue& q) const {
    if (!config_.dynamic()) return q.bytes <= q.xon;
    if (q.headroom > 0) return false;
    return shared(q) == 0 || below(q, shared(q) + config_.hysteresis.count());
  }

  PfcConfig config_;
  BufferPools pools_;  ///< which class has which; what they hold is in `free_`
  bool bounded_;
  std::vector<std::int64_t> free_;  ///< by pool
  std::size_t queues_of_port_;
  std::vector<Bytes> headrooms_;  ///< by port: that of its classes without one of their own
  std::vector<Queue> queues_;
};

}  // namespace horae::fabric
