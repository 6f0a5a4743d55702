#include "horae/fabric/routes/route_table.hpp"

#include <algorithm>
#include <utility>

namespace horae::fabric {

void RouteTable::Ports::add(std::span<const std::uint16_t> towards) {
  if (!ranges.empty()) {
    const Range last = ranges.back();
    const auto begin = ports.begin() + last.begin;
    if (last.stride == 0 && std::equal(begin, begin + last.count, towards.begin(), towards.end())) {
      ranges.push_back(last);
      return;
    }
  }
  ranges.push_back(
      {static_cast<std::uint32_t>(ports.size()), static_cast<std::uint16_t>(towards.size()), 0});
  ports.insert(ports.end(), towards.begin(), towards.end());
}

void RouteTable::Ports::add_members(std::span<const std::uint16_t> towards) {
  ranges.push_back({static_cast<std::uint32_t>(ports.size()), 1, 1});
  ports.insert(ports.end(), towards.begin(), towards.end());
}

RouteTable::RouteTable(std::shared_ptr<const NodeGroups> groups, std::shared_ptr<const Ports> ports,
                       NodeId self)
    : places_(groups->places.data()),
      ranges_(ports->ranges.data()),
      ports_(ports->ports.data()),
      nodes_(static_cast<NodeId>(groups->places.size())),
      self_(self),
      groups_of_(std::move(groups)),
      ports_of_(std::move(ports)) {}

void RouteTable::set(NodeId node, const std::vector<std::uint16_t>& ports) {
  auto groups = std::make_shared<NodeGroups>();
  auto all = std::make_shared<Ports>();
  groups->groups = std::max(nodes_, node + 1);
  for (NodeId n = 0; n < groups->groups; ++n) {
    groups->places.push_back({n, 0});
    all->add(n == node ? std::span(ports) : towards(n));
  }
  *this = RouteTable(std::move(groups), std::move(all), self_ == node ? no_self : self_);
}

bool RouteTable::complete() const {
  if (ports_of_ == nullptr) return nodes_ == 0;
  const auto& ranges = ports_of_->ranges;
  if (std::all_of(ranges.begin(), ranges.end(), [](const Range& r) { return r.count > 0; }))
    return true;
  for (NodeId n = 0; n < nodes_; ++n) {
    if (n != self_ && towards(n).empty()) return false;
  }
  return true;
}

}  // namespace horae::fabric
