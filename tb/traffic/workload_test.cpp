// Workload files: what is shipped, what is drawn from it, and how a bad one is refused.
#include "horae/traffic/workload.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "horae/params/document.hpp"
#include "horae/params/section.hpp"

namespace horae::traffic::workload_test {
namespace {

SizeDistribution shipped(const std::string& name) { return SizeDistribution::find({name, {}}); }

std::string refusal(const std::string& points) {
  const std::string head = "name = \"x\"\ndescription = \"x\"\nsource = \"x\"\n";
  try {
    SizeDistribution::read(Document::parse(head + points, "w.toml").root());
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Workload, ShippedOnesHaveTheMeansOfTheirPoints) {
  EXPECT_EQ(SizeDistribution::shipped(),
            (std::vector<std::string>{"alistorage2019", "fbhadoop2015", "fbhadoop_hpcc",
                                      "googlerpc2008", "websearch", "websearch_reps"}));
  // Half the sum of (p - p') (s + s') over the points, by exact fractions elsewhere.
  EXPECT_NEAR(static_cast<double>(shipped("alistorage2019").mean_q16()) / 65536, 40'870, 1);
  EXPECT_NEAR(static_cast<double>(shipped("websearch").mean_q16()) / 65536, 1'711'250, 1);
  EXPECT_NEAR(static_cast<double>(shipped("fbhadoop_hpcc").mean_q16()) / 65536, 120'421, 1);
  EXPECT_NEAR(static_cast<double>(shipped("fbhadoop2015").mean_q16()) / 65536, 121'849, 1);
  EXPECT_EQ(shipped("alistorage2019").largest(), 2'000'000_B);
}

TEST(Workload, DrawsFollowThePoints) {
  const auto sizes = shipped("alistorage2019");
  RandomStream stream(1, "test");
  constexpr int draws = 200'000;
  double sum = 0;
  int small = 0, middle = 0;
  for (int i = 0; i < draws; ++i) {
    const std::int64_t size = sizes.draw(stream).count();
    ASSERT_GE(size, 1);
    ASSERT_LE(size, 2'000'000);
    sum += static_cast<double>(size);
    small += size <= 4000;
    middle += size <= 6000;
  }
  // Four standard deviations of a share are below 0.005, of the mean below 4 %.
  EXPECT_NEAR(static_cast<double>(small) / draws, 0.2293, 0.005);
  EXPECT_NEAR(static_cast<double>(middle) / draws, (0.2293 + 0.6921) / 2, 0.005);
  EXPECT_NEAR(sum / draws / 40'870, 1.0, 0.04);
}

TEST(Workload, DrawsAreTheSameOnAnyMachine) {
  const auto sizes = shipped("fbhadoop2015");
  RandomStream stream(7, "test");
  std::vector<std::int64_t> drawn;
  for (int i = 0; i < 6; ++i) drawn.push_back(sizes.draw(stream).count());
  EXPECT_EQ(drawn, (std::vector<std::int64_t>{276759, 327, 43412, 359, 2342, 188825}));
}

TEST(Workload, ABadOneIsRefusedWithItsPlace) {
  const std::string zero = "point = [{size = 0, probability = 0.0},\n";
  EXPECT_EQ(refusal(zero + "{size = 9, probability = 1.0}]"), "accepted");
  EXPECT_EQ(refusal(zero + "{size = 9, probability = 0.5},\n{size = 8, probability = 1.0}]"),
            "w.toml:6:9: size = 8 is below that of the point before, 9");
  EXPECT_EQ(refusal(zero + "{size = 9, probability = 0.5},\n{size = 10, probability = 0.5}]"),
            "w.toml:6:27: probability = 0.5 is not above that of the point before, 0.5");
  EXPECT_EQ(refusal(zero + "{size = 9, probability = 0.5}]"),
            "w.toml:5:26: probability = 0.5 of the last point; expected 1");
  EXPECT_EQ(refusal("point = [{size = 1, probability = 0.1},\n{size = 9, probability = 1.0}]"),
            "w.toml:4:35: probability = 0.1 of the first point; expected 0");
  EXPECT_EQ(refusal("point = [{size = 1, probability = 1.0}]"),
            "w.toml:4:9: 1 points; expected two or more");
  EXPECT_EQ(refusal(zero + "{size = 0, probability = 1.0}]"),
            "w.toml:5:9: size = 0 of the last point; expected 1 or more");
  EXPECT_EQ(refusal(zero + "{size = 9, probability = 1.5}]"),
            "w.toml:5:26: probability = 1.5 is above the maximum 1");
}

TEST(Workload, AnUnknownNameIsRefusedWithTheNearest) {
  try {
    shipped("alistorage201");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean 'alistorage2019'?"), std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace horae::traffic::workload_test
