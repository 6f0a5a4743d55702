// Rates of memory for a NIC, against closed forms.
#include "horae/rnic/host/memory_rates.hpp"

#include <gtest/gtest.h>

#include "horae/core/error.hpp"
#include "horae/core/random.hpp"
#include "horae/rnic/host/host_addresses.hpp"

namespace horae::rnic::memory_rates_test {
namespace {

constexpr bool read = false, write = true;

/// 64 bytes take 1 ns of it.
HostMemoryConfig with_dram() {
  HostMemoryConfig config;
  config.dram = DramConfig{512_Gbps, {}};
  return config;
}

HostMemoryConfig with_ddio(Bytes size, std::uint32_t ways) {
  HostMemoryConfig config = with_dram();
  config.ddio = DdioConfig{{size, {}}, ways};
  return config;
}

std::string refusal(const HostMemoryConfig& config) {
  try {
    MemoryRates::check(config);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(MemoryRates, AnIdleMemoryAddsNothing) {
  MemoryRates rates(with_dram());
  EXPECT_EQ(rates.wait(0_ns, read, 100_ns, 0, 4096_B), 0_ps);
  EXPECT_EQ(rates.wait(0_ns, write, 164_ns, 0, 64_B), 0_ps);
  EXPECT_EQ(rates.wait(0_ns, write, 165_ns, 0, 64_B), 0_ps);
}

TEST(MemoryRates, ReadsAndWritesShareDramOneAfterTheOther) {
  MemoryRates rates(with_dram());
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(rates.wait(0_ns, i % 2 == 0, 50_ns, 0, 256_B), 4_ns * std::int64_t{i});
  EXPECT_EQ(rates.counters().dram_read, 50u * 256);
  EXPECT_EQ(rates.counters().dram_written, 50u * 256);
  EXPECT_EQ(rates.counters().waited[static_cast<std::size_t>(MemoryPart::dram)],
            4_ns * std::int64_t{99 * 100 / 2});
}

TEST(MemoryRates, DramTakesWholeLines) {
  MemoryRates rates(with_dram());
  EXPECT_EQ(rates.wait(0_ns, write, 0_ns, 60, 8_B), 0_ps);  // two lines
  EXPECT_EQ(rates.wait(0_ns, write, 0_ns, 64, 1_B), 2_ns);  // one
  EXPECT_EQ(rates.wait(0_ns, write, 0_ns, 64, 64_B), 3_ns);
}

TEST(MemoryRates, TheHostsOwnAccessesLeaveTheRest) {
  HostMemoryConfig config = with_dram();
  config.dram->background.value = 384_Gbps;
  MemoryRates rates(config);
  EXPECT_EQ(rates.wait(0_ns, read, 0_ns, 0, 640_B), 0_ps);
  EXPECT_EQ(rates.wait(0_ns, read, 0_ns, 0, 64_B), 40_ns);
}

TEST(MemoryRates, WhatComesEarlierTakesTimeThatIsFreeBefore) {
  MemoryRates rates(with_dram());
  EXPECT_EQ(rates.wait(0_ns, write, 100_ns, 0, 640_B), 0_ps);
  EXPECT_EQ(rates.wait(0_ns, read, 20_ns, 0, 640_B), 0_ps);
  EXPECT_EQ(rates.wait(0_ns, read, 25_ns, 0, 64_B), 5_ns);
}

// Writes go round a buffer: one that fits stays, of a larger one every line has gone when it is
// written again.
TEST(MemoryRates, ABufferThatFitsTheCacheTakesNoDram) {
  MemoryRates fits(with_ddio(64_KiB, 0)), larger(with_ddio(64_KiB, 0));
  for (int round = 0; round < 5; ++round) {
    for (std::uint64_t at = 0; at < 65536; at += 1024) {
      fits.wait(0_ns, write, 0_ns, at, 1024_B);
      larger.wait(0_ns, write, 0_ns, at, 1024_B);
    }
    larger.wait(0_ns, write, 0_ns, 65536, 64_B);
  }
  EXPECT_EQ(fits.counters().lines_written, 5u * 1024);
  EXPECT_EQ(fits.counters().dram_written, 0u);
  EXPECT_EQ(larger.counters().lines_spilled, 5u * 1025 - 1024);
  EXPECT_EQ(larger.counters().dram_written, larger.counters().lines_spilled * 64);
}

// A cache of c lines holds c of n that are written at random: a write finds its line with c / n.
TEST(MemoryRates, OfRandomWritesTheShareThatIsHeldTakesNoDram) {
  constexpr std::uint32_t lines = 4096, held = 1024, writes = 200'000;
  MemoryRates rates(with_ddio(Bytes(held * 64), 0));
  RandomStream random(1, "memory_rates_test");
  for (std::uint32_t i = 0; i < writes; ++i)
    rates.wait(0_ns, write, 0_ns, std::uint64_t{random.below(lines)} * 64, 64_B);
  const double spilled = static_cast<double>(rates.counters().lines_spilled) / writes;
  EXPECT_NEAR(spilled, 1.0 - double{held} / lines, 0.01);
}

TEST(MemoryRates, ALineThatIsHeldIsReadFromTheCache) {
  MemoryRates rates(with_ddio(64_KiB, 2));
  rates.wait(0_ns, write, 0_ns, 4096, 128_B);
  rates.wait(0_ns, read, 0_ns, 4096, 128_B);
  EXPECT_EQ(rates.counters().dram_read, 0u);
  rates.wait(0_ns, read, 0_ns, 4096 + 64, 128_B);  // one of the two
  EXPECT_EQ(rates.counters().dram_read, 64u);
  rates.wait(0_ns, read, 0_ns, 4096 + 64, 128_B);  // a read brings nothing in
  EXPECT_EQ(rates.counters().dram_read, 128u);
}

TEST(MemoryRates, EachWayBetweenSocketsHasItsOwnRate) {
  HostMemoryConfig config;
  config.socket_rate = 64_Gbps;
  EXPECT_FALSE(MemoryRates::limited(config));
  config.remote = true;
  ASSERT_TRUE(MemoryRates::limited(config));
  MemoryRates rates(config);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(rates.wait(0_ns, read, 0_ns, 0, 512_B), 64_ns * std::int64_t{i});
    EXPECT_EQ(rates.wait(0_ns, write, 0_ns, 0, 256_B), 32_ns * std::int64_t{i});
  }
}

TEST(MemoryRates, PayloadOfAGpuTakesItsRatesAndNoDram) {
  HostMemoryConfig config = with_dram();
  config.gpu = GpuMemoryConfig{.read_rate = 32_Gbps, .write_rate = 64_Gbps};
  MemoryRates rates(config);
  const std::uint64_t payload = host_address::payload(3, 7 * 4096),
                      source = host_address::source(3, 0), wqe = host_address::send_queue(3, 64);
  EXPECT_TRUE(rates.of_gpu(payload));
  EXPECT_TRUE(rates.of_gpu(source));
  EXPECT_FALSE(rates.of_gpu(wqe));
  EXPECT_FALSE(rates.of_gpu(host_address::completion_queue(3)));
  EXPECT_FALSE(rates.of_gpu(host_address::contexts));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(rates.wait(0_ns, read, 0_ns, source, 256_B), 64_ns * std::int64_t{i});
    EXPECT_EQ(rates.wait(0_ns, write, 0_ns, payload, 256_B), 32_ns * std::int64_t{i});
  }
  EXPECT_EQ(rates.counters().dram_read + rates.counters().dram_written, 0u);
  EXPECT_EQ(rates.wait(0_ns, read, 0_ns, wqe, 64_B), 0_ps);
  EXPECT_EQ(rates.counters().dram_read, 64u);
  config.gpu->queues = true;
  EXPECT_TRUE(MemoryRates(config).of_gpu(wqe));
  EXPECT_TRUE(MemoryRates(config).of_gpu(host_address::completion_queue(3)));
  EXPECT_FALSE(MemoryRates(config).of_gpu(host_address::contexts));
}

TEST(MemoryRates, WhatNoMemoryHasIsRefused) {
  HostMemoryConfig config = with_dram();
  EXPECT_EQ(refusal(config), "");
  config.dram->background.value = 512_Gbps;
  EXPECT_EQ(refusal(config), "background = 512 Gbps leaves nothing of bandwidth = 512 Gbps");
  EXPECT_EQ(refusal(with_ddio(64_KiB, 2)), "");
  EXPECT_EQ(refusal(with_ddio(100_B, 0)),
            "size = 100 B: expected whole sets of 0 lines of 64 bytes");
  EXPECT_EQ(refusal(with_ddio(192_B, 2)),
            "size = 192 B: expected whole sets of 2 lines of 64 bytes");
  config = with_ddio(64_KiB, 2);
  config.dram.reset();
  EXPECT_EQ(refusal(config),
            "ddio without memory.dram: what it spares has no end; expected dram = {bandwidth = "
            "..}");
}

}  // namespace
}  // namespace horae::rnic::memory_rates_test
