// kind = "collective": groups of NICs, and what each of them sends.
#include <map>

#include "placed.hpp"

namespace horae::test::collective_test {
namespace {

using workload::Flow;

std::string collective(const std::string& operation, const std::string& more = "") {
  return "kind = \"collective\"\noperation = \"" + operation + "\"\nsize = \"12 KB\"\n" + more;
}

std::map<unsigned, std::int64_t> bytes_by(const std::vector<Flow>& flows, unsigned Flow::*end) {
  std::map<unsigned, std::int64_t> bytes;
  for (const Flow& f : flows) bytes[f.*end] += f.message.count() * f.count;
  return bytes;
}

TEST(CollectiveTraffic, MembersDealtToGroupsSendWithinThem) {
  const auto platform =
      eight_placed(collective("all_reduce", "groups = 2\nstart = \"3 us\"\nstagger = \"1 us\"\n"));
  const auto flows = flows_of(platform);
  ASSERT_EQ(flows.size(), 8u);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const Flow& f = flows[i];
    EXPECT_EQ(f.group, i < 4 ? 0u : 1u);  // those of a group follow each other
    EXPECT_EQ(f.from % 2, f.group);
    EXPECT_EQ(f.to % 2, f.group);
    EXPECT_EQ(f.to, (f.from + 2) % 8);  // a ring
    EXPECT_EQ(f.start, f.group == 0 ? 3_us : 4_us);
    EXPECT_NE(f.lead, 0u);
  }
  EXPECT_EQ(workload::traffic_of(platform, 0).measure(), workload::Measure::groups);
}

TEST(CollectiveTraffic, EveryRankSendsAndReceivesTheSame) {
  const std::map<std::string, std::int64_t> expected = {{"ring_permutation", 12'000},
                                                        {"reduce_scatter", 9'000},
                                                        {"all_gather", 9'000},
                                                        {"all_reduce", 18'000},
                                                        {"all_to_all", 9'000}};
  for (const auto& [operation, bytes] : expected) {
    const auto flows = flows_of(eight_placed(collective(operation, "groups = 2\n")));
    for (const auto end : {&Flow::from, &Flow::to}) {
      const auto by_nic = bytes_by(flows, end);
      EXPECT_EQ(by_nic.size(), 8u) << operation;
      for (const auto& [nic, sum] : by_nic) EXPECT_EQ(sum, bytes) << operation << " " << nic;
    }
  }
}

TEST(CollectiveTraffic, OnlyWhatWaitsForOthersIsDelayed) {
  const auto all = flows_of(eight_placed(collective("all_to_all",
                                                    "compute = \"2 us\"\n"
                                                    "members = [\"h7\", \"h3\"]\n")));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].from, 7u);
  EXPECT_EQ(all[0].notify_delay, 0_ps);
  for (const Flow& f : flows_of(eight_placed(collective("all_reduce",
                                                        "compute = \"2 us\"\n"
                                                        "groups = 2\n"))))
    EXPECT_EQ(f.notify_delay, 2_us);
}

TEST(CollectiveTraffic, WhatDoesNotDivideIsRefused) {
  expect_refused(collective("all_reduce", "groups = 3\n"), 4, "8 members do not make 3 groups");
  expect_refused(collective("all_reduce",
                            "members = [\"h0\", \"h1\", \"h2\", \"h3\", \"h4\"]\n"
                            "slices = 7\n"),
                 1, "12");
  expect_refused("kind = \"collective\"\noperation = \"ring_permutation\"\nsize = \"9 GB\"\n", 1,
                 "PSNs");
}

}  // namespace
}  // namespace horae::test::collective_test
