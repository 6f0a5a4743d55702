// Timeouts that run out in an idle network are named, and no others.
#include "horae/workload/timeouts.hpp"

#include "horae/core/quantity_text.hpp"
#include "horae/workload/ideal_times.hpp"
#include "placed.hpp"

namespace horae::test::timeouts_test {
namespace {

using Lines = std::vector<std::string>;

Lines short_timeouts(const std::string& traffic, const std::vector<std::string>& settings = {}) {
  const Document document = Document::parse(eight_nics("20 ms", traffic), "p.toml", settings);
  return workload::short_timeouts(workload::read_platform(document), document.root());
}
std::string rto(Picoseconds time) { return "nic.reliability.rto=" + to_text(time); }

const std::string pairs = "kind = \"batch\"\npattern = \"pairs\"\nsize = \"1 KiB\"\n";
const std::string across = pairs + "from = [\"h0\"]\nto = [\"h7\"]\n";
const std::string within = pairs + "from = [\"h0\"]\nto = [\"h1\"]\n";

// To the picosecond, of the connection there is, not of the longest there could be.
TEST(Timeouts, OneThatIsNotAboveTheIdleRoundTripIsNamed) {
  const auto platform = eight_placed(across);
  const workload::IdealTimes ideal(platform);
  const Picoseconds far = ideal.round_trip(0, 7), near = ideal.round_trip(0, 1);
  ASSERT_GT(far, near);
  EXPECT_EQ(short_timeouts(across, {rto(far)}).size(), 1u);
  EXPECT_TRUE(short_timeouts(across, {rto(far + 1_ps)}).empty());
  EXPECT_TRUE(short_timeouts(within, {rto(near + 1_ps)}).empty());
  EXPECT_TRUE(short_timeouts(across).empty());
}

// Where packets take longer on the wire than it is long, and where NICs take longer than all links.
TEST(Timeouts, SlowLinesAndNicsCountToo) {
  for (const std::string slow : {"link_default.rate=1 Gbps", "nic.rx_latency=90 us"}) {
    const Document document = Document::parse(eight_nics("20 ms", across), "p.toml", {slow});
    const Picoseconds far =
        workload::IdealTimes(workload::read_platform(document)).round_trip(0, 7);
    EXPECT_EQ(short_timeouts(across, {slow, rto(far)}).size(), 1u) << slow;
    EXPECT_TRUE(short_timeouts(across, {slow, rto(far + 1_ps)}).empty()) << slow;
  }
}

TEST(Timeouts, TheLineHasPlaceKeyConnectionAndRoundTrip) {
  const Lines lines = short_timeouts(across, {"link_default.delay=200 us"});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].starts_with("p.toml:12:")) << lines[0];
  EXPECT_NE(lines[0].find("nic.reliability.rto = 1 ms is below the idle round trip from h0 to h7, "
                          "16"),
            std::string::npos)
      << lines[0];
}

// IRN has a second timeout, which is the shorter one.
TEST(Timeouts, ATransportsOwnTimeoutCounts) {
  const Lines lines = short_timeouts(across, {"nic.transport=irn", "nic.reliability.rto_low=4us"});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("nic.reliability.rto_low = 4 us"), std::string::npos) << lines[0];
}

// One path is longer than the timeout, another is not: that is no certain fault.
TEST(Timeouts, TheQuickestPathCounts) {
  const auto ideal = [](const config::PlatformConfig& p) {
    return workload::IdealTimes(p).quickest_round_trip(0, 7);
  };
  auto p = eight_placed(across);
  const Picoseconds idle = ideal(p);
  p.links.at(8).config.delay += 1_ms;  // first leaf to first spine
  EXPECT_EQ(ideal(p), idle);
  EXPECT_GT(workload::IdealTimes(p).round_trip(0, 7), idle);
}

}  // namespace
}  // namespace horae::test::timeouts_test
