// DCQCN's notification point: when a receiver sends CNPs.
#include "dcqcn_script.hpp"

namespace horae::policy::notification_test {
namespace {

std::unique_ptr<NotificationPoint> receiver(std::string_view set,
                                            std::string_view reaction = "ignore",
                                            bool paced = true) {
  auto config = reacting(reaction);
  config.parameters.of<DcqcnConfig>().set = set;
  config.parameters.of<NackPairedCnp>().paced = paced;
  return make_notification_point(config);
}

TEST(Notification, MarkedPacketsOnly) {
  const auto np = receiver("vendor");
  EXPECT_FALSE(np->on_data(false, 0_us));
  EXPECT_TRUE(np->on_data(true, 0_us));
  EXPECT_FALSE(np->on_data(false, 100_us));
  EXPECT_TRUE(np->on_data(true, 100_us));
}

TEST(Notification, OneCnpAnInterval) {
  for (const auto& [set, interval] : {std::pair{"vendor", 4_us}, std::pair{"paper", 50_us}}) {
    const auto np = receiver(set);
    EXPECT_TRUE(np->on_data(true, 3_us));
    EXPECT_FALSE(np->on_data(true, 3_us));
    EXPECT_FALSE(np->on_data(true, 3_us + interval - 1_ps));
    EXPECT_TRUE(np->on_data(true, 3_us + interval));
    EXPECT_FALSE(np->on_data(true, 3_us + interval * 2 - 1_ps));
    EXPECT_TRUE(np->on_data(true, 1000_us));
  }
}

TEST(Notification, EveryMarkedPacketInTheHpccSimulator) {
  const auto np = receiver("hpcc");
  for (int n = 0; n < 3; ++n) EXPECT_TRUE(np->on_data(true, 1_us));
}

TEST(Notification, IntervalCanBeSet) {
  auto config = reacting("ignore");
  config.parameters.of<DcqcnConfig>().overrides.cnp_interval = 7_us;
  const auto np = make_notification_point(config);
  EXPECT_TRUE(np->on_data(true, 0_us));
  EXPECT_FALSE(np->on_data(true, 7_us - 1_ps));
  EXPECT_TRUE(np->on_data(true, 7_us));
}

TEST(Notification, NacksBringCnpsOnlyIfPaired) {
  for (const auto& reaction : nack_reactions()) {
    const auto np = receiver("vendor", reaction.name);
    EXPECT_EQ(np->on_nack_sent(0_us), reaction.name == "paired_cnp") << reaction.name;
    EXPECT_EQ(np->on_nack_sent(100_us), reaction.name == "paired_cnp") << reaction.name;
  }
}

// CNPs of NACKs and of marks share the interval.
TEST(Notification, PairedCnpsKeepTheInterval) {
  const auto np = receiver("vendor", "paired_cnp");
  EXPECT_TRUE(np->on_nack_sent(1_us));
  EXPECT_FALSE(np->on_nack_sent(5_us - 1_ps));
  EXPECT_FALSE(np->on_data(true, 5_us - 1_ps));
  EXPECT_TRUE(np->on_data(true, 5_us));
  EXPECT_FALSE(np->on_nack_sent(9_us - 1_ps));
  EXPECT_TRUE(np->on_nack_sent(9_us));
}

TEST(Notification, UnpacedPairedCnpsGoWithEveryNackAndHoldBackThoseOfMarks) {
  const auto np = receiver("vendor", "paired_cnp", false);
  EXPECT_TRUE(np->on_nack_sent(1_us));
  EXPECT_TRUE(np->on_nack_sent(2_us));
  EXPECT_FALSE(np->on_data(true, 6_us - 1_ps));
  EXPECT_TRUE(np->on_data(true, 6_us));
}

TEST(Notification, NoneSendsNoCnps) {
  const auto np = make_notification_point({});
  EXPECT_FALSE(np->on_data(true, 1_us));
  EXPECT_FALSE(np->on_nack_sent(1_us));
}

}  // namespace
}  // namespace horae::policy::notification_test
