// Configurations of congestion control, legal and not.
#include <nlohmann/json.hpp>

#include "dcqcn_script.hpp"
#include "horae/core/error.hpp"
#include "horae/params/document.hpp"
#include "horae/params/schema.hpp"
#include "horae/policy/congestion/nscc.hpp"
#include "horae/policy/congestion/swift.hpp"

namespace horae::policy::congestion_config_test {
namespace {

std::string refusal(const CongestionConfig& config, BitRate line = line_rate) {
  try {
    make_reaction_point(config, line, 1_KiB);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(CongestionConfig, WhatContradictsItselfIsRefused) {
  EXPECT_EQ(refusal({}), "");
  for (const auto& reaction : nack_reactions()) EXPECT_EQ(refusal(reacting(reaction.name)), "");
  auto config = reacting("cnp");
  config.algorithm = "none";
  EXPECT_EQ(refusal(config),
            "nack_reaction = 'cnp' acts on the rates of algorithm = 'dcqcn', but algorithm = "
            "'none'");
  config = reacting("slow_restrat");
  EXPECT_EQ(refusal(config), "unknown NACK reaction 'slow_restrat', did you mean 'slow_restart'?");
  config = reacting("ignore");
  config.parameters.of<DcqcnConfig>().set = "vendro";
  EXPECT_EQ(refusal(config), "unknown parameters 'vendro', did you mean 'vendor'?");
  config.parameters.of<DcqcnConfig>().set = "hpcc";
  EXPECT_EQ(refusal(config, BitRate(999'999'999)),
            "dcqcn.min_rate = 1 Gbps of parameters = 'hpcc' is above the line rate 999999999 bps");
}

// Found by random platforms: a least window above the largest ended the program.
TEST(CongestionConfig, WindowsHaveALeastThatIsNotAboveTheLargest) {
  CongestionConfig config;
  config.algorithm = "nscc";
  config.parameters.of<NsccConfig>().values =
      NsccParameters{.packet = 4096_B, .max_window = 4096_B};
  EXPECT_EQ(refusal(config), "");
  config.parameters.of<NsccConfig>().values =
      NsccParameters{.packet = 4096_B, .max_window = 4095_B};
  EXPECT_EQ(refusal(config), "nscc.packet = 4 KiB, the least window, is above max_window = 4095 B");
  config.algorithm = "swift";
  config.parameters.of<SwiftConfig>().values = SwiftParameters{.min_window = 2, .max_window = 1.5};
  EXPECT_EQ(refusal(config), "swift.min_window = 2 is above max_window = 1.5");
}

TEST(CongestionConfig, NoneIsTheLineRate) {
  const auto r = make_reaction_point({}, 25_Gbps, 1_KiB);
  r->on_cnp(0_us);
  r->on_nack(0_us);
  EXPECT_EQ(r->rate(100_us), 25_Gbps);
}

TEST(CongestionConfig, IsReadAndDumped) {
  const auto config = Document::parse(
                          "algorithm = 'dcqcn'\nnack_reaction = 'slow_restart'\n"
                          "nack_target = 'keep'\nnack_min_gap = '60 us'\n"
                          "[dcqcn]\nform = 'per_cnp'\ngain = 8\nbyte_counter_unit = '64 B'\n",
                          "nic.toml")
                          .root()
                          .read<CongestionConfig>();
  const auto& dcqcn = config.parameters.of<DcqcnConfig>();
  EXPECT_EQ(dcqcn.set, "vendor");
  EXPECT_EQ(config.nack_reaction, "slow_restart");
  EXPECT_EQ(config.parameters.of<NackCut>().target, NackTarget::keep);
  EXPECT_EQ(config.parameters.of<NackCut>().min_gap, 60_us);
  EXPECT_EQ(dcqcn.overrides.form, DcqcnForm::per_cnp);
  EXPECT_EQ(dcqcn.overrides.gain, 8u);
  EXPECT_EQ(dcqcn.overrides.byte_counter_unit, 64_B);
  EXPECT_FALSE(dcqcn.overrides.rate_timer);
  const auto dump = CongestionConfig::schema().dump(config);
  EXPECT_EQ(dump.at("dcqcn").size(), 3u);
  try {
    Document::parse("nack_reaction = 'slow'\n", "nic.toml").root().read<CongestionConfig>();
    FAIL();
  } catch (const InputError& e) {
    EXPECT_TRUE(std::string(e.what()).starts_with("nic.toml:1:17: ")) << e.what();
  }
}

}  // namespace
}  // namespace horae::policy::congestion_config_test
