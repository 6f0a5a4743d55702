// Eunomia's hardware in the place of its model, in whole platforms.
#include <gtest/gtest.h>

#include "horae/rtl/ordering.hpp"
#include "program.hpp"

namespace horae::platforms::cosim_test {
namespace {

using test::Ended;
using test::ordered_json;
using test::Words;
using test::Workplace;

const std::string platform = HORAE_PLATFORM_DIR "/eunomia_cosim.toml";

Ended run_at(const Workplace& place, const std::string& level, const Words& more = {}) {
  return test::run(place,
                   test::with_settings(
                       {"run", platform, "--json", "--set", "nic.ordering.level=" + level}, more));
}

/// Results, but for counts that only the model has.
ordered_json results_of(const Ended& ended) {
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  ordered_json results = ended.json().at("results");
  for (const char* counted : {"ordering.words_per_packet", "ordering.searched_per_packet"})
    results.erase(counted);
  return results;
}

/// The variant that runs out of everything, and connections for which it has a place.
const Words small = {
    "nic.ordering.blocks=64",      "nic.ordering.bits=96", "nic.ordering.index_entries=5",
    "nic.ordering.search_width=8", "traffic[0].qps=8",     "traffic[0].count=5"};

class Cosim : public testing::Test {
 protected:
  void SetUp() override {
    if (!rtl::built_with_rtl()) GTEST_SKIP() << "built without RTL";
  }
  Workplace place_;
};

TEST_F(Cosim, EveryLevelGivesTheSameRun) {
  for (const Words& setting : {Words{"traffic[0].count=2"}, small}) {
    const ordered_json model = results_of(run_at(place_, "model", setting));
    EXPECT_EQ(results_of(run_at(place_, "rtl", setting)), model);
    EXPECT_EQ(results_of(run_at(place_, "both", setting)), model);
    EXPECT_GT(model.at("ordering.cycles_per_packet").at("value"), 2.0);
    EXPECT_GT(model.at("receivers.sacks_sent").at("value"), 100);
  }
  EXPECT_FALSE(place_.has("out"));  // nothing differed
}

TEST_F(Cosim, BothSayWhatTheyCompared) {
  const Ended both = run_at(place_, "both", small);
  const ordered_json lockstep = both.json().at("lockstep");
  EXPECT_GT(lockstep.at("nics"), 0);
  EXPECT_GT(lockstep.at("requests"), 1000);
  EXPECT_EQ(lockstep.at("differences"), 0);
  EXPECT_FALSE(run_at(place_, "rtl", small).json().contains("lockstep"));
}

// A block outside the tree (tb/rtl/outside), which scripts/rtl described to the build.
const Words outside = {"nic.ordering.engine=static", "nic.ordering.bits=16",
                       "nic.ordering.rtl=reorder_window", "traffic[0].count=2"};

TEST_F(Cosim, ABlockOutsideTheTreeGivesTheSameRun) {
  const Ended model = run_at(place_, "model", outside);
  const Ended both = run_at(place_, "both", outside);
  EXPECT_GT(both.json().at("lockstep").at("requests"), 1000);
  const Ended alone = run_at(place_, "rtl", outside);
  for (const char* result : {"receivers.sacks_sent", "ordering.cycles_per_packet"}) {
    const auto value = results_of(both).at(result).at("value");
    EXPECT_GT(value, 0) << result;
    EXPECT_EQ(results_of(alone).at(result).at("value"), value) << result;
  }
  // The model of this engine has no clocks, so time differs; what was sent does not.
  EXPECT_EQ(results_of(model).at("senders.messages_completed"),
            results_of(both).at("senders.messages_completed"));
}

TEST_F(Cosim, WhatABlockOutsideTheTreeCannotSayIsNoneWithTheReason) {
  const ordered_json both = results_of(run_at(place_, "both", outside));
  const ordered_json alone = results_of(run_at(place_, "rtl", outside));
  for (const char* result :
       {"ordering.bytes_mean", "ordering.bitmap_bytes_mean", "ordering.bytes_max"}) {
    EXPECT_GT(both.at(result).at("value"), 0) << result;  // the model's
    EXPECT_FALSE(both.at(result).contains("none")) << result;
    EXPECT_TRUE(alone.at(result).at("value").is_null()) << result;
    EXPECT_TRUE(alone.at(result).at("none").is_string()) << result;
  }
  const Ended text = test::run(
      place_,
      test::with_settings({"run", platform, "--all", "--set", "nic.ordering.level=rtl"}, outside));
  for (const char* line : {"none  bytes: nobody knows which registers",
                           "none  words/packet: hardware alone counts clocks"})
    EXPECT_NE(text.out.find(line), std::string::npos) << text.out;
}

TEST_F(Cosim, AWrongBlockOutsideTheTreeEndsTheRun) {
  Words wrong = outside;
  wrong.push_back("nic.ordering.rtl=reorder_window_wrong");
  const Ended ended = run_at(place_, "both", wrong);
  EXPECT_NE(ended.exit_code, 0);
  EXPECT_NE(ended.err.find("reorder_window_wrong: model and RTL differ at request "),
            std::string::npos)
      << ended.err;
}

TEST_F(Cosim, ExhaustionIsPartOfTheComparison) {
  const ordered_json results = results_of(run_at(place_, "both", small));
  EXPECT_GT(results.at("ordering.rejected_no_metadata").at("value"), 0);
  EXPECT_EQ(results.at("senders.messages_completed").at("value"), 8 * 8 * 5);
}

TEST_F(Cosim, ParametersThatWereNotBuiltAreRefusedAtTheirPlace) {
  const Ended ended = run_at(place_, "rtl", {"nic.ordering.blocks=512"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_NE(ended.err.find("eunomia_cosim.toml:24:12: "), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("blocks = 512"), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("built are paper"), std::string::npos) << ended.err;
}

TEST(CosimRefused, OnlyEunomiaHasHardware) {
  const Workplace place;
  const Ended ended = run_at(place, "both", {"nic.ordering.engine=static"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_NE(ended.err.find("'static' has no RTL"), std::string::npos) << ended.err;
}

TEST(CosimRefused, WithoutVerilatorThereIsNoHardware) {
  if (rtl::built_with_rtl()) GTEST_SKIP() << "built with RTL";
  const Workplace place;
  const Ended ended = run_at(place, "rtl");
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_NE(ended.err.find("built without RTL"), std::string::npos) << ended.err;
}

TEST(OrderingRefused, ConWeaveUsesTheSameHeaderBits) {
  const Workplace place;
  for (const char* setting : {"nic.ordering.engine=ideal", "nic.remaining_tag=true"}) {
    const Ended ended = test::run(place, {"run", HORAE_PLATFORM_DIR "/eunomia_clos.toml", "--set",
                                          "leaf_spine.leaf=conweave_leaf", "--set", setting});
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_NE(ended.err.find("the same header bits"), std::string::npos) << ended.err;
  }
}

TEST_F(Cosim, MoreConnectionsThanTheHardwareHasAreRefusedBeforeTheRun) {
  const Ended ended = run_at(place_, "rtl", {"traffic[0].qps=129"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_NE(ended.err.find("258 queue pairs"), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("256 connections"), std::string::npos) << ended.err;
}

}  // namespace
}  // namespace horae::platforms::cosim_test
