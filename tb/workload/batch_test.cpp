// kind = "batch": permutation, tornado and incast of one message each; connections of two sorts.
#include <nlohmann/json.hpp>
#include <set>

#include "placed.hpp"

namespace horae::test::batch_test {
namespace {

using workload::Flow;

TEST(Batch, ATornadoCrossesToTheOtherHalf) {
  const auto platform =
      eight_placed("kind = \"batch\"\npattern = \"tornado\"\nsize = \"3 MiB\"\nstart = \"2 us\"\n");
  const auto flows = flows_of(platform);
  ASSERT_EQ(flows.size(), 8u);
  for (unsigned i = 0; i < 8; ++i) {
    EXPECT_EQ(flows[i].from, i);
    EXPECT_EQ(flows[i].to, (i + 4) % 8);
    EXPECT_EQ(flows[i].message, 3_MiB);
    EXPECT_EQ(flows[i].count, 1u);
    EXPECT_EQ(flows[i].start, 2_us);
    EXPECT_TRUE(flows[i].spray);
  }
  EXPECT_EQ(workload::traffic_of(platform, 0).measure(), workload::Measure::messages);
  EXPECT_EQ(workload::traffic_of(platform, 0).arrivals_end(platform), 2_us);
}

TEST(Batch, AnIncastComesFromTheSecondHalf) {
  const auto flows = flows_of(eight_placed("kind = \"batch\"\npattern = \"incast\"\nfan_in = 3\n"));
  ASSERT_EQ(flows.size(), 3u);
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(flows[i].from, 4 + i);
    EXPECT_EQ(flows[i].to, 0u);
  }
  expect_refused("kind = \"batch\"\npattern = \"incast\"\nfan_in = 5\n", 3,
                 "5 senders, but the second half of the end points has 4");
  expect_refused("kind = \"batch\"\nfan_in = 3\n", 2, "fan_in is of pattern incast");
  expect_refused("kind = \"batch\"\npattern = \"tornado\"\nto = [\"h1\"]\n", 3,
                 "pattern tornado takes no 'from' and 'to'");
}

TEST(Batch, EveryTenthConnectionIsLeftToTheHash) {
  const std::string text = "kind = \"flows\"\nload = 0.5\nduration = \"300 us\"\necmp_every = 10\n";
  const auto platform = eight_placed(text);
  EXPECT_EQ(workload::traffic_of(platform, 0).ecmp_every(), 10u);
  EXPECT_EQ(platform.effective["traffic"][0]["ecmp_every"], 10);
  EXPECT_FALSE(eight_placed("kind = \"batch\"\n").effective["traffic"][0].contains("ecmp_every"));
  expect_refused("kind = \"batch\"\necmp_evry = 3\n", 2, "ecmp_every");
  expect_refused("kind = \"batch\"\necmp_every = 0\n", 2, "ecmp_every");
}

TEST(Batch, CollectivesNumberTheirTriggersThroughTheTable) {
  const std::string text = "kind = \"collective\"\nsize = \"8 KB\"\ngroups = 2\noperation = ";
  const auto butterfly = flows_of(eight_placed(text + "\"butterfly\"\ncompute = \"1 us\"\n"));
  ASSERT_EQ(butterfly.size(), 16u);
  std::set<std::uint32_t> fired;
  for (const Flow& f : butterfly) {
    if (f.fires_at_receiver == 0) continue;
    EXPECT_TRUE(fired.insert(f.fires_at_receiver).second);  // once each
    EXPECT_EQ(f.notify_delay, 1_us);
  }
  for (const Flow& f : butterfly) {
    if (f.trigger != 0) {
      EXPECT_EQ(fired.count(f.trigger), 1u);
    }
  }
  const auto windowed = flows_of(eight_placed(text + "\"all_to_all\"\nwindow = 1\n"));
  ASSERT_EQ(windowed.size(), 24u);
  for (const Flow& f : windowed) EXPECT_EQ(f.fires_at_sender % 4, (f.from / 2 + 1) % 4);
  expect_refused(text + "\"all_reduce\"\nwindow = 1\n", 5,
                 "window is of operation = \"all_to_all\"");
  expect_refused(text + "\"butterfly\"\nslices = 2\n", 3, "have none");
}

}  // namespace
}  // namespace horae::test::batch_test
