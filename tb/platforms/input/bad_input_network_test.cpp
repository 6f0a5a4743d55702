// Bad input: devices and the links between them.
#include "bad_input.hpp"

namespace horae::test::bad_input_network_test {
namespace {

// clang-format off
const std::vector<BrokenFile> faults = {
{"UnknownInHost",
R"(kind = "host")",
R"(kind = "host"
mtu = "1 KiB")",
"p.toml:<kind = \"host\"\n^mtu>: unknown key 'mtu' in [end]; expected one of kind"},
{"UnknownInLinkDefault",
"rate =",
"rates =",
"p.toml:<rates>: unknown key 'rates' in [link_default], did you mean 'rate'?"},
{"UnknownInDevice",
R"(names = ["t"])",
R"(names = ["t"]
port = 3)",
"p.toml:<port = 3>: unknown key 'port' in [device]; expected one of names, profile, site"},
{"UnknownInLink",
"loss =",
"lost =",
"p.toml:<lost>: unknown key 'lost' in [link], did you mean 'loss'?"},
{"UnknownInOutage",
R"(from = "1 us")",
R"(form = "1 us")",
"p.toml:<form =>: unknown key 'form' in [link.outage], did you mean 'from'?"},
{"RangeLoss",
"loss = 0.01",
"loss = 1.5",
"p.toml:<1.5>: loss = 1.5 is above the maximum 1"},
{"RangeRate",
R"("100 Gbps")",
R"("100 Mbps")",
"p.toml:<\"100 Mbps\">: rate = 100 Mbps is below the minimum 1 Gbps"},
{"RangeDelay",
R"(delay = "100 ns")",
R"(delay = "0 ns")",
"p.toml:<\"0 ns\">: delay = 0 ps is below the minimum 1 ns"},
{"MissingProfile",
R"(names = ["t"]
profile = "chip")",
R"(names = ["t"])",
"p.toml:<profile = \"nic\"\n^[[device]]>: missing key 'profile' in [device]: the table that describes them"},
{"MissingBetween",
R"(between = ["t", "s"])",
"",
"p.toml:<outage = [{ from = \"1 us\", to = \"2 us\" }]\n^[[link]]>: missing key 'between' in [link]: the two devices' names"},
{"MissingOutageEnd",
R"(, to = "2 us")",
"",
"p.toml:<{ from>: missing key 'to' in [link.outage]: time at which the outage ends"},
{"NameOfProfile",
R"(profile = "chip")",
R"(profile = "chp")",
"p.toml:<\"chp\">: unknown profile 'chp', did you mean 'chip'?"},
{"NameOfDeviceInLink",
R"(between = ["h", "t"])",
R"(between = ["hh", "t"])",
"p.toml:<\"hh\">: unknown device 'hh'; expected one of a, b, t, s, h, i"},
{"DeviceTwice",
R"(names = ["s"])",
R"(names = ["s", "a"])",
"p.toml:<\"a\"]>: device 'a' is there already"},
{"DeviceNamedLikeClock",
R"(names = ["s"])",
R"(names = ["s", "clock"])",
"p.toml:<\"clock\">: 'clock' is no device name: the simulator has one"},
{"DeviceNameBad",
R"(names = ["s"])",
R"(names = ["s.1"])",
"p.toml:<\"s.1\">: 's.1' is no device name: expected letters, digits and _, not starting with a digit"},
{"DeviceNameStartsWithDigit",
R"(names = ["s"])",
R"(names = ["1s"])",
"p.toml:<\"1s\">: '1s' is no device name: expected letters, digits and _, not starting with a digit"},
{"DeviceNameEmpty",
R"(names = ["s"])",
R"(names = [""])",
"p.toml:<\"\">: '' is no device name: expected letters, digits and _, not starting with a digit"},
{"LinkToItself",
R"(between = ["t", "s"])",
R"(between = ["t", "t"])",
"p.toml:<[\"t\", \"t\"]>: 't' is linked to itself"},
{"LinkOfThree",
R"(between = ["t", "s"])",
R"(between = ["t", "s", "a"])",
"p.toml:<[\"t\", \"s\", \"a\"]>: 3 names in 'between'; expected two"},
{"NameOfManyDevices",
R"(names = ["s"])",
R"(names = ["s", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13", "s14", "s15", "s16", "s17", "s18", "s19"]
profile = "plain"
[[link]]
between = ["nobody", "t"]
[[device]]
names = ["r"])",
"p.toml:<\"nobody\">: unknown device 'nobody'; it is none of the 27 devices"},
{"LinkOfOne",
R"(between = ["t", "s"])",
R"(between = ["t"])",
"p.toml:<between = ^[\"t\"]>: 1 names in 'between'; expected two"},
{"DeviceWithoutLink",
R"(names = ["s"])",
R"(names = ["s", "s2"])",
"p.toml:<\"s2\">: device 's2' has no link"},
{"NicWithTwoLinks",
R"(between = ["t", "s"])",
R"(between = ["t", "s"]
[[link]]
between = ["a", "s"])",
"p.toml:<[\"a\", \"s\"]>: 'a' has one port, and a link already"},
{"NicWithTooFewLinks",
R"(mtu = "1 KiB")",
R"(mtu = "1 KiB"
ports = 2)",
"p.toml:<\"a\">: device 'a' has 2 ports (ports of profile 'nic'), but one link; expected a link for each"},
{"PortsOfOne",
R"(mtu = "1 KiB")",
R"(mtu = "1 KiB"
port_choice = "rail")",
"p.toml:<\"rail\">: port_choice is of a NIC with several ports; expected ports = 2 or more"},
{"NoPath",
R"([[link]]
between = ["t", "s"]
)",
"",
"p.toml:<\"a\">: there is no path from 'a' to 'b'"},
{"NoDevices",
R"([[device]]
names = ["a", "b"]
profile = "nic"
[[device]]
names = ["t"]
profile = "chip"
[[device]]
names = ["s"]
profile = "plain"
[[device]]
names = ["h", "i"]
profile = "end"

[[link]]
between = ["a", "t"]
loss = 0.01
outage = [{ from = "1 us", to = "2 us" }]
[[link]]
between = ["t", "s"]
[[link]]
between = ["b", "s"]
[[link]]
between = ["h", "t"]
[[link]]
between = ["i", "s"]

)",
"",
"p.toml: no devices: expected [[device]] and [[link]] tables, [leaf_spine], [fat_tree], [jellyfish], [two_sites], [ns3_topology] or [htsim_topology]"},
{"TooManyPorts",
"ecn_kmin =",
R"(pipelines = 1
ports_per_pipeline = 2
ecn_kmin =)",
"p.toml:<\"t\">: device 't' has 3 links, but profile 'chip' gives its chip 2 ports"},
{"TooFewPortsPlaced",
"ecn_kmin =",
R"(pipeline_of_port = [0, 1]
ecn_kmin =)",
"p.toml:<\"t\">: device 't' has 3 links, but profile 'chip' gives its chip 2 ports"},
{"OutageEndsBeforeItBegins",
R"(to = "2 us")",
R"(to = "1 us")",
"p.toml:<\"1 us\" }>: to = 1 us is not after from = 1 us"},
};
// clang-format on

class BadNetwork : public ::testing::TestWithParam<BrokenFile> {};

TEST_P(BadNetwork, IsRefusedAtTheFault) { expect_refused(full, GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, BadNetwork, ::testing::ValuesIn(faults), name_of_case);

}  // namespace
}  // namespace horae::test::bad_input_network_test
