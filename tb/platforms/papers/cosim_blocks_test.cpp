// Load balancers, entropy schemes, stateful ALUs and blocks on links by hardware outside the tree
// (tb/rtl/outside), in whole platforms.
#include <gtest/gtest.h>

#include "horae/rtl/ordering.hpp"
#include "program.hpp"

namespace horae::platforms::cosim_blocks_test {
namespace {

using test::Ended;
using test::ordered_json;
using test::Words;
using test::Workplace;

const std::string platform = HORAE_PLATFORM_DIR "/reps.toml";
const Words small = {"leaf_spine.leaves=2", "leaf_spine.spines=4", "leaf_spine.hosts_per_leaf=4",
                     "nic.entropy.freezing_timeout=100 us", "traffic[0].size=1 MiB"};

class CosimBlocks : public testing::Test {
 protected:
  void SetUp() override {
    if (!rtl::built_with_rtl()) GTEST_SKIP() << "built without RTL";
  }
  Ended run(const Words& more) {
    Words settings = small;
    settings.insert(settings.end(), more.begin(), more.end());
    return test::run(place_, test::with_settings({"run", platform, "--json"}, settings));
  }
  static std::string results_of(const Ended& ended) {
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return ended.exit_code == 0 ? ended.json().at("results").dump() : "";
  }
  Workplace place_;
};

TEST_F(CosimBlocks, ALoadBalancerGivesTheSameRunAtEveryLevel) {
  const Words po2 = {"switch.balance=po2", "nic.entropy.scheme=random"};
  const auto at = [&](const char* level) {
    Words more = po2;
    more.push_back(std::string("switch.balance_level=") + level);
    return run(more);
  };
  const std::string model = results_of(run(po2));
  EXPECT_EQ(results_of(at("model")), model);
  EXPECT_EQ(results_of(at("rtl")), model);
  const Ended both = at("both");
  EXPECT_EQ(results_of(both), model);
  const ordered_json lockstep = both.json().at("lockstep");
  EXPECT_EQ(lockstep.at("balancers").at("switches"), 6);
  EXPECT_GT(lockstep.at("balancers").at("choices"), 100);
  EXPECT_EQ(lockstep.at("differences"), 0);
  EXPECT_FALSE(lockstep.contains("nics"));
  EXPECT_FALSE(place_.has("out"));
}

TEST_F(CosimBlocks, AnEntropySchemeGivesTheSameRunAtEveryLevel) {
  // A dead cable, so that rings freeze.
  const Words dead = {
      R"(impairment=[{between=["leaf0","spine0"],outage=[{from="5 us",to="400 us"}]}])"};
  const auto at = [&](const char* level) {
    Words more = dead;
    more.push_back(std::string("nic.entropy.level=") + level);
    return run(more);
  };
  const Ended model = run(dead);
  EXPECT_EQ(results_of(at("rtl")), results_of(model));
  const Ended both = at("both");
  EXPECT_EQ(results_of(both), results_of(model));
  const ordered_json lockstep = both.json().at("lockstep");
  EXPECT_EQ(lockstep.at("entropy").at("queue_pairs"), 8);
  EXPECT_GT(lockstep.at("entropy").at("requests"), 200);
  EXPECT_GT(model.json().at("results").at("senders.entropy_frozen").at("value"), 0);
}

TEST_F(CosimBlocks, AStatefulAluGivesTheSameRunAtEveryLevel) {
  const auto at = [&](const std::string& block, const std::string& level) {
    Words settings = {"sim.duration=100 us", "sim.warmup=20 us"};
    if (!level.empty()) {
      settings.push_back(R"(tor.rtl=[{register="path_psn_max_array",block=")" + block +
                         R"(",level=")" + level + R"("}])");
    }
    return test::run(
        place_,
        test::with_settings({"run", HORAE_PLATFORM_DIR "/themis_tor.toml", "--json"}, settings));
  };
  const std::string model = results_of(at("", ""));
  EXPECT_EQ(results_of(at("path_max", "rtl")), model);
  const Ended both = at("path_max", "both");
  EXPECT_EQ(results_of(both), model);
  const ordered_json registers = both.json().at("lockstep").at("registers");
  EXPECT_EQ(registers.at("alus"), 8);  // two switches of four pipelines
  EXPECT_GT(registers.at("accesses"), 1000);
  EXPECT_FALSE(place_.has("out"));

  const Ended wrong = at("path_max_wrong", "both");
  EXPECT_NE(wrong.exit_code, 0);
  EXPECT_NE(wrong.err.find("path_max_wrong: model and RTL differ at request "), std::string::npos)
      << wrong.err;
  EXPECT_TRUE(place_.has("out/lockstep"));
}

TEST_F(CosimBlocks, ARegisterThatIsNotThereIsRefusedAtItsPlace) {
  const auto refused = [&](const std::string& entry) {
    const Ended ended = test::run(place_, {"run", HORAE_PLATFORM_DIR "/themis_tor.toml", "--set",
                                           "tor.rtl=[{" + entry + "}]"});
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_NE(ended.err.find("--set"), std::string::npos) << ended.err;
    return ended.err;
  };
  EXPECT_NE(refused(R"(register="path_psn_max_arrays",block="path_max",level="model")")
                .find("did you mean 'path_psn_max_array'?"),
            std::string::npos);
  EXPECT_NE(refused(R"(register="epsn_array",block="path_max",level="both")")
                .find("found register=epsn_array"),
            std::string::npos);
  EXPECT_NE(refused(R"(register="path_psn_max_array",block="path_maxi",level="rtl")")
                .find("did you mean 'path_max'?"),
            std::string::npos);
}

TEST_F(CosimBlocks, TheReportSaysWhatWasCompared) {
  const Ended ended = test::run(
      place_, test::with_settings({"run", platform, "--set", "switch.balance=po2", "--set",
                                   "switch.balance_level=both", "--set", "nic.entropy.level=both"},
                                  small));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  for (const char* line : {"model and RTL: load balancers of 6 switches, ",
                           "model and RTL: entropy schemes of 8 queue pairs, "})
    EXPECT_NE(ended.out.find(line), std::string::npos) << ended.out;
}

TEST_F(CosimBlocks, AWrongLineEndsTheRunWithBothStates) {
  const Ended balancer = run({"switch.balance=po2", "switch.balance_level=both",
                              "switch.balance_rtl=shorter_queue_wrong"});
  EXPECT_NE(balancer.exit_code, 0);
  EXPECT_NE(balancer.err.find("shorter_queue_wrong: model and RTL differ at request "),
            std::string::npos)
      << balancer.err;
  const Ended entropy = run({"nic.entropy.level=both", "nic.entropy.rtl=reps_ring_wrong"});
  EXPECT_NE(entropy.exit_code, 0);
  EXPECT_NE(entropy.err.find("reps_ring_wrong: model and RTL differ at request "),
            std::string::npos)
      << entropy.err;
  EXPECT_TRUE(place_.has("out/lockstep"));
}

TEST_F(CosimBlocks, WhatDoesNotFitIsRefusedAtItsPlace) {
  const auto place_of = [](const Words& wrong) {
    return wrong[0].starts_with("nic.entropy") ? "reps.toml:48:11: " : "--set switch.balance";
  };
  for (const Words& wrong :
       {Words{"switch.balance=drill", "switch.balance_level=rtl"},
        Words{"switch.balance=po2", "switch.balance_level=rtl", "switch.balance_rtl=shortest"},
        Words{"switch.balance_level=all"}, Words{"nic.entropy.level=rtl", "nic.entropy.ring=16"},
        Words{"nic.entropy.level=both", "nic.entropy.rtl=ring"}}) {
    const Ended ended = run(wrong);
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_NE(ended.err.find(place_of(wrong)), std::string::npos) << ended.err;
  }
}

/// Random pauses fill the FIFO on the way of h0, which marks.
Ended streamed(const Workplace& place, const std::string& block) {
  return test::run(place,
                   test::with_settings(
                       {"run", HORAE_PLATFORM_DIR "/flow_list.toml", "--json"},
                       {"nic.congestion.algorithm=dcqcn",
                        R"(module=[{name="box",kind="axi_stream",between=["h0","leaf0"],block=")" +
                            block + R"(",clock="3 ns",stall=0.4}])"}));
}

TEST_F(CosimBlocks, ABlockOnALinkMarksCongestion) {
  const Ended ended = streamed(place_, "congestion_fifo");
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const ordered_json results = ended.json().at("results");
  const auto value = [&](const std::string& name) { return results.at(name).at("value"); };
  EXPECT_EQ(value("fct.completed"), 12);
  EXPECT_EQ(value("box.forward.beats_in"), value("box.forward.beats_out"));
  EXPECT_EQ(value("box.backward.beats_in"), value("box.backward.beats_out"));
  EXPECT_GT(value("box.forward.waited_out"), 1000);
  EXPECT_GT(value("box.forward.changed"), 20);
  EXPECT_EQ(value("box.forward.damaged"), 0);
  // The mark is in the packets, so their receivers tell the sender.
  EXPECT_GT(value("receivers.cnps_sent"), 0);
  EXPECT_EQ(value("senders.cnps_received"), value("receivers.cnps_sent"));
  EXPECT_EQ(ended.json().at("packets").at("delivered"), ended.json().at("packets").at("created"));
}

TEST_F(CosimBlocks, ABlockThatSpoilsFramesEndsTheRun) {
  const Ended wrong = streamed(place_, "congestion_fifo_wrong");
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_NE(wrong.err.find("box.module.forward: AXI4-Stream, clock "), std::string::npos)
      << wrong.err;
  EXPECT_NE(wrong.err.find("wrong IPv4 header checksum"), std::string::npos) << wrong.err;
  EXPECT_FALSE(wrong.out.find("receivers.cnps_sent") != std::string::npos);

  const Ended unknown = streamed(place_, "congestion_fif");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("--set module: "), std::string::npos) << unknown.err;
  EXPECT_NE(unknown.err.find("did you mean 'congestion_fifo'?"), std::string::npos) << unknown.err;
}

}  // namespace
}  // namespace horae::platforms::cosim_blocks_test
