// NICs with several ports: closed forms of throughput, order, failures of a link and PFC.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/policy/transport/spray_sr.hpp"
#include "horae/rnic/parts/nic_ports.hpp"
#include "nic_parts.hpp"

namespace horae::test::ports_test {
namespace {

using rnic::NicPorts;
using rnic::PortChoice;

/// Packets of 64 bytes beside their payload, all alike; values in turn, of which each `ports` in a
/// row are of all ports, always in the same order.
RnicConfig taking_turns(std::uint32_t ports) {
  RnicConfig config = odd_latencies();
  config.frames = rnic::Frames::htsim;
  config.transport = "spray_sr";
  config.reliability.window = 65536;
  config.reliability.rto = 9_ms;
  config.reliability.ack_every = 1;
  if (ports == 1) return config;
  config.ports = ports;
  config.entropy.scheme = "cycle";
  config.entropy.values = 65536;
  return config;
}
const Picoseconds data_time = serialisation_time(64_B + 1024_B, 100_Gbps);
const Picoseconds response_time = serialisation_time(64_B, 100_Gbps);

/// Two NICs joined by a link for each of their ports.
struct Planes {
  Planes(fabric::sim_context& context, const RnicConfig& config,
         const std::vector<fabric::LinkConfig>& links, unsigned index = 0)
      : a(fmt::format("a{}", index).c_str(), context, config, 0),
        b(fmt::format("b{}", index).c_str(), context, config, 1) {
    for (unsigned p = 0; p < links.size(); ++p) connect(a, p, b, p, links[p]);
  }
  /// Connection number `ordinal`, which decides its rail.
  void queue_pair(Bytes bytes, std::uint32_t ordinal = 0) {
    rnic::QueuePairConfig send, receive;
    send.remote = Qpn(Nic::first_qpn + static_cast<std::uint32_t>(b.queue_pairs()));
    receive.remote = Qpn(Nic::first_qpn + static_cast<std::uint32_t>(a.queue_pairs()));
    send.peer = 1;
    receive.peer = 0;
    send.ordinal = receive.ordinal = ordinal;
    send.source = messages(bytes);
    a.add_queue_pair(std::move(send));
    b.add_queue_pair(std::move(receive));
  }
  /// The port of the first packet: soon after the start.
  unsigned first_port() const { return sent(0) == 1 ? 0 : 1; }
  std::uint64_t sent(unsigned port) const { return a.tx(port).counters().packets; }
  Nic a, b;
};

// The packets of a message leave the pipe at the rate of all ports together.
TEST(Ports, AMessageTakesItsPacketsOverAllPorts) {
  constexpr std::int64_t packets = 200;
  fabric::sim_context context({}, 1);
  std::vector<std::unique_ptr<Planes>> pairs;
  for (const std::uint32_t ports : {1u, 2u, 4u, 8u}) {
    pairs.push_back(std::make_unique<Planes>(context, taking_turns(ports),
                                             std::vector(ports, odd_link), ports));
    pairs.back()->queue_pair(packets * 1024_B);
  }
  run_on(context, 1_us);
  for (const auto& each : pairs) {
    // Time that each port has begun; together they are as fast as all.
    double left = 0;
    for (unsigned p = 0; p < each->a.ports(); ++p) {
      left += to_seconds(each->a.tx(p).busy_until() - 1_us) *
              static_cast<double>(each->a.tx(p).link().rate.count());
    }
    EXPECT_GT(left, 0);
    EXPECT_DOUBLE_EQ(each->a.bits_left(1_us).l1, left);
  }
  run_on(context, 100_us);
  for (const auto& each : pairs) EXPECT_EQ(each->a.bits_left(100_us).l1, 0);
  EXPECT_EQ(context.pool.live(), 0u);
  for (const auto& each : pairs) {
    const Planes& pair = *each;
    const unsigned ports = pair.a.ports();
    const RnicConfig& c = pair.a.config();
    const Picoseconds there = data_time * (packets - 1) / ports + data_time + one_way(c, odd_link);
    const Picoseconds back = c.ack_delay + response_time + one_way(c, odd_link);
    EXPECT_EQ(pair.a.queue_pair(0).progress().last_completion, there + back) << ports;
    // Planes that are alike keep the order of what takes turns.
    EXPECT_EQ(pair.b.counters().out_of_order, 0u);
    for (unsigned p = 0; p < ports; ++p) EXPECT_EQ(pair.sent(p), packets / ports);
  }
}

// A value that is drawn for a packet which waits for its port is not yet one of a packet.
TEST(Ports, EntropyIsCountedOfPacketsThatAreSent) {
  fabric::sim_context context({}, 1);
  Planes pair(context, taking_turns(2), {odd_link, odd_link});
  pair.queue_pair(100 * 1024_B);
  for (const Picoseconds t : {500_ns, 1_us, 2_us, 100_us}) {
    run_on(context, t);
    const auto all = pair.a.totals();
    EXPECT_EQ(all.entropy.fixed + all.entropy.random, pair.a.counters().sent_packets())
        << to_text(t);
  }
  EXPECT_EQ(pair.a.counters().sent_packets(), 100u);
}

// A plane that is longer by k packet times and a quarter: what goes by the other one comes 2k - 1
// ahead of what is expected, but for the first packet if it is among them, and its packets fill the
// gaps.
TEST(Ports, OrderAcrossPlanesOfDifferentLength) {
  constexpr unsigned packets = 100;
  const std::vector<int> lengths = {0, 1, 3, 7};
  fabric::sim_context context({}, 1);
  std::vector<std::unique_ptr<Planes>> pairs;
  for (const int k : lengths) {
    fabric::LinkConfig longer = odd_link;
    longer.delay += data_time * k + data_time / 4;
    pairs.push_back(std::make_unique<Planes>(
        context, taking_turns(2), std::vector{odd_link, longer}, static_cast<unsigned>(k)));
    pairs.back()->queue_pair(packets * 1024_B);
  }
  run_on(context, data_time / 4);
  std::vector<unsigned> first;
  for (const auto& pair : pairs) first.push_back(pair->first_port());
  run_on(context, 100_us);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const int k = lengths[i];
    const Planes& pair = *pairs[i];
    EXPECT_EQ(pair.b.counters().delivered_bytes, 1024u * packets);
    EXPECT_EQ(pair.b.counters().out_of_order, k == 0 ? 0u : packets / 2 - (first[i] == 0 ? 1 : 0));
    if (k > 0) {
      EXPECT_EQ(pair.b.reorder_depth().max(), 2 * k - 1);
    }
  }
}

// The link of port 1 is down for a while. What is on the wire then, and what is sent before the NIC
// knows, is lost; the rest takes port 0 alone, until the link is known to be up.
void expect_failure(Picoseconds later) {
  constexpr Picoseconds from = 20_us + 1_ps, to = 60_us + 1_ps;
  fabric::sim_context context({}, 1);
  fabric::LinkConfig failing = odd_link;
  failing.outages = {{from, to}};
  RnicConfig config = taking_turns(2);
  config.link_down_known = later;
  Planes pair(context, config, {odd_link, failing});
  pair.queue_pair(8_MiB);
  std::uint64_t lost = 0;
  run_on(context, data_time / 4);
  // Packets of the two ports leave half a packet time apart.
  for (Picoseconds start = pair.first_port() == 1 ? 0_ps : data_time / 2; start < from + later;
       start += data_time) {
    const Picoseconds arrival = start + data_time + config.tx_latency + odd_link.delay;
    lost += arrival > from ? 1 : 0;
  }
  run_on(context, from + later + 1_us);
  const std::uint64_t by_0 = pair.sent(0), by_1 = pair.sent(1);
  EXPECT_EQ(pair.a.tx(1).counters().cut, lost);
  run_on(context, to + later);
  EXPECT_EQ(pair.sent(1), by_1);
  const auto slots = static_cast<std::uint64_t>((to - from - 1_us) / data_time);
  EXPECT_NEAR(static_cast<double>(pair.sent(0) - by_0), static_cast<double>(slots), 1.0);
  // Both again.
  run_on(context, to + later + 20_us);
  EXPECT_NEAR(static_cast<double>(pair.sent(1) - by_1), 20e6 / data_time.count(), 1.0);
  EXPECT_EQ(pair.a.tx(1).counters().cut, lost);
  // And acknowledgements.
  EXPECT_EQ(context.pool.dropped(), lost + pair.b.tx(1).counters().cut);
}

TEST(Ports, AFailedLinkThatIsKnownAtOnce) { expect_failure(0_us); }
TEST(Ports, AFailedLinkThatIsKnownLater) { expect_failure(5_us); }

// A link that fails in one direction is known at both ends; one that loses data alone is not.
TEST(Ports, WhatTheNicKnowsOfItsLinks) {
  fabric::sim_context context({}, 1);
  Nic a("a", context, taking_turns(4), 0), b("b", context, taking_turns(4), 1);
  fabric::LinkConfig fails = odd_link, loses_data = odd_link;
  fails.outages = {{10_us, 20_us}};
  loses_data.outages = {{5_us, 20_us}};
  loses_data.data_only = true;
  connect(a, 0, b, 0, odd_link);
  connect(a, 1, b, 1, odd_link, fails);
  connect(a, 2, b, 2, fails, odd_link);
  connect(a, 3, b, 3, loses_data);
  run_on(context, 1_us);
  for (const Nic* nic : {&a, &b}) {
    const NicPorts& ports = *nic->several_ports();
    for (unsigned p = 0; p < 4; ++p) EXPECT_EQ(ports.up(p, 10_us), p == 0 || p == 3);
    EXPECT_EQ(ports.next_change(0_us), 10_us);
    EXPECT_TRUE(ports.up(1, 20_us));
    EXPECT_EQ(ports.next_change(20_us), never);
  }
}

// Connections that keep to a port have its rate each.
TEST(Ports, ConnectionsThatKeepToAPort) {
  fabric::sim_context context({}, 1);
  std::vector<std::unique_ptr<Planes>> pairs;
  for (const PortChoice choice : {PortChoice::rail, PortChoice::hash}) {
    RnicConfig config = taking_turns(2);
    config.entropy = {};
    config.port_choice = choice;
    pairs.push_back(std::make_unique<Planes>(context, config, std::vector(2, odd_link),
                                             static_cast<unsigned>(choice)));
    for (std::uint32_t i = 0; i < 6; ++i) pairs.back()->queue_pair(100_KiB, i);
  }
  run_on(context, 200_us);
  for (const auto& each : pairs) {
    const Planes& pair = *each;
    const PortChoice choice = pair.a.several_ports()->choice();
    const std::uint64_t all = pair.sent(0) + pair.sent(1);
    EXPECT_EQ(all, 600u);
    EXPECT_EQ(pair.sent(0) % 100, 0u);
    if (choice == PortChoice::rail) {
      EXPECT_EQ(pair.sent(0), 300u);
    }
    EXPECT_EQ(pair.b.counters().out_of_order, 0u);
    // Answers go back by the plane that their packets came by.
    EXPECT_EQ(pair.b.tx(0).counters().packets, pair.sent(0));
    EXPECT_EQ(pair.b.tx(1).counters().packets, pair.sent(1));
  }
}

// PFC holds one port. What takes turns waits for it as soon as its line is full; what takes the
// port with the least in line goes on by the other one.
void expect_held(PortChoice choice) {
  fabric::sim_context context({}, 1);
  RnicConfig config = taking_turns(2);
  config.port_choice = choice;
  config.port_buffer = 5000_B;  // five packets, the last of which was let in with 4352 before it
  Nic nic("nic", context, config, 0);
  peer left("left", context), right("right", context);
  connect(nic, 0, left, 0, odd_link);
  connect(nic, 1, right, 0, odd_link);
  rnic::QueuePairConfig qp;
  qp.remote = Qpn(0x77);
  qp.peer = peer::node;
  qp.source = messages(4_MiB);
  nic.add_queue_pair(std::move(qp));
  right.pause(10_us, 0, true);
  right.pause(50_us, 0, false);
  run_on(context, 20_us);
  const std::uint64_t by_0 = nic.tx(0).counters().packets, by_1 = nic.tx(1).counters().packets;
  EXPECT_EQ(nic.several_ports()->waiting(1), 5u);
  run_on(context, 50_us);
  EXPECT_EQ(nic.tx(1).counters().packets, by_1);
  const auto went_on = static_cast<double>(nic.tx(0).counters().packets - by_0);
  EXPECT_NEAR(went_on, choice == PortChoice::least ? 30e6 / data_time.count() : 0.0, 1.0);
  if (choice == PortChoice::entropy) {
    EXPECT_GT(idle_time(nic, IdleCause::paused), 30_us);
  }
  run_on(context, 70_us);
  EXPECT_GT(nic.tx(1).counters().packets, by_1 + 100);
  // Every packet is on a wire or in a line; every picosecond of the pipe is idle or busy.
  const std::uint64_t made = sent(nic, policy::SendKind::fresh);
  EXPECT_EQ(nic.sent_by_ports().packets + nic.several_ports()->waiting(), made);
  const Picoseconds busy = data_time / 2 * static_cast<std::int64_t>(made);
  EXPECT_NEAR((idle_time(nic) + busy).count(), 70e6, data_time.count() / 2.0);
}

TEST(Ports, AHeldPortThatPacketsWaitFor) { expect_held(PortChoice::entropy); }
TEST(Ports, AHeldPortThatPacketsPassBy) { expect_held(PortChoice::least); }

// A response goes by another port if the link that its packet came by is down meanwhile.
TEST(Ports, ChoiceAmongPorts) {
  RnicConfig config = taking_turns(4);
  const auto at = [&](PortChoice choice) {
    config.port_choice = choice;
    NicPorts ports(config);
    ports.know(2, {{10_us, 20_us}});
    return ports;
  };
  const NicPorts by_value = at(PortChoice::entropy);
  EXPECT_EQ(by_value.wanted(6, 1, 9_us), 2u);
  EXPECT_EQ(by_value.wanted(6, 1, 10_us), 3u);
  EXPECT_EQ(by_value.wanted(6, 1, 20_us), 2u);
  EXPECT_EQ(at(PortChoice::rail).wanted(6, 1, 9_us), 1u);
  EXPECT_EQ(at(PortChoice::rail).wanted(6, 2, 12_us), 3u);
  NicPorts least = at(PortChoice::least);
  Packet p;
  p.frame = 1000;
  for (const unsigned expected : {0u, 1u, 3u, 0u, 1u}) {
    EXPECT_EQ(least.wanted(0, 0, 12_us), expected);
    least.put(expected, p, false);
  }
  // Also of ports that have sent what they had: they take turns.
  for (const unsigned expected : {3u, 0u, 1u, 3u}) {
    for (unsigned port = 0; port < 4; ++port) {
      while (least.next(port) != nullptr) least.take(port);
    }
    EXPECT_EQ(least.wanted(0, 0, 12_us), expected);
    least.put(expected, p, false);
  }
  // Among ports with equally little, the first in turn.
  NicPorts turns = at(PortChoice::least);
  for (const unsigned port : {1u, 1u, 0u}) turns.put(port, p, false);
  EXPECT_EQ(turns.wanted(0, 0, 9_us), 2u);
  NicPorts dead = at(PortChoice::entropy);
  for (unsigned port = 0; port < 4; ++port) dead.know(port, {{0_us, never}});
  EXPECT_EQ(dead.wanted(6, 1, 9_us), 2u);
  EXPECT_EQ(dead.next_change(0_us), never);
}

std::string message_of(const RnicConfig& config) {
  try {
    check_ports(config);
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Ports, KeysThatDoNotGoTogether) {
  RnicConfig config = taking_turns(8);
  EXPECT_EQ(message_of(config), "accepted");
  config.entropy.values = 1022;
  EXPECT_EQ(message_of(config),
            "entropy.values = 1022 is no multiple of ports = 8: a value's remainder is its port; "
            "expected 1016");
  config.port_choice = PortChoice::rail;
  EXPECT_EQ(message_of(config), "accepted");
  config.ports.reset();
  EXPECT_EQ(message_of(config),
            "port_choice is of a NIC with several ports; expected ports = 2 or more");
}

}  // namespace
}  // namespace horae::test::ports_test
