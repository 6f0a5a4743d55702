// Which port belongs to which pipeline, and what cannot be.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "chip_parts.hpp"

namespace horae::tofino::ports_test {
namespace {

using test::Chip;
using test::LambdaFactory;
using test::outcome_in_child;

std::vector<unsigned> pipelines(const ChipConfig& config, unsigned ports) {
  fabric::sim_context context;
  Chip chip(context, config, ports);
  std::vector<unsigned> all;
  for (unsigned i = 0; i < ports; ++i) all.push_back(chip.chip->pipeline_of(i));
  return all;
}

std::string outcome(const ChipConfig& config, unsigned ports) {
  return outcome_in_child([&] { pipelines(config, ports); });
}

TEST(Ports, ConsecutivePortsShareAPipeline) {
  ChipConfig config;
  config.ports_per_pipeline = 3;
  EXPECT_EQ(pipelines(config, 8), (std::vector<unsigned>{0, 0, 0, 1, 1, 1, 2, 2}));
}

TEST(Ports, TheDefaultIsEightPortsOnEachOfFour) {
  const auto all = pipelines({}, 32);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(all[i], i / 8);
}

TEST(Ports, AnExplicitAssignmentIsFollowed) {
  ChipConfig config;
  config.pipeline_of_port = {3, 0, 3, 1, 2};
  EXPECT_EQ(pipelines(config, 4), (std::vector<unsigned>{3, 0, 3, 1}));  // one port unused
}

TEST(Ports, TooManyPortsAreRefused) {
  ChipConfig config;
  EXPECT_EQ(outcome(config, 32), "accepted");
  EXPECT_EQ(outcome(config, 33), "InputError: tor: 33 ports in use, but the chip is given 32");
  config.pipelines = 2;
  config.ports_per_pipeline = 5;
  EXPECT_EQ(outcome(config, 10), "accepted");
  EXPECT_EQ(outcome(config, 11), "InputError: tor: 11 ports in use, but the chip is given 10");
  config.pipeline_of_port = {0, 1, 0};
  EXPECT_EQ(outcome(config, 3), "accepted");
  EXPECT_EQ(outcome(config, 4), "InputError: tor: 4 ports in use, but the chip is given 3");
}

TEST(Ports, APipelineMustExist) {
  ChipConfig config;
  config.pipeline_of_port = {0, 3, 4};
  EXPECT_EQ(outcome(config, 2), "accepted");  // the third port is not in use
  EXPECT_EQ(outcome(config, 3), "InputError: tor: port 2 is put on pipeline 4, but there are 4");
  config.pipelines = 2;
  EXPECT_EQ(outcome(config, 2), "InputError: tor: port 1 is put on pipeline 3, but there are 2");
}

// A program's mistakes, named with the pass.
TEST(Ports, AProgramMustChooseAPortThatExists) {
  const auto run = [](auto ingress) {
    return outcome_in_child([&] {
      test::LambdaProgram program;
      program.ingress = ingress;
      fabric::sim_context context;
      Chip chip(context, {}, 2, program);
      chip.host(1).send({.at = 1_us, .dst = 0, .frame = 64_B});
      context.clock.run_to(100_us);
    });
  };
  EXPECT_EQ(run([](dataplane::Pass& pass) { pass.forward(1); }), "accepted");
  EXPECT_EQ(run([](dataplane::Pass& pass) { pass.drop(); }), "accepted");
  const std::string message =
      "ModelError: tor: no valid egress port after pass 0 (packet 0x10000000000, ingress of "
      "pipeline 0)";
  EXPECT_EQ(run([](dataplane::Pass&) {}), message);
  EXPECT_EQ(run([](dataplane::Pass& pass) { pass.forward(2); }), message);
}

// State of a program is per pipeline: it sees the packets of its own ports only.
TEST(Ports, PacketsAreProcessedByThePipelineOfTheirPort) {
  test::LambdaProgram program;
  std::vector<std::pair<unsigned, unsigned>> in, out;
  program.ingress = [&](dataplane::Pass& pass) {
    in.emplace_back(pass.ingress_port(), pass.where().pipeline);
    pass.forward(pass.header().dst);
  };
  program.egress = [&](dataplane::Pass& pass) {
    out.emplace_back(pass.header().dst, pass.where().pipeline);
  };
  ChipConfig config;
  config.pipeline_of_port = {1, 1, 0, 3};
  fabric::sim_context context;
  Chip chip(context, config, 4, program);
  for (unsigned i = 0; i < 4; ++i) {
    chip.host(i).send({.at = 1_us * (i + 1), .dst = 3 - i, .frame = 64_B});
  }
  context.clock.run_to(100_us);
  EXPECT_EQ(in, (std::vector<std::pair<unsigned, unsigned>>{{0, 1}, {1, 1}, {2, 0}, {3, 3}}));
  EXPECT_EQ(out, (std::vector<std::pair<unsigned, unsigned>>{{3, 3}, {2, 0}, {1, 1}, {0, 1}}));
}

}  // namespace
}  // namespace horae::tofino::ports_test
