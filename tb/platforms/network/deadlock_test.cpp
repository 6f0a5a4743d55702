// PFC and a ring of buffers that wait for each other: a deadlock, which the program must notice,
// and the same ring without the last link of the chain, which must run to its end.
#include <gtest/gtest.h>

#include <string>

#include "program.hpp"

namespace horae::test::deadlock_test {
namespace {

constexpr int switches = 5;

/// Loss of links to NICs, and of those between switches.
struct Delays {
  std::string nics = "500 ns", ring = "500 ns";
};

/// Five switches in a ring with a NIC each. The first `flows` of them send to the NIC two switches
/// on, clockwise, the short way: what comes from one link of the ring waits for the next link.
/// `kind` of switch i is "plain" or "chip".
template <class Kind>
std::string ring(int flows, Kind&& kind, const Delays& delays = {}) {
  std::string text = R"([platform]
name = "ring"
[sim]
duration = "50 s"
stop = "finished"
stuck_after = "1 ms"
[nic]
kind = "rnic"
mtu = "1 KiB"
reliability = { window = 4096, rto = "3 s" }
[plain]
kind = "switch"
latency = "300 ns"
pfc = { xoff = "30 KB", xon = "20 KB" }
[chip]
kind = "tofino"
pfc = { xoff = "30 KB", xon = "20 KB" }
program = { name = "forward" }
)";
  std::string links, traffic;
  for (int i = 0; i < switches; ++i) {
    text += fmt::format(
        "[[device]]\nnames = [\"h{0}\"]\nprofile = \"nic\"\n"
        "[[device]]\nnames = [\"s{0}\"]\nprofile = \"{1}\"\n"
        "[[link]]\nbetween = [\"h{0}\", \"s{0}\"]\ndelay = \"{2}\"\n",
        i, kind(i), delays.nics);
    links += fmt::format("[[link]]\nbetween = [\"s{}\", \"s{}\"]\ndelay = \"{}\"\n", i,
                         (i + 1) % switches, delays.ring);
    if (i < flows) {
      traffic += fmt::format(
          "[[traffic]]\nkind = \"messages\"\nfrom = [\"h{}\"]\nto = [\"h{}\"]\n"
          "message = \"1 MiB\"\ncount = 4\n",
          i, (i + 2) % switches);
    }
  }
  return text + links + traffic;
}

Ended run_ring(const std::string& text) {
  const Workplace place;
  place.write("p.toml", text);
  return run(place, {"run", "p.toml", "--json"});
}
std::string plain(int) { return "plain"; }
std::string chip(int) { return "chip"; }
std::string mixed(int i) { return i % 2 == 0 ? "plain" : "chip"; }

/// The whole ring stands: nothing was dropped, each switch waits for the next one.
template <class Kind>
void expect_deadlock(Kind&& kind, const Delays& delays = {},
                     std::int64_t within_ps = 1'200'000'000) {
  const Ended ended = run_ring(ring(switches, kind, delays));
  EXPECT_EQ(ended.exit_code, 4);
  const ordered_json s = ended.json();
  EXPECT_EQ(s.at("verdict"), "stuck");
  EXPECT_GT(s.at("packets").at("in_flight"), 0);
  for (const auto& [cause, n] : s.at("packets").at("dropped").items()) EXPECT_EQ(n, 0) << cause;
  // Soon after the patience of a millisecond, and what is on the wires.
  EXPECT_LT(s.at("sim_time_ps"), within_ps);
  // Who waits for whom: by port 0 a switch reaches its NIC, by port 2 the next one, s0 by port 1.
  const std::string who =
      "s0 port 1 (class 0) waits for s1 port 2, which waits for s2 port 2, which waits for s3 "
      "port 2, which waits for s4 port 2, which waits for s0 port 1";
  EXPECT_EQ(s.at("deadlock"), who);
  EXPECT_NE(ended.err.find("\n  deadlock: " + who + "\n"), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("horae: no progress; what is waiting:\n"), std::string::npos)
      << ended.err;
  for (int i = 0; i < switches; ++i) {
    // Port 0 leads to the NIC; of the ring's links, s0 has the next switch on port 1.
    const auto at = ended.err.find(fmt::format("\n  s{} port {}", i, i == 0 ? 1 : 2));
    ASSERT_NE(at, std::string::npos) << ended.err;
    const std::string line = ended.err.substr(at + 1, ended.err.find('\n', at + 1) - at - 1);
    EXPECT_TRUE(line.ends_with(" bytes, paused")) << line;
    EXPECT_NE(ended.err.find(fmt::format("\n  h{} queue pair", i)), std::string::npos);
  }
}
/// One flow less, and one link of the ring waits for no other.
template <class Kind>
void expect_completion(Kind&& kind, const Delays& delays = {}) {
  const Ended ended = run_ring(ring(switches - 1, kind, delays));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  const ordered_json s = ended.json();
  EXPECT_EQ(s.at("verdict"), "complete");
  EXPECT_FALSE(s.contains("deadlock"));
  EXPECT_EQ(s.at("packets").at("in_flight"), 0);
  for (const auto& [cause, n] : s.at("packets").at("dropped").items()) EXPECT_EQ(n, 0) << cause;
  // It was not for want of pauses.
  EXPECT_GT(s.at("results").at("nics.paused").at("value"), 0.1);
}

TEST(Deadlock, ARingOfPlainSwitchesStandsStill) { expect_deadlock(plain); }
TEST(Deadlock, ARingOfChipsStandsStill) { expect_deadlock(chip); }
TEST(Deadlock, ARingOfBothStandsStill) { expect_deadlock(mixed); }
TEST(Deadlock, AChainOfPlainSwitchesDoesNot) { expect_completion(plain); }
TEST(Deadlock, AChainOfChipsDoesNot) { expect_completion(chip); }
TEST(Deadlock, AChainOfBothDoesNot) { expect_completion(mixed); }

// Timers of 3 s are due all the while: NICs are paused, so they change nothing.
TEST(Deadlock, IsFoundWhateverTheDelaysAre) {
  expect_deadlock(plain, {"20 ns", "20 ns"});
  expect_deadlock(chip, {"1 us", "10 us"});
  expect_deadlock(plain, {"1 ms", "500 ns"}, 3'200'000'000);
  expect_deadlock(mixed, {"10 us", "500 ns"});
  expect_deadlock(plain, {"1 s", "500 ns"}, 2'100'000'000'000);
}
TEST(Deadlock, IsNotFoundInAChainWhateverTheDelaysAre) {
  expect_completion(plain, {"20 ns", "20 ns"});
  expect_completion(mixed, {"1 ms", "500 ns"});
}

}  // namespace
}  // namespace horae::test::deadlock_test
