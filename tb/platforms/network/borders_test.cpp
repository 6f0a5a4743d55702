// Values at their borders: what is below zero, what ends a window, names with signs that a terminal
// would obey, and numbers that are shares.
#include <gtest/gtest.h>

#include <string>

#include "networks.hpp"
#include "program.hpp"

namespace horae::test::borders_test {
namespace {

TEST(Borders, NoTimeSizeOrRateIsBelowZero) {
  const Workplace place;
  place.write("p.toml", eight_nics("20 us",
                                   "kind = \"messages\"\nfrom = [\"h0\"]\nto = "
                                   "[\"h5\"]\nmessage = \"1 KiB\"\n"));
  struct Case {
    std::string key, value, least;
  };
  for (const auto& [key, value, least] :
       std::initializer_list<Case>{{"switch.latency", "-5 ns", "0 ps"},
                                   {"nic.tx_latency", "-400 ns", "0 ps"},
                                   {"nic.rx_latency", "-400 ns", "0 ps"},
                                   {"nic.nack_delay", "-1 ps", "0 ps"},
                                   {"nic.ack_delay", "-1 ns", "0 ps"},
                                   {"nic.memory.mmio_latency", "-400 ns", "0 ps"},
                                   {"nic.qp_rate", "-1 Gbps", "0 bps"},
                                   {"nic.pcie.credit_return", "-1 ns", "0 ps"},
                                   {"nic.congestion.nack_min_gap", "-1 ns", "0 ps"},
                                   {"nic.congestion.dcqcn.cnp_interval", "-1 us", "0 ps"},
                                   {"nic.retransmit.firmware_event.event", "-1 us", "0 ps"},
                                   {"switch.queue_limit", "-1 KB", "0 B"}}) {
    const Ended ended = run(place, {"run", "p.toml", "--set", key + "=" + value});
    EXPECT_EQ(ended.exit_code, 2) << key;
    const std::string name = key.substr(key.rfind('.') + 1);
    EXPECT_NE(ended.err.find(name + " = " + value + " is below the minimum " + least),
              std::string::npos)
        << ended.err;
  }
  EXPECT_EQ(run(place, {"run", "p.toml", "--set", "switch.latency=0ns"}).exit_code, 0);
}

TEST(Borders, SamplesAreCountedBeforeTheyAreTaken) {
  const Workplace place;
  place.write("p.toml", tiny);
  expect_refused(place, {"run", "p.toml", "--set", "sim.sample=1ps"},
                 "--set sim.sample: sample = 1 ps gives 20000000 samples in 20 us, expected at "
                 "most 1000000");
  EXPECT_EQ(run(place, {"run", "p.toml", "--set", "sim.sample=20ps"}).exit_code, 0);
}

TEST(Borders, ABufferHoldsWhatItsPausesLeaveRoomFor) {
  const Workplace place;
  std::string text = eight_nics("20 us",
                                "kind = \"messages\"\nfrom = [\"h0\"]\nto = [\"h5\"]\n"
                                "message = \"1 KiB\"\n");
  place.write("p.toml", text);
  const auto with = [&](const std::string& buffer) {
    return run(place, with_settings({"run", "p.toml"},
                                    {"switch.pfc={xoff=\"8KB\",xon=\"4KB\",headroom=\"20KB\"}",
                                     "switch.buffer=" + buffer}));
  };
  // A leaf has six ports: six times 28 KB.
  const Ended small = with("167999B");
  EXPECT_EQ(small.exit_code, 2);
  EXPECT_NE(small.err.find("buffer = 167999 B of 'leaf0' is less than its 6 ports may hold with "
                           "pfc.xoff = 8 KB and a headroom of up to 20 KB each: packets would be "
                           "lost; expected at least 168 KB"),
            std::string::npos)
      << small.err;
  EXPECT_EQ(with("168KB").exit_code, 0);
}

TEST(Borders, DeepJsonIsOneLine) {
  const Workplace place;
  place.write("p.toml", tiny);
  for (const std::size_t depth : {65u, 1000u, 90'000u}) {
    place.write("points",
                "{\"nic.mtu\": " + std::string(depth, '[') + std::string(depth, ']') + "}\n");
    const Ended ended = run(place, {"config", "p.toml", "--points", "points"});
    EXPECT_EQ(ended.exit_code, 2) << depth;
    EXPECT_EQ(
        ended.err,
        "horae: points:1:1: found '{\"nic.mtu\": [[[[[[[[[[[[[[[[[[[[[[[[[[[[...' with lists in "
        "each other more than 64 deep\n");
  }
  // Brackets in a text are none.
  place.write("points", "{\"platform.description\": \"" + std::string(1000, '[') + "\\\"\"}\n");
  EXPECT_EQ(run(place, {"config", "p.toml", "--points", "points"}).exit_code, 0);
}

TEST(Borders, WhatATerminalWouldObeyIsNoName) {
  const Workplace place;
  std::string text = tiny;
  text.replace(text.find("name = \"tiny\""), 13, "name = \"ti\\u001b[31mny\"");
  place.write("p.toml", text);
  expect_refused(place, {"run", "p.toml"},
                 "p.toml:2:8: name: found the control character 0x1b in a text, expected "
                 "characters that can be printed");
  place.write("p.toml", tiny);
  expect_refused(place, {"run", "p.toml", "--set", "platform.name=a\x1b[0m"},
                 "--set platform.name: name: found the control character 0x1b in a text, expected "
                 "characters that can be printed");
}

TEST(Borders, AnErrorIsOneLineWhateverNamesHold) {
  const Workplace place;
  std::string text = tiny;
  text.replace(text.find("names = [\"a\", \"b\"]"), 18, "names = [\"a\\nc\", \"b\"]");
  place.write("p.toml", text + "[[device]]\nnames = [\"lost\\nfound\"]\nprofile = \"nic\"\n");
  place.write("o.toml",
              "chip = \"tofino2\"\n[[exact]]\nname = \"t\\nu\"\ngress = \"ingress\"\n"
              "key_bits = 32\nentries = 100\ndata_bits = 8\nafter = [\"v\\nw\"]\n");
  for (const Words& arguments :
       {Words{"run", "p.toml"}, Words{"size", "--objects", "o.toml"},
        Words{"run", "p.toml", "--set", "switch.latency=1 u\ns"}, Words{"run", "no\nfile"}}) {
    const Ended ended = run(place, arguments);
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  }
}

/// Shares of senders: what they sent, and the causes of all other time.
double share_sum(const ordered_json& s) {
  double sum = result(s, "senders.tx_share");
  for (const auto& [name, r] : s.at("results").items())
    sum += name.starts_with("senders.idle_") ? r.at("value").get<double>() : 0.0;
  return sum;
}

TEST(Borders, SharesAddUpToOneHoweverShortTheTime) {
  const Workplace place;
  place.write("p.toml", tiny);
  for (const char* mtu : {"1KiB", "4KiB"}) {
    for (const char* duration : {"1us", "1.3us", "2us", "2.777us", "20us"}) {
      const ordered_json s =
          summary_of(place, "p.toml",
                     {std::string("sim.duration=") + duration, std::string("nic.mtu=") + mtu,
                      "traffic[0].message=64KiB", "traffic[0].depth=8"});
      EXPECT_LE(result(s, "senders.tx_share"), 1.0) << duration;
      EXPECT_LE(result(s, "senders.tx_share_l2"), result(s, "senders.tx_share")) << duration;
      EXPECT_NEAR(share_sum(s), 1.0, 1e-9) << mtu << " " << duration;
    }
  }
}

TEST(Borders, SharesAddUpToOneWhereRatesDiffer) {
  const Workplace place;
  place.write("p.toml", R"([platform]
name = "rates"
[sim]
duration = "50 us"
warmup = "7 us"
[nic]
kind = "rnic"
[plain]
kind = "switch"
[[device]]
names = ["a", "b", "c"]
profile = "nic"
[[device]]
names = ["t"]
profile = "plain"
[[link]]
between = ["a", "t"]
rate = "400 Gbps"
[[link]]
between = ["b", "t"]
rate = "25 Gbps"
[[link]]
between = ["c", "t"]
rate = "100 Gbps"
[[traffic]]
kind = "messages"
from = ["a", "b"]
to = ["c", "c"]
message = "64 KiB"
depth = 2
)");
  const ordered_json s = summary_of(place, "p.toml");
  EXPECT_NEAR(share_sum(s), 1.0, 1e-9);
}

TEST(Borders, RanksOfTheSameMessagesAreTheSame) {
  const Workplace place;
  const ordered_json s = summary_of(place, HORAE_PLATFORM_DIR "/flow_list.toml");
  for (const char* rank : {"p50", "p99"}) {
    EXPECT_EQ(result(s, std::string("flows.fct_") + rank), result(s, std::string("fct.") + rank));
  }
}

TEST(Borders, NoThroughputIsMeasuredWhereArrivalsEndAtOnce) {
  const Workplace place;
  place.write("mine.csv", "start_ns,source,destination,bytes\n0,h0,h5,65536\n100,h1,h5,65536\n");
  const Ended ended = run(place, {"run", HORAE_PLATFORM_DIR "/flow_list.toml", "--json", "--set",
                                  "traffic[0].file=mine.csv", "--set", "traffic[0].from=0s"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_TRUE(ended.json().at("results").at("fct.throughput").at("value").is_null());
}

TEST(Borders, SamplesOfBytesAreWhole) {
  const Workplace place;
  place.write("p.toml", eight_nics("300 us", R"(kind = "messages"
from = ["h1", "h2", "h3", "h4"]
to = ["h0", "h0", "h0", "h0"]
message = "1 MiB"
count = 1
)"));
  ASSERT_EQ(run(place, {"run", "p.toml", "--out", "x", "--set", "sim.sample=20us"}).exit_code, 0);
  const std::string series = place.read("x/series.csv");
  EXPECT_EQ(series.find("e+"), std::string::npos);
  std::size_t large = 0;
  for (std::size_t at = series.find(",bytes\n"); at != std::string::npos;
       at = series.find(",bytes\n", at + 1)) {
    const std::size_t begin = series.rfind(',', at - 1) + 1;
    large += at - begin >= 7 ? 1 : 0;  // a million and more
  }
  EXPECT_GT(large, 0u);
}

}  // namespace
}  // namespace horae::test::borders_test
