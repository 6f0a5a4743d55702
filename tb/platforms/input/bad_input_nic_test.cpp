// Bad input: NICs.
#include "bad_input.hpp"

namespace horae::test::bad_input_nic_test {
namespace {

// clang-format off
const std::vector<BrokenFile> faults = {
{"UnknownInNic",
"mtu =",
"mtus =",
"p.toml:<mtus>: unknown key 'mtus' in [nic], did you mean 'mtu'?"},
{"UnknownInReliability",
"rto =",
"rtos =",
"p.toml:<rtos>: unknown key 'rtos' in [nic.reliability], did you mean 'rto'?"},
{"RangeMtu",
R"("1 KiB")",
R"("8 KiB")",
"p.toml:<\"8 KiB\">: mtu = 8 KiB is above the maximum 4 KiB"},
{"RangeWindow",
"window = 64",
"window = 0",
"p.toml:<= ^0>: window = 0 is below the minimum 1"},
{"NameOfTransport",
R"("rnic_sr")",
R"("rnic_rs")",
"p.toml:<\"rnic_rs\">: unknown transport 'rnic_rs', did you mean 'rnic_sr'?"},
{"NameOfTransportUnlikeAny",
R"("rnic_sr")",
R"("tcp_cubic")",
"p.toml:<\"tcp_cubic\">: unknown transport 'tcp_cubic'; expected one of rnic_sr, go_back_n, go_back_0, timeout_only, irn, spray_sr"},
{"TimeoutWithinWindow",
R"(delay = "100 ns")",
R"(delay = "50 us")",
"p.toml:<\"50 us\">: rto = 50 us of profile 'nic' is not longer than the time window, 50 us (the smallest link delay)"},
};
// clang-format on

class BadNic : public ::testing::TestWithParam<BrokenFile> {};

TEST_P(BadNic, IsRefusedAtTheFault) { expect_refused(full, GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, BadNic, ::testing::ValuesIn(faults), name_of_case);

}  // namespace
}  // namespace horae::test::bad_input_nic_test
