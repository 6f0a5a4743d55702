// The output-queued switch: latency, order, admission, marking, routing.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "fabric_parts.hpp"
#include "horae/fabric/devices/output_queued_switch.hpp"
#include "leaf_spine.hpp"

namespace horae::fabric::switch_test {
namespace {

using test::in_child;
using test::link_of;
using test::plausible;
using test::probe;

// A switch with a probe on every port; probe i is node i.
struct Star {
  Star(sim_context& context, const SwitchConfig& config, const std::string& name = "s",
       const LinkConfig& link = link_of(100_Gbps, 500_ns))
      : sw(name.c_str(), context, config) {
    for (unsigned i = 0; i < config.ports; ++i) {
      probes.push_back(
          std::make_unique<probe>((name + "p" + std::to_string(i)).c_str(), context, 1, i));
      connect(sw, i, *probes[i], 0, link);
      sw.routes().set(i, {static_cast<std::uint16_t>(i)});
    }
  }
  // Holds back the switch's port `i` for a class, from the start to `until`.
  void block(unsigned i, std::uint8_t traffic_class, Picoseconds until = never) {
    probes[i]->send_pause({.at = 0_ps, .traffic_class = traffic_class, .pause = true});
    if (until != never) {
      probes[i]->send_pause({.at = until, .traffic_class = traffic_class, .pause = false});
    }
  }
  output_queued_switch sw;
  std::vector<std::unique_ptr<probe>> probes;
};

std::vector<std::uint64_t> shots(const probe& p) {
  std::vector<std::uint64_t> all;
  for (const auto& a : p.arrivals) all.push_back(a.shot());
  return all;
}

TEST(Switch, StoresAndForwardsToThePicosecond) {
  sim_context context;
  output_queued_switch sw("sw", context, {.ports = 2, .latency = 612'345_ps});
  probe a("a", context), b("b", context);
  connect(a, 0, sw, 0, link_of(100_Gbps, 500_ns));
  connect(sw, 1, b, 0, link_of(25_Gbps, 700_ns));
  sw.routes().set(1, {1});
  a.send({.at = 1_us, .dst = 1, .frame = 1086_B});  // 1106 B on the wire
  const Picoseconds queued = 1_us + 88'480_ps + 500_ns + 612'345_ps;
  const Picoseconds arrival = queued + 353'920_ps + 700_ns;
  context.clock.run_to(arrival);
  EXPECT_TRUE(b.arrivals.empty());
  context.clock.run_to(arrival + 1_ps);
  ASSERT_EQ(b.arrivals.size(), 1u);
  EXPECT_EQ(b.arrivals[0].at, arrival);
  EXPECT_EQ(sw.counters().forwarded, 1u);
}

TEST(Switch, KeepsTheOrderWithinAClass) {
  sim_context context;
  Star star(context, {.ports = 4});
  // Three senders, one frame each at distinct times, into a port that is busy with the first.
  for (int i = 0; i < 60; ++i) {
    const unsigned sender = static_cast<unsigned>(i) % 3;
    star.probes[sender]->send(
        {.at = 10_ns * i, .dst = 3, .frame = 64_B, .entropy = static_cast<std::uint16_t>(i)});
  }
  context.clock.run_to(100_us);
  ASSERT_EQ(star.probes[3]->arrivals.size(), 60u);
  for (unsigned i = 0; i < 60; ++i) EXPECT_EQ(star.probes[3]->arrivals[i].entropy, i);
}

TEST(Switch, HigherClassesGoFirstAndWithoutPreemption) {
  for (const Bytes buffer : {0_B, 1'000'000_B}) {
    const std::string order = in_child([&] {
      sim_context context;
      Star star(context, {.ports = 6, .buffer = buffer});
      // Sender c sends two frames of class c at 10 ns x c; the egress is then busy with a long
      // frame of class 0 that came before all of them.
      star.probes[0]->send({.at = 0_ps, .dst = 5, .frame = 4158_B, .traffic_class = 0});
      for (unsigned c = 1; c < 5; ++c) {
        for (int i = 0; i < 2; ++i) {
          star.probes[c]->send({.at = 340_ns + 10_ns * static_cast<std::int64_t>(c),
                                .dst = 5,
                                .frame = 300_B,
                                .traffic_class = static_cast<std::uint8_t>(c)});
        }
      }
      context.clock.run_to(100_us);
      std::string text;
      for (const auto& a : star.probes[5]->arrivals) {
        text += std::to_string(a.traffic_class) + "." + std::to_string(a.shot()) + " ";
      }
      return text;
    });
    EXPECT_EQ(order, "0.0 4.0 4.1 3.0 3.1 2.0 2.1 1.0 1.1 ");
  }
}

TEST(Switch, AClassThatArrivesAtTheInstantOfAStartTakesPart) {
  for (const Bytes buffer : {0_B, 1'000'000_B}) {
    const std::string order = in_child([&] {
      sim_context context;
      Star star(context, {.ports = 4, .buffer = buffer});
      // 1230 B take 100 ns. The first frame is queued at T and leaves until T + 100 ns; a class 0
      // frame is queued meanwhile, one of class 7 exactly when the wire becomes free.
      star.probes[0]->send({.at = 0_ps, .dst = 3, .frame = 1230_B});
      star.probes[1]->send({.at = 50_ns, .dst = 3, .frame = 1230_B});
      star.probes[2]->send({.at = 100_ns, .dst = 3, .frame = 1230_B, .traffic_class = 7});
      context.clock.run_to(100_us);
      std::string text;
      for (const auto& a : star.probes[3]->arrivals) text += std::to_string(a.id >> 40) + " ";
      return text;
    });
    EXPECT_EQ(order, "0 2 1 ");
  }
}

TEST(Switch, DropsTheTailAtExactlyTheLimit) {
  sim_context context;
  const Bytes frame = 1000_B;
  Star exact(context, {.ports = 2, .queue_limit = frame * 10}, "exact");
  Star short_by_one(context, {.ports = 2, .queue_limit = frame * 10 - 1_B}, "short");
  for (Star* star : {&exact, &short_by_one}) {
    star->block(1, 0, 50_us);
    for (int i = 0; i < 15; ++i) star->probes[0]->send({.at = 5_us, .dst = 1, .frame = frame});
    // After the queue has drained there is room again.
    star->probes[0]->send({.at = 80_us, .dst = 1, .frame = frame});
  }
  context.clock.run_to(40_us);
  EXPECT_EQ(exact.sw.port(1).depth(), frame * 10);
  EXPECT_EQ(short_by_one.sw.port(1).depth(), frame * 9);
  EXPECT_EQ(exact.sw.held(), 10u);
  context.clock.run_to(200_us);
  std::vector<std::uint64_t> expected = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15};
  EXPECT_EQ(shots(*exact.probes[1]), expected);
  expected.erase(expected.begin() + 9);
  EXPECT_EQ(shots(*short_by_one.probes[1]), expected);
  EXPECT_EQ(exact.sw.counters().dropped, 5u);
  EXPECT_EQ(short_by_one.sw.counters().dropped, 6u);
  EXPECT_EQ(context.pool.dropped(DropCause::queue_full), 11u);
  EXPECT_EQ(context.pool.dropped(), 11u);
}

TEST(Switch, TheFrameOnTheWireIsNotQueued) {
  sim_context context;
  const Bytes frame = 1230_B;  // 100 ns
  Star star(context, {.ports = 3, .queue_limit = frame});
  // Two frames every 100 ns for one wire: one leaves, one waits, and from then on one of two is
  // dropped.
  for (int i = 0; i < 10; ++i) {
    for (const unsigned sender : {0u, 1u}) {
      star.probes[sender]->send({.at = 100_ns * i + 1_ns * sender, .dst = 2, .frame = frame});
    }
  }
  context.clock.run_to(100_us);
  EXPECT_EQ(star.probes[2]->arrivals.size(), 11u);
  EXPECT_EQ(context.pool.dropped(DropCause::queue_full), 9u);
}

TEST(Switch, TheBufferIsSharedByAllPorts) {
  sim_context context;
  const Bytes frame = 1000_B;
  Star star(context, {.ports = 4, .buffer = frame * 10});
  star.block(2, 0, 50_us);
  star.block(3, 0, 60_us);
  for (int i = 0; i < 8; ++i) {
    star.probes[0]->send({.at = 5_us + 1_us * i, .dst = 2, .frame = frame});
    star.probes[1]->send({.at = 5_us + 1_us * i + 500_ns, .dst = 3, .frame = frame});
  }
  // When port 2 has drained there is room for port 3 again.
  star.probes[1]->send({.at = 56_us, .dst = 3, .frame = frame});
  context.clock.run_to(40_us);
  EXPECT_EQ(star.sw.buffered(), frame * 10);
  EXPECT_EQ(star.sw.port(2).depth(), frame * 5);
  EXPECT_EQ(star.sw.port(3).depth(), frame * 5);
  context.clock.run_to(100_us);
  EXPECT_EQ(shots(*star.probes[2]), (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(shots(*star.probes[3]), (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 8}));
  EXPECT_EQ(context.pool.dropped(DropCause::buffer_full), 6u);
  EXPECT_EQ(context.pool.dropped(), 6u);
  EXPECT_EQ(star.sw.most_buffered(), frame * 10);
  EXPECT_EQ(star.sw.buffered(), 0_B);
}

// Packet n of a blocked queue finds n frames before it, so its marking probability is known.
TEST(Switch, MarksByTheDepthOfTheQueue) {
  sim_context context;
  const Bytes frame = 1000_B;
  const unsigned queues = 120, packets = 40;
  const double pmax = 0.4;
  Star star(context,
            {.ports = 1 + queues, .red = {.kmin = frame * 10, .kmax = frame * 30, .pmax = pmax}});
  for (unsigned q = 1; q <= queues; ++q) {
    star.block(q, 0, 500_us);
    for (unsigned n = 0; n < packets; ++n) {
      star.probes[0]->send({.at = 5_us, .dst = q, .frame = frame, .ecn = Ecn::ect0});
    }
  }
  context.clock.run_to(1_ms);
  std::vector<unsigned> marked(packets);
  for (unsigned q = 1; q <= queues; ++q) {
    ASSERT_EQ(star.probes[q]->arrivals.size(), packets);
    for (unsigned n = 0; n < packets; ++n) {
      marked[n] += star.probes[q]->arrivals[n].ecn == Ecn::ce ? 1 : 0;
    }
  }
  std::uint64_t all = 0;
  for (const unsigned m : marked) all += m;
  EXPECT_EQ(star.sw.counters().marked, all);
  for (unsigned n = 0; n <= 10; ++n) EXPECT_EQ(marked[n], 0u) << n;
  for (unsigned n = 31; n < packets; ++n) EXPECT_EQ(marked[n], queues) << n;
  for (unsigned n = 11; n <= 30; ++n) {
    EXPECT_TRUE(plausible(marked[n], queues, pmax * (n - 10) / 20)) << n << ": " << marked[n];
  }
  // Groups of ten, for tighter bounds; the mean of a sum of unequal trials varies less still.
  for (const auto& [from, mean] : {std::pair{11u, 0.11}, std::pair{21u, 0.31}}) {
    double sum = 0;
    for (unsigned n = from; n < from + 10; ++n) sum += marked[n];
    EXPECT_TRUE(plausible(sum, queues * 10.0, mean)) << from << ": " << sum;
  }
}

TEST(Switch, MarksOnlyCapablePacketsAndByTheirOwnClass) {
  sim_context context;
  const Bytes frame = 1000_B;
  Star star(context, {.ports = 2, .red = {.kmin = frame * 2, .kmax = frame * 4, .pmax = 1.0}});
  for (const std::uint8_t c : {0, 1}) star.block(1, c, 50_us);
  for (int i = 0; i < 10; ++i) {
    star.probes[0]->send({.at = 5_us, .dst = 1, .frame = frame, .ecn = Ecn::not_ect});
  }
  // The queue of class 1 is short, whatever waits in class 0.
  for (int i = 0; i < 2; ++i) {
    star.probes[0]->send(
        {.at = 10_us, .dst = 1, .frame = frame, .traffic_class = 1, .ecn = Ecn::ect0});
  }
  for (const Ecn ecn : {Ecn::ect0, Ecn::ect1, Ecn::not_ect}) {
    star.probes[0]->send({.at = 15_us, .dst = 1, .frame = frame, .ecn = ecn});
  }
  context.clock.run_to(100_us);
  std::map<std::uint64_t, Ecn> by_shot;
  for (const auto& a : star.probes[1]->arrivals) by_shot[a.shot()] = a.ecn;
  ASSERT_EQ(by_shot.size(), 15u);
  for (std::uint64_t i = 0; i < 10; ++i) EXPECT_EQ(by_shot[i], Ecn::not_ect);
  for (const std::uint64_t i : {10u, 11u}) EXPECT_EQ(by_shot[i], Ecn::ect0);
  EXPECT_EQ(by_shot[12], Ecn::ce);
  EXPECT_EQ(by_shot[13], Ecn::ce);
  EXPECT_EQ(by_shot[14], Ecn::not_ect);
  EXPECT_EQ(star.sw.counters().marked, 2u);
}

TEST(Switch, DropsWhatHasNoRoute) {
  sim_context context;
  Star star(context, {.ports = 3});
  star.sw.routes().set(1, {});  // known, but unreachable
  star.probes[0]->send({.at = 0_ps, .dst = 1});
  star.probes[0]->send({.at = 0_ps, .dst = 77});
  star.probes[0]->send({.at = 0_ps, .dst = 2});
  context.clock.run_to(100_us);
  EXPECT_TRUE(star.probes[1]->arrivals.empty());
  EXPECT_EQ(star.probes[2]->arrivals.size(), 1u);
  EXPECT_EQ(context.pool.dropped(DropCause::no_route), 2u);
  EXPECT_EQ(star.sw.counters().dropped, 2u);
  EXPECT_EQ(star.sw.counters().forwarded, 1u);
}

// One switch, one destination behind eight equal ports.
std::map<std::uint16_t, std::map<unsigned, unsigned>> ports_of_flows(const std::string& balance) {
  sim_context context;
  output_queued_switch sw("sw", context, {.ports = 9, .balance = balance});
  probe sender("sender", context), sink("sink", context, 8);
  connect(sender, 0, sw, 0, link_of(100_Gbps, 500_ns));
  std::vector<std::uint16_t> ports;
  for (unsigned i = 0; i < 8; ++i) {
    connect(sw, 1 + i, sink, i, link_of(100_Gbps, 500_ns));
    ports.push_back(static_cast<std::uint16_t>(1 + i));
  }
  sw.routes().set(5, ports);
  for (int i = 0; i < 2000; ++i) {
    sender.send({.at = 0_ps,
                 .dst = 5,
                 .frame = 64_B,
                 .entropy = static_cast<std::uint16_t>(0xc000 + i % 200)});
  }
  context.clock.run_to(1_ms);
  std::map<std::uint16_t, std::map<unsigned, unsigned>> packets;
  for (const auto& a : sink.arrivals) ++packets[a.entropy][a.port];
  return packets;
}

TEST(Switch, EcmpKeepsAFlowOnItsPath) {
  const auto flows = ports_of_flows("ecmp");
  ASSERT_EQ(flows.size(), 200u);
  std::set<unsigned> used;
  for (const auto& [flow, packets] : flows) {
    ASSERT_EQ(packets.size(), 1u) << flow;
    EXPECT_EQ(packets.begin()->second, 10u);
    used.insert(packets.begin()->first);
  }
  EXPECT_EQ(used.size(), 8u);
}

TEST(Switch, SprayUsesEveryPathForAFlow) {
  unsigned spread = 0;
  std::map<unsigned, unsigned> total;
  for (const auto& [flow, packets] : ports_of_flows("spray")) {
    spread += packets.size() > 3;
    for (const auto& [port, n] : packets) total[port] += n;
  }
  EXPECT_GT(spread, 195u);
  for (unsigned port = 0; port < 8; ++port) {
    EXPECT_TRUE(plausible(total[port], 2000, 1 / 8.0)) << port << ": " << total[port];
  }
}

TEST(Switch, RefusesAnUnknownBalancer) {
  EXPECT_EQ(test::outcome_in_child([] {
              sim_context context;
              output_queued_switch sw("sw", context, {.balance = "ecpm"});
            }).substr(0, 12),
            "InputError: ");
}

// Two packets 40 ns apart over two ports: a balancer that sees the first one on the wire gives the
// second one the other port. Queued bytes alone do not tell a port that sends from an idle one.
TEST(Switch, BalancersSeeThePacketBeingSent) {
  const auto packets_that_waited = [](std::optional<BalanceDepth> depth) {
    return std::stoi(in_child([&] {
      sim_context context;
      Star star(context, {.ports = 4, .balance = "adaptive", .balance_depth = depth});
      star.sw.routes().set(9, {1, 2});
      constexpr int pairs = 50;
      for (int i = 0; i < pairs; ++i) {
        star.probes[0]->send({.at = 10_us * i, .dst = 9, .frame = 1086_B});
        star.probes[3]->send({.at = 10_us * i + 40_ns, .dst = 9, .frame = 1086_B});
      }
      context.clock.run_to(10_us * (pairs + 1));
      const auto first = static_cast<int>(star.probes[1]->arrivals.size());
      const auto second = static_cast<int>(star.probes[2]->arrivals.size());
      // A packet on the idle port arrives 40 ns behind the first; on the busy one it waits for it.
      int waited = 0;
      for (const unsigned port : {1u, 2u}) {
        const auto& arrivals = star.probes[port]->arrivals;
        for (std::size_t i = 1; i < arrivals.size(); ++i)
          waited += arrivals[i].at - arrivals[i - 1].at < 1_us;
      }
      return fmt::format("{}", first + second == 2 * pairs ? waited : -1);
    }));
  };
  EXPECT_EQ(packets_that_waited({}), 0);
  EXPECT_EQ(packets_that_waited(BalanceDepth::port), 0);
  EXPECT_TRUE(plausible(static_cast<unsigned>(packets_that_waited(BalanceDepth::queue)), 50, 0.5));
}

// A shared buffer that is never full changes nothing but the way starts are scheduled.
TEST(Switch, LazyAndEventDrivenStartsAreTheSame) {
  for (const char* balance : {"spray", "adaptive"}) {
    test::LeafSpine scenario;
    scenario.sw.balance = balance;
    scenario.sw.queue_limit = 30'000_B;
    scenario.sw.red = {.kmin = 8000_B, .kmax = 25'000_B, .pmax = 0.3};
    scenario.classes = 3;
    const std::string lazy = in_child([&] { return scenario.run(); });
    scenario.sw.buffer = Bytes(1) * (std::int64_t{1} << 40);
    const std::string event_driven = in_child([&] { return scenario.run(); });
    EXPECT_EQ(lazy, event_driven);
    EXPECT_GT(test::value_in(lazy, "queue_full"), 0u);
    EXPECT_GT(test::value_in(lazy, "marked"), 0u);
  }
}

TEST(Switch, DescribesWhatIsStuck) {
  sim_context context;
  Star star(context, {.ports = 3});
  star.block(1, 0);
  for (int i = 0; i < 3; ++i) star.probes[0]->send({.at = 5_us, .dst = 1, .frame = 100_B});
  context.clock.run_to(50_us);
  const auto lines = star.sw.describe_queues();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0], "s port 1: 3 packets, 300 bytes, paused");
}

}  // namespace
}  // namespace horae::fabric::switch_test
