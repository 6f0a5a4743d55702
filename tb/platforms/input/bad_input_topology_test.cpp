// Bad input: generated topologies, routing and failures.
#include "bad_input.hpp"

namespace horae::test::bad_input_topology_test {
namespace {

// clang-format off
const std::vector<BrokenFile> faults = {
{"LeafSpineUnknownKey",
R"(host = "end")",
R"(hosts = "end")",
"p.toml:<hosts>: unknown key 'hosts' in [leaf_spine], did you mean 'host'?"},
{"LeafSpineOutOfRange",
R"(host = "end")",
R"(host = "end"
leaves = 0)",
"p.toml:<0>: leaves = 0 is below the minimum 1"},
{"LeafSpineProfile",
R"(spine = "plain")",
R"(spine = "plan")",
"p.toml:<\"plan\">: unknown profile 'plan', did you mean 'plain'?"},
{"LeafSpineMissing",
R"(spine = "plain"
)",
"",
"p.toml:<[leaf_spine]>: missing key 'spine' in [leaf_spine]: profile of the spines"},
{"LeafSpineNameTaken",
R"(spine = "plain"
)",
R"(spine = "plain"

[[device]]
names = ["h0"]
profile = "end"
)",
"p.toml:<\"h0\">: device 'h0' is there already"},
{"FatTreeOddK",
R"([leaf_spine]
host = "end"
leaf = "plain"
spine = "plain")",
R"([fat_tree]
k = 5
host = "end"
edge = "plain"
aggregation = "plain"
core = "plain")",
"p.toml:<5>: k = 5 is odd; a fat-tree has an even k"},
{"FatTreeMissing",
R"([leaf_spine]
host = "end"
leaf = "plain"
spine = "plain")",
R"([fat_tree]
host = "end"
edge = "plain"
core = "plain")",
"p.toml:<[fat_tree]>: missing key 'aggregation' in [fat_tree]: profile of the aggregation switches"},
{"FatTreeBesideLeafSpine",
R"(spine = "plain"
)",
R"(spine = "plain"

[fat_tree]
host = "end"
edge = "plain"
aggregation = "plain"
core = "plain"
)",
"p.toml:<[fat_tree]\nhost = ^\"end\">: device 'h0' is there already"},
{"JellyfishWithoutPorts",
R"([leaf_spine]
host = "end"
leaf = "plain"
spine = "plain")",
R"([jellyfish]
hosts = 640
host = "end"
switch = "plain")",
"p.toml:<[jellyfish]>: ports = 8 leaves no port to another switch beside 8 hosts"},
{"JellyfishImpossible",
R"([leaf_spine]
host = "end"
leaf = "plain"
spine = "plain")",
R"([jellyfish]
switches = 5
hosts = 5
host = "end"
switch = "plain")",
"p.toml:<[jellyfish]>: ports = 8 gives a switch 7 links to the 4 others; two switches have one link at most"},
{"RoutingUnknown",
R"([leaf_spine]
host = "end"
leaf = "plain"
spine = "plain")",
R"([jellyfish]
host = "end"
switch = "plain"
[routing]
kind = "kps")",
"p.toml:<\"kps\">: kind: unknown choice 'kps', did you mean 'ksp'?"},
{"FailuresTooOften",
R"([leaf_spine]
host = "end"
leaf = "plain"
spine = "plain")",
R"([jellyfish]
host = "end"
switch = "plain"
[failures]
interval = "1 us"
[sim]
duration = "1000 ms")",
"p.toml:<\"1 us\">: more than 100000 intervals of 1 us in duration = 1 s"},
};
// clang-format on

class BadTopology : public ::testing::TestWithParam<BrokenFile> {};

TEST_P(BadTopology, IsRefusedAtTheFault) { expect_refused(clos, GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, BadTopology, ::testing::ValuesIn(faults), name_of_case);

}  // namespace
}  // namespace horae::test::bad_input_topology_test
