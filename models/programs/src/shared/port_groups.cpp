#include "horae/programs/shared/port_groups.hpp"

#include <fmt/format.h>

#include <map>

#include "horae/core/error.hpp"

namespace horae::programs {

PortGroups::PortGroups(const Routes& routes) {
  std::map<std::vector<std::uint16_t>, PortGroup> known;
  for (const auto& entry : routes.entries) {
    const auto [at, added] =
        known.try_emplace(entry.ports, PortGroup{static_cast<std::uint16_t>(ports_.size()),
                                                 static_cast<std::uint16_t>(entry.ports.size())});
    if (added) ports_.insert(ports_.end(), entry.ports.begin(), entry.ports.end());
    nodes_.emplace_back(entry.node, at->second);
  }
}

void PortGroups::check_sizes(const std::string& pipeline, std::size_t route_entries,
                             std::size_t member_entries) const {
  const auto check = [&](const char* key, std::size_t have, std::size_t need, const char* what) {
    if (need <= have) return;
    throw InputError(
        fmt::format("{}: program.{} = {} is too small for {} {}", pipeline, key, have, need, what));
  };
  check("route_entries", route_entries, nodes_.size(), "nodes");
  check("member_entries", member_entries, ports_.size(), "ports of groups");
}

}  // namespace horae::programs
