// Themis-D over many windows: its bitmap, its largest PSNs and the NACK it keeps, against a set of
// all that was delivered (packet-spraying paper appendix A).
#include <algorithm>
#include <set>

#include "horae/core/random.hpp"
#include "themis_parts.hpp"

namespace horae::programs::themis_window_test {
namespace {

using namespace test;

constexpr unsigned back_port = 8;

// A sender, a network and a NIC that keep within the window and do everything else at random: PSNs
// are counted from the first one without coming around.
struct Walk {
  Walk(const Setup& config, std::uint32_t first, std::uint64_t seed)
      : setup(config), first_psn(first), random(seed, "walk"), tor(config) {
    tor.program->connect(connection(far_node, near_node, first));
  }
  std::uint32_t psn(std::uint64_t n) const {
    return (Psn(first_psn) + static_cast<std::int32_t>(n)).value();
  }

  void data_arrives(std::uint64_t n) {
    const Outcome o = tor.egress(data(far_node, near_node, psn(n)), 0);
    delivered.insert(n);
    while (delivered.contains(missing)) ++missing;
    std::uint8_t expected = 0;
    if (kept) {
      const bool same_path = n > *kept && psn(n) % setup.paths == psn(*kept) % setup.paths;
      const bool too_far = n > *kept + setup.ooo_threshold;
      if (n != *kept) expected = same_path ? 2 : too_far ? 3 : 0;
    }
    ASSERT_EQ(o.copy ? o.copy->type : 0, expected) << n;
    if (o.copy) {
      EXPECT_EQ(o.copy->header[0], psn(*kept));
      ++(expected == 2 ? later : signals);
    }
    if (expected != 0 || (kept && n == *kept)) kept.reset();
  }
  void ack_comes(std::uint64_t n) {
    EXPECT_TRUE(tor.egress(ack(near_node, far_node, psn(n)), back_port).passes());
    start = std::max(start, n + 1);
  }
  void nack_comes(std::uint64_t n) {
    const Outcome o = tor.egress(nack(near_node, far_node, psn(n)), back_port);
    const bool arrived = delivered.contains(n);
    bool overtaken = false;
    for (std::uint64_t m = n + setup.paths; m < n + setup.window; m += setup.paths)
      overtaken |= delivered.contains(m);
    ASSERT_EQ(o.dropped(), arrived || !overtaken) << n << " of " << start;
    if (arrived)
      ++invalid;
    else if (overtaken)
      ++valid;
    else
      ++stashed, kept = n;
    start = std::max(start, n);
  }
  // One thing that may happen next.
  void step(unsigned most_behind) {
    const std::uint32_t what = random.below(8);
    const std::uint64_t responses = missing - start;  // PSNs that an answer may be about
    if (what < 5) {
      std::vector<std::uint64_t> under_way;
      for (std::uint64_t n = missing; n < start + setup.window && under_way.size() < most_behind;
           ++n) {
        if (!delivered.contains(n)) under_way.push_back(n);
      }
      if (under_way.empty()) return ack_comes(missing - 1);
      data_arrives(under_way[random.below(static_cast<std::uint32_t>(under_way.size()))]);
    } else if (what == 5) {
      if (responses > 0) ack_comes(start + random.below(static_cast<std::uint32_t>(responses)));
    } else if (delivered.empty() || *delivered.rbegin() < missing) {
      return;  // all in order: no NIC asks for anything
    } else if (what == 6) {
      nack_comes(missing);
    } else {
      nack_comes(start + random.below(static_cast<std::uint32_t>(responses) + 1));
    }
  }
  void check_counts() const {
    EXPECT_EQ(tor.count("nacks_valid"), valid);
    EXPECT_EQ(tor.count("nacks_invalid"), invalid);
    EXPECT_EQ(tor.count("nacks_stashed"), stashed);
    EXPECT_EQ(tor.count("nacks_validated_later"), later);
    EXPECT_EQ(tor.count("paths_signalled"), signals);
  }

  Setup setup;
  std::uint32_t first_psn;
  RandomStream random;
  Tor tor;
  std::set<std::uint64_t> delivered;
  std::uint64_t start = 0;    // of the sender's window, as the switch knows it
  std::uint64_t missing = 0;  // what the NIC waits for
  std::optional<std::uint64_t> kept;
  std::uint64_t valid = 0, invalid = 0, stashed = 0, later = 0, signals = 0;
};

void walks(std::uint32_t window, std::uint32_t paths, std::uint32_t first, std::uint32_t threshold,
           std::uint64_t seed) {
  Setup setup{.paths = paths, .window = window, .ooo_threshold = threshold};
  Walk walk(setup, first, seed);
  const std::uint64_t end = 12 * std::uint64_t{window};
  while (walk.start < end && !::testing::Test::HasFatalFailure()) walk.step(window);
  EXPECT_GT(walk.invalid, 0u);
  EXPECT_GT(walk.valid + walk.stashed, 0u);
  walk.check_counts();
}

TEST(ThemisWindow, EveryNackIsJudgedByWhatWasDelivered) {
  for (const std::uint32_t window : {8u, 16u, 64u}) {
    for (const std::uint32_t paths : {1u, 2u, 4u, 8u}) {
      for (std::uint64_t seed = 1; seed <= 20; ++seed) walks(window, paths, 0, 1000, seed);
    }
  }
}

TEST(ThemisWindow, PsnsComeAround) {
  for (std::uint32_t windows_before = 1; windows_before <= 6; ++windows_before) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
      walks(16, 4, (1u << 24) - 16 * windows_before, 1000, seed);
  }
}

TEST(ThemisWindow, TheWindowMayBeginInEitherHalf) {
  for (const std::uint32_t half : {1u, 2u, 3u, 100u}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) walks(16, 4, 16 * half, 1000, seed);
  }
}

TEST(ThemisWindow, TheFirstPsnMayLieAnywhere) {
  for (const std::uint32_t first : {1u, 7u, 15u, 17u, 20u, 31u, (1u << 24) - 5}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) walks(16, 4, first, 1000, seed);
  }
}

TEST(ThemisWindow, SignalsAmongTheRest) {
  for (const std::uint32_t threshold : {1u, 2u, 5u, 12u}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) walks(16, 8, (1u << 24) - 64, threshold, seed);
  }
}

// Whole windows from back to front, acknowledged at once: the start goes from half to half.
TEST(ThemisWindow, AWholeWindowAtOnce) {
  Tor tor({.paths = 4, .window = 8});
  tor.program->connect(connection(far_node, near_node, 0));
  for (std::uint32_t first = 0; first < 80; first += 8) {
    for (std::uint32_t i = 7; i > 0; --i)
      EXPECT_TRUE(tor.egress(data(far_node, near_node, first + i), 0).passes());
    EXPECT_TRUE(tor.egress(nack(near_node, far_node, first), back_port).passes()) << first;
    EXPECT_TRUE(tor.egress(data(far_node, near_node, first), 0).passes());
    EXPECT_TRUE(tor.egress(nack(near_node, far_node, first), back_port).dropped()) << first;
    EXPECT_TRUE(tor.egress(ack(near_node, far_node, first + 7), back_port).passes());
  }
  EXPECT_EQ(tor.count("nacks_valid"), 10u);
  EXPECT_EQ(tor.count("nacks_invalid"), 10u);
}

// An acknowledgement from before the window does not bring it back.
TEST(ThemisWindow, AnOldResponseMovesNothing) {
  for (const bool of_nack : {false, true}) {
    Tor tor({.paths = 4, .window = 8});
    tor.program->connect(connection(far_node, near_node, 0));
    for (std::uint32_t psn = 0; psn < 16; ++psn) {
      EXPECT_TRUE(tor.egress(data(far_node, near_node, psn), 0).passes());
      EXPECT_TRUE(tor.egress(ack(near_node, far_node, psn), back_port).passes());
      if (psn == 9)
        tor.egress(of_nack ? nack(near_node, far_node, 2) : ack(near_node, far_node, 2), back_port);
    }
    const auto judged = [&](std::uint32_t psn) {
      const auto before = tor.count("nacks_invalid");
      tor.egress(nack(near_node, far_node, psn), back_port);
      return tor.count("nacks_invalid") > before;
    };
    EXPECT_EQ(tor.count("old_data"), 0u);
    EXPECT_TRUE(tor.egress(data(far_node, near_node, 9), 0).passes());
    EXPECT_EQ(tor.count("old_data"), 1u);
    EXPECT_FALSE(judged(16));  // not delivered
    EXPECT_TRUE(tor.egress(data(far_node, near_node, 16), 0).passes());
    EXPECT_TRUE(judged(16));
  }
}

// A retransmitted packet that arrives is delivered; its loss may be asked for once more before.
TEST(ThemisWindow, ALostPacketIsAskedForUntilItArrives) {
  Tor tor({.paths = 4, .window = 8});
  tor.program->connect(connection(far_node, near_node, 0));
  const auto passes = [&](std::uint32_t psn) {
    return tor.egress(nack(near_node, far_node, psn), back_port).passes();
  };
  for (const std::uint32_t psn : {0u, 1u, 3u, 4u, 5u, 6u, 7u})
    tor.egress(data(far_node, near_node, psn), 0);
  EXPECT_TRUE(passes(2));
  EXPECT_TRUE(passes(2));
  Packet again = data(far_node, near_node, 2);
  again.retransmission = true;
  tor.egress(again, 0);
  EXPECT_FALSE(passes(2));
  EXPECT_EQ(tor.count("nacks_valid"), 2u);
  EXPECT_EQ(tor.count("nacks_invalid"), 1u);
}

}  // namespace
}  // namespace horae::programs::themis_window_test
