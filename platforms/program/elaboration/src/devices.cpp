#include "horae/elaboration/devices.hpp"

#include <fmt/format.h>

#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "headrooms.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/elaboration/switches.hpp"
#include "horae/workload/traffic.hpp"
#include "steering.hpp"

namespace horae::elaboration {
namespace {

/// Traffic classes of data: of NICs, and of tables of traffic that have one of their own.
std::vector<std::uint32_t> data_classes(const config::PlatformConfig& platform) {
  std::set<std::uint32_t> classes;
  for (const auto& [name, profile] : platform.profiles) {
    if (const auto* nic = std::get_if<rnic::RnicConfig>(&profile))
      classes.insert(nic->traffic_class);
  }
  for (const auto& table : platform.effective.at("traffic")) {
    if (table.contains("traffic_class") && table["traffic_class"].is_number())
      classes.insert(table["traffic_class"].get<std::uint32_t>());
  }
  return {classes.begin(), classes.end()};
}

/// InputError where what follows a pause of this NIC finds no room in its RX buffer.
void check_rx_buffer(const config::PlatformConfig& platform, unsigned vertex,
                     const rnic::RnicConfig& nic) {
  if (!nic.pfc) return;
  fabric::PfcConfig pfc = nic.pfc->thresholds();
  // Without a list every class pauses: those that data is of may fill the buffer together.
  if (!pfc.priorities) pfc.priorities = data_classes(platform);
  checked_headrooms(
      platform, vertex,
      {.pfc = pfc,
       .ports = nic.port_count(),
       .latency = nic.rx_latency,
       .buffer = nic.sram.rx_buffer,
       .buffer_text = fmt::format("sram.rx_buffer = {}", to_text(nic.sram.rx_buffer))});
}

/// Traffic that hosts without a transport send, by device; null: none.
std::vector<std::unique_ptr<traffic::TrafficSource>> host_sources(
    const config::PlatformConfig& platform, bool silent) {
  std::vector<std::unique_ptr<traffic::TrafficSource>> sources(platform.devices.size());
  if (silent) return sources;
  for (std::size_t table = 0; table < platform.traffic.size(); ++table) {
    workload::traffic_of(platform, table).packets(platform, [&](workload::PacketStream stream) {
      sources[stream.from] = std::move(stream.source);
    });
  }
  return sources;
}

void build_links(const config::PlatformConfig& platform, const Devices& devices) {
  for (std::size_t i = 0; i < platform.links.size(); ++i) {
    const auto& e = platform.topology.edges()[i];
    const auto& link = platform.links[i];
    if (link.halved) continue;
    fabric::connect(*devices.all[e.a], e.port_a, *devices.all[e.b], e.port_b, link.config,
                    link.backward);
  }
}

}  // namespace

namespace {

void build_modules(const config::PlatformConfig& platform, fabric::sim_context& context,
                   Devices& devices) {
  for (const auto& m : platform.modules) {
    const auto& e = platform.topology.edges()[m.link];
    const auto& link = platform.links[m.link];
    const auto end = [&](unsigned vertex, unsigned port, const fabric::LinkConfig& direction) {
      const NodeId node = platform.topology.vertices()[vertex].node;
      fabric::module_joint::End made{devices.all[vertex].get(), port, direction};
      if (node != fabric::Topology::no_node) made.node = node;
      return made;
    };
    auto first = end(e.a, e.port_a, link.config), second = end(e.b, e.port_b, link.backward);
    if (!m.forward) std::swap(first, second);
    using Place = fabric::module_joint::Place;
    devices.modules.push_back(
        std::make_unique<fabric::module_joint>(m.name.c_str(), context, *m.factory, first, second,
                                               m.end_point ? Place::end : Place::middle));
  }
}

void build_memories(const config::PlatformConfig& platform, Devices& devices) {
  for (const auto& m : platform.memories) {
    auto made = m.factory->make(m.name.c_str(), m.nics.size());
    for (std::size_t i = 0; i < m.nics.size(); ++i)
      devices.nic(m.nics[i]).host()->memory.bind(made->port(i));
    devices.memories.push_back(std::move(made));
  }
}

}  // namespace

Devices build_devices(const config::PlatformConfig& platform, fabric::sim_context& context,
                      const std::vector<fabric::RouteTable>& routes,
                      const std::shared_ptr<const fabric::PathTable>& paths, Levels& levels,
                      bool silent, MemoryMeter* meter) {
  Devices out;
  const auto add = [&](auto device, auto& kind, std::string_view name) {
    kind.push_back(device.get());
    out.all.push_back(std::move(device));
    if (meter != nullptr) meter->charge(name);
  };
  auto sources = host_sources(platform, silent);
  dataplane::Ledgers ledgers;
  Steering steering(platform);
  if (meter != nullptr) meter->charge("the rest", 0);
  for (unsigned i = 0; i < platform.devices.size(); ++i) {
    const NodeId node = platform.topology.vertices()[i].node;
    const config::Profile& profile = platform.profiles.at(platform.devices[i].profile);
    const char* name = platform.devices[i].name.c_str();
    if (const auto* nic = std::get_if<rnic::RnicConfig>(&profile)) {
      check_rx_buffer(platform, i, *nic);
      auto d = std::make_unique<rnic::rnic>(name, context, steering.told(*nic, i), node);
      levels.choose(*d, *nic);
      add(std::move(d), out.nics, "NICs");
    } else if (std::holds_alternative<config::TofinoProfile>(profile)) {
      auto d = build_tofino(platform, i, context, routes, &ledgers);
      levels.choose(*d, std::get<config::TofinoProfile>(profile));
      add(std::move(d), out.tofinos, "Tofino switches");
    } else if (std::holds_alternative<fabric::SwitchConfig>(profile)) {
      auto d = build_switch(platform, i, context, routes);
      levels.choose(*d, std::get<fabric::SwitchConfig>(profile), context.seed);
      d->set_paths(paths, i);
      if (d->learns_connections()) out.learning.push_back(d.get());
      add(std::move(d), out.switches, "plain switches");
    } else {
      add(std::make_unique<fabric::open_loop_host>(name, context, fabric::HostConfig{.id = node},
                                                   std::move(sources[i])),
          out.hosts, "hosts");
    }
  }
  build_links(platform, out);
  build_modules(platform, context, out);
  build_memories(platform, out);
  if (platform.has_sites()) {
    for (const auto& device : out.all) device->keep_pauses();
  }
  if (meter != nullptr) meter->charge("links", platform.links.size());
  return out;
}

}  // namespace horae::elaboration
