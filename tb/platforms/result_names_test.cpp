// `horae list quantities` against what runs give: every result has its name and unit there.
#include "horae/run/result_names.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "run_parts.hpp"

namespace horae::test::result_names_test {
namespace {

using run::find_result_name;

const std::string head = R"([platform]
name = "q"
[sim]
duration = "30 us"
warmup = "5 us"
[nic]
kind = "rnic"
spec = "connectx7"
reliability.ack_timeout = 5
reliability.retry_count = 3
entropy.scheme = "reps"
[switch]
kind = "switch"
[[device]]
names = ["a", "b"]
profile = "nic"
[[device]]
names = ["s"]
profile = "switch"
[link_default]
rate = "100 Gbps"
delay = "100 ns"
[[link]]
between = ["a", "s"]
[[link]]
between = ["s", "b"]
)";

/// Names that the list has and the run gives; each must be of one entry and its unit.
std::set<std::string> known_of(const std::string& platform) {
  const Workplace place;
  place.write("p.toml", platform);
  const Ended ended = test::run(place, {"run", "p.toml", "--json", "--out", "out"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  std::set<std::string> known;
  for (const auto& [name, result] : ended.json().at("results").items()) {
    const auto* entry = find_result_name(name);
    if (entry == nullptr) {
      ADD_FAILURE() << name << " is not in the list";
      continue;
    }
    const std::string unit = result.at("unit");
    EXPECT_TRUE(unit == entry->unit || unit == entry->unit + " of the whole run" ||
                unit == entry->unit + " until arrivals end")
        << name << ": " << unit << ", in the list " << entry->unit;
    known.insert(entry->name);
  }
  return known;
}

TEST(ResultNames, AreThoseOfRuns) {
  const std::string messages =
      "[[traffic]]\nkind = \"messages\"\nname = \"bulk\"\nfrom = [\"a\"]\nto = [\"b\"]\n";
  const std::string flows =
      "[[traffic]]\nkind = \"flows\"\nworkload = \"websearch\"\nload = 0.3\nduration = \"10 us\"\n";
  std::set<std::string> seen = known_of(head + messages);
  seen.merge(known_of(head + flows));
  for (const char* name : {"traffic.<traffic>.latency_p50", "fct.<size>p99", "nics.pcie_wait_tag",
                           "nics.pcie_reads_in_flight", "nics.sxp_data_busy", "senders.idle_engine",
                           "flows.error_time", "fct.<size>failed", "senders.entropy_recycled"})
    EXPECT_EQ(seen.count(name), 1u) << name;
}

TEST(ResultNames, APartInBracketsStandsForOthers) {
  EXPECT_EQ(find_result_name("traffic.a.b.rate")->name, "traffic.<traffic>.rate");
  EXPECT_EQ(find_result_name("fct.p99")->name, "fct.<size>p99");
  EXPECT_EQ(find_result_name("fct.above_1MiB.p99")->name, "fct.<size>p99");
  EXPECT_EQ(find_result_name("sites.intra.upto_1KiB.fct_mean")->name,
            "sites.<site>.<size>fct_mean");
  EXPECT_EQ(find_result_name("fct.xp99"), nullptr);
  EXPECT_EQ(find_result_name("senders.tx_shar"), nullptr);
  std::set<std::string> names;
  for (const auto& n : run::result_names()) {
    EXPECT_TRUE(names.insert(n.name).second) << n.name;
    EXPECT_FALSE(n.unit.empty() || n.meaning.empty()) << n.name;
  }
}

}  // namespace
}  // namespace horae::test::result_names_test
