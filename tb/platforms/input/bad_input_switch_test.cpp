// Bad input: switches and their programs.
#include "bad_input.hpp"

namespace horae::test::bad_input_switch_test {
namespace {

// clang-format off
const std::vector<BrokenFile> faults = {
{"UnknownInTofino",
"ecn_kmin =",
"kmin =",
"p.toml:<kmin>: unknown key 'kmin' in [chip], did you mean 'kind'?"},
{"UnknownInProgram",
"path_choice =",
"path =",
"p.toml:<path>: unknown key 'path' in [chip.program]; expected one of path_choice, depth_ports, ghost_period, burst_log2, spray_responses, nack_drop, nack_of, nack_filter, route_entries, member_entries, trim, trim_class, telemetry, name"},
{"UnknownInSwitch",
"balance =",
"balancer =",
"p.toml:<balancer>: unknown key 'balancer' in [plain], did you mean 'balance'?"},
{"UnknownInEcn",
R"(kmin = "10 KB"
kmax)",
R"(kmim = "10 KB"
kmax)",
"p.toml:<kmim>: unknown key 'kmim' in [plain.ecn], did you mean 'kmin'?"},
{"UnknownInPfc",
"xoff =",
"x_off =",
"p.toml:<x_off>: unknown key 'x_off' in [plain.pfc], did you mean 'xoff'?"},
{"MissingProgram",
R"([chip.program]
name = "forward"
path_choice = "random"
nack_drop = 1
nack_of = 2
)",
"",
"p.toml:<[chip]>: missing table 'program' in [chip]: the program to run"},
{"MissingProgramName",
R"(name = "forward"
)",
"",
"p.toml:<[chip.program]>: missing key 'name' in [chip.program]"},
{"NameOfBalancer",
R"("ecmp")",
R"("ecpm")",
"p.toml:<\"ecpm\">: unknown load balancer 'ecpm', did you mean 'ecmp'?"},
{"NameOfProgram",
R"("forward")",
R"("foward")",
"p.toml:<\"foward\">: unknown program 'foward', did you mean 'forward'?"},
{"NameOfPathChoice",
R"("random")",
R"("randm")",
"p.toml:<\"randm\">: path_choice: unknown choice 'randm', did you mean 'random'?"},
{"PipelineThatIsNotThere",
"ecn_kmin =",
R"(pipeline_of_port = [0, 1, 4]
ecn_kmin =)",
"p.toml:<[0, 1, 4]>: pipeline_of_port: pipeline 4 is not one of 0 to 3"},
{"NackDropAboveNackOf",
"nack_drop = 1",
"nack_drop = 3",
"p.toml:<3>: nack_drop = 3 is above nack_of = 2"},
{"EcnOfSwitchReversed",
R"(kmin = "10 KB"
kmax = "20 KB"

[plain.pfc)",
R"(kmin = "30 KB"
kmax = "20 KB"

[plain.pfc)",
"p.toml:<kmin = \"30 KB\"\nkmax = ^\"20 KB\">: kmax = 20 KB is below kmin = 30 KB"},
{"EcnOfTofinoReversed",
R"(ecn_kmin = "10 KB")",
R"(ecn_kmin = "30 KB")",
"p.toml:<\"20 KB\">: ecn_kmax = 20 KB is below ecn_kmin = 30 KB"},
{"XonAboveXoff",
R"(xon = "10 KB")",
R"(xon = "30 KB")",
"p.toml:<\"30 KB\">: xon = 30 KB is above xoff = 20 KB"},
{"ThresholdsFixedAndDynamic",
R"(xon = "10 KB")",
R"(xon = "10 KB"
alpha = 0.0625)",
"p.toml:<xoff = ^\"20 KB\">: xoff = 20 KB beside alpha: thresholds are fixed or dynamic"},
{"ShareWithoutBuffer",
R"(balance = "ecmp")",
R"(balance = "ecmp"
queue_share = 1.0)",
"p.toml:<1.0>: queue_share is a share of the free buffer; expected a 'buffer' beside it"},
{"DeflectWithoutLimit",
R"(balance = "ecmp")",
R"(balance = "ecmp"
deflect = true)",
"p.toml:<true>: deflect needs queues that can be full: a 'queue_limit' or 'queue_share'"},
{"TrimWithoutLimit",
R"(balance = "ecmp")",
R"(balance = "ecmp"
trim = "64 B")",
"p.toml:<\"64 B\">: trim needs queues that can be full: a 'queue_limit', 'queue_share' or 'buffer'"},
{"TrimBelowItsLeast",
R"(balance = "ecmp")",
R"(balance = "ecmp"
queue_limit = "100 KB"
trim = "43 B")",
"p.toml:<\"43 B\">: trim = 43 B is out of range; expected 0 B (drop), or 44 B or more"},
{"ClassOfTrimmedAlone",
R"(balance = "ecmp")",
R"(balance = "ecmp"
trim_class = 5)",
"p.toml:<= ^5>: trim_class is of trimmed packets; expected a 'trim' beside it"},
{"HalfOfSortedQueues",
R"(balance = "ecmp")",
R"(balance = "ecmp"
full = "half"
queue_limit = "1 KB"
schedule = "srpt")",
"p.toml:<\"half\">: full = \"half\" is of queues in the order of arrival; expected schedule = \"fifo\""},
{"TieOfAnotherBalancer",
R"(balance = "ecmp")",
R"(balance = "ecmp"
tie = "lowest")",
"p.toml:<\"lowest\">: tie is of balance = \"adaptive\"; here it is \"ecmp\""},
{"EcnOfARateReversed",
R"(
[plain.pfc)",
R"(by_rate = [{ rate = "100 Gbps", kmin = "9 KB", kmax = "8 KB" }]

[plain.pfc)",
"p.toml:<\"8 KB\">: kmax = 8 KB is below kmin = 9 KB"},
{"EcnOfARateTwice",
R"(
[plain.pfc)",
R"(by_rate = [{ rate = "100 Gbps", kmin = "7 KB", kmax = "8 KB" }, { rate = "100 Gbps", kmin = "7 KB", kmax = "8 KB" }]

[plain.pfc)",
"p.toml:<\"100 Gbps\", kmin = \"7 KB\", kmax = \"8 KB\" }]>: rate = 100 Gbps has an entry already"},
{"AlphaOfARateWithoutAlpha",
R"(xon = "10 KB")",
R"(xon = "10 KB"
by_rate = [{ rate = "100 Gbps", alpha = 0.5 }])",
"p.toml:<[{>: by_rate gives an alpha of its own to ports of some rates; expected an 'alpha' beside it for all others"},
{"HeadroomTwice",
R"(xon = "10 KB")",
R"(xon = "10 KB"
headroom = "9 KB"
headroom_delays = 3)",
"p.toml:<3>: headroom_delays beside headroom = 9 KB; expected one of the two"},
{"WhenToMark",
R"(kmax = "20 KB"

[plain.pfc)",
R"(kmax = "20 KB"
at = "dequeu"

[plain.pfc)",
"p.toml:<\"dequeu\">: at: unknown choice 'dequeu', did you mean 'dequeue'?"},
{"ThresholdsOfAChipFixedAndDynamic",
R"(ecn_kmax = "20 KB"
)",
R"(ecn_kmax = "20 KB"
pfc = { xoff = "9 KB", alpha = 0.5 }
)",
"p.toml:<\"9 KB\">: xoff = 9 KB beside alpha: thresholds are fixed or dynamic"},
{"AlphaOfARateOfAChipWithoutAlpha",
R"(ecn_kmax = "20 KB"
)",
R"(ecn_kmax = "20 KB"
pfc = { xoff = "9 KB", by_rate = [{ rate = "100 Gbps", alpha = 0.5 }] }
)",
"p.toml:<[{>: by_rate gives an alpha of its own to ports of some rates; expected an 'alpha' beside it for all others"},
{"UnknownInPfcOfAChip",
R"(ecn_kmax = "20 KB"
)",
R"(ecn_kmax = "20 KB"
pfc = { alfa = 0.5 }
)",
"p.toml:<alfa>: unknown key 'alfa' in [chip.pfc], did you mean 'alpha'?"},
{"EcnOfAChipTwice",
R"(ecn_kmax = "20 KB"
)",
R"(ecn_kmax = "20 KB"
ecn = { kmin = "9 KB", kmax = "10 KB" }
)",
"p.toml:<\"10 KB\">: ecn_kmin beside a table 'ecn'; expected one of the two"},
{"EcnOfAChipReversed",
R"(ecn_kmin = "10 KB"
ecn_kmax = "20 KB"
)",
R"(ecn = { kmin = "9 KB", kmax = "8 KB" }
)",
"p.toml:<\"8 KB\">: kmax = 8 KB is below kmin = 9 KB"},
{"ScheduleUnknown",
R"(balance = "ecmp")",
R"(balance = "ecmp"
schedule = "srtp")",
"p.toml:<\"srtp\">: schedule: unknown choice 'srtp', did you mean 'srpt'?"},
};
// clang-format on

class BadSwitch : public ::testing::TestWithParam<BrokenFile> {};

TEST_P(BadSwitch, IsRefusedAtTheFault) { expect_refused(full, GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, BadSwitch, ::testing::ValuesIn(faults), name_of_case);

}  // namespace
}  // namespace horae::test::bad_input_switch_test
