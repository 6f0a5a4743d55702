#include "horae/flows/open_loop.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/traffic/flow_plan.hpp"

namespace horae::flows {
namespace {

const rnic::RnicConfig& nic_at(const config::PlatformConfig& platform, unsigned device) {
  return std::get<rnic::RnicConfig>(platform.profiles.at(platform.devices[device].profile));
}

void require_members(const std::vector<unsigned>& members, std::uint64_t least) {
  if (members.size() >= least) return;
  throw InputError(fmt::format("{} NICs take part; expected {} or more", members.size(), least));
}

std::vector<traffic::PlanHost> hosts_of(const config::PlatformConfig& platform,
                                        const std::vector<unsigned>& members) {
  std::vector<BitRate> rates(platform.devices.size());
  for (std::size_t e = 0; e < platform.links.size(); ++e) {
    const auto& edge = platform.topology.edges()[e];
    rates[edge.a] = platform.links[e].config.rate;
    rates[edge.b] = platform.links[e].backward.rate;
  }
  std::vector<traffic::PlanHost> hosts;
  for (const unsigned m : members) hosts.push_back({platform.devices[m].name, rates[m]});
  return hosts;
}

traffic::ArrivalPlan arrivals_of(const config::PlatformConfig& platform, std::size_t table,
                                 const ArrivalConfig& config) {
  return {.load = config.load,
          .oversubscription = config.oversubscription,
          .start = config.start,
          .duration = config.duration,
          .seed = platform.sim.seed,
          .stream = fmt::format("traffic{}", table)};
}

std::vector<PlacedMessage> placed(const config::PlatformConfig& platform, std::size_t table,
                                  const ArrivalConfig& config, const std::vector<unsigned>& members,
                                  const std::vector<traffic::PlannedFlow>& flows) {
  RandomStream psns(platform.sim.seed, fmt::format("traffic{}.psns", table));
  std::vector<PlacedMessage> out;
  out.reserve(flows.size());
  for (const auto& f : flows) {
    check_psns(platform, members[f.from], f.bytes);
    out.push_back({.from = members[f.from],
                   .to = members[f.to],
                   .at = f.at,
                   .bytes = f.bytes,
                   .query = f.query,
                   .first_psn = Psn(config.random_first_psn ? psns.below(Psn::mask + 1) : 0)});
  }
  return out;
}

}  // namespace

std::vector<unsigned> members_of(const config::PlatformConfig& platform,
                                 const std::vector<Located<std::string>>& names) {
  std::vector<unsigned> members;
  for (const auto& name : names)
    members.push_back(static_cast<unsigned>(platform.topology.find(name)));
  for (unsigned i = 0; names.empty() && i < platform.devices.size(); ++i) {
    const config::Profile& profile = platform.profiles.at(platform.devices[i].profile);
    if (std::holds_alternative<rnic::RnicConfig>(profile)) members.push_back(i);
  }
  return members;
}

void check_psns(const config::PlatformConfig& platform, unsigned from, Bytes message) {
  const std::int64_t mtu = nic_at(platform, from).mtu.count();
  const std::int64_t packets = (message.count() + mtu - 1) / mtu;
  // Serial numbers compare over half their range.
  const std::int64_t most = (Psn::mask + 1) / 2 - 1;
  if (packets <= most) return;
  throw InputError(fmt::format(
      "a message of {} packets has more than the {} PSNs that can be told apart", packets, most));
}

std::vector<PlacedMessage> place_messages(const config::PlatformConfig& platform, std::size_t table,
                                          const FlowTraffic& config) {
  const auto members = members_of(platform, config.members);
  require_members(members, 2);
  return placed(
      platform, table, config, members,
      traffic::plan_flows(hosts_of(platform, members), arrivals_of(platform, table, config),
                          traffic::SizeDistribution::find(config.workload)));
}

std::vector<PlacedMessage> place_messages(const config::PlatformConfig& platform, std::size_t table,
                                          const IncastTraffic& config) {
  const auto members = members_of(platform, config.members);
  require_members(members, std::uint64_t{config.fan_in} + 1);
  return placed(
      platform, table, config, members,
      traffic::plan_incast(hosts_of(platform, members), arrivals_of(platform, table, config),
                           config.fan_in, config.size));
}

IdealTimes::IdealTimes(const config::PlatformConfig& platform)
    : platform_(platform), routes_(platform.topology.shortest_path_routes()) {
  for (const auto& v : platform.topology.vertices()) links_.emplace_back(v.ports);
  for (std::size_t e = 0; e < platform.links.size(); ++e) {
    const auto& edge = platform.topology.edges()[e];
    links_[edge.a][edge.port_a] = e;
    links_[edge.b][edge.port_b] = e;
  }
}

std::vector<IdealTimes::Hop> IdealTimes::path(unsigned from, unsigned to) const {
  std::vector<Hop> hops;
  const NodeId node = platform_.topology.vertices()[to].node;
  for (unsigned at = from; at != to;) {
    const unsigned port = routes_[at].towards(node).front();
    const std::size_t link = links_[at][port];
    const auto& edge = platform_.topology.edges()[link];
    const bool forward = edge.a == at && edge.port_a == port;
    const auto& config = forward ? platform_.links[link].config : platform_.links[link].backward;
    Hop hop{.rate = config.rate, .before = {}, .delay = config.delay};
    const config::Profile& profile = platform_.profiles.at(platform_.devices[at].profile);
    if (const auto* plain = std::get_if<fabric::SwitchConfig>(&profile)) {
      hop.before = plain->latency;
    } else if (const auto* chip = std::get_if<config::TofinoProfile>(&profile)) {
      // Without the stages of its program, which only its packets know.
      const auto& c = chip->chip;
      hop.before = c.ingress_parser + c.ingress_deparser + c.traffic_manager + c.egress_parser +
                   c.egress_deparser + c.mac_tx + c.mac_rx;
    }
    hops.push_back(hop);
    at = forward ? edge.b : edge.a;
  }
  return hops;
}

Picoseconds IdealTimes::completion(unsigned from, unsigned to, Bytes bytes) const {
  const auto& sender = nic_at(platform_, from);
  const auto& receiver = nic_at(platform_, to);
  const auto there = path(from, to);
  std::vector<Picoseconds> free(there.size());
  const std::int64_t mtu = sender.mtu.count();
  const std::int64_t packets = std::max<std::int64_t>(1, (bytes.count() + mtu - 1) / mtu);
  Picoseconds arrived{};
  for (std::int64_t i = 0; i < packets; ++i) {
    const bool first = i == 0, last = i + 1 == packets;
    const Opcode opcode = first ? (last ? Opcode::write_only : Opcode::write_first)
                                : (last ? Opcode::write_last : Opcode::write_middle);
    Bytes frame = frame_bytes(opcode, Bytes(last ? bytes.count() - i * mtu : mtu));
    if (sender.reth_on_every_packet && !has_reth(opcode)) frame += Bytes(wire::reth);
    arrived = sender.tx_latency;
    for (std::size_t h = 0; h < there.size(); ++h) {
      const Picoseconds start = std::max(arrived + there[h].before, free[h]);
      free[h] = start + serialisation_time(l1_bytes(frame), there[h].rate);
      arrived = free[h] + there[h].delay;
    }
  }
  Picoseconds time = arrived + receiver.rx_latency + receiver.ack_delay + receiver.tx_latency;
  const Bytes ack = l1_bytes(frame_bytes(Opcode::acknowledge, 0_B));
  for (const auto& hop : path(to, from))
    time += hop.before + serialisation_time(ack, hop.rate) + hop.delay;
  return time + sender.rx_latency;
}

}  // namespace horae::flows
