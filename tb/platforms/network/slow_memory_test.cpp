// Host memory that binds: what DRAM, the cache that takes writes of devices, the link between
// sockets and a GPU's memory carry is what a lossless receiver takes, to the last per cent.
#include <gtest/gtest.h>

#include <string>

#include "networks.hpp"
#include "program.hpp"

namespace horae::test::slow_memory_test {
namespace {

/// A NIC that sends into another one, which pauses it; its two queue pairs fill a buffer of 1 MiB
/// each again and again.
const std::string two_nics = R"([platform]
name = "slow memory"
[sim]
warmup = "400 us"
duration = "3 ms"
)" + nic_and_slow_nic + R"(pfc = { xoff = "64 KiB", xon = "48 KiB" }
[[device]]
names = ["a"]
profile = "nic"
[[device]]
names = ["b"]
profile = "slow"
[[link]]
between = ["a", "b"]
[link_default]
rate = "100 Gbps"
delay = "500 ns"
[[traffic]]
kind = "messages"
from = ["a"]
to = ["b"]
message = "1 MiB"
qps = 2
)";

double value(const ordered_json& s, const std::string& name) {
  return s.at("results").at(name).at("value").get<double>();
}
ordered_json run(const Words& settings) {
  const Workplace place;
  place.write("p.toml", two_nics);
  return summary_of(place, "p.toml", settings);
}
double delivered(const ordered_json& s) { return value(s, "receivers.delivered_rate"); }

// A packet's payload is 64 lines; CQEs are one in 16,384.
constexpr double near = 0.01;

TEST(SlowMemory, DramIsWhatTheReceiverTakes) {
  const ordered_json s = run({"slow.memory.dram={bandwidth=\"50 Gbps\"}"});
  EXPECT_NEAR(delivered(s), 50, 50 * near);
  EXPECT_NEAR(value(s, "nics.dram_written"), 50, 50 * near);
  // Writes of 4 KiB that wait are what is in the RX buffer: between xon and xoff.
  EXPECT_NEAR(value(s, "nics.memory_wait_dram") * 4, (64 + 48) / 2, 6);
  EXPECT_EQ(value(s, "nics.memory_wait_socket"), 0);
  EXPECT_EQ(value(s, "nics.memory_wait_gpu"), 0);
  EXPECT_EQ(value(s, "receivers.rx_buffer_drops"), 0);
  EXPECT_GT(value(s, "nics.pausing"), 0.2);
  const ordered_json& receiver = s.at("statistics").at("b").at("host");
  EXPECT_GT(receiver.at("dram_written").at("value"), 0);
}

TEST(SlowMemory, DramIsWhatTheSenderReads) {
  const ordered_json s = run({"nic.memory.dram={bandwidth=\"30 Gbps\"}"});
  EXPECT_NEAR(delivered(s), 30, 30 * near);
  EXPECT_NEAR(value(s, "nics.dram_read"), 30, 30 * near);
  EXPECT_NEAR(value(s, "nics.dram_written"), 0, 0.01);  // CQEs
}

TEST(SlowMemory, TheHostsOwnLoadIsTakenOffFirst) {
  const ordered_json s =
      run({"slow.memory.dram={bandwidth=\"200 Gbps\", background=\"160 Gbps\"}"});
  EXPECT_NEAR(delivered(s), 40, 40 * near);
}

TEST(SlowMemory, ABufferThatStaysInTheCacheTakesNoDram) {
  const std::string dram = "slow.memory.dram={bandwidth=\"50 Gbps\"}";
  // The packets of a message have 4 KiB of their own each.
  const ordered_json fits = run({dram, "slow.memory.ddio={size=\"2 MiB\", ways=0}"});
  EXPECT_GT(delivered(fits), 97);
  EXPECT_LT(value(fits, "nics.ddio_spilled"), 0.001);
  EXPECT_EQ(value(fits, "nics.pausing"), 0);
  // Larger than the cache: a line has gone before it is written again.
  for (const char* larger :
       {"slow.memory.ddio={size=\"1 MiB\", ways=0}", "slow.memory.ddio={size=\"64 B\", ways=0}"}) {
    const ordered_json s = run({dram, larger});
    EXPECT_NEAR(delivered(s), 50, 50 * near);
    EXPECT_NEAR(value(s, "nics.ddio_spilled"), 1, 0.001);
  }
  const ordered_json buffer = run({dram, "slow.memory.ddio={size=\"2 MiB\", ways=0}",
                                   "traffic[0].message=64KiB", "traffic[0].buffer=4MiB"});
  EXPECT_NEAR(delivered(buffer), 50, 50 * near);
}

TEST(SlowMemory, TheLinkBetweenSocketsBindsRemoteMemoryAlone) {
  const ordered_json local = run({"slow.memory.socket_rate=30Gbps"});
  EXPECT_GT(delivered(local), 97);
  EXPECT_FALSE(local.at("results").contains("nics.memory_wait_socket"));
  const ordered_json remote = run({"slow.memory.socket_rate=30Gbps", "slow.memory.remote=true"});
  EXPECT_NEAR(delivered(remote), 30, 30 * near);
  EXPECT_GT(value(remote, "nics.memory_wait_socket"), 1);
}

TEST(SlowMemory, AGpuTakesPayloadAtItsRate) {
  const ordered_json s = run({"slow.memory.gpu={write_rate=\"20 Gbps\", read_rate=\"1 Gbps\"}"});
  EXPECT_NEAR(delivered(s), 20, 20 * near);
  EXPECT_GT(value(s, "nics.memory_wait_gpu"), 1);
  // A sender reads from it.
  const ordered_json sender = run({"nic.memory.gpu={read_rate=\"20 Gbps\"}"});
  EXPECT_NEAR(delivered(sender), 20, 20 * near);
  EXPECT_EQ(value(sender, "nics.pausing"), 0);
}

TEST(SlowMemory, HowItIsRunDoesNotShow) {
  const Words slow = {"slow.memory.dram={bandwidth=\"50 Gbps\"}",
                      "slow.memory.ddio={size=\"1 MiB\"}"};
  const ordered_json windows = run(slow).at("results");
  for (const char* other : {"sim.scheduling=exact_wake", "sim.window=100ns"}) {
    Words words = slow;
    words.push_back(other);
    EXPECT_EQ(run(words).at("results"), windows) << other;
  }
}

TEST(SlowMemory, WhatNoMemoryHasIsRefusedWithItsPlace) {
  const Workplace place;
  place.write("p.toml", two_nics);
  const auto refused = [&](const std::string& setting) {
    const Ended ended = test::run(place, {"run", "p.toml", "--set", setting});
    EXPECT_EQ(ended.exit_code, 2);
    return ended.err;
  };
  EXPECT_NE(refused("slow.memory.ddio={size=\"2 MiB\"}").find("ddio without memory.dram"),
            std::string::npos);
  EXPECT_NE(refused("slow.memory.dram={bandwidth=\"50 Gbps\", background=\"50 Gbps\"}")
                .find("background = 50 Gbps leaves nothing of bandwidth = 50 Gbps"),
            std::string::npos);
  EXPECT_NE(refused("slow.memory.dram={}").find("bandwidth"), std::string::npos);
  EXPECT_NE(refused("slow.memory.gpu={round_trip=\"250 ns\", rate=1}").find("'rate'"),
            std::string::npos);
  EXPECT_NE(refused("traffic[0].buffer=1KiB").find("buffer = 1 KiB is below a message of 1 MiB"),
            std::string::npos);
}

}  // namespace
}  // namespace horae::test::slow_memory_test
