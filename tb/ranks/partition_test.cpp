// Which rank runs which devices: what holds of every division, and divisions that can be told by
// hand.
#include "horae/ranks/partition.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <variant>

#include "horae/core/error.hpp"
#include "horae/params/document.hpp"
#include "horae/ranks/load.hpp"
#include "horae/workload/read_platform.hpp"
#include "networks.hpp"

namespace horae::ranks::partition_test {
namespace {

config::PlatformConfig read(const std::string& text) {
  return workload::read_platform(Document::parse(text, "p.toml", {}));
}

constexpr const char* all_to_all = R"(kind = "messages"
pattern = "permutation"
message = "4 KiB"
)";

/// A chain of switches with two NICs each, which talk to each other only; the link behind switch i
/// has the delay `between[i]`.
config::PlatformConfig chain(const std::vector<std::string>& between,
                             const std::string& to_nics = "100 ns") {
  std::string text =
      "[platform]\nname = \"chain\"\n[sim]\nduration = \"20 us\"\n[nic]\nkind = \"rnic\"\n"
      "[switch]\nkind = \"switch\"\n";
  const std::size_t n = between.size() + 1;
  for (std::size_t i = 0; i < n; ++i) {
    text += fmt::format(
        "[[device]]\nnames = [\"a{0}\", \"b{0}\"]\nprofile = \"nic\"\n"
        "[[device]]\nnames = [\"s{0}\"]\nprofile = \"switch\"\n",
        i);
  }
  const auto link = [&](const std::string& a, const std::string& b, const std::string& delay) {
    text += fmt::format("[[link]]\nbetween = [\"{}\", \"{}\"]\ndelay = \"{}\"\n", a, b, delay);
  };
  for (std::size_t i = 0; i < n; ++i) {
    link(fmt::format("a{}", i), fmt::format("s{}", i), to_nics);
    link(fmt::format("b{}", i), fmt::format("s{}", i), to_nics);
    if (i + 1 < n) link(fmt::format("s{}", i), fmt::format("s{}", i + 1), between[i]);
  }
  for (std::size_t i = 0; i < n; ++i) {
    text += fmt::format(
        "[[traffic]]\nkind = \"messages\"\nfrom = [\"a{0}\"]\nto = [\"b{0}\"]\nmessage = \"4 "
        "KiB\"\n",
        i);
  }
  return read(text);
}

unsigned owner(const config::PlatformConfig& platform, const Partition& p,
               const std::string& name) {
  for (std::size_t i = 0; i < platform.devices.size(); ++i) {
    if (platform.devices[i].name == name) return p.owners[i];
  }
  throw ModelError("no device " + name);
}

/// Properties of every division.
void expect_lawful(const config::PlatformConfig& platform, unsigned ranks) {
  SCOPED_TRACE(fmt::format("{} ranks", ranks));
  const Partition p = partition(platform, ranks);
  ASSERT_EQ(p.owners.size(), platform.devices.size());
  ASSERT_EQ(p.shares.size(), ranks);
  unsigned next = 0;  // ranks are numbered by their first devices
  for (const unsigned o : p.owners) {
    EXPECT_LE(o, next);
    next = std::max(next, o + 1);
  }
  EXPECT_EQ(next, std::min<std::size_t>(ranks, platform.devices.size()));
  const ExpectedLoad load = expected_load(platform);
  const double sum = std::accumulate(load.devices.begin(), load.devices.end(), 0.0);
  std::vector<double> shares(ranks);
  std::vector<std::size_t> devices(ranks);
  for (std::size_t i = 0; i < p.owners.size(); ++i) {
    shares[p.owners[i]] += load.devices[i] / sum;
    ++devices[p.owners[i]];
  }
  for (unsigned r = 0; r < ranks; ++r) {
    EXPECT_NEAR(p.shares[r], shares[r], 1e-12);
    EXPECT_EQ(p.devices(r), devices[r]);
  }
  std::size_t cut = 0;
  Picoseconds period = never;
  for (std::size_t i = 0; i < platform.links.size(); ++i) {
    const auto& e = platform.topology.edges()[i];
    if (p.owners[e.a] == p.owners[e.b]) continue;
    ++cut;
    const auto& link = platform.links[i];
    period = std::min({period, link.config.delay, link.backward.delay});
  }
  EXPECT_EQ(p.cut_links, cut);
  EXPECT_EQ(p.period, period);
}

TEST(Partition, IsLawfulForAnyNumberOfRanks) {
  const auto clos = read(test::eight_nics("20 us", all_to_all));
  const auto line = chain({"1 us", "300 ns", "2 us", "1 us"});
  for (unsigned ranks = 1; ranks <= 20; ++ranks) {
    expect_lawful(clos, ranks);
    expect_lawful(line, ranks);
  }
}

TEST(Partition, OneRankHasAllAndCutsNothing) {
  const auto platform = read(test::eight_nics("20 us", all_to_all));
  const Partition p = partition(platform, 1);
  EXPECT_EQ(p.devices(0), platform.devices.size());
  EXPECT_EQ(p.cut_links, 0u);
  EXPECT_EQ(p.period, never);
  EXPECT_DOUBLE_EQ(p.shares[0], 1);
}

TEST(Partition, EndPointsStayWithTheirSwitch) {
  const auto platform = chain({"1 us", "1 us", "1 us"});
  for (unsigned ranks = 2; ranks <= 4; ++ranks) {
    const Partition p = partition(platform, ranks);
    for (const char* i : {"0", "1", "2", "3"}) {
      const unsigned of_switch = owner(platform, p, std::string("s") + i);
      EXPECT_EQ(owner(platform, p, std::string("a") + i), of_switch) << ranks;
      EXPECT_EQ(owner(platform, p, std::string("b") + i), of_switch) << ranks;
    }
  }
}

// Four switches with the same load: two and two, or one each.
TEST(Partition, EqualLoadsAreDividedEvenly) {
  const auto platform = chain({"1 us", "1 us", "1 us"});
  for (const unsigned ranks : {2u, 4u}) {
    const Partition p = partition(platform, ranks);
    for (const double share : p.shares) EXPECT_NEAR(share, 1.0 / ranks, 1e-9);
  }
  EXPECT_EQ(partition(platform, 2).cut_links, 1u);  // of a chain the fewest
  EXPECT_EQ(partition(platform, 4).cut_links, 3u);
}

TEST(Partition, TheLongestLinksAreCut) {
  for (const std::size_t longest : {0u, 1u, 2u}) {
    std::vector<std::string> between = {"1 us", "1 us", "1 us"};
    between[longest] = "20 us";
    const auto platform = chain(between);
    const Partition p = partition(platform, 2);
    if (longest == 1) {  // in the middle: as even as any
      EXPECT_EQ(p.period, Picoseconds(20'000'000));
      EXPECT_EQ(owner(platform, p, "s0"), owner(platform, p, "s1"));
      EXPECT_EQ(owner(platform, p, "s2"), owner(platform, p, "s3"));
    } else {  // a quarter and three: equal loads come before all else
      EXPECT_NEAR(p.shares[0], 0.5, 1e-9);
      EXPECT_EQ(p.period, Picoseconds(1'000'000));
    }
  }
}

// Nothing is between switches: what is farther away than those are may be cut.
TEST(Partition, ASingleSwitchIsDividedIntoDevices) {
  const auto platform = chain({});
  const Partition p = partition(platform, 3);
  EXPECT_EQ(p.owners, (std::vector<unsigned>{0, 1, 2}));
  EXPECT_EQ(p.cut_links, 2u);
  EXPECT_EQ(p.period, Picoseconds(100'000));
}

TEST(Partition, EndPointsFartherAwayThanSwitchesMayBeCut) {
  const auto platform = chain({"1 us"}, "3 us");
  const Partition p = partition(platform, 6);
  EXPECT_EQ(std::set<unsigned>(p.owners.begin(), p.owners.end()).size(), 6u);
  const auto near = chain({"1 us"}, "1 us");  // as far as switches: not farther
  const Partition two = partition(near, 2);
  EXPECT_EQ(two.cut_links, 1u);
  for (const char* i : {"0", "1"})
    EXPECT_EQ(owner(near, two, std::string("a") + i), owner(near, two, std::string("s") + i));
}

TEST(Partition, RanksBeyondTheDevicesHaveNothing) {
  const auto platform = chain({});
  const Partition p = partition(platform, 8);
  EXPECT_EQ(p.owners, (std::vector<unsigned>{0, 1, 2}));
  for (unsigned r = 3; r < 8; ++r) {
    EXPECT_EQ(p.shares[r], 0);
    EXPECT_EQ(p.devices(r), 0u);
  }
}

TEST(Partition, MoreRanksThanDevicesAreRefusedBeyondEight) {
  const auto small = chain({});
  EXPECT_NO_THROW(check_ranks(small, 8));
  try {
    check_ranks(small, 9);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "--ranks 9: expected at most 8, as always; the platform has 3 devices");
  }
  const auto nine = chain({"1 us", "1 us"});
  EXPECT_NO_THROW(check_ranks(nine, 9));
  try {
    check_ranks(nine, 10);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(),
                 "--ranks 10: expected at most 9, one for each device; the platform has 9 devices");
  }
}

// Every packet of a0 goes to b0 over the switch; a NIC costs three times, a switch twice what a
// host does (load.cpp).
TEST(ExpectedLoad, IsOfDevicesByTheirPackets) {
  const auto platform = chain({});
  const ExpectedLoad load = expected_load(platform);
  ASSERT_EQ(load.devices.size(), 3u);
  ASSERT_EQ(load.links.size(), 2u);
  // 20 us at 100 Gbps, in payloads of the MTU.
  const auto mtu = std::get<rnic::RnicConfig>(platform.profiles.at("nic")).mtu;
  EXPECT_DOUBLE_EQ(load.links[0], 20e-6 * 100e9 / 8 / static_cast<double>(mtu.count()));
  EXPECT_DOUBLE_EQ(load.links[0], load.links[1]);
  EXPECT_DOUBLE_EQ(load.devices[0], 3 * load.links[0]);
  EXPECT_DOUBLE_EQ(load.devices[1], 3 * load.links[0]);
  EXPECT_DOUBLE_EQ(load.devices[2], 2 * load.links[0]);
}

// Permutations over two spines: half of what leaves a leaf takes each.
TEST(ExpectedLoad, IsSpreadEvenlyOverShortestPaths) {
  const auto platform = read(test::eight_nics("20 us", all_to_all));
  const ExpectedLoad load = expected_load(platform);
  double of_spines[2] = {0, 0};
  std::size_t spines = 0;
  for (std::size_t i = 0; i < platform.devices.size(); ++i) {
    if (platform.devices[i].name.find("spine") != std::string::npos)
      of_spines[spines++] = load.devices[i];
  }
  ASSERT_EQ(spines, 2u);
  EXPECT_DOUBLE_EQ(of_spines[0], of_spines[1]);
}

}  // namespace
}  // namespace horae::ranks::partition_test
