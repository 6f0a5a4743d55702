#include "horae/workload/end_points.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"
#include "horae/workload/traffic_kind.hpp"

namespace horae::workload {
namespace {

bool is(const config::PlatformConfig& platform, unsigned device, EndPoint kind) {
  const config::Profile& profile = platform.profiles.at(platform.devices[device].profile);
  return kind == EndPoint::nic ? std::holds_alternative<rnic::RnicConfig>(profile)
                               : std::holds_alternative<config::HostProfile>(profile);
}

}  // namespace

std::vector<unsigned> all_of(const config::PlatformConfig& platform, EndPoint kind) {
  std::vector<unsigned> out;
  for (unsigned i = 0; i < platform.devices.size(); ++i) {
    if (is(platform, i, kind) && !platform.devices[i].end_of_domain) out.push_back(i);
  }
  return out;
}

std::vector<unsigned> senders_of(const config::PlatformConfig& platform) {
  std::vector<unsigned> out;
  for (unsigned i = 0; i < platform.devices.size(); ++i) {
    if (is(platform, i, EndPoint::nic)) out.push_back(i);
  }
  return out;
}

std::vector<unsigned> members_of(const config::PlatformConfig& platform,
                                 const std::vector<Located<std::string>>& names) {
  if (names.empty()) return all_of(platform, EndPoint::nic);
  std::vector<unsigned> members;
  for (const auto& name : names)
    members.push_back(static_cast<unsigned>(platform.topology.find(name)));
  return members;
}

void check_end_points(const TrafficSection& table, const std::vector<Located<std::string>>& names,
                      EndPoint kind) {
  for (const auto& name : names) {
    if (is(table.platform, table.network.find(name), kind)) continue;
    throw input_error(name.where, fmt::format("'{}' is not {}", name.value,
                                              kind == EndPoint::nic ? "a NIC (kind rnic)"
                                                                    : "a host (kind host)"));
  }
}

const rnic::RnicConfig& nic_at(const config::PlatformConfig& platform, unsigned device) {
  return std::get<rnic::RnicConfig>(platform.profiles.at(platform.devices[device].profile));
}

std::int64_t packets_of(const config::PlatformConfig& platform, unsigned from, Bytes message) {
  const std::int64_t mtu = nic_at(platform, from).mtu.count();
  return (message.count() + mtu - 1) / mtu;
}

std::vector<BitRate> link_rates(const config::PlatformConfig& platform) {
  std::vector<BitRate> rates(platform.devices.size());
  for (std::size_t e = 0; e < platform.links.size(); ++e) {
    const auto& edge = platform.topology.edges()[e];
    // A NIC's ports together.
    rates[edge.a] = BitRate(rates[edge.a].count() + platform.links[e].config.rate.count());
    rates[edge.b] = BitRate(rates[edge.b].count() + platform.links[e].backward.rate.count());
  }
  return rates;
}

void check_psns(const config::PlatformConfig& platform, unsigned from, Bytes message) {
  const std::int64_t packets = packets_of(platform, from, message);
  if (packets <= most_psns) return;
  throw InputError(
      fmt::format("a message of {} packets has more than the {} PSNs that can be told apart",
                  packets, most_psns));
}

}  // namespace horae::workload
