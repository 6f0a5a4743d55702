#include "horae/run/links_csv.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/core/roce.hpp"
#include "horae/fabric/ports/pause_log.hpp"

namespace horae::run {
namespace {

/// A counter of a port; zero where it is not printed.
double counter(const nlohmann::ordered_json& port, const std::string& name) {
  const auto it = port.find(name);
  return it == port.end() ? 0 : it->at("value").get<double>();
}

/// The share of the run in which the port's line was taken, preamble and gap included.
double load(const nlohmann::ordered_json& port, BitRate rate, Layer layer) {
  const auto sent = port.find("tx_rate");
  if (sent == port.end()) return 0;
  const double seconds =
      to_seconds(Picoseconds(sent->at("window").at("value").get<std::int64_t>()));
  double bits = sent->at("value").get<double>() * seconds;
  if (layer != Layer::l1)
    bits += counter(port, "tx_packets") * 8 * (wire::preamble + wire::inter_packet_gap);
  return std::min(bits / seconds / static_cast<double>(rate.count()), 1.0);
}

/// The share of the run in which the peer held the class of the port that it held longest.
double paused(const nlohmann::ordered_json& port, Picoseconds end) {
  double longest = 0;
  for (unsigned c = 0; c < fabric::PauseLog::classes; ++c)
    longest = std::max(longest, counter(port, fmt::format("paused_class{}", c)));
  return end.count() > 0 ? longest / static_cast<double>(end.count()) : 0;
}

}  // namespace

std::string links_csv(const elaboration::Simulation& simulation, const elaboration::Findings& found,
                      Picoseconds end) {
  std::string csv =
      "from,from_port,to,to_port,rate_gbps,delay_us,packets,load,paused,lost,cut_by_outage,"
      "corrupted\n";
  const auto& platform = simulation.platform();
  const auto direction = [&](unsigned from, unsigned port, unsigned to, unsigned to_port,
                             const fabric::LinkConfig& link) {
    const auto& all = found.devices[from].statistics;
    const auto it = all.find(fmt::format("port{}", port));
    const nlohmann::ordered_json of = it == all.end() ? nlohmann::ordered_json::object() : *it;
    csv += fmt::format("{},{},{},{},{:g},{:g},{:.0f},{:.6f},{:.6f},{:.0f},{:.0f},{:.0f}\n",
                       platform.devices[from].name, port, platform.devices[to].name, to_port,
                       static_cast<double>(link.rate.count()) / 1e9, to_microseconds(link.delay),
                       counter(of, "tx_packets"), load(of, link.rate, platform.sim.rate_layer),
                       paused(of, end), counter(of, "lost"), counter(of, "cut_by_outage"),
                       counter(of, "corrupted"));
  };
  for (std::size_t i = 0; i < platform.links.size(); ++i) {
    const auto& edge = platform.topology.edges()[i];
    direction(edge.a, edge.port_a, edge.b, edge.port_b, platform.links[i].config);
    direction(edge.b, edge.port_b, edge.a, edge.port_a, platform.links[i].backward);
  }
  return csv;
}

}  // namespace horae::run
