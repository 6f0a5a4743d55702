// ECN marking by queue depth.
#pragma once

#include "horae/core/packet.hpp"
#include "horae/core/random.hpp"
#include "horae/core/units.hpp"
#include "horae/params/located.hpp"

namespace horae::fabric {

/// RED-style marking on the instantaneous queue depth (DCQCN, SIGCOMM 2015, section 3.1):
/// probability 0 up to `kmin`, rising linearly to `pmax` at `kmax`, 1 above. `kmax` zero turns
/// marking off.
struct RedConfig {
  Bytes kmin{};
  Bytes kmax{};
  double pmax = 0.0;

  static const Schema<RedConfig>& schema();

  bool enabled() const { return kmax.count() > 0; }
  /// Marking probability at queue depth `q`.
  double probability(Bytes q) const {
    if (q <= kmin) return 0.0;
    if (q > kmax) return 1.0;
    return pmax * static_cast<double>((q - kmin).count()) /
           static_cast<double>((kmax - kmin).count());
  }
};

/// Marks ECN-capable packets. One random stream per device.
class RedMarker {
 public:
  RedMarker(const RedConfig& config, RandomStream stream) : config_(config), stream_(stream) {}

  /// Marks `p` for a queue that is `depth` deep before it; returns whether it did.
  bool mark(Packet& p, Bytes depth) {
    if (!config_.enabled() || p.ecn == Ecn::not_ect || depth <= config_.kmin) return false;
    if (!stream_.chance(config_.probability(depth))) return false;
    p.ecn = Ecn::ce;
    return true;
  }

 private:
  RedConfig config_;
  RandomStream stream_;
};

}  // namespace horae::fabric
