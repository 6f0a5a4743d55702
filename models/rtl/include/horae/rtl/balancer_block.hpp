// Load balancers of users, whose hardware descriptions lie outside the tree (scripts/rtl).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "horae/core/random.hpp"
#include "horae/policy/balance/load_balancer.hpp"
#include "horae/rtl/balancer_top.hpp"

namespace horae::rtl {

/// A block as its horae_rtl.toml describes it.
struct BalancerBlock {
  std::string_view name;
  std::string_view model;     ///< what it implements: "balance=po2"
  std::uint32_t choices = 0;  ///< candidates that it has room for
  std::uint32_t depths = 0;   ///< candidates whose queues it sees; 0: none
  std::uint32_t draws = 0;    ///< random numbers for each choice
  bool salted = false;        ///< has a pin for the salt
  Served<BalancerInputs, BalancerOutputs>::Make make = nullptr;
};

/// Those that were built.
const std::vector<BalancerBlock>& balancer_blocks();

/// The load balancer of a switch, as its configuration names it.
struct BalanceSetting {
  std::string balance;
  policy::PolicyParameters parameters;
};

/// Chooses by hardware. A request to it takes clocks, which the switch does not wait for: its
/// pipeline's latency has them, as it has those of the model.
class BalancerRtl final : public policy::LoadBalancer {
 public:
  /// `seed` and `path` name the random stream of the device, as for the model.
  BalancerRtl(const BalancerBlock& block, std::uint64_t seed, std::string_view path);

  /// An InputError where there are more candidates than the hardware has room for; a ModelError
  /// where it chooses none of them.
  unsigned choose(const Packet& packet, unsigned choices, const policy::PortView& view) override;
  policy::BalanceNeeds needs() const override { return {.queue_depth = block_.depths > 0}; }

  const BalancerBlock& block() const { return block_; }
  const Served<BalancerInputs, BalancerOutputs>& hardware() const { return hardware_; }

 private:
  const BalancerBlock& block_;
  RandomStream stream_;
  std::uint32_t salt_ = 0;
  Served<BalancerInputs, BalancerOutputs> hardware_;
};

/// Every packet is asked of the model and of the hardware. At the first difference model.txt and
/// rtl.txt (the latest requests, and what each chose) and waveform.vcd (the last thousand clocks)
/// are written to `folder`, and a ModelError says what differed.
class BalancerLockstep final : public policy::LoadBalancer {
 public:
  BalancerLockstep(std::unique_ptr<policy::LoadBalancer> model, std::unique_ptr<BalancerRtl> rtl,
                   std::string folder);

  unsigned choose(const Packet& packet, unsigned choices, const policy::PortView& view) override;
  policy::BalanceNeeds needs() const override { return model_->needs(); }

  /// So far, each of which both answered alike.
  std::uint64_t requests() const { return requests_; }
  const BalancerRtl& rtl() const { return *rtl_; }

 private:
  [[noreturn]] void report(const std::string& difference) const;

  std::unique_ptr<policy::LoadBalancer> model_;
  std::unique_ptr<BalancerRtl> rtl_;
  std::string folder_;
  std::uint64_t requests_ = 0;
  std::deque<unsigned> chosen_;  ///< by the model, as many as the hardware keeps requests
};

/// The level that a switch's configuration asks for.
std::string balance_level(const BalanceSetting& setting);

/// Refuses, as make_balancer does, what cannot be made.
void check_balancer(const BalanceSetting& setting);

/// The balancer of level `rtl` or `both`; null at level `model`, which the switch has. The hardware
/// is the block that `balance_rtl` names, or the first that fits. An InputError where there is
/// none.
std::unique_ptr<policy::LoadBalancer> make_balancer(const BalanceSetting& setting,
                                                    std::uint64_t seed, std::string_view path,
                                                    const std::string& folder);

}  // namespace horae::rtl
