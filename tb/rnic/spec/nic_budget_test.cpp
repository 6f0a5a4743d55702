// The bill of a NIC's memory: sums, closed forms, and what the cache makes of them.
#include "horae/rnic/nic_budget.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "horae/core/random.hpp"
#include "horae/rnic/memory/context_cache.hpp"

namespace horae::rnic::nic_budget_test {
namespace {

Bytes bytes_of(const NicBudget& budget, std::string_view name) {
  for (const auto& line : budget.lines) {
    if (line.name == name) return line.bytes();
  }
  ADD_FAILURE() << "no structure " << name;
  return Bytes(-1);
}

TEST(NicBudget, EveryStructureIsItsCountTimesItsSize) {
  OnChipMemoryConfig c;
  c.page = 4_KiB;
  const NicBudget b = nic_budget(
      c, {.groups = {{10, 128, 64_KiB}, {5, 3, 4097_B}, {2, 0, 1_B}}, .window = 500, .regions = 3});
  EXPECT_EQ(bytes_of(b, "tx_buffer"), 256_KiB);
  EXPECT_EQ(bytes_of(b, "rx_buffer"), 256_KiB);
  EXPECT_EQ(bytes_of(b, "reorder_state"), Bytes(17 * 64));  // 500 bits are 8 words
  EXPECT_EQ(bytes_of(b, "retransmit_state"), Bytes(17 * 32));
  EXPECT_EQ(bytes_of(b, "queue_pair"), Bytes(17 * 375));
  EXPECT_EQ(bytes_of(b, "send_wqe"), Bytes((10 * 8 + 5 * 3) * 64));
  EXPECT_EQ(bytes_of(b, "completion_queue"), Bytes(17 * 64));
  EXPECT_EQ(bytes_of(b, "translation"), Bytes((10 * 16 + 5 * 2 + 2 * 1) * 8));
  EXPECT_EQ(bytes_of(b, "memory_key"), Bytes(3 * 64));
  Bytes sum;
  for (const auto& line : b.lines) sum += line.bytes();
  EXPECT_EQ(b.used(), sum);
  EXPECT_EQ(b.on_chip(), 512_KiB + Bytes(17 * 96));
  EXPECT_EQ(b.used(), b.on_chip() + b.cached());
  EXPECT_EQ(b.cache(), b.capacity - b.on_chip());
}

TEST(NicBudget, TheEnginesContextsAreOnTheChip) {
  RnicConfig nic;
  nic.engine = {.visit = 1_ns, .contexts = 1001};
  EXPECT_EQ(engine_contexts(nic), Bytes(187'688));  // 1001 halves of 375 bytes
  const OnChipMemoryConfig c;
  const NicDemand without{.groups = {{10, 128, 64_KiB}}};
  NicDemand demand = without;
  demand.engine_contexts = engine_contexts(nic);
  EXPECT_EQ(bytes_of(nic_budget(c, demand), "engine_contexts"), Bytes(187'688));
  EXPECT_LT(nic_budget(c, demand).most_cached, nic_budget(c, without).most_cached);
  EXPECT_TRUE(policy_states(nic).empty());
  nic.engine->queue_pair = 1_ns;
  ASSERT_EQ(policy_states(nic).size(), 1u);
  EXPECT_EQ(policy_states(nic)[0].bytes(), 4_B);
}

// Counters of eight lanes, a title CQE and its block, and what is counted for each queue pair.
TEST(NicBudget, CreditsAndCompletionsHaveTheirState) {
  RnicConfig nic;
  EXPECT_EQ(block_state(nic), 0_B);
  nic.vl_credits = 16_KiB;
  EXPECT_EQ(block_state(nic), 24_B);
  nic.cq = {.messages = 16, .hold = 1_us, .mini_cqe = 8_B};
  EXPECT_EQ(block_state(nic), 24_B + 128_B);
  const OnChipMemoryConfig c;
  NicDemand demand{.groups = {{10, 128, 64_KiB}}};
  const auto without = nic_budget(c, demand);
  demand.block_state = block_state(nic);
  EXPECT_EQ(bytes_of(nic_budget(c, demand), "block_state"), 152_B);
  EXPECT_EQ(nic_budget(c, demand).on_chip(), without.on_chip() + 152_B);
  ASSERT_EQ(policy_states(nic).size(), 1u);
  EXPECT_EQ(policy_states(nic)[0].bits(), 4u + 32u);
  nic.ack_messages = 16;
  nic.engine = {.queue_pair = 1_ns};
  ASSERT_EQ(policy_states(nic).size(), 2u);
  EXPECT_EQ(policy_states(nic)[0].bits(), 32u + 4u);
  EXPECT_TRUE(policy_states(nic)[0].cached);
}

// A receive queue of 512 has indices of ten bits; one that is shared counts once.
TEST(NicBudget, ReceiveQueuesHaveTheirState) {
  RnicConfig nic;
  nic.receive = {.depth = 512, .prefetch = 16, .wqe = 16_B};
  ASSERT_EQ(policy_states(nic).size(), 1u);
  EXPECT_EQ(policy_states(nic)[0].name, "receive_state");
  EXPECT_EQ(policy_states(nic)[0].bits(), 40u + 128u + 3u * 10 + 16u * 16 * 8);
  EXPECT_EQ(block_state(nic), 0_B);
  nic.receive->shared = true;
  EXPECT_EQ(policy_states(nic)[0].bits(), 40u + 128u);
  EXPECT_EQ(block_state(nic), Bytes((16 * 16 * 8 + 3 * 10 + 7) / 8));
}

/// Requesters keep 64 bits of each READ or atomic, responders 202; both round up to bytes.
TEST(NicBudget, ReadsAndAtomicsHaveTheirStateAtBothEnds) {
  OnChipMemoryConfig c;
  NicDemand demand{.groups = {{10, 128, 64_KiB}, {7, 0, 64_KiB}}, .reads = 16};
  const NicBudget without = nic_budget(c, demand);
  demand.groups[0].requests = true;
  demand.groups[1].answers = true;
  const NicBudget with = nic_budget(c, demand);
  ASSERT_EQ(with.lines.size(), without.lines.size() + 2);
  EXPECT_EQ(with.lines[4].name, "read_requests");
  EXPECT_EQ(with.lines[4].bytes(), 128_B * 10);
  EXPECT_EQ(with.lines[5].name, "read_responses");
  EXPECT_EQ(with.lines[5].bytes(), 404_B * 7);
  EXPECT_FALSE(with.lines[4].cached || with.lines[5].cached);
  EXPECT_EQ(with.on_chip() - without.on_chip(), 128_B * 10 + 404_B * 7);
  EXPECT_LT(with.most_on_chip, without.most_on_chip);
  demand.reads = 1;
  EXPECT_EQ(nic_budget(c, demand).lines[5].each, 26_B);
}

TEST(NicBudget, LinesOfSeveralPortsAreOnTheChip) {
  const OnChipMemoryConfig c;
  const NicDemand one{.groups = {{10, 128, 64_KiB}}, .port_buffer = 16_KiB};
  NicDemand eight = one;
  eight.ports = 8;
  const NicBudget before = nic_budget(c, one), after = nic_budget(c, eight);
  EXPECT_EQ(bytes_of(after, "port_buffer"), 128_KiB);
  EXPECT_EQ(after.used(), before.used() + 128_KiB);
  EXPECT_EQ(after.lines.size(), before.lines.size() + 1);
  // Room for fewer queue pairs.
  const std::int64_t each = (before.used() - 512_KiB - 64_B).count() / 10;
  EXPECT_NEAR(static_cast<double>(before.most_cached - after.most_cached),
              128.0 * 1024 / static_cast<double>(each), 1.0);
}

TEST(NicBudget, TheReorderBitmapFollowsTheWindowUnlessItIsGiven) {
  OnChipMemoryConfig c;
  EXPECT_EQ(c.reorder_state(512), 64_B);
  EXPECT_EQ(c.reorder_state(1), 8_B);
  EXPECT_EQ(c.reorder_state(65), 16_B);
  c.reorder_bits = 0;
  EXPECT_EQ(c.reorder_state(512), 0_B);
  c.reorder_bits = 2048;
  EXPECT_EQ(c.reorder_state(512), 256_B);
}

TEST(NicBudget, WithoutQueuePairsThereAreBuffersOnly) {
  const NicBudget b = nic_budget({}, {});
  EXPECT_EQ(b.used(), 512_KiB);
  EXPECT_EQ(b.most_on_chip, NicBudget::unlimited);
  EXPECT_EQ(b.most_cached, NicBudget::unlimited);
}

TEST(NicBudget, WhatMustBeOnTheChipMayNotFit) {
  OnChipMemoryConfig c;
  c.total = 600_KiB;
  const auto with = [&](std::uint32_t n) { return nic_budget(c, {.groups = {{n, 1, 1_B}}}); };
  const std::int64_t most = 88 * 1024 / 96;
  EXPECT_EQ(with(1).most_on_chip, most);
  EXPECT_TRUE(with(static_cast<std::uint32_t>(most)).fits());
  EXPECT_FALSE(with(static_cast<std::uint32_t>(most) + 1).fits());
  c.rx_buffer = 1_MiB;
  EXPECT_FALSE(with(1).fits());
  EXPECT_EQ(with(1).most_on_chip, 0);
  EXPECT_EQ(with(1).most_cached, 0);
  EXPECT_EQ(with(1).cache(), 0_B);
}

/// Misses per round of a NIC that serves its queue pairs in turn, once it has served all of them.
struct RoundRobin {
  std::uint64_t own_misses = 0, own_accesses = 0, key_misses = 0;
};

RoundRobin serve(const OnChipMemoryConfig& config, const QueuePairGroup& group,
                 std::uint32_t window) {
  ContextCache cache(config);
  for (std::uint32_t q = 0; q < group.queue_pairs; ++q)
    cache.reserve(config.state_per_queue_pair(window));
  const std::uint64_t wqes = std::min(group.outstanding, config.wqes_held);
  const std::uint64_t pages =
      static_cast<std::uint64_t>((group.memory + config.page - 1_B) / config.page);
  RoundRobin out;
  constexpr int warm = 2, rounds = 5;
  for (int r = 0; r < rounds; ++r) {
    const bool count = r >= warm;
    const auto own = [&](CacheKind kind, std::uint64_t id) {
      const bool hit = cache.access(kind, id).hit();
      if (count) ++out.own_accesses;
      if (count && !hit) ++out.own_misses;
    };
    for (std::uint64_t q = 0; q < group.queue_pairs; ++q) {
      own(CacheKind::queue_pair, q);
      for (std::uint64_t w = 0; w < wqes; ++w) own(CacheKind::send_wqe, q * wqes + w);
      if (!cache.access(CacheKind::memory_key, 0).hit() && count) ++out.key_misses;
      for (std::uint64_t p = 0; p < pages; ++p) own(CacheKind::translation, q * pages + p);
      own(CacheKind::completion_queue, q);
    }
  }
  return out;
}

class BudgetAgainstCache : public ::testing::TestWithParam<std::uint64_t> {};

// The closed form says where the cache begins to miss, and there it misses on everything that is a
// queue pair's own; the memory key that all share stays.
TEST_P(BudgetAgainstCache, TheLimitIsWhereMissesBegin) {
  RandomStream random(GetParam(), "budgets");
  OnChipMemoryConfig c;
  c.limited = true;
  c.total = Bytes(64 * 1024 + random.below(1 << 18));
  c.tx_buffer = Bytes(random.below(16 * 1024));
  c.rx_buffer = Bytes(random.below(16 * 1024));
  c.qp_context = Bytes(200 + random.below(400));
  c.wqes_held = random.below(10);
  c.retransmit_state = Bytes(random.below(64));
  c.translation = Bytes(8 + random.below(57));
  QueuePairGroup group{1, random.below(12), Bytes(1 + random.below(40'000))};
  const std::uint32_t window = 1 + random.below(1024);
  const NicBudget one = nic_budget(c, {.groups = {group}, .window = window});
  ASSERT_GT(one.most_cached, 2);
  ASSERT_LE(one.most_cached, one.most_on_chip);

  group.queue_pairs = static_cast<std::uint32_t>(one.most_cached);
  const NicBudget most = nic_budget(c, {.groups = {group}, .window = window});
  EXPECT_TRUE(most.all_cached());
  EXPECT_EQ(most.most_cached, one.most_cached) << "the limit does not depend on what is asked";
  const RoundRobin within = serve(c, group, window);
  EXPECT_EQ(within.own_misses, 0u);
  EXPECT_GT(within.own_accesses, 0u);

  ++group.queue_pairs;
  EXPECT_FALSE(nic_budget(c, {.groups = {group}, .window = window}).all_cached());
  const RoundRobin beyond = serve(c, group, window);
  EXPECT_EQ(beyond.own_misses, beyond.own_accesses);
  EXPECT_EQ(beyond.key_misses, 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, BudgetAgainstCache, ::testing::Range<std::uint64_t>(1, 17));

// Kinds with a cache of their own take all of it, whatever is asked, and the one that is full first
// says how many queue pairs stay.
TEST(NicBudget, CachesOfKindsBindByThemselves) {
  const OnChipMemoryConfig c;
  NicDemand demand{.groups = {{50, 0, 64_KiB}}};
  const NicBudget shared = nic_budget(c, demand);
  EXPECT_EQ(shared.binds, "shared");
  demand.caches.queue_pair = CacheConfig{.entries = 100};
  demand.caches.translation = CacheConfig{.entries = 1000, .ways = 4};
  NicBudget own = nic_budget(c, demand);
  EXPECT_EQ(bytes_of(own, "queue_pair"), 375_B * 100);
  EXPECT_EQ(bytes_of(own, "translation"), 8_B * 1000);
  EXPECT_EQ(own.on_chip(), shared.on_chip() + 375_B * 100 + 8_B * 1000);
  EXPECT_EQ(own.cached(), shared.cached() - 375_B * 50 - 8_B * 16 * 50);
  EXPECT_EQ(own.most_cached, 62);  // 16 pages each
  EXPECT_EQ(own.binds, "translation");
  EXPECT_TRUE(own.all_cached());
  demand.groups[0].queue_pairs = 63;
  own = nic_budget(c, demand);
  EXPECT_FALSE(own.all_cached());
  EXPECT_EQ(own.overfull, std::vector<std::string_view>{"translation"});
  EXPECT_EQ(own.most_cached, 62);
  demand.groups[0].memory = 4_KiB;
  demand.groups[0].queue_pairs = 101;
  own = nic_budget(c, demand);
  EXPECT_EQ(own.binds, "queue_pair");
  EXPECT_EQ(own.most_cached, 100);
  demand.caches.memory_key = CacheConfig{.entries = 2};
  demand.regions = 3;
  EXPECT_EQ(nic_budget(c, demand).most_cached, 0);
}

// Two regions of each of 100 queue pairs, and one that 50 others share.
TEST(NicBudget, RegionsOfQueuePairsAreKeysOfTheirOwn) {
  OnChipMemoryConfig c;
  NicDemand demand{.groups = {{100, 0, 64_KiB, 2}, {50, 0, 64_KiB}}};
  const auto keys = [&] {
    const NicBudget budget = nic_budget(c, demand);
    return std::find_if(
               budget.lines.begin(), budget.lines.end(),
               [](const BudgetLine& line) { return line.name == name_of(CacheKind::memory_key); })
        ->count;
  };
  EXPECT_EQ(keys(), 201);
  demand.groups.pop_back();
  EXPECT_EQ(keys(), 200);
  demand.caches.memory_key = CacheConfig{.entries = 150};
  const NicBudget own = nic_budget(c, demand);
  EXPECT_EQ(own.binds, "memory_key");
  EXPECT_EQ(own.most_cached, 75);
}

// The limit of a mix keeps its proportions.
TEST(NicBudget, TheLimitOfAMixIsOfTheMix) {
  const OnChipMemoryConfig c;
  const NicBudget mix = nic_budget(c, {.groups = {{30, 8, 64_KiB}, {10, 0, 64_KiB}}});
  const std::int64_t senders = 375 + 64 + 8 * 64 + 16 * 8 + 96, others = senders - 8 * 64;
  EXPECT_EQ(mix.most_cached, (1536 * 1024 - 64) * 40 / (30 * senders + 10 * others));
}

}  // namespace
}  // namespace horae::rnic::nic_budget_test
