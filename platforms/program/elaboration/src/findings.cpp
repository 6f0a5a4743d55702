#include "horae/elaboration/findings.hpp"

#include <algorithm>
#include <utility>

#include "findings_parts.hpp"
#include "horae/fabric/rank_border.hpp"
#include "horae/workload/traffic.hpp"

namespace horae::elaboration {
namespace {

/// `named`: of its traffic table, if that has a name.
FlowEnd end_of(const Connection& c, Histogram& latency, Histogram* named) {
  FlowEnd end;
  if (c.sender->runs_here()) {
    const auto& qp = c.sender->queue_pair(c.sender_qp);
    end.progress = qp.progress();
    end.finished = qp.finished() && !qp.in_error();
    const Histogram h = qp.message_latency();
    end.timed = !h.empty();
    if (end.timed) {
      end.p50 = h.percentile(0.5);
      end.p99 = h.percentile(0.99);
      end.most = h.max();
    }
    latency.merge(h);
    if (named != nullptr) named->merge(h);
  }
  // Data of READs arrived at its sender.
  if (c.receiver->runs_here())
    add_received(c.receiver->queue_pair(c.receiver_qp).progress(), end.progress);
  return end;
}

PacketBook book_of(const Simulation& s) {
  const fabric::PacketCounts packets = s.context().packets();
  PacketBook book{.created = packets.created, .delivered = packets.delivered};
  for (std::size_t c = 0; c < fabric::drop_causes; ++c) book.dropped[c] = packets.dropped[c];
  if (const auto* border = s.context().border) book.between_ranks = border->waiting();
  book.live = packets.live() + book.between_ranks;
  book.outstanding = packets.outstanding + book.between_ranks;
  book.held = book.between_ranks;
  for (const auto& d : s.devices()) book.held += d->held();
  for (const auto& m : s.modules()) book.held += m->held();
  return book;
}

}  // namespace

void PacketBook::add(const PacketBook& other) {
  created += other.created;
  delivered += other.delivered;
  for (std::size_t c = 0; c < fabric::drop_causes; ++c) dropped[c] += other.dropped[c];
  live += other.live;
  outstanding += other.outstanding;
  held += other.held;
  between_ranks += other.between_ranks;
}

Findings Findings::of(const Simulation& s, const CountedSoFar& warmup) {
  Findings out;
  CountedSoFar counted = CountedSoFar::of(s).since(warmup);
  out.named_latency.resize(s.platform().traffic.size());
  for (const Connection& c : s.flows()) {
    const CountedSoFar::OfFlow& flow = counted.flows[out.flows.size()];
    const bool named = !workload::traffic_of(s.platform(), c.traffic).name().empty();
    Histogram* const of_table = named ? &out.named_latency[c.traffic] : nullptr;
    FlowEnd& end = out.flows.emplace_back(end_of(c, out.latency, of_table));
    end.measured = flow;
  }
  for (const auto* nic : s.receivers()) out.reorder_depth.merge(nic->reorder_depth());
  for (const auto& d : s.devices()) {
    DeviceEnd& end = out.devices.emplace_back();
    end.events = d->events_handled();
    for (unsigned i = 0; i < d->ports(); ++i) {
      end.hops += d->tx(i).counters().packets;
      const fabric::Injector* const injector = d->tx(i).injector();
      if (injector == nullptr) continue;
      const auto met = injector->met();
      end.injections.insert(end.injections.end(), met.begin(), met.end());
    }
    end.counters = std::move(counted.devices[d->number()]);
  }
  for (const auto* nic : s.nics()) {
    for (std::size_t p = 0; p < nic->programs().size(); ++p) {
      const auto& program = nic->programs()[p];
      out.devices[nic->number()].programs.push_back(program.finished() ? program.end() : never);
    }
  }
  for (const auto* sw : s.switches())
    out.most_buffered = std::max(out.most_buffered, sw->most_buffered().count());
  out.switches = counted.switches;
  const auto add_module = [&](const auto& m) {
    ModuleEnd& end = out.modules.emplace_back();
    end.name = m->name();
    end.counters = std::move(counted.modules[out.modules.size() - 1]);
    StatTree tree;
    m->statistics(tree);
    end.statistics = tree.to_json();
    end.queues = m->describe_queues();
  };
  std::ranges::for_each(s.modules(), add_module);
  std::ranges::for_each(s.memories(), add_module);
  out.packets = book_of(s);
  return out;
}

void Findings::describe_devices(const Simulation& s, Picoseconds end, bool ended_early) {
  const Layer layer = s.platform().sim.rate_layer;
  for (const auto& d : s.devices()) {
    if (!d->runs_here()) continue;
    DeviceEnd& out = devices[d->number()];
    StatTree tree;
    tree.value("events", d->events_handled(), "events");
    d->port_statistics(tree, layer, end);
    d->statistics(tree);
    out.statistics = tree.to_json();
    if (ended_early) {
      out.queues = d->describe_queues();
      d->add_waits(out.waits);
    }
    for (unsigned port = 0; port < d->ports(); ++port) {
      for (const auto& turn : d->pauses(port).turns(end))
        out.pauses.push_back({turn.at, port, turn.held});
    }
  }
}

}  // namespace horae::elaboration
