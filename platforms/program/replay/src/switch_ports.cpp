#include "switch_ports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <variant>

#include "horae/core/error.hpp"
#include "horae/workload/traffic.hpp"

namespace horae::replay {
namespace {

bool is_switch(const config::PlatformConfig& platform, std::size_t vertex) {
  const config::Profile& profile = platform.profiles.at(platform.devices[vertex].profile);
  return std::holds_alternative<config::TofinoProfile>(profile) ||
         std::holds_alternative<fabric::SwitchConfig>(profile);
}

}  // namespace

unsigned find_device(const config::PlatformConfig& platform,
                     const std::optional<std::string>& name) {
  std::vector<std::string> names;
  unsigned found = 0;
  for (std::size_t i = 0; i < platform.devices.size(); ++i) {
    if (!is_switch(platform, i)) continue;
    names.push_back(platform.devices[i].name);
    if (!name || *name == names.back()) found = static_cast<unsigned>(i);
  }
  if (names.empty()) throw InputError(fmt::format("{} has no switch", platform.about.name));
  if (!name) {
    if (names.size() == 1) return found;
    throw InputError(fmt::format(
        "--device: expected one of the {} switches of {}: {}{}", names.size(), platform.about.name,
        fmt::join(names.begin(), names.begin() + std::min<long>(8, static_cast<long>(names.size())),
                  ", "),
        names.size() > 8 ? ", ..." : ""));
  }
  if (std::find(names.begin(), names.end(), *name) == names.end())
    throw InputError(fmt::format("--device {}: no such switch{}", *name, suggestion(*name, names)));
  return found;
}

void refuse_pinned(const config::PlatformConfig& platform, unsigned vertex) {
  const auto* const plain =
      std::get_if<fabric::SwitchConfig>(&platform.profiles.at(platform.devices[vertex].profile));
  if (plain == nullptr || plain->balance.starts_with("ecmp")) return;
  for (std::size_t i = 0; i < platform.traffic.size(); ++i) {
    if (!workload::traffic_of(platform, i).ecmp_every()) continue;
    throw InputError(fmt::format(
        "traffic[{}].ecmp_every leaves some connections to the hash of {}, which balances by {}, "
        "and no capture says which; expected traffic without ecmp_every, or a switch with balance "
        "= \"ecmp\"",
        i, platform.devices[vertex].name, plain->balance));
  }
}

std::vector<PortSpec> ports_of(const config::PlatformConfig& platform, unsigned vertex) {
  std::vector<PortSpec> ports(platform.topology.vertices()[vertex].ports);
  const auto perfect = [](const fabric::LinkConfig& link) {
    return fabric::LinkConfig{.rate = link.rate, .delay = link.delay};
  };
  for (std::size_t i = 0; i < platform.links.size(); ++i) {
    const auto& e = platform.topology.edges()[i];
    const auto& link = platform.links[i];
    if (e.a == vertex) {
      ports[e.port_a] = {e.port_a, platform.devices[e.b].name, perfect(link.config),
                         perfect(link.backward)};
    } else if (e.b == vertex) {
      ports[e.port_b] = {e.port_b, platform.devices[e.a].name, perfect(link.backward),
                         perfect(link.config)};
    }
  }
  return ports;
}

unsigned find_port(const std::vector<PortSpec>& ports, const std::string& text) {
  std::vector<unsigned> found;
  std::vector<std::string> names;
  for (const auto& p : ports) {
    names.push_back(p.neighbour);
    if (p.neighbour == text) found.push_back(p.port);
  }
  if (found.size() == 1) return found[0];
  if (found.size() > 1)
    throw InputError(fmt::format("--port {}: ports {} lead there; expected a number", text,
                                 fmt::join(found, ", ")));
  const bool digits =
      !text.empty() && text.size() < 9 && text.find_first_not_of("0123456789") == std::string::npos;
  if (digits && std::stoul(text) < ports.size()) return static_cast<unsigned>(std::stoul(text));
  const std::string near = nearest_name(text, names);
  throw InputError(fmt::format(
      "--port {}: no such port; expected a number from 0 to {} or a neighbour's name{}", text,
      ports.size() - 1, near.empty() ? "" : fmt::format(", did you mean '{}'?", near)));
}

}  // namespace horae::replay
