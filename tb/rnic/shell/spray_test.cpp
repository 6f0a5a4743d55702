// A NIC with spray_sr: exact timers, what is in flight, entropy values there and back, trimmed
// packets, the length of its acknowledgements.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/core/telemetry.hpp"
#include "horae/policy/congestion/mprdma.hpp"
#include "horae/policy/congestion/nscc.hpp"
#include "horae/policy/transport/spray_sr.hpp"
#include "nic_parts.hpp"

namespace horae::rnic::spray_test {
namespace {

using policy::SendKind;
using test::connect_queue_pairs;
using test::messages;
using test::NicAndPeer;
using test::odd_latencies;
using test::odd_link;
using test::TappedPair;
using test::wire_time;

constexpr Picoseconds rto = 100'000'003_ps;
const Picoseconds wire = wire_time(Opcode::write_middle, 1024_B);

RnicConfig spraying(const std::string& congestion = "none", const std::string& scheme = "random") {
  RnicConfig config = odd_latencies();
  config.transport = "spray_sr";
  config.reliability.rto = rto;
  config.reliability.ack_every = 1;
  config.reliability.ack_request_every = 0;
  config.entropy.scheme = scheme;
  config.congestion.algorithm = congestion;
  return config;
}
/// A window of so many packets that only losses change.
void set_window(RnicConfig& config, Bytes window) {
  auto& w = config.congestion.parameters.of<policy::MpRdmaWindowConfig>().values.emplace();
  w.packet = 1024_B;
  w.initial_window = w.max_window = window;
}

// A peer that never answers: each packet goes again by its own time, and by that of its copy.
TEST(Spray, EachPacketIsSentAgainAtItsOwnTime) {
  fabric::sim_context context;
  NicAndPeer line(context, spraying());
  line.queue_pair(messages(Bytes(4 * 1024), 1, 1_us));
  const Picoseconds first = wire_time(Opcode::write_first, 1024_B);
  const std::vector<Picoseconds> sent = {1_us, 1_us + first, 1_us + first + wire,
                                         1_us + first + wire * 2};
  for (std::uint64_t n = 0; n < 4; ++n) {
    const Picoseconds at = sent[n] + rto;
    context.clock.run_to(at);
    EXPECT_EQ(line.nic->counters().timeouts, n);
    EXPECT_EQ(line.nic->counters().sent_packets(), 4 + n);
    context.clock.run_to(at + 1_ps);
    EXPECT_EQ(line.nic->counters().timeouts, n + 1);
    EXPECT_EQ(test::sent(*line.nic, SendKind::timeout), n + 1);
  }
  context.clock.run_to(rto * 2 + 50_us);
  ASSERT_EQ(line.far->seen.size(), 12u);
  std::set<std::uint16_t> values;
  for (std::size_t i = 0; i < 12; ++i) {
    const auto& s = line.far->seen[i];
    EXPECT_EQ(s.psn(), i % 4);
    EXPECT_EQ(line.decided(s), sent[i % 4] + rto * static_cast<std::int64_t>(i / 4));
    EXPECT_EQ(s.packet.ack_request, i >= 4 || i % 4 == 3);
    values.insert(s.packet.entropy);
  }
  EXPECT_GT(values.size(), 11u);  // a retransmission has a value of its own
}

// The window holds what is sent again as well, and asks when it is full. What times out is not in
// flight and takes its size from the window.
TEST(Spray, TheWindowCountsWhatIsInFlight) {
  fabric::sim_context context;
  RnicConfig config = spraying("mprdma");
  set_window(config, 3_KiB);
  NicAndPeer line(context, config);
  line.queue_pair(messages(Bytes(10 * 1024)));
  context.clock.run_to(50_us);
  ASSERT_EQ(line.far->seen.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(line.far->seen[i].packet.ack_request, i == 2);
  // After all three the window is one packet, and one goes at a time.
  context.clock.run_to(rto + 50_us);
  ASSERT_EQ(line.far->seen.size(), 4u);
  EXPECT_EQ(line.far->seen[3].psn(), 0u);
  const Picoseconds third = wire_time(Opcode::write_first, 1024_B) + wire + rto;
  EXPECT_EQ(line.decided(line.far->seen[3]), third);
  EXPECT_EQ(line.nic->counters().timeouts, 3u);
  context.clock.run_to(third + rto + 50_us);
  ASSERT_EQ(line.far->seen.size(), 5u);
  EXPECT_EQ(line.far->seen[4].psn(), 1u);
}

// Four packets are in flight as long as there is data, so an acknowledgement leaves room for
// exactly one, which is not room to MP-RDMA's choice of paths. The last of a message leaves more.
TEST(Spray, RoomForExactlyOnePacketIsNone) {
  std::vector<std::uint16_t> values;
  fabric::sim_context context;
  RnicConfig config = spraying("mprdma", "mp_rdma");
  set_window(config, 4_KiB);
  TappedPair pair(context, config,
                  [&](unsigned port, const Packet& p) -> std::optional<Picoseconds> {
                    if (port == 0) values.push_back(p.entropy);
                    return 0_ps;
                  });
  connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = messages(8_KiB, 2, 0_ps, 100_us)});
  context.clock.run_to(200_us);
  ASSERT_EQ(values.size(), 16u);
  EXPECT_EQ(std::set(values.begin(), values.begin() + 8).size(), 8u);
  for (std::size_t i = 8; i < 12; ++i) EXPECT_EQ(values[i], values[7]);
  EXPECT_EQ(std::set(values.begin() + 11, values.end()).size(), 5u);
}

// A switch cuts the payload of some packets: the receiver says which, and they go again, with other
// values; nothing waits for a timer. Acknowledgements have the values of what caused them.
TEST(Spray, TrimmedPacketsComeAgainWithoutATimer) {
  const std::set<std::uint32_t> cut = {3, 4, 9};
  std::set<std::uint32_t> left = cut;
  std::map<std::uint32_t, std::set<std::uint16_t>> values;
  std::set<std::uint16_t> sent, answered;
  unsigned nacks = 0;
  fabric::sim_context context;
  TappedPair pair(context, spraying(),
                  [&](unsigned port, const Packet& p) -> std::optional<Picoseconds> {
                    if (port == 1) {
                      answered.insert(p.entropy);
                      nacks += p.is_nack() ? 1 : 0;
                      EXPECT_EQ(p.frame, 66 + 4 + (p.is_nack() ? 8 : 8));
                      return 0_ps;
                    }
                    sent.insert(p.entropy);
                    values[p.psn.value()].insert(p.entropy);
                    if (left.erase(p.psn.value()) == 0) return 0_ps;
                    auto& mine = const_cast<Packet&>(p);  // the tap is the switch
                    mine.trimmed = true;
                    mine.payload = 0;
                    mine.frame = 64;
                    return 0_ps;
                  });
  connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = messages(Bytes(10 * 1024))});
  context.clock.run_to(1_ms);
  EXPECT_TRUE(pair.a->finished());
  EXPECT_EQ(pair.b->counters().delivered_bytes, 10u * 1024);
  EXPECT_EQ(pair.b->counters().trimmed, cut.size());
  EXPECT_EQ(nacks, cut.size());
  EXPECT_EQ(test::sent(*pair.a, SendKind::trimmed), cut.size());
  EXPECT_EQ(pair.a->counters().timeouts, 0u);
  EXPECT_EQ(pair.a->counters().sent_packets(), 13u);
  EXPECT_EQ(answered, sent);
  for (const std::uint32_t psn : cut) EXPECT_EQ(values[psn].size(), 2u) << psn;
}

// A cut packet is lost to the congestion control, with as many bytes as the packet had.
TEST(Spray, ATrimmedPacketIsALossOfItsPayload) {
  const auto window = [](bool cut) {
    return std::stod(test::in_child([&] {
      RnicConfig config = spraying("nscc");
      config.congestion.parameters.of<policy::NsccConfig>().values.emplace().initial_window =
          64_KiB;
      fabric::sim_context context;
      TappedPair pair(context, config,
                      [&](unsigned port, const Packet& p) -> std::optional<Picoseconds> {
                        if (port == 1 || !cut || p.psn != Psn(3)) return 0_ps;
                        cut = false;
                        auto& mine = const_cast<Packet&>(p);
                        mine.trimmed = true;
                        mine.payload = 0;
                        mine.frame = 64;
                        return 0_ps;
                      });
      connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = messages(Bytes(6 * 1024))});
      context.clock.run_to(100_us);
      EXPECT_TRUE(pair.a->finished());
      return std::to_string(pair.a->queue_pair(0).reaction->window().count());
    }));
  };
  EXPECT_NEAR(window(false) - window(true), 1024, 100);
}

// Where asked for, a connection goes on with the scheme of the last one to its peer: with the
// values that one connection would have had. Else each begins anew.
TEST(Spray, AConnectionMayGoOnWhereAnotherEnded) {
  const auto values = [](bool keep, Bytes message, const std::vector<Picoseconds>& starts) {
    return test::in_child([&] {
      RnicConfig config = spraying("none", "cycle");
      config.entropy.keep = keep;
      fabric::sim_context context;
      std::string out;
      TappedPair pair(context, config, [&](unsigned port, const Packet& p) {
        if (port == 0) out += std::to_string(p.entropy) + " ";
        return std::optional<Picoseconds>(0_ps);
      });
      for (const Picoseconds at : starts)
        connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = messages(message, 1, at)});
      context.clock.run_to(100_us);
      return out;
    });
  };
  const std::string one = values(true, 6_KiB, {1_us});
  EXPECT_EQ(values(true, 3_KiB, {1_us, 50_us}), one);
  const std::string anew = values(false, 3_KiB, {1_us, 50_us});
  EXPECT_EQ(anew.substr(0, 10), one.substr(0, 10));
  EXPECT_NE(anew, one);
}

// A NACK takes time, and acknowledgements behind it, of other queue pairs too, wait for it. All
// take effect at one time then, each with its own report.
TEST(Spray, WhatWaitsBehindANackKeepsItsReport) {
  RnicConfig config = spraying();
  config.nack_reaction = 3_us;
  bool left = true;
  fabric::sim_context context;
  TappedPair pair(context, config,
                  [&](unsigned port, const Packet& p) -> std::optional<Picoseconds> {
                    const Qpn second(rnic::first_qpn + 1);
                    if (port == 1 || !left || p.dest_qp != second || p.psn != Psn(3)) return 0_ps;
                    left = false;
                    auto& mine = const_cast<Packet&>(p);
                    mine.trimmed = true;
                    mine.payload = 0;
                    mine.frame = 64;
                    return 0_ps;
                  });
  for (int i = 0; i < 2; ++i)
    connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = messages(Bytes(20 * 1024))});
  context.clock.run_to(1_ms);
  EXPECT_TRUE(pair.a->finished());
  EXPECT_EQ(pair.a->counters().timeouts, 0u);
  EXPECT_EQ(pair.a->counters().sent_packets(), 41u);
  EXPECT_EQ(test::sent(*pair.a, SendKind::trimmed), 1u);
}

// Without an answer for such packets they are lost.
TEST(Spray, OtherTransportsLoseWhatIsTrimmed) {
  RnicConfig config = spraying("none", "fixed");
  config.transport = "go_back_n";
  bool left = true;
  fabric::sim_context context;
  TappedPair pair(context, config,
                  [&](unsigned port, const Packet& p) -> std::optional<Picoseconds> {
                    if (port == 1 || !left || p.psn != Psn(5)) return 0_ps;
                    left = false;
                    auto& mine = const_cast<Packet&>(p);
                    mine.trimmed = true;
                    mine.payload = 0;
                    return 0_ps;
                  });
  connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = messages(Bytes(10 * 1024))});
  context.clock.run_to(1_ms);
  EXPECT_TRUE(pair.a->finished());
  EXPECT_EQ(pair.b->counters().trimmed, 1u);
  EXPECT_EQ(pair.b->counters().delivered_bytes, 10u * 1024);
  EXPECT_EQ(test::sent(*pair.a, SendKind::rewind), 5u);
}

TEST(Spray, AReportTakesFourBytesAndItsBits) {
  for (const std::uint32_t bits : {64u, 256u}) {
    const std::string ok = test::in_child([&]() -> std::string {
      RnicConfig config = spraying();
      config.reliability.parameters.of<policy::SprayParameters>().sack_bits = bits;
      fabric::sim_context context;
      test::NicPair pair(context, config);
      connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = messages(1024_B)});
      context.clock.run_to(100_us);
      return std::to_string(pair.b->tx(0).counters().frame_bytes);
    });
    EXPECT_EQ(ok, std::to_string(66 + 4 + bits / 8));
  }
}

// 64 bytes and the payload, all that a packet takes of the wire.
TEST(Spray, FramesAreHtsimsWhereAsked) {
  RnicConfig config = spraying();
  config.mtu = 4086_B;
  config.frames = Frames::htsim;
  fabric::sim_context context;
  test::NicPair pair(context, config);
  connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = messages(Bytes(2 * 4086 + 10))});
  context.clock.run_to(100_us);
  EXPECT_TRUE(pair.a->finished());
  EXPECT_EQ(pair.a->tx(0).counters().bytes(Layer::l1), Bytes(4150 * 2 + 74));
  EXPECT_EQ(pair.b->tx(0).counters().bytes(Layer::l1), Bytes(64 * 3));
}

TEST(Spray, NoOrderingEngineTakesItsReceiversPlace) {
  RnicConfig config = spraying();
  config.ordering.engine = "static";
  try {
    check_listening(config);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(std::string(e.what()),
              "ordering.engine = 'static' takes the place of the receiver that transport = "
              "'spray_sr' needs; expected 'none'");
  }
}

}  // namespace
}  // namespace horae::rnic::spray_test
