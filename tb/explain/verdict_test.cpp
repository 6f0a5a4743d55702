// Verdicts and the order of hypotheses.
#include "horae/explain/verdict.hpp"

#include <gtest/gtest.h>

#include "horae/explain/compare.hpp"

namespace horae::explain::verdict_test {
namespace {

using Order = std::vector<std::size_t>;

/// One published number, 10 +- 1, a reaction, and candidates that give some value for it.
struct Bench {
  Bench() {
    observation.id.value = "O";
    observation.value = 10;
    observation.rounding.value = 1;
    reaction.id.value = "R";
  }
  lab::Candidate gives(double value) const {
    lab::Candidate c;
    c.comparisons.push_back({&observation, "m", lab::SeedSample::of({value})});
    return c;
  }
  VariantVerdict alone(double value) const {
    VariantVerdict v;
    v.alone = gives(value);
    return v;
  }
  VariantVerdict reacting(std::vector<double> values) const {
    VariantVerdict v = alone(10);
    for (const double value : values) {
      v.reacting.push_back(gives(value));
      v.reacting.back().reaction = &reaction;
    }
    return v;
  }
  question::ObservationSpec observation;
  question::ReactionSpec reaction;
};

HypothesisVerdict one(VariantVerdict v) {
  HypothesisVerdict h;
  h.variants.push_back(std::move(v));
  return h;
}

TEST(Verdict, SaysWhatExcludes) {
  const Bench bench;
  EXPECT_EQ(bench.alone(10.5).verdict(), "consistent");
  EXPECT_EQ(bench.alone(13).verdict(), "excluded by O (ours 13, published 10, 3.0 tolerances)");
  EXPECT_EQ(bench.reacting({14, 12}).verdict(),
            "excluded by O (with R, the best reaction) (ours 12, published 10, 2.0 tolerances)");
  auto v = bench.alone(10);
  v.untested = true;
  EXPECT_EQ(v.verdict(), "consistent without reaction, not tested with one");
  EXPECT_FALSE(v.consistent());
  v.a_priori = {"it cannot be", "nor so"};
  EXPECT_EQ(v.verdict(), "excluded a priori because it cannot be");
  auto more = bench.alone(10);
  more.alone.also_fitted = {"P", "Q"};
  EXPECT_EQ(more.verdict(), "consistent if fitted to P, Q too");
  auto cut_short = bench.alone(13);
  cut_short.alone.mechanism.fit.converged = false;
  EXPECT_TRUE(cut_short.verdict().ends_with("; search cut short"));
  VariantVerdict stuck;
  stuck.alone.comparisons.push_back({&bench.observation, "m", lab::SeedSample::of({})});
  EXPECT_EQ(stuck.verdict(), "excluded by O: a run got stuck or gave no value");
}

TEST(Verdict, OrdersByHowFarTheyCameThenByResidual) {
  const Bench bench;
  auto fitted_to_more = bench.alone(10);
  fitted_to_more.alone.also_fitted = {"P"};
  auto untested = bench.alone(10);
  untested.untested = true;
  auto a_priori = bench.alone(10);
  a_priori.a_priori = {"it cannot be"};
  const std::vector<HypothesisVerdict> all = {
      one(a_priori),        one(bench.alone(12)), one(untested),          one(bench.reacting({50})),
      one(bench.alone(11)), one(fitted_to_more),  one(bench.alone(10.5)), one(bench.alone(11))};
  EXPECT_EQ(order_hypotheses(all), (Order{6, 4, 7, 5, 3, 2, 1, 0}));
}

TEST(Verdict, TheBestVariantStandsForAHypothesis) {
  const Bench bench;
  std::vector<HypothesisVerdict> all(1);
  all[0].variants = {bench.alone(14), bench.alone(12), bench.alone(12)};
  choose_best_variants(all);
  EXPECT_EQ(all[0].best_variant, 1u);
}

TEST(Separation, IsInPooledSpreadsOfAtLeastTheResolution) {
  const auto sample = [](std::vector<double> v) { return lab::SeedSample::of(std::move(v)); };
  EXPECT_DOUBLE_EQ(separation(sample({10}), sample({13}), 0.5), 6);
  EXPECT_DOUBLE_EQ(separation(sample({8, 12}), sample({20}), 0.5), 5);  // spread 2.83, pooled 2
  EXPECT_DOUBLE_EQ(separation(sample({100}), sample({200}), 0), 100);   // half a per cent
  EXPECT_DOUBLE_EQ(separation(sample({10}), sample({}), 0.5), 0);
}

}  // namespace
}  // namespace horae::explain::verdict_test
