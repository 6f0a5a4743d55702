#include "horae/fabric/ports/pause_waits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace horae::fabric {
namespace {

using Ports = std::map<std::pair<std::uint32_t, unsigned>, std::pair<std::uint32_t, unsigned>>;

/// By device and port, what is at the other end.
Ports other_ends(const Topology& topology) {
  Ports ends;
  for (const auto& e : topology.edges()) {
    ends[{e.a, e.port_a}] = {e.b, e.port_b};
    ends[{e.b, e.port_b}] = {e.a, e.port_a};
  }
  return ends;
}

std::string name_of(const Topology& topology, const PortClass& queue) {
  return fmt::format("{} port {}", topology.vertices()[queue.device].name, queue.port);
}

}  // namespace

void PauseWaits::add(const PauseWaits& other) {
  held.insert(held.end(), other.held.begin(), other.held.end());
  kept_in.insert(kept_in.end(), other.kept_in.begin(), other.kept_in.end());
}

std::vector<PortClass> pause_ring(const Topology& topology, const PauseWaits& waits) {
  const Ports ends = other_ends(topology);
  std::map<PortClass, std::set<PortClass>> kept;  // by ingress
  for (const auto& [ingress, egress] : waits.kept_in) kept[ingress].insert(egress);
  std::map<PortClass, std::set<PortClass>> blocked;  // what each held queue waits for
  for (const PortClass& queue : waits.held) {
    const auto end = ends.find({queue.device, queue.port});
    if (end == ends.end()) continue;
    const PortClass ingress{end->second.first, static_cast<std::uint16_t>(end->second.second),
                            queue.traffic_class};
    if (const auto of = kept.find(ingress); of != kept.end()) blocked[queue] = of->second;
  }
  // A packet that waits for a queue that may move may move, in the end.
  const auto may_move = [&](const auto& entry) {
    return std::any_of(entry.second.begin(), entry.second.end(),
                       [&](const PortClass& q) { return !blocked.contains(q); });
  };
  while (std::erase_if(blocked, may_move) > 0) {
  }
  if (blocked.empty()) return {};
  // Each waits for one that is left, so every way leads into a ring.
  std::vector<PortClass> way{blocked.begin()->first};
  for (;;) {
    const PortClass next = *blocked.at(way.back()).begin();
    const auto seen = std::find(way.begin(), way.end(), next);
    if (seen != way.end()) {
      way.erase(way.begin(), seen);
      break;
    }
    way.push_back(next);
  }
  std::rotate(way.begin(), std::min_element(way.begin(), way.end()), way.end());
  return way;
}

std::string describe(const Topology& topology, const std::vector<PortClass>& ring) {
  if (ring.empty()) return {};
  std::string text =
      fmt::format("{} (class {})", name_of(topology, ring.front()), ring.front().traffic_class);
  for (std::size_t i = 1; i <= ring.size(); ++i) {
    text += fmt::format("{} {}", i == 1 ? " waits for" : ", which waits for",
                        name_of(topology, ring[i % ring.size()]));
  }
  return text;
}

}  // namespace horae::fabric
