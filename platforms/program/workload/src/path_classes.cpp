#include "horae/workload/path_classes.hpp"

#include <algorithm>

namespace horae::workload {

PathClasses::PathClasses(const config::PlatformConfig& platform)
    : platform_(platform), routes_(platform.topology.shortest_path_routes()) {
  for (const auto& v : platform.topology.vertices()) hops_.emplace_back(v.ports);
  std::vector<std::int64_t> module_of(platform.links.size(), -1);
  for (std::size_t i = 0; i < platform.modules.size(); ++i)
    module_of[platform.modules[i].link] = static_cast<std::int64_t>(i);
  std::map<std::string, std::int64_t> profiles;
  for (const auto& [name, profile] : platform.profiles)
    profiles.emplace(name, static_cast<std::int64_t>(profiles.size()));
  std::vector<std::int64_t> device_of;  // by its profile and its host memory
  for (const auto& device : platform.devices) device_of.push_back(profiles.at(device.profile));
  for (std::size_t m = 0; m < platform.memories.size(); ++m) {
    const auto number = static_cast<std::int64_t>(profiles.size() * (m + 1));
    for (const unsigned nic : platform.memories[m].nics) device_of[nic] += number;
  }
  for (std::size_t e = 0; e < platform.links.size(); ++e) {
    const auto& edge = platform.topology.edges()[e];
    const auto add = [&](unsigned at, unsigned port, unsigned to, const fabric::LinkConfig& link) {
      hops_[at][port] = {kind_of({device_of[at], device_of[to], link.rate.count(),
                                  link.delay.count(), link.whole_nanoseconds, module_of[e]}),
                         to};
    };
    add(edge.a, edge.port_a, edge.b, platform.links[e].config);
    add(edge.b, edge.port_b, edge.a, platform.links[e].backward);
  }
}

std::uint32_t PathClasses::kind_of(LinkKind kind) {
  return kinds_.try_emplace(std::move(kind), static_cast<std::uint32_t>(kinds_.size()))
      .first->second;
}

/// All shortest paths are equally long, so those to devices of one distance are known at once.
PathClasses::Way PathClasses::way(unsigned from, unsigned to) const {
  const NodeId node = platform_.topology.vertices()[to].node;
  Way out;
  for (std::vector<unsigned> reached = {from}; reached.front() != to;) {
    std::vector<unsigned> next;
    auto& kinds = out.emplace_back();
    for (const unsigned at : reached) {
      for (const std::uint16_t port : routes_[at].towards(node)) {
        kinds.push_back(hops_[at][port].link);
        next.push_back(hops_[at][port].to);
      }
    }
    for (auto* of : {&kinds, &next}) {
      std::sort(of->begin(), of->end());
      of->erase(std::unique(of->begin(), of->end()), of->end());
    }
    if (next.empty()) break;  // no route: nothing arrives
    reached = std::move(next);
  }
  return out;
}

PathClasses::Class PathClasses::of(unsigned from, unsigned to) {
  const auto [known, added] = pairs_.try_emplace({from, to});
  if (!added) return known->second;
  std::pair ways{way(from, to), way(to, from)};
  const auto one = [](const Way& w) {
    return std::all_of(w.begin(), w.end(), [](const auto& step) { return step.size() == 1; });
  };
  const Class fresh{.number = static_cast<std::uint32_t>(classes_.size()),
                    .links = static_cast<std::uint32_t>(ways.first.size()),
                    .alike = platform_.routing.kind == config::RoutingConfig::Kind::shortest &&
                             one(ways.first) && one(ways.second)};
  return known->second = classes_.try_emplace(std::move(ways), fresh).first->second;
}

}  // namespace horae::workload
