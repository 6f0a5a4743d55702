// Output of a recorder: rows of packets and of accesses to registers, bytes of packets.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "horae/core/codec/crc.hpp"
#include "horae/core/roce.hpp"
#include "horae/dataplane/pipeline.hpp"
#include "horae/replay/recorder.hpp"
#include "recorder_slot.hpp"

namespace horae::replay {
namespace {

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

void ReplayRecorder::write_packets(results::ResultStream file) {
  packets_ = std::move(file);
  packets_.print(
      "packet,copy,parent,in_port,kind,source,destination,bytes,first_bit_in_ps,last_bit_in_ps,"
      "ingress_in_ps,ingress_out_ps,queue_in_ps,queue_out_ps,first_bit_out_ps,out_port,queue,"
      "passes,verdict,cause,stage,object,psn,dest_qp\n");
}
void ReplayRecorder::write_registers(results::ResultStream file) {
  registers_ = std::move(file);
  registers_.print("time_ps,packet,copy,in_port,pass,register,index,before,after\n");
}
void ReplayRecorder::write_ports(std::vector<capture::CaptureWriter> files) {
  ports_ = std::move(files);
}

void ReplayRecorder::accessed(const dataplane::Object& object, const dataplane::AnyPass& pass,
                              std::size_t index, std::span<const std::byte> before,
                              std::span<const std::byte> after) {
  if (!registers_) return;
  const Slot& s = slot_of(pass.header());
  registers_.print("{},{},{},{},{},{},{},{},{}\n", (pass.now() - setting_.lead).count(), s.number,
                   s.copy, OptionalCell{s.in_port, s.in_port != no_port}, pass.serial(),
                   object.name(), index, value_text(before), value_text(after));
}

void ReplayRecorder::write_row(const Slot& s, const Packet& p, const Outcome& o) {
  const auto time = [&](Picoseconds t) {
    return OptionalCell{(t - setting_.lead).count(), t != not_yet};
  };
  const bool comes_from_outside = s.in_port != no_port;
  const auto node = [&](NodeId n) -> std::string_view {
    return comes_from_outside && n < setting_.nodes.size() ? std::string_view(setting_.nodes[n])
                                                           : "unknown";
  };
  const bool is_queued = s.queue_in != not_yet;
  const bool is_roce = s.before.kind == capture::FrameKind::roce;
  packets_.print("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                 s.number, s.copy, s.parent, OptionalCell{s.in_port, comes_from_outside},
                 comes_from_outside ? name_of(s.before.kind) : "generated", node(p.src),
                 node(p.dst), p.frame, time(s.first_bit_in), time(s.last_bit_in),
                 time(s.ingress_in), time(s.ingress_out), time(s.queue_in), time(s.egress_in),
                 time(o.first_bit_out), OptionalCell{o.port, o.port != no_port},
                 OptionalCell{s.queue, is_queued}, s.passes, o.verdict, o.cause,
                 OptionalCell{s.stage, s.stage >= 0}, s.object,
                 OptionalCell{p.psn.value(), is_roce}, OptionalCell{p.dest_qp.value(), is_roce});
}

void ReplayRecorder::write_bytes(const Slot& s, const Packet& p, unsigned port,
                                 Picoseconds first_bit) {
  const std::int64_t since = (first_bit - setting_.lead).count() / 1000;
  if (frames_ != nullptr) return write_frame(p, port, setting_.stamp_ns + since);
  const auto frame = rewriter_.rewrite(s.before, p, s.bytes, s.length);
  ports_[port].write(setting_.stamp_ns + since, frame.bytes, frame.length);
}

/// If the program works on bytes, these are the bytes that leave.
void ReplayRecorder::write_frame(const Packet& p, unsigned port, std::int64_t stamp_ns) {
  static constexpr Crc fcs{CrcParameters{}};
  const std::span<const std::uint8_t> bytes = frames_->of(p).bytes;
  if (!setting_.fcs)
    return ports_[port].write(stamp_ns, bytes, static_cast<std::uint32_t>(bytes.size()));
  std::vector<std::uint8_t> with_fcs(bytes.begin(), bytes.end());
  const std::uint64_t sum = fcs.of(bytes);
  for (int i = 0; i < wire::fcs; ++i) with_fcs.push_back(static_cast<std::uint8_t>(sum >> 8 * i));
  ports_[port].write(stamp_ns, with_fcs, static_cast<std::uint32_t>(with_fcs.size()));
}

void ReplayRecorder::finish() {
  std::vector<const Slot*> held;
  for (const auto& slot : slots_) {
    if (slot->used) held.push_back(slot.get());
  }
  std::sort(held.begin(), held.end(), [](const Slot* a, const Slot* b) { return a->id < b->id; });
  for (const Slot* slot : held) {
    if (!packets_) break;
    Packet p = slot->before.packet;  // as it came: its present place is unknown
    write_row(*slot, p, {.verdict = "held"});
  }
  packets_.close();
  registers_.close();
  for (auto& port : ports_) port.close();
}

}  // namespace horae::replay
