// Packets that the chip sends later or makes itself: waits of egress, copies for groups, generated
// packets.
#include <fmt/format.h>

#include <algorithm>

#include "chip_events.hpp"
#include "horae/core/error.hpp"
#include "horae/tofino/tofino_switch.hpp"

namespace horae::tofino {

using programs::PacketGenerator;

/// Time that a header takes in egress beyond the fixed one: its parser's, and a wait for a clock.
Picoseconds tofino_switch::egress_wait(const Packet& p, ChipPipeline& pipe, Picoseconds start,
                                       unsigned port) {
  const Picoseconds fixed = start + config_.egress_parser;
  const bool bytes = frames_ && parser_.timed();
  const Picoseconds parsed =
      fixed + (bytes ? parser_.time(pipe.program().parsed(p, dataplane::Gress::egress, port, start))
                     : parser_.time(p));
  return (config_.timing->egress_clock ? pipe.reserve_egress(parsed) : parsed) - fixed;
}

/// A packet that waited keeps its port busy for longer: no packet behind it leaves before its last
/// bit.
void tofino_switch::send_late(Packet& p, unsigned port, unsigned pipeline, Picoseconds start) {
  Picoseconds& free = last_bit_out_.at(port);
  const Picoseconds first_bit = std::max(start + pipe(pipeline).egress_latency() + late_, free);
  free = first_bit + tx(port).serialisation(p.wire_size());
  tx(port).send(p, start, first_bit - start);
}

/// With cut-through, how long what leaves at `rate` has to wait for the rest of the packet.
Picoseconds tofino_switch::kept_whole(const Packet& p, BitRate rate) const {
  if (!cut_through_ || (p.ingress_port & came_around) != 0 || p.mirror_type != 0) return {};
  const unsigned port = front_port(p);
  if (port >= ports() || rate <= tx(port).link().rate) return {};
  return still_to_come(p, port);
}

/// Copies are made one after the other, also of several packets; the last is the packet itself.
void tofino_switch::replicate(Packet& p, unsigned pipeline_and_group, Picoseconds t) {
  const auto& program = pipes_.at(pipeline_in(pipeline_and_group)).program();
  const auto replicas = program.replicas(group_in(pipeline_and_group));
  if (replicas.empty()) {
    --in_pipeline_;
    return drop(p, fabric::DropCause::program, t);
  }
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    next_copy_ = std::max(replication_.at_or_after(t), next_copy_ + Cycles(1));
    const Picoseconds at = replication_.edge(next_copy_);
    const bool last = i + 1 == replicas.size();
    if (!last) ++in_pipeline_;
    Packet& copy = last ? p : copies_.replicate(pool(), p, at);
    if (!last && watcher() != nullptr && pass_watcher_ != nullptr)
      pass_watcher_->replicated(*this, p, copy, at);
    if (frames_ && last) frames_->take_way(p, i);
    if (frames_ && !last) frames_->replicated(p, copy, i);
    if (programs::is_loopback(replicas[i]))
      schedule_packet(at, loopback_egress_event,
                      loopbacks_.number(replicas[i] - programs::loopback_of(0), 0), copy);
    else
      schedule_packet(at, enqueue_event, replicas[i], copy);
  }
}

void tofino_switch::begin_generators() {
  for (unsigned pipeline = 0; pipeline < pipes_.size(); ++pipeline) {
    const auto apps = pipes_[pipeline].program().generators();
    if (apps.size() > most_apps)
      throw ModelError(fmt::format("{}: {} packet generators; a pipeline has {}", name(),
                                   apps.size(), most_apps));
    for (unsigned app = 0; app < apps.size(); ++app) {
      const PacketGenerator& g = apps[app];
      generators_.push_back({pipeline, app, g});
      const auto number = static_cast<std::uint16_t>(generators_.size() - 1);
      if (g.trigger == PacketGenerator::Trigger::timer)
        schedule(g.start, generate_event, number, ordinal_++);
      if (g.trigger != PacketGenerator::Trigger::port_down) continue;
      for (unsigned port = 0; port < ports(); ++port) {
        if (pipeline_of_port_[port] != pipeline) continue;
        for (const auto& outage : tx(port).link().outages)
          schedule(outage.from, generate_event, number, ordinal_++, port);
      }
    }
  }
}

/// A batch of a generator, by the loopback port of its pipeline.
void tofino_switch::generate(unsigned number, std::uint16_t trigger, Picoseconds t) {
  Generator& g = generators_.at(number);
  for (std::uint16_t i = 0; i < g.what.packets; ++i) {
    Packet& p = pool().create();
    p.frame = static_cast<std::uint16_t>(g.what.frame.count());
    p.created = t;
    p.id = generator_node << 40 | generated_count_++;
    p.ingress_port = came_around;
    p.again = g.what.trigger == PacketGenerator::Trigger::timer;
    generated_.emplace(&p,
                       dataplane::GeneratedHeader{.app = static_cast<std::uint8_t>(g.app),
                                                  .batch = static_cast<std::uint16_t>(g.batches),
                                                  .packet = i,
                                                  .trigger = trigger});
    LoopbackPort& port = loopbacks_.of(loopbacks_.number(g.pipeline, 0));
    port.take(p, t);
    ++in_pipeline_;
    schedule_packet(port.free_at() + config_.ingress_parser, generated_event, g.pipeline, p);
  }
  ++g.batches;
  const bool again = g.what.trigger == PacketGenerator::Trigger::timer && g.what.period > 0_ps &&
                     (g.what.batches == 0 || g.batches < g.what.batches);
  if (again)
    schedule(t + g.what.period, generate_event, static_cast<std::uint16_t>(number), ordinal_++);
}

/// A packet comes around: it may be what a generator waits for.
void tofino_switch::trigger_by(const Packet& p, unsigned pipeline, Picoseconds t) {
  for (unsigned i = 0; i < generators_.size(); ++i) {
    const Generator& g = generators_[i];
    if (g.pipeline != pipeline || g.what.trigger != PacketGenerator::Trigger::recirculation)
      continue;
    if ((p.metadata & g.what.mask) == g.what.value) generate(i, p.metadata, t);
  }
}

}  // namespace horae::tofino
