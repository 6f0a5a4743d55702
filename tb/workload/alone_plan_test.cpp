// Which messages are run alone, and what is computed for the others.
#include "horae/workload/alone_plan.hpp"

#include <functional>

#include "placed.hpp"

namespace horae::test::alone_plan_test {
namespace {

using workload::AlonePlan;
using workload::PlacedMessage;
using Taken = std::function<std::optional<Picoseconds>(std::size_t)>;

config::PlatformConfig clos(const std::vector<std::string>& settings = {}) {
  return eight_placed("kind = \"batch\"\n", settings);
}

/// Messages from h0: to h1, on the same leaf, or to h7, on the other one.
PlacedMessage message(std::size_t connection, unsigned to, Bytes bytes) {
  return {.connection = connection, .flow = {.from = 0, .to = to, .message = bytes}};
}

/// `count` messages of different sizes to h7, none like the one before.
std::vector<PlacedMessage> many(std::size_t count, std::int64_t step = 997) {
  std::vector<PlacedMessage> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(message(i, 7, Bytes(static_cast<std::int64_t>(i * 7919 % count) * step + 64)));
  return out;
}

/// Goes on until the plan has no more questions; returns how many there were.
std::size_t ask(AlonePlan& plan, const Taken& taken) {
  std::size_t runs = 0;
  for (auto batch = plan.next(); !batch.empty(); batch = plan.next()) {
    for (const std::size_t m : batch) plan.take(m, taken(m)), ++runs;
  }
  return runs;
}

TEST(AlonePlan, FewMessagesAreAllRun) {
  const auto p = clos();
  std::vector<PlacedMessage> all;
  for (std::size_t i = 0; i < 64; ++i) all.push_back(message(i, 7, 1000_B));
  AlonePlan plan(p, all);
  // Equal ones may still differ: by when they start, or the way that their connection takes.
  EXPECT_EQ(ask(plan, [](std::size_t m) { return 5_us + Picoseconds(static_cast<int>(m)); }), 64u);
  for (std::size_t i = 0; i < 64; ++i)
    EXPECT_EQ(plan.time(i), 5_us + Picoseconds(static_cast<int>(i)));
  EXPECT_EQ(plan.account().messages, 64u);
  EXPECT_EQ(plan.account().run, 64u);
  EXPECT_EQ(plan.account().checked, 0u);
}

TEST(AlonePlan, OfManyEqualOnesFewAreRun) {
  const auto p = clos();
  std::vector<PlacedMessage> all;
  for (std::size_t i = 0; i < 1000; ++i) all.push_back(message(i, i % 2 == 0 ? 1 : 7, 1000_B));
  AlonePlan plan(p, all);
  const auto taken = [&](std::size_t m) { return all[m].flow.to == 1 ? 3_us : 7_us; };
  EXPECT_LE(ask(plan, taken), 20u);
  for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ(plan.time(i), taken(i));
  EXPECT_GE(plan.account().checked, 8u);
  EXPECT_EQ(plan.account().largest_error, 0);
}

TEST(AlonePlan, ThoseThatMayGoByUnlikePathsAreAllRunIfTheyAreNotMany) {
  auto p = clos();
  p.links.at(8).config.delay += 1_us;  // first leaf to first spine
  for (const std::size_t count : {100u, 1000u}) {
    std::vector<PlacedMessage> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(message(i, 7, 1000_B));
    AlonePlan plan(p, all);
    const auto taken = [](std::size_t m) { return m % 2 == 0 ? 5_us : 6_us; };
    const std::size_t runs = ask(plan, taken);
    if (count == 100) {
      EXPECT_EQ(runs, count);
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(plan.time(i), taken(i));
    } else {
      EXPECT_LE(runs, 20u);
      EXPECT_GE(plan.account().largest_error, 1.0 / 6);
    }
  }
}

TEST(AlonePlan, WhatIsBeyondTheTimeAtLineRateIsAStraightLineBetweenSizes) {
  const auto p = clos();
  const auto all = many(5000);
  const workload::IdealTimes line_rate(p);
  for (const std::int64_t each : {0, 1, 3}) {  // ps for each byte
    const auto taken = [&](std::size_t m) {
      const Bytes bytes = all[m].flow.message;
      return line_rate.at_line_rate(0, 7, bytes) + 250_ns + Picoseconds(each * bytes.count());
    };
    AlonePlan plan(p, all);
    EXPECT_LE(ask(plan, taken), 32u);
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(plan.time(i), taken(i)) << i;
    EXPECT_LT(plan.account().largest_error, 1e-9);
  }
}

TEST(AlonePlan, WhereTheLineBendsMoreSizesAreRun) {
  const auto p = clos();
  const auto all = many(5000);
  const workload::IdealTimes line_rate(p);
  // A window: beyond 1.7 MB each byte takes longer.
  const auto taken = [&](std::size_t m) {
    const std::int64_t bytes = all[m].flow.message.count();
    return line_rate.at_line_rate(0, 7, Bytes(bytes)) +
           Picoseconds(80 * std::max<std::int64_t>(0, bytes - 1'700'000));
  };
  AlonePlan plan(p, all);
  EXPECT_GT(ask(plan, taken), 32u);
  EXPECT_LE(plan.account().run, 100u);
  EXPECT_LE(plan.account().largest_error, 5e-4);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto right = static_cast<double>(taken(i).count());
    ASSERT_NEAR(static_cast<double>(plan.time(i)->count()) / right, 1, 5e-4) << i;
  }
}

TEST(AlonePlan, ItSaysHowFarItIsOff) {
  const auto p = clos();
  std::vector<PlacedMessage> all;
  for (std::size_t i = 0; i < 1000; ++i) all.push_back(message(i, 7, 1000_B));
  AlonePlan plan(p, all);
  // By chance one in so many takes 2 % longer.
  ask(plan, [](std::size_t m) { return m == 999 ? 102_us : 100_us; });
  EXPECT_NEAR(plan.account().largest_error, 2.0 / 102, 1e-9);
  EXPECT_EQ(plan.time(999), 102_us);
  EXPECT_EQ(plan.time(998), 100_us);
}

TEST(AlonePlan, NeitherTheSizeNorAnythingNearEndsAlone) {
  const auto p = clos();
  const auto all = many(1000);
  AlonePlan plan(p, all);
  const Bytes most = 500'000_B;
  ask(plan, [&](std::size_t m) -> std::optional<Picoseconds> {
    if (all[m].flow.message > most) return std::nullopt;
    return 1_ms;
  });
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Bytes bytes = all[i].flow.message;
    if (bytes > most || bytes < 400'000_B) {
      EXPECT_EQ(plan.time(i).has_value(), bytes < most) << i;
    }
  }
}

TEST(AlonePlan, LargeMessagesAreSampledByFewSizes) {
  const auto p = clos();
  std::vector<PlacedMessage> all;
  for (std::size_t i = 0; i < 80; ++i)
    all.push_back(message(i, 7, Bytes(100'000'000 + static_cast<std::int64_t>(i))));
  AlonePlan plan(p, all);
  const std::size_t runs = ask(plan, [](std::size_t) { return 8_ms; });
  EXPECT_GE(runs, 2u);
  EXPECT_LE(runs, 10u);
}

}  // namespace
}  // namespace horae::test::alone_plan_test
