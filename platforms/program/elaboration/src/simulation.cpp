#include "horae/elaboration/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "horae/config/path_tiers.hpp"
#include "horae/core/error.hpp"
#include "horae/fabric/outlook.hpp"
#include "horae/fabric/rank_border.hpp"
#include "horae/workload/nic_fit.hpp"
#include "injections.hpp"

namespace horae::elaboration {
namespace {

class empty_module : public sc_core::sc_module {
 public:
  explicit empty_module(const sc_core::sc_module_name& name) : sc_module(name) {}
};

bool works_on_bytes(const config::Profile& profile) {
  const auto* chip = std::get_if<config::TofinoProfile>(&profile);
  return chip != nullptr && chip->program->works_on_bytes();
}

/// Bytes are made of RoCEv2's own fields (WireBytes): features that add headers of their
/// own have none.
void check_bytes(const config::PlatformConfig& platform) {
  const auto found = std::ranges::find_if(platform.devices, [&](const auto& device) {
    return works_on_bytes(platform.profiles.at(device.profile));
  });
  if (found == platform.devices.end()) return;
  const auto refuse = [&](const auto& device, const std::vector<HeaderExtension>& extensions) {
    if (extensions.empty()) return;
    throw input_error(
        device.where,
        fmt::format("'{}' uses {}, whose headers '{}' cannot read, as its program works on bytes; "
                    "expected RoCEv2 alone",
                    device.name, extensions.front().feature, found->name));
  };
  for (const auto& device : platform.devices) {
    const config::Profile& profile = platform.profiles.at(device.profile);
    if (const auto* nic = std::get_if<rnic::RnicConfig>(&profile))
      refuse(device, rnic::header_extensions(*nic));
    if (const auto* chip = std::get_if<config::TofinoProfile>(&profile))
      refuse(device, chip->program->header_extensions());
  }
}

/// Contents are of all NICs, whose rings are alike (host_address::ring_offset), in one process.
void check_contents(const config::PlatformConfig& platform, bool ranks) {
  const config::DeviceInstance* with = nullptr;
  const config::DeviceInstance* without = nullptr;
  std::optional<Bytes> mtu;
  for (const auto& device : platform.devices) {
    const auto* nic = std::get_if<rnic::RnicConfig>(&platform.profiles.at(device.profile));
    if (nic == nullptr) continue;
    (nic->memory.contents ? with : without) = &device;
    if (mtu && *mtu != nic->mtu) without = &device;
    mtu = nic->mtu;
  }
  if (with == nullptr) return;
  const auto refuse = [&](const Location& where, const std::string& what) {
    throw input_error(where, fmt::format("'{}' has memory.contents, {}", with->name, what));
  };
  if (without != nullptr)
    refuse(without->where,
           fmt::format("and '{}' has none or another mtu; expected both alike", without->name));
  if (ranks) refuse(with->where, "which ranks do not hand over; expected a run without --ranks");
}

}  // namespace

Simulation::Simulation(const config::PlatformConfig& platform, Bare /*bare*/)
    : platform_(platform),
      oldest_{std::make_unique<empty_module>("0_first"),
              std::make_unique<empty_module>("0_second")},
      context_({.mode = platform.sim.scheduling, .window = platform.sim.window}, platform.sim.seed),
      routing_(platform),
      connections_(platform, devices_) {
  context_.checked = platform.sim.checked.value_or(false);
  context_.bytes.use(platform.codes);
  workload::require_fit(platform);
}

Simulation::Simulation(const config::PlatformConfig& platform, fabric::rank_border* border,
                       MemoryMeter* meter)
    : Simulation(platform, Bare()) {
  check_bytes(platform);
  check_contents(platform, border != nullptr);
  if (border != nullptr) context_.join(*border);
  build_devices(false, meter);
  connections_.build();
  inject(platform, devices_, connections_);
  if (meter != nullptr) meter->charge("connections", connections_.all().size());
  levels_.check(platform);
}

Simulation::Simulation(const config::PlatformConfig& platform, Silent /*silent*/)
    : Simulation(platform, Bare()) {
  check_bytes(platform);
  check_contents(platform, false);
  build_devices(true, nullptr);
}

void Simulation::build_devices(bool silent, MemoryMeter* meter) {
  if (meter != nullptr) meter->charge("the rest", 0);
  const auto routes = platform_.topology.shortest_path_routes();
  config::check_path_maps(platform_, routes);
  const auto paths = routing_.paths();
  if (meter != nullptr) meter->charge("routes", routes.size());
  devices_ = elaboration::build_devices(platform_, context_, routes, paths, levels_, silent, meter);
  for (auto* chip : devices_.tofinos) {
    if (chip->frames() == nullptr) continue;
    chip->carry(context_.bytes);
    if (context_.border != nullptr) context_.border->carry_bytes(context_.bytes);
    for (auto* nic : devices_.nics) nic->expect_strays();
  }
}

Simulation::~Simulation() {
  // SystemC looks for a module that goes from its oldest one on, and puts the newest in its place.
  // So when an old one has gone, each device is found there if the newest goes first. Two old ones
  // go, as a module of SystemC's own comes after the devices'.
  for (auto& module : oldest_) module.reset();
  while (!devices_.memories.empty()) devices_.memories.pop_back();
  while (!devices_.modules.empty()) devices_.modules.pop_back();
  while (!devices_.all.empty()) devices_.all.pop_back();
}

Picoseconds Simulation::arrivals_end() const {
  Picoseconds end{};
  for (std::size_t table = 0; table < platform_.traffic.size(); ++table)
    end = std::max(end, workload::traffic_of(platform_, table).arrivals_end(platform_));
  return end;
}

bool Simulation::finished() const {
  const bool hosts_done =
      std::all_of(devices_.hosts.begin(), devices_.hosts.end(),
                  [](const auto* h) { return !h->runs_here() || h->next_time() == never; });
  const bool modules_done = std::none_of(devices_.modules.begin(), devices_.modules.end(),
                                         [](const auto& m) { return m->pending(); });
  const bool under_way = context_.border != nullptr && context_.border->waiting() > 0;
  return hosts_done && modules_done && !under_way && !work_left() &&
         (context_.packets().live() == 0 || only_generated_left());
}

/// Whether nothing is under way but what packet generators make again and again.
bool Simulation::only_generated_left() const {
  if (std::none_of(devices_.tofinos.begin(), devices_.tofinos.end(),
                   [](const auto* chip) { return chip->generates_for_ever(); }))
    return false;
  fabric::Outlook outlook{.work_left = false};
  for (const auto& device : devices_.all) device->add_outlook(outlook);
  return outlook.until < Picoseconds{};
}

Picoseconds Simulation::finished_at() const {
  Picoseconds last{};
  for (const auto& d : devices_.all) {
    for (unsigned i = 0; i < d->ports() && d->runs_here(); ++i) {
      const fabric::tx_port& port = d->tx(i);
      if (port.counters().packets > 0) last = std::max(last, port.busy_until() + port.link().delay);
    }
  }
  for (const auto* host : devices_.hosts) last = std::max(last, host->counters().last_arrival);
  for (const auto* nic : devices_.nics) {
    for (std::size_t i = 0; i < nic->queue_pairs(); ++i) {
      const auto& progress = nic->queue_pair(i).progress();
      last = std::max(last, progress.last_completion);
      if (progress.error_time != never) last = std::max(last, progress.error_time);
    }
    for (std::size_t i = 0; i < nic->programs().size() && nic->runs_here(); ++i)
      last = std::max(last, nic->programs()[i].end());
  }
  return last;
}

fabric::rank_exchange* Simulation::ranks() const {
  return context_.border == nullptr ? nullptr : &context_.border->exchange();
}

bool Simulation::work_left() const {
  // The one that was not finished when last asked comes first: mostly it still is not.
  const auto& nics = devices_.nics;
  for (std::size_t asked = 0; asked < nics.size(); ++asked) {
    const rnic::rnic& nic = *nics[unfinished_];
    if (nic.runs_here() && !nic.finished()) return true;
    unfinished_ = unfinished_ + 1 == nics.size() ? 0 : unfinished_ + 1;
  }
  return false;
}

}  // namespace horae::elaboration
