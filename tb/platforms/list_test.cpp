// What `horae list` says there is, against what there is.
#include <gtest/gtest.h>

#include <set>

#include "horae/policy/balance/load_balancer.hpp"
#include "horae/policy/congestion/nack_reaction.hpp"
#include "horae/policy/retransmit/retransmit.hpp"
#include "horae/policy/transport/transport.hpp"
#include "horae/programs/program.hpp"
#include "program.hpp"

namespace horae::test::list_test {
namespace {

const Words sections = {"platforms", "devices",  "chips",    "nics",
                        "workloads", "programs", "policies", "parameters"};

ordered_json listed(const Words& arguments = {}) {
  const Workplace place;
  Words all = {"list", "--json"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const Ended ended = run(place, all);
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.err, "");
  return ended.json();
}

std::set<std::string> names_in(const ordered_json& entries) {
  std::set<std::string> names;
  for (const auto& e : entries) {
    EXPECT_FALSE(e.at("doc").get<std::string>().empty()) << e;
    EXPECT_TRUE(names.insert(e.at("name").get<std::string>()).second) << e;
  }
  return names;
}

TEST(List, EverySectionAloneIsItsPartOfAll) {
  const ordered_json all = listed();
  Words found;
  for (const auto& [section, entries] : all.items()) {
    found.push_back(section);
    EXPECT_FALSE(entries.empty()) << section;
    EXPECT_EQ(listed({section}), (ordered_json{{section, entries}}));
  }
  EXPECT_EQ(found, sections);
}

TEST(List, TextNamesWhatJsonNames) {
  const Workplace place;
  const ordered_json all = listed();
  for (const auto& [section, entries] : all.items()) {
    const Ended ended = run(place, {"list", section});
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_TRUE(ended.out.starts_with(section + "\n")) << ended.out;
    for (const auto& e : entries) {
      EXPECT_NE(ended.out.find("\n  " + e.at("name").get<std::string>()), std::string::npos) << e;
      if (!e.contains("parameters")) continue;
      for (const auto& p : e.at("parameters"))
        EXPECT_NE(ended.out.find("      " + p.at("key").get<std::string>()), std::string::npos)
            << p;
    }
  }
}

TEST(List, HasEveryRegisteredPolicyAndProgram) {
  const ordered_json all = listed();
  std::set<std::string> policies, programs;
  for (const auto& p : policy::load_balancers()) policies.emplace(p.name);
  for (const auto& p : policy::transports()) policies.emplace(p.name);
  for (const auto& p : policy::retransmit_policies()) policies.emplace(p.name);
  for (const auto& p : policy::congestion_algorithms()) policies.emplace(p.name);
  for (const auto& p : policy::nack_reactions()) policies.emplace(p.name);
  for (const auto& p : programs::programs()) programs.emplace(p.name);
  EXPECT_EQ(names_in(all.at("policies")), policies);
  EXPECT_EQ(names_in(all.at("programs")), programs);
  EXPECT_EQ(names_in(all.at("devices")),
            (std::set<std::string>{"rnic", "tofino", "switch", "host"}));
  for (const auto& p : all.at("policies")) {
    const std::string seam = p.at("seam");
    EXPECT_TRUE(seam == "balance" || seam == "transport" || seam == "retransmit" ||
                seam == "congestion" || seam == "nack_reaction")
        << p;
  }
}

TEST(List, ProgramsHaveTheirParameters) {
  for (const auto& program : programs::programs()) {
    std::set<std::string> keys, expected;
    for (const auto& p : program.describe()) expected.insert(p.path);
    const ordered_json entries = listed({"programs"}).at("programs");
    for (const auto& e : entries) {
      if (e.at("name") != program.name) continue;
      for (const auto& p : e.at("parameters")) keys.insert(p.at("key").get<std::string>());
    }
    EXPECT_EQ(keys, expected);
    EXPECT_FALSE(keys.empty());
  }
}

TEST(List, PlatformsAreTheShippedOnesAndCanBeRead) {
  std::set<std::string> shipped;
  for (const auto& entry : std::filesystem::directory_iterator(HORAE_PLATFORM_DIR))
    if (entry.path().extension() == ".toml") shipped.insert(entry.path().filename().string());
  std::set<std::string> found;
  const ordered_json entries = listed({"platforms"}).at("platforms");
  for (const auto& e : entries) {
    const std::filesystem::path file = e.at("file").get<std::string>();
    found.insert(file.filename().string());
    EXPECT_EQ(e.at("doc").get<std::string>().find("cannot be read"), std::string::npos) << e;
  }
  EXPECT_EQ(found, shipped);
  EXPECT_TRUE(found.contains("cx7_spray.toml"));
}

TEST(List, PlatformsBesideTheUserComeFirst) {
  const Workplace place;
  place.write("platforms/mine.toml", tiny);
  place.write("platforms/broken.toml", "[platform\n");
  const Ended ended = run(place, {"list", "platforms", "--json"});
  const ordered_json entries = ended.json().at("platforms");
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].at("name"), "broken");
  EXPECT_TRUE(entries[0].at("doc").get<std::string>().starts_with(
      "cannot be read: platforms/broken.toml:1:10: "))
      << entries[0];
  EXPECT_EQ(entries[1].at("name"), "tiny");
  EXPECT_EQ(entries[1].at("file"), "platforms/mine.toml");
}

TEST(List, ParametersSayTypeDefaultRangeAndSource) {
  const ordered_json tables = listed({"parameters"}).at("parameters");
  std::size_t unverified = 0;
  const ordered_json* mtu = nullptr;
  const ordered_json* nack_delay = nullptr;
  for (const auto& table : tables) {
    for (const auto& p : table.at("parameters")) {
      EXPECT_FALSE(p.at("type").get<std::string>().empty()) << p;
      if (p.contains("verified")) {
        ++unverified;
        EXPECT_EQ(p.at("verified"), false) << p;
        EXPECT_TRUE(p.contains("source")) << "an assumption says why: " << p;
      }
      if (table.at("name") == "rnic" && p.at("key") == "mtu") mtu = &p;
      if (table.at("name") == "rnic" && p.at("key") == "nack_delay") nack_delay = &p;
    }
  }
  ASSERT_NE(mtu, nullptr);
  EXPECT_EQ(mtu->at("type"), "bytes");
  EXPECT_EQ(mtu->at("default"), "1 KiB");
  EXPECT_EQ(mtu->at("range"), "256 B .. 4 KiB");
  EXPECT_TRUE(mtu->contains("source"));
  EXPECT_FALSE(mtu->contains("verified"));
  ASSERT_NE(nack_delay, nullptr);
  EXPECT_TRUE(nack_delay->contains("verified"));

  // As text, each is marked.
  const Workplace place;
  const std::string text = run(place, {"list", "parameters"}).out;
  std::size_t marked = 0;
  for (auto at = text.find("UNVERIFIED"); at != std::string::npos;
       at = text.find("UNVERIFIED", at + 1))
    ++marked;
  EXPECT_EQ(marked, unverified);
  EXPECT_GE(unverified, 10u);
}

}  // namespace
}  // namespace horae::test::list_test
