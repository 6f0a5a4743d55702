// When a run is stuck: not while anything can still happen that has not happened in vain, whatever
// delays there are; and when nothing can, soon.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "program.hpp"

namespace horae::test::stuck_test {
namespace {

using Settings = std::vector<std::string>;

/// Twenty messages from a to b over a chip, to their end.
Ended run_tiny(const Settings& settings, const std::string& more = "") {
  const Workplace place;
  place.write("p.toml", tiny + more);
  Settings all = {"sim.stop=finished", "traffic[0].count=20", "sim.duration=100s"};
  all.insert(all.end(), settings.begin(), settings.end());
  return run(place, with_settings({"run", "p.toml", "--json"}, all));
}

/// All is delivered: `settings` only make it late.
void expect_complete(const Settings& settings, const std::string& more = "") {
  const Ended ended = run_tiny(settings, more);
  ASSERT_EQ(ended.exit_code, 0) << settings.front() << "\n" << ended.err;
  EXPECT_EQ(ended.json().at("verdict"), "complete") << settings.front();
}

/// It is noticed before `within_ps`.
void expect_stuck(const Settings& settings, std::int64_t within_ps) {
  const Ended ended = run_tiny(settings);
  ASSERT_EQ(ended.exit_code, 4) << settings.front() << "\n" << ended.err;
  const ordered_json s = ended.json();
  EXPECT_EQ(s.at("verdict"), "stuck");
  EXPECT_LT(s.at("sim_time_ps"), within_ps) << settings.front();
  EXPECT_FALSE(s.contains("deadlock"));
}

TEST(NotStuck, WhileAPacketIsOnAWire) {
  for (const char* delay : {"1ns", "1us", "1ms", "25ms", "300ms", "1s"})
    expect_complete({std::string("link[1].delay=") + delay, "nic.reliability.rto=5s"});
}

TEST(NotStuck, WhileAShaperHoldsWhatIsNext) {
  for (const char* rate : {"1Gbps", "10Mbps", "200kbps"})
    expect_complete({std::string("nic.qp_rate=") + rate, "traffic[0].count=4", "nic.mtu=1KiB",
                     "nic.reliability.rto=5s"});
}

TEST(NotStuck, WhileATimerIsToFindALoss) {
  for (const char* rto : {"50us", "25ms", "1s"}) {
    expect_complete({std::string("nic.reliability.rto=") + rto, "link[1].loss=0.3",
                     "nic.transport=\"timeout_only\"", "traffic[0].count=4"});
  }
}

TEST(NotStuck, WhileOtherTriesMayComeThrough) {
  // 19 of 20 packets are lost: many timeouts in a row, each with chances.
  expect_complete({"link[1].loss=0.95", "nic.reliability.rto=1ms", "traffic[0].message=1KiB",
                   "traffic[0].count=3", "sim.stuck_after=100us"});
}

TEST(NotStuck, BeforeAnOutageEnds) {
  for (const char* end : {"2us", "1ms", "25ms", "400ms"}) {
    expect_complete({std::string("link[1].outage=[{from=\"1us\",to=\"") + end + "\"}]",
                     "nic.reliability.rto=10ms", "sim.stuck_after=50us"});
  }
}

TEST(NotStuck, BeforeAMessageThatIsToStart) {
  // One message waits in vain, another is to come: it starts, and then the run is over.
  const std::string later =
      "[[traffic]]\nkind = \"messages\"\nfrom = [\"b\"]\nto = [\"a\"]\n"
      "message = \"4 KiB\"\ncount = 1\nstart = \"300ms\"\n";
  const Ended ended = run_tiny({"link[1].outage=[{from=\"0us\",to=\"100s\"}]", "sim.duration=50s",
                                "nic.reliability.rto=1ms"},
                               later);
  EXPECT_EQ(ended.exit_code, 4);
  EXPECT_GT(ended.json().at("sim_time_ps"), 300'000'000'000);
  EXPECT_LT(ended.json().at("sim_time_ps"), 400'000'000'000);
}

TEST(Stuck, WhenTheOnlyWayIsCutForGood) {
  // Seven tries are no repetition, and what the last of them sent is waited for; then 20 ms.
  const std::string cut = "link[1].outage=[{from=\"1us\",to=\"1000s\"}]";
  expect_stuck({cut, "nic.reliability.rto=50us"}, 21'000'000'000);
  expect_stuck({cut, "nic.reliability.rto=5ms"}, 41'000'000'000);
  expect_stuck({cut, "nic.reliability.rto=1s"}, 7'100'000'000'000);
  expect_stuck({"link[1].loss=1", "nic.reliability.rto=5ms"}, 41'000'000'000);
}

TEST(Stuck, WhenTheOnlyWayIsCutForGoodAndLong) {
  for (const char* delay : {"1ns", "1us", "1ms", "200ms"}) {
    expect_stuck({std::string("link[0].delay=") + delay, "nic.reliability.rto=1s",
                  "link[1].outage=[{from=\"0us\",to=\"1000s\"}]"},
                 8'000'000'000'000);
  }
}

// A message waits in vain, and 5 ms later a packet arrives between two hosts: patience begins anew
// with it.
TEST(Stuck, SoLongAfterTheLastPacketThatArrived) {
  const auto of = [](const std::string& start) {
    const Workplace place;
    place.write("p.toml", tiny + R"([host]
kind = "host"
[[device]]
names = ["h", "i"]
profile = "host"
[[link]]
between = ["h", "t"]
[[link]]
between = ["t", "i"]
[[traffic]]
kind = "packets"
pattern = "pairs"
from = ["h"]
to = ["i"]
payload = "1 KiB"
count = 1
start = ")" + start + "\"\n");
    return run(place, with_settings({"run", "p.toml", "--json"},
                                    {"sim.stop=finished", "traffic[0].count=20", "sim.duration=1s",
                                     "sim.stuck_after=100us", "nic.reliability.rto=5us",
                                     "link[1].outage=[{from=\"1us\",to=\"1000s\"}]"}))
        .json();
  };
  const std::int64_t way = of("5 ms").at("statistics").at("i").at("latency_max").at("value");
  EXPECT_EQ(of(std::to_string(5'000'000'000 - way - 1) + " ps").at("sim_time_ps"), 5'100'000'000);
}

}  // namespace
}  // namespace horae::test::stuck_test
