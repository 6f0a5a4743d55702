#include "horae/views/trace_recorder.hpp"

#include <algorithm>

#include "horae/build/simulation.hpp"

namespace horae::views {

namespace {

/// Acknowledgements and PSNs to be sent again that are remembered of a flow: more than a window of
/// them are never of use.
constexpr std::size_t remembered = 4096;

/// Events in the file, at most: a slice and a flow event; a slice of its own and a completion.
constexpr unsigned events_of_wait = 2, events_of_message = 3;

}  // namespace

TraceRecorder::TraceRecorder(const ViewFilter& filter, const build::Simulation& simulation,
                             std::uint64_t most)
    : filter_(filter), simulation_(simulation), most_(most), flows_(simulation.flows().size()) {
  using DeviceKind = TraceRecord::DeviceKind;
  for (std::size_t i = 0; i < simulation.devices().size(); ++i) {
    const fabric::device* d = simulation.devices()[i].get();
    devices_[d] = static_cast<std::uint32_t>(i);
    TraceRecord::Device device{d->name(), DeviceKind::host, 0};
    if (const auto* nic = dynamic_cast<const rnic::rnic*>(d)) {
      device.kind = DeviceKind::nic;
      device.queue_pairs = nic->queue_pairs();
    } else if (dynamic_cast<const tofino::tofino_switch*>(d) != nullptr) {
      device.kind = DeviceKind::tofino;
    } else if (dynamic_cast<const fabric::output_queued_switch*>(d) != nullptr) {
      device.kind = DeviceKind::plain;
    }
    record_.devices.push_back(std::move(device));
    const auto& vertex = simulation.platform().topology.vertices()[i];
    if (vertex.node == fabric::Topology::no_node) continue;
    record_.nodes.resize(std::max<std::size_t>(record_.nodes.size(), vertex.node + 1));
    record_.nodes[vertex.node] = vertex.name;
  }
  for (const auto& f : simulation.flows()) {
    record_.flows.push_back({device_of(*f.sender), device_of(*f.receiver),
                             static_cast<std::uint32_t>(f.sender_qp),
                             static_cast<std::uint32_t>(f.receiver_qp)});
  }
}

bool TraceRecorder::room(unsigned events, Picoseconds at) {
  if (full_ || record_.kept_events + events > most_) {
    full_ = true;
    record_.full_at = std::min(record_.full_at, at);  // not all are told in the order of time
    return false;
  }
  record_.kept_events += events;
  return true;
}

TraceRecorder::Live& TraceRecorder::born(const Packet& p) {
  return live_[&p] = {
             .id = p.id, .wanted = filter_.wants(p), .index = TraceRecord::none, .wait = {}};
}

TraceRecorder::Live& TraceRecorder::live(const Packet& p) {
  const auto it = live_.find(&p);
  return it != live_.end() && it->second.id == p.id ? it->second : born(p);
}

void TraceRecorder::add_info(Live& l, const Packet& p) {
  l.index = static_cast<std::uint32_t>(record_.packets.size());
  const auto whose = filter_.owner(p);
  record_.packets.push_back(
      {.id = p.id,
       .message = ~std::uint64_t{0},
       .flow = whose ? static_cast<std::uint32_t>(whose->flow) : TraceRecord::none,
       .src = p.src,
       .dst = p.dst,
       .dest_qp = p.dest_qp.value(),
       .psn = p.psn.value(),
       .original = TraceRecord::none,
       .copied = {},
       .nack_cause = TraceRecord::none,
       .service = TraceRecord::none,
       .payload = p.payload,
       .frame = p.frame,
       .opcode = p.opcode,
       .syndrome = p.syndrome,
       .reply = whose && whose->reply,
       .retransmission = p.retransmission,
       .copy = false});
}

std::uint32_t TraceRecorder::take(const Packet& p, Picoseconds from, Picoseconds to,
                                  unsigned events) {
  Live& l = live(p);
  if (!l.wanted || !filter_.overlaps(from, to) || !room(events, from)) return TraceRecord::none;
  if (l.index == TraceRecord::none) add_info(l, p);
  return l.index;
}

void TraceRecorder::step(TraceRecord::Step s, const Packet& p, Picoseconds from, Picoseconds to,
                         unsigned events) {
  s.packet = take(p, from, to, events);
  if (s.packet != TraceRecord::none) record_.steps.push_back(s);
}

void TraceRecorder::leave_queue(const Packet& p, Picoseconds at) {
  Live& l = live(p);
  if (!l.wait) return;
  const Wait w = *l.wait;
  l.wait.reset();
  if (at <= w.since || !filter_.overlaps(w.since, at)) return give_back(events_of_wait);
  if (l.index == TraceRecord::none) add_info(l, p);
  record_.steps.push_back(
      {w.since, at, at, l.index, w.device, w.port, TraceRecord::StepKind::queued, w.queue});
}

std::uint32_t TraceRecorder::flow_at(const rnic::rnic& nic, std::size_t qp) const {
  Packet p;
  p.dst = nic.id();
  p.dest_qp = Qpn(rnic::rnic::first_qpn + static_cast<std::uint32_t>(qp));
  const auto whose = filter_.owner(p);
  return whose ? static_cast<std::uint32_t>(whose->flow) : TraceRecord::none;
}

void TraceRecorder::data_sent(TraceRecord::PacketInfo& info, const Packet& p) {
  FlowState& f = flows_[info.flow];
  if (!p.retransmission) return;
  const auto it = f.resends.find(p.psn.value());
  if (it == f.resends.end()) return;
  info.service = it->second;
  f.resends.erase(it);
}

void TraceRecorder::sent(const fabric::device& d, unsigned port, const Packet& p, Picoseconds start,
                         Picoseconds first_bit, Picoseconds last_bit) {
  const std::uint32_t device = device_of(d);
  const auto kind = record_.devices[device].kind;
  const bool makes = kind == TraceRecord::DeviceKind::nic || kind == TraceRecord::DeviceKind::host;
  if (makes) {
    born(p);
  } else {
    leave_queue(p, start);
  }
  // A slice, its flow event and, of a NIC, those at the message.
  constexpr unsigned events = 4;
  const std::uint32_t packet = take(p, start, last_bit, events);
  const bool of_nic = kind == TraceRecord::DeviceKind::nic;
  const auto whose = of_nic ? filter_.owner(p) : std::nullopt;
  // What belongs together is followed outside of the time asked for as well.
  if (whose && follows(whose->flow)) {
    FlowState& f = flows_[whose->flow];
    const auto& flow = simulation_.flows()[whose->flow];
    if (p.is_nack() && whose->reply) {
      if (!f.nack_causes.empty()) {
        if (packet != TraceRecord::none) record_.packets[packet].nack_cause = f.nack_causes.front();
        f.nack_causes.pop_front();
      }
    } else if (p.is_data() && !whose->reply) {
      const auto message = flow.sender->queue_pair(flow.sender_qp).place(p.psn).message;
      if (ends_message(p.opcode)) f.message_ends[message] = p.psn;
      if (packet != TraceRecord::none) {
        record_.packets[packet].message = message;
        data_sent(record_.packets[packet], p);
      }
    }
  }
  if (packet == TraceRecord::none) return;
  record_.steps.push_back({start, first_bit, last_bit, packet, device,
                           static_cast<std::uint16_t>(port), TraceRecord::StepKind::sent, 0});
}

void TraceRecorder::arrived(const fabric::device& d, unsigned port, const Packet& p, Picoseconds at,
                            Picoseconds ready) {
  const std::uint32_t device = device_of(d);
  const std::uint32_t packet = take(p, at, ready, 2);
  if (packet != TraceRecord::none) {
    record_.steps.push_back({at, ready, ready, packet, device, static_cast<std::uint16_t>(port),
                             TraceRecord::StepKind::arrived, 0});
  }
  if (record_.devices[device].kind != TraceRecord::DeviceKind::nic) return;
  if (p.opcode != Opcode::acknowledge) return;
  const auto whose = filter_.owner(p);
  if (!whose || !whose->reply || !follows(whose->flow)) return;
  const bool cumulative = !p.is_nack() && !syndrome::is_sack(p.syndrome);
  const AckInfo ack{ready, cumulative ? p.psn + 1 : p.psn, packet};
  const auto keep = [&ack](std::deque<AckInfo>& in) {
    in.push_back(ack);
    if (in.size() > remembered) in.pop_front();
  };
  keep(flows_[whose->flow].acks);
  if (p.is_nack()) keep(flows_[whose->flow].nacks);
}

void TraceRecorder::queued(const fabric::device& d, unsigned port, unsigned queue, const Packet& p,
                           Picoseconds at) {
  // Whether the wait reaches into the time asked for shows when it ends; room is needed until then.
  Live& l = live(p);
  if (!l.wanted || at >= filter_.to() || !room(events_of_wait, at)) return;
  l.wait = {at, device_of(d), static_cast<std::uint16_t>(port), static_cast<std::uint8_t>(queue)};
}

void TraceRecorder::dropped(const fabric::device& d, const Packet& p, fabric::DropCause cause,
                            Picoseconds at) {
  leave_queue(p, at);
  step({at, at, at, 0, device_of(d), 0, TraceRecord::StepKind::dropped,
        static_cast<std::uint8_t>(cause)},
       p, at, at, 2);
}

void TraceRecorder::passed(const tofino::tofino_switch& chip, const dataplane::Pass& pass,
                           Picoseconds entered, Picoseconds deparsed) {
  const auto where = pass.where();
  const auto kind = where.gress == dataplane::Gress::ingress ? TraceRecord::StepKind::ingress
                                                             : TraceRecord::StepKind::egress;
  if (kind == TraceRecord::StepKind::egress) leave_queue(pass.header(), entered);
  step({entered, deparsed, deparsed, 0, device_of(chip), static_cast<std::uint16_t>(where.pipeline),
        kind, 0},
       pass.header(), entered, deparsed, 4);
}

void TraceRecorder::mirrored(const tofino::tofino_switch&, const Packet& original,
                             const Packet& copy, Picoseconds at) {
  Live& l = born(copy);
  const Live& from = live(original);
  l.wanted = l.wanted || from.wanted;
  if (!l.wanted || !filter_.overlaps(at, at) || !room(2, at)) return;
  add_info(l, copy);
  record_.packets[l.index].copy = true;
  record_.packets[l.index].copied = at;
  record_.packets[l.index].original = from.index;
}

void TraceRecorder::looped(const tofino::tofino_switch& chip, unsigned pipeline, const Packet& p,
                           Picoseconds queued, Picoseconds start, Picoseconds last_bit) {
  step({queued, start, last_bit, 0, device_of(chip), static_cast<std::uint16_t>(pipeline),
        TraceRecord::StepKind::looped, 0},
       p, queued, last_bit, 2);
}

void TraceRecorder::paused(const fabric::device& d, unsigned port, unsigned traffic_class,
                           bool pause, Picoseconds at) {
  const auto key = std::tuple(device_of(d), port, traffic_class);
  if (pause) {
    if (at < filter_.to() && !paused_since_.contains(key) && room(1, at))
      paused_since_.emplace(key, at);
    return;
  }
  const auto it = paused_since_.find(key);
  if (it == paused_since_.end()) return;
  if (!filter_.overlaps(it->second, at)) {
    give_back(1);
  } else {
    record_.pauses.push_back({it->second, at, std::get<0>(key), static_cast<std::uint16_t>(port),
                              static_cast<std::uint8_t>(traffic_class)});
  }
  paused_since_.erase(it);
}

void TraceRecorder::posted(const rnic::rnic& nic, std::size_t qp, std::uint64_t first,
                           std::uint64_t count, Picoseconds at) {
  const std::uint32_t flow = flow_at(nic, qp);
  if (flow == TraceRecord::none || !filter_.wants_flow(flow) || at >= filter_.to()) return;
  for (std::uint64_t m = first; m < first + count && room(events_of_message, at); ++m) {
    open_[{flow, m}] = {.ordinal = m,
                        .bytes = nic.queue_pair(qp).message_bytes(m).count(),
                        .posted = at,
                        .completed = never,
                        .flow = flow,
                        .acknowledged_by = TraceRecord::none};
  }
}

void TraceRecorder::completed(const rnic::rnic& nic, std::size_t qp, std::uint64_t first,
                              std::uint64_t count, Picoseconds at) {
  const std::uint32_t flow = flow_at(nic, qp);
  if (flow == TraceRecord::none) return;
  FlowState& f = flows_[flow];
  for (std::uint64_t m = first; m < first + count; ++m) {
    const auto end = f.message_ends.find(m);
    const auto it = open_.find({flow, m});
    if (it != open_.end()) {
      auto message = it->second;
      open_.erase(it);
      message.completed = at;
      if (end != f.message_ends.end()) {
        // The first that acknowledges its end.
        while (!f.acks.empty() && !end->second.before(f.acks.front().before)) f.acks.pop_front();
        if (!f.acks.empty()) message.acknowledged_by = f.acks.front().packet;
      }
      if (filter_.overlaps(message.posted, at)) {
        record_.messages.push_back(message);
      } else {
        give_back(events_of_message);
      }
    }
    if (end != f.message_ends.end()) f.message_ends.erase(end);
  }
}

void TraceRecorder::nack_decided(const rnic::rnic& nic, std::size_t qp, const Packet& cause, Psn,
                                 Picoseconds) {
  const std::uint32_t flow = flow_at(nic, qp);
  if (flow != TraceRecord::none && follows(flow))
    flows_[flow].nack_causes.push_back(live(cause).index);
}

void TraceRecorder::nack_served(const rnic::rnic& nic, std::size_t qp, Psn psn, Picoseconds start,
                                Picoseconds end, bool resend) {
  const std::uint32_t flow = flow_at(nic, qp);
  if (flow == TraceRecord::none || !filter_.wants_flow(flow) || !filter_.overlaps(start, end))
    return;
  if (!room(5, start)) return;
  FlowState& f = flows_[flow];
  const auto nack = std::find_if(f.nacks.rbegin(), f.nacks.rend(), [&](const AckInfo& h) {
    return h.before == psn && h.at <= start;
  });
  if (resend) f.resends[psn.value()] = static_cast<std::uint32_t>(record_.services.size());
  if (f.resends.size() > remembered) f.resends.erase(f.resends.begin());
  record_.services.push_back({start, end, device_of(nic), static_cast<std::uint32_t>(qp),
                              psn.value(),
                              nack == f.nacks.rend() ? TraceRecord::none : nack->packet, resend});
}

void TraceRecorder::nack_put_off(const rnic::rnic& nic, std::size_t qp, Psn psn,
                                 std::string_view why, Picoseconds at) {
  const std::uint32_t flow = flow_at(nic, qp);
  if (flow == TraceRecord::none || !filter_.wants_flow(flow) || !filter_.overlaps(at, at) ||
      !room(1, at))
    return;
  record_.moments.push_back({at, device_of(nic), static_cast<std::uint32_t>(qp), psn.value(),
                             "NACK " + std::string(why)});
}

void TraceRecorder::timed_out(const rnic::rnic& nic, std::size_t qp, Psn oldest, Picoseconds at) {
  const std::uint32_t flow = flow_at(nic, qp);
  if (flow == TraceRecord::none) return;
  flows_[flow].resends.clear();  // what is sent again from now on is the timer's doing
  if (!filter_.wants_flow(flow) || !filter_.overlaps(at, at) || !room(1, at)) return;
  record_.moments.push_back(
      {at, device_of(nic), static_cast<std::uint32_t>(qp), oldest.value(), "timeout"});
}

void TraceRecorder::finish(Picoseconds end) {
  record_.end = end;
  std::vector<std::pair<const Packet*, Wait>> waiting;
  for (const auto& [p, l] : live_) {
    if (l.wait) waiting.emplace_back(p, *l.wait);
  }
  // By what is the same in every run: where packets lie in memory is not.
  std::sort(waiting.begin(), waiting.end(), [](const auto& a, const auto& b) {
    const auto key = [](const auto& w) {
      return std::tuple(w.second.since, w.first->id, w.second.device, w.second.port);
    };
    return key(a) < key(b);
  });
  for (const auto& [p, wait] : waiting) leave_queue(*p, end);
  for (const auto& [key, message] : open_) {
    if (filter_.overlaps(message.posted, end)) record_.messages.push_back(message);
  }
  for (const auto& [key, since] : paused_since_) {
    if (!filter_.overlaps(since, end)) continue;
    record_.pauses.push_back({since, end, std::get<0>(key),
                              static_cast<std::uint16_t>(std::get<1>(key)),
                              static_cast<std::uint8_t>(std::get<2>(key))});
  }
}

}  // namespace horae::views
