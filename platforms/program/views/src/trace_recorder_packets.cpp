// Records the steps of packets: where they are, and what they are part of.
#include <deque>
#include <optional>
#include <tuple>

#include "horae/elaboration/simulation.hpp"
#include "horae/views/trace_recorder.hpp"

namespace horae::views {

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
  // Related packets are followed outside of the requested time as well.
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

}  // namespace horae::views
