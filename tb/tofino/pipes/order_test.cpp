// Events of one time in a chip: arrivals and requests for queues before packets from ingress
// and copies, these by port and in the order in which they were made, and starts of ports last;
// however each of them waits.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "chip_parts.hpp"
#include "horae/fabric/observer.hpp"
#include "odd_latencies.hpp"

namespace horae::tofino::order_test {
namespace {

using dataplane::Pass;
using dataplane::QueueRequest;
using test::Chip;
using test::LambdaProgram;

struct Steps : fabric::observer {
  void queued(const fabric::device&, unsigned port, unsigned, const Packet& p,
              Picoseconds at) override {
    add(p.mirror_type != 0 ? 'c' : 'q', port, at);
  }
  void sent(const fabric::device& d, unsigned port, const Packet&, Picoseconds start, Picoseconds,
            Picoseconds) override {
    if (std::string(d.name()) == "tor") add('s', port, start);
  }
  void add(char what, unsigned port, Picoseconds at) {
    said += what + std::to_string(port) + ' ';
    times.push_back(at);
  }
  std::string said;
  std::vector<Picoseconds> times;
};

/// Steps of one packet that enters by port 0, and of its copy.
std::string steps(unsigned port, unsigned copy) {
  LambdaProgram program;
  program.ingress = [=](Pass& pass) {
    pass.mirror({.egress_port = copy, .type = 1});
    pass.forward(port);
  };
  fabric::sim_context context;
  Steps steps;
  context.watcher = &steps;
  Chip chip(context, {}, 4, program);
  chip.host(0).send({.at = 0_ps, .dst = 1, .frame = 64_B});
  context.clock.run_to(10_us);
  EXPECT_EQ(steps.times.size(), 4u);
  for (const Picoseconds t : steps.times) {
    if (port != copy) {
      EXPECT_EQ(t, steps.times[0]);
    }
  }
  return steps.said;
}

TEST(OrderOfOneTime, APacketBeforeItsCopyToALaterPort) { EXPECT_EQ(steps(1, 2), "q1 c2 s1 s2 "); }
TEST(OrderOfOneTime, ACopyToAnEarlierPortBeforeThePacket) {
  EXPECT_EQ(steps(2, 1), "c1 q2 s1 s2 ");
}
TEST(OrderOfOneTime, ACopyToTheSamePortWasMadeFirst) { EXPECT_EQ(steps(1, 1), "c1 q1 s1 s1 "); }

// A packet asks to hold the queue that it is put into itself: it is held when it comes.
TEST(OrderOfOneTime, AQueueIsHeldBeforeThePacketOfTheRequestIsPutInto) {
  LambdaProgram program;
  program.ingress = [](Pass& pass) {
    pass.control_queue({QueueRequest::hold, 8, 1});
    pass.forward(1);
    pass.enqueue_in(8);
  };
  ChipConfig config;
  config.queues_per_port = 16;
  fabric::sim_context context;
  Chip chip(context, config, 2, program);
  chip.host(0).send({.at = 0_ps, .dst = 1, .frame = 64_B});
  context.clock.run_to(10_us);
  EXPECT_EQ(chip.host(1).arrivals.size(), 0u);
  EXPECT_EQ(chip.chip->held(), 1u);
}

// An arrival at the very picosecond at which a port starts: its pass is before the other's.
TEST(OrderOfOneTime, AnArrivalBeforeTheStartOfAPort) {
  const ChipConfig config = test::odd_latencies();
  LambdaProgram program;
  std::string passes;
  std::vector<Picoseconds> starts;
  program.ingress = [&](Pass& pass) {
    passes += 'i';
    pass.forward(1);
  };
  program.egress = [&](Pass& pass) {
    passes += 'e';
    starts.push_back(pass.now());
  };
  const Picoseconds parsed =
      Chip::wire(64_B) + Chip::link.delay + config.mac_rx + config.ingress_parser;
  const Picoseconds queued =
      test::edge(test::first_edge(parsed) + program.ingress_cycles().count()) +
      config.ingress_deparser + config.traffic_manager;
  fabric::sim_context context;
  Chip chip(context, config, 3, program);
  chip.host(0).send({.at = 0_ps, .dst = 1, .frame = 64_B});
  chip.host(2).send({.at = queued - parsed, .dst = 1, .frame = 64_B});
  context.clock.run_to(20_us);
  ASSERT_EQ(starts.size(), 2u);
  EXPECT_EQ(starts[0], queued);
  EXPECT_EQ(passes, "iiee");
}

}  // namespace
}  // namespace horae::tofino::order_test
