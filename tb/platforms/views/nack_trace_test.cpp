// `sim.nack_trace`: the service of one NACK, as a trace.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "program.hpp"

namespace horae::test::nack_trace_test {
namespace {

TEST(NackTrace, ShowsTheFirstServiceAfterTheWarmUp) {
  const Workplace place;
  const Ended ended =
      run(place, {"run", HORAE_PLATFORM_DIR "/cx7_spray.toml", "--set", "sim.duration=200us",
                  "--set", "sim.warmup=50us", "--set", "sim.nack_trace=true", "--set",
                  "nic.retransmit.policies=['blocking_fetch']", "--point", "1", "--out", "o"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const ordered_json trace = ordered_json::parse(place.read("o/trace.json"));
  std::set<std::string> tracks;
  double service = 0, first = 1e9;
  std::size_t begins = 0, ends = 0;
  for (const auto& e : trace.at("traceEvents")) {
    const std::string phase = e.at("ph");
    if (phase == "M" && e.at("name") == "thread_name") tracks.insert(e.at("args").at("name"));
    if (phase == "M") continue;
    begins += phase == "b" ? 1 : 0;
    ends += phase == "e" ? 1 : 0;
    first = std::min(first, e.at("ts").get<double>());
    if (e.at("name").get<std::string>().starts_with("NACK ") && phase == "b" && service == 0 &&
        e.at("cat") == "NACK service") {
      service = e.at("ts");
    }
  }
  EXPECT_EQ(tracks, (std::set<std::string>{"DMA reads", "wire", "TX buffer, bytes", "received",
                                           "NACK service"}));
  EXPECT_EQ(begins, ends);
  EXPECT_GT(begins, 10u);
  EXPECT_GE(service, 50.0);
  EXPECT_GE(first, service - 4.8);  // the margin, and a read that began before it
}

}  // namespace
}  // namespace horae::test::nack_trace_test
