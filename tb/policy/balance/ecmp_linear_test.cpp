// ECMP by a linear hash: flows spread evenly over several tiers, if tiers differ in their offset.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <utility>

#include "horae/core/random.hpp"
#include "horae/policy/balance/load_balancer.hpp"

namespace horae::policy::ecmp_linear_test {
namespace {

struct NoPorts final : PortView {
  Bytes depth(unsigned) const override { return {}; }
};

std::unique_ptr<LoadBalancer> make(std::uint32_t offset, std::uint32_t seed = 0) {
  return make_load_balancer(
      "ecmp_linear", 1, "x",
      PolicyParameters::with(LinearHashConfig{.offset = offset, .seed = seed}));
}

/// How many of 16000 flows take each of 4 x 4 paths through two switches.
std::map<std::pair<unsigned, unsigned>, int> paths(LoadBalancer& first, LoadBalancer& second) {
  std::map<std::pair<unsigned, unsigned>, int> taken;
  RandomStream random(3, "flows");
  for (int i = 0; i < 16000; ++i) {
    Packet p;
    p.src = random.below(128);
    p.dst = random.below(128);
    p.entropy = static_cast<std::uint16_t>(0xc000 + random.below(0x4000));
    const unsigned a = first.choose(p, 4, NoPorts());
    ++taken[{a, second.choose(p, 4, NoPorts())}];
  }
  return taken;
}

double chi_square(const std::map<std::pair<unsigned, unsigned>, int>& taken, double expected) {
  double sum = 0;
  for (const auto& [path, n] : taken) sum += (n - expected) * (n - expected) / expected;
  return sum;
}
constexpr double limit_15 = 37.70;  // chi-square at p = 0.001, 15 degrees of freedom

TEST(EcmpLinear, TiersOfDifferentOffsetsUseEveryPathEvenly) {
  for (const std::uint32_t offset : {2u, 4u, 8u, 13u}) {
    const auto taken = paths(*make(0), *make(offset));
    EXPECT_EQ(taken.size(), 16u);
    EXPECT_LT(chi_square(taken, 1000), limit_15) << offset;
  }
}

// The fault that the offset is for; a seed does not mend it, as it moves all flows alike.
TEST(EcmpLinear, TiersOfOneOffsetPolarise) {
  EXPECT_EQ(paths(*make(4), *make(4)).size(), 4u);
  EXPECT_EQ(paths(*make(4), *make(4, 0x1234)).size(), 4u);
  EXPECT_EQ(paths(*make(4), *make(5)).size(), 8u);  // one bit in common
}

TEST(EcmpLinear, AFlowKeepsItsPath) {
  const auto lb = make(3), again = make(3);
  for (NodeId src = 0; src < 500; ++src) {
    Packet p;
    p.src = src;
    p.dst = 7;
    p.entropy = 0xc123;
    const unsigned port = lb->choose(p, 5, NoPorts());
    p.psn = Psn(99);
    p.payload = 1024;
    p.opcode = Opcode::acknowledge;
    EXPECT_EQ(lb->choose(p, 5, NoPorts()), port);
    EXPECT_EQ(again->choose(p, 5, NoPorts()), port);
  }
}

}  // namespace
}  // namespace horae::policy::ecmp_linear_test
