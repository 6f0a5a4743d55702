// Impossible settings of policies in a platform: timeouts of single transports, features that
// share header bits.
#include <gtest/gtest.h>

#include "program.hpp"

namespace horae::test::policy_input_test {

std::string with_nic(const std::string& lines) {
  std::string text = tiny;
  const std::string usual = R"(reliability = { window = 64, rto = "50 us" })";
  return text.replace(text.find(usual), usual.size(), lines);
}

Ended checked(const std::string& text, const Words& settings = {}) {
  const Workplace place;
  place.write("p.toml", text);
  Words arguments = {"config", "p.toml"};
  for (const auto& s : settings) arguments.insert(arguments.end(), {"--set", s});
  return run(place, arguments);
}

// The same line says it for every timeout of a transport, before anything is built.
TEST(PolicyInput, ATimeoutOfATransportsOwnIsRefusedAtItsPlace) {
  const Words slow = {"link_default.delay=10us"};
  const std::string low = with_nic(
      "transport = \"irn\"\nreliability = { window = 64, rto = \"50 us\", rto_low = \"9 us\" }");
  const Ended ended = checked(low, slow);
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.err,
            "horae: p.toml:10:55: rto_low = 9 us of profile 'nic' is not longer than the time "
            "window, 10 us (the smallest link delay)\n");
  EXPECT_EQ(checked(low).exit_code, 0);
  // A transport that has no such timeout ignores it.
  EXPECT_EQ(checked(low, {"link_default.delay=10us", "nic.transport=rnic_sr"}).exit_code, 0);
  // Where it was not given, the table around it is the place.
  const std::string unsaid =
      with_nic("transport = \"irn\"\nreliability = { window = 64, rto = \"5 ms\" }");
  EXPECT_EQ(checked(unsaid, {"link_default.delay=100us"}).err,
            "horae: p.toml:10:15: rto_low = 100 us of profile 'nic' is not longer than the time "
            "window, 100 us (the smallest link delay)\n");
}

TEST(PolicyInput, FeaturesThatShareHeaderBitsAreRefusedAtTheNicInOneLine) {
  const auto refusal = [](const Words& settings) {
    const Workplace place;
    Words arguments = {"config", HORAE_PLATFORM_DIR "/eunomia_clos.toml", "--set",
                       "leaf_spine.leaf=conweave_leaf"};
    for (const auto& s : settings) arguments.insert(arguments.end(), {"--set", s});
    const Ended ended = run(place, arguments);
    EXPECT_EQ(ended.exit_code, 2) << ended.err;
    return ended.err.substr(ended.err.rfind(": '") + 2);
  };
  EXPECT_EQ(
      refusal({"nic.ordering.engine=ideal"}),
      "'h0' uses the ordering layer's frame, and 'leaf0' uses ConWeave's header in the same "
      "header bits (reserved bits of the BTH and the four bytes behind the BTH); expected one "
      "of the two\n");
  EXPECT_EQ(refusal({"nic.ordering.engine=none", "nic.remaining_tag=true"}),
            "'h0' uses remaining_tag, and 'leaf0' uses ConWeave's header in the same header bits "
            "(reserved bits of the BTH); expected one of the two\n");
}

}  // namespace horae::test::policy_input_test
