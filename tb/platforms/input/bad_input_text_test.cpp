// Bad input: how a file reads: syntax, tables, types and units.
#include "bad_input.hpp"

namespace horae::test::bad_input_text_test {
namespace {

// clang-format off
const std::vector<BrokenFile> faults = {
{"SyntaxValueMissing",
R"(duration = "20 us")",
"duration =",
"p.toml:<duration =^>: Error while parsing key-value pair: expected value, saw '\\n'"},
{"SyntaxTextNotClosed",
R"("20 us")",
R"("20 us)",
"p.toml:<us^>: Error while parsing string: unescaped control characters other than TAB (U+0009) are explicitly prohibited"},
{"SyntaxHeaderNotClosed",
"[sim]",
"[sim",
"p.toml:<sim^>: Error while parsing table header: expected ']', saw '\\n'"},
{"SyntaxKeyTwice",
R"(warmup = "5 us")",
R"(duration = "5 us")",
"p.toml:<\"5 us\">: Error while parsing key-value pair: cannot redefine existing string 'duration'"},
{"SyntaxTableTwice",
"[nic.reliability]",
"[sim]",
"p.toml:<transport = \"rnic_sr\"\n\n^[sim]>: Error while parsing table header: cannot redefine existing table 'sim'"},
{"PlatformMissing",
R"([platform]
name = "full"
)",
"",
"p.toml: missing table [platform] with the platform's 'name'"},
{"TableMisspelt",
"[sim]",
"[smi]",
"p.toml:<[smi]>: 'smi' has no 'kind', as a profile must, did you mean 'sim'?"},
{"TableWithoutKind",
R"([end]
kind = "host")",
"[end]",
"p.toml:<[end]>: 'end' has no 'kind', as a profile must; a platform has plugins, plugins_content, platform, sim, link_default, link, device, leaf_spine, fat_tree, jellyfish, two_sites, ns3_topology, htsim_topology, routing, classes, impairment, impairment_group, module, host_memory, event, failures, traffic, sweep, size, explain and profiles with a 'kind'"},
{"TableUnlikeAny",
"[platform]",
R"([cables]
length = 3
[platform])",
"p.toml:<[cables]>: 'cables' has no 'kind', as a profile must; a platform has plugins, plugins_content, platform, sim, link_default, link, device, leaf_spine, fat_tree, jellyfish, two_sites, ns3_topology, htsim_topology, routing, classes, impairment, impairment_group, module, host_memory, event, failures, traffic, sweep, size, explain and profiles with a 'kind'"},
{"KeyOutsideTables",
"[platform]",
R"(speed = 3
[platform])",
"p.toml:<3>: 'speed' is not a table of a platform, did you mean 'sweep'?"},
{"TableIsText",
R"([platform]
name = "full"

[sim]
duration = "20 us"
warmup = "5 us")",
R"(sim = "short"
[platform]
name = "full")",
R"(p.toml:<"short">: sim: expected a table [sim], found text "short")"},
{"UnknownInPlatform",
R"(name = "full")",
R"(nam = "full")",
"p.toml:<nam>: unknown key 'nam' in [platform], did you mean 'name'?"},
{"NumberForText",
R"(name = "full")",
"name = 7",
"p.toml:<7>: name: expected a text in quotes, found integer 7"},
{"TextForInteger",
"window = 64",
R"(window = "64")",
R"(p.toml:<"64">: window: expected an integer, found text "64")"},
{"TextForNumber",
"load = 0.5",
R"(load = "half")",
R"(p.toml:<"half">: load: expected a number such as 0.25 or "1/256", found text "half")"},
{"FractionalInteger",
"nack_of = 2",
"nack_of = 2.5",
"p.toml:<2.5>: nack_of: expected an integer, found number 2.5"},
{"TextForList",
R"(names = ["t"])",
R"(names = "t")",
R"(p.toml:<"t">: names: expected an array of text values, found text "t")"},
{"ListOfNumbers",
R"(from = ["a"])",
"from = [1]",
"p.toml:<1]>: from[0]: expected a text in quotes, found integer 1"},
{"TableForTables",
R"([[device]]
names = ["a", "b"]
profile = "nic"
[[device]]
names = ["t"]
profile = "chip"
[[device]]
names = ["s"]
profile = "plain"
[[device]])",
"[device]",
"p.toml:<[device]>: device: expected an array of tables [[device]], found a table"},
{"NumberForTime",
R"(duration = "20 us")",
"duration = 20",
R"(p.toml:<20>: duration: expected a time such as "1.5 us", found integer 20)"},
{"UnitMissing",
R"("20 us")",
R"("20")",
R"(p.toml:<"20">: duration: expected a time such as "1.5 us", found "20" without a unit)"},
{"UnitUnknown",
R"("20 us")",
R"("20 usec")",
R"(p.toml:<"20 usec">: duration: unknown unit 'usec' in "20 usec"; expected one of s, ms, us, ns, ps)"},
{"UnitOfAnother",
R"(delay = "100 ns")",
R"(delay = "100 KiB")",
R"(p.toml:<"100 KiB">: delay: unknown unit 'KiB' in "100 KiB"; expected one of s, ms, us, ns, ps)"},
{"UnitOfWrongCase",
R"("100 Gbps")",
R"("100 gbps")",
R"(p.toml:<"100 gbps">: rate: unknown unit 'gbps' in "100 gbps", did you mean 'Gbps'?)"},
{"NotWholeBaseUnit",
R"(delay = "100 ns")",
R"(delay = "0.0001 ns")",
R"(p.toml:<"0.0001 ns">: delay: "0.0001 ns" is not a whole number of picoseconds)"},
{"MissingName",
R"(name = "full")",
"",
"p.toml:<[platform]>: missing key 'name' in [platform]: short name, used for result folders"},
{"NameOfKind",
R"(kind = "switch")",
R"(kind = "swich")",
"p.toml:<\"swich\">: unknown kind 'swich', did you mean 'switch'?"},
{"NameOfKindUnlikeAny",
R"(kind = "switch")",
R"(kind = "toaster")",
"p.toml:<\"toaster\">: unknown kind 'toaster'; expected one of rnic, tofino, switch, host"},
};
// clang-format on

class BadText : public ::testing::TestWithParam<BrokenFile> {};

TEST_P(BadText, IsRefusedAtTheFault) { expect_refused(full, GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, BadText, ::testing::ValuesIn(faults), name_of_case);

/// Else every refusal above would prove nothing.
TEST(Platforms, AreAcceptedUnbroken) {
  for (const std::string& text : {full, clos}) {
    const Workplace place;
    place.write("p.toml", text);
    const Ended ended = run(place, {"run", "p.toml", "--set", "sim.duration=10us"});
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_EQ(ended.err, "");
    EXPECT_NE(ended.out, "");
    EXPECT_EQ(place.content(), Words{"p.toml"});
  }
}

}  // namespace
}  // namespace horae::test::bad_input_text_test
