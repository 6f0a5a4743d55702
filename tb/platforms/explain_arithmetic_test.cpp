// What `horae explain` concludes from published numbers alone.
#include <gtest/gtest.h>

#include "explain.hpp"

namespace horae::test::explain_arithmetic_test {
namespace {

const std::string shipped = std::string(HORAE_PLATFORM_DIR) + "/observations/cx7_spray.toml";

const std::string mtus = R"([[variant]]
label = "512"
set = ["nic.mtu=512B"]
[[variant]]
label = "1024"
set = ["nic.mtu=1KiB"]
)";

std::string blocking(const std::string& id, unsigned packets, const std::string& traits) {
  return mechanism("hypothesis", id, fmt::format("packets_per_nack = {}\n{}", packets, traits));
}

/// The published observations with hypotheses that are simulated for an instant only.
ordered_json concluded(const std::string& hypotheses, const Words& more = {}) {
  const Workplace place;
  place.write("h.toml", hypotheses_head + mtus + hypotheses);
  Words arguments = {
      "explain", testbed, "--observations",    shipped, "--hypotheses",    "h.toml", "--seeds",
      "1",       "--set", "sim.duration=20us", "--set", "sim.warmup=10us", "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Ended ended = run(place, arguments);
  if (ended.exit_code != 0) throw std::runtime_error(ended.err);
  return ended.json();
}

/// Why each variant of `id` is impossible; empty: it is not.
std::map<std::string, std::string> reasons(const ordered_json& s, const std::string& id) {
  std::map<std::string, std::string> out;
  const ordered_json h = hypothesis(s, id);
  for (const auto& v : h.at("variants")) {
    out[v.at("variant")] = v.at("a_priori").empty() ? "" : v.at("a_priori").at(0);
    EXPECT_EQ(v.at("verdict").get<std::string>().starts_with("excluded a priori because "),
              !v.at("a_priori").empty());
    // Simulated all the same.
    EXPECT_FALSE(v.at("without_reaction").at("observations").empty());
  }
  return out;
}

const std::string every = "serves = \"every\"\nstalls = \"served\"";

TEST(ExplainArithmetic, BoundsTheStallAndTheFrame) {
  const ordered_json s = concluded(blocking("h", 2, ""));
  ASSERT_EQ(s.at("explain").at("arithmetic").size(), 2u);
  const ordered_json& at = s.at("explain").at("arithmetic").at(1);
  EXPECT_EQ(at.at("variant"), "1024");
  EXPECT_EQ(at.at("frame_bytes"), 1106);  // 1024 + 62 of headers and FCS + 20 of preamble and gap
  EXPECT_EQ(at.at("line_gbps"), 100);
  EXPECT_EQ(at.at("senders"), 2);
  ASSERT_EQ(at.at("blocking").size(), 1u);
  // 0.48 Mpps in 1 - 0.466 of the time; half the time idle at that stall; 6.5 % of the packets.
  const ordered_json& b = at.at("blocking").at(0).at("published");
  EXPECT_NEAR(b.at("stall_us_most"), 1.11, 0.005);
  EXPECT_NEAR(b.at("served_mpps_least"), 0.45, 0.005);
  EXPECT_NEAR(b.at("frame_bytes_most_two"), 452, 1);
  EXPECT_NEAR(b.at("frame_bytes_most_one"), 904, 1);
  const ordered_json& f = at.at("blocking").at(0).at("roundings_in_favour");
  EXPECT_NEAR(f.at("stall_us_most"), 0.5345 / 0.475, 1e-9);
  EXPECT_NEAR(f.at("frame_bytes_most_two"), 470, 1);
  bool coincidence = false;
  for (const auto& line : at.at("text"))
    coincidence |= line.get<std::string>().find("46.75 Gbps") != std::string::npos;
  EXPECT_TRUE(coincidence);
}

TEST(ExplainArithmetic, ExcludesBlockingOnEveryNackWhereFramesAreTooLong) {
  const ordered_json s = concluded(blocking("two", 2, every) + blocking("one", 1, every));
  // 594 bytes on the wire at 512, 1106 at 1024; at most 470 or 940.
  const auto two = reasons(s, "two");
  EXPECT_NE(two.at("512").find("frames of at most 452 B (470 B with roundings"), std::string::npos)
      << two.at("512");
  EXPECT_NE(two.at("1024"), "");
  const auto one = reasons(s, "one");
  EXPECT_EQ(one.at("512"), "");
  EXPECT_NE(one.at("1024"), "");
  EXPECT_EQ(hypothesis(s, "one").at("best_variant"), "512");
}

TEST(ExplainArithmetic, LetsMechanismsBeThatMergeOrStallOtherwise) {
  const ordered_json s =
      concluded(blocking("merged", 2, "serves = \"merged\"\nstalls = \"served\"") +
                blocking("received", 2, "serves = \"every\"\nstalls = \"received\"") +
                blocking("window", 2, "stalls = \"window\"") + blocking("silent", 2, ""));
  for (const char* id : {"merged", "received", "window", "silent"}) {
    for (const auto& [variant, why] : reasons(s, id)) EXPECT_EQ(why, "") << id << variant;
  }
}

TEST(ExplainArithmetic, ExcludesWhatNeverIdlesTheWire) {
  const auto why = reasons(concluded(blocking("h", 2, "stalls = \"none\"")), "h");
  EXPECT_NE(why.at("512").find("nocc.tx is 0.5 of it"), std::string::npos) << why.at("512");
  EXPECT_NE(why.at("1024"), "");
}

TEST(ExplainArithmetic, CountsTheNacksOfBothSendersIfReadSo) {
  const ordered_json s =
      concluded(blocking("two", 2, every) + blocking("one", 1, every), {"--reading", "nacks=both"});
  // Twice the stall, so half the NACKs served, so frames twice as long.
  const ordered_json& b = s.at("explain").at("arithmetic").at(1).at("blocking").at(0);
  EXPECT_NEAR(b.at("published").at("stall_us_most"), 2.225, 0.001);
  EXPECT_NEAR(b.at("published").at("frame_bytes_most_two"), 904, 1);
  EXPECT_EQ(reasons(s, "two").at("512"), "");
  EXPECT_NE(reasons(s, "two").at("1024"), "");
  EXPECT_EQ(reasons(s, "one").at("1024"), "");
}

TEST(ExplainArithmetic, TakesHeadersOutOfAPayloadRatio) {
  const ordered_json s = concluded(blocking("h", 2, every), {"--reading", "ratio=payload"});
  // 1024 of 1086 bytes are payload, 0.9429: 0.84 % are left for retransmissions. At 512 it is
  // 0.892, less than published: no retransmission, so nothing bounds a frame.
  const ordered_json& at = s.at("explain").at("arithmetic");
  EXPECT_NEAR(at.at(1).at("blocking").at(0).at("published").at("resent_share"),
              1 - 0.935 * 1086 / 1024, 1e-9);
  EXPECT_TRUE(at.at(0).at("blocking").at(0).at("published").at("frame_bytes_most_two").is_null());
  EXPECT_NE(reasons(s, "h").at("1024"), "");
}

}  // namespace
}  // namespace horae::test::explain_arithmetic_test
