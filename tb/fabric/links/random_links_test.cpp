// Random graphs and the paths over them.
#include "horae/fabric/random_links.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "fabric_parts.hpp"
#include "horae/core/error.hpp"
#include "horae/fabric/devices/output_queued_switch.hpp"
#include "horae/fabric/routes/path_table.hpp"

namespace horae::fabric::random_links_test {
namespace {

using test::link_of;
using test::probe;

using Links = std::vector<std::pair<unsigned, unsigned>>;

std::vector<unsigned> degrees(const Links& links, std::size_t n) {
  std::vector<unsigned> d(n);
  for (const auto& [a, b] : links) ++d[a], ++d[b];
  return d;
}

/// Lengths of shortest paths from `v`, by breadth-first search; -1: unreachable.
std::vector<int> distances(const Links& links, std::size_t n, unsigned v) {
  std::vector<int> d(n, -1);
  std::vector<unsigned> reached = {v};
  d[v] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const auto& [a, b] : links) {
      for (const auto& [x, y] : {std::pair{a, b}, std::pair{b, a}}) {
        if (x != reached[i] || d[y] >= 0) continue;
        d[y] = d[x] + 1;
        reached.push_back(y);
      }
    }
  }
  return d;
}

void expect_simple_and_connected(const Links& links, std::size_t n) {
  std::set<std::pair<unsigned, unsigned>> seen;
  for (const auto& [a, b] : links) {
    EXPECT_NE(a, b);
    EXPECT_TRUE(seen.insert(std::minmax(a, b)).second) << a << " - " << b << " twice";
  }
  const auto d = distances(links, n, 0);
  EXPECT_EQ(std::count(d.begin(), d.end(), -1), 0);
}

TEST(RandomLinks, UsesEveryPortInASimpleConnectedGraph) {
  std::vector<std::vector<unsigned>> cases = {
      std::vector<unsigned>(48, 6),  // completed below to the equipment of an 8-ary fat-tree
      std::vector<unsigned>(20, 3),
      {1, 1},
      {2, 2, 2},
      std::vector<unsigned>(9, 8),
      {5, 1, 1, 1, 1, 1},
      {3, 3, 2, 2, 1, 1},
      std::vector<unsigned>(200, 4)};
  cases[0].resize(80, 7);
  for (const auto& ports : cases) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      const auto links = random_links(ports, RandomStream(seed, "test"));
      EXPECT_EQ(degrees(links, ports.size()), ports) << ports.size() << " switches";
      expect_simple_and_connected(links, ports.size());
    }
  }
}

TEST(RandomLinks, OfAnOddSumOnePortIsLeft) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const std::vector<unsigned> ports(15, 5);
    const auto links = random_links(ports, RandomStream(seed, "test"));
    auto d = degrees(links, 15);
    EXPECT_EQ(std::accumulate(d.begin(), d.end(), 0u), 74u);
    expect_simple_and_connected(links, 15);
  }
}

TEST(RandomLinks, SeedsMakeTheGraph) {
  const std::vector<unsigned> ports(20, 4);
  const auto one = random_links(ports, RandomStream(1, "test"));
  EXPECT_EQ(random_links(ports, RandomStream(1, "test")), one);
  EXPECT_NE(random_links(ports, RandomStream(2, "test")), one);
}

TEST(RandomLinks, WhatCannotBeIsRefused) {
  for (const std::vector<unsigned>& ports :
       std::vector<std::vector<unsigned>>{{}, {1}, {2, 2}, {1, 1, 1, 1}, {2, 0, 2}}) {
    EXPECT_THROW(random_links(ports, RandomStream(1, "test")), InputError);
  }
}

// Random regular graphs have short paths: the mean of an 80-switch one with 6 or 7 ports is near
// log n / log (r - 1) = 2.6, and no two switches are more than four apart.
TEST(RandomLinks, PathsAreShort) {
  std::vector<unsigned> ports(80, 6);
  std::fill(ports.begin() + 48, ports.end(), 7u);
  const auto links = random_links(ports, RandomStream(1, "test"));
  double sum = 0;
  for (unsigned v = 0; v < 80; ++v) {
    const auto d = distances(links, 80, v);
    EXPECT_LE(*std::max_element(d.begin(), d.end()), 4);
    sum += std::accumulate(d.begin(), d.end(), 0);
  }
  EXPECT_NEAR(sum / (80 * 79), 2.5, 0.2);
}

/// Switches with one host each, joined at random.
struct Net {
  explicit Net(unsigned switches = 16, unsigned ports = 4, std::uint64_t seed = 1)
      : links(random_links(std::vector<unsigned>(switches, ports), RandomStream(seed, "test"))) {
    for (unsigned i = 0; i < switches; ++i) topology.add_switch("s" + std::to_string(i));
    for (unsigned i = 0; i < switches; ++i)
      topology.add_edge(i, topology.add_endpoint("h" + std::to_string(i)));
    for (const auto& [a, b] : links) topology.add_edge(a, b);
  }
  /// The switches of a path, by the ports that it says; checks that its last link ends at `to`.
  std::vector<unsigned> walk(const PathTable& table, NodeId from, NodeId to, unsigned path) const {
    std::vector<unsigned> visited;
    unsigned at = from;
    for (const auto& hop : table.hops(from, to, path)) {
      EXPECT_EQ(hop.vertex, at);
      visited.push_back(at);
      bool found = false;
      for (const auto& e : topology.edges()) {
        if (e.a == at && e.port_a == hop.port) {
          at = e.b;
        } else if (e.b == at && e.port_b == hop.port) {
          at = e.a;
        } else {
          continue;
        }
        found = true;
        break;
      }
      EXPECT_TRUE(found);
    }
    visited.push_back(at);
    EXPECT_EQ(at, to);
    return visited;
  }
  Links links;
  Topology topology;
};

TEST(PathTable, PathsAreLooplessDifferentAndShortestFirst) {
  const Net net;
  const PathTable table(net.topology, 8, 1);
  for (NodeId from = 0; from < 16; ++from) {
    const auto d = distances(net.links, 16, from);
    EXPECT_EQ(table.home(from), from);
    EXPECT_TRUE(table.first_ports(from, from).empty());
    for (NodeId to = 0; to < 16; ++to) {
      if (from == to) continue;
      const auto firsts = table.first_ports(from, to);
      ASSERT_EQ(firsts.size(), 8u);
      std::set<std::vector<unsigned>> different;
      std::size_t before = 0;
      for (unsigned i = 0; i < 8; ++i) {
        const auto path = net.walk(table, from, to, i);
        if (i == 0) {
          EXPECT_EQ(static_cast<int>(path.size()) - 1, d[to]);
        }
        EXPECT_GE(path.size(), before);
        before = path.size();
        EXPECT_EQ(std::set<unsigned>(path.begin(), path.end()).size(), path.size());
        EXPECT_TRUE(different.insert(path).second);
        EXPECT_EQ(table.port(from, to, i, from), firsts[i]);
        EXPECT_EQ(table.port(from, to, i, to), std::nullopt);
      }
      EXPECT_TRUE(table.hops(from, to, 8).empty());
    }
  }
}

// Every simple path of a small graph, by exhaustion: the table's are the shortest of them.
TEST(PathTable, NoShorterPathIsLeftOut) {
  const Net net(9, 3);  // one port is left over
  const PathTable table(net.topology, 6, 1);
  std::vector<unsigned> path;
  std::vector<std::size_t> lengths;
  const auto extend = [&](auto&& self, unsigned at, unsigned to) -> void {
    if (std::find(path.begin(), path.end(), at) != path.end()) return;
    path.push_back(at);
    if (at == to) {
      lengths.push_back(path.size());
    } else {
      for (const auto& [a, b] : net.links) {
        if (a == at) self(self, b, to);
        if (b == at) self(self, a, to);
      }
    }
    path.pop_back();
  };
  for (NodeId to = 1; to < 9; ++to) {
    lengths.clear();
    extend(extend, 0, to);
    std::sort(lengths.begin(), lengths.end());
    const std::size_t n = table.first_ports(0, to).size();
    ASSERT_EQ(n, std::min<std::size_t>(6, lengths.size()));
    for (unsigned i = 0; i < n; ++i) {
      EXPECT_EQ(net.walk(table, 0, to, i).size(), lengths[i]);
    }
  }
}

TEST(PathTable, SeedsDecideAmongEqualPathsAndNothingElse) {
  const Net net;
  const PathTable one(net.topology, 4, 1), again(net.topology, 4, 1), other(net.topology, 4, 2);
  int different = 0;
  for (NodeId from = 0; from < 16; ++from) {
    for (NodeId to = 0; to < 16; ++to) {
      for (unsigned i = 0; i < 4 && from != to; ++i) {
        const auto path = net.walk(one, from, to, i);
        EXPECT_EQ(net.walk(again, from, to, i), path);
        const auto others = net.walk(other, from, to, i);
        EXPECT_EQ(others.size(), path.size());
        different += others != path ? 1 : 0;
      }
    }
  }
  EXPECT_GT(different, 50);
}

TEST(PathTable, WithdrawnEdgesAreAvoided) {
  const Net net;
  std::vector<bool> withdrawn(net.topology.edges().size());
  for (std::size_t e = 16; e < 16 + 6; ++e) withdrawn[e] = true;
  const PathTable table(net.topology, 8, 1, withdrawn);
  for (NodeId from = 0; from < 16; ++from) {
    for (NodeId to = 0; to < 16; ++to) {
      for (unsigned i = 0; i < table.first_ports(from, to).size(); ++i) {
        for (const auto& hop : table.hops(from, to, i)) {
          for (std::size_t e = 16; e < 16 + 6; ++e) {
            const auto& edge = net.topology.edges()[e];
            EXPECT_FALSE(edge.a == hop.vertex && edge.port_a == hop.port);
            EXPECT_FALSE(edge.b == hop.vertex && edge.port_b == hop.port);
          }
        }
      }
    }
  }
  // A switch without links has no paths; its own host is still there.
  for (std::size_t e = 16; e < withdrawn.size(); ++e) {
    withdrawn[e] = net.topology.edges()[e].a == 3 || net.topology.edges()[e].b == 3;
  }
  const PathTable cut(net.topology, 8, 1, withdrawn);
  EXPECT_TRUE(cut.first_ports(3, 5).empty());
  EXPECT_TRUE(cut.first_ports(5, 3).empty());
  EXPECT_EQ(cut.first_ports(5, 6).size(), 8u);
  // Whatever its number is after shuffling.
  for (std::uint64_t seed = 2; seed < 22; ++seed) {
    const PathTable other(net.topology, 1, seed, withdrawn);
    EXPECT_TRUE(other.first_ports(3, 5).empty()) << seed;
    EXPECT_TRUE(other.first_ports(5, 3).empty()) << seed;
    EXPECT_EQ(other.first_ports(5, 6).size(), 1u) << seed;
  }
}

/// Devices of a net: a switch per vertex, a probe per host.
struct Running {
  Running(sim_context& context, const Net& net, const std::string& balance, unsigned k) {
    const auto routes = net.topology.shortest_path_routes();
    const auto table = std::make_shared<const PathTable>(net.topology, k, context.seed);
    for (unsigned v = 0; v < net.topology.vertices().size(); ++v) {
      const auto& vertex = net.topology.vertices()[v];
      if (vertex.node != Topology::no_node) {
        probes.push_back(std::make_unique<probe>(vertex.name.c_str(), context, 1, vertex.node));
        continue;
      }
      switches.push_back(std::make_unique<output_queued_switch>(
          vertex.name.c_str(), context, SwitchConfig{.ports = vertex.ports, .balance = balance}));
      switches.back()->routes() = routes[v];
      switches.back()->set_paths(table, v);
    }
    for (const auto& e : net.topology.edges()) {
      const bool host = net.topology.vertices()[e.b].node != Topology::no_node;
      device& b = host ? static_cast<device&>(*probes[e.b - switches.size()]) : *switches[e.b];
      connect(*switches[e.a], e.port_a, b, e.port_b, link_of(100_Gbps, 500_ns));
    }
  }
  std::uint64_t hops() const {
    std::uint64_t n = 0;
    for (const auto& s : switches) n += s->counters().forwarded;
    return n;
  }
  std::vector<std::unique_ptr<output_queued_switch>> switches;
  std::vector<std::unique_ptr<probe>> probes;
};

// Packets of one host to each other one, sprayed over all paths: each arrives, over as many
// switches as its path has, every path as often as any other.
TEST(SourceRoutes, PacketsFollowTheirPaths) {
  sim_context context;
  const Net net;
  Running run(context, net, "round_robin", 8);
  const PathTable table(net.topology, 8, context.seed);
  std::uint64_t expected = 0;
  for (int i = 0; i < 80; ++i) {
    for (NodeId to = 1; to < 16; ++to) {
      run.probes[0]->send({.at = 1_us * i, .dst = to, .frame = 64_B});
      expected += net.walk(table, 0, to, static_cast<unsigned>(i % 8)).size();
    }
  }
  context.clock.run_to(1_ms);
  EXPECT_EQ(context.pool.delivered(), 80u * 15);
  EXPECT_EQ(run.hops(), expected);
  for (NodeId to = 1; to < 16; ++to) EXPECT_EQ(run.probes[to]->arrivals.size(), 80u);
  // The first switch chose: as many packets at each of its ports as paths begin there.
  std::vector<std::uint64_t> begin(5);
  for (NodeId to = 1; to < 16; ++to) {
    for (const auto port : table.first_ports(0, to)) begin[port] += 10;
  }
  for (unsigned port = 1; port < 5; ++port) {
    EXPECT_GE(run.switches[0]->tx(port).counters().packets, begin[port]);
  }
}

// The hash of a flow chooses its path (FKSP): no packet of it overtakes another.
TEST(SourceRoutes, AFlowStaysOnOnePathWithEcmp) {
  sim_context context;
  const Net net;
  Running run(context, net, "ecmp", 8);
  std::set<std::uint64_t> lengths;
  for (std::uint16_t flow = 0; flow < 40; ++flow) {
    for (int i = 0; i < 5; ++i) {
      run.probes[0]->send({.at = 20_us * flow, .dst = 9, .frame = 500_B, .entropy = flow});
    }
  }
  context.clock.run_to(2_ms);
  ASSERT_EQ(run.probes[9]->arrivals.size(), 200u);
  for (std::size_t i = 0; i < 200; ++i) {
    EXPECT_EQ(run.probes[9]->arrivals[i].shot(), i);
    if (i % 5 == 0)
      lengths.insert(
          static_cast<std::uint64_t>(run.probes[9]->arrivals[i].at.count() -
                                     (20_us).count() * static_cast<std::int64_t>(i / 5)));
  }
  EXPECT_GT(lengths.size(), 1u);  // flows are on paths of different length
}

// A link goes down under way: what has no path goes on by what shortest paths are left.
TEST(SourceRoutes, WhatLosesItsPathTakesAnother) {
  sim_context context;
  const Net net;
  Running run(context, net, "round_robin", 8);
  for (int i = 0; i < 200; ++i) {
    run.probes[0]->send({.at = 100_ns * i, .dst = 9, .frame = 64_B});
  }
  context.clock.run_to(10_us);
  std::vector<bool> withdrawn(net.topology.edges().size());
  withdrawn[16] = withdrawn[20] = withdrawn[30] = true;
  const auto routes = net.topology.shortest_path_routes(withdrawn);
  const auto table = std::make_shared<const PathTable>(net.topology, 8, 7, withdrawn);
  for (unsigned v = 0; v < 16; ++v) {
    run.switches[v]->routes() = routes[v];
    run.switches[v]->set_paths(table, v);
  }
  context.clock.run_to(1_ms);
  EXPECT_EQ(run.probes[9]->arrivals.size(), 200u);
  EXPECT_EQ(context.pool.live(), 0u);
}

}  // namespace
}  // namespace horae::fabric::random_links_test
