#include "horae/rnic/host/host_side.hpp"

#include <string>

#include "horae/core/error.hpp"
#include "horae/rnic/memory/policy_state.hpp"

namespace horae::rnic {

void check_caches(const RnicConfig& config) {
  if (!config.cache) return;
  if (config.host == HostModel::none) {
    throw InputError(
        "table 'cache' is of a NIC with its host, found host = \"none\"; expected host = \"pcie\"");
  }
  if (config.cache->misses > 0 && !config.cache->any() && !config.sram.limited) {
    throw InputError(
        "cache.misses of a NIC on which every access hits; expected a cache of a kind, or "
        "sram.limited = true");
  }
  for (std::size_t k = 0; k < cache_kinds; ++k) {
    const auto kind = static_cast<CacheKind>(k);
    if (const CacheConfig* const cache = config.cache->of(kind); cache != nullptr)
      check_cache(*cache, std::string("cache.").append(name_of(kind)).c_str());
  }
}

HostSide::HostSide(const RnicConfig& config, std::uint64_t seed, std::uint64_t& misses)
    : rx_buffer(config.sram.rx_buffer) {
  if (config.host == HostModel::none) return;
  link = std::make_unique<host_interface>("host", config.pcie, config.memory, seed);
  port.emplace(*link);
  fetcher.emplace(config.fetch, config.sram.tx_buffer, *port,
                  [this](std::size_t qp, Picoseconds at) {
                    wqe_reads.add(at, static_cast<std::uint16_t>(qp));
                  });
  if (config.post) fetcher->post_by(*config.post);
  // As the engine visits them.
  if (config.engine && config.shaping == Shaping::quantum)
    fetcher->read_in_turns_of(config.quantum);
  const CachesConfig caches = config.cache.value_or(CachesConfig{});
  if (!config.sram.limited && !caches.any()) return;
  const std::vector<PolicyState> policies = policy_states(config);
  policies_on_chip = policy_bytes(policies, false);
  OnChipMemoryConfig sram = config.sram;
  sram.qp_context += policy_bytes(policies, true);
  contexts.emplace(sram, caches, config.mtu, *link, misses);
}

}  // namespace horae::rnic
