// GOAL schedules: what is read, how a bad one is refused, and what the ranks' programs do when, on
// a network that takes a fixed time for each message.
#include "horae/traffic/goal.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <tuple>

#include "goal_bytes.hpp"
#include "goal_run.hpp"
#include "horae/core/error.hpp"
#include "horae/traffic/goal_program.hpp"
#include "packed_bytes.hpp"
#include "refusal.hpp"

namespace horae::traffic::goal_test {
namespace {

using testing::Ran;
using testing::run;

class GoalFile {
 public:
  explicit GoalFile(const std::string& bytes) {
    std::string pattern = (std::filesystem::temp_directory_path() / "horae.XXXXXX").string();
    path_ = std::filesystem::path(::mkdtemp(pattern.data())) / "s.goal";
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~GoalFile() { std::filesystem::remove_all(path_.parent_path()); }
  GoalFile(const GoalFile&) = delete;
  GoalFile& operator=(const GoalFile&) = delete;

  GoalSchedule read() const { return read_goal(path_.string()); }
  std::string refusal() const {
    const std::string why = test::refusal_of([&] { read(); });
    const std::string folder = path_.parent_path().string() + "/";
    return why.starts_with(folder) ? why.substr(folder.size()) : why;
  }

 private:
  std::filesystem::path path_;
};

std::string refusal(const std::string& bytes) { return GoalFile(bytes).refusal(); }

const std::string two =
    "num_ranks 2\n"
    "rank 0 {\n"
    "l1: calc 100 cpu 2\n"
    "l2: send 4096b to 1 tag 7 cpu 1 nic 0  // to the other\n"
    "l2 requires l1\n"
    "}\n"
    "/* a comment\nover lines */ rank 1 {\n"
    "a: recv 4096b from 0 tag 7\n"
    "calc 5\n"
    "b : calc 200\n"
    "b requires a\n"
    "b irequires a\n"
    "}\n";

TEST(Goal, TextIsReadAsItIsWritten) {
  const auto s = GoalFile(two).read();
  EXPECT_FALSE(s.binary);
  ASSERT_EQ(s.ranks.size(), 2u);
  EXPECT_EQ(s.operations(), 5u);
  const auto& ops = s.ranks[0].ops;
  EXPECT_EQ(ops[0].kind, GoalOp::Kind::calc);
  EXPECT_EQ(ops[0].size, 100u);
  EXPECT_EQ(ops[0].cpu, 2u);
  EXPECT_EQ(ops[1].kind, GoalOp::Kind::send);
  EXPECT_EQ(std::tie(ops[1].size, ops[1].peer, ops[1].tag), std::make_tuple(4096u, 1u, 7u));
  EXPECT_EQ(ops[1].place, 4u);
  EXPECT_EQ(ops[1].needs, 1u);
  ASSERT_EQ(s.ranks[0].after_end(ops[0]).size(), 1u);
  EXPECT_EQ(s.ranks[0].after_end(ops[0])[0], 1u);
  const auto& b = s.ranks[1];
  EXPECT_EQ(b.ops[2].needs, 2u);
  EXPECT_EQ(b.after_end(b.ops[0])[0], 2u);
  EXPECT_EQ(b.after_start(b.ops[0])[0], 2u);
}

void expect_same(const GoalSchedule& binary, const GoalSchedule& text) {
  EXPECT_TRUE(binary.binary);
  ASSERT_EQ(binary.ranks.size(), text.ranks.size());
  for (std::size_t r = 0; r < text.ranks.size(); ++r) {
    EXPECT_EQ(binary.ranks[r].dependents, text.ranks[r].dependents);
    ASSERT_EQ(binary.ranks[r].ops.size(), text.ranks[r].ops.size());
    for (std::size_t i = 0; i < text.ranks[r].ops.size(); ++i) {
      const auto &a = binary.ranks[r].ops[i], &b = text.ranks[r].ops[i];
      EXPECT_EQ(std::tie(a.kind, a.size, a.peer, a.tag, a.cpu, a.needs, a.first, a.at_end),
                std::tie(b.kind, b.size, b.peer, b.tag, b.cpu, b.needs, b.first, b.at_end));
    }
  }
  EXPECT_EQ(run(binary).ends, run(text).ends);
}

TEST(Goal, BinaryAndPackedAreTheSameSchedule) {
  const auto text = GoalFile(two).read();
  const std::string bytes = testing::goal_bytes(text);
  const auto packed = testing::gzip_of({bytes.begin(), bytes.end()});
  for (const std::string& file : {bytes, std::string(packed.begin(), packed.end())})
    expect_same(GoalFile(file).read(), text);
}

// Output of tb/tools/make_traces for a text, which is not what writes the bytes of these tests.
TEST(Goal, TheShippedBinaryScheduleIsThatOfItsText) {
  const std::string traces = HORAE_PLATFORM_DIR "/../traces/goal/";
  const auto binary = read_goal(traces + "ring_allreduce.bin");
  EXPECT_EQ(binary.operations(), 4u * (6 + 6 + 3));
  expect_same(binary, read_goal(traces + "ring_allreduce.goal"));
}

TEST(Goal, ACutBinaryFileIsRefusedWhereverItIsCut) {
  const std::string bytes = testing::goal_bytes(GoalFile(two).read());
  for (std::size_t n = 9; n < bytes.size(); n += 7)
    EXPECT_TRUE(refusal(bytes.substr(0, n)).starts_with("s.goal: byte ")) << n;
  std::string kind = bytes;
  kind[8 + 6 + 32 + 8 + 4 + 4] = 9;
  EXPECT_EQ(refusal(kind),
            "s.goal: byte 62: kind 9 of operation 0 of rank 0; expected 1 (send), 2 (recv) or 3 "
            "(calc)");
}

TEST(Goal, BadTextIsRefusedAtItsPlace) {
  const auto in_rank = [](const std::string& lines) {
    return "num_ranks 2\nrank 0 {\n" + lines + "}\nrank 1 {\n}\n";
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "s.goal: an empty file; expected a GOAL schedule: 'num_ranks N'"},
      {"rank 0 {\n}\n", "s.goal:1:1: 'rank'; expected 'num_ranks N' before it"},
      {"num_ranks 0\n", "s.goal:1:11: '0'; expected a rank at least"},
      {"num_ranks 2\nrank 0 {\n}\n", "s.goal:1:1: num_ranks is 2; the file has no 'rank 1 {'"},
      {"num_ranks 1\nrank 0 {\n", "s.goal:2:1: the end of the file in rank 0; expected '}'"},
      {"num_ranks 1\nrank 1 {\n", "s.goal:2:6: rank = '1'; expected a whole number from 0 to 0"},
      {"num_ranks 1\nrank 0 {\n}\nrank 0 {\n}\n", "s.goal:4:1: rank 0 is on line 2 already"},
      {in_rank("l1: clac 5\n"), "s.goal:3:5: 'clac'; expected calc, send or recv"},
      {in_rank("l1: calc\n"), "s.goal:3:9: the end of the line; expected calc, a whole number"},
      {in_rank("l1: send 5 to 1\n"), "s.goal:3:12: 'to'; expected 'b' behind the bytes"},
      {in_rank("l1: send 5b from 1\n"), "s.goal:3:13: 'from'; expected 'to'"},
      {in_rank("l1: send 5b to 2\n"),
       "s.goal:3:16: a rank = '2'; expected a whole number from 0 to "
       "1"},
      {in_rank("l1: send 5b to 0\n"), "s.goal:3:16: rank 0 itself; expected another rank"},
      {in_rank("l1: send 5b to -1\n"),
       "s.goal:3:16: a rank = '-1'; expected a whole number from 0 "
       "to 1"},
      {in_rank("l1: calc 5 tag 1\n"), "s.goal:3:12: 'tag'; expected 'cpu' or the end of the line"},
      {in_rank("l1: calc 5\nl1: calc 6\n"), "s.goal:4:1: label 'l1' is on line 3 already"},
      {in_rank("l1: calc 5\nl1 requires l2\n"),
       "s.goal:4:13: no label 'l2' before this line in rank 0, did you mean 'l1'?"},
      {in_rank("l1: calc 5\nl1 needs l1\n"),
       "s.goal:4:4: 'needs'; expected ':', 'requires' or 'irequires' behind the label 'l1'"},
      {in_rank("l1: calc 5 cpu 256\n"),
       "s.goal:3:16: cpu = '256'; expected a whole number from 0 to 255"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(refusal(text), expected) << text;
}

TEST(Goal, WhatCanNeverEndIsRefusedInOneLine) {
  EXPECT_EQ(refusal("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\nc: calc 1\nb requires a\n"
                    "b requires c\nc irequires b\n}\n"),
            "s.goal:4:1: a cycle: line 4 waits for line 5, which waits for line 4");
  EXPECT_EQ(refusal("num_ranks 2\nrank 0 {\nsend 8b to 1 tag 3\nsend 8b to 1 tag 3\n}\n"
                    "rank 1 {\nrecv 8b from 0 tag 3\n}\n"),
            "s.goal:4:1: this send is never received: rank 0 sends 2 messages of tag 3 to rank 1, "
            "which receives 1");
  EXPECT_EQ(refusal("num_ranks 2\nrank 0 {\nsend 8b to 1 tag 3\n}\nrank 1 {\n"
                    "recv 8b from 0 tag 4\n}\n"),
            "s.goal:3:1: this send is never received: rank 0 sends 1 messages of tag 3 to rank 1, "
            "which receives 0");
  // Each waits for the other before it sends.
  const std::string each = "a: recv 8b from {0}\nb: send 8b to {0}\nb requires a\n}}\n";
  EXPECT_EQ(refusal("num_ranks 2\nrank 0 {\n" + fmt::format(fmt::runtime(each), 1) + "rank 1 {\n" +
                    fmt::format(fmt::runtime(each), 0)),
            "s.goal:3:1: a deadlock: this recv of rank 0 waits for the send of line 9 of rank 1, "
            "which waits for others that wait for it");
}

// calc 100 ns, then a message of 1 us, then 200 ns more; the sender ends when it is acknowledged.
TEST(GoalProgram, TimesOfAMessageAreClosedForms) {
  const auto s = GoalFile(two).read();
  EXPECT_EQ(run(s).ends, (std::vector<Picoseconds>{2100_ns, 1300_ns}));
  EXPECT_EQ(run(s, {.sends_end_posted = true}).ends, (std::vector<Picoseconds>{100_ns, 1300_ns}));
  // Twice the overhead on the way, and calcs ten times as long; everything 3 us later.
  EXPECT_EQ(run(s, {.start = 3_us, .calc_unit = 10_ns, .overhead = 50_ns}).ends,
            (std::vector<Picoseconds>{6050_ns, 7100_ns}));
}

TEST(GoalProgram, ACpuDoesOneCalcAtATimeAndCpusWorkSideBySide) {
  const auto end = [](const std::string& lines) {
    return run(GoalFile("num_ranks 1\nrank 0 {\n" + lines + "}\n").read()).ends[0];
  };
  EXPECT_EQ(end("calc 100\ncalc 200\n"), 300_ns);
  EXPECT_EQ(end("calc 100\ncalc 200 cpu 1\n"), 200_ns);
  // b may start as soon as a has started, on another cpu.
  EXPECT_EQ(end("a: calc 100\nb: calc 100 cpu 1\nb requires a\n"), 200_ns);
  EXPECT_EQ(end("a: calc 100\nb: calc 100 cpu 1\nb irequires a\n"), 100_ns);
  // c starts behind a, on its cpu; b waits for that start.
  EXPECT_EQ(end("a: calc 100\nc: calc 100\nb: calc 500 cpu 1\nb irequires c\n"), 600_ns);
}

TEST(GoalProgram, RecvsTakeMessagesInTheOrderOfBothAndOfAnySource) {
  const auto s = GoalFile(
                     "num_ranks 3\nrank 0 {\n"
                     "a: recv 8b from -1 tag -1\nb: recv 8b from 2 tag 5 cpu 1\n"
                     "c: calc 10000\nc requires a\nd: calc 100000 cpu 1\nd requires b\n}\n"
                     "rank 1 {\nw: calc 300\ns: send 8b to 0 tag 4\ns requires w\n}\n"
                     "rank 2 {\nsend 8b to 0 tag 5\nw: calc 700\ns: send 8b to 0 tag 5\n"
                     "s requires w\n}\n")
                     .read();
  // The first message of rank 2 goes to `a`, its second one to `b`; that of rank 1 to nobody.
  const Ran ran = run(s);
  EXPECT_EQ(ran.ends[0], 1700_ns + 100_us);
  EXPECT_TRUE(ran.finished);
  EXPECT_EQ(ran.messages, 3u);
}

std::filesystem::path shipped(const std::string& name) {
  return std::filesystem::path(HORAE_PLATFORM_DIR).parent_path() / "traces" / "goal" / name;
}

// Six messages behind each other, three of which are added; the last one is acknowledged.
TEST(GoalProgram, TheShippedRingTakesItsSteps) {
  const auto s = read_goal(shipped("ring_allreduce.goal").string());
  for (const Picoseconds latency : {1_us, 70_us}) {
    for (const Picoseconds end : run(s, {}, latency).ends)
      EXPECT_EQ(end, 6 * latency + 3 * 20_us + latency);
  }
}

// (stages + micro-batches - 1) times forward and backward, and the way there and back.
TEST(GoalProgram, TheShippedPipelineHasItsBubble) {
  const auto s = read_goal(shipped("pipeline.goal").string());
  for (const Picoseconds latency : {1_us, 70_us}) {
    const auto ends = run(s, {}, latency).ends;
    EXPECT_EQ(ends[0], (4 + 3 - 1) * 300_us + 2 * 3 * latency);
    EXPECT_EQ(*std::max_element(ends.begin(), ends.end()), ends[0]);
  }
}

// A ring of n: every step takes a message and a calc, and the last send is acknowledged. 10^5
// operations and more.
TEST(GoalProgram, AHundredThousandOperationsOfARing) {
  constexpr std::uint32_t ranks = 40, steps = 840;
  std::string text = fmt::format("num_ranks {}\n", ranks);
  for (std::uint32_t r = 0; r < ranks; ++r) {
    text += fmt::format("rank {} {{\ns0: send 64b to {} tag 1\n", r, (r + 1) % ranks);
    for (std::uint32_t s = 0; s < steps; ++s) {
      text += fmt::format("r{0}: recv 64b from {1} tag 1\nc{0}: calc 250\nc{0} requires r{0}\n", s,
                          (r + ranks - 1) % ranks);
      if (s + 1 < steps)
        text += fmt::format("s{0}: send 64b to {1} tag 1\ns{0} requires c{2}\n", s + 1,
                            (r + 1) % ranks, s);
    }
    text += "}\n";
  }
  const auto s = GoalFile(text).read();
  EXPECT_EQ(s.operations(), std::uint64_t{ranks} * 3 * steps);
  EXPECT_GT(s.operations(), 100'000u);
  const Ran ran = run(s);
  EXPECT_TRUE(ran.finished);
  EXPECT_EQ(ran.messages, std::uint64_t{ranks} * steps);
  for (const Picoseconds end : ran.ends) EXPECT_EQ(end, (steps - 1) * 1250_ns + 2_us);
  // All messages of a rank go over one channel.
  EXPECT_EQ(GoalPlan(s, {}).channels().size(), ranks);
}

}  // namespace
}  // namespace horae::traffic::goal_test
