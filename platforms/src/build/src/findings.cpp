#include "horae/build/findings.hpp"

#include <algorithm>

#include "findings_parts.hpp"
#include "horae/fabric/rank_border.hpp"

namespace horae::build {
namespace {

FlowEnd end_of(const Connection& c, Histogram& latency) {
  FlowEnd end;
  if (c.sender->runs_here()) {
    const auto& qp = c.sender->queue_pair(c.sender_qp);
    end.progress = qp.progress();
    end.finished = qp.finished();
    const Histogram h = qp.message_latency();
    end.timed = !h.empty();
    if (end.timed) {
      end.p50 = h.percentile(0.5);
      end.p99 = h.percentile(0.99);
      end.most = h.max();
    }
    latency.merge(h);
  }
  if (c.receiver->runs_here()) {
    copy_received(c.receiver->queue_pair(c.receiver_qp).progress(), end.progress);
  }
  return end;
}

std::vector<NamedNumber> counters_of(const tofino::tofino_switch& chip) {
  std::vector<NamedNumber> out;
  const std::string name = chip.name();
  const auto& c = chip.counters();
  const auto add = [&](const std::string& counter, auto value, const std::string& unit) {
    out.push_back({name + "." + counter, static_cast<double>(value), unit});
  };
  add("ingress_passes", c.ingress_passes, "passes");
  add("egress_passes", c.egress_passes, "passes");
  add("marked", c.marked, "packets");
  add("dropped_program", c.dropped_program, "packets");
  add("dropped_buffer", c.dropped_buffer, "packets");
  add("dropped_queue", c.dropped_queue, "packets");
  if (chip.config().pauses()) {
    add("dropped_headroom", c.dropped_headroom, "packets");
    add("pauses_sent", c.pauses_sent, "frames");
  }
  if (chip.config().loopback) {
    add("dropped_loopback", c.dropped_loopback, "packets");
    add("most_loopback_held", chip.loopbacks().most_held().count(), "bytes");
    add("recirculated_bytes", c.recirculated_bytes, "bytes");
  }
  add("most_cells", chip.most_cells_used(), "cells");
  StatTree program;
  chip.program_statistics(program);
  program.for_each(add);
  return out;
}

/// Of a plain switch with a part of its own.
std::vector<NamedNumber> counters_of(const fabric::output_queued_switch& sw) {
  std::vector<NamedNumber> out;
  StatTree part;
  sw.part_statistics(part);
  part.for_each([&](const std::string& counter, double value, const std::string& unit) {
    out.push_back({sw.name() + ("." + counter), value, unit});
  });
  return out;
}

PacketBook book_of(const Simulation& s) {
  const fabric::PacketPool& pool = s.context().pool;
  PacketBook book{.created = pool.created(), .delivered = pool.delivered()};
  for (std::size_t c = 0; c < fabric::drop_causes; ++c)
    book.dropped[c] = pool.dropped(static_cast<fabric::DropCause>(c));
  if (const auto* border = s.context().border) book.between_ranks = border->waiting();
  book.live = pool.live() + book.between_ranks;
  book.outstanding = pool.outstanding() + book.between_ranks;
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

Findings Findings::of(const Simulation& s) {
  Findings out;
  for (const Connection& c : s.flows()) out.flows.push_back(end_of(c, out.latency));
  for (const auto* nic : s.receivers()) out.reorder_depth.merge(nic->reorder_depth());
  for (const auto& d : s.devices()) {
    DeviceEnd& end = out.devices.emplace_back();
    end.events = d->events_handled();
    for (unsigned i = 0; i < d->ports(); ++i) end.hops += d->tx(i).counters().packets;
  }
  for (const auto* nic : s.nics()) {
    for (std::size_t p = 0; p < nic->programs().size(); ++p) {
      const auto& program = nic->programs()[p];
      out.devices[nic->number()].programs.push_back(program.finished() ? program.end() : never);
    }
  }
  for (const auto* t : s.tofinos()) out.devices[t->number()].counters = counters_of(*t);
  for (const auto* sw : s.switches()) {
    out.devices[sw->number()].counters = counters_of(*sw);
    add(sw->counters(), out.switches);
    out.most_buffered = std::max(out.most_buffered, sw->most_buffered().count());
  }
  for (const auto& m : s.modules()) {
    ModuleEnd& end = out.modules.emplace_back();
    StatTree tree;
    m->statistics(tree);
    tree.for_each([&](const std::string& counter, double value, const std::string& unit) {
      end.counters.push_back({m->name() + ("." + counter), value, unit});
    });
    end.statistics = tree.to_json();
    end.queues = m->describe_queues();
  }
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

}  // namespace horae::build
