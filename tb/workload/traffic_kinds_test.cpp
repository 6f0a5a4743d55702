// The registry of kinds, and what a table says of itself.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "horae/workload/traffic_kind.hpp"
#include "placed.hpp"

namespace horae::test::traffic_kinds_test {
namespace {

TEST(TrafficKinds, EachDescribesItselfOnce) {
  std::vector<std::string> names;
  for (const auto& kind : workload::traffic_kinds()) {
    names.emplace_back(kind.name);
    EXPECT_FALSE(kind.doc.empty()) << kind.name;
    EXPECT_FALSE(kind.describe().empty()) << kind.name;
  }
  auto unique = names;
  std::sort(unique.begin(), unique.end());
  EXPECT_EQ(std::unique(unique.begin(), unique.end()), unique.end());
  for (const char* name :
       {"messages", "packets", "collective", "flows", "incast", "flow_list", "pipeline", "goal"})
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
}

TEST(TrafficKinds, ATableKnowsItsKindItsNumberAndItsValues) {
  const auto platform = eight_placed(
      "kind = \"messages\"\nfrom = [\"h0\"]\nto = [\"h1\"]\n"
      "[[traffic]]\nkind = \"collective\"\nsize = \"8 KB\"\n");
  ASSERT_EQ(platform.traffic.size(), 2u);
  const auto& second = workload::traffic_of(platform, 1);
  EXPECT_EQ(second.kind().name, "collective");
  EXPECT_EQ(second.number(), 1u);
  const auto& dump = platform.effective.at("traffic");
  EXPECT_EQ(dump[0].begin().key(), "kind");
  EXPECT_EQ(dump[1].at("kind"), "collective");
  EXPECT_EQ(dump[1].at("size"), "8 KB");
  // All but the ten that have no value.
  EXPECT_FALSE(dump[1].contains("name"));
  EXPECT_FALSE(dump[1].contains("window"));
  EXPECT_FALSE(dump[1].contains("local"));
  EXPECT_FALSE(dump[1].contains("ecmp_every"));
  EXPECT_FALSE(dump[1].contains("traffic_class"));
  EXPECT_FALSE(dump[1].contains("verb"));
  EXPECT_FALSE(dump[1].contains("verbs"));
  EXPECT_FALSE(dump[1].contains("words"));
  EXPECT_FALSE(dump[1].contains("service"));
  EXPECT_FALSE(dump[1].contains("fence"));
  EXPECT_EQ(dump[1].size(), 1 + second.kind().describe().size() - 10);
}

TEST(TrafficKinds, ASlipIsNamed) {
  expect_refused("kind = \"mesages\"\n", 1, "unknown kind 'mesages', did you mean 'messages'?");
  expect_refused("kind = \"incast\"\nqps = 2\n", 2, "qps");
}

TEST(TrafficKinds, QueuePairsOfAllTablesAddUp) {
  const std::string table = "kind = \"messages\"\npattern = \"permutation\"\nqps = 4096\n";
  std::string traffic = table;
  for (int i = 1; i < 8; ++i) traffic += "[[traffic]]\n" + table;
  EXPECT_EQ(why_refused(traffic), "");
  expect_refused(traffic + "[[traffic]]\n" + table, 35,
                 "'h0' would have 73728 queue pairs; at most 65536");
}

}  // namespace
}  // namespace horae::test::traffic_kinds_test
