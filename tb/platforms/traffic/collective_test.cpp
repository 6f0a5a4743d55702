// Collectives on a platform: completion times in closed form, groups, impaired links, bad input.
#include <gtest/gtest.h>

#include <cmath>

#include "program.hpp"

namespace horae::test::collective_test {
namespace {

/// Eight NICs on two leaves and two spines, two groups of four.
const std::string ring = R"([platform]
name = "ring"

[sim]
duration = "20 ms"
stop = "finished"

[nic]
kind = "rnic"
mtu = "1 KiB"
reliability = { window = 64, rto = "300 us" }

[switch]
kind = "switch"

[leaf_spine]
leaves = 2
spines = 2
hosts_per_leaf = 4
host = "nic"
leaf = "switch"
spine = "switch"

[[impairment]]
between = ["leaf0", "spine1"]
loss = 0.0

[[traffic]]
kind = "collective"
operation = "all_reduce"
size = "64 KiB"
groups = 2
)";

TEST(CollectivePlatform, EveryStepCostsItsComputation) {
  Workplace place;
  place.write("ring.toml", ring);
  const auto cct = [&](const std::string& operation, const std::string& compute) {
    return result(
        summary_of(place, "ring.toml",
                   {"traffic[0].operation=" + operation, "traffic[0].compute=" + compute}),
        "collectives.cct_mean");
  };
  // Four ranks: of six steps five wait for a slice received, of three two, of one none. An ACK in a
  // data packet's way moves a step by some nanoseconds.
  EXPECT_NEAR(cct("all_reduce", "10us") - cct("all_reduce", "0us"), 50.0, 0.1);
  EXPECT_NEAR(cct("all_gather", "10us") - cct("all_gather", "0us"), 20.0, 0.1);
  EXPECT_EQ(cct("ring_permutation", "10us"), cct("ring_permutation", "0us"));
}

TEST(CollectivePlatform, EveryByteArrivesOnceUnderLoss) {
  Workplace place;
  place.write("ring.toml", ring);
  for (const char* operation : {"ring_permutation", "reduce_scatter", "all_reduce", "all_to_all"}) {
    for (const char* loss : {"0.0", "0.02"}) {
      const auto s =
          summary_of(place, "ring.toml",
                     {std::string("traffic[0].operation=") + operation,
                      std::string("impairment[0].loss=") + loss, "switch.balance=spray"});
      EXPECT_EQ(s.at("verdict"), "complete") << operation;
      std::uint64_t delivered = 0;
      for (const auto& [name, device] : s.at("statistics").items()) {
        if (device.contains("delivered_bytes"))
          delivered += device.at("delivered_bytes").at("value").get<std::uint64_t>();
      }
      const std::uint64_t size = 64 * 1024;
      const std::uint64_t of_a_rank = operation == std::string("ring_permutation") ? size
                                      : operation == std::string("all_reduce")     ? size / 4 * 6
                                                                                   : size / 4 * 3;
      EXPECT_EQ(delivered, 8 * of_a_rank) << operation << " " << loss;
      const bool lossy = s.at("packets").at("dropped").at("link_loss").get<int>() > 0;
      EXPECT_EQ(lossy, loss != std::string("0.0")) << operation;
    }
  }
}

TEST(CollectivePlatform, GroupsStartOneAfterTheOther) {
  Workplace place;
  place.write("ring.toml", ring);
  const auto s = summary_of(place, "ring.toml", {"traffic[0].start=5us", "traffic[0].stagger=7us"});
  const auto& rows = s.at("rows").at("groups");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].at("start_us"), 5.0);
  EXPECT_EQ(rows[1].at("start_us"), 12.0);
  EXPECT_EQ(rows[1].at("group"), 1);
  EXPECT_EQ(rows[1].at("traffic"), 0);
  const double most =
      std::max(rows[0].at("cct_us").get<double>(), rows[1].at("cct_us").get<double>());
  EXPECT_EQ(result(s, "collectives.cct_max"), most);
}

TEST(CollectivePlatform, UnfinishedHasNoCompletionTime) {
  Workplace place;
  place.write("ring.toml", ring);
  const auto s = summary_of(place, "ring.toml", {"sim.duration=5us"});
  EXPECT_EQ(s.at("verdict"), "timeout");
  EXPECT_TRUE(s.at("results").at("collectives.cct_max").at("value").is_null());
  EXPECT_TRUE(s.at("rows").at("groups")[0].at("cct_us").is_null());
}

TEST(CollectivePlatform, AnImpairmentIsOfItsLinkAndDirection) {
  Workplace place;
  place.write("ring.toml", ring);
  const auto lost = [&](const char* direction) {
    const auto s =
        summary_of(place, "ring.toml",
                   {"impairment[0].loss=0.05", std::string("impairment[0].direction=") + direction,
                    "switch.balance=spray"});
    std::map<std::string, bool> out;
    for (const auto& [name, device] : s.at("statistics").items()) {
      for (const auto& [key, port] : device.items()) {
        if (port.is_object() && port.contains("lost")) out[name + "." + key] = true;
      }
    }
    return out;
  };
  // Ports of a leaf: four NICs, then spine0 and spine1; of a spine: leaf0 and leaf1.
  EXPECT_EQ(lost("forward"), (std::map<std::string, bool>{{"leaf0.port5", true}}));
  EXPECT_EQ(lost("both"),
            (std::map<std::string, bool>{{"leaf0.port5", true}, {"spine1.port0", true}}));
}

TEST(CollectivePlatform, ALinkThatIsDownForATimeIsRecoveredFrom) {
  Workplace place;
  place.write("ring.toml", ring);
  const auto s =
      summary_of(place, "ring.toml", {"impairment[0].outage=[{from='5us', to='100us'}]"});
  EXPECT_EQ(s.at("verdict"), "complete");
  EXPECT_GT(s.at("packets").at("dropped").at("link_down").get<int>(), 0);
}

TEST(CollectivePlatform, RoutingTakesAFailedLinkOut) {
  Workplace place;
  place.write("ring.toml", ring);
  const std::string outage = "impairment[0].outage=[{from='5us', to='1ms'}]";
  const auto without = summary_of(place, "ring.toml", {outage, "switch.balance=spray"});
  const auto with = summary_of(place, "ring.toml",
                               {outage, "switch.balance=spray", "impairment[0].converge=5us"});
  const auto lost = [](const ordered_json& s) {
    return s.at("packets").at("dropped").at("link_down").get<int>() +
           s.at("packets").at("dropped").at("no_route").get<int>();
  };
  EXPECT_GT(lost(with), 0);
  EXPECT_GT(lost(without), 2 * lost(with));
  EXPECT_LT(result(with, "collectives.cct_max"), result(without, "collectives.cct_max"));
}

TEST(CollectivePlatform, SeriesOfSomeDevicesOnly) {
  Workplace place;
  place.write("ring.toml", ring);
  const Ended ended = run(place, {"run", "ring.toml", "--out", "out", "--set", "sim.sample=5us",
                                  "--set", "sim.sample_devices=['leaf0']"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const std::string series = place.read("out/series.csv");
  EXPECT_NE(series.find("leaf0.port5,tx_rate"), std::string::npos);
  EXPECT_EQ(series.find("leaf1"), std::string::npos);
  EXPECT_EQ(series.find("h0,"), std::string::npos);
}

TEST(CollectivePlatform, WhatCannotBeIsRefused) {
  Workplace place;
  place.write("ring.toml", ring);
  const auto refused = [&](const std::string& setting, const std::string& why) {
    const Ended ended = run(place, {"run", "ring.toml", "--set", setting});
    EXPECT_EQ(ended.exit_code, 2) << setting;
    EXPECT_NE(ended.err.find(why), std::string::npos) << ended.err;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  };
  refused("traffic[0].groups=3", "8 members do not make 3 groups of two or more");
  refused("traffic[0].groups=8", "8 members do not make 8 groups of two or more");
  refused("traffic[0].size=65535B", "does not divide into 4 equal messages");
  refused("traffic[0].operation=all_reduced", "all_reduce");
  refused("traffic[0].size=64GiB", "PSNs that can be told apart");
  refused("traffic[0].members=['h0','leaf0']", "'leaf0' is not a NIC");
  refused("impairment[0].between=['leaf0','leaf1']",
          "there is no link between 'leaf0' and 'leaf1'");
  refused("impairment[0].between=['leaf0']", "expected two");
  refused("impairment[0].outage=[{from='5us', to='4us'}]", "is not after from");
  refused("sim.sample_devices=['leaf9']", "unknown device 'leaf9'");
}

}  // namespace
}  // namespace horae::test::collective_test
