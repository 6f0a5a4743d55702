// Congestion control in the NIC's time: CNPs when they are due, and the sender's pace at the right
// packet.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/policy/congestion/dcqcn.hpp"
#include "host_parts.hpp"

namespace horae::rnic::congestion_test {
namespace {

using test::decisions;
using test::messages;
using test::NicAndPeer;
using test::odd_latencies;
using test::odd_link;
using test::packet_time;

constexpr Bytes wire_bytes = 1122_B;  // 1024 of payload, headers, RETH, preamble and gap

// The published algorithm: a first CNP halves the rate at once, 55 us later it has recovered half.
RnicConfig dcqcn(const std::string& reaction = "ignore") {
  RnicConfig config = odd_latencies();
  config.reth_on_every_packet = true;
  config.reliability.window = 4096;
  config.congestion.algorithm = "dcqcn";
  config.congestion.parameters.of<policy::DcqcnConfig>().set = "paper";
  config.congestion.nack_reaction = reaction;
  return config;
}
Packet cnp() {
  Packet p;
  p.src = test::peer::node;
  p.dst = 0;
  p.dest_qp = Qpn(test::Nic::first_qpn);
  p.opcode = Opcode::cnp;
  p.frame = static_cast<std::uint16_t>(frame_bytes(Opcode::cnp, 0_B).count());
  return p;
}
// When the peer must start a CNP for the NIC to know of it at `t`.
Picoseconds cnp_known_at(const NicAndPeer& line, Picoseconds t) {
  return t - line.nic->config().rx_latency - line.link.delay -
         test::wire_time(Opcode::cnp, 0_B, line.link.rate);
}
// Begin of each of `n` packets when the rate changes at the given times: each waits for what the
// one before took at the rate of its own begin.
struct Change {
  Picoseconds at;
  BitRate rate;
};
std::vector<Picoseconds> paced(std::size_t n, const std::vector<Change>& changes) {
  std::vector<Picoseconds> all;
  Picoseconds t{};
  for (std::size_t k = 0; k < n; ++k) {
    all.push_back(t);
    BitRate rate = 100_Gbps;
    for (const Change& c : changes) {
      if (t >= c.at) rate = c.rate;
    }
    t += serialisation_time(wire_bytes, rate);
  }
  return all;
}
std::vector<Picoseconds> first(std::vector<Picoseconds> all, std::size_t n) {
  all.resize(std::min(all.size(), n));
  return all;
}

TEST(Congestion, WithoutACnpTheLineIsFull) {
  fabric::sim_context context;
  NicAndPeer line(context, dcqcn());
  line.queue_pair(messages(Bytes(500 * 1024)));
  test::run_on(context, 100_us);
  EXPECT_EQ(decisions(line), paced(500, {}));
  EXPECT_EQ(test::idle_time(*line.nic, IdleCause::shaper), 0_ps);
}

// A packet whose turn was set before the CNP keeps it; the one that begins at its time does not.
TEST(Congestion, ACnpHalvesThePaceFromTheNextPacketOn) {
  fabric::sim_context context;
  std::vector<NicAndPeer> lines;
  const std::vector<Picoseconds> known = {packet_time * 100, packet_time * 100 + 1_ps,
                                          packet_time * 100 - 1_ps};
  for (unsigned i = 0; i < known.size(); ++i) {
    lines.emplace_back(context, dcqcn(), odd_link, i);
    lines[i].queue_pair(messages(Bytes(1500 * 1024)));
    lines[i].far->send(cnp_known_at(lines[i], known[i]), cnp());
  }
  test::run_on(context, 150_us);
  for (std::size_t i = 0; i < known.size(); ++i) {
    // 50 Gbps for 55 us, then half way back to the line rate, and so on.
    const auto expected = paced(600, {{known[i], 50_Gbps},
                                      {known[i] + 55_us, 75_Gbps},
                                      {known[i] + 110_us, BitRate(87'500'000'000)}});
    EXPECT_EQ(first(decisions(lines[i]), 600), expected) << i;
    EXPECT_EQ(lines[i].nic->counters().cnps_received, 1u);
  }
  // Packet 100 begins when the CNP is known (or 1 ps before): 101 is late, or 102 is.
  EXPECT_EQ(decisions(lines[0])[101] - decisions(lines[0])[100], packet_time * 2);
  EXPECT_EQ(decisions(lines[1])[101] - decisions(lines[1])[100], packet_time);
  EXPECT_EQ(decisions(lines[1])[102] - decisions(lines[1])[101], packet_time * 2);
}

TEST(Congestion, ANackChangesThePaceAsItsReactionSays) {
  struct Row {
    std::string reaction;
    BitRate rate;
  };
  // saturating_cut: keeps 75 %; slow_restart: 50 %.
  const std::vector<Row> rows = {{"ignore", 100_Gbps},
                                 {"cnp", 50_Gbps},
                                 {"saturating_cut", 75_Gbps},
                                 {"slow_restart", 50_Gbps}};
  fabric::sim_context context;
  std::vector<NicAndPeer> lines;
  const Picoseconds taken = packet_time * 100 + 45'017_ps;
  for (unsigned i = 0; i < rows.size(); ++i) {
    RnicConfig config = dcqcn(rows[i].reaction);
    if (rows[i].reaction == "saturating_cut")
      config.congestion.parameters.of<policy::NackCut>().rate_kept = 75;
    lines.emplace_back(context, config, odd_link, i);
    lines[i].queue_pair(messages(Bytes(1000 * 1024)));
    lines[i].far->nack(lines[i].response_known_at(taken - config.nack_reaction), 90);
  }
  test::run_on(context, 60_us);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // Retransmissions are paced with the rest. The timers of all begin to raise it after 55 us.
    const auto expected = paced(350, {{taken, rows[i].rate}});
    EXPECT_EQ(first(decisions(lines[i]), 350), expected) << rows[i].reaction;
    EXPECT_EQ(lines[i].far->psns_seen()[101], 90u);
  }
}

TEST(Congestion, AQuantumIsPacedByTheRateAtItsLastPacket) {
  fabric::sim_context context;
  RnicConfig config = dcqcn();
  config.shaping = Shaping::quantum;
  config.quantum = wire_bytes * 4;
  NicAndPeer line(context, config);
  line.queue_pair(messages(Bytes(400 * 1024)));
  line.far->send(cnp_known_at(line, packet_time * 101), cnp());  // in the quantum of 100 to 103
  test::run_on(context, 50_us);
  const auto at = decisions(line);
  ASSERT_GT(at.size(), 300u);
  for (std::int64_t k = 0; k < 300; ++k) {
    const std::int64_t paused = std::max<std::int64_t>(0, k / 4 - 25);  // quanta before, at 50 Gbps
    EXPECT_EQ(at[static_cast<std::size_t>(k)], packet_time * (k + 4 * paused)) << k;
  }
}

TEST(Congestion, TheRateIsTheQueuePairsOwn) {
  fabric::sim_context context;
  NicAndPeer line(context, dcqcn());
  line.queue_pair(messages(Bytes(1000 * 1024)));
  line.queue_pair(messages(Bytes(1000 * 1024)));
  line.far->send(cnp_known_at(line, 5_us), cnp());  // the first one's
  line.far->send(cnp_known_at(line, 6_us), cnp());
  test::run_on(context, 55_us);
  std::size_t packets[2] = {0, 0};
  for (const auto& s : line.far->seen) {
    const Picoseconds at = line.decided(s);
    if (at >= 10_us && at < 50_us) ++packets[s.packet.entropy - 0xc000u];
  }
  // Two cuts: alpha is one at both, or a little less: a quarter of the line, and the other the
  // rest.
  EXPECT_NEAR(static_cast<double>(packets[0]), 40e6 / 89'760 / 4, 4);
  EXPECT_NEAR(static_cast<double>(packets[0] + packets[1]), 40e6 / 89'760, 2);
}

// ---- the notification point

std::vector<test::peer::Seen> cnps_of(const NicAndPeer& line) {
  std::vector<test::peer::Seen> all;
  for (const auto& s : line.far->seen) {
    if (s.packet.opcode == Opcode::cnp) all.push_back(s);
  }
  return all;
}
Packet marked(std::uint32_t psn, Ecn ecn) {
  Packet p;
  p.src = test::peer::node;
  p.dst = 0;
  p.dest_qp = Qpn(test::Nic::first_qpn);
  p.opcode = Opcode::write_middle;
  p.payload = 1024;
  p.frame = static_cast<std::uint16_t>(frame_bytes(Opcode::write_middle, 1024_B).count());
  p.psn = Psn(psn);
  p.ecn = ecn;
  return p;
}

// The set of the paper: 50 us between CNPs of a queue pair.
TEST(Congestion, MarkedPacketsBringACnpPerInterval) {
  fabric::sim_context context;
  std::vector<NicAndPeer> lines;
  const RnicConfig config = dcqcn();
  const Picoseconds decided =
      test::wire_time(Opcode::write_middle, 1024_B) + odd_link.delay + config.rx_latency;
  for (unsigned i = 0; i < 3; ++i) {
    lines.emplace_back(context, config, odd_link, i);
    lines[i].queue_pair(nullptr);
    for (std::uint32_t psn = 0; psn < 30; ++psn) {
      lines[i].far->send(1_us + 1_us * psn, marked(psn, psn < 2 ? Ecn::ect0 : Ecn::ce));
    }
  }
  // The first mark is packet 2, at 3 us. 50 us later, and 1 ps before.
  lines[0].far->send(53_us, marked(30, Ecn::ce));
  lines[1].far->send(53_us - 1_ps, marked(30, Ecn::ce));
  lines[2].far->send(53_us, marked(30, Ecn::ect0));
  test::run_on(context, 100_us);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto cnps = cnps_of(lines[i]);
    ASSERT_EQ(cnps.size(), i == 0 ? 2u : 1u) << i;
    EXPECT_EQ(lines[i].nic->counters().cnps_sent, cnps.size());
    EXPECT_EQ(lines[i].decided(cnps[0]), 3_us + decided);
    if (i == 0) {
      EXPECT_EQ(lines[i].decided(cnps[1]), 53_us + decided);
    }
    EXPECT_EQ(cnps[0].packet.dst, test::peer::node);
    EXPECT_EQ(cnps[0].packet.dest_qp, Qpn(0x77));
  }
}

TEST(Congestion, OffThereAreNoCnps) {
  fabric::sim_context context;
  RnicConfig config = odd_latencies();
  NicAndPeer line(context, config);
  line.queue_pair(messages(Bytes(300 * 1024)));
  for (std::uint32_t psn = 0; psn < 30; ++psn) {
    line.far->send(1_us + 1_us * psn, marked(psn, Ecn::ce));
  }
  line.far->send(10_us, cnp());  // counted and without effect
  test::run_on(context, 100_us);
  EXPECT_TRUE(cnps_of(line).empty());
  EXPECT_EQ(line.nic->counters().cnps_sent, 0u);
  EXPECT_EQ(line.nic->counters().cnps_received, 1u);
  EXPECT_EQ(test::idle_time(*line.nic, IdleCause::shaper), 0_ps);
}

// paired_cnp: the receiver sends a CNP with its NACK, before it.
TEST(Congestion, APairedCnpGoesWithTheNack) {
  fabric::sim_context context;
  const RnicConfig config = dcqcn("paired_cnp");
  NicAndPeer line(context, config);
  line.queue_pair(nullptr);
  line.far->send(1_us, marked(0, Ecn::ect0));
  line.far->send(2_us, marked(2, Ecn::ect0));
  test::run_on(context, 20_us);
  const Picoseconds decided =
      test::wire_time(Opcode::write_middle, 1024_B) + odd_link.delay + config.rx_latency;
  ASSERT_EQ(line.far->seen.size(), 2u);
  EXPECT_EQ(line.far->seen[0].packet.opcode, Opcode::cnp);
  EXPECT_EQ(line.decided(line.far->seen[0]), 2_us + decided);
  EXPECT_TRUE(line.far->seen[1].nack());
  EXPECT_EQ(line.decided(line.far->seen[1]), 2_us + decided + config.nack_delay);
}

// Support of a transport for an algorithm, and what takes the place of its receiver.
TEST(CongestionConfigs, OfTransportsThatDoNotFitAreRefused) {
  const auto refused = [](const std::string& algorithm, const std::string& transport,
                          const std::string& engine, std::uint32_t ack_every) {
    RnicConfig c;
    c.congestion.algorithm = algorithm;
    c.transport = transport;
    c.ordering.engine = engine;
    c.reliability.ack_every = ack_every;
    try {
      check_listening(c);
    } catch (const InputError&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refused("eqds", "spray_sr", "none", 1));
  EXPECT_TRUE(refused("eqds", "go_back_n", "none", 1));
  EXPECT_TRUE(refused("none", "spray_sr", "ideal", 1));
  EXPECT_FALSE(refused("none", "go_back_n", "ideal", 1));
  EXPECT_FALSE(refused("dcqcn", "go_back_n", "none", 16));
}

/// When two lost packets of ten are acknowledged with the rest.
Picoseconds recovered(const std::string& algorithm) {
  return Picoseconds(std::stoll(test::in_child([&] {
    RnicConfig config = odd_latencies();
    config.transport = "irn";
    config.reliability.ack_every = 1;
    config.reliability.rto = 9_ms;
    config.congestion.algorithm = algorithm;
    std::set<std::uint32_t> left = {3, 6};
    fabric::sim_context context;
    test::TappedPair pair(context, config, [&](unsigned port, const Packet& p) {
      const bool lost = port == 0 && left.erase(p.psn.value()) > 0;
      return lost ? std::nullopt : std::optional<Picoseconds>(0_ps);
    });
    test::connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = messages(10_KiB)});
    context.clock.run_to(1_ms);
    EXPECT_TRUE(pair.a->finished());
    EXPECT_EQ(pair.a->counters().timeouts, 0u);
    EXPECT_EQ(pair.a->counters().sent_packets(), 12u);
    return std::to_string(pair.a->queue_pair(0).progress().last_completion.count());
  })));
}

// An acknowledgement that names a packet out of order tells IRN so also where a window listens:
// both holes are filled in one round trip.
TEST(CongestionConfigs, WhatArrivedOutOfOrderIsKnownBesideAWindow) {
  EXPECT_NEAR(to_microseconds(recovered("dctcp")), to_microseconds(recovered("none")), 0.2);
}

}  // namespace
}  // namespace horae::rnic::congestion_test
