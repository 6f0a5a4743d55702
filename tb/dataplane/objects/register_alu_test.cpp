// Hardware in the place of a register's stateful ALU: what it says is what happens.
#include "horae/dataplane/objects/register_alu.hpp"

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "broken_rule.hpp"
#include "designs.hpp"
#include "horae/core/error.hpp"
#include "horae/dataplane/register_action.hpp"

namespace horae::dataplane::register_alu_test {
namespace {

constexpr auto in = Gress::ingress;
using stateful::AluInput;
using stateful::AluOutcome;

/// Keeps what it was asked, and says what the model does, one more in each word, flags turned.
class OneMore final : public RegisterAlu {
 public:
  AluOutcome run(unsigned action, const AluInput& asked, const AluOutcome& model) override {
    actions.push_back(action);
    inputs.push_back(asked);
    models.push_back(model);
    AluOutcome out = model;
    for (auto& word : out.cell) ++word;
    for (auto& word : out.words) ++word;
    out.flags.flip();
    return out;
  }
  std::vector<unsigned> actions;
  std::vector<AluInput> inputs;
  std::vector<AluOutcome> models;
};

struct SetAndTell {
  template <class C>
  auto operator()(C& cell, C value) const {
    const C before = cell;
    cell = value;
    return std::tuple(before, before == value);
  }
};

struct RegisterAlus : PassesOfAPacket {
  Register<std::uint32_t> array{pipeline, in, "array", 4};
  RegisterAction<std::uint32_t, IncrementCell> increment{pipeline, array, "increment"};
  RegisterAction<std::uint32_t, SetCell> set{pipeline, array, "set"};
  RegisterAction<std::uint32_t, EqualsCell> equals{pipeline, array, "equals"};
  OneMore alu;
};

TEST_F(RegisterAlus, HardwareIsAskedAndObeyed) {
  set.run(pass(), 1, 5u);
  array.set_alu(alu);
  set.run(pass(), 1, 9u);
  EXPECT_EQ(array.read(1), 10u);
  EXPECT_EQ(increment.run(pass(), 1), 11u);  // 10, and one more
  EXPECT_EQ(array.read(1), 12u);
  EXPECT_TRUE(equals.run(pass(), 1, 7u));
  EXPECT_EQ(array.read(0), 0u);
  EXPECT_EQ(alu.actions, (std::vector<unsigned>{1, 0, 2}));
  EXPECT_EQ(alu.inputs[0].cell[0], 5u);
  EXPECT_EQ(alu.inputs[0].operands[0], 9u);
  EXPECT_EQ(alu.inputs[0].width, 32u);
  EXPECT_EQ(alu.models[1].words, (std::vector<std::uint64_t>{10}));
  EXPECT_EQ(alu.models[2].flags, (std::vector<bool>{false}));
  EXPECT_EQ(static_cast<AluSeat&>(array).action_names(),
            (std::vector<std::string>{"increment", "set", "equals"}));
}

TEST_F(RegisterAlus, TheRulesOfARegisterStay) {
  array.set_alu(alu);
  const Pass twice = pass();
  increment.run(twice, 0);
  EXPECT_NE(broken_rule([&] { increment.run(twice, 0); }).find("a second access"),
            std::string::npos);
  EXPECT_NE(broken_rule([&] { increment.run(pass(), 4); }).find("index 4 of 4 cells"),
            std::string::npos);
  Register<std::uint8_t> narrow(pipeline, in, "narrow", RegisterSpec{.width = 1, .entries = 4});
  RegisterAction<std::uint8_t, FillCell<1>> fill(pipeline, narrow, "fill");
  narrow.set_alu(alu);
  EXPECT_NE(broken_rule([&] { fill.run(pass(), 0); }).find("value 2 in a cell of 1 bits"),
            std::string::npos);
}

TEST_F(RegisterAlus, SeveralResultsComeBackInTheirOrder) {
  Register<std::uint32_t> both(pipeline, in, "both", 4);
  RegisterAction<std::uint32_t, SetAndTell> tell(pipeline, both, "tell");
  both.set_alu(alu);
  EXPECT_EQ(tell.run(pass(), 2, 3u), std::tuple(1u, true));  // 0 and no, one more and turned
  EXPECT_EQ(both.read(2), 4u);
}

}  // namespace
}  // namespace horae::dataplane::register_alu_test
