// What a user can get wrong: every fault is one line on stderr that says where, what was found and
// what was expected, ends with exit code 2 and leaves nothing behind.
#include <gtest/gtest.h>

#include "program.hpp"

namespace horae::test::bad_input_test {
namespace {

/// A platform with every kind of table, in which each case below breaks one thing.
const std::string full = R"([platform]
name = "full"

[sim]
duration = "20 us"
warmup = "5 us"

[nic]
kind = "rnic"
mtu = "1 KiB"
transport = "rnic_sr"

[nic.reliability]
window = 64
rto = "50 us"

[chip]
kind = "tofino"
ecn_kmin = "10 KB"
ecn_kmax = "20 KB"

[chip.program]
name = "forward"
path_choice = "random"
nack_drop = 1
nack_of = 2

[plain]
kind = "switch"
balance = "ecmp"

[plain.ecn]
kmin = "10 KB"
kmax = "20 KB"

[plain.pfc]
xoff = "20 KB"
xon = "10 KB"

[end]
kind = "host"

[link_default]
rate = "100 Gbps"
delay = "100 ns"

[[device]]
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

[[traffic]]
kind = "messages"
from = ["a"]
to = ["b"]
message = "4 KiB"

[[traffic]]
kind = "packets"
pattern = "pairs"
from = ["h"]
to = ["i"]
load = 0.5

[sweep]
title = "both"
[[sweep.point]]
label = "one"
set = ["sim.seed=1"]
[[sweep.point]]
label = "two"
set = ["sim.seed=2"]
[[sweep.column]]
title = "TX"
metric = "senders.tx_share"
[[sweep.published]]
id = "x.tx"
point = "one"
metric = "senders.tx_share"
value = 0.5
source = "a paper"
)";

const std::string clos = R"([platform]
name = "clos"

[end]
kind = "host"

[plain]
kind = "switch"

[leaf_spine]
host = "end"
leaf = "plain"
spine = "plain"
)";

/// The text with the first `find` replaced.
std::string broken(std::string text, const std::string& find, const std::string& replace) {
  const auto at = text.find(find);
  if (at == std::string::npos) throw std::runtime_error("not in the platform: " + find);
  return text.replace(at, find.size(), replace);
}

/// Runs the program in a folder with `platform` as p.toml, somebody's work, and a result that
/// somebody added to; it must refuse with `message`.
void expect_refused(const std::string& platform, const Words& arguments,
                    const std::string& message) {
  const Workplace place;
  place.write("p.toml", platform);
  place.write("work/notes.txt", "precious\n");
  place.write("mixed/notes.txt", "precious\n");
  place.write("mixed/summary.json", "{}\n");
  const Words before = place.content();
  const Ended ended = run(place, arguments);
  EXPECT_EQ(ended.err, "horae: " + message + "\n");
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(place.content(), before);
  EXPECT_EQ(place.read("p.toml"), platform);
  EXPECT_EQ(place.read("work/notes.txt"), "precious\n");
  EXPECT_EQ(place.read("mixed/notes.txt"), "precious\n");
}

struct BrokenFile {
  std::string name, find, replace, message;
};
struct BrokenLine {
  std::string name;
  Words arguments;
  std::string message;
};
void PrintTo(const BrokenFile& c, std::ostream* out) { *out << c.replace; }
void PrintTo(const BrokenLine& c, std::ostream* out) {
  *out << ::testing::PrintToString(c.arguments);
}

const auto name_of_case = [](const auto& info) { return info.param.name; };

class Platform : public ::testing::TestWithParam<BrokenFile> {};
class ClosPlatform : public ::testing::TestWithParam<BrokenFile> {};
class CommandLine : public ::testing::TestWithParam<BrokenLine> {};

TEST_P(Platform, IsRefusedAtTheFault) {
  const BrokenFile& c = GetParam();
  expect_refused(broken(full, c.find, c.replace), {"run", "p.toml", "--out", "out/deep"},
                 c.message);
}
TEST_P(ClosPlatform, IsRefusedAtTheFault) {
  const BrokenFile& c = GetParam();
  expect_refused(broken(clos, c.find, c.replace), {"run", "p.toml", "--out", "out/deep"},
                 c.message);
}
TEST_P(CommandLine, IsRefusedNamingTheArgument) {
  const BrokenLine& c = GetParam();
  expect_refused(full, c.arguments, c.message);
}

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

/// A point that only its own overrides break, run alone.
TEST(Platforms, PointIsRefusedLikeItsSweep) {
  const std::string point = broken(full, "sim.seed=2", "sim.warmup=20us");
  const std::string message =
      "p.toml:92:9: point 'two': --set sim.warmup: warmup = 20 us is not below duration = 20 us";
  expect_refused(point, {"run", "p.toml", "--point", "two"}, message);
  expect_refused(point, {"run", "p.toml", "--jobs", "2"}, message);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Broken, Platform, ::testing::ValuesIn(std::vector<BrokenFile>{
{"SyntaxValueMissing",
R"(duration = "20 us")",
"duration =",
"p.toml:5:11: Error while parsing key-value pair: expected value, saw '\\n'"},
{"SyntaxTextNotClosed",
R"("20 us")",
R"("20 us)",
"p.toml:5:18: Error while parsing string: unescaped control characters other than TAB (U+0009) are explicitly prohibited"},
{"SyntaxHeaderNotClosed",
"[sim]",
"[sim",
"p.toml:4:5: Error while parsing table header: expected ']', saw '\\n'"},
{"SyntaxKeyTwice",
R"(warmup = "5 us")",
R"(duration = "5 us")",
"p.toml:6:12: Error while parsing key-value pair: cannot redefine existing string 'duration'"},
{"SyntaxTableTwice",
"[nic.reliability]",
"[sim]",
"p.toml:13:1: Error while parsing table header: cannot redefine existing table 'sim'"},
{"PlatformMissing",
R"([platform]
name = "full"
)",
"",
"p.toml: missing table [platform] with the platform's 'name'"},
{"TableMisspelt",
"[sim]",
"[smi]",
"p.toml:4:1: 'smi' has no 'kind', as a profile must, did you mean 'sim'?"},
{"TableWithoutKind",
R"([end]
kind = "host")",
"[end]",
"p.toml:40:1: 'end' has no 'kind', as a profile must; tables of a platform are platform, sim, link_default, link, device, leaf_spine, fat_tree, jellyfish, routing, impairment, failures, traffic, sweep, size, explain and profiles with a 'kind'"},
{"TableUnlikeAny",
"[platform]",
R"([cables]
length = 3
[platform])",
"p.toml:1:1: 'cables' has no 'kind', as a profile must; tables of a platform are platform, sim, link_default, link, device, leaf_spine, fat_tree, jellyfish, routing, impairment, failures, traffic, sweep, size, explain and profiles with a 'kind'"},
{"KeyOutsideTables",
"[platform]",
R"(speed = 3
[platform])",
"p.toml:1:9: 'speed' is not a table of a platform, did you mean 'sweep'?"},
{"TableIsText",
R"([platform]
name = "full"

[sim]
duration = "20 us"
warmup = "5 us")",
R"(sim = "short"
[platform]
name = "full")",
R"(p.toml:1:7: sim: expected a table [sim], found text "short")"},
{"UnknownInPlatform",
R"(name = "full")",
R"(nam = "full")",
"p.toml:2:1: unknown key 'nam' in [platform], did you mean 'name'?"},
{"UnknownInSim",
"warmup =",
"warm_up =",
"p.toml:6:1: unknown key 'warm_up' in [sim], did you mean 'warmup'?"},
{"UnknownInNic",
"mtu =",
"mtus =",
"p.toml:10:1: unknown key 'mtus' in [nic], did you mean 'mtu'?"},
{"UnknownInReliability",
"rto =",
"rtos =",
"p.toml:15:1: unknown key 'rtos' in [nic.reliability], did you mean 'rto'?"},
{"UnknownInTofino",
"ecn_kmin =",
"kmin =",
"p.toml:19:1: unknown key 'kmin' in [chip], did you mean 'kind'?"},
{"UnknownInProgram",
"path_choice =",
"path =",
"p.toml:24:1: unknown key 'path' in [chip.program]; expected one of path_choice, burst_log2, spray_responses, nack_drop, nack_of, nack_filter, route_entries, member_entries, name"},
{"UnknownInSwitch",
"balance =",
"balancer =",
"p.toml:30:1: unknown key 'balancer' in [plain], did you mean 'balance'?"},
{"UnknownInEcn",
R"(kmin = "10 KB"
kmax)",
R"(kmim = "10 KB"
kmax)",
"p.toml:33:1: unknown key 'kmim' in [plain.ecn], did you mean 'kmin'?"},
{"UnknownInPfc",
"xoff =",
"x_off =",
"p.toml:37:1: unknown key 'x_off' in [plain.pfc], did you mean 'xoff'?"},
{"UnknownInHost",
R"(kind = "host")",
R"(kind = "host"
mtu = "1 KiB")",
"p.toml:42:1: unknown key 'mtu' in [end]; expected one of kind"},
{"UnknownInLinkDefault",
"rate =",
"rates =",
"p.toml:44:1: unknown key 'rates' in [link_default], did you mean 'rate'?"},
{"UnknownInDevice",
R"(names = ["t"])",
R"(names = ["t"]
port = 3)",
"p.toml:52:1: unknown key 'port' in [device]; expected one of names, profile"},
{"UnknownInLink",
"loss =",
"lost =",
"p.toml:62:1: unknown key 'lost' in [link], did you mean 'loss'?"},
{"UnknownInOutage",
R"(from = "1 us")",
R"(form = "1 us")",
"p.toml:63:13: unknown key 'form' in [link.outage], did you mean 'from'?"},
{"UnknownInMessages",
"message =",
"mesage =",
"p.toml:77:1: unknown key 'mesage' in [traffic], did you mean 'message'?"},
{"UnknownInPackets",
"load =",
"loads =",
"p.toml:84:1: unknown key 'loads' in [traffic], did you mean 'load'?"},
{"UnknownInSweep",
R"(title = "both")",
R"(titel = "both")",
"p.toml:87:1: unknown key 'titel' in [sweep], did you mean 'title'?"},
{"UnknownInPoint",
R"(label = "one")",
R"(labels = "one")",
"p.toml:89:1: unknown key 'labels' in [sweep.point], did you mean 'label'?"},
{"UnknownInColumn",
R"(title = "TX")",
R"(titles = "TX")",
"p.toml:95:1: unknown key 'titles' in [sweep.column], did you mean 'title'?"},
{"UnknownInPublished",
"source =",
"sources =",
"p.toml:102:1: unknown key 'sources' in [sweep.published], did you mean 'source'?"},
{"NumberForText",
R"(name = "full")",
"name = 7",
"p.toml:2:8: name: expected a text in quotes, found integer 7"},
{"TextForInteger",
"window = 64",
R"(window = "64")",
R"(p.toml:14:10: window: expected an integer, found text "64")"},
{"TextForNumber",
"load = 0.5",
R"(load = "half")",
R"(p.toml:84:8: load: expected a number such as 0.25 or "1/256", found text "half")"},
{"FractionalInteger",
"nack_of = 2",
"nack_of = 2.5",
"p.toml:26:11: nack_of: expected an integer, found number 2.5"},
{"TextForList",
R"(names = ["t"])",
R"(names = "t")",
R"(p.toml:51:9: names: expected an array of text values, found text "t")"},
{"ListOfNumbers",
R"(from = ["a"])",
"from = [1]",
"p.toml:75:9: from[0]: expected a text in quotes, found integer 1"},
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
"p.toml:47:1: device: expected an array of tables [[device]], found a table"},
{"NumberForTime",
R"(duration = "20 us")",
"duration = 20",
R"(p.toml:5:12: duration: expected a time such as "1.5 us", found integer 20)"},
{"UnitMissing",
R"("20 us")",
R"("20")",
R"(p.toml:5:12: duration: expected a time such as "1.5 us", found "20" without a unit)"},
{"UnitUnknown",
R"("20 us")",
R"("20 usec")",
R"(p.toml:5:12: duration: unknown unit 'usec' in "20 usec"; expected one of s, ms, us, ns, ps)"},
{"UnitOfAnother",
R"(delay = "100 ns")",
R"(delay = "100 KiB")",
R"(p.toml:45:9: delay: unknown unit 'KiB' in "100 KiB"; expected one of s, ms, us, ns, ps)"},
{"UnitOfWrongCase",
R"("100 Gbps")",
R"("100 gbps")",
R"(p.toml:44:8: rate: unknown unit 'gbps' in "100 gbps", did you mean 'Gbps'?)"},
{"NotWholeBaseUnit",
R"(delay = "100 ns")",
R"(delay = "0.0001 ns")",
R"(p.toml:45:9: delay: "0.0001 ns" is not a whole number of picoseconds)"},
{"RangeDuration",
R"(duration = "20 us")",
R"(duration = "20 ns")",
"p.toml:5:12: duration = 20 ns is below the minimum 1 us"},
{"RangeMtu",
R"("1 KiB")",
R"("8 KiB")",
"p.toml:10:7: mtu = 8 KiB is above the maximum 4 KiB"},
{"RangeLoss",
"loss = 0.01",
"loss = 1.5",
"p.toml:62:8: loss = 1.5 is above the maximum 1"},
{"RangeLoad",
"load = 0.5",
"load = 0.0",
"p.toml:84:8: load = 0 is below the minimum 0.0001"},
{"RangeRate",
R"("100 Gbps")",
R"("100 Mbps")",
"p.toml:44:8: rate = 100 Mbps is below the minimum 1 Gbps"},
{"RangeDelay",
R"(delay = "100 ns")",
R"(delay = "0 ns")",
"p.toml:45:9: delay = 0 ps is below the minimum 1 ns"},
{"RangeWindow",
"window = 64",
"window = 0",
"p.toml:14:10: window = 0 is below the minimum 1"},
{"RangeNegative",
R"(warmup = "5 us")",
R"(warmup = "-5 us")",
"p.toml:6:10: warmup = -5 us is below the minimum 0 ps"},
{"RangeSeed",
R"(warmup = "5 us")",
"seed = -1",
"p.toml:6:8: seed = -1 is below the minimum 0"},
{"MissingName",
R"(name = "full")",
"",
"p.toml:1:1: missing key 'name' in [platform]: short name, used for result folders"},
{"MissingProfile",
R"(names = ["t"]
profile = "chip")",
R"(names = ["t"])",
"p.toml:50:1: missing key 'profile' in [device]: the table that describes them"},
{"MissingBetween",
R"(between = ["t", "s"])",
"",
"p.toml:64:1: missing key 'between' in [link]: the two devices' names"},
{"MissingOutageEnd",
R"(, to = "2 us")",
"",
"p.toml:63:11: missing key 'to' in [link.outage]: end"},
{"MissingProgram",
R"([chip.program]
name = "forward"
path_choice = "random"
nack_drop = 1
nack_of = 2
)",
"",
"p.toml:17:1: missing table 'program' in [chip]: the program to run"},
{"MissingProgramName",
R"(name = "forward"
)",
"",
"p.toml:22:1: missing key 'name' in [chip.program]"},
{"MissingTrafficKind",
R"(kind = "messages"
)",
"",
"p.toml:73:1: missing key 'kind' in [traffic]"},
{"MissingLabel",
R"(label = "two")",
"",
"p.toml:91:1: missing key 'label' in [sweep.point]: its row's name"},
{"MissingMetric",
R"(title = "TX"
metric = "senders.tx_share")",
R"(title = "TX")",
"p.toml:94:1: missing key 'metric' in [sweep.column]: name of a result"},
{"MissingPublishedValue",
"value = 0.5",
"",
"p.toml:97:1: missing key 'value' in [sweep.published]: as published"},
{"NameOfKind",
R"(kind = "switch")",
R"(kind = "swich")",
"p.toml:29:8: unknown kind 'swich', did you mean 'switch'?"},
{"NameOfKindUnlikeAny",
R"(kind = "switch")",
R"(kind = "toaster")",
"p.toml:29:8: unknown kind 'toaster'; expected one of rnic, tofino, switch, host"},
{"NameOfTransport",
R"("rnic_sr")",
R"("rnic_rs")",
"p.toml:11:13: unknown transport 'rnic_rs', did you mean 'rnic_sr'?"},
{"NameOfTransportUnlikeAny",
R"("rnic_sr")",
R"("tcp_cubic")",
"p.toml:11:13: unknown transport 'tcp_cubic'; expected one of rnic_sr, go_back_n, timeout_only, irn"},
{"NameOfBalancer",
R"("ecmp")",
R"("ecpm")",
"p.toml:30:11: unknown load balancer 'ecpm', did you mean 'ecmp'?"},
{"NameOfProgram",
R"("forward")",
R"("foward")",
"p.toml:23:8: unknown program 'foward', did you mean 'forward'?"},
{"NameOfPathChoice",
R"("random")",
R"("randm")",
"p.toml:24:15: path_choice: unknown choice 'randm', did you mean 'random'?"},
{"NameOfPattern",
R"("pairs")",
R"("pair")",
"p.toml:81:11: pattern: unknown choice 'pair', did you mean 'pairs'?"},
{"NameOfProfile",
R"(profile = "chip")",
R"(profile = "chp")",
"p.toml:52:11: unknown profile 'chp', did you mean 'chip'?"},
{"NameOfDeviceInLink",
R"(between = ["h", "t"])",
R"(between = ["hh", "t"])",
"p.toml:69:12: unknown device 'hh'; expected one of a, b, t, s, h, i"},
{"NameOfDeviceInTraffic",
R"(to = ["b"])",
R"(to = ["receiver"])",
"p.toml:76:7: unknown device 'receiver'; expected one of a, b, t, s, h, i"},
{"NameOfTrafficKind",
R"(kind = "packets")",
R"(kind = "packet")",
"p.toml:80:8: unknown kind 'packet', did you mean 'packets'?"},
{"DeviceTwice",
R"(names = ["s"])",
R"(names = ["s", "a"])",
"p.toml:54:15: device 'a' is there already"},
{"DeviceNamedLikeClock",
R"(names = ["s"])",
R"(names = ["s", "clock"])",
"p.toml:54:15: 'clock' is no device name: the simulator has one"},
{"DeviceNameBad",
R"(names = ["s"])",
R"(names = ["s.1"])",
"p.toml:54:10: 's.1' is no device name: expected letters, digits and _, not starting with a digit"},
{"DeviceNameStartsWithDigit",
R"(names = ["s"])",
R"(names = ["1s"])",
"p.toml:54:10: '1s' is no device name: expected letters, digits and _, not starting with a digit"},
{"DeviceNameEmpty",
R"(names = ["s"])",
R"(names = [""])",
"p.toml:54:10: '' is no device name: expected letters, digits and _, not starting with a digit"},
{"LinkToItself",
R"(between = ["t", "s"])",
R"(between = ["t", "t"])",
"p.toml:65:11: 't' is linked to itself"},
{"LinkOfThree",
R"(between = ["t", "s"])",
R"(between = ["t", "s", "a"])",
"p.toml:65:11: 3 names in 'between'; expected two"},
{"NameOfManyDevices",
R"(names = ["s"])",
R"(names = ["s", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13", "s14", "s15", "s16", "s17", "s18", "s19"]
profile = "plain"
[[link]]
between = ["nobody", "t"]
[[device]]
names = ["r"])",
"p.toml:57:12: unknown device 'nobody'; it is none of the 27 devices"},
{"LinkOfOne",
R"(between = ["t", "s"])",
R"(between = ["t"])",
"p.toml:65:11: 1 names in 'between'; expected two"},
{"DeviceWithoutLink",
R"(names = ["s"])",
R"(names = ["s", "s2"])",
"p.toml:54:15: device 's2' has no link"},
{"NicWithTwoLinks",
R"(between = ["t", "s"])",
R"(between = ["t", "s"]
[[link]]
between = ["a", "s"])",
"p.toml:67:11: 'a' has one port, and a link already"},
{"NoPath",
R"([[link]]
between = ["t", "s"]
)",
"",
"p.toml:48:10: there is no path from 'a' to 'b'"},
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
"p.toml: no devices: expected [[device]] and [[link]] tables, [leaf_spine], [fat_tree] or [jellyfish]"},
{"TooManyPorts",
"ecn_kmin =",
R"(pipelines = 1
ports_per_pipeline = 2
ecn_kmin =)",
"p.toml:53:10: device 't' has 3 links, but profile 'chip' gives its chip 2 ports"},
{"TooFewPortsPlaced",
"ecn_kmin =",
R"(pipeline_of_port = [0, 1]
ecn_kmin =)",
"p.toml:52:10: device 't' has 3 links, but profile 'chip' gives its chip 2 ports"},
{"PipelineThatIsNotThere",
"ecn_kmin =",
R"(pipeline_of_port = [0, 1, 4]
ecn_kmin =)",
"p.toml:19:20: pipeline_of_port: pipeline 4 is not one of 0 to 3"},
{"OutageEndsBeforeItBegins",
R"(to = "2 us")",
R"(to = "1 us")",
"p.toml:63:33: to = 1 us is not after from = 1 us"},
{"TrafficUneven",
R"(to = ["b"])",
R"(to = ["b", "b"])",
"p.toml:75:8: pattern pairs: 1 senders in 'from' and 2 receivers in 'to'; expected as many of each, at least one"},
{"TrafficWithoutPairs",
R"(from = ["a"]
to = ["b"]
)",
"",
"p.toml:74:8: pattern pairs: 0 senders in 'from' and 0 receivers in 'to'; expected as many of each, at least one"},
{"TrafficToItself",
R"(to = ["b"])",
R"(to = ["a"])",
"p.toml:76:7: 'a' would send to itself"},
{"TrafficFromSwitch",
R"(from = ["a"])",
R"(from = ["t"])",
"p.toml:75:9: 't' is not a NIC (kind rnic)"},
{"TrafficFromHost",
R"(from = ["a"])",
R"(from = ["h"])",
"p.toml:75:9: 'h' is not a NIC (kind rnic)"},
{"TrafficPacketsFromNic",
R"(from = ["h"])",
R"(from = ["a"])",
"p.toml:82:9: 'a' is not a host (kind host)"},
{"TrafficPermutationWithNames",
R"(kind = "messages")",
R"(kind = "messages"
pattern = "permutation")",
"p.toml:76:8: pattern permutation takes no 'from' and 'to'"},
{"TrafficHostSendsTwice",
R"(from = ["h"]
to = ["i"])",
R"(from = ["h", "h"]
to = ["i", "i"])",
"p.toml:82:14: 'h' sends packets already; a host has one destination"},
{"TrafficTooManyQueuePairs",
R"(message = "4 KiB")",
R"(qps = 4096
[[traffic]]
kind = "messages"
pattern = "permutation"
qps = 4096
[[traffic]]
kind = "messages"
pattern = "permutation"
qps = 4096
[[traffic]]
kind = "messages"
pattern = "permutation"
qps = 4096
[[traffic]]
kind = "messages"
pattern = "permutation"
qps = 4096
[[traffic]]
kind = "messages"
pattern = "permutation"
qps = 4096
[[traffic]]
kind = "messages"
pattern = "permutation"
qps = 4096
[[traffic]]
kind = "messages"
pattern = "permutation"
qps = 4096
[[traffic]]
kind = "messages"
pattern = "permutation"
qps = 4096
)",
"p.toml:109:7: 'a' would have 69632 queue pairs; at most 65536"},
{"WarmupAsLongAsDuration",
R"(warmup = "5 us")",
R"(warmup = "20 us")",
"p.toml:6:10: warmup = 20 us is not below duration = 20 us"},
{"WindowLongerThanDelay",
R"(warmup = "5 us")",
R"(window = "101 ns")",
"p.toml:6:10: window = 101 ns is longer than the smallest link delay, 100 ns"},
{"TimeoutWithinWindow",
R"(delay = "100 ns")",
R"(delay = "50 us")",
"p.toml:15:7: rto = 50 us of profile 'nic' is not longer than the time window, 50 us (the smallest link delay)"},
{"NackDropAboveNackOf",
"nack_drop = 1",
"nack_drop = 3",
"p.toml:25:13: nack_drop = 3 is above nack_of = 2"},
{"EcnOfSwitchReversed",
R"(kmin = "10 KB"
kmax = "20 KB"

[plain.pfc)",
R"(kmin = "30 KB"
kmax = "20 KB"

[plain.pfc)",
"p.toml:34:8: kmax = 20 KB is below kmin = 30 KB"},
{"EcnOfTofinoReversed",
R"(ecn_kmin = "10 KB")",
R"(ecn_kmin = "30 KB")",
"p.toml:20:12: ecn_kmax = 20 KB is below ecn_kmin = 30 KB"},
{"XonAboveXoff",
R"(xon = "10 KB")",
R"(xon = "30 KB")",
"p.toml:38:7: xon = 30 KB is above xoff = 20 KB"},
{"ThresholdsFixedAndDynamic",
R"(xon = "10 KB")",
R"(xon = "10 KB"
alpha = 0.0625)",
"p.toml:37:8: xoff = 20 KB beside alpha: thresholds are fixed or dynamic"},
{"ShareWithoutBuffer",
R"(balance = "ecmp")",
R"(balance = "ecmp"
queue_share = 1.0)",
"p.toml:31:15: queue_share is of a 'buffer', and none is given"},
{"DeflectWithoutLimit",
R"(balance = "ecmp")",
R"(balance = "ecmp"
deflect = true)",
"p.toml:31:11: deflect needs queues that can be full: a 'queue_limit' or 'queue_share'"},
{"ScheduleUnknown",
R"(balance = "ecmp")",
R"(balance = "ecmp"
schedule = "srtp")",
"p.toml:31:12: schedule: unknown choice 'srtp', did you mean 'srpt'?"},
{"SweepLabelTwice",
R"(label = "two")",
R"(label = "one")",
"p.toml:92:9: two sweep points are called 'one'"},
{"SweepLabelEmpty",
R"(label = "two")",
R"(label = "")",
"p.toml:92:9: a sweep point has an empty label"},
{"SweepFolderTwice",
R"(label = "one")",
R"(label = "two "
[[sweep.point]]
label = "two/"
[[sweep.point]]
label = "one")",
"p.toml:91:9: 'two/' would share the result folder 'two_' with another point"},
{"SweepColumnTwice",
"[[sweep.column]]",
R"([[sweep.column]]
title = "TX"
metric = "senders.goodput"
[[sweep.column]])",
"p.toml:98:9: two columns are called 'TX'"},
{"SweepColumnNamedVerdict",
R"(title = "TX")",
R"(title = "verdict")",
"p.toml:95:9: two columns are called 'verdict'"},
{"SweepPointSetsUnknownKey",
R"(set = ["sim.seed=2"])",
R"(set = ["sim.sed=2"])",
"p.toml:92:9: point 'two': --set sim.sed: unknown key 'sed' in [sim], did you mean 'seed'?"},
{"SweepPointSetsBadValue",
R"(set = ["sim.seed=2"])",
R"(set = ["sim.duration=2"])",
R"(p.toml:92:9: point 'two': --set sim.duration: duration: expected a time such as "1.5 us", found "2" without a unit)"},
{"SweepPointSetsNothing",
R"(set = ["sim.seed=2"])",
R"(set = ["sim.seed"])",
"p.toml:92:9: point 'two': --set 'sim.seed': expected KEY=VALUE"},
{"SweepMetricOfColumn",
R"(title = "TX"
metric = "senders.tx_share")",
R"(title = "TX"
metric = "senders.tx_shares")",
"p.toml:96:10: point 'one' has no result 'senders.tx_shares', did you mean 'senders.tx_share'?"},
{"SweepMetricOfPublished",
R"(metric = "senders.tx_share"
value)",
R"(metric = "sender.tx_share"
value)",
"p.toml:100:10: point 'one' has no result 'sender.tx_share', did you mean 'senders.tx_share'?"},
{"SweepMetricOfNobody",
R"(title = "TX"
metric = "senders.tx_share")",
R"(title = "TX"
metric = "u.marked")",
"p.toml:96:10: point 'one' has no result 'u.marked', did you mean 't.marked'?"},
{"PublishedAtUnknownPoint",
R"(point = "one")",
R"(point = "ones")",
"p.toml:99:9: 'x.tx' is compared at sweep point 'ones', which does not exist, did you mean 'one'?"},
{"PublishedWithoutPoint",
R"(point = "one"
)",
"",
"p.toml:98:6: 'x.tx' does not say at which sweep point; expected point = one of one, two"},
{"PublishedTwice",
"[[sweep.published]]",
R"([[sweep.published]]
id = "x.tx"
point = "two"
metric = "senders.tx_share"
value = 0.5
source = "a paper"
[[sweep.published]])",
"p.toml:104:6: two published numbers have the id 'x.tx'"},
}), name_of_case);

INSTANTIATE_TEST_SUITE_P(Broken, ClosPlatform, ::testing::ValuesIn(std::vector<BrokenFile>{
{"LeafSpineUnknownKey",
R"(host = "end")",
R"(hosts = "end")",
"p.toml:11:1: unknown key 'hosts' in [leaf_spine], did you mean 'host'?"},
{"LeafSpineOutOfRange",
R"(host = "end")",
R"(host = "end"
leaves = 0)",
"p.toml:12:10: leaves = 0 is below the minimum 1"},
{"LeafSpineProfile",
R"(spine = "plain")",
R"(spine = "plan")",
"p.toml:13:9: unknown profile 'plan', did you mean 'plain'?"},
{"LeafSpineMissing",
R"(spine = "plain"
)",
"",
"p.toml:10:1: missing key 'spine' in [leaf_spine]: profile of the spines"},
{"LeafSpineNameTaken",
R"(spine = "plain"
)",
R"(spine = "plain"

[[device]]
names = ["h0"]
profile = "end"
)",
"p.toml:16:10: device 'h0' is there already"},
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
"p.toml:11:5: k = 5 is odd; a fat-tree has an even k"},
{"FatTreeMissing",
R"([leaf_spine]
host = "end"
leaf = "plain"
spine = "plain")",
R"([fat_tree]
host = "end"
edge = "plain"
core = "plain")",
"p.toml:10:1: missing key 'aggregation' in [fat_tree]: profile of the aggregation switches"},
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
"p.toml:16:8: device 'h0' is there already"},
{"JellyfishWithoutPorts",
R"([leaf_spine]
host = "end"
leaf = "plain"
spine = "plain")",
R"([jellyfish]
hosts = 640
host = "end"
switch = "plain")",
"p.toml:10:1: ports = 8 leaves no port to another switch beside 8 hosts"},
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
"p.toml:10:1: ports = 8 gives a switch 7 links to the 4 others; two switches have one link at most"},
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
"p.toml:14:8: kind: unknown choice 'kps', did you mean 'ksp'?"},
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
"p.toml:14:12: more than 100000 intervals of 1 us in duration = 1 s"},
}), name_of_case);

INSTANTIATE_TEST_SUITE_P(Broken, CommandLine, ::testing::ValuesIn(std::vector<BrokenLine>{
{"SetWithoutValue", {"run", "p.toml", "--set", "sim.seed"},
"--set 'sim.seed': expected KEY=VALUE"},
{"SetWithoutKey", {"run", "p.toml", "--set", "=3"},
"--set '=3': expected KEY=VALUE"},
{"SetBadKey", {"run", "p.toml", "--set", "sim..seed=3"},
"--set 'sim..seed=3': expected KEY=VALUE with a KEY such as nic.rate or link[0].delay"},
{"SetNothing", {"run", "p.toml", "--set"},
"--set: expected --set KEY=VALUE"},
{"SetUnknownTable", {"run", "p.toml", "--set", "simm.seed=3"},
"--set simm.seed: 'simm' has no 'kind', as a profile must, did you mean 'sim'?"},
{"SetUnknownKey", {"run", "p.toml", "--set", "sim.sed=3"},
"--set sim.sed: unknown key 'sed' in [sim], did you mean 'seed'?"},
{"SetUnknownKeyInArray", {"run", "p.toml", "--set", "traffic[0].qp=3"},
"--set traffic[0].qp: unknown key 'qp' in [traffic], did you mean 'qps'?"},
{"SetIndexTooLarge", {"run", "p.toml", "--set", "traffic[9].qps=3"},
"--set traffic[9].qps: traffic has 2 elements, so the next index is 2"},
{"SetWithoutIndex", {"run", "p.toml", "--set", "traffic.qps=3"},
"--set traffic.qps: traffic is an array of tables, not a table; say traffic[0].qps"},
{"SetOutOfRange", {"run", "p.toml", "--set", "nic.mtu=8KiB"},
"--set nic.mtu: mtu = 8 KiB is above the maximum 4 KiB"},
{"SetWrongType", {"run", "p.toml", "--set", "sim.seed=many"},
R"(--set sim.seed: seed: expected an integer, found text "many")"},
{"SetUnitMissing", {"run", "p.toml", "--set", "sim.duration=30"},
R"(--set sim.duration: duration: expected a time such as "1.5 us", found "30" without a unit)"},
{"SetUnknownChoice", {"run", "p.toml", "--set", "chip.program.path_choice=rnd"},
"--set chip.program.path_choice: path_choice: unknown choice 'rnd'; expected one of random, round_robin, ecmp, psn, psn_hash"},
{"SetDeviceUnknown", {"run", "p.toml", "--set", R"(traffic[0].to=["c"])"},
"--set traffic[0].to: unknown device 'c'; expected one of a, b, t, s, h, i"},
{"SetWarmupTooLong", {"run", "p.toml", "--set", "sim.warmup=1ms"},
"--set sim.warmup: warmup = 1 ms is not below duration = 20 us"},
{"FlagUnknown", {"run", "p.toml", "--jsno"},
"unexpected argument '--jsno', did you mean '--json'?"},
{"FlagUnknownUnlikeAny", {"run", "p.toml", "--fast"},
"unexpected argument '--fast'; expected one of --help, --set, --out, --point, --jobs, --json, --no-progress, --trace, --waves, --pcap, --from, --to, --flow, --every, --trace-most"},
{"SecondPlatform", {"run", "p.toml", "q.toml"},
"unexpected argument 'q.toml'; see horae run --help"},
{"JobsNotANumber", {"run", "p.toml", "--jobs", "x"},
"--jobs: expected a whole number from 0 to 1024, found 'x'"},
{"JobsTooMany", {"run", "p.toml", "--jobs", "1025"},
"--jobs: expected a whole number from 0 to 1024, found '1025'"},
{"JobsNegative", {"run", "p.toml", "--jobs=-1"},
"--jobs: expected a whole number from 0 to 1024, found '-1'"},
{"JobsNothing", {"run", "p.toml", "--jobs"},
"--jobs: expected --jobs N"},
{"PointUnknown", {"run", "p.toml", "--point", "tow"},
"--point tow: no such sweep point, did you mean 'two'?"},
{"PointUnlikeAny", {"run", "p.toml", "--point", "everything"},
"--point everything: no such sweep point; expected one of one, two"},
{"OutNothing", {"run", "p.toml", "--out"},
"--out: expected --out DIR"},
{"OutEmpty", {"run", "p.toml", "--out", ""},
"--out '': expected the name of a folder"},
{"OutIsFile", {"run", "p.toml", "--out", "p.toml"},
"--out p.toml: is there and holds no earlier result; expected a new name or a result folder"},
{"OutBelowFile", {"run", "p.toml", "--out", "p.toml/out"},
"--out p.toml/out: cannot be made: Not a directory"},
{"OutDeepBelowFile", {"run", "p.toml", "--out", "p.toml/a/b/c"},
"--out p.toml/a/b/c: cannot be made: Not a directory"},
{"OutIsCurrentFolder", {"run", "p.toml", "--out", "."},
"--out .: is the current folder; expected a new name or a result folder"},
{"OutIsWork", {"run", "p.toml", "--out", "work"},
"--out work: is there and holds no earlier result; expected a new name or a result folder"},
{"OutIsRoot", {"run", "p.toml", "--out", "/"},
"--out /: is there and holds no earlier result; expected a new name or a result folder"},
{"OutIsResultWithWork", {"run", "p.toml", "--out", "mixed"},
"--out mixed: holds 'notes.txt', which is no part of a result; expected a new name or a result folder"},
{"NoCommand", {},
"expected a command: run, size, explain, replay, list, config or completion (see horae --help)"},
{"CommandUnknown", {"rnu", "p.toml"},
"unexpected argument 'rnu', did you mean 'run'?"},
{"CommandUnlikeAny", {"simulate", "p.toml"},
"unexpected argument 'simulate'; expected one of run, size, explain, replay, list, config, completion"},
{"FlagBeforeCommand", {"--json", "run", "p.toml"},
"unexpected argument '--json'; expected one of --help, --version"},
{"PlatformNotGiven", {"run"},
"missing argument: expected horae run PLATFORM.toml"},
{"PlatformNotGivenButFlagMisspelt", {"run", "--jsno"},
"unexpected argument '--jsno', did you mean '--json'?"},
{"PlatformNotThere", {"run", "q.toml"},
"q.toml: cannot read: No such file or directory"},
{"PlatformIsFolder", {"run", "work"},
"work: cannot read: is a directory"},
{"PlatformIsNoToml", {"run", "work/notes.txt"},
"work/notes.txt:1:9: Error while parsing key-value pair: expected '=', saw '\\n'"},
{"ListUnknown", {"list", "devcies"},
"list: unknown section 'devcies', did you mean 'devices'?"},
{"ListUnlikeAny", {"list", "everything"},
"list: unknown section 'everything'; expected one of platforms, devices, chips, nics, workloads, programs, policies, parameters"},
{"ListTwice", {"list", "devices", "programs"},
"unexpected argument 'programs'; see horae list --help"},
{"ListFlagUnknown", {"list", "--jsno"},
"unexpected argument '--jsno', did you mean '--json'?"},
}), name_of_case);
// clang-format on

}  // namespace
}  // namespace horae::test::bad_input_test
