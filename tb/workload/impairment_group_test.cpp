// [[impairment_group]]: cables and switches drawn at random, with regard to who sends to whom.
#include <nlohmann/json.hpp>
#include <set>

#include "placed.hpp"

namespace horae::test::impairment_group_test {
namespace {

using config::PlatformConfig;

// 64 NICs, eight leaves, eight spines: links 64 to 127 are the uplinks, leaf by leaf.
PlatformConfig clos(const std::string& tables,
                    const std::string& traffic = "kind = \"batch\"\npattern = \"permutation\"\n") {
  return workload::read_platform(Document::parse(
      eight_nics("20 ms", traffic + tables), "p.toml",
      {"leaf_spine.leaves=8", "leaf_spine.spines=8", "leaf_spine.hosts_per_leaf=8"}));
}

std::string why(const std::string& tables) {
  try {
    clos(tables);
    return {};
  } catch (const InputError& e) {
    return e.what();
  }
}

struct Changed {
  std::set<std::size_t> up, down;
};
template <class F>
Changed changed(const PlatformConfig& p, F&& is) {
  Changed out;
  for (std::size_t i = 0; i < p.links.size(); ++i) {
    if (is(p.links[i].config)) out.up.insert(i);
    if (is(p.links[i].backward)) out.down.insert(i);
  }
  return out;
}
bool slow(const fabric::LinkConfig& l) { return l.rate == 200_Gbps; }
bool dead(const fabric::LinkConfig& l) { return !l.outages.empty(); }

const std::string outage = "outage = [{ from = \"1 us\", to = \"1 s\" }]\n";

TEST(ImpairmentGroup, SlowUplinksAreOfToRsAndOneWay) {
  const auto p =
      clos("[[impairment_group]]\ndirection = \"up\"\nlevel = 1\ncount = 4\nrate = \"200 Gbps\"\n");
  const Changed c = changed(p, slow);
  EXPECT_EQ(c.up.size(), 4u);
  EXPECT_TRUE(c.down.empty());
  for (const std::size_t i : c.up) EXPECT_GE(i, 64u);
  const auto down =
      clos("[[impairment_group]]\ndirection = \"down\"\nshare = 0.1\nrate = \"200 Gbps\"\n");
  EXPECT_EQ(changed(down, slow).down.size(), 6u);
  EXPECT_TRUE(changed(down, slow).up.empty());
}

TEST(ImpairmentGroup, TheSameSeedDrawsTheSame) {
  const auto draw = [](const std::string& seed) {
    return changed(clos("[[impairment_group]]\nshare = 0.1\nrate = \"200 Gbps\"\nseed = " + seed +
                        "\n"),
                   slow)
        .up;
  };
  EXPECT_EQ(draw("1").size(), 6u);
  EXPECT_EQ(draw("1"), draw("1"));
  EXPECT_NE(draw("1"), draw("2"));
}

TEST(ImpairmentGroup, DirectionsAreDrawnOneByOne) {
  const Changed c =
      changed(clos("[[impairment_group]]\ndirection = \"one\"\nshare = 0.5\n" + outage), dead);
  EXPECT_EQ(c.up.size() + c.down.size(), 32u);  // half of 64 cables
  EXPECT_FALSE(c.up.empty());
  EXPECT_FALSE(c.down.empty());
  EXPECT_NE(c.up, c.down);
}

// Leaf 0 sends to leaf 7 only: of all cables, seven of each of the two may go, and all others.
TEST(ImpairmentGroup, PairsThatSendKeepAPath) {
  const std::string traffic =
      "kind = \"batch\"\npattern = \"pairs\"\nfrom = [\"h0\"]\nto = [\"h63\"]\n";
  for (const char* seed : {"1", "2", "3", "4", "5", "6"}) {
    const auto p = clos(
        "[[impairment_group]]\ncount = 62\nseed = " + std::string(seed) + "\n" + outage, traffic);
    const Changed c = changed(p, dead);
    EXPECT_EQ(c.up, c.down);
    // A spine is left by which both go.
    unsigned paths = 0;
    for (unsigned spine = 0; spine < 8; ++spine)
      paths += c.up.count(64 + spine) == 0 && c.up.count(64 + 7 * 8 + spine) == 0 ? 1 : 0;
    EXPECT_EQ(paths, 1u);
  }
  const std::string most = "[[impairment_group]]\ncount = 63\n" + outage;
  try {
    clos(most, traffic);
    ADD_FAILURE() << "not refused";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("after 62 of 64 no other can go"), std::string::npos)
        << e.what();
  }
  EXPECT_EQ(changed(clos(most + "keep_paths = false\n", traffic), dead).up.size(), 63u);
}

TEST(ImpairmentGroup, WhereOnlyDataIsLostAnswersNeedNoPath) {
  const std::string traffic =
      "kind = \"batch\"\npattern = \"pairs\"\nfrom = [\"h0\"]\nto = [\"h63\"]\n";
  // All that leads down, but for one way to leaf 7: answers to leaf 0 have none.
  const std::string group = "[[impairment_group]]\ndirection = \"down\"\ncount = 63\n" + outage;
  const Changed c = changed(clos(group + "packets = \"data\"\n", traffic), dead);
  EXPECT_EQ(c.down.size(), 63u);
  EXPECT_THROW(clos(group, traffic), InputError);
}

TEST(ImpairmentGroup, ASwitchIsAllThatItSends) {
  const auto p = clos("[[impairment_group]]\nof = \"switches\"\nlevel = 2\ncount = 1\n" + outage);
  const Changed c = changed(p, dead);
  EXPECT_TRUE(c.up.empty());
  EXPECT_EQ(c.down.size(), 8u);
  // Leaves cannot go: their NICs send.
  EXPECT_NE(why("[[impairment_group]]\nof = \"switches\"\nlevel = 1\ncount = 1\n" + outage), "");
  // Bit errors cut nothing.
  const auto spoilt = clos(
      "[[impairment_group]]\nof = \"switches\"\nshare = 1\nbit_errors = 0.01\npackets = "
      "\"data\"\n");
  const Changed all =
      changed(spoilt, [](const auto& l) { return l.bit_errors == 0.01 && l.data_only; });
  EXPECT_EQ(all.up.size(), 64u);
  EXPECT_EQ(all.down.size(), 128u);
}

TEST(ImpairmentGroup, RoutingLearnsIfItConverges) {
  const auto p = clos("[[impairment_group]]\ncount = 3\nconverge = \"10 us\"\n" + outage);
  ASSERT_EQ(p.route_changes.size(), 6u);
  EXPECT_EQ(p.route_changes[0].at, 11_us);
  EXPECT_TRUE(p.route_changes[0].withdrawn);
  EXPECT_TRUE(clos("[[impairment_group]]\ncount = 3\n" + outage).route_changes.empty());
}

TEST(ImpairmentGroup, ItIsPartOfTheConfigurationOnlyIfThere) {
  const auto p = clos("[[impairment_group]]\ncount = 3\nloss = 0.1\n");
  EXPECT_EQ(p.effective["impairment_group"][0]["count"], 3);
  EXPECT_FALSE(clos("").effective.contains("impairment_group"));
}

TEST(ImpairmentGroup, WhatCannotBeIsRefused) {
  EXPECT_NE(why("[[impairment_group]]\nloss = 0.1\n").find("expected one of 'share' and 'count'"),
            std::string::npos);
  EXPECT_NE(why("[[impairment_group]]\ncount = 65\nloss = 0.1\n").find("there are 64"),
            std::string::npos);
  EXPECT_NE(why("[[impairment_group]]\ncount = 1\nlevel = 7\nloss = 0.1\n").find("no cables"),
            std::string::npos);
  EXPECT_NE(why("[[impairment_group]]\nof = \"switches\"\ncount = 1\ndirection = \"up\"\n")
                .find("direction is of cables"),
            std::string::npos);
  EXPECT_NE(why("[[impairment_group]]\ncount = 1\noutage = [{ from = \"2 us\", to = \"1 us\" }]\n")
                .find("is not after"),
            std::string::npos);
}

}  // namespace
}  // namespace horae::test::impairment_group_test
