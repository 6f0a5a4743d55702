// Queue pairs that give up, as a user sees them; and the published questions about them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "csv.hpp"
#include "networks.hpp"
#include "run_parts.hpp"

namespace horae::test::error_test {
namespace {

const std::string questions = std::string(HORAE_PLATFORM_DIR) + "/questions/";

/// A message of each NIC to the one of the other leaf; the first one's link to its leaf is cut.
const std::string cut_off = eight_nics("20 ms", R"(name = "all"
kind = "messages"
pattern = "tornado"
message = "20 KB"
depth = 2
count = 4
[[impairment]]
between = ["h0", "leaf0"]
outage = [{ from = "5 us", to = "1 s" }]
)");
const Words counted = {"nic.reliability.ack_timeout=4", "nic.reliability.retry_count=2"};

// The queue pair of h0 never hears of anything again, nor does that of h4, whose peer it is.
TEST(Error, IsTheVerdictOfTheRunAndSaidOfEachConnection) {
  const Workplace place;
  place.write("p.toml", cut_off);
  const Ended ended =
      run(place, with_settings({"run", "p.toml", "--json", "--out", "out"}, counted));
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const ordered_json s = ended.json();
  EXPECT_EQ(s.at("verdict"), "error");
  EXPECT_EQ(result(s, "flows.in_error"), 2);
  EXPECT_EQ(result(s, "traffic.all.in_error"), 2);
  const std::vector<Row> rows = rows_of(place.read("out/flows.csv"));
  unsigned errors = 0, failed = 0;
  double longest = 0;
  for (const Row& row : rows) {
    const int posted = std::stoi(row.at("messages_posted"));
    const int completed = std::stoi(row.at("messages_completed"));
    const int lost = std::stoi(row.at("messages_failed"));
    EXPECT_EQ(posted, completed + lost);
    failed += static_cast<unsigned>(lost);
    const bool in_error = !row.at("error_us").empty();
    errors += in_error ? 1 : 0;
    EXPECT_EQ(in_error, row.at("sender") == "h0" || row.at("sender") == "h4");
    EXPECT_EQ(completed == 4, !in_error);
    if (in_error) longest = std::max(longest, std::stod(row.at("error_us")));
  }
  EXPECT_EQ(errors, 2u);
  EXPECT_EQ(result(s, "flows.messages_failed"), failed);
  EXPECT_NEAR(s.at("sim_time_ps").get<double>() * 1e-6, longest, 1e-5);
  // Three intervals of 65.536 us after the last answer.
  EXPECT_GE(result(s, "flows.first_error"), 3 * 65.536);
  EXPECT_LT(result(s, "flows.error_time"), 5 + 4 * 65.536);
}

TEST(Error, WithoutRetriesTheRunIsUnfinishedAsEver) {
  const Workplace place;
  place.write("p.toml", cut_off);
  const Ended ended = run(place, {"run", "p.toml", "--json", "--out", "out"});
  const ordered_json s = ended.json();
  EXPECT_NE(s.at("verdict"), "error");
  EXPECT_FALSE(s.at("results").contains("flows.in_error"));
  EXPECT_EQ(place.read("out/flows.csv").find("error_us"), std::string::npos);
}

TEST(Error, IsTheSameOverRanksAndWithExactWakes) {
  const Workplace place;
  place.write("p.toml", cut_off);
  const auto result_of = [&](const Words& more) {
    Words words = with_settings({"run", "p.toml", "--json", "--no-progress"}, counted);
    words.insert(words.end(), more.begin(), more.end());
    const Ended ended = run(place, words);
    if (ended.err.find("was built without: ") != std::string::npos) return ordered_json();
    return ended.json().at("results");
  };
  const ordered_json whole = result_of({});
  EXPECT_EQ(result_of({"--set", "sim.scheduling=exact_wake"}), whole);
  const ordered_json ranks = result_of({"--ranks", "3"});
  if (!ranks.is_null()) {
    EXPECT_EQ(ranks, whole);
  }
}

TEST(Error, OfMessagesOfOpenLoopTrafficIsApartFromUnfinished) {
  const Workplace place;
  place.write("p.toml", eight_nics("20 ms", R"(kind = "flows"
load = 0.1
duration = "50 us"
[[impairment]]
between = ["h0", "leaf0"]
outage = [{ from = "5 us", to = "1 s" }]
)"));
  const Ended ended =
      run(place, with_settings({"run", "p.toml", "--json", "--out", "out"}, counted));
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const ordered_json s = ended.json();
  EXPECT_EQ(s.at("verdict"), "error");
  EXPECT_GT(result(s, "fct.failed"), 0);
  EXPECT_EQ(result(s, "fct.unfinished"), 0);
  EXPECT_EQ(result(s, "fct.failed") + result(s, "fct.completed"),
            static_cast<double>(rows_of(place.read("out/flows.csv")).size()));
}

TEST(Error, RetriesOfATransportWithPacketTimersAreRefused) {
  const Workplace place;
  place.write("p.toml", cut_off);
  const Ended ended =
      run(place, with_settings({"run", "p.toml"},
                               {"nic.transport=spray_sr", "nic.reliability.retry_count=7"}));
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_NE(ended.err.find("reliability.retry_count: the transport 'spray_sr' has timers of its "
                           "own and no retries"),
            std::string::npos)
      << ended.err;
}

/// The time to the error of question Q10, in us, to the picosecond.
double time_to_error(const Words& settings) {
  const Workplace place;
  return result(summary_of(place, questions + "q10_ack_timeouts.toml", settings),
                "flows.error_time");
}
Words without_floor(int exponent) {
  return {"nic.reliability.ack_timeout=" + std::to_string(exponent),
          "nic.reliability.ack_timeout_floor=0", "nic.reliability.ack_timeout_factor=1",
          "nic.reliability.ack_timeout_ramp=0"};
}

// Closed forms in units of 4.096 us, from the first packet on; the post is before that by the reads
// of WQE and payload.
TEST(Question, AckTimeoutsAreThoseOfTheSchedule) {
  constexpr double unit = 4.096;
  for (const int exponent : {14, 16}) {
    const double error = time_to_error({"nic.reliability.ack_timeout=" + std::to_string(exponent)});
    const double scheduled = unit * (4 * 2047 + (1 << 15) + (1 << 16) + 6 * (1 << 17));
    EXPECT_GT(error, scheduled);
    EXPECT_LT(error, scheduled + 5);
    EXPECT_NEAR(error / 3662e3, 1, 0.01);  // published
  }
  EXPECT_NEAR(time_to_error(without_floor(8)), unit * (4 * 63 + 8 * 256), 5);
  EXPECT_NEAR(time_to_error(without_floor(8)) / 9490, 1, 0.01);
  EXPECT_NEAR(time_to_error(without_floor(10)) / 37900, 1, 0.01);
  EXPECT_NEAR(time_to_error(without_floor(14)) / 574.9e3, 1, 0.01);
}

TEST(Question, GoBack0HasNoGoodputAtAFullWire) {
  const Workplace place;
  const ordered_json s = summary_of(place, questions + "q11_go_back_0.toml", {"sim.duration=3ms"});
  EXPECT_EQ(result(s, "traffic.bulk.completed_rate"), 0);
  EXPECT_GT(result(s, "senders.tx_share"), 0.95);
  const ordered_json back_n = summary_of(place, questions + "q11_go_back_0.toml",
                                         {"sim.duration=3ms", "nic.transport=go_back_n"});
  EXPECT_GT(result(back_n, "traffic.bulk.completed_rate"), 5);
}

// Observations within their tolerances, by the program itself.
TEST(Question, ExplainFindsTheNicFileConsistent) {
  for (const char* question : {"q10_ack_timeouts", "q11_go_back_0"}) {
    const Workplace place;
    const Ended ended =
        run(place, {"explain", questions + question + ".toml", "--quick", "--seeds", "1"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_NE(ended.out.find("S.shipped"), std::string::npos) << ended.out;
    EXPECT_NE(ended.out.find("consistent"), std::string::npos) << ended.out;
    EXPECT_EQ(ended.out.find("excluded by"), std::string::npos) << ended.out;
  }
}

}  // namespace
}  // namespace horae::test::error_test
