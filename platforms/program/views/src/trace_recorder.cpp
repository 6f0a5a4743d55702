#include "horae/views/trace_recorder.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "horae/elaboration/simulation.hpp"

namespace horae::views {

TraceRecorder::TraceRecorder(const ViewFilter& filter, const elaboration::Simulation& simulation,
                             std::uint64_t most, bool host_accesses)
    : filter_(filter),
      simulation_(simulation),
      most_(most),
      host_accesses_(host_accesses),
      flows_(simulation.flows().size()) {
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
