#include "horae/explain/sender_facts.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "horae/flows/traffic.hpp"

namespace horae::explain {

std::optional<SenderFacts> SenderFacts::of(const config::PlatformConfig& platform) {
  for (std::size_t table = 0; table < platform.traffic.size(); ++table) {
    const flows::Traffic& traffic = flows::traffic_of(platform, table);
    if (traffic.measure() != flows::Measure::streams) continue;
    std::set<std::string> names;
    Bytes message{};
    traffic.flows(platform, [&](const flows::Flow& f) {
      if (names.empty()) message = f.message;
      names.insert(platform.devices[f.from].name);
    });
    if (names.empty()) continue;
    const int vertex = platform.topology.find(*names.begin());
    SenderFacts facts;
    facts.senders = names.size();
    const auto& edges = platform.topology.edges();
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (static_cast<int>(edges[i].a) == vertex || static_cast<int>(edges[i].b) == vertex)
        facts.line_gbps = static_cast<double>(platform.links[i].config.rate.count()) / 1e9;
    }
    const auto& nic = std::get<rnic::RnicConfig>(
        platform.profiles.at(platform.devices[static_cast<std::size_t>(vertex)].profile));
    const auto bytes = static_cast<double>(message.count());
    const auto mtu = static_cast<double>(nic.mtu.count());
    facts.payload_bytes = bytes / std::max(1.0, std::ceil(bytes / mtu));
    facts.frame_bytes = facts.payload_bytes + wire::ethernet + wire::ipv4 + wire::udp + wire::bth +
                        wire::icrc + wire::fcs + (nic.reth_on_every_packet ? wire::reth : 0) +
                        wire::preamble + wire::inter_packet_gap;
    return facts;
  }
  return std::nullopt;
}

}  // namespace horae::explain
