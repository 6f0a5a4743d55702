// Verbs and services of platforms beside plain WRITEs: what receive queues let through, collectives
// of SENDs, mixes of verbs, what UC and UD deliver over links that lose, errors, refusals.
#include <gtest/gtest.h>

#include <string>

#include "networks.hpp"
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
  one("[]", "expected one or more");
  one("[\"write\", \"reed\"]", "did you mean 'read'?");
}

/// Data goes both ways on one queue pair: both NICs are receivers.
TEST(SendsPlatform, ReadsBesideWritesAndSends) {
  const Workplace place;
  std::string text = four;
  text.replace(text.find("verb = \"send\""), 13,
               "verbs = [\"write\", \"read\", \"send\", \"fetch_add\"]");
  place.write("p.toml", text);
  const Words settings = {"nic.receive.depth=64", "nic.transport=go_back_n",
                          "traffic[0].from=[\"a\"]", "traffic[0].to=[\"d\"]"};
  const auto s = summary_of(place, "p.toml", settings);
  EXPECT_EQ(value(s, "senders.messages_completed"), 40);
  EXPECT_EQ(value(s, "receivers.messages_received"), 10);
  EXPECT_EQ(value(s, "nics.atomics_executed"), 10);
  const auto payload = [&](const char* nic) {
    return s.at("statistics").at(nic).at("delivered_bytes").at("value").get<int>();
  };
  EXPECT_EQ(payload("d"), 20 * 1024);
  EXPECT_EQ(payload("a"), 10 * 1024 + 10 * 8);
  // A fence is a round trip without anything behind it.
  Words fenced = settings;
  fenced.push_back("traffic[0].fence=[\"send\"]");
  const auto f = summary_of(place, "p.toml", fenced);
  EXPECT_EQ(value(f, "senders.messages_completed"), 40);
  EXPECT_LT(value(f, "senders.completed_rate"), 0.7 * value(s, "senders.completed_rate"));
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
  refused({"traffic[0].fence=[\"send\"]"}, "fence without 'verbs'");
  refused({"nic.receive.dept=4"}, "did you mean 'depth'?");
}

// ---- Services without acknowledgements.

/// Two NICs behind a switch, messages of three packets.
const std::string two = R"([platform]
name = "services"
[sim]
duration = "20 ms"
stop = "finished"
[nic]
kind = "rnic"
host = "pcie"
receive = { depth = 256 }
[switch]
kind = "switch"
[link_default]
rate = "100 Gbps"
delay = "500 ns"
)" + on_a_switch({"a", "b"}) +
                        R"([[traffic]]
kind = "messages"
from = ["a"]
to = ["b"]
message = "3000 B"
count = 2000
service = "uc"
)";

TEST(ServicesPlatform, WithoutLossAllOfItArrives) {
  const Workplace place;
  place.write("p.toml", two);
  for (const std::string verb : {"write", "send", "write_imm"}) {
    const auto s = summary_of(place, "p.toml", {"traffic[0].verb=" + verb});
    EXPECT_EQ(value(s, "senders.messages_completed"), 2000);
    EXPECT_EQ(value(s, "receivers.messages_whole"), 2000);
    EXPECT_EQ(value(s, "receivers.messages_lost"), 0);
    EXPECT_EQ(value(s, "receivers.psn_gaps"), 0);
    EXPECT_EQ(value(s, "receivers.acks_sent"), 0);
  }
  const auto ud =
      summary_of(place, "p.toml",
                 {"traffic[0].service=ud", "traffic[0].verb=send", "traffic[0].message=1 KiB"});
  EXPECT_EQ(value(ud, "receivers.messages_whole"), 2000);
  EXPECT_EQ(value(ud, "receivers.delivered_rate") > 50, true);
}

/// Each of three packets is lost with 1 %: a message in 33 is not whole, and no packet comes again.
TEST(ServicesPlatform, WhatIsLostIsLost) {
  const Workplace place;
  place.write("p.toml", two);
  const auto s = summary_of(place, "p.toml", {"link[1].loss=0.01"});
  EXPECT_EQ(value(s, "senders.messages_completed"), 2000);
  EXPECT_EQ(value(s, "senders.data_packets"), 6000);
  const double lost = value(s, "receivers.messages_lost");
  EXPECT_EQ(value(s, "receivers.messages_whole"), 2000 - lost);
  EXPECT_NEAR(lost, 2000 * (1 - 0.99 * 0.99 * 0.99), 25);
  EXPECT_GT(value(s, "receivers.messages_broken"), lost / 3);
  EXPECT_LE(value(s, "receivers.messages_broken"), lost);
  EXPECT_GT(value(s, "receivers.psn_gaps"), lost * 0.8);
  EXPECT_EQ(value(s, "senders.timeouts"), 0);
}

TEST(ServicesPlatform, AReceiverWithoutWqesSaysNothing) {
  const Workplace place;
  place.write("p.toml", two);
  const auto s = summary_of(
      place, "p.toml", {"traffic[0].verb=send", "nic.receive.depth=4", "nic.receive.post=2 us"});
  EXPECT_EQ(value(s, "senders.messages_completed"), 2000);
  EXPECT_GT(value(s, "receivers.messages_unwanted"), 500);
  EXPECT_EQ(value(s, "receivers.messages_unwanted"), value(s, "receivers.messages_lost"));
  EXPECT_EQ(value(s, "senders.rnr_naks_received"), 0);
}

TEST(ServicesPlatform, RefusedInOneLine) {
  const Workplace place;
  place.write("p.toml", two);
  const auto refused = [&](const Words& settings, const std::string& words) {
    const Ended ended = run(place, with_settings({"run", "p.toml"}, settings));
    EXPECT_EQ(ended.exit_code, 2) << words;
    EXPECT_NE(ended.err.find(words), std::string::npos) << ended.err;
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
  };
  refused({"traffic[0].service=ud"}, "service = \"ud\" with another verb than SEND");
  refused(
      {"traffic[0].service=ud", "traffic[0].verb=send"},
      "--set traffic[0].service: service = \"ud\" with messages of 3 KB, above the MTU of 1 KiB");
  refused({"traffic[0].verb=read"}, "service = \"uc\" with a verb that has a response");
  refused({"traffic[0].service=us"}, "'uc'");
  refused({"nic.entropy.scheme=random"},
          "a service without acknowledgements (uc, ud) with entropy.scheme = 'random'");
  refused({"traffic=[{ kind = \"collective\", operation = \"all_gather\", size = \"64 KiB\", "
           "service = \"uc\" }]"},
          "service = \"uc\" of kind = \"collective\"");
}

}  // namespace
}  // namespace horae::test::sends_platform_test
