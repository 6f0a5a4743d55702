// Faults of users in the files of `horae explain`: one line that says where, before the
// first run, and nothing left behind.
#include <gtest/gtest.h>

#include "explain.hpp"

namespace horae::test::explain_input_test {
namespace {

const std::string observations = R"(title = "made up"
source = "a test"
[[condition]]
id = "all"
set = ["tor.program.nack_drop=0"]
[[observation]]
id = "tx"
condition = "all"
quantity = "tx_share"
value = 0.5
unit = "share of line"
rounding = 0.005
use = "fit"
source = "a test"
)";

const std::string hypotheses = R"(title = "made up"
[[variant]]
label = "MTU 1024"
set = ["nic.mtu=1KiB"]
[[hypothesis]]
id = "one"
title = "one"
set = ["nic.tx_latency=1us"]
[[hypothesis.parameter]]
key = "nic.nack_delay"
low = "0 ns"
high = "2 us"
[[experiment]]
id = "far"
title = "far"
condition = "all"
set = ["link_default.delay=5us"]
quantities = ["tx_share"]
[[curve]]
id = "figure"
condition = "all"
quantities = ["tx_share"]
[[curve.point]]
x = 1.0
set = ["nic.mtu=2KiB"]
)";

/// Another number of the same thing, far away.
constexpr const char* other_share = R"([[observation]]
id = "other"
condition = "all"
quantity = "tx_share"
value = 0.9
unit = "share of line"
rounding = 0.005
tolerance = 0.05
use = "fit"
source = "a test"
[[observation]]
)";

struct Case {
  const char* name;
  bool in_observations;
  const char* from;  ///< is replaced
  const char* to;
  const char* message;  ///< without "horae: "
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

class BadExplain : public ::testing::TestWithParam<Case> {};

TEST_P(BadExplain, IsRefusedInOneLine) {
  const Case& c = GetParam();
  std::string o = observations, h = hypotheses;
  std::string& text = c.in_observations ? o : h;
  const auto at = text.find(c.from);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, std::string(c.from).size(), c.to);
  const Inquiry inquiry(o, h);
  const Ended ended = inquiry.run({"--out", "out"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(ended.err, std::string("horae: ") + c.message + "\n");
  EXPECT_EQ(inquiry.place().content(), (Words{"h.toml", "o.toml"}));
}

const Case cases[] = {
    {"UnknownHypothesisKey", false, "title = \"one\"", "titel = \"one\"",
     "h.toml:7:1: unknown key 'titel' in [hypothesis], did you mean 'title'?"},
    {"UnknownObservationKey", true, "rounding", "roundings",
     "o.toml:12:1: unknown key 'roundings' in [observation], did you mean 'rounding'?"},
    {"UnknownCondition", true, "condition = \"all\"", "condition = \"al\"",
     "o.toml:8:13: unknown condition 'al', did you mean 'all'?"},
    {"UnknownQuantity", true, "\"tx_share\"", "\"tx_shar\"",
     "o.toml:9:12: unknown quantity 'tx_shar', did you mean 'tx_share'?"},
    {"UnknownResult", true, "\"tx_share\"", "\"senders.tx_shar\"",
     "o.toml:9:12: no run has the result 'senders.tx_shar', did you mean 'senders.tx_share'?"},
    {"OtherUnit", true, "\"share of line\"", "\"Gbps\"",
     "o.toml:11:8: 'tx' is in 'Gbps'; expected 'share of line', the unit of tx_share"},
    {"OtherUnitOfAResult", true, "quantity = \"tx_share\"", "quantity = \"senders.acks_received\"",
     "o.toml:11:8: 'tx' is in 'share of line'; expected 'packets', the unit of "
     "senders.acks_received"},
    {"AShareAboveOne", true, "value = 0.5", "value = 1.7",
     "o.toml:10:9: 'tx': 1.7 share of line cannot be; expected 0 to 1, what tx_share can be"},
    {"ARateBelowZero", true, "quantity = \"tx_share\"\nvalue = 0.5\nunit = \"share of line\"",
     "quantity = \"nack_rate\"\nvalue = -0.1\nunit = \"Mpps\"",
     "o.toml:10:9: 'tx': -0.1 Mpps cannot be; expected 0 or more, what nack_rate can be"},
    {"ARateAboveTheLine", true, "quantity = \"tx_share\"\nvalue = 0.5\nunit = \"share of line\"",
     "quantity = \"tx_rate\"\nvalue = 150\nunit = \"Gbps\"",
     "o.toml:10:9: 'tx': 150 Gbps cannot be; expected 0 to 100, the rate of the fastest NIC in "
     "condition 'all'"},
    {"TwoThatContradictEachOther", true, "[[observation]]", other_share,
     "o.toml:21:9: 'other' = 0.9 and 'tx' = 0.5 share of line contradict each other: tx_share in "
     "condition 'all' are 0.4 apart, and their roundings and tolerances allow 0.06"},
    {"NoTolerance", true, "rounding = 0.005", "rounding = 0",
     "o.toml:12:12: 'tx': rounding and tolerance are both zero, which no model can meet; expected "
     "half of the last digit published"},
    {"NegativeTolerance", true, "use = \"fit\"", "tolerance = -1",
     "o.toml:13:13: 'tx': tolerance = -1 is below zero"},
    {"TwoOfAnId", true, "[[observation]]", "[[condition]]\nid = \"all\"\n[[observation]]",
     "o.toml:7:6: condition 'all' is there already"},
    {"NoObservation", true, observations.c_str(), "title = \"made up\"\nsource = \"a test\"\n",
     "o.toml: no [[observation]] to explain"},
    {"ConditionSetsNothing", true, "nack_drop=0", "nack_drops=0",
     "o.toml:5:8: condition 'all': --set tor.program.nack_drops: unknown key 'nack_drops' in "
     "[tor.program], did you mean 'nack_drop'?"},
    {"VariantOutsideTheRange", false, "nic.mtu=1KiB", "nic.mtu=1MiB",
     "h.toml:4:8: variant 'MTU 1024': --set nic.mtu: mtu = 1 MiB is above the maximum 4 KiB"},
    {"HypothesisSetsNothing", false, "nic.tx_latency=1us", "nic.tx_latenci=1us",
     "h.toml:8:8: hypothesis 'one': --set nic.tx_latenci: unknown key 'tx_latenci' in [nic], did "
     "you mean 'tx_latency'?"},
    {"ParameterIsNone", false, "key = \"nic.nack_delay\"", "key = \"nic.nack_dela\"",
     "h.toml:10:7: 'nic.nack_dela' names no value of the platform, did you mean 'nic.nack_delay'?"},
    {"ParameterIsAText", false, "key = \"nic.nack_delay\"", "key = \"nic.transport\"",
     "h.toml:10:7: 'nic.transport' is \"rnic_sr\": only numbers and quantities have a range"},
    {"BoundOfAnotherType", false, "high = \"2 us\"", "high = \"2 KiB\"",
     "h.toml:12:8: high of 'nic.nack_delay': expected a time such as \"1.5 us\", found '2 KiB'"},
    {"BoundOutsideTheRange", false, "high = \"2 us\"", "high = \"2 s\"",
     "h.toml:12:8: hypothesis 'one': --set nic.nack_delay: nack_delay = 2 s is above the maximum "
     "100 us"},
    {"BoundsTheOtherWay", false, "low = \"0 ns\"", "low = \"3 us\"",
     "h.toml:12:8: 'nic.nack_delay': high = 2 us is not above low = 3 us"},
    {"LogFromZero", false, "high = \"2 us\"", "high = \"2 us\"\nscale = \"log\"",
     "h.toml:11:7: 'nic.nack_delay': low = 0 ns, but a log scale begins above zero"},
    {"VariantOfANuisance", false, "[[hypothesis]]",
     "[[nuisance]]\nkey = \"nic.mtu\"\nvalues = [\"1KiB\", \"2KiB\"]\n[[hypothesis]]",
     "h.toml:4:8: variant 'MTU 1024' sets 'nic.mtu', which is a [[nuisance]] as well; expected "
     "either"},
    {"ExperimentSetsNothing", false, "link_default.delay=5us", "link_default.dela=5us",
     "h.toml:17:8: experiment 'far': --set link_default.dela: unknown key 'dela' in "
     "[link_default], did you mean 'delay'?"},
    {"ExperimentInNoCondition", false, "condition = \"all\"\nset", "condition = \"none\"\nset",
     "h.toml:16:13: unknown condition 'none'; expected one of all"},
    {"ExperimentLooksAtNothing", false, "quantities = [\"tx_share\"]\n[[curve]]",
     "quantities = []\n[[curve]]", "h.toml:14:6: experiment 'far' looks at no quantity"},
    {"ParameterTwice", false, "high = \"2 us\"\n",
     "high = \"2 us\"\n[[hypothesis.parameter]]\nkey = \"nic.nack_delay\"\nlow = \"0 ns\"\n"
     "high = \"1 us\"\n",
     "h.toml:14:7: parameter 'nic.nack_delay' is there already"},
    {"CurveInNoCondition", false, "id = \"figure\"\ncondition = \"all\"",
     "id = \"figure\"\ncondition = \"al\"",
     "h.toml:21:13: unknown condition 'al', did you mean 'all'?"},
    {"PointInNoCondition", false, "x = 1.0\n", "x = 1.0\ncondition = \"none\"\n",
     "h.toml:25:13: unknown condition 'none'; expected one of all"},
    {"CurveOfAnUnknownQuantity", false, "quantities = [\"tx_share\"]\n[[curve.point]]",
     "quantities = [\"tx_shar\"]\n[[curve.point]]",
     "h.toml:22:15: unknown quantity 'tx_shar', did you mean 'tx_share'?"},
    {"PointSetsNothing", false, "nic.mtu=2KiB", "nic.mut=2KiB",
     "h.toml:25:8: curve 'figure', point 1: --set nic.mut: unknown key 'mut' in [nic], did you "
     "mean 'mtu'?"},
    {"NoHypothesis", false, hypotheses.c_str(), "title = \"made up\"\n",
     "h.toml: no [[hypothesis]] to test"},
    {"NameWithAComma", false, "id = \"one\"", "id = \"one,two\"",
     "h.toml:6:6: hypothesis 'one,two' has a comma"},
};

INSTANTIATE_TEST_SUITE_P(All, BadExplain, ::testing::ValuesIn(cases),
                         [](const auto& test) { return test.param.name; });

TEST(BadExplainPlatform, MustSayWhatToExplain) {
  const Workplace place;
  place.write("p.toml", tiny);
  const Ended ended = run(place, {"explain", "p.toml"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.err,
            "horae: p.toml: no observations to hold against: expected [explain] observations = "
            "\"FILE\", or --observations FILE\n");
}

TEST(BadExplainPlatform, FilesAreBesideThePlatform) {
  const Workplace place;
  place.write("sub/p.toml",
              tiny + "[explain]\nobservations = \"o.toml\"\nhypotheses = \"h.toml\"\n");
  Ended ended = run(place, {"explain", "sub/p.toml"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_TRUE(ended.err.starts_with("horae: sub/o.toml: cannot read")) << ended.err;
  place.write("sub/o.toml", observations_head + condition("all", "") +
                                observation("tx", "all", "tx_rate", 100.0, "Gbps", "predict"));
  place.write("sub/h.toml", hypotheses_head + mechanism("hypothesis", "plain", ""));
  ended = run(place, {"explain", "sub/p.toml", "--json"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.json().at("infer").at("observations"), "sub/o.toml");
}

TEST(BadExplainPlatform, ArgumentsAreRefusedInOneLine) {
  const Inquiry inquiry(observations, hypotheses);
  const std::pair<Words, std::string> arguments[] = {
      {{"--only", "two"}, "--only: no hypothesis 'two'; expected one of one"},
      {{"--reading", "rate=l3"}, "--reading rate=l3: expected rate = l1 or l2, found 'l3'"},
      {{"--reading", "rates=l2"},
       "--reading rates=l2: unknown reading 'rates', did you mean 'rate'?"},
      {{"--seeds", "0"}, "--seeds: expected a whole number from 1 to 100, found '0'"},
      {{"--set", "nic.mut=1KiB"}, ""},
  };
  for (const auto& [words, message] : arguments) {
    const Ended ended = inquiry.run(words);
    EXPECT_EQ(ended.exit_code, 2) << words[1];
    if (!message.empty()) {
      EXPECT_EQ(ended.err, "horae: " + message + "\n");
    }
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  }
}

}  // namespace
}  // namespace horae::test::explain_input_test
