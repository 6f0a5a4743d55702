// Which passes of a chip are held to the rules of the dataplane.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "chip_parts.hpp"
#include "horae/core/error.hpp"

namespace horae::tofino::checked_test {
namespace {

using dataplane::Gress;

/// Takes two tickets in a pass, which no hardware does.
class TwoTickets final : public programs::RuleKeeper<TwoTickets> {
 public:
  TwoTickets(dataplane::Pipeline& pipeline, bool keeps_rules)
      : tickets_(pipeline, Gress::ingress, "tickets", 1), keeps_rules_(keeps_rules) {}
  programs::TrustedPasses* trusted() override {
    return keeps_rules_ ? RuleKeeper::trusted() : nullptr;
  }
  void on_ingress(dataplane::PassKind auto& pass) {
    for (int i = 0; i < 2; ++i) tickets_.apply(pass, 0, [](std::uint32_t& n) { return n++; });
    pass.forward(pass.header().dst);
  }
  void on_egress(dataplane::AnyPass& /*pass*/) {}

 private:
  dataplane::Register<std::uint32_t> tickets_;
  bool keeps_rules_;
};

struct TwoTicketsFactory final : programs::ProgramFactory {
  explicit TwoTicketsFactory(bool says_so) : keeps_rules(says_so) {}
  std::unique_ptr<programs::Program> make(dataplane::Pipeline& pipeline,
                                          const programs::Routes&) const override {
    return std::make_unique<TwoTickets>(pipeline, keeps_rules);
  }
  nlohmann::ordered_json config() const override { return {}; }
  bool keeps_rules;
};

/// Message with which a packet through such a chip ends; empty: it came out.
std::string refusal(bool checked, bool keeps_rules) {
  fabric::sim_context context;
  context.checked = checked;
  ChipConfig config;
  config.ports_per_pipeline = 2;
  tofino_switch chip("tor", context, config, 2, TwoTicketsFactory(keeps_rules), {});
  test::probe a("a", context, 1, 0), b("b", context, 1, 1);
  connect(chip, 0, a, 0, test::Chip::link);
  connect(chip, 1, b, 0, test::Chip::link);
  a.send({.at = 1_us, .dst = 1, .frame = 177_B});
  try {
    context.clock.run_to(100_us);
  } catch (const ModelError& e) {
    return e.what();
  }
  EXPECT_EQ(b.arrivals.size(), 1u);
  return {};
}

constexpr const char* second_access = "tor.pipe0.tickets: a second access in pass 0";

TEST(Checked, ARunIsHeldToTheRulesByDefault) { EXPECT_TRUE(fabric::sim_context().checked); }

TEST(Checked, AProgramThatSaysItKeepsTheRulesIsHeldToThem) {
  EXPECT_NE(refusal(true, true).find(second_access), std::string::npos);
}

TEST(Checked, AnyOtherProgramAlwaysIs) {
  EXPECT_NE(refusal(false, false).find(second_access), std::string::npos);
}

TEST(Checked, WithoutChecksNothingIsRefused) { EXPECT_EQ(refusal(false, true), ""); }

}  // namespace
}  // namespace horae::tofino::checked_test
