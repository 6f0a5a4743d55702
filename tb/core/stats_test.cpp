// Histograms, gauges, rates and the tree of results.
#include "horae/core/stats.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "horae/core/random.hpp"

namespace horae::stats_test {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

TEST(LogLinearAxis, BinsCoverEveryValueOnceAndStayNarrow) {
  const detail::LogLinearAxis axis;
  std::int64_t next = 0;
  for (int i = 0; i < axis.size(); ++i) {
    ASSERT_EQ(axis.lower(i), next) << i;
    ASSERT_EQ(axis.index(axis.lower(i)), i);
    ASSERT_EQ(axis.index(axis.upper(i)), i);
    const std::int64_t width = axis.upper(i) - axis.lower(i) + 1;
    ASSERT_TRUE(width == 1 || width * 32 <= axis.lower(i)) << i;
    if (i + 1 < axis.size()) next = axis.upper(i) + 1;
  }
  EXPECT_EQ(axis.upper(axis.size() - 1), largest);
  EXPECT_EQ(axis.index(-1), -1);
}

TEST(Histogram, MergesOfDifferentReachAreOne) {
  Histogram small, large, empty;
  for (std::int64_t v = 0; v < 50; ++v) small.add(v);
  large.add(1'000'000'000, 3);
  Histogram a = small, b = large;
  a.merge(large);
  b.merge(small);
  a.merge(empty);
  for (const Histogram* h : {&a, &b}) {
    EXPECT_EQ(h->count(), 53);
    EXPECT_EQ(h->percentile(0.5), 26);
    EXPECT_EQ(h->max(), 1'000'000'000);
  }
  empty.merge(small);
  EXPECT_EQ(empty.percentile(0.5), small.percentile(0.5));
}

TEST(Histogram, SmallCasesAreExact) {
  Histogram h;
  for (const std::int64_t v : {5, 1, 4, 2, 3}) h.add(v);
  EXPECT_EQ(h.count(), 5);
  EXPECT_DOUBLE_EQ(h.mean(), 3.0);
  EXPECT_EQ(h.min(), 1);
  EXPECT_EQ(h.max(), 5);
  EXPECT_EQ(h.percentile(0), 1);
  EXPECT_EQ(h.percentile(0.2), 1);
  EXPECT_EQ(h.percentile(0.21), 2);
  EXPECT_EQ(h.percentile(0.5), 3);
  EXPECT_EQ(h.percentile(0.99), 5);
  EXPECT_EQ(h.percentile(1), 5);
}

// However wide their bins are, the ends are what was measured.
TEST(Histogram, TheFirstAndTheLastAreExact) {
  for (const std::int64_t base : {std::int64_t{1'000'003}, std::int64_t{987'654'321'012}}) {
    for (std::int64_t i = 0; i < 200; ++i) {
      const std::int64_t least = base + 37 * i, most = 3 * base + 101 * i;
      Histogram h;
      for (const std::int64_t v : {least, most, (least + most) / 2}) h.add(v);
      ASSERT_EQ(h.percentile(0), least);
      ASSERT_EQ(h.percentile(0.3), least);
      ASSERT_EQ(h.percentile(0.7), most);
      ASSERT_EQ(h.percentile(1), most);
    }
  }
}

TEST(Histogram, RanksDoNotSufferFromRounding) {
  Histogram h;
  for (std::int64_t v = 1; v <= 63; ++v) h.add(v, 100);
  for (std::int64_t v = 1; v <= 63; ++v) {
    // Rank 100 v exactly: the last of the samples of value v.
    EXPECT_EQ(h.percentile(static_cast<double>(v * 100) / 6300.0), v);
  }
  Histogram hundred;
  for (std::int64_t v = 0; v < 50; ++v) hundred.add(v, 2);
  EXPECT_EQ(hundred.percentile(0.07), 3);  // rank 7 of 0 0 1 1 2 2 3
  EXPECT_EQ(hundred.percentile(0.14), 6);
}

TEST(Histogram, WeightsCountAsRepetitions) {
  Histogram weighted;
  Histogram repeated;
  for (const auto& [value, weight] :
       std::map<std::int64_t, std::int64_t>{{0, 3}, {70, 2}, {9, 5}}) {
    weighted.add(value, weight);
    for (int i = 0; i < weight; ++i) repeated.add(value);
  }
  weighted.add(1'000'000, 0);
  EXPECT_EQ(weighted.count(), 10);
  EXPECT_DOUBLE_EQ(weighted.mean(), (140.0 + 45.0) / 10.0);
  EXPECT_EQ(weighted.max(), 70);
  for (double q = 0; q <= 1; q += 0.05) EXPECT_EQ(weighted.percentile(q), repeated.percentile(q));
}

TEST(Histogram, PartsMakeTheSameAgain) {
  Histogram h;
  for (const std::int64_t v : {std::int64_t{0}, std::int64_t{63}, std::int64_t{70'000}, largest})
    h.add(v, 3);
  Histogram odd;  // its sum has the lowest bit
  odd.add(7);
  for (const Histogram& original : {h, odd, Histogram()}) {
    const Histogram copy = Histogram::of_parts(original.parts());
    EXPECT_EQ(copy.count(), original.count());
    EXPECT_EQ(copy.parts(), original.parts());
    if (original.empty()) continue;
    EXPECT_EQ(copy.mean(), original.mean());
    EXPECT_EQ(copy.min(), original.min());
    EXPECT_EQ(copy.max(), original.max());
    for (double q = 0; q <= 1; q += 0.125) EXPECT_EQ(copy.percentile(q), original.percentile(q));
  }
  Histogram sum = Histogram::of_parts(h.parts());
  sum.merge(Histogram::of_parts(Histogram().parts()));
  EXPECT_EQ(sum.parts(), h.parts());
}

TEST(Histogram, LargestValuesDoNotOverflow) {
  Histogram h;
  h.add(largest, 1000);
  h.add(largest - 1, 1000);
  EXPECT_EQ(h.max(), largest);
  EXPECT_EQ(h.min(), largest - 1);
  EXPECT_DOUBLE_EQ(h.mean(), static_cast<double>(largest));
  EXPECT_GE(h.percentile(0.5), largest - 1);
}

TEST(Histogram, RefusesWhatHasNoMeaning) {
  Histogram h;
  EXPECT_THROW(h.add(-1), ModelError);
  EXPECT_THROW(h.add(1, -1), ModelError);
  EXPECT_TRUE(h.empty());
  EXPECT_THROW(h.mean(), ModelError);
  EXPECT_THROW(h.min(), ModelError);
  EXPECT_THROW(h.max(), ModelError);
  EXPECT_THROW(h.percentile(0.5), ModelError);
  h.add(1);
  EXPECT_THROW(h.percentile(-0.1), ModelError);
  EXPECT_THROW(h.percentile(1.1), ModelError);
  EXPECT_THROW(h.percentile(std::nan("")), ModelError);
}

TEST(Histogram, PercentilesStayWithinTheBoundForAnyDistribution) {
  RandomStream random(21, "percentiles");
  const auto uniform = [&] { return static_cast<double>(random.bits()) / 4294967296.0; };
  const std::map<std::string, std::function<double()>> distributions = {
      {"small", [&] { return uniform() * 64; }},
      {"uniform", [&] { return uniform() * 1e9; }},
      {"exponential", [&] { return -std::log(1 - uniform()) * 1e6; }},
      {"pareto", [&] { return 100 * std::pow(1 - uniform(), -1 / 1.1); }},
      {"two modes", [&] { return random.chance(0.98) ? 2e6 + uniform() * 1e4 : 3e9 * uniform(); }},
      {"log-uniform", [&] { return std::exp(uniform() * 40); }},
      {"constant", [] { return 123'456.0; }},
  };
  for (const auto& [name, draw] : distributions) {
    for (const int n : {1, 2, 10, 1000, 50'000}) {
      Histogram h;
      std::vector<std::int64_t> sorted;
      for (int i = 0; i < n; ++i) {
        sorted.push_back(static_cast<std::int64_t>(draw()));
        h.add(sorted.back());
      }
      std::ranges::sort(sorted);
      long double sum = 0;
      for (const auto v : sorted) sum += static_cast<long double>(v);
      EXPECT_NEAR(h.mean(), static_cast<double>(sum / n), static_cast<double>(sum / n) * 1e-12);
      EXPECT_EQ(h.min(), sorted.front());
      EXPECT_EQ(h.max(), sorted.back());
      for (const double q : {0.0, 0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1.0}) {
        const auto rank = std::max<std::int64_t>(1, std::llround(std::ceil(q * n - 1e-9)));
        const std::int64_t exact = sorted[static_cast<std::size_t>(rank - 1)];
        const std::int64_t error = std::abs(h.percentile(q) - exact);
        EXPECT_LE(error, exact < 64 ? 0 : exact / 64 + 1) << name << " n " << n << " q " << q;
      }
    }
  }
}

TEST(Histogram, MergeEqualsAdding) {
  RandomStream random(22, "merge");
  Histogram all;
  Histogram parts[3];
  for (int i = 0; i < 30'000; ++i) {
    const std::int64_t v = random.bits() >> random.below(32);
    all.add(v);
    parts[i % 3].add(v);
  }
  Histogram merged;
  merged.merge(parts[2]);
  merged.merge(parts[0]);
  merged.merge(parts[1]);
  merged.merge(Histogram{});
  EXPECT_EQ(merged.count(), all.count());
  EXPECT_EQ(merged.mean(), all.mean());
  EXPECT_EQ(merged.min(), all.min());
  EXPECT_EQ(merged.max(), all.max());
  for (double q = 0; q <= 1; q += 0.01) EXPECT_EQ(merged.percentile(q), all.percentile(q));
}

TEST(TimeWeighted, MeanIsTheAreaOverTheTime) {
  TimeWeighted gauge(100_ps, 4);
  EXPECT_DOUBLE_EQ(gauge.mean(100_ps), 4);
  EXPECT_DOUBLE_EQ(gauge.mean(150_ps), 4);
  gauge.update(110_ps, 10);  // 4 for 10 ps
  gauge.update(110_ps, 20);  // 10 for no time
  gauge.update(130_ps, 0);   // 20 for 20 ps
  EXPECT_EQ(gauge.current(), 0);
  EXPECT_EQ(gauge.max(), 20);
  EXPECT_DOUBLE_EQ(gauge.mean(130_ps), (40.0 + 400.0) / 30.0);
  EXPECT_DOUBLE_EQ(gauge.mean(200_ps), 440.0 / 100.0);
  EXPECT_DOUBLE_EQ(gauge.mean(200_ps), 4.4) << "asking changes nothing";
}

TEST(TimeWeighted, ResetStartsAWindowWithTheCurrentValue) {
  TimeWeighted gauge;
  gauge.update(10_ps, 100);
  gauge.update(20_ps, -6);
  gauge.reset(30_ps);
  EXPECT_EQ(gauge.start(), 30_ps);
  EXPECT_EQ(gauge.max(), -6);
  EXPECT_DOUBLE_EQ(gauge.mean(30_ps), -6);
  gauge.update(40_ps, 2);
  EXPECT_EQ(gauge.max(), 2);
  EXPECT_DOUBLE_EQ(gauge.mean(50_ps), (-60.0 + 20.0) / 20.0);
}

TEST(TimeWeighted, LongRunsOfLargeValuesDoNotOverflow) {
  TimeWeighted gauge;
  gauge.update(0_ps, largest);
  gauge.update(Picoseconds(largest / 2), -largest);
  EXPECT_NEAR(gauge.mean(Picoseconds(largest - 1)), 0, 1);
}

TEST(TimeWeighted, TimeDoesNotGoBack) {
  TimeWeighted gauge(10_ps);
  EXPECT_THROW(gauge.update(9_ps, 1), ModelError);
  gauge.update(20_ps, 1);
  EXPECT_THROW(gauge.reset(19_ps), ModelError);
  EXPECT_THROW(gauge.mean(19_ps), ModelError);
  EXPECT_EQ(gauge.current(), 1);
}

TEST(WindowedRate, KnowsItsDenominator) {
  WindowedRate<Bytes> bytes(1_us);
  bytes.add(1000_B);
  bytes.add(250_B);
  const auto first = bytes.close(2_us);
  EXPECT_EQ(first.amount(), 1250_B);
  EXPECT_EQ(first.window(), 1_us);
  EXPECT_DOUBLE_EQ(first.per_second(), 1.25e9);
  EXPECT_EQ(bytes.start(), 2_us);
  EXPECT_EQ(bytes.amount(), 0_B);
  const auto second = bytes.close(6_us);
  EXPECT_EQ(second, Rate<Bytes>(0_B, 4_us));
  bytes.add(9_B);
  bytes.reset(10_us);
  EXPECT_EQ(bytes.close(11_us).amount(), 0_B);

  WindowedRate<Packets> packets;
  packets.add(Packets(3));
  EXPECT_DOUBLE_EQ(packets.close(2_ms).per_second(), 1500);
}

TEST(WindowedRate, NoWindowNoRate) {
  EXPECT_THROW(Rate<Bytes>(1_B, 0_ps), ModelError);
  EXPECT_THROW(Rate<Bytes>(1_B, Picoseconds(-1)), ModelError);
  WindowedRate<Bytes> bytes(5_ps);
  bytes.add(7_B);
  EXPECT_THROW(bytes.close(5_ps), ModelError);
  EXPECT_EQ(bytes.amount(), 7_B) << "the window goes on";
}

TEST(StatTree, WhatANumberIsOfItsNameSays) {
  using enum StatKind;
  const std::pair<const char*, StatKind> all[] = {{"forwarded", count},
                                                  {"program.most_queues", maximum},
                                                  {"most_cells", maximum},
                                                  {"m.longest", maximum},
                                                  {"voq.longest_wait", maximum},
                                                  {"voq.waiting", state},
                                                  {"waiting", state},
                                                  {"most_.sent", count},
                                                  {"almost_all", count},
                                                  {"waiting_long", count},
                                                  {"longest.sent", count},
                                                  {"mostly", count}};
  for (const auto& [name, kind] : all) EXPECT_EQ(stat_kind(name), kind) << name;
}

TEST(StatTree, ResultsWithUnitsInTheirOrder) {
  Histogram latency;
  for (std::int64_t v = 1; v <= 50; ++v) latency.add(v);
  StatTree tree;
  tree.group("nic1").value("nacks_received", 12, "packets").rate("tx", 1250_B, 1_us);
  tree.group("nic0").value("load", 0.5, "1").histogram("latency", latency, "ps");
  tree.group("nic1")
      .value("largest", std::numeric_limits<std::uint64_t>::max(), "ps")
      .rate("acks", Rate<Packets>(Packets(2), 1_us));
  tree.group("switch").group("port").histogram("idle", Histogram{}, "ps");
  EXPECT_EQ(tree.to_json().dump(),
            R"({"nic1":{"nacks_received":{"value":12,"unit":"packets"},)"
            R"("tx":{"value":10000000000.0,"unit":"bit/s","window":{"value":1000000,"unit":"ps"}},)"
            R"("largest":{"value":18446744073709551615,"unit":"ps"},)"
            R"("acks":{"value":2000000.0,"unit":"packets/s",)"
            R"("window":{"value":1000000,"unit":"ps"}}},)"
            R"("nic0":{"load":{"value":0.5,"unit":"1"},)"
            R"("latency":{"count":{"value":50,"unit":"samples"},)"
            R"("mean":{"value":25.5,"unit":"ps"},"min":{"value":1,"unit":"ps"},)"
            R"("max":{"value":50,"unit":"ps"},"p50":{"value":25,"unit":"ps"},)"
            R"("p90":{"value":45,"unit":"ps"},"p99":{"value":50,"unit":"ps"},)"
            R"("p99.9":{"value":50,"unit":"ps"}}},)"
            R"("switch":{"port":{"idle":{"count":{"value":0,"unit":"samples"}}}}})");
  EXPECT_EQ(StatTree{}.to_json().dump(), "{}");
}

TEST(StatTree, AWalkVisitsEveryResultByItsWholeName) {
  StatTree tree;
  tree.group("nic1").value("nacks", 12, "packets").rate("tx", 1250_B, 1_us);
  tree.group("sw").group("port").value("held", 0.5, "1");
  tree.group("nic1").value("last", std::uint64_t{3}, "ps");
  tree.group("empty");
  tree.value("events", -1, "events");
  std::string text;
  tree.for_each([&](const std::string& name, double number, const std::string& unit) {
    text += name + "=" + std::to_string(number) + " " + unit + "\n";
  });
  EXPECT_EQ(text,
            "nic1.nacks=12.000000 packets\nnic1.tx=10000000000.000000 bit/s\n"
            "nic1.last=3.000000 ps\nsw.port.held=0.500000 1\nevents=-1.000000 events\n");
  tree.group("sw").for_each([&](const std::string& name, double, const std::string&) {
    EXPECT_EQ(name, "sw.port.held") << "names do not depend on where the walk starts";
  });
}

TEST(StatTree, GroupsKeepTheirAddress) {
  StatTree tree;
  StatTree& first = tree.group("first");
  for (int i = 0; i < 100; ++i) tree.group("g" + std::to_string(i));
  EXPECT_EQ(&tree.group("first"), &first);
}

TEST(StatTree, RefusesNamesTwiceAndNumbersWithoutMeaning) {
  StatTree tree;
  auto& nic = tree.group("nic0").value("a", 1, "packets");
  nic.group("g");
  try {
    nic.value("a", 2, "packets");
    FAIL();
  } catch (const ModelError& e) {
    EXPECT_STREQ(e.what(), "statistics: 'nic0.a' is there already");
  }
  EXPECT_THROW(nic.rate("a", 1_B, 1_ps), ModelError);
  EXPECT_THROW(nic.histogram("a", Histogram{}, "ps"), ModelError);
  EXPECT_THROW(nic.histogram("g", Histogram{}, "ps"), ModelError);
  EXPECT_THROW(nic.group("a"), ModelError);
  EXPECT_THROW(nic.value("g", 1, "packets"), ModelError);
  EXPECT_THROW(nic.value("b", 1, ""), ModelError);
  EXPECT_THROW(nic.value("", 1, "ps"), ModelError);
  EXPECT_THROW(nic.group(""), ModelError);
  EXPECT_THROW(nic.value("b", std::nan(""), "ps"), ModelError);
  EXPECT_THROW(nic.value("b", HUGE_VAL, "ps"), ModelError);
  EXPECT_THROW(nic.rate("b", 1_B, 0_ps), ModelError);
  EXPECT_EQ(tree.to_json().dump(), R"({"nic0":{"a":{"value":1,"unit":"packets"},"g":{}}})");
}

}  // namespace
}  // namespace horae::stats_test
