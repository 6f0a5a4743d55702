// Everything that a chip may do to a packet's time, at once, on shipped platforms: results do not
// depend on when devices run, and books balance.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "program.hpp"

namespace horae::test::chip_timing_test {
namespace {

struct Shipped {
  const char* platform;
  const char* chip;  ///< name of its profile
  Words settings;
};

Words everything_of(const std::string& chip) {
  return {
      chip + R"(.timing={egress_clock=true,parser_bytes="32 B",cut_through="128 B"})",
      chip + R"(.mirror={buffer="8 KB",rate="200 Gbps"})",
      chip + R"(.loopback={rates=["150 Gbps","400 Gbps","400 Gbps","400 Gbps"]})",
      chip +
          R"(.class=[{number=0,priority=3,share=2.0,minimum="20 KB",rate="95 Gbps",burst="9 KB"},)"
          R"({number=6,priority=3,weight=3},{number=7,priority=3}])"};
}

ordered_json summary_of(const Shipped& what, const Words& settings, bool everything = true) {
  const Workplace place;
  Words all = what.settings;
  if (everything)
    for (const auto& s : everything_of(what.chip)) all.push_back(s);
  all.insert(all.end(), settings.begin(), settings.end());
  const Ended ended = run(
      place,
      with_settings({"run", HORAE_PLATFORM_DIR "/" + std::string(what.platform), "--json"}, all));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return ended.json();
}

class ChipTiming : public testing::TestWithParam<Shipped> {};

TEST_P(ChipTiming, ResultsDoNotDependOnTheWindow) {
  const ordered_json one = summary_of(GetParam(), {});
  const auto& packets = one.at("packets");
  double dropped = 0;
  for (const auto& cause : packets.at("dropped")) dropped += cause.get<double>();
  EXPECT_EQ(packets.at("created").get<double>(), packets.at("delivered").get<double>() + dropped +
                                                     packets.at("in_flight").get<double>());
  for (const char* other : {"sim.window=170ns", "sim.scheduling=exact_wake"}) {
    const ordered_json two = summary_of(GetParam(), {other});
    EXPECT_EQ(one.at("results"), two.at("results")) << other;
    EXPECT_EQ(one.at("statistics"), two.at("statistics")) << other;
  }
  EXPECT_NE(one.at("results"), summary_of(GetParam(), {}, false).at("results"));
}

INSTANTIATE_TEST_SUITE_P(
    Platforms, ChipTiming,
    testing::Values(Shipped{"themis_tor.toml", "tor", {"sim.duration=300us", "sim.warmup=20us"}},
                    Shipped{"conweave_tor.toml", "tor", {"sim.duration=300us"}},
                    Shipped{"reps.toml",
                            "tofino_tor",
                            {"leaf_spine.leaf=tofino_tor",
                             "traffic=[{kind=\"batch\",pattern=\"tornado\",size=\"128 KiB\"}]"}}),
    [](const auto& one) { return std::to_string(one.index) + std::string(one.param.chip); });

}  // namespace
}  // namespace horae::test::chip_timing_test
