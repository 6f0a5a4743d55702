#include "horae/views/waterfall.hpp"

#include <algorithm>
#include <limits>

#include "horae/elaboration/simulation.hpp"
#include "time_summary.hpp"

namespace horae::views {
namespace {

constexpr std::uint32_t no_flow = std::numeric_limits<std::uint32_t>::max();
/// Acknowledgements of a flow that are remembered: more than a window are never of use.
constexpr std::size_t remembered = 4096;

/// Time a host takes for one WQE and its doorbell.
Picoseconds posting_time(const rnic::RnicConfig& nic) {
  if (!nic.post) return 0_ps;
  const auto& post = *nic.post;
  const bool proxied = post.ringer == rnic::Ringer::proxy;
  return post.wqe + post.shared + (proxied ? post.proxy : post.doorbell);
}

Picoseconds polling_time(const rnic::RnicConfig& nic) { return nic.cq ? nic.cq->poll : 0_ps; }

/// Puts one stage behind the other.
class Stages {
 public:
  Stages(WaterfallRecorder::Message& message) : m_(message), now_(message.posted) {}
  /// The stage lasts until `until`, negative: it did not happen; at most `service` of that is
  /// service.
  void last(Stage stage, Picoseconds until, Picoseconds service = never) {
    until = std::clamp(until, now_, m_.completed);
    const auto i = static_cast<std::size_t>(stage);
    m_.time[i] = until - now_;
    m_.waiting[i] = m_.time[i] - std::clamp(service, 0_ps, m_.time[i]);
    now_ = until;
  }
  /// Likewise, `waiting` of it waiting.
  void last_with_waits(Stage stage, Picoseconds until, Picoseconds waiting) {
    last(stage, until);
    const auto i = static_cast<std::size_t>(stage);
    m_.waiting[i] = std::min(waiting, m_.time[i]);
  }
  Picoseconds now() const { return now_; }

 private:
  WaterfallRecorder::Message& m_;
  Picoseconds now_;
};

}  // namespace

WaterfallRecorder::WaterfallRecorder(const ViewFilter& filter,
                                     const elaboration::Simulation& simulation, std::uint64_t most)
    : filter_(filter), simulation_(simulation), most_(most), flows_(simulation.flows().size()) {
  for (std::size_t i = 0; i < flows_.size(); ++i) {
    const auto& c = simulation.flows()[i];
    sent_by_.resize(std::max<std::size_t>(sent_by_.size(), c.sender->id() + 1));
    auto& of_nic = sent_by_[c.sender->id()];
    of_nic.resize(std::max(of_nic.size(), c.sender_qp + 1), no_flow);
    // A READ has other stages.
    if (filter.wants_flow(i) && !c.reads) of_nic[c.sender_qp] = static_cast<std::uint32_t>(i);
  }
}

WaterfallRecorder::FlowState* WaterfallRecorder::sender_flow(const rnic::rnic& nic,
                                                             std::size_t qp) {
  if (nic.id() >= sent_by_.size() || qp >= sent_by_[nic.id()].size()) return nullptr;
  const std::uint32_t flow = sent_by_[nic.id()][qp];
  return flow == no_flow ? nullptr : &flows_[flow];
}

void WaterfallRecorder::posted(const rnic::rnic& nic, std::size_t qp, std::uint64_t /*first*/,
                               std::uint64_t count, Picoseconds at) {
  FlowState* const flow = sender_flow(nic, qp);
  if (flow != nullptr) flow->open.insert(flow->open.end(), count, Open{.posted = at});
}

void WaterfallRecorder::wrote(const rnic::rnic& nic, std::size_t qp, std::uint64_t messages,
                              Picoseconds /*began*/, Picoseconds at) {
  FlowState* const flow = sender_flow(nic, qp);
  if (flow == nullptr) return;
  for (std::uint64_t m = messages; m-- > flow->first && flow->find(m)->written < 0_ps;)
    flow->find(m)->written = at;
}

void WaterfallRecorder::rang(const rnic::rnic& nic, std::size_t qp, std::uint64_t messages,
                             Picoseconds at) {
  FlowState* const flow = sender_flow(nic, qp);
  if (flow == nullptr) return;
  for (std::uint64_t m = messages; m-- > flow->first && flow->find(m)->rang < 0_ps;)
    flow->find(m)->rang = at;
}

void WaterfallRecorder::wqes_came(const rnic::rnic& nic, std::size_t qp, std::uint64_t messages,
                                  Picoseconds at) {
  FlowState* const flow = sender_flow(nic, qp);
  if (flow == nullptr) return;
  for (std::uint64_t m = messages; m-- > flow->first && flow->find(m)->wqe < 0_ps;)
    flow->find(m)->wqe = at;
}

void WaterfallRecorder::payload_read(const rnic::rnic& nic, std::size_t qp, Psn psn,
                                     Picoseconds asked, Picoseconds ready) {
  if (FlowState* const flow = sender_flow(nic, qp)) flow->reads[psn.value()] = {asked, ready};
}

void WaterfallRecorder::chosen(const rnic::rnic& nic, std::size_t qp, Psn psn,
                               Picoseconds context_ready, Picoseconds /*at*/) {
  FlowState* const flow = sender_flow(nic, qp);
  if (flow == nullptr) return;
  const auto read = flow->reads.find(psn.value());
  const auto place = nic.queue_pair(qp).place(psn);
  if (Open* const open = flow->find(place.message); open != nullptr && place.left == 1) {
    open->last = psn;
    if (open->data.arrived < 0_ps) open->context = context_ready;
    if (read != flow->reads.end()) std::tie(open->asked, open->payload) = read->second;
  }
  if (read != flow->reads.end()) flow->reads.erase(read);
}

void WaterfallRecorder::engine_worked(const rnic::rnic& /*nic*/, std::size_t /*qp*/,
                                      rnic::EngineWork work, const Packet& p, Picoseconds began,
                                      Picoseconds done) {
  const auto whose = filter_.owner(p);
  if (!whose || !filter_.wants_flow(whose->flow)) return;
  FlowState& flow = flows_[whose->flow];
  if (!p.is_data()) {
    if (whose->reply && p.opcode == Opcode::acknowledge && !flow.acks.empty())
      flow.acks.back().way.began = began, flow.acks.back().way.done = done;
    return;
  }
  if (!ends_message(p.opcode)) return;
  const auto& c = simulation_.flows()[whose->flow];
  Open* const open = flow.find(c.sender->queue_pair(c.sender_qp).place(p.psn).message);
  if (open == nullptr) return;
  if (work == rnic::EngineWork::send) {
    if (open->data.arrived < 0_ps) open->engine = done;
  } else if (open->data.done < 0_ps) {
    open->data.began = began;
    open->data.done = done;
  }
}

void WaterfallRecorder::cqe_written(const rnic::rnic& nic, std::size_t qp, std::uint32_t messages,
                                    Picoseconds written, Picoseconds visible,
                                    Picoseconds /*found*/) {
  FlowState* const flow = sender_flow(nic, qp);
  if (flow == nullptr) return;
  for (const std::uint64_t end = flow->told + messages; flow->told < end; ++flow->told) {
    Open* const open = flow->find(flow->told);
    if (open == nullptr) continue;
    open->cqe = written;
    open->visible = visible;
  }
}

void WaterfallRecorder::sent(const fabric::device& d, unsigned /*port*/, const Packet& p,
                             Picoseconds start, Picoseconds first_bit, Picoseconds last_bit) {
  const rnic::rnic* const nic = as_nic(d);
  if (nic == nullptr) {
    const auto it = live_.find(&p);
    if (it != live_.end()) it->second.way.waited += std::max(0_ps, start - it->second.way.ready);
    return;
  }
  if (!p.is_data() && p.opcode != Opcode::acknowledge) return;
  const auto whose = filter_.owner(p);
  if (!whose || !filter_.wants_flow(whose->flow) || (p.is_data() && !ends_message(p.opcode)))
    return;
  Live live{static_cast<std::uint32_t>(whose->flow),
            whose->reply,
            0,
            {.start = start, .first_bit = first_bit, .last_bit = last_bit}};
  if (p.is_data()) {
    const auto& c = simulation_.flows()[whose->flow];
    live.ordinal = c.sender->queue_pair(c.sender_qp).place(p.psn).message;
  }
  live_.insert_or_assign(&p, live);
}

void WaterfallRecorder::arrived(const fabric::device& d, unsigned /*port*/, const Packet& p,
                                Picoseconds at, Picoseconds ready) {
  const auto it = live_.find(&p);
  if (it == live_.end()) return;
  Live& live = it->second;
  live.way.ready = ready;
  if (as_nic(d) == nullptr) return;
  live.way.arrived = at;
  live.way.taken = ready;
  FlowState& flow = flows_[live.flow];
  if (p.is_data()) {
    Open* const open = flow.find(live.ordinal);
    if (open != nullptr && open->data.arrived < 0_ps) open->data = live.way;
  } else {
    const bool cumulative = !p.is_nack() && !syndrome::is_sack(p.syndrome);
    flow.acks.push_back({cumulative ? p.psn + 1 : p.psn, live.way});
    if (flow.acks.size() > remembered) flow.acks.pop_front();
  }
  live_.erase(it);
}

void WaterfallRecorder::dropped(const fabric::device& /*d*/, const Packet& p,
                                fabric::DropCause /*cause*/, Picoseconds /*at*/) {
  live_.erase(&p);
}

void WaterfallRecorder::placed(const rnic::rnic& /*nic*/, std::size_t /*qp*/, const Packet& p,
                               Picoseconds decided, Picoseconds in_memory) {
  const auto whose = filter_.owner(p);
  if (!whose || whose->reply || !ends_message(p.opcode)) return;
  const auto& c = simulation_.flows()[whose->flow];
  Open* const open =
      flows_[whose->flow].find(c.sender->queue_pair(c.sender_qp).place(p.psn).message);
  if (open == nullptr || open->decided >= 0_ps) return;
  open->decided = decided;
  open->in_memory = in_memory;
}

WaterfallRecorder::Message WaterfallRecorder::build(const FlowState& flow, const Open& open,
                                                    std::uint32_t number, std::uint64_t ordinal,
                                                    Picoseconds at) {
  Message m{.flow = number, .ordinal = ordinal, .posted = open.posted, .completed = at};
  const auto& c = simulation_.flows()[number];
  const rnic::RnicConfig& sender = c.sender->config();
  const rnic::RnicConfig& receiver = c.receiver->config();
  const Picoseconds read = sender.memory.round_trip.value;
  Stages stage(m);
  stage.last(Stage::posting, open.written, posting_time(sender));
  stage.last(Stage::doorbell, open.rang);
  stage.last(Stage::wqe, open.wqe, read + (sender.post ? sender.post->queue_read : 0_ps));
  stage.last(Stage::payload, open.payload, open.payload - open.asked);
  stage.last(Stage::context, open.context);
  stage.last(Stage::schedule, open.data.start, 0_ps);
  stage.last(Stage::engine, std::min(open.engine, open.data.first_bit));
  stage.last(Stage::tx_pipe, open.data.first_bit);
  stage.last(Stage::wire, open.data.last_bit);
  stage.last_with_waits(Stage::network, open.data.arrived, open.data.waited);
  stage.last(Stage::rx_pipe, open.data.taken);
  stage.last(Stage::rx_engine, open.data.done, open.data.done - open.data.began);
  stage.last(Stage::decision, open.decided);
  const auto ack = std::find_if(flow.acks.begin(), flow.acks.end(), [&](const Ack& a) {
    return open.last && open.last->before(a.before) && a.way.taken <= at;
  });
  if (ack != flow.acks.end()) {
    stage.last(Stage::ack, ack->way.start, receiver.ack_delay);
    stage.last_with_waits(Stage::ack_network, ack->way.arrived, ack->way.waited);
    stage.last(Stage::ack_pipe, ack->way.taken);
    stage.last(Stage::ack_engine, ack->way.done, ack->way.done - ack->way.began);
  }
  stage.last(Stage::completion, open.cqe < 0_ps ? at : open.cqe, 0_ps);
  stage.last(Stage::cqe, open.visible);
  if (open.visible >= 0_ps) stage.last(Stage::polling, at, polling_time(sender));
  if (open.decided >= 0_ps) m.write = std::max(0_ps, open.in_memory - open.decided);
  return m;
}

void WaterfallRecorder::end(FlowState& flow, std::uint32_t number, std::uint64_t ordinal,
                            Picoseconds at, bool keep) {
  Open* const open = flow.find(ordinal);
  if (open == nullptr) return;
  if (keep && messages_.size() < most_)
    messages_.push_back(build(flow, *open, number, ordinal, at));
  else if (keep)
    full_at_ = std::min(full_at_, at);
  // Acknowledgements of what is over are of no more use; those that cover more are.
  while (open->last && flow.acks.size() > 1 && !open->last->before(flow.acks.front().before))
    flow.acks.pop_front();
  flow.open.pop_front();
  ++flow.first;
}

void WaterfallRecorder::completed(const rnic::rnic& nic, std::size_t qp, std::uint64_t first,
                                  std::uint64_t count, Picoseconds at) {
  FlowState* const flow = sender_flow(nic, qp);
  if (flow == nullptr) return;
  const auto number = static_cast<std::uint32_t>(flow - flows_.data());
  for (std::uint64_t m = first; m < first + count; ++m)
    end(*flow, number, m, at, filter_.overlaps(at, at));
}

void WaterfallRecorder::failed(const rnic::rnic& nic, std::size_t qp, std::uint64_t first,
                               std::uint64_t /*count*/, Picoseconds /*at*/) {
  FlowState* const flow = sender_flow(nic, qp);
  if (flow == nullptr) return;
  if (first >= flow->first) flow->open.resize(first - flow->first);
}

}  // namespace horae::views
