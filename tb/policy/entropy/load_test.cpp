// How evenly each entropy scheme loads 8, 32 and 128 uplinks, beside balls into bins; and REPS's
// rings beside the process that its theorem speaks of.
#include <gtest/gtest.h>

#include <deque>
#include <functional>

#include "entropy_script.hpp"
#include "horae/core/packet.hpp"
#include "horae/policy/balance/load_balancer.hpp"
#include "horae/policy/entropy/parameters.hpp"
#include "horae/policy/entropy/reps.hpp"
#include "sanitized.hpp"
#include "theory/imbalance.hpp"
#include "theory/recycled.hpp"

namespace horae::policy::load_test {
namespace {

using namespace horae::theory;
using test::config;

constexpr std::uint32_t all_uplinks[] = {8, 32, 128};
/// Standard deviations that two means may lie apart. Seeds are fixed: a test passes or it does not.
constexpr double interval = 3.5;

/// Feedback of a packet to its sender, after a window's worth of packets.
enum class Told : std::uint8_t { nothing, good, marked, no_room };

struct Load {
  std::string name;
  EntropyConfig scheme;
  Told told = Told::nothing;
  std::uint32_t flows = 1;
  std::uint32_t packets = 0;  ///< of each
  std::uint32_t window = 32;  ///< of each flow
  std::uint64_t balls = 0;    ///< that go to random bins, in all
};

unsigned uplink(std::uint32_t flow, std::uint16_t entropy, std::uint32_t salt, unsigned uplinks) {
  Packet packet;
  packet.src = static_cast<decltype(packet.src)>(flow);
  packet.dst = static_cast<decltype(packet.dst)>(flow + 100'000);
  packet.dest_qp = Qpn(flow);
  packet.entropy = entropy;
  return static_cast<unsigned>(std::uint64_t{flow_hash(packet, salt)} * uplinks >> 32);
}

double measured(const Load& load, std::uint32_t uplinks, std::uint32_t trial) {
  std::vector<std::uint64_t> loads(uplinks);
  RandomStream random(trial, load.name);
  const std::uint32_t salt = random.bits();
  for (std::uint32_t flow = 0; flow < load.flows; ++flow) {
    EntropyContext context = test::context(random.bits(), static_cast<std::uint16_t>(flow));
    context.bdp_packets = load.window;
    const auto scheme = make_entropy(load.scheme, std::move(context));
    std::deque<std::uint16_t> in_flight;
    for (std::uint32_t i = 0; i < load.packets; ++i) {
      const std::uint16_t value = scheme->next(Picoseconds(0));
      ++loads[uplink(flow, value, salt, uplinks)];
      if (load.told == Told::nothing) continue;
      in_flight.push_back(value);
      if (in_flight.size() < load.window) continue;
      scheme->feedback({.value = in_flight.front(),
                        .signal = load.told == Told::marked ? PathSignal::marked : PathSignal::good,
                        .room = false},
                       Picoseconds(0));
      in_flight.pop_front();
    }
  }
  return imbalance_of(loads);
}

std::vector<Load> all_loads() {
  const RepsParameters reps{.freezing_timeout = 100_us};
  return {
      // One value per flow.
      {"fixed", config("fixed", 65536), Told::good, 256, 2, 32, 256},
      {"plb, no congestion", config("plb", 65536), Told::good, 256, 40, 32, 256},
      {"flowlet, no pause", config("flowlet", 65536), Told::good, 256, 40, 32, 256},
      {"subflows", config("subflows", 65536), Told::good, 32, 16, 32, 256},
      // A random one per packet.
      {"random", config("random", 65536), Told::nothing, 32, 128, 32, 4096},
      {"reps, all marked", config("reps", 65536, reps), Told::marked, 32, 128, 32, 4096},
      {"mp_rdma, no room", config("mp_rdma", 65536), Told::no_room, 32, 128, 32, 4096},
      // Every value the same number of times.
      {"cycle", config("cycle", 1024), Told::nothing, 2, 2048, 32, 2048},
      {"bitmap, no penalty", config("bitmap", 1024), Told::good, 2, 2048, 32, 2048},
      // The first window's values for ever.
      {"reps, no congestion", config("reps", 65536, reps), Told::good, 16, 1024, 32, 512},
      {"reps_unbounded", config("reps_unbounded", 65536), Told::good, 16, 1024, 32, 512},
  };
}

class LoadShare : public ::testing::TestWithParam<std::size_t> {};

// The largest share of load is that of as many balls as the scheme has independent choices.
TEST_P(LoadShare, IsThatOfBallsInBins) {
  const Load load = all_loads()[GetParam()];
  const std::uint32_t trials = horae::test::sanitized() ? 20 : 100;
  for (const std::uint32_t uplinks : all_uplinks) {
    Trials ours;
    for (std::uint32_t trial = 1; trial <= trials; ++trial)
      ours.add(measured(load, uplinks, trial));
    RandomStream random(uplinks, "balls");
    const Trials process = thrown_imbalances(uplinks, load.balls, 2000, random);
    EXPECT_LT(distance(ours, process), interval)
        << load.name << ", " << uplinks << " uplinks: " << ours.mean() << " +- " << ours.error()
        << ", balls in bins " << process.mean() << " +- " << process.error();
    // The closed form is for many balls.
    if (load.balls >= 64ull * uplinks) {
      EXPECT_NEAR(ours.mean(), expected_imbalance(uplinks, static_cast<double>(load.balls)),
                  interval * ours.error() + 0.1 * process.mean())
          << load.name << ", " << uplinks << " uplinks";
    }
  }
}
INSTANTIATE_TEST_SUITE_P(All, LoadShare, ::testing::Range<std::size_t>(0, 11));

// With half of the choices the test above fails: it can tell.
TEST(LoadShareTest, TellsTwiceAsManyChoicesApart) {
  const Load load = all_loads()[4];
  Trials ours;
  for (std::uint32_t trial = 1; trial <= 100; ++trial) ours.add(measured(load, 32, trial));
  RandomStream random(32, "balls");
  EXPECT_GT(distance(ours, thrown_imbalances(32, load.balls / 2, 2000, random)), 2 * interval);
}

/// A switch with a sender: in each round every uplink sends a packet, whose sender hears whether it
/// left a queue of at most the threshold, and then sends one packet per uplink.
struct Rounds {
  Rounds(std::uint32_t uplinks, std::uint64_t seed)
      : queues(uplinks),
        reps({.scheme = "reps",
              .values = 65536,
              .parameters = PolicyParameters::with(
                  RepsParameters{.ring = uplinks, .freezing_timeout = 1_us})},
             {.base_rtt = 1_us, .rto = 1_us, .random = RandomStream(seed, "rounds")}) {}

  void round() {
    ++done;
    for (auto& queue : queues) {
      if (queue.empty()) continue;
      const bool good = static_cast<double>(queue.size()) <= recycling_threshold(uplinks());
      reps.feedback(
          {.value = queue.front(), .signal = good ? PathSignal::good : PathSignal::marked},
          Picoseconds(0));
      queue.pop_front();
    }
    const std::uint64_t random_before = reps.counts().random;
    for (std::uint32_t i = 0; i < uplinks(); ++i) {
      const std::uint16_t value = reps.next(Picoseconds(0));
      queues[value % uplinks()].push_back(value);
    }
    if (reps.counts().random > random_before) last_random = done;
  }
  std::uint32_t uplinks() const { return static_cast<std::uint32_t>(queues.size()); }
  std::size_t longest() const {
    std::size_t most = 0;
    for (const auto& queue : queues) most = std::max(most, queue.size());
    return most;
  }

  std::vector<std::deque<std::uint16_t>> queues;
  Reps reps;
  std::uint32_t done = 0, last_random = 0;
};

TEST(RecyclingRings, SettleAsRecycledBallsDo) {
  for (const std::uint32_t uplinks : all_uplinks) {
    // Too few trials would not be normally distributed.
    if (horae::test::sanitized() && uplinks > 32) continue;
    const std::uint32_t trials = 4800 / uplinks, rounds = uplinks * 12;
    Trials settled, longest, process_settled, process_longest;
    for (std::uint32_t trial = 1; trial <= trials; ++trial) {
      Rounds ours(uplinks, trial);
      while (ours.done < rounds) ours.round();
      settled.add(ours.last_random);
      longest.add(static_cast<double>(ours.longest()));
    }
    for (std::uint32_t trial = 1; trial <= 400; ++trial) {
      RecycledBins bins(uplinks, recycling_threshold(uplinks), 1, RandomStream(trial, "recycled"));
      bins.rounds(rounds);
      process_settled.add(bins.last_random());
      process_longest.add(bins.longest());
    }
    EXPECT_LT(distance(settled, process_settled), interval)
        << uplinks << ": " << settled.mean() << " rounds, recycled balls "
        << process_settled.mean();
    EXPECT_LT(distance(longest, process_longest), interval)
        << uplinks << ": " << longest.mean() << " in a queue, recycled balls "
        << process_longest.mean();
    EXPECT_LE(longest.quantile(1), recycling_threshold(uplinks) + 1);
  }
}

}  // namespace
}  // namespace horae::policy::load_test
