// kind = "flows" and kind = "incast": messages at random times.
#include <algorithm>
#include <map>
#include <set>

#include "horae/workload/nic_fit.hpp"
#include "placed.hpp"

namespace horae::test::arrivals_test {
namespace {

using workload::Flow;

const std::string workload =
    "kind = \"flows\"\nworkload = \"fbhadoop_hpcc\"\nload = 0.5\nstart = \"1 ms\"\nduration = "
    "\"2 ms\"\n";
const std::string incast =
    "kind = \"incast\"\nfan_in = 5\nsize = \"20 KB\"\nload = 0.3\nduration = \"2 ms\"\n";

bool operator==(const Flow& a, const Flow& b) {
  return a.from == b.from && a.to == b.to && a.group == b.group && a.message == b.message &&
         a.start == b.start && a.first_psn == b.first_psn;
}

TEST(FlowsTraffic, MessagesComeInTheOrderOfTimeBetweenMembers) {
  const auto platform =
      eight_placed(workload + "members = [\"h1\", \"h4\", \"h6\"]\nrandom_first_psn = true\n");
  const auto flows = flows_of(platform);
  ASSERT_GT(flows.size(), 50u);
  std::set<unsigned> members, psns;
  Picoseconds last = 1_ms;
  for (const Flow& f : flows) {
    EXPECT_NE(f.from, f.to);
    members.insert(f.from), members.insert(f.to);
    psns.insert(f.first_psn.value());
    EXPECT_EQ(f.count, 1u);
    EXPECT_GE(f.start, last);
    last = f.start;
  }
  EXPECT_LT(last, 3_ms);
  EXPECT_EQ(members, (std::set<unsigned>{1, 4, 6}));
  EXPECT_GT(psns.size(), flows.size() / 2);
  EXPECT_EQ(workload::traffic_of(platform, 0).measure(), workload::Measure::messages);
  EXPECT_EQ(workload::traffic_of(platform, 0).arrivals_end(platform), 3_ms);
}

TEST(FlowsTraffic, ATableIsTheSameEachTimeAndAnotherOneIsNot) {
  const auto platform = eight_placed(workload + "[[traffic]]\n" + workload);
  const auto first = flows_of(platform, 0), again = flows_of(platform, 0);
  const auto second = flows_of(platform, 1);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), again.begin(), again.end(),
                         [](const Flow& a, const Flow& b) { return a == b; }));
  EXPECT_FALSE(std::equal(first.begin(), first.end(), second.begin(), second.end(),
                          [](const Flow& a, const Flow& b) { return a == b; }));
}

TEST(FlowsTraffic, ItsBytesAreItsLoad) {
  std::int64_t bytes = 0;
  for (const Flow& f : flows_of(eight_placed(
           "kind = \"incast\"\nfan_in = 2\nsize = \"10 KB\"\nload = 0.5\nduration = \"10 ms\"\n")))
    bytes += f.message.count();
  const double offered = 0.5 * 8 * 100e9 / 8 * 10e-3;  // eight NICs at 100 Gbps
  EXPECT_NEAR(static_cast<double>(bytes), offered, 0.05 * offered);
}

TEST(IncastTraffic, ManySendToOneAtOnce) {
  const auto platform = eight_placed(incast);
  const auto flows = flows_of(platform);
  ASSERT_GT(flows.size(), 50u);
  std::map<std::uint32_t, std::vector<Flow>> queries;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    EXPECT_EQ(flows[i].group, i / 5);  // query by query
    queries[flows[i].group].push_back(flows[i]);
  }
  for (const auto& [number, query] : queries) {
    ASSERT_EQ(query.size(), 5u);
    std::set<unsigned> senders;
    for (const Flow& f : query) {
      EXPECT_EQ(f.to, query.front().to);
      EXPECT_EQ(f.start, query.front().start);
      EXPECT_EQ(f.message, Bytes(20000));
      EXPECT_NE(f.from, f.to);
      senders.insert(f.from);
    }
    EXPECT_EQ(senders.size(), 5u);
  }
  EXPECT_EQ(workload::traffic_of(platform, 0).measure(), workload::Measure::queries);
}

TEST(FlowsTraffic, AChipTranslatesPagesOfFewSizes) {
  for (const auto& nic : workload::size_nics(eight_placed(incast))) {
    ASSERT_FALSE(nic.demand.groups.empty());
    EXPECT_LE(nic.demand.groups.size(), 2u);  // it sends and it receives
    for (const auto& group : nic.demand.groups) {
      EXPECT_EQ(group.memory, Bytes(32768));
      EXPECT_LE(group.outstanding, 1u);
    }
  }
}

TEST(FlowsTraffic, WhatCannotBeIsRefused) {
  expect_refused("kind = \"incast\"\nfan_in = 8\n", 1, "8 NICs take part; expected 9 or more");
  expect_refused("kind = \"flows\"\nmembers = [\"h0\"]\n", 1,
                 "1 NICs take part; expected 2 or more");
  expect_refused("kind = \"flows\"\nmembers = [\"h0\", \"leaf0\"]\n", 2, "'leaf0' is not a NIC");
  expect_refused("kind = \"flows\"\ncontent = \"x\"\n", 2,
                 "content is of a file; 'alistorage2019' is a shipped workload");
}

}  // namespace
}  // namespace horae::test::arrivals_test
