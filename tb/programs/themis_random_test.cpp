// Themis against a checker that knows what was really lost, over many small random networks. What
// Themis promises is to be kept without exception; each case in which it cannot help is counted by
// its cause, and the counts are zero where the cause is absent.
#include "themis_network.hpp"

namespace horae::programs {
namespace {

using namespace test;

// What a series varies besides the weather.
struct Series {
  std::string more = {};  // parameters
  unsigned pipelines = 1;
  Rules rules = {};
  std::uint32_t threshold = 100'000;  // none by default
  unsigned fabrics = 40, scenarios = 50;
  std::uint64_t seed = 1;
  bool print = true;
};

template <class F>
Causes play(const Series& series, F&& weather) {
  Causes causes;
  RandomStream random(series.seed, "series");
  for (unsigned f = 0; f < series.fabrics; ++f) {
    Rules rules = series.rules;
    const unsigned uplinks = 1 + random.below(6);
    rules.paths = 1u << random.below(4);
    rules.window = rules.paths * (4u << random.below(3));
    Fabric fabric(fmt::format("name = \"themis\"\nnics = 1\nqps_per_nic = {}\npipelines = 1\n"
                              "paths = {}\nwindow = {}\npieces = 1\nooo_threshold = {}\n"
                              "avoidance_window = 20\nroute_entries = 8\nmember_entries = 16\n{}\n",
                              series.scenarios, rules.paths, rules.window, series.threshold,
                              series.more),
                  uplinks, series.pipelines);
    for (unsigned i = 0; i < series.scenarios; ++i) {
      const std::uint32_t around = (1u << 24) - random.below(300);
      const std::uint32_t first = random.below(2) == 0 ? around : random.bits();
      const Weather w = weather(random, rules, uplinks);
      Scenario(fabric, rules, w, random.bits(), first & Psn::mask, causes).run();
      if (::testing::Test::HasFailure()) {
        ADD_FAILURE() << "fabric " << f << ", scenario " << i;
        return causes;
      }
    }
  }
  if (series.print) fmt::print("{}", causes.text());
  return causes;
}

// Losses of all kinds on the paths, and nothing else.
Weather losses(RandomStream& random, const Rules&, unsigned uplinks) {
  Weather w{.packets = 1 + random.below(200)};
  switch (random.below(4)) {
    case 0:
      w.loss = 0.05;
      break;
    case 1:
      w.burst = 0.01;
      break;
    case 2:
      w.dead_path = static_cast<int>(random.below(uplinks));
      w.dead_from = random.below(20'000);
      w.dead_until = w.dead_from + random.below(40'000);
      break;
    default:
      break;  // reordering only
  }
  return w;
}

// No promise is broken, and nothing happens that the weather does not explain.
void expect_clean(const Causes& c) {
  EXPECT_EQ(c.broken(), 0u);
  EXPECT_GT(c.nacks_passed, 500u);
  EXPECT_GT(c.nacks_blocked, 500u);
}

TEST(ThemisRandom, EveryLossIsAskedForAndNothingElse) {
  for (const unsigned pipelines : {1u, 2u, 3u}) {
    const Causes c = play({.pipelines = pipelines, .fabrics = 100}, losses);
    expect_clean(c);
    EXPECT_EQ(c.late_signalled + c.late_avoided + c.late_rerouted + c.late_unchecked, 0u);
    EXPECT_EQ(c.lost_last_hop + c.blocked_old + c.given_up, 0u);
    EXPECT_EQ(c.timeout_not_lost + c.timeout_answer_coming + c.timeout_answer_lost + c.timeout_last_hop +
                  c.timeout_nack_lost + c.timeout_blocked,
              0u);
    EXPECT_GT(c.timeout_tail, 0u);
    EXPECT_GT(c.timeout_resend_lost, 0u);
  }
}

TEST(ThemisRandom, NothingIsPassedWhereNothingIsLost) {
  const Causes c = play({.pipelines = 2}, [](RandomStream& random, const Rules&, unsigned) {
    return Weather{.packets = 1 + random.below(200)};
  });
  EXPECT_EQ(c.broken(), 0u);
  EXPECT_EQ(c.nacks_passed, 0u);
  EXPECT_EQ(c.timeouts, 0u);
  EXPECT_GT(c.nacks_blocked, 500u);
}

// What is lost behind the switch that judges was delivered as far as it knows.
TEST(ThemisRandom, LossesOnTheLastHopAreNotSeen) {
  const Causes c = play({.pipelines = 2}, [](RandomStream& random, const Rules& r, unsigned n) {
    Weather w = losses(random, r, n);
    w.last_hop_loss = 0.02;
    return w;
  });
  expect_clean(c);
  EXPECT_GT(c.lost_last_hop, 0u);
  EXPECT_GT(c.timeout_last_hop, 0u);
}

TEST(ThemisRandom, AnswersMayBeLost) {
  const Causes c = play({.pipelines = 2}, [](RandomStream& random, const Rules& r, unsigned n) {
    Weather w = losses(random, r, n);
    w.response_loss = 0.1;
    return w;
  });
  expect_clean(c);
  EXPECT_GT(c.timeout_nack_lost, 0u);
  EXPECT_GT(c.timeout_answer_lost, 0u);
}

// A timer that is too short sends everything again, and late duplicates come from before the
// window.
Weather impatience(RandomStream& random, const Rules& r, unsigned n) {
  Weather w = losses(random, r, n);
  w.rto = 3'000 + random.below(6'000);
  w.slow_path = static_cast<int>(random.below(n));
  w.slow = random.below(12'000);
  return w;
}

TEST(ThemisRandom, OldDuplicatesMarkNothing) {
  const Causes c = play({.pipelines = 2, .fabrics = 100}, impatience);
  expect_clean(c);
  EXPECT_EQ(c.blocked_old + c.timeout_blocked, 0u);
  EXPECT_GT(c.timeout_not_lost, 0u);
}

TEST(ThemisRandom, OldDuplicatesMarkTheNextWindowAsPublished) {
  const Causes c = play({.more = "ignore_old = false",
                         .pipelines = 2,
                         .rules = {.ignore_old = false},
                         .fabrics = 100},
                        impatience);
  expect_clean(c);
  EXPECT_GT(c.blocked_old, 0u);
  EXPECT_GT(c.timeout_blocked, 0u);
}

// A path far behind is signalled and avoided: NACKs may pass for packets that are only late.
TEST(ThemisRandom, AvoidedPathsMayLetLateOnesPass) {
  Causes all;
  for (const std::uint32_t threshold : {6u, 16u}) {
    const Causes c = play({.pipelines = 2, .threshold = threshold},
                          [](RandomStream& random, const Rules& r, unsigned n) {
                            Weather w = losses(random, r, n);
                            w.slow_path = static_cast<int>(random.below(n));
                            w.slow = random.below(12'000);
                            return w;
                          });
    expect_clean(c);
    all.late_signalled += c.late_signalled;
    all.late_avoided += c.late_avoided;
  }
  EXPECT_GT(all.late_signalled, 0u);
  EXPECT_GT(all.late_avoided, 0u);
}

TEST(ThemisRandom, WithoutThePathCheckWhatIsLatePasses) {
  const Causes c = play({.more = "path_check = false", .rules = {.path_check = false}}, losses);
  expect_clean(c);
  EXPECT_GT(c.late_unchecked, 1000u);
  EXPECT_EQ(c.given_up, 0u);
}

TEST(ThemisRandom, WithoutLazyDroppingLossesWaitForTheTimer) {
  const Causes c = play({.more = "lazy_dropping = false", .rules = {.keeps = false}}, losses);
  expect_clean(c);
  EXPECT_GT(c.given_up, 100u);
  EXPECT_GT(c.timeout_blocked, 100u);
}

TEST(ThemisRandom, EveryCombinationOfWhatIsLeftOut) {
  for (unsigned off = 0; off < 64; ++off) {
    const auto on = [&](unsigned i) { return (off >> i & 1) == 0; };
    Series s{.more = fmt::format("path_check = {}\nlazy_dropping = {}\nrerouting = {}\n"
                                 "failure_handling = {}\nignore_old = {}\nnacks_to_source = "
                                 "\"{}\"",
                                 on(0), on(1), on(2), on(3), on(4),
                                 on(5) ? "recirculate" : "pass_by"),
             .pipelines = 2,
             .threshold = 12,
             .fabrics = 4,
             .scenarios = 25,
             .seed = off,
             .print = false};
    s.rules = {.path_check = on(0),
               .rerouting = on(2),
               .ignore_old = on(4),
               .keeps = on(0) ? on(1) : true};
    Causes c = play(s, losses);
    if (!on(5) || (!on(2) && !on(3))) c.past_source = c.kept_path = 0;
    EXPECT_EQ(c.broken(), 0u) << s.more << c.text();
  }
}

}  // namespace
}  // namespace horae::programs
