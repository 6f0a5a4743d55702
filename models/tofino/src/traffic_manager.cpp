#include "horae/tofino/traffic_manager.hpp"

namespace horae::tofino {

TrafficManager::TrafficManager(const ChipConfig& config, RandomStream marks)
    : queues_per_port_(config.queues_per_port),
      queue_limit_(config.queue_limit),
      buffer_(config.cells, config.cell),
      red_({.kmin = config.ecn_kmin, .kmax = config.ecn_kmax, .pmax = config.ecn_pmax}, marks) {}

bool TrafficManager::admit_to_loopback(const Packet& p) {
  const std::int64_t cells = buffer_.cells_of(p);
  if (!buffer_.has_room(cells)) {
    ++counters_.dropped_buffer;
    return false;
  }
  buffer_.take(cells);
  return true;
}

void TrafficManager::hold(unsigned port, unsigned queue) {
  ++counters_.holds;
  ports_[port].hold(queue);
}

void TrafficManager::release(unsigned port, unsigned queue, Picoseconds t) {
  ++counters_.releases;
  ports_[port].release(queue, t);
}

std::uint64_t TrafficManager::packets() const {
  std::uint64_t n = 0;
  for (const auto& port : ports_) n += port.packets();
  return n;
}

}  // namespace horae::tofino
