// Findings of all ranks, put together at rank 0.
#include <algorithm>
#include <utility>

#include "findings_parts.hpp"
#include "horae/elaboration/findings.hpp"
#include "horae/elaboration/wire.hpp"
#include "horae/fabric/rank_border.hpp"

namespace horae::elaboration {
namespace {

void put(WireWriter& w, const DeviceEnd& d) {
  w.put(d.events);
  w.put(d.hops);
  w.put(d.counters.size());
  for (const auto& c : d.counters) w.put(c.name), w.put(c.value), w.put(c.unit), w.put(c.kind);
  w.put(d.statistics.dump());
  w.put(d.queues);
  w.put(d.waits.held);
  w.put(d.waits.kept_in.size());
  for (const auto& [ingress, egress] : d.waits.kept_in) w.put(ingress), w.put(egress);
  w.put(d.pauses);
  w.put(d.programs);
  w.put(d.injections);
}

DeviceEnd get_device(WireReader& r) {
  DeviceEnd d;
  r.get(d.events);
  r.get(d.hops);
  d.counters.resize(r.get<std::size_t>());
  for (auto& c : d.counters) r.get(c.name), r.get(c.value), r.get(c.unit), r.get(c.kind);
  d.statistics = nlohmann::ordered_json::parse(r.get<std::string>());
  r.get(d.queues);
  r.get(d.waits.held);
  d.waits.kept_in.resize(r.get<std::size_t>());
  for (auto& [ingress, egress] : d.waits.kept_in) r.get(ingress), r.get(egress);
  r.get(d.pauses);
  r.get(d.programs);
  r.get(d.injections);
  return d;
}

std::vector<std::byte> as_message(const Simulation& s, const Findings& f) {
  WireWriter w;
  for (std::size_t i = 0; i < f.flows.size(); ++i) {
    const Connection& c = s.flows()[i];
    if (c.sender->runs_here() || c.receiver->runs_here()) w.put(f.flows[i]);
  }
  for (const auto& d : s.devices()) {
    if (d->runs_here()) put(w, f.devices[d->number()]);
  }
  w.put(f.packets);
  w.put(f.latency.parts());
  for (const Histogram& h : f.named_latency) w.put(h.parts());
  w.put(f.reorder_depth.parts());
  w.put(f.switches);
  w.put(f.most_buffered);
  return w.bytes();
}

}  // namespace

void Findings::gather(const Simulation& s, fabric::rank_exchange& ranks) {
  const auto& border = *s.context().border;
  const auto mine = as_message(s, *this);
  // To rank 0 only.
  std::vector<std::span<const std::byte>> out(ranks.ranks());
  out.front() = mine;
  std::vector<fabric::rank_exchange::Bytes> in(ranks.ranks());
  ranks.exchange(out, in);
  if (ranks.rank() != 0) return;
  for (unsigned rank = 1; rank < ranks.ranks(); ++rank) {
    WireReader r(in[rank]);
    for (std::size_t i = 0; i < flows.size(); ++i) {
      const Connection& c = s.flows()[i];
      const bool sends = border.owner(c.sender->number()) == rank;
      const bool receives = border.owner(c.receiver->number()) == rank;
      if (!sends && !receives) continue;
      auto end = r.get<FlowEnd>();
      // Each rank counts what arrived there.
      FlowEnd& sum = flows[i];
      if (sends) std::swap(sum, end);
      add_received(end.progress, sum.progress);
      sum.measured.delivered += end.measured.delivered;
    }
    for (const auto& d : s.devices()) {
      if (border.owner(d->number()) == rank) devices[d->number()] = get_device(r);
    }
    packets.add(r.get<PacketBook>());
    latency.merge(Histogram::of_parts(r.get<std::vector<std::int64_t>>()));
    for (Histogram& h : named_latency)
      h.merge(Histogram::of_parts(r.get<std::vector<std::int64_t>>()));
    reorder_depth.merge(Histogram::of_parts(r.get<std::vector<std::int64_t>>()));
    add(r.get<fabric::output_queued_switch::Counters>(), switches);
    most_buffered = std::max(most_buffered, r.get<std::int64_t>());
  }
}

}  // namespace horae::elaboration
