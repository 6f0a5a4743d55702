#include "injections.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"

namespace horae::elaboration {
namespace {

using Streams = std::vector<fabric::Injection::Stream>;

/// Both directions of the connections that a flow names.
Streams streams_of(const config::FlowName& flow, const Connections& connections) {
  Streams out;
  for (const Connection& c : connections.all()) {
    const auto qpn = [](std::size_t qp) {
      return rnic::rnic::first_qpn + static_cast<std::uint32_t>(qp);
    };
    const NodeId sender = c.sender->id(), receiver = c.receiver->id();
    if (!flow.names(sender, receiver, qpn(c.sender_qp))) continue;
    out.push_back({sender, receiver, qpn(c.receiver_qp)});
    out.push_back({receiver, sender, qpn(c.sender_qp)});
  }
  return out;
}

}  // namespace

void inject(const config::PlatformConfig& platform, const Devices& devices,
            const Connections& connections) {
  for (std::size_t i = 0; i < platform.events.size(); ++i) {
    const config::EventInstance& event = platform.events[i];
    fabric::Injection injection = event.injection;
    if (event.flow) {
      injection.streams = streams_of(*event.flow, connections);
      if (injection.streams.empty())
        throw input_error(event.flow_where,
                          fmt::format("flow: no connection of the traffic is that one, of {}; "
                                      "expected one of flows.csv",
                                      connections.all().size()));
    }
    const auto& edge = platform.topology.edges()[event.link];
    const unsigned device = event.forward ? edge.a : edge.b;
    const unsigned port = event.forward ? edge.port_a : edge.port_b;
    devices.all[device]->tx(port).inject(static_cast<std::uint32_t>(i), std::move(injection));
  }
}

}  // namespace horae::elaboration
