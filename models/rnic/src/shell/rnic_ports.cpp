// Several ports, or an engine that works ahead of one: what goes in line for which of them, and the
// wires up to a time.
#include <fmt/format.h>

#include <algorithm>

#include "horae/policy/balance/load_balancer.hpp"
#include "horae/rnic/rnic.hpp"

namespace horae::rnic {

BitRate rnic::line_rate() const {
  std::int64_t sum = 0;
  for (unsigned p = 0; p < ports(); ++p) sum += tx(p).link().rate.count();
  return BitRate(sum);
}

fabric::TxCounters rnic::sent_by_ports() const {
  fabric::TxCounters sum = tx(0).counters();
  for (unsigned p = 1; p < ports(); ++p) sum += tx(p).counters();
  return sum;
}

fabric::BitsLeft rnic::bits_left(Picoseconds now) const {
  fabric::BitsLeft sum;
  for (unsigned p = 0; p < ports(); ++p) sum += tx(p).bits_left(now);
  return sum;
}

BitRate rnic::queue_pair_line_rate() const {
  const bool keeps =
      ports_ && (ports_->choice() == PortChoice::rail || ports_->choice() == PortChoice::hash);
  return keeps ? tx(0).link().rate : line_rate_;
}

unsigned rnic::own_port(const QueuePairConfig& connection) const {
  if (ports_->choice() == PortChoice::rail) return connection.ordinal % ports_->count();
  Packet p;
  p.src = id_;
  p.dst = connection.peer;
  p.dest_qp = connection.remote;
  p.entropy = connection.entropy;
  return policy::flow_hash(p, 0) % ports_->count();
}

std::vector<fabric::Outage> rnic::known_outages(unsigned port) const {
  std::vector<fabric::Outage> all;
  // Either end tells the other of a direction that fails; what loses data alone is no such failure.
  for (const fabric::tx_port* end : {&tx(port), peer_of(port)}) {
    if (end == nullptr || end->link().data_only) continue;
    all.insert(all.end(), end->link().outages.begin(), end->link().outages.end());
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.from < b.from; });
  const Picoseconds later = config_.link_down_known.value_or(0_ps);
  std::vector<fabric::Outage> known;
  for (const auto& o : all) {
    if (!known.empty() && o.from + later <= known.back().to) {
      known.back().to = std::max(known.back().to, o.to == never ? never : o.to + later);
    } else {
      known.push_back({o.from + later, o.to == never ? never : o.to + later});
    }
  }
  return known;
}

void rnic::begin_ports() {
  line_rate_ = line_rate();
  if (!ports_) return;
  for (unsigned p = 0; p < ports(); ++p) ports_->know(p, known_outages(p));
}

Picoseconds rnic::port_starts(unsigned port) const {
  return ports_->next(port) == nullptr ? never : std::max(cursor_, tx(port).busy_until());
}

Picoseconds rnic::start_ports() {
  Picoseconds next = never;
  for (unsigned p = 0; p < ports(); ++p) {
    Picoseconds start = port_starts(p);
    if (start == cursor_) {
      tx(p).send(ports_->take(p), cursor_, config_.tx_latency);
      start = port_starts(p);
    }
    next = std::min(next, start);
  }
  return next;
}

bool rnic::find_port(QueuePair& qp) {
  const std::uint16_t value = qp.steering ? qp.steering->peek(cursor_) : qp.config().entropy;
  const unsigned port = ports_->wanted(value, qp.own_port, cursor_);
  qp.port = static_cast<std::uint8_t>(port);
  if (!ports_->has_room(port, qp.traffic_class)) return false;
  const bool by_value =
      ports_->choice() == PortChoice::entropy || ports_->choice() == PortChoice::least;
  const unsigned n = ports_->count();
  // Feedback about the value is then about the plane that was taken.
  if (qp.steering && by_value && value % n != port)
    qp.steering->change(static_cast<std::uint16_t>(value - value % n + port));
  return true;
}

Gate rnic::port_gate(unsigned port, unsigned traffic_class) const {
  const bool held = ports_->paused(port, traffic_class);
  const Picoseconds starts = held ? never : port_starts(port);
  return {std::min(starts, ports_->next_change(cursor_)),
          held ? IdleCause::paused : IdleCause::port};
}

int rnic::pick_for_ports(Gate& next) {
  Gate line{never, IdleCause::no_work};  // the first to open of those that found no room
  const auto here = [&](std::size_t i, QueuePair& qp) {
    if (host_.contexts && !host_.contexts->here(i, qp, cursor_)) return false;
    if (engine_ && engine_turns_away(i, qp, line)) return false;
    if (find_port(qp)) return true;
    const Gate gate = port_gate(qp.port, qp.traffic_class);
    if (gate.at < line.at || line.cause == IdleCause::no_work) line = gate;
    turned_away_.emplace_back(&qp, qp.context_ready);
    qp.context_ready = gate.at;
    return false;
  };
  const int qp = engine_ ? scheduler_.pick_in_order(cursor_, next, here)
                         : scheduler_.pick(cursor_, next, here);
  readmit(next, line);
  return qp;
}

void rnic::put_in_line(Packet& p, unsigned port, bool response) {
  ports_->put(response ? ports_->up_from(port, cursor_) : port, p, response);
  // An engine in front of one wire is the pipe: its units say from when the next packet may begin.
  const Picoseconds pipe = engine_leads_ ? 0_ps : serialisation_time(p.wire_size(), line_rate_);
  pipe_free_ = pipe_next_ = cursor_ + pipe;
}

void rnic::decide_ports_before(Picoseconds end) {
  while (cursor_ < end) {
    Picoseconds until = std::min(end, start_ports());
    if (pipe_free_ > cursor_) {
      cursor_ = std::min(until, pipe_free_);
      continue;
    }
    if (!host_.wqe_reads.empty()) host_.take_wqes(cursor_);
    const bool response_due = !responses_.empty() && responses_.next_ready() <= cursor_;
    if (response_due && !engine_) {
      send_response();
      continue;
    }
    if (response_due && respond_by_engine()) continue;
    Gate next{never, IdleCause::no_work};
    const bool stopped = nacks_.stalls_port();
    // While all units are busy nobody is asked, as in front of a wire.
    const Picoseconds free = engine_leads_ ? engine_->any_from() : cursor_;
    int qp = -1;
    if (!stopped && free <= cursor_) {
      qp = pick_for_ports(next);
    } else if (!stopped && scheduler_.any_can_send()) {
      next = {free, IdleCause::engine};
    }
    if (qp >= 0) {
      const auto i = static_cast<std::size_t>(qp);
      if (engine_) engine_->send(i, begins_message(qps_[i]), cursor_);
      send_data(i);
      continue;
    }
    if (response_due) wait_for_unit(next);
    pipe_next_ = next.at;
    if (!responses_.empty() && !response_due)
      pipe_next_ = std::min(pipe_next_, responses_.next_ready());
    until = std::min(until, pipe_next_);
    if (!host_.wqe_reads.empty()) until = std::min(until, host_.wqe_reads.next());
    wait_until(until, idle_cause(next, stopped));
  }
}

Picoseconds rnic::next_ports_time() const {
  Picoseconds t = std::min(events_.next_time(), std::max({cursor_, pipe_free_, pipe_next_}));
  if (!host_.wqe_reads.empty()) t = std::min(t, std::max(cursor_, host_.wqe_reads.next()));
  for (unsigned p = 0; p < ports(); ++p) t = std::min(t, port_starts(p));
  return t;
}

/// Packets behind a paused port wait for others, as with one port.
void rnic::ports_outlook(fabric::Outlook& outlook) const {
  for (unsigned p = 0; p < ports(); ++p) {
    const Packet* const next = ports_->next(p);
    if (next != nullptr && !next->again) outlook.expect(port_starts(p));
  }
  if (!responses_.empty()) outlook.expect(std::max(cursor_, responses_.next_ready()));
  for (std::size_t i = 0; i < qps_.size(); ++i) {
    const QueuePair& qp = qps_[i];
    if (qp.timer_at != never && !exceeds_retries(qp))
      outlook.expect(std::min(qp.sender().next_deadline(), qp.starves_at));
  }
  if (nacks_.stalls_port()) return;
  scheduler_.for_each_sending([&](const QueuePair& qp, std::size_t i) {
    if (exceeds_retries(qp)) return;
    // Its port is that of the last time it looked, which was after the last change.
    const bool room = ports_->has_room(qp.port, qp.traffic_class);
    const Picoseconds opens =
        std::max(scheduler_.gate(i).at, room ? cursor_ : port_gate(qp.port, qp.traffic_class).at);
    if (opens != never) outlook.expect(std::max({cursor_, opens, qp.context_ready}));
  });
}

}  // namespace horae::rnic
