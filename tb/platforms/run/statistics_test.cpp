// Statistics of devices: `horae run` and `horae replay` report the same counters with the same
// units.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "capture_bytes.hpp"
#include "program.hpp"
#include "roce_bytes.hpp"

namespace horae::test::statistics_test {
namespace {

using testing::bytes_of;
using testing::PcapBytes;
using testing::roce_packet;
using Units = std::map<std::string, std::string>;  // by name, groups joined by dots

// Hosts a, b and c on switch t, and a switch u behind it with host d; a and b both send to c.
std::string platform(const std::string& profile_of_t) {
  return R"([platform]
name = "two"
[sim]
duration = "100 us"
[host]
kind = "host"
[chip]
kind = "tofino"
program = { name = "forward", nack_drop = 1, nack_of = 4 }
[plain]
kind = "switch"
queue_limit = "20 KB"
deflect = true
[[device]]
names = ["a", "b", "c", "d"]
profile = "host"
[[device]]
names = ["t"]
profile = ")" +
         profile_of_t + R"("
[[device]]
names = ["u"]
profile = "plain"
[[link]]
between = ["a", "t"]
[[link]]
between = ["b", "t"]
[[link]]
between = ["c", "t"]
[[link]]
between = ["t", "u"]
[[link]]
between = ["d", "u"]
[[traffic]]
kind = "packets"
pattern = "pairs"
from = ["a", "b"]
to = ["c", "c"]
payload = "1 KiB"
count = 60
)";
}

void add_units(const ordered_json& group, const std::string& before, Units& units) {
  for (const auto& [name, entry] : group.items()) {
    if (entry.contains("unit") && entry.at("unit").is_string()) {
      units[before + name] = entry.at("unit").get<std::string>();
    } else {
      add_units(entry, before + name + ".", units);
    }
  }
}

// Results of switch t, its ports apart (a replay has rows of ports); counters of its
// program are among the results.
Units of_run(const ordered_json& summary) {
  Units units;
  ordered_json group = summary.at("statistics").at("t");
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(group.erase(fmt::format("port{}", i)), 1u);
  add_units(group, "", units);
  const std::string program = "t.program.";
  for (const auto& [name, result] : summary.at("results").items()) {
    if (name.rfind(program, 0) == 0)
      units["program." + name.substr(program.size())] = result.at("unit").get<std::string>();
  }
  return units;
}
Units of_replay(const ordered_json& summary) {
  Units units;
  add_units(summary.at("statistics").at("t"), "", units);
  return units;
}

// The load of the platform as captures: 60 packets of a and b each to c, one behind the other.
ordered_json replayed(const Workplace& place) {
  for (const NodeId node : {0u, 1u}) {
    PcapBytes pcap;
    for (std::uint32_t i = 0; i < 60; ++i)
      pcap.packet(1, 0, bytes_of(roce_packet(node, 2, Opcode::write_middle, i, 1024)));
    place.write(node == 0 ? "a.pcap" : "b.pcap", {pcap.bytes().begin(), pcap.bytes().end()});
  }
  const Ended ended = run(
      place, {"replay", "a.pcap@a", "b.pcap@b", "--platform", "p.toml", "--device", "t", "--json"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return ended.json();
}

TEST(Statistics, AChipsAreTheSameInRunAndReplay) {
  const Workplace place;
  place.write("p.toml", platform("chip"));
  const Units run = of_run(summary_of(place, "p.toml"));
  EXPECT_EQ(run, of_replay(replayed(place)));
  EXPECT_EQ(run.at("events"), "events");
  EXPECT_EQ(run.at("recirculated_bytes"), "bytes");
  EXPECT_EQ(run.at("pipeline_wait"), "ps");
  EXPECT_EQ(run.at("program.nacks_seen"), "packets");
  EXPECT_EQ(run.at("program.nacks_dropped"), "packets");
}

TEST(Statistics, APlainSwitchesAreTheSameInRunAndReplay) {
  const Workplace place;
  place.write("p.toml", platform("plain"));
  const ordered_json ran = summary_of(place, "p.toml"), replay = replayed(place);
  EXPECT_EQ(of_run(ran), of_replay(replay));
  for (const auto* summary : {&ran, &replay}) {
    const auto& deflected = summary->at("statistics").at("t").at("deflected");
    EXPECT_GT(deflected.at("value").get<std::uint64_t>(), 0u);
    EXPECT_EQ(deflected.at("unit"), "packets");
    const bool of_replay = summary == &replay;
    EXPECT_EQ(result(*summary, of_replay ? "deflected" : "switches.deflected"),
              deflected.at("value").get<double>());
  }
}

}  // namespace
}  // namespace horae::test::statistics_test
