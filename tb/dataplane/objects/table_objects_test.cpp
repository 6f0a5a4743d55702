// Meters, prefixes, ranges, profiles and selectors, direct cells, idle timers, digests, fixed
// entries: what each does, and that it is on the list that is priced.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "broken_rule.hpp"
#include "horae/core/error.hpp"
#include "horae/core/random.hpp"
#include "horae/dataplane/counter.hpp"
#include "horae/dataplane/digest.hpp"
#include "horae/dataplane/exact_table.hpp"
#include "horae/dataplane/lpm_table.hpp"
#include "horae/dataplane/meter.hpp"
#include "horae/dataplane/objects/action_profile.hpp"
#include "horae/dataplane/objects/direct.hpp"
#include "horae/dataplane/objects/idle_times.hpp"
#include "horae/dataplane/price/ledgers.hpp"
#include "horae/dataplane/range_table.hpp"

namespace horae::dataplane::table_objects_test {
namespace {

constexpr auto in = Gress::ingress;

struct TableObjects : PassesOfAPacket {
  Pass at(Picoseconds t, std::uint16_t frame = 1000) {
    packet.frame = frame;
    return Pass(packet, {2, in}, ++serial_, 0, t);
  }
  std::uint64_t serial_ = 1000;
};

// RFC 2698 by hand: 1000-byte packets, committed 8 Gbps (1 us each) with a burst of two, peak 16
// Gbps (0.5 us each) with a burst of three.
TEST_F(TableObjects, AMeterMarksByTwoRates) {
  Meter meter(pipeline, in, "meter", {.entries = 2}, {8_Gbps, 2000_B, 16_Gbps, 3000_B});
  const auto colour = [&](Picoseconds t, Colour before = Colour::green, std::size_t i = 0) {
    return meter.execute(at(t), i, before);
  };
  EXPECT_EQ(colour(10_us), Colour::green);
  EXPECT_EQ(colour(10_us), Colour::green);
  EXPECT_EQ(colour(10_us), Colour::yellow);  // two are committed, three are within the peak
  EXPECT_EQ(colour(10_us), Colour::red);
  EXPECT_EQ(colour(10_us + 500_ns - 1_ps), Colour::red);
  EXPECT_EQ(colour(10_us + 500_ns), Colour::yellow);
  EXPECT_EQ(colour(11_us), Colour::green);
  EXPECT_EQ(colour(20_us, Colour::yellow), Colour::yellow);
  EXPECT_EQ(colour(20_us, Colour::red), Colour::red);
  EXPECT_EQ(colour(20_us), Colour::green);  // yellow and red ones took nothing of what is committed
  EXPECT_EQ(colour(20_us), Colour::green);
  EXPECT_EQ(colour(20_us, Colour::green, 1), Colour::green);
}

TEST_F(TableObjects, AMeterWithoutRatesLeavesTheColour) {
  Meter meter(pipeline, in, "meter", {.entries = 2});
  EXPECT_EQ(meter.execute(at(10_us), 0, Colour::yellow), Colour::yellow);
  meter.set_rates(0, {8_Gbps, 1000_B, 16_Gbps, 1000_B});
  EXPECT_EQ(meter.execute(at(10_us), 0), Colour::green);
  EXPECT_EQ(meter.execute(at(10_us), 0), Colour::red);
  EXPECT_EQ(meter.execute(at(10_us), 1), Colour::green);
  EXPECT_EQ(meter.execute(at(10_us), 1), Colour::green);
  meter.set_rates(0, {8_Gbps, 1000_B, 16_Gbps, 1000_B});
  EXPECT_EQ(meter.execute(at(10_us), 0), Colour::green);
  EXPECT_THROW(meter.set_rates(2, {}), ModelError);
}

TEST_F(TableObjects, ACounterTakesTheLengthItIsTold) {
  Counter counter(pipeline, in, "counter", {.entries = 4});
  counter.count(at(1_us, 100), 3);
  counter.count(at(2_us, 100), 3, 86);
  EXPECT_EQ(counter.packets(3), 2u);
  EXPECT_EQ(counter.bytes(3), 186u);
  EXPECT_EQ(counter.entries(), 4u);
}

TEST_F(TableObjects, AMeterPassesItsRatesOverALongTime) {
  Meter meter(pipeline, in, "meter", {.entries = 1}, {10_Gbps, 3000_B, 20_Gbps, 6000_B});
  std::map<Colour, double> bytes;
  RandomStream random(1, "meter");
  Picoseconds t{};
  double sent = 0;
  for (int i = 0; i < 100000; ++i) {
    t = t + Picoseconds(100'000 + random.below(200'000));  // 1000 bytes in 200 ns: 40 Gbps
    bytes[meter.execute(at(t), 0)] += 1000;
    sent += 1000;
  }
  const double seconds = to_seconds(t);
  EXPECT_NEAR(bytes[Colour::green] * 8 / seconds / 1e9, 10, 0.1);
  EXPECT_NEAR((bytes[Colour::green] + bytes[Colour::yellow]) * 8 / seconds / 1e9, 20, 0.2);
  EXPECT_EQ(bytes[Colour::green] + bytes[Colour::yellow] + bytes[Colour::red], sent);
}

TEST_F(TableObjects, TheLongestPrefixWins) {
  LpmTable<int> table(pipeline, in, "routes", {.key_bits = 32, .entries = 4});
  table.insert(0, 0, 1);
  table.insert(0x0a000000, 8, 2);
  table.insert(0x0a010000, 16, 3);
  table.insert(0x0a010203, 32, 4);
  const auto find = [&](std::uint64_t key) {
    const int* datum = table.lookup(pass(), key);
    return datum == nullptr ? 0 : *datum;
  };
  EXPECT_EQ(find(0x0a010203), 4);
  EXPECT_EQ(find(0x0a010204), 3);
  EXPECT_EQ(find(0x0a020000), 2);
  EXPECT_EQ(find(0x0b000000), 1);
  EXPECT_THROW(table.insert(0xff000000, 8, 5), ModelError);  // full
  table.insert(0x0a017777, 16, 9);                           // the same prefix: replaced
  EXPECT_EQ(find(0x0a010204), 9);
  table.erase(0x0a010000, 16);
  EXPECT_EQ(find(0x0a010204), 2);
  table.erase(0, 0);
  EXPECT_EQ(find(0x0b000000), 0);
  EXPECT_THROW(table.insert(0, 33, 5), ModelError);
}

// Against a search of all prefixes.
TEST_F(TableObjects, PrefixesOfEveryLength) {
  for (const std::uint32_t bits : {16u, 64u}) {
    LpmTable<std::size_t> table(pipeline, in, "lpm" + std::to_string(bits),
                                {.key_bits = bits, .entries = 200});
    RandomStream random(bits, "prefixes");
    const auto word = [&] {
      const std::uint64_t w = std::uint64_t{random.below(~0u)} << 32 | random.below(~0u);
      return bits == 64 ? w & 0xf00000000000000fULL : w & 0xf00f;
    };
    std::vector<std::pair<std::uint64_t, unsigned>> known;
    for (std::size_t i = 0; i < 200; ++i) {
      const std::uint64_t value = word();
      const unsigned length = random.below(bits + 1);
      table.insert(value, length, known.size());
      known.emplace_back(value, length);
    }
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t key = word();
      int longest = -1;
      std::size_t which = 0;
      for (std::size_t k = 0; k < known.size(); ++k) {
        const auto [value, length] = known[k];
        const bool same = length == 0 || (value ^ key) >> (bits - length) == 0;
        if (same && static_cast<int>(length) >= longest) {
          longest = static_cast<int>(length);
          which = k;
        }
      }
      const std::size_t* found = table.lookup(pass(), key);
      if (longest < 0) {
        EXPECT_EQ(found, nullptr);
      } else {
        ASSERT_NE(found, nullptr);
        EXPECT_EQ(*found, which);
      }
    }
  }
}

TEST_F(TableObjects, ARangeHoldsItsEnds) {
  RangeTable<int> table(pipeline, in, "ports", {.key_bits = 48, .entries = 2, .range_bits = 16});
  table.append(7, 0xff, 1000, 2000, 1);
  table.append(0, 0, 0, 65535, 2);
  const auto find = [&](std::uint64_t key, std::uint64_t field) {
    return *table.lookup(pass(), key, field);
  };
  EXPECT_EQ(find(7, 1000), 1);
  EXPECT_EQ(find(0x107, 2000), 1);
  EXPECT_EQ(find(7, 999), 2);
  EXPECT_EQ(find(7, 2001), 2);
  EXPECT_EQ(find(8, 1500), 2);
  EXPECT_THROW(table.append(0, 0, 5, 4, 3), ModelError);
  EXPECT_THROW(table.append(0, 0, 0, 65536, 3), ModelError);
  EXPECT_THROW(table.append(0, 0, 0, 1, 3), ModelError);  // full
}

struct Groups : TableObjects {
  ExactTable<std::uint32_t, int> table{pipeline, in, "table", 16};
};

TEST_F(Groups, AProfilesMembersAreReadAfterTheTable) {
  ActionProfile<int> profile(pipeline, in, "profile", {.entries = 4, .data_bits = 32}, table);
  profile.put(2, 99);
  const Pass early = pass();
  EXPECT_NE(broken_rule([&] { profile.member(early, 2); }).find("before its table"),
            std::string::npos);
  const Pass own = pass();
  table.lookup(own, 1);
  EXPECT_EQ(*profile.member(own, 2), 99);
  const Pass other = pass();
  table.lookup(other, 1);
  EXPECT_EQ(profile.member(other, 1), nullptr);
  const Pass wrong = pass();
  table.lookup(wrong, 1);
  EXPECT_NE(broken_rule([&] { profile.member(wrong, 4); }).find("member 4 of 4"),
            std::string::npos);
}

// One of eight members dies. Resilient: only its packets move, and spread over all others. Else
// most packets move.
TEST_F(Groups, ASelectorsMembersThatDie) {
  for (const bool resilient : {false, true}) {
    const std::string mode = resilient ? "resilient" : "fair";
    ActionProfile<int> profile(pipeline, in, "members " + mode, {.entries = 64}, table);
    ActionSelector selector(pipeline, in, "selector " + mode,
                            {.groups = 2, .group_size = 8, .resilient = resilient}, table);
    selector.put(1, {10, 11, 12, 13, 14, 15, 16, 17});
    const auto choose = [&](std::uint32_t hash) {
      const Pass own = pass();
      table.lookup(own, 1);
      return selector.choose(own, 1, hash);
    };
    RandomStream random(5, "hashes");
    std::vector<std::uint32_t> hashes;
    for (int i = 0; i < 8000; ++i) hashes.push_back(random.below(1u << 20));
    std::vector<std::uint32_t> before;
    for (const auto h : hashes) before.push_back(*choose(h));
    selector.set_alive(1, 3, false);
    std::map<std::uint32_t, int> now;
    int moved = 0;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      const std::uint32_t member = *choose(hashes[i]);
      EXPECT_NE(member, 13u);
      ++now[member];
      if (member != before[i] && before[i] != 13) ++moved;
    }
    if (resilient)
      EXPECT_EQ(moved, 0);
    else
      EXPECT_GT(moved, 5000);
    for (const auto& [member, n] : now) EXPECT_NEAR(n, 8000 / 7.0, 130) << member;
    for (std::size_t place = 0; place < 8; ++place) selector.set_alive(1, place, false);
    EXPECT_EQ(choose(5), std::nullopt);
  }
}

TEST_F(Groups, DirectCellsAreOfTheEntryThatWasHit) {
  EntryCounter<std::uint32_t> counter(pipeline, in, "hits", {.width = 64}, table);
  EntryRegister<std::uint32_t, std::uint32_t> seen(pipeline, in, "seen", {.width = 32}, table, 7);
  const auto hit = [&](std::uint32_t key, std::uint16_t frame) {
    const Pass own = at(1_us, frame);
    table.lookup(own, key);
    counter.count(own, key);
    return seen.apply(own, key, [](std::uint32_t& cell) { return ++cell; });
  };
  EXPECT_EQ(hit(5, 100), 8u);
  EXPECT_EQ(hit(5, 200), 9u);
  EXPECT_EQ(hit(6, 300), 8u);
  EXPECT_EQ(counter.packets(5), 2u);
  EXPECT_EQ(counter.bytes(5), 300u);
  EXPECT_EQ(counter.packets(9), 0u);
  EXPECT_EQ(seen.read(5), 9u);
  EXPECT_EQ(seen.read(9), 7u);
  seen.forget(5);
  counter.forget(5);
  EXPECT_EQ(hit(5, 100), 8u);
  EXPECT_EQ(counter.packets(5), 1u);
  const Pass early = pass();
  EXPECT_NE(broken_rule([&] { counter.count(early, 5); }).find("before its table"),
            std::string::npos);
}

// Two bits: three sweeps without a hit, 10 us each.
TEST(IdleTimes, AnEntryIsIdleAfterAllItsStates) {
  IdleTimes<int> times("table", {.idle_bits = 2}, 10_us);
  times.hit(1, 9_us);
  times.hit(2, 11_us);
  EXPECT_TRUE(times.idle(30_us - 1_ps).empty());
  EXPECT_EQ(times.idle(30_us), std::vector<int>{1});
  EXPECT_TRUE(times.idle(30_us).empty());
  times.hit(2, 39_us);
  EXPECT_TRUE(times.idle(60_us - 1_ps).empty());
  EXPECT_EQ(times.idle(60_us), std::vector<int>{2});
  EXPECT_THROW(IdleTimes<int>("table", {.idle_bits = 0}, 10_us), ModelError);
}

TEST_F(TableObjects, DigestsComeInOrderUntilNobodyTakesThem) {
  Digest<std::uint32_t> digest(pipeline, in, "learn", 2);
  for (std::uint32_t i = 0; i < 3; ++i) digest.send(at(Picoseconds(i)), i);
  const auto first = digest.take();
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[1].what, 1u);
  EXPECT_EQ(first[1].at, 1_ps);
  EXPECT_EQ(digest.lost(), 1u);
  digest.send(at(5_us), 9);
  EXPECT_EQ(digest.take().at(0).what, 9u);
  const Pass own = pass();
  digest.send(own, 1);
  EXPECT_NE(broken_rule([&] { digest.send(own, 2); }).find("a second access"), std::string::npos);
}

TEST_F(TableObjects, FixedEntriesStay) {
  ExactTable<std::uint32_t, int> table(pipeline, in, "types", MatchSpec{.entries = 1},
                                       {{1, 10}, {2, 20}});
  EXPECT_EQ(*table.lookup(pass(), 2), 20);
  EXPECT_THROW(table.insert(3, 30), ModelError);
  EXPECT_THROW(table.erase(1), ModelError);
  EXPECT_EQ(table.capacity(), 2u);
}

// All of them are on the list, with the kinds that objects files have, and a chip has room for
// them.
TEST_F(Groups, EachIsPriced) {
  LpmTable<int> lpm(pipeline, in, "lpm", {.key_bits = 32, .entries = 1024});
  LpmTable<int> alpm(pipeline, in, "alpm",
                     {.key_bits = 32, .entries = 4096, .kind = MatchKind::alpm, .partitions = 64});
  RangeTable<int> range(pipeline, in, "range", {.key_bits = 48, .entries = 512, .range_bits = 16});
  Meter meter(pipeline, in, "meter", {.entries = 1024}, {1_Gbps, 1000_B, 2_Gbps, 1000_B});
  ActionProfile<int> profile(pipeline, in, "profile", {.entries = 64, .data_bits = 32}, table);
  ActionSelector selector(pipeline, in, "selector", {.groups = 8, .group_size = 8}, table);
  EntryCounter<std::uint32_t> counter(pipeline, in, "counter", {}, table);
  Digest<int> digest(pipeline, in, "digest", 1);
  const Ledger ledger = Ledgers().of(pipeline.design(), ChipSpec::find({"tofino2", {}}));
  EXPECT_TRUE(ledger.refused.empty());
  std::map<std::string, std::string> kinds;
  for (const auto& o : pipeline.design().objects) kinds[o.name] = kind_name(o.spec);
  EXPECT_EQ(kinds["lpm"], "lpm");
  EXPECT_EQ(kinds["alpm"], "alpm");
  EXPECT_EQ(kinds["range"], "range");
  EXPECT_EQ(kinds["meter"], "meter");
  EXPECT_EQ(kinds["profile"], "profile");
  EXPECT_EQ(kinds["selector"], "selector");
  EXPECT_EQ(kinds["digest"], "action");
}

}  // namespace
}  // namespace horae::dataplane::table_objects_test
