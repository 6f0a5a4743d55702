#include "horae/size/nic.hpp"

#include <nlohmann/json.hpp>

#include "horae/params/document.hpp"
#include "horae/params/schema.hpp"
#include "horae/rnic/nic_spec.hpp"

namespace horae::size {
namespace {

using nlohmann::ordered_json;
using rnic::NicBudget;

ordered_json limit_json(std::int64_t queue_pairs) {
  return queue_pairs == NicBudget::unlimited ? ordered_json() : ordered_json(queue_pairs);
}

double percent(Bytes part, Bytes whole) {
  return 100.0 * static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

}  // namespace

workload::SizedNic size_nic(const NicRequest& request) {
  const auto nic =
      rnic::RnicConfig::schema().read_over(rnic::NicSpec::find({request.spec, {}}).config(),
                                           Document::parse("", "", request.overrides).root());
  workload::SizedNic sized{request.spec, request.spec, {}, nic.sram.limited, {}, {}, {}};
  sized.demand.window = nic.reliability.window;
  sized.demand.policies = rnic::policy_states(nic);
  sized.demand.ports = nic.lines();
  sized.demand.port_buffer = nic.buffer_of_port();
  sized.demand.engine_contexts = rnic::engine_contexts(nic);
  sized.demand.block_state = rnic::block_state(nic);
  sized.demand.wqe = rnic::gathering_wqe(nic);
  sized.demand.reads = nic.reliability.most_reads();
  sized.demand.caches = nic.cache.value_or(rnic::CachesConfig{});
  sized.demand.groups = {request.queue_pairs};
  // Where their number is given, each queue pair may do both.
  auto& group = sized.demand.groups.front();
  group.requests = group.answers = nic.reliability.rd_atomic.has_value();
  sized.budget = nic_budget(nic.sram, sized.demand);
  const std::uint32_t queue_pairs = request.queue_pairs.queue_pairs;
  if (!sized.budget.fits())
    sized.remedies = workload::nic_remedies("", nic.sram, sized.demand, sized.budget,
                                            {{"--qps", queue_pairs, 1}});
  return sized;
}

ordered_json nics_json(const std::vector<workload::SizedNic>& nics) {
  ordered_json out = ordered_json::array();
  for (const auto& nic : nics) {
    const NicBudget& b = nic.budget;
    ordered_json structures = ordered_json::array();
    for (const auto& line : b.lines) {
      structures.push_back({{"name", line.name},
                            {"place", line.cached ? "cache" : "chip"},
                            {"count", line.count},
                            {"bytes_each", line.each.count()},
                            {"bytes", line.bytes().count()},
                            {"percent", percent(line.bytes(), b.capacity)}});
      if (line.fields.empty()) continue;
      structures.back()["bits_each"] = policy::total_bits(line.fields);
      for (const auto& field : line.fields) structures.back()["fields"][field.name] = field.bits;
    }
    ordered_json remedies = ordered_json::array();
    for (const auto& r : nic.remedies)
      remedies.push_back({{"key", r.key}, {"now", r.now}, {"fits", r.fits}});
    ordered_json groups = ordered_json::array();
    for (const auto& g : nic.demand.groups) {
      groups.push_back({{"queue_pairs", g.queue_pairs},
                        {"outstanding", g.outstanding},
                        {"memory_bytes", g.memory.count()}});
    }
    out.push_back({{"profile", nic.profile},
                   {"spec", nic.spec},
                   {"devices", nic.devices},
                   {"limited", nic.limited},
                   {"queue_pairs", nic.demand.queue_pairs()},
                   {"groups", groups},
                   {"structures", structures},
                   {"capacity_bytes", b.capacity.count()},
                   {"on_chip_bytes", b.on_chip().count()},
                   {"cache_bytes", b.cache().count()},
                   {"cached_bytes", b.cached().count()},
                   {"used_bytes", b.used().count()},
                   {"percent", percent(b.used(), b.capacity)},
                   {"fits", b.fits()},
                   {"all_cached", b.all_cached()},
                   {"most_queue_pairs_cached", limit_json(b.most_cached)},
                   {"cache_binds", b.binds},
                   {"most_queue_pairs", limit_json(b.most_on_chip)},
                   {"remedies", remedies}});
  }
  return out;
}

}  // namespace horae::size
