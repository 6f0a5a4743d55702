// The search of a hypothesis, and what follows from its points, where the truth is a closed form:
// runs are made up.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "horae/explain/answer.hpp"
#include "made_up_runs.hpp"

namespace horae::explain::search_test {
namespace {

using lab::test::MadeUp;
using Results = std::map<std::string, double>;

/// Parts of a question that are looked at once it is answered.
struct Asked {
  Standing standing{};
  std::array<Standing, tolerance_factors.size()> by_factor{};
  double closest = 0;
  std::vector<std::string> windows;  ///< of its points, in their order
  std::optional<double> predicted_share;
  std::vector<std::optional<inference::Interval>> predictions;
  inference::Evidence evidence;
  std::string conclusion;
};

Asked ask(MadeUp& made, unsigned points) {
  made.q.request.points = points;
  lab::Laboratory laboratory(made.q);
  const Answer a = find_answer(laboratory);
  const Assessed& h = a.hypotheses.front();
  Asked out;
  out.standing = h.standing();
  for (std::size_t f = 0; f < out.by_factor.size(); ++f) out.by_factor[f] = h.standing(f);
  out.closest = h.closest_miss();
  for (std::size_t i = 0; i < h.runs->outcomes().size(); ++i)
    out.windows.push_back(h.runs->point(i).values.front());
  out.predicted_share = h.predicted_share;
  out.predictions = h.predictions;
  out.evidence = h.evidence[as_declared];
  out.conclusion = conclusion_text(made.q, a);
  return out;
}

/// Windows from 16 on: so many, with one seed.
constexpr int windows = 200;

TEST(Search, PassesEndAtAQuickLookAtTheDefaultAndEightTimesAsManyEach) {
  std::size_t sum = 0;
  std::vector<std::size_t> ends;
  for (std::size_t k = 0; k < 4; ++k) ends.push_back(sum += PassPlan::of(k).points);
  EXPECT_EQ(ends, (std::vector<std::size_t>{160, 1000, 8000, 64000}));
  using Points = std::vector<std::size_t>;
  EXPECT_EQ(passes_of(8), Points{8});
  EXPECT_EQ(passes_of(167), Points{160});  // seven are no pass
  EXPECT_EQ(passes_of(168), (Points{160, 8}));
  EXPECT_EQ(passes_of(1100), (Points{160, 840, 100}));
  question::ExplainRequest request;
  EXPECT_EQ(SearchPlan::of(request).points, ends[1]);
  EXPECT_EQ(SearchPlan::of(request).experiments, 32u);  // as explain.md says
  request.quick = true;
  EXPECT_EQ(SearchPlan::of(request).points, ends[0]);
  EXPECT_EQ(SearchPlan::of(request).experiments, 12u);
  // Own data are asked of 20 points or more.
  EXPECT_GE(PassPlan::of(0).population, inference::OwnSearch::least_asked);
}

// A search of more points begins with that of fewer, so what fewer find more find.
TEST(Search, OfMorePointsBeginsWithThatOfFewer) {
  for (const double steep : {0.5, 40.0}) {
    MadeUp made(windows, [&](int window, std::uint32_t) -> Results {
      return {{"x.x", (window - 133) / steep + 0.3 * std::sin(window)}};
    });
    made.q.request.seeds = 1;
    made.observe("x.x", question::Use::fit);
    Asked before = ask(made, 8);
    for (const unsigned points : {32U, 107U, 160U, 170U, 400U}) {
      const Asked now = ask(made, points);
      ASSERT_GE(now.windows.size(), before.windows.size()) << points;
      EXPECT_LE(now.windows.size(), points);
      EXPECT_TRUE(std::equal(before.windows.begin(), before.windows.end(), now.windows.begin()))
          << steep << " " << points;
      EXPECT_LE(now.closest, before.closest);
      if (before.standing == Standing::consistent) {
        EXPECT_EQ(now.standing, Standing::consistent);
      }
      before = now;
    }
    EXPECT_EQ(before.standing, Standing::consistent) << steep;
  }
}

// An exclusion by a whole pass stays, and so does one at larger tolerances for smaller ones.
TEST(Search, AnExclusionStays) {
  for (const double offset : {2.3, 4.2, 50.0}) {
    MadeUp made(windows, [&](int window, std::uint32_t) -> Results {
      return {{"x.x", offset + (window - MadeUp::first) / 200.0}};
    });
    made.q.request.seeds = 1;
    made.observe("x.x", question::Use::fit);
    EXPECT_EQ(ask(made, 159).standing, Standing::not_found);
    for (const unsigned points : {160U, 400U, 1000U}) {
      const Asked now = ask(made, points);
      EXPECT_NEAR(now.closest, offset, 0.1);
      const auto out = [&](double factor) {
        return now.closest > search_margin * factor ? Standing::excluded : Standing::not_found;
      };
      EXPECT_EQ(now.by_factor[0], Standing::excluded);
      EXPECT_EQ(now.by_factor[1], Standing::excluded) << offset << " " << points;
      EXPECT_EQ(now.by_factor[2], now.closest <= 2 ? Standing::consistent : out(2));
    }
  }
}

// Tolerances alone stretch what is seen: what agrees at some agrees at larger ones, in a search of
// its own too.
TEST(Search, WhatAgreesAtSomeTolerancesAgreesAtLargerOnes) {
  bool before = false;
  for (const double tolerances : {0.002, 0.05, 0.2, 1.0, 40.0}) {
    MadeUp made(windows, [&](int window, std::uint32_t) -> Results {
      return {{"x.x", (std::abs(window - 101) + 0.4 + 3 * std::abs(std::sin(window))) /
                          (20 * tolerances)}};
    });
    made.q.request.seeds = 1;
    made.observe("x.x", question::Use::fit);
    const bool now = ask(made, 160).standing == Standing::consistent;
    EXPECT_TRUE(now || !before) << tolerances;
    before = now;
  }
  EXPECT_TRUE(before);
}

// A window agrees with the number to fit from 96 to 136. Over these the other number, which is
// twice as steep, is -2 to 2: half of them agree with both.
TEST(Search, ANumberToBePredictedIsPredictedFromTheOthers) {
  MadeUp made(windows, [](int window, std::uint32_t) -> Results {
    return {{"x.x", (window - 116) / 20.0}, {"y.y", (window - 116) / 10.0}};
  });
  made.q.request.seeds = 1;
  made.observe("x.x", question::Use::fit);
  made.observe("y.y", question::Use::predict);
  const Asked found = ask(made, 1000);
  EXPECT_EQ(found.standing, Standing::consistent);
  EXPECT_NEAR(found.evidence.share, 21.0 / windows, 3 * found.evidence.error());
  ASSERT_TRUE(found.predicted_share);
  EXPECT_NEAR(*found.predicted_share, 0.5, 0.12);
  EXPECT_NEAR(found.predictions[1]->low, -1.8, 0.3);
  EXPECT_NEAR(found.predictions[1]->high, 1.8, 0.3);
  EXPECT_GE(found.predictions[1]->least, -2);
  EXPECT_LE(found.predictions[1]->most, 2);
  // The number to fit is shown over what agrees with both.
  EXPECT_GE(found.predictions[0]->least, -0.5);
  EXPECT_LE(found.predictions[0]->most, 0.5);
  EXPECT_EQ(found.conclusion, "One mechanism agrees with all two numbers: h.");
}

// x is the window: 16 to 215. A bound holds on its side however far away, and one allowance beyond.
TEST(Search, ABoundHoldsOnItsSide) {
  for (const auto relation : {question::Relation::at_most, question::Relation::at_least}) {
    MadeUp made(windows, [](int window, std::uint32_t) -> Results { return {{"x.x", window}}; });
    made.q.request.seeds = 1;
    made.observe("x.x", question::Use::fit);
    made.q.observations.observations[0].value = 115;
    made.q.observations.observations[0].relation = relation;
    const Asked found = ask(made, 1000);
    const bool below = relation == question::Relation::at_most;
    EXPECT_EQ(found.closest, 0);
    EXPECT_NEAR(found.evidence.share, (below ? 101.0 : 102.0) / windows,
                3 * found.evidence.error() + 0.02);
    // Up to what the sample leaves out.
    EXPECT_NEAR(found.predictions[0]->least, below ? 16 : 115, below ? 2 : 1);
    EXPECT_NEAR(found.predictions[0]->most, below ? 115 : 215, below ? 1 : 2);
  }
}

// x doubles from condition c to d where the window is 100, by one more hundredth for each window.
TEST(Search, ANumberRelativeToAnotherConditionIsTheirQuotient) {
  MadeUp made(windows, [](int window, std::uint32_t) -> Results {
    return {{"x.x", 7.0 * window}};
  });
  made.q.request.seeds = 1;
  made.add_condition("d", {"nic.ack_delay=9ns"}, [](int window, std::uint32_t) -> Results {
    return {{"x.x", 7.0 * window * (1 + window / 100.0)}};
  });
  made.observe("x.x", question::Use::fit);
  auto& o = made.q.observations.observations[0];
  o.condition.value = "d";
  o.relative_to = Located<std::string>{"c", {}};
  o.value = 2;
  o.rounding.value = 0.0951;
  Asked found = ask(made, 1000);
  EXPECT_EQ(found.standing, Standing::consistent);
  EXPECT_NEAR(found.predictions[0]->least, 1.91, 1e-9);
  EXPECT_NEAR(found.predictions[0]->most, 2.09, 1e-9);
  // The order of two conditions is a bound of 1 on their quotient.
  o.relation = question::Relation::at_most;
  o.value = 0.5;
  o.rounding.value = 0.1;
  found = ask(made, 160);
  EXPECT_EQ(found.standing, Standing::excluded);
  EXPECT_NEAR(found.closest, 6.6, 0.2);  // 1.16 where the window is 16
}

// Where all numbers are of one kind nothing is predicted.
TEST(Search, NumbersOfOneKindAreAllChosenBy) {
  for (const auto use : {question::Use::fit, question::Use::predict}) {
    MadeUp made(windows, [](int window, std::uint32_t) -> Results {
      return {{"x.x", (window - 116) / 20.0}, {"y.y", (window - 116) / 10.0}};
    });
    made.q.request.seeds = 1;
    made.observe("x.x", use);
    made.observe("y.y", use);
    const Asked found = ask(made, 160);
    EXPECT_FALSE(found.predicted_share);
    EXPECT_LE(found.predictions[1]->most, 1);
  }
}

// A run that gave nothing is as far as can be, and what all of a mechanism gives is no reason to
// look longer.
TEST(Search, ARunWithoutAValueNeverAgrees) {
  MadeUp made(windows, [](int, std::uint32_t) -> Results { return {}; });
  made.q.request.seeds = 1;
  made.observe("x.x", question::Use::fit);
  const Asked found = ask(made, 160);
  EXPECT_EQ(found.standing, Standing::excluded);
  EXPECT_EQ(found.closest, lab::JointRuns::most);
}

}  // namespace
}  // namespace horae::explain::search_test
