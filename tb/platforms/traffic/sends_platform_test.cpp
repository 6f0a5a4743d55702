// SENDs of platforms: what receive queues let through, collectives of them, errors, refusals.
#include <gtest/gtest.h>

#include <string>

#include "program.hpp"

namespace horae::test::sends_platform_test {
namespace {

/// Four NICs behind a switch, each message of 1 KiB into the last one.
const std::string four = R"([platform]
name = "sends"
[sim]
duration = "20 ms"
stop = "finished"
[nic]
kind = "rnic"
host = "pcie"
reliability = { min_rnr_timer = 1 }
receive = { depth = 4, post = "2 us" }
[switch]
kind = "switch"
[[device]]
names = ["s"]
profile = "switch"
[[device]]
names = ["a", "b", "c", "d"]
profile = "nic"
[[link]]
between = ["a", "s"]
[[link]]
between = ["b", "s"]
[[link]]
between = ["c", "s"]
[[link]]
between = ["d", "s"]
[link_default]
rate = "100 Gbps"
delay = "500 ns"
[[traffic]]
kind = "messages"
from = ["a", "b", "c"]
to = ["d", "d", "d"]
message = "1 KiB"
count = 40
verb = "send"
)";

double value(const ordered_json& s, const std::string& name) {
  return s.at("results").at(name).at("value").get<double>();
}

TEST(SendsPlatform, AllMessagesComeThroughFewReceiveWqes) {
  const Workplace place;
  for (const std::string verb : {"send", "write_imm"}) {
    place.write("p.toml", four);
    const auto s = summary_of(place, "p.toml", {"traffic[0].verb=" + verb});
    EXPECT_EQ(value(s, "senders.messages_completed"), 120);
    EXPECT_EQ(value(s, "receivers.messages_received"), 120);
    EXPECT_GT(value(s, "senders.rnr_naks_received"), 20);
    EXPECT_GT(value(s, "senders.idle_receiver"), 0.1);
    EXPECT_EQ(value(s, "senders.timeouts"), 0);
    EXPECT_GT(value(s, "nics.pcie_receive_wqe_to_nic"), 0);
  }
}

/// A queue that is deep enough refuses nothing, and a shared one of the same depth is not.
TEST(SendsPlatform, DepthDecides) {
  const Workplace place;
  place.write("p.toml", four);
  EXPECT_EQ(
      value(summary_of(place, "p.toml", {"nic.receive.depth=40"}), "senders.rnr_naks_received"), 0);
  EXPECT_EQ(value(summary_of(place, "p.toml", {"nic.receive.depth=120", "nic.receive.shared=true"}),
                  "senders.rnr_naks_received"),
            0);
  EXPECT_GT(value(summary_of(place, "p.toml", {"nic.receive.depth=40", "nic.receive.shared=true"}),
                  "senders.rnr_naks_received"),
            0);
}

TEST(SendsPlatform, WithoutRetriesConnectionsEndInError) {
  const Workplace place;
  place.write("p.toml", four);
  const Ended ended =
      run(place, with_settings({"run", "p.toml", "--out", "out"}, {"nic.reliability.rnr_retry=0"}));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  const auto s = place.read_json("out/summary.json");
  EXPECT_EQ(value(s, "flows.in_error"), 3);
  EXPECT_EQ(value(s, "flows.rnr_in_error"), 3);
  EXPECT_EQ(value(s, "senders.rnr_naks_received"), 3);
}

/// Ranks of a collective wait for CQEs, which come behind the payload.
TEST(SendsPlatform, CollectivesWaitForTheCqe) {
  const Workplace place;
  place.write("p.toml", four);
  const auto time = [&](const std::string& verb) {
    const auto s = summary_of(
        place, "p.toml",
        {"traffic=[{ kind = \"collective\", operation = \"all_gather\", size = \"64 KiB\", "
         "verb = \"" +
         verb + "\" }]"});
    return value(s, "collectives.cct_max");
  };
  // A CQE of 88 bytes on PCIe and four of immediate data a packet's time: each of three steps.
  const double write = time("write"), immediate = time("write_imm");
  EXPECT_GT(immediate, write);
  EXPECT_LT(immediate, write + 0.02);
  // A SEND has no RETH, 16 bytes less.
  EXPECT_LT(time("send"), write);
}

/// One of three messages takes a receive WQE; atomics have eight bytes.
TEST(SendsPlatform, VerbsTakeTurns) {
  const Workplace place;
  std::string text = four;
  text.replace(text.find("verb = \"send\""), 13, "verbs = [\"write\", \"write\", \"send\"]");
  place.write("p.toml", text);
  const auto mixed = summary_of(place, "p.toml", {"nic.receive.depth=64", "traffic[0].count=30"});
  EXPECT_EQ(value(mixed, "senders.messages_completed"), 90);
  EXPECT_EQ(value(mixed, "receivers.messages_received"), 30);
  EXPECT_EQ(value(mixed, "receivers.data_packets"), 90);
  const auto asks = summary_of(
      place, "p.toml",
      {"traffic[0].verbs=[\"read\", \"fetch_add\", \"compare_swap\"]", "traffic[0].count=30"});
  EXPECT_EQ(value(asks, "senders.messages_completed"), 90);
  EXPECT_EQ(value(asks, "nics.atomics_executed"), 60);
  const auto one = [&](const std::string& verbs, const std::string& words) {
    const Ended ended = run(place, with_settings({"run", "p.toml"}, {"traffic[0].verbs=" + verbs}));
    EXPECT_EQ(ended.exit_code, 2) << verbs;
    EXPECT_NE(ended.err.find(words), std::string::npos) << ended.err;
  };
  one("[\"write\", \"read\"]", "verbs: found data in both directions");
  one("[]", "expected one or more");
  one("[\"write\", \"reed\"]", "did you mean 'read'?");
}

TEST(SendsPlatform, RefusedInOneLine) {
  const Workplace place;
  place.write("p.toml", four);
  const auto refused = [&](const Words& settings, const std::string& words) {
    const Ended ended = run(place, with_settings({"run", "p.toml"}, settings));
    EXPECT_EQ(ended.exit_code, 2) << words;
    EXPECT_NE(ended.err.find(words), std::string::npos) << ended.err;
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
  };
  refused({"nic.transport=irn"},
          "p.toml:36:8: a verb that takes receive WQEs (send, write_imm) with transport = 'irn', "
          "which has none; expected 'rnic_sr' or 'go_back_n'");
  refused({"nic.receive.batch=5"},
          "receive.batch = 5: found a queue of receive.depth = 4, which would never be posted "
          "again; expected a batch of at most 4");
  refused({"traffic[0].verb=sent"}, "did you mean 'send'?");
  refused({"nic.receive.dept=4"}, "did you mean 'depth'?");
}

}  // namespace
}  // namespace horae::test::sends_platform_test
