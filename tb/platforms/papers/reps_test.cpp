// REPS on the network of its paper: queues that settle, the order of schemes, and the way around a
// dead uplink (REPS, EuroSys 2026, Figures 1 and 6, and the closed form of a flow alone).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "csv.hpp"
#include "program.hpp"
#include "sanitized.hpp"

namespace horae::test::reps_test {
namespace {

/// One ToR sends: flows i -> 64+i (Figure 1).
std::string one_tor(const char* size) {
  std::vector<std::string> from, to;
  for (int i = 0; i < 8; ++i) {
    from.push_back(fmt::format("\"h{}\"", i));
    to.push_back(fmt::format("\"h{}\"", 64 + i));
  }
  return fmt::format("traffic=[{{kind=\"batch\",pattern=\"pairs\",size=\"{}\",from=[{}],to=[{}]}}]",
                     size, fmt::join(from, ","), fmt::join(to, ","));
}

struct Outcome {
  nlohmann::json results;
  std::vector<Row> series;

  double fct_max() const { return results["fct.max"]["value"].get<double>(); }
  /// The largest, or least, of all uplinks of leaf0 in the interval that ends at `us`.
  double extreme(const std::string& quantity, int us, bool largest) const {
    std::vector<double> all;
    for (const Row& row : series) {
      const std::string& name = row.at("object");
      const int port = std::stoi(name.substr(name.find("port") + 4));
      if (port >= 8 && row.at("quantity") == quantity && std::stod(row.at("time_us")) == us)
        all.push_back(std::stod(row.at("value")));
    }
    EXPECT_EQ(all.size(), 8u) << quantity << " at " << us;
    if (all.empty()) return -1;
    return largest ? *std::max_element(all.begin(), all.end())
                   : *std::min_element(all.begin(), all.end());
  }
  double rate_of_port(int port, int us) const {
    for (const Row& row : series) {
      if (row.at("object") == fmt::format("leaf0.port{}", port) &&
          row.at("quantity") == "tx_rate" && std::stod(row.at("time_us")) == us)
        return std::stod(row.at("value"));
    }
    ADD_FAILURE() << "no rate of port " << port << " at " << us;
    return -1;
  }
};

Outcome outcome(const Words& settings) {
  const Workplace place;
  Words all = {"sim.sample=20us", "sim.sample_devices=[\"leaf0\"]"};
  all.insert(all.end(), settings.begin(), settings.end());
  const Ended ended = run(
      place,
      with_settings({"run", HORAE_PLATFORM_DIR + std::string("/reps.toml"), "--out", "out"}, all));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return {nlohmann::json::parse(place.read("out/summary.json"))["results"],
          rows_of(place.read("out/series.csv"))};
}

// Section 4.3.1: with REPS all queues end up at Kmin or below, and all ports at the line rate; with
// random entropies queues grow far beyond, while some ports are idle at times.
TEST(Reps, QueuesSettleAtTheThreshold) {
  constexpr double kmin = 82600, packet = 4130, line_rate = 400;
  const Outcome reps = outcome({one_tor("8 MiB")});
  for (const int us : {140, 160}) {
    EXPECT_LE(reps.extreme("queue_depth", us, true), kmin + 2 * packet) << us;
    EXPECT_GT(reps.extreme("tx_rate", us, false), 0.999 * line_rate) << us;
  }
  const Outcome ops = outcome({one_tor("8 MiB"), "nic.entropy.scheme=random"});
  EXPECT_GT(ops.extreme("queue_depth", 160, true), 2 * kmin);
  EXPECT_LT(ops.extreme("tx_rate", 160, false), 0.95 * line_rate);
  EXPECT_LT(reps.fct_max(), ops.fct_max());
}

// A NIC sends its data and an acknowledgement for each packet of the flow that it receives; without
// a queue that is all, beside the trip (4 us each way, and four serialisations of a packet of which
// three and the acknowledgements' are not among these).
TEST(Reps, AdaptiveRoutingOfATornadoIsIdeal) {
  const Outcome adaptive =
      outcome({"traffic=[{kind=\"batch\",pattern=\"tornado\",size=\"1 MiB\"}]",
               "nic.entropy.scheme=fixed", "switch.balance=adaptive", "switch.tie=lowest"});
  constexpr double ns_of_byte = 8.0 / 400, packets = 257;  // 1 MiB / 4086
  const double wire_us = packets * (4150 + 64) * ns_of_byte / 1000;
  const double trip_us = 8 + (3 * 4150 + 4 * 64) * ns_of_byte / 1000;
  EXPECT_NEAR(adaptive.fct_max(), wire_us + trip_us, 0.2);
}

// The paper's order at 128 NICs: what chooses by feedback, what chooses at random, what chooses
// once.
TEST(Reps, SchemesKeepTheirOrder) {
  const std::string tornado = "traffic=[{kind=\"batch\",pattern=\"tornado\",size=\"2 MiB\"}]";
  const double reps = outcome({tornado}).fct_max();
  const double ops = outcome({tornado, "nic.entropy.scheme=random"}).fct_max();
  const double ecmp = outcome({tornado, "nic.entropy.scheme=fixed"}).fct_max();
  EXPECT_LT(reps * 1.01, ops);
  EXPECT_LT(ops * 2, ecmp);
}

// A Tofino2 with depth registers chooses as a plain switch with tie = "lowest" does, as long as the
// ghost thread is quick: a slow one sends whole bursts to one port.
TEST(Reps, ATofinoRoutesByDepthsOfItsGhostThread) {
  const auto fct = [](const Words& more) {
    Words all = {"traffic=[{kind=\"batch\",pattern=\"tornado\",size=\"1 MiB\"}]",
                 "nic.entropy.scheme=fixed"};
    all.insert(all.end(), more.begin(), more.end());
    return outcome(all).fct_max();
  };
  const std::string tor = "leaf_spine.leaf=tofino_tor";
  const double fresh = fct({tor, "tofino_tor.program.ghost_period=1ns"});
  const double plain = fct({"switch.balance=adaptive", "switch.tie=lowest"});
  // Four passes, of data and of the last acknowledgement, take 1.1 to 1.4 us each.
  EXPECT_GT(fresh, plain + 4 * 1.0);
  EXPECT_LT(fresh, plain + 4 * 1.6);
  EXPECT_GT(fct({tor, "tofino_tor.program.ghost_period=2us"}), 1.5 * fresh);
  EXPECT_EQ(fct({tor, "sim.scheduling=exact_wake"}), fct({tor}));
}

// In three tiers the largest window is 1.5 of their bandwidth-delay products, in bytes of payload:
// a packet alone, with its acknowledgement, takes an idle round trip.
TEST(Reps, TheLargestWindowIsThatOfThreeTiers) {
  const Workplace place;
  const std::string platform = HORAE_PLATFORM_DIR + std::string("/reps_fat_tree.toml");
  const std::string alone =
      "traffic=[{kind=\"batch\",pattern=\"pairs\",size=\"4086 B\",from=[\"h0\"],to=[\"h127\"]}]";
  const Ended ended = run(place, with_settings({"run", platform, "--out", "out"}, {alone}));
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const auto summary = nlohmann::json::parse(place.read("out/summary.json"));
  const double trip_us = summary.at("results").at("fct.max").at("value").get<double>();
  const auto& mprdma = summary.at("config").at("nic").at("congestion").at("mprdma");
  const double most = std::stod(mprdma.at("max_window").get<std::string>());
  EXPECT_NEAR(most, 1.5 * trip_us * 400e3 / 8 * 4086 / 4150, 10);
}

/// Eight senders to one receiver at another ToR, through Tofino2s or plain switches.
nlohmann::json incast(const char* size, bool tofino) {
  const Workplace place;
  Words settings = {
      "nic.entropy.scheme=fixed",
      fmt::format("traffic=[{{kind=\"batch\",pattern=\"incast\",size=\"{}\"}}]", size)};
  if (tofino) settings.push_back("leaf_spine.leaf=tofino_tor");
  const Ended ended = run(
      place, with_settings({"run", HORAE_PLATFORM_DIR + std::string("/reps.toml"), "--out", "out"},
                           settings));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return nlohmann::json::parse(place.read("out/summary.json"));
}
double value(const nlohmann::json& summary, const char* name) {
  return summary["results"][name]["value"].get<double>();
}

// Packets that the receiver's Tofino2 cannot queue come cut, are sent again at once, and nothing
// times out. Each cut packet was deflected, went around and was mirrored once.
TEST(Reps, ATofinoTrims) {
  const auto summary = incast("128 KiB", true);
  EXPECT_EQ(summary["verdict"], "complete");
  EXPECT_EQ(value(summary, "senders.timeouts"), 0);
  EXPECT_EQ(value(summary, "fct.completed"), 8);
  const double cut = value(summary, "senders.retransmitted_trimmed");
  EXPECT_GT(cut, 50);
  EXPECT_EQ(summary["packets"]["dropped"]["program"], cut);
  for (const char* cause : {"queue_full", "buffer_full"})
    EXPECT_EQ(summary["packets"]["dropped"][cause], 0) << cause;
  const auto& leaf = summary["statistics"]["leaf0"];
  for (const char* name : {"deflected", "mirrored", "recirculated"})
    EXPECT_EQ(leaf[name]["value"], cut) << name;
  const double plain = value(incast("128 KiB", false), "fct.max");
  EXPECT_NEAR(value(summary, "fct.max"), plain, 0.15 * plain);
}

// The loopback port carries whole packets. Seven of eight are without room at first: what is
// refused in 10 us takes it 70 us, longer than the senders' timeout. So trimming as a program is
// for bursts.
TEST(Reps, ATofinosLoopbackPortBoundsWhatItTrims) {
  const auto summary = incast("512 KiB", true);
  EXPECT_EQ(summary["verdict"], "complete");
  EXPECT_GT(value(summary, "senders.timeouts"), 100);
  EXPECT_EQ(value(incast("512 KiB", false), "senders.timeouts"), 0);
}

// Abstract: around a failure in less than 100 us. The uplink dies at 50 us, silently; the first
// timeout comes 41.5 us after the first packet that it swallowed.
TEST(Reps, RoutesAroundADeadUplinkWithin100us) {
  const std::string dead =
      "impairment=[{between=[\"leaf0\",\"spine0\"],direction=\"forward\",outage=[{from=\"50 us\","
      "to=\"1 s\"}]}]";
  const Outcome reps = outcome({one_tor("8 MiB"), dead, "switch.trim=0 B"});
  EXPECT_GT(reps.rate_of_port(8, 60), 200);
  for (const int us : {160, 180, 200}) EXPECT_EQ(reps.rate_of_port(8, us), 0) << us;
  EXPECT_GT(reps.results["senders.entropy_frozen"]["value"].get<double>(), 0);
  EXPECT_LT(reps.fct_max(), 250);
  if (sanitized()) return;
  const Outcome ops =
      outcome({one_tor("4 MiB"), dead, "switch.trim=0 B", "nic.entropy.scheme=random"});
  EXPECT_GT(ops.rate_of_port(8, 160), 0);
  EXPECT_GT(ops.results["senders.timeouts"]["value"].get<double>(),
            2 * reps.results["senders.timeouts"]["value"].get<double>());
}

}  // namespace
}  // namespace horae::test::reps_test
