// The case of ConWeave's public simulator: times to the nanosecond where nothing is in the way, and
// what runs of that simulator gave at a load of 80 %.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "csv.hpp"
#include "program.hpp"

namespace horae::test::conweave_ns3_test {
namespace {

const std::string platform = HORAE_PLATFORM_DIR "/conweave_ns3.toml";

struct Flow {
  int from, to;
  std::int64_t bytes;
  double us;  ///< completion
};

/// Runs the platform and reads its flows.
std::vector<Flow> flows(const Words& settings) {
  const Workplace place;
  const Ended ended =
      run(place, with_settings({"run", platform, "--no-progress", "--out", "o"}, settings));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  std::vector<Flow> out;
  for (const Row& row : rows_of(place.read("o/flows.csv"))) {
    const auto node = [&](const char* column) { return std::stoi(row.at(column).substr(1)); };
    out.push_back({node("sender"), node("receiver"), std::stoll(row.at("size_bytes")),
                   std::stod(row.at("fct_us"))});
  }
  return out;
}

/// A list with one flow.
std::vector<Flow> alone(const Workplace& place, const std::string& line,
                        const Words& settings = {}) {
  place.write("flows.txt", "1\n" + line + "\n");
  Words all = {"traffic=[{kind=\"flow_list\",file=\"" + (place.path() / "flows.txt").string() +
               "\",from=\"2 s\"}]"};
  all.insert(all.end(), settings.begin(), settings.end());
  return flows(all);
}

/// Its own measure: the base round trip is 4160 or 8320 ns, each packet has 48 B beside its
/// payload, and what is quicker counts as 1.
std::vector<double> slowdowns(const std::vector<Flow>& all) {
  std::vector<double> out;
  for (const Flow& f : all) {
    const double base = f.from / 16 == f.to / 16 ? 4.160 : 8.320;
    const auto bytes = static_cast<double>(f.bytes + 48 * ((f.bytes + 999) / 1000));
    out.push_back(std::max(1.0, f.us / (base + bytes * 8 / 100e3)));
  }
  return out;
}
double mean_slowdown(const std::vector<Flow>& all) {
  const auto of = slowdowns(all);
  return std::accumulate(of.begin(), of.end(), 0.0) / static_cast<double>(of.size());
}
/// The 99th percentile.
double tail_slowdown(const std::vector<Flow>& all) {
  auto of = slowdowns(all);
  std::ranges::sort(of);
  return of[of.size() * 99 / 100];
}

// n packets of 83 ns each, all of them on the first link, the last on three more, and an
// acknowledgement of 4 ns on each; 1 us a link. So 1 % quicker than 100 Gbps.
TEST(ConweaveNs3, AFlowAloneTakesWholeNanoseconds) {
  const Workplace place;
  for (const int n : {1, 2, 100, 5000}) {
    const auto across = alone(place, "0 16 3 1 " + std::to_string(n * 1000) + " 2");
    EXPECT_NEAR(across.at(0).us, (n * 83 + 3 * 83 + 4 * 4) / 1e3 + 8, 1e-6) << n;
    const auto within = alone(place, "0 1 3 1 " + std::to_string(n * 1000) + " 2");
    EXPECT_NEAR(within.at(0).us, (n * 83 + 1 * 83 + 2 * 4) / 1e3 + 4, 1e-6) << n;
  }
}

// Found with its own draws of arrivals: 2.11 with ECMP, 1.76 with ConWeave. Draws differ by more
// than 5 %, so this is a bound on the case rather than on single runs; and ConWeave is the better
// one of each.
TEST(ConweaveNs3, SlowdownsAtALoadOf80PercentAreThoseOfTheSimulator) {
  double ecmp = 0, conweave = 0;
  for (const std::string seed : {"sim.seed=1", "sim.seed=2", "sim.seed=3"}) {
    const double hashed = mean_slowdown(flows({seed}));
    const double rerouted = mean_slowdown(flows({seed, "leaf_spine.leaf=conweave"}));
    EXPECT_LT(rerouted, hashed) << seed;
    ecmp += hashed / 3;
    conweave += rerouted / 3;
  }
  EXPECT_NEAR(ecmp, 2.11, 0.15 * 2.11);
  EXPECT_NEAR(conweave, 1.76, 0.15 * 1.76);
}

// Its receivers NACK again after 4 us: one run of it with arrivals for 300 us gave 2.41. Without
// that, retransmissions that are overtaken wait for the timer of 4 ms, and decide the mean.
TEST(ConweaveNs3, SprayedGoBackNDoesNotWaitForItsTimer) {
  const Words drill = {"leaf.balance=drill", "spine.balance=drill", "traffic[0].duration=300us"};
  Words once = drill;
  once.push_back("nic.reliability.nack_again=10s");
  const double with = mean_slowdown(flows(drill)), without = mean_slowdown(flows(once));
  EXPECT_LT(with, 3.2);
  EXPECT_GT(without, 2 * with);
}

/// Slowdowns by scheme, of arrivals for 300 us: the mean, or what `of` says.
std::map<std::string, double> schemes(const Words& network, const Words& names,
                                      double (*of)(const std::vector<Flow>&) = mean_slowdown) {
  const auto both = [](const std::string& key, const std::string& value) {
    return Words{"leaf." + key + "=" + value, "spine." + key + "=" + value};
  };
  std::map<std::string, double> out;
  for (const std::string& name : names) {
    Words settings = network;
    settings.emplace_back("traffic[0].duration=300us");
    const auto add = [&](const Words& more) {
      settings.insert(settings.end(), more.begin(), more.end());
    };
    if (name == "conweave") {
      settings.emplace_back("leaf_spine.leaf=conweave");
      for (std::string& s : settings) {
        if (s == "leaf.pfc.alpha=0") s = "conweave.pfc.alpha=0";
      }
    } else {
      add(both("balance", name));
    }
    if (name == "letflow" || name == "conga") add(both("flowlet_gap", "100us"));
    // A rate that forgets a fifth every 50 us there has a time constant of 250 us.
    if (name == "conga") add(both("conga_tau", "250us"));
    if (name == "conga") add(both("conga_age", "500us"));
    out[name] = of(flows(settings));
  }
  return out;
}

// Its own runs in the lossless network: ConWeave below ECMP, DRILL with go-back-N far above, and no
// flowlet ever ends, so that LetFlow and Conga are paths for whole flows, LetFlow's as random as
// those of ECMP. Our Conga looks at all eight ports and not at four, and takes the idlest.
TEST(ConweaveNs3, SchemesOfALosslessNetworkAreInTheOrderOfTheSimulator) {
  auto of = schemes({}, {"ecmp", "letflow", "conga", "drill", "conweave"});
  EXPECT_LT(of["conweave"], 0.98 * of["ecmp"]);
  EXPECT_NEAR(of["letflow"], of["ecmp"], 0.05 * of["ecmp"]);
  EXPECT_LT(of["conga"], of["ecmp"]);
  EXPECT_GT(of["conga"], 0.9 * of["ecmp"]);
  EXPECT_GT(of["drill"], 1.3 * of["ecmp"]);
}

// The simulator's repository has no results. The paper (ConWeave, SIGCOMM 2023, 4.1.1) says of its
// Figure 13, IRN without PFC at 80 %: ConWeave's mean slowdown is at least 42.3 % and its 99th
// percentile at least 66.8 % below those of ECMP, Conga, LetFlow and DRILL. The tails are in that
// order here, by less; the means are not: DRILL's is below ConWeave's (evaluations/eunomia.md).
TEST(ConweaveNs3, TailsOfALossyNetworkAreInTheOrderOfThePaper) {
  auto of = schemes({"nic.transport=irn", "nic.reliability.window=104", "nic.reliability.rto=320us",
                     "leaf.pfc.alpha=0", "spine.pfc.alpha=0"},
                    {"ecmp", "drill", "conweave"}, tail_slowdown);
  EXPECT_LT(of["conweave"], 0.9 * of["ecmp"]);
  EXPECT_GT(of["drill"], 1.1 * of["ecmp"]);
}

/// A platform's effective configuration.
nlohmann::json configuration(const std::string& name) {
  const Workplace place;
  const std::string file = HORAE_PLATFORM_DIR + ("/" + name + ".toml");
  return run(place, {"config", file, "--json"}).json().at("config");
}

// Acknowledgements in the class of data, marks where packets come, frames of RoCE or another buffer
// each move mean slowdowns at this load, 2.5 times together.
TEST(ConweaveNs3, PlatformsThatNameItHaveItsSetUp) {
  const auto without = [](nlohmann::json table, const Words& keys) {
    for (const std::string& key : keys) table.erase(key);
    return table;
  };
  const nlohmann::json its = configuration("conweave_ns3");
  const auto same_nic = [&](const nlohmann::json& other, const Words& but) {
    EXPECT_EQ(without(other.at("nic"), but), without(its.at("nic"), but));
    EXPECT_EQ(other.at("link_default"), its.at("link_default"));
  };
  const auto same_switch = [&](const nlohmann::json& one, const char* as, const Words& but) {
    EXPECT_EQ(without(one, but), without(its.at(as), but)) << as;
  };
  const Words window = {"reliability"}, limit = {"queue_share"};
  const nlohmann::json clos = configuration("eunomia_clos");
  same_nic(clos, window);
  EXPECT_EQ(without(clos.at("nic").at("reliability"), {"window"}),
            without(its.at("nic").at("reliability"), {"window"}));
  same_switch(clos.at("leaf"), "leaf", limit);
  same_switch(clos.at("spine"), "spine", limit);
  for (const char* name : {"eunomia_fat_tree", "eunomia_jellyfish"}) {
    SCOPED_TRACE(name);
    const nlohmann::json other = configuration(name);
    same_nic(other, window);
    EXPECT_EQ(other.at("nic"), clos.at("nic"));
    same_switch(other.at("switch"), "spine", limit);  // as many ports
  }
  // Lossy: IRN, and limits of queues in the place of PFC.
  const nlohmann::json incast = configuration("eunomia_incast");
  same_nic(incast, {"reliability", "transport"});
  const Words lossy = {"queue_share", "buffer", "pfc", "balance", "balance_depth"};
  same_switch(incast.at("leaf"), "leaf", lossy);
  same_switch(incast.at("spine"), "spine", lossy);
}

// Another list in the place of the traffic, whose values an assumption quotes.
TEST(ConweaveNs3, TakesAnotherTraffic) {
  const Workplace place;
  EXPECT_EQ(alone(place, "0 16 3 1 1000 2").size(), 1u);
  place.write("flows.txt", "1\n0 16 3 1 1000 2\n");
  const std::string list = "traffic=[{kind=\"flow_list\",file=\"" +
                           (place.path() / "flows.txt").string() + "\",from=\"2 s\"}]";
  const Ended clos = run(place, {"run", HORAE_PLATFORM_DIR "/eunomia_clos.toml", "--set", list,
                                 "--set", "sim.warmup=0us"});
  EXPECT_EQ(clos.exit_code, 0) << clos.err;
  EXPECT_EQ(clos.out.find("{traffic"), std::string::npos);
  EXPECT_NE(clos.out.find("  - a NACK counts as: cnp"), std::string::npos) << clos.out;
}

}  // namespace
}  // namespace horae::test::conweave_ns3_test
