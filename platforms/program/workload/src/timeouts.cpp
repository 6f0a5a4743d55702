#include "horae/workload/timeouts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/workload/ideal_times.hpp"
#include "horae/workload/traffic.hpp"

namespace horae::workload {
namespace {

using config::PlatformConfig;

policy::Timeout timeout_of(const rnic::RnicConfig& nic) {
  return policy::shortest_timeout(policy::find_transport(nic.transport), nic.reliability);
}

/// No idle round trip is longer: through all switches, each the slowest, over the slowest link.
Picoseconds longest_possible(const PlatformConfig& platform) {
  constexpr Bytes longest_packet = 5_KiB;
  Picoseconds hop{}, ends{};
  for (const auto& link : platform.links) {
    for (const auto* way : {&link.config, &link.backward})
      hop = std::max(hop, way->delay + serialisation_time(longest_packet, way->rate));
  }
  Picoseconds within{};
  for (const auto& [name, profile] : platform.profiles) {
    if (const auto* nic = std::get_if<rnic::RnicConfig>(&profile))
      ends = std::max(ends, nic->tx_latency + nic->rx_latency + nic->ack_delay);
    else if (const auto* plain = std::get_if<fabric::SwitchConfig>(&profile))
      within = std::max(within, plain->latency);
    else
      within = std::max(within, 10_us);  // a chip; its longest parts have 1 us each at most
  }
  std::int64_t switches = 0;
  for (const auto& v : platform.topology.vertices())
    switches += v.node == fabric::Topology::no_node ? 1 : 0;
  return (hop + within) * (2 * (switches + 1)) + ends * 2;
}

/// Connections that have the same round trip: of NICs with the same profiles on the same switches,
/// by links alike.
class Alike {
 public:
  explicit Alike(const PlatformConfig& platform)
      : platform_(platform), link_of_(platform.devices.size(), 0) {
    for (std::size_t e = 0; e < platform.links.size(); ++e) {
      const auto& edge = platform.topology.edges()[e];
      if (edge.port_a == 0) link_of_[edge.a] = e;
      if (edge.port_b == 0) link_of_[edge.b] = e;
    }
  }
  /// Whether it is the first of its kind.
  bool is_new(unsigned from, unsigned to) { return seen_.emplace(end(from), end(to)).second; }

 private:
  using End = std::tuple<std::string, unsigned, Picoseconds, BitRate, Picoseconds, BitRate>;
  End end(unsigned device) const {
    const auto& edge = platform_.topology.edges()[link_of_[device]];
    const auto& link = platform_.links[link_of_[device]];
    return {platform_.devices[device].profile,
            edge.a == device ? edge.b : edge.a,
            link.config.delay,
            link.config.rate,
            link.backward.delay,
            link.backward.rate};
  }

  const PlatformConfig& platform_;
  std::vector<std::size_t> link_of_;  ///< by device: the link at its port 0
  std::set<std::pair<End, End>> seen_;
};

/// The connection of a profile with the longest idle round trip.
struct Longest {
  unsigned from = 0, to = 0;
  Picoseconds time{};
};

std::map<std::string, Longest> longest_of_profiles(const PlatformConfig& platform) {
  const IdealTimes ideal(platform);
  Alike alike(platform);
  std::map<std::string, Longest> out;
  for (std::size_t table = 0; table < platform.traffic.size(); ++table) {
    traffic_of(platform, table).flows(platform, [&](const Flow& flow) {
      if (!alike.is_new(flow.from, flow.to)) return;
      const Picoseconds time = ideal.quickest_round_trip(flow.from, flow.to);
      Longest& longest = out[platform.devices[flow.from].profile];
      if (time > longest.time) longest = {flow.from, flow.to, time};
    });
  }
  return out;
}

/// Up to a time that is easy to read and not shorter.
Picoseconds rounded(Picoseconds time) {
  const Picoseconds unit = time < 100_us ? 100_ns : 1_us;
  return unit * ((time + unit - 1_ps) / unit);
}

/// Where a profile, or a key of its transport, was given.
Location place(const Section& root, const std::string& profile, std::string_view key) {
  const Section nic = root.child(profile);
  if (!nic.has("reliability")) return root.where(profile);
  const Section reliability = nic.child("reliability");
  return reliability.has(key) ? reliability.where(key) : root.where(profile);
}

}  // namespace

std::vector<std::string> short_timeouts(const PlatformConfig& platform, const Section& root) {
  const Picoseconds bound = longest_possible(platform);
  const auto may_be_short = [&](const auto& profile) {
    const auto* nic = std::get_if<rnic::RnicConfig>(&profile.second);
    return nic != nullptr && timeout_of(*nic).value <= bound;
  };
  std::vector<std::string> lines;
  if (std::none_of(platform.profiles.begin(), platform.profiles.end(), may_be_short)) return lines;
  for (const auto& [profile, longest] : longest_of_profiles(platform)) {
    const auto timeout = timeout_of(std::get<rnic::RnicConfig>(platform.profiles.at(profile)));
    if (timeout.value > longest.time) continue;
    const std::string what = fmt::format(
        "{}.reliability.{} = {} is below the idle round trip from {} to {}, {}: packets that are "
        "not lost are sent again",
        profile, timeout.key, to_text(timeout.value), platform.devices[longest.from].name,
        platform.devices[longest.to].name, to_text(rounded(longest.time)));
    lines.push_back(input_error(place(root, profile, timeout.key), what).what());
  }
  return lines;
}

}  // namespace horae::workload
