// Adaptive routing in the forwarding program: the shortest queue as the ghost thread told it, what
// it costs in stages, and what it is not for.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "horae/core/random.hpp"
#include "horae/dataplane/chip_spec.hpp"
#include "horae/dataplane/price/ledger.hpp"
#include "horae/programs/forward/forward.hpp"
#include "horae/programs/shared/least_queue.hpp"
#include "pass_driver.hpp"

namespace horae::programs::forward_adaptive_test {
namespace {

using dataplane::Resource;

constexpr NodeId near_node = 1, far_node = 2, half_reached = 3;
const Routes routes{{{near_node, {7}}, {far_node, {10, 11, 12, 13}}, {half_reached, {10, 12}}}};

std::unique_ptr<ProgramFactory> factory(const std::string& more = {}) {
  return test::read_by_name("forward", "path_choice = \"adaptive\"\n" + more);
}

struct Copy : test::PassDriver {
  explicit Copy(const std::string& more = {}) : PassDriver(*factory(more), routes) {}
  unsigned port(NodeId dst, Opcode opcode = Opcode::write_middle, std::uint16_t entropy = 0xc000) {
    Packet p;
    p.dst = dst;
    p.opcode = opcode;
    p.entropy = entropy;
    const test::Outcome o = ingress(1_us, p, 0);
    EXPECT_EQ(o.verdict, dataplane::Verdict::forward);
    return o.port;
  }
  void tell(const std::vector<std::uint32_t>& cells) { program->ghost(cells, 1_us); }
};

TEST(ForwardAdaptive, TheGhostThreadWatchesTheLargestGroup) {
  Copy copy;
  const auto watched = copy.program->watched_ports();
  EXPECT_EQ(std::vector<std::uint16_t>(watched.begin(), watched.end()),
            (std::vector<std::uint16_t>{10, 11, 12, 13}));
  EXPECT_EQ(factory()->ghost_period(), 100_ns);
  EXPECT_EQ(factory("ghost_period = \"2 us\"")->ghost_period(), 2_us);
  EXPECT_EQ(test::read_by_name("forward", "")->ghost_period(), Picoseconds(0));
}

// As `adaptive` of plain switches with tie = "lowest": the first of the least.
TEST(ForwardAdaptive, TakesTheFirstOfTheShortestQueues) {
  Copy copy;
  RandomStream random(1, "depths");
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::uint32_t> cells(4);
    for (auto& c : cells) c = random.below(i % 2 ? 4 : 60'000);
    copy.tell(cells);
    const auto least = std::min_element(cells.begin(), cells.end());
    EXPECT_EQ(copy.port(far_node), 10u + static_cast<unsigned>(least - cells.begin()));
  }
}

// Depths stay until the ghost thread tells of others.
TEST(ForwardAdaptive, DepthsAgeUntilTheNextTurn) {
  Copy copy;
  copy.tell({5, 5, 1, 5});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(copy.port(far_node), 12u);
  copy.tell({5, 0, 1, 5});
  EXPECT_EQ(copy.port(far_node), 11u);
}

// Responses, and destinations behind other groups, go by the flow's hash: spread, and constant.
TEST(ForwardAdaptive, WhatIsNotAdaptiveIsHashed) {
  Copy copy;
  copy.tell({0, 9, 9, 9});
  EXPECT_EQ(copy.port(near_node), 7u);
  std::set<unsigned> acks, others;
  for (std::uint16_t entropy = 0xc000; entropy < 0xc040; ++entropy) {
    acks.insert(copy.port(far_node, Opcode::acknowledge, entropy));
    others.insert(copy.port(half_reached, Opcode::write_middle, entropy));
    EXPECT_EQ(copy.port(far_node, Opcode::acknowledge, entropy),
              copy.port(far_node, Opcode::acknowledge, entropy));
  }
  EXPECT_EQ(acks, (std::set<unsigned>{10, 11, 12, 13}));
  EXPECT_EQ(others, (std::set<unsigned>{10, 12}));
}

TEST(ForwardAdaptive, WhatItCannotServeIsRefused) {
  const auto refused = [](const std::string& parameters) {
    return test::refusal_of([&] {
      dataplane::Pipeline pipeline("tor.pipe0", 0, 1);
      test::read_by_name("forward", parameters)->make(pipeline, routes);
    });
  };
  EXPECT_EQ(refused("path_choice = \"adaptive\"\ndepth_ports = 3"),
            "tor.pipe0: program.depth_ports = 3 is too small for a group of 4 ports");
  EXPECT_EQ(refused("ghost_period = \"1 us\""),
            "test.toml:2:16: ghost_period is of path_choice = \"adaptive\"");
  EXPECT_EQ(refused("depth_ports = 8"),
            "test.toml:2:15: depth_ports is of path_choice = \"adaptive\"");
}

dataplane::Ledger priced(std::uint32_t ports) {
  dataplane::Pipeline pipeline("tor.pipe0", 0, 1);
  factory("depth_ports = " + std::to_string(ports))->make(pipeline, {});
  const auto& chip = dataplane::ChipSpec::find({"tofino2"});
  return make_ledger(pipeline.design(), chip, place(pipeline.design(), chip));
}

// Stages: routes, the registers (four to a stage, as many as it has stateful ALUs; they share an
// address), a level for each halving, the table of ports. One stateful ALU for each port.
TEST(ForwardAdaptive, CostsAStageForFourPortsAndOneForEachHalving) {
  const struct { std::uint32_t ports, levels; } rows[] = {{2, 1}, {4, 2}, {8, 3}, {16, 4}, {32, 5}};
  for (const auto& [ports, levels] : rows) {
    const auto ledger = priced(ports);
    EXPECT_TRUE(ledger.refused.empty()) << ports;
    EXPECT_EQ(ledger.total[Resource::stateful_alu], ports);
    EXPECT_EQ(ledger.stages_used(), 1 + (ports + 3) / 4 + levels + 1) << ports;
  }
  EXPECT_FALSE(priced(64).refused.empty());  // 1 + 16 + 6 + 1 of 20
}

}  // namespace
}  // namespace horae::programs::forward_adaptive_test
