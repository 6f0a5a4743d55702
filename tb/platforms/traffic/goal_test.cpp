// kind = "goal" on a platform: times in closed form, the same under any scheduling, what is stuck
// and what is refused; collectives that are schedules.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "csv.hpp"
#include "horae/core/packet.hpp"
#include "horae/core/units.hpp"
#include "program.hpp"

namespace horae::test::goal_test {
namespace {

/// So many NICs around one switch of no latency to speak of.
std::string star(unsigned nics, const std::string& traffic) {
  std::string names, links;
  for (unsigned i = 0; i < nics; ++i) {
    names += fmt::format("{}\"h{}\"", i == 0 ? "" : ", ", i);
    links += fmt::format("[[link]]\nbetween = [\"h{}\", \"sw\"]\n", i);
  }
  return fmt::format(R"([platform]
name = "star"
[sim]
duration = "50 ms"
stop = "finished"
[nic]
kind = "rnic"
mtu = "1000 B"
tx_latency = "300 ns"
rx_latency = "200 ns"
[plain]
kind = "switch"
latency = "100 ns"
[link_default]
rate = "100 Gbps"
delay = "500 ns"
[[device]]
names = [{}]
profile = "nic"
[[device]]
names = ["sw"]
profile = "plain"
{}[[traffic]]
{})",
                     names, links, traffic);
}

/// From posting until the last byte is there. The first packet, with its longer header, goes over
/// both links alone; all others follow it without a gap on the second one.
Picoseconds one_way(std::int64_t bytes) {
  Picoseconds wire{}, alone{};
  const std::int64_t packets = std::max<std::int64_t>(1, (bytes + 999) / 1000);
  for (std::int64_t i = 0; i < packets; ++i) {
    const bool first = i == 0, end = i + 1 == packets;
    const Opcode opcode = first ? (end ? Opcode::write_only : Opcode::write_first)
                                : (end ? Opcode::write_last : Opcode::write_middle);
    const Bytes payload(end ? bytes - i * 1000 : 1000);
    const Picoseconds time = serialisation_time(l1_bytes(frame_bytes(opcode, payload)), 100_Gbps);
    wire += time;
    if (first) alone = time;
  }
  return 300_ns + alone + 500_ns + 100_ns + wire + 500_ns + 200_ns;
}

std::uint64_t delivered(const ordered_json& summary) {
  std::uint64_t bytes = 0;
  for (const auto& [name, device] : summary.at("statistics").items()) {
    if (device.contains("delivered_bytes"))
      bytes += device.at("delivered_bytes").at("value").get<std::uint64_t>();
  }
  return bytes;
}

double us(Picoseconds time) { return to_microseconds(time); }

const std::string ping_pong =
    "num_ranks 2\n"
    "rank 0 {\ns: send 64000b to 1 tag 4\nr: recv 3000b from 1 tag 5\nc: calc 7000\nc requires "
    "r\n}\n"
    "rank 1 {\nr: recv 64000b from 0 tag 4\nc: calc 5000\nc requires r\ns: send 3000b to 0 tag 5\n"
    "s requires c\n}\n";

TEST(GoalPlatform, APingPongTakesItsMessagesAndCalcs) {
  const Workplace place;
  place.write("s.goal", ping_pong);
  place.write("p.toml", star(2, "kind = \"goal\"\nfile = \"s.goal\"\n"));
  const Picoseconds expected = one_way(64000) + 5_us + one_way(3000) + 7_us;
  for (const char* scheduling : {"windowed", "exact_wake"}) {
    const auto s = summary_of(place, "p.toml", {std::string("sim.scheduling=") + scheduling});
    EXPECT_EQ(s.at("verdict"), "complete");
    EXPECT_NEAR(result(s, "schedules.end_max"), us(expected), 1e-6);
    EXPECT_EQ(result(s, "schedules.unfinished"), 0);
    const auto& row = s.at("rows").at("schedules").at(0);
    EXPECT_EQ(row.at("operations"), 6);
    EXPECT_EQ(row.at("messages"), 2);
    EXPECT_EQ(row.at("bytes"), 67000);
    EXPECT_EQ(row.at("connections"), 2);
  }
  // Overheads at both ends of both messages; everything 11 us later.
  const auto later =
      summary_of(place, "p.toml", {"traffic[0].overhead=2us", "traffic[0].start=11us"});
  EXPECT_NEAR(result(later, "schedules.end_max"), us(expected + 4 * 2_us + 11_us), 1e-6);
}

// A calc that takes longer than anything may be stuck is no reason to stop.
TEST(GoalPlatform, ALongCalcIsWaitedFor) {
  const Workplace place;
  place.write("s.goal",
              "num_ranks 2\nrank 0 {\nc: calc 30000000\ns: send 0b to 1\ns requires c\n}\n"
              "rank 1 {\nrecv 0b from 0\n}\n");
  place.write("p.toml", star(2, "kind = \"goal\"\nfile = \"s.goal\"\nsend_done = \"posted\"\n"));
  const auto s = summary_of(place, "p.toml", {"sim.stuck_after=10us"});
  EXPECT_EQ(s.at("verdict"), "complete");
  EXPECT_NEAR(result(s, "schedules.end_max"), us(30_ms + one_way(0)), 1e-6);
}

// Two NICs of which each is at the other end of the other's cable: no switch, and its time gone.
TEST(GoalPlatform, NicsMayBeJoinedDirectly) {
  const Workplace place;
  place.write("s.goal", "num_ranks 2\nrank 0 {\nsend 0b to 1\n}\nrank 1 {\nrecv 0b from 0\n}\n");
  std::string text = star(2, "kind = \"goal\"\nfile = \"s.goal\"\nsend_done = \"posted\"\n");
  const auto cut = [&](const std::string& what, const std::string& with) {
    text.replace(text.find(what), what.size(), with);
  };
  cut("[[device]]\nnames = [\"sw\"]\nprofile = \"plain\"\n", "");
  cut("[[link]]\nbetween = [\"h1\", \"sw\"]\n", "");
  cut("[\"h0\", \"sw\"]", "[\"h0\", \"h1\"]");
  cut("[plain]\nkind = \"switch\"\nlatency = \"100 ns\"\n", "");
  place.write("p.toml", text);
  const auto s = summary_of(place, "p.toml");
  EXPECT_EQ(s.at("verdict"), "complete");
  const Picoseconds wire =
      serialisation_time(l1_bytes(frame_bytes(Opcode::write_only, 0_B)), 100_Gbps);
  EXPECT_NEAR(result(s, "schedules.end_max"), us(300_ns + wire + 500_ns + 200_ns), 1e-6);
}

TEST(GoalPlatform, WhatTimeMakesADeadlockIsStuck) {
  const Workplace place;
  place.write(
      "s.goal",
      "num_ranks 3\nrank 0 {\na: recv 8b from -1\nb: recv 8b from 2\n}\n"
      "rank 1 {\nw: calc 5000\ns: send 8b to 0\ns requires w\n}\nrank 2 {\nsend 8b to 0\n}\n");
  place.write("p.toml", star(3, "kind = \"goal\"\nfile = \"s.goal\"\n"));
  const Ended ended = run(place, {"run", "p.toml"});
  EXPECT_EQ(ended.exit_code, 4);
  EXPECT_NE(ended.err.find("h0 rank 0: the recv of line 4 waits, from rank 2, tag 0"),
            std::string::npos)
      << ended.err;
}

TEST(GoalPlatform, WhatCannotBeDoneIsRefused) {
  const Workplace place;
  const auto refused = [&](const std::string& schedule, const std::string& more = "") {
    place.write("s.goal", schedule);
    place.write("p.toml", star(2, "kind = \"goal\"\nfile = \"s.goal\"\n" + more));
    const Ended ended = run(place, {"run", "p.toml"});
    EXPECT_EQ(ended.exit_code, 2) << ended.out;
    return ended.err;
  };
  EXPECT_NE(refused("num_ranks 3\nrank 0 {\n}\nrank 1 {\n}\nrank 2 {\n}\n")
                .find(": 2 NICs for the 3 ranks of s.goal; expected as many or more"),
            std::string::npos);
  EXPECT_EQ(
      refused("num_ranks 2\nrank 0 {\nsend 8b to 1 tag 0 nic 1\n}\nrank 1 {\n"
              "recv 8b from 0 tag 0\n}\n"),
      "horae: s.goal:3:1: nic 1: a rank has one NIC here; expected nic 0, or nics = \"one\"\n");
  EXPECT_EQ(
      refused("num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\n}\n"),
      "horae: s.goal:3:1: this send is never received: rank 0 sends 1 messages of tag 0 to rank "
      "1, which receives 0\n");
  EXPECT_NE(refused(ping_pong, "members = [\"h0\"]\n")
                .find("1 NICs for the 2 ranks of s.goal; expected "
                      "as many"),
            std::string::npos);
}

std::string shipped(const std::string& name) {
  return (std::filesystem::path(HORAE_PLATFORM_DIR).parent_path() / "traces" / "goal" / name)
      .string();
}

TEST(GoalPlatform, TheShippedSchedulesEnd) {
  const Workplace place;
  place.write("p.toml",
              star(4, "kind = \"goal\"\nfile = \"" + shipped("ring_allreduce.goal") + "\"\n"));
  const auto ring = summary_of(place, "p.toml");
  EXPECT_EQ(ring.at("verdict"), "complete");
  EXPECT_EQ(delivered(ring), 4u * 6 * 262144);
  // Each rank sends and receives at the same time: six messages, three additions.
  EXPECT_NEAR(result(ring, "schedules.end_mean"), us(6 * one_way(262144) + 60_us), 3.0);
  place.write("p.toml", star(4, "kind = \"goal\"\nfile = \"" + shipped("pipeline.goal") + "\"\n"));
  const auto pipeline = summary_of(place, "p.toml");
  EXPECT_EQ(pipeline.at("verdict"), "complete");
  EXPECT_GT(result(pipeline, "schedules.end_max"), us(6 * 300_us + 6 * one_way(2'000'000)));
}

// A ring over nodes of one rank is the ring.
TEST(ScheduledCollective, HierarchicalOverNodesOfOneIsTheRing) {
  const Workplace place;
  place.write("p.toml", star(6, "kind = \"collective\"\nsize = \"480 KB\"\nslices = 2\n"));
  const auto ring = summary_of(place, "p.toml", {"traffic[0].compute=3us"});
  const auto rings = summary_of(
      place, "p.toml",
      {"traffic[0].compute=3us", "traffic[0].operation=hierarchical", "traffic[0].local=1"});
  EXPECT_EQ(result(rings, "collectives.cct_max"), result(ring, "collectives.cct_max"));
}

TEST(ScheduledCollective, GroupsStartOneAfterTheOtherAndCompleteAlike) {
  const Workplace place;
  place.write("p.toml", star(8,
                             "kind = \"collective\"\noperation = \"tree\"\nsize = \"100 KB\"\n"
                             "groups = 2\nstagger = \"2 ms\"\nstart = \"7 us\"\n"));
  const auto s = summary_of(place, "p.toml");
  EXPECT_EQ(s.at("verdict"), "complete");
  const auto& groups = s.at("rows").at("groups");
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups.at(1).at("start_us"), 2007.0);
  EXPECT_NEAR(groups.at(0).at("cct_us").get<double>(), groups.at(1).at("cct_us").get<double>(),
              1e-6);
  // Among four ranks 0 has the child 2, and this one 1 and 3. Up: both to 2 at once, then to 0;
  // down: to 2, and from there to both at once; an acknowledgement. Four messages' time of wire
  // at 2.
  const Picoseconds wire =
      serialisation_time(l1_bytes(frame_bytes(Opcode::write_middle, 1000_B)), 100_Gbps) * 100;
  EXPECT_NEAR(groups.at(0).at("cct_us").get<double>(), us(6 * wire), 10.0);
  EXPECT_EQ(delivered(s), 2u * 6 * 100'000);
}

TEST(ScheduledCollective, KeysOfOtherOperationsAreRefused) {
  const Workplace place;
  const auto refused = [&](const std::string& more) {
    place.write("p.toml", star(4, "kind = \"collective\"\n" + more));
    const Ended ended = run(place, {"run", "p.toml"});
    EXPECT_EQ(ended.exit_code, 2);
    return ended.err;
  };
  EXPECT_NE(refused("local = 2\n").find("local is of operation = \"hierarchical\""),
            std::string::npos);
  EXPECT_NE(refused("operation = \"hierarchical\"\n").find("needs 'local'"), std::string::npos);
  EXPECT_NE(refused("operation = \"hierarchical\"\nlocal = 3\n")
                .find("4 ranks do not make nodes of 3 each (local)"),
            std::string::npos);
  EXPECT_NE(refused("operation = \"tree\"\nwindow = 3\n").find("window is of operation"),
            std::string::npos);
}

}  // namespace
}  // namespace horae::test::goal_test
