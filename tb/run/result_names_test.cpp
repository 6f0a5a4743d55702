// Names of results: a part in angle brackets stands for others.
#include "horae/run/result_names.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace horae::run::result_names_test {
namespace {

TEST(ResultNames, APartInBracketsStandsForOthers) {
  const auto name_of = [](const std::string& result) {
    const ResultName* const found = find_result_name(result);
    return found == nullptr ? std::string("none") : found->name;
  };
  EXPECT_EQ(name_of("traffic.a.b.rate"), "traffic.<traffic>.rate");
  EXPECT_EQ(name_of("fct.p99"), "fct.<size>p99");
  EXPECT_EQ(name_of("fct.above_1MiB.p99"), "fct.<size>p99");
  EXPECT_EQ(name_of("fct.throughput"), "fct.throughput");
  EXPECT_EQ(name_of("sites.intra.fct_mean"), "sites.<site>.<size>fct_mean");
  EXPECT_EQ(name_of("sites.intra.upto_1KiB.fct_mean"), "sites.<site>.<size>fct_mean");
  EXPECT_EQ(name_of("fct.xp99"), "none");
  EXPECT_EQ(name_of("senders.tx_shar"), "none");
}

TEST(ResultNames, EachIsThereOnceWithUnitAndMeaning) {
  std::set<std::string> names;
  for (const auto& n : result_names()) {
    EXPECT_TRUE(names.insert(n.name).second) << n.name;
    EXPECT_FALSE(n.unit.empty() || n.meaning.empty()) << n.name;
  }
}

}  // namespace
}  // namespace horae::run::result_names_test
