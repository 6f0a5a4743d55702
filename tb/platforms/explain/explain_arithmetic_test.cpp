// Conclusions of `horae explain` from published numbers alone.
#include <gtest/gtest.h>

#include "explain.hpp"

namespace horae::test::explain_arithmetic_test {
namespace {

const std::string shipped = std::string(HORAE_PLATFORM_DIR) + "/observations/cx7_spray.toml";

/// Both sizes, as one nuisance.
const std::string mtus =
    "[[nuisance]]\nkey = \"nic.mtu\"\nvalues = [\"512B\", \"1KiB\"]\nwhy = \"not printed\"\n";
const std::string every = "serves = \"every\"\nstalls = \"served\"";

std::string blocking(const std::string& id, unsigned packets, const std::string& traits) {
  return mechanism("hypothesis", id, fmt::format("packets_per_nack = {}\n{}", packets, traits));
}

/// The published observations with hypotheses that are simulated for an instant only.
ordered_json concluded(const std::string& hypotheses, const Words& more = {},
                       const std::string& open = mtus) {
  const Workplace place;
  place.write("h.toml", hypotheses_head + open + hypotheses);
  Words arguments = {"explain",        testbed,
                     "--observations", shipped,
                     "--hypotheses",   "h.toml",
                     "--seeds",        "1",
                     "--points",       "8",
                     "--set",          "sim.duration=20us",
                     "--set",          "sim.warmup=10us",
                     "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Ended ended = run(place, arguments);
  if (ended.exit_code != 0) throw std::runtime_error(ended.err);
  return ended.json();
}

TEST(ExplainArithmetic, BoundsTheStallAndTheFrame) {
  const ordered_json s = concluded(blocking("h", 2, ""));
  ASSERT_EQ(s.at("infer").at("arithmetic").size(), 2u);
  const ordered_json& at = s.at("infer").at("arithmetic").at(1);
  EXPECT_EQ(at.at("setting"), "nic.mtu=1KiB");
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

TEST(ExplainArithmetic, VariantsAreSettingsToo) {
  const std::string variants =
      "[[variant]]\nlabel = \"small\"\nset = [\"nic.mtu=512B\"]\n"
      "[[variant]]\nlabel = \"large\"\nset = [\"nic.mtu=1KiB\"]\n";
  const ordered_json s = concluded(blocking("h", 2, ""), {}, variants);
  const ordered_json& all = s.at("infer").at("arithmetic");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all.at(0).at("setting"), "small");
  EXPECT_EQ(all.at(0).at("frame_bytes"), 594);
  EXPECT_EQ(all.at(1).at("setting"), "large");
}

TEST(ExplainArithmetic, CountsTheNacksOfBothSendersIfReadSo) {
  const ordered_json s = concluded(blocking("two", 2, every), {"--reading", "nacks=both"});
  // Twice the stall, so half the NACKs served, so frames twice as long.
  const ordered_json& b = s.at("infer").at("arithmetic").at(1).at("blocking").at(0);
  EXPECT_NEAR(b.at("published").at("stall_us_most"), 2.225, 0.001);
  EXPECT_NEAR(b.at("published").at("frame_bytes_most_two"), 904, 1);
}

TEST(ExplainArithmetic, TakesHeadersOutOfAPayloadRatio) {
  const ordered_json s = concluded(blocking("h", 2, every), {"--reading", "ratio=payload"});
  // 1024 of 1086 bytes are payload, 0.9429: 0.84 % are left for retransmissions. At 512 it is
  // 0.892, less than published: no retransmission, so nothing bounds a frame.
  const ordered_json& at = s.at("infer").at("arithmetic");
  EXPECT_NEAR(at.at(1).at("blocking").at(0).at("published").at("resent_share"),
              1 - 0.935 * 1086 / 1024, 1e-9);
  EXPECT_TRUE(at.at(0).at("blocking").at(0).at("published").at("frame_bytes_most_two").is_null());
}

TEST(ExplainArithmetic, WhatNeverIdlesTheWireIsImpossibleAndSimulatedAllTheSame) {
  const ordered_json h = hypothesis(concluded(blocking("h", 2, "stalls = \"none\"")), "h");
  EXPECT_EQ(h.at("standing"), "impossible");
  EXPECT_TRUE(h.at("verdict").get<std::string>().starts_with(
      "impossible: it never idles the wire, so TX is line rate, but nocc.tx is 0.5 of it; "
      "simulated "
      "all the same, no point of 8 is closer than "))
      << h.at("verdict");
}

// A trait that is wrong is found out: it may be all that speaks against the hypothesis.
TEST(ExplainArithmetic, ATraitThatSimulationContradictsIsNamed) {
  const Words half = {"tor.program.nack_drop=1", "tor.program.nack_of=1", "nic.qp_rate=40Gbps"};
  const Inquiry inquiry(
      observations_head +
          condition("all", "\"tor.program.nack_drop=1\", \"tor.program.nack_of=1\"") +
          observation("tx", "all", "tx_share", truth("senders.tx_share", half), "share of line",
                      "fit"),
      hypotheses_head +
          mechanism("hypothesis", "slow", "stalls = \"none\"\nset = [\"nic.qp_rate=40Gbps\"]"));
  const ordered_json h = hypothesis(inquiry.json(), "slow");
  EXPECT_EQ(h.at("standing"), "impossible");
  EXPECT_TRUE(h.at("verdict").get<std::string>().ends_with(
      "; simulated all the same, one of 32 points agrees: serves or stalls of the hypothesis must "
      "be "
      "wrong"))
      << h.at("verdict");
}

}  // namespace
}  // namespace horae::test::explain_arithmetic_test
