// Entries by small numbers, by large ones and by other keys, against a map.
#include "horae/dataplane/objects/key_index.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <string>

namespace horae::dataplane {
namespace {

template <class K, class MakeKey>
void compare(MakeKey&& make_key) {
  std::mt19937_64 random(1);
  KeyIndex<K, std::string, std::hash<K>> index;
  std::map<K, std::string> map;
  for (int i = 0; i < 4000; ++i) {
    const K key = make_key(random());
    if (random() % 3 == 0) {
      index.erase(key);
      map.erase(key);
    } else {
      index.put(key, std::to_string(i));
      map.insert_or_assign(key, std::to_string(i));
    }
    ASSERT_EQ(index.size(), map.size());
    for (const K& asked : {key, make_key(random())}) {
      const std::string* found = index.find(asked);
      ASSERT_EQ(found != nullptr, map.contains(asked));
      ASSERT_EQ(index.contains(asked), map.contains(asked));
      if (found != nullptr) {
        ASSERT_EQ(*found, map.at(asked));
      }
    }
  }
}

TEST(KeyIndex, SmallNumbers) {
  compare<std::uint16_t>([](std::uint64_t n) { return static_cast<std::uint16_t>(n % 700); });
}
TEST(KeyIndex, NumbersOfAllSizes) {
  compare<std::uint32_t>([](std::uint64_t n) {
    return static_cast<std::uint32_t>(n % 2 == 0 ? n % 300 : 65'535 + n / 2 % 300);
  });
}
TEST(KeyIndex, SignedNumbers) {
  compare<int>([](std::uint64_t n) { return static_cast<int>(n % 600) - 300; });
}
TEST(KeyIndex, OtherKeys) {
  compare<std::string>([](std::uint64_t n) { return "key" + std::to_string(n % 500); });
}

}  // namespace
}  // namespace horae::dataplane
