// No packet appears, vanishes or is in two places: created = delivered + dropped + live, and what
// is live is held by somebody. LeafSpine checks this at each of its stops.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "horae/core/random.hpp"
#include "leaf_spine.hpp"

namespace horae::fabric::conservation_test {
namespace {

using test::in_child;
using test::LeafSpine;
using test::link_of;
using test::value_in;

// Stops at random times while sources send and queues drain, and one long after that.
std::vector<Picoseconds> random_stops(std::uint64_t seed) {
  RandomStream random(seed, "stops");
  std::vector<Picoseconds> stops;
  for (Picoseconds t{}; t < 150_us; t += Picoseconds(1 + random.below(1'500'000))) {
    stops.push_back(t);
  }
  stops.push_back(5_ms);
  return stops;
}

void expect_conserved(const LeafSpine& scenario, const std::vector<std::string>& causes) {
  for (const scheduling mode : {scheduling::windowed, scheduling::exact_wake}) {
    const std::string text = in_child([&] {
      LeafSpine s = scenario;
      s.time.mode = mode;
      s.stops = random_stops(s.seed);
      s.drains = true;
      return s.run();
    });
    const std::string end = text.substr(text.rfind("--- "));
    EXPECT_EQ(value_in(end, "live"), 0u);
    EXPECT_GT(value_in(end, "delivered"), 1000u);
    std::uint64_t dropped = 0;
    for (const auto& cause : causes) {
      EXPECT_GT(value_in(end, cause), 0u) << cause;
      dropped += value_in(end, cause);
    }
    // Nothing is dropped for any other reason.
    EXPECT_EQ(value_in(end, "created"), value_in(end, "delivered") + dropped);
  }
}

TEST(Conservation, WithDropsAndLoss) {
  LeafSpine s;
  s.sw = {.queue_limit = 15'000_B, .balance = "spray"};
  s.host_link.loss = 0.003;
  s.fabric_link.loss = 0.01;
  s.seed = 11;
  expect_conserved(s, {"queue_full", "link_loss"});
}

TEST(Conservation, WithASharedBuffer) {
  LeafSpine s;
  s.sw = {.buffer = 40'000_B, .balance = "round_robin"};
  s.seed = 12;
  expect_conserved(s, {"buffer_full"});
}

TEST(Conservation, WithPfcThatLosesNothing) {
  LeafSpine s;
  s.sw = {.pfc = {.xoff = 10'000_B,
                  .xon = 5000_B,
                  .headroom = pfc_headroom(100_Gbps, 500_ns, 4158_B, 600_ns)},
          .balance = "ecmp"};
  s.classes = 2;
  s.seed = 13;
  expect_conserved(s, {});
}

TEST(Conservation, WithPfcWithoutHeadroom) {
  LeafSpine s;
  s.sw = {.pfc = {.xoff = 10'000_B, .xon = 5000_B, .headroom = 1000_B}, .balance = "ecmp"};
  s.seed = 14;
  expect_conserved(s, {"headroom_full"});
}

TEST(Conservation, WithOutages) {
  LeafSpine s;
  s.sw = {.balance = "spray"};
  s.fabric_link = link_of(100_Gbps, 900_ns, 0, {{10_us, 12_us}, {40_us, 40'001_ns}});
  s.host_link = link_of(100_Gbps, 500_ns, 0, {{60_us, 61_us}});
  s.seed = 15;
  expect_conserved(s, {"link_down"});
}

}  // namespace
}  // namespace horae::fabric::conservation_test
