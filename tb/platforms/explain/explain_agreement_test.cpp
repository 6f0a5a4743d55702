// Agreement in `horae explain`: parameters that the test knows are found again, a mechanism that
// is not the one is not, and numbers to be predicted are predicted.
#include <gtest/gtest.h>

#include <tuple>

#include "explain.hpp"

namespace horae::test::explain_agreement_test {
namespace {

// NACKs dropped, so that the window and the rate alone say what a sender does: near, the window is
// never full; with 5 us per link, it is.
const std::string near_set = "\"tor.program.nack_drop=1\", \"tor.program.nack_of=1\"";
const std::string far_set = near_set + ", \"link_default.delay=5us\"";
const Words near = {"tor.program.nack_drop=1", "tor.program.nack_of=1"};
Words with(Words settings, const Words& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}
Words far(const Words& more) { return with(with(near, {"link_default.delay=5us"}), more); }

const std::string window = parameter("hypothesis", "nic.reliability.window", "16", "512", "log");
const std::string rate = parameter("hypothesis", "nic.qp_rate", "5 Gbps", "100 Gbps");

/// A truth of window 200 without a rate limit: points are chosen by what is seen far, and near is
/// predicted.
std::string window_200() {
  return observations_head + condition("near", near_set) + condition("far", far_set) +
         observation("far.tx", "far", "tx_share",
                     truth("senders.tx_share", far({"nic.reliability.window=200"})),
                     "share of line", "fit") +
         observation("near.tx", "near", "tx_share",
                     truth("senders.tx_share", with(near, {"nic.reliability.window=200"})),
                     "share of line", "predict");
}

double gbps(const std::string& text) {
  std::size_t at = 0;
  const double value = std::stod(text, &at);
  return text.substr(at) == " Gbps" ? value : text.substr(at) == " Mbps" ? value / 1e3 : -1;
}

double whole(const std::string& text) { return std::stod(text); }

TEST(ExplainAgreement, FindsAValueAgain) {
  const Inquiry inquiry(window_200(), hypotheses_head + mechanism("hypothesis", "window", window));
  const ordered_json h = hypothesis(inquiry.json(), "window");
  EXPECT_EQ(h.at("verdict"), "consistent");
  EXPECT_LE(h.at("closest").at("tolerances"), 1);
  // One per cent off is one tolerance; TX is about in proportion to the window.
  const ordered_json range = accepted(h, "nic.reliability.window");
  EXPECT_GE(whole(range.at("least")), 196);
  EXPECT_LE(whole(range.at("most")), 204);
  EXPECT_LE(whole(range.at("low")), 202);
  EXPECT_GE(whole(range.at("high")), 198);
}

TEST(ExplainAgreement, ANumberThatIsSaidNineTimesIsCountedOnce) {
  const double tx = truth("senders.tx_share", far({"nic.reliability.window=200"}));
  const auto said = [&](const std::string& id, const std::string& where) {
    return observation(id, where, "tx_share", tx, "share of line", "fit", 0.1);
  };
  // The same condition in other words.
  std::string once = observations_head + condition("far", far_set) +
                     condition("again", near_set + ", \"link_default.delay=5000ns\"") +
                     said("far.tx", "far");
  std::string nine_times = once, names;
  for (int i = 2; i <= 9; ++i) {
    const std::string id = fmt::format("far.tx{}", i);
    nine_times += said(id, i % 2 == 0 ? "far" : "again");
    names += (names.empty() ? "" : ", ") + id;
  }
  const std::string hypotheses = hypotheses_head + mechanism("hypothesis", "window", window);
  const Inquiry nine(nine_times, hypotheses);
  const ordered_json one = Inquiry(once, hypotheses).json(), all = nine.json();
  EXPECT_EQ(hypothesis(all, "window"), hypothesis(one, "window"));
  EXPECT_EQ(one.at("infer").at("counted_once"), ordered_json::array());
  const ordered_json counted = all.at("infer").at("counted_once");
  ASSERT_EQ(counted.size(), 1u);
  EXPECT_EQ(counted.at(0).at("id"), "far.tx");
  EXPECT_EQ(counted.at(0).at("again").size(), 8u);
  const std::string out = nine.run({"--points", "8"}).out;
  EXPECT_NE(out.find("\nobservations  1 from o.toml\ncounted once  far.tx, which " + names +
                     " say again: the same number\n"),
            std::string::npos)
      << out;
}

TEST(ExplainAgreement, ARangeEndsAtTheBound) {
  const std::string observed =
      observations_head + condition("near", near_set) +
      observation("near.rate", "near", "tx_rate", 60.0, "Gbps", "fit", 0.05);
  const Inquiry inquiry(observed, hypotheses_head + mechanism("hypothesis", "slow",
                                                              parameter("hypothesis", "nic.qp_rate",
                                                                        "5 Gbps", "59 Gbps")));
  // Within 3.03 Gbps under the reading without preamble and gap, or within that of 1106/1086.
  const ordered_json range = accepted(hypothesis(inquiry.json(), "slow"), "nic.qp_rate");
  EXPECT_GT(gbps(range.at("most")), 58.5);
  EXPECT_LE(gbps(range.at("most")), 59);
  EXPECT_GT(gbps(range.at("least")), 56.5);
  EXPECT_LT(gbps(range.at("least")), 58.1);
}

TEST(ExplainAgreement, AMechanismThatMissesANumberDoesNotAgree) {
  const Inquiry inquiry(window_200(), hypotheses_head + mechanism("hypothesis", "rate", rate) +
                                          mechanism("hypothesis", "window", window) +
                                          mechanism("hypothesis", "neither", ""));
  const ordered_json s = inquiry.json();
  // A rate can show what was seen far away, and is then wrong about what was seen near.
  EXPECT_NE(hypothesis(s, "rate").at("standing"), "consistent");
  EXPECT_GT(hypothesis(s, "rate").at("closest").at("tolerances"), 10);
  // Nothing is open of the third: one point is all of it, and excludes it.
  const ordered_json neither = hypothesis(s, "neither");
  EXPECT_EQ(neither.at("standing"), "excluded") << neither.at("verdict");
  EXPECT_EQ(neither.at("closest").at("observation"), "far.tx");
  const ordered_json& rows = s.at("rows").at("infer");
  EXPECT_EQ(rows.at(0).at("hypothesis"), "window");
  EXPECT_EQ(rows.at(0).at("standing"), "consistent");
  EXPECT_EQ(s.at("infer").at("survivors"), ordered_json({"window"}));
  EXPECT_EQ(s.at("infer")
                .at("conclusion")
                .get<std::string>()
                .find("One mechanism agrees with all two numbers: window"),
            0u)
      << s.at("infer").at("conclusion");
}

TEST(ExplainAgreement, FindsTwoValuesAgain) {
  const Words at = {"nic.reliability.window=200", "nic.qp_rate=60Gbps"};
  const std::string observed =
      observations_head + condition("near", near_set) + condition("far", far_set) +
      observation("far.tx", "far", "tx_share", truth("senders.tx_share", far(at)), "share of line",
                  "fit", 0.03) +
      observation("near.rate", "near", "tx_rate", 60.0, "Gbps", "fit", 0.03);
  const Inquiry inquiry(observed, hypotheses_head + mechanism("hypothesis", "both", window + rate));
  const ordered_json h = hypothesis(inquiry.json({"--points", "400"}), "both");
  EXPECT_EQ(h.at("verdict"), "consistent");
  const ordered_json closest = h.at("closest").at("at");
  EXPECT_NEAR(whole(closest.at("nic.reliability.window")), 200, 8);
  EXPECT_NEAR(gbps(closest.at("nic.qp_rate")), 60, 3.2);
}

TEST(ExplainAgreement, NumbersToBePredictedArePredictedFromTheOthers) {
  // One number for two parameters: a rate limit gives the TX rate as well as a window does, and
  // only the idle time says which it was.
  const Words at = far({"nic.reliability.window=200"});
  const double idle = truth("senders.idle_window", at);
  const auto observed = [&](const std::string& use) {
    return observations_head + condition("far", far_set) +
           observation("far.tx", "far", "tx_share", truth("senders.tx_share", at), "share of line",
                       "fit", 0.05) +
           observation("far.idle", "far", "senders.idle_window", idle, "share of time", use, 0.1);
  };
  const std::string both = hypotheses_head + mechanism("hypothesis", "both", rate + window);
  const Words more = {"--points", "400"};
  const ordered_json h = hypothesis(Inquiry(observed("predict"), both).json(more), "both");
  EXPECT_EQ(h.at("verdict"), "consistent");
  // From TX alone the idle time may be anything down to none.
  const ordered_json predicted = prediction(h, "far.idle");
  EXPECT_EQ(predicted.at("kind"), "predicted");
  EXPECT_LT(predicted.at("least"), 0.1);
  EXPECT_GT(predicted.at("most"), idle - 0.1);
  EXPECT_EQ(prediction(h, "far.tx").at("kind"), "calibrated");
  EXPECT_GT(h.at("predicted_share"), 0);
  EXPECT_LT(h.at("predicted_share"), 1);
  // If it counts, it is what was seen; then nothing is predicted.
  const ordered_json all = hypothesis(Inquiry(observed("fit"), both).json(more), "both");
  EXPECT_EQ(prediction(all, "far.idle").at("kind"), "calibrated");
  EXPECT_GT(prediction(all, "far.idle").at("least"), 0.9 * idle - 0.01);
  EXPECT_FALSE(all.contains("predicted_share"));
  EXPECT_EQ(all.at("closest"), h.at("closest"));
}

// Numbers to be predicted choose points where no others do; where there is one point alone they
// choose nothing.
TEST(ExplainAgreement, WhereNothingIsOpenNothingIsCalibrated) {
  const Words at = far({"nic.reliability.window=200"});
  const std::string observed =
      observations_head + condition("far", far_set) +
      observation("far.idle", "far", "senders.idle_window", truth("senders.idle_window", at),
                  "share of time", "predict", 0.1);
  const auto kinds = [&](const std::string& what) {
    const ordered_json s =
        Inquiry(observed, hypotheses_head + mechanism("hypothesis", "it", what)).json();
    return std::pair(prediction(hypothesis(s, "it"), "far.idle").at("kind").get<std::string>(),
                     s.at("validation").at(0).at("kind").get<std::string>());
  };
  EXPECT_EQ(kinds("set = [\"nic.reliability.window=200\"]\n"),
            std::pair(std::string("predicted"), std::string("predicted")));
  EXPECT_EQ(kinds(window), std::pair(std::string("calibrated"), std::string("calibrated")));
}

TEST(ExplainAgreement, ARatioIsOverAnotherCondition) {
  const Words window_200 = {"nic.reliability.window=200"};
  const double ratio = truth("senders.tx_share", far(window_200)) /
                       truth("senders.tx_share", with(near, window_200));
  ASSERT_LT(ratio, 0.9);
  const auto observed = [&](double value) {
    return observations_head + condition("near", near_set) + condition("far", far_set) +
           observation("fall", "far", "tx_share", value, "ratio", "fit") +
           "relative_to = \"near\"\n";
  };
  const std::string fixed =
      hypotheses_head + mechanism("hypothesis", "it", "set = [\"nic.reliability.window=200\"]\n");
  const ordered_json h = hypothesis(Inquiry(observed(ratio), fixed).json(), "it");
  EXPECT_EQ(h.at("verdict"), "consistent");
  EXPECT_NEAR(prediction(h, "fall").at("least"), ratio, 1e-9);
  EXPECT_NE(hypothesis(Inquiry(observed(0.9 * ratio), fixed).json(), "it").at("verdict"),
            "consistent");
}

TEST(ExplainAgreement, ARatioNeedsAnotherConditionAndItsUnit) {
  const auto refused = [&](const std::string& unit, const std::string& over) {
    return Inquiry(observations_head + condition("near", near_set) +
                       observation("fall", "near", "tx_share", 0.5, unit, "fit") +
                       "relative_to = \"" + over + "\"\n",
                   hypotheses_head + mechanism("hypothesis", "it", window))
        .run();
  };
  for (const auto& [unit, over, found] :
       {std::tuple("ratio", "nowhere", "unknown condition 'nowhere'"),
        {"ratio", "near", "'fall' is relative to its own condition 'near'; expected another"}}) {
    const Ended ended = refused(unit, over);
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_NE(ended.err.find(found), std::string::npos) << ended.err;
  }
}

TEST(ExplainAgreement, OneOfTheVariantsHolds) {
  const Words at = {"nic.reliability.window=200", "nic.mtu=2KiB"};
  const std::string observed =
      observations_head + condition("far", far_set) +
      observation("far.tx", "far", "tx_share", truth("senders.tx_share", far(at)), "share of line",
                  "predict");
  std::string variants;
  for (const char* mtu : {"1KiB", "2KiB", "4KiB"}) {
    variants += fmt::format("[[variant]]\nlabel = \"MTU {0}\"\nset = [\"nic.mtu={0}\"]\n{1}", mtu,
                            std::string(mtu) == "2KiB" ? "quick = false\n" : "");
  }
  const Inquiry inquiry(
      observed, hypotheses_head + variants +
                    mechanism("hypothesis", "window", "set = [\"nic.reliability.window=200\"]"));
  const ordered_json h = hypothesis(inquiry.json(), "window");
  EXPECT_EQ(h.at("verdict"), "consistent");
  EXPECT_EQ(h.at("unknowns").at(0).at("kind"), "variant");
  EXPECT_EQ(h.at("unknowns").at(0).at("values"),
            ordered_json({"MTU 1KiB", "MTU 2KiB", "MTU 4KiB"}));
  EXPECT_EQ(accepted(h, "variant").at("shares"), ordered_json({0, 1, 0}));
  EXPECT_EQ(h.at("closest").at("at").at("variant"), "MTU 2KiB");
  // A third of what is open.
  const double share = h.at("evidence").at("share"), error = h.at("evidence").at("error");
  EXPECT_NEAR(share, 1.0 / 3, 2 * error);
  // It is not among those of a quick look.
  EXPECT_NE(hypothesis(inquiry.json({"--quick"}), "window").at("standing"), "consistent");
}

/// An experiment that is a condition as it was.
std::string again(const std::string& where) {
  return fmt::format(
      "[[experiment]]\nid = \"{0}\"\ntitle = \"{0}\"\ncondition = \"{0}\"\n"
      "quantities = [\"tx_share\"]\n",
      where);
}

TEST(ExplainAgreement, AReactionHoldsInItsConditionsAlone) {
  // With congestion control the sender is held to 40 Gbps; the mechanism without it is a window.
  const Words at = {"nic.reliability.window=200"};
  const double alone_far = truth("senders.tx_share", far(at));
  const double reacting_far = truth("senders.tx_share", with(far(at), {"nic.qp_rate=40Gbps"}));
  const std::string observed =
      observations_head + condition("far", far_set) + condition("reacting", near_set, true) +
      condition("reacting.far", far_set, true) +
      observation("far.tx", "far", "tx_share", alone_far, "share of line", "fit", 0.06) +
      observation("reacting.rate", "reacting", "tx_rate", 40.0, "Gbps", "fit", 0.06) +
      observation("reacting.far", "reacting.far", "tx_share", reacting_far, "share of line",
                  "predict", 0.06);
  const Inquiry inquiry(
      observed, hypotheses_head + mechanism("hypothesis", "window", window) +
                    mechanism("hypothesis", "nothing", "") + mechanism("reaction", "none", "") +
                    mechanism("reaction", "limit",
                              parameter("reaction", "nic.qp_rate", "5 Gbps", "100 Gbps")) +
                    again("far") + again("reacting"));
  const ordered_json s = inquiry.json({"--points", "1000"});
  const ordered_json h = hypothesis(s, "window");
  EXPECT_EQ(h.at("verdict"), "consistent");
  EXPECT_NEAR(accepted(h, "reaction").at("shares").at(1), 1, 1e-9);
  EXPECT_NEAR(gbps(accepted(h, "nic.qp_rate").at("median")), 40, 2.5);
  // The reaction holds only where there is one.
  for (const auto& x : s.at("infer").at("experiments")) {
    const ordered_json& tx = x.at("predictions").at(0).at("tx_share");
    EXPECT_NEAR(tx.at("median"), x.at("id") == "far" ? alone_far : 0.4, 0.025) << x;
  }
  // A hypothesis that is far off without congestion control is not tried with it.
  EXPECT_NE(hypothesis(s, "nothing").at("standing"), "consistent");
  EXPECT_EQ(hypothesis(s, "nothing").at("closest").at("observation"), "far.tx");
}

TEST(ExplainAgreement, AVerdictMayDependOnAReading) {
  // The observation counts the NACKs of both senders.
  const double both = truth("senders.nack_rate_total", {});
  const Inquiry inquiry(observations_head + condition("all", "") +
                            observation("nacks", "all", "nack_rate", both, "Mpps", "predict"),
                        hypotheses_head + mechanism("hypothesis", "plain", ""));
  const ordered_json h = hypothesis(inquiry.json(), "plain");
  EXPECT_EQ(h.at("verdict"), "consistent");
  EXPECT_EQ(h.at("readings").dump(), R"({"nacks=sender":0.0,"nacks=both":1.0})");
  EXPECT_NE(inquiry.run().out.find("  nacks=both  consistent\n"), std::string::npos);
  const auto given = [&](const char* reading) {
    return hypothesis(inquiry.json({"--reading", reading}), "plain").at("standing");
  };
  EXPECT_EQ(given("nacks=both"), "consistent");
  EXPECT_EQ(given("nacks=sender"), "excluded");
}

TEST(ExplainAgreement, ReadsRatesAndRatiosBothWays) {
  const ordered_json all = [] {
    const Workplace place;
    Words settings = brief;
    settings.emplace_back("sweep={}");
    return summary_of(place, testbed, settings);
  }();
  // 1086 of 1106 bytes are frame; nothing but full packets is sent.
  EXPECT_NEAR(result(all, "senders.tx_rate_l2") / result(all, "senders.tx_rate_l1"), 1086.0 / 1106,
              1e-4);
  EXPECT_NEAR(result(all, "senders.tx_share_l2") / result(all, "senders.tx_share"), 1086.0 / 1106,
              1e-4);
  EXPECT_EQ(result(all, "senders.tx_rate"), result(all, "senders.tx_rate_l1"));
  EXPECT_NEAR(result(all, "senders.nack_rate_total"), 2 * result(all, "senders.nack_rate"), 1e-9);
  // Payload is 1024 of a frame's 1086; what is on the way at either end makes the rest.
  EXPECT_NEAR(result(all, "senders.payload_ratio"),
              result(all, "senders.goodput_ratio") * 1024 / 1086, 0.02);
}

TEST(ExplainAgreement, GivesTheSameBytesWithAnyNumberOfJobs) {
  const Inquiry inquiry(window_200(), hypotheses_head + mechanism("hypothesis", "rate", rate) +
                                          mechanism("hypothesis", "window", window) +
                                          mechanism("hypothesis", "both", window + rate));
  std::vector<std::string> answers;
  for (const char* jobs : {"1", "2", "3"}) {
    const std::string out = std::string("out") + jobs;
    ASSERT_EQ(inquiry.run({"--jobs", jobs, "--points", "40", "--out", out}).exit_code, 0);
    ordered_json summary = inquiry.place().read_json(out + "/summary.json");
    EXPECT_GT(summary.at("wall_s").get<double>(), 0);
    summary.erase("wall_s");
    answers.push_back(summary.dump() + inquiry.place().read(out + "/runs.csv") +
                      inquiry.place().read(out + "/points.csv"));
  }
  EXPECT_EQ(answers[0], answers[1]);
  EXPECT_EQ(answers[0], answers[2]);
}

TEST(ExplainAgreement, RunsAConfigurationOnce) {
  // Said otherwise, it is still the same configuration: two conditions, three seeds.
  const Inquiry inquiry(window_200(),
                        hypotheses_head + mechanism("hypothesis", "one", "") +
                            mechanism("hypothesis", "two", "set = [\"nic.mtu=1024B\"]"));
  ASSERT_EQ(inquiry.run({"--seeds", "3", "--out", "out"}).exit_code, 0);
  const ordered_json summary = inquiry.place().read_json("out/summary.json");
  EXPECT_EQ(summary.at("infer").at("runs"), 6);
  const std::string csv = inquiry.place().read("out/runs.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 7);
  EXPECT_GT(summary.at("packets").at("created"), 1000);
  EXPECT_EQ(summary.at("packets").at("created").get<std::uint64_t>(),
            summary.at("packets").at("delivered").get<std::uint64_t>() +
                summary.at("packets").at("dropped").at("program").get<std::uint64_t>() +
                summary.at("packets").at("in_flight").get<std::uint64_t>());
}

}  // namespace
}  // namespace horae::test::explain_agreement_test
