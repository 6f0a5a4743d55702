// Load balancers outside the tree in the place of their models.
#include <gtest/gtest.h>

#include "horae/core/random.hpp"
#include "horae/policy/hardware_choice.hpp"
#include "horae/rtl/balancer_block.hpp"
#include "wrong_run.hpp"

namespace horae::balancers_test {
namespace {

using rtl_test::ended_with;
using rtl_test::Folder;

rtl::BalanceSetting setting(const std::string& balance, const std::string& level,
                            const std::string& block) {
  policy::HardwareChoice hardware{.level = level};
  if (!block.empty()) hardware.rtl = block;
  return {balance, policy::PolicyParameters::with(std::move(hardware))};
}

/// Few depths, so that queues are often equally long.
class Queues final : public policy::PortView {
 public:
  explicit Queues(RandomStream& random) {
    for (auto& depth : depths_) depth = random.below(4) * 1000;
  }
  Bytes depth(unsigned choice) const override { return Bytes(depths_.at(choice)); }

 private:
  std::array<std::int64_t, 16> depths_;
};

std::vector<unsigned> drive(policy::LoadBalancer& balancer, int packets, unsigned choices = 0) {
  RandomStream random(7, "test");
  std::vector<unsigned> chosen;
  for (int i = 0; i < packets; ++i) {
    Packet p;
    p.src = random.below(200);
    p.dst = random.below(200);
    p.psn = Psn(random.bits());
    p.entropy = static_cast<std::uint16_t>(random.below(1000));
    p.dest_qp = Qpn(random.below(1000));
    const Queues queues(random);
    chosen.push_back(balancer.choose(p, choices > 0 ? choices : 2 + random.below(15), queues));
  }
  return chosen;
}

TEST(Balancers, HardwareChoosesAsItsModelDoes) {
  const Folder folder("horae_balancers");
  const auto both = rtl::make_balancer(setting("po2", "both", "shorter_queue"), 1, "leaf.balance",
                                       folder.path.string());
  const auto alone = rtl::make_balancer(setting("po2", "rtl", ""), 1, "leaf.balance", "");
  const auto model = policy::make_load_balancer("po2", 1, "leaf.balance");
  const auto chosen = drive(*model, 5000);
  EXPECT_EQ(drive(*both, 5000), chosen);
  EXPECT_EQ(drive(*alone, 5000), chosen);
  EXPECT_EQ(dynamic_cast<rtl::BalancerLockstep&>(*both).requests(), 5000u);
  EXPECT_TRUE(both->needs().queue_depth);
  EXPECT_TRUE(alone->needs().queue_depth);
  EXPECT_FALSE(std::filesystem::exists(folder.path));
  EXPECT_EQ(rtl::make_balancer(setting("po2", "model", ""), 1, "leaf.balance", ""), nullptr);
}

/// Pins as a test has them move: the choice that `answer` gives of the inputs.
class Answering final : public rtl::BalancerTop {
 public:
  static inline unsigned (*answer)(const rtl::BalancerInputs&);
  static std::unique_ptr<rtl::BalancerTop> make(std::uint32_t) {
    return std::make_unique<Answering>();
  }

  void clock(const rtl::BalancerInputs& in) override {
    out_ = {.request_ready = true, .response_valid = in.request_valid};
    if (in.request_valid) out_.choice = answer(in);
  }
  rtl::BalancerOutputs outputs() const override { return out_; }
  std::string save() override { return {}; }
  void restore(const std::string&) override {}
  void start_waveform(const std::string&) override {}
  void stop_waveform() override {}

 private:
  rtl::BalancerOutputs out_{.request_ready = true};
};

TEST(Balancers, PinsHaveThePacketAndTheDrawsOfTheModel) {
  const auto chosen = [](rtl::BalancerBlock block, unsigned (*answer)(const rtl::BalancerInputs&)) {
    block.choices = 16;
    block.make = Answering::make;
    Answering::answer = answer;
    rtl::BalancerRtl hardware(block, 1, "leaf.balance");
    return drive(hardware, 1000);
  };
  EXPECT_EQ(chosen({.name = "answering", .model = "", .draws = 1},
                   [](const rtl::BalancerInputs& in) { return in.draws[0]; }),
            drive(*policy::make_load_balancer("spray", 1, "leaf.balance"), 1000));
  EXPECT_EQ(chosen({.name = "answering", .model = "", .salted = true},
                   [](const rtl::BalancerInputs& in) {
                     Packet p;
                     p.src = in.source;
                     p.dst = in.destination;
                     p.entropy = static_cast<std::uint16_t>(in.entropy);
                     p.dest_qp = Qpn(in.qp);
                     return static_cast<unsigned>(
                         std::uint64_t{policy::flow_hash(p, in.salt)} * in.choices >> 32);
                   }),
            drive(*policy::make_load_balancer("ecmp", 1, "leaf.balance"), 1000));
  EXPECT_EQ(ended_with<ModelError>([&] {
              chosen({.name = "answering", .model = ""},
                     [](const rtl::BalancerInputs& in) { return in.choices; });
            }).find("RTL 'answering': chose "),
            0u);
}

TEST(Balancers, AWrongLineEndsTheRun) {
  const Folder folder("horae_balancers");
  const auto both = rtl::make_balancer(setting("po2", "both", "shorter_queue_wrong"), 1,
                                       "leaf.balance", folder.path.string());
  const std::string said = ended_with<ModelError>([&] { drive(*both, 5000); });
  rtl_test::expect_difference(said, "shorter_queue_wrong", folder);
  EXPECT_NE(said.find("choice is "), std::string::npos) << said;
}

TEST(Balancers, MoreCandidatesThanPinsAreRefused) {
  const auto alone = rtl::make_balancer(setting("po2", "rtl", ""), 1, "leaf.balance", "");
  EXPECT_EQ(ended_with<InputError>([&] { drive(*alone, 1, 17); }),
            "17 candidates for a packet: the RTL 'shorter_queue' has room for 16");
}

TEST(Balancers, WhatDoesNotFitIsRefused) {
  const auto refusal = [](const rtl::BalanceSetting& s) {
    return ended_with<InputError>([&] { rtl::check_balancer(s); });
  };
  EXPECT_EQ(refusal(setting("po2", "both", "shorter_queue")), "");
  EXPECT_EQ(refusal(setting("drill", "both", "shorter_queue")),
            "balance_rtl = 'shorter_queue' is \"balance=po2\"; found balance = \"drill\", expected "
            "\"po2\"");
  EXPECT_EQ(refusal(setting("po2", "rtl", "shortest_queue")).find("balance_rtl = 'shortest_queue'"),
            0u);
  EXPECT_NE(refusal(setting("drill", "rtl", "")).find("fits balance = 'drill'"), std::string::npos);
}

}  // namespace
}  // namespace horae::balancers_test
