#include "horae/rnic/host/host_side.hpp"

#include "horae/rnic/memory/policy_state.hpp"

namespace horae::rnic {

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
  if (!config.sram.limited) return;
  const std::vector<PolicyState> policies = policy_states(config);
  policies_on_chip = policy_bytes(policies, false);
  OnChipMemoryConfig sram = config.sram;
  sram.qp_context += policy_bytes(policies, true);
  contexts.emplace(sram, config.mtu, *link, misses);
}

}  // namespace horae::rnic
