// Who waits for whom where queues are paused (PFC), and rings of them: deadlocks.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "horae/fabric/topology.hpp"

namespace horae::fabric {

/// A traffic class of a port of a device, by its number in the topology.
struct PortClass {
  std::uint32_t device = 0;
  std::uint16_t port = 0;
  std::uint16_t traffic_class = 0;

  friend auto operator<=>(const PortClass&, const PortClass&) = default;
};

/// Collected from devices.
struct PauseWaits {
  /// Queues with packets that a pause holds.
  std::vector<PortClass> held;
  /// For each ingress port and class whose sender is paused, the queues that its packets are in.
  std::vector<std::pair<PortClass, PortClass>> kept_in;

  void add(const PauseWaits& other);
};

/// A ring of held queues, each of which waits for the next one and the last for the first: none of
/// them ever moves again. The first is the least of the ring. Empty: there is no ring.
///
/// A queue is counted as held for good only if all packets for whose sake its sender is paused are
/// in such queues.
std::vector<PortClass> pause_ring(const Topology& topology, const PauseWaits& waits);

/// "s0 port 1 (class 0) waits for s1 port 2, which waits for s0 port 1".
std::string describe(const Topology& topology, const std::vector<PortClass>& ring);

}  // namespace horae::fabric
