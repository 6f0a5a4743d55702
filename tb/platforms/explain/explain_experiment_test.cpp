// Experiments that tell hypotheses apart in `horae explain`, and all of its texts.
#include <gtest/gtest.h>

#include <cmath>

#include "explain.hpp"

namespace horae::test::explain_experiment_test {
namespace {

const std::string blocked = "\"tor.program.nack_drop=1\", \"tor.program.nack_of=1\"";

/// Two mechanisms that agree where something was observed: a rate limit, and a window that is full
/// when links are long.
struct Twins {
  Twins() {
    const double tx =
        truth("senders.tx_share", {"tor.program.nack_drop=1", "tor.program.nack_of=1",
                                   "link_default.delay=5us", "nic.reliability.window=200"});
    observations = observations_head + condition("far", blocked + ", \"link_default.delay=5us\"") +
                   observation("far.tx", "far", "tx_share", tx, "share of line", "fit");
    hypotheses = hypotheses_head +
                 mechanism("hypothesis", "window",
                           "set = [\"nic.reliability.window=200\"]\nfamily = \"A\"") +
                 mechanism("hypothesis", "rate",
                           "family = \"B\"\n" +
                               parameter("hypothesis", "nic.qp_rate", "5 Gbps", "100 Gbps")) +
                 "[[experiment]]\nid = \"same\"\ntitle = \"as it was\"\ncondition = \"far\"\n"
                 "quantities = [\"tx_share\"]\nquick = false\n"
                 "[[experiment]]\nid = \"near\"\ntitle = \"short links\"\ncondition = \"far\"\n"
                 "set = [\"link_default.delay=100ns\"]\n"
                 "quantities = [\"senders.acks_received\", \"tx_share\"]\n"
                 "[[curve]]\nid = \"length\"\ncondition = \"far\"\nquantities = [\"tx_share\"]\n"
                 "[[curve.point]]\nx = 5\n"
                 "[[curve.point]]\nx = 0.1\nset = [\"link_default.delay=100ns\"]\n";
  }
  std::string observations, hypotheses;
};

TEST(ExplainExperiments, PutsFirstWhatTellsThemApart) {
  const Twins twins;
  const ordered_json s = Inquiry(twins.observations, twins.hypotheses).json();
  const ordered_json& e = s.at("infer");
  // The window is the truth, and nothing of it is open: all of its space agrees under one of two
  // readings.
  EXPECT_EQ(e.at("survivors"), ordered_json({"window", "rate"}));
  EXPECT_EQ(hypothesis(s, "window").at("evidence").at("share"), 0.5);
  ASSERT_EQ(e.at("experiments").size(), 2u);
  const ordered_json& near = e.at("experiments").at(0);
  EXPECT_EQ(near.at("id"), "near");
  EXPECT_EQ(near.at("pairs"), 1);
  EXPECT_EQ(near.at("pairs_separated"), 1);
  EXPECT_NEAR(near.at("gain_nats"), std::log(2), 0.05);
  const ordered_json& window = near.at("predictions").at(0);
  const ordered_json& rate = near.at("predictions").at(1);
  EXPECT_EQ(window.at("hypothesis"), "window");
  EXPECT_GT(window.at("tx_share").at("low"), 0.99);
  EXPECT_NEAR(rate.at("tx_share").at("median"), 0.366, 0.02);
  const ordered_json& same = e.at("experiments").at(1);
  EXPECT_EQ(same.at("id"), "same");
  EXPECT_EQ(same.at("pairs_separated"), 0);
  EXPECT_LT(same.at("gain_nats"), near.at("gain_nats"));
  EXPECT_EQ(
      e.at("conclusion"),
      "Two mechanisms agree with the number; the cheapest measurement that tells them apart is "
      "short links.");
}

TEST(ExplainExperiments, TheCheapestIsNamedAmongThoseThatTellMost) {
  Twins twins;
  const auto concluded = [&] {
    return Inquiry(twins.observations, twins.hypotheses)
        .json()
        .at("infer")
        .at("conclusion")
        .get<std::string>();
  };
  const std::string cheaper =
      "[[experiment]]\nid = \"cheap\"\ntitle = \"shorter links\"\ncondition = \"far\"\n"
      "set = [\"link_default.delay=1us\"]\nquantities = [\"tx_share\"]\neffort = \"command\"\n";
  twins.hypotheses += cheaper;
  const std::string acks = "\"senders.acks_received\", ";
  twins.hypotheses.erase(twins.hypotheses.find(acks), acks.size());
  EXPECT_TRUE(concluded().ends_with("tells them apart is shorter links.")) << concluded();
  // An experiment that shows nothing is not named, however cheap it is.
  const auto at = twins.hypotheses.find("1us");
  twins.hypotheses.replace(at, 3, "5us");
  EXPECT_TRUE(concluded().ends_with("tells them apart is short links.")) << concluded();
  const auto near = twins.hypotheses.find("delay=100ns");
  twins.hypotheses.replace(near, 11, "delay=5us");
  EXPECT_TRUE(concluded().ends_with("; no measurement of the file tells any two of them apart."))
      << concluded();
}

TEST(ExplainExperiments, WhereNoneAgreesTheNearestAreCompared) {
  Twins twins;
  const auto at = twins.hypotheses.find("window=200");
  twins.hypotheses.replace(at, 10, "window=100");
  const auto rate = twins.hypotheses.find("low = \"5 Gbps\"");
  twins.hypotheses.replace(rate, 14, "low = \"99 Gbps\"");
  const Inquiry inquiry(twins.observations, twins.hypotheses);
  const ordered_json e = inquiry.json().at("infer");
  EXPECT_EQ(e.at("survivors").size(), 2u);
  EXPECT_EQ(e.at("experiments").at(0).at("predictions").at(0).at("points"), 1);
  EXPECT_EQ(e.at("curves").at(0).at("lines").size(), 2u);
  EXPECT_EQ(e.at("conclusion")
                .get<std::string>()
                .find("No mechanism agrees with the number; nearest "
                      "is "),
            0u)
      << e.at("conclusion");
  EXPECT_NE(inquiry.run().out.find("would tell the nearest ones (none is consistent) apart"),
            std::string::npos);
}

TEST(ExplainExperiments, DrawsCurvesAtTheClosestPoint) {
  const Twins twins;
  const Inquiry inquiry(twins.observations, twins.hypotheses);
  const ordered_json s = inquiry.json();
  const ordered_json& curve = s.at("infer").at("curves").at(0);
  ASSERT_EQ(curve.at("points").size(), 2u);
  EXPECT_EQ(curve.at("points").at(0).at("published").at("tx_share"),
            s.at("validation").at(0).at("published"));
  EXPECT_TRUE(curve.at("points").at(1).at("published").empty());
  ASSERT_EQ(curve.at("lines").size(), 2u);
  EXPECT_EQ(curve.at("lines").at(0).at("hypothesis"), "window");
  EXPECT_GT(curve.at("lines").at(0).at("values").at(1).at("tx_share"), 0.99);
  // The first point is what was observed.
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(curve.at("lines").at(i).at("values").at(0).at("tx_share"),
              s.at("validation").at(i).at("measured"));
  }
  const ordered_json one = inquiry.json({"--survivors", "1"}).at("infer");
  EXPECT_EQ(one.at("curves").at(0).at("lines").size(), 1u);
  EXPECT_EQ(one.at("survivors"), ordered_json({"window"}));
}

TEST(ExplainExperiments, QuickLeavesOutWhatTheFileSays) {
  const Twins twins;
  const ordered_json s = Inquiry(twins.observations, twins.hypotheses).json({"--quick"});
  ASSERT_EQ(s.at("infer").at("experiments").size(), 1u);
  EXPECT_EQ(s.at("infer").at("experiments").at(0).at("id"), "near");
}

TEST(ExplainExperiments, SaysWhyTheWireIsIdle) {
  const Twins twins;
  const ordered_json s = Inquiry(twins.observations, twins.hypotheses).json({"--quick"});
  const ordered_json window = hypothesis(s, "window").at("idle").at("far");
  const ordered_json rate = hypothesis(s, "rate").at("idle").at("far");
  EXPECT_GT(window.at("window").get<double>(), 0.6);
  EXPECT_EQ(window.at("shaper").get<double>(), 0);
  EXPECT_GT(rate.at("shaper").get<double>(), 0.6);
}

TEST(ExplainExperiments, OnlySelectsByIdAndFamily) {
  const Twins twins;
  const Inquiry inquiry(twins.observations, twins.hypotheses);
  for (const char* only : {"rate", "B"}) {
    const ordered_json s = inquiry.json({"--only", only, "--points", "8"});
    ASSERT_EQ(s.at("rows").at("infer").size(), 1u) << only;
    EXPECT_EQ(s.at("rows").at("infer").at(0).at("hypothesis"), "rate") << only;
  }
  EXPECT_EQ(inquiry.json({"--only", "A,B", "--points", "8"}).at("rows").at("infer").size(), 2u);
}

TEST(ExplainExperiments, EndsInTheRankedTableAndASentence) {
  const Twins twins;
  const Inquiry inquiry(twins.observations, twins.hypotheses);
  const Ended ended = inquiry.run({"--out", "out"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  std::vector<std::string> lines;
  std::istringstream text(ended.out);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  ASSERT_GT(lines.size(), 6u);
  EXPECT_TRUE(lines[lines.size() - 4].starts_with("1  window ")) << ended.out;
  EXPECT_TRUE(lines[lines.size() - 3].starts_with("2  rate ")) << ended.out;
  EXPECT_TRUE(lines[lines.size() - 3].ends_with("  consistent")) << ended.out;
  EXPECT_EQ(lines.back(),
            inquiry.place().read_json("out/summary.json").at("infer").at("conclusion"));
  EXPECT_EQ(inquiry.place().content(), (Words{"h.toml", "o.toml", "out", "out/points.csv",
                                              "out/runs.csv", "out/summary.json"}));
  // It may be written again.
  EXPECT_EQ(inquiry.run({"--quick", "--out", "out"}).exit_code, 0);
}

}  // namespace
}  // namespace horae::test::explain_experiment_test
