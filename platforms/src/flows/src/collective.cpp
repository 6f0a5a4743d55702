#include "horae/flows/collective.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"

namespace horae::flows {
namespace {

/// Serial numbers compare over half their range: no more may be posted at once.
void check_collective(const config::PlatformConfig& platform, const CollectiveTraffic& config,
                      const PlacedFlow& placed) {
  const auto& profile = platform.profiles.at(platform.devices[placed.from].profile);
  const std::int64_t mtu = std::get<rnic::RnicConfig>(profile).mtu.count();
  const std::int64_t packets = (placed.flow.message.count() + mtu - 1) / mtu;
  const std::int64_t most = (Psn::mask + 1) / 2 - 1;
  const std::int64_t messages = std::min(config.depth, placed.flow.count);
  // What waits for others' messages is posted a few at a time.
  const std::int64_t at_once =
      placed.flow.lead != 0 ? std::min<std::int64_t>(messages, 2) : messages;
  if (packets * at_once <= most) return;
  throw InputError(
      fmt::format("{} messages of {} packets at once are more than the {} PSNs that can "
                  "be told apart; a smaller size or depth, or a larger MTU",
                  at_once, packets, most));
}

}  // namespace

std::vector<PlacedFlow> place_collective(const config::PlatformConfig& platform,
                                         const CollectiveTraffic& config) {
  std::vector<unsigned> members;
  for (const auto& name : config.members)
    members.push_back(static_cast<unsigned>(platform.topology.find(name)));
  for (unsigned i = 0; config.members.empty() && i < platform.devices.size(); ++i) {
    const config::Profile& profile = platform.profiles.at(platform.devices[i].profile);
    if (std::holds_alternative<rnic::RnicConfig>(profile)) members.push_back(i);
  }
  if (members.size() % config.groups != 0 || members.size() / config.groups < 2) {
    throw InputError(fmt::format("{} members do not make {} group{} of two or more", members.size(),
                                 config.groups, config.groups == 1 ? "" : "s"));
  }
  const auto flows = traffic::collective_flows(
      {.operation = config.operation,
       .ranks = static_cast<std::uint32_t>(members.size() / config.groups),
       .size = config.size,
       .slices = config.slices});
  std::vector<PlacedFlow> out;
  for (std::uint32_t g = 0; g < config.groups; ++g) {
    for (const auto& flow : flows) {
      out.push_back(
          {g, members[flow.from * config.groups + g], members[flow.to * config.groups + g], flow});
    }
  }
  for (const auto& placed : out) check_collective(platform, config, placed);
  return out;
}

}  // namespace horae::flows
