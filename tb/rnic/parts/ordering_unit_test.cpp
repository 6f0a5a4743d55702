// The ordering engine as a server, and its memory over time.
#include "horae/rnic/parts/ordering_unit.hpp"

#include <gtest/gtest.h>

namespace horae::rnic::ordering_unit_test {
namespace {

policy::OrderingMemory memory(Bytes fixed, Bytes bitmap) {
  return {.fixed = fixed, .bitmap = bitmap, .metadata = {}};
}

TEST(OccupancyIntegral, MeansAreOverTimeAndTheMostIsAtAnyTime) {
  OccupancyIntegral integral;
  integral.change(memory(100_B, 0_B), 0_ns);
  integral.change(memory(250_B, 50_B), 10_ns);
  integral.change(memory(1000_B, 0_B), 20_ns);  // for no time
  integral.change(memory(0_B, 0_B), 20_ns);
  const OrderingUse use = integral.use(40_ns);
  EXPECT_EQ(use.mean_bytes, 100.0);  // (100 x 10 + 300 x 10) / 40
  EXPECT_EQ(use.mean_bitmap_bytes, 12.5);
  EXPECT_EQ(use.most, 1000_B);
}

TEST(OccupancyIntegral, BeginsAnewWithWhatIsInUse) {
  OccupancyIntegral integral;
  integral.change(memory(700_B, 100_B), 5_ns);
  integral.reset(memory(200_B, 80_B), 20_ns);
  const OrderingUse none = integral.use(20_ns);
  EXPECT_EQ(none.mean_bytes, 0.0);
  EXPECT_EQ(none.most, 280_B);
  integral.change(memory(0_B, 0_B), 25_ns);
  const OrderingUse use = integral.use(30_ns);
  EXPECT_EQ(use.mean_bytes, 140.0);
  EXPECT_EQ(use.mean_bitmap_bytes, 40.0);
  EXPECT_EQ(use.most, 280_B);
}

TEST(OccupancyIntegral, IsExactBeyond64Bits) {
  OccupancyIntegral cut, whole;
  const Bytes odd(1'099'511'627'689);  // x 10^12 ps: 80 bits
  whole.change(memory(odd, 0_B), 0_ps);
  cut.change(memory(odd, 0_B), 0_ps);
  for (int n = 1; n < 1000; ++n) {
    const Picoseconds t(std::int64_t{n} * 999'999'937);
    cut.change(memory(odd, 1_B), t);
    cut.change(memory(odd, 0_B), t);
  }
  const Picoseconds end = 1'000'000_us;
  EXPECT_DOUBLE_EQ(whole.use(end).mean_bytes, static_cast<double>(odd.count()));
  EXPECT_EQ(cut.use(end).mean_bytes, whole.use(end).mean_bytes);
}

// An engine whose memory the test sets.
class SetEngine final : public policy::OrderingEngine {
 public:
  explicit SetEngine(const policy::OrderingMemory& memory) : memory_(memory) {}
  policy::OrderingAnswer on_packet(const policy::OrderingPacket&) override { return {}; }
  void close(policy::ConnectionId) override {}
  policy::OrderingMemory memory() const override { return memory_; }
  Bytes provided(std::uint32_t) const override { return 0_B; }

 private:
  const policy::OrderingMemory& memory_;
};

TEST(OrderingUnit, OnePacketAtATime) {
  const policy::OrderingMemory nothing;
  OrderingUnit unit(std::make_unique<SetEngine>(nothing), Hertz(1'000'000'000));
  const auto first = unit.take(5, 100_ns);
  EXPECT_EQ(first.start, 100_ns);
  EXPECT_EQ(first.end, 105_ns);
  const auto second = unit.take(3, 102_ns);
  EXPECT_EQ(second.start, 105_ns);
  EXPECT_EQ(second.end, 108_ns);
  EXPECT_EQ(unit.take(0, 200_ns).end, 200_ns);
}

TEST(OrderingUnit, AsksItsEngineForMemory) {
  policy::OrderingMemory now = memory(100_B, 0_B);
  OrderingUnit unit(std::make_unique<SetEngine>(now), Hertz(1'000'000'000));
  unit.reset_use(10_ns);
  now.bitmap = 60_B;
  unit.watch_memory(20_ns);
  const OrderingUse use = unit.use(30_ns);
  EXPECT_EQ(use.mean_bytes, 130.0);
  EXPECT_EQ(use.mean_bitmap_bytes, 30.0);
  EXPECT_EQ(use.most, 160_B);
}

TEST(OrderingUnit, NoneUsesNothing) {
  const OrderingUnit unit(nullptr, Hertz(1'000'000'000));
  EXPECT_FALSE(unit.present());
  EXPECT_EQ(unit.engine(), nullptr);
  EXPECT_EQ(unit.use(10_ns).mean_bytes, 0.0);
  EXPECT_EQ(unit.use(10_ns).most, 0_B);
}

}  // namespace
}  // namespace horae::rnic::ordering_unit_test
