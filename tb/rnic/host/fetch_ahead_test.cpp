// How far ahead of the wire a NIC reads where nobody says: as far as its line needs.
#include "horae/rnic/host/fetch_ahead.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "horae/rnic/host/pcie_link.hpp"
#include "host_parts.hpp"

namespace horae::rnic::fetch_ahead_test {
namespace {

using test::decisions;
using test::messages;
using test::NicAndPeer;
using test::odd_link;
using test::with_host;

struct Case {
  BitRate line;
  std::uint32_t generation;
  Bytes mtu;
  Picoseconds round_trip;
};
const std::vector<Case> cases = {{100_Gbps, 3, 1024_B, 701'003_ps},
                                 {200_Gbps, 4, 2_KiB, 1'503'001_ps},
                                 {400_Gbps, 5, 1024_B, 701'003_ps},
                                 {400_Gbps, 5, 4_KiB, 913'007_ps},
                                 {800_Gbps, 6, 4_KiB, 701'003_ps}};

RnicConfig config_of(const Case& c) {
  RnicConfig config = with_host();
  config.mtu = c.mtu;
  config.pcie.generation = c.generation;
  config.pcie.max_read_request.value = 4_KiB;
  config.memory.round_trip.value = c.round_trip;
  return config;
}

/// How many of 399 packets do not follow the one before at once: "0", "17".
std::string gaps(const Case& c, std::optional<Bytes> prefetch) {
  return test::in_child([&]() -> std::string {
    RnicConfig config = config_of(c);
    config.fetch.prefetch = prefetch;
    fabric::sim_context context;
    fabric::LinkConfig link = odd_link;
    link.rate = c.line;
    NicAndPeer line(context, config, link);
    line.queue_pair(messages(c.mtu * 400));
    test::run_on(context, 200_us);
    const auto at = decisions(line);
    EXPECT_EQ(at.size(), 400u);
    const Picoseconds packet = test::wire_time(Opcode::write_first, c.mtu, c.line);
    int late = 0;
    for (std::size_t k = 1; k < at.size(); ++k) late += at[k] == at[k - 1] + packet ? 0 : 1;
    return std::to_string(late);
  });
}

// One queue pair has its line whatever the rate; two packets less and it waits once a round trip.
TEST(FetchAhead, OneQueuePairFillsItsLineAndWithLessItWaits) {
  for (const Case& c : cases) {
    EXPECT_EQ(gaps(c, std::nullopt), "0") << c.line.count();
    const Bytes needed = needed_prefetch(config_of(c), c.line);
    EXPECT_EQ(gaps(c, needed), "0") << c.line.count();
    EXPECT_NE(gaps(c, needed - c.mtu * 2), "0") << c.line.count();
  }
}

// 1106 bytes take 22.12 ns, and a read of 1024 bytes 700 ns and its bytes: 33 packets, and one
// more.
TEST(FetchAhead, IsRateTimesRoundTripInWholePackets) {
  RnicConfig config;
  config.pcie.generation = 5;
  const Picoseconds read = payload_read_time(config);
  EXPECT_GT(read, 700_ns + 16_ns);
  EXPECT_LT(read, 700_ns + 20_ns);
  EXPECT_EQ(needed_prefetch(config, 400_Gbps), Bytes(34 * 1024));
  EXPECT_EQ(prefetch_of(config, 400_Gbps), Bytes(34 * 1024));
}

TEST(FetchAhead, WhatIsSaidHoldsAndWhatIsNotIsAtLeastThis) {
  RnicConfig config;
  EXPECT_LT(needed_prefetch(config, 100_Gbps), 16_KiB);
  EXPECT_EQ(prefetch_of(config, 100_Gbps), 16_KiB);
  config.fetch.prefetch = 5_KiB;
  EXPECT_EQ(prefetch_of(config, 400_Gbps), 5_KiB);
}

}  // namespace
}  // namespace horae::rnic::fetch_ahead_test
