// The NIC files against what was published of their NICs (platforms/questions): what an observation
// set is met, and of the others two thirds are.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "horae/params/document.hpp"
#include "program.hpp"

namespace horae::test::nic_questions_test {
namespace {

const std::string folder = std::string(HORAE_PLATFORM_DIR) + "/questions/";

struct Tally {
  int met = 0, all = 0;
};
struct Outcome {
  Tally fitted, predicted;
  std::string missed;
};

Outcome outcome(const std::string& question) {
  const Workplace place;
  const auto file = Document::load(folder + question + ".observations.toml").root().to_json();
  std::map<std::string, ordered_json> summaries;
  for (const auto& condition : file.at("condition"))
    summaries[condition.at("id")] =
        summary_of(place, folder + question + ".toml", condition.at("set").get<Words>());
  Outcome out;
  for (const auto& o : file.at("observation")) {
    const double ours = result(summaries.at(o.at("condition")), o.at("quantity"));
    const double published = o.at("value");
    const bool met = std::abs(ours - published) <= o.at("tolerance").get<double>();
    Tally& tally = o.at("use") == "fit" ? out.fitted : out.predicted;
    ++tally.all;
    tally.met += met ? 1 : 0;
    if (!met)
      out.missed += fmt::format("{}: {} published, {} ours\n", o.at("id").get<std::string>(),
                                published, ours);
  }
  return out;
}

class NicQuestion : public ::testing::TestWithParam<const char*> {};

TEST_P(NicQuestion, IsAnsweredByTheNicFile) {
  const Outcome out = outcome(GetParam());
  EXPECT_EQ(out.fitted.met, out.fitted.all) << out.missed;
  EXPECT_GE(3 * out.predicted.met, 2 * out.predicted.all) << out.missed;
  EXPECT_GT(out.predicted.all, 0);
}

INSTANTIATE_TEST_SUITE_P(All, NicQuestion,
                         ::testing::Values("q1_message_rate", "q2_posting", "q3_one_message",
                                           "q7_small_messages"),
                         [](const auto& question) { return std::string(question.param); });

}  // namespace
}  // namespace horae::test::nic_questions_test
