// The NIC files against what was published of their NICs (platforms/questions): what an observation
// set is met, and so are all others but those that are known to be missed, a third at most.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "horae/params/document.hpp"
#include "program.hpp"

namespace horae::test::nic_questions_test {
namespace {

const std::string folder = std::string(HORAE_PLATFORM_DIR) + "/questions/";

using Ids = std::set<std::string>;

/// A question and the observations that it misses.
struct Question {
  const char* name;
  Ids missed;
};
void PrintTo(const Question& q, std::ostream* out) { *out << q.name; }

const std::vector<Question> questions = {
    {"q1_message_rate", {}},
    {"q1_connections", {}},
    {"q2_posting", {"warp.rate"}},
    {"q3_one_message", {}},
    {"q4_one_queue_pair", {}},
    {"q5_one_outstanding", {}},
    {"q5_posted_reads", {}},
    {"q6_atomics", {}},
    {"q6_atomic_slots", {}},
    {"q7_inbound", {"receive.rate"}},
    {"q7_small_messages", {}},
    {"q8_pcie_bytes", {}},
    {"q10_ack_timeouts", {}},
    {"q11_go_back_0", {}},
    {"q14_order", {}},
    {"q14_signal", {}},
    {"q15_scheduling", {"fair.latency"}},
    {"q12_cnps", {}},
    {"q9_many_connections", {"deeper.share"}},
    {"q9_receivers",
     {"read.rate", "datagrams.short.pausing", "datagrams.batch.pausing",
      "datagrams.connected.pausing"}},
    {"q13_slow_memory", {}},
    {"q13_slow_receivers", {}},
    {"q11_loss", {"random.rate", "incast.nacks"}}};

ordered_json read(const std::string& question) {
  return Document::load(folder + question + ".observations.toml").root().to_json();
}

struct Outcome {
  Ids fitted, missed;
  std::string numbers;  ///< of those missed
};

/// That of a result, or of the quantity with no reading to choose that questions use.
double value_of(const ordered_json& summary, const std::string& quantity) {
  return result(summary, quantity == "delivered_rate" ? "receivers.delivered_rate" : quantity);
}

Outcome outcome(const std::string& question) {
  const Workplace place;
  const auto file = read(question);
  std::map<std::string, ordered_json> summaries;
  for (const auto& condition : file.at("condition"))
    summaries[condition.at("id")] =
        summary_of(place, folder + question + ".toml", condition.at("set").get<Words>());
  Outcome out;
  for (const auto& o : file.at("observation")) {
    double ours = value_of(summaries.at(o.at("condition")), o.at("quantity"));
    if (o.contains("relative_to"))
      ours /= value_of(summaries.at(o.at("relative_to")), o.at("quantity"));
    // Otherwise `horae explain` refuses the file.
    const auto& results = summaries.at(o.at("condition")).at("results");
    const std::string quantity = o.at("quantity");
    if (!o.contains("relative_to") && results.contains(quantity)) {
      EXPECT_EQ(o.at("unit"), results.at(quantity).at("unit")) << o.at("id");
    }
    const double published = o.at("value");
    const std::string relation = o.value("relation", "equals");
    const double miss = relation == "at_most"    ? ours - published
                        : relation == "at_least" ? published - ours
                                                 : std::abs(ours - published);
    const bool met = miss <= o.at("tolerance").get<double>();
    const std::string id = o.at("id");
    if (o.at("use") == "fit") out.fitted.insert(id);
    if (met) continue;
    out.missed.insert(id);
    out.numbers += fmt::format("{}: {} published, {} ours\n", id, published, ours);
  }
  return out;
}

class NicQuestion : public ::testing::TestWithParam<Question> {};

TEST_P(NicQuestion, IsAnsweredByTheNicFile) {
  const Outcome out = outcome(GetParam().name);
  EXPECT_EQ(out.missed, GetParam().missed) << out.numbers;
  for (const auto& id : out.fitted) EXPECT_EQ(out.missed.count(id), 0u) << out.numbers;
}

INSTANTIATE_TEST_SUITE_P(All, NicQuestion, ::testing::ValuesIn(questions),
                         [](const auto& question) { return std::string(question.param.name); });

TEST(NicQuestions, TwoThirdsOfWhatIsPredictedIsMet) {
  std::size_t predicted = 0, missed = 0;
  for (const auto& question : questions) {
    const auto file = read(question.name);
    for (const auto& o : file.at("observation")) predicted += o.at("use") == "predict" ? 1 : 0;
    missed += question.missed.size();
  }
  EXPECT_GE(3 * (predicted - missed), 2 * predicted);
  EXPECT_GT(predicted, 20u);
}

}  // namespace
}  // namespace horae::test::nic_questions_test
