// Bad input: the command line.
#include "bad_input.hpp"

namespace horae::test::bad_input_command_test {
namespace {

struct BrokenLine {
  std::string name;
  Words arguments;
  std::string message;
};
void PrintTo(const BrokenLine& c, std::ostream* out) {
  *out << ::testing::PrintToString(c.arguments);
}

// clang-format off
const std::vector<BrokenLine> faults = {
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
{"SetAboveEveryInteger", {"run", "p.toml", "--set", "sim.seed=18446744073709551616"},
"--set sim.seed: seed = 18446744073709551616 is above the maximum 9223372036854775807, the largest integer of TOML"},
{"HelpOfNoCommand", {"help", "rnu"},
"unexpected argument 'rnu', did you mean 'run'?"},
{"SetUnitMissing", {"run", "p.toml", "--set", "sim.duration=30"},
R"(--set sim.duration: duration: expected a time such as "1.5 us", found "30" without a unit)"},
{"SetUnknownChoice", {"run", "p.toml", "--set", "chip.program.path_choice=rnd"},
"--set chip.program.path_choice: path_choice: unknown choice 'rnd'; expected one of random, round_robin, ecmp, psn, psn_hash, adaptive"},
{"SetDeviceUnknown", {"run", "p.toml", "--set", R"(traffic[0].to=["c"])"},
"--set traffic[0].to: unknown device 'c'; expected one of a, b, t, s, h, i"},
{"SetWarmupTooLong", {"run", "p.toml", "--set", "sim.warmup=1ms"},
"--set sim.warmup: warmup = 1 ms is not below duration = 20 us"},
{"FlagUnknown", {"run", "p.toml", "--jsno"},
"unexpected argument '--jsno', did you mean '--json'?"},
{"FlagUnknownUnlikeAny", {"run", "p.toml", "--fast"},
"unexpected argument '--fast'; expected one of --help, --set, --out, --point, --jobs, --ranks, --threads, --threads-from, --all, --json, --no-progress, --trace, --transactions, --ftr, --waves, --waterfall, --recovery, --pcap, --from, --to, --flow, --every, --trace-most"},
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
"expected a command: run, size, explain, replay, list, config, batch, p4 or completion (see horae --help)"},
{"CommandUnknown", {"rnu", "p.toml"},
"unexpected argument 'rnu', did you mean 'run'?"},
{"CommandUnlikeAny", {"simulate", "p.toml"},
"unexpected argument 'simulate'; expected one of run, size, explain, replay, list, config, batch, p4, completion"},
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
"list: unknown section 'everything'; expected one of platforms, devices, chips, nics, workloads, programs, policies, modules, parameters, quantities"},
{"ListTwice", {"list", "devices", "programs"},
"list: nothing is called 'programs'; horae list names everything"},
{"ListFlagUnknown", {"list", "--jsno"},
"unexpected argument '--jsno', did you mean '--json'?"},
};
// clang-format on

class BadCommandLine : public ::testing::TestWithParam<BrokenLine> {};

TEST_P(BadCommandLine, IsRefusedNamingTheArgument) {
  expect_refused(full, GetParam().arguments, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(All, BadCommandLine, ::testing::ValuesIn(faults), name_of_case);

}  // namespace
}  // namespace horae::test::bad_input_command_test
