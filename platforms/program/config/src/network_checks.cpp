#include "horae/config/network_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/fabric/topology_kind.hpp"

namespace horae::config {
namespace {

void check_outages(const std::vector<OutageConfig>& outages, const Section& section) {
  for (std::size_t i = 0; i < outages.size(); ++i) {
    const auto& o = outages[i];
    if (o.to > o.from) continue;
    throw section.children("outage")[i].error(
        "to", fmt::format("to = {} is not after from = {}", to_text(o.to), to_text(o.from)));
  }
}

/// Ends are two, outages end after they begin.
template <class T>
void check_ends(const T& spec, const Section& section) {
  if (spec.between.size() != 2) {
    throw section.error("between",
                        fmt::format("{} names in 'between'; expected two", spec.between.size()));
  }
  check_outages(spec.outages, section);
}

/// "[leaf_spine], [fat_tree] or [jellyfish]"
std::string topology_tables() {
  const auto& kinds = fabric::topology_kinds();
  std::string out;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    out += (i == 0                  ? ""
            : i + 1 == kinds.size() ? " or "
                                    : ", ") +
           fmt::format("[{}]", kinds[i].name);
  }
  return out;
}

/// Ports that an end point must have; a switch need not have any.
unsigned ports_of(const PlatformConfig& platform, unsigned device) {
  const Profile& profile = platform.profiles.at(platform.devices[device].profile);
  const auto* const nic = std::get_if<rnic::RnicConfig>(&profile);
  return nic != nullptr ? nic->port_count() : 1;
}

void check_connected(const PlatformConfig& platform, const Section& root) {
  if (platform.devices.empty()) {
    throw root.error("device",
                     "no devices: expected [[device]] and [[link]] tables, " + topology_tables());
  }
  std::vector<unsigned> ports(platform.devices.size());
  const auto& edges = platform.topology.edges();
  for (std::size_t i = 0; i < edges.size(); ++i) {
    for (const unsigned v : {edges[i].a, edges[i].b}) {
      const bool endpoint = platform.topology.vertices()[v].node != fabric::Topology::no_node;
      const unsigned most = endpoint ? ports_of(platform, v) : ~0u;
      if (ports[v] >= most) {
        throw input_error(platform.links[i].where,
                          most == 1 ? fmt::format("'{}' has one port, and a link already",
                                                  platform.devices[v].name)
                                    : fmt::format("'{}' has {} ports, and a link at each already",
                                                  platform.devices[v].name, most));
      }
      ++ports[v];
    }
  }
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const auto& device = platform.devices[i];
    if (ports[i] == 0)
      throw input_error(device.where, fmt::format("device '{}' has no link", device.name));
    if (const unsigned has = ports_of(platform, static_cast<unsigned>(i)); has > ports[i]) {
      throw input_error(
          device.where,
          fmt::format("device '{}' has {} ports (ports of profile '{}'), but {}; "
                      "expected a link for each",
                      device.name, has, device.profile,
                      ports[i] == 1 ? "one link" : fmt::format("{} links", ports[i])));
    }
    const auto* tofino = std::get_if<TofinoProfile>(&platform.profiles.at(device.profile));
    if (tofino == nullptr) continue;
    const auto& chip = tofino->chip;
    const std::size_t most = chip.pipeline_of_port.empty()
                                 ? std::size_t{chip.pipelines} * chip.ports_per_pipeline
                                 : chip.pipeline_of_port.size();
    if (ports[i] > most) {
      throw input_error(device.where,
                        fmt::format("device '{}' has {} links, but profile '{}' gives its chip {}",
                                    device.name, ports[i], device.profile,
                                    most == 1 ? "one port" : fmt::format("{} ports", most)));
    }
  }
}

void check_routes(const PlatformConfig& platform) {
  const auto routes = platform.topology.shortest_path_routes();
  std::vector<std::size_t> device_of(platform.topology.endpoints());
  const auto& vertices = platform.topology.vertices();
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (vertices[i].node != fabric::Topology::no_node) device_of[vertices[i].node] = i;
  }
  // Scale-up domains are networks of their own: a switch is of that whose ends it reaches.
  const auto domain_of = [&](std::size_t i) {
    if (vertices[i].node != fabric::Topology::no_node) return platform.devices[i].end_of_domain;
    for (NodeId node = 0; node < device_of.size(); ++node) {
      if (!routes[i].towards(node).empty()) return platform.devices[device_of[node]].end_of_domain;
    }
    return std::optional<std::uint32_t>();
  };
  for (std::size_t i = 0; i < platform.devices.size(); ++i) {
    if (routes[i].complete()) continue;
    const auto domain = domain_of(i);
    for (NodeId node = 0; node < device_of.size(); ++node) {
      if (vertices[i].node == node || !routes[i].towards(node).empty()) continue;
      if (platform.devices[device_of[node]].end_of_domain != domain) continue;
      throw input_error(platform.devices[i].where,
                        fmt::format("there is no path from '{}' to '{}'", platform.devices[i].name,
                                    platform.devices[device_of[node]].name));
    }
  }
}

/// A window no longer than the shortest link, or the devices could not run ahead of each other.
void check_window(const PlatformConfig& platform, const Section& root) {
  for (const auto& link : platform.links) {
    if (platform.sim.window <= link.reach()) continue;
    throw root.child("sim").error(
        "window", fmt::format("window = {} is longer than {}, {}", to_text(platform.sim.window),
                              link.halved ? "half of the delay of a link with a module"
                                          : "the smallest link delay",
                              to_text(link.reach())));
  }
  Picoseconds window = platform.sim.window;
  if (window.count() == 0) {
    window = never;
    for (const auto& link : platform.links) window = std::min(window, link.reach());
  }
  for (const auto& device : platform.devices) {
    const auto* nic = std::get_if<rnic::RnicConfig>(&platform.profiles.at(device.profile));
    if (nic == nullptr) continue;
    const auto shortest =
        policy::shortest_timeout(policy::find_transport(nic->transport), nic->reliability);
    if (shortest.value > window) continue;
    const Section profile = root.child(device.profile);
    const Section section = profile.has("reliability") ? profile.child("reliability") : profile;
    throw section.error(
        shortest.key,
        fmt::format("{} = {} of profile '{}' is not longer than the time window, {}{}",
                    shortest.key, to_text(shortest.value), device.profile, to_text(window),
                    platform.sim.window.count() == 0 ? " (the smallest link delay)" : ""));
  }
}

}  // namespace

void check_link(const LinkSpec& spec, const Section& section) { check_ends(spec, section); }
void check_link(const ImpairmentSpec& spec, const Section& section) { check_ends(spec, section); }

void check_group(const ImpairmentGroup& group, const Section& section) {
  check_outages(group.outages, section);
  if (group.share.has_value() == group.count.has_value()) {
    throw section.error(group.count ? "count" : "of",
                        "how many are drawn: expected one of 'share' and 'count'");
  }
  if (group.direction && group.of == ImpairmentGroup::Of::switches) {
    throw section.error("direction",
                        "direction is of cables; here switches are drawn, with all "
                        "that they send");
  }
}

void check_samples(const PlatformConfig& platform, const Section& root) {
  constexpr std::int64_t most = 1'000'000;
  const auto& sim = platform.sim;
  if (sim.sample.count() == 0 || sim.duration / sim.sample <= most) return;
  throw root.child("sim").error(
      "sample",
      fmt::format("sample = {} gives {} samples in {}, expected at most {}", to_text(sim.sample),
                  sim.duration / sim.sample, to_text(sim.duration), most));
}

void check_network(const PlatformConfig& platform, const Section& root) {
  check_samples(platform, root);
  check_connected(platform, root);
  check_routes(platform);
  check_window(platform, root);
  check_telemetry(platform, root);
}

void check_routing(const PlatformConfig& platform, const Section& section) {
  if (platform.routing.kind != RoutingConfig::Kind::ksp) return;
  for (const auto& device : platform.devices) {
    const Profile& profile = platform.profiles.at(device.profile);
    if (!std::holds_alternative<TofinoProfile>(profile)) continue;
    throw section.error("kind", fmt::format("kind = \"ksp\" is of plain switches; '{}' runs a "
                                            "program of its own",
                                            device.name));
  }
}

}  // namespace horae::config
