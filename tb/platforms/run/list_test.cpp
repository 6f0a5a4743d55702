// Content of `horae list`, against what there is.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "horae/policy/catalogue.hpp"
#include "horae/programs/program.hpp"
#include "program.hpp"

namespace horae::test::list_test {
namespace {

const Words sections = {"platforms", "devices",  "chips",   "nics",       "workloads",
                        "programs",  "policies", "modules", "parameters", "quantities"};

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
  std::vector<std::pair<std::string, std::string>> policies, found;
  for (const auto& seam : policy::policy_seams()) {
    EXPECT_FALSE(seam.policies.empty()) << seam.name;
    for (const auto& p : seam.policies) policies.emplace_back(seam.name, p.name);
  }
  for (const auto& p : all.at("policies")) {
    EXPECT_FALSE(p.at("doc").get<std::string>().empty()) << p;
    found.emplace_back(p.at("seam").get<std::string>(), p.at("name").get<std::string>());
  }
  EXPECT_EQ(found, policies);
  EXPECT_EQ((std::set<std::pair<std::string, std::string>>(found.begin(), found.end()).size()),
            found.size());
  std::set<std::string> programs = {"p4"};  // the room of programs does not know it
  for (const auto& p : programs::programs()) programs.emplace(p.name);
  EXPECT_EQ(names_in(all.at("programs")), programs);
  EXPECT_EQ(names_in(all.at("devices")),
            (std::set<std::string>{"rnic", "tofino", "switch", "host"}));
}

// The one list of registries is compared with the headers that declare them.
TEST(List, ThePageOfPoliciesHasARowOfEachSeamWithAllOfThem) {
  std::ifstream file(HORAE_PLATFORM_DIR "/../models/policy/README.md");
  const std::regex quoted("`([^`]*)`");
  std::set<std::set<std::string>> rows;  // names in the last cell
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| ") || !line.ends_with(" |")) continue;
    const std::string cell = line.substr(line.rfind('|', line.size() - 2));
    std::set<std::string> names;
    for (std::sregex_iterator at(cell.begin(), cell.end(), quoted), end; at != end; ++at)
      names.insert((*at)[1]);
    rows.insert(std::move(names));
  }
  for (const auto& seam : policy::policy_seams()) {
    std::set<std::string> names;
    for (const auto& p : seam.policies) names.emplace(p.name);
    EXPECT_TRUE(rows.contains(names)) << seam.name;
  }
}

TEST(List, NoRegistryOfPoliciesIsForgotten) {
  const std::filesystem::path headers = HORAE_PLATFORM_DIR "/../models/policy/include";
  const std::regex declared(R"(const std::vector<\w+Entry>& (\w+)\(\);)");
  std::set<std::string> registries;
  for (const auto& file : std::filesystem::recursive_directory_iterator(headers)) {
    if (!file.is_regular_file()) continue;
    std::ifstream in(file.path());
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    for (std::sregex_iterator at(text.begin(), text.end(), declared), end; at != end; ++at)
      registries.insert((*at)[1]);
  }
  EXPECT_TRUE(registries.contains("ordering_engines"));
  EXPECT_EQ(registries.size(), policy::policy_seams().size());
}

// A key that names policies is a key of a device, and the seam's parameters are keys beside it.
TEST(List, KeysOfSeamsAreKeysOfDevices) {
  std::set<std::string> keys;
  const auto all = listed({"parameters"});
  for (const auto& table : all.at("parameters")) {
    if (table.at("name") != "rnic" && table.at("name") != "switch") continue;
    for (const auto& p : table.at("parameters")) keys.insert(p.at("key").get<std::string>());
  }
  for (const auto& seam : policy::policy_seams()) {
    EXPECT_TRUE(keys.contains(std::string(seam.key))) << seam.key;
    for (const auto& p : seam.policies) {
      for (const auto& own : p.parameters) {
        const auto ends_so = [&](const std::string& key) {
          return key == own.path || key.ends_with("." + own.path);
        };
        EXPECT_TRUE(std::any_of(keys.begin(), keys.end(), ends_so)) << p.name << " " << own.path;
      }
    }
  }
}

// The meaning of a key takes a few words: its name alone says nothing new.
// Those of registries are asked for above; these are the program's own.
TEST(List, HasEveryTableOfAFile) {
  const auto names = names_in(listed({"parameters"}).at("parameters"));
  for (const char* name : {"top level",
                           "platform",
                           "sim",
                           "rnic",
                           "tofino",
                           "switch",
                           "device",
                           "link_default",
                           "link",
                           "impairment",
                           "impairment_group",
                           "leaf_spine",
                           "fat_tree",
                           "jellyfish",
                           "two_sites",
                           "ns3_topology",
                           "htsim_topology",
                           "module",
                           "routing",
                           "failures",
                           "sweep",
                           "size",
                           "explain",
                           "observations file",
                           "hypotheses file",
                           "objects file: design",
                           "objects file: object",
                           "objects file: field",
                           "objects file: state",
                           "objects file: value_set",
                           "objects file: checksum"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST(List, EveryParameterSaysWhatItIs) {
  const ordered_json all = listed();
  for (const auto& entries : all) {
    for (const auto& entry : entries) {
      if (!entry.contains("parameters")) continue;
      for (const auto& p : entry.at("parameters")) {
        if (!p.contains("doc")) continue;  // of a NIC: values of keys that `parameters` describes
        std::istringstream words(p.at("doc").get<std::string>());
        const std::vector<std::string> found{std::istream_iterator<std::string>(words), {}};
        EXPECT_GE(found.size(), 4u) << entry.at("name") << " " << p;
      }
    }
  }
}

/// Keys by the name of their entry.
std::multimap<std::string, std::string> keys_in(const ordered_json& entries) {
  std::multimap<std::string, std::string> keys;
  for (const auto& e : entries) {
    for (const auto& p : e.at("parameters")) keys.emplace(e.at("name"), p.at("key"));
  }
  return keys;
}

TEST(List, OneNameIsFoundWhereverItStands) {
  using Keys = std::multimap<std::string, std::string>;
  const auto keys_called = [](const char* name) {
    return keys_in(listed({"parameters", name}).at("parameters"));
  };
  EXPECT_EQ(keys_called("fetch.prefetch"), (Keys{{"rnic", "fetch.prefetch"}}));
  EXPECT_EQ(keys_called("sim.seed"), (Keys{{"sim", "seed"}}));
  EXPECT_EQ(keys_called("rto_low"),
            (Keys{{"rnic", "reliability.rto_low"}, {"rnic", "reliability.rto_low_packets"}}));
  for (const auto& [entry, key] : keys_called("congestion.swift")) {
    EXPECT_EQ(entry, "rnic");
    EXPECT_TRUE(key == "congestion.swift" || key.starts_with("congestion.swift.")) << key;
  }
  // An entry's own name gives the whole entry, in every section that has one.
  const ordered_json drill = listed({"policies", "drill"});
  ASSERT_EQ(drill.at("policies").size(), 1u);
  EXPECT_EQ(drill.at("policies")[0].at("name"), "drill");
  EXPECT_EQ(listed({"parameters", "sim"}).at("parameters").size(), 1u);
  EXPECT_EQ(listed({"chips", "tofino2"}).size(), 1u);
}

TEST(List, KeysOfTheNicAreFoundAsPlatformsNameThem) {
  const ordered_json engine = listed({"parameters", "nic.engine"});
  EXPECT_EQ(engine, listed({"parameters", "engine"}));
  const auto& keys = engine.at("parameters").at(0).at("parameters");
  ASSERT_EQ(keys.size(), 16u);
  EXPECT_EQ(keys.at(0).at("type"), "table");
  for (std::size_t i = 1; i < keys.size(); ++i)
    EXPECT_FALSE(keys.at(i).at("source").get<std::string>().empty()) << keys.at(i);
}

TEST(List, QuantitiesSayUnitAndMeaning) {
  const ordered_json quantities = listed({"quantities"}).at("quantities");
  names_in(quantities);
  for (const auto& q : quantities) EXPECT_FALSE(q.at("unit").get<std::string>().empty()) << q;
  const ordered_json waits = listed({"quantities", "pcie_wait"}).at("quantities");
  EXPECT_EQ(names_in(waits),
            (std::set<std::string>{"nics.pcie_wait_tag", "nics.pcie_wait_credit",
                                   "nics.pcie_wait_upstream", "nics.pcie_wait_downstream"}));
}

TEST(List, AnUnknownNameGetsTheNearest) {
  const Workplace place;
  const Ended ended = run(place, {"list", "parameters", "fetch.prefech"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(ended.err,
            "horae: list: nothing is called 'fetch.prefech', did you mean 'fetch.prefetch'?\n");
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
    EXPECT_EQ(e.at("name"), file.stem().string());
    EXPECT_EQ(e.at("doc").get<std::string>().find("cannot be read"), std::string::npos) << e;
  }
  EXPECT_EQ(found, shipped);
  EXPECT_TRUE(found.contains("cx7_spray.toml"));
  // As text: in columns, and the file under what the platform is.
  const Workplace place;
  const std::string text = run(place, {"list", "platforms"}).out;
  std::size_t widest = 0;
  for (const auto& e : entries) widest = std::max(widest, e.at("name").get<std::string>().size());
  for (const auto& e : entries) {
    const std::string line =
        fmt::format("\n  {:<{}} {}\n  {:<{}} {}\n", e.at("name").get<std::string>(), widest,
                    e.at("doc").get<std::string>(), "", widest, e.at("file").get<std::string>());
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
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
  std::size_t unverified = 0, quantities = 0;
  const ordered_json* mtu = nullptr;
  const ordered_json* nack_delay = nullptr;
  for (const auto& table : tables) {
    for (const auto& p : table.at("parameters")) {
      const std::string type = p.at("type");
      EXPECT_FALSE(type.empty()) << p;
      if (type == "time" || type == "rate" || type == "bytes" || type == "frequency") {
        // "0 ps .. 1 s" or ">= 1 ns": none of these means anything below zero.
        EXPECT_TRUE(std::regex_search(p.value("range", ""), std::regex("^(>= )?[0-9]"))) << p;
        ++quantities;
      }
      if (p.contains("verified")) {
        ++unverified;
        EXPECT_EQ(p.at("verified"), false) << p;
        EXPECT_TRUE(p.contains("source")) << "an assumption says why: " << p;
      }
      if (table.at("name") == "rnic" && p.at("key") == "mtu") mtu = &p;
      if (table.at("name") == "rnic" && p.at("key") == "nack_delay") nack_delay = &p;
    }
  }
  EXPECT_GT(quantities, 200u);
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
