// Whose turn it is among many queue pairs that wait for payload, against a reading of the whole
// ring that remembers nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "horae/core/random.hpp"
#include "horae/rnic/host/payload_fetcher.hpp"
#include "horae/rnic/parts/tx_scheduler.hpp"
#include "queue_pair_parts.hpp"

namespace horae::rnic::waiting_queue_pairs_test {
namespace {

// Every read takes a time of its own, so that later ones may be answered earlier.
class UnevenHost final : public HostPort {
 public:
  explicit UnevenHost(std::uint64_t seed) : random_(seed, "host") {}
  Picoseconds read(Picoseconds now, std::uint64_t, Bytes) override {
    return now + 1_ns * (1 + random_.below(400));
  }
  Picoseconds write(Picoseconds now, std::uint64_t, Bytes) override { return now; }
  Picoseconds doorbell(Picoseconds now) override { return now; }

 private:
  RandomStream random_;
};

struct Bench {
  Bench(std::size_t queue_pairs, std::uint64_t seed)
      : host(seed),
        config(nic()),
        rules(retransmit()),
        fetcher(config.fetch, config.sram.tx_buffer, host,
                [this](std::size_t qp, Picoseconds at) { wqes.emplace(at, qp); }),
        scheduler(config, rules) {
    scheduler.wait_for(fetcher);
    for (std::size_t i = 0; i < queue_pairs; ++i) {
      qps.push_back(test::make_queue_pair(1 + static_cast<std::uint32_t>(i) % 7));
      scheduler.add(*qps.back());
      fetcher.add(*qps.back());
    }
    scheduler.begin();
    for (std::size_t i = 0; i < queue_pairs; ++i) refresh(i);
  }
  static RnicConfig nic() {
    RnicConfig c;
    c.host = HostModel::pcie;
    c.sram.tx_buffer = 8_KiB;  // eight packets: most queue pairs wait for room
    c.qp_rate = 100_Gbps;
    return c;
  }
  static policy::RetransmitConfig retransmit() {
    policy::RetransmitConfig c;
    c.policies = {{"strict_priority", {}}};
    return c;
  }
  void refresh(std::size_t i) {
    scheduler.refresh(i);
    if (qps[i]->can_send && std::find(ring.begin(), ring.end(), i) == ring.end()) {
      ring.push_back(i);
    }
  }
  // Expected answer of pick(): each queue pair of the ring is asked.
  int expected(Picoseconds now, Gate& next) {
    next = {never, IdleCause::no_work};
    for (std::size_t n = ring.size(); n-- > 0;) {
      const std::size_t i = ring.front();
      if (!qps[i]->can_send) {
        ring.pop_front();
        continue;
      }
      const Gate g = scheduler.gate(i);
      if (g.at <= now) return static_cast<int>(i);
      if (g.at < next.at || next.cause == IdleCause::no_work) next = g;
      ring.pop_front();
      ring.push_back(i);
    }
    return -1;
  }
  void send(std::size_t i, Picoseconds now) {
    const bool fresh = qps[i]->sender().next(now).kind == policy::SendKind::fresh;
    if (fresh) fetcher.take(i, now);
    const bool more = scheduler.sent(*qps[i], 1100_B, now);
    ring.pop_front();
    if (more) ring.push_back(i);
    scheduler.refresh(i, more);
  }

  UnevenHost host;
  RnicConfig config;
  policy::RetransmitUnit rules;
  std::multimap<Picoseconds, std::size_t> wqes;
  std::vector<std::unique_ptr<QueuePair>> qps;
  PayloadFetcher fetcher;
  TxScheduler scheduler;
  std::deque<std::size_t> ring;
};

TEST(WaitingQueuePairs, AreSkippedAsIfEachWereAsked) {
  int sent = 0;
  int again = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomStream random(seed, "test");
    Bench b(3 + random.below(60), seed);
    Picoseconds now{};
    for (int step = 0; step < 600; ++step) {
      now = now + 1_ns * random.below(40);
      while (!b.wqes.empty() && b.wqes.begin()->first <= now) {
        const auto [at, qp] = *b.wqes.begin();
        b.wqes.erase(b.wqes.begin());
        b.fetcher.wqe_arrived(qp, at);
      }
      const std::size_t i = random.below(static_cast<std::uint32_t>(b.qps.size()));
      switch (random.below(8)) {
        case 0:
        case 1:
          b.fetcher.rung(i, 1, now);
          break;
        case 2:  // a NACK: what is sent again does not wait for payload
          if (b.qps[i]->sender().unacked() > 0) {
            b.qps[i]->sender().retransmit(b.qps[i]->sender().oldest_unacked(), now);
            b.refresh(i);
            ++again;
          }
          break;
        case 3:
          b.fetcher.flush(now);
          b.fetcher.resume(now);
          break;
        case 4:
          b.fetcher.allocate(2048_B, now);
          b.fetcher.release(2048_B, now);
          break;
        default:
          break;
      }
      Gate next{};
      Gate wanted{};
      const int right = b.expected(now, wanted);
      const int got = b.scheduler.pick(now, next, [](std::size_t, QueuePair&) { return true; });
      ASSERT_EQ(got, right) << "seed " << seed << ", step " << step;
      if (got < 0) {
        ASSERT_EQ(next.at, wanted.at);
        ASSERT_EQ(next.cause, wanted.cause);
      } else {
        b.send(static_cast<std::size_t>(got), now);
        ++sent;
      }
    }
  }
  EXPECT_GT(sent, 1000);
  EXPECT_GT(again, 100);
}

}  // namespace
}  // namespace horae::rnic::waiting_queue_pairs_test
