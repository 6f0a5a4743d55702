// Traffic classes of a NIC: who goes first, shares, and PFC of one of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "horae/rnic/parts/class_arbiter.hpp"
#include "nic_parts.hpp"

namespace horae::rnic::traffic_class_test {
namespace {

using namespace test;

TEST(ClassArbiter, TheHigherPriorityGoesFirst) {
  ClassArbiter arbiter({{.number = 2, .priority = 6}, {.number = 6, .priority = 2}});
  std::vector<unsigned> asked;
  EXPECT_EQ(arbiter.first(0b1100'0100,
                          [&](unsigned c) {
                            asked.push_back(c);
                            return c == 6;
                          }),
            6);
  EXPECT_EQ(asked, (std::vector<unsigned>{7, 2, 6}));
  EXPECT_EQ(arbiter.first(0b100, [](unsigned) { return false; }), -1);
}

// Bytes sent by two classes that always have data, over their weights, differ by at most what a
// packet of each is over its weight (Goyal et al. 1996, theorem 1).
TEST(ClassArbiter, SharesAreFairWithinAPacketOfEach) {
  const std::array<std::int64_t, 3> weights = {1, 3, 7};
  const std::array<std::int64_t, 3> lengths = {4178, 1098, 84};
  ClassArbiter arbiter({{.number = 0, .priority = 4, .weight = 1},
                        {.number = 1, .priority = 4, .weight = 3},
                        {.number = 2, .priority = 4, .weight = 7}});
  std::array<std::int64_t, 3> sent{};
  for (int n = 0; n < 10000; ++n) {
    const auto c = static_cast<std::size_t>(arbiter.first(0b111, [](unsigned) { return true; }));
    sent[c] += lengths[c];
    arbiter.sent(static_cast<unsigned>(c), Bytes(lengths[c]));
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        ASSERT_LE(std::abs(sent[a] * weights[b] - sent[b] * weights[a]),
                  lengths[a] * weights[b] + lengths[b] * weights[a]);
      }
    }
  }
}

TEST(ClassArbiter, WhoHadNothingHasNoClaimLater) {
  ClassArbiter arbiter({{.number = 0, .priority = 4}, {.number = 1, .priority = 4}});
  const auto next = [&](unsigned of) {
    const int c = arbiter.first(of, [](unsigned) { return true; });
    arbiter.sent(static_cast<unsigned>(c), 1000_B);
    return c;
  };
  for (int n = 0; n < 100; ++n) EXPECT_EQ(next(0b01), 0);
  int ones = 0;
  for (int n = 0; n < 100; ++n) ones += next(0b11);
  EXPECT_NEAR(ones, 50, 1);
}

constexpr Bytes message = 4_MiB;
const Picoseconds wire = wire_time(Opcode::write_first, 1024_B);

/// Queue pair n sends for ever in class `classes[n]`.
void add_queue_pairs(Nic& nic, const std::vector<std::uint8_t>& classes) {
  for (const std::uint8_t c : classes) {
    QueuePairConfig config;
    config.remote = Qpn(0x77);
    config.peer = peer::node;
    config.traffic_class = c;
    config.source = messages(message);
    nic.add_queue_pair(std::move(config));
  }
}
std::uint64_t data_of(const peer& far, unsigned traffic_class) {
  return static_cast<std::uint64_t>(std::count_if(far.seen.begin(), far.seen.end(), [&](auto& s) {
    return s.data() && s.packet.traffic_class == traffic_class;
  }));
}
RnicConfig patient() {
  RnicConfig config = odd_latencies();
  config.reth_on_every_packet = true;  // all packets take equally long
  config.reliability.window = 4096;
  config.reliability.rto = 50_ms;
  return config;
}

TEST(TrafficClass, WeightsShareTheWire) {
  fabric::sim_context context({}, 1);
  RnicConfig config = patient();
  config.classes = {{.number = 1, .priority = 5, .weight = 25},
                    {.number = 2, .priority = 5, .weight = 75}};
  NicAndPeer line(context, config);
  add_queue_pairs(*line.nic, {1, 1, 2, 0});
  run_on(context, wire * 400);
  run_on(context, wire * 400 + 2_us);
  const auto first = [&](unsigned c) {
    return std::count_if(line.far->seen.begin(), line.far->seen.begin() + 400,
                         [&](auto& s) { return s.packet.traffic_class == c; });
  };
  EXPECT_NEAR(static_cast<double>(first(1)), 100, 1);
  EXPECT_NEAR(static_cast<double>(first(2)), 300, 1);
  EXPECT_EQ(first(0), 0);  // strict priority: 5 before 0
}

// PFC holds the class that would go first: the other one has the wire, without a gap.
TEST(TrafficClass, AHeldClassLeavesTheWireToOthers) {
  fabric::sim_context context({}, 1);
  NicAndPeer line(context, patient());
  add_queue_pairs(*line.nic, {3, 1});
  const Picoseconds held = wire * 30, freed = wire * 50;
  line.far->pause(line.pause_known_at(held), 3, true);
  line.far->pause(line.pause_known_at(freed), 3, false);
  run_on(context, wire * 80);
  const auto& seen = line.far->seen;
  run_on(context, wire * 80 + 2_us);
  ASSERT_GE(seen.size(), 80u);
  for (std::size_t i = 0; i < 80; ++i) {
    EXPECT_EQ(seen[i].packet.traffic_class, i >= 30 && i < 50 ? 1 : 3) << i;
    EXPECT_EQ(line.decided(seen[i]), wire * static_cast<std::int64_t>(i));
  }
  EXPECT_EQ(idle_time(*line.nic, IdleCause::paused), 0_ps);
}

// A class that PFC holds at one port fills its own room there and no other's.
TEST(TrafficClass, AHeldClassAtAPortDoesNotHoldOthers) {
  fabric::sim_context context({}, 1);
  RnicConfig config = patient();
  config.ports = 2;
  config.port_choice = PortChoice::rail;
  Nic nic("nic", context, config, 0);
  peer left("left", context), right("right", context);
  connect(nic, 0, left, 0, odd_link);
  connect(nic, 1, right, 0, odd_link);
  add_queue_pairs(nic, {3, 1});
  left.pause(1_us, 3, true);
  run_on(context, wire * 300);
  EXPECT_LT(data_of(left, 3), 20u);
  EXPECT_GT(data_of(left, 1), 250u);
  EXPECT_EQ(nic.several_ports()->waiting(0), nic.several_ports()->waiting());
}

}  // namespace
}  // namespace horae::rnic::traffic_class_test
