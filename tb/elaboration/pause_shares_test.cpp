// How long ports were held by PFC, in three readings of one log.
#include "horae/elaboration/pause_shares.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace horae::elaboration::pause_shares_test {
namespace {

DeviceEnd with(std::vector<PauseTurn> turns) {
  DeviceEnd d;
  d.pauses = std::move(turns);
  return d;
}

// Port 0 of a is held in [10, 40), port 1 of it in [20, 30), port 0 of b in [70, 80).
TEST(PauseShares, OneStreamClosesWithWhoeverIsReleasedFirst) {
  const std::vector<DeviceEnd> devices = {
      with({{10_us, 0, true}, {40_us, 0, false}, {20_us, 1, true}, {30_us, 1, false}}),
      with({{70_us, 0, true}, {80_us, 0, false}})};
  const PauseShares all = pause_shares(devices, 0_us, 100_us);
  EXPECT_DOUBLE_EQ(all.any_port, 0.4);    // [10, 40), [70, 80)
  EXPECT_DOUBLE_EQ(all.all_ports, 0.5);   // 30, 10 and 10
  EXPECT_DOUBLE_EQ(all.one_stream, 0.3);  // [10, 30), [70, 80): 40 closes nothing
}

// Only what lies in the measured time counts; a port held at its end is held until then.
TEST(PauseShares, AreOfTheMeasuredTime) {
  const std::vector<DeviceEnd> devices = {
      with({{10_us, 0, true}, {60_us, 0, false}, {90_us, 0, true}, {80_us, 3, true}})};
  const PauseShares all = pause_shares(devices, 50_us, 100_us);
  EXPECT_DOUBLE_EQ(all.any_port, 0.6);   // [50, 60), [80, 100)
  EXPECT_DOUBLE_EQ(all.all_ports, 0.8);  // 10 and 10, 20
  EXPECT_DOUBLE_EQ(all.one_stream, 0.6);
}

// One is released as another begins: some port is held throughout.
TEST(PauseShares, AHandoverLeavesNoGap) {
  const std::vector<DeviceEnd> devices = {with({{10_us, 0, true}, {20_us, 0, false}}),
                                          with({{20_us, 0, true}, {30_us, 0, false}})};
  const PauseShares all = pause_shares(devices, 0_us, 40_us);
  EXPECT_DOUBLE_EQ(all.any_port, 0.5);
  EXPECT_DOUBLE_EQ(all.all_ports, 0.5);
}

TEST(PauseShares, NoPausesAreNoShare) {
  const PauseShares all = pause_shares({with({}), with({})}, 0_us, 10_us);
  EXPECT_EQ(all.any_port, 0);
  EXPECT_EQ(all.all_ports, 0);
  EXPECT_EQ(all.one_stream, 0);
}

}  // namespace
}  // namespace horae::elaboration::pause_shares_test
