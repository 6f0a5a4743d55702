// Records messages, and how NACKs and timeouts are served.
#include <algorithm>
#include <string>
#include <string_view>

#include "horae/elaboration/simulation.hpp"
#include "horae/views/trace_recorder.hpp"

namespace horae::views {
namespace {

/// Events of a message in the file, at most: a slice of its own, a flow event and a completion.
constexpr unsigned events_of_message = 3;

}  // namespace

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

void TraceRecorder::failed(const rnic::rnic& nic, std::size_t qp, std::uint64_t /*first*/,
                           std::uint64_t /*count*/, Picoseconds at) {
  const std::uint32_t flow = flow_at(nic, qp);
  if (flow == TraceRecord::none || !filter_.wants_flow(flow) || !filter_.overlaps(at, at) ||
      !room(1, at))
    return;
  const Psn oldest = nic.queue_pair(qp).sender().oldest_unacked();
  record_.moments.push_back(
      {at, device_of(nic), static_cast<std::uint32_t>(qp), oldest.value(), "in error"});
}

void TraceRecorder::span(const rnic::rnic& nic, std::size_t qp, TraceRecord::SpanKind kind,
                         std::uint32_t number, Picoseconds from, Picoseconds to) {
  const std::uint32_t flow = flow_at(nic, qp);
  if (flow == TraceRecord::none || !filter_.wants_flow(flow) || !filter_.overlaps(from, to) ||
      from == to || !room(1, from))
    return;
  record_.spans.push_back({from, to, device_of(nic), static_cast<std::uint32_t>(qp), number, kind});
}

void TraceRecorder::wrote(const rnic::rnic& nic, std::size_t qp, std::uint64_t messages,
                          Picoseconds began, Picoseconds at) {
  span(nic, qp, TraceRecord::SpanKind::posting, messages != 0 ? 1 : 0, began, at);
}

void TraceRecorder::engine_worked(const rnic::rnic& nic, std::size_t qp, rnic::EngineWork work,
                                  const Packet& p, Picoseconds began, Picoseconds done) {
  if (!filter_.wants(p)) return;
  const bool sends = work == rnic::EngineWork::send;
  span(nic, qp, sends ? TraceRecord::SpanKind::engine : TraceRecord::SpanKind::rx_engine,
       p.psn.value(), began, done);
}

void TraceRecorder::cqe_written(const rnic::rnic& nic, std::size_t qp, std::uint32_t messages,
                                Picoseconds written, Picoseconds visible, Picoseconds found) {
  if (host_accesses_) span(nic, qp, TraceRecord::SpanKind::cqe_write, messages, written, visible);
  span(nic, qp, TraceRecord::SpanKind::polling, messages, visible, found);
}

void TraceRecorder::rang(const rnic::rnic& nic, std::size_t qp, std::uint64_t messages,
                         Picoseconds at) {
  if (host_accesses_) rung_[{device_of(nic), qp}].emplace_back(messages, at);
}

void TraceRecorder::wqes_came(const rnic::rnic& nic, std::size_t qp, std::uint64_t messages,
                              Picoseconds at) {
  const auto it = rung_.find({device_of(nic), qp});
  if (it == rung_.end()) return;
  auto& waiting = it->second;
  // One read may be for several doorbells, and one doorbell may need several.
  std::optional<Picoseconds> since;
  while (!waiting.empty() && waiting.front().first <= messages) {
    if (!since) since = waiting.front().second;
    waiting.pop_front();
  }
  if (!since && !waiting.empty()) since = waiting.front().second;
  if (!since) return;
  span(nic, qp, TraceRecord::SpanKind::wqe_read, static_cast<std::uint32_t>(messages), *since, at);
}

void TraceRecorder::payload_read(const rnic::rnic& nic, std::size_t qp, Psn psn, Picoseconds asked,
                                 Picoseconds ready) {
  if (host_accesses_) span(nic, qp, TraceRecord::SpanKind::payload_read, psn.value(), asked, ready);
}

void TraceRecorder::placed(const rnic::rnic& nic, std::size_t qp, const Packet& p,
                           Picoseconds decided, Picoseconds in_memory) {
  if (host_accesses_)
    span(nic, qp, TraceRecord::SpanKind::payload_write, p.psn.value(), decided, in_memory);
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

}  // namespace horae::views
