// For how long PFC held ports back.
#include <algorithm>
#include <vector>

#include "result_parts.hpp"

namespace horae::run {
namespace {

unsigned connected_ports(const fabric::device& d) {
  unsigned n = 0;
  for (unsigned i = 0; i < d.ports(); ++i) n += d.tx(i).connected() ? 1 : 0;
  return n;
}

}  // namespace

void pause_results(const elaboration::Simulation& s, const Snapshot& from, const Loaded& loaded,
                   std::vector<NamedResult>& out) {
  const Snapshot& to = loaded.to;
  const double window = to_seconds(to.time - from.time);
  const auto add = [&](const char* name, const auto& devices, Picoseconds held) {
    if (devices.empty()) return;
    double ports = 0;
    for (const auto* d : devices) ports += connected_ports(*d);
    out.push_back({name, ratio(to_seconds(held), ports * window), loaded.unit("share of time")});
  };
  add("switches.paused", s.switches(), to.switches_paused - from.switches_paused);
  add("nics.paused", s.nics(), to.nics_paused - from.nics_paused);
  const auto& nics = s.nics();
  if (std::any_of(nics.begin(), nics.end(), [](const auto* n) { return n->config().pfc; })) {
    rnic::RnicCounters sum;
    for (std::size_t i = 0; i < nics.size(); ++i) sum = sum + (to.nics[i] - from.nics[i]);
    add("nics.pausing", nics, to.nics_pausing - from.nics_pausing);
    out.push_back({"nics.pauses_sent", static_cast<double>(sum.pauses_sent), "frames"});
  }
  // Only where chips have a part in it beyond obeying.
  const auto& chips = s.tofinos();
  if (std::any_of(chips.begin(), chips.end(), [](const auto* c) { return c->config().pauses(); }))
    add("tofinos.paused", chips, to.tofinos_paused - from.tofinos_paused);
}

}  // namespace horae::run
