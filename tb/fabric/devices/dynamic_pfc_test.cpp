// Dynamic thresholds of priority flow control, and how long ports are held by it.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fabric_parts.hpp"
#include "horae/core/random.hpp"
#include "horae/fabric/devices/ingress_accounts.hpp"
#include "horae/fabric/devices/output_queued_switch.hpp"
#include "horae/fabric/ports/pause_log.hpp"

namespace horae::fabric::dynamic_pfc_test {
namespace {

using test::link_of;
using test::probe;

constexpr PfcConfig dynamic(double alpha, Bytes headroom = 20'000_B) {
  return {.headroom = headroom, .alpha = alpha, .hysteresis = 16_B, .minimum = 1000_B};
}
/// A buffer that leaves `pool` bytes to share.
Bytes buffer_for(const PfcConfig& pfc, unsigned ports, std::int64_t pool) {
  return Bytes(pool) + (pfc.headroom + pfc.minimum) * ports;
}

// Each class of each port that it counts with has a headroom and a minimum of its own.
TEST(DynamicPfc, ThePoolIsWhatPortsLeave) {
  PfcConfig pfc = dynamic(1.0);
  pfc.classes = 3;
  EXPECT_EQ(pfc.pool(1'000'000_B, {}), 1'000'000_B);
  EXPECT_EQ(pfc.pool(1'000'000_B, {20'000_B, 5'000_B}), Bytes(1'000'000 - 3 * (21'000 + 6'000)));
}

TEST(DynamicPfc, OneQueueMayTakeAlphaOfWhatIsFree) {
  for (const auto& [alpha, pool] : std::map<double, std::int64_t>{
           {1.0 / 16, 8'000'000}, {0.5, 300'000}, {1.0, 1'000'000}, {8.0, 100'000}}) {
    const PfcConfig config = dynamic(alpha);
    IngressAccounts accounts(config, buffer_for(config, 4, pool), 4, 4);
    std::int64_t n = 0;  // frames of 1000 B beyond the first, which is the queue's own
    EXPECT_FALSE(accounts.add(0, 1000));
    EXPECT_EQ(accounts.free().count(), pool);
    while (!accounts.add(0, 1000)) ++n;
    // Frame n fits if n F <= alpha (pool - (n - 1) F), and in the pool at all.
    const auto fits = [&](std::int64_t i) {
      return 1000.0 * static_cast<double>(i) <=
                 alpha * static_cast<double>(pool - (i - 1) * 1000) &&
             i * 1000 <= pool;
    };
    EXPECT_TRUE(fits(n));
    EXPECT_FALSE(fits(n + 1));
    EXPECT_EQ(accounts.free().count(), pool - 1000 * n);  // what came too much is in the headroom
  }
}

// If k queues want all they can get, each has alpha / (1 + k alpha) of the pool.
TEST(DynamicPfc, ManyQueuesShareAsTheoryHasIt) {
  for (const unsigned k : {1u, 4u, 16u}) {
    const PfcConfig config = dynamic(0.25, 64_B);
    constexpr std::int64_t pool = 2'000'000;
    IngressAccounts accounts(config, buffer_for(config, k, pool), k, k);
    std::vector<std::int64_t> taken(k);
    std::vector<bool> paused(k);
    for (unsigned open = k; open > 0;) {
      for (unsigned q = 0; q < k; ++q) {
        if (paused[q]) continue;
        paused[q] = accounts.add(q, 100);
        if (paused[q]) --open;
        if (!paused[q]) taken[q] += 100;
      }
    }
    for (const auto t : taken) {
      EXPECT_NEAR(static_cast<double>(t - 1000), 0.25 * pool / (1 + 0.25 * k), 200) << k;
    }
  }
}

TEST(DynamicPfc, ResumesBelowTheThresholdAndWithoutHeadroomInUse) {
  const PfcConfig config = dynamic(1.0);
  IngressAccounts accounts(config, buffer_for(config, 2, 10'000), 2, 2);
  for (int i = 0; i < 6; ++i) EXPECT_FALSE(accounts.add(0, 1000));  // own 1000, shared 5000
  EXPECT_TRUE(accounts.add(0, 1000));                               // 6000 > 10000 - 5000
  EXPECT_FALSE(accounts.add(0, 1000));                              // paused already
  EXPECT_FALSE(accounts.remove(0, 1000));                           // headroom 1000
  // The headroom is empty, but 5000 and the hysteresis are above the 5000 that are free.
  EXPECT_FALSE(accounts.remove(0, 1000));
  EXPECT_EQ(accounts.free().count(), 5000);
  EXPECT_TRUE(accounts.remove(0, 1000));  // 4016 <= 6000
  EXPECT_FALSE(accounts.remove(0, 1000));
}

TEST(DynamicPfc, AnotherQueuesUseLowersTheThreshold) {
  const PfcConfig config = dynamic(0.5);
  IngressAccounts accounts(config, buffer_for(config, 2, 12'000), 2, 2);
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(accounts.add(0, 1000));  // shared 3000
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(accounts.add(1, 1000));  // likewise: 6000 free
  EXPECT_TRUE(accounts.add(0, 1000));  // 4000 > 3000, though alone it could
  EXPECT_TRUE(accounts.fits(0, 19'000));
  EXPECT_FALSE(accounts.fits(0, 19'001));
}

// Random frames: bytes are where they should be, nobody who stops in time is dropped, and when all
// is gone everybody may send.
TEST(DynamicPfc, BooksBalanceAndEverythingResumes) {
  constexpr unsigned ports = 6;
  for (const double alpha : {1.0 / 16, 0.5, 2.0, 16.0}) {
    const PfcConfig config = dynamic(alpha, 3000_B);
    constexpr std::int64_t pool = 40'000;
    const Bytes buffer = buffer_for(config, ports, pool);
    IngressAccounts accounts(config, buffer, ports, ports);
    RandomStream random(1, "dynamic_pfc");
    std::vector<std::vector<std::int64_t>> queued(ports);
    std::vector<bool> paused(ports);
    std::int64_t total = 0;
    int pauses = 0, resumes = 0;
    const auto leave = [&](unsigned q) {
      const std::int64_t frame = queued[q].front();
      queued[q].erase(queued[q].begin());
      total -= frame;
      if (accounts.remove(q, frame)) {
        ASSERT_TRUE(paused[q]);
        paused[q] = false;
        ++resumes;
      }
    };
    for (int i = 0; i < 20'000; ++i) {
      const unsigned q = random.below(ports);
      const bool filling = i / 1000 % 2 == 0;
      if (random.below(10) < (filling ? 7u : 3u)) {
        const std::int64_t frame = 64 + random.below(1437);
        if (paused[q]) continue;  // a sender that stops at once needs one frame of headroom
        ASSERT_TRUE(accounts.fits(q, frame));
        queued[q].push_back(frame);
        total += frame;
        if (accounts.add(q, frame)) paused[q] = true, ++pauses;
      } else if (!queued[q].empty()) {
        leave(q);
      }
      ASSERT_LE(total, buffer.count());
      ASSERT_GE(accounts.free().count(), 0);
      ASSERT_LE(accounts.free().count(), pool);
    }
    for (unsigned q = 0; q < ports; ++q) {
      while (!queued[q].empty()) leave(q);
    }
    EXPECT_EQ(accounts.free().count(), pool);
    EXPECT_EQ(paused, std::vector<bool>(ports));
    EXPECT_GT(pauses, 50) << alpha;
    EXPECT_EQ(pauses, resumes);
  }
}

TEST(PauseLog, CountsEachClassAndAnyOfThem) {
  PauseLog log;
  log.change(3, true, 10_us, 9_us);
  log.change(5, true, 20_us, 9_us);   // before the first one has taken effect
  log.change(3, true, 25_us, 15_us);  // again: nothing new
  log.change(3, false, 30_us, 29_us);
  log.change(5, false, 50_us, 45_us);
  log.change(3, true, 80_us, 45_us);
  EXPECT_EQ(log.held(45_us), 35_us);
  EXPECT_EQ(log.held(3, 45_us), 20_us);
  EXPECT_EQ(log.held(5, 45_us), 25_us);
  EXPECT_EQ(log.held(60_us), 40_us);
  EXPECT_EQ(log.held(5, 60_us), 30_us);
  EXPECT_EQ(log.held(90_us), 50_us);
  EXPECT_EQ(log.held(3, 90_us), 30_us);
  EXPECT_EQ(log.held(0, 90_us), 0_ps);
}

// Four senders at line rate into one port: the switch loses nothing, holds no more than it has, and
// each sender is held for as long as the frames that it got say.
TEST(DynamicPfc, ASwitchLosesNothingAndPortsSayHowLongTheyWereHeld) {
  const PfcConfig pfc = dynamic(0.25, pfc_headroom(100_Gbps, 500_ns, 1086_B, 600_ns));
  const Bytes buffer = buffer_for(pfc, 5, 40'000);
  const std::string result = test::in_child([&] {
    sim_context context;
    output_queued_switch sw("sw", context, {.ports = 5, .buffer = buffer, .pfc = pfc});
    std::vector<std::unique_ptr<output_queued_switch>> feeders;
    std::vector<std::unique_ptr<probe>> probes;
    for (unsigned i = 0; i < 5; ++i) {
      const auto n = std::to_string(i);
      probes.push_back(std::make_unique<probe>(("p" + n).c_str(), context, 1, i));
      sw.routes().set(i, {static_cast<std::uint16_t>(i)});
      if (i == 4) {
        connect(sw, 4, *probes[4], 0, link_of(100_Gbps, 500_ns));
        continue;
      }
      // Probes send whatever they are told, so each has a switch before it that obeys.
      feeders.push_back(std::make_unique<output_queued_switch>(("f" + n).c_str(), context,
                                                               SwitchConfig{.ports = 2}));
      connect(*feeders[i], 0, *probes[i], 0, link_of(100_Gbps, 500_ns));
      connect(*feeders[i], 1, sw, i, link_of(100_Gbps, 500_ns));
      feeders[i]->routes().set(4, {1});
      for (int k = 0; k < 300; ++k) probes[i]->send({.at = 1_us, .dst = 4, .frame = 1086_B});
    }
    context.clock.run_to(50_us);
    const Picoseconds half = feeders[0]->pauses(1).held(50_us);
    context.clock.run_to(1_ms);
    EXPECT_EQ(context.pool.dropped(), 0u);
    EXPECT_EQ(probes[4]->arrivals.size(), 1200u);
    EXPECT_LE(sw.most_buffered(), buffer);
    EXPECT_GT(sw.most_buffered(), 40'000_B);
    EXPECT_GT(sw.counters().pauses_sent, 8u);
    EXPECT_GT(half, 10_us);
    for (const auto& f : feeders) {
      const Picoseconds held = f->pauses(1).held(1_ms);
      EXPECT_EQ(held, f->pauses(1).held(0, 1_ms));
      EXPECT_EQ(f->pauses(0).held(1_ms), 0_ps);
      // 300 frames at a quarter of the line take 106 us; three quarters of it are waiting.
      EXPECT_NEAR(to_microseconds(held), 300 * 0.08848 * 3, 8) << f->name();
    }
    return std::string("done");
  });
  EXPECT_EQ(result, "done");
}

}  // namespace
}  // namespace horae::fabric::dynamic_pfc_test
