// How runs end: the verdict, the exit code, and what is said of a run that makes no progress.
#include <gtest/gtest.h>

#include <string>

#include "csv.hpp"
#include "networks.hpp"
#include "program.hpp"

namespace horae::test::run_verdict_test {
namespace {

TEST(Verdict, FinishedStopsSoonAfterTheLastMessage) {
  const Workplace place;
  place.write("p.toml", tiny);
  const Ended ended =
      run(place, {"run", "p.toml", "--json", "--out", "out", "--set", "sim.stop=finished", "--set",
                  "traffic[0].count=3", "--set", "sim.duration=10ms"});
  EXPECT_EQ(ended.exit_code, 0);
  const ordered_json s = ended.json();
  EXPECT_EQ(s.at("verdict"), "complete");
  EXPECT_EQ(s.at("packets").at("in_flight"), 0);
  const auto flows = rows_of(place.read("out/flows.csv"));
  const double last_us = std::stod(flows.at(0).at("last_completion_us"));
  const double end_us = s.at("sim_time_ps").get<double>() * 1e-6;
  EXPECT_GE(end_us, last_us);
  EXPECT_LE(end_us, last_us + 1.0);
}

TEST(Verdict, DurationLastsSoLongEvenWhenNothingIsLeft) {
  const Workplace place;
  place.write("p.toml", tiny);
  for (const char* scheduling : {"windowed", "exact_wake"}) {
    const ordered_json s = summary_of(
        place, "p.toml",
        {"traffic[0].count=3", "sim.duration=1ms", std::string("sim.scheduling=") + scheduling});
    EXPECT_EQ(s.at("verdict"), "complete");
    EXPECT_EQ(s.at("sim_time_ps"), 1'000'000'000);
    // 12 packets of 1024 + 58 to 82 bytes in a millisecond: rates are over all of it.
    EXPECT_NEAR(result(s, "senders.tx_rate"), 12 * 1110 * 8e-6, 0.005) << scheduling;
    double shares = result(s, "senders.tx_share");
    for (const auto& [name, r] : s.at("results").items())
      shares += name.starts_with("senders.idle_") ? r.at("value").get<double>() : 0.0;
    EXPECT_NEAR(shares, 1.0, 1e-6) << scheduling;
  }
}

TEST(Verdict, TimeoutWhenFinishedTakesLongerThanTheDuration) {
  const Workplace place;
  place.write("p.toml", tiny);
  const ordered_json s =
      summary_of(place, "p.toml", {"sim.stop=finished", "traffic[0].count=3000"});
  EXPECT_EQ(s.at("verdict"), "timeout");
  EXPECT_EQ(s.at("sim_time_ps"), 20'000'000);
}

TEST(Verdict, StuckWhenEverythingIsCut) {
  const Workplace place;
  place.write("p.toml", tiny);
  const Ended ended = run(place, with_settings({"run", "p.toml", "--json", "--out", "out"},
                                               {"sim.duration=10ms", "sim.stuck_after=200us",
                                                "link[1].outage=[{from=\"10us\",to=\"1s\"}]"}));
  EXPECT_EQ(ended.exit_code, 4);
  const ordered_json s = ended.json();
  EXPECT_EQ(s.at("verdict"), "stuck");
  EXPECT_EQ(s, place.read_json("out/summary.json"));
  // Noticed soon, after seven timeouts of 50 us, not at the end.
  EXPECT_GE(s.at("sim_time_ps"), 360'000'000);
  EXPECT_LE(s.at("sim_time_ps"), 500'000'000);
  EXPECT_TRUE(ended.err.starts_with("horae: no progress; what is waiting:\n")) << ended.err;
  EXPECT_NE(ended.err.find("a queue pair 0x40: 2 messages outstanding"), std::string::npos)
      << ended.err;
}

TEST(Verdict, StuckDumpNamesEveryQueueThatHolds) {
  // A link is slow, and the one behind it cut for good: what is sent again and again, 32 packets
  // of 9 us on that wire every 50 us, stands before it.
  const Workplace place;
  place.write("p.toml", tiny);
  const Ended ended =
      run(place, with_settings({"run", "p.toml"}, {"sim.stuck_after=20us", "sim.duration=5ms",
                                                   "nic.reliability.rto=50us",
                                                   "traffic[0].message=16KiB", "link[1].rate=1Gbps",
                                                   "link[1].outage=[{from=\"0us\",to=\"1s\"}]"}));
  EXPECT_EQ(ended.exit_code, 4);
  EXPECT_TRUE(ended.err.starts_with(
      "horae: no progress; what is waiting:\n"
      "  a queue pair 0x40: 2 messages outstanding, 0 packets unsent, 32 unacknowledged\n"
      "  t port 1 (pipeline 0): "))
      << ended.err;
}

// A flow's way is drawn once where switches hash flows, so what times out will again; where
// somebody draws anew another way may be open.
TEST(Verdict, StuckIsSeenSoonerWhereWaysDoNotVary) {
  const Workplace place;
  place.write("p.toml", eight_nics("40 ms",
                                   "kind = \"messages\"\nfrom = [\"h0\"]\nto = [\"h4\"]\n"
                                   "message = \"4 KB\"\ncount = 1\n[[impairment]]\n"
                                   "between = [\"leaf1\", \"h4\"]\nloss = 1.0\n"));
  EXPECT_EQ(summary_of(place, "p.toml", {}, 4).at("verdict"), "stuck");
  EXPECT_EQ(summary_of(place, "p.toml", {"switch.balance=spray"}).at("verdict"), "timeout");
}

// No part of it is measured.
TEST(Verdict, ARunThatIsFinishedBeforeTheWarmUpIsMeasuredForNoTime) {
  const Workplace place;
  place.write("p.toml", tiny);
  const ordered_json s =
      summary_of(place, "p.toml", {"sim.stop=finished", "traffic[0].count=1", "sim.warmup=15us"});
  EXPECT_EQ(s.at("verdict"), "complete");
  EXPECT_LT(s.at("measured_from_ps"), 15'000'000);
  EXPECT_EQ(s.at("measured_to_ps"), s.at("measured_from_ps"));
  EXPECT_FALSE(s.at("results").contains("senders.tx_share"));
  EXPECT_EQ(result(s, "t.ingress_passes"), 0);
}

TEST(Verdict, LateStartIsNotStuck) {
  const Workplace place;
  place.write("p.toml", tiny);
  const ordered_json s = summary_of(
      place, "p.toml", {"sim.duration=600us", "sim.stuck_after=100us", "traffic[0].start=500us"});
  EXPECT_EQ(s.at("verdict"), "complete");
  EXPECT_GT(s.at("packets").at("delivered"), 0);
}

TEST(Verdict, StuckPointMakesTheSweepStuck) {
  const Workplace place;
  place.write("p.toml", tiny + R"([[sweep.point]]
label = "open"
[[sweep.point]]
label = "cut"
set = ["link[1].outage=[{from=\"0us\",to=\"1s\"}]", "sim.stuck_after=10us", "nic.reliability.rto=4us"]
[[sweep.column]]
title = "TX"
metric = "senders.tx_share"
)");
  const Ended ended = run(
      place, {"run", "p.toml", "--json", "--set", "sim.duration=60us", "--set", "sim.warmup=50us"});
  EXPECT_EQ(ended.exit_code, 4);
  const ordered_json s = ended.json();
  EXPECT_EQ(s.at("verdict"), "stuck");
  EXPECT_EQ(s.at("rows").at("sweep")[0].at("verdict"), "complete");
  EXPECT_EQ(s.at("rows").at("sweep")[1].at("verdict"), "stuck");
  EXPECT_TRUE(s.at("rows").at("sweep")[0].at("TX").is_number());
  EXPECT_TRUE(s.at("rows").at("sweep")[1].at("TX").is_null());  // over before the warm-up was
  EXPECT_NE(ended.err.find("horae: cut: no progress; what is waiting:\n  a queue pair"),
            std::string::npos)
      << ended.err;
  EXPECT_EQ(run(place, {"run", "p.toml", "--set", "sim.duration=60us", "--set", "sim.warmup=50us"})
                .exit_code,
            4);
}

}  // namespace
}  // namespace horae::test::run_verdict_test
