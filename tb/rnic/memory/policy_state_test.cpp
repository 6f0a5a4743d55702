// Memory of transports, entropy schemes and congestion controls on a NIC's chip.
#include "horae/rnic/memory/policy_state.hpp"

#include <gtest/gtest.h>

#include <map>

#include "horae/policy/entropy/reps.hpp"
#include "horae/rnic/nic_budget.hpp"

namespace horae::rnic::policy_state_test {
namespace {

std::map<std::string, std::uint64_t> bits_of(const RnicConfig& config) {
  std::map<std::string, std::uint64_t> out;
  for (const PolicyState& state : policy_states(config))
    out[std::string(state.name)] = state.bits();
  return out;
}

const BudgetLine* line(const NicBudget& budget, std::string_view name) {
  for (const auto& l : budget.lines) {
    if (l.name == name) return &l;
  }
  return nullptr;
}

NicBudget bill(const RnicConfig& config, std::uint32_t queue_pairs) {
  return nic_budget(config.sram, {.groups = {{queue_pairs, 8, 64_KiB}},
                                  .window = config.reliability.window,
                                  .policies = policy_states(config)});
}

TEST(PolicyStates, ANicThatSpraysNothingHasNone) { EXPECT_TRUE(policy_states({}).empty()); }

TEST(PolicyStates, RepsTakes25BytesOfAContext) {
  RnicConfig c;
  c.entropy.scheme = "reps";
  EXPECT_EQ(bits_of(c), (std::map<std::string, std::uint64_t>{{"entropy_state", 193}}));
  const NicBudget with = bill(c, 1000), without = bill({}, 1000);
  ASSERT_NE(line(with, "entropy_state"), nullptr);
  EXPECT_EQ(line(with, "entropy_state")->bytes(), 25'000_B);
  EXPECT_TRUE(line(with, "entropy_state")->cached);
  EXPECT_EQ(with.cached(), without.cached() + 25'000_B);
  EXPECT_EQ(with.on_chip(), without.on_chip());
  EXPECT_EQ(with.most_on_chip, without.most_on_chip);
  EXPECT_LT(with.most_cached, without.most_cached);

  c.sram.policy_state = PolicyPlace::chip;
  const NicBudget on_chip = bill(c, 1000);
  EXPECT_EQ(on_chip.used(), with.used());
  EXPECT_EQ(on_chip.on_chip(), without.on_chip() + 25'000_B);
  EXPECT_EQ(on_chip.most_cached, with.most_cached);
  EXPECT_EQ(on_chip.most_on_chip, (1536 * 1024) / (64 + 32 + 25));

  c.entropy.parameters = policy::PolicyParameters::with(policy::RepsParameters{.ring = 1});
  EXPECT_EQ(bits_of(c)["entropy_state"], 74u);
  EXPECT_EQ(line(bill(c, 1000), "entropy_state")->each, 10_B);
}

// Their composition is stated, and it is what is charged.
TEST(PolicyStates, CongestionControlsByWindowAreCharged) {
  for (const auto& [name, bits] : std::map<std::string, std::uint64_t>{{"none", 0},
                                                                       {"dcqcn", 0},
                                                                       {"dctcp", 130},
                                                                       {"hpcc", 512},
                                                                       {"swift", 136},
                                                                       {"timely", 136},
                                                                       {"mprdma", 32},
                                                                       {"nscc", 386},
                                                                       {"constant", 0}}) {
    RnicConfig c;
    c.congestion.algorithm = name;
    EXPECT_EQ(bits_of(c)["congestion_state"], bits) << name;
    const NicBudget b = bill(c, 10);
    ASSERT_EQ(line(b, "congestion_state") != nullptr, bits > 0) << name;
    if (bits == 0) continue;
    EXPECT_EQ(policy::total_bits(line(b, "congestion_state")->fields), bits) << name;
    EXPECT_EQ(line(b, "congestion_state")->each, policy::bytes_for(bits)) << name;
  }
}

// A sender's state of single packets, and its times, is on the chip and dwarfs REPS.
TEST(PolicyStates, TimersPerPacketDwarfTheEntropyScheme) {
  RnicConfig c;
  c.transport = "spray_sr";
  c.entropy.scheme = "reps";
  c.reliability.window = 151;
  const NicBudget b = bill(c, 10);
  ASSERT_NE(line(b, "transport_state"), nullptr);
  EXPECT_FALSE(line(b, "transport_state")->cached);
  EXPECT_GT(line(b, "transport_state")->each, line(b, "entropy_state")->each * 10);
  // Beside what they belong to.
  std::vector<std::string_view> names;
  for (const auto& l : b.lines) names.push_back(l.name);
  EXPECT_EQ(names, (std::vector<std::string_view>{
                       "tx_buffer", "rx_buffer", "reorder_state", "retransmit_state",
                       "transport_state", "queue_pair", "entropy_state", "send_wqe",
                       "completion_queue", "translation", "memory_key"}));
}

// Sender and receiver together, as every queue pair may be both.
TEST(PolicyStates, EqdsTakes29Bytes) {
  RnicConfig c;
  c.congestion.algorithm = "eqds";
  EXPECT_EQ(bits_of(c), (std::map<std::string, std::uint64_t>{{"congestion_state", 225}}));
  EXPECT_EQ(line(bill(c, 1000), "congestion_state")->bytes(), 29'000_B);
}

}  // namespace
}  // namespace horae::rnic::policy_state_test
