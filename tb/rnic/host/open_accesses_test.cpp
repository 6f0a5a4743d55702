// Accesses whose times are not known when they are made: tags, pieces, order, errors.
#include "horae/rnic/host/open_accesses.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "horae/core/random.hpp"

namespace horae::rnic::open_accesses_test {
namespace {

/// A link, and a root complex that answers when it is told to.
struct Bench {
  explicit Bench(std::uint32_t tags = 128) : link(of(tags)) {}
  static PcieConfig of(std::uint32_t tags) {
    PcieConfig config;
    config.tags = tags;
    return config;
  }
  /// Says when each access was done, in the order in which they are.
  void note(int access) {
    accesses.when_known([this, access](Picoseconds now, Picoseconds at, bool ok) {
      EXPECT_GE(at, now);
      done.emplace_back(access, at);
      failed += ok ? 0 : 1;
    });
  }

  PcieLink link;
  std::vector<std::pair<std::uint32_t, OpenAccesses::Request>> begun;
  OpenAccesses accesses{link, [this](std::uint32_t number, const OpenAccesses::Request& request) {
                          begun.emplace_back(number, request);
                        }};
  std::vector<std::pair<int, Picoseconds>> done;
  int failed = 0;
};

TEST(OpenAccesses, AnAccessIsDoneWhenAllItsPiecesAre) {
  Bench b;
  b.accesses.read(1_us, 4000, 1000_B, nullptr);  // 96, 512 and 392 bytes
  b.note(1);
  ASSERT_EQ(b.begun.size(), 3u);
  EXPECT_EQ(b.begun[0].second.length, 96u);
  EXPECT_EQ(b.begun[1].second.address, 4096u);
  EXPECT_EQ(b.begun[2].second.length, 392u);
  // In another order than they were asked for.
  b.accesses.answered(2_us, b.begun[2].first, true);
  b.accesses.answered(3_us, b.begun[0].first, true);
  EXPECT_TRUE(b.done.empty());
  EXPECT_EQ(b.accesses.open(), 1u);
  b.accesses.answered(4_us, b.begun[1].first, true);
  ASSERT_EQ(b.done.size(), 1u);
  EXPECT_EQ(b.done[0].second, 4_us + b.link.wire_time(512_B + 40_B));
  EXPECT_EQ(b.accesses.open(), 0u);
}

TEST(OpenAccesses, ReadsWaitForATagFirstComeFirstServed) {
  Bench b(2);
  for (int i = 0; i < 5; ++i) {
    b.accesses.read(1_us, 0, 64_B, nullptr);
    b.note(i);
  }
  b.accesses.write(1_us, 0, 64_B, nullptr);  // which has none
  b.note(5);
  ASSERT_EQ(b.begun.size(), 3u);
  EXPECT_TRUE(b.begun[2].second.write);
  EXPECT_EQ(b.link.tags_in_use(1_us), 2u);
  // The tag goes over when the completion is there.
  b.accesses.answered(2_us, b.begun[1].first, true);
  ASSERT_EQ(b.begun.size(), 4u);
  const Picoseconds back = b.done.at(0).second;
  EXPECT_EQ(back, 2_us + b.link.wire_time(84_B));
  EXPECT_EQ(b.begun[3].second.arrival, back + b.link.wire_time(24_B));
  EXPECT_EQ(b.link.counters().waits[static_cast<std::size_t>(PcieWait::tag)], 1u);
  EXPECT_EQ(b.link.counters().waited[static_cast<std::size_t>(PcieWait::tag)], back - 1_us);
  b.accesses.answered(3_us, b.begun[0].first, true);
  b.accesses.answered(4_us, b.begun[3].first, true);
  b.accesses.answered(5_us, b.begun[4].first, true);
  ASSERT_EQ(b.begun.size(), 6u);
  b.accesses.answered(6_us, b.begun[5].first, true);
  b.accesses.answered(7_us, b.begun[2].first, true);
  std::vector<int> order;
  for (const auto& [access, at] : b.done) order.push_back(access);
  EXPECT_EQ(order, (std::vector<int>{1, 0, 2, 3, 4, 5}));
  EXPECT_EQ(b.link.tags_in_use(7_us), 0u);
  EXPECT_EQ(b.link.most_tags_in_use(), 2u);
}

TEST(OpenAccesses, WritesAreVisibleInTheirOrder) {
  Bench b;
  for (int i = 0; i < 3; ++i) {
    b.accesses.write(1_us, 4096u * static_cast<unsigned>(i), 64_B, nullptr);
    b.note(i);
  }
  b.accesses.answered(2_us, b.begun[2].first, true);
  b.accesses.answered(3_us, b.begun[1].first, true);
  EXPECT_TRUE(b.done.empty());
  b.accesses.answered(4_us, b.begun[0].first, true);
  EXPECT_EQ(b.done, (std::vector<std::pair<int, Picoseconds>>{{0, 4_us}, {1, 4_us}, {2, 4_us}}));
}

TEST(OpenAccesses, AnErrorOfAReadIsToldAndOneOfAWriteCounted) {
  Bench b;
  b.accesses.read(1_us, 0, 1024_B, nullptr);
  b.note(0);
  b.accesses.write(1_us, 0, 64_B, nullptr);
  b.note(1);
  b.accesses.answered(2_us, b.begun[2].first, false);
  EXPECT_EQ(b.failed, 0);
  b.accesses.answered(3_us, b.begun[0].first, false);
  b.accesses.answered(4_us, b.begun[1].first, true);
  EXPECT_EQ(b.failed, 1);
  EXPECT_EQ(b.accesses.errors(), 2u);
  // A completion without data, and one with 512 bytes in two.
  EXPECT_EQ(b.link.counters().bytes_completed, 512u);
  EXPECT_EQ(b.link.counters().completions, 3u);
}

TEST(OpenAccesses, AllWhoAskedAreToldInTheirOrder) {
  Bench b;
  std::string told;
  b.accesses.read(1_us, 0, 64_B, nullptr);
  for (const char who : {'a', 'b', 'c'})
    b.accesses.when_known([&told, who](Picoseconds, Picoseconds, bool) { told += who; });
  b.accesses.answered(2_us, b.begun[0].first, true);
  EXPECT_EQ(told, "abc");
}

// With a latency that is always the same, reads are done when they are on a link whose root complex
// answers at once, however scarce tags are.
TEST(OpenAccesses, OfOneLatencyTakeWhatKnownOnesTake) {
  for (const std::uint32_t tags : {1u, 3u, 128u}) {
    Bench b(tags);
    PcieLink known(Bench::of(tags));
    std::multimap<Picoseconds, std::uint32_t> answers;
    std::map<int, Picoseconds> expected;
    std::size_t seen = 0;
    const auto answer_before = [&](Picoseconds t) {
      for (;;) {
        for (; seen < b.begun.size(); ++seen)
          answers.emplace(b.begun[seen].second.arrival + 500_ns, b.begun[seen].first);
        if (answers.empty() || answers.begin()->first >= t) return;
        const auto [at, number] = *answers.begin();
        answers.erase(answers.begin());
        b.accesses.answered(at, number, true);
      }
    };
    RandomStream random(3, "reads");
    Picoseconds now{};
    for (int i = 0; i < 3000; ++i) {
      now += Picoseconds(random.below(tags == 128 ? 20'000 : 900'000 / tags));
      answer_before(now);
      const Bytes size(1 + random.below(512));
      const Picoseconds arrival = known.begin_read(now, size);
      expected[i] = known.finish_read(arrival + 500_ns, 0, size);
      b.accesses.read(now, 0, size, nullptr);
      b.note(i);
    }
    answer_before(never);
    ASSERT_EQ(b.done.size(), 3000u);
    for (const auto& [access, at] : b.done)
      ASSERT_EQ(at, expected[access]) << tags << " " << access;
    EXPECT_EQ(b.link.counters().waited, known.counters().waited);
    EXPECT_EQ(b.link.counters().reads_in_flight, known.counters().reads_in_flight);
  }
}

}  // namespace
}  // namespace horae::rnic::open_accesses_test
