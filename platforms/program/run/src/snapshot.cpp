#include "horae/run/snapshot.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "horae/elaboration/wire.hpp"
#include "horae/fabric/rank_border.hpp"

namespace horae::run {
namespace {

Picoseconds paused(const fabric::device& d, Picoseconds now) {
  Picoseconds sum{};
  for (unsigned i = 0; i < d.ports(); ++i) sum += d.pauses(i).held(now);
  return sum;
}

/// Calls `f` with the number of each device and its entries, where there are any (some snapshots
/// are empty).
template <class S, class F>
void each_entry(const elaboration::Simulation& simulation, S& s, F&& f) {
  for (std::size_t i = 0; i < s.nics.size(); ++i) {
    const auto number = simulation.nics()[i]->number();
    f(number, s.nics[i]);
    f(number, s.nic_tx[i]);
    f(number, s.nic_left[i]);
    f(number, s.ordering[i]);
    f(number, s.nic_hosts[i]);
  }
  for (std::size_t i = 0; i < s.hosts.size(); ++i) f(simulation.hosts()[i]->number(), s.hosts[i]);
}

}  // namespace

void Snapshot::gather(const elaboration::Simulation& simulation, fabric::rank_exchange& ranks) {
  const auto& border = *simulation.context().border;
  elaboration::WireWriter mine;
  mine.put(switches_paused);
  mine.put(nics_paused);
  mine.put(tofinos_paused);
  mine.put(nics_pausing);
  each_entry(simulation, *this, [&](std::uint32_t device, const auto& entry) {
    if (border.runs_here(device)) mine.put(entry);
  });
  std::vector<std::span<const std::byte>> out(ranks.ranks());
  out.front() = mine.bytes();
  std::vector<fabric::rank_exchange::Bytes> in(ranks.ranks());
  ranks.exchange(out, in);
  if (ranks.rank() != 0) return;
  for (unsigned rank = 1; rank < ranks.ranks(); ++rank) {
    elaboration::WireReader theirs(in[rank]);
    switches_paused += theirs.get<Picoseconds>();
    nics_paused += theirs.get<Picoseconds>();
    tofinos_paused += theirs.get<Picoseconds>();
    nics_pausing += theirs.get<Picoseconds>();
    each_entry(simulation, *this, [&](std::uint32_t device, auto& entry) {
      if (border.owner(device) == rank) theirs.get(entry);
    });
  }
}

Snapshot Snapshot::take(const elaboration::Simulation& simulation, Picoseconds now) {
  Snapshot s;
  s.time = now;
  for (const auto* nic : simulation.nics()) {
    s.nics.push_back(nic->totals());
    s.nic_tx.push_back(nic->sent_by_ports());
    s.nic_left.push_back(nic->bits_left(now));
    s.ordering.push_back(nic->ordering_use(now));
    s.nics_pausing += nic->paused_peers(now);
    const auto* host = nic->host();
    s.nic_hosts.push_back(host == nullptr ? rnic::HostCounters{} : host->totals());
  }
  for (const auto* host : simulation.hosts()) s.hosts.push_back(host->counters());
  for (const auto* sw : simulation.switches()) s.switches_paused += paused(*sw, now);
  for (const auto* nic : simulation.nics()) s.nics_paused += paused(*nic, now);
  for (const auto* chip : simulation.tofinos()) s.tofinos_paused += paused(*chip, now);
  return s;
}

}  // namespace horae::run
