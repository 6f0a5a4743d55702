// Marks of a chip at dequeue, by what a packet leaves behind: beside a plain switch's, in queues of
// programs, and what an egress program sees of them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "chip_and_plain.hpp"

namespace horae::tofino::dequeue_marks_test {
namespace {

using dataplane::Pass;
using fabric::MarkAt;
using fabric::RedConfig;
using test::Chip;
using test::Funnel;
using test::LambdaProgram;
using test::Lossless;

constexpr Bytes frame = 1230_B;

std::string text(unsigned first, char a, unsigned then, char b) {
  return std::string(first, a) + std::string(then, b);
}
// With pmax = 0 nothing is random: a packet is marked when the queue is above kmax.
RedConfig above(unsigned frames, MarkAt at = MarkAt::dequeue) {
  return {.kmin = frame, .kmax = frame * frames, .pmax = 0, .at = at};
}
// Fifty frames that wait for each other.
std::string marks_of_fifty(bool chip, const RedConfig& red, const LambdaProgram& program = {}) {
  return test::in_child([&] {
    fabric::sim_context context({}, 7);
    Lossless config{.red = red};
    config.cells = 4000;
    Funnel net(context, chip, config, 1, program);
    net.to.send_pause({.at = 0_ps, .pause = true});
    net.to.send_pause({.at = 100_us, .pause = false});
    for (int i = 0; i < 50; ++i) net.from[0]->send({.at = 5_us, .dst = 1, .frame = frame});
    context.clock.run_to(1_ms);
    return net.marks() + fmt::format(" {}", net.marked());
  });
}

// At enqueue the last 39 found more than ten before them; at dequeue the first 39 leave more than
// ten behind.
TEST(DequeueMarks, WhatIsLeftCounts) {
  for (const bool chip : {true, false}) {
    EXPECT_EQ(marks_of_fifty(chip, above(10, MarkAt::enqueue)), text(11, '.', 39, 'x') + " 39");
    EXPECT_EQ(marks_of_fifty(chip, above(10)), text(39, 'x', 11, '.') + " 39");
  }
}

TEST(DequeueMarks, RandomOnesAreThoseOfAPlainSwitchOfThatName) {
  RedConfig red = above(45);
  red.pmax = 0.5;
  const std::string chip = marks_of_fifty(true, red);
  EXPECT_EQ(chip, marks_of_fifty(false, red));
  EXPECT_NE(chip.find(".x"), std::string::npos);
}

TEST(DequeueMarks, ThresholdsAreOfThePortsRate) {
  for (const MarkAt at : {MarkAt::enqueue, MarkAt::dequeue}) {
    RedConfig red = above(40, at);
    red.by_rate = {{.rate = 400_Gbps, .kmin = frame, .kmax = frame * 30, .pmax = {}},
                   {.rate = 100_Gbps, .kmin = frame, .kmax = frame * 20, .pmax = {}}};
    const std::string expected =
        at == MarkAt::dequeue ? text(29, 'x', 21, '.') : text(21, '.', 29, 'x');
    EXPECT_EQ(marks_of_fifty(true, red), expected + " 29");
    EXPECT_EQ(marks_of_fifty(false, red), expected + " 29");
  }
}

// The mark is there when the packet comes to egress, whose program may clear it.
TEST(DequeueMarks, EgressSeesThem) {
  LambdaProgram program;
  program.egress = [](Pass& pass) {
    Packet& p = pass.header();
    p.ecn = p.ecn == Ecn::ce ? Ecn::ect0 : Ecn::ce;
  };
  EXPECT_EQ(marks_of_fifty(true, above(10), program), text(39, '.', 11, 'x') + " 39");
}

// A queue of a program's own counts for itself.
TEST(DequeueMarks, QueuesOfProgramsCountForThemselves) {
  ChipConfig config;
  config.queues_per_port = 16;
  config.ecn.emplace(above(10));
  LambdaProgram program;
  program.ingress = [](Pass& pass) {
    pass.forward(1);
    if (pass.header().dst == 9) pass.enqueue_in(9);
  };
  fabric::sim_context context;
  Chip chip(context, config, 2, program);
  chip.host(1).send_pause({.at = 0_ps, .pause = true});
  chip.host(1).send_pause({.at = 100_us, .pause = false});
  for (int i = 0; i < 15; ++i) chip.host(0).send({.at = 5_us, .dst = 9, .frame = frame});
  for (int i = 0; i < 30; ++i) chip.host(0).send({.at = 5_us, .dst = 1, .frame = frame});
  context.clock.run_to(1_ms);
  // The own queue is served first: 4 leave more than ten there. Then 19 do so in the class's.
  std::string marks;
  for (const auto& a : chip.host(1).arrivals) marks += a.ecn == Ecn::ce ? 'x' : '.';
  EXPECT_EQ(marks, text(4, 'x', 11, '.') + text(19, 'x', 11, '.'));
}

}  // namespace
}  // namespace horae::tofino::dequeue_marks_test
