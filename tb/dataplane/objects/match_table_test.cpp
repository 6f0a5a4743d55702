// Match tables of fields of any kind: which entry wins, what is refused, and what they cost.
#include "horae/dataplane/match_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "broken_rule.hpp"
#include "horae/core/random.hpp"

namespace horae::dataplane::match_table_test {
namespace {

BitString bits(std::uint64_t value, unsigned width) {
  BitString out;
  out.append(value, width);
  return out;
}
FieldPattern pattern(std::uint64_t value, std::uint64_t other, unsigned width) {
  return {bits(value, width), bits(other, width)};
}

struct Tables : PassesOfAPacket {
  MatchTable make(std::vector<MatchField> fields, std::uint64_t entries = 16) {
    return MatchTable(pipeline, Gress::ingress, "t" + std::to_string(made++), std::move(fields),
                      {.entries = entries});
  }
  std::optional<std::uint32_t> action(MatchTable& table, std::uint64_t key, unsigned width) {
    const auto result = table.lookup(pass(), bits(key, width));
    return result.hit() ? std::optional(result.call->action) : std::nullopt;
  }
  int made = 0;
};

TEST_F(Tables, AnExactKeyIsThereOnceAndItsLastActionCounts) {
  MatchTable t = make({{"a", 8, FieldMatch::exact}}, 1);
  t.insert({pattern(5, 0xff, 8)}, 0, {1, {7}});
  t.insert({pattern(5, 0xff, 8)}, 9, {2, {8}});
  EXPECT_EQ(t.size(), 1u);
  EXPECT_EQ(action(t, 5, 8), 2u);
  EXPECT_EQ(action(t, 6, 8), std::nullopt);
  EXPECT_EQ(broken_rule([&] { t.insert({pattern(6, 0xff, 8)}, 0, {}); }),
            "tor.pipe2.t0: full (1 entries)");
}

TEST_F(Tables, AMissGetsTheDefault) {
  MatchTable t = make({{"a", 8, FieldMatch::exact}});
  t.set_default({3, {1, 2}});
  const auto result = t.lookup(pass(), bits(1, 8));
  EXPECT_FALSE(result.hit());
  EXPECT_EQ(*result.call, (ActionCall{3, {1, 2}}));
}

TEST_F(Tables, OfTernaryEntriesTheHighestPriorityWinsThenTheFirst) {
  MatchTable t = make({{"a", 8, FieldMatch::ternary}});
  t.insert({pattern(0, 0, 8)}, 1, {1});
  t.insert({pattern(0x10, 0xf0, 8)}, 5, {2});
  t.insert({pattern(0x12, 0xff, 8)}, 5, {3});
  t.insert({pattern(0x13, 0xff, 8)}, 6, {4});
  EXPECT_EQ(action(t, 0x12, 8), 2u);
  EXPECT_EQ(action(t, 0x13, 8), 4u);
  EXPECT_EQ(action(t, 0x23, 8), 1u);
}

TEST_F(Tables, TheLongestPrefixWins) {
  MatchTable t = make({{"v", 4, FieldMatch::exact}, {"a", 8, FieldMatch::lpm}});
  const auto key = [](std::uint64_t v, std::uint64_t a) { return v << 8 | a; };
  t.insert({pattern(1, 0xf, 4), pattern(0x80, 0x80, 8)}, 0, {1});
  t.insert({pattern(1, 0xf, 4), pattern(0x8c, 0xff, 8)}, 0, {2});
  t.insert({pattern(1, 0xf, 4), pattern(0, 0, 8)}, 0, {3});
  EXPECT_EQ(action(t, key(1, 0x8c), 12), 2u);
  EXPECT_EQ(action(t, key(1, 0x8d), 12), 1u);
  EXPECT_EQ(action(t, key(1, 0x0d), 12), 3u);
  EXPECT_EQ(action(t, key(2, 0x8c), 12), std::nullopt);
}

TEST_F(Tables, BothEndsBelongToARange) {
  MatchTable t = make({{"p", 16, FieldMatch::range}, {"f", 1, FieldMatch::optional}});
  t.insert({pattern(100, 200, 16), pattern(1, 1, 1)}, 2, {1});
  t.insert({pattern(200, 300, 16), pattern(0, 0, 1)}, 1, {2});
  t.insert({pattern(150, 150, 16), pattern(0, 0, 1)}, 3, {3});
  const auto of = [&](std::uint64_t p, std::uint64_t f) { return action(t, p << 1 | f, 17); };
  EXPECT_EQ(of(99, 1), std::nullopt);
  EXPECT_EQ(of(100, 1), 1u);
  EXPECT_EQ(of(200, 1), 1u);
  EXPECT_EQ(of(200, 0), 2u);
  EXPECT_EQ(of(300, 0), 2u);
  EXPECT_EQ(of(301, 0), std::nullopt);
  EXPECT_EQ(of(150, 1), 3u);
}

TEST_F(Tables, KeysAreAsWideAsTheyAre) {
  MatchTable t = make({{"v6", 128, FieldMatch::exact}, {"p", 16, FieldMatch::range}});
  BitString address;
  address.append(0x20010db800000000, 64);
  address.append(1, 64);
  t.insert({MatchTable::exactly(t.fields()[0], address), pattern(5, 9, 16)}, 0, {4});
  BitString key = address;
  key.append(7, 16);
  EXPECT_EQ(t.lookup(pass(), key).call->action, 4u);
  BitString other;
  other.append(0x20010db800000000, 64);
  other.append(2, 64);
  other.append(7, 16);
  EXPECT_FALSE(t.lookup(pass(), other).hit());
}

TEST_F(Tables, WhatIsErasedIsGoneAndItsPlaceIsTakenAgain) {
  MatchTable t = make({{"a", 8, FieldMatch::ternary}}, 2);
  const auto first = t.insert({pattern(1, 0xff, 8)}, 2, {1});
  const auto second = t.insert({pattern(0, 0, 8)}, 1, {2});
  EXPECT_EQ(t.find({pattern(1, 0xff, 8)}, 2), first);
  EXPECT_EQ(t.find({pattern(1, 0xff, 8)}, 3), std::nullopt);
  t.erase(first);
  EXPECT_EQ(action(t, 1, 8), 2u);
  EXPECT_EQ(t.insert({pattern(1, 0xff, 8)}, 0, {3}), first);
  EXPECT_EQ(action(t, 1, 8), 2u);
  t.erase(second);
  EXPECT_EQ(action(t, 1, 8), 3u);
  EXPECT_THROW(t.erase(second), ModelError);
  t.clear();
  EXPECT_EQ(t.size(), 0u);
  EXPECT_EQ(action(t, 1, 8), std::nullopt);
}

TEST_F(Tables, AreLookedUpOncePerPass) {
  MatchTable t = make({{"a", 8, FieldMatch::exact}});
  const Pass p = pass();
  t.lookup(p, bits(1, 8));
  EXPECT_THROW(t.lookup(p, bits(1, 8)), ModelError);
}

TEST_F(Tables, RefuseWhatTheirKindsDoNotMatch) {
  MatchTable t = make({{"e", 8, FieldMatch::exact},
                       {"l", 8, FieldMatch::lpm},
                       {"r", 8, FieldMatch::range},
                       {"o", 8, FieldMatch::optional}});
  const FieldPattern e = pattern(1, 0xff, 8), l = pattern(0, 0, 8), r = pattern(1, 2, 8), o = l;
  const auto fault = [&](std::vector<FieldPattern> patterns) {
    return broken_rule([&] { t.insert(patterns, 0, {}); });
  };
  EXPECT_EQ(fault({e, l, r}), "tor.pipe2.t0: 3 patterns for 4 fields");
  EXPECT_EQ(fault({pattern(1, 0xf, 8), l, r, o}),
            "tor.pipe2.t0: field e has a mask, but it is matched exactly");
  EXPECT_EQ(fault({e, pattern(0, 0x7f, 8), r, o}),
            "tor.pipe2.t0: field l has a mask that is no prefix");
  EXPECT_EQ(fault({e, l, pattern(3, 2, 8), o}),
            "tor.pipe2.t0: field r has a range whose end lies before its beginning");
  EXPECT_EQ(fault({e, l, r, pattern(0, 0xf0, 8)}),
            "tor.pipe2.t0: field o has a mask of some of its bits, but it is matched as a whole or "
            "not at all");
  EXPECT_EQ(fault({pattern(1, 0x1ff, 9), l, r, o}),
            "tor.pipe2.t0: field e has a pattern of 9 bits, expected 8");
  EXPECT_EQ(t.size(), 0u);
}

TEST_F(Tables, RefuseKeysThatThereAreNot) {
  EXPECT_THROW(make({}), ModelError);
  EXPECT_THROW(make({{"a", 0, FieldMatch::exact}}), ModelError);
  EXPECT_THROW(make({{"a", 1025, FieldMatch::exact}}), ModelError);
  EXPECT_THROW(make({{"a", 8, FieldMatch::lpm}, {"b", 8, FieldMatch::lpm}}), ModelError);
}

TEST_F(Tables, CostWhatTheirKindCosts) {
  make({{"a", 8, FieldMatch::exact}, {"b", 16, FieldMatch::range}});
  make({{"a", 8, FieldMatch::exact}});
  make({{"a", 8, FieldMatch::optional}});
  make({{"a", 8, FieldMatch::lpm}});
  const auto& objects = pipeline.design().objects;
  const auto spec = [&](std::size_t i) { return std::get<MatchSpec>(objects.at(i).spec); };
  EXPECT_EQ(spec(0).kind, MatchKind::range);
  EXPECT_EQ(spec(0).key_bits, 24u);
  EXPECT_EQ(spec(0).range_bits, 16u);
  EXPECT_EQ(spec(1).kind, MatchKind::exact);
  EXPECT_EQ(spec(2).kind, MatchKind::ternary);
  EXPECT_EQ(spec(3).kind, MatchKind::lpm);
}

// Against a search through all entries, with entries coming and going.
/// Entries drawn, found and erased against a search through all of them; with a range beside the
/// ternary key, or of few masks, so that many entries have the same one.
template <class Make, class Action>
void compare_with_a_search(bool ranges, Make&& make, Action&& action) {
  struct Plain {
    std::uint64_t value, mask, low, high;
    std::int64_t priority;
    std::uint32_t action;
    std::size_t place;
  };
  std::vector<MatchField> fields = {{"a", 6, FieldMatch::ternary}};
  if (ranges) fields.push_back({"r", 4, FieldMatch::range});
  MatchTable t = make(fields, 64);
  constexpr std::uint64_t few[] = {0, 0x30, 0x3f};
  std::vector<Plain> plain;
  RandomStream random(3, "tables");
  for (std::uint32_t step = 0; step < 3000; ++step) {
    if (random.below(4) == 0 && !plain.empty()) {
      const std::size_t gone = random.below(static_cast<std::uint32_t>(plain.size()));
      t.erase(plain[gone].place);
      plain.erase(plain.begin() + static_cast<std::ptrdiff_t>(gone));
    } else if (random.below(3) == 0 && plain.size() < 64) {
      Plain p{random.below(64),
              ranges ? random.below(64) : few[random.below(3)],
              ranges ? random.below(16) : 0,
              ranges ? random.below(16) : 15,
              random.below(5),
              step,
              0};
      if (p.low > p.high) std::swap(p.low, p.high);
      std::vector<FieldPattern> patterns{pattern(p.value, p.mask, 6)};
      if (ranges) patterns.push_back(pattern(p.low, p.high, 4));
      if (!t.find(patterns, p.priority)) {
        p.place = t.insert(patterns, p.priority, {step});
        plain.push_back(p);
      }
    }
    const std::uint64_t a = random.below(64), r = random.below(16);
    std::optional<Plain> best;
    for (const Plain& p : plain) {
      if ((a & p.mask) != (p.value & p.mask) || r < p.low || r > p.high) continue;
      if (!best || p.priority > best->priority) best = p;
    }
    EXPECT_EQ(ranges ? action(t, a << 4 | r, 10) : action(t, a, 6),
              best ? std::optional(best->action) : std::nullopt)
        << step;
  }
}

TEST_F(Tables, FindWhatASearchFinds) {
  for (const bool ranges : {true, false}) {
    compare_with_a_search(
        ranges, [&](const auto& fields, std::size_t n) { return make(fields, n); },
        [&](auto& t, std::uint64_t key, unsigned bits) { return action(t, key, bits); });
  }
}

}  // namespace
}  // namespace horae::dataplane::match_table_test
