// EQDS between two NICs: the pace of pulls, and what a sender does that hears of none.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "horae/policy/congestion/eqds.hpp"
#include "nic_parts.hpp"

namespace horae::rnic::eqds_network_test {
namespace {

using test::TappedPair;

constexpr Picoseconds rto = 200_us;

RnicConfig credited(Bytes start) {
  RnicConfig config = test::odd_latencies();
  config.transport = "spray_sr";
  config.reliability.rto = rto;
  config.reliability.ack_every = 1;
  config.congestion.algorithm = "eqds";
  auto& own = config.congestion.parameters.of<policy::EqdsConfig>().values.emplace();
  own.start_credit = start;
  own.pull_share = 1.0;
  return config;
}

// The whole message is announced with its first packet; from then on a packet is pulled each time
// that one with its headers takes of the line.
void pulls_are_paced(Frames frames, Bytes frame) {
  RnicConfig config = credited(4_KiB);
  config.frames = frames;
  fabric::sim_context context;
  std::vector<Picoseconds> pulls;
  TappedPair pair(context, config, [&](unsigned port, const Packet& p) {
    if (port == 1 && p.opcode == Opcode::pull) pulls.push_back(p.created);
    return std::optional<Picoseconds>(0_ps);
  });
  test::connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = test::messages(128_KiB)});
  context.clock.run_to(150_us);
  EXPECT_TRUE(pair.a->finished());
  ASSERT_EQ(pulls.size(), 124u);
  const Picoseconds interval = serialisation_time(l1_bytes(frame), 100_Gbps);
  // The first and the last may wait for acknowledgements on the wire; a byte more or less in each
  // interval is 10 ns in all.
  const auto span = static_cast<double>((pulls.back() - pulls.front()).count());
  EXPECT_NEAR(span, static_cast<double>((interval * 123).count()), 20e3);
  EXPECT_EQ(pair.b->counters().pulls_sent, 124u);
  EXPECT_EQ(pair.a->counters().pulls_received, 124u);
}
TEST(EqdsNetwork, PullsComeAtThePaceOfFullPackets) {
  pulls_are_paced(Frames::roce, frame_bytes(Opcode::write_middle, 1024_B) + Bytes(wire::grant));
}
// Which are 64 bytes more than their payload on the wire, gap and preamble included.
TEST(EqdsNetwork, AlsoOfHtsimsFrames) {
  pulls_are_paced(Frames::htsim, Bytes(1024 + 64 - wire::preamble - wire::inter_packet_gap));
}

// Without pulls the start credit goes, and a timeout after all of it is acknowledged one packet.
TEST(EqdsNetwork, WithoutPullsItStarvesForATimeout) {
  fabric::sim_context context;
  TappedPair pair(context, credited(4_KiB), [](unsigned, const Packet& p) {
    return p.opcode == Opcode::pull ? std::nullopt : std::optional<Picoseconds>(0_ps);
  });
  test::connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = test::messages(16_KiB)});
  Picoseconds t = 1_us;
  for (; pair.a->queue_pair(0).in_flight() > 0_B || pair.a->counters().sent_packets() == 0;
       t += 10_ns)
    test::run_on(context, t);
  EXPECT_EQ(pair.a->counters().sent_packets(), 4u);
  EXPECT_LT(t, 20_us);
  test::run_on(context, t + rto - 30_ns);
  EXPECT_EQ(pair.a->counters().sent_packets(), 4u);
  test::run_on(context, t + rto + 10_ns);
  EXPECT_EQ(pair.a->counters().sent_packets(), 5u);
  EXPECT_EQ(pair.a->counters().timeouts, 0u);  // nothing was lost
}

}  // namespace
}  // namespace horae::rnic::eqds_network_test
