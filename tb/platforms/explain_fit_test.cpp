// Fits of `horae explain`: parameters that the test knows are found again, and a mechanism that is
// not the one is excluded by what it misses.
#include <gtest/gtest.h>

#include "explain.hpp"

namespace horae::test::explain_fit_test {
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

/// A truth of window 200 without a rate limit: fitted far, predicted near.
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

TEST(ExplainFit, FindsAValueAgain) {
  const Inquiry inquiry(window_200(), hypotheses_head + mechanism("hypothesis", "window", window));
  const ordered_json s = inquiry.json();
  EXPECT_EQ(hypothesis(s, "window").at("verdict"), "consistent");
  const ordered_json p = alone(s, "window").at("parameters").at(0);
  EXPECT_NEAR(std::stod(p.at("value").get<std::string>()), 200, 4);
  const double low = std::stod(p.at("plausible").at("low").get<std::string>());
  const double high = std::stod(p.at("plausible").at("high").get<std::string>());
  // One per cent off is one tolerance; TX is about in proportion to the window.
  EXPECT_LE(low, 200);
  EXPECT_GE(high, 200);
  EXPECT_GE(low, 190);
  EXPECT_LE(high, 210);
  EXPECT_FALSE(p.at("plausible").at("low_is_bound"));
}

TEST(ExplainFit, ANumberThatIsSaidNineTimesIsCountedOnce) {
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
  EXPECT_EQ(alone(all, "window"), alone(one, "window"));
  EXPECT_EQ(one.at("explain").at("counted_once"), ordered_json::array());
  const ordered_json counted = all.at("explain").at("counted_once");
  ASSERT_EQ(counted.size(), 1u);
  EXPECT_EQ(counted.at(0).at("id"), "far.tx");
  EXPECT_EQ(counted.at(0).at("again").size(), 8u);
  const std::string out = nine.run({"--quick", "--seeds", "1"}).out;
  EXPECT_NE(out.find("\nobservations  1 from o.toml\ncounted once  far.tx, which " + names +
                     " say again: the same number\n"),
            std::string::npos)
      << out;
}

TEST(ExplainFit, ARangeEndsAtTheBoundWhereTheBestIs) {
  const std::string observed =
      observations_head + condition("near", near_set) +
      observation("near.rate", "near", "tx_rate", 60.0, "Gbps", "fit", 0.05);
  const Inquiry inquiry(observed, hypotheses_head + mechanism("hypothesis", "slow",
                                                              parameter("hypothesis", "nic.qp_rate",
                                                                        "5 Gbps", "59 Gbps")));
  const ordered_json p = alone(inquiry.json(), "slow").at("parameters").at(0);
  EXPECT_NEAR(gbps(p.at("value")), 59, 0.5);
  EXPECT_EQ(p.at("plausible").at("high"), "59 Gbps");
  EXPECT_TRUE(p.at("plausible").at("high_is_bound"));
  EXPECT_NEAR(gbps(p.at("plausible").at("low")), 57, 1.0);
}

TEST(ExplainFit, ExcludesAMechanismByWhatItMisses) {
  const Inquiry inquiry(window_200(), hypotheses_head + mechanism("hypothesis", "rate", rate) +
                                          mechanism("hypothesis", "window", window) +
                                          mechanism("hypothesis", "neither", ""));
  const ordered_json s = inquiry.json();
  // The rate can be fitted to what was fitted, and is wrong about the rest.
  const ordered_json fitted = alone(s, "rate").at("observations").at(0);
  EXPECT_EQ(fitted.at("id"), "far.tx");
  EXPECT_EQ(fitted.at("kind"), "calibrated");
  EXPECT_TRUE(fitted.at("within")) << fitted;
  EXPECT_TRUE(hypothesis(s, "rate").at("verdict").get<std::string>().starts_with(
      "excluded by near.tx (ours 0."))
      << hypothesis(s, "rate").at("verdict");
  EXPECT_TRUE(hypothesis(s, "neither")
                  .at("verdict")
                  .get<std::string>()
                  .starts_with("excluded by far.tx (ours "));
  EXPECT_EQ(alone(s, "neither").at("observations").at(0).at("kind"), "predicted");
  const ordered_json& rows = s.at("rows").at("explain");
  EXPECT_EQ(rows.at(0).at("hypothesis"), "window");
  EXPECT_EQ(rows.at(0).at("consistent"), true);
  EXPECT_EQ(rows.at(0).at("fitted"), 1);
  EXPECT_EQ(rows.at(0).at("predicted"), 1);
  EXPECT_EQ(rows.at(1).at("consistent"), false);
  EXPECT_EQ(s.at("explain").at("survivors"), ordered_json({"window"}));
}

TEST(ExplainFit, FindsTwoValuesAgain) {
  const Words at = {"nic.reliability.window=200", "nic.qp_rate=60Gbps"};
  const std::string observed =
      observations_head + condition("near", near_set) + condition("far", far_set) +
      observation("far.tx", "far", "tx_share", truth("senders.tx_share", far(at)), "share of line",
                  "fit") +
      observation("near.rate", "near", "tx_rate", 60.0, "Gbps", "fit");
  const Inquiry inquiry(observed, hypotheses_head + mechanism("hypothesis", "both", window + rate));
  const ordered_json s = inquiry.json();
  EXPECT_EQ(hypothesis(s, "both").at("verdict"), "consistent");
  const ordered_json p = alone(s, "both").at("parameters");
  EXPECT_NEAR(std::stod(p.at(0).at("value").get<std::string>()), 200, 4);
  EXPECT_NEAR(gbps(p.at(1).at("value")), 60, 1);
}

TEST(ExplainFit, ABestFitThatMissesAPredictionExcludesNothingIfOtherValuesDoNot) {
  // One number for two parameters: a rate limit gives the TX rate as well as a window does, and
  // only the idle time says which it was.
  const Words at = far({"nic.reliability.window=200"});
  const auto observed = [&](double idle) {
    return observations_head + condition("far", far_set) +
           observation("far.tx", "far", "tx_share", truth("senders.tx_share", at), "share of line",
                       "fit", 0.05) +
           observation("far.idle", "far", "senders.idle_window", idle, "share of time", "predict",
                       0.1);
  };
  const std::string both = hypotheses_head + mechanism("hypothesis", "both", rate + window);
  const ordered_json s = Inquiry(observed(truth("senders.idle_window", at)), both).json();
  EXPECT_EQ(hypothesis(s, "both").at("verdict"), "consistent if fitted to far.idle too");
  EXPECT_EQ(alone(s, "both").at("also_fitted"), ordered_json({"far.idle"}));
  EXPECT_EQ(s.at("rows").at("explain").at(0).at("fitted"), 2);
  EXPECT_EQ(s.at("rows").at("explain").at(0).at("predicted"), 0);
  // More idle time than there is: no values.
  const ordered_json never = Inquiry(observed(0.9), both).json();
  EXPECT_TRUE(hypothesis(never, "both")
                  .at("verdict")
                  .get<std::string>()
                  .starts_with("excluded by far.idle"));
  EXPECT_TRUE(alone(never, "both").at("also_fitted").empty());
}

TEST(ExplainFit, TriesEveryVariantAndKeepsTheBest) {
  const Words at = {"nic.reliability.window=200", "nic.mtu=2KiB"};
  const std::string observed =
      observations_head + condition("far", far_set) +
      observation("far.tx", "far", "tx_share", truth("senders.tx_share", far(at)), "share of line",
                  "predict");
  std::string variants;
  for (const char* mtu : {"1KiB", "2KiB", "4KiB"})
    variants += fmt::format("[[variant]]\nlabel = \"MTU {0}\"\nset = [\"nic.mtu={0}\"]\n", mtu);
  const Inquiry inquiry(
      observed, hypotheses_head + variants +
                    mechanism("hypothesis", "window", "set = [\"nic.reliability.window=200\"]"));
  const ordered_json h = hypothesis(inquiry.json(), "window");
  EXPECT_EQ(h.at("verdict"), "consistent");
  EXPECT_EQ(h.at("best_variant"), "MTU 2KiB");
  for (const std::size_t other : {0u, 2u}) {
    EXPECT_TRUE(h.at("variants")
                    .at(other)
                    .at("verdict")
                    .get<std::string>()
                    .starts_with("excluded by far.tx"));
  }
}

/// An experiment that is a condition as it was.
std::string again(const std::string& where) {
  return fmt::format(
      "[[experiment]]\nid = \"{0}\"\ntitle = \"{0}\"\ncondition = \"{0}\"\n"
      "quantities = [\"tx_share\"]\n",
      where);
}

TEST(ExplainFit, FitsReactionsOnTopOfWhatIsConsistent) {
  // With congestion control the sender is held to 40 Gbps; the mechanism without it is a window.
  const Words at = {"nic.reliability.window=200"};
  const double alone_far = truth("senders.tx_share", far(at));
  const double reacting_far = truth("senders.tx_share", with(far(at), {"nic.qp_rate=40Gbps"}));
  const std::string observed =
      observations_head + condition("far", far_set) + condition("reacting", near_set, true) +
      condition("reacting.far", far_set, true) +
      observation("far.tx", "far", "tx_share", alone_far, "share of line", "fit") +
      observation("reacting.rate", "reacting", "tx_rate", 40.0, "Gbps", "fit") +
      observation("reacting.far", "reacting.far", "tx_share", reacting_far, "share of line",
                  "predict");
  const Inquiry inquiry(
      observed, hypotheses_head + mechanism("hypothesis", "window", window) +
                    mechanism("hypothesis", "nothing", "") + mechanism("reaction", "none", "") +
                    mechanism("reaction", "limit",
                              parameter("reaction", "nic.qp_rate", "5 Gbps", "100 Gbps")) +
                    again("far") + again("reacting"));
  const ordered_json s = inquiry.json();
  const ordered_json h = hypothesis(s, "window");
  EXPECT_EQ(h.at("verdict"), "consistent");
  const ordered_json& reactions = h.at("variants").at(0).at("with_reactions");
  ASSERT_EQ(reactions.size(), 2u);
  EXPECT_FALSE(reactions.at(0).at("consistent"));
  EXPECT_TRUE(reactions.at(1).at("consistent"));
  EXPECT_NEAR(gbps(reactions.at(1).at("reaction_parameters").at(0).at("value")), 40, 0.5);
  // The reaction holds only where there is one.
  for (const auto& x : s.at("explain").at("experiments")) {
    const double tx = x.at("outcomes").at("window").at("tx_share").at("mean");
    EXPECT_NEAR(tx, x.at("id") == "far" ? alone_far : 0.4, 0.01) << x;
  }
  EXPECT_EQ(reactions.at(1).at("observations").at(0),
            h.at("variants").at(0).at("without_reaction").at("observations").at(0));
  EXPECT_EQ(reactions.at(1).at("observations").size(), 3u);
  EXPECT_EQ(s.at("rows").at("explain").at(0).at("reaction"), "limit");
  EXPECT_EQ(s.at("rows").at("explain").at(0).at("parameters"), 2);
  EXPECT_EQ(s.at("rows").at("explain").at(0).at("fitted"), 2);
  // What is excluded without congestion control is not tried with it.
  EXPECT_TRUE(hypothesis(s, "nothing").at("variants").at(0).at("with_reactions").empty());
}

TEST(ExplainFit, AVerdictMayDependOnAReading) {
  // What was observed counts the NACKs of both senders.
  const double both = truth("senders.nack_rate_total", {});
  const Inquiry inquiry(observations_head + condition("all", "") +
                            observation("nacks", "all", "nack_rate", both, "Mpps", "predict"),
                        hypotheses_head + mechanism("hypothesis", "plain", ""));
  const ordered_json h = hypothesis(inquiry.json({"--seeds", "1"}), "plain");
  EXPECT_TRUE(h.at("verdict").get<std::string>().starts_with("excluded by nacks (ours "));
  ASSERT_EQ(h.at("other_readings").size(), 1u);
  for (const auto& o : h.at("other_readings")) {
    EXPECT_EQ(o.at("changes"), o.at("reading") == "nacks=both") << o;
    EXPECT_EQ(o.at("verdict") == "consistent", o.at("reading") == "nacks=both") << o;
  }
  const ordered_json chosen =
      hypothesis(inquiry.json({"--seeds", "1", "--reading", "nacks=both"}), "plain");
  EXPECT_EQ(chosen.at("verdict"), "consistent");
  for (const auto& o : chosen.at("other_readings"))
    EXPECT_EQ(o.at("changes"), o.at("reading") == "nacks=sender") << o;
}

TEST(ExplainFit, ReadsRatesAndRatiosBothWays) {
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

TEST(ExplainFit, GivesTheSameBytesWithAnyNumberOfJobs) {
  const Inquiry inquiry(window_200(), hypotheses_head + mechanism("hypothesis", "rate", rate) +
                                          mechanism("hypothesis", "window", window) +
                                          mechanism("hypothesis", "both", window + rate));
  std::vector<std::string> summaries, runs;
  for (const char* jobs : {"1", "2", "3"}) {
    const std::string out = std::string("out") + jobs;
    ASSERT_EQ(inquiry.run({"--jobs", jobs, "--quick", "--out", out}).exit_code, 0);
    ordered_json summary = inquiry.place().read_json(out + "/summary.json");
    EXPECT_GT(summary.at("wall_s").get<double>(), 0);
    summary.erase("wall_s");
    summaries.push_back(summary.dump());
    runs.push_back(inquiry.place().read(out + "/runs.csv"));
  }
  for (const std::size_t other : {1u, 2u}) {
    EXPECT_EQ(summaries[0], summaries[other]);
    EXPECT_EQ(runs[0], runs[other]);
  }
}

TEST(ExplainFit, CountsARunOfTwoFitsOnce) {
  // Fits in different processes make the same runs; they are one in the results.
  const auto runs = [](const std::string& hypotheses) {
    return Inquiry(window_200(), hypotheses_head + hypotheses)
        .json({"--quick", "--jobs", "2"})
        .at("explain")
        .at("runs")
        .get<int>();
  };
  const std::string one = mechanism("hypothesis", "one", window);
  EXPECT_EQ(runs(one), runs(one + mechanism("hypothesis", "two", window)));
}

TEST(ExplainFit, RunsAConfigurationOnce) {
  // Said otherwise, it is still the same configuration: two conditions, three seeds.
  const Inquiry inquiry(window_200(),
                        hypotheses_head + mechanism("hypothesis", "one", "") +
                            mechanism("hypothesis", "two", "set = [\"nic.mtu=1024B\"]"));
  ASSERT_EQ(inquiry.run({"--out", "out"}).exit_code, 0);
  const ordered_json summary = inquiry.place().read_json("out/summary.json");
  EXPECT_EQ(summary.at("explain").at("runs"), 6);
  const std::string csv = inquiry.place().read("out/runs.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 7);
  EXPECT_EQ(summary.at("packets").at("created").get<std::uint64_t>(),
            summary.at("packets").at("delivered").get<std::uint64_t>() +
                summary.at("packets").at("dropped").at("program").get<std::uint64_t>() +
                summary.at("packets").at("in_flight").get<std::uint64_t>());
}

}  // namespace
}  // namespace horae::test::explain_fit_test
