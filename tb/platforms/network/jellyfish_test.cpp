// [jellyfish], [routing] and [failures]: random graphs, paths over them, links that fail.
#include <gtest/gtest.h>

#include "program.hpp"

namespace horae::test::jellyfish_test {
namespace {

std::string platform(const std::string& tables) {
  return R"([platform]
name = "jelly"
[sim]
duration = "60 us"
[end]
kind = "host"
[plain]
kind = "switch"
latency = "400 ns"
balance = "po2"
[link_default]
rate = "100 Gbps"
delay = "500 ns"
[[traffic]]
kind = "packets"
payload = "1 KiB"
load = 0.4
)" + tables;
}

std::string jellyfish(const std::string& keys) {
  return platform("[jellyfish]\nhost = \"end\"\nswitch = \"plain\"\n" + keys);
}

// 80 switches of 8 ports and 128 hosts: 48 switches have two hosts, 32 have one.
TEST(Jellyfish, HasTheEquipmentOfAnEightAryFatTree) {
  const Workplace place;
  place.write("p.toml", jellyfish("[routing]\nkind = \"ksp\"\npaths = 2\n"));
  const auto s = summary_of(place, "p.toml", {"sim.duration=4us"});
  std::map<std::string, unsigned> found;
  for (const auto& [name, device] : s.at("statistics").items()) {
    unsigned ports = 0;
    for (const auto& [key, value] : device.items()) ports += key.starts_with("port") ? 1 : 0;
    EXPECT_EQ(ports, name[0] == 'h' ? 1u : 8u) << name;
    ++found[name.substr(0, 1)];
  }
  EXPECT_EQ(found, (std::map<std::string, unsigned>{{"h", 128}, {"s", 80}}));
  EXPECT_EQ(s.at("config").at("jellyfish").at("hosts").get<int>(), 128);
}

constexpr const char* small = "switches = 12\nports = 5\nhosts = 18\n";

TEST(Jellyfish, PathsCarryAllTrafficAndLongerOnesTakeMoreHops) {
  const Workplace place;
  const auto hops = [&](const std::string& routing) {
    place.write("p.toml", jellyfish(small + routing));
    const auto s = summary_of(place, "p.toml",
                              {"sim.duration=1ms", "sim.stop=finished", "traffic[0].count=100"});
    EXPECT_EQ(s.at("verdict"), "complete");
    EXPECT_EQ(s.at("packets").at("delivered").get<int>(), 18 * 100);
    return s.at("packet_hops").get<std::uint64_t>();
  };
  // One path of the shortest takes as many hops as all shortest do; of eight, some are longer.
  const auto shortest = hops("");
  EXPECT_EQ(hops("[routing]\nkind = \"ksp\"\npaths = 1\n"), shortest);
  EXPECT_GT(hops("[routing]\nkind = \"ksp\"\n"), shortest + 900);
}

TEST(Jellyfish, TheSeedOfTheGraphIsNotThatOfTheRun) {
  const Workplace place;
  place.write("p.toml", jellyfish(small));
  const auto links = [&](std::vector<std::string> set) {
    // Which switches talk to which shows in the ports' packets; the graph alone in their number.
    const auto s = summary_of(place, "p.toml", set);
    return s.at("statistics").dump();
  };
  EXPECT_EQ(links({}), links({}));
  EXPECT_NE(links({"jellyfish.seed=2"}), links({}));
}

// Leaves and spines of which one link in eight is down at a time.
std::string failing(const std::string& keys) {
  return platform(
      "[leaf_spine]\nleaves = 4\nspines = 4\nhosts_per_leaf = 4\nhost = \"end\"\nleaf = \"plain\"\n"
      "spine = \"plain\"\n[failures]\n" +
      keys);
}

TEST(Failures, LinksFailInTurnsAndTrafficGoesRoundThem) {
  const Workplace place;
  place.write("p.toml", failing("share = 0.125\ninterval = \"10 us\"\nstart = \"5 us\"\n"));
  const auto s = summary_of(place, "p.toml");
  const auto& packets = s.at("packets");
  const auto& dropped = packets.at("dropped");
  // Some were queued or on the wire each time a link failed; nobody else lost anything.
  EXPECT_GT(dropped.at("link_down").get<int>(), 2);
  EXPECT_LT(dropped.at("link_down").get<double>(), 0.02 * packets.at("created").get<double>());
  std::uint64_t all = 0;
  for (const auto& [cause, n] : dropped.items()) all += n.get<std::uint64_t>();
  EXPECT_EQ(all, dropped.at("link_down").get<std::uint64_t>());
  // The same bytes with exact wake-ups, other links with another seed.
  const auto same = summary_of(place, "p.toml", {"sim.scheduling=exact_wake"});
  EXPECT_EQ(same.at("packets"), packets);
  EXPECT_EQ(same.at("results"), s.at("results"));
  const auto other = summary_of(place, "p.toml", {"failures.seed=2"});
  EXPECT_NE(other.at("statistics"), s.at("statistics"));
  // Without a reaction everything sent on the dead links would be lost.
  const auto none = summary_of(place, "p.toml", {"failures.share=0"});
  EXPECT_EQ(none.at("packets").at("dropped").at("link_down").get<int>(), 0);
}

TEST(Failures, WithEveryLinkDownThereIsNoRoute) {
  const Workplace place;
  place.write("p.toml", failing("share = 1.0\ninterval = \"100 us\"\nstart = \"20 us\"\n"));
  const auto s = summary_of(place, "p.toml");
  EXPECT_GT(s.at("packets").at("dropped").at("no_route").get<int>(), 500);
}

TEST(Failures, PathsAreRecomputed) {
  const Workplace place;
  place.write(
      "p.toml",
      jellyfish(small + std::string("[routing]\nkind = \"ksp\"\npaths = 4\n[failures]\nshare "
                                    "= 0.1\ninterval = \"10 us\"\n")));
  const auto s = summary_of(place, "p.toml");
  const auto& packets = s.at("packets");
  EXPECT_GT(packets.at("delivered").get<int>(), 4000);
  EXPECT_LT(packets.at("dropped").at("link_down").get<double>(),
            0.03 * packets.at("created").get<double>());
}

TEST(Jellyfish, TheEffectiveConfigurationReadsAgain) {
  const Workplace place;
  place.write("p.toml", jellyfish(small + std::string("[routing]\nkind = \"ksp\"\n[failures]\n")));
  const auto first = summary_of(place, "p.toml", {"failures.share=0.05", "plain.schedule=srpt"});
  place.write("again.toml", config_text(first));
  const auto second = summary_of(place, "again.toml");
  EXPECT_EQ(first.at("config_hash"), second.at("config_hash"));
  EXPECT_EQ(first.at("statistics"), second.at("statistics"));
}

}  // namespace
}  // namespace horae::test::jellyfish_test
