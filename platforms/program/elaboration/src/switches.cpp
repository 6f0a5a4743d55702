#include "horae/elaboration/switches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "horae/config/chip_routes.hpp"
#include "horae/config/path_tiers.hpp"
#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/fabric/devices/notifying_switch.hpp"
#include "horae/fabric/devices/voq_switch.hpp"
#include "horae/workload/traffic.hpp"

namespace horae::elaboration {
namespace {

/// Bytes of the largest frame any end point of the platform sends.
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

/// Facts about a switch that are needed to set bytes aside for PFC.
struct Lossless {
  const fabric::PfcConfig& pfc;
  unsigned ports;
  Picoseconds latency;  ///< from the last bit in to where packets are counted
  Bytes buffer;
  std::string buffer_text;   ///< as in the file
  double most_per_byte = 1;  ///< bytes of the buffer that one on the wire can take
};

/// Bytes that each port sets aside, by its own link.
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
    // The incoming rate, and the time that an outgoing pause takes.
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

/// The same; InputError if nothing is left of the buffer. Nothing without PFC.
std::vector<Bytes> checked_headrooms(const config::PlatformConfig& platform, unsigned vertex,
                                     const Lossless& sw) {
  if (!sw.pfc.enabled()) return {};
  auto out = headrooms(platform, vertex, sw);
  const auto& spec = platform.devices[vertex];
  if (!sw.pfc.dynamic()) {
    // Classes of a port that pause, or one: a pause leaves room for so many, and for what comes
    // after it.
    const std::int64_t classes = sw.pfc.priorities ? sw.pfc.reserving() : 1;
    Bytes needed = sw.pfc.xoff * static_cast<std::int64_t>(sw.ports);
    for (const Bytes headroom : out) needed += headroom;
    needed = needed * classes;
    if (sw.buffer.count() == 0 || needed <= sw.buffer) return out;
    throw input_error(
        spec.where,
        fmt::format("{} of '{}' is less than its {} ports may hold with pfc.xoff = {} and a "
                    "headroom of up to {} each: packets would be lost; expected at least {}",
                    sw.buffer_text, spec.name, sw.ports, to_text(sw.pfc.xoff),
                    to_text(*std::max_element(out.begin(), out.end())), to_text(needed)));
  }
  if (sw.pfc.pool(sw.buffer, out).count() > 0) return out;
  const Bytes most = *std::max_element(out.begin(), out.end());
  throw input_error(
      spec.where,
      fmt::format("{} of '{}' leaves nothing to share: {} ports set aside up to {} each "
                  "for pfc.headroom = {} and pfc.minimum = {}",
                  sw.buffer_text, spec.name, sw.ports,
                  to_text((most + sw.pfc.minimum) * sw.pfc.reserving()), to_text(most),
                  to_text(sw.pfc.minimum)));
}

/// The bytes of cells that a byte on the wire can take, of the worst length of frames.
double cells_per_wire(const tofino::ChipConfig& chip, Bytes largest) {
  double most = 0;
  for (std::int64_t frame = wire::minimum_frame; frame <= largest.count(); ++frame) {
    const std::int64_t cell = chip.cell.count();
    const std::int64_t held = (frame + cell - 1) / cell * cell;
    most = std::max(
        most, static_cast<double>(held) / static_cast<double>(l1_bytes(Bytes(frame)).count()));
  }
  return most;
}

/// Headers of a pipeline's ports may all wait for the same clock.
Picoseconds longest_ingress(const tofino::tofino_switch& chip, unsigned ports) {
  const Picoseconds wait = Clock(chip.config().mau_clock).edge(Cycles(ports));
  Picoseconds longest{};
  for (unsigned i = 0; i < chip.config().pipelines; ++i)
    longest = std::max(longest, chip.ingress_latency(i));
  return longest + wait;
}

/// The class of switch that has the parts its profile asks for.
std::unique_ptr<fabric::output_queued_switch> make(const config::PlatformConfig& platform,
                                                   unsigned vertex, fabric::sim_context& context,
                                                   const fabric::SwitchConfig& config) {
  const char* name = platform.devices[vertex].name.c_str();
  if (config.voq) {
    return std::make_unique<fabric::voq_switch>(
        name, context, config, config::far_nodes(platform, vertex, config.voq->remote_nodes));
  }
  if (config.notify) return std::make_unique<fabric::notifying_switch>(name, context, config);
  return std::make_unique<fabric::output_queued_switch>(name, context, config);
}

}  // namespace

std::unique_ptr<tofino::tofino_switch> build_tofino(const config::PlatformConfig& platform,
                                                    unsigned vertex, fabric::sim_context& context,
                                                    const std::vector<fabric::RouteTable>& routes,
                                                    dataplane::Ledgers* ledgers) {
  const auto& spec = platform.devices[vertex];
  const auto& profile = std::get<config::TofinoProfile>(platform.profiles.at(spec.profile));
  const unsigned ports = platform.topology.vertices()[vertex].ports;
  auto d = std::make_unique<tofino::tofino_switch>(
      spec.name.c_str(), context, profile.chip, ports, *profile.program,
      config::steered_routes(platform, vertex, routes), ledgers);
  if (!profile.chip.pauses()) return d;
  const Bytes taken = profile.chip.cell * d->cells_used();  // by dummies
  d->set_headrooms(
      checked_headrooms(platform, vertex,
                        {.pfc = *profile.chip.pfc,
                         .ports = ports,
                         .latency = longest_ingress(*d, ports),
                         .buffer = profile.chip.buffer() - taken,
                         .buffer_text = fmt::format("cells = {}", profile.chip.cells),
                         .most_per_byte = cells_per_wire(profile.chip, largest_frame(platform))}));
  return d;
}

std::unique_ptr<fabric::output_queued_switch> build_switch(
    const config::PlatformConfig& platform, unsigned vertex, fabric::sim_context& context,
    const std::vector<fabric::RouteTable>& routes) {
  const auto& spec = platform.devices[vertex];
  fabric::SwitchConfig config = std::get<fabric::SwitchConfig>(platform.profiles.at(spec.profile));
  config.ports = platform.topology.vertices()[vertex].ports;
  config.headrooms =
      checked_headrooms(platform, vertex,
                        {.pfc = config.pfc,
                         .ports = config.ports,
                         .latency = config.latency,
                         .buffer = config.buffer,
                         .buffer_text = fmt::format("buffer = {}", to_text(config.buffer))});
  auto d = make(platform, vertex, context, config);
  d->routes() = routes[vertex];
  d->set_switch_ports(platform.topology.switch_ports(vertex));
  return d;
}

}  // namespace horae::elaboration
