#include "horae/run/links_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "horae/core/roce.hpp"

namespace horae::run {
namespace {

/// Counters of a port for its row; zero where its statistics do not have them.
struct PortCounters {
  double packets = 0, lost = 0, cut = 0, corrupted = 0;
  double rate = 0, seconds = 0;  ///< mean bit/s of what it sent, and over which time
  double paused = 0;             ///< ps that the peer held the class that it held longest

  explicit PortCounters(const nlohmann::ordered_json& port) {
    static constexpr std::string_view paused_class = "paused_class";
    for (const auto& [name, of] : port.items()) {
      const auto value = [&of = of] { return of.at("value").template get<double>(); };
      if (name == "tx_packets") packets = value();
      if (name == "lost") lost = value();
      if (name == "cut_by_outage") cut = value();
      if (name == "corrupted") corrupted = value();
      if (name.starts_with(paused_class)) paused = std::max(paused, value());
      if (name != "tx_rate") continue;
      rate = value();
      seconds = to_seconds(Picoseconds(of.at("window").at("value").template get<std::int64_t>()));
    }
  }

  /// The share of the run in which the port's line was taken, preamble and gap included.
  double load(BitRate line, Layer layer) const {
    if (seconds <= 0) return 0;
    double bits = rate * seconds;
    if (layer != Layer::l1) bits += packets * 8 * (wire::preamble + wire::inter_packet_gap);
    return std::min(bits / seconds / static_cast<double>(line.count()), 1.0);
  }
};

}  // namespace

std::string links_csv(const elaboration::Simulation& simulation, const elaboration::Findings& found,
                      Picoseconds end) {
  std::string csv =
      "from,from_port,to,to_port,rate_gbps,delay_us,packets,load,paused,lost,cut_by_outage,"
      "corrupted\n";
  const auto& platform = simulation.platform();
  const auto none = nlohmann::ordered_json::object();
  const auto share = [&](double ps) {
    return end.count() > 0 ? ps / static_cast<double>(end.count()) : 0;
  };
  const auto direction = [&](unsigned from, unsigned port, unsigned to, unsigned to_port,
                             const fabric::LinkConfig& link) {
    const auto& all = found.devices[from].statistics;
    const auto it = all.find(fmt::format("port{}", port));
    const PortCounters of(it == all.end() ? none : *it);
    csv += fmt::format("{},{},{},{},{:g},{:g},{:.0f},{:.6f},{:.6f},{:.0f},{:.0f},{:.0f}\n",
                       platform.devices[from].name, port, platform.devices[to].name, to_port,
                       static_cast<double>(link.rate.count()) / 1e9, to_microseconds(link.delay),
                       of.packets, of.load(link.rate, platform.sim.rate_layer), share(of.paused),
                       of.lost, of.cut, of.corrupted);
  };
  for (std::size_t i = 0; i < platform.links.size(); ++i) {
    const auto& edge = platform.topology.edges()[i];
    direction(edge.a, edge.port_a, edge.b, edge.port_b, platform.links[i].config);
    direction(edge.b, edge.port_b, edge.a, edge.port_a, platform.links[i].backward);
  }
  return csv;
}

}  // namespace horae::run
