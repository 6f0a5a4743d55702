// The PathMap built from descriptions of hashes.
#include "horae/programs/shared/path_map.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/core/random.hpp"

namespace horae::programs::path_map_test {
namespace {

using Map = std::vector<std::uint16_t>;

std::string refusal(const std::vector<PathTier>& tiers, std::uint32_t paths) {
  try {
    path_map(tiers, paths);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

// The table of the packet-spraying paper's slides: changes of the path by 0, 1, 2, 3 are changes of
// the port by 0, 4, 32, 36.
TEST(PathMap, IsThatOfTheSlides) {
  EXPECT_EQ(path_map(std::vector<PathTier>{{"tor", {4, 32}}}, 4), (Map{0, 4, 32, 36}));
  EXPECT_EQ(path_map(std::vector<PathTier>{{"tor", {4}}, {"agg", {32}}}, 4), (Map{0, 4, 32, 36}));
}

// Choices that have bits of the port in common need two at once.
TEST(PathMap, SolvesForBitsThatTiersShare) {
  const Map map = path_map(std::vector<PathTier>{{"tor", {0b011}}, {"agg", {0b001}}}, 4);
  EXPECT_EQ(map, (Map{0, 0b10, 0b11, 0b01}));
}

// With the real hash: from any header, each index changes each tier's choice by its own bits.
TEST(PathMap, ChangesEachChoiceByTheBitsOfTheIndex) {
  RandomStream random(1, "headers");
  for (const std::uint32_t step : {2u, 4u, 7u}) {
    const std::vector<std::pair<LinearHash, std::uint32_t>> switches = {
        {LinearHash({.offset = 0, .seed = 1}), 4},
        {LinearHash({.offset = step, .seed = 0x77}), 4},
        {LinearHash({.offset = 2 * step}), 2}};
    std::vector<PathTier> tiers;
    for (const auto& [hash, n] : switches) tiers.push_back(PathTier::of("s", hash, n));
    ASSERT_EQ(paths_through(tiers), 32u);
    const Map map = path_map(tiers, 32);
    EXPECT_EQ(std::set(map.begin(), map.end()).size(), 32u);
    for (int flow = 0; flow < 200; ++flow) {
      const NodeId src = random.below(1000), dst = random.below(1000);
      const auto port = static_cast<std::uint16_t>(0xc000 + random.below(0x4000));
      for (std::uint32_t i = 0; i < 32; ++i) {
        const auto other = static_cast<std::uint16_t>(port ^ map[i]);
        EXPECT_GE(other, 0xc000);
        std::uint32_t index = i;
        for (const auto& [hash, n] : switches) {
          const unsigned before = LinearHash::choice(hash.of(src, dst, port), n);
          EXPECT_EQ(LinearHash::choice(hash.of(src, dst, other), n), before ^ (index & (n - 1)));
          index /= n;
        }
      }
    }
  }
}

TEST(PathMap, MoreIndexesThanPathsComeAround) {
  const std::vector<PathTier> tiers = {PathTier::of("tor", LinearHash(), 4)};
  const Map four = path_map(tiers, 4), map = path_map(tiers, 16);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(map[i], four[i % 4]);
  EXPECT_EQ(path_map({}, 4), (Map{0, 0, 0, 0}));  // one path
}

TEST(PathMap, SaysWhichPathIsNotReached) {
  // Tiers of one offset: the second goes where the first went.
  EXPECT_EQ(
      refusal({PathTier::of("tor", LinearHash(), 4), PathTier::of("agg", LinearHash(), 4)}, 16),
      "no change of the UDP source port leads to path 4 of 16, which differs from the first "
      "only in bit 0 of the choice of 'agg': the hashes decide it together with bits before "
      "it (see hash.offset)");
  // One bit in common.
  EXPECT_NE(refusal({PathTier::of("tor", LinearHash(), 4),
                     PathTier::of("agg", LinearHash({.offset = 15}), 4)},
                    16)
                .find("path 8 of 16"),
            std::string::npos);
  // A choice that only the two highest bits of the port flip: they must stay.
  EXPECT_NE(refusal({{"tor", {0x4000}}}, 2).find("path 1 of 2"), std::string::npos);
  EXPECT_EQ(refusal({{"tor", {1, 2, 4}}}, 4),
            "paths = 4 is too small for the 8 paths of the network, which all are to be used");
}

}  // namespace
}  // namespace horae::programs::path_map_test
