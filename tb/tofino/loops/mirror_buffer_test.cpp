// The mirror buffer: how long copies wait in it, and when it loses them.
#include "horae/tofino/mirror_buffer.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "forked.hpp"
#include "odd_latencies.hpp"

namespace horae::tofino::mirror_buffer_test {
namespace {

using dataplane::Pass;
using fabric::DropCause;
using test::Chip;
using test::expect_balance;
using test::Way;

constexpr Bytes frame = 1000_B;

Packet packet(Bytes bytes) {
  Packet p;
  p.frame = static_cast<std::uint16_t>(bytes.count());
  return p;
}

// 1000 bytes take 80 ns at 100 Gbps. It holds two: the third comes while the first is still in it,
// the fourth when the first's last byte has left.
TEST(MirrorBuffer, HoldsWhatHasNotLeft) {
  MirrorBuffer buffer({.buffer = 2 * frame, .rate = 100_Gbps});
  EXPECT_EQ(buffer.take(packet(frame), 0_ns), 80_ns);
  EXPECT_EQ(buffer.take(packet(frame), 0_ns), 160_ns);
  EXPECT_EQ(buffer.take(packet(64_B), 80_ns - 1_ps), std::nullopt);
  EXPECT_EQ(buffer.take(packet(frame), 80_ns), 240_ns);
  EXPECT_EQ(buffer.dropped(), 1u);
  EXPECT_EQ(buffer.take(packet(frame), 1_us), 1_us + 80_ns);
}

TEST(MirrorBuffer, WithoutALimitNothingIsLost) {
  MirrorBuffer buffer({.rate = 100_Gbps});
  for (int i = 1; i <= 1000; ++i) EXPECT_EQ(buffer.take(packet(frame), 0_ns), 80_ns * i);
}

// A copy of each of ten packets that come at once, at 10 Gbps: the buffer takes 3 of 1000 bytes.
// The first leaves it 800 ns after its deparser.
TEST(MirrorBuffer, CopiesOfAChipWaitAndAreLost) {
  Way way;
  way.c.mirror = MirrorConfig{.buffer = 3 * frame, .rate = 10_Gbps};
  way.program.ingress = [](Pass& pass) {
    pass.mirror({.egress_port = 11, .type = 1});
    pass.forward(10);
  };
  fabric::sim_context context;
  Chip chip(context, way.c, 12, way.program);
  for (unsigned h = 0; h < 10; ++h) chip.host(h).send({.at = 5_us, .dst = 10, .frame = frame});
  context.clock.run_to(100_us);
  // Ports 0 to 7 are of pipeline 0, 8 and 9 of the next, which has a buffer of its own.
  ASSERT_EQ(chip.host(11).arrivals.size(), 5u);
  const Picoseconds alone = way.queued(5_us + Chip::wire(frame)) + way.out(frame);
  EXPECT_EQ(chip.host(11).arrivals[0].at, alone + 800_ns);
  EXPECT_EQ(chip.chip->counters().mirrored, 10u);
  EXPECT_EQ(chip.chip->counters().dropped_mirror, 5u);
  EXPECT_EQ(context.pool.dropped(DropCause::buffer_full), 5u);
  EXPECT_EQ(chip.host(10).arrivals.size(), 10u);
  expect_balance(context, *chip.chip, 10);
}

// A copy that goes around waits there as well, and comes back to the pipeline that made it.
TEST(MirrorBuffer, ACopyThatGoesAroundWaitsToo) {
  const auto came_back = [](std::optional<MirrorConfig> mirror) {
    Way way;
    way.c.mirror = mirror;
    Picoseconds back{};
    unsigned pipeline = 0;
    way.program.ingress = [&](Pass& pass) {
      if (pass.header().metadata == 5) {
        back = pass.now();
        pipeline = pass.where().pipeline;
        return pass.drop();
      }
      pass.mirror({.egress_port = dataplane::loopback_port, .type = 1, .metadata = 5});
      pass.forward(1);
    };
    fabric::sim_context context;
    Chip chip(context, way.c, 24, way.program);
    chip.host(17).send({.at = 5_us, .dst = 1, .frame = frame});
    context.clock.run_to(100_us);
    EXPECT_EQ(pipeline, 2u);
    for (unsigned i = 0; i < 4; ++i)
      EXPECT_EQ(chip.chip->loopbacks().port(i).counters().packets, i == 2 ? 1u : 0u) << i;
    return std::to_string(back.count());
  };
  const std::string without = test::in_child([&] { return came_back(std::nullopt); });
  const std::string with = test::in_child([&] { return came_back(MirrorConfig{.rate = 10_Gbps}); });
  EXPECT_NEAR(std::stod(with) - std::stod(without), 800e3, 700);
}

}  // namespace
}  // namespace horae::tofino::mirror_buffer_test
