// Links to the picosecond: serialisation, propagation, random loss, outages.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "fabric_parts.hpp"

namespace horae::fabric::link_test {
namespace {

using test::in_child;
using test::link_of;
using test::plausible;
using test::probe;

// A pair of probes joined by one link.
struct Pair {
  Pair(sim_context& context, unsigned i, const LinkConfig& link)
      : a(std::make_unique<probe>(("a" + std::to_string(i)).c_str(), context)),
        b(std::make_unique<probe>(("b" + std::to_string(i)).c_str(), context)) {
    connect(*a, 0, *b, 0, link);
  }
  std::unique_ptr<probe> a, b;
};

TEST(Link, AFrameArrivesItsSerialisationAndTheDelayLater) {
  struct Row {
    BitRate rate;
    Picoseconds delay;
    Bytes frame;
    Picoseconds serialisation;  // of frame, preamble and gap
  };
  const std::vector<Row> rows = {
      {10_Gbps, 500_ns, 64_B, 67'200_ps},
      {25_Gbps, 700_ns, 1086_B, 353'920_ps},
      {100_Gbps, 500_ns, 1086_B, 88'480_ps},
      {100_Gbps, 501'001_ps, 64_B, 6'720_ps},
      {200_Gbps, 3_us, 4158_B, 167'120_ps},
      {400_Gbps, 1_ms, 64_B, 1'680_ps},
      {800_Gbps, 500_ns, 1086_B, 11'060_ps},
      {BitRate(3'000'000'000), 500_ns, 1086_B, 2'949'334_ps},  // 2 949 333.33 rounded up
      {BitRate(7'000'000'000), 600_ns, 100_B, 137'143_ps},     // 137 142.86
  };
  const Picoseconds start = 1'234'567_ps;
  sim_context context;
  std::vector<Pair> pairs;
  std::vector<std::pair<Picoseconds, std::size_t>> expected;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    pairs.emplace_back(context, i, link_of(rows[i].rate, rows[i].delay));
    pairs.back().a->send({.at = start, .frame = rows[i].frame});
    expected.emplace_back(start + rows[i].serialisation + rows[i].delay, i);
  }
  std::sort(expected.begin(), expected.end());
  for (const auto& [at, i] : expected) {
    context.clock.run_to(at);
    EXPECT_TRUE(pairs[i].b->arrivals.empty()) << i;
    context.clock.run_to(at + 1_ps);
    ASSERT_EQ(pairs[i].b->arrivals.size(), 1u) << i;
    EXPECT_EQ(pairs[i].b->arrivals[0].at, at);
    EXPECT_EQ(pairs[i].a->tx(0).busy_until(), start + rows[i].serialisation);
  }
  EXPECT_EQ(context.pool.live(), 0u);
}

TEST(Link, FramesFollowOneAnotherWithoutAGap) {
  const BitRate odd(7'000'000'000);
  sim_context context;
  Pair pair(context, 0, link_of(100_Gbps, 500_ns));
  Pair odd_pair(context, 1, link_of(odd, 500_ns));
  for (int i = 0; i < 100; ++i) {
    for (Pair* p : {&pair, &odd_pair}) p->a->send({.at = 1_us, .frame = Bytes(64 + i)});
  }
  context.clock.run_to(1_ms);
  ASSERT_EQ(pair.b->arrivals.size(), 100u);
  ASSERT_EQ(odd_pair.b->arrivals.size(), 100u);
  std::int64_t t = 1'000'000, odd_t = 1'000'000;
  for (int i = 0; i < 100; ++i) {
    t += (84 + i) * 80;
    odd_t += ((84 + i) * 8000 + 6) / 7;  // each frame rounded up
    EXPECT_EQ(pair.b->arrivals[i].at, Picoseconds(t) + 500_ns);
    EXPECT_EQ(odd_pair.b->arrivals[i].at, Picoseconds(odd_t) + 500_ns);
    EXPECT_EQ(pair.b->arrivals[i].shot(), static_cast<std::uint64_t>(i));
  }
  std::int64_t l2 = 0;
  for (int i = 0; i < 100; ++i) l2 += 64 + i;
  const TxCounters& sent = pair.a->tx(0).counters();
  EXPECT_EQ(sent.packets, 100u);
  EXPECT_EQ(sent.bytes(Layer::l2), Bytes(l2));
  EXPECT_EQ(sent.bytes(Layer::l1), Bytes(l2 + 100 * 20));
  EXPECT_EQ(sent.lost + sent.cut, 0u);
}

TEST(Link, DirectionsAreIndependent) {
  sim_context context;
  Pair pair(context, 0, link_of(100_Gbps, 500_ns));
  for (int i = 0; i < 50; ++i) pair.a->send({.at = 0_ps, .frame = 1086_B});
  pair.b->send({.at = 1_us, .frame = 64_B});
  context.clock.run_to(100_us);
  ASSERT_EQ(pair.a->arrivals.size(), 1u);
  EXPECT_EQ(pair.a->arrivals[0].at, 1_us + 6'720_ps + 500_ns);
  EXPECT_EQ(pair.b->arrivals.size(), 50u);
}

// Losses of three equal links, as text: which shots arrived on each.
std::string losses(std::uint64_t seed, bool another_link_first, double loss, int shots) {
  sim_context context({}, seed);
  std::vector<Pair> pairs;
  if (another_link_first) {
    pairs.emplace_back(context, 9, link_of(100_Gbps, 500_ns, 0.5));
    for (int i = 0; i < shots; ++i) pairs.back().a->send({.at = 1_us * i, .frame = 64_B});
  }
  std::vector<Pair> links;
  for (unsigned l = 0; l < 3; ++l) {
    links.emplace_back(context, l, link_of(100_Gbps, 500_ns, loss));
    for (int i = 0; i < shots; ++i) links.back().a->send({.at = 1_us * i, .frame = 64_B});
  }
  context.clock.run_to(1_us * (shots + 2));
  std::string text;
  for (const Pair& link : links) {
    std::string arrived(static_cast<std::size_t>(shots), '-');
    for (const auto& a : link.b->arrivals) arrived[a.shot()] = '+';
    const TxCounters& sent = link.a->tx(0).counters();
    EXPECT_EQ(sent.packets, static_cast<std::uint64_t>(shots));
    EXPECT_EQ(sent.lost,
              static_cast<std::uint64_t>(std::count(arrived.begin(), arrived.end(), '-')));
    text += arrived + "\n";
  }
  if (!another_link_first) {
    std::uint64_t lost = 0;
    for (const Pair& link : links) lost += link.a->tx(0).counters().lost;
    EXPECT_EQ(context.pool.dropped(DropCause::link_loss), lost);
    EXPECT_EQ(context.pool.dropped(), lost);
  }
  return text;
}

TEST(Link, RandomLossIsBinomialAndIndependentPerLink) {
  const double loss = 0.1;
  const int shots = 20000;
  const std::string text = in_child([&] { return losses(1, false, loss, shots); });
  const std::vector<std::string> links = {text.substr(0, shots), text.substr(shots + 1, shots),
                                          text.substr(2 * (shots + 1), shots)};
  for (const auto& link : links) {
    const auto lost = static_cast<double>(std::count(link.begin(), link.end(), '-'));
    EXPECT_TRUE(plausible(lost, shots, loss)) << lost;
    int pairs_lost = 0;  // no bursts: a loss says nothing about the next packet
    for (int i = 1; i < shots; ++i) pairs_lost += link[i - 1] == '-' && link[i] == '-';
    EXPECT_TRUE(plausible(pairs_lost, shots - 1, loss * loss)) << pairs_lost;
  }
  for (const auto& [a, b] : {std::pair{0, 1}, std::pair{0, 2}, std::pair{1, 2}}) {
    int both = 0;
    for (int i = 0; i < shots; ++i) both += links[a][i] == '-' && links[b][i] == '-';
    EXPECT_TRUE(plausible(both, shots, loss * loss)) << both;
  }
  EXPECT_EQ(in_child([&] { return losses(1, false, loss, shots); }), text);
  EXPECT_EQ(in_child([&] { return losses(1, true, loss, shots); }), text);  // a stream per name
  EXPECT_NE(in_child([&] { return losses(2, false, loss, shots); }), text);
}

// The flight of a packet is from its first bit out to its last bit in. 1230 B with preamble and gap
// take 100 ns at 100 Gbps; with 1 us of delay a flight lasts 1.1 us.
TEST(Link, AnOutageTakesWhatOverlapsIt) {
  const Picoseconds from = 10_us, to = 12_us;
  struct Row {
    Picoseconds start;
    bool arrives;
  };
  const std::vector<Row> rows = {{8_us, true},          {8'900_ns, true},   // last bit in as it
                                 {8'900'001_ps, false}, {9'500_ns, false},  // begins
                                 {10_us, false},        {11'999'999_ps, false},
                                 {12_us, true},  // first bit out as it ends
                                 {20_us, true}};
  sim_context context;
  std::vector<Pair> pairs;
  std::uint64_t cut = 0;
  for (unsigned i = 0; i < rows.size(); ++i) {
    pairs.emplace_back(context, i, link_of(100_Gbps, 1_us, 0, {{from, to}}));
    pairs.back().a->send({.at = rows[i].start, .frame = 1230_B});
    pairs.back().b->send({.at = rows[i].start, .frame = 1230_B});
    cut += rows[i].arrives ? 0 : 2;
  }
  context.clock.run_to(50_us);
  for (unsigned i = 0; i < rows.size(); ++i) {
    for (const auto& [sender, receiver] : {std::pair{pairs[i].a.get(), pairs[i].b.get()},
                                           std::pair{pairs[i].b.get(), pairs[i].a.get()}}) {
      EXPECT_EQ(receiver->arrivals.size(), rows[i].arrives ? 1u : 0u) << rows[i].start.count();
      EXPECT_EQ(sender->tx(0).counters().cut, rows[i].arrives ? 0u : 1u);
      EXPECT_EQ(sender->tx(0).counters().packets, 1u);
    }
  }
  EXPECT_EQ(context.pool.dropped(DropCause::link_down), cut);
  EXPECT_EQ(context.pool.dropped(), cut);
  EXPECT_EQ(context.pool.live(), 0u);
}

TEST(Link, EveryOutageCounts) {
  sim_context context;
  Pair pair(context, 0,
            link_of(100_Gbps, 500_ns, 0, {{10_us, 20_us}, {30_us, 40_us}, {90_us, never}}));
  for (int i = 0; i < 120; ++i) pair.a->send({.at = 1_us * i, .frame = 64_B});
  context.clock.run_to(200_us);
  std::set<std::uint64_t> arrived;
  for (const auto& a : pair.b->arrivals) arrived.insert(a.shot());
  for (std::uint64_t i = 0; i < 120; ++i) {
    const bool down = (i >= 10 && i < 20) || (i >= 30 && i < 40) || i >= 90;
    EXPECT_EQ(arrived.count(i), down ? 0u : 1u) << i;
  }
}

// A pause that was lost, or a resume, would be undone by the pause timer, which is not modelled: so
// an outage must not leave a class stopped for good.
TEST(Link, PauseFramesOutliveAnOutage) {
  sim_context context;
  Pair pair(context, 0, link_of(100_Gbps, 500_ns, 0, {{10_us, 20_us}}));
  std::vector<probe::Pause> expected;
  for (const auto& [at, pause] : {std::pair{5_us, true}, std::pair{9'800_ns, false},
                                  std::pair{15_us, true}, std::pair{20_us, false}}) {
    pair.a->send_pause({.at = at, .traffic_class = 3, .pause = pause});
    // 64 bytes with preamble and gap: 6.72 ns.
    expected.push_back({at + 6'720_ps + 500_ns, 0, 3, pause});
  }
  context.clock.run_to(50_us);
  EXPECT_EQ(pair.b->pauses, expected);
}

TEST(Link, APortIsConnectedOnce) {
  sim_context context;
  probe a("a", context, 2), b("b", context, 1), c("c", context, 1);
  connect(a, 0, b, 0, {});
  EXPECT_THROW(connect(c, 0, b, 0, {}), ModelError);
  EXPECT_THROW(connect(c, 1, a, 1, {}), ModelError);
  connect(c, 0, a, 1, {});
  EXPECT_TRUE(c.tx(0).connected());
}

}  // namespace
}  // namespace horae::fabric::link_test
