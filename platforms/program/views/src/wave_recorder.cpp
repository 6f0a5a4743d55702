#include "horae/views/wave_recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "horae/elaboration/simulation.hpp"
#include "horae/views/trace_json.hpp"

namespace horae::views {
namespace {

constexpr std::int64_t mega = 1'000'000;

}  // namespace

void WaveRecorder::put(Picoseconds at, Signal signal, std::int64_t value, bool relative) {
  if (signal == no_signal || at >= filter_.to()) return;
  if (!relative) {
    // Many events leave a value as it is.
    if (told_[signal] == value) return;
    told_[signal] = value;
  }
  if (at < filter_.from()) {
    // Values are told in the order of their time, differences need none.
    auto& b = before_[signal];
    b.value = relative ? b.value + value : value;
    return;
  }
  if (changes_.size() >= most_) {
    full_at_ = std::min(full_at_, at);
    return;
  }
  changes_.push_back({at, value, signal, relative});
}

void WaveRecorder::enter(Device& device, unsigned port, unsigned queue, std::int64_t bytes,
                         Picoseconds at) {
  Port& p = device.ports[port];
  const auto [it, fresh] = p.queues.try_emplace(queue, no_signal);
  if (fresh) {
    it->second = declare({device.name, fmt::format("port{}", port)},
                         fmt::format("queue{}_bytes", queue), wide);
  }
  add(at, p.bytes, bytes);
  add(at, it->second, bytes);
  if (device.plain) add(at, device.buffer, bytes);
}

void WaveRecorder::queued(const fabric::device& d, unsigned port, unsigned queue, const Packet& p,
                          Picoseconds at) {
  Device& device = *devices_.at(&d);
  enter(device, port, queue, p.frame, at);
  waiting_[&p] = {&device, port, queue, p.frame};
}

void WaveRecorder::leave(const Packet& p, Picoseconds at) {
  const auto it = waiting_.find(&p);
  if (it == waiting_.end()) return;
  const Waiting w = it->second;
  waiting_.erase(it);
  enter(*w.device, w.port, w.queue, -w.frame, at);
}

void WaveRecorder::sent(const fabric::device& d, unsigned port, const Packet& p, Picoseconds start,
                        Picoseconds first_bit, Picoseconds last_bit) {
  leave(p, start);
  Device& device = *devices_.at(&d);
  add(first_bit, device.ports[port].busy, 1);
  add(last_bit, device.ports[port].busy, -1);
  if (!device.nic || !p.is_data()) return;
  const auto whose = filter_.owner(p);
  if (!whose || whose->reply) return;
  look_at(*device.nic, filter_.sender_qp(whose->flow), start);
}

void WaveRecorder::dropped(const fabric::device&, const Packet& p, fabric::DropCause,
                           Picoseconds at) {
  leave(p, at);
}

void WaveRecorder::paused(const fabric::device& d, unsigned port, unsigned traffic_class,
                          bool pause, Picoseconds at) {
  Device& device = *devices_.at(&d);
  auto& paused = device.ports[port].paused;
  const auto [it, fresh] = paused.try_emplace(traffic_class, no_signal);
  if (fresh) {
    it->second = declare({device.name, fmt::format("port{}", port)},
                         fmt::format("paused_class{}", traffic_class), 1);
  }
  set(at, it->second, pause ? 1 : 0);
}

void WaveRecorder::passed(const tofino::tofino_switch&, const dataplane::Pass& pass,
                          Picoseconds entered, Picoseconds) {
  if (pass.where().gress == dataplane::Gress::egress) leave(pass.header(), entered);
}

void WaveRecorder::stepped(const tofino::tofino_switch& chip, Picoseconds at) {
  const fabric::device& d = chip;
  set(at, devices_.at(&d)->buffer, chip.cells_used());
}

void WaveRecorder::look_at(Nic& n, std::size_t qp, Picoseconds at) {
  const auto& pair = n.nic->queue_pair(qp);
  const std::uint32_t unacked = pair.sender().unacked();
  if (unacked != n.unacked[qp]) {
    n.unacked_sum += std::int64_t{unacked} - std::int64_t{n.unacked[qp]};
    n.unacked[qp] = unacked;
    set(at, n.outstanding, n.unacked_sum);
    set(at, n.qp_outstanding[qp], unacked);
  }
  if (n.rate != no_signal && pair.has_source()) {
    const std::int64_t rate = n.nic->rate(qp, at).count() / mega;
    if (rate != n.rates[qp]) {
      n.rate_sum += rate - n.rates[qp];
      n.rates[qp] = rate;
      set(at, n.rate, n.rate_sum);
      set(at, n.qp_rate[qp], rate);
    }
  }
  set(at, n.ready, static_cast<std::int64_t>(n.nic->ready_queue_pairs()));
  if (n.buffer != no_signal) set(at, n.buffer, n.nic->fetcher()->used().count());
}

void WaveRecorder::stepped(const rnic::rnic& nic, std::optional<std::size_t> qp, Picoseconds at) {
  const fabric::device& d = nic;
  Nic& n = *devices_.at(&d)->nic;
  if (qp) look_at(n, *qp, at);
  if (n.pins) n.pins->place(at);
}

void WaveRecorder::finish(Picoseconds end) { end_ = std::min(end, filter_.to()); }

void WaveRecorder::write(std::ostream& out) const {
  std::vector<const Change*> order;
  order.reserve(changes_.size());
  for (const auto& c : changes_) order.push_back(&c);
  // Those of one time stay in the order in which they were told.
  std::stable_sort(order.begin(), order.end(),
                   [](const Change* a, const Change* b) { return a->at < b->at; });
  std::vector<std::int64_t> values;
  for (const auto& b : before_) values.push_back(b.value);
  const Picoseconds until = std::min(end_, full_at_);
  const Picoseconds start = std::min(filter_.from(), until);
  const auto apply = [&values](const Change& c) {
    values[c.signal] = c.relative ? values[c.signal] + c.value : c.value;
  };
  // Around the time when there were too many, some are missing.
  const auto lies_by = [&](auto next, Picoseconds end) {
    return next != order.end() && (*next)->at <= end && (*next)->at < full_at_;
  };
  auto next = order.begin();
  for (; lies_by(next, start); ++next) apply(**next);
  std::string comment = "made by horae";
  if (full_at_ != never) {
    comment += fmt::format("; the limit of changes was reached at {} us, where it ends",
                           microseconds_text(full_at_));
  }
  VcdWriter writer(out, variables_, values, start, comment);
  for (; lies_by(next, until); ++next) {
    apply(**next);
    writer.change((*next)->at, (*next)->signal, values[(*next)->signal]);
  }
  writer.finish(until);
}

}  // namespace horae::views
