// Paths by the UDP source port: the PathMap, and the uplink that the same hash gives here (internal
// to the room).
#pragma once

#include <cstdint>
#include <vector>

#include "horae/dataplane/action.hpp"
#include "horae/dataplane/gateway.hpp"
#include "horae/dataplane/hash.hpp"
#include "horae/dataplane/register_action.hpp"
#include "horae/programs/shared/path_map.hpp"
#include "horae/programs/themis/themis.hpp"
#include "parts.hpp"

namespace horae::programs::themis {

/// Relative path control in networks of several tiers (packet-spraying paper 4.1, Figure 4): the
/// index gives the change of the UDP source port, and every switch on the way, this one first,
/// chooses by a linear hash of the header that results.
class Steering {
 public:
  /// `index` is what computes the path's index last, or null where it is that of the PSN.
  Steering(dataplane::Pipeline& pipeline, const ThemisConfig& config,
           const dataplane::Object& routes, const dataplane::Gateway& is_data,
           const dataplane::Object* index, const std::vector<PathTier>& tiers);

  /// Sends a data packet to the path that differs from its flow's by `index`.
  void rewrite(PassKind auto& pass, std::uint32_t index);
  /// The one of `n` ports that the header chooses.
  std::uint32_t uplink(const PassKind auto& pass, std::uint32_t n);
  /// The object that computes it.
  const dataplane::Object& last() const { return choose_; }

 private:
  LinearHash function_;
  dataplane::Variable<std::uint16_t> pathmap_;
  dataplane::Action set_port_;
  dataplane::Hash hash_;
  dataplane::Action choose_;
};

inline void Steering::rewrite(PassKind auto& pass, std::uint32_t index) {
  const std::uint16_t change = pathmap_.read.run(pass, index);
  set_port_.run(pass, [&] { pass.header().entropy ^= change; });
}

inline std::uint32_t Steering::uplink(const PassKind auto& pass, std::uint32_t n) {
  const std::uint16_t value = hash_.linear(pass, function_);
  std::uint32_t port = 0;
  choose_.run(pass, [&] { port = LinearHash::choice(value, n); });
  return port;
}

}  // namespace horae::programs::themis
