// State of a sender for entropy values of its packets: those under way, and room for no more.
#include "horae/rnic/parts/steering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "horae/core/random.hpp"

namespace horae::rnic::steering_test {
namespace {

/// Gives 1, 2, 3, ...
class Counting final : public policy::Entropy {
 public:
  std::uint16_t next(Picoseconds) override { return ++last_; }
  std::uint64_t bits() const override { return 16; }
  policy::EntropyCounts counts() const override { return {}; }

 private:
  std::uint16_t last_ = 0;
};

// Beside a map: packets are sent in turn, sent again, and acknowledged, across the end of PSNs.
TEST(Steering, KnowsTheValueOfEachPacketUnderWay) {
  for (const std::uint32_t window : {1u, 15u, 16u, 17u, 700u, 5000u}) {
    Steering steering(std::make_unique<Counting>());
    std::map<std::uint32_t, std::uint16_t> under_way;
    RandomStream random(window, "steering");
    Psn oldest(0xffff00), fresh = oldest;
    std::uint32_t most = 0;
    const auto send = [&](Psn psn) {
      under_way[psn.value()] = steering.next(psn, 0_ps, [&] { return oldest; });
    };
    for (int step = 0; step < 20'000; ++step) {
      const auto out = static_cast<std::uint32_t>(fresh - oldest);
      most = std::max(most, out);
      if (out < window && random.below(8) < 5) {
        send(fresh);
        ++fresh;
      } else if (out > 0 && random.below(4) == 0) {
        send(oldest + static_cast<std::int32_t>(random.below(out)));
      } else if (out > 0) {
        for (auto n = random.below(out) + 1; n-- > 0; ++oldest) under_way.erase(oldest.value());
      }
      if (step % 97 != 0) continue;
      for (const auto& [psn, value] : under_way) ASSERT_EQ(steering.of(Psn(psn)), value) << window;
    }
    EXPECT_LE(steering.room(), std::max(16u, 2 * most));
  }
}

}  // namespace
}  // namespace horae::rnic::steering_test
