#include "horae/workload/nic_fit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/workload/traffic.hpp"

namespace horae::workload {
namespace {

/// Demand that the profile itself puts on its NICs.
rnic::NicDemand demand_of(const rnic::RnicConfig& nic) {
  rnic::NicDemand out;
  out.window = nic.reliability.window;
  out.policies = rnic::policy_states(nic);
  out.ports = nic.lines();
  out.port_buffer = nic.buffer_of_port();
  out.engine_contexts = rnic::engine_contexts(nic);
  out.block_state = rnic::block_state(nic);
  out.wqe = rnic::gathering_wqe(nic);
  out.reads = nic.reliability.most_reads();
  out.caches = nic.cache.value_or(rnic::CachesConfig{});
  if (const auto engine = policy::make_ordering_engine(nic.ordering)) {
    out.ordering_shared = engine->provided(0);
    out.ordering_each = engine->provided(1) - engine->provided(0);
  }
  return out;
}

}  // namespace

std::vector<SizedNic> size_nics(const config::PlatformConfig& platform) {
  NicDemands asked(platform.devices.size());
  for (std::size_t table = 0; table < platform.traffic.size(); ++table)
    traffic_of(platform, table).ask(platform, asked);
  std::vector<SizedNic> out;
  for (std::size_t i = 0; i < platform.devices.size(); ++i) {
    const auto& device = platform.devices[i];
    const auto* nic = std::get_if<rnic::RnicConfig>(&platform.profiles.at(device.profile));
    if (nic == nullptr) continue;
    rnic::NicDemand demand = demand_of(*nic);
    demand.groups = asked.groups(i);
    const auto same = std::find_if(out.begin(), out.end(), [&](const SizedNic& other) {
      return other.profile == device.profile && other.demand == demand;
    });
    if (same != out.end()) {
      same->devices.push_back(device.name);
      continue;
    }
    SizedNic sized{device.profile,
                   nic->spec,
                   {device.name},
                   nic->sram.limited,
                   demand,
                   nic_budget(nic->sram, demand),
                   {}};
    if (!sized.budget.fits())
      sized.remedies = nic_remedies(device.profile + ".", nic->sram, sized.demand, sized.budget,
                                    asked.shares(i));
    out.push_back(std::move(sized));
  }
  return out;
}

void require_fit(const config::PlatformConfig& platform) {
  std::vector<SizedNic> refused;
  for (auto& nic : size_nics(platform)) {
    if (nic.limited && !nic.budget.fits()) refused.push_back(std::move(nic));
  }
  if (refused.empty()) return;
  throw NicDoesNotFit(
      fmt::format("{}: what must be on the NIC's chip does not fit it (see horae "
                  "size)\n{}",
                  refused.front().profile, nics_text(refused)));
}

bool all_fit(const std::vector<SizedNic>& nics) {
  return std::all_of(nics.begin(), nics.end(), [](const auto& n) { return n.budget.fits(); });
}

}  // namespace horae::workload
