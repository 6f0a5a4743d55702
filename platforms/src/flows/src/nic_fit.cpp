#include "horae/flows/nic_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "horae/flows/collective.hpp"
#include "horae/flows/flow_list.hpp"
#include "horae/flows/open_loop.hpp"

namespace horae::flows {
namespace {

using rnic::NicBudget;
using rnic::OnChipMemoryConfig;

struct DeviceDemand {
  rnic::NicDemand demand;
  std::vector<QueuePairShare> shares;
};

/// The flows of each traffic table that is a collective or open-loop messages.
using PlacedTables = std::vector<std::vector<PlacedFlow>>;

PlacedTables place_collectives(const config::PlatformConfig& platform) {
  PlacedTables out(platform.traffic.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (const auto* collective = std::get_if<CollectiveTraffic>(&traffic_of(platform, i)))
      out[i] = place_collective(platform, *collective);
    const auto add = [&](const std::vector<PlacedMessage>& messages) {
      for (const auto& m : messages) {
        // Few different sizes: what is translated are pages.
        const auto size = std::bit_ceil(static_cast<std::uint64_t>(m.bytes.count()));
        traffic::CollectiveFlow flow;
        flow.message = Bytes(static_cast<std::int64_t>(size));
        out[i].push_back({0, m.from, m.to, flow});
      }
    };
    if (const auto* flows = std::get_if<FlowTraffic>(&traffic_of(platform, i)))
      add(place_messages(platform, i, *flows));
    if (const auto* incast = std::get_if<IncastTraffic>(&traffic_of(platform, i)))
      add(place_messages(platform, i, *incast));
    if (const auto* list = std::get_if<FlowListTraffic>(&traffic_of(platform, i)))
      add(list->placed->messages);
  }
  return out;
}

/// What the traffic tables ask of the device of that index; groups that are alike are one.
DeviceDemand demand_of(const config::PlatformConfig& platform, std::size_t index,
                       const rnic::RnicConfig& nic, const PlacedTables& placed) {
  const config::DeviceInstance& device = platform.devices[index];
  DeviceDemand out;
  out.demand.window = nic.reliability.window;
  if (const auto engine = policy::make_ordering_engine(nic.ordering)) {
    out.demand.ordering_shared = engine->provided(0);
    out.demand.ordering_each = engine->provided(1) - engine->provided(0);
  }
  const auto count = [&](const std::vector<Located<std::string>>& names) {
    return static_cast<std::uint32_t>(std::count_if(
        names.begin(), names.end(), [&](const auto& name) { return name.value == device.name; }));
  };
  const auto add = [&](std::uint32_t queue_pairs, std::uint32_t outstanding, Bytes memory) {
    if (queue_pairs == 0) return;
    for (auto& group : out.demand.groups) {
      if (group.outstanding != outstanding || group.memory != memory) continue;
      group.queue_pairs += queue_pairs;
      return;
    }
    out.demand.groups.push_back({queue_pairs, outstanding, memory});
  };
  for (std::size_t i = 0; i < platform.traffic.size(); ++i) {
    const auto* collective = std::get_if<CollectiveTraffic>(&traffic_of(platform, i));
    for (const auto& f : placed[i]) {
      const std::uint32_t depth = collective != nullptr ? collective->depth : 1;
      if (f.from == index) add(1, std::min(depth, f.flow.count), f.flow.message);
      if (f.to == index) add(1, 0, f.flow.message);
    }
    const auto* messages = std::get_if<MessagesConfig>(&traffic_of(platform, i));
    if (messages == nullptr) continue;
    const bool pairs = messages->pattern == MessagesConfig::Pattern::pairs;
    const std::uint32_t sends = pairs ? count(messages->from) : 1;
    const std::uint32_t receives = pairs ? count(messages->to) : 1;
    add(sends * messages->qps, messages->depth, messages->message);
    add(receives * messages->qps, 0, messages->message);
    if (sends + receives > 0) out.shares.push_back({i, messages->qps, sends + receives});
  }
  return out;
}

}  // namespace

std::vector<SizedNic> size_nics(const config::PlatformConfig& platform) {
  std::vector<SizedNic> out;
  const PlacedTables placed = place_collectives(platform);
  for (std::size_t i = 0; i < platform.devices.size(); ++i) {
    const auto& device = platform.devices[i];
    const auto* nic = std::get_if<rnic::RnicConfig>(&platform.profiles.at(device.profile));
    if (nic == nullptr) continue;
    auto [demand, shares] = demand_of(platform, i, *nic, placed);
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
    if (!sized.budget.fits()) {
      std::vector<std::pair<std::string, QueuePairShare>> keys;
      for (const auto& share : shares)
        keys.emplace_back(fmt::format("traffic[{}].qps", share.table), share);
      sized.remedies =
          nic_remedies(device.profile + ".", nic->sram, sized.demand, sized.budget, keys);
    }
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

}  // namespace horae::flows
