// The short ways to test a condition say what the long one says: all kinds, widths and joins.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "broken_rule.hpp"
#include "designs.hpp"
#include "horae/dataplane/action.hpp"
#include "horae/dataplane/gateway.hpp"

namespace horae::dataplane::condition_forms_test {
namespace {

using enum ConditionKind;
constexpr auto in = Gress::ingress;
constexpr std::array kinds = {eq, ne, lt, bit, valid, field_eq, field_lt, subtract_sign};

struct Forms : PassesOfAPacket {
  /// A gateway on a pipeline of its own.
  bool held(const ConditionSpec& spec, const std::vector<std::uint64_t>& constants, auto&& test) {
    Pipeline own("tor.pipe2", 2, 1);
    Gateway gateway(own, in, "g", spec, constants);
    const Pass p = pass();
    const bool said = test(gateway, p);
    EXPECT_EQ(gateway.held(p), said);
    EXPECT_EQ(gateway.failed(p), !said);
    return said;
  }
};

/// Calls `f(spec, constants)` for every kind with up to `most` operands.
template <class F>
void for_all_conditions(std::mt19937_64& random, F&& f) {
  for (const ConditionKind kind : kinds) {
    for (const std::uint32_t bits : {1u, 2u, 8u, 24u, 63u, 64u}) {
      const std::uint32_t width = kind == bit || kind == valid ? 1 : bits;
      const std::uint64_t most = ~std::uint64_t{0} >> (64 - width);
      const bool single = kind == field_lt || kind == subtract_sign;
      for (std::uint32_t terms = 1; terms <= (single ? 1u : 4u); ++terms) {
        for (const Join join : {Join::all, Join::any}) {
          for (const std::uint64_t limit : {std::uint64_t{0}, std::uint64_t{1}, most / 2, most}) {
            std::vector<std::uint64_t> constants;
            if (kind == eq || kind == ne) {
              for (std::uint32_t i = 0; i < terms; ++i)
                constants.push_back(i % 2 == 0 ? limit : random() & most);
            }
            f(condition(kind, bits, terms, join, limit), constants, most);
          }
        }
      }
    }
  }
}

std::size_t operands_of(const ConditionSpec& spec) {
  if (spec.kind == field_lt || spec.kind == subtract_sign) return 2;
  return spec.kind == field_eq ? spec.terms + 1 : spec.terms;
}

TEST_F(Forms, NumbersOneByOneAreAsInAList) {
  std::mt19937_64 random(3);
  for_all_conditions(
      random, [&](const ConditionSpec& spec, const auto& constants, std::uint64_t most) {
        if (operands_of(spec) > 3) return;
        for (int i = 0; i < 8; ++i) {
          // Often what it is compared with, and the numbers beside that.
          const auto value = [&]() -> std::uint64_t {
            const std::uint64_t near =
                constants.empty() ? spec.constant : constants[random() % constants.size()];
            return (random() % 4 == 0 ? random() : near + random() % 3 - 1) & most;
          };
          const std::uint64_t a = value(), b = value(), c = value();
          bool list = false, single = false;
          switch (operands_of(spec)) {
            case 1:
              list = held(spec, constants, [&](auto& g, auto& p) { return g.test(p, {a}); });
              single = held(spec, constants, [&](auto& g, auto& p) { return g.test(p, a); });
              break;
            case 2:
              list = held(spec, constants, [&](auto& g, auto& p) { return g.test(p, {a, b}); });
              single = held(spec, constants, [&](auto& g, auto& p) { return g.test(p, a, b); });
              break;
            default:
              list = held(spec, constants, [&](auto& g, auto& p) { return g.test(p, {a, b, c}); });
              single = held(spec, constants, [&](auto& g, auto& p) { return g.test(p, a, b, c); });
          }
          ASSERT_EQ(list, single) << condition_name(spec.kind) << " of " << spec.bits << " bits, "
                                  << spec.terms << " terms: " << a << ' ' << b << ' ' << c;
        }
      });
}

// Each width has the short way, 64 bits as well (but for the largest of its numbers).
TEST_F(Forms, EveryWidthHasAShortWay) {
  for (const std::uint32_t bits : {1u, 8u, 63u, 64u}) {
    const Condition one(condition(eq, bits), {1}, "one");
    EXPECT_TRUE(one.takes(std::uint64_t{0})) << bits;
    EXPECT_EQ(one.takes(std::uint64_t{2}), bits > 1) << bits;
    EXPECT_FALSE(one.takes(std::uint64_t{0}, std::uint64_t{0})) << bits;
  }
}

TEST_F(Forms, FlagsAreAsNumbers) {
  std::mt19937_64 random(5);
  for_all_conditions(random, [&](const ConditionSpec& spec, const auto& constants, std::uint64_t) {
    for (unsigned row = 0; row < 1u << operands_of(spec); ++row) {
      const bool a = (row & 1) != 0, b = (row & 2) != 0, c = (row & 4) != 0, d = (row & 8) != 0;
      const auto n = [](bool flag) { return std::uint64_t{flag}; };
      bool list = false, flags = false;
      switch (operands_of(spec)) {
        case 1:
          list = held(spec, constants, [&](auto& g, auto& p) { return g.test(p, {n(a)}); });
          flags = held(spec, constants, [&](auto& g, auto& p) { return g.test(p, a); });
          break;
        case 2:
          list = held(spec, constants, [&](auto& g, auto& p) { return g.test(p, {n(a), n(b)}); });
          flags = held(spec, constants, [&](auto& g, auto& p) { return g.test(p, a, b); });
          break;
        case 4:
          list = held(spec, constants, [&](auto& g, auto& p) {
            return g.test(p, {n(a), n(b), n(c), n(d)});
          });
          flags = held(spec, constants, [&](auto& g, auto& p) { return g.test(p, a, b, c, d); });
          break;
        default:
          continue;
      }
      ASSERT_EQ(list, flags) << condition_name(spec.kind) << " of " << spec.bits << " bits, "
                             << spec.terms << " terms: row " << row;
    }
  });
}

TEST_F(Forms, WhatIsWideOrTooFewIsRefusedInAllOfThem) {
  Gateway two(pipeline, in, "two", condition(eq, 4, 2));
  const auto refused = [&](auto&& test) {
    const Pass p = pass();
    const std::string said = broken_rule([&] { test(p); });
    return said.substr(0, said.find(" in pass"));
  };
  EXPECT_EQ(refused([&](auto& p) { two.test(p, 3, 16); }), "tor.pipe2.two: value 16 in 4 bits");
  EXPECT_EQ(refused([&](auto& p) { two.test(p, {3, 16}); }), "tor.pipe2.two: value 16 in 4 bits");
  EXPECT_EQ(refused([&](auto& p) { two.test(p, 3); }), "tor.pipe2.two: 1 values for 2");
  EXPECT_EQ(refused([&](auto& p) { two.test(p, 3, 3, 3); }), "tor.pipe2.two: 3 values for 2");
  EXPECT_EQ(refused([&](auto& p) { two.test(p, true); }), "tor.pipe2.two: 1 values for 2");
  EXPECT_EQ(refused([&](auto& p) { two.test(p, true, false, true); }),
            "tor.pipe2.two: 3 values for 2");
  const auto twice = [&](auto&& test) {
    return refused([&](auto& p) {
      test(p);
      test(p);
    });
  };
  EXPECT_EQ(twice([&](auto& p) { two.test(p, 1, 2); }), "tor.pipe2.two: a second access");
  EXPECT_EQ(twice([&](auto& p) { two.test(p, true, true); }), "tor.pipe2.two: a second access");
}

// More gateways in a gress than a pass has bits for.
TEST_F(Forms, GuardsWithoutABitAreGuardsAsWell) {
  std::vector<std::unique_ptr<Gateway>> gateways;
  for (int i = 0; i < 40; ++i) {
    gateways.push_back(
        std::make_unique<Gateway>(pipeline, in, "g" + std::to_string(i), condition(bit, 1)));
  }
  // Guarded by one gateway or by two, with or without a bit, by holding or not.
  struct Guarded {
    std::size_t first, second;
    bool holds;
    std::unique_ptr<Action> action;
  };
  std::vector<Guarded> all;
  for (const std::size_t first : {0u, 1u, 30u, 31u, 39u}) {
    for (const std::size_t second : {0u, 29u, 30u, 31u, 38u, 39u}) {
      for (const bool holds : {true, false}) {
        const auto guard = [&](std::size_t i) {
          return holds ? guarded_by(*gateways[i]) : guarded_unless(*gateways[i]);
        };
        all.push_back({first, second, holds,
                       std::make_unique<Action>(pipeline, in, "a" + std::to_string(all.size()),
                                                ActionSpec{}, Needs{guard(first), guard(second)})});
      }
    }
  }
  for (std::size_t tested = 0; tested < gateways.size(); ++tested) {
    for (const bool value : {false, true}) {
      for (const auto& [first, second, holds, action] : all) {
        const Pass p = pass();
        gateways[tested]->test(p, value);
        const bool open = (tested == first || tested == second) && value == holds;
        const std::string said = broken_rule([&] { action->run(p, [] {}); });
        ASSERT_EQ(said == "nothing was refused", open) << said << ": g" << tested << " = " << value;
      }
    }
  }
}

}  // namespace
}  // namespace horae::dataplane::condition_forms_test
