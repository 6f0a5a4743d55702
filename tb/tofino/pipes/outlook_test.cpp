// Events that can still happen to a chip, and which of its queues wait for whom.
#include "horae/fabric/outlook.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "horae/fabric/ports/pause_waits.hpp"
#include "odd_latencies.hpp"

namespace horae::tofino::outlook_test {
namespace {

using dataplane::Pass;
using dataplane::QueueRequest;
using fabric::PortClass;
using test::Chip;
using test::Way;

constexpr Bytes frame = 1232_B;
constexpr Picoseconds nothing{-1};

fabric::Outlook outlook(const Chip& chip) {
  fabric::Outlook out;
  chip.chip->add_outlook(out);
  return out;
}
Picoseconds until(const Chip& chip) { return outlook(chip).until; }

// On its way to the ingress parser, then through the pipeline, then in its queue: the next thing
// that happens to a packet is what can be expected.
TEST(Outlook, APacketIsExpectedWhereverItIs) {
  const Way way;
  fabric::sim_context context;
  Chip chip(context, way.c, 3, way.program);
  chip.host(0).send({.at = 5_us, .dst = 2, .frame = frame});
  chip.host(1).send({.at = 5_us, .dst = 2, .frame = frame});
  context.clock.run_to(5_us);
  EXPECT_EQ(until(chip), nothing);
  const Picoseconds sent = 5_us + Chip::wire(frame);
  const Picoseconds parsed = sent + Chip::link.delay + way.c.mac_rx + way.c.ingress_parser;
  context.clock.run_to(parsed);
  EXPECT_EQ(until(chip), parsed);
  context.clock.run_to(parsed + 1_ps);
  // The second header is in the clock after the first.
  const Picoseconds second = way.queued(sent) + 667_ps;
  EXPECT_NEAR(static_cast<double>(until(chip).count()), static_cast<double>(second.count()), 1);
  context.clock.run_to(second + 1_ns);
  EXPECT_EQ(until(chip), way.queued(sent) + Chip::wire(frame));
  context.clock.run_to(way.queued(sent) + Chip::wire(frame) + 1_ps);
  EXPECT_EQ(until(chip), nothing);
  EXPECT_EQ(outlook(chip).chances, 0u);
}

// A paused class moves again when its peer says so, which is its peer's matter.
TEST(Outlook, WhatIsPausedIsNotExpectedAndSaysWhoKeepsIt) {
  Way way;
  way.c.pfc.emplace(fabric::PfcConfig{.xoff = frame * 2, .xon = frame, .headroom = frame * 20});
  fabric::sim_context context;
  Chip chip(context, way.c, 4, way.program);
  chip.host(3).send_pause({.at = 0_ps, .traffic_class = 2, .pause = true});
  for (int i = 0; i < 5; ++i)
    chip.host(0).send({.at = 5_us, .dst = 3, .frame = frame, .traffic_class = 2});
  chip.host(1).send({.at = 5_us, .dst = 3, .frame = frame, .traffic_class = 2});
  chip.host(1).send({.at = 5_us, .dst = 3, .frame = frame, .traffic_class = 1});
  context.clock.run_to(20_us);
  EXPECT_EQ(until(chip), nothing);
  EXPECT_EQ(chip.host(3).arrivals.size(), 1u);
  EXPECT_EQ(chip.chip->describe_queues(),
            (std::vector<std::string>{"tor port 3 (pipeline 0): 6 packets, 7392 bytes, paused"}));
  fabric::PauseWaits waits;
  chip.chip->add_waits(waits);
  const std::uint32_t self = chip.chip->number();
  EXPECT_EQ(waits.held, (std::vector<PortClass>{{self, 3, 2}}));
  // Port 0 is above its threshold, port 1 is not.
  EXPECT_EQ(waits.kept_in,
            (std::vector<std::pair<PortClass, PortClass>>{{{self, 0, 2}, {self, 3, 2}}}));
}

// The batches of a generator come again and again: no prospect by themselves, but they may bring
// a program to let a queue go.
TEST(Outlook, AGeneratorIsAProspectOnlyWhileAQueueIsHeld) {
  Way way;
  way.c.pipelines = 1;
  way.c.ports_per_pipeline = 8;
  way.c.queues_per_port = 16;
  way.program.generators = {{.start = 5_us, .period = 10_us, .frame = 100_B}};
  way.program.ingress = [](Pass& pass) {
    if (pass.generated() != nullptr) return pass.drop();
    const Packet& p = pass.header();
    pass.forward(p.dst);
    if (p.entropy == 1) pass.control_queue({QueueRequest::hold, 15, 1});
    if (p.entropy == 2) pass.enqueue_in(15);
    if (p.entropy == 3) pass.control_queue({QueueRequest::release, 15, 1});
  };
  fabric::sim_context context;
  Chip chip(context, way.c, 2, way.program);
  for (std::uint16_t i = 1; i <= 3; ++i)
    chip.host(0).send({.at = 20_us * i, .dst = 1, .frame = 64_B, .entropy = i});
  context.clock.run_to(18_us);
  EXPECT_EQ(until(chip), nothing);
  context.clock.run_to(38_us);  // held, but empty
  EXPECT_EQ(until(chip), nothing);
  context.clock.run_to(58_us);
  EXPECT_EQ(until(chip), 65_us);
  // The word that lets it go is on its way through the traffic manager.
  const Picoseconds released = way.queued(60_us + Chip::wire(64_B));
  context.clock.run_to(released);
  EXPECT_EQ(until(chip), 65_us);
  context.clock.run_to(63_us);
  EXPECT_EQ(until(chip), nothing);
}

// A generated packet, too, while it is in a queue or in the pipeline.
TEST(Outlook, WhatAGeneratorMakesIsNoProspectOnItsWay) {
  Way way;
  way.c.pipelines = 1;
  way.c.ports_per_pipeline = 8;
  way.program.generators = {{.start = 5_us, .period = 100_us, .packets = 4, .frame = 9000_B}};
  way.program.ingress = [](Pass& pass) { pass.forward(1); };
  fabric::sim_context context;
  Chip chip(context, way.c, 2, way.program);
  bool in_pipeline = false, queued = false;
  for (Picoseconds t = 5_us; t < 9_us; t += 10_ns) {
    context.clock.run_to(t);
    EXPECT_EQ(until(chip), nothing);
    in_pipeline |= chip.chip->held() > chip.chip->port(1).packets();
    queued |= chip.chip->port(1).packets() > 0;
  }
  EXPECT_TRUE(in_pipeline && queued);
}

// A packet that goes around may let a queue go, or leave after so many turns. When no message is to
// be completed nobody waits for that, and it is what remains for ever.
TEST(Outlook, WhatGoesAroundIsNoProspectWithoutWork) {
  Way way;
  way.program.ingress = [](Pass& pass) { pass.recirculate(); };
  fabric::sim_context context;
  Chip chip(context, way.c, 2, way.program);
  chip.host(0).send({.at = 5_us, .dst = 1, .frame = 64_B});
  for (Picoseconds t = 20_us; t < 24_us; t += 37_ns) {
    context.clock.run_to(t);
    fabric::Outlook with, without{.work_left = false};
    chip.chip->add_outlook(with);
    chip.chip->add_outlook(without);
    EXPECT_GE(with.until, t);
    EXPECT_EQ(without.until, nothing);
  }
}

}  // namespace
}  // namespace horae::tofino::outlook_test
