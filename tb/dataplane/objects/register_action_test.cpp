// Actions of stateful ALUs: what is refused, each rule at its border, and that what is explored is
// what runs.
#include "horae/dataplane/register_action.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "broken_rule.hpp"
#include "designs.hpp"
#include "horae/core/error.hpp"
#include "horae/core/psn.hpp"
#include "horae/core/random.hpp"
#include "horae/dataplane/price/ledgers.hpp"

namespace horae::dataplane::register_action_test {
namespace {

constexpr auto in = Gress::ingress;
using stateful::comes_after;
using stateful::greatest;
using stateful::least;
using stateful::minus_to_zero;

struct RegisterActions : PassesOfAPacket {
  Register<std::uint32_t> array{pipeline, in, "array", 4};
  Register<std::uint8_t> bits{pipeline, in, "bits", RegisterSpec{.width = 1, .entries = 4}};

  template <class F>
  std::string refusal(F f) {
    return broken_rule([&] { RegisterAction<std::uint32_t, F>(pipeline, array, "act", f); });
  }
  template <class F>
  std::string refusal_of_bit(F f) {
    return broken_rule([&] { RegisterAction<std::uint8_t, F>(pipeline, bits, "act", f); });
  }
  const ActionFacts& facts() {
    return std::get<RegisterSpec>(pipeline.design().find("array")->spec).actions.back();
  }
};
const std::string accepted = "nothing was refused";

TEST_F(RegisterActions, WhatAnAluDoes) {
  const auto legal = [&](auto f, std::uint32_t compares, std::uint32_t outputs) {
    Pipeline own("p", 0, 1);
    Register<std::uint32_t> r(own, in, "r", 1);
    EXPECT_EQ(broken_rule([&] { RegisterAction<std::uint32_t, decltype(f)>(own, r, "act", f); }),
              accepted);
    const auto& facts = std::get<RegisterSpec>(own.design().find("r")->spec).actions.at(0);
    EXPECT_EQ(facts.compares, compares);
    EXPECT_EQ(facts.outputs, outputs);
  };
  legal([](auto& cell) { return cell++; }, 0, 1);
  legal([](auto& cell) { return ++cell; }, 0, 1);
  legal([](auto& cell, auto a) { cell = a; }, 0, 0);
  legal([](auto& cell, auto a) { cell = cell ^ a; }, 0, 0);
  legal([](auto& cell, auto a) { cell = greatest(cell, a); }, 0, 0);
  legal([](auto& cell, auto a) { return cell == a; }, 1, 1);
  legal([](auto& cell, auto a) { cell = minus_to_zero(cell, a); }, 0, 0);
  // One compare, a reset and an increment.
  legal(
      [](auto& cell, auto a) {
        if (cell - a > 100)
          cell = 0;
        else
          ++cell;
      },
      1, 0);
  legal(
      [](auto& cell, auto a, auto b) {
        const auto before = cell;
        if (cell == a && b < 5) cell = b;
        return before;
      },
      2, 1);
  legal([](auto& cell, auto a) { return std::tuple(cell, cell == a, comes_after<24>(cell, a)); }, 2,
        2);
}

TEST_F(RegisterActions, WhatNoAluDoes) {
  const auto says = [](const std::string& message, const std::string& part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  says(refusal([](auto& cell, auto a, auto b) { cell = cell + a + b; }),
       "tor.pipe2.array: action act computes ((cell + operand 1) + operand 2); expected one "
       "operation");
  says(refusal([](auto& cell, auto a, auto b) { cell = a + b; }),
       "computes (operand 1 + operand 2)");
  says(refusal([](auto& cell) { cell = cell + cell; }), "computes (cell + cell)");
  says(refusal([](auto& cell, auto a, auto b) { return cell < a + b; }),
       "compares cell < (operand 1 + operand 2); expected a sum");
  says(refusal([](auto& cell, auto a) { return (cell & 3) == a; }),
       "compares (cell & 3) == operand 1");
  says(refusal([](auto& cell, auto a) {
         if (a == 0)
           cell = 0;
         else if (a == 1)
           cell = 5;
         else
           ++cell;
       }),
       "has 3 new values for a word; a word has 2 ALUs");
  says(refusal([](auto& cell, auto a, auto b) {
         const auto before = cell;
         cell = b;
         if (a == 0) return before;
         return a;
       }),
       "gives values of several sources");
  // Whichever way comes first.
  says(refusal([](auto& cell, auto a, auto b) {
         const auto before = cell;
         cell = b;
         if (a == 0) return a;
         return before;
       }),
       "gives values of several sources");
}

TEST_F(RegisterActions, ABitIsSetClearedOrRead) {
  EXPECT_EQ(refusal_of_bit([](auto& cell) { cell = 1; }), accepted);
  Register<std::uint8_t> other(pipeline, in, "other", RegisterSpec{.width = 1, .entries = 4});
  const auto flip = [](auto& cell) { cell ^= 1; };
  EXPECT_NE(broken_rule([&] {
              RegisterAction<std::uint8_t, decltype(flip)>(pipeline, other, "flip", flip);
            }).find("computes (cell ^ 1) for a cell of 1 bit"),
            std::string::npos);
}

// Limits of the chip: a Tofino has two comparison units and one output, a Tofino2 four and four.
TEST_F(RegisterActions, ChipsHaveLimits) {
  const auto three = [](auto& cell, auto a) {
    return std::tuple(cell, cell == a, cell<a, cell - a> 5);
  };
  RegisterAction<std::uint32_t, decltype(three)> action(pipeline, array, "three", three);
  EXPECT_TRUE(Ledgers().of(pipeline.design(), shipped_chip("tofino2")).refused.empty());
  const auto refused = Ledgers().of(pipeline.design(), shipped_chip("tofino1")).refused;
  ASSERT_FALSE(refused.empty());
  EXPECT_EQ(refused[0].resource, "compares");
  EXPECT_EQ(refused[0].need, 3);
  EXPECT_EQ(refused[0].have, 2);
}

template <int n>
struct AddLarge {
  template <class C>
  void operator()(C& cell) const {
    cell += 1000 + n;
  }
};

template <int n>
struct AddSmall {
  template <class C>
  void operator()(C& cell) const {
    cell += n;
  }
};

// An instruction holds -8 to 7; what is beyond is a row of the register's file.
TEST_F(RegisterActions, SmallConstantsAreInTheInstruction) {
  using Constants = std::vector<std::int64_t>;
  RegisterAction<std::uint32_t, AddSmall<-9>> a(pipeline, array, "a");
  EXPECT_EQ(facts().constants, Constants{-9});
  RegisterAction<std::uint32_t, AddSmall<-8>> b(pipeline, array, "b");
  EXPECT_EQ(facts().constants, Constants{});
  RegisterAction<std::uint32_t, AddSmall<7>> c(pipeline, array, "c");
  EXPECT_EQ(facts().constants, Constants{});
  RegisterAction<std::uint32_t, AddSmall<8>> d(pipeline, array, "d");
  EXPECT_EQ(facts().constants, Constants{8});
}

TEST_F(RegisterActions, ARegisterHasFourActionsAndConstants) {
  RegisterAction<std::uint32_t, AddLarge<1>> a(pipeline, array, "a");
  RegisterAction<std::uint32_t, AddLarge<2>> b(pipeline, array, "b");
  RegisterAction<std::uint32_t, AddLarge<3>> c(pipeline, array, "c");
  RegisterAction<std::uint32_t, AddLarge<4>> d(pipeline, array, "d");
  EXPECT_TRUE(Ledgers().of(pipeline.design(), shipped_chip("tofino2")).refused.empty());
  EXPECT_NE(refusal(AddLarge<5>{}), "");
  const auto refused = Ledgers().of(pipeline.design(), shipped_chip("tofino2")).refused;
  ASSERT_FALSE(refused.empty());
  EXPECT_EQ(refused[0].resource, "actions");
  EXPECT_EQ(refused[0].have, 4);
}

TEST_F(RegisterActions, ARegisterWithActionsTakesNoOtherFunction) {
  RegisterAction<std::uint32_t, IncrementCell> next(pipeline, array, "next");
  const Pass own = pass();
  EXPECT_NE(broken_rule([&] {
              array.apply(own, 0, [](std::uint32_t& c) { c = 9; });
            }).find("none of its actions"),
            std::string::npos);
  EXPECT_EQ(next.run(pass(), 0), 0u);
  EXPECT_EQ(next.run(pass(), 0), 1u);
  const Pass twice = pass();
  next.run(twice, 0);
  EXPECT_NE(broken_rule([&] { next.run(twice, 0); }).find("a second access"), std::string::npos);
  const Ledger ledger = Ledgers().of(pipeline.design(), shipped_chip("tofino2"));
  EXPECT_EQ(ledger.unchecked, std::vector<std::string>{"bits"});
  EXPECT_NE(ledger_text(ledger, false).find("unchecked functions in place of actions"),
            std::string::npos);
}

// The same function, on integers and as it was explored.
TEST(Stateful, SerialNumbersAreThoseOfPsns) {
  RandomStream random(3, "psn");
  for (int i = 0; i < 20000; ++i) {
    const std::uint32_t a = random.below(1u << 24);
    const std::uint32_t b =
        i % 3 == 0 ? (a + (1u << 23) - 1 + random.below(3)) & Psn::mask : random.below(1u << 24);
    EXPECT_EQ(comes_after<24>(a, b), Psn(a).after(Psn(b))) << a << ' ' << b;
  }
}

}  // namespace
}  // namespace horae::dataplane::register_action_test
