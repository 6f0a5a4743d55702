// Themis when routing withdraws a link: who takes another port, and who may not.
#include <set>

#include "horae/params/document.hpp"
#include "horae/params/section.hpp"
#include "themis_parts.hpp"

namespace horae::programs::themis_routes_test {
namespace {

using namespace test;

/// `routes` without port 10 towards far_node.
Routes withdrawn() {
  Routes r = routes;
  r.entries[2].ports = {8, 9, 11};
  return r;
}

struct Sender : Tor {
  Sender() : Tor({.paths = 4}) {
    program->connect(connection(near_node, far_node));
    program->connect(connection(near_node, far_other));
  }
  unsigned port(NodeId to, std::uint32_t psn) {
    return ingress(data(near_node, to, psn), near_port).port;
  }
  std::set<unsigned> response_ports(NodeId to) {
    std::set<unsigned> taken;
    for (unsigned flow = 0; flow < 100; ++flow) {
      const auto entropy = static_cast<std::uint16_t>(0xc000 + flow);
      taken.insert(ingress(ack(near_node, to, 0, entropy), 8).port);
    }
    return taken;
  }
};

TEST(ThemisRoutes, TheIndexesOfAWithdrawnPortGetAnotherAndOthersStay) {
  Sender tor;
  unsigned before[4];
  for (std::uint32_t psn = 0; psn < 4; ++psn) before[psn] = tor.port(far_node, psn);
  tor.program->update(withdrawn());
  unsigned moved = 0;
  for (std::uint32_t psn = 0; psn < 64; ++psn) {
    const unsigned now = tor.port(far_node, psn);
    EXPECT_NE(now, 10u);
    EXPECT_EQ(now, tor.port(far_node, psn % 4));  // the same index, the same path
    if (before[psn % 4] == 10) {
      ++moved;
    } else {
      EXPECT_EQ(now, before[psn % 4]);
    }
  }
  EXPECT_EQ(moved, 16u);
}

TEST(ThemisRoutes, OtherNodesKeepThePort) {
  Sender tor;
  tor.program->update(withdrawn());
  std::set<unsigned> taken;
  for (std::uint32_t psn = 0; psn < 4; ++psn) taken.insert(tor.port(far_other, psn));
  EXPECT_EQ(taken, (std::set<unsigned>{8, 9, 10, 11}));
}

TEST(ThemisRoutes, ResponsesFollowRouting) {
  Sender tor;
  EXPECT_EQ(tor.response_ports(far_node), (std::set<unsigned>{8, 9, 10, 11}));
  tor.program->update(withdrawn());
  EXPECT_EQ(tor.response_ports(far_node), (std::set<unsigned>{8, 9, 11}));
  EXPECT_EQ(tor.response_ports(far_other), (std::set<unsigned>{8, 9, 10, 11}));
}

TEST(ThemisRoutes, ARestoredPortIsAsBefore) {
  Sender tor;
  unsigned before[4];
  for (std::uint32_t psn = 0; psn < 4; ++psn) before[psn] = tor.port(far_node, psn);
  tor.program->update(withdrawn());
  tor.program->update(routes);
  for (std::uint32_t psn = 0; psn < 4; ++psn) EXPECT_EQ(tor.port(far_node, psn), before[psn]);
}

TEST(ThemisRoutes, WithoutAnyPortResponsesAreDropped) {
  Sender tor;
  Routes none = routes;
  none.entries[2].ports = {};
  tor.program->update(none);
  EXPECT_TRUE(tor.ingress(ack(near_node, far_node, 0), 8).dropped());
  EXPECT_FALSE(tor.ingress(ack(near_node, far_other, 0), 8).dropped());
}

TEST(ThemisRoutes, ForwardFollowsRouting) {
  const auto factory = read_program(
      Document::parse("name = \"forward\"\npath_choice = \"psn\"\n", "test.toml").root());
  Tor tor(*factory, 0, routes);
  const auto ports = [&] {
    std::set<unsigned> taken;
    for (std::uint32_t psn = 0; psn < 24; ++psn)
      taken.insert(tor.ingress(data(near_node, far_node, psn), near_port).port);
    return taken;
  };
  EXPECT_EQ(ports(), (std::set<unsigned>{8, 9, 10, 11}));
  tor.program->update(withdrawn());
  EXPECT_EQ(ports(), (std::set<unsigned>{8, 9, 11}));
}

}  // namespace
}  // namespace horae::programs::themis_routes_test
