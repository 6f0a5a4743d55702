// Collectives: who sends how much to whom, and what waits for what.
#include "horae/traffic/collective.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/core/random.hpp"
#include "horae/traffic/source.hpp"

namespace horae::traffic::collective_test {
namespace {

std::map<std::uint32_t, std::int64_t> sent_by_rank(const std::vector<CollectiveFlow>& flows) {
  std::map<std::uint32_t, std::int64_t> bytes;
  for (const auto& f : flows) bytes[f.from] += f.message.count() * f.count;
  return bytes;
}

TEST(Collective, ARankSendsWhatTheAlgorithmSays) {
  for (const std::uint32_t n : {2u, 3u, 16u}) {
    for (const std::uint32_t slices : {1u, 4u}) {
      const std::int64_t size = 48 * n * slices;
      const auto bytes = [&](Operation operation) {
        const auto sent = sent_by_rank(collective_flows(
            {.operation = operation, .ranks = n, .size = Bytes(size), .slices = slices}));
        EXPECT_EQ(sent.size(), n);
        for (const auto& [rank, sum] : sent) EXPECT_EQ(sum, sent.at(0)) << rank;
        return sent.at(0);
      };
      EXPECT_EQ(bytes(Operation::ring_permutation), size);
      EXPECT_EQ(bytes(Operation::reduce_scatter), size / n * (n - 1));
      EXPECT_EQ(bytes(Operation::all_gather), size / n * (n - 1));
      EXPECT_EQ(bytes(Operation::all_reduce), 2 * size / n * (n - 1));
      EXPECT_EQ(bytes(Operation::all_to_all), size / n * (n - 1));
    }
  }
}

TEST(Collective, ARingGoesToTheNextRankOnly) {
  for (const auto& f :
       collective_flows({.operation = Operation::all_reduce, .ranks = 5, .size = 25_B}))
    EXPECT_EQ(f.to, (f.from + 1) % 5);
}

TEST(Collective, AllToAllReachesEveryOtherOnce) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const auto& f :
       collective_flows({.operation = Operation::all_to_all, .ranks = 7, .size = 7_B})) {
    EXPECT_NE(f.from, f.to);
    EXPECT_TRUE(pairs.emplace(f.from, f.to).second);
  }
  EXPECT_EQ(pairs.size(), 7u * 6);
}

// Ranks as a ring without a network: a message is sent when its source lets it, and is there at
// once. Everything arrives, and step s never before step s-1 has come.
TEST(Collective, StepsWaitForTheStepBefore) {
  constexpr std::uint32_t n = 6, slices = 3;
  const auto flows = collective_flows({.operation = Operation::all_reduce,
                                       .ranks = n,
                                       .size = Bytes(n * slices),
                                       .slices = slices});
  std::vector<ConstantSource> sources;
  std::vector<std::optional<TrafficItem>> next;
  for (const auto& f : flows) {
    sources.emplace_back(
        ConstantSource::Config{.bytes = f.message, .count = f.count, .lead = f.lead});
    next.push_back(sources.back().next());
  }
  std::vector<std::uint64_t> received(n), sent(n);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::uint32_t r = n; r-- > 0;) {  // against the ring, so that no rank runs ahead
      if (!next[r] || next[r]->after > received[r]) continue;
      const std::uint64_t step = sent[r] / slices, slice = sent[r] % slices;
      if (step > 0) {
        EXPECT_GE(received[r], (step - 1) * slices + slice + 1);
      }
      ++sent[r];
      ++received[flows[r].to];
      next[r] = sources[r].next();
      moved = true;
    }
  }
  for (std::uint32_t r = 0; r < n; ++r) EXPECT_EQ(sent[r], 2 * (n - 1) * slices);
}

TEST(Collective, TheFirstStepWaitsForNothingAndTheNextForOne) {
  ConstantSource source({.count = 5, .lead = 2});
  std::vector<std::uint64_t> after;
  while (const auto item = source.next()) after.push_back(item->after);
  EXPECT_EQ(after, (std::vector<std::uint64_t>{0, 0, 1, 2, 3}));
}

// Flows of one message that go when their triggers are fired; in a random order of completion no
// step comes before the one before, and all are sent.
std::vector<CollectiveFlow> in_order(std::vector<CollectiveFlow> waiting, std::uint64_t seed,
                                     const std::function<void(std::size_t)>& under_way) {
  RandomStream random(seed, "test.collective");
  std::map<std::uint32_t, std::uint64_t> fired;
  std::vector<CollectiveFlow> going, done;
  while (!waiting.empty() || !going.empty()) {
    std::erase_if(waiting, [&](const CollectiveFlow& f) {
      if (f.trigger != 0 && fired[f.trigger] < f.after) return false;
      going.push_back(f);
      return true;
    });
    under_way(going.size());
    if (going.empty()) break;
    const auto i = going.begin() + random.below(static_cast<std::uint32_t>(going.size()));
    ++fired[i->fires_at_sender];
    ++fired[i->fires_at_receiver];
    done.push_back(*i);
    going.erase(i);
  }
  return done;
}

TEST(Collective, AButterflyHasAStepForEachBitAndWaitsForThePeerBefore) {
  constexpr std::uint32_t n = 16;
  const auto flows =
      collective_flows({.operation = Operation::butterfly, .ranks = n, .size = 100_B});
  EXPECT_EQ(flows.size(), n * 4);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    std::map<std::uint32_t, std::set<std::uint32_t>> heard;
    const auto done = in_order(flows, seed, [](std::size_t) {});
    ASSERT_EQ(done.size(), flows.size());
    for (const auto& f : done) {
      EXPECT_EQ(f.message, 100_B);
      const std::uint32_t step = f.from ^ f.to;
      ASSERT_TRUE(step == 1 || step == 2 || step == 4 || step == 8);
      if (step > 1) {
        EXPECT_EQ(heard[f.from].count(f.from ^ (step / 2)), 1u) << f.from << "->" << f.to;
      }
      heard[f.to].insert(f.from);
    }
  }
  EXPECT_THROW(collective_flows({.operation = Operation::butterfly, .ranks = 6}), InputError);
  EXPECT_THROW(collective_flows({.operation = Operation::butterfly, .ranks = 4, .slices = 2}),
               InputError);
}

TEST(Collective, AWindowBoundsThePeersAtATime) {
  for (const std::uint32_t window : {1u, 3u, 7u}) {
    const auto flows = collective_flows(
        {.operation = Operation::all_to_all, .ranks = 8, .size = 8_B, .window = window});
    std::size_t most = 0;
    const auto done = in_order(flows, 1, [&](std::size_t going) { most = std::max(most, going); });
    EXPECT_EQ(done.size(), 8u * 7);
    EXPECT_EQ(most, 8u * window);
  }
}

TEST(Collective, WhatDoesNotDivideIsRefused) {
  EXPECT_THROW(collective_flows({.operation = Operation::all_reduce, .ranks = 3, .size = 10_B}),
               InputError);
  EXPECT_THROW(
      collective_flows({.operation = Operation::ring_permutation, .size = 10_B, .slices = 3}),
      InputError);
  EXPECT_THROW(collective_flows({.ranks = 1}), InputError);
}

}  // namespace
}  // namespace horae::traffic::collective_test
