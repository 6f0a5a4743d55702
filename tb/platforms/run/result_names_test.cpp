// `horae list quantities` against what runs give: every result has its name and unit there.
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "run_parts.hpp"

namespace horae::test::result_names_test {
namespace {

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
entropy.freezing = false
[switch]
kind = "switch"
[link_default]
rate = "100 Gbps"
delay = "100 ns"
)" + on_a_switch({"a", "b"});

/// Quantities with a text that all results of their name match.
std::vector<std::pair<std::regex, ordered_json>> listed() {
  const Workplace place;
  std::vector<std::pair<std::regex, ordered_json>> out;
  const ordered_json all = test::run(place, {"list", "quantities", "--json"}).json();
  for (const auto& q : all.at("quantities")) {
    std::string pattern =
        std::regex_replace(q.at("name").get<std::string>(), std::regex("\\."), "\\.");
    for (const auto& [part, text] : {std::pair<const char*, const char*>{"<traffic>", "[^.]+"},
                                     {"<size>", "([a-zA-Z0-9_]+\\.)?"},
                                     {"<site>", "(intra|inter|all)"}}) {
      const auto at = pattern.find(part);
      if (at != std::string::npos) pattern.replace(at, std::string(part).size(), text);
    }
    out.emplace_back(std::regex(pattern), q);
  }
  return out;
}

/// Names in the list of what the run gives; each must be of one entry and its unit.
std::set<std::string> known_of(const std::string& platform) {
  const Workplace place;
  place.write("p.toml", platform);
  const Ended ended = test::run(place, {"run", "p.toml", "--json", "--out", "out"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  const auto names = listed();
  std::set<std::string> known;
  const ordered_json summary = ended.json();
  for (const auto& [name, result] : summary.at("results").items()) {
    const std::string unit = result.at("unit");
    unsigned found = 0;
    for (const auto& [pattern, entry] : names) {
      if (!std::regex_match(name, pattern)) continue;
      ++found;
      known.insert(entry.at("name").get<std::string>());
      EXPECT_EQ(unit.rfind(entry.at("unit").get<std::string>(), 0), 0u) << name << ": " << unit;
    }
    EXPECT_EQ(found, 1u) << name;
  }
  return known;
}

TEST(ResultNames, AreThoseOfRuns) {
  const std::string messages =
      "[[traffic]]\nkind = \"messages\"\nname = \"bulk\"\nfrom = [\"a\"]\nto = [\"b\"]\n";
  const std::string flows =
      "[[traffic]]\nkind = \"flows\"\nworkload = \"fbhadoop2015\"\nload = 0.8\nduration = \"20 "
      "us\"\n";
  std::set<std::string> seen = known_of(head + messages);
  seen.merge(known_of(head + flows));
  for (const char* name : {"traffic.<traffic>.latency_p50", "fct.<size>p99", "nics.pcie_wait_tag",
                           "nics.pcie_wqe_to_nic", "senders.pcie_fetched_per_message",
                           "nics.pcie_reads_in_flight", "nics.sxp_data_busy", "senders.idle_engine",
                           "flows.error_time", "fct.<size>failed", "senders.entropy_recycled"})
    EXPECT_EQ(seen.count(name), 1u) << name;
}

}  // namespace
}  // namespace horae::test::result_names_test
