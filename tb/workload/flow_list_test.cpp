// kind = "flow_list": what a list says becomes flows.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "placed.hpp"

namespace horae::test::flow_list_test {
namespace {

using workload::Flow;

/// A list in a file of its own, and the traffic table that names it.
class List {
 public:
  explicit List(const std::string& text) {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(::testing::TempDir()) /
            ("horae_" + std::string(test->name()) + std::to_string(::getpid()));
    std::ofstream(path_) << text;
  }
  ~List() { std::filesystem::remove(path_); }
  List(const List&) = delete;
  List& operator=(const List&) = delete;

  std::string table(const std::string& more = "") const {
    return "kind = \"flow_list\"\nfile = \"" + path_.string() + "\"\n" + more;
  }

 private:
  std::filesystem::path path_;
};

const std::string four =
    "start_ns,source,destination,bytes\n300,0,5,20000\n100,h7,h0,1\n200,3,1,999\n"
    "99999999,1,2,10\n";

TEST(FlowListTraffic, FlowsAreThoseOfTheFileInTheOrderOfTime) {
  const List list(four);
  const auto platform =
      eight_placed(list.table("from = \"100 ns\"\nstart = \"1 us\"\n"
                              "scale_time = 2\nscale_bytes = 0.5\n"));
  const auto flows = flows_of(platform);
  ASSERT_EQ(flows.size(), 3u);  // the fourth is after the run
  EXPECT_EQ(flows[0].from, 7u);
  EXPECT_EQ(flows[0].to, 0u);
  EXPECT_EQ(flows[0].start, 1_us);
  EXPECT_EQ(flows[0].message, 1_B);  // at least a byte
  EXPECT_EQ(flows[1].start, 1200_ns);
  EXPECT_EQ(flows[2].start, 1400_ns);
  std::int64_t bytes = 0;
  for (const Flow& f : flows) bytes += f.message.count();
  const auto& traffic = workload::traffic_of(platform, 0);
  nlohmann::ordered_json rows;
  traffic.add_rows(rows);
  const auto& row = rows.at("flow_lists").at(0);
  EXPECT_EQ(row.at("flows"), 4);
  EXPECT_EQ(row.at("messages"), 3);
  EXPECT_EQ(row.at("outside"), 1);
  EXPECT_EQ(row.at("bytes"), bytes);
  EXPECT_EQ(bytes, 1 + 500 + 10000);
  EXPECT_EQ(traffic.arrivals_end(platform), 1400_ns);
  EXPECT_EQ(traffic.measure(), workload::Measure::messages);
}

const std::string matrix =
    "Nodes 4\nConnections 3\nTriggers 1\n"
    "0->1 id 1 start 0 size 1000 send_done_trigger 1\n"
    "2->0 id 2 start 0 size 1000 recv_done_trigger 1\n"
    "0->3 id 3 trigger 1 size 500\n"
    "trigger id 1 barrier count 2\n";

TEST(FlowListTraffic, ATriggerCountsWhatFiresIt) {
  const List list(matrix);
  const auto platform = eight_placed(list.table());
  const auto flows = flows_of(platform);
  ASSERT_EQ(flows.size(), 3u);
  EXPECT_EQ(flows[0].fires_at_sender, 1u);
  EXPECT_EQ(flows[0].trigger, 0u);
  EXPECT_EQ(flows[1].fires_at_receiver, 1u);
  EXPECT_EQ(flows[2].trigger, 1u);  // triggered ones come last
  EXPECT_EQ(flows[2].after, 2u);
  // The end of triggers is unknown.
  EXPECT_EQ(workload::traffic_of(platform, 0).arrivals_end(platform), platform.sim.duration);
}

TEST(FlowListTraffic, AFlowWithoutEndIsMessagesWithoutEndAndIsSaid) {
  const List list(
      "Nodes 8\nConnections 3\nTriggers 1\n"
      "0->1 start 2000 size 0\n2->3 start 0 size 10 send_done_trigger 1\n"
      "2->4 trigger 1 size 0\ntrigger id 1 oneshot\n");
  const auto platform = eight_placed(list.table());
  const auto flows = flows_of(platform);
  ASSERT_EQ(flows.size(), 3u);
  EXPECT_EQ(flows[0].count, 1u);
  for (const std::size_t i : {1u, 2u}) {
    EXPECT_EQ(flows[i].count, 0u);
    EXPECT_EQ(flows[i].message, 64_KiB);
    EXPECT_EQ(flows[i].depth, 128u);
  }
  EXPECT_EQ(flows[1].start, 2_ns);
  EXPECT_EQ(flows[2].trigger, 1u);
  EXPECT_EQ(flows[2].after, 1u);
  const auto& traffic = workload::traffic_of(platform, 0);
  EXPECT_NE(traffic.note().find(": flows without end (size 0): 2; they send until the run ends at "
                                "sim.duration"),
            std::string::npos)
      << traffic.note();
  nlohmann::ordered_json rows;
  traffic.add_rows(rows);
  EXPECT_EQ(rows.at("flow_lists").at(0).at("endless"), 2);
  EXPECT_EQ(rows.at("flow_lists").at(0).at("bytes"), 10);
}

TEST(FlowListTraffic, WhatWasNotReadIsSaid) {
  const List list("1\n0 5 3 100 20000 0\n3 1 3 100 999 0\nFirst line: # of flows\n");
  const auto platform = eight_placed(list.table());
  EXPECT_EQ(flows_of(platform).size(), 1u);
  EXPECT_NE(workload::traffic_of(platform, 0)
                .note()
                .find(":3: the 1 flows that the first line announces are read, and nothing from "
                      "here on, as in ns-3"),
            std::string::npos);
}

TEST(FlowListTraffic, WhatCannotBeDoneIsRefusedAtItsLine) {
  const List beyond("start_ns,source,destination,bytes\n0,0,9,10\n");
  EXPECT_NE(why_refused(beyond.table()).find(":2:5: destination = 9"), std::string::npos)
      << why_refused(beyond.table());
  const List never_fired(
      "Nodes 4\nConnections 2\nTriggers 1\n"
      "2->0 id 1 start 0 size 1000 recv_done_trigger 1\n0->3 id 2 trigger 1 size 500\n"
      "trigger id 1 barrier count 2\n");
  EXPECT_NE(why_refused(never_fired.table()).find(":5:1: this flow never starts"),
            std::string::npos)
      << why_refused(never_fired.table());
  const List none("start_ns,source,destination,bytes\n");
  EXPECT_NE(why_refused(none.table()), "");
  const List list(four);
  expect_refused(list.table("from = \"2 us\"\nto = \"1 us\"\n"), 4,
                 "to = 1 us is not above from = 2 us");
  expect_refused(list.table("to = \"50 ns\"\n"), 2, "none of the 4 flows");
}

}  // namespace
}  // namespace horae::test::flow_list_test
