// Bad input: modules on links.
#include "bad_input.hpp"

namespace horae::test::bad_input_module_test {
namespace {

/// The platform of all faults with a module on its first link.
const std::string with_module = [] {
  std::string text = full;
  text.insert(text.find("[sweep]"), R"([[module]]
name = "m"
kind = "delay"
between = ["a", "t"]
latency = "10 ns"

)");
  return text;
}();

// clang-format off
const std::vector<BrokenFile> faults = {
{"UnknownKind",
R"(kind = "delay")",
R"(kind = "dely")",
"p.toml:<\"dely\">: unknown kind of module 'dely', did you mean 'delay'?"},
{"UnknownKeyOfTheKind",
"latency =",
"latncy =",
"p.toml:<latncy>: unknown key 'latncy' in [module], did you mean 'latency'?"},
{"UnknownKeyOfAll",
"latency = \"10 ns\"",
"lnk = 0",
"p.toml:<lnk>: unknown key 'lnk' in [module], did you mean 'link'?"},
{"Range",
R"(latency = "10 ns")",
R"(latency = "2 s")",
"p.toml:<\"2 s\">: latency = 2 s is above the maximum 1 s"},
{"Unit",
R"(latency = "10 ns")",
R"(latency = "10 B")",
"p.toml:<\"10 B\">: latency: unknown unit 'B' in \"10 B\"; expected one of s, ms, us, ns, ps"},
{"MissingName",
R"(name = "m"
kind)",
"kind",
"p.toml:<[[module]]>: missing key 'name' in [module]: what results call it"},
{"NameIsNone",
R"(name = "m")",
R"(name = "m-1")",
"p.toml:<\"m-1\">: 'm-1' is no module name: expected letters, digits and _, not starting with a digit"},
{"NameOfADevice",
R"(name = "m")",
R"(name = "t")",
"p.toml:<= ^\"t\">: device 't' is there already"},
{"NameOfAModule",
"[[module]]\n",
"[[module]]\nname = \"m\"\nkind = \"delay\"\nbetween = [\"t\", \"s\"]\n[[module]]\n",
"p.toml:<between = [\"t\", \"s\"]\n[[module]]\nname = ^\"m\">: module 'm' is there already"},
{"OneEnd",
R"(between = ["a", "t"]
latency)",
R"(between = ["a"]
latency)",
"p.toml:<between = ^[\"a\"]>: 1 names in 'between'; expected two"},
{"UnknownEnd",
R"(between = ["a", "t"]
latency)",
R"(between = ["a", "tt"]
latency)",
"p.toml:<\"tt\">: unknown device 'tt'; expected one of a, b, t, s, h, i"},
{"NoLink",
R"(between = ["a", "t"]
latency)",
R"(between = ["a", "s"]
latency)",
"p.toml:<[\"a\", \"s\"]>: there is no link between 'a' and 's'"},
{"TwoOnALink",
"[[module]]\n",
"[[module]]\nname = \"n\"\nkind = \"delay\"\nbetween = [\"t\", \"a\"]\n[[module]]\n",
"p.toml:<kind = \"delay\"\nbetween = ^[\"a\", \"t\"]>: the link between 'a' and 't' has a module already"},
{"SeveralLinks",
"[[link]]\nbetween = [\"t\", \"s\"]\n",
"[[link]]\nbetween = [\"t\", \"s\"]\n[[link]]\nbetween = [\"t\", \"s\"]\n[[module]]\nname = \"n\"\nkind = \"delay\"\nbetween = [\"t\", \"s\"]\n",
"p.toml:<kind = \"delay\"\nbetween = ^[\"t\", \"s\"]>: there are 2 links between 't' and 's'; expected 'link', 0 to 1"},
{"LinkNumber",
"latency =",
"link = 1\nlatency =",
"p.toml:<link = ^1>: link = 1, but there is one link between 'a' and 't'; expected 0"},
{"Window",
R"(duration = "20 us")",
R"(window = "51 ns"
duration = "20 us")",
"p.toml:<\"51 ns\">: window = 51 ns is longer than half of the delay of a link with a module, 50 ns"},
{"ParameterOfAnotherKind",
R"(kind = "delay")",
R"(kind = "burst_loss")",
"p.toml:<latency>: unknown key 'latency' in [module]; expected one of enter, leave, loss, packets, direction, name, kind, between, link"},
{"RequiredOfTheKind",
R"(kind = "delay"
between = ["a", "t"]
latency = "10 ns")",
R"(kind = "burst_loss"
between = ["a", "t"]
leave = 0.5)",
"p.toml:<[[module]]>: missing key 'enter' in [module]: probability that a burst begins with a packet, outside of one"},
};
// clang-format on

class BadModule : public ::testing::TestWithParam<BrokenFile> {};

TEST_P(BadModule, IsRefusedAtTheFault) { expect_refused(with_module, GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, BadModule, ::testing::ValuesIn(faults), name_of_case);

TEST(BadModule, RunsInOneRank) {
  const Workplace place;
  place.write("p.toml", with_module.substr(0, with_module.find("[sweep]")));
  expect_refused(place, {"run", "p.toml", "--ranks", "2"},
                 "p.toml:86:1: module 'm' runs in one process, not in 2 ranks; expected --ranks 1");
}

}  // namespace
}  // namespace horae::test::bad_input_module_test
