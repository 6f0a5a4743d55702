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
    const auto all = pipes_[pipeline].program().generators();
    for (std::size_t which = 0; which < all.size(); ++which) {
      const PacketGenerator& g = all[which];
      if (g.app >= most_apps)
        throw ModelError(
            fmt::format("{}: packet generator {}; a pipeline has {}", name(), g.app, most_apps));
      generators_.push_back({.pipeline = pipeline, .which = which, .what = g, .waiting = {}});
      const auto number = static_cast<std::uint16_t>(generators_.size() - 1);
      if (g.trigger == PacketGenerator::Trigger::timer)
        schedule(g.start, generate_event, number, ordinal_++);
      if (g.trigger != PacketGenerator::Trigger::port_down) continue;
      for (unsigned port = 0; port < ports(); ++port) {
        if (pipeline_of_port_[port] != pipeline || g.port.value_or(port) != port) continue;
        for (const auto& outage : tx(port).link().outages) {
          if (outage.from < g.start || outage.from >= g.end) continue;
          schedule(outage.from, generate_event, number, ordinal_++, port);
          if (g.port) break;
        }
      }
    }
  }
}

bool tofino_switch::generates_for_ever() const {
  return std::ranges::any_of(generators_, [](const Generator& g) { return g.what.repeats(); });
}

/// The event that a generator waits for has happened.
void tofino_switch::trigger(unsigned number, GeneratorTrigger by, Picoseconds t) {
  Generator& g = generators_[number];
  if (t < g.what.start || t >= g.what.end || generators_stopped_) return;
  if (g.what.repeats() && t + g.what.period < g.what.end)
    schedule(t + g.what.period, generate_event, static_cast<std::uint16_t>(number), ordinal_++);
  if (g.what.trigger == PacketGenerator::Trigger::timer && !g.waiting.empty()) return;
  g.waiting.push_back(std::move(by));
  if (g.waiting.size() > 1) return;
  g.batch = g.packet = 0;
  g.batch_due = g.packet_due = t;
  make_packet(number, t);
}

/// The next packet of a generator, by the loopback port of its pipeline.
void tofino_switch::make_packet(unsigned number, Picoseconds t) {
  Generator& g = generators_[number];
  if (t >= g.what.end || generators_stopped_) return g.waiting.clear();
  const GeneratorTrigger& by = g.waiting.front();
  Packet& p = pool().create();
  p.frame = static_cast<std::uint16_t>(g.what.frame.count());
  p.created = t;
  p.id = generator_node << 40 | generated_count_++;
  p.ingress_port = came_around;
  p.again = g.what.repeats();
  const dataplane::GeneratedHeader header{
      .app = g.what.app,
      .batch = static_cast<std::uint16_t>(g.batch + (g.packet >> 16)),
      .packet = static_cast<std::uint16_t>(g.packet),
      .trigger = by.what};
  generated_.emplace(&p, header);
  if (frames_) {
    programs::Frame& frame = frames_->enter_frame(p);
    pipes_[g.pipeline].program().generate(g.which, header, by.message, t, frame);
    p.frame = programs::frame_on_wire(frame.bytes.size());
  }
  if (watcher() != nullptr && pass_watcher_ != nullptr) pass_watcher_->generated(*this, p, t);
  Picoseconds over = t;
  if (g.what.times.empty()) {
    LoopbackPort& port = loopbacks_.of(loopbacks_.number(g.pipeline, 0));
    port.take(p, t);
    over = port.free_at();
  }
  ++in_pipeline_;
  schedule_packet(over + config_.ingress_parser, generated_event, g.pipeline, p);
  if (next_packet(g, over))
    schedule(std::max(g.packet_due, over), make_event, static_cast<std::uint16_t>(number),
             ordinal_++);
}

/// When the next packet is due (TNA 9.1), the last one being over at `over`; false: there is none.
bool tofino_switch::next_packet(Generator& g, Picoseconds over) {
  const PacketGenerator& what = g.what;
  if (!what.times.empty()) {
    if (++g.packet < what.times.size()) {
      g.packet_due = what.times[g.packet];
      return true;
    }
    g.waiting.pop_front();
    return false;
  }
  if (++g.packet < what.packets) {
    g.packet_due = (what.gaps_from_end ? over : g.packet_due) + what.packet_gap;
    return true;
  }
  g.packet = 0;
  if (++g.batch < what.batches) {
    g.batch_due = (what.gaps_from_end ? over : g.batch_due) + what.batch_gap;
    g.packet_due = std::max(g.batch_due, over);
    return true;
  }
  g.batch = 0;
  g.waiting.pop_front();
  g.batch_due = g.packet_due = over;
  return !g.waiting.empty();
}

/// A packet comes around: it may be what a generator waits for.
void tofino_switch::trigger_by(const Packet& p, unsigned pipeline, Picoseconds t) {
  GeneratorTrigger by{.what = p.metadata, .message = {}};
  if (frames_) {
    constexpr std::size_t most = 16;  // bytes that are compared (TNA 9.5, t2na: 128 bits)
    const FrameBytes& bytes = frames_->of(p).bytes;
    by.message.bytes.assign(bytes.begin(), bytes.begin() + std::min(bytes.size(), most));
  }
  for (unsigned i = 0; i < generators_.size(); ++i) {
    const Generator& g = generators_[i];
    if (g.pipeline != pipeline || g.what.trigger != PacketGenerator::Trigger::recirculation)
      continue;
    const bool matches = frames_ ? pipes_[pipeline].program().triggers(g.which, by.message)
                                 : (p.metadata & g.what.mask) == (g.what.value & g.what.mask);
    if (matches) trigger(i, by, t);
  }
}

/// An ingress pass may have left a message to the generator of its pipeline.
void tofino_switch::trigger_by_message(const Packet& p, unsigned pipeline, Picoseconds t) {
  const auto& message = frames_->of(p).message;
  if (!message) return;
  for (unsigned i = 0; i < generators_.size(); ++i) {
    const Generator& g = generators_[i];
    if (g.pipeline == pipeline && g.what.trigger == PacketGenerator::Trigger::message &&
        pipes_[pipeline].program().triggers(g.which, *message))
      trigger(i, {.what = 0, .message = *message}, t);
  }
}

}  // namespace horae::tofino
