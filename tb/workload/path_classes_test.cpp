// Which pairs of NICs are alike by what lies between them.
#include "horae/workload/path_classes.hpp"

#include <functional>

#include "placed.hpp"

namespace horae::test::path_classes_test {
namespace {

/// Two leaves and two spines; links 8 and 9 lead from the first leaf to the spines, 10 and 11 from
/// the second.
config::PlatformConfig clos() { return eight_placed("kind = \"batch\"\n"); }

TEST(PathClasses, PairsWithTheSameBetweenThemAreAlike) {
  const auto p = clos();
  workload::PathClasses classes(p);
  const auto near = classes.of(0, 1), far = classes.of(0, 7);
  EXPECT_EQ(near.links, 2u);
  EXPECT_EQ(far.links, 4u);
  EXPECT_NE(near.number, far.number);
  EXPECT_TRUE(near.alike);
  EXPECT_TRUE(far.alike);
  EXPECT_EQ(classes.of(5, 4).number, near.number);
  EXPECT_EQ(classes.of(6, 2).number, far.number);
}

TEST(PathClasses, ALinkOfTheWayOrTheWayBackTellsThemApart) {
  const std::vector<std::function<void(fabric::LinkConfig&)>> changes = {
      [](auto& l) { l.rate = 25_Gbps; }, [](auto& l) { l.delay += 1_ns; },
      [](auto& l) { l.whole_nanoseconds = true; }};
  for (const auto& change : changes) {
    for (const bool back : {false, true}) {
      auto p = clos();
      change(back ? p.links.at(0).backward : p.links.at(0).config);
      workload::PathClasses classes(p);
      EXPECT_NE(classes.of(0, 7).number, classes.of(1, 7).number);
      EXPECT_EQ(classes.of(2, 7).number, classes.of(1, 7).number);
      EXPECT_TRUE(classes.of(0, 7).alike);
    }
  }
}

TEST(PathClasses, PathsOfAPairMayDiffer) {
  auto p = clos();
  p.links.at(8).config.delay += 1_us;
  workload::PathClasses classes(p);
  EXPECT_FALSE(classes.of(0, 7).alike);
  EXPECT_EQ(classes.of(1, 6).number, classes.of(0, 7).number);
  EXPECT_FALSE(classes.of(7, 0).alike);  // its acknowledgements take them
  EXPECT_TRUE(classes.of(0, 1).alike);
}

TEST(PathClasses, ProfilesTellThemApart) {
  auto p = clos();
  p.profiles["other"] = p.profiles.at("nic");
  p.devices.at(3).profile = "other";
  workload::PathClasses classes(p);
  EXPECT_NE(classes.of(0, 3).number, classes.of(0, 1).number);
  EXPECT_NE(classes.of(3, 0).number, classes.of(0, 3).number);
}

}  // namespace
}  // namespace horae::test::path_classes_test
