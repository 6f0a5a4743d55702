#include "horae/build/switches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "horae/config/chip_routes.hpp"
#include "horae/config/path_tiers.hpp"
#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/fabric/notifying_switch.hpp"
#include "horae/fabric/voq_switch.hpp"
#include "horae/flows/traffic.hpp"

namespace horae::build {
namespace {

/// Bytes of the largest frame any end point of the platform sends.
Bytes largest_frame(const config::PlatformConfig& platform) {
  Bytes payload = 4_KiB;
  for (std::size_t table = 0; table < platform.traffic.size(); ++table) {
    flows::traffic_of(platform, table).packets(platform, [&](const flows::PacketStream& stream) {
      payload = std::max(payload, stream.largest_payload);
    });
  }
  return frame_bytes(Opcode::write_first, payload);
}

/// What a paused sender may have let go of before its first bit is on the wire: the longest of the
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

/// What each port of a plain switch sets aside for PFC, by its own link; nothing without PFC.
std::vector<Bytes> headrooms(const config::PlatformConfig& platform, unsigned vertex,
                             const fabric::SwitchConfig& config) {
  if (!config.pfc.enabled()) return {};
  std::vector<Bytes> out(config.ports, config.pfc.headroom);
  if (config.pfc.headroom.count() > 0 && !config.pfc.headroom_delays) return out;
  const Bytes frame = largest_frame(platform);
  const Picoseconds pipeline = longest_transmit_pipeline(platform);
  for (std::size_t i = 0; i < platform.links.size(); ++i) {
    const auto& edge = platform.topology.edges()[i];
    if (edge.a != vertex && edge.b != vertex) continue;
    // What comes in, and how long the pause takes that goes out.
    const auto& link = platform.links[i];
    const auto& [in, back] = edge.a == vertex ? std::pair(link.backward, link.config)
                                              : std::pair(link.config, link.backward);
    const Picoseconds delay = (in.delay + back.delay) / 2;
    out[edge.a == vertex ? edge.port_a : edge.port_b] =
        config.pfc.headroom_delays
            ? Bytes(std::llround(*config.pfc.headroom_delays *
                                 static_cast<double>(in.rate.count()) * to_seconds(delay) / 8))
            : fabric::pfc_headroom(in.rate, delay, frame, config.latency, pipeline);
  }
  return out;
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
  return std::make_unique<tofino::tofino_switch>(
      spec.name.c_str(), context, profile.chip, platform.topology.vertices()[vertex].ports,
      *profile.program, config::steered_routes(platform, vertex, routes), ledgers);
}

std::unique_ptr<fabric::output_queued_switch> build_switch(
    const config::PlatformConfig& platform, unsigned vertex, fabric::sim_context& context,
    const std::vector<fabric::RouteTable>& routes) {
  const auto& spec = platform.devices[vertex];
  fabric::SwitchConfig config = std::get<fabric::SwitchConfig>(platform.profiles.at(spec.profile));
  config.ports = platform.topology.vertices()[vertex].ports;
  config.headrooms = headrooms(platform, vertex, config);
  if (config.pfc.dynamic() && config.pfc.pool(config.buffer, config.headrooms).count() <= 0) {
    const Bytes most = *std::max_element(config.headrooms.begin(), config.headrooms.end());
    throw input_error(
        spec.where,
        fmt::format("buffer = {} of '{}' leaves nothing to share: {} ports set aside up to {} each "
                    "for pfc.headroom = {} and pfc.minimum = {}",
                    to_text(config.buffer), spec.name, config.ports,
                    to_text((most + config.pfc.minimum) * config.pfc.classes), to_text(most),
                    to_text(config.pfc.minimum)));
  }
  auto d = make(platform, vertex, context, config);
  d->routes() = routes[vertex];
  d->set_switch_ports(platform.topology.switch_ports(vertex));
  return d;
}

}  // namespace horae::build
