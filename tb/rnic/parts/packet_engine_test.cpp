// The packet engine: its units and contexts by themselves, and the rates of NICs that it bounds.
#include "horae/rnic/parts/packet_engine.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "host_parts.hpp"
#include "nic_parts.hpp"

namespace horae::rnic::packet_engine_test {
namespace {

using test::connect_queue_pairs;
using test::decisions;
using test::idle_time;
using test::messages;
using test::NicAndPeer;
using test::NicPair;
using test::odd_latencies;
using test::odd_link;
using test::one_way;
using test::wire_time;

constexpr auto requester = ContextRole::requester;
constexpr auto responder = ContextRole::responder;

TEST(HeldContexts, OneRoleIsFetchedAhead) {
  HeldContexts contexts(1);
  for (const std::size_t i : {0u, 1u, 2u, 0u}) EXPECT_TRUE(contexts.use(i, requester)) << i;
  EXPECT_EQ(contexts.held(), 1u);
}

TEST(HeldContexts, OfBothRolesTheLeastRecentlyUsedGoes) {
  HeldContexts contexts(2);
  EXPECT_TRUE(contexts.use(0, requester));   // the only role so far
  EXPECT_FALSE(contexts.use(0, responder));  // requester 0, responder 0
  EXPECT_TRUE(contexts.use(0, requester));
  EXPECT_FALSE(contexts.use(1, responder));  // responder 0 goes
  EXPECT_TRUE(contexts.use(0, requester));
  EXPECT_FALSE(contexts.use(0, responder));  // responder 1 goes
  EXPECT_TRUE(contexts.use(0, requester));
  EXPECT_FALSE(contexts.use(1, responder));
  EXPECT_EQ(contexts.held(), 2u);
}

struct Engine {
  explicit Engine(const EngineConfig& config, std::size_t queue_pairs = 4)
      : engine(config, counters) {
    for (std::size_t i = 0; i < queue_pairs; ++i) engine.add();
  }
  EngineCounters counters;
  PacketEngine engine;
};

TEST(PacketEngine, SharedUnitsServeReceivedPacketsFirst) {
  Engine e({.send = 10_ns, .receive = 4_ns, .ack_send = 3_ns, .ack_receive = 2_ns});
  e.engine.send(0, true, 100_ns);
  EXPECT_EQ(e.engine.receive(1, Arrival::data, 101_ns), 114_ns);  // behind what is sent
  EXPECT_EQ(e.engine.receive(1, Arrival::response, 102_ns), 116_ns);
  EXPECT_EQ(e.engine.sends_from(0, true), 116_ns);
  e.engine.respond(0, 116_ns);
  EXPECT_EQ(e.engine.responds_from(3), 119_ns);
  EXPECT_EQ(e.counters.rxb_wait, 9_ns + 12_ns);
  EXPECT_EQ(e.counters.busy,
            (std::array<Picoseconds, engine_works>{10_ns, 4_ns, 3_ns, 2_ns, 0_ns}));
}

TEST(PacketEngine, VerbsMayTakeTimesOfTheirOwn) {
  Engine same({.receive = 4_ns, .ack_receive = 1_ns});
  Engine e({.receive = 4_ns, .read = 6_ns, .message = 7_ns, .atomic = 9_ns, .ack_receive = 1_ns});
  Picoseconds at{}, all{};
  for (const auto& [what, time] :
       std::vector<std::pair<Arrival, Picoseconds>>{{Arrival::data, 4_ns},
                                                    {Arrival::read, 6_ns},
                                                    {Arrival::message, 7_ns},
                                                    {Arrival::atomic, 9_ns},
                                                    {Arrival::response, 1_ns}}) {
    EXPECT_EQ(e.engine.receive(0, what, 0_ns), at += time);
    EXPECT_EQ(same.engine.receive(0, what, 0_ns), all += what == Arrival::response ? 1_ns : 4_ns);
  }
  EXPECT_EQ(e.counters.busy,
            (std::array<Picoseconds, engine_works>{0_ns, 26_ns, 0_ns, 1_ns, 0_ns}));
}

TEST(PacketEngine, PoolsApartDoNotWaitForEachOther) {
  Engine e({.send = 10_ns, .receive = 4_ns, .pools = EnginePools::apart});
  e.engine.send(0, true, 100_ns);
  EXPECT_EQ(e.engine.receive(0, Arrival::data, 100_ns), 104_ns);
  EXPECT_EQ(e.engine.receive(0, Arrival::data, 100_ns), 108_ns);
  EXPECT_EQ(e.engine.sends_from(0, true), 110_ns);
}

TEST(PacketEngine, AQueuePairHasItsUnit) {
  Engine e({.send = 10_ns, .units = 2});
  e.engine.send(0, true, 100_ns);
  EXPECT_EQ(e.engine.sends_from(2, true), 110_ns);
  EXPECT_LE(e.engine.sends_from(1, true), 100_ns);
  EXPECT_LE(e.engine.any_from(), 100_ns);
  e.engine.send(3, true, 102_ns);
  EXPECT_EQ(e.engine.any_from(), 110_ns);
}

TEST(PacketEngine, OrTheOneThatIsFree) {
  Engine e({.send = 10_ns, .units = 2, .binding = EngineBinding::any});
  e.engine.send(0, true, 100_ns);
  EXPECT_LE(e.engine.sends_from(2, true), 100_ns);
  e.engine.send(2, true, 101_ns);
  EXPECT_EQ(e.engine.sends_from(0, true), 110_ns);
  e.engine.send(0, true, 110_ns);
  EXPECT_EQ(e.engine.sends_from(0, true), 111_ns);
}

// Found by random platforms: a packet behind one whose context is away overtook it on another unit.
TEST(PacketEngine, ReceivedPacketsOfAQueuePairStayInOrder) {
  Engine e(
      {.receive = 4_ns, .units = 2, .binding = EngineBinding::any, .visit = 100_ns, .contexts = 1});
  e.engine.send(1, true, 1_us);  // so that visits cost
  EXPECT_EQ(e.engine.receive(0, Arrival::data, 2_us), 2104_ns);
  EXPECT_EQ(e.engine.receive(0, Arrival::data, 2_us), 2104_ns);  // worked on until 2004 ns
  EXPECT_EQ(e.engine.receive(2, Arrival::data, 2_us), 2108_ns);
}

TEST(PacketEngine, AQueuePairHasACeiling) {
  Engine e({.send = 10_ns, .queue_pair = 35_ns});
  e.engine.send(0, true, 100_ns);
  EXPECT_EQ(e.engine.sends_from(0, true), 135_ns);
  EXPECT_EQ(e.engine.sends_from(0, false), 110_ns);
  EXPECT_EQ(e.engine.sends_from(1, true), 110_ns);
  e.engine.send(0, false, 110_ns);  // goes on with the message
  EXPECT_EQ(e.engine.sends_from(0, true), 135_ns);
}

TEST(PacketEngine, AVisitTakesTimeOfTheUnit) {
  Engine e({.send = 10_ns, .receive = 4_ns, .visit = 100_ns, .contexts = 1});
  e.engine.send(0, true, 1_us);
  EXPECT_EQ(e.engine.sends_from(0, true), 1010_ns);
  EXPECT_EQ(e.engine.receive(0, Arrival::data, 2_us), 2104_ns);
  EXPECT_EQ(e.engine.receive(0, Arrival::data, 3_us), 3004_ns);
  EXPECT_EQ(e.counters.visits, 1u);
}

RnicConfig with(const EngineConfig& engine) {
  RnicConfig config = odd_latencies();
  config.engine = engine;
  return config;
}

// One packet every `send`, to the picosecond: 8 bytes take 8.48 ns of the wire.
TEST(EngineRate, TheEngineBoundsSmallPackets) {
  fabric::sim_context context;
  NicAndPeer line(context, with({.send = 20'003_ps}));
  for (int i = 0; i < 3; ++i) line.queue_pair(messages(8_B, 10));
  test::run_on(context, 30_us);
  const auto at = decisions(line);
  ASSERT_EQ(at.size(), 30u);
  for (std::size_t i = 0; i < at.size(); ++i)
    EXPECT_EQ(at[i], 20'003_ps * static_cast<std::int64_t>(i));
  const Picoseconds wire = wire_time(Opcode::write_only, 8_B);
  EXPECT_EQ(idle_time(*line.nic, IdleCause::engine), (20'003_ps - wire) * 29);
  test::expect_time_accounted(*line.nic, 30_us);
}

// Long packets hide it: the larger of both.
TEST(EngineRate, TheWireBoundsLargeOnes) {
  fabric::sim_context context;
  NicAndPeer line(context, with({.send = 20'003_ps}));
  line.queue_pair(messages(1024_B, 10));
  test::run_on(context, 30_us);
  const auto at = decisions(line);
  ASSERT_EQ(at.size(), 10u);
  for (std::size_t i = 1; i < at.size(); ++i)
    EXPECT_EQ(at[i] - at[i - 1], wire_time(Opcode::write_only, 1024_B));
  EXPECT_EQ(idle_time(*line.nic, IdleCause::engine), 0_ps);
}

// Two units, three queue pairs: the first and the third share one.
TEST(EngineRate, UnitsWorkBesideEachOther) {
  fabric::sim_context context;
  NicAndPeer line(context, with({.send = 50_ns, .units = 2}));
  for (int i = 0; i < 3; ++i) line.queue_pair(messages(8_B, 40));
  test::run_on(context, 2_us);
  std::array<std::size_t, 3> sent{};
  for (const auto& s : line.far->seen)
    if (line.decided(s) < 1_us) ++sent.at(s.packet.entropy - 0xc000u);
  EXPECT_EQ(sent, (std::array<std::size_t, 3>{10, 20, 10}));
  test::expect_time_accounted(*line.nic, 2_us);
}

TEST(EngineRate, AQueuePairHasItsCeilingAndManyHaveTheEngines) {
  fabric::sim_context context;
  std::vector<NicAndPeer> lines;
  const std::vector<std::size_t> queue_pairs = {1, 2, 8}, expected = {20, 40, 50};
  for (unsigned l = 0; l < queue_pairs.size(); ++l) {
    lines.emplace_back(context, with({.send = 20_ns, .queue_pair = 50_ns}), odd_link, l);
    for (std::size_t i = 0; i < queue_pairs[l]; ++i) lines.back().queue_pair(messages(8_B, 100));
  }
  test::run_on(context, 2_us);
  for (unsigned l = 0; l < queue_pairs.size(); ++l) {
    std::size_t sent = 0;
    for (const auto at : decisions(lines[l])) sent += at < 1_us ? 1 : 0;
    EXPECT_EQ(sent, expected[l]) << queue_pairs[l];
  }
}

// A packet is answered when the engine is done with it, and with those before it.
TEST(EngineRate, ReceivedPacketsWaitForEachOther) {
  fabric::sim_context context;
  const RnicConfig config = with({.receive = 300'007_ps});
  NicAndPeer with_engine(context, config), without(context, odd_latencies(), odd_link, 1);
  for (NicAndPeer* line : {&with_engine, &without}) {
    line->queue_pair(nullptr);
    for (std::uint32_t n = 0; n < 3; ++n) line->far->data(1_us, n, Opcode::write_middle, true);
  }
  test::run_on(context, 10_us);
  ASSERT_EQ(with_engine.far->seen.size(), 3u);
  for (std::uint32_t n = 0; n < 3; ++n) {
    const Picoseconds later = 300'007_ps * (n + 1) - wire_time(Opcode::write_middle, 1024_B) * n;
    EXPECT_EQ(with_engine.far->seen[n].at - without.far->seen[n].at, later) << n;
  }
  EXPECT_EQ(with_engine.nic->counters().engine.rxb_wait,
            (300'007_ps - wire_time(Opcode::write_middle, 1024_B)) * 3);
}

/// Messages of 8 bytes that one of two NICs completes in 100 us.
double completed(const RnicConfig& config, unsigned queue_pairs, bool both_ways) {
  return std::stod(test::in_child([&] {
    fabric::sim_context context;
    NicPair pair(context, config, {.rate = 400_Gbps, .delay = 500_ns});
    for (unsigned i = 0; i < queue_pairs; ++i) {
      connect_queue_pairs(*pair.a, *pair.b,
                          {.a_to_b = messages(8_B, 100'000),
                           .b_to_a = both_ways ? messages(8_B, 100'000) : nullptr});
    }
    test::run_on(context, 100_us);
    test::expect_time_accounted(*pair.a, 100_us);
    return std::to_string(pair.a->counters().messages_completed);
  }));
}
void expect_near(double messages, double expected) {
  EXPECT_NEAR(messages, expected, expected * 0.04);
}

// 1 / send one way, 1 / (send + receive) both ways; with pools apart both ways cost nothing.
TEST(EngineRate, BothWaysShareTheEngine) {
  RnicConfig config = with({.send = 40_ns, .receive = 25_ns});
  expect_near(completed(config, 8, false), 100e3 / 40);
  expect_near(completed(config, 8, true), 100e3 / 65);
  config.engine->pools = EnginePools::apart;
  expect_near(completed(config, 8, true), 100e3 / 40);
}

// Requester and responder of each queue pair are away when their turn comes; an ACK's are there.
// One context more for each queue pair, and all stay.
TEST(EngineRate, VisitsCostWhereContextsDoNotStay) {
  RnicConfig config = with({.send = 40_ns, .receive = 25_ns, .visit = 30_ns, .contexts = 64});
  expect_near(completed(config, 32, true), 100e3 / 65);
  expect_near(completed(config, 256, true), 100e3 / 125);
  expect_near(completed(config, 256, false), 100e3 / 40);
}

// Packets of 8 and of 1,000 bytes in turn: an engine that begins each when the wire takes it needs
// its own time for the one and the wire's for the other.
std::vector<Picoseconds> short_and_long(Bytes ahead, Picoseconds send) {
  std::istringstream text(test::in_child([&] {
    fabric::sim_context context;
    NicAndPeer line(context, with({.send = send, .ahead = ahead}));
    line.queue_pair(messages(8_B, 20));
    line.queue_pair(messages(1000_B, 20));
    test::run_on(context, 30_us);
    test::expect_time_accounted(*line.nic, 30_us);
    std::string out;
    for (const Picoseconds t : decisions(line)) out += std::to_string(t.count()) + " ";
    return out;
  }));
  std::vector<Picoseconds> at;
  for (std::int64_t t = 0; text >> t;) at.emplace_back(t);
  return at;
}

TEST(EngineAhead, TheEngineDoesNotStandStillWhileAPacketLeaves) {
  const Picoseconds brief = wire_time(Opcode::write_only, 8_B);
  const Picoseconds whole = wire_time(Opcode::write_only, 1000_B);
  const Picoseconds send = (brief + whole) / 2 + 5'003_ps;
  ASSERT_LT(brief, send);
  ASSERT_GT(whole, send);
  const auto test = [&](Bytes ahead, Picoseconds period) {
    const auto at = short_and_long(ahead, send);
    ASSERT_EQ(at.size(), 40u);
    for (std::size_t i = 4; i < at.size(); ++i)
      EXPECT_EQ(at[i] - at[i - 2], period) << ahead.count() << " " << i;
  };
  test(0_B, send + whole);
  test(1_B, send * 2);
  test(16_KiB, send * 2);
}

// Where the wire is the bound it never stands still, and what waits for it is no more than `ahead`
// and a packet.
TEST(EngineAhead, TheWireIsFull) {
  const Picoseconds brief = wire_time(Opcode::write_only, 8_B);
  const Picoseconds whole = wire_time(Opcode::write_only, 1000_B);
  const auto at = short_and_long(4_KiB, 10_ns);
  ASSERT_EQ(at.size(), 40u);
  // The first long one begins when the engine is done with the short one before it.
  EXPECT_EQ(at[1], 10_ns);
  for (std::size_t i = 3; i < at.size(); ++i) EXPECT_EQ(at[i] - at[i - 2], brief + whole) << i;
}

TEST(EngineInput, SeveralPortsHaveTheirOwnLines) {
  RnicConfig config = with({.send = 1_ns, .ahead = 4_KiB});
  check_engine(config);
  EXPECT_TRUE(config.works_ahead());
  EXPECT_EQ(config.lines(), 1u);
  EXPECT_EQ(config.buffer_of_port(), 4_KiB);
  config.ports = 2;
  EXPECT_THROW(check_engine(config), InputError);
  EXPECT_FALSE(config.works_ahead());
  config.engine->ahead = 0_B;
  EXPECT_EQ(config.lines(), 2u);
  config.ports.reset();
  EXPECT_EQ(config.lines(), 0u);
}

TEST(EngineInput, APlaceIsNamed) {
  RnicConfig config = with({.send = 1_ns});
  check_engine(config);
  config.engine->contexts = 5;
  EXPECT_THROW(check_engine(config), InputError);
}

}  // namespace
}  // namespace horae::rnic::packet_engine_test
