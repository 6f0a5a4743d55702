// Shortest-path routes.
#include "horae/fabric/topology.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

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

}  // namespace
}  // namespace horae::fabric::topology_test
