// The calendar against std::priority_queue.
#include "horae/fabric/events/event_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/core/random.hpp"

namespace horae::fabric::event_queue_test {
namespace {

struct Later {
  bool operator()(const Event& a, const Event& b) const { return b < a; }
};
using Reference = std::priority_queue<Event, std::vector<Event>, Later>;

bool same(const Event& a, const Event& b) {
  return a.time == b.time && a.key == b.key && a.payload == b.payload;
}

// Random pushes and pops: near events, events in the slot being worked on, ties, far timers, and
// jumps over long empty stretches, in windows that do not fit the slots.
void compare_with_reference(unsigned slot_bits, std::uint64_t seed) {
  RandomStream random(seed, "event_queue");
  EventQueue queue(slot_bits);
  Reference reference;
  std::uint64_t ordinal = 0;
  Picoseconds now{};
  Picoseconds end{};
  const auto push = [&](Picoseconds from) {
    const std::int64_t slot = std::int64_t{1} << slot_bits;
    std::int64_t ahead = 0;
    switch (random.below(8)) {
      case 0:
        break;  // a tie in time with the last event
      case 1:
        ahead = random.below(16);
        break;
      case 2:
        ahead = slot * 62 + random.below(static_cast<std::uint32_t>(slot * 4));  // end of the ring
        break;
      case 3:
        ahead = slot * 200 * (1 + random.below(50));  // timers
        break;
      default:
        ahead = random.below(static_cast<std::uint32_t>(slot * 8));
    }
    // Kinds and entities at random, so that keys do not rise with time of push.
    const std::uint64_t key = make_key(static_cast<std::uint8_t>(random.below(4)),
                                       static_cast<std::uint16_t>(random.below(8)), ordinal);
    const Event e{from + Picoseconds(ahead), key, ordinal++};
    queue.push(e);
    reference.push(e);
  };
  for (int window = 0; window < 2000; ++window) {
    // Idle stretches now and then: the queue runs dry but for its timers.
    const std::uint32_t pushes = random.below(10) == 0 ? random.below(40) : random.below(4);
    for (std::uint32_t i = 0; i < pushes; ++i) push(std::max(now, end));
    end += Picoseconds(1 + random.below(3u << slot_bits));
    Event e;
    while (queue.pop_before(end, e)) {
      ASSERT_FALSE(reference.empty());
      ASSERT_TRUE(same(e, reference.top()));
      ASSERT_LT(e.time, end);
      ASSERT_GE(e.time, now);
      now = e.time;
      reference.pop();
      if (random.below(3) == 0) push(now);
      ASSERT_EQ(queue.size(), reference.size());
      ASSERT_EQ(queue.next_time(), reference.empty() ? never : reference.top().time);
    }
    ASSERT_EQ(queue.size(), reference.size());
    ASSERT_EQ(queue.empty(), reference.empty());
    ASSERT_EQ(queue.next_time(), reference.empty() ? never : reference.top().time);
    if (!reference.empty()) {
      ASSERT_GE(reference.top().time, end);
    }
  }
  Event e;
  while (queue.pop_before(never, e)) {
    ASSERT_TRUE(same(e, reference.top()));
    reference.pop();
  }
  EXPECT_TRUE(reference.empty());
  EXPECT_TRUE(queue.empty());
}

TEST(EventQueue, TakesEventsLikeAPriorityQueue) {
  for (const unsigned slot_bits : {4u, 10u, 16u, 17u, 20u}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      compare_with_reference(slot_bits, seed);
      ASSERT_FALSE(HasFailure()) << "slot bits " << slot_bits << ", seed " << seed;
    }
  }
}

// Two queues whose slots take memory from one pool, with calendars of several lengths, and events
// taken as devices take them: by a function that pushes more.
TEST(EventQueue, EventsOfTwoQueuesKeepTheirOrderInSharedMemory) {
  for (const unsigned slots : {64u, 256u, 1024u}) {
    RandomStream random(slots, "event_queue.shared");
    EventChunks chunks;
    EventQueue queues[2] = {EventQueue(8, slots, &chunks), EventQueue(12, 64, &chunks)};
    Reference references[2];
    std::uint64_t ordinal = 0;
    const auto push = [&](unsigned q, Picoseconds from) {
      const Event e{from + Picoseconds(random.below(random.below(9) == 0 ? 4'000'000 : 6000)),
                    make_key(static_cast<std::uint8_t>(random.below(3)), 0, ordinal), ordinal};
      ++ordinal;
      queues[q].push(e);
      references[q].push(e);
    };
    for (Picoseconds end = 1_ns; end < 3_us; end += 1_ns) {
      for (unsigned q = 0; q < 2; ++q) {
        for (std::uint32_t i = random.below(40); i-- > 0;) push(q, end - 1_ns);
        queues[q].take_before(end, [&](const Event& e) {
          ASSERT_TRUE(same(e, references[q].top()));
          references[q].pop();
          if (random.below(4) == 0) push(q, e.time);
        });
        ASSERT_EQ(queues[q].size(), references[q].size());
        ASSERT_TRUE(references[q].empty() || references[q].top().time >= end);
      }
    }
  }
}

// As a device takes them that has events of its own in between: it looks at the first, and takes it
// or does something of its own, which may push events before the one that it saw.
TEST(EventQueue, TheFirstCanBeLookedAtBeforeItIsTaken) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    RandomStream random(seed, "event_queue.first");
    EventQueue queue(10);
    Reference reference;
    std::uint64_t ordinal = 0;
    Picoseconds now{};
    const auto push = [&](Picoseconds from, std::uint32_t ahead) {
      const Event e{from + Picoseconds(random.below(ahead)),
                    make_key(static_cast<std::uint8_t>(random.below(3)), 0, ordinal), ordinal};
      ++ordinal;
      queue.push(e);
      reference.push(e);
    };
    for (Picoseconds end = 1_ns; end < 2_us; end += 1_ns) {
      for (std::uint32_t i = random.below(5); i-- > 0;)
        push(std::max(now, end - 1_ns), random.below(9) == 0 ? 400'000 : 6000);
      while (const Event* first = queue.first_before(end)) {
        ASSERT_TRUE(same(*first, reference.top()));
        if (random.below(4) == 0) {
          push(now, 2000);
          continue;
        }
        queue.take(first, [&](const Event& e) {
          ASSERT_TRUE(same(e, reference.top()));
          reference.pop();
          now = e.time;
          if (random.below(4) == 0) push(now, 3000);
        });
      }
      ASSERT_TRUE(reference.empty() || reference.top().time >= end);
      ASSERT_EQ(queue.size(), reference.size());
    }
    EXPECT_GT(ordinal, 4000u);
  }
}

// However long a calendar turns: memory is what is pending.
TEST(EventQueue, ChunksAreUsedAgain) {
  EventChunks chunks;
  EventQueue queue(10, 256, &chunks);
  std::size_t first = 0;
  for (std::int64_t i = 0; i < 100'000; ++i) {
    queue.push({Picoseconds(i * 300 + 2000), 0, 0});
    queue.take_before(Picoseconds(i * 300), [](const Event&) {});
    if (i == 100) first = chunks.bytes();
  }
  EXPECT_GT(first, 0u);
  EXPECT_EQ(chunks.bytes(), first);
}

TEST(EventQueue, TheBoundIsExclusive) {
  for (const Picoseconds t : {0_ps, 1_ps, 131'072_ps, 200_ns, 5_ms}) {
    EventQueue queue;
    queue.push({t, 7, 42});
    Event e{};
    EXPECT_FALSE(queue.pop_before(t, e));
    EXPECT_EQ(queue.size(), 1u);
    EXPECT_EQ(queue.next_time(), t);
    ASSERT_TRUE(queue.pop_before(t + 1_ps, e));
    EXPECT_EQ(e.time, t);
    EXPECT_EQ(e.key, 7u);
    EXPECT_EQ(e.payload, 42u);
    EXPECT_TRUE(queue.empty());
    EXPECT_EQ(queue.next_time(), never);
    EXPECT_FALSE(queue.pop_before(never, e));
  }
}

TEST(EventQueue, TheBoundIsExclusiveForEventsOfTheCurrentSlot) {
  EventQueue queue(17);
  queue.push({1000_ps, 0, 0});
  Event e{};
  ASSERT_TRUE(queue.pop_before(1001_ps, e));
  queue.push({1500_ps, 1, 0});
  EXPECT_FALSE(queue.pop_before(1500_ps, e));
  EXPECT_EQ(queue.next_time(), 1500_ps);
  EXPECT_TRUE(queue.pop_before(1501_ps, e));
}

TEST(EventQueue, EqualTimesGoByKey) {
  EventQueue queue;
  for (const std::uint64_t key : {5u, 3u, 9u, 1u}) queue.push({10_ns, key, key});
  Event e{};
  ASSERT_TRUE(queue.pop_before(never, e));
  EXPECT_EQ(e.key, 1u);
  queue.push({10_ns, 4, 4});  // at the present time, between those that wait
  for (const std::uint64_t key : {3u, 4u, 5u, 9u}) {
    ASSERT_TRUE(queue.pop_before(never, e));
    EXPECT_EQ(e.key, key);
  }
}

TEST(EventQueue, ThePastIsRefused) {
  EventQueue queue;
  EXPECT_THROW(queue.push({Picoseconds(-1), 0, 0}), ModelError);
  queue.push({10_ns, 0, 0});
  queue.push({30_ns, 1, 0});
  Event e{};
  ASSERT_TRUE(queue.pop_before(20_ns, e));
  EXPECT_THROW(queue.push({10_ns - 1_ps, 2, 0}), ModelError);
  EXPECT_EQ(queue.size(), 1u);  // a refused event is not counted
  queue.push({10_ns, 3, 0});    // the present is allowed
  ASSERT_TRUE(queue.pop_before(20_ns, e));
  EXPECT_EQ(e.key, 3u);
}

TEST(EventQueue, ForEachVisitsEveryPendingEventOnce) {
  EventQueue queue(10);
  std::vector<std::uint64_t> expected;
  for (std::uint64_t i = 0; i < 200; ++i) {
    queue.push({Picoseconds(static_cast<std::int64_t>(i * i * 13)), i, i});
    expected.push_back(i);
  }
  Event e{};
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(queue.pop_before(never, e));
  expected.erase(expected.begin(), expected.begin() + 50);
  queue.push({e.time, 1000, 1000});
  expected.push_back(1000);
  std::vector<std::uint64_t> seen;
  queue.for_each([&](const Event& pending) { seen.push_back(pending.payload); });
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, expected);
}

TEST(EventKey, OrdersByKindThenEntityThenOrdinal) {
  EXPECT_LT(make_key(1, 65535, 99), make_key(2, 0, 0));
  EXPECT_LT(make_key(1, 3, (std::uint64_t{1} << 40) - 1), make_key(1, 4, 0));
  EXPECT_LT(make_key(1, 3, 4), make_key(1, 3, 5));
  EXPECT_EQ(key_kind(make_key(200, 40000, 12345)), 200);
  EXPECT_EQ(key_entity(make_key(200, 40000, 12345)), 40000);
}

}  // namespace
}  // namespace horae::fabric::event_queue_test
