// The published sets of DCQCN's parameters, against the tables they come from.
#include <array>

#include "dcqcn_script.hpp"
#include "horae/params/document.hpp"
#include "horae/params/schema.hpp"

namespace horae::policy::dcqcn_parameters_test {
namespace {

// Zhu et al., SIGCOMM 2015; NVIDIA's "DCQCN CC Parameters" (an mlxconfig dump of a ConnectX-7 reads
// the same); run.py and config of the HPCC simulator, cc = dcqcn, at 100 Gbps.
TEST(DcqcnParameters, AreThePublishedOnes) {
  const auto paper = parameters("paper");
  EXPECT_EQ(paper.form, DcqcnForm::per_cnp);
  EXPECT_EQ(paper.gain * 256, 1024u);
  EXPECT_EQ(paper.initial_alpha, 1024u);
  EXPECT_EQ(paper.alpha_timer, 55_us);
  EXPECT_EQ(paper.cnp_interval, 50_us);
  EXPECT_EQ(paper.rate_timer, 55_us);
  EXPECT_EQ(paper.byte_counter_unit * paper.byte_counter, Bytes(10'000'000));
  EXPECT_EQ(paper.threshold, 5u);
  EXPECT_EQ(paper.additive_increase, mbps(40));
  EXPECT_EQ(paper.min_rate, mbps(40));
  EXPECT_TRUE(paper.clamp_target);
  EXPECT_FALSE(paper.release_at_line);

  const auto vendor = parameters("vendor");
  EXPECT_EQ(vendor.form, DcqcnForm::monitored);
  EXPECT_EQ(1024 - vendor.gain, 1019u);
  EXPECT_EQ(vendor.initial_alpha, 1023u);
  EXPECT_EQ(vendor.alpha_timer, 1_us);
  EXPECT_EQ(vendor.cut_period, 4_us);
  EXPECT_EQ(vendor.cut_log2, 11u);
  EXPECT_EQ(vendor.least_kept, 50u);
  EXPECT_FALSE(vendor.clamp_target);
  EXPECT_TRUE(vendor.clamp_after_time);
  EXPECT_EQ(vendor.first_cnp_rate, BitRate(0));
  EXPECT_EQ(vendor.rate_timer, 300_us);
  EXPECT_EQ(vendor.byte_counter, 32767u);
  EXPECT_EQ(vendor.byte_counter_unit, 1_B);
  EXPECT_EQ(vendor.threshold, 1u);
  EXPECT_EQ(vendor.additive_increase, mbps(5));
  EXPECT_EQ(vendor.hyper_increase, mbps(50));
  EXPECT_EQ(vendor.min_rate, mbps(1));
  EXPECT_EQ(vendor.cnp_interval, 4_us);

  const auto hpcc = parameters("hpcc");
  EXPECT_EQ(hpcc.form, DcqcnForm::monitored);
  EXPECT_EQ(hpcc.gain * 256, 1024u);
  EXPECT_EQ(hpcc.initial_alpha, 1024u);
  EXPECT_EQ(hpcc.alpha_timer, 1_us);
  EXPECT_EQ(hpcc.cut_period, 4_us);
  EXPECT_EQ(hpcc.least_kept, 0u);
  EXPECT_FALSE(hpcc.clamp_target);
  EXPECT_EQ(hpcc.rate_timer, 300_us);
  EXPECT_EQ(hpcc.byte_counter, 0u);
  EXPECT_EQ(hpcc.threshold, 1u);
  EXPECT_EQ(hpcc.additive_increase, mbps(5 * 100 / 25));
  EXPECT_EQ(hpcc.hyper_increase, mbps(50 * 100 / 25));
  EXPECT_EQ(hpcc.min_rate, 1_Gbps);
  EXPECT_EQ(hpcc.cnp_interval, Picoseconds(0));
  EXPECT_FALSE(hpcc.release_at_line);
}

// The simulator of the long-haul paper: HPCC's but for five values.
TEST(DcqcnParameters, LonghaulIsHpccWithATimerAndIncreasesOfItsOwn) {
  auto expected = parameters("hpcc");
  expected.rate_timer = 900_us;
  expected.additive_increase = mbps(50);
  expected.hyper_increase = mbps(100);
  expected.min_rate = mbps(100);
  expected.cnp_interval = 5_us;
  EXPECT_EQ(parameters("longhaul"), expected);
}

// Only the simulator's increases follow the line.
TEST(DcqcnParameters, FollowTheLineWhereTheyDo) {
  EXPECT_EQ(dcqcn_parameters("hpcc", {}, 400_Gbps).additive_increase, mbps(80));
  EXPECT_EQ(dcqcn_parameters("hpcc", {}, 400_Gbps).hyper_increase, mbps(800));
  for (const char* set : {"paper", "vendor", "longhaul"}) {
    EXPECT_EQ(dcqcn_parameters(set, {}, 400_Gbps), parameters(set));
  }
}

/// An override through the same words a user has.
DcqcnParameters with(const std::string& key, const std::string& value) {
  const auto overrides =
      Document::parse(key + " = " + value + "\n", "x.toml").root().read(dcqcn_schema());
  return dcqcn_parameters("vendor", overrides, line_rate);
}

// Every key reaches the value it names and no other.
TEST(DcqcnParameters, EveryOneCanBeOverridden) {
  const auto vendor = parameters("vendor");
  const std::vector<std::pair<std::string, std::string>> values = {
      {"form", "'per_cnp'"},
      {"gain", "77"},
      {"initial_alpha", "77"},
      {"alpha_timer", "'77 us'"},
      {"cut_period", "'77 us'"},
      {"cut_log2", "10"},
      {"least_kept", "77"},
      {"clamp_target", "true"},
      {"clamp_after_time", "false"},
      {"first_cnp_rate", "'77 Mbps'"},
      {"rate_timer", "'77 us'"},
      {"byte_counter", "77"},
      {"byte_counter_unit", "'77 B'"},
      {"threshold", "7"},
      {"additive_increase", "'77 Mbps'"},
      {"hyper_increase", "'77 Mbps'"},
      {"min_rate", "'77 Mbps'"},
      {"release_at_line", "false"},
      {"cnp_interval", "'77 us'"},
  };
  std::vector<std::string> keys;
  for (const auto& [key, value] : values) keys.push_back(key);
  EXPECT_EQ(keys, dcqcn_schema().field_names());
  const auto all_of = [&](const DcqcnParameters& p) {
    return std::array{static_cast<std::int64_t>(p.form),
                      std::int64_t{p.gain},
                      std::int64_t{p.initial_alpha},
                      p.alpha_timer.count(),
                      p.cut_period.count(),
                      std::int64_t{p.cut_log2},
                      std::int64_t{p.least_kept},
                      std::int64_t{p.clamp_target},
                      std::int64_t{p.clamp_after_time},
                      p.first_cnp_rate.count(),
                      p.rate_timer.count(),
                      std::int64_t{p.byte_counter},
                      p.byte_counter_unit.count(),
                      std::int64_t{p.threshold},
                      p.additive_increase.count(),
                      p.hyper_increase.count(),
                      p.min_rate.count(),
                      std::int64_t{p.release_at_line},
                      p.cnp_interval.count()};
  };
  const auto before = all_of(vendor);
  ASSERT_EQ(before.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto after = all_of(with(values[i].first, values[i].second));
    for (std::size_t k = 0; k < after.size(); ++k) {
      EXPECT_EQ(after[k] != before[k], k == i) << values[i].first << " and " << keys[k];
    }
  }
}

// The documentation of the keys says about all there is to see of each set.
TEST(DcqcnParameters, EveryKeyHasADocumentAndASource) {
  for (const auto& p : dcqcn_schema().describe()) {
    EXPECT_FALSE(p.doc.empty()) << p.path;
    EXPECT_FALSE(p.source.empty()) << p.path;
  }
}

}  // namespace
}  // namespace horae::policy::dcqcn_parameters_test
