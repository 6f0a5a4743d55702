// NICs that send pauses: a slow host loses nothing, the switch before it is held as long as the
// host is slower than the line, and the rate is the host's.
#include <gtest/gtest.h>

#include <string>

#include "networks.hpp"
#include "program.hpp"

namespace horae::test::nic_pfc_test {
namespace {

/// Two NICs into a third, whose host takes what PCIe does, behind one switch with PFC.
const std::string slow_receiver = R"([platform]
name = "slow receiver"
[sim]
duration = "20 ms"
stop = "finished"
)" + nic_and_slow_nic + R"(pcie = { generation = 3, lanes = 4 }
[switch]
kind = "switch"
control_class = 7
pfc = { xoff = "100 KB", xon = "80 KB" }
[[device]]
names = ["s"]
profile = "switch"
[[device]]
names = ["r"]
profile = "slow"
[[device]]
names = ["a", "b"]
profile = "nic"
[[link]]
between = ["r", "s"]
[[link]]
between = ["a", "s"]
[[link]]
between = ["b", "s"]
[link_default]
rate = "100 Gbps"
delay = "500 ns"
[[traffic]]
kind = "messages"
from = ["a"]
to = ["r"]
message = "1 MiB"
count = 8
[[traffic]]
kind = "messages"
from = ["b"]
to = ["r"]
message = "1 MiB"
count = 8
)";

const Words pauses = {"slow.pfc.xoff=64KiB", "slow.pfc.xon=48KiB"};

double value(const ordered_json& s, const std::string& name) {
  return s.at("results").at(name).at("value").get<double>();
}
ordered_json run(Words settings = {}, const Words& more = {}) {
  const Workplace place;
  place.write("p.toml", slow_receiver);
  settings.insert(settings.end(), more.begin(), more.end());
  return summary_of(place, "p.toml", settings);
}

TEST(NicPfc, ASlowHostPausesItsSwitchAndLosesNothing) {
  const ordered_json without = run();
  EXPECT_GT(value(without, "receivers.rx_buffer_drops"), 0);
  EXPECT_FALSE(without.at("results").contains("nics.pausing"));
  const ordered_json with = run(pauses);
  EXPECT_EQ(with.at("verdict"), "complete");
  EXPECT_EQ(value(with, "receivers.rx_buffer_drops"), 0);
  EXPECT_GT(value(with, "nics.pauses_sent"), 10);
  const ordered_json& receiver = with.at("statistics").at("r").at("host");
  EXPECT_EQ(value(with, "nics.pauses_sent"), receiver.at("pauses_sent").at("value"));
  // It spreads: the switch is held by the receiver, and the senders by the switch.
  EXPECT_GT(value(with, "switches.pauses_sent"), 10);
  EXPECT_GT(value(with, "nics.paused"), 0.1);
  // Without pauses the same data goes again and again.
  EXPECT_GT(value(without, "senders.data_packets"), 1.5 * value(with, "senders.data_packets"));
}

// The line is held for the share of time by which the host is slower: what the receiver takes in a
// second is what the line brings in the rest of it.
TEST(NicPfc, TheLineIsHeldAsLongAsTheHostIsSlower) {
  // Long after the start, before the end.
  const Words window = {"sim.warmup=400us", "sim.duration=1ms", "sim.stop=duration",
                        "traffic[0].count=4096", "traffic[1].count=4096"};
  const ordered_json with = run(pauses, window);
  const double delivered = value(with, "receivers.delivered_rate");
  EXPECT_GT(delivered, 20);
  EXPECT_LT(delivered, 32);  // Gen3 x4 before its TLPs' headers
  // A frame of 4 KiB of payload has 4170 bytes on the wire with preamble and gap.
  const double taken = delivered / 100 * 4170 / 4096;
  // Only the receiver pauses; of three ports one class of one port.
  EXPECT_NEAR(3 * value(with, "nics.pausing"), 1 - taken, 0.03);
  EXPECT_NEAR(3 * value(with, "switches.paused"), 1 - taken, 0.03);
  // PCIe is what holds it, paused or not: no time of it is lost to the pauses.
  const ordered_json alone =
      run({"traffic[1].from=[\"a\"]", "link_default.rate=25Gbps", "slow.pcie.lanes=16"}, window);
  EXPECT_LE(value(alone, "receivers.delivered_rate"), 25);
}

TEST(NicPfc, HowItIsRunDoesNotShow) {
  const ordered_json windows = run(pauses).at("results");
  for (const char* other : {"sim.scheduling=exact_wake", "sim.window=100ns"})
    EXPECT_EQ(run(pauses, {other}).at("results"), windows) << other;
}

// Data that arrives after a pause finds room: with the headroom that the program works out at any
// rate and length of the link, and not with a fifth of the buffer that it asks for.
TEST(NicPfc, HeadroomIsWhatTheLinkNeeds) {
  for (const char* rate : {"100 Gbps", "400 Gbps"}) {
    for (const char* delay : {"100 ns", "2 us"}) {
      const ordered_json s = run(pauses, {fmt::format("link_default.rate={}", rate),
                                          fmt::format("link_default.delay={}", delay),
                                          "slow.sram.rx_buffer=2MiB", "switch.buffer=0B"});
      EXPECT_EQ(value(s, "receivers.rx_buffer_drops"), 0) << rate << " " << delay;
      EXPECT_GT(value(s, "nics.pauses_sent"), 10);
    }
  }
}

TEST(NicPfc, IsRefusedWhereItCannotBe) {
  const Workplace place;
  place.write("p.toml", slow_receiver);
  const auto refused = [&](const Words& settings) {
    Words words = {"run", "p.toml"};
    for (const auto& s : settings) words.insert(words.end(), {"--set", s});
    const Ended ended = test::run(place, words);
    EXPECT_EQ(ended.exit_code, 2);
    return ended.err;
  };
  EXPECT_NE(refused({"slow.pfc.xoff=64KiB", "slow.pfc.xon=65KiB"})
                .find("pfc.xon = 65 KiB is above pfc.xoff = 64 KiB"),
            std::string::npos);
  EXPECT_NE(refused({"slow.pfc.xoff=64KiB", "slow.pfc.xon=48KiB", "slow.host=none"})
                .find("expected host = \"pcie\""),
            std::string::npos);
  EXPECT_NE(refused({"slow.pfc.xoff=250KiB", "slow.pfc.xon=48KiB"})
                .find("sram.rx_buffer = 256 KiB of 'r' is less than its 1 ports may hold"),
            std::string::npos);
}

}  // namespace
}  // namespace horae::test::nic_pfc_test
