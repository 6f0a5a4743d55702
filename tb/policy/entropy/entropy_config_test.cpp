// The entropy schemes as a registry: bits per connection, keys, and what is refused.
#include <gtest/gtest.h>

#include <map>

#include "entropy_script.hpp"
#include "horae/core/error.hpp"
#include "horae/params/document.hpp"
#include "horae/params/schema.hpp"
#include "horae/policy/catalogue.hpp"
#include "horae/policy/entropy/parameters.hpp"
#include "horae/policy/entropy/reps.hpp"
#include "refusal.hpp"

namespace horae::policy::entropy_config_test {
namespace {

using test::config;

std::uint64_t bits(const EntropyConfig& c, std::uint32_t window = 151) {
  return find_entropy_scheme(c.scheme).bits(c, window);
}

// Table 1 of the paper.
TEST(EntropyBits, RepsHas193And74) {
  EXPECT_EQ(bits(config("reps", 65536)), 193u);
  EXPECT_EQ(bits(config("reps", 65536, RepsParameters{.ring = 1})), 74u);
  EXPECT_EQ(bits(config("reps", 256)), 129u);
  EXPECT_EQ(bits(config("reps", 256, RepsParameters{.ring = 1})), 66u);
  EXPECT_EQ(bytes_for(193), 25_B);
  EXPECT_EQ(bytes_for(74), 10_B);
  std::map<std::string, std::uint64_t> fields;
  for (const StateField& f : find_entropy_scheme("reps").state(config("reps", 65536), 151))
    fields[f.name] = f.bits;
  EXPECT_EQ(fields, (std::map<std::string, std::uint64_t>{{"ring", 8 * 17},
                                                          {"head", 8},
                                                          {"valid", 8},
                                                          {"exit_time", 32},
                                                          {"frozen", 1},
                                                          {"explore", 8}}));
}

TEST(EntropyBits, OfTheOtherSchemes) {
  EXPECT_EQ(bits(config("fixed", 65536)), 16u);
  EXPECT_EQ(bits(config("random", 65536)), 0u);
  EXPECT_EQ(bits(config("cycle", 65536)), 32u);
  EXPECT_EQ(bits(config("cycle", 256)), 16u);
  EXPECT_EQ(bits(config("bitmap", 256)), 1056u);
  EXPECT_EQ(bits(config("plb", 65536)), 152u);
  EXPECT_EQ(bits(config("flowlet", 65536)), 80u);
  EXPECT_EQ(bits(config("mp_rdma", 65536)), 17u);
  EXPECT_EQ(bits(config("subflows", 65536)), 19u);
  EXPECT_EQ(bits(config("reps_unbounded", 65536), 151), 16u + 151 * 16);
}

// The list equals what a connection says of itself.
TEST(EntropyBits, AConnectionSaysTheSame) {
  for (const EntropyEntry& entry : entropy_schemes()) {
    if (entry.name == "reps_unbounded") continue;  // grows
    for (const std::uint32_t values : {256u, 65536u}) {
      const EntropyConfig c = config(std::string(entry.name), values,
                                     RepsParameters{.ring = 5, .freezing_timeout = 1_us},
                                     SubflowParameters{.subflows = 9});
      EXPECT_EQ(make_entropy(c, test::context())->bits(), entry.bits(c, 100)) << entry.name;
    }
  }
}

EntropyConfig read(const std::string& text) {
  return EntropyConfig::schema().read(Document::parse(text, "e.toml", {}).root());
}

TEST(EntropyKeys, AreReadIntoTheSchemes) {
  const EntropyConfig c = read(
      "scheme = \"reps\"\nvalues = 256\nring = 4\nfreezing_timeout = \"10 ms\"\nexit = \"clear\"\n"
      "frozen_read = \"artifact\"\nexplore_packets = 16\nsubflows = 4\n");
  EXPECT_EQ(c.values, 256u);
  const auto& p = c.parameters.of<RepsParameters>();
  EXPECT_EQ(p.ring, 4u);
  EXPECT_EQ(p.freezing_timeout, 10_ms);
  EXPECT_EQ(p.exit, RepsExit::clear);
  EXPECT_EQ(p.frozen_read, RepsFrozenRead::artifact);
  EXPECT_EQ(p.explore_packets, 16u);
  EXPECT_EQ(c.parameters.of<SubflowParameters>().subflows, 4u);
  check(c);
}

TEST(EntropyKeys, WhatCannotBeIsRefusedInOneLine) {
  const auto refused = [](const std::string& text) {
    return horae::test::refusal_of([&] { check(read(text)); });
  };
  EXPECT_EQ(refused("scheme = \"rep\""),
            "e.toml:1:10: scheme: unknown choice 'rep', did you mean 'reps'?");
  EXPECT_NE(refused("scheme = \"reps\"").find("freezing_timeout"), std::string::npos);
  EXPECT_EQ(refused("scheme = \"reps\"\nfreezing = false"), "accepted");
  EXPECT_NE(refused("scheme = \"reps\"\nfreezing_timeout = \"1 ms\"\nfrozen_read = \"artifact\"")
                .find("expected exit = 'clear'"),
            std::string::npos);
  EXPECT_EQ(refused("scheme = \"bitmap\"\nvalues = 65535"),
            "values = 65535 is not a power of two, as scheme = 'bitmap' needs: 32768");
  EXPECT_NE(refused("scheme = \"cycle\"\nvalues = 12").find("needs: 8"), std::string::npos);
  EXPECT_EQ(refused("scheme = \"subflows\"\nvalues = 4"), "subflows = 8 are more than values = 4");
  EXPECT_NE(refused("values = 70000").find("is above the maximum 65536"), std::string::npos);
  EXPECT_THROW(find_entropy_scheme("ops"), InputError);
}

TEST(EntropyKeys, EverySchemeIsListed) {
  for (const ListedSeam& seam : policy_seams()) {
    if (seam.name != "entropy") continue;
    EXPECT_EQ(seam.policies.size(), entropy_schemes().size());
    EXPECT_EQ(seam.key, "entropy.scheme");
    return;
  }
  FAIL() << "no seam";
}

}  // namespace
}  // namespace horae::policy::entropy_config_test
