// REPS against the paper's algorithms over many short and some long random histories.
#include <gtest/gtest.h>

#include "entropy_script.hpp"
#include "horae/policy/entropy/reps.hpp"
#include "reps_reference.hpp"
#include "sanitized.hpp"

namespace horae::policy::reps_property_test {
namespace {

using test::RepsReference;

/// Small and fast numbers for what happens; the schemes draw their own.
struct Dice {
  std::uint64_t state;
  std::uint32_t operator()(std::uint32_t sides) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<std::uint32_t>((state >> 32) % sides);
  }
};

// Time is in picoseconds, and all times are a few of them, so that each limit is met exactly, too.
constexpr std::int64_t base_rtt = 8, rto = 20;

RepsParameters some_parameters(Dice& dice) {
  RepsParameters p;
  p.ring = 1 + dice(dice(4) == 0 ? RepsReference::largest : 8);
  p.freezing = dice(16) != 0;
  p.freezing_timeout = Picoseconds(1 + dice(30));
  p.exit = dice(2) == 0 ? RepsExit::keep : RepsExit::clear;
  p.exit_on = dice(2) == 0 ? RepsExitOn::any : RepsExitOn::good;
  if (p.exit == RepsExit::clear && dice(2) == 0) p.frozen_read = RepsFrozenRead::artifact;
  p.explore_packets = dice(5);
  return p;
}

/// One history. False with a failure at the first difference.
bool agree(Dice& dice, const RandomStream& stream, std::uint32_t steps, bool invariant) {
  const RepsParameters p = some_parameters(dice);
  const std::uint32_t values = 2u << dice(16);
  const bool trims = dice(2) == 0;
  Reps reps({.scheme = "reps", .values = values, .parameters = PolicyParameters::with(p)},
            {.base_rtt = Picoseconds(base_rtt),
             .rto = Picoseconds(rto),
             .bdp_packets = 7,
             .trimming = trims,
             .random = stream});
  RepsReference reference(p, values, trims, base_rtt, rto, stream);
  std::int64_t now = 0;
  std::uint16_t last = 0;
  for (std::uint32_t step = 0; step < steps; ++step) {
    now += dice(6);
    const std::uint32_t what = dice(32);
    const auto value = static_cast<std::uint16_t>(last + what);
    const std::int64_t rtt = dice(8) == 0 ? 0 : base_rtt - 1 + dice(10);
    const auto tell = [&](PathSignal signal) {
      reps.feedback({.value = value, .signal = signal, .rtt = Picoseconds(rtt)}, Picoseconds(now));
    };
    if (what < 14) {
      last = reps.next(Picoseconds(now));
      if (const std::uint16_t expected = reference.on_send(); last != expected) {
        ADD_FAILURE() << "step " << step << ": " << last << " is not " << expected;
        return false;
      }
    } else if (what < 24) {
      tell(PathSignal::good);
      reference.on_ack(value, false, false, rtt, now);
    } else if (what < 27) {
      tell(PathSignal::marked);
      reference.on_ack(value, true, false, rtt, now);
    } else if (what < 28) {
      tell(PathSignal::trimmed);
      reference.on_ack(value, false, true, rtt, now);
    } else if (what < 31) {
      tell(PathSignal::timeout);
      reference.on_timeout(now);
    } else {
      reps.freeze(Picoseconds(now));
      reference.on_forced(now);
    }
    if (reps.frozen() != reference.is_freezing_mode ||
        reps.valid() != reference.number_of_valid_evs || reps.head() != reference.head ||
        reps.exploring() != reference.explore_counter) {
      ADD_FAILURE() << "step " << step << ": another state";
      return false;
    }
    if (!invariant || p.frozen_read == RepsFrozenRead::artifact) continue;
    // The valid slots are the last `valid` before the head.
    for (std::uint32_t back = 1; back <= p.ring; ++back) {
      const std::uint32_t slot = (reps.head() + p.ring - back) % p.ring;
      if (reps.valid_at(slot) == (back <= reps.valid())) continue;
      ADD_FAILURE() << "step " << step << ": slot " << slot << ", head " << reps.head()
                    << ", valid " << reps.valid();
      return false;
    }
  }
  return true;
}

class Histories : public ::testing::TestWithParam<unsigned> {};

// Ten million histories in all, of 4 to 27 steps each.
TEST_P(Histories, RepsIsThePapersAlgorithmsBitByBit) {
  Dice dice{0x9e3779b97f4a7c15ULL * (GetParam() + 1)};
  const RandomStream stream(GetParam(), "histories");
  const unsigned histories = horae::test::sanitized() ? 20'000 : 1'000'000;
  for (unsigned i = 0; i < histories; ++i) {
    if (!agree(dice, stream, 4 + dice(24), false)) FAIL() << "history " << i;
  }
}
INSTANTIATE_TEST_SUITE_P(Parts, Histories, ::testing::Range(0u, 10u));

TEST(RepsProperty, ValidSlotsAreTheLastOnesBeforeTheHead) {
  Dice dice{88172645463325252ULL};
  const RandomStream stream(1, "invariant");
  const unsigned histories = horae::test::sanitized() ? 2'000 : 60'000;
  for (unsigned i = 0; i < histories; ++i) {
    if (!agree(dice, stream, 4 + dice(60), true)) FAIL() << "history " << i;
  }
}

TEST(RepsProperty, LongHistoriesAgreeToo) {
  Dice dice{123456789};
  const RandomStream stream(2, "long");
  for (unsigned i = 0; i < 24; ++i) {
    if (!agree(dice, stream, horae::test::sanitized() ? 4'000 : 40'000, true))
      FAIL() << "history " << i;
  }
}

}  // namespace
}  // namespace horae::policy::reps_property_test
