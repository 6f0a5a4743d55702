// Context in hardware for congestion controls whose papers give its size.
#include <gtest/gtest.h>

#include "horae/policy/congestion/congestion.hpp"
#include "horae/policy/state_fields.hpp"

namespace horae::policy::congestion_state_test {
namespace {

std::uint64_t state_bits(std::string_view algorithm) {
  CongestionConfig config;
  config.algorithm = algorithm;
  return total_bits(find_congestion_algorithm(algorithm).state(config));
}

// Li et al., SIGCOMM 2019, figure 7: a hop's record has 4 + 24 + 20 + 16 bits, before them are 4
// bits of hops and 12 of the path; a header has five records. A sender keeps the last header and
// when it came, two windows, a rate, U (16 bits), the stage (8) and the sequence number (24) of
// the last update.
TEST(CongestionState, HpccKeepsTheLastHeader) {
  const std::uint64_t header = (4 + 12) + 5 * (4 + 24 + 20 + 16);
  EXPECT_EQ(header, 42u * 8);
  EXPECT_EQ(state_bits("hpcc"), header + 32 + 2 * 32 + 32 + 16 + 8 + 24);
}

// The variables of Nscc as 32 bits each: the window, the average delay, the shortest round trip,
// the increase and the bytes since the last update; times of three things; what came without
// delay; of the quick adaptation its end and three counts, of which a loss is one bit. One more
// bit says whether the fast increase is on.
TEST(CongestionState, NsccKeepsTwelveWordsAndTwoFlags) {
  EXPECT_EQ(state_bits("nscc"), (5 + 3 + 1 + 3) * 32u + 2);
}

}  // namespace
}  // namespace horae::policy::congestion_state_test
