// Stateful ALUs outside the tree in the place of their models.
#include <gtest/gtest.h>

#include "horae/core/psn.hpp"
#include "horae/core/random.hpp"
#include "horae/dataplane/objects/stateful_trace.hpp"
#include "horae/rtl/register_block.hpp"
#include "wrong_run.hpp"

namespace horae::registers_test {
namespace {

using dataplane::stateful::AluInput;
using dataplane::stateful::AluOutcome;
using dataplane::stateful::comes_after;
using rtl_test::ended_with;
using rtl_test::Folder;

const std::string array = "path_psn_max_array";
const std::vector<std::string> actions = {"keep_later", "is_overtaken"};

/// Actions of Themis-D (models/programs/src/themis/destination.hpp), and their outcome.
std::vector<AluOutcome> drive(rtl::RegisterRtl& alu, int accesses) {
  RandomStream random(5, "test");
  std::vector<AluOutcome> out;
  for (int i = 0; i < accesses; ++i) {
    const std::uint32_t most = random.bits() & Psn::mask;
    // Around the cell, and at the other end of the circle.
    const std::uint32_t psn =
        (most + random.below(5) - 2 + (random.below(4) == 0 ? 1u << 23 : 0)) & Psn::mask;
    const unsigned action = random.below(2);
    AluOutcome model{.cell = {most}, .words = {}, .flags = {}};
    if (action == 0 && comes_after<24>(psn, most)) model.cell = {psn};
    if (action == 1) model.flags = {comes_after<24>(most, psn)};
    out.push_back(alu.run(action, AluInput{.cell = {most}, .operands = {psn}}, model));
    EXPECT_EQ(out.back(), model);
  }
  return out;
}

TEST(Registers, HardwareDoesWhatTheActionsDo) {
  const auto& block = rtl::find_register_block("path_max", array, actions);
  rtl::RegisterRtl both(block, "tor.pipe0.path_psn_max_array", true, "");
  rtl::RegisterRtl alone(block, "tor.pipe0.path_psn_max_array", false, "");
  EXPECT_EQ(drive(both, 20'000), drive(alone, 20'000));
  EXPECT_EQ(both.accesses(), 20'000u);
}

TEST(Registers, AWrongLineEndsTheRun) {
  const Folder folder("horae_registers");
  rtl::RegisterRtl both(rtl::find_register_block("path_max_wrong", array, actions), array, true,
                        folder.path.string());
  const std::string said = ended_with<ModelError>([&] { drive(both, 20'000); });
  rtl_test::expect_difference(said, "path_max_wrong", folder);
  EXPECT_NE(said.find("action 0 of path_psn_max_array"), std::string::npos) << said;
  EXPECT_NE(said.find("cell is "), std::string::npos) << said;
}

TEST(Registers, WhatDoesNotFitIsRefused) {
  const auto refusal = [](const std::string& block, const std::string& of,
                          const std::vector<std::string>& has) {
    return ended_with<InputError>([&] { rtl::find_register_block(block, of, has); });
  };
  EXPECT_EQ(refusal("path_max", array, {}), "");
  EXPECT_NE(refusal("path_max", "bitmap_array", {}).find("found register=bitmap_array"),
            std::string::npos);
  EXPECT_NE(refusal("path_max", array, {"is_overtaken", "keep_later"})
                .find("actions=is_overtaken,keep_later"),
            std::string::npos);
  EXPECT_EQ(refusal("path_most", array, {}).find("block = 'path_most' was not built"), 0u);
}

}  // namespace
}  // namespace horae::registers_test
