// Entropy schemes outside the tree in the place of their models.
#include <gtest/gtest.h>

#include <deque>

#include "horae/policy/entropy/reps.hpp"
#include "horae/policy/hardware_choice.hpp"
#include "horae/rtl/entropy_block.hpp"
#include "wrong_run.hpp"

namespace horae::entropies_test {
namespace {

using policy::PathSignal;
using rtl_test::ended_with;
using rtl_test::Folder;

policy::EntropyConfig reps(const std::string& level, const std::string& block = "") {
  policy::HardwareChoice hardware{.level = level};
  if (!block.empty()) hardware.rtl = block;
  return {.scheme = "reps",
          .parameters = policy::PolicyParameters::with(
              std::move(hardware), policy::RepsParameters{.freezing_timeout = 100_us})};
}

policy::EntropyContext context(std::uint32_t connection, bool trimming) {
  return {.own = 77,
          .ordinal = connection,
          .base_rtt = 10_us,
          .rto = 40_us,
          .bdp_packets = connection == 0 ? 300u : 5u,
          .trimming = trimming,
          .random = RandomStream(connection, "entropy")};
}

/// Packets of a few connections, what comes back of them in any order, and failures now and then.
struct Load {
  RandomStream random{3, "load"};
  Picoseconds now{};
  std::vector<std::uint16_t> values;
  policy::EntropyCounts counts{};

  void run(std::vector<std::unique_ptr<policy::Entropy>>& schemes, int steps) {
    std::vector<std::deque<std::uint16_t>> under_way(schemes.size());
    for (int i = 0; i < steps; ++i) {
      now += Picoseconds(random.below(1'000'000));
      const std::uint32_t c = random.below(static_cast<std::uint32_t>(schemes.size()));
      auto& waiting = under_way[c];
      // Times without a failure, and times with many.
      const bool failing = i / 300 % 2 == 1;
      if (waiting.empty() || random.below(2) == 0) {
        waiting.push_back(schemes[c]->next(now));
        values.push_back(waiting.back());
        continue;
      }
      const std::uint32_t luck = random.below(20);
      const PathSignal signal = luck < 12   ? PathSignal::good
                                : luck < 16 ? PathSignal::marked
                                : failing   ? PathSignal::timeout
                                            : PathSignal::trimmed;
      schemes[c]->feedback({.value = waiting.front(),
                            .signal = signal,
                            .delivered = 4096_B,
                            .rtt = Picoseconds(random.below(3) * 8'500'000)},
                           now);
      waiting.pop_front();
      if (i % 5000 == 0) schemes[c]->freeze(now);
    }
    for (const auto& scheme : schemes) counts += scheme->counts();
  }
};

std::vector<std::unique_ptr<policy::Entropy>> made(rtl::EntropySources& sources, bool trimming) {
  std::vector<std::unique_ptr<policy::Entropy>> out;
  for (std::uint32_t c = 0; c < 3; ++c) out.push_back(sources.make(c, context(c, trimming)));
  return out;
}

TEST(Entropies, HardwareGivesTheValuesOfItsModel) {
  for (const bool trimming : {true, false}) {
    Load of_model, of_both, alone;
    std::vector<std::unique_ptr<policy::Entropy>> models;
    for (std::uint32_t c = 0; c < 3; ++c)
      models.push_back(policy::make_entropy(reps("model"), context(c, trimming)));
    of_model.run(models, 20'000);

    rtl::EntropySources both(reps("both", "reps_ring"), "");
    auto schemes = made(both, trimming);
    of_both.run(schemes, 20'000);
    EXPECT_EQ(of_both.values, of_model.values);
    EXPECT_EQ(both.queue_pairs(), 3u);
    EXPECT_GE(both.requests(), 20'000u);

    rtl::EntropySources hardware(reps("rtl"), "");
    schemes = made(hardware, trimming);
    alone.run(schemes, 20'000);
    EXPECT_EQ(alone.values, of_model.values);
    EXPECT_EQ(alone.counts.recycled, of_model.counts.recycled);
    EXPECT_EQ(alone.counts.random, of_model.counts.random);
    EXPECT_EQ(alone.counts.frozen, of_model.counts.frozen);
    EXPECT_EQ(alone.counts.freezes, of_model.counts.freezes);
    EXPECT_EQ(alone.counts.frozen_time, of_model.counts.frozen_time);
    // All that the ring does has happened.
    EXPECT_GT(of_model.counts.recycled, 1000u);
    EXPECT_GT(of_model.counts.frozen, 100u);
    EXPECT_GT(of_model.counts.random, 100u);
    EXPECT_GT(of_model.counts.freezes, 5u);
  }
}

TEST(Entropies, AWrongLineEndsTheRun) {
  const Folder folder("horae_entropies");
  rtl::EntropySources both(reps("both", "reps_ring_wrong"), folder.path.string());
  auto schemes = made(both, true);
  const std::string said = ended_with<ModelError>([&] { Load().run(schemes, 20'000); });
  rtl_test::expect_difference(said, "reps_ring_wrong", folder);
}

TEST(Entropies, WhatDoesNotFitIsRefused) {
  const auto refusal = [](const policy::EntropyConfig& c) {
    return ended_with<InputError>([&] { rtl::check_entropy(c); });
  };
  EXPECT_EQ(refusal(reps("both")), "");
  auto other = reps("both", "reps_ring");
  other.parameters.of<policy::RepsParameters>().ring = 16;
  EXPECT_EQ(refusal(other),
            "rtl = 'reps_ring' is \"scheme=reps freezing_timeout=100us\"; found ring = 16, "
            "expected 8");
  EXPECT_EQ(refusal(reps("rtl", "reps_rings")).find("rtl = 'reps_rings' was not built"), 0u);
  other = reps("rtl");
  other.scheme = "cycle";
  EXPECT_NE(refusal(other).find("fits scheme = 'cycle'"), std::string::npos);
  other.scheme = "fixed";
  EXPECT_NE(refusal(other).find("nobody is asked"), std::string::npos);
}

}  // namespace
}  // namespace horae::entropies_test
