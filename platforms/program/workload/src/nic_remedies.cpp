#include <fmt/format.h>

#include "horae/core/quantity_text.hpp"
#include "horae/workload/nic_fit.hpp"

namespace horae::workload {

using rnic::NicBudget;
using rnic::OnChipMemoryConfig;

std::vector<NicRemedy> nic_remedies(const std::string& prefix, const OnChipMemoryConfig& sram,
                                    const rnic::NicDemand& demand, const NicBudget& budget,
                                    const std::vector<QueuePairShare>& queue_pairs) {
  std::vector<NicRemedy> out;
  const std::int64_t now = demand.queue_pairs();
  for (const auto& share : queue_pairs) {
    const std::int64_t others = now - std::int64_t{share.qps} * share.times;
    const std::int64_t most = (budget.most_on_chip - others) / share.times;
    if (budget.most_on_chip > others && most >= 1)
      out.push_back({share.key, std::to_string(share.qps), std::to_string(most)});
  }
  const std::string table = prefix + "sram.";
  if (budget.on_chip() <= OnChipMemoryConfig::largest)
    out.push_back({table + "total", to_text(sram.total), to_text(budget.on_chip())});
  const auto smaller = [&](const char* key, Bytes value) {
    const Bytes excess = budget.on_chip() - budget.capacity;
    if (excess <= value) out.push_back({table + key, to_text(value), to_text(value - excess)});
  };
  smaller("tx_buffer", sram.tx_buffer);
  smaller("rx_buffer", sram.rx_buffer);
  // State of READs and atomics is rounded to bytes: the most of them with which all fits.
  rnic::NicDemand fewer = demand;
  Bytes of_reads;
  for (const auto& line : budget.lines)
    if (line.name == "read_requests" || line.name == "read_responses") of_reads += line.bytes();
  while (of_reads > 0_B && fewer.reads > 1) {
    --fewer.reads;
    if (!rnic::nic_budget(sram, fewer).fits()) continue;
    out.push_back({prefix + "reliability.rd_atomic", std::to_string(demand.reads),
                   std::to_string(fewer.reads)});
    break;
  }
  const std::int64_t reliable = demand.reliable_queue_pairs();
  if (reliable == 0) return out;
  // For a queue pair: the bytes that the rest leaves, in whole words of the bitmap.
  constexpr std::int64_t word_bytes = 8, word_bits = 64;
  const Bytes bitmap = demand.ordering_each.value_or(sram.reorder_state(demand.window));
  const Bytes policies = rnic::policy_bytes(demand.policies, false);
  const Bytes room = sram.beside_buffers() - demand.port_buffers() - demand.ordering_shared -
                     demand.engine_contexts - demand.block_state - policies * now - of_reads;
  const Bytes each(room.count() / reliable);
  if (!demand.ordering_each && room >= sram.retransmit_state * reliable && bitmap.count() > 0) {
    const std::int64_t words = (each - sram.retransmit_state).count() / word_bytes;
    out.push_back({table + "reorder_bits",
                   std::to_string(sram.reorder_bits.value_or(demand.window)),
                   std::to_string(words * word_bits)});
  }
  if (room >= bitmap * reliable && sram.retransmit_state.count() > 0)
    out.push_back(
        {table + "retransmit_state", to_text(sram.retransmit_state), to_text(each - bitmap)});
  return out;
}

}  // namespace horae::workload
