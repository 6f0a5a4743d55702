// Report of a chip at the end: its counters and those of its program, each with a unit.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "chip_parts.hpp"
#include "horae/core/stats.hpp"

namespace horae::tofino::statistics_test {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const StatTree& tree) {
  Lines lines;
  tree.for_each([&](const std::string& name, double number, const std::string& unit) {
    lines.push_back(fmt::format("{} {} {}", name, number, unit));
  });
  return lines;
}

// Counts packets that came in and left by pipeline, and drops every third.
class Counting final : public programs::Program {
 public:
  explicit Counting(dataplane::Pipeline& pipeline)
      : seen_register_(pipeline, dataplane::Gress::ingress, "seen", 1) {}
  void ingress(dataplane::Pass& pass) override {
    if (++seen_ % 3 == 0) return pass.drop();
    pass.forward(pass.header().dst);
  }
  void egress(dataplane::Pass&) override { ++left_; }
  std::vector<std::pair<std::string_view, std::uint64_t>> counters() const override {
    return {{"seen", seen_}, {"left", left_}};
  }

 private:
  dataplane::Register<std::uint32_t> seen_register_;
  std::uint64_t seen_ = 0, left_ = 0;
};

struct CountingFactory final : programs::ProgramFactory {
  std::unique_ptr<programs::Program> make(dataplane::Pipeline& pipeline,
                                          const programs::Routes&) const override {
    return std::make_unique<Counting>(pipeline);
  }
  nlohmann::ordered_json config() const override { return {}; }
};

TEST(ChipStatistics, EveryCounterHasItsUnit) {
  ChipConfig config;
  config.ports_per_pipeline = 1;
  fabric::sim_context context;
  tofino_switch chip("tor", context, config, 2, CountingFactory(), {});
  test::probe a("a", context, 1, 0), b("b", context, 1, 1);
  connect(chip, 0, a, 0, test::Chip::link);
  connect(chip, 1, b, 0, test::Chip::link);
  for (int i = 0; i < 7; ++i) a.send({.at = 1_us * (i + 1), .dst = 1, .frame = 177_B});
  for (int i = 0; i < 3; ++i) b.send({.at = 1_us * (i + 1), .dst = 0, .frame = 64_B});
  context.clock.run_to(100_us);
  StatTree own;
  chip.statistics(own);
  EXPECT_EQ(chip.ledger().name, "tor");
  // A header waits for its clock; how long is the pipelines' own test.
  const auto wait = chip.counters().pipeline_wait.count();
  EXPECT_EQ(lines_of(own),
            (Lines{"ingress_passes 10 passes", "egress_passes 7 passes", "forwarded 7 packets",
                   "marked 0 packets", "dropped_program 3 packets", "dropped_buffer 0 packets",
                   "dropped_queue 0 packets", "mirrored 0 packets", "recirculated 0 passes",
                   "recirculated_bytes 0 bytes", fmt::format("pipeline_wait {} ps", wait),
                   fmt::format("most_cells_used {} cells", chip.most_cells_used())}));
  StatTree program;
  chip.program_statistics(program);
  EXPECT_EQ(lines_of(program), (Lines{"program.seen 10 packets", "program.left 7 packets"}));
}

// Counters of parts are those of the chip: of both pipelines and their loopback ports.
TEST(ChipStatistics, WhatComesAroundIsCountedOverAllPipelines) {
  ChipConfig config;
  config.ports_per_pipeline = 1;
  test::LambdaProgram program;
  program.ingress = [](dataplane::Pass& pass) {
    if (pass.header().metadata++ < pass.header().entropy) return pass.recirculate();
    pass.forward(pass.header().dst);
  };
  fabric::sim_context context;
  test::Chip chip(context, config, 2, program);
  chip.host(0).send({.at = 1_us, .dst = 1, .frame = 1000_B, .entropy = 2});
  chip.host(1).send({.at = 1_us, .dst = 0, .frame = 500_B, .entropy = 1});
  context.clock.run_to(100_us);
  StatTree tree;
  chip.chip->statistics(tree);
  const Lines lines = lines_of(tree);
  EXPECT_EQ(lines.at(0), "ingress_passes 5 passes");
  EXPECT_EQ(lines.at(8), "recirculated 3 passes");
  EXPECT_EQ(lines.at(9), fmt::format("recirculated_bytes {} bytes", 2 * 1020 + 520));
}

}  // namespace
}  // namespace horae::tofino::statistics_test
