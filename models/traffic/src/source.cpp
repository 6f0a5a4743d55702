#include "horae/traffic/source.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "horae/core/random.hpp"

namespace horae::traffic {

std::optional<TrafficItem> ConstantSource::next() {
  if (config_.count != 0 && issued_ == config_.count) return std::nullopt;
  const Picoseconds at = config_.start + config_.interval * static_cast<std::int64_t>(issued_);
  ++issued_;
  if (config_.gated)
    return TrafficItem{.at = at,
                       .dst = config_.dst,
                       .bytes = config_.bytes,
                       .flow = config_.flow,
                       .after = issued_,
                       .verb = config_.verb};
  return TrafficItem{
      .at = at,
      .dst = config_.dst,
      .bytes = config_.bytes,
      .flow = config_.flow,
      .after = std::max(config_.after,
                        config_.lead != 0 && issued_ > config_.lead ? issued_ - config_.lead : 0),
      .verb = config_.verb};
}

std::vector<NodeId> permutation_pattern(std::uint32_t n, std::uint64_t seed) {
  // Sattolo's algorithm: a uniformly random single cycle, hence no fixed point.
  RandomStream stream(seed, "traffic.permutation");
  std::vector<NodeId> to(n);
  std::iota(to.begin(), to.end(), NodeId{0});
  for (std::uint32_t i = n; i-- > 1;) std::swap(to[i], to[stream.below(i)]);
  return to;
}

}  // namespace horae::traffic
