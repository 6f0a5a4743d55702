// Results of open-loop hosts that have counted known numbers, between two moments.
#include <gtest/gtest.h>

#include <string>

#include "horae/params/document.hpp"
#include "horae/run/results.hpp"
#include "horae/workload/read_platform.hpp"

namespace horae::run::host_counters_test {
namespace {

constexpr const char* two_hosts = R"([platform]
name = "two"
[sim]
duration = "20 us"
[end]
kind = "host"
[switch]
kind = "switch"
[[device]]
names = ["h", "i"]
profile = "end"
[[device]]
names = ["s"]
profile = "switch"
[[link]]
between = ["h", "s"]
[[link]]
between = ["i", "s"]
[[traffic]]
kind = "packets"
pattern = "pairs"
from = ["h"]
to = ["i"]
payload = "1 KiB"
load = 0.5
)";

// 300 + 40 sent, 200 + 30 received with 5,000 + 700 bytes and 10 + 5 us of latency, in 10 us.
TEST(HostCounters, AreOfTheWindowAndOfAllHosts) {
  const config::PlatformConfig platform =
      workload::read_platform(Document::parse(two_hosts, "p.toml", {}));
  const elaboration::Simulation simulation(platform);
  const elaboration::Findings found = elaboration::Findings::of(simulation);
  Snapshot from = Snapshot::take(simulation, 0_ps);
  from.time = 4_us;
  from.hosts[0] = {.sent = 7, .received = 5, .received_bytes = 90, .latency_sum = 3_us};
  from.hosts[1] = {.sent = 11, .received = 13, .received_bytes = 17, .latency_sum = 1_us};
  Snapshot to = from;
  to.time = 14_us;
  to.hosts[0] = {.sent = 307, .received = 205, .received_bytes = 5090, .latency_sum = 13_us};
  to.hosts[1] = {.sent = 51, .received = 43, .received_bytes = 717, .latency_sum = 6_us};
  double sent = 0, received = 0, rate = 0, latency = 0;
  for (const auto& r : results_between(simulation, found, from, to)) {
    if (r.name == "hosts.sent") sent = r.value;
    if (r.name == "hosts.received") received = r.value;
    if (r.name == "hosts.delivered_rate") rate = r.value;
    if (r.name == "hosts.latency_mean") latency = r.value;
  }
  EXPECT_EQ(sent, 340);
  EXPECT_EQ(received, 230);
  EXPECT_DOUBLE_EQ(rate, 8 * 5700.0 / 2 / 10e-6 / 1e9);
  EXPECT_DOUBLE_EQ(latency, 15.0 / 230);
}

}  // namespace
}  // namespace horae::run::host_counters_test
