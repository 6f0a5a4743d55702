// Messages that take receive WQEs: their times in closed form, RNR NAKs and what follows, receive
// WQEs that are read, and whole transfers of all verbs over links that lose and reorder.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "horae/core/codec/rnr_nak.hpp"
#include "horae/core/error.hpp"
#include "host_parts.hpp"
#include "nic_parts.hpp"

namespace horae::rnic::sends_test {
namespace {

using test::connect_queue_pairs;
using test::ListSource;
using test::Nic;
using test::odd_latencies;
using test::odd_link;
using test::one_way;
using test::TappedPair;
using test::wire_time;

RnicConfig go_back_n() {
  RnicConfig config = odd_latencies();
  config.transport = "go_back_n";
  return config;
}

std::unique_ptr<traffic::TrafficSource> sends(Bytes bytes, std::uint64_t count = 1,
                                              Verb verb = Verb::send) {
  return std::make_unique<traffic::ConstantSource>(
      traffic::ConstantSource::Config{.bytes = bytes, .count = count, .verb = verb});
}

/// A packet that passed a tap.
struct Seen {
  Opcode opcode;
  std::uint32_t psn;
  std::uint8_t syndrome;
  bool operator==(const Seen&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Seen& s) {
  return out << fmt::format("{:#x} PSN {} syndrome {:#x}", static_cast<unsigned>(s.opcode), s.psn,
                            s.syndrome);
}
test::tap::Fate record(std::vector<Seen>& seen, std::vector<std::size_t> lost = {}) {
  return [&seen, lost](unsigned, const Packet& p) -> std::optional<Picoseconds> {
    seen.push_back({p.opcode, p.psn.value(), p.syndrome});
    if (std::ranges::find(lost, seen.size() - 1) != lost.end()) return std::nullopt;
    return 0_ps;
  };
}

/// A message of three packets alone, from its post until its acknowledgement is taken.
Picoseconds alone_3000(const RnicConfig& c, Verb verb) {
  return wire_time(data_opcode(verb, true, false), 1024_B) +
         wire_time(data_opcode(verb, false, false), 1024_B) +
         wire_time(data_opcode(verb, false, true), 952_B) + one_way(c, odd_link) +
         test::ack_return(c, odd_link);
}

TEST(Sends, AloneTheyTakeTheirPacketsAndAnAcknowledgement) {
  const RnicConfig config = go_back_n();
  fabric::sim_context context;
  test::NicPair send(context, config, odd_link, 0), write(context, config, odd_link, 1);
  connect_queue_pairs(*send.a, *send.b, {.a_to_b = sends(3000_B), .receives = true});
  connect_queue_pairs(*write.a, *write.b,
                      {.a_to_b = sends(3000_B, 1, Verb::write_imm), .receives = true});
  test::run_on(context, 20_us);
  // A SEND has no RETH: 16 bytes less than a WRITE. Immediate data are four bytes more.
  EXPECT_EQ(frame_bytes(Opcode::send_first, 1024_B) + 16_B,
            frame_bytes(Opcode::write_first, 1024_B));
  EXPECT_EQ(send.a->queue_pair(0).progress().last_completion, alone_3000(config, Verb::send));
  EXPECT_EQ(write.a->queue_pair(0).progress().last_completion, alone_3000(config, Verb::write_imm));
  for (const auto* pair : {&send, &write}) {
    EXPECT_TRUE(pair->a->finished());
    EXPECT_EQ(pair->b->counters().messages_received, 1u);
    EXPECT_EQ(pair->b->counters().delivered_bytes, 3000u);
    EXPECT_EQ(pair->b->counters().rnr_naks_sent, 0u);
    for (const Nic* nic : {pair->a.get(), pair->b.get()}) test::expect_time_accounted(*nic, 20_us);
  }
}

/// One receive WQE, which the host posts again `post` after it has found its message.
struct Refused {
  Refused(fabric::sim_context& context, Picoseconds post,
          const std::function<void(RnicConfig&)>& change, std::vector<std::size_t> lost = {},
          unsigned index = 0) {
    config.receive = ReceiveConfig{.depth = 1, .post = post};
    config.reliability.min_rnr_timer = 3;
    if (change) change(config);
    pair.emplace(context, config, record(seen, std::move(lost)), odd_link, index);
    connect_queue_pairs(*pair->a, *pair->b, {.a_to_b = sends(100_B, 2), .receives = true});
  }
  /// When the decision about the second message falls for the first time.
  Picoseconds second() const {
    return wire_time(Opcode::send_only, 100_B) * 3 + 2 * odd_link.delay + config.tx_latency +
           config.rx_latency;
  }
  /// From one RNR NAK to the next: the time that it asks for begins at the requester.
  Picoseconds round() const {
    return config.ack_delay + 2 * test::ack_time() + 2 * wire_time(Opcode::send_only, 100_B) +
           4 * odd_link.delay + 2 * (config.tx_latency + config.rx_latency) + rnr_time(3);
  }
  RnicConfig config = go_back_n();
  std::vector<Seen> seen;
  std::optional<TappedPair> pair;
};

TEST(Sends, AMessageWithoutAReceiveWqeComesAgainAfterTheTimeOfTheRnrNak) {
  fabric::sim_context context;
  Refused all(context, 100_us, {});
  test::run_on(context, 400_us);
  ASSERT_TRUE(all.pair->a->finished());
  // It is posted 100 us after the first message, and asked for once a round.
  const Picoseconds posted = all.second() - wire_time(Opcode::send_only, 100_B) + 100_us;
  std::uint64_t naks = 0;
  Picoseconds at = all.second();
  for (; at < posted; at += all.round()) ++naks;
  ASSERT_GT(naks, 1u);
  const RnicCounters& a = all.pair->a->counters();
  EXPECT_EQ(a.rnr_naks_received, naks);
  EXPECT_EQ(all.pair->b->counters().rnr_naks_sent, naks);
  EXPECT_EQ(a.nacks_received + a.timeouts, 0u);
  EXPECT_EQ(test::sent(*all.pair->a, policy::SendKind::rewind), naks);
  EXPECT_EQ(all.pair->b->counters().messages_received, 2u);
  EXPECT_EQ(all.pair->a->queue_pair(0).progress().last_completion,
            at + test::ack_return(all.config, odd_link) + test::ack_time() + odd_link.delay);
  // The line is idle for that reason, but for the packets and what they take to and fro.
  EXPECT_EQ(test::idle_time(*all.pair->a, IdleCause::receiver),
            rnr_time(3) * static_cast<std::int64_t>(naks));
  const std::vector<Seen> begin = {{Opcode::send_only, 0, 0},
                                   {Opcode::send_only, 1, 0},
                                   {Opcode::acknowledge, 0, syndrome::ack},
                                   {Opcode::acknowledge, 1, syndrome::rnr_nak | 3},
                                   {Opcode::send_only, 1, 0}};
  EXPECT_EQ(std::vector<Seen>(all.seen.begin(), all.seen.begin() + 5), begin);
}

/// A timer that is shorter than what an RNR NAK asks for does not run meanwhile.
TEST(Sends, TheRetransmissionTimerWaitsAsWell) {
  fabric::sim_context context;
  Refused all(context, 1_ms, [](RnicConfig& c) {
    c.reliability.rto = 40_us;
    c.reliability.min_rnr_timer = 12;
  });
  test::run_on(context, 3_ms);
  ASSERT_TRUE(all.pair->a->finished());
  EXPECT_EQ(all.pair->a->counters().timeouts, 0u);
  EXPECT_EQ(all.pair->a->counters().rnr_naks_received, 2u);
}

TEST(Sends, ALostRnrNakTakesATimeout) {
  fabric::sim_context context;
  Refused all(context, 30_us, [](RnicConfig& c) { c.reliability.rto = 40_us; }, {3});
  test::run_on(context, 400_us);
  ASSERT_TRUE(all.pair->a->finished());
  EXPECT_EQ(all.pair->a->counters().timeouts, 1u);
  EXPECT_EQ(all.pair->a->counters().rnr_naks_received, 0u);
  EXPECT_EQ(all.pair->b->counters().delivered_bytes, 200u);
}

TEST(Sends, AfterSoManyRnrNaksTheQueuePairIsInError) {
  fabric::sim_context context;
  std::map<std::uint32_t, Refused> each;
  for (const std::uint32_t retries : {0u, 2u}) {
    each.try_emplace(
        retries, context, 1_ms, [&](RnicConfig& c) { c.reliability.rnr_retry = retries; },
        std::vector<std::size_t>{}, retries);
  }
  test::run_on(context, 3_ms);
  for (const auto& [retries, all] : each) {
    const auto& progress = all.pair->a->queue_pair(0).progress();
    EXPECT_EQ(progress.completed_messages, 1u);
    EXPECT_EQ(progress.failed_messages, 1u);
    EXPECT_TRUE(progress.rnr_error);
    EXPECT_EQ(all.pair->a->counters().rnr_errors, 1u);
    EXPECT_EQ(all.pair->a->counters().rnr_naks_received, retries + 1);
    EXPECT_EQ(progress.error_time, all.second() + all.round() * static_cast<std::int64_t>(retries) +
                                       test::ack_return(all.config, odd_link) + test::ack_time() +
                                       odd_link.delay);
  }
}

TEST(Sends, SevenRetriesAreWithoutEnd) {
  fabric::sim_context context;
  Refused all(context, 1_ms, [](RnicConfig& c) { c.reliability.rnr_retry = 7; });
  test::run_on(context, 3_ms);
  EXPECT_TRUE(all.pair->a->finished());
  EXPECT_GT(all.pair->a->counters().rnr_naks_received, 20u);
  EXPECT_EQ(all.pair->a->counters().errors, 0u);
}

/// Progress begins the count anew: each of many messages is refused once.
TEST(Sends, RetriesAreCountedForOnePacket) {
  fabric::sim_context context;
  RnicConfig config = go_back_n();
  config.receive = ReceiveConfig{.depth = 1, .post = 15_us};
  config.reliability.min_rnr_timer = 3;
  config.reliability.rnr_retry = 1;
  test::NicPair nics(context, config);
  connect_queue_pairs(*nics.a, *nics.b, {.a_to_b = sends(100_B, 10), .receives = true});
  test::run_on(context, 1_ms);
  EXPECT_TRUE(nics.a->finished());
  EXPECT_EQ(nics.a->counters().errors, 0u);
  EXPECT_EQ(nics.a->counters().rnr_naks_received, 9u);
}

/// Two queue pairs with a message each at the same time, and one WQE: of each, or of both.
TEST(Sends, ASharedReceiveQueueServesAllQueuePairs) {
  fabric::sim_context context;
  std::map<bool, test::NicPair> all;
  for (const bool shared : {false, true}) {
    RnicConfig config = go_back_n();
    config.receive = ReceiveConfig{.depth = 1, .shared = shared, .post = 5_us};
    config.reliability.min_rnr_timer = 1;
    const auto& nics = all.try_emplace(shared, context, config, odd_link, shared).first->second;
    for (int n = 0; n < 2; ++n)
      connect_queue_pairs(*nics.a, *nics.b, {.a_to_b = sends(100_B), .receives = true});
  }
  test::run_on(context, 100_us);
  for (const auto& [shared, nics] : all) {
    EXPECT_TRUE(nics.a->finished());
    EXPECT_EQ(nics.a->counters().rnr_naks_received, shared ? 1u : 0u);
    EXPECT_EQ(nics.b->counters().messages_received, 2u);
  }
}

/// A WRITE with immediate data is refused at its end alone: its payload is in memory.
TEST(Sends, AWriteWithImmediateDataTakesItsWqeAtItsEnd) {
  fabric::sim_context context;
  RnicConfig config = go_back_n();
  config.receive = ReceiveConfig{.depth = 1, .post = 30_us};
  config.reliability.min_rnr_timer = 4;
  std::vector<Seen> seen;
  TappedPair pair(context, config, record(seen));
  connect_queue_pairs(*pair.a, *pair.b,
                      {.a_to_b = sends(3000_B, 2, Verb::write_imm), .receives = true});
  test::run_on(context, 200_us);
  ASSERT_TRUE(pair.a->finished());
  EXPECT_EQ(pair.a->counters().rnr_naks_received, 1u);
  EXPECT_EQ(test::sent(*pair.a, policy::SendKind::rewind), 1u);
  EXPECT_EQ(std::ranges::count(seen, Seen{Opcode::write_last_immediate, 5, 0}), 2);
  EXPECT_EQ(std::ranges::count(seen, Seen{Opcode::write_first, 3, 0}), 1);
}

RnicConfig with_host(std::uint32_t prefetch) {
  RnicConfig config = test::with_host();
  config.transport = "go_back_n";
  config.reth_on_every_packet = false;
  config.receive = ReceiveConfig{.depth = 64, .prefetch = prefetch, .wqe = 64_B};
  return config;
}

TEST(Sends, ReceiveWqesAreReadAheadAndCqesWritten) {
  fabric::sim_context context;
  test::NicPair nics(context, with_host(8));
  connect_queue_pairs(
      *nics.a, *nics.b,
      {.a_to_b = std::make_unique<traffic::ConstantSource>(traffic::ConstantSource::Config{
           .bytes = 29_B, .interval = 1_us, .count = 40, .verb = Verb::send}),
       .receives = true});
  test::run_on(context, 100_us);
  ASSERT_TRUE(nics.a->finished());
  EXPECT_EQ(nics.b->counters().messages_received, 40u);
  EXPECT_EQ(nics.b->counters().receive_wqe_waits, 0u);
  const PcieLedger& ledger = nics.b->host()->counters().ledger;
  // When four of eight on the chip are left, the next four are read.
  EXPECT_EQ(ledger.bytes(PcieUse::receive_wqe, PcieDirection::to_host), 10u * 24);
  EXPECT_EQ(ledger.bytes(PcieUse::receive_wqe, PcieDirection::to_nic), 10u * (20 + 4 * 64));
  EXPECT_EQ(ledger.bytes(PcieUse::cqe), 40u * (24 + 64));
  EXPECT_EQ(nics.a->host()->counters().ledger.bytes(PcieUse::receive_wqe), 0u);
}

/// With one WQE on the chip each message waits for the read that the one before began.
TEST(Sends, AMessageWaitsForTheReadOfItsReceiveWqe) {
  fabric::sim_context context;
  RnicConfig config = with_host(1);
  config.fetch.wqe_batch = 20;
  test::NicPair nics(context, config);
  constexpr int count = 20;
  connect_queue_pairs(*nics.a, *nics.b, {.a_to_b = sends(0_B, count), .receives = true});
  test::run_on(context, 100_us);
  ASSERT_TRUE(nics.a->finished());
  const test::HostTimes host(config);
  const Picoseconds first =
      host.first_packet(0_B, count) + wire_time(Opcode::send_only) + one_way(config, odd_link);
  EXPECT_EQ(nics.a->queue_pair(0).progress().last_completion,
            first + host.read(64_B) * (count - 1) + test::ack_return(config, odd_link));
  EXPECT_GE(nics.b->counters().receive_wqe_waits, count - 1u);
  EXPECT_EQ(nics.b->counters().rnr_naks_sent, 0u);
}

/// All that waits for receive WQEs is in the RX buffer, however many reads it waits for.
TEST(Sends, WhatWaitsForReceiveWqesFillsTheRxBuffer) {
  fabric::sim_context context;
  std::vector<test::NicPair> all;
  RnicConfig config = with_host(1);
  config.sram.rx_buffer = 24_KiB;
  for (const bool pauses : {false, true}) {
    if (pauses) {
      config.sram.rx_buffer = 40_KiB;  // with room for what is on its way
      config.pfc = RxPauseConfig{.xoff = 8_KiB, .xon = 4_KiB};
    }
    test::NicPair& nics = all.emplace_back(context, config, odd_link, pauses ? 1 : 0);
    connect_queue_pairs(*nics.a, *nics.b, {.a_to_b = sends(1000_B, 60), .receives = true});
  }
  test::run_on(context, 100_us);
  // A read takes the time of many packets.
  EXPECT_GT(all[0].b->counters().rx_buffer_drops, 5u);
  EXPECT_EQ(all[1].b->counters().rx_buffer_drops, 0u);
  EXPECT_GT(all[1].b->counters().pauses_sent, 1u);
  EXPECT_EQ(all[1].b->counters().messages_received, 60u);
  EXPECT_EQ(all[1].b->describe_queues(), std::vector<std::string>{});
}

TEST(Sends, RefusedWhereAPartHasNone) {
  const auto refused = [](const std::function<void(RnicConfig&)>& change, std::string_view word) {
    RnicConfig config = go_back_n();
    change(config);
    try {
      check_sends(config);
      ADD_FAILURE() << "taken: " << word;
    } catch (const InputError& e) {
      EXPECT_NE(std::string_view(e.what()).find(word), std::string_view::npos) << e.what();
    }
  };
  EXPECT_NO_THROW(check_sends(go_back_n()));
  EXPECT_NO_THROW(check_sends(odd_latencies()));
  refused([](RnicConfig& c) { c.transport = "timeout_only"; }, "'rnic_sr' or 'go_back_n'");
  refused([](RnicConfig& c) { c.ordering.engine = "ideal"; }, "ordering.engine = 'ideal'");
}

/// Congestion control that listens to acknowledgements hears of RNR NAKs as of others: what was
/// refused is in flight until it has come again, and the window opens with it.
TEST(Sends, ListenersHearOfRnrNaks) {
  fabric::sim_context context;
  std::map<std::string, test::NicPair> all;
  for (const std::string algorithm : {"swift", "timely", "dctcp"}) {
    RnicConfig config = go_back_n();
    config.congestion.algorithm = algorithm;
    config.entropy.scheme = algorithm == "timely" ? "random" : "fixed";
    config.reliability.ack_every = 1;
    config.receive = ReceiveConfig{.depth = 2, .post = 3_us};
    config.reliability.min_rnr_timer = 1;
    const auto& nics =
        all.try_emplace(algorithm, context, config, odd_link, static_cast<unsigned>(all.size()))
            .first->second;
    connect_queue_pairs(*nics.a, *nics.b, {.a_to_b = sends(3000_B, 40), .receives = true});
  }
  test::run_on(context, 5_ms);
  for (const auto& [algorithm, nics] : all) {
    EXPECT_TRUE(nics.a->finished()) << algorithm;
    EXPECT_GT(nics.a->counters().rnr_naks_received, 10u) << algorithm;
    EXPECT_EQ(nics.b->counters().messages_received, 40u) << algorithm;
    EXPECT_EQ(nics.b->counters().delivered_bytes, 40u * 3000) << algorithm;
    EXPECT_EQ(nics.a->queue_pair(0).in_flight(), 0_B) << algorithm;
    EXPECT_EQ(nics.a->counters().timeouts, 0u) << algorithm;
  }
}

// ---- Whole transfers.

struct Weather {
  double loss = 0;             // of any packet
  double late = 0;             // share of packets that are held up
  Picoseconds longest = 0_ps;  // by at most this
};

/// Four queue pairs of all verbs in one direction, two of them in the other, with few receive WQEs.
std::string transfer(const Weather& weather, const std::function<void(RnicConfig&)>& change,
                     std::uint64_t seed) {
  const std::vector<std::int64_t> sizes = {0,    1,    1023, 1024, 1025, 65536, 4096, 0,   0,
                                           2047, 9000, 1,    3000, 1024, 10241, 17,   1025};
  const std::vector<Verb> verbs = {Verb::read,      Verb::write,        Verb::send,
                                   Verb::write_imm, Verb::compare_swap, Verb::fetch_add};
  RandomStream random(seed, "test.sends");
  std::uint64_t received = 0, atomics = 0;
  const auto source = [&](std::size_t first, std::int64_t& total) {
    std::vector<traffic::TrafficItem> items;
    for (std::size_t i = 0; i < 2 * sizes.size(); ++i) {
      const Verb verb = verbs[random.below(6)];
      const Bytes bytes(sizes[(first + i) % sizes.size()]);
      items.push_back({.at = 1_us * static_cast<std::int64_t>(i),
                       .bytes = is_atomic(verb) ? atomic_operand : bytes,
                       .verb = verb});
      atomics += is_atomic(verb) ? 1 : 0;
      total += items.back().bytes.count();
      received += takes_receive_wqe(items.back().verb) ? 1 : 0;
    }
    return std::make_unique<ListSource>(items);
  };
  RnicConfig config;
  config.transport = "go_back_n";
  config.reliability.rto = 60_us;
  config.reliability.window = 64;
  config.reliability.ack_every = 16;
  config.reliability.min_rnr_timer = 2;
  config.receive = ReceiveConfig{.depth = 3, .post = 2_us, .prefetch = 2};
  config.atomics = AtomicsConfig{.hold = 300_ns};
  change(config);
  fabric::sim_context context({}, seed);
  TappedPair pair(context, config,
                  [weather, &random](unsigned, const Packet&) -> std::optional<Picoseconds> {
                    if (random.chance(weather.loss)) return std::nullopt;
                    if (!random.chance(weather.late)) return 0_ps;
                    const auto most = static_cast<std::uint32_t>(weather.longest.count());
                    return Picoseconds(random.below(most));
                  });
  std::int64_t of_a = 0, of_b = 0;
  const std::vector<Psn> firsts = {Psn(0xffffff), Psn(0xffffd0), Psn(0), Psn(0xffff00)};
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    const std::uint32_t reads = i == 0 ? 1 : i == 1 ? 2 : 16;
    connect_queue_pairs(
        *pair.a, *pair.b,
        {.a_to_b = source(i, of_a), .first_a = firsts[i], .reads = reads, .receives = true});
    if (i % 2 != 0) continue;
    connect_queue_pairs(*pair.a, *pair.b,
                        {.b_to_a = source(i + 5, of_b),
                         .first_b = firsts[3 - i],
                         .reads = reads,
                         .receives = true});
  }
  Picoseconds now{};
  while (!(pair.a->finished() && pair.b->finished()) && now < 200_ms) {
    test::run_on(context, now += 50_us);
    for (const Nic* nic : {pair.a.get(), pair.b.get()}) test::expect_time_accounted(*nic, now);
  }
  EXPECT_TRUE(pair.a->finished() && pair.b->finished());
  test::run_on(context, now += 1_ms);
  EXPECT_EQ(context.pool.live(), 0u);
  EXPECT_TRUE(context.clock.idle());
  const RnicCounters sum = pair.a->counters() + pair.b->counters();
  EXPECT_EQ(pair.a->counters().bytes_completed, static_cast<std::uint64_t>(of_a));
  EXPECT_EQ(pair.b->counters().bytes_completed, static_cast<std::uint64_t>(of_b));
  EXPECT_EQ(sum.delivered_bytes, static_cast<std::uint64_t>(of_a + of_b));
  EXPECT_EQ(sum.messages_completed, 6 * 2 * sizes.size());
  EXPECT_EQ(sum.messages_received, received);
  EXPECT_EQ(sum.atomics_executed, atomics);
  if (weather.late == 0) {
    EXPECT_GT(sum.rnr_naks_received, 0u);
  }
  return fmt::format("nacks={} timeouts={}", sum.nacks_sent, sum.timeouts);
}

TEST(Sends, AllVerbsArriveOnceInFairWeather) {
  EXPECT_EQ(transfer(
                {}, [](RnicConfig&) {}, 1),
            "nacks=0 timeouts=0");
}
TEST(Sends, AllVerbsArriveOnceWithAHost) {
  EXPECT_EQ(transfer(
                {}, [](RnicConfig& c) { c.host = HostModel::pcie; }, 1),
            "nacks=0 timeouts=0");
}
TEST(Sends, AllVerbsArriveOnceWithLoss) {
  transfer(
      {.loss = 0.02}, [](RnicConfig&) {}, 2);
}
TEST(Sends, AllVerbsArriveOnceWithLossAndASharedQueue) {
  transfer(
      {.loss = 0.02}, [](RnicConfig& c) { c.receive->shared = true; }, 3);
}
TEST(Sends, AllVerbsArriveOnceReordered) {
  transfer(
      {.late = 0.2, .longest = 4_us}, [](RnicConfig&) {}, 4);
}
TEST(Sends, AllVerbsArriveOnceInAllOfIt) {
  transfer(
      {.loss = 0.03, .late = 0.1, .longest = 3_us},
      [](RnicConfig& c) {
        c.host = HostModel::pcie;
        c.receive->shared = true;
        c.reliability.timeout_resend = policy::TimeoutResend::oldest;
        c.cq.emplace();
      },
      5);
}

}  // namespace
}  // namespace horae::rnic::sends_test
