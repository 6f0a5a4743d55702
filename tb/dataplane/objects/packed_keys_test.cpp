// Numbers by keys of several words, against a map.
#include "horae/dataplane/objects/packed_keys.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>

#include "horae/core/random.hpp"

namespace horae::dataplane::packed_keys_test {
namespace {

template <std::size_t words>
void holds_what_a_map_holds() {
  using Key = std::array<std::uint64_t, words>;
  RandomStream draw(7, "keys");
  PackedKeys keys(words);
  std::map<Key, std::uint32_t> expected;
  // Few values, in places that hashes like to lose: many keys come again.
  const auto key = [&] {
    Key k{};
    for (auto& w : k) w = std::uint64_t{draw.below(6)} << (draw.below(2) == 0 ? 0 : 60);
    return k;
  };
  constexpr Key none{};
  EXPECT_EQ(keys.find(none.data()), PackedKeys::none);
  for (std::uint32_t i = 0; i < 3000; ++i) {
    const Key k = key();
    keys.put(k.data(), i);
    expected[k] = i;
    ASSERT_EQ(keys.size(), expected.size());
    const Key other = key();
    const auto found = expected.find(other);
    ASSERT_EQ(keys.find(other.data()), found == expected.end() ? PackedKeys::none : found->second);
    Key mask{}, masked{};
    for (std::size_t w = 0; w < words; ++w) {
      mask[w] = draw.below(2) == 0 ? ~std::uint64_t{0} : 3;
      masked[w] = other[w] & mask[w];
    }
    ASSERT_EQ(keys.find(other.data(), mask.data()), keys.find(masked.data()));
  }
}

TEST(PackedKeys, HoldWhatAMapHolds) {
  holds_what_a_map_holds<1>();
  holds_what_a_map_holds<2>();
  holds_what_a_map_holds<5>();
}

}  // namespace
}  // namespace horae::dataplane::packed_keys_test
