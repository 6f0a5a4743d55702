// The waterfall of messages: its stages are all of their time.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "csv.hpp"
#include "run_parts.hpp"

namespace horae::test::waterfall_test {
namespace {

const std::vector<std::string> stages = {
    "posting",     "doorbell", "wqe",        "payload",    "context",   "schedule", "engine",
    "tx_pipe",     "wire",     "network",    "rx_pipe",    "rx_engine", "decision", "ack",
    "ack_network", "ack_pipe", "ack_engine", "completion", "cqe",       "polling"};

/// Two NICs on a switch; `traffic` is the rest.
std::string through_a_switch(const std::string& nic, const std::string& traffic) {
  return "[platform]\nname = \"w\"\n[sim]\nduration = \"2 ms\"\nstop = \"finished\"\n[nic]\nkind = "
         "\"rnic\"\n" +
         nic + R"([switch]
kind = "switch"
latency = "400 ns"
[link_default]
rate = "100 Gbps"
delay = "100 ns"
)" + on_a_switch({"a", "b", "c"}) +
         "[[traffic]]\nkind = \"messages\"\n" + traffic;
}

struct Seen {
  ordered_json summary, waterfall;
  std::vector<Row> messages, flows;
};

Seen seen(const std::string& platform) {
  const Workplace place;
  place.write("p.toml", platform);
  const Ended ended = run(place, {"run", "p.toml", "--json", "--waterfall", "--out", "out"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return {ended.json(), place.read_json("out/waterfall.json"),
          rows_of(place.read("out/waterfall.csv")), rows_of(place.read("out/flows.csv"))};
}

std::int64_t ps(const Row& row, const std::string& name) { return std::stoll(row.at(name)); }

/// All stages add up, and no part waits longer than it lasts.
void check_sum(const Row& row) {
  std::int64_t sum = 0;
  for (const auto& stage : stages) {
    const std::int64_t time = ps(row, stage + "_ps"), waiting = ps(row, stage + "_waiting_ps");
    EXPECT_GE(waiting, 0) << stage;
    EXPECT_LE(waiting, time) << stage;
    sum += time;
  }
  EXPECT_EQ(sum, ps(row, "completed_ps") - ps(row, "posted_ps"));
}

ordered_json nics() {
  const Workplace place;
  return run(place, {"list", "nics", "--json"}).json().at("nics");
}

TEST(Waterfall, OfEightBytesIsItsCompletionTimeOnEachShippedNic) {
  EXPECT_EQ(nics().size(), 7u);
  const std::string one = "from = [\"a\"]\nto = [\"b\"]\nmessage = \"8 B\"\ncount = 1\n";
  for (const auto& nic : nics()) {
    const std::string spec = nic.at("name");
    const Seen s = seen(through_a_switch("spec = \"" + spec + "\"\n", one));
    ASSERT_EQ(s.messages.size(), 1u) << spec;
    const Row& m = s.messages.front();
    check_sum(m);
    const double fct = std::stod(s.flows.front().at("last_completion_us")) * 1e6;
    EXPECT_EQ(ps(m, "completed_ps"), std::llround(fct)) << spec;
    // An idle network and an idle NIC: nothing waits.
    for (const auto& stage : stages) EXPECT_EQ(ps(m, stage + "_waiting_ps"), 0) << spec << stage;
    for (const char* stage : {"doorbell", "wqe", "payload", "tx_pipe", "wire", "network"})
      EXPECT_GT(ps(m, std::string(stage) + "_ps"), 0) << spec << stage;
    EXPECT_GT(ps(m, "write_ps"), 0) << spec;
    EXPECT_EQ(s.waterfall.at("messages"), 1);
    EXPECT_NEAR(s.waterfall.at("total").at("mean_ns").get<double>() * 1e3,
                static_cast<double>(ps(m, "completed_ps")), 1e-3);
  }
}

// In closed form where the NIC has no host: 82 bytes and 20 on the wire, two links, one switch.
TEST(Waterfall, StagesAreThoseOfTheConfiguration) {
  const Seen s =
      seen(through_a_switch("tx_latency = \"301 ns\"\nrx_latency = \"203 ns\"\n"
                            "ack_delay = \"57 ns\"\n",
                            "from = [\"a\"]\nto = [\"b\"]\nmessage = \"8 B\"\n"
                            "count = 1\nstart = \"1 us\"\n"));
  const Row& m = s.messages.at(0);
  check_sum(m);
  EXPECT_EQ(ps(m, "posted_ps"), 1'000'000);
  EXPECT_EQ(ps(m, "tx_pipe_ps"), 301'000);
  const std::int64_t wire = ps(m, "wire_ps");
  EXPECT_EQ(wire, (14 + 20 + 8 + 12 + 16 + 8 + 4 + 4 + 20) * 80);
  EXPECT_EQ(ps(m, "network_ps"), 100'000 + 400'000 + wire + 100'000);
  EXPECT_EQ(ps(m, "rx_pipe_ps"), 203'000);
  EXPECT_EQ(ps(m, "ack_ps"), 57'000);
  EXPECT_EQ(ps(m, "ack_pipe_ps"), 203'000);
  for (const char* none : {"posting", "doorbell", "wqe", "payload", "context", "schedule", "engine",
                           "rx_engine", "decision", "ack_engine", "completion", "cqe", "polling"})
    EXPECT_EQ(ps(m, std::string(none) + "_ps"), 0) << none;
}

// Posting, both engines, CQE and polling in closed form; the second message waits behind the first.
TEST(Waterfall, PostingEngineAndPollingHaveStages) {
  const std::string nic =
      "host = \"pcie\"\ntx_latency = \"301 ns\"\nrx_latency = \"203 ns\"\npcie.generation = 4\n"
      "engine = {send = \"41 ns\", receive = \"97 ns\", ack_receive = \"13 ns\"}\n"
      "post = {wqe = \"190 ns\", doorbell = \"370 ns\", batch = 2, inline = \"8 B\"}\n"
      "cq = {poll = \"71 ns\", poll_interval = \"10 us\"}\n";
  const Seen s = seen(through_a_switch(
      nic, "from = [\"a\"]\nto = [\"b\"]\nmessage = \"8 B\"\ncount = 2\ndepth = 2\n"));
  ASSERT_EQ(s.messages.size(), 2u);
  for (const Row& m : s.messages) {
    check_sum(m);
    EXPECT_EQ(ps(m, "posting_ps"), 2 * 190'000 + 370'000);
    EXPECT_EQ(ps(m, "posting_waiting_ps"), 190'000);  // for the other WQE of the batch
    EXPECT_EQ(ps(m, "engine_ps"), 41'000);
    EXPECT_EQ(ps(m, "tx_pipe_ps"), 301'000 - 41'000);
    EXPECT_EQ(ps(m, "rx_pipe_ps"), 203'000);
    EXPECT_EQ(ps(m, "rx_engine_ps") - ps(m, "rx_engine_waiting_ps"), 97'000);
    EXPECT_EQ(ps(m, "ack_engine_ps") - ps(m, "ack_engine_waiting_ps"), 13'000);
    EXPECT_GT(ps(m, "cqe_ps"), 0);
    EXPECT_EQ(ps(m, "polling_ps") - ps(m, "polling_waiting_ps"), 71'000);
    EXPECT_EQ((ps(m, "completed_ps") - 71'000) % 10'000'000, 0);
  }
  // Both leave at once; at the receiver the unit is busy for 97 ns with the first. Two packets of
  // 82 bytes and 20 are 8.16 ns apart, but no sooner than the sender's unit lets them.
  EXPECT_EQ(ps(s.messages[0], "schedule_ps"), 0);
  EXPECT_EQ(ps(s.messages[1], "schedule_ps"), 41'000);
  EXPECT_EQ(ps(s.messages[1], "schedule_waiting_ps"), 41'000);
  EXPECT_EQ(ps(s.messages[0], "rx_engine_waiting_ps"), 0);
  EXPECT_EQ(ps(s.messages[1], "rx_engine_waiting_ps"), 97'000 - 41'000);
}

// The same works of the same blocks in the trace.
TEST(Waterfall, BlocksAreInTheTrace) {
  const Workplace place;
  place.write("p.toml",
              through_a_switch("host = \"pcie\"\nengine = {send = \"41 ns\", receive = \"97 ns\"}\n"
                               "post = {wqe = \"190 ns\", doorbell = \"370 ns\"}\n"
                               "cq = {poll = \"71 ns\"}\n",
                               "from = [\"a\"]\nto = [\"b\"]\nmessage = \"8 B\"\ncount = 3\n"));
  const Ended ended = run(place, {"run", "p.toml", "--trace", "--out", "out"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  std::map<std::string, std::pair<int, double>> seen;  // number and time, us, by name or category
  const auto trace = place.read_json("out/trace.json");
  for (const auto& e : trace.at("traceEvents")) {
    if (e.value("ph", "") != "X") continue;
    const std::string category = e.at("cat"), name = e.at("name");
    if (category != "host" && category != "engine") continue;
    auto& [n, time] = seen[category == "host" ? name : category];
    ++n;
    time += e.at("dur").get<double>();
  }
  EXPECT_EQ(seen["posts, rings"].first, 3);
  EXPECT_NEAR(seen["posts, rings"].second, 3 * 0.560, 1e-9);
  EXPECT_EQ(seen["CQE of 1"].first, 3);
  EXPECT_NEAR(seen["CQE of 1"].second, 3 * 0.071, 1e-9);
  EXPECT_EQ(seen["engine"].first, 6);
  EXPECT_NEAR(seen["engine"].second, 3 * (0.041 + 0.097), 1e-9);
}

// Two senders to one receiver: all that is completed has a waterfall, waiting is there, and
// nothing changes because somebody looks.
TEST(Waterfall, UnderLoadAddsUpAndChangesNothing) {
  const std::string traffic =
      "from = [\"a\", \"b\"]\nto = [\"c\", \"c\"]\nsizes = [\"8 B\", \"9000 B\"]\ncount = 200\n"
      "depth = 16\nqps = 2\n";
  for (const std::string nic : {"spec = \"connectx7\"\n", "transport = \"go_back_n\"\n"}) {
    const std::string text = through_a_switch(nic + "reliability.rto = \"100 us\"\n", traffic);
    const Seen s = seen(text);
    std::uint64_t completed = 0;
    for (const Row& flow : s.flows) completed += std::stoull(flow.at("messages_completed"));
    EXPECT_EQ(completed, 800u);
    EXPECT_EQ(s.messages.size(), completed);
    std::int64_t queues = 0;
    for (const Row& m : s.messages) {
      check_sum(m);
      queues += ps(m, "network_waiting_ps");
    }
    EXPECT_GT(queues, 0);
    const Workplace place;
    place.write("p.toml", text);
    const Ended plain = run(place, {"run", "p.toml", "--json"});
    EXPECT_EQ(without_wall(plain.json()), without_wall(s.summary));
  }
}

TEST(Waterfall, IsPrinted) {
  const Workplace place;
  place.write("p.toml", through_a_switch("spec = \"connectx7\"\n",
                                         "from = [\"a\"]\nto = [\"b\"]\ncount = 3\n"));
  const Ended ended = run(place, {"run", "p.toml", "--waterfall", "--out", "out"});
  EXPECT_NE(ended.out.find("waterfall of 3 messages, ns"), std::string::npos) << ended.out;
  for (const auto& stage : stages) EXPECT_NE(ended.out.find(stage), std::string::npos) << stage;
}

}  // namespace
}  // namespace horae::test::waterfall_test
