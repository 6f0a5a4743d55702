#include "size_nic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "collective.hpp"
#include "flow_list.hpp"
#include "flow_traffic.hpp"
#include "horae/rnic/nic_spec.hpp"

namespace horae::platforms {
namespace {

using nlohmann::ordered_json;
using rnic::NicBudget;
using rnic::OnChipMemoryConfig;

/// A traffic table's queue pairs at one device, and how many come with each one of its `qps`.
struct Share {
  std::size_t table = 0;
  std::uint32_t qps = 0;
  std::uint32_t times = 0;
};

struct DeviceDemand {
  rnic::NicDemand demand;
  std::vector<Share> shares;
};

/// The flows of each traffic table that is a collective or open-loop messages.
using PlacedTables = std::vector<std::vector<PlacedFlow>>;

PlacedTables place_collectives(const PlatformConfig& platform) {
  PlacedTables out(platform.traffic.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (const auto* collective = std::get_if<CollectiveTraffic>(&platform.traffic[i]))
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
    if (const auto* flows = std::get_if<FlowTraffic>(&platform.traffic[i]))
      add(place_messages(platform, i, *flows));
    if (const auto* incast = std::get_if<IncastTraffic>(&platform.traffic[i]))
      add(place_messages(platform, i, *incast));
    if (const auto* list = std::get_if<FlowListTraffic>(&platform.traffic[i]))
      add(list->placed->messages);
  }
  return out;
}

/// What the traffic tables ask of the device of that index; groups that are alike are one.
DeviceDemand demand_of(const PlatformConfig& platform, std::size_t index,
                       const rnic::RnicConfig& nic, const PlacedTables& placed) {
  const DeviceInstance& device = platform.devices[index];
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
    const auto* collective = std::get_if<CollectiveTraffic>(&platform.traffic[i]);
    for (const auto& f : placed[i]) {
      const std::uint32_t depth = collective != nullptr ? collective->depth : 1;
      if (f.from == index) add(1, std::min(depth, f.flow.count), f.flow.message);
      if (f.to == index) add(1, 0, f.flow.message);
    }
    const auto* messages = std::get_if<MessagesConfig>(&platform.traffic[i]);
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

/// Single changes with which the state that must be on the chip fits, in closed form.
std::vector<NicRemedy> remedies_of(const std::string& prefix, const OnChipMemoryConfig& sram,
                                   const rnic::NicDemand& demand, const NicBudget& budget,
                                   const std::vector<std::pair<std::string, Share>>& queue_pairs) {
  std::vector<NicRemedy> out;
  const std::int64_t now = demand.queue_pairs();
  for (const auto& [key, share] : queue_pairs) {
    const std::int64_t others = now - std::int64_t{share.qps} * share.times;
    const std::int64_t most = (budget.most_on_chip - others) / share.times;
    if (budget.most_on_chip > others && most >= 1)
      out.push_back({key, std::to_string(share.qps), std::to_string(most)});
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
  if (now == 0) return out;
  // Of a queue pair: what the rest leaves, in whole words of the bitmap.
  constexpr std::int64_t word_bytes = 8, word_bits = 64;
  const Bytes bitmap = demand.ordering_each.value_or(sram.reorder_state(demand.window));
  const Bytes room = sram.beside_buffers() - demand.ordering_shared;
  const Bytes each(room.count() / now);
  if (!demand.ordering_each && sram.beside_buffers() >= sram.retransmit_state * now &&
      bitmap.count() > 0) {
    const std::int64_t words = (each - sram.retransmit_state).count() / word_bytes;
    out.push_back({table + "reorder_bits",
                   std::to_string(sram.reorder_bits.value_or(demand.window)),
                   std::to_string(words * word_bits)});
  }
  if (room >= bitmap * now && sram.retransmit_state.count() > 0)
    out.push_back(
        {table + "retransmit_state", to_text(sram.retransmit_state), to_text(each - bitmap)});
  return out;
}

std::string limit_text(std::int64_t queue_pairs) {
  return queue_pairs == NicBudget::unlimited ? "any number of" : std::to_string(queue_pairs);
}

ordered_json limit_json(std::int64_t queue_pairs) {
  return queue_pairs == NicBudget::unlimited ? ordered_json() : ordered_json(queue_pairs);
}

double percent(Bytes part, Bytes whole) {
  return 100.0 * static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

std::string title_of(const SizedNic& nic) {
  constexpr std::size_t most_listed = 8;
  std::string text = "NIC " + nic.profile;
  if (!nic.spec.empty() && nic.spec != nic.profile) text += fmt::format(" ({})", nic.spec);
  if (nic.devices.size() > most_listed)
    text += fmt::format(", {} devices", nic.devices.size());
  else if (!nic.devices.empty())
    text += fmt::format(", {}", fmt::join(nic.devices, " "));
  if (nic.demand.groups.empty()) text += ": no queue pairs";
  for (const auto& g : nic.demand.groups) {
    text += fmt::format("{} {} queue pair{} with {} messages outstanding and {} of memory",
                        &g == &nic.demand.groups.front() ? ":" : " and", g.queue_pairs,
                        g.queue_pairs == 1 ? "" : "s", g.outstanding, to_text(g.memory));
  }
  if (nic.demand.queue_pairs() > 1) text += " each";
  return text;
}

}  // namespace

std::vector<SizedNic> size_nics(const PlatformConfig& platform) {
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
      std::vector<std::pair<std::string, Share>> keys;
      for (const auto& share : shares)
        keys.emplace_back(fmt::format("traffic[{}].qps", share.table), share);
      sized.remedies =
          remedies_of(device.profile + ".", nic->sram, sized.demand, sized.budget, keys);
    }
    out.push_back(std::move(sized));
  }
  return out;
}

SizedNic size_nic(const NicRequest& request) {
  const auto nic =
      rnic::RnicConfig::schema().read_over(rnic::NicSpec::find({request.spec, {}}).config(),
                                           Document::parse("", "", request.overrides).root());
  SizedNic sized{request.spec, request.spec, {}, nic.sram.limited, {}, {}, {}};
  sized.demand.window = nic.reliability.window;
  sized.demand.groups = {request.queue_pairs};
  sized.budget = nic_budget(nic.sram, sized.demand);
  const std::uint32_t queue_pairs = request.queue_pairs.queue_pairs;
  if (!sized.budget.fits())
    sized.remedies =
        remedies_of("", nic.sram, sized.demand, sized.budget, {{"--qps", {0, queue_pairs, 1}}});
  return sized;
}

void require_fit(const PlatformConfig& platform) {
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

ordered_json nics_json(const std::vector<SizedNic>& nics) {
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
                   {"most_queue_pairs", limit_json(b.most_on_chip)},
                   {"remedies", remedies}});
  }
  return out;
}

std::string nics_text(const std::vector<SizedNic>& nics) {
  std::string out;
  for (const auto& nic : nics) {
    const NicBudget& b = nic.budget;
    const auto row = [&](std::string_view name, std::string_view place, const std::string& count,
                         const std::string& each, Bytes bytes) {
      out += fmt::format("  {:<18} {:<6} {:>9} {:>12} {:>12} {:>8.2f} %\n", name, place, count,
                         each, bytes.count(), percent(bytes, b.capacity));
    };
    if (!out.empty()) out += "\n";
    out += title_of(nic) + "\n";
    out += fmt::format("  {:<18} {:<6} {:>9} {:>12} {:>12} {:>10}\n", "structure", "place", "count",
                       "bytes each", "bytes", fmt::format("of {}", to_text(b.capacity)));
    for (const auto& line : b.lines) {
      if (line.bytes().count() == 0) continue;
      row(line.name, line.cached ? "cache" : "chip", std::to_string(line.count),
          std::to_string(line.each.count()), line.bytes());
    }
    row("total", "", "", "", b.used());
    if (!b.fits()) {
      out += fmt::format("  Does not fit: {} bytes must be on the chip, {} are there. Would fit:\n",
                         b.on_chip().count(), b.capacity.count());
      for (const auto& r : nic.remedies)
        out += fmt::format("    {} = {} (now {})\n", r.key, r.fits, r.now);
      continue;
    }
    out += fmt::format("  Contexts take {} of the {} bytes left to the cache: {}.\n",
                       b.cached().count(), b.cache().count(),
                       b.all_cached() ? "all stay" : "in round robin none stays");
    out += fmt::format(
        "  All contexts stay up to {} queue pairs like these; their state fits the chip up to "
        "{}.\n",
        limit_text(b.most_cached), limit_text(b.most_on_chip));
    if (!nic.limited) out += "  In a run every access hits, as sram.limited is false.\n";
  }
  return out;
}

}  // namespace horae::platforms
