// Shortest-path routes.
#include "horae/fabric/topology.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "horae/core/random.hpp"

namespace horae::fabric::topology_test {
namespace {

std::vector<std::uint16_t> ports(const RouteTable& routes, NodeId node) {
  const auto span = routes.towards(node);
  return {span.begin(), span.end()};
}
using Ports = std::vector<std::uint16_t>;

// Leaves first, each with its hosts on its lowest ports and spine s on port hosts + s.
struct LeafSpine {
  LeafSpine(unsigned leaf_count, unsigned spine_count, unsigned hosts_per_leaf) {
    for (unsigned l = 0; l < leaf_count; ++l) {
      leaves.push_back(topology.add_switch("leaf" + std::to_string(l)));
      for (unsigned h = 0; h < hosts_per_leaf; ++h) {
        hosts.push_back(topology.add_endpoint("host" + std::to_string(hosts.size())));
        topology.add_edge(leaves.back(), hosts.back());
      }
    }
    for (unsigned s = 0; s < spine_count; ++s) {
      spines.push_back(topology.add_switch("spine" + std::to_string(s)));
      for (const unsigned leaf : leaves) topology.add_edge(leaf, spines.back());
    }
  }
  Topology topology;
  std::vector<unsigned> leaves, spines, hosts;
};

TEST(Topology, NumbersNodesAndPortsInOrder) {
  const LeafSpine net(2, 3, 4);
  const Topology& t = net.topology;
  EXPECT_EQ(t.endpoints(), 8u);
  EXPECT_EQ(t.vertices().size(), 8u + 2 + 3);
  EXPECT_EQ(t.edges().size(), 8u + 6);
  for (NodeId n = 0; n < 8; ++n) EXPECT_EQ(t.vertices()[net.hosts[n]].node, n);
  EXPECT_EQ(t.vertices()[net.leaves[0]].node, Topology::no_node);
  EXPECT_EQ(t.vertices()[net.leaves[1]].ports, 7u);
  EXPECT_EQ(t.vertices()[net.spines[0]].ports, 2u);
  EXPECT_EQ(t.find("spine2"), static_cast<int>(net.spines[2]));
  EXPECT_EQ(t.find("spine3"), -1);
}

TEST(Topology, LeafSpineRoutesUseEverySpineUpAndOnePortDown) {
  const unsigned leaves = 4, spines = 3, hosts = 5;
  const LeafSpine net(leaves, spines, hosts);
  const auto routes = net.topology.shortest_path_routes();
  for (unsigned l = 0; l < leaves; ++l) {
    for (NodeId n = 0; n < leaves * hosts; ++n) {
      if (n / hosts == l) {
        EXPECT_EQ(ports(routes[net.leaves[l]], n), Ports{static_cast<std::uint16_t>(n % hosts)});
      } else {
        EXPECT_EQ(ports(routes[net.leaves[l]], n), (Ports{5, 6, 7}));
      }
    }
  }
  for (unsigned s = 0; s < spines; ++s) {
    for (NodeId n = 0; n < leaves * hosts; ++n) {
      EXPECT_EQ(ports(routes[net.spines[s]], n), Ports{static_cast<std::uint16_t>(n / hosts)});
    }
  }
}

TEST(Topology, RingGoesTheShortWayAndBothWaysToTheOpposite) {
  for (const unsigned n : {5u, 6u}) {
    Topology t;
    for (unsigned i = 0; i < n; ++i) t.add_switch("s" + std::to_string(i));
    for (unsigned i = 0; i < n; ++i) t.add_edge(i, t.add_endpoint("h" + std::to_string(i)));
    for (unsigned i = 0; i < n; ++i) t.add_edge(i, (i + 1) % n);
    const auto routes = t.shortest_path_routes();
    const auto port_towards = [&](unsigned from, unsigned to) {
      for (const auto& e : t.edges()) {
        if (e.a == from && e.b == to) return e.port_a;
        if (e.b == from && e.a == to) return e.port_b;
      }
      return ~0u;
    };
    for (unsigned from = 0; from < n; ++from) {
      for (unsigned to = 0; to < n; ++to) {
        const unsigned clockwise = (to + n - from) % n;
        Ports expected;
        if (clockwise == 0) {
          expected = {0};
        } else {
          if (clockwise * 2 <= n) {
            expected.push_back(static_cast<std::uint16_t>(port_towards(from, (from + 1) % n)));
          }
          if (clockwise * 2 >= n) {
            expected.push_back(static_cast<std::uint16_t>(port_towards(from, (from + n - 1) % n)));
          }
          std::sort(expected.begin(), expected.end());
        }
        EXPECT_EQ(ports(routes[from], to), expected) << from << " to " << to << " of " << n;
      }
    }
  }
}

TEST(Topology, ParallelLinksAreEqualCostPaths) {
  Topology t;
  const unsigned a = t.add_switch("a"), b = t.add_switch("b");
  t.add_edge(b, t.add_endpoint("h"));
  for (int i = 0; i < 3; ++i) t.add_edge(a, b);
  EXPECT_EQ(ports(t.shortest_path_routes()[a], 0), (Ports{0, 1, 2}));
}

TEST(Topology, UnreachableNodesHaveNoPorts) {
  Topology t;
  const unsigned a = t.add_switch("a"), b = t.add_switch("b"), lonely = t.add_switch("c");
  t.add_edge(a, t.add_endpoint("h0"));
  t.add_edge(b, t.add_endpoint("h1"));
  t.add_endpoint("h2");  // unconnected
  const auto routes = t.shortest_path_routes();
  EXPECT_EQ(ports(routes[a], 0), Ports{0});
  EXPECT_EQ(ports(routes[a], 1), Ports{});
  EXPECT_EQ(ports(routes[a], 2), Ports{});
  EXPECT_EQ(ports(routes[b], 1), Ports{0});
  for (NodeId n = 0; n < 3; ++n) EXPECT_EQ(ports(routes[lonely], n), Ports{});
  EXPECT_EQ(ports(routes[a], 99), Ports{});  // a node nobody knows
}

TEST(Topology, EndPointsHaveRoutesOfTheirOwn) {
  const LeafSpine net(2, 2, 3);
  const auto routes = net.topology.shortest_path_routes();
  for (NodeId from = 0; from < 6; ++from) {
    for (NodeId to = 0; to < 6; ++to) {
      EXPECT_EQ(ports(routes[net.hosts[from]], to), from == to ? Ports{} : Ports{0});
    }
  }
  Topology pair;  // back to back
  pair.add_edge(pair.add_endpoint("a"), pair.add_endpoint("b"));
  const auto direct = pair.shortest_path_routes();
  EXPECT_EQ(ports(direct[0], 1), Ports{0});
  EXPECT_EQ(ports(direct[1], 0), Ports{0});
}

// A host with two ports joins two switches; that is no way from one to the other, even where it
// would be shorter.
TEST(Topology, NeverThroughAnEndPoint) {
  Topology t;
  const unsigned a = t.add_switch("a"), b = t.add_switch("b");
  const unsigned both = t.add_endpoint("both"), behind = t.add_endpoint("behind");
  t.add_edge(a, both);    // a port 0
  t.add_edge(b, both);    // b port 0
  t.add_edge(b, behind);  // b port 1
  {
    const auto routes = t.shortest_path_routes();
    EXPECT_EQ(ports(routes[a], 1), Ports{});
    EXPECT_EQ(ports(routes[b], 1), Ports{1});
  }
  const unsigned c = t.add_switch("c"), d = t.add_switch("d");
  t.add_edge(a, c);  // a port 1
  t.add_edge(c, d);
  t.add_edge(d, b);
  const auto routes = t.shortest_path_routes();
  EXPECT_EQ(ports(routes[a], 1), Ports{1});
  EXPECT_EQ(ports(routes[a], 0), Ports{0});
  EXPECT_EQ(ports(routes[b], 0), Ports{0});
}

TEST(Topology, AWithdrawnLinkLeavesNoDetour) {
  // Two leaves with a host each, two spines.
  Topology t;
  const unsigned h0 = t.add_endpoint("h0"), h1 = t.add_endpoint("h1");
  const unsigned leaf0 = t.add_switch("leaf0"), leaf1 = t.add_switch("leaf1");
  const unsigned spine0 = t.add_switch("spine0"), spine1 = t.add_switch("spine1");
  t.add_edge(h0, leaf0);
  t.add_edge(h1, leaf1);
  const unsigned gone = t.add_edge(leaf0, spine0);
  t.add_edge(leaf0, spine1);
  t.add_edge(leaf1, spine0);
  t.add_edge(leaf1, spine1);
  std::vector<bool> withdrawn(t.edges().size());
  const auto ports = [&](unsigned device, NodeId node) {
    const auto routes = t.routes_without(withdrawn);
    const auto found = routes[device].towards(node);
    return std::vector<std::uint16_t>(found.begin(), found.end());
  };
  EXPECT_EQ(ports(leaf1, 0), (std::vector<std::uint16_t>{1, 2}));
  withdrawn[gone] = true;
  EXPECT_EQ(ports(leaf0, 1), (std::vector<std::uint16_t>{2}));
  EXPECT_EQ(ports(leaf1, 0), (std::vector<std::uint16_t>{2}));
  EXPECT_TRUE(ports(spine0, 0).empty());  // not by leaf1 and spine1
  EXPECT_EQ(ports(spine0, 1), (std::vector<std::uint16_t>{1}));
  EXPECT_EQ(ports(spine1, 0), (std::vector<std::uint16_t>{0}));
}

// Shortest paths by their definition, one search for each end point.
class Reference {
 public:
  Reference(const Topology& topology, const std::vector<bool>& withdrawn) : t_(topology) {
    for (std::size_t i = 0; i < t_.edges().size(); ++i)
      if (i >= withdrawn.size() || !withdrawn[i]) edges_.push_back(t_.edges()[i]);
  }
  Ports ports(unsigned from, NodeId node) const {
    constexpr int far = 1 << 20;
    std::vector<int> distance(t_.vertices().size(), far);
    const auto forwards = [&](unsigned u) {
      return t_.vertices()[u].node == node || t_.vertices()[u].node == Topology::no_node;
    };
    for (unsigned u = 0; u < distance.size(); ++u)
      if (t_.vertices()[u].node == node) distance[u] = 0;
    for (std::size_t round = 0; round < distance.size(); ++round) {
      for (const auto& e : edges_) {
        if (forwards(e.b)) distance[e.a] = std::min(distance[e.a], distance[e.b] + 1);
        if (forwards(e.a)) distance[e.b] = std::min(distance[e.b], distance[e.a] + 1);
      }
    }
    Ports out;
    for (const auto& e : edges_) {
      if (distance[from] == 0 || distance[from] >= far) break;
      if (e.a == from && forwards(e.b) && distance[e.b] == distance[from] - 1)
        out.push_back(static_cast<std::uint16_t>(e.port_a));
      if (e.b == from && forwards(e.a) && distance[e.a] == distance[from] - 1)
        out.push_back(static_cast<std::uint16_t>(e.port_b));
    }
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  const Topology& t_;
  std::vector<Topology::Edge> edges_;
};

TEST(Topology, RandomNetworksHaveTheRoutesOfTheDefinition) {
  RandomStream draw(1, "topology_test");
  for (int network = 0; network < 60; ++network) {
    Topology t;
    const unsigned switches = 1 + draw.below(6), endpoints = 2 + draw.below(6);
    for (unsigned i = 0; i < switches; ++i) t.add_switch("s" + std::to_string(i));
    for (unsigned i = 0; i < endpoints; ++i) {
      const unsigned v = t.add_endpoint("h" + std::to_string(i));
      // Most have one link to a switch; some two, none, or one to each other.
      const unsigned links = draw.below(8) == 0 ? draw.below(3) : 1;
      for (unsigned l = 0; l < links; ++l) {
        const unsigned to = draw.below(10) == 0 ? draw.below(v) : draw.below(switches);
        t.add_edge(v, to);
      }
    }
    for (unsigned i = 0; i < switches + draw.below(4); ++i) {
      const unsigned a = draw.below(switches), b = draw.below(switches);
      if (a != b) t.add_edge(a, b);
    }
    std::vector<bool> withdrawn(t.edges().size());
    for (std::size_t i = 0; i < withdrawn.size(); ++i) withdrawn[i] = draw.below(4) == 0;
    const Reference whole(t, {}), less(t, withdrawn);
    const auto all = t.shortest_path_routes(), detours = t.shortest_path_routes(withdrawn),
               left = t.routes_without(withdrawn);
    for (unsigned v = 0; v < t.vertices().size(); ++v) {
      bool complete = true;
      for (NodeId n = 0; n < endpoints; ++n) {
        const Ports before = whole.ports(v, n), after = less.ports(v, n);
        ASSERT_EQ(ports(all[v], n), before) << network << ": " << v << " to " << n;
        ASSERT_EQ(ports(detours[v], n), after) << network << ": " << v << " to " << n;
        Ports both;
        std::set_intersection(before.begin(), before.end(), after.begin(), after.end(),
                              std::back_inserter(both));
        ASSERT_EQ(ports(left[v], n), both) << network << ": " << v << " to " << n;
        complete = complete && (t.vertices()[v].node == n || !before.empty());
      }
      ASSERT_EQ(all[v].complete(), complete) << network << ": " << v;
    }
  }
}

TEST(Topology, TablesDoNotGrowWithEndPointsElsewhere) {
  const auto table_of = [](unsigned hosts) {
    const LeafSpine net(4, 3, hosts);
    return net.topology.shortest_path_routes()[net.leaves[0]];
  };
  const RouteTable few = table_of(2), many = table_of(200);
  EXPECT_EQ(few.ports()->ranges.size(), 4u);
  EXPECT_EQ(many.ports()->ranges.size(), 4u);
  EXPECT_EQ(many.ports()->ports.size(), 200u + 3u);  // its own, and the spines once
  const LeafSpine net(4, 3, 200);
  const auto routes = net.topology.shortest_path_routes();
  for (const unsigned host : net.hosts) {
    EXPECT_EQ(routes[host].ports(), routes[net.hosts[0]].ports());
    EXPECT_EQ(routes[host].groups(), routes[net.leaves[0]].groups());
  }
}

TEST(RouteTable, SetChangesOneNodeOfACopy) {
  const LeafSpine net(2, 2, 2);
  const auto routes = net.topology.shortest_path_routes();
  RouteTable changed = routes[net.leaves[0]];
  changed.set(3, {7});
  EXPECT_EQ(ports(changed, 3), Ports{7});
  EXPECT_EQ(ports(changed, 2), (Ports{2, 3}));
  EXPECT_EQ(ports(changed, 1), Ports{1});
  EXPECT_EQ(ports(routes[net.leaves[0]], 3), (Ports{2, 3}));
  changed.set(9, {1, 2});
  EXPECT_EQ(ports(changed, 9), (Ports{1, 2}));
  EXPECT_EQ(ports(changed, 8), Ports{});
  EXPECT_FALSE(changed.complete());
}

}  // namespace
}  // namespace horae::fabric::topology_test
