// Memory of a process, as tables of it say.
#include "horae/elaboration/memory_meter.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>

namespace horae::elaboration::memory_meter_test {
namespace {

// Large blocks are pages of their own, small ones are of the heap: both count, and go again.
TEST(MemoryMeter, CountsWhatIsAllocatedWhereverItLies) {
  if (MemoryMeter::allocated() == 0) GTEST_SKIP() << "another allocator is in its place";
  for (const std::size_t size : {std::size_t{60'000}, std::size_t{256} << 20}) {
    const std::int64_t before = MemoryMeter::allocated();
    auto block = std::make_unique<char[]>(size);
    std::memset(block.get(), 1, size);
    const auto bytes = static_cast<std::int64_t>(size);
    const std::int64_t with = MemoryMeter::allocated() - before;
    EXPECT_GE(with, bytes);
    EXPECT_LE(with, bytes + 65536);
    if (size > 1'000'000) {
      EXPECT_GE(MemoryMeter::resident(), bytes);
    }
    block.reset();
    EXPECT_LT(MemoryMeter::allocated() - before, 65536);
  }
}

}  // namespace
}  // namespace horae::elaboration::memory_meter_test
