// Queue pairs that are connected on demand: what turns between targets cost, in closed form.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "forked.hpp"
#include "horae/elaboration/simulation.hpp"
#include "horae/params/document.hpp"
#include "horae/rnic/rnic.hpp"
#include "horae/workload/read_platform.hpp"
#include "refusal.hpp"

namespace horae::elaboration::on_demand_test {
namespace {

using Settings = std::vector<std::string>;

// One NIC sends to two others, eight messages to each.
const std::string network = R"([platform]
name = "on_demand"
[sim]
duration = "5 ms"
stop = "finished"
[nic]
kind = "rnic"
mtu = "1 KiB"
[switch]
kind = "switch"
[[device]]
names = ["a", "b", "c"]
profile = "nic"
[[device]]
names = ["s"]
profile = "switch"
[link_default]
rate = "100 Gbps"
delay = "500 ns"
[[link]]
between = ["a", "s"]
[[link]]
between = ["b", "s"]
[[link]]
between = ["c", "s"]
[[traffic]]
kind = "messages"
from = ["a", "a"]
to = ["b", "c"]
service = "dc"
message = "3000 B"
count = 8
depth = 1
)";

config::PlatformConfig platform_of(const Settings& settings) {
  return workload::read_platform(Document::parse(network, "p.toml", settings));
}

struct Outcome {
  std::uint64_t connects = 0, completed = 0, bytes = 0;
  Picoseconds end{};
};

Outcome run(const Settings& settings) {
  std::istringstream said(test::in_child([&] {
    const auto platform = platform_of(settings);
    Simulation simulation(platform);
    auto& clock = simulation.context().clock;
    for (Picoseconds t = 50_us; t <= 5_ms && !simulation.finished(); t += 50_us) clock.run_to(t);
    const auto& nics = simulation.nics();
    return fmt::format("{} {} {} {}", nics[0]->counters().dc_connects,
                       nics[0]->counters().messages_completed,
                       nics[1]->counters().delivered_bytes + nics[2]->counters().delivered_bytes,
                       simulation.finished_at().count());
  }));
  Outcome out;
  std::int64_t end = 0;
  said >> out.connects >> out.completed >> out.bytes >> end;
  out.end = Picoseconds(end);
  EXPECT_EQ(out.completed, 16u);
  EXPECT_EQ(out.bytes, 16u * 3000u);
  return out;
}

// With one for each target they are connected once, beside each other.
TEST(OnDemand, WithAnInitiatorForEachTargetOneConnectIsAllThatItCosts) {
  const Outcome rc = run({"traffic[0].service=rc"});
  const Outcome dc = run({"nic.dc.initiators=2"});
  EXPECT_EQ(rc.connects, 0u);
  EXPECT_EQ(dc.connects, 2u);
  EXPECT_EQ(dc.end - rc.end, 60_ns);
}

// One initiator goes to and fro, and each time waits for what it sent.
TEST(OnDemand, OneInitiatorConnectsForEachTurn) {
  const Settings one = {"nic.dc.initiators=1", "nic.dc.quota=1"};
  const auto with = [&](const std::string& connect) {
    Settings all = one;
    all.push_back("nic.dc.connect=" + connect);
    return run(all);
  };
  const Outcome brief = with("0ns"), longer = with("100ns");
  EXPECT_EQ(brief.connects, 16u);
  EXPECT_EQ(longer.connects, 16u);
  EXPECT_EQ(longer.end - brief.end, 16 * 100_ns);
  // Alone on the wire, one message after the other, in place of two beside each other.
  const Outcome both = run({"nic.dc.initiators=2", "nic.dc.connect=0ns"});
  EXPECT_GT(brief.end, both.end * 3 / 2);
}

TEST(OnDemand, AQuotaSaysHowManyMessagesATurnHas) {
  for (const std::uint64_t quota : {1u, 2u, 4u, 8u}) {
    const Outcome o =
        run({"nic.dc.initiators=1", "traffic[0].depth=4", fmt::format("nic.dc.quota={}", quota)});
    EXPECT_EQ(o.connects, 16 / quota) << quota;
  }
}

TEST(OnDemand, LossesAndReadsEndAsWell) {
  for (const char* verb : {"write", "read", "send"}) {
    const std::string of = std::string("traffic[0].verb=") + verb;
    if (std::string(verb) != "read") {
      run({of, "link_default.loss=0.02", "nic.dc.initiators=1", "nic.reliability.rto=60us"});
      continue;
    }
    test::in_child([&] {
      const auto platform = platform_of(
          {of, "link_default.loss=0.02", "nic.dc.initiators=1", "nic.reliability.rto=60us"});
      Simulation simulation(platform);
      for (Picoseconds t = 50_us; t <= 5_ms && !simulation.finished(); t += 50_us)
        simulation.context().clock.run_to(t);
      EXPECT_EQ(simulation.nics()[0]->counters().messages_completed, 16u);
      EXPECT_EQ(simulation.nics()[0]->counters().delivered_bytes, 16u * 3000u);
      return std::string();
    });
  }
}

TEST(OnDemand, RefusedWhereContextsCount) {
  const auto refusal = [](const Settings& settings) {
    return test::refusal_of([&] { platform_of(settings); });
  };
  EXPECT_EQ(refusal({}), "accepted");
  EXPECT_EQ(refusal({"nic.sram.limited=true", "nic.host=pcie"}),
            "p.toml:30:11: service = 'dc' with sram.limited = true: contexts of initiators and "
            "targets are not public; expected false");
  EXPECT_EQ(refusal({"nic.host=pcie", "nic.cache={queue_pair={entries=64}}"}),
            "p.toml:30:11: service = 'dc' with a table 'cache': contexts of initiators and targets "
            "are not public; expected none");
}

}  // namespace
}  // namespace horae::elaboration::on_demand_test
