// Bad input: traffic.
#include "bad_input.hpp"

namespace horae::test::bad_input_traffic_test {
namespace {

// clang-format off
const std::vector<BrokenFile> faults = {
{"UnknownInMessages",
"message =",
"mesage =",
"p.toml:<mesage>: unknown key 'mesage' in [traffic], did you mean 'message'?"},
{"UnknownInPackets",
"load =",
"loads =",
"p.toml:<loads>: unknown key 'loads' in [traffic], did you mean 'load'?"},
{"RangeLoad",
"load = 0.5",
"load = 0.0",
"p.toml:<load = ^0.0>: load = 0 is below the minimum 0.0001"},
{"MissingTrafficKind",
R"(kind = "messages"
)",
"",
"p.toml:<[[traffic]]>: missing key 'kind' in [traffic]"},
{"NameOfPattern",
R"("pairs")",
R"("pair")",
"p.toml:<\"pair\">: pattern: unknown choice 'pair', did you mean 'pairs'?"},
{"NameOfDeviceInTraffic",
R"(to = ["b"])",
R"(to = ["receiver"])",
"p.toml:<\"receiver\">: unknown device 'receiver'; expected one of a, b, t, s, h, i"},
{"NameOfTrafficKind",
R"(kind = "packets")",
R"(kind = "packet")",
"p.toml:<\"packet\">: unknown kind 'packet', did you mean 'packets'?"},
{"TrafficUneven",
R"(to = ["b"])",
R"(to = ["b", "b"])",
"p.toml:<[\"a\"]>: pattern pairs: 1 senders in 'from' and 2 receivers in 'to'; expected as many of each, at least one"},
{"TrafficWithoutPairs",
R"(from = ["a"]
to = ["b"]
)",
"",
"p.toml:<\"messages\">: pattern pairs: 0 senders in 'from' and 0 receivers in 'to'; expected as many of each, at least one"},
{"TrafficToItself",
R"(to = ["b"])",
R"(to = ["a"])",
"p.toml:<to = [^\"a\">: 'a' would send to itself"},
{"TrafficFromSwitch",
R"(from = ["a"])",
R"(from = ["t"])",
"p.toml:<from = [^\"t\">: 't' is not a NIC (kind rnic)"},
{"TrafficFromHost",
R"(from = ["a"])",
R"(from = ["h"])",
"p.toml:<\"h\"]>: 'h' is not a NIC (kind rnic)"},
{"TrafficPacketsFromNic",
R"(from = ["h"])",
R"(from = ["a"])",
"p.toml:<pattern = \"pairs\"\nfrom = [^\"a\">: 'a' is not a host (kind host)"},
{"TrafficPermutationWithNames",
R"(kind = "messages")",
R"(kind = "messages"
pattern = "permutation")",
"p.toml:<[\"a\"]>: pattern permutation takes no 'from' and 'to'"},
{"TrafficHostSendsTwice",
R"(from = ["h"]
to = ["i"])",
R"(from = ["h", "h"]
to = ["i", "i"])",
"p.toml:<\"h\"]>: 'h' sends packets already; a host has one destination"},
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
};
// clang-format on

class BadTraffic : public ::testing::TestWithParam<BrokenFile> {};

TEST_P(BadTraffic, IsRefusedAtTheFault) { expect_refused(full, GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, BadTraffic, ::testing::ValuesIn(faults), name_of_case);

}  // namespace
}  // namespace horae::test::bad_input_traffic_test
