// Rates are over the time that there was, to the picosecond, and of the bits that left in it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "csv.hpp"
#include "run_parts.hpp"

namespace horae::test::exact_time_test {
namespace {

constexpr double line = 100e9;

// The last ACK is the last thing that happens. Where the run is looked at, each whole microsecond,
// does not matter.
TEST(ExactTime, ARunThatIsFinishedEndsWithItsLastMessage) {
  for (const char* message : {"64 B", "1000 B", "4 KiB", "20 KiB"}) {
    const Workplace place;
    place.write("p.toml", tiny);
    const Ended ended = run(place, with_settings({"run", "p.toml", "--json", "--out", "out"},
                                                 {"sim.stop=finished", "traffic[0].count=1",
                                                  std::string("traffic[0].message=") + message}));
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    const ordered_json s = ended.json();
    const Row flow = rows_of(place.read("out/flows.csv")).at(0);
    const auto last = std::llround(std::stod(flow.at("last_completion_us")) * 1e6);
    EXPECT_EQ(s.at("sim_time_ps"), last) << message;
    EXPECT_EQ(s.at("measured_to_ps"), last) << message;
    const double window = static_cast<double>(last) * 1e-12;
    EXPECT_NEAR(result(s, "senders.completed_rate") * 1e9 * window,
                8 * std::stod(flow.at("bytes_completed")), 1e-6)
        << message;
    const auto& port = s.at("statistics").at("a").at("port0");
    const double sent = port.at("tx_rate").at("value").get<double>() * window;
    EXPECT_NEAR(result(s, "senders.tx_rate") * 1e9 * window, sent, 1e-6) << message;
    EXPECT_NEAR(result(s, "senders.tx_share"), sent / window / line, 1e-9) << message;
    double shares = result(s, "senders.tx_share");
    for (const auto& [name, r] : s.at("results").items())
      shares += name.starts_with("senders.idle_") ? r.at("value").get<double>() : 0.0;
    EXPECT_NEAR(shares, 1.0, 1e-9) << message;
  }
}

// A packet that is still leaving when the run ends was begun before: its time is not idle.
TEST(ExactTime, SharesOfASenderAddUpWhateverTheEndCuts) {
  for (const char* rate : {"0bps", "30Gbps", "99Gbps"}) {
    for (const char* end : {"20us", "20010001ps", "20047ns", "20099999ps"}) {
      const Workplace place;
      place.write("p.toml", tiny);
      const ordered_json s = summary_of(
          place, "p.toml",
          {"sim.warmup=5us", std::string("sim.duration=") + end, std::string("nic.qp_rate=") + rate,
           "traffic[0].message=100KiB", "traffic[0].depth=2", "nic.transport=\"go_back_n\""});
      double shares = result(s, "senders.tx_share");
      for (const auto& [name, r] : s.at("results").items()) {
        if (!name.starts_with("senders.idle_")) continue;
        EXPECT_GE(r.at("value").get<double>(), 0) << name << " " << rate << " " << end;
        shares += r.at("value").get<double>();
      }
      EXPECT_NEAR(shares, 1.0, 1e-9) << rate << " " << end;
    }
  }
}

// Hosts have no ACK: the run ends with the last packet, through the chip's pipelines.
TEST(ExactTime, ARunOfHostsEndsWithTheLastPacket) {
  const Workplace place;
  place.write("p.toml", R"([platform]
name = "hosts"
[sim]
duration = "100 us"
stop = "finished"
[end]
kind = "host"
[chip]
kind = "tofino"
program = { name = "forward" }
[[device]]
names = ["h", "i"]
profile = "end"
[[device]]
names = ["t"]
profile = "chip"
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
)");
  const ordered_json s = summary_of(place, "p.toml");
  // One packet, from time 0.
  EXPECT_EQ(s.at("sim_time_ps"), s.at("statistics").at("i").at("latency_max").at("value"));
}

// Bytes behind the last whole sample were in no line.
TEST(ExactTime, TheLastPartOfASeriesHasItsOwnLength) {
  const Workplace place;
  place.write("p.toml", lossy);
  for (const char* sample : {"7us", "10us", "23us", "100us"}) {
    const Ended ended = run(place, with_settings({"run", "p.toml", "--json", "--out", sample},
                                                 {std::string("sim.sample=") + sample}));
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    std::map<std::string, double> bits, reached;
    for (const Row& row : rows_of(place.read(std::string(sample) + "/series.csv"))) {
      const std::string object = row.at("object") + " " + row.at("quantity");
      const double window = std::stod(row.at("window_us"));
      EXPECT_NEAR(reached[object] + window, std::stod(row.at("time_us")), 1e-6) << object;
      reached[object] = std::stod(row.at("time_us"));
      bits[object] += std::stod(row.at("value")) * window * 1e3;
    }
    for (const auto& [object, at] : reached) EXPECT_EQ(at, 60.0) << sample << " " << object;
    const ordered_json statistics = ended.json().at("statistics");
    const double delivered = statistics.at("c").at("delivered_bytes").at("value").get<double>();
    EXPECT_NEAR(bits["c delivered_rate"] / 8, delivered, delivered * 1e-4) << sample;
    const double sent = statistics.at("a").at("port0").at("tx_rate").at("value").get<double>();
    EXPECT_NEAR(bits["a tx_rate"], sent * 60e-6, sent * 60e-6 * 1e-4) << sample;
    EXPECT_NEAR(bits["u.port2 tx_rate"],
                statistics.at("u").at("port2").at("tx_rate").at("value").get<double>() * 60e-6,
                sent * 60e-6 * 1e-4)
        << sample;
  }
}

TEST(ExactTime, ASeriesOfARunThatIsFinishedEndsWithIt) {
  const Workplace place;
  place.write("p.toml", tiny);
  for (const char* sample : {"177ns", "1us", "3us"}) {
    const Ended ended = run(place, with_settings({"run", "p.toml", "--json", "--out", sample},
                                                 {"sim.stop=finished", "traffic[0].count=3",
                                                  std::string("sim.sample=") + sample}));
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    double last = 0, bytes = 0;
    for (const Row& row : rows_of(place.read(std::string(sample) + "/series.csv"))) {
      last = std::max(last, std::stod(row.at("time_us")));
      if (row.at("object") == "b" && row.at("quantity") == "delivered_rate")
        bytes += std::stod(row.at("value")) * std::stod(row.at("window_us")) * 125;
    }
    EXPECT_NEAR(last, ended.json().at("sim_time_ps").get<double>() * 1e-6, 1e-9) << sample;
    EXPECT_NEAR(bytes, 3 * 4096, 0.5) << sample;
  }
}

// A packet that has begun counts for what has left of it: at any end of a window a full link is
// full, and never more.
TEST(ExactTime, NoLinkCarriesMoreThanItsLine) {
  const Workplace place;
  place.write("p.toml", tiny);
  for (const char* layer : {"l1", "l2"}) {
    const bool l1 = std::string(layer) == "l1";
    for (const char* duration : {"9us", "20us", "20.0301us", "23.0007us"}) {
      const Ended ended =
          run(place, with_settings({"run", "p.toml", "--json", "--out", "out"},
                                   {std::string("sim.duration=") + duration, "sim.warmup=8us",
                                    "traffic[0].depth=64", "nic.reliability.window=512",
                                    std::string("sim.rate_layer=") + layer, "sim.sample=333ns"}));
      ASSERT_EQ(ended.exit_code, 0) << ended.err;
      const ordered_json s = ended.json();
      const std::string what = std::string(layer) + " " + duration;
      for (const auto& [device, all] : s.at("statistics").items()) {
        for (const auto& [group, counted] : all.items()) {
          if (!group.starts_with("port")) continue;
          EXPECT_LE(counted.at("tx_rate").at("value"), line) << what << " " << device;
        }
      }
      for (const char* name : {"senders.tx_rate", "senders.tx_rate_l1", "senders.tx_rate_l2"})
        EXPECT_LE(result(s, name), line / 1e9) << what << " " << name;
      EXPECT_NEAR(result(s, "senders.tx_rate_l1"), line / 1e9, 1e-9) << what;
      EXPECT_NEAR(result(s, "senders.tx_share"), 1.0, 1e-9) << what;
      // 1024 bytes in frames of 1082 and, at the end of a message, the same; 20 more on the wire.
      EXPECT_LT(result(s, "senders.tx_rate_l2"), result(s, "senders.tx_rate_l1")) << what;
      EXPECT_EQ(result(s, "senders.tx_rate"),
                result(s, l1 ? "senders.tx_rate_l1" : "senders.tx_rate_l2"))
          << what;
      EXPECT_NEAR(result(s, "senders.goodput"),
                  result(s, "senders.goodput_ratio") * result(s, "senders.tx_rate"), 1e-9)
          << what;
      for (const Row& row : rows_of(place.read("out/series.csv"))) {
        if (row.at("quantity") != "tx_rate") continue;
        EXPECT_LE(std::stod(row.at("value")), line / 1e9) << what << " " << row.at("object");
        if (!l1 || row.at("object") != "a") continue;
        EXPECT_EQ(row.at("value"), "100") << what;
      }
    }
  }
}

TEST(ExactTime, BinsWithoutMessagesHaveNoFigures) {
  const Workplace place;
  place.write("p.toml", eight_nics("5 ms", "kind = \"flow_list\"\nfile = \"list\"\n"));
  place.write("list", "2\n0 1 3 100 3000 0\n2 3 3 100 4000 0.000001\n");
  const ordered_json s = summary_of(place, "p.toml", {"sim.size_bins=[\"2KB\",\"10KB\"]"});
  const auto& results = s.at("results");
  for (const char* figure : {"mean", "p50", "p99", "p99_9", "max", "slowdown_mean", "slowdown_p99",
                             "out_of_order", "reordered", "reorder_mean", "reorder_max"}) {
    for (const char* bin : {"upto_2KB", "above_10KB"}) {
      const auto& none = results.at(std::string("fct.") + bin + "." + figure);
      EXPECT_TRUE(none.at("value").is_null()) << bin << figure;
    }
    EXPECT_TRUE(results.at(std::string("fct.upto_10KB.") + figure).at("value").is_number());
    EXPECT_TRUE(results.at(std::string("fct.") + figure).at("value").is_number());
  }
  EXPECT_EQ(results.at("fct.upto_2KB.completed").at("value"), 0);
  EXPECT_EQ(results.at("fct.upto_2KB.unfinished").at("value"), 0);
}

}  // namespace
}  // namespace horae::test::exact_time_test
