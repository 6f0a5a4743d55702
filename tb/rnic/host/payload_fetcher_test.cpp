// Reads ahead of the wire, when and in which order, against a host that does what it is told
// and writes down what it was asked.
#include "horae/rnic/host/payload_fetcher.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fabric_parts.hpp"
#include "horae/core/random.hpp"

namespace horae::rnic::payload_fetcher_test {
namespace {

constexpr Picoseconds latency = 701'003_ps;

// Reads take `latency` (or what `next_latency` says); refuses a time that runs backwards.
class ScriptedHost final : public HostPort {
 public:
  struct Read {
    Picoseconds at;
    std::uint64_t address;
    Bytes size;
    Picoseconds done;
  };
  Picoseconds read(Picoseconds now, std::uint64_t address, Bytes size) override {
    EXPECT_GE(now, now_);
    EXPECT_GT(size, 0_B);
    now_ = now;
    const Picoseconds done = now + (next_latency ? *next_latency : latency);
    next_latency.reset();
    reads.push_back({now, address, size, done});
    return done;
  }
  Picoseconds write(Picoseconds now, std::uint64_t, Bytes) override { return now; }
  Picoseconds doorbell(Picoseconds now) override { return now; }

  std::vector<Read> reads;
  std::optional<Picoseconds> next_latency;

 private:
  Picoseconds now_{};
};

struct Message {
  Bytes bytes;
  std::uint64_t count = 1;
};

// A fetcher with queue pairs whose messages are all posted at the start.
struct Bench {
  explicit Bench(const FetchConfig& fetch, Bytes buffer = 128_KiB)
      : config(fetch), tx_buffer(buffer), fetcher(fetch, buffer, host, event()) {}

  void queue_pair(Message m, Bytes mtu = 1024_B) {
    std::vector<traffic::TrafficItem> items(m.count, {.bytes = m.bytes});
    QueuePairConfig c;
    c.first_send = Psn(0xfffff0);  // the PSN wraps on the way
    c.depth = 4096;
    c.source = std::make_unique<test::ListSource>(std::move(items));
    qps.push_back(std::make_unique<QueuePair>(std::move(c), policy::find_transport("rnic_sr"),
                                              policy::TransportConfig{}, mtu));
    fetcher.add(*qps.back());
    qps.back()->post_due(0_ps);
  }
  void ring(std::size_t i, std::uint64_t messages, Picoseconds now) {
    fetcher.rung(i, messages, now);
  }
  void ring_all(Picoseconds now) {
    for (std::size_t i = 0; i < qps.size(); ++i) {
      ring(i, qps[i]->progress().posted_messages, now);
    }
  }
  // Hands over every WQE that has arrived by `now`.
  void run(Picoseconds now) {
    while (!wqes.empty() && wqes.begin()->first <= now) {
      const auto [at, qp] = *wqes.begin();
      wqes.erase(wqes.begin());
      fetcher.wqe_arrived(qp, at);
    }
  }
  PayloadFetcher::WqeEvent event() {
    return [this](std::size_t qp, Picoseconds at) { wqes.emplace(at, qp); };
  }

  ScriptedHost host;
  std::multimap<Picoseconds, std::size_t> wqes;
  FetchConfig config;
  Bytes tx_buffer;
  PayloadFetcher fetcher;
  std::vector<std::unique_ptr<QueuePair>> qps;
};

std::vector<std::int64_t> sizes(const ScriptedHost& host) {
  std::vector<std::int64_t> all;
  for (const auto& r : host.reads) all.push_back(r.size.count());
  return all;
}

using Sizes = std::vector<std::int64_t>;

TEST(PayloadFetcher, TheDoorbellBringsTheWqeAndTheWqeThePayload) {
  Bench b({});
  b.queue_pair({2500_B});
  EXPECT_EQ(b.fetcher.ready(0), never);
  EXPECT_EQ(b.fetcher.cause(0), IdleCause::doorbell);
  EXPECT_TRUE(b.host.reads.empty());  // posted, but the NIC does not know

  b.ring(0, 1, 5_us);
  EXPECT_EQ(sizes(b.host), (Sizes{64}));
  EXPECT_EQ(b.fetcher.cause(0), IdleCause::wqe);
  EXPECT_EQ(b.fetcher.ready(0), never);
  ASSERT_EQ(b.wqes.size(), 1u);
  EXPECT_EQ(b.wqes.begin()->first, 5_us + latency);

  b.run(5_us + latency);
  EXPECT_EQ(sizes(b.host), (Sizes{64, 1024, 1024, 452}));
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(b.host.reads[i].at, 5_us + latency);
  EXPECT_EQ(b.fetcher.ready(0), 5_us + latency * 2);
  EXPECT_EQ(b.fetcher.cause(0), IdleCause::payload);
  EXPECT_EQ(b.fetcher.used(), 2500_B);
  EXPECT_EQ(b.fetcher.counters().payload_bytes, 2500);
  EXPECT_EQ(b.fetcher.counters().payload_reads, 3u);
  for (int i = 0; i < 3; ++i) b.fetcher.take(0, 10_us);
  EXPECT_EQ(b.fetcher.used(), 0_B);
  EXPECT_EQ(b.fetcher.ready(0), never);
}

// Payloads lie in a buffer of 8 MiB of each queue pair's own region of 4 GiB, packet by packet from
// page to page, and begin again at its end; WQEs lie elsewhere.
TEST(PayloadFetcher, EachPacketIsReadFromItsPlace) {
  Bench b({.prefetch = 1024_KiB});
  constexpr std::uint64_t region = std::uint64_t{1} << 32, page = 4096, buffer = 8u << 20;
  for (int i = 0; i < 2; ++i) b.queue_pair({1000_B, 40});
  b.ring_all(0_ps);
  b.run(1_ms);
  std::map<std::uint64_t, std::vector<std::uint64_t>> of_region, wqes;
  for (const auto& r : b.host.reads)
    (r.size == 1000_B ? of_region : wqes)[r.address / region].push_back(r.address % region);
  ASSERT_EQ(of_region.size(), 2u);
  for (const auto& [number, places] : of_region) {
    EXPECT_TRUE(number == 1 || number == 2);
    ASSERT_EQ(places.size(), 40u);
    // PSN 0xfffff0 is the sixteenth page from the end; PSN 0 is at the buffer's beginning.
    const std::uint64_t begin = places[16];
    for (std::uint64_t n = 0; n < 40; ++n)
      EXPECT_EQ(places[n], begin + (n < 16 ? buffer - (16 - n) * page : (n - 16) * page)) << n;
    for (const std::uint64_t w : wqes[number])
      EXPECT_TRUE(w + 64 <= begin || w >= begin + buffer) << w;
  }
}

TEST(PayloadFetcher, NothingIsReadBeforeItsDoorbell) {
  Bench b({});
  b.queue_pair({1024_B, 5});
  b.ring(0, 2, 0_ps);
  EXPECT_EQ(sizes(b.host), (Sizes{128}));
  b.run(1_us);
  EXPECT_EQ(sizes(b.host), (Sizes{128, 1024, 1024}));
  b.fetcher.take(0, 1_us);
  b.fetcher.take(0, 1_us);
  EXPECT_EQ(b.host.reads.size(), 3u);
  EXPECT_EQ(b.fetcher.cause(0), IdleCause::doorbell);
  b.ring(0, 5, 2_us);
  b.ring(0, 3, 2_us);  // a doorbell that says less says nothing
  EXPECT_EQ(sizes(b.host), (Sizes{128, 1024, 1024, 192}));
}

// Eight at a time, and again when half of them are left.
TEST(PayloadFetcher, WqesAreReadAheadWhenHalfIsLeft) {
  Bench b({.prefetch = 4_KiB, .wqe_batch = 8});
  b.queue_pair({4096_B, 40}, 4096_B);  // one packet each, one in the buffer
  b.ring_all(0_ps);
  EXPECT_EQ(sizes(b.host), (Sizes{512}));
  b.run(1_us);
  EXPECT_EQ(b.fetcher.counters().wqe_reads, 1u);
  // Message k is taken: k + 1 is being read, or waits for nothing but space.
  for (std::uint64_t k = 0; k < 3; ++k) {
    b.fetcher.take(0, 2_us + 1_us * static_cast<std::int64_t>(k));
    // The packet that is asked for next is k + 2; of eight WQEs 6 - k are left.
    EXPECT_EQ(b.fetcher.counters().wqe_reads, k + 2 >= 4 ? 2u : 1u) << k;
  }
  EXPECT_EQ(b.fetcher.counters().wqes_read, 16u);
  b.run(20_us);
  for (int k = 3; k < 40; ++k) {
    ASSERT_NE(b.fetcher.ready(0), never) << k;
    b.fetcher.take(0, 20_us + 2_us * k);
    b.run(20_us + 2_us * k + 1_us);
  }
  EXPECT_EQ(b.fetcher.counters().wqe_reads, 5u);
  EXPECT_EQ(b.fetcher.counters().wqes_read, 40u);
  EXPECT_EQ(b.fetcher.counters().payload_reads, 40u);
  EXPECT_EQ(b.fetcher.counters().discarded_bytes, 0);
}

TEST(PayloadFetcher, OfBatchesOfOneEachIsReadWhenTheOneBeforeIsUsed) {
  Bench b({.wqe_batch = 1});
  b.queue_pair({1024_B, 3});
  b.ring_all(0_ps);
  b.run(100_us);
  EXPECT_EQ(sizes(b.host), (Sizes{64, 1024, 64, 1024, 64, 1024}));
  for (std::size_t i = 1; i < 6; ++i) {
    EXPECT_EQ(b.host.reads[i].at, latency * static_cast<std::int64_t>((i + 1) / 2)) << i;
  }
}

TEST(PayloadFetcher, AQueuePairReadsNoFurtherThanThePrefetch) {
  Bench b({.prefetch = Bytes(3 * 1024 + 1023)});
  b.queue_pair({Bytes(10 * 1024)});
  b.ring_all(0_ps);
  b.run(1_us);
  EXPECT_EQ(b.fetcher.used(), 3_KiB);
  b.fetcher.take(0, 2_us);
  EXPECT_EQ(b.fetcher.used(), 3_KiB);
  EXPECT_EQ(b.host.reads.back().at, 2_us);
}

// One read per turn, so that a full buffer holds as much of each.
TEST(PayloadFetcher, QueuePairsTakeTurns) {
  Bench b({}, 6_KiB);
  for (int i = 0; i < 3; ++i) b.queue_pair({Bytes(10 * 1024)});
  // All WQEs come before the first payload is asked for.
  b.fetcher.flush(0_ps);
  b.ring_all(0_ps);
  b.fetcher.resume(0_ps);
  ASSERT_EQ(b.wqes.size(), 3u);
  b.run(latency);
  // The first one's came first; from then on the buffer is full and turns are taken as it empties.
  EXPECT_EQ(b.fetcher.used(), 6_KiB);
  std::vector<std::uint64_t> order;
  for (int n = 0; n < 6; ++n) {
    const std::size_t before = b.host.reads.size();
    b.fetcher.take(0, 2_us + 1_us * n);
    ASSERT_EQ(b.host.reads.size(), before + 1);
    order.push_back(b.host.reads.back().address >> 32);
  }
  for (std::size_t n = 3; n < 6; ++n) EXPECT_EQ(order[n], order[n - 3]);
  std::sort(order.begin(), order.end());
  EXPECT_EQ(order, (std::vector<std::uint64_t>{1, 1, 2, 2, 3, 3}));
}

TEST(PayloadFetcher, AMessageOfNoBytesNeedsItsWqeOnly) {
  Bench b({});
  b.queue_pair({0_B, 3});
  b.ring_all(0_ps);
  EXPECT_EQ(b.fetcher.ready(0), never);
  b.run(latency);
  EXPECT_EQ(sizes(b.host), (Sizes{192}));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(b.fetcher.ready(0), latency);
    b.fetcher.take(0, 1_us);
  }
  EXPECT_EQ(b.fetcher.ready(0), never);
  EXPECT_EQ(b.fetcher.counters().payload_reads, 0u);
}

TEST(PayloadFetcher, AFlushIsReadAgainExactly) {
  Bench b({.prefetch = 4_KiB});
  b.queue_pair({Bytes(20 * 1000)});
  b.ring_all(0_ps);
  b.run(1_us);
  b.fetcher.take(0, 2_us);
  const auto before = b.host.reads;
  const Bytes used = b.fetcher.used();
  EXPECT_EQ(used, 4_KiB);
  b.fetcher.flush(3_us);
  EXPECT_EQ(b.fetcher.used(), 0_B);
  EXPECT_EQ(b.fetcher.ready(0), never);
  EXPECT_EQ(b.fetcher.counters().discarded_bytes, used.count());
  b.ring(0, 1, 4_us);
  EXPECT_EQ(b.host.reads.size(), before.size());  // nothing until it resumes
  b.fetcher.resume(5_us);
  ASSERT_EQ(b.host.reads.size(), before.size() + 1);
  EXPECT_EQ(b.host.reads.back().size, 64_B);  // the WQE
  EXPECT_EQ(b.host.reads.back().at, 5_us);
  EXPECT_EQ(b.host.reads.back().address, before[0].address);
  b.run(6_us);
  ASSERT_EQ(b.host.reads.size(), before.size() + 5);
  for (std::size_t i = 0; i < 4; ++i) {  // the last four packets, in their order
    const auto& again = b.host.reads[before.size() + 1 + i];
    EXPECT_EQ(again.address, before[before.size() - 4 + i].address);
    EXPECT_EQ(again.size, before[before.size() - 4 + i].size);
    EXPECT_EQ(again.at, 5_us + latency);
  }
  for (int i = 0; i < 19; ++i) b.fetcher.take(0, 10_us);
  EXPECT_EQ(b.fetcher.used(), 0_B);
  EXPECT_EQ(b.fetcher.counters().payload_bytes,
            20'000 + b.fetcher.counters().discarded_bytes);  // nothing else was read twice
}

TEST(PayloadFetcher, AFlushMakesTheWqeReadUnderWayVoid) {
  Bench b({});
  b.queue_pair({1024_B, 4});
  b.ring_all(0_ps);
  b.fetcher.flush(100_ns);
  b.fetcher.resume(200_ns);
  EXPECT_EQ(sizes(b.host), (Sizes{256, 256}));
  b.run(latency);
  EXPECT_EQ(b.fetcher.ready(0), never);
  EXPECT_EQ(b.fetcher.cause(0), IdleCause::wqe);
  EXPECT_EQ(b.host.reads.size(), 2u);
  b.run(200_ns + latency);
  EXPECT_EQ(b.fetcher.ready(0), 200_ns + latency * 2);
  EXPECT_EQ(b.fetcher.counters().wqes_read, 8u);
}

// Memory may answer a later read first.
TEST(PayloadFetcher, AVoidWqeReadMayArriveLast) {
  Bench b({});
  b.queue_pair({1024_B, 4});
  b.host.next_latency = 12_us;
  b.ring_all(0_ps);
  b.fetcher.flush(100_ns);
  b.fetcher.resume(200_ns);
  b.run(200_ns + latency);
  EXPECT_EQ(b.fetcher.ready(0), 200_ns + latency * 2);
  for (int i = 0; i < 2; ++i) b.fetcher.take(0, 5_us);
  b.run(20_us);
  for (int i = 0; i < 2; ++i) b.fetcher.take(0, 20_us);
  EXPECT_EQ(b.fetcher.counters().payload_reads, 4u);
  EXPECT_EQ(b.fetcher.used(), 0_B);
}

TEST(PayloadFetcher, EvictionTakesTheNewestOfTheFullest) {
  Bench b({.prefetch = 8_KiB}, 10_KiB);
  b.queue_pair({2_KiB});
  b.queue_pair({20_KiB});
  b.ring_all(0_ps);
  b.run(1_us);
  EXPECT_EQ(b.fetcher.used(), 10_KiB);
  const std::uint64_t newest = b.host.reads.back().address;
  EXPECT_EQ(newest >> 32, 2u);
  const std::size_t reads = b.host.reads.size();
  b.fetcher.allocate(2_KiB, 2_us);
  EXPECT_EQ(b.fetcher.used(), 10_KiB);
  EXPECT_EQ(b.fetcher.counters().discarded_bytes, 2048);
  EXPECT_EQ(b.host.reads.size(), reads);
  b.fetcher.release(2_KiB, 3_us);
  ASSERT_EQ(b.host.reads.size(), reads + 2);  // no WQE again: it was not evicted
  EXPECT_EQ(b.host.reads.back().address, newest);
  EXPECT_EQ(b.host.reads.back().at, 3_us);
  EXPECT_EQ(b.fetcher.used(), 10_KiB);
  EXPECT_EQ(b.fetcher.most_used(), 10_KiB);
}

TEST(PayloadFetcher, WithRoomNothingIsEvicted) {
  Bench b({.prefetch = 8_KiB}, 10_KiB);
  b.queue_pair({20_KiB});
  b.ring_all(0_ps);
  b.run(1_us);
  b.fetcher.allocate(2_KiB, 2_us);
  EXPECT_EQ(b.fetcher.counters().discarded_bytes, 0);
  EXPECT_EQ(b.fetcher.used(), 10_KiB);
  b.fetcher.take(0, 3_us);
  EXPECT_EQ(b.fetcher.used(), 10_KiB);  // the next one is read in its place
  b.fetcher.release(2_KiB, 3_us);
  EXPECT_EQ(b.fetcher.used(), 8_KiB);
}

// A queue pair waits for payload when another has the buffer, whatever became of its WQEs.
TEST(PayloadFetcher, TheCauseIsWhatThePacketItselfWaitsFor) {
  Bench b({.prefetch = 4_KiB}, 4_KiB);
  b.queue_pair({20_KiB});
  b.queue_pair({1_KiB, 3});
  b.ring(0, 1, 0_ps);
  b.run(1_us);
  EXPECT_EQ(b.fetcher.used(), 4_KiB);
  b.ring(1, 2, 2_us);
  EXPECT_EQ(b.fetcher.ready(1), never);
  // Its turn has not come: it waits for the buffer, first of all with its WQE.
  b.fetcher.take(0, 3_us);
  b.fetcher.take(0, 3_us);
  b.run(10_us);
  EXPECT_EQ(b.fetcher.ready(1), never);
  EXPECT_EQ(b.fetcher.cause(1), IdleCause::payload);
  for (int i = 0; i < 200 && b.fetcher.ready(1) == never; ++i) b.fetcher.take(0, 11_us);
  EXPECT_NE(b.fetcher.ready(1), never);
}

// Random doorbells, takes, flushes and evictions: within its limits, in order, nothing lost, and
// the buffer empty in the end.
TEST(PayloadFetcher, LimitsHoldOverRandomSequences) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream random(seed, "test.fetcher");
    const Bytes buffer(4096 * (1 + random.below(6)));
    const Bytes prefetch(4096 * (1 + random.below(4)));
    Bench b({.prefetch = prefetch, .wqe_batch = 1 + random.below(9)}, buffer);
    const std::size_t n = 1 + random.below(12);
    std::vector<std::uint64_t> rung(n), packets(n);
    std::int64_t posted_bytes = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Bytes size(random.below(4) == 0 ? 0 : random.below(9000));
      const std::uint64_t count = 1 + random.below(30);
      b.queue_pair({size, count});
      packets[i] = count * static_cast<std::uint64_t>(
                               std::max<std::int64_t>(1, (size.count() + 1023) / 1024));
      posted_bytes += size.count() * static_cast<std::int64_t>(count);
    }
    Picoseconds now{};
    bool halted = false;
    Bytes held{};
    const auto step = [&](Picoseconds t) {
      now = t;
      b.run(now);
    };
    const auto check = [&] {
      ASSERT_LE(b.fetcher.used(), buffer) << seed;
      ASSERT_GE(b.fetcher.used(), held) << seed;
    };
    int idle = 0;
    const auto left = [&] {
      return std::any_of(packets.begin(), packets.end(), [](auto p) { return p > 0; });
    };
    for (int k = 0; k < 200'000 && left(); ++k) {
      step(now + Picoseconds(random.below(400'000)));
      if (random.below(3) == 0) b.host.next_latency = Picoseconds(1 + random.below(3'000'000));
      const std::size_t i = random.below(static_cast<std::uint32_t>(n));
      const std::uint32_t what = random.below(40);
      const std::uint64_t posted = b.qps[i]->progress().posted_messages;
      if (what == 0 && held == 0_B) {
        b.fetcher.flush(now);
        halted = true;
      } else if (what == 1 && !halted && held == 0_B) {
        held = Bytes(1 + random.below(4096));
        b.fetcher.allocate(held, now);
      } else if (what < 8) {
        rung[i] = std::min(posted, rung[i] + 1 + random.below(10));
        b.ring(i, rung[i], now);
      } else if (what < 12) {
        if (halted) b.fetcher.resume(now);
        halted = false;
        const Bytes back = held;
        held = 0_B;
        if (back > 0_B) b.fetcher.release(back, now);
      } else if (b.fetcher.ready(i) <= now) {
        b.fetcher.take(i, now);
        ASSERT_GT(packets[i], 0u) << seed;
        --packets[i];
        idle = 0;
      }
      check();
      if (testing::Test::HasFatalFailure()) return;
      ASSERT_LT(++idle, 20'000) << "stuck with seed " << seed;
    }
    ASSERT_FALSE(left()) << seed;
    if (halted) b.fetcher.resume(now);
    if (held > 0_B) b.fetcher.release(held, now);
    EXPECT_EQ(b.fetcher.used(), 0_B) << seed;
    EXPECT_EQ(b.fetcher.counters().payload_bytes,
              posted_bytes + b.fetcher.counters().discarded_bytes)
        << seed;
    EXPECT_LE(b.fetcher.most_used(), buffer) << seed;
  }
}

// Everyone gets on, however small the buffer: nobody is passed over.
TEST(PayloadFetcher, ManyQueuePairsOnASmallBufferAllMakeProgress) {
  Bench b({.prefetch = 16_KiB, .wqe_batch = 2}, 4_KiB);
  const std::size_t n = 100;
  for (std::size_t i = 0; i < n; ++i) b.queue_pair({5_KiB, 4});
  b.ring_all(0_ps);
  std::vector<int> taken(n);
  Picoseconds now{};
  for (int round = 0; round < 20'000; ++round) {
    now += 100_ns;
    b.run(now);
    for (std::size_t i = 0; i < n; ++i) {
      if (b.fetcher.ready(i) <= now) {
        b.fetcher.take(i, now);
        ++taken[i];
      }
    }
    if (round == 1000) {  // turns: nobody is far behind
      const auto [least, most] = std::minmax_element(taken.begin(), taken.end());
      EXPECT_LE(*most - *least, 8);
    }
  }
  EXPECT_EQ(taken, std::vector<int>(n, 20));
  EXPECT_EQ(b.fetcher.used(), 0_B);
}

}  // namespace
}  // namespace horae::rnic::payload_fetcher_test
