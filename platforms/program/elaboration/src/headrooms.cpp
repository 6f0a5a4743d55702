#include "headrooms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/workload/traffic.hpp"

namespace horae::elaboration {

Bytes largest_frame(const config::PlatformConfig& platform) {
  Bytes payload = 4_KiB;
  for (std::size_t table = 0; table < platform.traffic.size(); ++table) {
    workload::traffic_of(platform, table)
        .packets(platform, [&](const workload::PacketStream& stream) {
          payload = std::max(payload, stream.largest_payload);
        });
  }
  return frame_bytes(Opcode::write_first, payload);
}

namespace {

/// Longest time from a paused sender's last decision to its first bit on the wire, over the
/// platform. A chip's is taken with the longest egress a program can have (600 cycles: the open
/// Tofino compiler's limit for 20 stages).
Picoseconds longest_transmit_pipeline(const config::PlatformConfig& platform) {
  constexpr Cycles longest_egress(600);
  Picoseconds longest{};
  for (const auto& [name, profile] : platform.profiles) {
    if (const auto* nic = std::get_if<rnic::RnicConfig>(&profile)) {
      longest = std::max(longest, nic->tx_latency);
    } else if (const auto* chip = std::get_if<config::TofinoProfile>(&profile)) {
      longest = std::max(longest, chip->chip.egress_parser +
                                      Clock(chip->chip.mau_clock).edge(longest_egress) +
                                      chip->chip.egress_deparser + chip->chip.mac_tx);
    }
  }
  return longest;
}

/// Headroom of each port, by its own link.
std::vector<Bytes> headrooms(const config::PlatformConfig& platform, unsigned vertex,
                             const Lossless& sw) {
  std::vector<Bytes> out(sw.ports, sw.pfc.headroom);
  if (sw.pfc.headroom.count() > 0 && !sw.pfc.headroom_delays) return out;
  const Bytes frame = largest_frame(platform);
  const Picoseconds pipeline = longest_transmit_pipeline(platform);
  const auto rounded = [](double bytes) { return Bytes(std::llround(bytes)); };
  for (std::size_t i = 0; i < platform.links.size(); ++i) {
    const auto& edge = platform.topology.edges()[i];
    if (edge.a != vertex && edge.b != vertex) continue;
    // The rate is of data that comes in, the delay also of the pause that goes out.
    const auto& link = platform.links[i];
    const auto& [in, back] = edge.a == vertex ? std::pair(link.backward, link.config)
                                              : std::pair(link.config, link.backward);
    const Picoseconds delay = (in.delay + back.delay) / 2;
    out[edge.a == vertex ? edge.port_a : edge.port_b] =
        sw.pfc.headroom_delays
            ? rounded(*sw.pfc.headroom_delays * static_cast<double>(in.rate.count()) *
                      to_seconds(delay) / 8)
            : rounded(
                  static_cast<double>(
                      fabric::pfc_headroom(in.rate, delay, frame, sw.latency, pipeline).count()) *
                  sw.most_per_byte);
  }
  return out;
}

}  // namespace

namespace {

/// InputError where a part of the buffer, of which the classes `among` take, is less than they
/// need.
void check_part(const config::DeviceInstance& spec, const Lossless& sw,
                const std::vector<Bytes>& out, Bytes size, unsigned among,
                const std::string& text) {
  if (!sw.pfc.dynamic()) {
    // For each port and class that pauses: the threshold, and what arrives after the pause.
    Bytes needed{};
    for (const Bytes headroom : out) needed += sw.pfc.reserved(headroom, among);
    if (needed <= size) return;
    throw input_error(
        spec.where,
        fmt::format("{} of '{}' is less than its {} ports may hold with pfc.xoff = {} and a "
                    "headroom of up to {} each: packets would be lost; expected at least {}",
                    text, spec.name, sw.ports, to_text(sw.pfc.xoff),
                    to_text(*std::max_element(out.begin(), out.end())), to_text(needed)));
  }
  if (sw.pfc.pool(size, out, among).count() > 0) return;
  const Bytes most = *std::max_element(out.begin(), out.end());
  throw input_error(
      spec.where,
      fmt::format("{} of '{}' leaves nothing to share: {} ports set aside up to {} each "
                  "for pfc.headroom = {} and pfc.minimum = {}",
                  text, spec.name, sw.ports, to_text(sw.pfc.reserved(most, among)), to_text(most),
                  to_text(sw.pfc.minimum)));
}

}  // namespace

std::vector<Bytes> checked_headrooms(const config::PlatformConfig& platform, unsigned vertex,
                                     const Lossless& sw) {
  if (!sw.pfc.enabled()) return {};
  auto out = headrooms(platform, vertex, sw);
  const auto& spec = platform.devices[vertex];
  if (!sw.pfc.dynamic() && sw.buffer.count() == 0) return out;
  const fabric::BufferPools pools(sw.pools, sw.buffer);
  for (std::size_t i = 0; i < pools.count(); ++i) {
    const unsigned among = pools.classes_of(i);
    const bool pauses = !sw.pfc.priorities || sw.pfc.reserved(Bytes(1), among).count() > 0;
    if (!pauses) continue;
    check_part(spec, sw, out, pools.size(i), among,
               pools.several() ? fmt::format("pool {} of {}", i, sw.buffer_text) : sw.buffer_text);
  }
  return out;
}

}  // namespace horae::elaboration
