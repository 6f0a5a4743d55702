#include "horae/replay/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "horae/core/error.hpp"
#include "horae/tofino/tofino_switch.hpp"

namespace horae::replay {
namespace {

constexpr unsigned slot_bits = 24;
constexpr Picoseconds not_yet = Picoseconds(-1);
constexpr unsigned no_port = ~0u;

/// A cell of a row: nothing for what did not happen.
struct OptionalCell {
  std::int64_t value;
  bool there;
};

/// An integer of a cell's bytes, or the bytes as hexadecimal digits.
std::string value_text(std::span<const std::byte> bytes) {
  const auto as = [&]<class T>(T value) {
    std::memcpy(&value, bytes.data(), sizeof value);
    return fmt::format("{}", value);
  };
  switch (bytes.size()) {
    case 1:
      return as(std::uint8_t{});
    case 2:
      return as(std::uint16_t{});
    case 4:
      return as(std::uint32_t{});
    case 8:
      return as(std::uint64_t{});
    default:
      break;
  }
  std::string text = "0x";
  for (const std::byte b : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(b));
  return text;
}

}  // namespace
}  // namespace horae::replay

template <>
struct fmt::formatter<horae::replay::OptionalCell> : fmt::formatter<std::int64_t> {
  auto format(const horae::replay::OptionalCell& cell, fmt::format_context& context) const {
    return cell.there ? fmt::formatter<std::int64_t>::format(cell.value, context) : context.out();
  }
};

namespace horae::replay {

/// A packet that the switch has, or is about to have.
struct ReplayRecorder::Slot {
  bool used = false;
  std::uint64_t id = 0;
  std::uint64_t number = 0;  ///< in its trace; of a copy, that of the packet it comes from
  std::uint64_t copy = 0;    ///< 0: it is none
  std::uint64_t parent = 0;  ///< of a copy: the copy that it is one of
  unsigned in_port = 0;
  Picoseconds first_bit_in, last_bit_in, ingress_in, ingress_out, queue_in, egress_in;
  unsigned queue = 0;
  unsigned passes = 0;
  int stage = -1;
  std::string object;
  capture::Dissection before;
  std::vector<std::uint8_t> bytes;
  std::uint32_t length = 0;

  void clear(Picoseconds first_bit) {
    first_bit_in = first_bit;
    last_bit_in = ingress_in = ingress_out = queue_in = egress_in = not_yet;
    queue = passes = 0;
    stage = -1;
    object.clear();
    used = true;
  }
};

/// The end of a packet.
struct ReplayRecorder::Outcome {
  std::string_view verdict;
  std::string_view cause = {};
  unsigned port = no_port;
  Picoseconds first_bit_out = not_yet;
};

ReplayRecorder::ReplayRecorder() = default;
ReplayRecorder::~ReplayRecorder() = default;

void ReplayRecorder::write_packets(results::ResultStream file) {
  packets_ = std::move(file);
  packets_.print(
      "packet,copy,parent,in_port,kind,source,destination,bytes,first_bit_in_ps,last_bit_in_ps,"
      "ingress_in_ps,ingress_out_ps,queue_in_ps,queue_out_ps,first_bit_out_ps,out_port,queue,"
      "passes,verdict,cause,stage,object\n");
}
void ReplayRecorder::write_registers(results::ResultStream file) {
  registers_ = std::move(file);
  registers_.print("time_ps,packet,copy,in_port,pass,register,index,before,after\n");
}
void ReplayRecorder::write_ports(std::vector<capture::CaptureWriter> files) {
  ports_ = std::move(files);
}

void ReplayRecorder::start(const fabric::device& watched, Setting setting) {
  watched_ = &watched;
  setting_ = std::move(setting);
  rewriter_ = capture::Rewriter(setting_.fcs);
  const auto* chip = dynamic_cast<const tofino::tofino_switch*>(&watched);
  tells_arrivals_as_queued_ = chip == nullptr;
  if (chip != nullptr) learn_stages(*chip);
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
      const auto it = stages.find(object->short_name());
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
      is_copy(p) ? copies_.at(p.id) : p.id & ((std::uint64_t{1} << slot_bits) - 1);
  return *slots_[i];
}

void ReplayRecorder::release(const Packet& p) {
  slot_of(p).used = false;
  if (is_copy(p)) {
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
  if (!ports_.empty()) {
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
  const Slot& of = slot_of(original);
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
  if (packets_) write_row(slot_of(p), p, {.verdict = "dropped", .cause = fabric::name_of(cause)});
  release(p);
}

void ReplayRecorder::accessed(const dataplane::Object& object, const dataplane::Pass& pass,
                              std::size_t index, std::span<const std::byte> before,
                              std::span<const std::byte> after) {
  if (!registers_) return;
  const Slot& s = slot_of(pass.header());
  registers_.print("{},{},{},{},{},{},{},{},{}\n", (pass.now() - setting_.lead).count(), s.number,
                   s.copy, s.in_port, pass.serial(), object.name(), index, value_text(before),
                   value_text(after));
}

void ReplayRecorder::write_row(const Slot& s, const Packet& p, const Outcome& o) {
  const auto time = [&](Picoseconds t) {
    return OptionalCell{(t - setting_.lead).count(), t != not_yet};
  };
  const auto node = [&](NodeId n) -> std::string_view {
    return n < setting_.nodes.size() ? std::string_view(setting_.nodes[n]) : "unknown";
  };
  const bool is_queued = s.queue_in != not_yet;
  packets_.print("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", s.number,
                 s.copy, s.parent, s.in_port, name_of(s.before.kind), node(p.src), node(p.dst),
                 p.frame, time(s.first_bit_in), time(s.last_bit_in), time(s.ingress_in),
                 time(s.ingress_out), time(s.queue_in), time(s.egress_in), time(o.first_bit_out),
                 OptionalCell{o.port, o.port != no_port}, OptionalCell{s.queue, is_queued},
                 s.passes, o.verdict, o.cause, OptionalCell{s.stage, s.stage >= 0}, s.object);
}

void ReplayRecorder::write_bytes(const Slot& s, const Packet& p, unsigned port,
                                 Picoseconds first_bit) {
  const auto frame = rewriter_.rewrite(s.before, p, s.bytes, s.length);
  const std::int64_t since = (first_bit - setting_.lead).count() / 1000;
  ports_[port].write(setting_.stamp_ns + since, frame.bytes, frame.length);
}

void ReplayRecorder::finish() {
  std::vector<const Slot*> held;
  for (const auto& slot : slots_) {
    if (slot->used) held.push_back(slot.get());
  }
  std::sort(held.begin(), held.end(), [](const Slot* a, const Slot* b) { return a->id < b->id; });
  for (const Slot* slot : held) {
    if (!packets_) break;
    Packet p = slot->before.packet;  // as it came: where it is now nobody says
    write_row(*slot, p, {.verdict = "held"});
  }
  packets_.close();
  registers_.close();
  for (auto& port : ports_) port.close();
}

}  // namespace horae::replay
