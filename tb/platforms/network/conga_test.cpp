// CONGA in a network: both of two unequal paths as full as each other, and what it is refused with.
#include <gtest/gtest.h>

#include <string>

#include "csv.hpp"
#include "program.hpp"

namespace horae::test::conga_test {
namespace {

/// Eight hosts of one leaf send 15 Gbps each to the other leaf over two spines, one of which is
/// joined to it by 50 Gbps, and get a third of that back, which has the feedback. Packets come 590
/// ns apart.
std::string asymmetric() {
  std::string text = R"([platform]
name = "asymmetric"
[sim]
duration = "12 ms"
[host]
kind = "host"
[leaf]
kind = "switch"
balance = "conga"
flowlet_gap = "300 ns"
conga_tau = "20 us"
conga_age = "100 us"
[spine]
kind = "switch"
balance = "conga"
conga_tau = "20 us"
[link_default]
rate = "100 Gbps"
delay = "500 ns"
[leaf_spine]
leaves = 2
spines = 2
hosts_per_leaf = 8
host = "host"
leaf = "leaf"
spine = "spine"
[[impairment]]
between = ["spine1", "leaf1"]
rate = "50 Gbps"
direction = "forward"
)";
  for (int i = 0; i < 8; ++i) {
    text += "[[traffic]]\nkind = \"packets\"\npattern = \"pairs\"\nfrom = [\"h" +
            std::to_string(i) + "\"]\nto = [\"h" + std::to_string(i + 8) +
            "\"]\nload = 0.15\npayload = \"1 KiB\"\n";
    text += "[[traffic]]\nkind = \"packets\"\npattern = \"pairs\"\nfrom = [\"h" +
            std::to_string(i + 8) + "\"]\nto = [\"h" + std::to_string(i) +
            "\"]\nload = 0.05\npayload = \"1 KiB\"\n";
  }
  return text;
}

/// Share of a link's time, of the two that lead into the second leaf.
struct Loads {
  double wide = 0, narrow = 0;
};
Loads loads(const std::string& balance) {
  const Workplace place;
  std::string text = asymmetric();
  if (balance != "conga") {
    for (std::size_t at; (at = text.find("conga_")) != std::string::npos;)
      text.erase(at, text.find('\n', at) + 1 - at);
    if (balance != "letflow") {
      const std::size_t at = text.find("flowlet_gap");
      text.erase(at, text.find('\n', at) + 1 - at);
    }
  }
  place.write("p.toml", text);
  const Ended ended =
      run(place, {"run", "p.toml", "--no-progress", "--set", "leaf.balance=" + balance, "--set",
                  "spine.balance=" + balance, "--out", "o"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  Loads out;
  for (const Row& row : rows_of(place.read("o/links.csv"))) {
    if (row.at("to") != "leaf1") continue;
    if (row.at("from") == "spine0") out.wide = std::stod(row.at("load"));
    if (row.at("from") == "spine1") out.narrow = std::stod(row.at("load"));
  }
  return out;
}

// 120 Gbps over 100 and 50: equally full at 0.8. Congestion is told in eighths, so each is within
// one of them of the other; the figure of CONGA's paper (2.4) of what a local choice loses, and
// ECMP: half of it, 60 Gbps, over 50.
TEST(Conga, FillsUnequalPathsAlike) {
  const Loads conga = loads("conga");
  EXPECT_NEAR(conga.wide * 100 + conga.narrow * 50, 120, 2);
  EXPECT_NEAR(conga.wide, 0.8, 0.0625);
  EXPECT_NEAR(conga.narrow, 0.8, 0.125);
  for (const char* local : {"letflow", "adaptive"}) {
    const Loads other = loads(local);
    EXPECT_GT(other.narrow, 0.99) << local;
    EXPECT_NEAR(other.wide, 0.6, 0.02) << local;
  }
}

TEST(Conga, WhatItCannotBeBesideIsOneLine) {
  const Workplace place;
  place.write("p.toml", asymmetric());
  const Ended paths = run(place, {"run", "p.toml", "--set", "routing.kind=ksp"});
  EXPECT_EQ(paths.exit_code, 2);
  EXPECT_NE(paths.err.find("uses the path's number, and 'leaf0' uses CONGA's header"),
            std::string::npos)
      << paths.err;
  place.write("planes.toml", R"([platform]
name = "planes"
[nic]
kind = "rnic"
ports = 2
[leaf]
kind = "switch"
balance = "conga"
[leaf_spine]
leaves = 2
planes = 2
host = "nic"
leaf = "leaf"
spine = "leaf"
)");
  const Ended twice = run(place, {"run", "planes.toml"});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_NE(
      twice.err.find("balances by what the switch at the other end reports, but an end point "
                     "is joined to both 'p0_leaf0' and 'p1_leaf0'; expected one switch for each"),
      std::string::npos)
      << twice.err;
}

}  // namespace
}  // namespace horae::test::conga_test
