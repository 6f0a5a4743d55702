#include "horae/replay/recorder.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/tofino/tofino_switch.hpp"
#include "recorder_slot.hpp"

namespace horae::replay {
namespace {

constexpr unsigned slot_bits = 24;

}  // namespace

ReplayRecorder::ReplayRecorder() = default;
ReplayRecorder::~ReplayRecorder() = default;

void ReplayRecorder::start(const fabric::device& watched, Setting setting) {
  watched_ = &watched;
  setting_ = std::move(setting);
  rewriter_ = capture::Rewriter(setting_.fcs);
  const auto* chip = dynamic_cast<const tofino::tofino_switch*>(&watched);
  tells_arrivals_as_queued_ = chip == nullptr;
  if (chip == nullptr) return;
  frames_ = chip->frames();
  learn_stages(*chip);
}

void ReplayRecorder::learn_stages(const tofino::tofino_switch& chip) {
  std::unordered_map<std::string, unsigned> stages;
  for (const auto& object : chip.ledger().objects) {
    const auto in = object.stages();
    if (!in.empty()) stages[object.name] = in.back();
  }
  for (unsigned i = 0; i < chip.config().pipelines; ++i) {
    auto& placed = placed_.emplace_back();
    for (const dataplane::Object* object : chip.objects(i).objects()) {
      auto it = stages.find(object->short_name());
      // In a P4 program a price does not have the pipe's name before those of its objects.
      if (it == stages.end() && frames_ != nullptr)
        it = stages.find(object->short_name().substr(object->short_name().find('.') + 1));
      if (it != stages.end()) placed.push_back({object, it->second});
    }
  }
}

std::size_t ReplayRecorder::free_slot() {
  if (free_.empty()) {
    if (slots_.size() >= std::size_t{1} << slot_bits) {
      throw ModelError(
          fmt::format("more than {} packets in {} at a time", slots_.size(), watched_->name()));
    }
    slots_.push_back(std::make_unique<Slot>());
    free_.push_back(static_cast<std::uint32_t>(slots_.size() - 1));
  }
  const std::size_t i = free_.back();
  free_.pop_back();
  return i;
}

ReplayRecorder::Slot& ReplayRecorder::slot_of(const Packet& p) {
  const std::size_t i =
      is_made_inside(p) ? copies_.at(p.id) : p.id & ((std::uint64_t{1} << slot_bits) - 1);
  return *slots_[i];
}

void ReplayRecorder::release(const Packet& p) {
  slot_of(p).used = false;
  if (is_made_inside(p)) {
    const auto it = copies_.find(p.id);
    free_.push_back(it->second);
    copies_.erase(it);
  } else {
    free_.push_back(static_cast<std::uint32_t>(p.id & ((std::uint64_t{1} << slot_bits) - 1)));
  }
}

std::uint64_t ReplayRecorder::enter(const replay_port& end, const TracePacket& packet,
                                    Picoseconds first_bit) {
  const std::size_t i = free_slot();
  Slot& s = *slots_[i];
  s.clear(first_bit);
  s.id = entered_++ << slot_bits | i;
  s.number = packet.number;
  s.copy = s.parent = 0;
  s.in_port = setting_.entry.at(&end);
  s.before = packet.dissection;
  if (!ports_.empty() && frames_ == nullptr) {
    s.bytes.assign(packet.bytes.begin(), packet.bytes.end());
    s.length = packet.length;
  }
  return s.id;
}

void ReplayRecorder::arrived(const fabric::device& d, unsigned, const Packet& p, Picoseconds at,
                             Picoseconds ready) {
  if (&d != watched_) return;
  Slot& s = slot_of(p);
  s.last_bit_in = at;
  if (!tells_arrivals_as_queued_) return;
  s.queue_in = ready;
  s.queue = p.traffic_class;
}

void ReplayRecorder::queued(const fabric::device& d, unsigned, unsigned queue, const Packet& p,
                            Picoseconds at) {
  if (&d != watched_) return;
  Slot& s = slot_of(p);
  s.queue_in = at;
  s.queue = queue;
}

void ReplayRecorder::passed(const tofino::tofino_switch&, const dataplane::Pass& pass,
                            Picoseconds entered, Picoseconds deparsed) {
  Slot& s = slot_of(pass.header());
  s.copied = false;  // copies of a pass are told of after it
  if (pass.where().gress == dataplane::Gress::ingress) {
    if (s.passes++ == 0) s.ingress_in = entered;
    s.ingress_out = deparsed;
  } else {
    s.egress_in = entered;
  }
  if (pass.verdict() == dataplane::Verdict::drop) blame(pass, s);
}

/// The object used last in the pass: of those in the last stage that was used, the program's last.
void ReplayRecorder::blame(const dataplane::Pass& pass, Slot& slot) {
  const Placed* last = nullptr;
  for (const Placed& placed : placed_[pass.where().pipeline]) {
    if (placed.object->where() != pass.where() || !placed.object->used_in(pass.serial())) continue;
    if (last == nullptr || placed.stage >= last->stage) last = &placed;
  }
  if (last == nullptr) return;
  slot.stage = static_cast<int>(last->stage);
  slot.object = last->object->short_name();
}

void ReplayRecorder::mirrored(const tofino::tofino_switch&, const Packet& original,
                              const Packet& copy, Picoseconds at) {
  const std::size_t i = free_slot();
  Slot& of = slot_of(original);
  of.copied = true;
  Slot& s = *slots_[i];
  s.clear(at);
  s.id = copy.id;
  s.number = of.number;
  s.copy = ++copies_made_;
  s.parent = of.copy;
  s.in_port = of.in_port;
  s.before = of.before;
  s.bytes = of.bytes;
  s.length = of.length;
  copies_[copy.id] = static_cast<std::uint32_t>(i);
}

void ReplayRecorder::generated(const tofino::tofino_switch&, const Packet& p, Picoseconds at) {
  const std::size_t i = free_slot();
  Slot& s = *slots_[i];
  s.clear(at);
  s.id = p.id;
  s.number = s.parent = 0;
  s.copy = ++copies_made_;
  s.in_port = no_port;
  s.before = {};
  copies_[p.id] = static_cast<std::uint32_t>(i);
}

void ReplayRecorder::sent(const fabric::device& d, unsigned port, const Packet& p,
                          Picoseconds start, Picoseconds first_bit, Picoseconds) {
  if (&d != watched_) return;
  Slot& s = slot_of(p);
  if (s.egress_in == not_yet) s.egress_in = start;
  if (packets_) write_row(s, p, {.verdict = "sent", .port = port, .first_bit_out = first_bit});
  if (!ports_.empty()) write_bytes(s, p, port, first_bit);
  release(p);
}

void ReplayRecorder::dropped(const fabric::device& d, const Packet& p, fabric::DropCause cause,
                             Picoseconds) {
  if (&d != watched_) return;
  const bool replaced = slot_of(p).copied && cause == fabric::DropCause::program;
  if (packets_) {
    std::string why(fabric::name_of(cause));
    if (cause == fabric::DropCause::program && frames_ != nullptr)
      why += fmt::format(":{}", frames_->of(p).dropped_for);
    write_row(slot_of(p), p, {.verdict = replaced ? "replaced" : "dropped", .cause = why});
  }
  release(p);
}

}  // namespace horae::replay
