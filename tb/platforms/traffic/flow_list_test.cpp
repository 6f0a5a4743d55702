// Flow lists on a platform: what the file says is what is sent, triggers, what is refused.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "csv.hpp"
#include "networks.hpp"
#include "program.hpp"

namespace horae::test::flow_list_test {
namespace {

/// A platform that sends what "list" says.
std::string platform(const std::string& more = "") {
  return eight_nics("1 ms", "kind = \"flow_list\"\nfile = \"list\"\n" + more);
}

const std::string ns3 =
    "4\n0 5 3 100 20000 2.000001000123\n3 1 3 100 999 2.0000005\n7 0 3 100 1 2.000000\n"
    "0 5 3 100 64000 2.0000325\n";

std::filesystem::path traces() {
  return std::filesystem::path(HORAE_PLATFORM_DIR).parent_path() / "traces" / "flow_lists";
}

struct Sent {
  std::string from, to;
  std::int64_t bytes, delivered;
  std::string posted;  ///< us
  std::string completed;
  friend bool operator<(const Sent& a, const Sent& b) {
    return std::tie(a.from, a.to, a.bytes, a.posted) < std::tie(b.from, b.to, b.bytes, b.posted);
  }
};

struct Outcome {
  ordered_json summary;
  std::vector<Sent> sent;  ///< in the order of flows.csv
};

Outcome run_list(const Workplace& place, const Words& settings = {}) {
  std::filesystem::remove_all(place.path() / "out");
  const Ended ended =
      run(place, with_settings({"run", "p.toml", "--json", "--out", "out"}, settings));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  Outcome out{ended.json(), {}};
  for (const Row& row : rows_of(place.read("out/flows.csv"))) {
    out.sent.push_back({row.at("sender"), row.at("receiver"), std::stoll(row.at("bytes_completed")),
                        std::stoll(row.at("bytes_delivered")), row.at("first_post_us"),
                        row.at("last_completion_us")});
  }
  return out;
}

std::string refused(const Workplace& place, const Words& settings = {}) {
  const Ended ended = run(place, with_settings({"run", "p.toml"}, settings));
  EXPECT_EQ(ended.exit_code, 2) << ended.out;
  return ended.err;
}

TEST(FlowListPlatform, WhatTheFileSaysIsSentWhenItSays) {
  const Workplace place;
  place.write("p.toml", platform("from = \"2 s\"\n"));
  place.write("list", ns3);
  const Outcome r = run_list(place);
  EXPECT_EQ(r.summary.at("verdict"), "complete");
  ASSERT_EQ(r.sent.size(), 4u);
  const std::vector<std::tuple<std::string, std::string, std::int64_t, std::string>> expected = {
      {"h7", "h0", 1, "0.000000"},
      {"h3", "h1", 999, "0.500000"},
      {"h0", "h5", 20000, "1.000123"},
      {"h0", "h5", 64000, "32.500000"}};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(std::tie(r.sent[i].from, r.sent[i].to, r.sent[i].bytes, r.sent[i].posted),
              std::tie(std::get<0>(expected[i]), std::get<1>(expected[i]), std::get<2>(expected[i]),
                       std::get<3>(expected[i])));
    EXPECT_EQ(r.sent[i].delivered, r.sent[i].bytes);
  }
  const auto& row = r.summary.at("rows").at("flow_lists").at(0);
  EXPECT_EQ(row.at("format"), "ns3");
  EXPECT_EQ(row.at("flows"), 4);
  EXPECT_EQ(row.at("messages"), 4);
  EXPECT_EQ(row.at("bytes"), 20000 + 999 + 1 + 64000);
  EXPECT_EQ(result(r.summary, "fct.completed"), 4);
  EXPECT_EQ(result(r.summary, "fct.upto_10KB.completed"), 2);
  EXPECT_GE(result(r.summary, "fct.slowdown_mean"), 1.0);
}

TEST(FlowListPlatform, TheShippedListsOfTheThreeRowFormatsAreTheSameFlows) {
  const Workplace place;
  place.write("p.toml", platform());
  std::vector<std::vector<Sent>> all;
  for (const auto& [file, from] :
       std::vector<std::pair<std::string, std::string>>{{"eight_nodes.ns3.txt", "2s"},
                                                        {"eight_nodes.conweave.txt", "2s"},
                                                        {"eight_nodes.csv", "0s"}}) {
    Outcome r = run_list(
        place, {"traffic[0].file=" + (traces() / file).string(), "traffic[0].from=" + from});
    EXPECT_EQ(r.sent.size(), 12u);
    std::sort(r.sent.begin(), r.sent.end());
    all.push_back(r.sent);
  }
  for (const auto& other : all) {
    for (std::size_t i = 0; i < all[0].size(); ++i) {
      EXPECT_FALSE(all[0][i] < other[i] || other[i] < all[0][i]) << i;
      EXPECT_EQ(other[i].completed, all[0][i].completed);
    }
  }
}

TEST(FlowListPlatform, APlanWrittenDownAsAListTakesTheSameTimes) {
  const Workplace place;
  std::string planned = platform();
  planned.replace(planned.find("kind = \"flow_list\""), std::string::npos,
                  "kind = \"flows\"\nworkload = \"fbhadoop_hpcc\"\nload = 0.6\nduration = \"300 "
                  "us\"\n");
  place.write("p.toml", planned);
  const Outcome plan = run_list(place);
  ASSERT_GT(plan.sent.size(), 50u);
  // Microseconds to nanoseconds by moving the point; backwards, as order does not matter.
  std::string list;
  for (auto s = plan.sent.rbegin(); s != plan.sent.rend(); ++s)
    list += s->posted + "e3," + s->from + "," + s->to + "," + std::to_string(s->bytes) + "\n";
  place.write("list", "start_ns,source,destination,bytes\n" + list);
  place.write("p.toml", platform());
  const Outcome listed = run_list(place);
  ASSERT_EQ(listed.sent.size(), plan.sent.size());
  for (std::size_t i = 0; i < plan.sent.size(); ++i) {
    EXPECT_EQ(listed.sent[i].posted, plan.sent[i].posted);
    EXPECT_EQ(listed.sent[i].completed, plan.sent[i].completed);
  }
  for (const char* name : {"fct.mean", "fct.p99", "fct.slowdown_mean", "fct.completed"})
    EXPECT_EQ(result(listed.summary, name), result(plan.summary, name)) << name;
}

// An endless flow and a message that begins in its midst share a link: the message is measured, the
// flow goes on until the run ends, and what there is of it counts as streams do.
TEST(FlowListPlatform, AFlowWithoutEndSendsUntilTheRunEnds) {
  const Workplace place;
  place.write("p.toml", platform());
  place.write("list",
              "Nodes 8\nConnections 2\n0->5 start 0 size 0\n1->4 start 1000000 size 40000\n");
  const Outcome r = run_list(place, {"sim.duration=200us", "sim.stop=duration"});
  ASSERT_EQ(r.sent.size(), 2u);
  EXPECT_EQ(r.sent[0].from, "h0");
  // At line rate but for the first round trip: 100 Gbps are 12.5 kB/us.
  const std::int64_t most = 200 * 12'500;
  EXPECT_LT(r.sent[0].delivered, most);
  EXPECT_GT(r.sent[0].delivered, most * 85 / 100);
  EXPECT_EQ(r.sent[1].bytes, 40000);
  EXPECT_EQ(result(r.summary, "fct.completed"), 1);
  EXPECT_EQ(result(r.summary, "fct.unfinished"), 0);
  const Ended ended =
      run(place, {"run", "p.toml", "--set", "sim.duration=200us", "--set", "sim.stop=duration"});
  EXPECT_EQ(ended.exit_code, 0);
  const std::string note =
      "list: flows without end (size 0): 1; they send until the run ends at sim.duration\n";
  EXPECT_NE(ended.out.find(note), std::string::npos) << ended.out;
  EXPECT_EQ(ended.out.find(note), ended.out.rfind(note));
}

// Such a message is one packet without payload, as one of kind "messages" is.
TEST(FlowListPlatform, AMessageOfNoBytesIsOnePacket) {
  const Workplace place;
  place.write("p.toml", eight_nics("1 ms",
                                   "kind = \"messages\"\nfrom = [\"h0\"]\nto = [\"h5\"]\n"
                                   "message = \"0 B\"\ncount = 1\n"));
  const Outcome alone = run_list(place);
  ASSERT_EQ(alone.sent.size(), 1u);
  place.write("p.toml", eight_nics("1 ms",
                                   "kind = \"batch\"\npattern = \"pairs\"\nfrom = [\"h0\"]\nto = "
                                   "[\"h5\"]\nsize = \"0 B\"\n"));
  const Outcome batch = run_list(place);
  ASSERT_EQ(batch.sent.size(), 1u);
  EXPECT_EQ(batch.sent[0].completed, alone.sent[0].completed);
  EXPECT_EQ(result(batch.summary, "senders.data_packets"), 1);
  place.write("p.toml", platform());
  for (const char* list : {"1\n0 5 3 0 0\n", "start_ns,source,destination,bytes\n0,h0,h5,0\n"}) {
    place.write("list", list);
    for (const char* scale : {"1", "0.1"}) {
      const Outcome r = run_list(place, {std::string("traffic[0].scale_bytes=") + scale});
      EXPECT_EQ(r.summary.at("verdict"), "complete");
      ASSERT_EQ(r.sent.size(), 1u);
      EXPECT_EQ(r.sent[0].completed, alone.sent[0].completed);
      EXPECT_EQ(r.sent[0].bytes, 0);
      EXPECT_EQ(result(r.summary, "senders.data_packets"), 1);
      EXPECT_EQ(result(r.summary, "fct.completed"), 1);
    }
  }
}

TEST(FlowListPlatform, WindowScaleAndFold) {
  const Workplace place;
  place.write("p.toml", platform());
  place.write("list",
              "start_ns,source,destination,bytes\n100,9,1,10\n200,h2,3,10\n300,11,4,25\n"
              "400,0,8,10\n500,2,3,10\n");
  // 9 is 1 on eight NICs, which sends to itself then; 8 is 0.
  const Outcome r = run_list(
      place, {"traffic[0].nodes=modulo", "traffic[0].from=100 ns", "traffic[0].to=500 ns",
              "traffic[0].scale_time=2.5", "traffic[0].scale_bytes=0.1", "traffic[0].start=1us"});
  ASSERT_EQ(r.sent.size(), 2u);
  EXPECT_EQ(r.sent[0].posted, "1.250000");
  EXPECT_EQ(r.sent[0].bytes, 1);
  EXPECT_EQ(r.sent[1].from, "h3");
  EXPECT_EQ(r.sent[1].posted, "1.500000");
  EXPECT_EQ(r.sent[1].bytes, 3);  // 2.5 rounded away from zero
  const auto& row = r.summary.at("rows").at("flow_lists").at(0);
  EXPECT_EQ(row.at("flows"), 5);
  EXPECT_EQ(row.at("folded"), 2);
  EXPECT_EQ(row.at("outside"), 1);
  EXPECT_EQ(
      refused(place),
      "horae: list:2:5: source = 9; expected a node from 0 to 7 (nodes = \"modulo\" takes the "
      "remainder)\n");
}

TEST(FlowListPlatform, AChunkGoesOnWhenItHasArrived) {
  const Workplace place;
  place.write("p.toml", platform());
  const Outcome r =
      run_list(place, {"traffic[0].file=" + (traces() / "ring_allreduce.cm").string()});
  EXPECT_EQ(r.summary.at("verdict"), "complete");
  ASSERT_EQ(r.sent.size(), 24u);
  EXPECT_EQ(result(r.summary, "fct.completed"), 24);
  EXPECT_EQ(result(r.summary, "fct.unfinished"), 0);
  // Four at once, then each step is posted before its cause is acknowledged and after it has been
  // on the wire for as long as its bytes take.
  int at_zero = 0;
  std::vector<double> posted;
  for (const auto& s : r.sent) {
    EXPECT_EQ(s.delivered, 64000);
    posted.push_back(std::stod(s.posted));
    at_zero += posted.back() == 0.0;
  }
  EXPECT_EQ(at_zero, 4);
  std::sort(posted.begin(), posted.end());
  for (std::size_t step = 1; step < 6; ++step)
    EXPECT_GT(posted[4 * step], posted[4 * step - 1] + 5.12) << step;  // 64000 B at 100 Gbps
  for (const auto& s : r.sent) EXPECT_LT(std::stod(s.completed), 200.0);
}

TEST(FlowListPlatform, MessagesWaitForTheirSendersOwnAndForABarrier) {
  const Workplace place;
  place.write("p.toml", platform());
  const Outcome r = run_list(place, {"traffic[0].file=" + (traces() / "all_to_all.cm").string()});
  EXPECT_EQ(r.summary.at("verdict"), "complete");
  ASSERT_EQ(r.sent.size(), 13u);
  std::map<std::string, std::vector<std::pair<double, double>>> by_sender;
  double last_to_0 = 0, after_barrier = 0;
  for (const auto& s : r.sent) {
    const double posted = std::stod(s.posted), completed = std::stod(s.completed);
    if (s.bytes == 8) {
      after_barrier = posted;
      continue;
    }
    by_sender[s.from].emplace_back(posted, completed);
    if (s.to == "h0") last_to_0 = std::max(last_to_0, completed);
  }
  for (auto& [from, messages] : by_sender) {
    std::sort(messages.begin(), messages.end());
    ASSERT_EQ(messages.size(), 3u);
    EXPECT_EQ(messages[0].first, 1.0) << from;
    // At the very time when the one before is completed.
    EXPECT_EQ(messages[1].first, messages[0].second) << from;
    EXPECT_EQ(messages[2].first, messages[1].second) << from;
  }
  // The last of three to node 0 has arrived, and its acknowledgement is on its way.
  EXPECT_LT(after_barrier, last_to_0);
  EXPECT_GT(after_barrier, last_to_0 - 3.0);
}

// A connection of one message is a flow; several are refused, or go by a queue pair each.
TEST(FlowListPlatform, MessagesOfOneConnectionAreRefusedOrGetQueuePairsOfTheirOwn) {
  const Workplace place;
  place.write("p.toml", platform());
  const std::string head = "Nodes 8\nConnections 2\n";
  place.write("list", head + "0->5 id 1 start 0 size 20000\n0->5 id 2 start 0 size 20000\n");
  const auto plain = run_list(place).sent;
  ASSERT_EQ(plain.size(), 2u);
  const auto same = [&](const std::vector<Sent>& sent) {
    ASSERT_EQ(sent.size(), plain.size());
    for (std::size_t i = 0; i < sent.size(); ++i) {
      EXPECT_EQ(sent[i].bytes, 20000);
      EXPECT_EQ(sent[i].completed, plain[i].completed);
    }
  };
  place.write("list",
              head + "0->5 id 1 msg start 0 size 20000\n0->5 id 2 msg start 0 size 20000\n");
  same(run_list(place).sent);
  place.write("list",
              head + "0->5 id 1 msg start 0 size 20000\n0->5 id 1 msg start 0 size 20000\n");
  EXPECT_EQ(refused(place),
            "horae: list:4:1: a message (msg) of connection 1, which has that of line 3; expected "
            "one message a connection, or shared_connections = \"own\"\n");
  same(run_list(place, {"traffic[0].shared_connections=own"}).sent);
}

TEST(FlowListPlatform, TriggersThatNoNicCouldKnowAreRefused) {
  const Workplace place;
  place.write("p.toml", platform());
  const std::string head = "Nodes 8\nConnections 2\nTriggers 1\n";
  const auto say = [&](const std::string& lines, const Words& settings = {}) {
    place.write("list", head + lines);
    return refused(place, settings);
  };
  const std::string ring =
      "0->1 start 0 size 10 send_done_trigger 1\n1->2 trigger 1 size 10\ntrigger id 1 oneshot\n";
  EXPECT_EQ(say(ring),
            "horae: list:4:1: trigger 1 starts flows of 'h1' (line 5), which does not know when "
            "'h0' has sent this one; expected recv_done_trigger, or send_done = \"on_receipt\"\n");
  EXPECT_EQ(run_list(place, {"traffic[0].send_done=on_receipt"}).sent.size(), 2u);
  EXPECT_EQ(say("0->1 start 0 size 10 send_done_trigger 1\n2->1 trigger 1 size 10\ntrigger id 1 "
                "oneshot\n"),
            "horae: list:4:1: trigger 1 starts flows of 'h2' (line 5), which does not know when "
            "'h0' has sent this one; expected triggers that a node fires for itself\n");
  EXPECT_EQ(say("0->1 start 0 size 10 send_done_trigger 1\n0->2 trigger 1 size 10\ntrigger id 1 "
                "barrier count 2\n"),
            "horae: list:5:1: this flow never starts: it waits for trigger 1 to be fired 2 times, "
            "which happens 1 times\n");
  EXPECT_EQ(say("0->1 start 0 size 10 send_done_trigger 1\n0->2 start 0 size 10 send_done_trigger "
                "1\ntrigger id 1 oneshot\n"),
            "horae: list:5:1: trigger 1 is a oneshot and is fired again; expected a multishot or a "
            "barrier\n");
  EXPECT_EQ(say("0->1 trigger 1 size 10\n2->1 trigger 1 size 10\ntrigger id 1 oneshot\n"),
            "horae: list:5:1: trigger 1 starts flows of 'h0' (line 4) and of 'h2'; expected those "
            "of one node\n");
  EXPECT_EQ(say(ring, {"traffic[0].to=1us"}),
            "horae: list:4:1: a flow with triggers; a list that has them is taken whole, without "
            "from and to\n");
}

TEST(FlowListPlatform, WhatCannotBeRunIsRefusedInOneLine) {
  const Workplace place;
  place.write("p.toml", platform());
  place.write("list", ns3);
  EXPECT_EQ(refused(place),
            "horae: p.toml:29:8: none of the 4 flows of list starts within the run: 4 are outside "
            "from, to and sim.duration, 0 end where they begin; the first starts at 2 s\n");
  EXPECT_EQ(refused(place, {"traffic[0].file=lst"}),
            "horae: --set traffic[0].file: file = \"lst\": no such file\n");
  EXPECT_EQ(refused(place, {"traffic[0].from=2s", "traffic[0].to=1s"}),
            "horae: --set traffic[0].to: to = 1 s is not above from = 2 s\n");
  EXPECT_TRUE(
      refused(place, {"traffic[0].content=x"})
          .starts_with("horae: --set traffic[0].content: content = \"x\": that of list is"));
  place.write("list", "2\n0 1 3 1 0\n0 1 2 1 0\n");
  EXPECT_EQ(refused(place),
            "horae: list:3:1: priority 2 after 3 on line 2; expected one priority, or priorities "
            "= \"class\" or \"ignore\"\n");
  EXPECT_EQ(run_list(place, {"traffic[0].priorities=ignore"}).sent.size(), 2u);
  EXPECT_EQ(run_list(place, {"traffic[0].priorities=class"}).sent.size(), 2u);
  EXPECT_EQ(
      refused(place, {"traffic[0].priorities=class", "traffic[0].traffic_class=2"}),
      "horae: --set traffic[0].traffic_class: traffic_class beside priorities = \"class\", by "
      "which each flow has its own; expected one of the two\n");
  place.write("list", "1\n0 1 3 1099511627776 0\n");
  EXPECT_EQ(refused(place),
            "horae: list:2:1: a message of 1099511628 packets has more than the 8388607 PSNs that "
            "can be told apart\n");
  EXPECT_EQ(refused(place, {"traffic[0].scale_bytes=2"}),
            "horae: list:2:1: its scaled size is beyond the largest that a list may have\n");
  place.write("list", "0\n");
  EXPECT_EQ(refused(place), "horae: list: a list without flows\n");
  // A node may be written in several ways.
  const std::string own = " to itself; expected another destination\n";
  place.write("list", "2\n0 1 3 1000 0\n0 00 3 1000 0\n");
  EXPECT_EQ(refused(place), "horae: list:3:3: a flow from 0" + own);
  place.write("list", "start_ns,source,destination,bytes\n0,0,1,10\n0,h0,0,65536\n");
  EXPECT_EQ(refused(place), "horae: list:3:6: a flow from h0" + own);
}

TEST(FlowListPlatform, ItsContentIsPartOfTheConfiguration) {
  const Workplace place;
  place.write("p.toml", platform("from = \"2 s\"\n"));
  place.write("list", ns3);
  const auto first = summary_of(place, "p.toml");
  // Read again it is the same, and still checked.
  place.write("again.toml", config_text(first));
  EXPECT_EQ(summary_of(place, "again.toml").at("config_hash"), first.at("config_hash"));
  place.write("list", ns3 + "# a comment\n");
  const auto other = summary_of(place, "p.toml");
  EXPECT_NE(other.at("config_hash"), first.at("config_hash"));
  EXPECT_EQ(other.at("results"), first.at("results"));
  EXPECT_EQ(run(place, {"run", "again.toml"}).exit_code, 2);
}

TEST(FlowListPlatform, AWorkloadFileIsPartOfTheConfiguration) {
  const Workplace place;
  const auto sizes = [](const std::string& largest) {
    return "name = \"s\"\ndescription = \"s\"\nsource = \"s\"\npoint = [{size = 100, probability = "
           "0.0}, {size = " +
           largest + ", probability = 1.0}]\n";
  };
  std::string text = platform();
  text.replace(text.find("kind = \"flow_list\""), std::string::npos,
               "kind = \"flows\"\nworkload = \"s.toml\"\nduration = \"1 us\"\n");
  place.write("p.toml", text);
  place.write("s.toml", sizes("101"));
  const auto first = summary_of(place, "p.toml");
  place.write("again.toml", config_text(first));
  EXPECT_EQ(summary_of(place, "again.toml").at("config_hash"), first.at("config_hash"));
  place.write("s.toml", sizes("102"));
  EXPECT_NE(summary_of(place, "p.toml").at("config_hash"), first.at("config_hash"));
  EXPECT_EQ(run(place, {"run", "again.toml"}).exit_code, 2);
  EXPECT_NE(run(place, {"run", "p.toml", "--set", "traffic[0].workload=websearch", "--set",
                        "traffic[0].content=x"})
                .err.find("content is of a file; 'websearch' is a shipped workload"),
            std::string::npos);
}

}  // namespace
}  // namespace horae::test::flow_list_test
