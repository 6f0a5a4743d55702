#include "horae/fabric/devices/voq_switch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "horae/core/stats.hpp"

namespace horae::fabric {
namespace {
constexpr std::uint8_t progress_event = output_queued_switch::own_events;
constexpr std::uint8_t silence_event = progress_event + 1;
}  // namespace

voq_switch::voq_switch(sc_core::sc_module_name name, sim_context& context,
                       const SwitchConfig& config, std::vector<bool> far)
    : output_queued_switch(name, context, config), voq_config_(*config.voq), far_(std::move(far)) {}

void voq_switch::learn(const FlowEnds& c) {
  if (!is_far(c.sender) || is_far(c.receiver)) return;
  const auto [place, added] = destination_of_.try_emplace(c.receiver, destinations_.size());
  if (added) destinations_.emplace_back().node = c.receiver;
  const std::size_t flow = flows_.size();
  flows_.push_back({place->second, {}});
  destinations_[place->second].flows.push_back(flow);
  by_receiver_[end_key(c.receiver, c.receiver_qp)] = flow;
  by_sender_[end_key(c.sender, c.sender_qp)] = flow;
}

voq_switch::Flow* voq_switch::flow_of(const std::unordered_map<std::uint64_t, std::size_t>& table,
                                      NodeId node, Qpn qp) {
  const auto it = table.find(end_key(node, qp));
  return it == table.end() ? nullptr : &flows_[it->second];
}

void voq_switch::handle(const Event& e) {
  const auto kind = key_kind(e.key);
  if (kind == arrival_event) return take(arrived(e), e.time);
  if (kind == progress_event) return check_progress(key_entity(e.key), e.time);
  if (kind == silence_event) return end_silence(key_entity(e.key), e.time);
  output_queued_switch::handle(e);
}

void voq_switch::handle_watched(const Event& e) {
  notify_arrival(e);
  handle(e);
}

void voq_switch::take(Packet& p, Picoseconds t) {
  if (p.is_data() && is_far(p.src) && !is_far(p.dst)) return take_data(p, t);
  if (p.opcode == Opcode::acknowledge && is_far(p.dst) && !is_far(p.src)) return take_answer(p, t);
  admit(p, t);
}

void voq_switch::take_data(Packet& p, Picoseconds t) {
  Flow* const flow = flow_of(by_receiver_, p.dst, p.dest_qp);
  if (flow == nullptr) {
    ++voq_.unknown;
    return admit(p, t);
  }
  Destination& d = destinations_[flow->destination];
  if (const std::int64_t bytes = flow->released.settle_through(p.psn); bytes > 0) {
    ++voq_.again;
    settle_bytes(d, bytes, t);
    release(d, t);
  }
  if (d.packets.empty() && has_room(d, p)) {
    ++voq_.passed;
    return forward_packet(p, *flow, t);
  }
  ++voq_.held;
  d.packets.push_back(p);
  d.since.push_back(t);
  d.bytes += p.frame;
  waiting_bytes_ += p.frame;
  voq_.most_of_one = std::max(voq_.most_of_one, d.bytes);
  voq_.most_bytes = std::max(voq_.most_bytes, waiting_bytes_);
  arm_timer(flow->destination, t);
}

/// An ACK names the last packet received, a NACK or SACK the one expected, and in the model how far
/// ahead of that the packet lies that it answers.
void voq_switch::take_answer(Packet& p, Picoseconds t) {
  Flow* const flow = flow_of(by_sender_, p.dst, p.dest_qp);
  if (flow == nullptr) return admit(p, t);
  Destination& d = destinations_[flow->destination];
  ReleasedPackets& released = flow->released;
  const bool in_order = !syndrome::is_nak(p.syndrome) && !syndrome::is_sack(p.syndrome);
  const Psn expected = in_order ? p.psn + 1 : p.psn;
  std::int64_t bytes = released.settle_before(expected);
  if (!flow->acked || flow->acked->before(expected)) flow->acked = expected;
  if (flow->gap && flow->gap->before(expected)) flow->gap.reset();
  if (!in_order && p.bth_reserved != 0) {
    bytes += released.settle_through(p.psn + p.bth_reserved);
  } else if (!in_order) {
    bytes += released.settle_all();
    flow->gap = expected;
  }
  admit(p, t);
  settle_bytes(d, bytes, t);
  release(d, t);
}

void voq_switch::settle_bytes(Destination& d, std::int64_t bytes, Picoseconds t) {
  if (bytes == 0) return;
  d.under_way -= bytes;
  d.last_change = t;
}

/// A packet that finds no place in the buffer is not under way.
void voq_switch::forward_packet(Packet& p, Flow& flow, Picoseconds t) {
  Destination& d = destinations_[flow.destination];
  const Psn psn = p.psn;
  const std::int64_t frame = p.frame;
  const std::uint64_t dropped = counters().dropped;
  admit(p, t);
  if (counters().dropped != dropped) return;
  d.under_way += frame;
  if (is_silent(flow, psn)) {
    ++voq_.silent;
    d.silent.push_back({t + voq_config_.round_trip, frame});
    if (d.silent.size() == 1)
      schedule(d.silent.front().until, silence_event, static_cast<std::uint16_t>(flow.destination),
               looks_++);
  } else {
    flow.released.add(psn, frame);
  }
  d.last_change = t;
  voq_.most_under_way = std::max(voq_.most_under_way, d.under_way);
}

/// Whether nobody will answer a packet: a receiver that goes back has seen a gap before it, or has
/// the packet already. What the receiver waits for ends the gap.
bool voq_switch::is_silent(Flow& flow, Psn psn) const {
  if (flow.gap == psn) flow.gap.reset();
  return (flow.gap && flow.gap->before(psn)) || (flow.acked && psn.before(*flow.acked));
}

void voq_switch::end_silence(std::size_t i, Picoseconds t) {
  Destination& d = destinations_[i];
  while (!d.silent.empty() && d.silent.front().until <= t) {
    settle_bytes(d, d.silent.front().bytes, t);
    d.silent.pop_front();
  }
  if (!d.silent.empty())
    schedule(d.silent.front().until, silence_event, static_cast<std::uint16_t>(i), looks_++);
  release(d, t);
}

void voq_switch::release(Destination& d, Picoseconds t) {
  while (!d.packets.empty() && has_room(d, d.packets.front())) {
    Packet& p = d.packets.front();
    d.packets.pop_front();
    const Picoseconds waited = t - d.since.front();
    d.since.pop_front();
    d.bytes -= p.frame;
    waiting_bytes_ -= p.frame;
    ++voq_.released;
    voq_.waited += waited;
    voq_.longest_wait = std::max(voq_.longest_wait, waited);
    forward_packet(p, *flow_of(by_receiver_, p.dst, p.dest_qp), t);
  }
}

/// Arms the progress timer while packets wait.
void voq_switch::arm_timer(std::size_t i, Picoseconds t) {
  Destination& d = destinations_[i];
  if (d.watched) return;
  d.watched = true;
  schedule(std::max(t, d.last_change + voq_config_.timeout), progress_event,
           static_cast<std::uint16_t>(i), looks_++);
}

void voq_switch::check_progress(std::size_t i, Picoseconds t) {
  Destination& d = destinations_[i];
  d.watched = false;
  if (d.packets.empty()) return;
  if (d.last_change + voq_config_.timeout <= t) {
    ++voq_.expired;
    for (const std::size_t flow : d.flows) d.under_way -= flows_[flow].released.settle_all();
    d.last_change = t;
    release(d, t);
    if (d.packets.empty()) return;
  }
  arm_timer(i, t);
}

std::uint64_t voq_switch::queued() const {
  return output_queued_switch::queued() + waiting_packets();
}

std::vector<std::string> voq_switch::describe_queues() const {
  auto lines = output_queued_switch::describe_queues();
  for (const Destination& d : destinations_) {
    if (d.packets.empty()) continue;
    lines.push_back(fmt::format("{} for node {}: {} packets, {} bytes wait; {} bytes under way",
                                name(), d.node, d.since.size(), d.bytes, d.under_way));
  }
  return lines;
}

void voq_switch::part_statistics(StatTree& tree) const {
  StatTree& out = tree.group("voq");
  out.value("passed", voq_.passed, "packets")
      .value("held", voq_.held, "packets")
      .value("waiting", waiting_packets(), "packets")
      .value("unknown", voq_.unknown, "packets")
      .value("again", voq_.again, "packets")
      .value("silent", voq_.silent, "packets")
      .value("expired", voq_.expired, "windows")
      .value("most_bytes", voq_.most_bytes, "bytes")
      .value("most_bytes_of_one", voq_.most_of_one, "bytes")
      .value("most_under_way", voq_.most_under_way, "bytes")
      .value("waited", voq_.waited.count(), "ps")
      .value("longest_wait", voq_.longest_wait.count(), "ps");
}

void voq_switch::statistics(StatTree& tree) const {
  output_queued_switch::statistics(tree);
  part_statistics(tree);
}

}  // namespace horae::fabric
