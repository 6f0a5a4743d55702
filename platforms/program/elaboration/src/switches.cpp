#include "horae/elaboration/switches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "headrooms.hpp"
#include "horae/config/chip_routes.hpp"
#include "horae/config/path_tiers.hpp"
#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/fabric/devices/notifying_switch.hpp"
#include "horae/fabric/devices/voq_switch.hpp"

namespace horae::elaboration {
namespace {

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

/// Its number, and that of the switch of every end point, are those of devices.
policy::BalancePlace place_of(const config::PlatformConfig& platform, unsigned vertex) {
  policy::BalancePlace place;
  const auto& vertices = platform.topology.vertices();
  const auto join = [&](NodeId node, unsigned to) {
    if (node == fabric::Topology::no_node) return;
    if (node >= place.home_of.size()) place.home_of.resize(node + 1, policy::BalancePlace::none);
    std::uint32_t& home = place.home_of[node];
    if (home != policy::BalancePlace::none && home != to) {
      const auto& spec = platform.devices[vertex];
      throw input_error(
          spec.where,
          fmt::format("'{}' balances by what the switch at the other end reports, but "
                      "an end point is joined to both '{}' and '{}'; expected one "
                      "switch for each",
                      spec.name, platform.devices[home].name, platform.devices[to].name));
    }
    home = to;
    if (to == vertex) place.home = vertex;
  };
  for (const auto& edge : platform.topology.edges()) {
    join(vertices[edge.a].node, edge.b);
    join(vertices[edge.b].node, edge.a);
  }
  return place;
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
                         .most_per_byte = cells_per_wire(profile.chip, largest_frame(platform)),
                         .pools = profile.chip.pools}));
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
                         .buffer_text = fmt::format("buffer = {}", to_text(config.buffer)),
                         .pools = config.pools});
  config.maps.codes = platform.codes;
  auto d = make(platform, vertex, context, config);
  d->routes() = routes[vertex];
  d->set_switch_ports(platform.topology.switch_ports(vertex));
  if (d->wants_feedback()) d->set_place(place_of(platform, vertex));
  return d;
}

}  // namespace horae::elaboration
