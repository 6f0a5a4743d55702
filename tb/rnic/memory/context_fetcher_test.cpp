// Waits of packets when contexts are not on the chip, against a host that writes down what it
// was asked.
#include "horae/rnic/memory/context_fetcher.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "queue_pair_parts.hpp"

namespace horae::rnic::context_fetcher_test {
namespace {

// Reads take `latency`, each one `later` longer than the one before.
struct WrittenHost {
  Picoseconds read(Picoseconds now, std::uint64_t address, Bytes size) {
    EXPECT_TRUE(address == host_address::contexts || address == host_address::translations);
    EXPECT_EQ(size, 64_B);
    addresses.push_back(address);
    return now + latency + later * static_cast<std::int64_t>(reads++);
  }
  Picoseconds write(Picoseconds now, std::uint64_t address, Bytes size) {
    EXPECT_EQ(address, host_address::contexts);
    written.push_back(size);
    return now;
  }
  void when_known(const HostThen&) {}
  Picoseconds latency = 700_ns, later{};
  std::uint32_t reads = 0;
  std::vector<Bytes> written;
  std::vector<std::uint64_t> addresses;
};

// Contexts of 256 B, all else 64 B; room for `contexts` contexts and twelve of the others.
OnChipMemoryConfig room_for(std::int64_t contexts) {
  OnChipMemoryConfig c;
  c.limited = true;
  c.qp_context = 256_B;
  c.memory_key = c.translation = c.send_wqe = c.cq_context = 64_B;
  c.tx_buffer = c.rx_buffer = 1_KiB;
  c.total = 2_KiB + 256_B * contexts + 64_B * 12;
  return c;
}

struct Bench {
  explicit Bench(const OnChipMemoryConfig& memory, const CachesConfig& caches = {})
      : fetcher(memory, caches, 1024_B, host, misses) {
    QueuePairConfig config;
    config.buffer = 64_KiB;
    qp = test::make_queue_pair(40, std::move(config));
  }
  // The packet goes on the wire: the next one is asked for anew.
  void sent(QueuePair& one) {
    test::send(one, 1);
    one.context_ready = Picoseconds(-1);
  }
  WrittenHost host;
  std::uint64_t misses = 0;
  std::unique_ptr<QueuePair> qp;
  ContextFetcher<WrittenHost> fetcher;
};

TEST(ContextFetcher, ContextKeyAndTranslationAreReadOneAfterTheOther) {
  Bench b(room_for(4));
  EXPECT_FALSE(b.fetcher.here(0, *b.qp, 1_us));
  EXPECT_EQ(b.qp->context_ready, 1_us + 3 * b.host.latency);
  EXPECT_EQ(b.misses, 3u);
  EXPECT_EQ(b.host.addresses,
            (std::vector<std::uint64_t>{host_address::contexts, host_address::translations,
                                        host_address::translations}));
  // Asked again: nothing more is read.
  EXPECT_FALSE(b.fetcher.here(0, *b.qp, 2_us));
  EXPECT_TRUE(b.fetcher.here(0, *b.qp, 1_us + 3 * b.host.latency));
  EXPECT_EQ(b.host.reads, 3u);
}

// A buffer of 64 packets in two regions, and a chip that holds one key.
TEST(ContextFetcher, RegionsOfAQueuePairHaveKeysOfTheirOwn) {
  CachesConfig caches;
  caches.memory_key = CacheConfig{.entries = 1};
  const auto misses = [&](std::uint32_t regions, std::size_t queue_pairs) {
    Bench b({}, caches);
    QueuePairConfig config;
    config.buffer = 64_KiB;
    config.regions = regions;
    const auto qp = test::make_queue_pair(40, std::move(config));
    for (const std::uint32_t psn : {0, 1, 31, 32, 63, 64}) {
      for (std::size_t i = 0; i < queue_pairs; ++i) b.fetcher.receive(i, *qp, Psn(psn), true, 1_us);
    }
    return b.fetcher.cache().counters(CacheKind::memory_key).misses;
  };
  EXPECT_EQ(misses(0, 1), 1u);
  EXPECT_EQ(misses(0, 2), 1u);  // one region of the NIC's for all
  EXPECT_EQ(misses(1, 1), 1u);
  EXPECT_EQ(misses(2, 1), 3u);   // 0 to 31, 32 to 63, 64 is 0 again
  EXPECT_EQ(misses(1, 2), 12u);  // in turn
}

// A miss takes one of its own two places for as long as its reads: a third waits for the first.
TEST(ContextFetcher, MissesUnderWayAreBounded) {
  CachesConfig caches;
  caches.queue_pair = CacheConfig{.entries = 1};
  caches.misses = 2;
  OnChipMemoryConfig memory;  // not limited: keys and translations hit
  Bench b(memory, caches);
  std::vector<std::unique_ptr<QueuePair>> pairs;
  for (std::size_t i = 0; i < 5; ++i) {
    pairs.push_back(test::make_queue_pair(40, {}));
    EXPECT_FALSE(b.fetcher.here(i, *pairs[i], 1_us + 10_ns * static_cast<std::int64_t>(i)));
  }
  const Picoseconds r = b.host.latency;
  EXPECT_EQ(pairs[0]->context_ready, 1_us + r);
  EXPECT_EQ(pairs[1]->context_ready, 1_us + 10_ns + r);
  EXPECT_EQ(pairs[2]->context_ready, 1_us + r * 2);
  EXPECT_EQ(pairs[3]->context_ready, 1_us + 10_ns + r * 2);
  EXPECT_EQ(pairs[4]->context_ready, 1_us + r * 3);
  EXPECT_EQ(b.fetcher.cache().counters(CacheKind::queue_pair).misses, 5u);
  EXPECT_EQ(b.fetcher.cache().counters(CacheKind::memory_key).misses, 0u);
  EXPECT_EQ(b.host.written.size(), 4u);  // contexts that went
}

TEST(ContextFetcher, TheNextPacketOfAPageFindsAll) {
  Bench b(room_for(4));
  b.fetcher.here(0, *b.qp, 0_us);
  b.sent(*b.qp);
  for (int n = 1; n < 4; ++n) {  // four packets of 1 KiB in a page
    EXPECT_TRUE(b.fetcher.here(0, *b.qp, 9_us)) << n;
    b.sent(*b.qp);
  }
  EXPECT_FALSE(b.fetcher.here(0, *b.qp, 9_us));  // the translation of the next page
  EXPECT_EQ(b.qp->context_ready, 9_us + b.host.latency);
  EXPECT_EQ(b.misses, 4u);
}

TEST(ContextFetcher, ALaterReadThatTakesLongerIsWaitedFor) {
  Bench b(room_for(4));
  b.host.later = 1_us;
  b.fetcher.here(0, *b.qp, 0_us);
  EXPECT_EQ(b.qp->context_ready, 2700_ns);  // the third, and not 3 x 700 ns
}

TEST(ContextFetcher, ReceivedPacketsOfAQueuePairStayInOrder) {
  Bench b(room_for(4));
  EXPECT_EQ(b.fetcher.receive(0, *b.qp, Psn(0), true, 0_ns), 2100_ns);
  // All that it needs is there, or on its way: not before the one in front of it.
  EXPECT_EQ(b.fetcher.receive(0, *b.qp, Psn(1), true, 100_ns), 2100_ns);
  EXPECT_EQ(b.fetcher.receive(0, *b.qp, Psn(2), true, 2100_ns), 2100_ns);
  EXPECT_LT(b.fetcher.receive(0, *b.qp, Psn(3), true, 2101_ns), 2101_ns);
}

TEST(ContextFetcher, WithoutPayloadOnlyTheContextIsUsed) {
  Bench b(room_for(4));
  EXPECT_EQ(b.fetcher.receive(0, *b.qp, Psn(0), false, 0_ns), 700_ns);
  EXPECT_EQ(b.misses, 1u);
}

TEST(ContextFetcher, EvictedContextsAreWrittenBackAndDelayNothing) {
  Bench b(room_for(1));
  const auto other = test::make_queue_pair(1);
  for (std::size_t n = 0; n < 5; ++n) {
    EXPECT_EQ(b.fetcher.receive(n, n == 0 ? *b.qp : *other, Psn(0), false,
                                10_us * static_cast<std::int64_t>(n)),
              10_us * static_cast<std::int64_t>(n) + 700_ns);
  }
  EXPECT_EQ(b.host.written, (std::vector<Bytes>{256_B}));  // five contexts, four find room
}

TEST(ContextFetcher, ACompletionReadsItsQueueAndNothingWaits) {
  Bench b(room_for(4));
  b.fetcher.complete(0, 0_ns);
  b.fetcher.complete(0, 1_us);
  EXPECT_EQ(b.host.reads, 1u);
  EXPECT_EQ(b.misses, 1u);
  EXPECT_LT(b.qp->context_ready, 0_ps);
}

TEST(ContextFetcher, KnowsHowManyPacketsWait) {
  Bench b(room_for(4));
  b.fetcher.packet_waits();
  b.fetcher.packet_waits();
  b.fetcher.packet_goes_on();
  EXPECT_EQ(b.fetcher.waiting(), 1u);
}

}  // namespace
}  // namespace horae::rnic::context_fetcher_test
