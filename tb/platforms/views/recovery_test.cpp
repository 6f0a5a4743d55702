// The timeline of a retransmission: its marks are in order, and are those of the platform.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "csv.hpp"
#include "run_parts.hpp"

namespace horae::test::recovery_test {
namespace {

const std::string base = R"([platform]
name = "recovery"
[sim]
duration = "4 ms"
stop = "finished"
[nic]
kind = "rnic"
mtu = "1 KiB"
transport = "go_back_n"
reliability = { window = 64, rto = "100 us" }
nack_delay = "2 us"
[switch]
kind = "switch"
latency = "400 ns"
[link_default]
rate = "100 Gbps"
delay = "500 ns"
)" + on_a_switch({"a", "c"}) +
                         R"([[traffic]]
kind = "messages"
pattern = "pairs"
from = ["a"]
to = ["c"]
message = "16 KiB"
count = 2
)";

struct Seen {
  ordered_json recovery;
  std::vector<Row> rows;
  std::string text;
};

Seen seen(const std::string& events, const Words& more = {}) {
  const Workplace place;
  place.write("p.toml", base + events);
  Words words = {"run", "p.toml", "--recovery", "--out", "o"};
  words.insert(words.end(), more.begin(), more.end());
  const Ended ended = run(place, words);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return {place.read_json("o/recovery.json"), rows_of(place.read("o/recovery.csv")), ended.out};
}

const std::string drop = "[[event]]\naction = \"drop\"\nnic = \"c\"\npsn = 5\n";

TEST(Recovery, OfADroppedPacketHasAllItsMarksInOrder) {
  const Seen o = seen(drop);
  ASSERT_EQ(o.recovery.at("recoveries").size(), 1u);
  const auto& r = o.recovery.at("recoveries").at(0);
  EXPECT_EQ(r.at("psn"), 5);
  EXPECT_EQ(r.at("message"), 0);
  EXPECT_EQ(r.at("cause"), "injected");
  EXPECT_EQ(r.at("place"), "s");
  EXPECT_EQ(r.at("losses"), 1);
  EXPECT_EQ(r.at("nacks"), 1);
  EXPECT_EQ(r.at("resends"), 1);
  EXPECT_FALSE(r.contains("timed_out_ps"));
  std::int64_t before = 0;
  for (const char* mark : {"lost_ps", "nack_decided_ps", "nack_sent_ps", "nack_received_ps",
                           "resent_ps", "arrived_ps", "completed_ps"}) {
    ASSERT_TRUE(r.contains(mark)) << mark;
    const std::int64_t at = r.at(mark);
    EXPECT_GE(at, before) << mark;
    before = at;
  }
  // The next packet comes one packet's time on the wire later: that decides the NACK.
  const auto time = [&](const char* to, const char* from) {
    return r.at(to).get<std::int64_t>() - r.at(from).get<std::int64_t>();
  };
  EXPECT_GE(time("nack_sent_ps", "nack_decided_ps"), 2'000'000);  // nack_delay
  // Two links and a switch: 2 x 500 ns, 400 ns, and the frame twice on the wire.
  EXPECT_GE(time("nack_received_ps", "nack_sent_ps"), 1'400'000);
  EXPECT_GE(time("arrived_ps", "resent_ps"), 1'400'000);
  EXPECT_EQ(o.rows.at(0).at("lost_ps"), std::to_string(r.at("lost_ps").get<std::int64_t>()));
  EXPECT_NE(o.text.find("recovery of 1 packets"), std::string::npos) << o.text;
  EXPECT_NE(o.text.find("psn 5: lost at "), std::string::npos) << o.text;
  // Go-back-N sends what was behind it again as well.
  EXPECT_GT(o.recovery.at("resent_unasked"), 5);
  EXPECT_EQ(o.recovery.at("beside").at(0).at("what"), "drop psn 5");
}

TEST(Recovery, OfALastPacketIsByItsTimer) {
  const Seen o = seen("[[event]]\naction = \"drop\"\nnic = \"c\"\npsn = 31\n");
  const auto& r = o.recovery.at("recoveries").at(0);
  EXPECT_FALSE(r.contains("nack_decided_ps"));
  const std::int64_t waited =
      r.at("timed_out_ps").get<std::int64_t>() - r.at("lost_ps").get<std::int64_t>();
  EXPECT_NEAR(static_cast<double>(waited), 100e6, 5e6);
  EXPECT_GE(r.at("completed_ps"), r.at("resent_ps"));
}

TEST(Recovery, WhatWasOnlyLateHasNoLoss) {
  const Seen o = seen("[[event]]\naction = \"delay\"\nnic = \"c\"\npsn = 5\ndelay = \"1 us\"\n");
  const auto& r = o.recovery.at("recoveries").at(0);
  EXPECT_FALSE(r.contains("lost_ps"));
  EXPECT_EQ(r.at("losses"), 0);
  EXPECT_TRUE(r.contains("nack_decided_ps"));
}

TEST(Recovery, CnpsArePutBeside) {
  const Seen o = seen(drop + "[[event]]\naction = \"mark\"\nnic = \"c\"\npacket = 3\n",
                      {"--set", "nic.congestion.algorithm=dcqcn"});
  std::size_t cnps = 0;
  for (const auto& b : o.recovery.at("beside")) cnps += b.at("what") == "CNP" ? 1 : 0;
  EXPECT_EQ(cnps, 1u);
}

TEST(Recovery, WithoutALossThereIsNone) {
  const Seen o = seen("");
  EXPECT_EQ(o.recovery.at("recoveries").size(), 0u);
  EXPECT_NE(o.text.find("recovery: nothing was lost"), std::string::npos) << o.text;
}

TEST(Recovery, ChangesNoResult) {
  const Workplace place;
  place.write("p.toml", base + drop);
  const Ended without = run(place, {"run", "p.toml", "--json"});
  const Words viewed = {"run", "p.toml", "--json", "--recovery", "--waterfall", "--out", "o"};
  const Ended with = run(place, viewed);
  EXPECT_EQ(run(place, viewed).exit_code, 0);  // into the same folder
  EXPECT_EQ(without_wall(without.json()), without_wall(with.json()));
}

}  // namespace
}  // namespace horae::test::recovery_test
