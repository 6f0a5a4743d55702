// Bad input: [sim] and [sweep]: what is run, compared and printed.
#include "bad_input.hpp"

namespace horae::test::bad_input_run_test {
namespace {

// clang-format off
const std::vector<BrokenFile> faults = {
{"UnknownInSim",
"warmup =",
"warm_up =",
"p.toml:<warm_up>: unknown key 'warm_up' in [sim], did you mean 'warmup'?"},
{"UnknownInSweep",
R"(title = "both")",
R"(titel = "both")",
"p.toml:<titel>: unknown key 'titel' in [sweep], did you mean 'title'?"},
{"UnknownInPoint",
R"(label = "one")",
R"(labels = "one")",
"p.toml:<labels>: unknown key 'labels' in [sweep.point], did you mean 'label'?"},
{"UnknownInColumn",
R"(title = "TX")",
R"(titles = "TX")",
"p.toml:<titles>: unknown key 'titles' in [sweep.column], did you mean 'title'?"},
{"UnknownInPublished",
"source =",
"sources =",
"p.toml:<sources>: unknown key 'sources' in [sweep.published], did you mean 'source'?"},
{"RangeDuration",
R"(duration = "20 us")",
R"(duration = "20 ns")",
"p.toml:<\"20 ns\">: duration = 20 ns is below the minimum 1 us"},
{"RangeNegative",
R"(warmup = "5 us")",
R"(warmup = "-5 us")",
"p.toml:<\"-5 us\">: warmup = -5 us is below the minimum 0 ps"},
{"RangeSeed",
R"(warmup = "5 us")",
"seed = -1",
"p.toml:<-1>: seed = -1 is below the minimum 0"},
{"MissingLabel",
R"(label = "two")",
"",
"p.toml:<set = [\"sim.seed=1\"]\n^[[sweep.point]>: missing key 'label' in [sweep.point]: name of the point's row in the table"},
{"MissingMetric",
R"(title = "TX"
metric = "senders.tx_share")",
R"(title = "TX")",
"p.toml:<[[sweep.column]>: missing key 'metric' in [sweep.column]: name of a result"},
{"MissingPublishedValue",
"value = 0.5",
"",
"p.toml:<[[sweep.published]>: missing key 'value' in [sweep.published]: value as it was published"},
{"WarmupAsLongAsDuration",
R"(warmup = "5 us")",
R"(warmup = "20 us")",
"p.toml:<warmup = ^\"20 us\">: warmup = 20 us is not below duration = 20 us"},
{"WindowLongerThanDelay",
R"(warmup = "5 us")",
R"(window = "101 ns")",
"p.toml:<\"101 ns\">: window = 101 ns is longer than the smallest link delay, 100 ns"},
{"SweepLabelTwice",
R"(label = "two")",
R"(label = "one")",
"p.toml:<set = [\"sim.seed=1\"]\n[[sweep.point]]\nlabel = ^\"one\">: two sweep points are called 'one'"},
{"SweepLabelEmpty",
R"(label = "two")",
R"(label = "")",
"p.toml:<\"\">: a sweep point has an empty label"},
{"SweepFolderTwice",
R"(label = "one")",
R"(label = "two "
[[sweep.point]]
label = "two/"
[[sweep.point]]
label = "one")",
"p.toml:<\"two/\">: 'two/' would share the result folder 'two_' with another point"},
{"SweepColumnTwice",
"[[sweep.column]]",
R"([[sweep.column]]
title = "TX"
metric = "senders.goodput"
[[sweep.column]])",
"p.toml:<metric = \"senders.goodput\"\n[[sweep.column]]\ntitle = ^\"TX\">: two columns are called 'TX'"},
{"SweepColumnNamedVerdict",
R"(title = "TX")",
R"(title = "verdict")",
"p.toml:<\"verdict\">: two columns are called 'verdict'"},
{"SweepPointSetsUnknownKey",
R"(set = ["sim.seed=2"])",
R"(set = ["sim.sed=2"])",
"p.toml:<\"two\">: point 'two': --set sim.sed: unknown key 'sed' in [sim], did you mean 'seed'?"},
{"SweepPointSetsBadValue",
R"(set = ["sim.seed=2"])",
R"(set = ["sim.duration=2"])",
R"(p.toml:<"two">: point 'two': --set sim.duration: duration: expected a time such as "1.5 us", found "2" without a unit)"},
{"SweepPointSetsNothing",
R"(set = ["sim.seed=2"])",
R"(set = ["sim.seed"])",
"p.toml:<\"two\">: point 'two': --set 'sim.seed': expected KEY=VALUE"},
{"SweepMetricOfColumn",
R"(title = "TX"
metric = "senders.tx_share")",
R"(title = "TX"
metric = "senders.tx_shares")",
"p.toml:<\"senders.tx_shares\">: point 'one' has no result 'senders.tx_shares', did you mean 'senders.tx_share'?"},
{"SweepMetricOfPublished",
R"(metric = "senders.tx_share"
value)",
R"(metric = "sender.tx_share"
value)",
"p.toml:<\"sender.tx_share\">: point 'one' has no result 'sender.tx_share', did you mean 'senders.tx_share'?"},
{"SweepMetricOfNobody",
R"(title = "TX"
metric = "senders.tx_share")",
R"(title = "TX"
metric = "u.marked")",
"p.toml:<\"u.marked\">: point 'one' has no result 'u.marked', did you mean 't.marked'?"},
{"PublishedAtUnknownPoint",
R"(point = "one")",
R"(point = "ones")",
"p.toml:<\"ones\">: 'x.tx' is compared at sweep point 'ones', which does not exist, did you mean 'one'?"},
{"PublishedWithoutPoint",
R"(point = "one"
)",
"",
"p.toml:<\"x.tx\">: 'x.tx' does not say at which sweep point; expected point = one of one, two"},
{"PublishedTwice",
"[[sweep.published]]",
R"([[sweep.published]]
id = "x.tx"
point = "two"
metric = "senders.tx_share"
value = 0.5
source = "a paper"
[[sweep.published]])",
"p.toml:<source = \"a paper\"\n[[sweep.published]]\nid = ^\"x.tx\">: two published numbers have the id 'x.tx'"},
};
// clang-format on

class BadRun : public ::testing::TestWithParam<BrokenFile> {};

TEST_P(BadRun, IsRefusedAtTheFault) { expect_refused(full, GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, BadRun, ::testing::ValuesIn(faults), name_of_case);

/// A point that only its own overrides break, run alone.
TEST(Platforms, PointIsRefusedLikeItsSweep) {
  const std::string point = broken(full, "sim.seed=2", "sim.warmup=20us");
  const std::string message =
      "p.toml:92:9: point 'two': --set sim.warmup: warmup = 20 us is not below duration = 20 us";
  expect_refused(point, {"run", "p.toml", "--point", "two"}, message);
  expect_refused(point, {"run", "p.toml", "--jobs", "2"}, message);
}

}  // namespace
}  // namespace horae::test::bad_input_run_test
