// Which published anomaly is mine: a question is found by what it shows.
#include <gtest/gtest.h>

#include <string>

#include "program.hpp"

namespace horae::test::symptoms_test {
namespace {

std::string symptom(const std::string& quantity, double value, const std::string& more = "") {
  return fmt::format("[[symptom]]\nquantity = \"{}\"\nvalue = {:.6f}\n{}\n", quantity, value, more);
}

Ended diagnosed(const std::string& symptoms, const Words& more = {}) {
  const Workplace place;
  place.write("mine.toml", symptoms);
  std::filesystem::create_symlink(HORAE_PLATFORM_DIR, place.path() / "platforms");
  Words words = {"explain", "--symptoms", "mine.toml", "--no-progress"};
  words.insert(words.end(), more.begin(), more.end());
  return run(place, words);
}

TEST(Symptoms, OfAQuestionItselfFindItAndWhatTellsItApart) {
  // As contexts that do not stay on the chip show: a line that is idle for them, and no loss.
  const std::string mine = symptom("senders.tx_share", 0.2, "tolerance = 0.05") +
                           symptom("senders.idle_context", 0.4, "relation = \"at_least\"") +
                           symptom("nics.queue_pair_misses", 0.9);
  const Ended ended = diagnosed(mine, {"--json"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const ordered_json found = ended.json();
  EXPECT_GE(found.at("candidates").size(), 14u);
  const auto& first = found.at("candidates").at(0);
  EXPECT_NE(first.at("question").get<std::string>().find("q9_many_connections"), std::string::npos);
  EXPECT_EQ(first.at("shown"), 3);
  EXPECT_EQ(first.at("of_mechanism"), 3);  // fewer queue pairs show none of it
  EXPECT_LT(found.at("candidates").at(1).at("shown"), 3);
  const auto& telling = found.at("tells_apart");
  EXPECT_GT(std::abs(telling.at("first").get<double>() - telling.at("second").get<double>()), 0.05);
}

TEST(Symptoms, FaultsAreOneLine) {
  const auto refused = [](const std::string& symptoms, const std::string& part) {
    const Ended ended = diagnosed(symptoms);
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_NE(ended.err.find(part), std::string::npos) << ended.err;
  };
  refused("", "mine.toml: no [[symptom]]; expected one or more");
  refused(
      symptom("senders.tx_shar", 0.2),
      "mine.toml:2:12: no run has the result 'senders.tx_shar', did you mean 'senders.tx_share'?");
  refused(symptom("tx_shar", 0.2), "mine.toml:2:12: unknown quantity 'tx_shar'");
  const Workplace place;
  const Ended both = run(place, {"explain", "p.toml", "--symptoms", "s.toml"});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_NE(both.err.find("--symptoms asks the shipped questions: expected no PLATFORM.toml"),
            std::string::npos)
      << both.err;
  EXPECT_NE(
      run(place, {"explain"}).err.find("missing argument: expected horae explain PLATFORM.toml"),
      std::string::npos);
}

}  // namespace
}  // namespace horae::test::symptoms_test
