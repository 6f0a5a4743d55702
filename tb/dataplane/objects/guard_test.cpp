// Guarded objects run only where their gateway held in the same pass; constructing objects
// records in the design.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "broken_rule.hpp"
#include "designs.hpp"
#include "horae/core/error.hpp"
#include "horae/dataplane/action.hpp"
#include "horae/dataplane/exact_table.hpp"
#include "horae/dataplane/gateway.hpp"
#include "horae/dataplane/hash.hpp"
#include "horae/dataplane/mirror.hpp"
#include "horae/dataplane/random.hpp"
#include "horae/dataplane/register.hpp"

namespace horae::dataplane::guard_test {
namespace {

constexpr auto in = Gress::ingress, out = Gress::egress;

struct Guards : PassesOfAPacket {
  const DesignObject& recorded(const std::string& name) const {
    const DesignObject* object = pipeline.design().find(name);
    if (object == nullptr) throw std::runtime_error("not in the design: " + name);
    return *object;
  }
  template <class Spec>
  const Spec& spec_of(const std::string& name) const {
    return std::get<Spec>(recorded(name).spec);
  }

  Gateway yes{pipeline, in, "yes", condition(ConditionKind::bit, 1)};
  Gateway no{pipeline, in, "no", condition(ConditionKind::bit, 1)};
};

int one_more(int& cell) { return ++cell; }

TEST_F(Guards, RunsOnlyWhereItsGatewayHeldInThisPass) {
  Register<int> r(pipeline, in, "turn", 1, 0, Needs{guarded_by(yes)});
  const auto use = [&](const Pass& p) { return broken_rule([&] { r.apply(p, 0, one_more); }); };
  const Pass untested = pass();
  EXPECT_EQ(use(untested),
            "tor.pipe2.turn: used although its guard is not met (yes) in pass 12 (packet "
            "0x10000000003, ingress of pipeline 2)");
  const Pass held = pass();
  yes.test(held, 1);
  EXPECT_EQ(use(held), "nothing was refused");
  const Pass stale = pass();  // it held in the pass before
  EXPECT_EQ(use(stale),
            "tor.pipe2.turn: used although its guard is not met (yes) in pass 14 (packet "
            "0x10000000003, ingress of pipeline 2)");
  const Pass failed = pass();
  yes.test(failed, 0);
  EXPECT_EQ(use(failed),
            "tor.pipe2.turn: used although its guard is not met (yes) in pass 15 (packet "
            "0x10000000003, ingress of pipeline 2)");
  EXPECT_EQ(r.read(0), 1);
}

TEST_F(Guards, OrOnlyWhereItWasTestedAndFailed) {
  Register<int> r(pipeline, in, "turn", 1, 0, Needs{guarded_unless(no)});
  const auto use = [&](const Pass& p) { return broken_rule([&] { r.apply(p, 0, one_more); }); };
  const std::string refused = "tor.pipe2.turn: used although its guard is not met (no = false)";
  const Pass untested = pass();
  EXPECT_EQ(use(untested).substr(0, refused.size()), refused);
  const Pass held = pass();
  no.test(held, 1);
  EXPECT_EQ(use(held).substr(0, refused.size()), refused);
  const Pass failed = pass();
  no.test(failed, 0);
  EXPECT_EQ(use(failed), "nothing was refused");
  const Pass stale = pass();
  EXPECT_EQ(use(stale).substr(0, refused.size()), refused);
  EXPECT_EQ(r.read(0), 1);
}

TEST_F(Guards, AnyOfSeveralLetsItRun) {
  Gateway third(pipeline, in, "third", condition(ConditionKind::bit, 1));
  Register<int> r(pipeline, in, "turn", 1, 0,
                  Needs{guarded_by(yes), guarded_unless(no), guarded_by(third)});
  // Each gateway: 0 or 1, or not tested (2).
  for (unsigned state = 0; state < 27; ++state) {
    const unsigned a = state % 3, b = state / 3 % 3, c = state / 9;
    const Pass p = pass();
    if (a < 2) yes.test(p, a);
    if (b < 2) no.test(p, b);
    if (c < 2) third.test(p, c);
    const std::string said = broken_rule([&] { r.apply(p, 0, one_more); });
    if (a == 1 || b == 0 || c == 1)
      EXPECT_EQ(said, "nothing was refused") << state;
    else
      EXPECT_EQ(said,
                "tor.pipe2.turn: used although its guard is not met (yes or no = false or "
                "third) in " +
                    p.describe());
  }
}

// The rule is every object's.
TEST_F(Guards, EveryKindOfObjectIsGuarded) {
  const Needs needs = {guarded_by(yes)};
  ExactTable<int, int> table(pipeline, in, "table", 4, needs);
  Gateway nested(pipeline, in, "nested", condition(ConditionKind::bit, 1), {}, needs);
  Hash hash(pipeline, in, "hash", {}, needs);
  Random random(pipeline, in, "random", needs);
  Action action(pipeline, in, "action", {}, needs);
  Mirror mirror(pipeline, in, "mirror", needs);
  Recirculation around(pipeline, in, "around", needs);
  for (const bool open : {false, true}) {
    Pass p = pass();
    yes.test(p, open ? 1 : 0);
    const auto said = [&](auto&& use) {
      const std::string text = broken_rule(use);
      return text == "nothing was refused" ? text : text.substr(0, text.find(" in pass"));
    };
    const auto expected = [&](const char* name) {
      return open ? std::string("nothing was refused")
                  : std::string("tor.pipe2.") + name + ": used although its guard is not met (yes)";
    };
    EXPECT_EQ(said([&] { table.lookup(p, 1); }), expected("table"));
    EXPECT_EQ(said([&] { nested.test(p, 1); }), expected("nested"));
    EXPECT_EQ(said([&] { hash.of(p, {1}); }), expected("hash"));
    EXPECT_EQ(said([&] { random.below(p, 2); }), expected("random"));
    EXPECT_EQ(said([&] { action.run(p, [] {}); }), expected("action"));
    EXPECT_EQ(said([&] { mirror.request(p, {.type = 1}); }), expected("mirror"));
    EXPECT_EQ(said([&] { around.request(p); }), expected("around"));
    EXPECT_EQ(p.mirror_request().has_value(), open);
    EXPECT_EQ(p.verdict(), open ? Verdict::recirculate : Verdict::undecided);
  }
}

TEST_F(Guards, TheDesignHasNamesWithoutThePipeline) {
  Register<std::uint16_t> r(pipeline, out, "bitmap", 512);
  EXPECT_EQ(r.name(), "tor.pipe2.bitmap");
  EXPECT_EQ(r.short_name(), "bitmap");
  EXPECT_EQ(r.where(), (PipelineId{2, out}));
  std::vector<std::string> names;
  for (const auto& object : pipeline.design().objects) names.push_back(object.name);
  EXPECT_EQ(names, (std::vector<std::string>{"yes", "no", "bitmap"}));
  EXPECT_EQ(recorded("yes").gress, in);
  EXPECT_EQ(recorded("bitmap").gress, out);
  EXPECT_EQ(spec_of<RegisterSpec>("bitmap").width, 16u);
  EXPECT_EQ(spec_of<RegisterSpec>("bitmap").entries, 512u);
  EXPECT_EQ(pipeline.objects(), (std::vector<Object*>{&yes, &no, &r}));
}

TEST_F(Guards, TheDesignHasDependenciesOfTheirKind) {
  ExactTable<int, int> a(pipeline, in, "a", 4);
  Action b(pipeline, in, "b", {}, Needs{uses(a)});
  Action c(pipeline, in, "c", {}, Needs{matches(a), overwrites(b), follows(yes), guarded_by(no)});
  const auto& after = recorded("c").after;
  std::vector<std::pair<std::string, DependencyKind>> found;
  for (const auto& d : after) found.emplace_back(d.on, d.kind);
  EXPECT_EQ(found, (std::vector<std::pair<std::string, DependencyKind>>{
                       {"a", DependencyKind::match},
                       {"b", DependencyKind::action},
                       {"yes", DependencyKind::control}}));
  ASSERT_EQ(recorded("b").after.size(), 1u);
  EXPECT_EQ(recorded("b").after[0].kind, DependencyKind::read_after_write);
  EXPECT_TRUE(recorded("a").after.empty());
  EXPECT_EQ(spec_of<ConditionSpec>("no").guards, (std::vector<std::string>{"c"}));
  EXPECT_TRUE(spec_of<ConditionSpec>("yes").guards.empty());  // followed, which is no guard
  EXPECT_NO_THROW(pipeline.design().check());
}

TEST_F(Guards, ARegisterHasAnAccessForEachGuard) {
  Gateway third(pipeline, in, "third", condition(ConditionKind::bit, 1));
  Register<int> free(pipeline, in, "free", 1);
  Register<int> one(pipeline, in, "one", 1, 0, Needs{guarded_by(yes), matches(free)});
  Register<int> three(pipeline, in, "three", 1, 0,
                      Needs{guarded_by(yes), guarded_unless(no), guarded_by(third)});
  Register<int> said(pipeline, in, "said", RegisterSpec{.entries = 1, .accesses = 2},
                     Needs{guarded_by(third)});
  EXPECT_EQ(spec_of<RegisterSpec>("free").accesses, 1u);
  EXPECT_EQ(spec_of<RegisterSpec>("one").accesses, 1u);
  EXPECT_EQ(spec_of<RegisterSpec>("three").accesses, 3u);
  EXPECT_EQ(spec_of<RegisterSpec>("said").accesses, 2u);  // two accesses behind the same condition
  EXPECT_EQ(spec_of<ConditionSpec>("yes").guards, (std::vector<std::string>{"one", "three"}));
  EXPECT_EQ(spec_of<ConditionSpec>("third").guards, (std::vector<std::string>{"three", "said"}));
}

TEST_F(Guards, ANeedIsOfTheSameGressAndPipeline) {
  Gateway outside(pipeline, out, "outside", condition(ConditionKind::bit, 1));
  Pipeline other("tor.pipe3", 3, 1);
  Register<int> elsewhere(other, in, "elsewhere", 1);
  const auto made = [&](Gress gress, const Need& need) {
    return broken_rule([&] { Register<int>(pipeline, gress, "turn", 1, 0, Needs{need}); });
  };
  EXPECT_EQ(made(in, guarded_by(outside)),
            "tor.pipe2.turn: needs tor.pipe2.outside, which is not in the ingress of its pipeline");
  EXPECT_EQ(made(in, matches(outside)),
            "tor.pipe2.turn: needs tor.pipe2.outside, which is not in the ingress of its pipeline");
  EXPECT_EQ(made(out, follows(yes)),
            "tor.pipe2.turn: needs tor.pipe2.yes, which is not in the egress of its pipeline");
  EXPECT_EQ(
      made(in, uses(elsewhere)),
      "tor.pipe2.turn: needs tor.pipe3.elsewhere, which is not in the ingress of its pipeline");
  EXPECT_EQ(pipeline.design().find("turn"), nullptr);  // what is refused is not in the design
  EXPECT_EQ(pipeline.objects().size(), 3u);
}

}  // namespace
}  // namespace horae::dataplane::guard_test
