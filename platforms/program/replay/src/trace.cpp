#include "horae/replay/trace.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/core/stats.hpp"

namespace horae::replay {

Trace::Trace(const ReplayInput& input, const ReplayOptions& options,
             const capture::DissectOptions& dissect, ReplayAddresses& addresses,
             ReplayAddresses::Sides sides, const fabric::ClassMaps& classes, bool as_bytes)
    : reader_(input.trace, input.filter, options.fcs),
      options_(options),
      dissect_options_(dissect),
      addresses_(addresses),
      sides_(std::move(sides)),
      classes_(classes),
      as_bytes_(as_bytes) {}

std::optional<std::int64_t> Trace::first_stamp_ns() {
  if (!has_read_ && !ended_) has_read_ = read();
  if (!has_read_) return std::nullopt;
  return reader_.first_stamp_ns() + frame_.time_ns;
}

/// A fault ends the replay, or drops the packet.
void Trace::damaged(const std::string& why) {
  if (!options_.skip_damaged)
    throw InputError(fmt::format("{} (--skip-damaged goes on without it)", why));
  ++counts_.skipped;
}

bool Trace::next_frame() {
  for (;;) {
    try {
      return reader_.next(frame_);
    } catch (const InputError& e) {
      damaged(e.what());
      counts_.broken = reader_.ended();
    }
  }
}

/// Rounded down to a picosecond.
Picoseconds Trace::time_of(std::int64_t time_ns) {
  if (options_.pace.back_to_back) return Picoseconds(0);
  const std::int64_t stamp = reader_.first_stamp_ns() + time_ns;
  counts_.backward += stamp < latest_ns_ && has_stamp_ ? 1 : 0;
  latest_ns_ = has_stamp_ ? std::max(latest_ns_, stamp) : stamp;
  has_stamp_ = true;
  constexpr std::int64_t most = 100LL * 24 * 3600 * 1'000'000'000'000;  // of 106 days
  const detail::SignedWide scaled =
      (detail::SignedWide{latest_ns_} - origin_ns_) * options_.pace.scale / 1000;
  if (scaled > most) {
    throw InputError(
        fmt::format("{}: packet {} would be sent more than 100 days after the first "
                    "one; expected a shorter trace or a smaller --scale",
                    path(), frame_.number));
  }
  return Picoseconds(static_cast<std::int64_t>(scaled));
}

std::uint8_t Trace::class_of(const capture::Dissection& d) const {
  const bool by_tag = d.tags > 0 && classes_.trust == fabric::Trust::pcp;
  return d.dscp && !by_tag ? classes_.of_dscp(*d.dscp) : classes_.of_pcp(d.pcp);
}

bool Trace::is_pause(const capture::Dissection& d) {
  ++counts_.kinds[static_cast<std::size_t>(d.kind)];
  counts_.lldp += d.neighbour == capture::LinkLocal::lldp ? 1 : 0;
  counts_.lacp += d.neighbour == capture::LinkLocal::lacp ? 1 : 0;
  if (d.neighbour != capture::LinkLocal::mac_control) return false;
  ++counts_.pauses;
  packet_.pause = capture::pause_request(frame_.bytes);
  return packet_.pause.has_value();
}

bool Trace::read() {
  packet_.pause.reset();
  for (;;) {
    if (options_.limit != 0 && counts_.injected == options_.limit) return false;
    if (!next_frame()) return false;
    capture::Dissection& d = packet_.dissection;
    capture::dissect(frame_.bytes, frame_.length, dissect_options_, d);
    d.packet.traffic_class = class_of(d);
    if (d.kind == capture::FrameKind::link_local) {
      // It ends at the port that it came by.
      if (is_pause(d)) return true;
      continue;
    }
    if (d.kind != capture::FrameKind::malformed || as_bytes_) return true;
    ++counts_.kinds[static_cast<std::size_t>(d.kind)];
    damaged(fmt::format("{}: packet {}, byte {} of the frame: {}", path(), frame_.number,
                        d.problem_at, d.problem));
  }
}

const TracePacket* Trace::peek() {
  if (has_) return &packet_;
  if (ended_) return nullptr;
  if (!has_read_ && !read()) {
    ended_ = true;
    return nullptr;
  }
  has_read_ = false;
  capture::Dissection& d = packet_.dissection;
  try {
    if (!packet_.pause) addresses_.place(d, sides_);
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: packet {}: {}", path(), frame_.number, e.what()));
  }
  packet_.number = frame_.number;
  packet_.at = time_of(frame_.time_ns);
  packet_.bytes = frame_.bytes;
  packet_.length = frame_.length;
  has_ = true;
  return &packet_;
}

void Trace::take() {
  has_ = false;
  if (packet_.pause) return;
  const capture::Dissection& d = packet_.dissection;
  ++counts_.injected;
  ++counts_.kinds[static_cast<std::size_t>(d.kind)];
  counts_.cut += d.whole ? 0 : 1;
  counts_.padded += d.padded ? 1 : 0;
  counts_.limited += d.limited ? 1 : 0;
  counts_.tagged += d.tags > 0 ? 1 : 0;
  counts_.tunnelled += d.tunnel != capture::Tunnel::none ? 1 : 0;
  counts_.rocev1 += d.v1 ? 1 : 0;
}

}  // namespace horae::replay
