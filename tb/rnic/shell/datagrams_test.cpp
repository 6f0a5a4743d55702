// UC and UD of NICs: their times in closed form, what a lost packet takes with it, receive WQEs
// that are not there, and what their queue pairs cost.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/core/service.hpp"
#include "horae/rnic/nic_budget.hpp"
#include "host_parts.hpp"
#include "nic_parts.hpp"

namespace horae::rnic::datagrams_test {
namespace {

using test::connect_queue_pairs;
using test::odd_latencies;
using test::odd_link;
using test::TappedPair;

std::unique_ptr<traffic::TrafficSource> messages(Bytes bytes, std::uint64_t count, Verb verb) {
  return std::make_unique<traffic::ConstantSource>(
      traffic::ConstantSource::Config{.bytes = bytes, .count = count, .verb = verb});
}

/// Time on the wire of a message's packets.
Picoseconds wire_of(Service service, Verb verb, std::int64_t bytes) {
  Picoseconds sum{};
  for (std::int64_t at = 0; at == 0 || at < bytes; at += 1024) {
    const Opcode o = opcode_of(service, data_opcode(verb, at == 0, at + 1024 >= bytes));
    const Bytes frame = frame_of_service(o, Bytes(std::min<std::int64_t>(1024, bytes - at)));
    sum += serialisation_time(l1_bytes(frame), odd_link.rate);
  }
  return sum;
}

/// Passes on all but the packets of those places in the order of coming.
test::tap::Fate all_but(std::vector<std::size_t> lost, std::vector<Opcode>& seen) {
  return [&seen, lost](unsigned, const Packet& p) -> std::optional<Picoseconds> {
    seen.push_back(p.opcode);
    if (std::ranges::find(lost, seen.size() - 1) != lost.end()) return std::nullopt;
    return 0_ps;
  };
}

TEST(Datagrams, AMessageIsCompletedWhenItsLastPacketHasLeft) {
  RnicConfig config = odd_latencies();
  fabric::sim_context context;
  struct Case {
    Service service;
    Verb verb;
    std::int64_t bytes;
  };
  const std::vector<Case> cases = {{Service::uc, Verb::write, 3000},
                                   {Service::uc, Verb::send, 3000},
                                   {Service::uc, Verb::write_imm, 0},
                                   {Service::ud, Verb::send, 1000}};
  std::vector<std::unique_ptr<test::NicPair>> pairs;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    pairs.push_back(std::make_unique<test::NicPair>(context, config, odd_link, i));
    connect_queue_pairs(*pairs[i]->a, *pairs[i]->b,
                        {.a_to_b = messages(Bytes(cases[i].bytes), 2, cases[i].verb),
                         .receives = cases[i].verb != Verb::write,
                         .service = cases[i].service});
  }
  test::run_on(context, 20_us);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& c = cases[i];
    const auto& nics = *pairs[i];
    const Picoseconds wire = wire_of(c.service, c.verb, c.bytes);
    EXPECT_TRUE(nics.a->finished());
    EXPECT_EQ(nics.a->queue_pair(0).progress().last_completion, wire * 2 + config.tx_latency) << i;
    EXPECT_EQ(nics.a->counters().messages_left, 2u);
    EXPECT_EQ(nics.b->counters().messages_whole, 2u);
    EXPECT_EQ(nics.b->counters().delivered_bytes, static_cast<std::uint64_t>(2 * c.bytes));
    EXPECT_EQ(nics.b->counters().messages_received, c.verb == Verb::write ? 0u : 2u);
    EXPECT_EQ(nics.b->counters().acks_sent, 0u);
    test::expect_time_accounted(*nics.a, 20_us);
  }
}

TEST(Datagrams, ALostPacketTakesItsMessageWithIt) {
  fabric::sim_context context;
  std::vector<std::vector<Opcode>> all_seen(3);
  std::vector<TappedPair> all;
  all.reserve(3);
  for (std::size_t lost = 0; lost < 3; ++lost) {
    const auto& pair =
        all.emplace_back(context, odd_latencies(), all_but({3 + lost}, all_seen[lost]), odd_link,
                         static_cast<unsigned>(lost));
    connect_queue_pairs(*pair.a, *pair.b,
                        {.a_to_b = messages(3000_B, 4, Verb::write), .service = Service::uc});
  }
  test::run_on(context, 50_us);
  for (std::size_t lost = 0; lost < 3; ++lost) {
    const RnicCounters& b = all[lost].b->counters();
    const auto& seen = all_seen[lost];
    EXPECT_EQ(b.messages_whole, 3u);
    // Without its first packet nothing of a message is taken.
    EXPECT_EQ(b.messages_broken, lost == 0 ? 0u : 1u);
    EXPECT_EQ(b.psn_gaps, 1u);
    EXPECT_EQ(b.discarded, lost == 0 ? 2u : lost == 1 ? 1u : 0u);
    EXPECT_EQ(b.delivered_bytes, 9000u);
    EXPECT_EQ(all[lost].a->counters().messages_left, 4u);
    EXPECT_EQ(all[lost].a->counters().sent_packets(), 12u);  // nothing again
    EXPECT_EQ(seen.size(), 12u);
    EXPECT_EQ(static_cast<unsigned>(seen[0]), 0x26u);
    EXPECT_EQ(static_cast<unsigned>(seen[2]), 0x28u);
  }
  EXPECT_EQ(context.pool.live(), 0u);
}

TEST(Datagrams, WithoutAReceiveWqeAMessageIsDroppedSilently) {
  fabric::sim_context context;
  std::map<Service, test::NicPair> all;
  for (const Service service : {Service::uc, Service::ud}) {
    RnicConfig config = odd_latencies();
    config.receive = ReceiveConfig{.depth = 2, .post = 1_ms};
    auto& nics = all.try_emplace(service, context, config, odd_link, static_cast<unsigned>(service))
                     .first->second;
    connect_queue_pairs(
        *nics.a, *nics.b,
        {.a_to_b = messages(700_B, 5, Verb::send), .receives = true, .service = service});
  }
  test::run_on(context, 100_us);
  for (const auto& [service, nics] : all) {
    EXPECT_TRUE(nics.a->finished());
    EXPECT_EQ(nics.b->counters().messages_whole, 2u);
    EXPECT_EQ(nics.b->counters().messages_unwanted, 3u);
    EXPECT_EQ(nics.b->counters().rnr_naks_sent, 0u);
    EXPECT_EQ(nics.b->counters().delivered_bytes, 1400u);
  }
}

/// A SEND that is lost in its middle leaves its WQE to the next one: two are enough for two.
TEST(Datagrams, ALostSendLeavesItsReceiveWqe) {
  fabric::sim_context context;
  RnicConfig config = odd_latencies();
  config.receive = ReceiveConfig{.depth = 2, .post = 1_ms};
  std::vector<Opcode> seen;
  TappedPair pair(context, config, all_but({1}, seen));
  connect_queue_pairs(
      *pair.a, *pair.b,
      {.a_to_b = messages(3000_B, 3, Verb::send), .receives = true, .service = Service::uc});
  test::run_on(context, 100_us);
  EXPECT_EQ(pair.b->counters().messages_whole, 2u);
  EXPECT_EQ(pair.b->counters().messages_broken, 1u);
  EXPECT_EQ(pair.b->counters().messages_unwanted, 0u);
}

/// 40 bytes for a GRH in front of each datagram's payload; two blocks a WQE, with its address.
TEST(Datagrams, WhatADatagramCostsOnPcie) {
  fabric::sim_context context;
  RnicConfig config = test::with_host();
  config.reth_on_every_packet = false;
  config.receive = ReceiveConfig{.depth = 64, .prefetch = 8, .wqe = 64_B};
  std::map<Service, test::NicPair> all;
  for (const Service service : {Service::uc, Service::ud}) {
    auto& nics = all.try_emplace(service, context, config, odd_link, static_cast<unsigned>(service))
                     .first->second;
    connect_queue_pairs(
        *nics.a, *nics.b,
        {.a_to_b = messages(200_B, 8, Verb::send), .receives = true, .service = service});
  }
  test::run_on(context, 100_us);
  const auto& uc = all.at(Service::uc);
  const auto& ud = all.at(Service::ud);
  const auto written = [](const test::NicPair& p) {
    return p.b->host()->counters().ledger.bytes(PcieUse::payload);
  };
  EXPECT_EQ(ud.b->counters().messages_received, 8u);
  EXPECT_EQ(written(ud) - written(uc), 8u * 40);
  const auto wqes = [](const test::NicPair& p) {
    return p.a->host()->counters().ledger.bytes(PcieUse::wqe, PcieDirection::to_nic);
  };
  EXPECT_GE(wqes(ud) - wqes(uc), 8u * 64);
  // With posting, 32 bytes of header more: 36 and 68 of a Connect-IB.
  const PostConfig post{.header = 36_B, .block = 4_B};
  EXPECT_EQ(post.wqe_bytes(1 << 20, 32_B) - post.wqe_bytes(1 << 20), 32);
}

/// The bitmap and what a retransmission needs are not kept for them.
TEST(Datagrams, TheirQueuePairsTakeLessOfTheChip) {
  const OnChipMemoryConfig sram;
  const auto of = [&](bool unreliable) {
    return nic_budget(sram, {.groups = {{10, 1, 4_KiB, 0, unreliable}}});
  };
  EXPECT_EQ(of(false).on_chip() - of(true).on_chip(), sram.state_per_queue_pair(512) * 10);
  EXPECT_GT(of(true).most_on_chip, of(false).most_on_chip);
}

TEST(Datagrams, RefusedWhereSomethingHearsOfAcknowledgements) {
  const auto refused = [](const std::function<void(RnicConfig&)>& change, std::string_view word) {
    RnicConfig config;
    change(config);
    try {
      check_unreliable(config);
      ADD_FAILURE() << "taken: " << word;
    } catch (const InputError& e) {
      EXPECT_NE(std::string_view(e.what()).find(word), std::string_view::npos) << e.what();
    }
  };
  EXPECT_NO_THROW(check_unreliable(RnicConfig{}));
  refused([](RnicConfig& c) { c.ordering.engine = "ideal"; }, "ordering.engine = 'ideal'");
  refused([](RnicConfig& c) { c.tx_latency = 0_ps; }, "tx_latency = 0");
  refused([](RnicConfig& c) { c.entropy.scheme = "random"; }, "entropy.scheme = 'random'");
  refused([](RnicConfig& c) { c.congestion.algorithm = "hpcc"; }, "congestion.algorithm = 'hpcc'");
}

/// A packet for a queue pair of another service is of none.
TEST(Datagrams, OtherServicesAreNotTaken) {
  fabric::sim_context context;
  test::NicAndPeer line(context, odd_latencies());
  line.queue_pair(nullptr);
  line.far->data(1_us, 0, opcode_of(Service::uc, Opcode::write_only));
  test::run_on(context, 20_us);
  EXPECT_EQ(line.nic->counters().data_received, 0u);
  EXPECT_EQ(context.pool.live(), 0u);
}

}  // namespace
}  // namespace horae::rnic::datagrams_test
