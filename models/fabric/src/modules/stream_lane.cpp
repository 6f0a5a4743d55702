#include "stream_lane.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/core/wire_bytes.hpp"

namespace horae::fabric {
namespace {

constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
/// The longest frame: an IPv4 datagram of 65,535 bytes behind Ethernet and a tag.
constexpr std::size_t longest_frame = 65'535 + 18;

/// Bytes that a beat keeps, if they are its first ones; `nowhere` otherwise.
std::size_t kept(const StreamBeat& beat, unsigned bytes) {
  std::size_t count = 0;
  while (count < bytes && (beat.keep[count / 8] >> count % 8 & 1) != 0) ++count;
  for (std::size_t i = count; i < bytes; ++i)
    if ((beat.keep[i / 8] >> i % 8 & 1) != 0) return nowhere;
  return count;
}

/// Whether two packets are the same but for fields that a block on the way may change.
bool same_packet(const Packet& a, const Packet& b) {
  return a.src == b.src && a.dst == b.dst && a.dest_qp == b.dest_qp && a.psn == b.psn &&
         a.opcode == b.opcode;
}

}  // namespace

StreamLane::StreamLane(std::string name, const Config& config, RandomStream random,
                       WireBytes& bytes)
    : name_(std::move(name)),
      config_(config),
      random_(std::move(random)),
      wire_bytes_(&bytes),
      in_reset_(config.reset_clocks + 1) {  // its pins are driven from the first edge on
  in_.beat.data.assign(config.in_bytes, 0);
  in_.beat.keep.assign((config.in_bytes + 7) / 8, 0);
}

void StreamLane::take(Packet& p) {
  FrameBytes bytes;
  wire_bytes_->arrive(p, bytes);
  waiting_.push_back({&p, {bytes.begin(), bytes.end()}});
  counts_.most_waiting = std::max<std::uint64_t>(counts_.most_waiting, waiting_.size());
}

void StreamLane::broken(const std::string& what) const {
  throw ModelError(fmt::format("{}: AXI4-Stream, clock {}: {}", name_, counts_.clocks, what));
}

void StreamLane::check(const StreamOutputs& out) {
  if (held_) {
    if (!out.valid) broken("TVALID fell before TREADY (ARM IHI 0051A, 2.2.1)");
    if (out.beat != beat_)
      broken("TDATA, TKEEP or TLAST changed before TREADY (ARM IHI 0051A, 2.2.1)");
  }
  if (!out.valid) return;
  const std::size_t bytes = kept(out.beat, config_.out_bytes);
  if (bytes == nowhere || bytes == 0)
    broken(fmt::format("TKEEP of a beat is {:02x} (lowest byte first); expected its first bytes",
                       fmt::join(out.beat.keep, "")));
  if (!out.beat.last && bytes < config_.out_bytes)
    broken(fmt::format("TKEEP of a beat before the last one keeps {} bytes of {}; expected all",
                       bytes, config_.out_bytes));
}

void StreamLane::edge(Picoseconds now, const StreamOutputs& out) {
  left_ = nullptr;
  dropped_.clear();
  if (in_.reset) {
    if (--in_reset_ > 0) return;
    if (out.valid) broken("TVALID is high at the end of reset (ARM IHI 0051A, 2.7.2)");
    in_.reset = false;
    return;
  }
  ++counts_.clocks;
  const bool given = in_.valid && out.ready;
  if (given) {
    ++counts_.beats_in;
    if (in_.beat.last) {
      waiting_.pop_front();
      given_ = 0;
    }
  } else if (in_.valid) {
    ++counts_.waited_in;
  }
  check(out);
  held_ = out.valid && !in_.ready;
  if (held_) {
    ++counts_.waited_out;
    beat_ = out.beat;
  } else if (out.valid) {
    ++counts_.beats_out;
    collect(now, out.beat);
  }
  if (given || !in_.valid) {
    in_.valid = !waiting_.empty() && !stalls();
    if (in_.valid) put_beat();
  }
  // A frame that left before and still waits for the wire holds the next one up.
  in_.ready = wire_free_ <= now && !stalls();
}

void StreamLane::put_beat() {
  const Frame& frame = waiting_.front();
  if (given_ == 0) inside_.push_back(frame);
  const std::size_t bytes = std::min<std::size_t>(config_.in_bytes, frame.bytes.size() - given_);
  std::fill(in_.beat.data.begin(), in_.beat.data.end(), std::uint8_t{0});
  std::fill(in_.beat.keep.begin(), in_.beat.keep.end(), std::uint8_t{0});
  std::copy_n(frame.bytes.begin() + static_cast<std::ptrdiff_t>(given_), bytes,
              in_.beat.data.begin());
  for (std::size_t i = 0; i < bytes; ++i)
    in_.beat.keep[i / 8] = static_cast<std::uint8_t>(in_.beat.keep[i / 8] | 1U << i % 8);
  given_ += bytes;
  in_.beat.last = given_ == frame.bytes.size();
}

void StreamLane::collect(Picoseconds now, const StreamBeat& beat) {
  const std::size_t bytes = kept(beat, config_.out_bytes);
  frame_.insert(frame_.end(), beat.data.begin(),
                beat.data.begin() + static_cast<std::ptrdiff_t>(bytes));
  if (beat.last) return leave(now);
  if (frame_.size() > longest_frame)
    broken(fmt::format("a frame of {} bytes without TLAST", frame_.size()));
}

std::size_t StreamLane::found() const {
  for (std::size_t i = 0; i < inside_.size(); ++i)
    if (inside_[i].bytes == frame_) return i;
  std::string why = "it has the length of none";
  for (std::size_t i = 0; i < inside_.size(); ++i) {
    if (inside_[i].bytes.size() != frame_.size()) continue;
    const FieldsFound now = fields_of(frame_, *inside_[i].packet, true, wire_bytes_->codes());
    if (now.roce && same_packet(now.fields, *inside_[i].packet)) return i;
    why = now.roce ? "addresses, queue pair, PSN and opcode are of none" : now.complaint;
  }
  broken(fmt::format("a frame leaves that is of no packet in the block: {} ({} bytes, {:02x} ...)",
                     why, frame_.size(),
                     fmt::join(frame_.begin(),
                               frame_.begin() + static_cast<std::ptrdiff_t>(
                                                    std::min<std::size_t>(frame_.size(), 48)),
                               "")));
}

void StreamLane::leave(Picoseconds now) {
  const std::size_t at = found();
  Frame& frame = inside_[at];
  if (at + 1 == inside_.size() && given_ > 0)
    broken("the last beat of a frame leaves before it came");
  Packet& p = *frame.packet;
  if (frame.bytes != frame_) {
    ++counts_.changed;
    const bool corrupted = p.corrupted;
    FrameBytes bytes{std::span<const std::uint8_t>(frame_)};
    wire_bytes_->leave(p, bytes);
    if (p.corrupted && !corrupted) ++counts_.damaged;
  }
  if (config_.in_order) {
    for (std::size_t i = 0; i < at; ++i) dropped_.push_back(inside_[i].packet);
    inside_.erase(inside_.begin(), inside_.begin() + static_cast<std::ptrdiff_t>(at));
    inside_.pop_front();
  } else {
    inside_.erase(inside_.begin() + static_cast<std::ptrdiff_t>(at));
  }
  frame_.clear();
  left_ = &p;
  wire_free_ = std::max(now, wire_free_ + serialisation_time(p.wire_size(), config_.rate));
}

}  // namespace horae::fabric
