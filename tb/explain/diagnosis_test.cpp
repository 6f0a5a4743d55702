// How a diagnosis reads: numbers of each candidate beside the symptoms, and what tells two apart.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "horae/explain/symptoms.hpp"

namespace horae::explain::diagnosis_test {
namespace {

question::ObservationSpec symptom(const char* quantity, double value, question::Relation relation) {
  question::ObservationSpec o;
  o.quantity.value = quantity;
  o.value = value;
  o.relation = relation;
  o.tolerance.value = 0.25;
  return o;
}

/// Two symptoms, the second of which no run of the second question has; `second` shows so many.
Diagnosis made_up(std::size_t first, std::size_t second) {
  Diagnosis d;
  d.symptoms = {symptom("senders.tx_share", 0.5, question::Relation::equals),
                symptom("loss", 0.25, question::Relation::at_least)};
  d.candidates.push_back({"platforms/questions/q1_one.toml",
                          "one question",
                          {"far", "a long link", {0.75, 0.5}, {1, 0}, first},
                          1,
                          {}});
  d.candidates.push_back({"platforms/questions/q2_two.toml",
                          "another question",
                          {"near",
                           "a short link",
                           {0.125, std::numeric_limits<double>::quiet_NaN()},
                           {1.5, most_missed},
                           second},
                          0,
                          {}});
  d.runs = 7;
  return d;
}

TEST(Diagnosis, NamesTheNearestAndWhatTellsItFromTheNext) {
  Diagnosis d = made_up(2, 1);
  d.telling = Telling{"nics.misses", 0.875, 0.125};
  EXPECT_EQ(diagnosis_text(d, "mine.toml"), R"(symptoms of mine.toml, beside 7 runs of 2 questions

   question  condition   shown  of its mechanism  miss  senders.tx_share 0.5  loss >= 0.25
------------------------------------------------------------------------------------------
1  q1_one    far        2 of 2                 1   0.5                  0.75           0.5
2  q2_two    near       1 of 2                 1  5.75                 0.125             -

Nearest: one question (far: a long link)
  horae explain platforms/questions/q1_one.toml --quick
What tells it from q2_two: nics.misses is 0.125 there, and 0.875 in this
  horae explain platforms/questions/q2_two.toml --quick
)");
}

TEST(Diagnosis, OfWhatNobodyShowsNamesNone) {
  const std::string text = diagnosis_text(made_up(0, 0), "mine.toml");
  EXPECT_TRUE(text.ends_with("\nNo question shows any of these symptoms.\n")) << text;
  EXPECT_EQ(text.find("Nearest"), std::string::npos) << text;
}

TEST(Diagnosis, WithoutADifferenceEndsWithTheNearest) {
  const std::string text = diagnosis_text(made_up(1, 1), "mine.toml");
  EXPECT_TRUE(text.ends_with("  horae explain platforms/questions/q1_one.toml --quick\n")) << text;
}

TEST(Diagnosis, AsJsonHasWhatTheTextHas) {
  Diagnosis d = made_up(2, 1);
  d.telling = Telling{"nics.misses", 0.875, 0.125};
  const auto json = diagnosis_json(d);
  EXPECT_EQ(json.at("runs"), 7);
  EXPECT_EQ(json.at("symptoms").dump(),
            R"([{"quantity":"senders.tx_share","value":0.5,"reads":"0.5","tolerance":0.25},)"
            R"({"quantity":"loss","value":0.25,"reads":">= 0.25","tolerance":0.25}])");
  EXPECT_EQ(json.at("candidates").at(0).dump(),
            R"({"question":"platforms/questions/q1_one.toml","title":"one question",)"
            R"("condition":"far","shown":2,"of_mechanism":1,"miss":0.5,"ours":[0.75,0.5]})");
  EXPECT_EQ(json.at("candidates").at(1).dump(),
            R"({"question":"platforms/questions/q2_two.toml","title":"another question",)"
            R"("condition":"near","shown":1,"of_mechanism":1,"miss":5.75,"ours":[0.125,null]})");
  EXPECT_EQ(json.at("tells_apart").dump(),
            R"({"quantity":"nics.misses","first":0.875,"second":0.125})");
  d.telling.reset();
  EXPECT_FALSE(diagnosis_json(d).contains("tells_apart"));
}

TEST(Diagnosis, ASymptomWithoutAToleranceMayDifferByAQuarter) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("horae_symptoms_" + std::to_string(::getpid()) + ".toml");
  std::ofstream(path) << R"([[symptom]]
quantity = "senders.tx_share"
value = 0.2
[[symptom]]
quantity = "senders.idle_context"
value = 0.5
tolerance = 0.01
[[symptom]]
quantity = "senders.nacks_received"
value = 0.0
relation = "at_most"
)";
  const auto symptoms = read_symptoms(path);
  std::filesystem::remove(path);
  ASSERT_EQ(symptoms.size(), 3u);
  EXPECT_DOUBLE_EQ(symptoms[0].tolerance.value, 0.05);
  EXPECT_DOUBLE_EQ(symptoms[1].tolerance.value, 0.01);
  // Differences are divided by it.
  EXPECT_EQ(symptoms[2].tolerance.value, std::numeric_limits<double>::epsilon());
  EXPECT_EQ(symptoms[2].relation, question::Relation::at_most);
}

}  // namespace
}  // namespace horae::explain::diagnosis_test
