#include "horae/run/snapshot.hpp"

namespace horae::run {
namespace {

Picoseconds paused(const fabric::device& d, Picoseconds now) {
  Picoseconds sum{};
  for (unsigned i = 0; i < d.ports(); ++i) sum += d.pauses(i).held(now);
  return sum;
}

}  // namespace

Snapshot Snapshot::take(const build::Simulation& simulation, Picoseconds now) {
  Snapshot s;
  s.time = now;
  for (const auto* nic : simulation.nics()) {
    s.nics.push_back(nic->counters());
    s.nic_tx.push_back(nic->tx(0).counters());
    s.ordering.push_back(nic->ordering_use(now));
  }
  for (const auto* host : simulation.hosts()) s.hosts.push_back(host->counters());
  for (const auto* sw : simulation.switches()) s.switches_paused += paused(*sw, now);
  for (const auto* nic : simulation.nics()) s.nics_paused += paused(*nic, now);
  return s;
}

}  // namespace horae::run
