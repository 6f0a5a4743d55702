// NIC files: what is shipped, what a profile makes of them, and how a bad one is refused.
#include "horae/rnic/nic_spec.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "horae/core/error.hpp"
#include "horae/params/document.hpp"
#include "horae/params/schema.hpp"
#include "horae/rnic/nic_budget.hpp"

namespace horae::rnic::nic_spec_test {
namespace {

RnicConfig profile(const std::string& toml) {
  return read_rnic(Document::parse(toml, "p.toml").root());
}

nlohmann::ordered_json dump(const RnicConfig& config) { return RnicConfig::schema().dump(config); }

TEST(NicSpec, ShippedOnesAreThoseOfTheFolderAndSound) {
  EXPECT_EQ(NicSpec::shipped(),
            (std::vector<std::string>{"connect_ib", "connectx5", "connectx6", "connectx7",
                                      "connectx8", "hypothetical", "thor_ultra"}));
  for (const auto& name : NicSpec::shipped()) {
    const NicSpec spec = NicSpec::find({name, {}});
    EXPECT_FALSE(spec.description.empty());
    EXPECT_FALSE(spec.ranges.empty());
    // Every value says where it comes from.
    const auto check = [&](const auto& self, const nlohmann::ordered_json& table,
                           const std::string& prefix) -> void {
      for (const auto& [key, value] : table.items()) {
        if (value.is_object())
          self(self, value, prefix + key + ".");
        else
          EXPECT_FALSE(spec.source_of(prefix + key).empty()) << name << ": " << prefix << key;
      }
    };
    check(check, spec.nic.to_json(), "");
  }
}

TEST(NicSpec, ConnectX7IsWhatIsPublished) {
  const RnicConfig c = NicSpec::find({"connectx7", {}}).config();
  EXPECT_EQ(c.reliability.window, 512u);
  EXPECT_EQ(c.reliability.rto, 4_ms);
  EXPECT_EQ(c.transport, "rnic_sr");
  EXPECT_EQ(c.sram.rx_buffer, Bytes(4'151'520));
  EXPECT_TRUE(nic_budget(c.sram, {.groups = {{8, 128, 64_KiB}}}).all_cached());
}

// The purpose of this NIC.
TEST(NicSpec, TheHypotheticalOneHoldsTenThousandQueuePairs) {
  const auto most = [](const char* name) {
    const RnicConfig c = NicSpec::find({name, {}}).config();
    return nic_budget(c.sram, {.groups = {{1, 128, 64_KiB}}, .window = c.reliability.window})
        .most_cached;
  };
  EXPECT_GE(most("hypothetical"), 10'000);
  EXPECT_LT(most("connectx5"), 2'000);
}

TEST(NicSpec, AProfileOverridesItsSpecAndTheSpecTheDefaults) {
  const RnicConfig plain = profile("");
  const RnicConfig cx5 = profile("spec = \"connectx5\"");
  EXPECT_EQ(cx5.reliability.window, 128u);
  EXPECT_EQ(cx5.transport, "go_back_n");
  EXPECT_EQ(cx5.spec, "connectx5");
  EXPECT_EQ(cx5.mtu, plain.mtu);
  const RnicConfig own = profile(
      "spec = \"connectx5\"\nmtu = \"4 KiB\"\n[reliability]\nwindow = 64\n[sram]\ntotal = "
      "\"1 MiB\"\n");
  auto expected = dump(cx5);
  expected["mtu"] = "4 KiB";
  expected["reliability"]["window"] = 64;
  expected["sram"]["total"] = "1 MiB";
  EXPECT_EQ(dump(own), expected);
}

TEST(NicSpec, APathIsRelativeToTheFileThatNamesIt) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / "nic_spec_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "mine.toml") << "name = \"mine\"\ndescription = \"one of my own\"\n"
                                         "[nic]\nmtu = \"2 KiB\"\n";
  const auto document =
      Document::parse("spec = \"mine.toml\"", (folder / "platform.toml").string());
  EXPECT_EQ(read_rnic(document.root()).mtu, 2_KiB);
  std::filesystem::remove_all(folder);
}

TEST(NicSpec, AKeyOfAnOptionalTableLeavesItsOtherKeysAsTheFileHasThem) {
  const auto file = NicSpec::find({"connectx7", {}}).config();
  const auto config =
      read_rnic(Document::parse("spec = \"connectx7\"\nengine.ahead = \"3 KiB\"", "p.toml").root());
  ASSERT_TRUE(file.engine);
  ASSERT_TRUE(config.engine);
  EXPECT_NE(file.engine->ahead, 3_KiB);
  auto expected = *file.engine;
  expected.ahead = 3_KiB;
  EXPECT_EQ(EngineConfig::schema().dump(*config.engine), EngineConfig::schema().dump(expected));
}

struct BadSpec {
  const char* name;
  const char* toml;
  const char* message;
};
class BadNic : public ::testing::TestWithParam<BadSpec> {};

TEST_P(BadNic, IsRefusedWithItsPlace) {
  const std::string head = "name = \"n\"\ndescription = \"d\"\n";
  try {
    NicSpec::read(Document::parse(head + GetParam().toml, "n.toml").root());
    FAIL() << "not refused";
  } catch (const InputError& e) {
    EXPECT_EQ(std::string(e.what()), GetParam().message);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BadNic,
    ::testing::Values(
        BadSpec{"NoValues", "",
                "n.toml: missing key 'nic' at the top level: keys of an rnic profile"},
        BadSpec{"UnknownKey", "[nic]\nmtuu = \"1 KiB\"\n",
                "n.toml:4:1: unknown key 'mtuu' in [nic], did you mean 'mtu'?"},
        BadSpec{"OutOfRange", "[nic.sram]\ntotal = \"1 KiB\"\n",
                "n.toml:4:9: total = 1 KiB is below the minimum 4 KiB"},
        BadSpec{"AnotherSpec", "[nic]\nspec = \"connectx7\"\n",
                "n.toml:4:8: a NIC file names no other"},
        BadSpec{"RangeOfNothing",
                "[nic]\n[[range]]\nkey = \"sram.totl\"\nlow = \"1 MiB\"\nhigh = \"2 MiB\"\n"
                "source = \"s\"\n",
                "n.toml:5:7: 'sram.totl' is no parameter of an rnic profile, did you mean "
                "'sram.total'?"},
        BadSpec{"RangeOfAText",
                "[nic]\n[[range]]\nkey = \"transport\"\nlow = \"a\"\nhigh = \"b\"\nsource = "
                "\"s\"\n",
                "n.toml:5:7: 'transport' has no range: it is no number"},
        BadSpec{"UpsideDown",
                "[nic]\n[[range]]\nkey = \"mtu\"\nlow = \"4 KiB\"\nhigh = \"1 KiB\"\nsource = "
                "\"s\"\n",
                "n.toml:6:7: range of mtu: low = \"4 KiB\" is above high = \"1 KiB\""},
        BadSpec{"TwoRanges",
                "[nic]\n[[range]]\nkey = \"mtu\"\nlow = \"1 KiB\"\nhigh = \"4 KiB\"\nsource = "
                "\"s\"\n[[range]]\nkey = \"mtu\"\nlow = \"256 B\"\nhigh = \"4 KiB\"\nsource = "
                "\"t\"\n",
                "n.toml:10:7: mtu has two ranges, the first in line 5"},
        BadSpec{"TwoTablesOfAClass",
                "[nic]\n[[nic.class]]\nnumber = 1\n[[nic.class]]\nnumber = 1\n",
                "n.toml:7:10: class 1 has two tables"},
        BadSpec{"ValueOutside",
                "[nic]\nmtu = \"256 B\"\n[[range]]\nkey = \"mtu\"\nlow = \"1 KiB\"\nhigh = \"4 "
                "KiB\"\nsource = \"s\"\n",
                "n.toml:6:7: mtu = 256 B is outside its range, 1 KiB to 4 KiB"},
        BadSpec{"SourceOfNothing", "[nic]\n[sources]\nmtuu = \"s\"\n",
                "n.toml:5:8: 'mtuu' is no parameter of an rnic profile, did you mean 'mtu'?"},
        BadSpec{"BadEnd",
                "[nic]\n[[range]]\nkey = \"reliability.window\"\nlow = \"0\"\nhigh = \"4\"\nsource "
                "= \"s\"\n",
                "n.toml:6:7: range of reliability.window: --set reliability.window: window = 0 is "
                "below the minimum 1"}),
    [](const auto& p) { return std::string(p.param.name); });

TEST(NicSpec, ARangeMayBeOneValue) {
  EXPECT_NO_THROW(NicSpec::read(
      Document::parse("name = \"n\"\ndescription = \"d\"\n[nic]\nmtu = \"1 KiB\"\n[[range]]\n"
                      "key = \"mtu\"\nlow = \"1 KiB\"\nhigh = \"1 KiB\"\nsource = \"s\"\n",
                      "n.toml")
          .root()));
}

TEST(NicSpec, AnUnknownNameIsRefusedWithTheNearest) {
  try {
    profile("spec = \"conectx7\"");
    FAIL() << "not refused";
  } catch (const InputError& e) {
    EXPECT_EQ(std::string(e.what()),
              "p.toml:1:8: spec = \"conectx7\" is none of connect_ib, connectx5, connectx6, "
              "connectx7, connectx8, hypothetical, thor_ultra and "
              "no .toml file, did you mean 'connectx7'?");
  }
}

}  // namespace
}  // namespace horae::rnic::nic_spec_test
