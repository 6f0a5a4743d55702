// The waterfall of messages: its stages are all of their time.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "csv.hpp"
#include "run_parts.hpp"

namespace horae::test::waterfall_test {
namespace {

const std::vector<std::string> stages = {
    "doorbell", "wqe",       "payload", "context",     "engine",     "tx_pipe",   "wire",
    "network",  "rx_engine", "ack",     "ack_network", "ack_engine", "completion"};

/// Two NICs on a switch; `traffic` is the rest.
std::string through_a_switch(const std::string& nic, const std::string& traffic) {
  return "[platform]\nname = \"w\"\n[sim]\nduration = \"2 ms\"\nstop = \"finished\"\n[nic]\nkind = "
         "\"rnic\"\n" +
         nic + R"([switch]
kind = "switch"
latency = "400 ns"
[[device]]
names = ["a", "b", "c"]
profile = "nic"
[[device]]
names = ["s"]
profile = "switch"
[link_default]
rate = "100 Gbps"
delay = "100 ns"
[[link]]
between = ["a", "s"]
[[link]]
between = ["b", "s"]
[[link]]
between = ["c", "s"]
[[traffic]]
kind = "messages"
)" + traffic;
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

TEST(Waterfall, OfEightBytesIsItsCompletionTimeOnEachShippedNic) {
  const std::string one = "from = [\"a\"]\nto = [\"b\"]\nmessage = \"8 B\"\ncount = 1\n";
  for (const char* spec : {"connectx5", "connectx6", "connectx7", "connectx8", "hypothetical"}) {
    const Seen s = seen(through_a_switch(std::string("spec = \"") + spec + "\"\n", one));
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
  EXPECT_EQ(ps(m, "rx_engine_ps"), 203'000);
  EXPECT_EQ(ps(m, "ack_ps"), 57'000);
  EXPECT_EQ(ps(m, "ack_engine_ps"), 203'000);
  for (const char* none : {"doorbell", "wqe", "payload", "context", "engine", "completion"})
    EXPECT_EQ(ps(m, std::string(none) + "_ps"), 0) << none;
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
