#include "chains.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"

namespace horae::dataplane {

std::vector<int> chains_behind(const DesignPrice& price, const std::string& design) {
  const std::size_t n = price.units.size();
  std::vector<int> chain(n, 0);
  for (std::size_t round = 0; round <= n; ++round) {
    bool changed = false;
    for (const auto& e : price.edges) {
      const int least = chain[e.to] + (needs_later_stage(e.kind) ? 1 : 0);
      if (chain[e.from] >= least) continue;
      chain[e.from] = least;
      changed = true;
    }
    if (!changed) return chain;
  }
  throw InputError(fmt::format("{}: objects depend on each other in a circle", design));
}

}  // namespace horae::dataplane
