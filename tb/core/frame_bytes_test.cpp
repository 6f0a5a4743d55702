// Bytes of a frame: headers before them come and go, the rest stays where it is.
#include "horae/core/frame_bytes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "horae/core/random.hpp"

namespace horae {
namespace {

TEST(FrameBytes, AreAsAVectorsAre) {
  RandomStream draw(5, "frame_bytes");
  FrameBytes frame;
  std::vector<std::uint8_t> same;
  const auto byte = [&] { return static_cast<std::uint8_t>(draw.below(256)); };
  for (int round = 0; round < 5000; ++round) {
    switch (draw.below(5)) {
      case 0: {
        same.resize(draw.below(300));
        for (auto& b : same) b = byte();
        frame.assign(same);
        break;
      }
      case 1: {
        const std::size_t size = draw.below(300);
        same.resize(size);
        frame.resize(size);
        break;
      }
      case 2: {
        const std::size_t more = draw.below(200);  // also more than there is room for
        std::vector<std::uint8_t> head(more);
        for (auto& b : head) b = byte();
        frame.put_before(more);
        std::ranges::copy(head, frame.begin());
        same.insert(same.begin(), head.begin(), head.end());
        break;
      }
      case 3: {
        const std::size_t fewer = draw.below(static_cast<std::uint32_t>(same.size() + 1));
        frame.take_off(fewer);
        same.erase(same.begin(), same.begin() + static_cast<std::ptrdiff_t>(fewer));
        break;
      }
      default: {
        FrameBytes copy = frame, other({byte()});
        other.swap(copy);
        ASSERT_EQ(other, frame);
        frame = other;
      }
    }
    ASSERT_EQ(frame.size(), same.size()) << round;
    ASSERT_TRUE(std::ranges::equal(frame, same)) << round;
  }
}

TEST(FrameBytes, TheRestStaysWhereItIs) {
  FrameBytes frame({1, 2, 3, 4});
  const std::uint8_t* const last = frame.end();
  frame.put_before(60);
  frame.take_off(62);
  EXPECT_EQ(frame.end(), last);
  EXPECT_EQ(frame, FrameBytes({3, 4}));
}

}  // namespace
}  // namespace horae
