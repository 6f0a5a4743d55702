#include "horae/rnic/nic_budget.hpp"

#include <algorithm>

namespace horae::rnic {
namespace {

/// Largest n with n / of * bytes <= room.
std::int64_t most(Bytes room, Bytes bytes, std::int64_t of) {
  if (room.count() < 0) return 0;
  if (bytes.count() == 0 || of == 0) return NicBudget::unlimited;
  // At most 2^30 bytes times 2^32 queue pairs.
  return room.count() * of / bytes.count();
}

/// Null: what the line counts shares the memory of all kinds.
const CacheConfig* own_cache(const CachesConfig& caches, std::string_view name) {
  for (std::size_t k = 0; k < cache_kinds; ++k) {
    const auto kind = static_cast<CacheKind>(k);
    if (name_of(kind) == name) return caches.of(kind);
  }
  return nullptr;
}

}  // namespace

std::int64_t NicDemand::queue_pairs() const {
  std::int64_t n = 0;
  for (const auto& group : groups) n += group.queue_pairs;
  return n;
}

std::int64_t NicDemand::reliable_queue_pairs() const {
  std::int64_t n = 0;
  for (const auto& group : groups) n += group.unreliable ? 0 : group.queue_pairs;
  return n;
}

std::int64_t NicDemand::requesters() const {
  std::int64_t n = 0;
  for (const auto& group : groups) n += group.requests ? group.queue_pairs : 0;
  return n;
}

std::int64_t NicDemand::responders() const {
  std::int64_t n = 0;
  for (const auto& group : groups) n += group.answers ? group.queue_pairs : 0;
  return n;
}

Bytes NicBudget::on_chip() const {
  Bytes sum;
  for (const auto& line : lines) sum += line.cached ? Bytes(0) : line.bytes();
  return sum;
}

Bytes NicBudget::cached() const {
  Bytes sum;
  for (const auto& line : lines) sum += line.cached ? line.bytes() : Bytes(0);
  return sum;
}

NicBudget nic_budget(const OnChipMemoryConfig& config, const NicDemand& demand) {
  const std::int64_t queue_pairs = demand.queue_pairs(), reliable = demand.reliable_queue_pairs();
  std::int64_t wqes = 0, pages = 0, regions = 0, shared_regions = 0;
  for (const auto& group : demand.groups) {
    wqes += std::int64_t{group.queue_pairs} * std::min(group.outstanding, config.wqes_held);
    const std::int64_t page = config.page.count();
    pages += std::int64_t{group.queue_pairs} * ((group.memory.count() + page - 1) / page);
    regions += std::int64_t{group.queue_pairs} * group.regions;
    if (group.regions == 0 && group.queue_pairs > 0) shared_regions = demand.regions;
  }
  const bool keys_are_shared = regions == 0;
  regions += shared_regions;

  const Bytes reorder = demand.ordering_each.value_or(config.reorder_state(demand.window));
  NicBudget out;
  out.capacity = config.total;
  out.lines = {
      {"tx_buffer", false, 1, config.tx_buffer},
      {"rx_buffer", false, 1, config.rx_buffer},
      {"reorder_state", false, reliable, reorder},
      {"retransmit_state", false, reliable, config.retransmit_state},
      {name_of(CacheKind::queue_pair), true, queue_pairs, config.qp_context},
      {name_of(CacheKind::send_wqe), true, wqes, std::max(config.send_wqe, demand.wqe)},
      {name_of(CacheKind::completion_queue), true, queue_pairs, config.cq_context},
      {name_of(CacheKind::translation), true, pages, config.translation},
      {name_of(CacheKind::memory_key), true, regions, config.memory_key},
  };

  // Behind the state of retransmission, whose part of READs they are.
  const std::int64_t requesters = demand.requesters(), responders = demand.responders();
  const auto asked = read_request_state(demand.reads), kept = read_response_state(demand.reads);
  const Bytes asks = policy::bytes_for(policy::total_bits(asked)),
              answers = policy::bytes_for(policy::total_bits(kept));
  if (responders > 0)
    out.lines.insert(out.lines.begin() + 4, {"read_responses", false, responders, answers, kept});
  if (requesters > 0)
    out.lines.insert(out.lines.begin() + 4, {"read_requests", false, requesters, asks, asked});

  if (demand.ports > 0)
    out.lines.insert(out.lines.begin() + 2,
                     {"port_buffer", false, demand.ports, demand.port_buffer});
  if (demand.block_state.count() > 0)
    out.lines.insert(out.lines.begin() + 2, {"block_state", false, 1, demand.block_state});
  if (demand.engine_contexts.count() > 0)
    out.lines.insert(out.lines.begin() + 2, {"engine_contexts", false, 1, demand.engine_contexts});
  if (demand.ordering_shared.count() > 0)
    out.lines.insert(out.lines.begin() + 2, {"ordering_engine", false, 1, demand.ordering_shared});

  // Beside what it belongs to.
  for (const PolicyState& policy : demand.policies) {
    const auto at = std::find_if(out.lines.begin(), out.lines.end(), [&](const BudgetLine& line) {
      return line.cached && line.fields.empty() &&
             (!policy.cached || line.name != name_of(CacheKind::queue_pair));
    });
    out.lines.insert(at, {policy.name, policy.cached, queue_pairs, policy.bytes(), policy.fields});
  }

  // Kinds that share the memory, and those that do not.
  Bytes apart;
  std::int64_t most_of_own = NicBudget::unlimited;
  for (BudgetLine& line : out.lines) {
    // State that policies keep beside a context is in its entry.
    const std::string_view kind = line.fields.empty() ? line.name : name_of(CacheKind::queue_pair);
    const CacheConfig* const own = line.cached ? own_cache(demand.caches, kind) : nullptr;
    if (own == nullptr) continue;
    if (line.count > own->entries) out.overfull.push_back(line.name);
    // A memory key that all share is of no queue pair.
    const std::int64_t fit = keys_are_shared && line.name == name_of(CacheKind::memory_key)
                                 ? (line.count > own->entries ? 0 : NicBudget::unlimited)
                                 : most(Bytes(own->entries), Bytes(line.count), queue_pairs);
    if (fit < most_of_own) {
      most_of_own = fit;
      out.binds = line.name;
    }
    line.cached = false;
    line.count = own->entries;
    apart += line.bytes();
  }

  const Bytes state = (reorder + config.retransmit_state) * reliable +
                      policy_bytes(demand.policies, false) * queue_pairs + asks * requesters +
                      answers * responders;
  const Bytes keys = demand.caches.memory_key ? Bytes(0) : config.memory_key * shared_regions;
  const Bytes room = config.beside_buffers() - demand.port_buffers() - demand.ordering_shared -
                     demand.engine_contexts - demand.block_state - apart;
  out.most_on_chip = most(room, state, queue_pairs);
  out.most_cached = most(room - keys, state + out.cached() - keys, queue_pairs);
  if (most_of_own < out.most_cached) {
    out.most_cached = most_of_own;
  } else {
    out.binds = "shared";
  }
  return out;
}

}  // namespace horae::rnic
