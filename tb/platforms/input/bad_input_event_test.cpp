// Bad input: events.
#include "bad_input.hpp"

namespace horae::test::bad_input_event_test {
namespace {

/// The platform of all faults with an event on its first link.
const std::string with_event = [] {
  std::string text = full;
  text.insert(text.find("[sweep]"), R"([[event]]
action = "delay"
between = ["a", "t"]
psn = 5
delay = "10 ns"

)");
  return text;
}();

// clang-format off
const std::vector<BrokenFile> faults = {
{"UnknownAction",
R"(action = "delay")",
R"(action = "dely")",
"p.toml:<\"dely\">: action: unknown choice 'dely', did you mean 'delay'?"},
{"NoAction",
"action = \"delay\"\n",
"",
"p.toml:<[[event]]>: missing 'action'; expected drop, mark, corrupt, delay or duplicate"},
{"NoPlace",
"between = [\"a\", \"t\"]\npsn",
"psn",
"p.toml:<[[event]]>: expected 'between', the link's ends in the direction of the packets, or 'nic'"},
{"TwoPlaces",
"psn = 5",
"nic = \"a\"",
"p.toml:<between = ^[\"a\", \"t\"]\nnic>: 'between' beside 'nic'; expected one of the two"},
{"SideOfALink",
"psn = 5",
"side = \"sends\"",
"p.toml:<side = ^\"sends\">: 'side' without 'nic'"},
{"NoLink",
"between = [\"a\", \"t\"]\npsn",
"between = [\"a\", \"b\"]\npsn",
"p.toml:<between = ^[\"a\", \"b\"]\npsn>: there is no link between 'a' and 'b'"},
{"NicIsASwitch",
"between = [\"a\", \"t\"]\npsn",
"nic = \"t\"\npsn",
"p.toml:<nic = ^\"t\">: 't' is a switch; expected a NIC or a host, or 'between' in place of 'nic'"},
{"PsnAndPacket",
"psn = 5",
"psn = 5\npacket = 2",
"p.toml:<psn = 5\npacket = ^2>: 'packet' beside 'psn'; expected one of the two"},
{"IterationOfAnOrdinal",
"psn = 5",
"iteration = 2",
"p.toml:<iteration = ^2>: 'iteration' without 'psn'"},
{"NoDelay",
"delay = \"10 ns\"",
"every = 1",
"p.toml:<[[event]]>: action = \"delay\" expects 'delay', more than 0"},
{"DelayOfADrop",
R"(action = "delay")",
R"(action = "drop")",
"p.toml:<delay = ^\"10 ns\">: 'delay' with an action other than delay and duplicate"},
{"PsnRange",
"psn = 5",
"psn = 16777216",
"p.toml:<16777216>: psn = 16777216 is above the maximum 16777215"},
{"UnknownEnd",
"psn = 5",
"flow = \"a-x\"",
"p.toml:<flow = ^\"a-x\">: flow a-x: expected SRC, SRC-DST or SRC-DST:QP of end points; expected one of a, b, h, i"},
};
// clang-format on

class BadEvent : public ::testing::TestWithParam<BrokenFile> {};

TEST_P(BadEvent, IsRefusedAtTheFault) { expect_refused(with_event, GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, BadEvent, ::testing::ValuesIn(faults), name_of_case);

TEST(BadEvent, AQueuePairThatTrafficDoesNotHave) {
  const Workplace place;
  std::string text = with_event.substr(0, with_event.find("[sweep]"));
  text.replace(text.find("psn = 5"), 7, "flow = \"a-b:0x999\"");
  place.write("p.toml", text);
  const Ended ended = run(place, {"run", "p.toml"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_NE(ended.err.find(": flow: no connection of the traffic is that one, of "),
            std::string::npos)
      << ended.err;
}

TEST(BadEvent, ALinkWithAModuleTakesNone) {
  const Workplace place;
  std::string text = with_event.substr(0, with_event.find("[sweep]"));
  text.insert(text.find("[[event]]"),
              "[[module]]\nname = \"m\"\nkind = \"delay\"\nbetween = [\"a\", \"t\"]\n");
  place.write("p.toml", text);
  const Ended ended = run(place, {"run", "p.toml"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_NE(ended.err.find("the link between 'a' and 't' has a module; expected an event on a link "
                           "without"),
            std::string::npos)
      << ended.err;
}

}  // namespace
}  // namespace horae::test::bad_input_event_test
