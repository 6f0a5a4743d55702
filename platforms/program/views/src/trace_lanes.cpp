#include "trace_lanes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace horae::views {

void order_tracks(TraceSlices& out) {
  std::vector<std::uint32_t> order(out.tracks.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto key = [&](std::uint32_t i) {
    const auto& t = out.tracks[i];
    return std::tuple(t.device, t.block, t.index);
  };
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return key(a) < key(b); });
  std::vector<TraceTrack> tracks;
  std::vector<std::uint32_t> now(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    now[order[i]] = i;
    tracks.push_back(out.tracks[order[i]]);
  }
  out.tracks = std::move(tracks);
  for (auto& s : out.slices) s.track = now[s.track];
}

void give_lanes(TraceSlices& out) {
  std::vector<std::uint32_t> order(out.slices.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto& x = out.slices[a];
    const auto& y = out.slices[b];
    return std::tuple(x.track, x.start, x.end, a) < std::tuple(y.track, y.start, y.end, b);
  });
  std::vector<Picoseconds> busy_until;
  for (std::size_t n = 0; n < order.size(); ++n) {
    TraceSlice& s = out.slices[order[n]];
    if (n == 0 || out.slices[order[n - 1]].track != s.track) busy_until.clear();
    std::size_t lane = 0;
    while (lane < busy_until.size() && busy_until[lane] > s.start) ++lane;
    if (lane == busy_until.size()) busy_until.emplace_back();
    busy_until[lane] = s.end;
    s.lane = static_cast<std::uint32_t>(lane);
    out.tracks[s.track].lanes =
        std::max(out.tracks[s.track].lanes, static_cast<unsigned>(lane) + 1);
  }
}

std::string name_of(const TraceTrack& track) {
  const auto i = track.index;
  switch (track.block) {
    case Block::messages:
      return i == TraceRecord::none ? "messages" : fmt::format("messages of QP {:#x}", 0x40 + i);
    case Block::posting:
      return "host posts";
    case Block::polling:
      return "host polls";
    case Block::host_reads:
      return "host reads";
    case Block::host_writes:
      return "host writes";
    case Block::engine:
      return "TX engine";
    case Block::rx_engine:
      return "RX engine";
    case Block::service:
      return "NACK service";
    case Block::tx:
      return "TX wire";
    case Block::rx:
      return "RX";
    case Block::receive:
      return fmt::format("receive port {}", i);
    case Block::ingress:
      return fmt::format("parser, ingress pipe {}", i);
    case Block::queue:
      return fmt::format("queue port {}", i);
    case Block::egress:
      return fmt::format("egress pipe {}", i);
    case Block::wire:
      return fmt::format("wire port {}", i);
    case Block::loopback:
      return fmt::format("recirculation pipe {}", i);
    case Block::drops:
      return "drops";
    case Block::paused:
      return fmt::format("paused port {}", i);
  }
  return {};
}

}  // namespace horae::views
