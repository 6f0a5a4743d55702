// What `horae explain` says would tell the survivors apart, and how it says all it says.
#include <gtest/gtest.h>

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

TEST(ExplainExperiments, PutsFirstWhatTellsTheSurvivorsApart) {
  const Twins twins;
  const ordered_json s = Inquiry(twins.observations, twins.hypotheses).json();
  const ordered_json& e = s.at("explain");
  // The window is the truth, and nothing was fitted: residual zero.
  EXPECT_EQ(e.at("survivors"), ordered_json({"window", "rate"}));
  ASSERT_EQ(e.at("experiments").size(), 2u);
  const ordered_json& near = e.at("experiments").at(0);
  EXPECT_EQ(near.at("id"), "near");
  EXPECT_GT(near.at("least_separation").get<double>(), 3);
  EXPECT_EQ(near.at("pairs_separated"), 1);
  const double window = near.at("outcomes").at("window").at("tx_share").at("mean");
  const double rate = near.at("outcomes").at("rate").at("tx_share").at("mean");
  EXPECT_GT(window, 0.99);
  EXPECT_NEAR(rate, 0.366, 0.02);
  // Nothing varies with the seed: the rounding of the published number is the measure.
  const double rounding = 0.0005 * hypothesis(s, "rate")
                                       .at("variants")
                                       .at(0)
                                       .at("without_reaction")
                                       .at("observations")
                                       .at(0)
                                       .at("published")
                                       .get<double>();
  ASSERT_EQ(near.at("pairs").size(), 1u);
  if (near.at("pairs").at(0).at("quantity") == "tx_share") {
    EXPECT_LE(near.at("pairs").at(0).at("separation").get<double>(), (window - rate) / rounding);
  }
  EXPECT_EQ(e.at("experiments").at(1).at("id"), "same");
  EXPECT_LT(e.at("experiments").at(1).at("least_separation").get<double>(),
            near.at("least_separation").get<double>());
}

TEST(ExplainExperiments, DrawsCurvesOfTheSurvivors) {
  const Twins twins;
  const Inquiry inquiry(twins.observations, twins.hypotheses);
  const ordered_json s = inquiry.json();
  const ordered_json& curve = s.at("explain").at("curves").at(0);
  ASSERT_EQ(curve.at("points").size(), 2u);
  EXPECT_EQ(curve.at("points").at(0).at("published").at("tx_share"),
            s.at("validation").at(0).at("published"));
  EXPECT_TRUE(curve.at("points").at(1).at("published").empty());
  ASSERT_EQ(curve.at("lines").size(), 2u);
  EXPECT_EQ(curve.at("lines").at(0).at("hypothesis"), "window");
  EXPECT_GT(curve.at("lines").at(0).at("values").at(1).at("tx_share").at("mean"), 0.99);
  // The first point is what was observed.
  EXPECT_EQ(curve.at("lines").at(0).at("values").at(0).at("tx_share").at("mean"),
            s.at("validation").at(0).at("measured"));
}

TEST(ExplainExperiments, QuickLeavesOutWhatTheFileSays) {
  const Twins twins;
  const ordered_json s = Inquiry(twins.observations, twins.hypotheses).json({"--quick"});
  ASSERT_EQ(s.at("explain").at("experiments").size(), 1u);
  EXPECT_EQ(s.at("explain").at("experiments").at(0).at("id"), "near");
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
    const ordered_json s = inquiry.json({"--only", only, "--quick"});
    ASSERT_EQ(s.at("rows").at("explain").size(), 1u) << only;
    EXPECT_EQ(s.at("rows").at("explain").at(0).at("hypothesis"), "rate") << only;
  }
  EXPECT_EQ(inquiry.json({"--only", "A,B", "--quick"}).at("rows").at("explain").size(), 2u);
}

TEST(ExplainExperiments, EndsInTheRankedTable) {
  const Twins twins;
  const Inquiry inquiry(twins.observations, twins.hypotheses);
  const Ended ended = inquiry.run({"--out", "out"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  std::vector<std::string> lines;
  std::istringstream text(ended.out);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  ASSERT_GT(lines.size(), 4u);
  EXPECT_TRUE(lines[lines.size() - 2].starts_with("1  window ")) << ended.out;
  EXPECT_TRUE(lines.back().starts_with("2  rate ")) << ended.out;
  EXPECT_TRUE(lines.back().ends_with("  consistent")) << ended.out;
  EXPECT_EQ(inquiry.place().content(),
            (Words{"h.toml", "o.toml", "out", "out/runs.csv", "out/summary.json"}));
  // It may be written again.
  EXPECT_EQ(inquiry.run({"--quick", "--out", "out"}).exit_code, 0);
}

}  // namespace
}  // namespace horae::test::explain_experiment_test
