#include "collective.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"

namespace horae::platforms {

std::vector<PlacedFlow> place_collective(const PlatformConfig& platform,
                                         const CollectiveTraffic& config) {
  std::vector<unsigned> members;
  for (const auto& name : config.members)
    members.push_back(static_cast<unsigned>(platform.topology.find(name)));
  for (unsigned i = 0; config.members.empty() && i < platform.devices.size(); ++i) {
    const Profile& profile = platform.profiles.at(platform.devices[i].profile);
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
  return out;
}

}  // namespace horae::platforms
