// Classes of a chip with shapers, weights and shares of the buffer, packet by packet.
#include <gtest/gtest.h>

#include <vector>

#include "chip_parts.hpp"
#include "horae/core/error.hpp"
#include "horae/params/document.hpp"
#include "odd_latencies.hpp"

namespace horae::tofino::classes_test {
namespace {

using fabric::DropCause;
using test::Chip;
using test::expect_balance;

constexpr Bytes frame = 980_B;  // 1000 on the wire: 80 ns at 100 Gbps

ChipConfig with(std::vector<fabric::ClassConfig> classes) {
  ChipConfig c = test::odd_latencies();
  c.classes = std::move(classes);
  return c;
}

std::vector<Picoseconds> arrivals_of(test::probe& host, unsigned traffic_class) {
  std::vector<Picoseconds> out;
  for (const auto& a : host.arrivals)
    if (a.traffic_class == traffic_class) out.push_back(a.at);
  return out;
}

// A class of 10 Gbps: two packets at once, then one each 800 ns. The class below it is not
// hindered.
TEST(Classes, AShaperSpacesPacketsAndHindersNobody) {
  fabric::sim_context context;
  Chip chip(context, with({{.number = 3, .rate = 10_Gbps, .burst = 1000_B}}), 3);
  for (int i = 0; i < 6; ++i)
    chip.host(0).send({.at = 5_us + 80_ns * i, .dst = 2, .frame = frame, .traffic_class = 3});
  for (int i = 0; i < 6; ++i)
    chip.host(1).send({.at = 5_us + 320_ns + 400_ns * i, .dst = 2, .frame = frame});
  context.clock.run_to(100_us);
  const auto shaped = arrivals_of(chip.host(2), 3);
  const auto other = arrivals_of(chip.host(2), 0);
  ASSERT_EQ(shaped.size(), 6u);
  ASSERT_EQ(other.size(), 6u);
  const std::vector<Picoseconds> starts{0_ps, 80_ns, 800_ns, 1600_ns, 2400_ns, 3200_ns};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_LE(shaped[i] - shaped[0] - starts[i], 81_ns) << i;
  for (std::size_t i = 0; i < 6; ++i) EXPECT_GE(shaped[i] - shaped[0], starts[i]) << i;
  for (std::size_t i = 0; i + 1 < 6; ++i) EXPECT_LE(other[i + 1] - other[i], 481_ns);
  EXPECT_LT(other[5], shaped[5]);
  expect_balance(context, *chip.chip, 12);
}

// Two backlogs of one priority, weights 3 and 1, into one port: 3 of 4 bytes while both wait.
TEST(Classes, WeightsDivideThePort) {
  fabric::sim_context context;
  Chip chip(context, with({{.number = 1, .priority = 2, .weight = 3}, {.number = 2, .weight = 1}}),
            3);
  for (int i = 0; i < 400; ++i) {
    chip.host(0).send({.at = 5_us + 80_ns * i, .dst = 2, .frame = frame, .traffic_class = 1});
    chip.host(1).send({.at = 5_us + 80_ns * i, .dst = 2, .frame = frame, .traffic_class = 2});
  }
  context.clock.run_to(200_us);
  unsigned first = 0;
  const auto& arrivals = chip.host(2).arrivals;
  ASSERT_EQ(arrivals.size(), 800u);
  for (std::size_t i = 0; i < 400; ++i) first += arrivals[i].traffic_class == 1 ? 1 : 0;
  EXPECT_NEAR(first, 300, 9);
  expect_balance(context, *chip.chip, 800);
}

// Ten frames of 980 bytes, 6 cells of 176 each, for one queue of a buffer of 60 cells.
void fill_a_share(Bytes minimum, unsigned kept) {
  fabric::sim_context context;
  ChipConfig config = with({{.number = 2, .share = 1.0, .minimum = minimum}});
  config.cells = 60;
  Chip chip(context, config, 11);
  for (unsigned h = 0; h < 10; ++h)
    chip.host(h).send({.at = 5_us + 1_ns * h, .dst = 10, .frame = frame, .traffic_class = 2});
  context.clock.run_to(100_us);
  EXPECT_EQ(chip.host(10).arrivals.size(), kept);
  EXPECT_EQ(chip.chip->counters().dropped_queue, 10 - kept);
  EXPECT_EQ(chip.chip->traffic_manager().counters().over_share[2], 10 - kept);
  EXPECT_EQ(context.pool.dropped(DropCause::queue_full), 10 - kept);
  expect_balance(context, *chip.chip, 10);
}

// The k-th to wait is taken while 980 k <= 176 (60 - 6 (k - 1)): five, and one is on the wire.
TEST(Classes, AQueueMayHoldItsShareOfWhatIsFree) { fill_a_share({}, 6); }
TEST(Classes, AShareLeavesAMinimum) { fill_a_share(frame * 6, 7); }

// A share is exact in 65536ths: 8 of them of 66 MiB are 8448 bytes, which fit; a byte more does
// not.
TEST(Classes, AShareIsExactInASmallPartOfALargeBuffer) {
  fabric::sim_context context;
  Chip chip(context, with({{.number = 3, .share = 8.0 / 65536}}), 2);
  ASSERT_EQ(chip.chip->config().buffer(), 8448_B * 8192);
  chip.host(0).send({.at = 5_us, .dst = 1, .frame = 8448_B, .traffic_class = 3});
  chip.host(0).send({.at = 15_us, .dst = 1, .frame = 8449_B, .traffic_class = 3});
  context.clock.run_to(100_us);
  EXPECT_EQ(chip.host(1).arrivals.size(), 1u);
  EXPECT_EQ(chip.chip->counters().dropped_queue, 1u);
  expect_balance(context, *chip.chip, 2);
}

// A paused class with a shaper starts when it is resumed, not before.
TEST(Classes, APausedClassKeepsToItsPause) {
  fabric::sim_context context;
  Chip chip(context, with({{.number = 3, .rate = 50_Gbps}, {.number = 1, .priority = 3}}), 2);
  chip.host(1).send_pause({.at = 4_us, .traffic_class = 3, .pause = true});
  chip.host(1).send_pause({.at = 20_us, .traffic_class = 3, .pause = false});
  chip.host(0).send({.at = 6_us, .dst = 1, .frame = frame, .traffic_class = 3});
  context.clock.run_to(100_us);
  ASSERT_EQ(chip.host(1).arrivals.size(), 1u);
  EXPECT_GT(chip.host(1).arrivals[0].at, 20_us);
  EXPECT_LT(chip.host(1).arrivals[0].at, 23_us);
  expect_balance(context, *chip.chip, 1);
}

// A pause that ends while a shaper still holds the class changes nothing: no start is tried before
// its time, which would be an event more.
TEST(Classes, APauseThatEndsBeforeTheShaperLetsGo) {
  fabric::sim_context context;
  Chip chip(context, with({{.number = 3, .rate = 1_Gbps, .burst = 64_B}}), 2);
  for (int i = 0; i < 2; ++i)
    chip.host(0).send({.at = 5_us, .dst = 1, .frame = frame, .traffic_class = 3});
  chip.host(1).send_pause({.at = 8_us, .traffic_class = 3, .pause = true});
  chip.host(1).send_pause({.at = 9_us, .traffic_class = 3, .pause = false});
  context.clock.run_to(100_us);
  const auto& arrivals = chip.host(1).arrivals;
  ASSERT_EQ(arrivals.size(), 2u);
  EXPECT_EQ(arrivals[1].at - arrivals[0].at,
            serialisation_time(l1_bytes(frame), 1_Gbps) - serialisation_time(64_B, 1_Gbps));
  // A packet arrives, is queued and starts; a pause begins and ends.
  EXPECT_EQ(chip.chip->events_handled(), 2u * 3 + 2);
  expect_balance(context, *chip.chip, 2);
}

std::string refusal(const std::string& text) {
  try {
    ChipConfig::read(Document::parse(text, "c.toml").root(), {});
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Classes, BadTablesAreRefused) {
  EXPECT_EQ(refusal("[[class]]\nnumber = 3\n[[class]]\nnumber = 3"),
            "c.toml:4:10: class 3 has two tables");
  EXPECT_EQ(refusal("[[class]]\nnumber = 3\nminimum = \"1 KB\""),
            "c.toml:3:11: minimum is beside a share; expected a 'share'");
  EXPECT_EQ(refusal("[[class]]\nnumber = 3\nburst = \"1 KB\""),
            "c.toml:3:9: burst is of a shaper; expected a 'rate' beside it");
  EXPECT_NE(refusal("[[class]]\nnumber = 8").find("above the maximum 7"), std::string::npos);
  EXPECT_NE(refusal("[[class]]\nweight = 8").find("number"), std::string::npos);
  EXPECT_EQ(refusal("[[class]]\nnumber = 7\nshare = 4.0\nrate = \"1 Gbps\""), "accepted");
}

}  // namespace
}  // namespace horae::tofino::classes_test
