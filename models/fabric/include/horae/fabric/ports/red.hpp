// ECN marking by queue depth.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "horae/core/packet.hpp"
#include "horae/core/random.hpp"
#include "horae/core/units.hpp"
#include "horae/params/located.hpp"

namespace horae::fabric {

/// A threshold of `bytes` at the rate `reference`, scaled to `rate`.
Bytes in_proportion(Bytes bytes, BitRate rate, BitRate reference);

/// RED-style marking on the instantaneous queue depth (DCQCN, SIGCOMM 2015, section 3.1):
/// probability 0 up to `kmin`, rising linearly to `pmax` at `kmax`, 1 above. `kmax` zero turns
/// marking off.
struct RedThresholds {
  Bytes kmin{};
  Bytes kmax{};
  double pmax = 0.0;

  bool enabled() const { return kmax.count() > 0; }
  /// Marking probability at queue depth `q`.
  double probability(Bytes q) const {
    if (q <= kmin) return 0.0;
    if (q > kmax) return 1.0;
    return pmax * static_cast<double>((q - kmin).count()) /
           static_cast<double>((kmax - kmin).count());
  }
};

/// Thresholds of the ports of one rate.
struct RedOfRate {
  BitRate rate{};
  Bytes kmin{};
  Bytes kmax{};
  std::optional<double> pmax;  ///< absent: that of the table around it

  static const Schema<RedOfRate>& schema();
};

/// Thresholds of one traffic class, at ports of every rate.
struct RedOfClass {
  std::uint32_t number = 0;
  Bytes kmin{};
  Bytes kmax{};
  std::optional<double> pmax;  ///< absent: that of the table around it

  static const Schema<RedOfClass>& schema();
};

/// Those of one port, by traffic class.
using RedOfPort = std::array<RedThresholds, 8>;
/// The same for a port of another rate; absent: as they are.
RedThresholds in_proportion(const RedThresholds& thresholds, BitRate rate,
                            std::optional<BitRate> reference);

/// When a packet is marked, and by what.
enum class MarkAt : std::uint8_t {
  enqueue,  ///< when it is queued, by what is before it
  dequeue,  ///< when it leaves the queue, by what is left behind it
};

/// Marking by the ports of a switch.
struct RedConfig {
  Bytes kmin{};
  Bytes kmax{};
  double pmax = 0.0;
  std::optional<MarkAt> at{};  ///< absent: enqueue
  /// Ports of these rates have thresholds of their own, all others those above.
  std::optional<std::vector<RedOfRate>> by_rate{};
  /// Classes with thresholds of their own, in proportion to `reference` too.
  std::optional<std::vector<RedOfClass>> by_class{};

  static const Schema<RedConfig>& schema();
  /// Whether any port marks.
  bool enabled() const;
  bool at_dequeue() const { return at == MarkAt::dequeue; }
  /// Those of a port. `reference`: ports of rates that `by_rate` does not have are marked in
  /// proportion to this one, whose thresholds are those above; absent: as they are.
  RedThresholds of(BitRate rate, std::optional<BitRate> reference = {}) const;
  RedOfPort of_port(BitRate rate, std::optional<BitRate> reference = {}) const;
};

/// Marks ECN-capable packets. Whoever has one gives it a random stream of its own.
class RedMarker {
 public:
  explicit RedMarker(RandomStream stream) : stream_(stream) {}
  RedMarker(const RedThresholds& thresholds, RandomStream stream)
      : thresholds_(thresholds), stream_(stream) {}

  /// Marks `p` for a queue of depth `depth`; returns whether it did.
  bool mark(Packet& p, Bytes depth) { return mark(p, depth, thresholds_); }
  /// The same by thresholds of the caller's.
  bool mark(Packet& p, Bytes depth, const RedThresholds& by) {
    if (!by.enabled() || p.ecn == Ecn::not_ect || depth <= by.kmin) return false;
    if (!stream_.chance(by.probability(depth))) return false;
    p.ecn = Ecn::ce;
    return true;
  }

 private:
  RedThresholds thresholds_{};
  RandomStream stream_;
};

}  // namespace horae::fabric
