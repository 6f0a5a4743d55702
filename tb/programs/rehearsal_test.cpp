// Warnings of what a program does not pay for, found by having packets pass through it.
#include "horae/programs/rehearsal.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "horae/dataplane/action.hpp"
#include "horae/dataplane/gateway.hpp"
#include "horae/dataplane/register.hpp"
#include "pass_driver.hpp"

namespace horae::programs::rehearsal_test {
namespace {

using dataplane::Action;
using dataplane::Gateway;
using dataplane::Gress;
using dataplane::Pass;
using dataplane::Pipeline;
using dataplane::Register;

/// Ways to write the same program: it counts data by queue pair and marks it.
struct Ways {
  bool gateway = true;  ///< its branch is a Gateway
  bool action = true;   ///< the mark is written in an Action
  bool carries = false;
};

class Marker final : public Program {
 public:
  Marker(Pipeline& pipeline, const Ways& ways)
      : ways_(ways),
        is_data_(pipeline, Gress::ingress, "is_data",
                 {.kind = dataplane::ConditionKind::lt, .bits = 8, .constant = 0x11}),
        seen_(
            pipeline, Gress::ingress, "seen", 256, 0,
            ways.gateway ? dataplane::Needs{dataplane::guarded_by(is_data_)} : dataplane::Needs{}),
        mark_(pipeline, Gress::egress, "mark", {.writes = {"ip.ecn"}}) {}

  void ingress(Pass& pass) override {
    const auto opcode = static_cast<std::uint64_t>(pass.header().opcode);
    const bool data = ways_.gateway ? is_data_.test(pass, opcode)
                                    : opcode < static_cast<std::uint64_t>(Opcode::acknowledge);
    if (data)
      seen_.apply(pass, pass.header().dest_qp.value() % 256, [](std::uint32_t& count) { ++count; });
    if (ways_.carries) pass.header().metadata = 7;
    pass.forward(1);
  }
  void egress(Pass& pass) override {
    const auto write = [&] { pass.header().ecn = Ecn::ce; };
    if (ways_.action)
      mark_.run(pass, write);
    else
      write();
  }

 private:
  Ways ways_;
  Gateway is_data_;
  Register<std::uint32_t> seen_;
  Action mark_;
};

const Routes routes = {{{0, {0}, true}, {1, {1}, true}}, {0, 0}};

Rehearsal of(const Ways& ways) {
  Pipeline pipeline("tor.pipe0", 0, 1);
  Marker program(pipeline, ways);
  return rehearse(program, pipeline, routes);
}

std::vector<std::string> found(const Ways& ways) {
  std::vector<std::string> out;
  for (const auto& u : of(ways).unpriced)
    out.push_back(std::string(kind_name(u.kind)) + " " + std::string(gress_name(u.gress)) + " " +
                  u.what);
  return out;
}

using Found = std::vector<std::string>;

TEST(Rehearsal, AProgramThatPaysForAllItDoesIsNotWarnedOf) {
  const auto rehearsal = of({});
  EXPECT_EQ(rehearsal.unpriced.size(), 0u);
  EXPECT_EQ(rehearsal.stopped, "");
  EXPECT_GT(rehearsal.passes, 200u);
}

TEST(Rehearsal, ABranchThatNoGatewayMakesIsNamedByWhatItLetsRun) {
  EXPECT_EQ(found({.gateway = false}), Found{"branch ingress seen"});
}

TEST(Rehearsal, AHeaderFieldThatNoActionWrites) {
  EXPECT_EQ(found({.action = false}), Found{"rewrite egress ip.ecn"});
}

TEST(Rehearsal, MetadataThatNoActionSets) {
  EXPECT_EQ(found({.carries = true}), Found{"metadata ingress metadata"});
}

TEST(Rehearsal, AllOfThemAtOnce) {
  EXPECT_EQ(found({.gateway = false, .action = false, .carries = true}),
            (Found{"branch ingress seen", "rewrite egress ip.ecn", "metadata ingress metadata"}));
}

TEST(Rehearsal, ARuleThatAPassBreaksEndsItAndIsSaid) {
  class Twice final : public Program {
   public:
    explicit Twice(Pipeline& pipeline) : seen_(pipeline, Gress::ingress, "seen", 4) {}
    void ingress(Pass& pass) override {
      for (int i = 0; i < 2; ++i) seen_.apply(pass, 0, [](std::uint32_t& v) { ++v; });
      pass.forward(1);
    }
    void egress(Pass&) override {}

   private:
    Register<std::uint32_t> seen_;
  };
  Pipeline pipeline("tor.pipe0", 0, 1);
  Twice program(pipeline);
  const auto rehearsal = rehearse(program, pipeline, routes);
  EXPECT_NE(rehearsal.stopped.find("seen"), std::string::npos) << rehearsal.stopped;
  EXPECT_EQ(rehearsal.passes, 0u);
}

TEST(Rehearsal, TheLineSaysWhatToDeclare) {
  EXPECT_EQ(unpriced_text({Unpriced::Kind::rewrite, Gress::egress, "bth.psn"}),
            "bth.psn is rewritten in egress in a pass that runs no action; expected an Action");
  EXPECT_EQ(unpriced_text({Unpriced::Kind::branch, Gress::ingress, "seen"}),
            "seen runs in some passes of ingress only, and nothing decides in which; expected a "
            "Gateway that guards it, or follows(TABLE)");
}

TEST(Rehearsal, OfAShippedProgramEndsWithoutABrokenRule) {
  const auto factory = test::read_by_name("forward", "");
  Pipeline pipeline("tor.pipe0", 0, 1);
  const auto program = factory->make(pipeline, routes);
  const auto rehearsal = rehearse(*program, pipeline, routes);
  EXPECT_EQ(rehearsal.stopped, "");
}

}  // namespace
}  // namespace horae::programs::rehearsal_test
