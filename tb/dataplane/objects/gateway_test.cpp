// Conditions: what they hold of, what they are refused, and what may run behind them.
#include "horae/dataplane/gateway.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "broken_rule.hpp"
#include "designs.hpp"
#include "horae/core/error.hpp"
#include "horae/core/psn.hpp"

namespace horae::dataplane::gateway_test {
namespace {

using Values = std::initializer_list<std::uint64_t>;

struct Gateways : PassesOfAPacket {
  /// Value of a condition, in a pass of its own.
  bool holds(Gateway& gateway, Values values) {
    const Pass own = pass();
    const bool held = gateway.test(own, values);
    EXPECT_TRUE(gateway.tested(own));
    EXPECT_EQ(gateway.held(own), held);
    return held;
  }
  Gateway condition_of(const ConditionSpec& spec, std::vector<std::uint64_t> constants = {}) {
    return Gateway(pipeline, Gress::ingress, "g" + std::to_string(named++), spec,
                   std::move(constants));
  }

  int named = 0;
};

constexpr auto all = Join::all, any = Join::any;

TEST_F(Gateways, EqualsAConstant) {
  Gateway zero = condition_of(condition(ConditionKind::eq, 4));
  Gateway nine = condition_of(condition(ConditionKind::eq, 4), {9});
  Gateway not_nine = condition_of(condition(ConditionKind::ne, 4), {9});
  for (std::uint64_t v = 0; v < 16; ++v) {
    EXPECT_EQ(holds(zero, {v}), v == 0) << v;
    EXPECT_EQ(holds(nine, {v}), v == 9) << v;
    EXPECT_EQ(holds(not_nine, {v}), v != 9) << v;
  }
}

TEST_F(Gateways, ATrustedPassLeavesNoTraceAndFindsTheSame) {
  Gateway nine = condition_of(condition(ConditionKind::eq, 4), {9});
  const Pass first = numbered(40);
  EXPECT_TRUE(nine.test(first, 9));
  const TrustedPass second(packet, {2, Gress::ingress}, 41, 5, 7_us);
  EXPECT_FALSE(nine.test(second, 8));
  EXPECT_TRUE(nine.test(second, 9));  // as often as it likes
  EXPECT_TRUE(nine.held(first));
  EXPECT_FALSE(nine.tested(numbered(41)));
}

/// A gateway whose condition the text fixes is, of all values of so few bits, what the same
/// specification is of a Gateway: in a checked pass and in a trusted one.
template <class Test, class... Values>
void expect_the_same(Gateways& tests, const ConditionSpec& fields, Values... each) {
  FixedGateway<Test> fixed(tests.pipeline, Gress::ingress, "f" + std::to_string(tests.named++),
                           fields);
  Gateway plain = tests.condition_of(Test::spec(fields), Test::fixed());
  const TrustedPass trusted(tests.packet, {2, Gress::ingress}, 7, 5, 7_us);
  const bool held = plain.test(tests.pass(), each...);
  EXPECT_EQ(fixed.test(tests.pass(), each...), held);
  EXPECT_EQ(fixed.test(trusted, each...), held);
  EXPECT_EQ(tests.pipeline.design().objects.back().spec,
            tests.pipeline.design().objects.end()[-2].spec);
}

TEST_F(Gateways, FixedConditionsAreThoseOfTheirSpecifications) {
  const ConditionSpec three{.bits = 3};
  for (std::uint64_t a = 0; a < 8; ++a) {
    expect_the_same<Equal<Join::all, 5>>(*this, three, a);
    expect_the_same<NotZero>(*this, three, a);
    expect_the_same<Below<6>>(*this, three, a);
    for (std::uint64_t b = 0; b < 8; ++b) {
      expect_the_same<Equal<Join::all, 5, 2>>(*this, three, a, b);
      expect_the_same<Equal<Join::any, 5, 2>>(*this, three, a, b);
      expect_the_same<SameValue>(*this, three, a, b);
    }
  }
  for (unsigned row = 0; row < 8; ++row) {
    const bool a = (row & 1) != 0, b = (row & 2) != 0, c = (row & 4) != 0;
    expect_the_same<AllFlags>(*this, {.terms = 1}, a);
    expect_the_same<AllFlags>(*this, {.terms = 2}, a, b);
    expect_the_same<AnyFlag>(*this, {.terms = 2}, a, b);
    expect_the_same<AllFlags>(*this, {.terms = 3}, a, b, c);
    expect_the_same<AnyFlag>(*this, {.terms = 3}, a, b, c);
  }
}

TEST_F(Gateways, TermsHaveTheirOwnConstantsOrShareOne) {
  Gateway own_all = condition_of(condition(ConditionKind::eq, 2, 2, all), {1, 3});
  Gateway own_any = condition_of(condition(ConditionKind::eq, 2, 2, any), {1, 3});
  Gateway one_all = condition_of(condition(ConditionKind::eq, 2, 2, all), {2});
  Gateway ne_all = condition_of(condition(ConditionKind::ne, 2, 2, all), {1, 3});
  Gateway ne_any = condition_of(condition(ConditionKind::ne, 2, 2, any), {2});
  for (std::uint64_t a = 0; a < 4; ++a) {
    for (std::uint64_t b = 0; b < 4; ++b) {
      EXPECT_EQ(holds(own_all, {a, b}), a == 1 && b == 3) << a << ' ' << b;
      EXPECT_EQ(holds(own_any, {a, b}), a == 1 || b == 3) << a << ' ' << b;
      EXPECT_EQ(holds(one_all, {a, b}), a == 2 && b == 2) << a << ' ' << b;
      EXPECT_EQ(holds(ne_all, {a, b}), a != 1 && b != 3) << a << ' ' << b;
      EXPECT_EQ(holds(ne_any, {a, b}), a != 2 || b != 2) << a << ' ' << b;
    }
  }
}

TEST_F(Gateways, IsBelowAConstant) {
  Gateway below = condition_of(condition(ConditionKind::lt, 4, 1, all, 11));
  Gateway both = condition_of(condition(ConditionKind::lt, 4, 2, all, 8));
  Gateway either = condition_of(condition(ConditionKind::lt, 4, 2, any, 8));
  for (std::uint64_t a = 0; a < 16; ++a) {
    EXPECT_EQ(holds(below, {a}), a < 11) << a;
    for (std::uint64_t b = 0; b < 16; ++b) {
      EXPECT_EQ(holds(both, {a, b}), a < 8 && b < 8) << a << ' ' << b;
      EXPECT_EQ(holds(either, {a, b}), a < 8 || b < 8) << a << ' ' << b;
    }
  }
}

TEST_F(Gateways, BitsAndValidities) {
  for (const ConditionKind kind : {ConditionKind::bit, ConditionKind::valid}) {
    Gateway every = condition_of(condition(kind, 1, 3, all));
    Gateway some = condition_of(condition(kind, 1, 3, any));
    for (std::uint64_t v = 0; v < 8; ++v) {
      const std::uint64_t a = v & 1, b = v >> 1 & 1, c = v >> 2;
      EXPECT_EQ(holds(every, {a, b, c}), v == 7) << v;
      EXPECT_EQ(holds(some, {a, b, c}), v != 0) << v;
    }
  }
}

TEST_F(Gateways, FieldsAreComparedInAChain) {
  Gateway same = condition_of(condition(ConditionKind::field_eq, 2));
  Gateway chain = condition_of(condition(ConditionKind::field_eq, 2, 2, all));
  Gateway link = condition_of(condition(ConditionKind::field_eq, 2, 2, any));
  Gateway less = condition_of(condition(ConditionKind::field_lt, 2));
  for (std::uint64_t v = 0; v < 64; ++v) {
    const std::uint64_t a = v & 3, b = v >> 2 & 3, c = v >> 4;
    EXPECT_EQ(holds(same, {a, b}), a == b) << v;
    EXPECT_EQ(holds(less, {a, b}), a < b) << v;
    EXPECT_EQ(holds(chain, {a, b, c}), a == b && b == c) << v;
    EXPECT_EQ(holds(link, {a, b, c}), a == b || b == c) << v;
  }
}

// The sign of a difference of that many bits, which comes around.
TEST_F(Gateways, TheSignOfADifferenceComesAround) {
  Gateway nibble = condition_of(condition(ConditionKind::subtract_sign, 4));
  for (std::uint64_t a = 0; a < 16; ++a) {
    for (std::uint64_t b = 0; b < 16; ++b)
      EXPECT_EQ(holds(nibble, {a, b}), (a + 16 - b) % 16 >= 8) << a << ' ' << b;
  }
  // With 24 bits it is the order of PSNs (but for those half the ring apart).
  Gateway earlier = condition_of(condition(ConditionKind::subtract_sign, 24));
  for (const std::uint32_t a : {0u, 1u, 2u, 0x7fffffu, 0x800001u, 0xfffffeu, 0xffffffu}) {
    for (const std::uint32_t b : {0u, 1u, 3u, 0x7ffffeu, 0x800003u, 0xfffffdu, 0xffffffu}) {
      if ((a ^ b) == 0x800000u) continue;
      EXPECT_EQ(holds(earlier, {a, b}), Psn(a).before(Psn(b))) << a << ' ' << b;
    }
  }
  Gateway widest = condition_of(condition(ConditionKind::subtract_sign, 64));
  EXPECT_TRUE(holds(widest, {0, 1}));
  EXPECT_FALSE(holds(widest, {1, 0}));
  EXPECT_FALSE(holds(widest, {0, ~std::uint64_t{0}}));
}

TEST_F(Gateways, ValuesAreNoWiderThanWhatIsPaid) {
  Gateway byte(pipeline, Gress::ingress, "byte", condition(ConditionKind::lt, 8, 1, all, 3));
  EXPECT_FALSE(holds(byte, {255}));
  EXPECT_EQ(broken_rule([&] { holds(byte, {256}); }),
            "tor.pipe2.byte: value 256 in 8 bits in pass 13 (packet 0x10000000003, ingress of "
            "pipeline 2)");
  // A flag is one bit whatever the field it is taken from.
  Gateway flag(pipeline, Gress::ingress, "flag", condition(ConditionKind::bit, 8));
  EXPECT_EQ(broken_rule([&] { holds(flag, {2}); }),
            "tor.pipe2.flag: value 2 in 1 bits in pass 14 (packet 0x10000000003, ingress of "
            "pipeline 2)");
  Gateway second(pipeline, Gress::ingress, "second", condition(ConditionKind::field_eq, 3));
  EXPECT_NE(broken_rule([&] {
              holds(second, {7, 8});
            }).find("value 8 in 3 bits"),
            std::string::npos);
  Gateway widest(pipeline, Gress::ingress, "widest", condition(ConditionKind::eq, 64),
                 {~std::uint64_t{0}});
  EXPECT_TRUE(holds(widest, {~std::uint64_t{0}}));
}

TEST_F(Gateways, ThereIsAValueForEachOperand) {
  struct Row {
    ConditionKind kind;
    std::uint32_t terms;
    std::size_t values;
  };
  for (const auto& [kind, terms, values] :
       {Row{ConditionKind::eq, 1, 1}, Row{ConditionKind::eq, 3, 3}, Row{ConditionKind::ne, 2, 2},
        Row{ConditionKind::lt, 2, 2}, Row{ConditionKind::bit, 2, 2},
        Row{ConditionKind::field_eq, 1, 2}, Row{ConditionKind::field_eq, 2, 3},
        Row{ConditionKind::field_lt, 1, 2}, Row{ConditionKind::subtract_sign, 1, 2}}) {
    Gateway gateway = condition_of(condition(kind, 8, terms));
    const std::string wrong = " values for " + std::to_string(values) + " in pass";
    const auto outcome = [&](Values v) { return broken_rule([&] { holds(gateway, v); }); };
    const std::vector<std::string> said = {outcome({}), outcome({0}), outcome({0, 0}),
                                           outcome({0, 0, 0}), outcome({0, 0, 0, 0})};
    for (std::size_t n = 0; n < said.size(); ++n) {
      if (n == values)
        EXPECT_EQ(said[n], "nothing was refused") << gateway.name();
      else
        EXPECT_NE(said[n].find(": " + std::to_string(n) + wrong), std::string::npos) << said[n];
    }
  }
}

TEST_F(Gateways, ConstantsFitTheTerms) {
  const auto made = [&](const ConditionSpec& spec, std::vector<std::uint64_t> constants) {
    return broken_rule([&] {
      Pipeline own("tor.pipe0", 0, 1);
      Gateway(own, Gress::ingress, "g", spec, std::move(constants));
    });
  };
  const ConditionSpec three = condition(ConditionKind::eq, 8, 3);
  EXPECT_EQ(made(three, {}), "nothing was refused");
  EXPECT_EQ(made(three, {255}), "nothing was refused");
  EXPECT_EQ(made(three, {1, 2, 3}), "nothing was refused");
  EXPECT_EQ(made(three, {1, 2}), "tor.pipe0.g: 2 constants for 3 terms");
  EXPECT_EQ(made(three, {1, 2, 3, 4}), "tor.pipe0.g: 4 constants for 3 terms");
  EXPECT_EQ(made(three, {1, 2, 256}), "tor.pipe0.g: constant 256 in 8 bits");
  EXPECT_EQ(made(condition(ConditionKind::lt, 8), {1}), "tor.pipe0.g: 1 constants for 0 terms");
}

TEST_F(Gateways, OneTestPerPassOfItsOwnGress) {
  Gateway gateway(pipeline, Gress::ingress, "is_data", condition(ConditionKind::eq, 8));
  const Pass first = pass();
  EXPECT_FALSE(gateway.tested(first));
  EXPECT_FALSE(gateway.held(first));
  EXPECT_TRUE(gateway.test(first, 0));
  EXPECT_EQ(broken_rule([&] { gateway.test(first, 1); }),
            "tor.pipe2.is_data: a second access in pass 12 (packet 0x10000000003, ingress of "
            "pipeline 2)");
  EXPECT_TRUE(gateway.held(first));
  const Pass second = pass();
  EXPECT_FALSE(gateway.tested(second));
  EXPECT_FALSE(gateway.held(second));
  EXPECT_FALSE(gateway.test(second, 1));
  EXPECT_TRUE(gateway.tested(second));
  EXPECT_FALSE(gateway.held(second));
  EXPECT_EQ(broken_rule([&] { gateway.test(pass(Gress::egress), 0); }),
            "tor.pipe2.is_data: accessed from outside the ingress of pipeline 2 in pass 14 (packet "
            "0x10000000003, egress of pipeline 2)");
}

}  // namespace
}  // namespace horae::dataplane::gateway_test
