// A port that is idle starts a packet when it is queued, behind everything else of that time; and
// counts the same events whether anybody watches or not.
#include <gtest/gtest.h>

#include <vector>

#include "chip_parts.hpp"
#include "horae/fabric/observer.hpp"

namespace horae::tofino::idle_port_test {
namespace {

using test::Chip;
using test::LambdaProgram;

constexpr unsigned events_of_a_packet = 3;  // it arrives, it is queued, it leaves its queue

// Ports 0 and 1 on one pipeline, 2 and 3 on another: their packets enter at the same time.
ChipConfig two_pipelines() {
  ChipConfig config;
  config.pipeline_of_port = {0, 0, 1, 1};
  return config;
}

struct Notes : fabric::observer, pass_observer {
  void stepped(const tofino_switch& chip, Picoseconds) override {
    cells.push_back(chip.cells_used());
  }
  std::vector<std::int64_t> cells;  // after each event
};

// One packet to each of two idle ports, at the same time; and a later one to the second.
void send(Chip& chip) {
  chip.host(0).send({.at = 0_ps, .dst = 3, .frame = Bytes(300)});
  chip.host(2).send({.at = 0_ps, .dst = 1, .frame = Bytes(300)});
  chip.host(0).send({.at = 1_us, .dst = 1, .frame = Bytes(300)});
}

void expect_counts(const Chip& chip) {
  EXPECT_EQ(chip.chip->events_handled(), 3 * events_of_a_packet);
  EXPECT_EQ(chip.chip->counters().forwarded, 3u);
  EXPECT_EQ(chip.chip->cells_used(), 0);
  EXPECT_EQ(chip.chip->most_cells_used(), 4);  // both are queued before either leaves
}

TEST(IdlePort, StartsBehindAllOthersOfItsTime) {
  fabric::sim_context context;
  std::vector<unsigned> left;
  LambdaProgram program;
  program.egress = [&](dataplane::Pass& pass) { left.push_back(pass.egress_port()); };
  Chip chip(context, two_pipelines(), 4, program);
  send(chip);
  context.clock.run_to(10_us);
  EXPECT_EQ(left, (std::vector<unsigned>{1, 3, 1}));
  expect_counts(chip);
  ASSERT_EQ(chip.host(1).arrivals.size(), 2u);
  ASSERT_EQ(chip.host(3).arrivals.size(), 1u);
  EXPECT_EQ(chip.host(1).arrivals[0].at, chip.host(3).arrivals[0].at);
  EXPECT_EQ(chip.host(1).arrivals[1].at - chip.host(1).arrivals[0].at, 1_us);
}

TEST(IdlePort, WhoWatchesIsToldOfEveryStep) {
  fabric::sim_context context;
  Notes notes;
  context.watcher = &notes;
  Chip chip(context, two_pipelines(), 4);
  chip.chip->watch_passes(&notes);
  send(chip);
  context.clock.run_to(10_us);
  expect_counts(chip);
  EXPECT_EQ(notes.cells, (std::vector<std::int64_t>{0, 0, 2, 4, 2, 0, 0, 2, 0}));
}

}  // namespace
}  // namespace horae::tofino::idle_port_test
