// Flow lists: what is read of each format, and how a bad line is refused.
#include "horae/traffic/flow_list.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "horae/core/error.hpp"
#include "packed_bytes.hpp"

namespace horae::traffic::flow_list_test {
namespace {

/// A file of its own for each test, gone with it; messages call it "list".
class ListFile {
 public:
  ListFile() {
    std::string pattern = (std::filesystem::temp_directory_path() / "horae.XXXXXX").string();
    path_ = std::filesystem::path(::mkdtemp(pattern.data())) / "list";
  }
  ~ListFile() { std::filesystem::remove_all(path_.parent_path()); }
  ListFile(const ListFile&) = delete;
  ListFile& operator=(const ListFile&) = delete;

  std::string path() const { return path_.string(); }
  const ListFile& with(const std::string& text) const {
    std::ofstream(path_, std::ios::binary) << text;
    return *this;
  }

 private:
  std::filesystem::path path_;
};

ListNodes eight() { return {{"h0", "h1", "h2", "h3", "h4", "h5", "h6", "h7"}, false}; }

struct All {
  ListFormat format{};
  std::vector<ListedFlow> flows;
  std::vector<ListedTrigger> triggers;
  std::uint32_t surplus = 0;
};

All read(const std::string& text, ListNodes nodes = eight(),
         ListFormat format = ListFormat::automatic) {
  const ListFile file;
  const auto list = FlowList::open(file.with(text).path(), format, nodes);
  All all{list->format(), {}, {}};
  while (auto flow = list->next()) all.flows.push_back(*flow);
  EXPECT_FALSE(list->next());  // the end stays the end
  all.triggers = list->triggers();
  all.surplus = list->surplus();
  return all;
}

/// Message for a bad list, without the folder of the file.
std::string refusal(const std::string& text, ListFormat format = ListFormat::automatic) {
  const ListFile file;
  try {
    const auto list = FlowList::open(file.with(text).path(), format, eight());
    while (list->next()) {
    }
  } catch (const InputError& e) {
    return std::string(e.what()).substr(file.path().size() - 4);
  }
  return "accepted";
}

TEST(FlowListNs3, HpccHasSixColumns) {
  const auto all = read("2 \n0 5 3 100 1000000 2.000000123\n5 1 3 100 1 2.5\n");
  EXPECT_EQ(all.format, ListFormat::ns3);
  ASSERT_EQ(all.flows.size(), 2u);
  EXPECT_EQ(all.flows[0].line, 2u);
  EXPECT_EQ(all.flows[0].from, 0u);
  EXPECT_EQ(all.flows[0].to, 5u);
  EXPECT_EQ(all.flows[0].priority, 3u);
  EXPECT_EQ(all.flows[0].bytes, 1'000'000_B);
  EXPECT_EQ(all.flows[0].at, 2'000'000'123_ns);
  EXPECT_EQ(all.flows[1].at, 2'500_ms);
  EXPECT_EQ(all.flows[1].bytes, 1_B);
}

TEST(FlowListNs3, ConWeaveHasFiveColumns) {
  const auto all = read("# made by hand\r\n1\r\n\r\n7\t3 3 4096  0.000001\r\n");
  EXPECT_EQ(all.format, ListFormat::ns3);
  ASSERT_EQ(all.flows.size(), 1u);
  EXPECT_EQ(all.flows[0].line, 4u);
  EXPECT_EQ(all.flows[0].from, 7u);
  EXPECT_EQ(all.flows[0].to, 3u);
  EXPECT_EQ(all.flows[0].bytes, 4_KiB);
  EXPECT_EQ(all.flows[0].at, 1_us);
}

TEST(FlowListNs3, TimesAreExactAndRoundedToThePicosecond) {
  const auto at = [](const std::string& seconds) {
    return read("1\n0 1 3 1 " + seconds + "\n").flows.at(0).at.count();
  };
  EXPECT_EQ(at("0"), 0);
  EXPECT_EQ(at("2.000000000001"), 2'000'000'000'001);
  EXPECT_EQ(at("2.0000000000005"), 2'000'000'000'001);
  EXPECT_EQ(at("2.0000000000004999"), 2'000'000'000'000);
  EXPECT_EQ(at("0.0000000000005"), 1);
  EXPECT_EQ(at("0.00000000000049"), 0);
  EXPECT_EQ(at("0.00000000000006"), 0);
  EXPECT_EQ(at("1e-05"), 10'000'000);
  EXPECT_EQ(at("2.5E+1"), 25'000'000'000'000);
  EXPECT_EQ(at("1e-400"), 0);
  EXPECT_EQ(at("1000000"), 1'000'000'000'000'000'000);
}

// simulation/mix/flow.txt of HPCC: 2 announced, 256 listed, and an explanation of the columns
// behind them; its simulator reads two flows.
TEST(FlowListNs3, WhatFollowsTheAnnouncedFlowsIsNotRead) {
  const auto all = read(
      "2\n2 1 3 100 200000000 2\n3 1 3 100 200000000 2\n4 1 3 100 150000000 2\n\n"
      "First line: # of flows\nsrc0 dst0 3 dst_port0 size0 start_time0\n...\n" +
      std::string(5000, 'x') + "\n");
  ASSERT_EQ(all.flows.size(), 2u);
  EXPECT_EQ(all.flows[1].from, 3u);
  EXPECT_EQ(all.surplus, 4u);
  EXPECT_EQ(read("1\n2 1 3 100 200000000 2\n\n# a comment\n").surplus, 0u);
  // An explanation right behind the flows.
  EXPECT_EQ(read("1\n2 1 3 100 200000000 2\n\nFirst line: # of flows\n").surplus, 4u);
}

TEST(FlowListCsv, ColumnsComeInAnyOrderAndNodesByNameOrNumber) {
  const auto all = read(
      "\xef\xbb\xbf"
      "bytes, destination,source,start_ns\n4096,h2, 5 ,12.5\n 1,0,h7,0\n");
  EXPECT_EQ(all.format, ListFormat::csv);
  ASSERT_EQ(all.flows.size(), 2u);
  EXPECT_EQ(all.flows[0].from, 5u);
  EXPECT_EQ(all.flows[0].to, 2u);
  EXPECT_EQ(all.flows[0].bytes, 4_KiB);
  EXPECT_EQ(all.flows[0].at, 12'500_ps);
  EXPECT_FALSE(all.flows[0].priority.has_value());
  EXPECT_EQ(all.flows[1].from, 7u);
}

TEST(FlowListHtsim, ConnectionsAndTriggers) {
  const auto all = read(
      "Nodes 8\nConnections 4\nTriggers 3\n"
      "0->7 id 1 start 1500 size 2000000 send_done_trigger 1 prio 2\n"
      "0->6 id 2 trigger 1 size 10 recv_done_trigger 2\n"
      "6->5 id 3 trigger 2 size 20\n"
      "1->2 start 0 size 5 send_done_trigger 3\n"
      "trigger id 1 oneshot\ntrigger id 2 multishot\ntrigger id 3 barrier count 4\n");
  EXPECT_EQ(all.format, ListFormat::htsim);
  ASSERT_EQ(all.flows.size(), 4u);
  EXPECT_EQ(all.flows[0].at, 1'500_ps);
  EXPECT_EQ(all.flows[0].to, 7u);
  EXPECT_EQ(all.flows[0].bytes, 2'000'000_B);
  EXPECT_EQ(all.flows[0].fires_at_sender, 1u);
  EXPECT_EQ(all.flows[0].priority, 2u);
  EXPECT_EQ(all.flows[1].trigger, 1u);
  EXPECT_EQ(all.flows[1].fires_at_receiver, 2u);
  EXPECT_EQ(all.flows[2].trigger, 2u);
  EXPECT_EQ(all.flows[3].line, 7u);
  ASSERT_EQ(all.triggers.size(), 3u);
  EXPECT_EQ(all.triggers[0].kind, ListedTrigger::Kind::oneshot);
  EXPECT_EQ(all.triggers[1].kind, ListedTrigger::Kind::multishot);
  EXPECT_EQ(all.triggers[2].kind, ListedTrigger::Kind::barrier);
  EXPECT_EQ(all.triggers[2].count, 4u);
  EXPECT_EQ(all.triggers[2].line, 10u);
}

// uet-htsim leaves out the number where it is no number.
TEST(FlowListHtsim, MessagesNameTheirConnection) {
  const auto all = read(
      "Nodes 8\nConnections 4\n0->7 id 3 msg start 5 size 10\n0->7 id 3 msg 2 start 6 size 20\n"
      "1->7 start 0 size 30 id 4 msg\n1->7 id 5 start 0 size 30\n");
  ASSERT_EQ(all.flows.size(), 4u);
  EXPECT_EQ(all.flows[0].connection, 3u);
  EXPECT_EQ(all.flows[0].at, 5_ps);
  EXPECT_EQ(all.flows[0].bytes, 10_B);
  EXPECT_EQ(all.flows[1].connection, 3u);
  EXPECT_EQ(all.flows[1].at, 6_ps);
  EXPECT_EQ(all.flows[2].connection, 4u);
  EXPECT_EQ(all.flows[3].connection, 0u);
}

TEST(FlowListHtsim, AFlowOfSizeZeroHasNoEnd) {
  const auto all = read(
      "Nodes 8\nConnections 2\nTriggers 1\n0->7 start 5 size 0\n"
      "1->7 trigger 1 size 0\ntrigger id 1 oneshot\n");
  ASSERT_EQ(all.flows.size(), 2u);
  EXPECT_EQ(all.flows[0].bytes, 0_B);
  EXPECT_TRUE(all.flows[0].endless);
  EXPECT_TRUE(all.flows[1].endless);
  EXPECT_EQ(all.flows[0].at, 5_ps);
  EXPECT_EQ(all.flows[1].trigger, 1u);
}

TEST(FlowList, AMessageOfNoBytesIsOne) {
  for (const char* list : {"1\n0 7 3 0 2\n", "start_ns,source,destination,bytes\n5,0,7,0\n"}) {
    const auto all = read(list);
    ASSERT_EQ(all.flows.size(), 1u);
    EXPECT_EQ(all.flows[0].bytes, 0_B);
    EXPECT_FALSE(all.flows[0].endless);
  }
}

TEST(FlowList, NodesBeyondThePlatformFoldOnlyWhereAsked) {
  ListNodes nodes = eight();
  nodes.fold = true;
  const auto all = read("2\n9 18 3 1 0\n8 16 3 1 0\n", nodes);
  EXPECT_EQ(all.flows[0].from, 1u);
  EXPECT_EQ(all.flows[0].to, 2u);
  EXPECT_EQ(all.flows[1].from, all.flows[1].to);
  EXPECT_EQ(refusal("1\n9 1 3 1 0\n"),
            "list:2:1: src = 9; expected a node from 0 to 7 (nodes = \"modulo\" takes the "
            "remainder)");
}

// A device may be called "2". Formats of numbers mean the number.
TEST(FlowList, ANumberIsANameOnlyWhereThereAreNames) {
  const ListFile file;
  const ListNodes nodes{{"a", "2", "b"}, false};
  const auto ends = [&](const std::string& text) {
    const auto list = FlowList::open(file.with(text).path(), ListFormat::automatic, nodes);
    const auto flow = list->next();
    return std::pair(flow->from, flow->to);
  };
  const std::pair<std::uint32_t, std::uint32_t> from_second_to_third{1, 2};
  EXPECT_EQ(ends("1\n1 2 3 1 0\n"), from_second_to_third);
  EXPECT_EQ(ends("Nodes 3\nConnections 1\n1->2 start 0 size 1\n"), from_second_to_third);
  EXPECT_EQ(ends("start_ns,source,destination,bytes\n0,2,b,1\n"), from_second_to_third);
  EXPECT_THROW(ends("start_ns,source,destination,bytes\n0,1,2,1\n"), InputError);
}

TEST(FlowList, BadLinesAreRefusedInOneLineAtTheirPlace) {
  const std::string csv = "start_ns,source,destination,bytes\n";
  const std::string cm = "Nodes 8\nConnections 1\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "list: an empty file; expected a flow list"},
      {"# nothing\n\n", "list: an empty file; expected a flow list"},
      {"hello\n",
       "list:1:1: 'hello' begins no known flow list; expected a number of flows alone (ns3), "
       "'Nodes N' (htsim) or 'start_ns,source,destination,bytes' (csv)"},
      {"2\n0 1 3 1 0\n", "list:1:1: 2 flows are announced; the file has 1"},
      {"0\n0 1 3 1 0\n", "accepted"},  // a list without flows; the platform refuses it
      {"1\n0 1 3\n", "list:2:1: 3 columns; expected src dst pg dport size start, or without dport"},
      {"2\n0 1 3 1 0\n0 1 3 100 1 0\n",
       "list:3:1: 6 columns; expected 5, as before: src dst pg size start"},
      {"1\n0 0 3 1 0\n", "list:2:3: a flow from 0 to itself; expected another destination"},
      {"1\n0 00 3 1 0\n", "list:2:3: a flow from 0 to itself; expected another destination"},
      {"1\n0 1 9 1 0\n", "list:2:5: pg = '9'; expected a whole number from 0 to 7"},
      {"1\n0 1 3 99999 1 0\n",
       "list:2:7: dport = '99999'; expected a whole number from 0 to 65535"},
      {"1\n0 1 3 -1 0\n", "list:2:7: size = '-1'; expected a whole number from 0 to 1099511627776"},
      {"1\n0 1 3 1e6 0\n",
       "list:2:7: size = '1e6'; expected a whole number from 0 to 1099511627776"},
      {"1\n0 1 3 99999999999999999999999 0\n",
       "list:2:7: size = '99999999999999999999999'; expected a whole number from 0 to "
       "1099511627776"},
      {"1\n0 1 3 1 -1\n", "list:2:9: start = '-1'; expected a decimal number, 0 or more"},
      {"1\n0 1 3 1 nan\n", "list:2:9: start = 'nan'; expected a decimal number, 0 or more"},
      {"1\n0 1 3 1 1e7\n", "list:2:9: start = '1e7'; expected at most a million seconds"},
      {"1\n0 1 3 1 1e99999999999\n",
       "list:2:9: start = '1e99999999999'; expected a number such as 2.5e-6"},
      {"1\n0 1 3 1 1.5s\n", "list:2:9: start = '1.5s'; expected a decimal number, 0 or more"},
      {"1\n-1 1 3 1 0\n", "list:2:1: src = '-1'; expected a whole number from 0 to 4294967295"},
      {"1\n0\t\x01 3 1 0\n", "list:2:3: dst = '?'; expected a whole number from 0 to 4294967295"},
      {"start_ns,source,dest,bytes\n",
       "list:1:17: no column 'dest'; expected one of start_ns, source, destination, bytes"},
      {"start_ns,source,bytes\n", "list:1:1: the column 'destination' is missing"},
      {"bytes,bytes\n", "list:1:7: the column 'bytes' again; expected each once"},
      {csv + "0,h1,h9,1\n",
       "list:2:6: destination = 'h9' is no node; expected a number from 0 to 7 or a name, did you "
       "mean 'h0'?"},
      {csv + "0,h1,8,1\n",
       "list:2:6: destination = 8; expected a node from 0 to 7 (nodes = \"modulo\" takes the "
       "remainder)"},
      {csv + "0,h1,h2\n", "list:2:1: 3 cells; expected 4, as in the heading"},
      {csv + ",h1,h2,1\n", "list:2:1: start_ns = ''; expected a decimal number, 0 or more"},
      {cm + "0->1 start 0\n", "list:3:1: a connection without its 'size'"},
      {cm + "0->1 start 0 size 0 send_done_trigger 1\n",
       "list:3:21: 'send_done_trigger' of a flow without end (size 0), which never fires"},
      {cm + "0->1 start 0 size -1\n",
       "list:3:19: size = '-1'; expected a whole number from 0 to 1099511627776"},
      {cm + "0->1 size 1\n", "list:3:1: a connection with neither 'start' nor 'trigger'"},
      {cm + "0->1 size 1 start 0 trigger 1\n",
       "list:3:21: a connection with both 'start' and 'trigger'"},
      {cm + "0->1 size 1 strat 0\n", "list:3:13: unknown word 'strat', did you mean 'start'?"},
      {cm + "0->1 size 1 size 1\n", "list:3:13: a second 'size'"},
      {cm + "0->1 size 1 start\n", "list:3:13: 'start' without its value"},
      {cm + "0->1 size 1 start 0 msg 1\n",
       "list:3:21: a message (msg) without the 'id' of its connection"},
      {cm + "0->1 size 1 start 0 id 1 msg 0\n",
       "list:3:30: msg = '0'; expected a whole number from 1 to 2147483647"},
      {cm + "0->1 size 0 start 0 id 1 msg\n",
       "list:3:26: a message (msg) of size 0; expected 1 byte or more"},
      {cm + "0->1 size 1 start 0 msg msg\n", "list:3:25: a second 'msg'"},
      {cm + "0->1 size 1 start 0 addon\n",
       "list:3:21: 'addon' is not supported; expected a flow of its own"},
      {"Nodes 4\nConnections 1\n0->4 size 1 start 0\n",
       "list:3:4: destination = 4; expected less than the 4 nodes of line 1"},
      {cm + "1->1 size 1 start 0\n",
       "list:3:4: a flow from 1 to itself; expected another destination"},
      {cm, "list:2:1: Connections 1; the file has 0"},
      {"Nodes 8\n0->1 size 1 start 0\n", "list: no line 'Connections 1'; expected one"},
      {"Nodes 8\nNodes 8\n", "list:2:1: Nodes is given on line 1 already"},
      {"Nodes 8\nFailures 1\n",
       "list:2:10: failures of links; expected them as [[impairment]] of the platform"},
      {cm + "Nod\x1b[31mes 3\n",
       "list:3:1: unknown line 'Nod\\x1b[31mes'; expected one of Nodes, Connections, Triggers, "
       "Failures, trigger, FROM->TO"},
      {cm + "Conections 3\n", "list:3:1: unknown line 'Conections', did you mean 'Connections'?"},
      {cm + "0->1 size 1 trigger 7\n",
       "list:3:1: trigger 7 has no line; expected 'trigger id 7 oneshot' or the like"},
      {cm + "0->1 size 1 start 0\ntrigger id 1 oneshot\n",
       "list: no line 'Triggers 1'; expected one"},
      {cm + "trigger id 1\n", "list:3:1: a trigger without oneshot, multishot or barrier"},
      {cm + "trigger oneshot\n", "list:3:1: a trigger without its 'id'"},
      {cm + "trigger id 1 barrier\n", "list:3:1: a barrier without its 'count'"},
      {cm + "trigger id 1 oneshot count 2\n",
       "list:3:22: a 'count' of a trigger that is no barrier"},
      {cm + "trigger id 1 oneshot\ntrigger id 1 oneshot\n",
       "list:4:1: trigger 1 is defined on line 3 already"},
      {"1\n" + std::string(5000, '1') + "\n",
       "list:2:1: a line of more than 4094 characters; expected a flow list"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(refusal(text), expected) << text;
}

TEST(FlowList, APackedListIsRead) {
  const std::string list = "2\n0 1 3 1000 2.0\n1 2 3 2000 2.5\n";
  const auto text = [](const std::vector<std::uint8_t>& b) {
    return std::string(b.begin(), b.end());
  };
  const std::vector<std::uint8_t> bytes(list.begin(), list.end());
  const std::string gzip = text(testing::gzip_of(bytes));
  for (const std::string& packed : {gzip, text(testing::zstd_of(bytes))}) {
    const All all = read(packed);
    EXPECT_EQ(all.format, ListFormat::ns3);
    ASSERT_EQ(all.flows.size(), 2u);
    EXPECT_EQ(all.flows[1].bytes, Bytes(2000));
  }
  EXPECT_EQ(refusal(gzip.substr(0, gzip.size() - 4)),
            "list: cannot be read: gzip: the file ends in the middle of its data");
}

TEST(FlowList, ASaidFormatIsNotGuessed) {
  EXPECT_EQ(refusal("1\n0 1 3 1 0\n", ListFormat::csv),
            "list:1:1: no column '1'; expected one of start_ns, source, destination, "
            "bytes");
  EXPECT_EQ(refusal("1\n0 1 3 1 0\n", ListFormat::ns3), "accepted");
}

TEST(FlowList, AMillionLinesTakeNoMoreMemoryThanAHundred) {
  const ListFile file;
  constexpr std::uint32_t lines = 1'000'000;
  {
    std::ofstream out(file.path(), std::ios::binary);
    out << lines << "\n";
    std::string block;
    for (std::uint32_t i = 0; i < lines; ++i) {
      block += fmt::format("{} {} 3 100 {} {}.{:09}\n", i % 8, (i + 1 + i / 8 % 7) % 8,
                           1 + i % 9999, 2 + i / 1000, i % 1000);
      if (block.size() > 60'000) out << block, block.clear();
    }
    out << block;
  }
  const auto used = [] { return ::mallinfo2().uordblks; };
  const auto list = FlowList::open(file.path(), ListFormat::automatic, eight());
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(list->next());
  const auto before = used();
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const long resident = usage.ru_maxrss;
  std::uint32_t n = 100;
  std::int64_t bytes = 0;
  Picoseconds last{};
  while (auto flow = list->next()) {
    ++n;
    bytes += flow->bytes.count();
    last = flow->at;
  }
  EXPECT_EQ(n, lines);
  std::int64_t expected = 0;
  for (std::uint32_t i = 100; i < lines; ++i) expected += 1 + i % 9999;
  EXPECT_EQ(bytes, expected);
  EXPECT_EQ(last, 1001 * 1'000'000'000_ns + 999_ns);
  EXPECT_EQ(used(), before);
  ::getrusage(RUSAGE_SELF, &usage);
  EXPECT_LT(usage.ru_maxrss - resident, 1024);  // KiB
}

}  // namespace
}  // namespace horae::traffic::flow_list_test
