#include "shortest_paths.hpp"

#include <algorithm>
#include <utility>

namespace horae::fabric {

ShortestPaths::ShortestPaths(const Topology& topology, const std::vector<bool>& withdrawn)
    : topology_(topology), home_(topology.vertices().size(), no_home) {
  const auto& edges = topology.edges();
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (i < withdrawn.size() && withdrawn[i]) continue;
    const auto& e = edges[i];
    const auto& v = topology.vertices();
    if (endpoint(e.a) && !endpoint(e.b) && v[e.a].ports == 1) home_[e.a] = e.b;
    if (endpoint(e.b) && !endpoint(e.a) && v[e.b].ports == 1) home_[e.b] = e.a;
  }
  group_end_points();
}

void ShortestPaths::group_end_points() {
  const auto& vertices = topology_.vertices();
  std::vector<std::uint16_t> port_to(vertices.size());  // of grouped end points, at their switch
  for (const auto& e : topology_.edges()) {
    if (home_[e.a] != no_home) port_to[e.a] = static_cast<std::uint16_t>(e.port_b);
    if (home_[e.b] != no_home) port_to[e.b] = static_cast<std::uint16_t>(e.port_a);
  }
  auto groups = std::make_shared<NodeGroups>();
  groups->places.resize(topology_.endpoints());
  group_of_.assign(vertices.size(), no_group);
  for (unsigned v = 0; v < vertices.size(); ++v) {
    if (!endpoint(v)) continue;
    const bool grouped = home_[v] != no_home;
    const unsigned root = grouped ? home_[v] : v;
    if (group_of_[root] == no_group) {
      group_of_[root] = static_cast<std::uint32_t>(roots_.size());
      roots_.push_back(root);
      member_ports_.emplace_back();
    }
    auto& members = member_ports_[group_of_[root]];
    groups->places[vertices[v].node] = {group_of_[root],
                                        static_cast<std::uint32_t>(members.size())};
    if (grouped) members.push_back(port_to[v]);
  }
  groups->groups = static_cast<std::uint32_t>(roots_.size());
  groups_ = std::move(groups);
}

ShortestPaths::Links ShortestPaths::links_without(const std::vector<bool>& without) const {
  Links links(topology_.vertices().size());
  const auto& edges = topology_.edges();
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto& e = edges[i];
    if (i < without.size() && without[i]) continue;
    if (home_[e.a] != no_home || home_[e.b] != no_home) continue;
    // Edges are in the order in which both ends numbered their ports.
    links[e.a].push_back({e.b, static_cast<std::uint16_t>(e.port_a)});
    links[e.b].push_back({e.a, static_cast<std::uint16_t>(e.port_b)});
  }
  return links;
}

void ShortestPaths::search(unsigned root, const Links& links,
                           std::vector<RouteTable::Ports>& ports) const {
  // Breadth first from the destination, against the direction of packets. End points do not
  // forward, so it goes on from switches and, at its beginning, from the destination.
  constexpr unsigned unreachable = ~0u;
  std::vector<unsigned> distance(links.size(), unreachable);
  std::vector<unsigned> reached = {root};
  distance[root] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const unsigned at = reached[i];
    if (at != root && endpoint(at)) continue;
    for (const auto& [next, port] : links[at]) {
      if (distance[next] != unreachable) continue;
      distance[next] = distance[at] + 1;
      reached.push_back(next);
    }
  }
  std::vector<std::uint16_t> towards;
  for (unsigned v = 0; v < links.size(); ++v) {
    if (home_[v] != no_home) continue;
    towards.clear();
    for (const auto& [next, port] : links[v]) {
      // Over a link if its other end is one link nearer to the destination.
      const bool nearer =
          distance[v] != unreachable && distance[v] > 0 && distance[next] == distance[v] - 1;
      if (nearer && (next == root || !endpoint(next))) towards.push_back(port);
    }
    if (v == root && !endpoint(v)) {
      ports[v].add_members(member_ports_[group_of_[v]]);
    } else {
      ports[v].add(towards);
    }
  }
}

std::vector<RouteTable> ShortestPaths::tables(const std::vector<bool>& without) const {
  const auto& vertices = topology_.vertices();
  const Links links = links_without(without);
  std::vector<RouteTable::Ports> found(vertices.size());
  for (const unsigned root : roots_) search(root, links, found);
  std::vector<std::shared_ptr<const RouteTable::Ports>> shared(vertices.size());
  for (unsigned v = 0; v < vertices.size(); ++v) {
    if (home_[v] != no_home) continue;
    found[v].ranges.shrink_to_fit();
    found[v].ports.shrink_to_fit();
    shared[v] = std::make_shared<const RouteTable::Ports>(std::move(found[v]));
  }
  // By its one port a grouped end point reaches what its switch reaches: all those of a switch
  // share a table, and so do switches that reach the same.
  std::shared_ptr<const RouteTable::Ports> last;
  std::vector<std::shared_ptr<const RouteTable::Ports>> behind(vertices.size());
  std::vector<RouteTable> tables;
  tables.reserve(vertices.size());
  const std::uint16_t only_port = 0;
  for (unsigned v = 0; v < vertices.size(); ++v) {
    if (home_[v] == no_home) {
      tables.emplace_back(groups_, shared[v], vertices[v].node);
      continue;
    }
    auto& own = behind[home_[v]];
    if (own == nullptr) {
      RouteTable::Ports ports;
      for (const auto& range : shared[home_[v]]->ranges)
        ports.add({&only_port, range.count > 0 ? 1u : 0u});
      const auto same = [](const RouteTable::Range& a, const RouteTable::Range& b) {
        return a.count == b.count;
      };
      if (last == nullptr || !std::equal(ports.ranges.begin(), ports.ranges.end(),
                                         last->ranges.begin(), last->ranges.end(), same))
        last = std::make_shared<const RouteTable::Ports>(std::move(ports));
      own = last;
    }
    tables.emplace_back(groups_, own, vertices[v].node);
  }
  return tables;
}

}  // namespace horae::fabric
