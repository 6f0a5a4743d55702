// A cause that holds a sender back for more than a fifth of the time is named, with its key and a
// value; and with that value it is named no more.
#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "networks.hpp"
#include "program.hpp"

namespace horae::test::held_back_test {
namespace {

/// perftest between two NICs of a file, on a switch.
std::string pair_of(const std::string& spec) {
  return "[platform]\nname = \"pair\"\n[sim]\nduration = \"300 us\"\nwarmup = \"100 us\"\n"
         "[nic]\nkind = \"rnic\"\nspec = \"" +
         spec +
         R"("
[switch]
kind = "switch"
[link_default]
rate = "400 Gbps"
delay = "100 ns"
)" + on_a_switch({"a", "b"}) +
         R"([[traffic]]
kind = "messages"
from = ["a"]
to = ["b"]
message = "64 KiB"
)";
}

struct Said {
  std::string line;  ///< the first of "held back: "; empty: none
  double rate = 0;   ///< senders.completed_rate, Gbps
};

Said said_by(const std::string& platform, const Words& settings) {
  const Workplace place;
  place.write("p.toml", platform);
  const Ended ended = run(place, with_settings({"run", "p.toml", "--no-progress"}, settings));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  Said said;
  std::smatch match;
  if (std::regex_search(ended.out, match, std::regex("held back: [^\n]*"))) said.line = match[0];
  if (std::regex_search(ended.out, match, std::regex("senders.completed_rate +([0-9.]+)")))
    said.rate = std::stod(match[1]);
  return said;
}

// Each shipped NIC of 400 Gbps and more, with one queue pair: measured on a ConnectX-7 are 380 Gbps
// with messages of 16 KiB and 392 with 128 KiB at an MTU of 4 KiB.
TEST(HeldBack, OneQueuePairOfEachShippedNicHasItsLine) {
  for (const std::string spec : {"connectx7", "connectx8", "thor_ultra"}) {
    for (const std::string message : {"16KiB", "128KiB"}) {
      const Said said = said_by(pair_of(spec), {"nic.mtu=4KiB", "traffic[0].message=" + message});
      EXPECT_EQ(said.line, "") << spec;
      EXPECT_GT(said.rate, 380) << spec << " " << message;
      EXPECT_LT(said.rate, 395) << spec << " " << message;
    }
  }
}

struct Case {
  Words settings;
  std::string cause, key;
};

// The value that is needed is a value with which it is not named again.
TEST(HeldBack, TheCauseHasItsKeyAndTheValueThatLiftsIt) {
  const std::vector<Case> cases = {
      {{"nic.fetch.prefetch=16KiB"}, "payload", "nic.fetch.prefetch"},
      {{"nic.memory.remote=true", "nic.memory.numa_extra=600ns"}, "payload", "nic.fetch.prefetch"},
      {{"nic.pcie.lanes=4"}, "payload", "nic.pcie.lanes"},
      {{"nic.pcie.tags=16"}, "payload", "nic.pcie.tags"},
      {{"nic.sram.tx_buffer=8KiB"}, "payload", "nic.sram.tx_buffer"},
      {{"nic.fetch.wqe_batch=2", "traffic[0].message=4KiB"}, "payload", "nic.fetch.wqe_batch"},
      {{"nic.reliability.window=32", "nic.reliability.ack_every=4"},
       "window",
       "nic.reliability.window"},
      {{"nic.qp_rate=100Gbps"}, "shaper", "nic.qp_rate"}};
  for (const Case& c : cases) {
    const Said said = said_by(pair_of("connectx7"), c.settings);
    const std::regex form(
        "held back: a for [0-9]+ % of the time by ([a-z_]+): ([a-z_.]+) "
        "[^;]+; ([0-9.]+ ?[A-Za-z]*) needed");
    std::smatch match;
    ASSERT_TRUE(std::regex_match(said.line, match, form)) << c.key << ": " << said.line;
    EXPECT_EQ(match[1], c.cause);
    EXPECT_EQ(match[2], c.key);
    Words lifted = c.settings;
    lifted.push_back(match[2].str() + "=" + match[3].str());
    std::erase_if(lifted, [&](const std::string& s) {
      return s.starts_with(match[2].str() + "=") && &s != &lifted.back();
    });
    const Said then = said_by(pair_of("connectx7"), lifted);
    EXPECT_EQ(then.line.find("by " + c.cause), std::string::npos) << then.line;
    EXPECT_GT(then.rate, said.rate) << c.key;
  }
}

TEST(HeldBack, ASweepSaysItOfEachPoint) {
  const Workplace place;
  place.write("p.toml", pair_of("connectx7") + R"([sweep]
[[sweep.point]]
label = "as shipped"
set = []
[[sweep.point]]
label = "16 KiB"
set = ["nic.fetch.prefetch=16KiB"]
[[sweep.column]]
title = "Gbps"
metric = "senders.completed_rate"
digits = 0
)");
  const Ended ended = run(place, {"run", "p.toml", "--no-progress"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const Ended alone = run(place, {"run", "p.toml", "--no-progress", "--point", "16 KiB"});
  std::smatch match;
  ASSERT_TRUE(std::regex_search(alone.out, match, std::regex("\\nheld back: [^\n]*\n")));
  EXPECT_NE(ended.out.find("\n16 KiB: " + match.str().substr(1)), std::string::npos) << ended.out;
  EXPECT_EQ(ended.out.find("as shipped: "), std::string::npos) << ended.out;
}

TEST(HeldBack, NothingIsSaidOfAFifthOrLess) {
  const Words slow = {"nic.qp_rate=322Gbps"};
  EXPECT_EQ(said_by(pair_of("connectx7"), slow).line, "");
  EXPECT_NE(said_by(pair_of("connectx7"), {"nic.qp_rate=315Gbps"}).line, "");
}

}  // namespace
}  // namespace horae::test::held_back_test
