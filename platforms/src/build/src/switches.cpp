#include "horae/build/switches.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/config/chip_routes.hpp"
#include "horae/config/path_tiers.hpp"
#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
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
  if (config.pfc.enabled() && config.pfc.headroom.count() == 0) {
    const Bytes frame = largest_frame(platform);
    const Picoseconds pipeline = longest_transmit_pipeline(platform);
    for (const auto& link : platform.links) {
      config.pfc.headroom =
          std::max(config.pfc.headroom, fabric::pfc_headroom(link.config.rate, link.config.delay,
                                                             frame, config.latency, pipeline));
    }
  }
  if (config.pfc.dynamic() && config.pfc.pool(config.buffer, config.ports).count() <= 0) {
    throw input_error(
        spec.where,
        fmt::format("buffer = {} of '{}' leaves nothing to share: {} ports set aside {} each "
                    "for pfc.headroom = {} and pfc.minimum = {}",
                    to_text(config.buffer), spec.name, config.ports,
                    to_text((config.pfc.headroom + config.pfc.minimum) * config.pfc.classes),
                    to_text(config.pfc.headroom), to_text(config.pfc.minimum)));
  }
  auto d = std::make_unique<fabric::output_queued_switch>(spec.name.c_str(), context, config);
  d->routes() = routes[vertex];
  d->set_switch_ports(platform.topology.switch_ports(vertex));
  return d;
}

}  // namespace horae::build
