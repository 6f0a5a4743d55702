// The PCIe link: times of reads, writes and doorbells to the picosecond, tags, credits, order.
#include "horae/rnic/host/pcie_link.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/core/random.hpp"
#include "horae/rnic/host/host_addresses.hpp"
#include "pcie_parts.hpp"

namespace horae::test::pcie_link_test {
namespace {

TEST(PcieLink, ATlpTakesItsShareOfTheBandwidth) {
  for (const std::uint32_t generation : {3u, 4u, 5u}) {
    for (const std::uint32_t lanes : {1u, 2u, 4u, 8u, 16u}) {
      for (const Bytes mps : {128_B, 256_B, 512_B}) {
        PcieConfig config;
        config.generation = generation;
        config.lanes.value = lanes;
        config.max_payload.value = mps;
        const PcieLink link(config);
        // Rounded to the nearest 2^-20 ps a byte.
        EXPECT_NEAR(static_cast<double>(link.wire_time(Bytes(1 << 30)).count()),
                    8e12 * (1 << 30) / rnic::tlp_bandwidth(config), 513);
        for (const Bytes bytes : {24_B, 84_B, 276_B, 4416_B}) {
          const double ps = static_cast<double>(bytes.count()) * 8e12 / rnic::tlp_bandwidth(config);
          EXPECT_GE(static_cast<double>(link.wire_time(bytes).count()), ps - 0.01);
          EXPECT_LT(static_cast<double>(link.wire_time(bytes).count()), ps + 1.01);
        }
      }
    }
  }
  PcieConfig config;
  config.generation = 3;
  config.lanes.value = 8;
  config.link_overhead = 0.0;
  EXPECT_EQ(PcieLink(config).wire_time(64_B), 8125_ps);  // 64 x 8 / (64 GT/s x 128 / 130)
}

// Each TLP is of one use and one direction, and the bytes of a direction take its busy time: in
// what each call rounds up, at most a picosecond a TLP.
TEST(PcieLink, TheLedgerIsWhatOccupiesTheLink) {
  PcieLink link{ample()};
  RandomStream random(7, "ledger");
  const std::uint64_t places[] = {rnic::host_address::send_queue(3, 64),
                                  rnic::host_address::source(3, 4096),
                                  rnic::host_address::payload(2, 9 * 4096),
                                  rnic::host_address::completion_queue(5),
                                  rnic::host_address::contexts,
                                  rnic::host_address::translations};
  Picoseconds now{};
  for (int n = 0; n < 3000; ++n, now += 20_ns) {
    const std::uint64_t address = places[random.below(std::size(places))] + random.below(300);
    const Bytes size(1 + static_cast<std::int64_t>(random.below(3000)));
    if (random.below(2) == 0) {
      read(link, now, address, size);
    } else {
      link.write(now, address, link.first_write(address, size));
    }
    if (n % 7 == 0) link.mmio_write(now, 200_ns, 8_B);
  }
  const PcieCounters& c = link.counters();
  const auto tlps = static_cast<std::int64_t>(c.read_requests + c.writes + c.completions + 3000);
  for (const auto& [direction, busy] :
       {std::pair(rnic::PcieDirection::to_host, c.upstream_busy),
        std::pair(rnic::PcieDirection::to_nic, c.downstream_busy)}) {
    const auto bytes = static_cast<std::int64_t>(c.ledger.bytes(direction));
    EXPECT_GE(busy, link.wire_time(Bytes(bytes)) - 1_ps);
    EXPECT_LE(busy, link.wire_time(Bytes(bytes)) + 1_ps * tlps);
  }
  EXPECT_EQ(c.ledger.bytes(rnic::PcieUse::doorbell), 32u * 429);
  EXPECT_EQ(c.ledger.bytes(rnic::PcieUse::cqe, rnic::PcieDirection::to_host) > 0, true);
}

TEST(PcieLink, AnAddressSaysWhatAnAccessIsFor) {
  using namespace rnic::host_address;
  using rnic::PcieUse;
  for (const std::size_t qp : {0, 1, 1000, 65535}) {
    EXPECT_EQ(use_of(send_queue(qp, 4095 * 64)), PcieUse::wqe);
    EXPECT_EQ(use_of(source(qp, 0)), PcieUse::payload);
    EXPECT_EQ(use_of(source(qp, 30u << 23)), PcieUse::payload);
    EXPECT_EQ(use_of(payload(qp, (ring_packets - 1) * largest_slot)), PcieUse::payload);
    EXPECT_EQ(use_of(kept_apart(qp)), PcieUse::payload);
    EXPECT_EQ(use_of(completion_queue(qp)), PcieUse::cqe);
    EXPECT_EQ(use_of(retransmission(qp, true)), PcieUse::context);
    EXPECT_EQ(use_of(retransmission(qp, false)), PcieUse::payload);
  }
  EXPECT_EQ(use_of(contexts), PcieUse::context);
  EXPECT_EQ(use_of(translations), PcieUse::translation);
}

// Sums that no other sum of the parts equals.
TEST(PcieLink, AnUnloadedReadIsRequestMemoryAndCompletion) {
  PcieLink link{PcieConfig{}};
  const Picoseconds up = link.wire_time(24_B), down = link.wire_time(84_B);
  EXPECT_EQ(read(link, 5_us, 4096, 64_B), 5_us + up + memory_time + down);
  EXPECT_EQ(link.unloaded_read(64_B), up + down);
  EXPECT_EQ(link.counters().upstream_busy, up);
  EXPECT_EQ(link.counters().downstream_busy, down);
  EXPECT_EQ(link.counters().reads_in_flight, up + memory_time + down);
  for (const PcieWait w :
       {PcieWait::tag, PcieWait::credit, PcieWait::upstream, PcieWait::downstream}) {
    EXPECT_EQ(waits(link, w), 0u) << name_of(w);
  }
}

TEST(PcieLink, A4KibReadInClosedForm) {
  PcieConfig config;
  config.max_read_request.value = 4096_B;
  PcieLink one(config);
  EXPECT_EQ(read(one, 0_ps, 8192, 4_KiB),
            one.wire_time(24_B) + memory_time + one.wire_time(Bytes(4096 + 16 * 20)));
  EXPECT_EQ(one.counters().completions, 16u);

  config.max_read_request.value = 512_B;
  PcieLink eight(config);
  // A request is shorter than its completions, so from the first on they follow each other.
  EXPECT_EQ(read(eight, 0_ps, 8192, 4_KiB),
            eight.wire_time(24_B) + memory_time + eight.wire_time(Bytes(512 + 2 * 20)) * 8);
  EXPECT_EQ(eight.counters().read_requests, 8u);
  EXPECT_EQ(eight.counters().completions, 16u);
}

TEST(PcieLink, ReadsOverlapUpToTheTagsAndTheNextWaitsForTheFirst) {
  PcieConfig config;
  config.tags = 4;
  PcieLink link(config);
  const Picoseconds up = link.wire_time(24_B), down = link.wire_time(84_B);
  const Picoseconds first = up + memory_time + down;
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(read(link, 0_ps, 0, 64_B), up + memory_time + down * (i + 1));
  }
  EXPECT_EQ(link.tags_in_use(0_ps), 4u);
  EXPECT_EQ(waits(link, PcieWait::tag), 0u);
  EXPECT_EQ(read(link, 0_ps, 0, 64_B), first + up + memory_time + down);
  EXPECT_EQ(waited(link, PcieWait::tag), first);
  // The sixth waits for the second, not for the first: its tag went to the fifth.
  EXPECT_EQ(read(link, 0_ps, 0, 64_B), first + down + up + memory_time + down);
  EXPECT_EQ(waited(link, PcieWait::tag), first + first + down);
  EXPECT_EQ(link.most_tags_in_use(), 4u);
  EXPECT_EQ(link.tags_in_use(first + down * 3), 2u);
  EXPECT_EQ(link.tags_in_use(first + first + down), 0u);
}

TEST(PcieLink, ATagIsFreeWithTheLastBitOfItsReadAndNotBefore) {
  PcieConfig config;
  config.tags = 1;
  PcieLink early(config), late(config);
  const Picoseconds done = read(early, 0_ps, 0, 64_B);
  EXPECT_EQ(read(late, 0_ps, 0, 64_B), done);
  read(early, done - 1_ps, 0, 64_B);
  EXPECT_EQ(waited(early, PcieWait::tag), 1_ps);
  read(late, done, 0, 64_B);
  EXPECT_EQ(waited(late, PcieWait::tag), 0_ps);
}

TEST(PcieLink, ReadRequestsWaitForCreditsAsLongAsTheyTakeToReturn) {
  PcieConfig config;
  config.non_posted_headers = 2;
  config.credit_return = 1_us;
  PcieLink link(config);
  const Picoseconds up = link.wire_time(24_B);
  EXPECT_EQ(link.begin_read(0_ps, 64_B), up);
  link.finish_read(up, 0, 64_B);
  EXPECT_EQ(link.begin_read(0_ps, 64_B), up * 2);
  link.finish_read(up * 2, 0, 64_B);
  EXPECT_EQ(link.begin_read(0_ps, 64_B), up + 1_us + up);
  link.finish_read(up * 2 + 1_us, 0, 64_B);
  EXPECT_EQ(waited(link, PcieWait::credit), up + 1_us);
  EXPECT_EQ(waits(link, PcieWait::credit), 1u);
  EXPECT_EQ(link.begin_read(0_ps, 64_B), up * 2 + 1_us + up);
}

TEST(PcieLink, WritesWaitForHeaderAndForDataCredits) {
  for (const bool header : {true, false}) {
    PcieConfig config;
    config.credit_return = 1_us;
    if (header) {
      config.posted_headers = 2;
    } else {
      config.posted_data.value = 32;  // two TLPs of 256 bytes
    }
    PcieLink link(config);
    const Picoseconds tlp = link.wire_time(280_B);
    // TLPs 1 and 2 at once, 3 when the credits of 1 are back, 4 after it: those of 2 are back then.
    EXPECT_EQ(link.write(0_ps, 0, 1024_B), tlp + 1_us + tlp * 2) << header;
    EXPECT_EQ(waited(link, PcieWait::credit), tlp + 1_us - tlp * 2);
    EXPECT_EQ(waits(link, PcieWait::credit), 1u);
    EXPECT_EQ(waited(link, PcieWait::upstream), 0_ps);
    EXPECT_EQ(link.counters().writes, 4u);
  }
  // Small writes take one credit of data for each 16 bytes begun.
  PcieConfig config;
  config.credit_return = 1_us;
  config.posted_data.value = 16;
  PcieLink link(config);
  for (int i = 0; i < 8; ++i) EXPECT_LT(link.write(0_ps, 0, 17_B), 1_us);
  EXPECT_GT(link.write(0_ps, 0, 17_B), 1_us);
}

TEST(PcieLink, AWriteIsItsTlpsOneAfterTheOther) {
  RandomStream random(3, "pcie_writes");
  PcieConfig config;
  config.credit_return = 200_ns;
  config.posted_headers = 8;
  config.posted_data.value = 100;
  PcieLink whole(config), cut(config);
  const std::int64_t most = config.max_payload.value.count();
  Picoseconds now{};
  for (int i = 0; i < 5000; ++i) {
    now += Picoseconds(random.below(random.chance(0.5) ? 2'000'000 : 20'000));
    if (random.chance(0.3)) {  // something else on the way up
      for (PcieLink* link : {&whole, &cut})
        link->finish_read(link->begin_read(now, 64_B) + memory_time, 0, 64_B);
    }
    const std::uint64_t address = random.chance(0.5) ? 0 : random.below(600);
    const std::int64_t size = random.chance(0.3) ? 1024 : 1 + random.below(3000);
    const Picoseconds done = whole.write(now, address, Bytes(size));
    Picoseconds last{};
    for (std::int64_t at = 0; at < size; at += most) {
      const auto here = address + static_cast<std::uint64_t>(at);
      last = cut.write(now, here, Bytes(std::min(most, size - at)));
    }
    ASSERT_EQ(done, last) << "write " << i;
    ASSERT_EQ(waited(whole, PcieWait::credit), waited(cut, PcieWait::credit)) << "write " << i;
  }
  EXPECT_EQ(whole.counters().writes, cut.counters().writes);
  EXPECT_EQ(whole.counters().bytes_written, cut.counters().bytes_written);
  EXPECT_EQ(whole.counters().upstream_busy, cut.counters().upstream_busy);
  EXPECT_GT(waits(whole, PcieWait::credit), 500u);
  EXPECT_LT(waits(whole, PcieWait::credit), 4500u);
}

TEST(PcieLink, ReadsAndWritesShareTheWayUp) {
  PcieLink link{ample()};
  const Picoseconds up = link.wire_time(24_B), tlp = link.wire_time(280_B);
  EXPECT_EQ(link.write(0_ps, 0, 1024_B), tlp * 4);
  EXPECT_EQ(link.begin_read(0_ps, 64_B), tlp * 4 + up);
  link.finish_read(tlp * 4 + up, 0, 64_B);
  EXPECT_EQ(waited(link, PcieWait::upstream), tlp * 4);
  EXPECT_EQ(link.write(0_ps, 0, 256_B), tlp * 5 + up);
  EXPECT_EQ(waited(link, PcieWait::upstream), tlp * 4 + tlp * 4 + up);
  EXPECT_EQ(link.counters().upstream_busy, tlp * 5 + up);
}

TEST(PcieLink, AReadDoesNotPassAWriteThatWaitsButAWritePassesAReadThatWaits) {
  PcieConfig config;
  config.posted_headers = 1;
  config.credit_return = 1_us;
  PcieLink blocked_write(config);
  const Picoseconds up = blocked_write.wire_time(24_B), tlp = blocked_write.wire_time(280_B);
  blocked_write.write(0_ps, 0, 256_B);
  EXPECT_EQ(blocked_write.write(0_ps, 0, 256_B), tlp + 1_us + tlp);
  EXPECT_EQ(blocked_write.begin_read(0_ps, 64_B), tlp + 1_us + tlp + up);

  config = {};
  config.tags = 1;
  PcieLink blocked_read(config);
  const Picoseconds done = read(blocked_read, 0_ps, 0, 64_B);
  EXPECT_GT(read(blocked_read, 0_ps, 0, 64_B), done);  // its request leaves at `done`
  EXPECT_EQ(blocked_read.write(1_ns, 0, 256_B), 1_ns + tlp);
}

TEST(PcieLink, ASlowReadDoesNotHoldTheCompletionsOfOthers) {
  PcieLink link{ample()};
  const Picoseconds up = link.wire_time(24_B), down = link.wire_time(84_B);
  const Picoseconds slow = read(link, 0_ps, 0, 64_B, 10_us);
  EXPECT_EQ(slow, up + 10_us + down);
  EXPECT_EQ(read(link, 0_ps, 0, 64_B), up * 2 + memory_time + down);
  // One that is ready just before the slow one takes what is left before it and goes on after it.
  const Picoseconds half = down / 2;
  const Picoseconds third = link.begin_read(0_ps, 64_B);
  EXPECT_EQ(third, up * 3);
  EXPECT_EQ(link.finish_read(slow - down - half, 0, 64_B), slow + down - half);
  EXPECT_EQ(waited(link, PcieWait::downstream), down);
}

TEST(PcieLink, ADoorbellTakesItsLatencyAndTheWayDown) {
  PcieLink link{PcieConfig{}};
  const Picoseconds bell = link.wire_time(32_B);
  EXPECT_EQ(link.mmio_write(1_us, 200_ns, 8_B), 1_us + 200_ns + bell);
  EXPECT_EQ(link.mmio_write(1_us, 200_ns, 8_B), 1_us + 200_ns + bell * 2);
  EXPECT_EQ(waited(link, PcieWait::downstream), bell);
  // It holds up completions, too.
  const Picoseconds arrival = link.begin_read(1_us, 64_B);
  EXPECT_EQ(link.finish_read(1_us + 200_ns, 0, 64_B),
            1_us + 200_ns + bell * 2 + link.wire_time(84_B));
  EXPECT_LT(arrival, 1_us + 200_ns);
  EXPECT_EQ(link.counters().mmio_writes, 2u);
}

TEST(PcieLink, RequestsAreCutAtTheReadRequestSizeAndAt4Kib) {
  const auto requests = [](std::uint64_t address, Bytes size) {
    PcieLink link{ample()};
    read(link, 0_ps, address, size);
    EXPECT_EQ(link.counters().bytes_requested, static_cast<std::uint64_t>(size.count()));
    EXPECT_EQ(link.counters().bytes_completed, link.counters().bytes_requested);
    return link.counters().read_requests;
  };
  EXPECT_EQ(requests(0, 512_B), 1u);
  EXPECT_EQ(requests(0, 513_B), 2u);
  EXPECT_EQ(requests(4096 - 64, 64_B), 1u);
  EXPECT_EQ(requests(4096 - 64, 65_B), 2u);
  EXPECT_EQ(requests(4096 - 64, 576_B), 2u);
  EXPECT_EQ(requests(4096 - 64, 577_B), 3u);
  EXPECT_EQ(requests(~std::uint64_t{0} - 511, 512_B), 1u);
  const PcieLink link{PcieConfig{}};
  EXPECT_EQ(link.first_write(4096 - 64, 4_KiB), 64_B);
  EXPECT_EQ(link.first_write(0, 8_KiB), 4_KiB);
}

TEST(PcieLink, CompletionsAreCutAtBoundaries) {
  const auto completions = [](std::uint64_t address, Bytes size,
                              rnic::CompletionSplit split = rnic::CompletionSplit::max_payload,
                              Bytes boundary = 64_B) {
    PcieConfig config = ample();
    config.completion_split = split;
    config.read_completion_boundary.value = boundary;
    config.max_read_request.value = 4096_B;
    PcieLink link(config);
    read(link, 0_ps, address, size);
    return link.counters().completions;
  };
  EXPECT_EQ(completions(0, 256_B), 1u);
  EXPECT_EQ(completions(4, 256_B), 1u);  // fits one, nothing makes it two
  EXPECT_EQ(completions(0, 257_B), 2u);
  EXPECT_EQ(completions(4, 512_B), 3u);  // 252 + 256 + 4
  EXPECT_EQ(completions(64, 512_B), 2u);
  EXPECT_EQ(completions(64, 512_B, rnic::CompletionSplit::max_payload, 128_B), 3u);
  EXPECT_EQ(completions(0, 512_B, rnic::CompletionSplit::boundary), 8u);
  EXPECT_EQ(completions(4, 512_B, rnic::CompletionSplit::boundary), 9u);
  EXPECT_EQ(completions(0, 512_B, rnic::CompletionSplit::boundary, 128_B), 4u);
}

TEST(PcieLink, DataTravelsInDoubleWords) {
  PcieLink link{ample()};
  const Picoseconds up = link.wire_time(24_B);
  EXPECT_EQ(read(link, 0_ps, 3, 2_B), up + memory_time + link.wire_time(28_B));
  EXPECT_EQ(link.write(1_us, 2, 2_B), 1_us + link.wire_time(28_B));
  EXPECT_EQ(link.write(2_us, 2, 3_B), 2_us + link.wire_time(32_B));
}

TEST(PcieLink, CallsDoNotGoBackInTime) {
  PcieLink link{PcieConfig{}};
  link.write(2_ns, 0, 64_B);
  EXPECT_THROW(link.begin_read(1_ns, 64_B), ModelError);
  EXPECT_THROW(link.write(1_ns, 0, 64_B), ModelError);
  EXPECT_THROW(link.mmio_write(1_ns, 1_us, 8_B), ModelError);
}

TEST(PcieLink, CountersAddUp) {
  PcieLink link{ample()};
  read(link, 0_ps, 0, 1024_B);
  const PcieCounters before = link.counters();
  read(link, 0_ps, 0, 1024_B);
  link.write(0_ps, 0, 1024_B);
  link.mmio_write(0_ps, 0_ps, 8_B);
  const PcieCounters between = link.counters() - before;
  EXPECT_EQ(between.read_requests, 2u);
  EXPECT_EQ(between.completions, 4u);
  EXPECT_EQ(between.writes, 4u);
  EXPECT_EQ(between.bytes_written, 1024u);
  EXPECT_EQ(between.mmio_writes, 1u);
  EXPECT_EQ((before + between).reads_in_flight, link.counters().reads_in_flight);
  EXPECT_EQ((before + between).waited, link.counters().waited);
}

// Mean occupancy by Little's law: a closed loop of one read after the other keeps one in flight.
TEST(PcieLink, OccupancyIsTimeWeighted) {
  PcieLink link{ample()};
  Picoseconds now{};
  for (int i = 0; i < 100; ++i) {
    const Picoseconds done = read(link, now, 0, 256_B);
    EXPECT_EQ(read(link, now, 0, 256_B), done + link.wire_time(276_B));
    now = done + link.wire_time(276_B);
  }
  const double mean = static_cast<double>(link.counters().reads_in_flight.count()) /
                      static_cast<double>(now.count());
  EXPECT_NEAR(mean, 2.0 - to_seconds(link.wire_time(276_B)) * 100 / to_seconds(now), 1e-9);
  EXPECT_EQ(link.most_tags_in_use(), 2u);
  link.reset_most_tags_in_use();
  EXPECT_EQ(link.most_tags_in_use(), 0u);
}

}  // namespace
}  // namespace horae::test::pcie_link_test
