#include "horae/ranks/load.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "horae/workload/end_points.hpp"
#include "horae/workload/traffic.hpp"

namespace horae::ranks {
namespace {

/// Cost of a data packet and its acknowledgement in a device, relative to each other: measured
/// instructions (models/performance.md), in hundreds.
double cost_of(const config::Profile& profile) {
  constexpr double nic = 3, chip = 12, plain = 2, host = 1;
  if (std::holds_alternative<rnic::RnicConfig>(profile)) return nic;
  if (std::holds_alternative<config::TofinoProfile>(profile)) return chip;
  return std::holds_alternative<fabric::SwitchConfig>(profile) ? plain : host;
}

/// The platform's devices and links as packets see them.
class Network {
 public:
  explicit Network(const config::PlatformConfig& platform)
      : platform_(platform), links_(platform.devices.size()) {
    for (const auto& v : platform.topology.vertices()) links_[&v - first()].resize(v.ports);
    for (std::size_t e = 0; e < platform.links.size(); ++e) {
      const auto& edge = platform.topology.edges()[e];
      links_[edge.a][edge.port_a] = {e, edge.b};
      links_[edge.b][edge.port_b] = {e, edge.a};
    }
  }

  static constexpr unsigned nobody = ~0u;
  struct Hop {
    std::size_t link = 0;
    unsigned to = nobody;  ///< of a port without a link
  };
  const Hop& hop(unsigned device, unsigned port) const { return links_[device][port]; }
  NodeId node(unsigned device) const { return platform_.topology.vertices()[device].node; }
  bool ends(unsigned device) const { return node(device) != fabric::Topology::no_node; }

  /// Packets that an end point can send in the whole run.
  double most_packets(unsigned device, Bytes payload) const {
    if (links_[device].empty()) return 0;
    const auto& link = platform_.links[links_[device].front().link].config;
    const double bytes =
        to_seconds(platform_.sim.duration) * static_cast<double>(link.rate.count()) / 8;
    return bytes / static_cast<double>(std::max<std::int64_t>(payload.count(), 64));
  }

  /// Devices that packets to `device` come through, those farthest away first.
  std::vector<unsigned> farthest_first(unsigned device) const {
    std::vector<unsigned> order = {device};
    std::vector<bool> seen(links_.size());
    seen[device] = true;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i > 0 && ends(order[i])) continue;  // packets do not go through end points
      for (const Hop& next : links_[order[i]]) {
        if (next.to == nobody || seen[next.to]) continue;
        seen[next.to] = true;
        order.push_back(next.to);
      }
    }
    std::reverse(order.begin(), order.end());
    return order;
  }

 private:
  const fabric::Topology::Vertex* first() const { return platform_.topology.vertices().data(); }

  const config::PlatformConfig& platform_;
  std::vector<std::vector<Hop>> links_;  ///< by device and port
};

/// Packets from device to device, by receiver and sender.
using Matrix = std::map<unsigned, std::map<unsigned, double>>;

Matrix packets_between(const config::PlatformConfig& platform, const Network& network) {
  Matrix matrix;
  std::vector<unsigned> device_of(platform.topology.endpoints());
  for (unsigned i = 0; i < platform.devices.size(); ++i) {
    if (network.ends(i)) device_of[network.node(i)] = i;
  }
  for (std::size_t table = 0; table < platform.traffic.size(); ++table) {
    const auto& traffic = workload::traffic_of(platform, table);
    traffic.flows(platform, [&](const workload::Flow& f) {
      const double most = network.most_packets(f.from, workload::nic_at(platform, f.from).mtu);
      const auto each = static_cast<double>(workload::packets_of(platform, f.from, f.message));
      matrix[f.to][f.from] += f.count == 0 ? most : std::min(most, each * f.count);
    });
    traffic.packets(platform, [&](const workload::PacketStream& stream) {
      const auto item = stream.source->next();
      if (!item || item->dst >= device_of.size()) return;
      matrix[device_of[item->dst]][stream.from] +=
          network.most_packets(stream.from, stream.largest_payload);
    });
  }
  return matrix;
}

}  // namespace

ExpectedLoad expected_load(const config::PlatformConfig& platform) {
  const Network network(platform);
  const auto matrix = packets_between(platform, network);
  const auto routes = platform.topology.shortest_path_routes();
  ExpectedLoad load{std::vector<double>(platform.devices.size()),
                    std::vector<double>(platform.links.size())};
  // Packets to all end points of one switch go through the others together.
  std::map<unsigned, std::pair<unsigned, std::vector<double>>> towards;  // an end point; by device
  for (const auto& [to, senders] : matrix) {
    const auto& last = network.hop(to, 0);
    if (last.to == Network::nobody) continue;
    auto& [end, arriving] = towards.try_emplace(last.to, to, std::vector<double>()).first->second;
    arriving.resize(platform.devices.size());
    for (const auto& [from, packets] : senders) {
      load.devices[to] += packets;
      load.links[last.link] += packets;
      arriving[from] += packets;
    }
  }
  for (auto& [home, entry] : towards) {
    auto& [end, waiting] = entry;
    const NodeId node = network.node(end);
    for (const unsigned device : network.farthest_first(home)) {
      const double packets = waiting[device];
      if (packets == 0) continue;
      load.devices[device] += packets;
      if (device == home) continue;
      const auto ports = routes[device].towards(node);
      for (const std::uint16_t port : ports) {
        const auto& hop = network.hop(device, port);
        const double part = packets / static_cast<double>(ports.size());
        waiting[hop.to] += part;
        load.links[hop.link] += part;
      }
    }
  }
  for (std::size_t i = 0; i < load.devices.size(); ++i)
    load.devices[i] *= cost_of(platform.profiles.at(platform.devices[i].profile));
  return load;
}

}  // namespace horae::ranks
