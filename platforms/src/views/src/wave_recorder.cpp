#include "horae/views/wave_recorder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/build/simulation.hpp"
#include "horae/views/trace_json.hpp"

namespace horae::views {
namespace {

constexpr unsigned wide = 40;  ///< bits of a count
/// NICs with more queue pairs show them together only.
constexpr std::size_t most_qp_scopes = 16;
constexpr std::int64_t mega = 1'000'000;
constexpr std::uint32_t no_signal = 0xffffffffu;

}  // namespace

WaveRecorder::WaveRecorder(const ViewFilter& filter, build::Simulation& simulation,
                           std::uint64_t most)
    : filter_(filter), most_(most) {
  for (const auto& d : simulation.devices()) {
    auto device = std::make_unique<Device>();
    device->name = d->name();
    auto* nic = dynamic_cast<rnic::rnic*>(d.get());
    const bool chip = dynamic_cast<tofino::tofino_switch*>(d.get()) != nullptr;
    device->plain = dynamic_cast<fabric::output_queued_switch*>(d.get()) != nullptr;
    if (device->plain || chip)
      device->buffer = declare({device->name}, chip ? "cells" : "buffer_bytes", wide);
    if (nic != nullptr) add_nic(*device, *nic);
    for (unsigned i = 0; i < d->ports(); ++i) {
      Port port{no_signal, no_signal, {}, {}};
      if (d->tx(i).connected()) {
        const std::string name = fmt::format("port{}", i);
        port.busy = declare({device->name, name}, "wire_busy", 1);
        if (device->plain || chip) port.bytes = declare({device->name, name}, "queue_bytes", wide);
      }
      device->ports.push_back(std::move(port));
    }
    devices_.emplace(d.get(), std::move(device));
  }
  for (const auto& [nic, rtl] : simulation.hardware()) {
    Device& device = *devices_.at(nic);
    device.nic->pins = std::make_unique<PinWaves>(
        *rtl, Clock(nic->config().ordering.clock),
        [&](const std::string& name, unsigned bits) {
          return declare({device.name, "ordering"}, name, bits);
        },
        [this](Picoseconds at, Signal signal, std::int64_t value) { set(at, signal, value); });
  }
}

WaveRecorder::~WaveRecorder() = default;

void WaveRecorder::add_nic(Device& device, rnic::rnic& nic) {
  auto n = std::make_unique<Nic>();
  n->nic = &nic;
  n->outstanding = declare({device.name}, "outstanding", wide);
  n->ready = declare({device.name}, "ready_qps", wide);
  const Signal window = declare({device.name}, "window", wide);
  before_[window].value = nic.config().reliability.window;
  const bool controlled =
      policy::find_congestion_algorithm(nic.config().congestion.algorithm).controls_rates;
  n->rate = controlled ? declare({device.name}, "rate_mbps", wide) : no_signal;
  n->buffer =
      nic.fetcher() != nullptr ? declare({device.name}, "tx_buffer_bytes", wide) : no_signal;
  n->unacked.assign(nic.queue_pairs(), 0);
  n->rates.assign(nic.queue_pairs(), 0);
  std::size_t senders = 0;
  for (std::size_t i = 0; i < nic.queue_pairs(); ++i) senders += nic.queue_pair(i).has_source();
  n->qp_outstanding.assign(nic.queue_pairs(), no_signal);
  n->qp_rate.assign(nic.queue_pairs(), no_signal);
  for (std::size_t i = 0; i < nic.queue_pairs() && senders <= most_qp_scopes; ++i) {
    if (!nic.queue_pair(i).has_source()) continue;
    const std::string scope = fmt::format("qp{:#x}", rnic::rnic::first_qpn + i);
    n->qp_outstanding[i] = declare({device.name, scope}, "outstanding", wide);
    if (controlled) n->qp_rate[i] = declare({device.name, scope}, "rate_mbps", wide);
  }
  device.nic = std::move(n);
}

WaveRecorder::Signal WaveRecorder::declare(std::vector<std::string> scope, std::string name,
                                           unsigned bits) {
  variables_.push_back({std::move(scope), std::move(name), bits});
  const auto signal = static_cast<Signal>(variables_.size() - 1);
  before_.push_back({Picoseconds(-1), 0, signal, false});
  told_.push_back(0);
  return signal;
}

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
  // Of the time when there were too many, some are missing.
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
