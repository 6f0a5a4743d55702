// [[event]]: harm to chosen packets, and what NICs make of it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "csv.hpp"
#include "run_parts.hpp"

namespace horae::test::events_test {
namespace {

/// Two senders to one receiver over a switch: messages of eight packets.
std::string three_nics(const std::string& nic, const std::string& events) {
  return "[platform]\nname = \"events\"\n[sim]\nduration = \"4 ms\"\nstop = "
         "\"finished\"\n[nic]\nkind "
         "= \"rnic\"\nmtu = \"1 KiB\"\n" +
         nic + R"([switch]
kind = "switch"
latency = "400 ns"
[link_default]
rate = "100 Gbps"
delay = "500 ns"
)" + on_a_switch({"a", "b", "c"}) +
         events +
         R"([[traffic]]
kind = "messages"
pattern = "pairs"
from = ["a", "b"]
to = ["c", "c"]
message = "8 KiB"
count = 2
)";
}

const std::string go_back_n =
    "transport = \"go_back_n\"\nreliability = { window = 64, rto = \"100 us\" }\n";

std::string event(const std::string& keys) { return "[[event]]\n" + keys + "\n"; }

struct Outcome {
  ordered_json summary;
  std::vector<Row> flows;
  std::string text;
};

Outcome outcome_of(const std::string& platform, const Words& more = {}) {
  const Workplace place;
  place.write("p.toml", platform);
  Words words = {"run", "p.toml", "--json", "--out", "o"};
  words.insert(words.end(), more.begin(), more.end());
  const Ended ended = run(place, words);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return {place.read_json("o/summary.json"), rows_of(place.read("o/flows.csv")), ended.out};
}

double value_of(const Outcome& o, const std::string& name) {
  return o.summary.at("results").at(name).at("value");
}

double fct(const Outcome& o, std::size_t flow) {
  return std::stod(o.flows.at(flow).at("last_completion_us"));
}

TEST(Events, ADroppedPsnIsSentAgainOfItsQueuePairAlone) {
  const Outcome clean = outcome_of(three_nics(go_back_n, ""));
  EXPECT_FALSE(clean.summary.at("results").contains("events.dropped"));
  EXPECT_FALSE(clean.summary.at("rows").contains("events"));
  EXPECT_FALSE(clean.summary.at("packets").at("dropped").contains("injected"));
  const Outcome o = outcome_of(three_nics(
      go_back_n, event("action = \"drop\"\nbetween = [\"s\", \"c\"]\nflow = \"a-c\"\npsn = 3")));
  EXPECT_EQ(value_of(o, "events.dropped"), 1);
  EXPECT_EQ(o.summary.at("packets").at("dropped").at("injected"), 1);
  EXPECT_EQ(value_of(o, "receivers.nacks_sent"), 1);
  EXPECT_EQ(value_of(o, "senders.timeouts"), 0);
  EXPECT_GT(fct(o, 0), fct(clean, 0));
  EXPECT_EQ(o.summary.at("rows").at("events").at(0).at("event"),
            "drop data, psn 3, of a-c from s to c");
  EXPECT_EQ(o.summary.at("rows").at("events").at(0).at("packets"), 1);
}

TEST(Events, AnIterationIsARetransmission) {
  const std::string first = event("action = \"drop\"\nnic = \"c\"\nflow = \"a-c\"\npsn = 3");
  const std::string second =
      event("action = \"drop\"\nnic = \"c\"\nflow = \"a-c\"\npsn = 3\niteration = 2");
  const Outcome once = outcome_of(three_nics(go_back_n, first));
  const Outcome twice = outcome_of(three_nics(go_back_n, first + second));
  EXPECT_EQ(value_of(twice, "events.dropped"), 2);
  // Go-back-N has sent its one NACK for this PSN: the timer brings the second retransmission.
  EXPECT_EQ(value_of(once, "senders.timeouts"), 0);
  EXPECT_EQ(value_of(twice, "senders.timeouts"), 1);
  EXPECT_GT(fct(twice, 0), fct(once, 0) + 99);
  // Without a first loss there is no second passing to drop.
  const Outcome none = outcome_of(three_nics(go_back_n, second));
  EXPECT_EQ(value_of(none, "events.dropped"), 0);
}

TEST(Events, ACorruptedPacketIsDroppedAndCountedByTheNicThatReceivesIt) {
  const Outcome dropped = outcome_of(
      three_nics(go_back_n, event("action = \"drop\"\nnic = \"c\"\nflow = \"a-c\"\npsn = 3")));
  const Outcome o = outcome_of(three_nics(
      go_back_n, event("action = \"corrupt\"\nbetween = [\"a\", \"s\"]\nflow = \"a-c\"\npsn = 3")));
  EXPECT_EQ(value_of(o, "events.corrupted"), 1);
  EXPECT_EQ(o.summary.at("packets").at("dropped").at("corrupted"), 1);
  EXPECT_EQ(o.summary.at("statistics").at("a").at("port0").at("corrupted").at("value"), 1);
  EXPECT_EQ(value_of(o, "receivers.nacks_sent"), 1);
  EXPECT_NEAR(fct(o, 0), fct(dropped, 0), 0.2);
}

TEST(Events, ADelayedPacketIsOvertaken) {
  // The last packet of a message, alone: its delay is the message's.
  const std::string last = "flow = \"b-c\"\npsn = 15\n";
  const Words alone = {"--set", "traffic[0].from=['b']", "--set", "traffic[0].to=['c']"};
  const Outcome clean = outcome_of(three_nics(go_back_n, ""), alone);
  const Outcome late = outcome_of(
      three_nics(go_back_n, event("action = \"delay\"\nnic = \"b\"\nside = \"sends\"\ndelay = "
                                  "\"7 us\"\n" +
                                  last)),
      alone);
  EXPECT_EQ(value_of(late, "events.delayed"), 1);
  EXPECT_EQ(value_of(late, "receivers.out_of_order"), 0);
  // In turn it waits in the switch for the RETH of the message's first packet, 16 bytes; late it
  // does not.
  EXPECT_NEAR(fct(late, 0) - fct(clean, 0), 7 - 16 * 0.00008, 1e-6);
  // One in the middle: others overtake it, and the receiver sees it.
  const Outcome overtaken = outcome_of(three_nics(
      go_back_n,
      event("action = \"delay\"\nnic = \"b\"\nside = \"sends\"\ndelay = \"7 us\"\nflow = "
            "\"b-c\"\npsn = 4")));
  EXPECT_GT(value_of(overtaken, "receivers.out_of_order"), 0);
  EXPECT_EQ(value_of(overtaken, "receivers.nacks_sent"), 1);
}

TEST(Events, ADuplicateIsThereAlreadyAndChangesNoMessage) {
  const Outcome clean = outcome_of(three_nics(go_back_n, ""));
  const Outcome o = outcome_of(three_nics(
      go_back_n,
      event("action = \"duplicate\"\nnic = \"c\"\nflow = \"a-c\"\npacket = 2\ncount = 3")));
  EXPECT_EQ(value_of(o, "events.duplicated"), 3);
  EXPECT_EQ(value_of(o, "receivers.duplicates"), 3);
  const auto created = [](const Outcome& x) {
    return x.summary.at("packets").at("created").get<int>();
  };
  EXPECT_GE(created(o), created(clean) + 3);
  EXPECT_EQ(o.flows.at(0).at("bytes_delivered"), clean.flows.at(0).at("bytes_delivered"));
}

TEST(Events, EveryMarkIsACnp) {
  const std::string dcqcn =
      go_back_n + "congestion = { algorithm = \"dcqcn\", dcqcn = { cnp_interval = \"1 ns\" } }\n";
  const Outcome clean = outcome_of(three_nics(dcqcn, ""));
  EXPECT_EQ(value_of(clean, "receivers.cnps_sent"), 0);
  const Outcome o = outcome_of(three_nics(
      dcqcn,
      event("action = \"mark\"\nnic = \"c\"\nflow = \"a-c\"\npacket = 2\ncount = 4\nevery = 3")));
  EXPECT_EQ(value_of(o, "events.marked"), 4);
  EXPECT_EQ(value_of(o, "receivers.cnps_sent"), 4);
}

TEST(Events, ALostAckOrNackIsOneToo) {
  const Outcome clean = outcome_of(three_nics(go_back_n, ""));
  // The last ACK: the sender's timer ends the message.
  const Outcome ack = outcome_of(three_nics(
      go_back_n, event("action = \"drop\"\npackets = \"acks\"\nnic = \"a\"\ncount = 1000")));
  EXPECT_GT(value_of(ack, "senders.timeouts"), 0);
  EXPECT_GT(value_of(ack, "events.dropped"), 0);
  const Outcome nack = outcome_of(three_nics(
      go_back_n, event("action = \"drop\"\nnic = \"c\"\nflow = \"a-c\"\npsn = 3") +
                     event("action = \"drop\"\npackets = \"nacks\"\nbetween = [\"c\", \"s\"]")));
  EXPECT_EQ(value_of(nack, "events.dropped"), 2);
  EXPECT_EQ(value_of(nack, "senders.nacks_received"), 0);
  EXPECT_EQ(value_of(nack, "senders.timeouts"), 1);
}

TEST(Events, HowItIsRunDoesNotShow) {
  const std::string platform = three_nics(
      go_back_n,
      event("action = \"drop\"\nnic = \"c\"\nflow = \"a-c\"\npsn = 3") +
          event("action = \"delay\"\nbetween = [\"b\", \"s\"]\npacket = 4\ndelay = \"3 us\"") +
          event(
              "action = \"duplicate\"\nbetween = [\"s\", \"c\"]\npacket = 9\ndelay = \"100 ns\"") +
          event("action = \"corrupt\"\npackets = \"acks\"\nbetween = [\"c\", \"s\"]\npacket = 2"));
  const auto results_of = [](const Outcome& o) {
    return ordered_json{o.summary.at("results"), o.summary.at("packets"), o.summary.at("rows")};
  };
  const Outcome windows = outcome_of(platform);
  const Outcome exact = outcome_of(platform, {"--set", "sim.scheduling=exact_wake"});
  EXPECT_EQ(results_of(windows), results_of(exact));
  EXPECT_EQ(windows.flows, exact.flows);
  EXPECT_EQ(value_of(windows, "events.delayed"), 1);
  EXPECT_EQ(value_of(windows, "events.duplicated"), 2);  // of each queue pair that passes
}

TEST(Events, OneThatMetNoPacketIsSaid) {
  const Workplace place;
  place.write("p.toml", three_nics(go_back_n, event("action = \"drop\"\nnic = \"c\"\npsn = 999")));
  const Ended ended = run(place, {"run", "p.toml"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_NE(ended.out.find("event 1 (drop data, psn 999, of every queue pair from s to c) met no "
                           "packet"),
            std::string::npos)
      << ended.out;
}

}  // namespace
}  // namespace horae::test::events_test
