#include "horae/elaboration/counted_so_far.hpp"

#include <algorithm>
#include <cstddef>

#include "findings_parts.hpp"

namespace horae::elaboration {
namespace {

using Counters = fabric::output_queued_switch::Counters;

/// Numbers of one device or module.
class Numbers {
 public:
  Numbers(std::string device, const config::PlatformConfig& platform)
      : device_(std::move(device)), platform_(platform) {}

  void add(const std::string& name, double value, const std::string& unit) {
    const StatKind kind = stat_kind(name);
    const bool maximum = kind == StatKind::maximum;
    out_.push_back(
        {device_ + "." + name, value, maximum ? unit_of_maximum(unit, platform_) : unit, kind});
  }
  void add(const StatTree& tree) {
    tree.for_each([this](const std::string& name, double value, const std::string& unit) {
      add(name, value, unit);
    });
  }
  std::vector<NamedNumber> take() { return std::move(out_); }

 private:
  std::string device_;
  const config::PlatformConfig& platform_;
  std::vector<NamedNumber> out_;
};

std::vector<NamedNumber> numbers_of(const tofino::tofino_switch& chip,
                                    const config::PlatformConfig& platform) {
  Numbers out(chip.name(), platform);
  const auto& c = chip.counters();
  const auto add = [&](const std::string& counter, auto value, const std::string& unit) {
    out.add(counter, static_cast<double>(value), unit);
  };
  add("ingress_passes", c.ingress_passes, "passes");
  add("egress_passes", c.egress_passes, "passes");
  add("marked", c.marked, "packets");
  add("dropped_program", c.dropped_program, "packets");
  add("dropped_buffer", c.dropped_buffer, "packets");
  add("dropped_queue", c.dropped_queue, "packets");
  if (chip.config().pauses()) {
    add("dropped_headroom", c.dropped_headroom, "packets");
    add("pauses_sent", c.pauses_sent, "frames");
  }
  if (chip.config().loopback) {
    add("dropped_loopback", c.dropped_loopback, "packets");
    add("most_loopback_held", chip.loopbacks().most_held().count(), "bytes");
    add("recirculated_bytes", c.recirculated_bytes, "bytes");
  }
  add("most_cells", chip.most_cells_used(), "cells");
  StatTree program;
  chip.program_statistics(program);
  out.add(program);
  return out.take();
}

std::vector<NamedNumber> since(const std::vector<NamedNumber>& now,
                               const std::vector<NamedNumber>& before) {
  std::vector<NamedNumber> out = now;
  for (NamedNumber& number : out) {
    if (number.kind != StatKind::count) continue;
    // Some are named only once they have counted something.
    const auto then = std::ranges::find(before, number.name, &NamedNumber::name);
    if (then != before.end()) number.value -= then->value;
  }
  return out;
}

std::vector<std::vector<NamedNumber>> since(const std::vector<std::vector<NamedNumber>>& now,
                                            const std::vector<std::vector<NamedNumber>>& before) {
  std::vector<std::vector<NamedNumber>> out;
  for (std::size_t i = 0; i < now.size(); ++i) out.push_back(since(now[i], before[i]));
  return out;
}

}  // namespace

std::string unit_of_maximum(const std::string& unit, const config::PlatformConfig& platform) {
  return platform.sim.warmup > 0_ps ? unit + " of the whole run" : unit;
}

CountedSoFar CountedSoFar::of(const Simulation& s) {
  const config::PlatformConfig& platform = s.platform();
  CountedSoFar out;
  for (const Connection& c : s.flows()) {
    const auto& progress = c.sender->queue_pair(c.sender_qp).progress();
    const auto& received = c.receiver->queue_pair(c.receiver_qp).progress();
    out.flows.push_back({.nacks = progress.nacks,
                         .timeouts = progress.timeouts,
                         .messages = progress.completed_messages,
                         .bytes = progress.completed_bytes,
                         .delivered = progress.delivered_bytes + received.delivered_bytes});
  }
  out.devices.resize(s.devices().size());
  for (const auto* chip : s.tofinos()) out.devices[chip->number()] = numbers_of(*chip, platform);
  for (const auto* sw : s.switches()) {
    Numbers part(sw->name(), platform);
    StatTree tree;
    sw->part_statistics(tree);
    part.add(tree);
    out.devices[sw->number()] = part.take();
    add(sw->counters(), out.switches);
  }
  const auto add_module = [&](const auto& m) {
    Numbers numbers(m->name(), platform);
    StatTree tree;
    m->statistics(tree);
    numbers.add(tree);
    out.modules.push_back(numbers.take());
  };
  std::ranges::for_each(s.modules(), add_module);
  std::ranges::for_each(s.memories(), add_module);
  return out;
}

CountedSoFar CountedSoFar::since(const CountedSoFar& before) const {
  CountedSoFar out = *this;
  if (before.devices.empty()) return out;
  out.devices = elaboration::since(devices, before.devices);
  out.modules = elaboration::since(modules, before.modules);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    out.flows[i].nacks -= before.flows[i].nacks;
    out.flows[i].timeouts -= before.flows[i].timeouts;
    out.flows[i].messages -= before.flows[i].messages;
    out.flows[i].bytes -= before.flows[i].bytes;
    out.flows[i].delivered -= before.flows[i].delivered;
  }
  subtract(before.switches, out.switches);
  return out;
}

}  // namespace horae::elaboration
