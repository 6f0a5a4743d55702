// The order of a window's arrivals against std::stable_sort.
#include "horae/fabric/events/arrival_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "horae/core/random.hpp"

namespace horae::fabric::arrival_order_test {
namespace {

struct Left {
  Picoseconds time;
  Packet* packet;
};

struct Window {
  Picoseconds begin{}, end{};
  unsigned senders = 1, most = 8;  ///< packets of a sender, at most
  std::uint32_t likely = 8;
  std::uint32_t apart = 1000;  ///< packets of a sender, at most, in picoseconds
};

class Orders {
 public:
  explicit Orders(std::uint64_t seed) : random_(seed, "arrival_order"), packets_(100'000) {}

  // Senders in turn leave packets at times that never fall, some of them behind the window.
  void compare(const Window& w) {
    std::vector<Left> all;
    const bool several = w.senders > 1;
    order_.start(w.begin, w.end, w.likely, several);
    for (unsigned s = 0; s < w.senders; ++s) {
      std::vector<Left> left = from_sender(w);
      const auto late =
          std::find_if(left.begin(), left.end(), [&](const Left& l) { return l.time >= w.end; });
      const auto time_of = [](const Left& l) { return l.time; };
      Left* const first = left.data();
      Left* const rest = several ? order_.add<true>(first, first + left.size(), w.end, time_of)
                                 : order_.add<false>(first, first + left.size(), w.end, time_of);
      ASSERT_EQ(rest - first, late - left.begin());
      all.insert(all.end(), left.begin(), late);
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Left& a, const Left& b) { return a.time < b.time; });
    auto found = order_.put_in_order(several);
    for (const Left& l : all) {
      ASSERT_FALSE(found.empty());
      ASSERT_EQ(found.time(), l.time);
      ASSERT_EQ(&found.packet(), l.packet);
      ++found.next;
    }
    ASSERT_TRUE(found.empty());
  }

 private:
  std::vector<Left> from_sender(const Window& w) {
    std::vector<Left> left(random_.below(w.most + 1));
    Picoseconds t = w.begin;
    for (Left& l : left) {
      t = t + Picoseconds(random_.below(w.apart));
      l = {t, &packets_[random_.below(static_cast<std::uint32_t>(packets_.size()))]};
    }
    return left;
  }

  RandomStream random_;
  std::vector<Packet> packets_;
  ArrivalOrder order_;
};

// Few and many, with many ties, in windows from one picosecond to a second, where more or fewer
// come than was thought likely.
TEST(ArrivalOrder, IsThatOfTimeAndThenOfSenders) {
  Orders orders(1);
  for (const Picoseconds length : {1_ps, 7_ps, 1_us, 1_ms, 500_ms}) {
    for (const unsigned senders : {1u, 2u, 16u, 128u}) {
      for (const unsigned most : {1u, 8u, 100u}) {
        for (const std::uint32_t likely : {0u, 100u, 1'000'000u}) {
          const Picoseconds begin = 3_us;
          const auto apart = std::min<std::int64_t>(2 * length.count() / most + 1, 1 << 30);
          orders.compare(
              {begin, begin + length, senders, most, likely, static_cast<std::uint32_t>(apart)});
          ASSERT_FALSE(HasFatalFailure());
        }
      }
    }
  }
}

// As where a device runs again after a time in which it had nothing to do.
TEST(ArrivalOrder, HoldsBehindALongPause) {
  Orders orders(2);
  for (const Picoseconds end : {2_us, 10_ms, 1'000'000_ms}) {
    orders.compare({end - 1_us, end, 16, 100, 400, 10'000});
    ASSERT_FALSE(HasFatalFailure());
  }
}

TEST(ArrivalOrder, OfNothingIsEmpty) {
  ArrivalOrder order;
  order.start(0_ps, 1_us, 0, true);
  EXPECT_TRUE(order.put_in_order(true).empty());
}

}  // namespace
}  // namespace horae::fabric::arrival_order_test
