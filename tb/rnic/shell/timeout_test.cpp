// The retransmission timer: it fires when it must, not a picosecond earlier, and only then.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "nic_parts.hpp"

namespace horae::rnic::timeout_test {
namespace {

using policy::SendKind;
using policy::TimeoutResend;
using test::ack_time;
using test::connect_queue_pairs;
using test::messages;
using test::Nic;
using test::NicAndPeer;
using test::NicPair;
using test::odd_latencies;
using test::odd_link;
using test::one_way;
using test::TappedPair;
using test::wire_time;

const Picoseconds wire = wire_time(Opcode::write_first, 1024_B);  // every packet: RETH on each

RnicConfig with_timeout(const std::string& transport, TimeoutResend resend,
                        Picoseconds rto = 100'000'003_ps) {
  RnicConfig config = odd_latencies();
  config.transport = transport;
  config.reth_on_every_packet = true;
  config.reliability.rto = rto;
  config.reliability.timeout_resend = resend;
  config.reliability.ack_every = 1;
  return config;
}
constexpr Picoseconds rto = 100'000'003_ps;

// A queue takes five packets of a burst, and the last one, which alone asks for an acknowledgement,
// is lost each time. From the second timeout in a row on the first one asks, so the sender hears of
// five.
TEST(Timeout, EndsWhereTheTailOfEachBurstIsLost) {
  for (const std::string transport : {"rnic_sr", "go_back_n", "timeout_only"}) {
    const std::string timeouts = test::in_child([&] {
      RnicConfig config = with_timeout(transport, TimeoutResend::window);
      config.reliability.ack_every = 32;
      unsigned burst = 0;
      Picoseconds last{};
      fabric::sim_context context;
      TappedPair pair(context, config,
                      [&](unsigned port, const Packet&) -> std::optional<Picoseconds> {
                        if (port == 1) return 0_ps;
                        const Picoseconds now = fabric::from_sc_time(sc_core::sc_time_stamp());
                        if (now - last > 50_us) burst = 0;
                        last = now;
                        return ++burst <= 5 ? std::optional(0_ps) : std::nullopt;
                      });
      connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = messages(Bytes(12 * 1024))});
      context.clock.run_to(2_ms);
      EXPECT_TRUE(pair.a->finished());
      EXPECT_EQ(pair.b->counters().delivered_bytes, 12u * 1024);
      return std::to_string(pair.a->counters().timeouts);
    });
    // Two for the first five, two for the next, one for the last two.
    EXPECT_EQ(timeouts, "5") << transport;
  }
}

// A peer that never answers: timeouts at multiples of the RTO from the first packet on.
TEST(Timeout, WithoutAnyAnswerItFiresAtEveryMultiple) {
  for (const std::string transport : {"rnic_sr", "go_back_n", "timeout_only"}) {
    for (const TimeoutResend resend : {TimeoutResend::window, TimeoutResend::oldest}) {
      const std::string ok = test::in_child([&]() -> std::string {
        fabric::sim_context context;
        NicAndPeer line(context, with_timeout(transport, resend));
        const Picoseconds start = 1'000'001_ps;
        line.queue_pair(messages(Bytes(10 * 1024), 1, start));
        const std::size_t again = resend == TimeoutResend::window ? 10 : 1;
        for (std::uint64_t n = 1; n <= 3; ++n) {
          const Picoseconds at = start + rto * static_cast<std::int64_t>(n);
          context.clock.run_to(at);
          EXPECT_EQ(line.nic->counters().timeouts, n - 1);
          EXPECT_EQ(line.nic->counters().sent_packets(), 10 + (n - 1) * again);
          context.clock.run_to(at + 1_ps);
          EXPECT_EQ(line.nic->counters().timeouts, n);
          EXPECT_EQ(test::sent(*line.nic, SendKind::timeout), (n - 1) * again + 1);
        }
        context.clock.run_to(rto * 3 + 50_us);
        const auto& seen = line.far->seen;
        EXPECT_EQ(seen.size(), 10 + 3 * again);
        for (std::size_t i = 10; i < seen.size(); ++i) {
          const auto n = static_cast<std::int64_t>((i - 10) / again);
          const auto k = static_cast<std::int64_t>((i - 10) % again);
          EXPECT_EQ(seen[i].psn(), static_cast<std::uint32_t>(k));
          EXPECT_EQ(line.decided(seen[i]), start + rto * (n + 1) + wire * k);
          EXPECT_TRUE(seen[i].packet.retransmission);
          // The last of what is sent again asks, so that progress is heard of.
          if (static_cast<std::size_t>(k) + 1 == again) {
            EXPECT_TRUE(seen[i].packet.ack_request);
          }
        }
        return "done";
      });
      EXPECT_EQ(ok, "done");
    }
  }
}

// Drops the first packet of these PSNs that node 0 sends.
test::tap::Fate lose(std::set<std::uint32_t> psns) {
  return [psns](unsigned port, const Packet& p) mutable -> std::optional<Picoseconds> {
    if (port == 0 && p.is_data() && psns.erase(p.psn.value()) != 0) return std::nullopt;
    return 0_ps;
  };
}

// Through the tap a packet takes two wires and two delays.
Picoseconds data_path(const RnicConfig& c) {  // from its start to the receiver's decision
  return wire * 2 + odd_link.delay * 2 + c.tx_latency + c.rx_latency;
}
Picoseconds ack_path(const RnicConfig& c) {  // from the decision to the sender's decision
  return c.ack_delay + c.tx_latency + ack_time() * 2 + odd_link.delay * 2 + c.rx_latency;
}

// Nothing follows the last packet, so no NACK tells of its loss: only the timer does, started anew
// by the last ACK.
TEST(Timeout, TheLastPacketOfAMessageIsRecoveredByTheTimer) {
  for (const std::string transport : {"rnic_sr", "go_back_n", "timeout_only"}) {
    for (const TimeoutResend resend : {TimeoutResend::window, TimeoutResend::oldest}) {
      const std::string ok = test::in_child([&]() -> std::string {
        const RnicConfig config = with_timeout(transport, resend);
        fabric::sim_context context;
        TappedPair pair(context, config, lose({9}));
        connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = messages(Bytes(10 * 1024))});
        const Picoseconds last_ack = wire * 8 + data_path(config) + ack_path(config);
        const Picoseconds again = last_ack + rto;
        context.clock.run_to(again);
        EXPECT_EQ(pair.a->counters().timeouts, 0u);
        EXPECT_EQ(pair.a->counters().sent_packets(), 10u);
        EXPECT_EQ(pair.a->queue_pair(0).sender().next_deadline(), again);
        context.clock.run_to(again + 1_ps);
        EXPECT_EQ(pair.a->counters().timeouts, 1u);
        EXPECT_EQ(pair.a->counters().sent_packets(), 11u);
        const Picoseconds done = again + data_path(config) + ack_path(config);
        context.clock.run_to(done);
        EXPECT_FALSE(pair.a->finished());
        context.clock.run_to(done + 1_ps);
        EXPECT_TRUE(pair.a->finished());
        EXPECT_EQ(pair.b->counters().nacks_sent, 0u);
        EXPECT_EQ(pair.b->counters().delivered_bytes, 10u * 1024);
        EXPECT_EQ(pair.b->counters().duplicates, 0u);
        context.clock.run_to(1_ms);
        EXPECT_EQ(pair.a->counters().timeouts, 1u);  // the timer stopped
        return "done";
      });
      EXPECT_EQ(ok, "done") << transport;
    }
  }
}

// Without NACKs a hole in the middle waits for the timer as well; what lies behind it is kept.
TEST(Timeout, WithoutNacksEveryLossWaits) {
  for (const TimeoutResend resend : {TimeoutResend::window, TimeoutResend::oldest}) {
    const std::string ok = test::in_child([&]() -> std::string {
      const RnicConfig config = with_timeout("timeout_only", resend);
      fabric::sim_context context;
      TappedPair pair(context, config, lose({3}));
      connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = messages(Bytes(10 * 1024))});
      const Picoseconds again = wire * 2 + data_path(config) + ack_path(config) + rto;
      context.clock.run_to(again);
      EXPECT_EQ(pair.a->counters().sent_packets(), 10u);
      EXPECT_EQ(pair.b->counters().delivered_bytes, 9u * 1024);
      context.clock.run_to(again + 1_ps);
      EXPECT_EQ(pair.a->counters().sent_packets(), 11u);
      context.clock.run_to(1_ms);
      const bool whole = resend == TimeoutResend::window;
      // The ACK that the hole's filling brings may stop a resend; here all are sent before it.
      EXPECT_EQ(pair.a->counters().sent_packets(), whole ? 17u : 11u);
      EXPECT_EQ(pair.b->counters().duplicates, whole ? 6u : 0u);
      EXPECT_EQ(pair.b->counters().delivered_bytes, 10u * 1024);
      EXPECT_EQ(pair.b->counters().nacks_sent, 0u);
      EXPECT_EQ(pair.a->counters().timeouts, 1u);
      EXPECT_TRUE(pair.a->finished());
      return "done";
    });
    EXPECT_EQ(ok, "done");
  }
}

// A NACK's retransmission that is lost again: no second NACK for it, so the timer, which the NACK
// had started anew.
TEST(Timeout, ARetransmissionLostAgainIsRecoveredByTheTimer) {
  const RnicConfig config = with_timeout("rnic_sr", TimeoutResend::oldest);
  int losses = 0;
  fabric::sim_context context;
  TappedPair pair(context, config,
                  [&](unsigned port, const Packet& p) -> std::optional<Picoseconds> {
                    if (port == 0 && p.psn == Psn(3) && losses < 2) {
                      ++losses;
                      return std::nullopt;
                    }
                    return 0_ps;
                  });
  connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = messages(Bytes(10 * 1024))});
  // Packet 4 reveals the hole; the NACK comes back like an ACK, but with its own delay.
  const Picoseconds nacked =
      wire * 4 + data_path(config) + ack_path(config) - config.ack_delay + config.nack_delay;
  const Picoseconds served = nacked + config.nack_reaction;
  context.clock.run_to(served + rto);
  EXPECT_EQ(pair.a->counters().sent_packets(), 12u);
  EXPECT_EQ(pair.a->counters().timeouts, 0u);
  context.clock.run_to(served + rto + 1_ps);
  EXPECT_EQ(pair.a->counters().sent_packets(), 13u);
  EXPECT_EQ(pair.a->counters().timeouts, 1u);
  context.clock.run_to(1_ms);
  EXPECT_EQ(pair.b->counters().nacks_sent, 1u);
  EXPECT_TRUE(pair.a->finished());
}

TEST(Timeout, AnOutageIsSurvived) {
  fabric::LinkConfig link = odd_link;
  link.outages = {{10_us, 250_us}};
  RnicConfig config = with_timeout("rnic_sr", TimeoutResend::window);
  fabric::sim_context context;
  NicPair pair(context, config, link);
  connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = messages(Bytes(256 * 1024))});
  context.clock.run_to(2_ms);
  EXPECT_TRUE(pair.a->finished());
  EXPECT_EQ(pair.b->counters().delivered_bytes, 256u * 1024);
  EXPECT_GE(pair.a->counters().timeouts, 2u);  // at about 110 and 210 us, into the outage, and on
  EXPECT_GT(context.pool.dropped(fabric::DropCause::link_down), 100u);
  EXPECT_EQ(context.pool.live(), 0u);
}

TEST(Timeout, NothingTimesOutWhenNothingIsLost) {
  // The timer starts at the first packet in flight and anew with each ACK; with a window's wire
  // time and a round trip the longest silence is below 50 us.
  for (const std::string transport : {"rnic_sr", "go_back_n", "timeout_only"}) {
    const std::string ok = test::in_child([&]() -> std::string {
      RnicConfig config = with_timeout(transport, TimeoutResend::window, 50_us);
      config.reliability.ack_every = 32;
      fabric::sim_context context;
      NicPair pair(context, config);
      for (int i = 0; i < 3; ++i) {
        connect_queue_pairs(*pair.a, *pair.b,
                            {.a_to_b = messages(Bytes(1024 * 1024), 3, 10_us * i, 400_us),
                             .b_to_a = messages(1024_B, 100, 5_us * i, 17_us)});
      }
      context.clock.run_to(10_ms);
      EXPECT_TRUE(pair.a->finished());
      EXPECT_TRUE(pair.b->finished());
      for (const Nic* nic : {pair.a.get(), pair.b.get()}) {
        EXPECT_EQ(nic->counters().timeouts, 0u);
        EXPECT_EQ(nic->counters().sent_packets(), test::sent(*nic, SendKind::fresh));
      }
      return "done";
    });
    EXPECT_EQ(ok, "done") << transport;
  }
}

// An RTO below the round trip is premature: duplicates, but nothing breaks.
TEST(Timeout, ATimerShorterThanTheRoundTripCostsDuplicates) {
  RnicConfig config = with_timeout("rnic_sr", TimeoutResend::oldest, 4_us);
  fabric::sim_context context;
  NicPair pair(context, config, {.rate = 100_Gbps, .delay = 3_us});
  connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = messages(1024_B)});
  context.clock.run_to(1_ms);
  EXPECT_EQ(pair.a->counters().timeouts, 1u);  // the round trip is about 7.3 us
  EXPECT_EQ(pair.b->counters().duplicates, 1u);
  EXPECT_EQ(pair.b->counters().delivered_bytes, 1024u);
  EXPECT_TRUE(pair.a->finished());
  EXPECT_EQ(context.pool.live(), 0u);
}

// A timer is armed inside a window and would else be due in what was run already.
TEST(Timeout, ItMustBeLongerThanAWindow) {
  const auto outcome = [](Picoseconds delay) {
    return test::outcome_in_child([&] {
      fabric::sim_context context;
      NicPair pair(context, with_timeout("rnic_sr", TimeoutResend::window, 5_us),
                   {.rate = 100_Gbps, .delay = delay});
      connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = messages(1024_B)});
      context.clock.run_to(1_us);
    });
  };
  EXPECT_EQ(outcome(4_us), "accepted");
  EXPECT_NE(outcome(5_us).find("retransmission timeout must be longer"), std::string::npos)
      << outcome(5_us);
}

}  // namespace
}  // namespace horae::rnic::timeout_test
